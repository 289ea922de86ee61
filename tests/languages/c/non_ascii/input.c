#include "größe.h"

/* Maß in „Ellen“ — ☕. */
struct Länge { int wert; /* 幅 */ };

static const char *grüße = "☕☕☕"; /* „ */ typedef struct Länge länge_t;

/* ☕ */ int fläche(struct Länge länge, int höhe) { return länge.wert * höhe; }

#define GRÖẞER(ä, ö) ((ä) > (ö))
