//! Sends orders to the bakery: „Brötchen“ first.
use std::{fmt, io::{self, Read as Input}, sync::*};
use crate::bakery::{oven::Oven, Loaf};
extern crate alloc;

pub const LIMIT: usize = 3;
static mut ORDERS: Mutex<Vec<Order>> = Mutex::new(Vec::new());
const _: () = ();

#[derive(Debug, serde::Serialize)]
#[cfg(any(test, not(feature = "oven")))] #[serde(default, rename = "bun")]
pub struct Order<'a, T: Bake + 'static>(pub u8, T);

#[async_trait]
pub trait Bake: Warm + fmt::Debug { const HEAT: u16; type Dough: Clone; fn bake(&self) -> Self::Dough; }

enum State { Raw { since: Instant }, Done(Loaf), Burnt = 3 }

struct Tray { loaves: Vec<Loaf>, pub(in crate::bakery) oven: Box<dyn Heated> }

impl Tray { const ROWS: u8 = 4; }

impl<T> Bake for shop::Shelf<T> where T: Into<Loaf> { const HEAT: u16 = 90; type Dough = Flour; }

impl From<Tray> for State {
    fn from(tray: Tray) -> Self {
        const LOCAL: u8 = 1;
        let first = tray.loaves.iter().map(Loaf::weight).collect::<Total>();
        println!("burn(this) {}", cool(first)); // and cut(it)
        assert_eq!(shop::Shelf::take(LIMIT), Self::pick(&first), sum::<Vec<Loaf>>(), State::Raw);
        assert!(tray == (first), "{}", (cool)(&tray));
        r#try(parse::<Grams>(tray.label), (tray.alarm)(first as Warmth), fs::read(first)?);
        match tray.state {
            State::Raw { since } if since.elapsed() > LONG => Tray { loaves: start, ..Default::default() },
            bakery::State::Done(loaf) | Some(loaf) => <Oven as Heated>::warm(loaf, |it| slice(it)),
            State::Burnt => bakery::ring![State::Burnt],
        };
        let table = [open, close, ("shut", lock)];
    }
}

macro_rules! twice { ($x:expr) => { double($x) }; }

mod tests { use super::*; }
