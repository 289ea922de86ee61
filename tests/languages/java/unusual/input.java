import java.util . List;

/** Where something is. */
record Point<T>(@NonNegative int x, T... rest) implements Comparable<Point<T>> {
    Point {
        check(x);
    }

    Point(int x) {
        this(x, null);
    }

    public int compareTo(Point<T> other) {
        return 0;
    }
}

@Retention(RUNTIME)
public @interface Audited {
    String value() default "";

    int[] levels() default {1, 2};
}

sealed interface Shape permits Circle, Square {}

non-sealed class Square implements Shape {
    class Side {
        class Corner {
            void turn(Square.Side this, int degrees) {}
        }
    }

    static <T> T first(List<T> all) {
        class Finder {
            T find() {
                return all.get(0);
            }
        }
        Runnable task = new Runnable() {
            @Override
            public void run() {
                new Thread(() -> stop()) {
                    void again() {}
                };
            }
        };
        Supplier<T> supplier = () -> null;
        return new Finder().find();
    }

    @Deprecated public int area() { return 1; }

    public static
    synchronized
    void spread(
        int a
    ) {}

    int overloaded(int a) { return a; }
    int overloaded(String a) { return 0; }
    native void c(byte[] data);
    int old()[] { return null; }
}

void main() {}
