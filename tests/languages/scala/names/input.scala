package bakery.shop // „Brötchen“

import bakery.oven.Loaf
import bakery.stock.{Batch, Crate => Box, given}, bakery.syntax._

@deprecated("use open()") @bakery.traced(State.Fresh)
final case class Shop[T <: Bread: Order](id: Id, count: Int = Limit)(implicit clock: Clock)
    extends Store[T](id) with bakery.Priced[Money] with Runnable derives Codec {
  val shelf: List[_ <: Loaf] = stocked(id)
  private var left, right = 0
  type Sold = bakery.Receipt

  def sell[A: Shown](orders: Order*)(using till: Till): Map[Key, *] = {
    val local = 1
    orders.map(bake).filter(_.isNew).foldLeft(State.Stale)(join _) sorted price
    orders match {
      case batch: Batch => batch.open
      case bakery.Slice(part) => eat(part)
      case State.Fresh | Burnt => shelf
    }
    try till.open() catch { case error: Stuck => throw new Oops("sell(it)") }
    new bakery.Tray[Loaf](1); new Listener { def fill = knead() }
    Oven[Loaf](2).make[Cake](this.clock, by = age); classOf[Price]; (callback)(3)
    val table = Seq("mix" -> mix, s"text ${tell(local)} $left")
    for { loaf <- baked(1); slice = cut(loaf) if fresh(slice) } yield wrap(slice)
  }
}

object Shop extends Factory { val Rows = 2; lazy val shared = new Shop; var opened = 0; def apply() = 1 }

trait Priced[L] extends Shown { self: Named => ; val price: L; def `is free`: Boolean = `to check`(price) }

class Till(val drawer: Drawer, key: Key) { val coins = 3 }

enum State(val code: Code) extends Base:
  case Fresh extends State(1)
  case Stale, Burnt
  case Mixed(share: Share)

given Order[Loaf] with
  def compare(left: Loaf, right: Loaf | Cake) = weigh(left)

final class Crumb(loaf: Loaf) extends (Loaf Both Cake)

given byAge: Order[Cake] = sortedBy(age)

extension (till: Till) def shut: Unit => Lock = lock(till)

opaque type Id = Long

val Limit: Int = 3
