// Vorräte — 貯蔵 🥫, und é aus zwei Zeichen.
package größe

import 味 "example.com/größe/味" // ☕

/* Vorrat 🥫 */ type Größe struct { // 𝔸
	幅, Länge int
}

// Messen misst „genau“ — 👩🏽‍🍳 é.
func (g *Größe) Messen(名前 string, länge ...味.Maß) (ergebnis 味.Maß, err error) {
	return "🥫", nil
}

var s = "☕☕"; func öffnen(ё rune) { }
