package shop.orders

import scala.collection.mutable
import scala.util.{Try, Success => Done}
import java.time._, java.util.UUID

/** An order placed by a customer.
  *
  * Kept until it is paid.
  */
@deprecated("use Basket", "2.0")
final case class Order[T <: Item](lines: List[T], var note: String = "none")(implicit clock: Clock)
    extends Base(lines)
    with Countable
    with Iterable[T] {
  val limit = 10

  /** Add up the prices. */
  @tailrec
  private[shop] final def total(rate: Double = 0.2, codes: String*)(implicit money: Money): Double = {
    rate
  }

  def size = lines.size
  def +(other: Order[T]): Order[T] = other
  def this(lines: List[T]) = this(lines, "")
  type Line = T

  // Only once.
  def clear() { lines.clear() }
}

object Order extends App {
  def empty[T]: Order[T] = ???
}

sealed trait Countable {
  def count(of: String): Int
}

package object prices { def cheap(price: => Int): Boolean = price < 3 }

abstract class Base @Inject() (lines: Seq[_])

private object Hidden
