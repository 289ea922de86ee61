#include "größe.hpp"

/* „Ellen“ ☕ */ namespace maß {

/// Länge in „Ellen“ — ☕.
class Länge : public Größe {
  /* 幅 */ int fläche(const char* s = "☕☕") const { return 1; }
};

}

const char* grüße = "☕"; bool maß::Länge::größer(const Länge& als) { return true; }
