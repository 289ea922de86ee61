@file:JvmName("Shop")
package bakery.shop // „Brötchen“

import bakery.oven.Loaf as Bread
import bakery.oven.Heat.warm
import bakery.util.*

const val LIMIT = 3
val shelf: Shelf<Loaf> = Shelf(LIMIT)
private val onSale: (Int, Loaf) -> Price = ::reduce
val <T> List<T>.newest: T get() = last()

fun Shop.close(): Boolean = `is empty`(plain)

@Serializable
@Named("shop(open)") @bakery.Traced(State.FRESH)
class Shop<T : Item>(val id: Id, private var count: Int = LIMIT, plain: Plain) :
    Store<T>(id), Runnable, Priced<Money> by other, bakery.Open {
    companion object : Factory<Shop>() { const val ROWS = 2; @JvmStatic val kind = Shop::class }
    val size: Int get() = shelf.weigh()
    val sum by lazy { add(size) }
    constructor(first: Customer) : this(first, 1) { super.open() }
    init { setUp(); val local = 1 }
    enum class State(val code: Code) : Shown { FRESH(1), STALE { override fun show() { fade() } } }
    fun sell(orders: List<out Order>, limit: Money? = Price.HALF, vararg more: Extra): Receipt where T : Cheap {
        orders.map(::bake).forEach(this::print).filter(Loaf::isNew).sort(State.STALE, shop.clock, by = age)
        if (!open(Day.first()) && orders is Batch && more !is Sold) { it as Baked }
        try { till?.open()?.count { it.coins() } } catch (error: Stuck) { throw Oops("sell(it) $error ${tell(it)}") }
        when (state) { State.FRESH -> sell(); is Slice -> eat(); else -> bakery.Tray.Row(2) }
        val tray = object : Listener, Adapter(1) { override fun fill() { knead() } }
        val (left, right) = shelf from other
        val table = mapOf("mix" to mix)
        shelf!!.close((handlers)(2))
        return Oven.make<Loaf>(1)
    }
}

typealias Handler = (Event) -> Unit

sealed class Result { data class Ok(val value: Loaf) : Result(); object No : Result.Base<Loaf>() }
