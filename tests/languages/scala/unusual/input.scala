package shop
package scala3

import cats.syntax.all.*
import cats.given

enum Colour(val rgb: Int) extends Enum[Colour] derives Eq:
  case Red extends Colour(0xff0000)
  case Mixed(left: Colour, right: Colour)

  def hex: String = rgb.toHexString
end Colour

trait Ord[T]:
  /** Which comes first. */
  def compare(left: T, right: T): Int

  extension (left: T) def <(right: T): Boolean = compare(left, right) < 0

object Ord:
  given intOrd: Ord[Int] with
    def compare(left: Int, right: Int) = left - right

  given [T](using inner: Ord[T]): Ord[List[T]] with
    def compare(left: List[T], right: List[T]) = 0

  given fallback: Ord[String] = ???

extension [A](items: List[A])
  def second: A = items.tail.head
  def third: A = items(2)

opaque type Id = Long
type Pair[+A, B] = (A, B)

inline def debug(inline text: String)(using Logger): Unit = ${ debugImpl('text) }

def outer(x: Int) =
  def local(y: Int) = y
  local(x)

class `odd name` { def `type`(`val`: Int) = `val` }

val listener = new Listener { def heard(sound: Sound) = () }
lazy val double = (x: Int) => x * 2

def spread(
    first: Int, // the first of all
    second: String = "a, b",
)(
    third: Int,
): Int = first

@main def run(args: String*): Unit = ()
