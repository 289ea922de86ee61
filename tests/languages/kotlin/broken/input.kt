/** Kept. */
fun before(): Int = 1

fun half(x: Int {
    if (x > 1) {
    }
}

class Cart {
    fun add(item: String) {
        val x = = 3
    }

    fun if (x: Int) {
        y(
    }

    /** Kept too. */
    fun later() {
    }
}

/** And this. */
fun after(): Int = 2
