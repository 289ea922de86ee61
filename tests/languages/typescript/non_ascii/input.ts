// Vorräte — 貯蔵 🥫, und é aus zwei Zeichen.
import type { Größe } from "./größe/味"; // ☕

/* Vorrat 🥫 */ export interface Maß<Τύπος = "🥫"> extends Größe { // 𝔸
  幅: number; messen(名前: "☕☕", länge?: Τύπος): Promise<Größe | "é">;
}

/** Misst „genau“ — 👩🏽‍🍳 é. */
@味("🥫") export class Länge<ё> implements Maß<ё> {
  constructor(private readonly 名: string = "☕") {}
  #öffnen = (é: 味.Maß): `🥫${string}` => `🥫${é}`;
}

const s = "☕☕"; /* 🥫 */ type Süß = "🍬" | 味.Süß; enum Größen { Klein = "ß" }
// Überall.
export default function 貯蔵(ご: Süß): asserts ご is "🍬" {
  throw "🥫";
}
