//! A shop. This says what the file is, not what stands below it.
use std::collections::HashMap;
use crate::{
    money::{self, Price},
    stock::Stock as Shelf,
};
use super::prelude::*;
use std::fmt as f;
extern crate alloc as memory;

/// Items waiting to be paid.
///
/// Not shared between customers.
#[derive(Debug, Clone)]
#[must_use]
pub struct Cart<'a, T: Item> {
    items: Vec<&'a T>,
}

/** Net, then tax. */
pub struct Amount(pub Price, Price);

pub(crate) struct Empty;

/// How an order ends.
// not for the documentation
pub enum State {
    Paid { at: u64 },
    Lost(String),
}

union Bits {
    whole: u32,
    halves: [u16; 2],
}

// an ordinary comment documents nothing
type Prices = HashMap<String, Price>;

/// What a shop sells.
pub trait Item: Clone + money::Priced<Price> + ?Sized + 'static
where
    Self: Send,
{
    const TAXED: bool;
    type Unit;
    fn weigh(&self) -> Self::Unit;

    /// Rounds down.
    fn cents(&self) -> u64 {
        0
    }
}

impl<'a, T: Item> Cart<'a, T> {
    /// Put an item in.
    #[inline]
    pub fn add(&mut self, item: &'a T) -> &mut Self {
        self.items.push(item);
        self
    }

    pub(crate) async unsafe fn pay<const N: usize>(
        self: Box<Self>,
        mut coins: [u64; N], // in cents
        (to, _): (&str, u8),
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        T: Send,
    {
        Ok(())
    }
}

/// Sum up.
pub fn total(prices: &[u64], round: impl Fn(u64) -> u64) -> u64 {
    fn add(left: u64, right: u64) -> u64 {
        left + right
    }
    round(prices.iter().copied().fold(0, add))
}
