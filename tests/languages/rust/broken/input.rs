/// Kept.
pub fn before(x: u8) -> u8 {
    x
}

fn half(x: u8 -> u8 {
    x

impl Pool {
    /// Kept too.
    fn take(&self) -> u8 {
        1
    }
}

fn if (x) {
    let y = ;
}

pub struct After {
    x: u8,
}
