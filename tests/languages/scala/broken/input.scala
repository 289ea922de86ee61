object Before {
  def whole(a: Int): Int = a
}

class Damaged {
  def first(): Unit = {}

  def
  if (a { 1 }

  def last(b: String): String = {
    val c = )
    c
  }
}

class After {
  def whole(b: String): String = b
}

def
