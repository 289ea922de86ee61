package bakery.shop; // „Brötchen“

import bakery.oven.Loaf;
import bakery.util.*;
import static bakery.oven.Heat.warm;

@Named("Shop(open)")
@Retention(RetentionPolicy.RUNTIME) @bakery.Traced
public abstract class Shop<T extends Bread & Cheap> extends base.Store<T> implements Runnable, Priced<Money> {
    private static final int LIMIT = 3, ROWS = 2;
    static int opened;
    @Nullable protected final Map<String, ? extends List<Loaf>> shelf = new HashMap<>();
    Clock clock;

    enum State implements Shown { FRESH, STALE(Price.HALF) { void show() { fade(this); } } }

    record Order(@Valid Customer customer, int count) implements Sent {}

    Shop(Customer first) throws bakery.Closed, Burnt {
        super(first);
        this.shelf.clear();
        open(first.name);
    }

    static { Registry.add(Shop.class, LIMIT); }

    @Route(path = Paths.SHOP, roles = {ADMIN, BAKER})
    Receipt sell(Order... orders) {
        int local = 1;
        try (Drawer drawer = till.open(local)) { drawer.put(orders); }
        catch (Stuck | bakery.Broken error) { throw new Oops(error); }
        if (orders instanceof Batch batch && batch.state == State.FRESH) return null;
        Object made = (Baked) Oven.<Loaf>make(LIMIT, State.STALE, this.clock);
        list.forEach(this::print).map(Loaf::new).map(bakery.Loaf::weigh);
        var tray = new Tray.Row<Loaf>(1) { void fill() { knead(); } };
        Runnable[] steps = {mix, () -> bake(tray)};
        switch (state) {
            case FRESH -> sell();
            case Slice(var part) -> eat(part);
            default -> System.out.println("sell(it)");
        }
        return bakery.Limits.DAILY;
    }
}

sealed interface Priced<L> extends Shown, Comparable<L> permits Shop { int ZERO = 0; L price(); }
