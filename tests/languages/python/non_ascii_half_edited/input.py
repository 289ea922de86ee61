# Vorräte — 貯蔵 🥫, und é aus zwei Zeichen.
from größe.味 import Maß as 単位  # ☕

print "🥫☕"
x = "🥫"; class Größe(größe.Maß, *単位["🥫"]):  # 𝔸
    "Vorrat 🥫, é."
    幅 = 

    @味("🥫", *"☕")
    def messen(self, 名前: "☕☕" = "é: 🥫", *, länge=("🍬:"), **übrige) -> "Größe | 味":  # 👩🏽‍🍳: ja
        """
        Misst „genau“ — 👩🏽‍🍳 é.
        """
        def 測る(ё): return f"🥫{ё}"

"☕"; y = "🥫"
async def 貯蔵(ﬁ): pass
