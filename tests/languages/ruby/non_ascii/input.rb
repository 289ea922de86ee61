# Größe — 大きさ 🎉
GRÜSSE = "こんにちは 🎉" # ünïcode

module Café
  # Höhe über dem Meer – in Metern.
  class Straße < Weg; def länge(größe = "ß🎉", *次) = größe; end
end

def 挨拶(名前) "#{名前} 🎉" end
