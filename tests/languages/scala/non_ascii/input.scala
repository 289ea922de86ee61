// Größe 🎉 – こんにちは
object Café { val grüße = "ü🎉"; /** Höhe – in Metern. */ def länge(größe: String = "ß🎉")(次: Int): Größe = ??? }

/* ß */ class Straße(höhe: Int) extends Weg[Größe]
