// Größe 🎉 – こんにちは
let grüße = "ü🎉"; /* ß */ func länge(größe: String = "ß🎉", _ 次: Int) -> Größe { Größe() }

/// Höhe über dem Meer – in Metern.
struct Straße: Weg { func 挨拶(名前: String) {} }
func 🎉() {}
