/* Größe — 大きさ ☕ */ import größe.Maß;

/** Maß in „Ellen“ — ☕. */
class Länge { /* ü */ int fläche(String 幅, int länge) { return 1; }
    String s = "☕☕"; /* ☕ */ Länge() {}

    /** Vergleicht. */
    boolean größer(Länge als) { return true; }
}
