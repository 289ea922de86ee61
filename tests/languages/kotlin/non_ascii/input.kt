/* Größe — 大きさ ✓ */ import größe.Maß

/** Maß in „Ellen“ — ✓. */
class Länge(val ß: Int) {
    val s = "✓✓"; /* ✓ */ fun fläche(länge: Int, höhe: String = "✓"): Länge = this

    /** Vergleicht. */
    infix fun `größer als`(andere: Länge): Boolean = ß > andere.ß
}
