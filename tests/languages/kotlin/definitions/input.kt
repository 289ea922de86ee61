@file:JvmName("Shop")

package shop

import kotlin.math.max
import java.util.UUID as Id
import shop.prices.*

/**
 * Items waiting to be paid.
 *
 * @param T what is in it
 */
@Entity(name = "cart")
@Serializable
data class Cart<out T : Item>(
    val id: Id, // of the shop
    @Transient private val items: List<T> = emptyList(),
) : Base<T>(id), Named by Names(), Iterable<T> where T : Any {
    val size: Int
        get() = items.size

    init {
        check(size > 0)
    }

    /** Of one item. */
    constructor(item: T) : this(Id.randomUUID(), listOf(item)) {
        run()
    }

    /** Adds up the prices. */
    @Throws(IOException::class)
    // rounded
    override suspend fun total(tax: Double, round: (Double) -> Int = { it.toInt() }, vararg codes: String): Map<String, Int> {
        fun inner(x: Int) = x
        return mapOf()
    }

    // an ordinary comment documents nothing
    operator fun plus(other: Cart<*>): Cart<*> = this

    companion object {
        const val LIMIT = 10

        /** A new one. */
        fun create(): Cart<Item>? = null
    }
}

interface Visitor<R> : Serializable {
    fun visit(item: Item): R

    fun done() {
    }
}

enum class State(val letter: Char) : Named {
    OPEN('o'),
    PAID('p') {
        override fun next() = OPEN
    };

    abstract fun next(): State
}

/* What all carts share. */
object Registry {
    @JvmStatic fun clear() {}
}

/** By name. */
typealias Carts<T> = Map<String, Cart<T>>

val limit = 10

private inline fun <reified T> total(
    prices: List<Int>, // in cents
    noinline done: () -> Unit,
): Int where T : Any {
    return 0
}
