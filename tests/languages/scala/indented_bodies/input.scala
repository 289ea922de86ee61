object Rates {
  /** The first. */
  def first(base: Int): Int =
    base + 1

  /** The second.
    * Its comment is read with the body above.
    */
  def second: Int =
    2 // at the end of code
  def third(x: Int): Int = x match {
    case 1 => 2
  }

  def fourth: Int =
    4

  // Too far away.

  def fifth: Int =
    5
  // Of two
  // lines.
  @inline def sixth = 6
}

trait Open:
  def last =
    7

/** After a type that ends by its indentation. */
class Closed
