# Größe – gesamt.
variable "größe" {
  default = "日本"
}

resource "x_日本" "b" { n = "🚀" } # 🚀
locals {}
