import type { Logger, Level as LogLevel } from "../log";
import Store, { type Row } from "./store";
import paths = require("node:path/posix");
import Point = geometry.flat.Point;
export { Cart as default } from "./cart";

/** Größe: names come after bytes that are no letters of ASCII. */
export enum Size { Small, Large = 2, "Extra", "Outsize" = 9 }
export declare const version: string;
declare let counter: number;

@Injectable()
@scoped
export class Shop<T extends Item = Book> extends base.Place<T> implements Named, shop.Open, Kept<Row>, open.Closeable<Row> {
  static readonly limit: number = 3;
  #rows?: Map<string, Row[]>;
  private readonly store = new Store<T>(onChange, rules.isNew);

  constructor(private readonly logger: Logger, readonly size: Size, plain: number, protected rates?: Rates) {
    super(logger!);
    shop.log!(plain);
    this.store.open(plain as Amount);
  }

  get first(): T | undefined { return find<T>(this.#rows!, (row): row is Row => row instanceof models.Row); }

  abstract sell(this: Shop<T>, to: crm.Customer): Promise<Receipt>;
}

abstract class Corner extends Shop<Book> {}
export const made = [class Own {}];

export interface Priced extends Named, shop.Sold, Kept<Day>, money.Value<Euro> {
  readonly price: number;
  "in stock"?: boolean;
  discount(by: Percent): asserts by is Percent;
  new (row: Row): Priced;
  [key: string]: unknown;
}

type Keys<K> = { [P in keyof K]?: Field<K[P]> };
type Inner<U> = U extends Promise<infer V> ? never : typeof counter | typeof Shop.limit | import("./outer").Outer;
type Shelf = { rows: Row[]; label: `shelf-${Named}` };
const handlers = { open: onOpen, close: events.onClose } satisfies Handlers;

export function serve<R>(make: new (size: Size) => R, options: { depth: Depth }): asserts make is Maker<R> {
  const local: Local = <Local>make;
  try { run!(local).each(print); (make as Opener)(options.depth); } catch (error: unknown) { throw new ShopError(String(error)); }
}

namespace geometry.flat { export const origin: Point = at(0); }
export = serve;
