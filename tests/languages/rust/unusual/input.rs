#![allow(dead_code)]

impl<T> fmt::Display for net::Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }
}

impl<'a, T> IntoIterator for &'a mut Pool<T> {
    type Item = &'a mut T;
    fn into_iter(self) -> IterMut<'a, T> { self.0.iter_mut() }
}

impl dyn Shape + 'static { fn is_round(&self) -> bool { true } }

impl<T> Area for [T] { fn area() -> u64 { 0 } }

impl Area for (u8, u8) { fn area() -> u64 { 1 } }

impl Area for u8 { fn area() -> u64 { 2 } }

impl !Send for Pool<u8> {}

/// Squares.
#[macro_export]
macro_rules! square {
    ($x:expr) => { $x * $x };
}

macro_rules! pair ( ($x:expr) => { ($x, $x) } );

mod inner {
    //! Of the module.
    pub(super) const fn hidden() {}

    pub(in crate::shop) struct Deep;
}

extern "C" {
    /// From the C library.
    fn printf(format: *const u8, ...) -> i32;
}

pub extern "C" fn callback(#[cfg(unix)] fd: i32, mode: u8) -> ! { loop {} }

fn r#match(r#type: u8) {}

#[cfg(unix)]
fn open() {}
#[cfg(not(unix))]
fn open() {}

fn outer() {
    struct Local { x: u8 }
    impl Local {
        fn method(&self) {
            fn function() {}
        }
    }
    use std::mem;
}

#[test] fn on_one_line() {}

pub struct Wrapper<T>(
    /// What it holds.
    pub T,
    u8,
) where T: Copy;

pub type Handler<'a, T> =
    Box<dyn Fn(&'a T) -> Result<(), Error> + Send>;

fn tuple() -> (u8, [u8; 3]) { (1, [1, 2, 3]) }

const HANDLE: fn(u8) = |_| {};
