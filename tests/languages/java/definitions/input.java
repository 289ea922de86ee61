package shop;

import java.util.List;
import java.io.*;
import static java.lang.Math.max;
import static shop.Prices.*;

/**
 * Items waiting to be paid.
 *
 * @author nobody
 */
@Entity(name = "cart")
@SuppressWarnings({"unchecked", "rawtypes"})
public final class Cart<T extends Item> extends Base<T> implements Closeable, Iterable<T> {
    private final List<T> items = List.of();

    static {
        run();
    }

    /** An empty one. */
    public Cart() {
        this(List.of());
    }

    @Inject
    Cart(@Named("items") List<T> items, final int... limits) throws IOException {
        super(items);
    }

    /**
     * Adds up the prices.
     *
     * @param tax the rate
     */
    @Override
    // rounded
    public double total(double tax, String[] codes, int rounds[]) throws IOException {
        return max(0, items.size()) * tax;
    }

    /* Not for everybody. */
    protected abstract <R extends Comparable<R>> Map<String, List<R>> grouped(
        Function<? super T, ? extends R> key, // may be null
        boolean sorted
    );

    // an ordinary comment documents nothing
    void close() {}

    /// What is left, in Markdown.
    public @Nullable String rest() {
        return null;
    }
}

interface Visitor<R> extends Function<Item, R>, Serializable {
    int LIMIT = 10;

    R visit(Item item);

    default void done() {}

    private static int limit() {
        return LIMIT;
    }
}

enum State implements Named {
    OPEN("o"),
    PAID("p") {
        @Override
        String letter() {
            return "x";
        }
    };

    State(String letter) {}

    String letter() {
        return "";
    }
}
