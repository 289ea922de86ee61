/* Größe — 大きさ 🦀 */ use größe::maß;

/// Maß in „Ellen“ — 🦀.
pub struct Länge { ß: u8 }

const S: &str = "🦀🦀"; /* ü */ pub fn fläche(länge: u8, 幅: &'static str) -> Länge { todo!() }

impl Länge {
    // ✓
    fn größer(&self, als: &Länge) -> bool { self.ß > als.ß }
}
