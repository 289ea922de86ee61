// Vorräte — 貯蔵 🥫, und é aus zwei Zeichen.
import größe from "./größe/味.js"; // ☕

/* Vorrat 🥫 */ class Größe extends größe.Maß { // 𝔸
  #幅 = "🥫"; static ℓ = (ё) => ё;
  /** Misst „genau“ — 👩🏽‍🍳 é. */
  messen(名前 = "☕☕", { länge, ...übrige }) { return `🥫${名前}`; }
  "süß 🍬"() {}
}

const s = "☕☕", étage = (étage = "é") => étage; /* 🥫 */ function öffnen(\u0061b, $ß) {}
/* 🥫 */ exports.öffnen = async function* (名) {}; exports["味 ☕"] = () => 1;
// Überall.
export default function 貯蔵() {
  return "🥫";
}
