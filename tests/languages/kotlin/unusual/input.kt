fun String.shout(times: Int): String = uppercase()

fun <T : Comparable<T>> List<T>?.largest(): T? = null

fun (suspend () -> Unit).twice() {}

fun shop.Cart.Line.price() = 1

fun `a name of several words`(`in`: Int) {}

fun interface Handler {
    fun handle(event: Event)
}

sealed interface Shape

data object Nothing : Shape

@JvmInline
value class Meters(val value: Double)

/** Marks what may change. */
@Target(AnnotationTarget.CLASS)
@Retention(AnnotationRetention.BINARY)
annotation class Unstable

@Unstable
enum class Empty

@Unstable // soon gone
@Suppress("unused")
open class Old {
    fun kept(): Int = 1
}

class Outer @Inject internal constructor(val x: Int) {
    inner class Inner {
        fun deep() {}
    }

    companion object Factory : Maker<Outer> {
        override fun make(): Outer {
            val task = object : Runnable {
                override fun run() {}
            }
            class Local {
                fun method() {}
            }
            return Outer(1)
        }
    }

    fun Inner.extended(@Named("n") n: Int = 1, crossinline block: suspend Inner.() -> Unit): List<Int> = listOf()

    var y = 1
        private set(value) {
            field = value
        }

    fun overloaded(a: Int) = a
    fun overloaded(a: String) = 0
}

val listener = object : Listener {
    override fun heard() {}
}

expect class Platform

actual fun platform(): Platform = TODO()

tailrec infix fun Int.until(other: Int): IntRange = this until other

external fun native(data: ByteArray)
