# Vorräte — 貯蔵 🥫, und é aus zwei Zeichen.
from größe.味 import Maß as 単位; import größe  # ☕

x = "🥫"; y = "☕☕"
class Größe(größe.Maß, *単位["🥫"]):  # 𝔸
    "Vorrat 🥫, é."
    幅 = "🥫"

    @味("🥫", *"☕")
    def messen(self, 名前: "☕☕" = "é: 🥫", *, länge=("🍬:"), **übrige) -> "Größe | 味":  # 👩🏽‍🍳: ja
        """
        Misst „genau“ — 👩🏽‍🍳 é.
        """
        def 測る(ё): return f"🥫{ё}"

# Python itself puts such names together: of two characters one is made.
def étage(ﬁ): "☕"; return ﬁ
if "☕":
    async def 貯蔵(): pass
