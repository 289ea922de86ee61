import type Base, { type Options as Choice } from "./base";
import fs = require("fs");
import Line = geometry.Line;
export import Plane = geometry.Plane;
export type { Choice };
export * as all from "./all";

/** Reads an order by number or by name. */
export function order(number: number): Order;
export function order(name: string, strict?: boolean): Order;
export function order(key: number | string, strict = false): Order {
  return find(key, strict);
}

@sealed
@register({
  name: "store",
})
export abstract class Store<
  Item extends object = {},
  const Key extends string = "id",
> extends mixin(Base)<Item> implements Closable, Iterable<Item> {
  [key: string]: unknown;
  declare readonly kind: "store";
  static #made?: number;
  accessor size = 0;

  // Made by hand.
  constructor(
    public readonly name: string,
    @inject(Logger) protected logger?: Logger,
    private items: Item[] = [],
  ) {
    super();
  }

  /** Add one. */
  add(item: Item): this;
  add(...items: readonly Item[]): this;
  @traced() public override add(...items: Item[]): this { return this; }

  protected abstract read(key: Key): Promise<Item | undefined>;
  abstract get open(): boolean;
  private static async *scan<T>(this: Store<any>, from: T): AsyncGenerator<T, void> {}
  get [Symbol.toStringTag]() { return "Store"; }
  set limit(value: number) {}
  find = <K extends keyof Item>(key: K): Item[K] | undefined => undefined;
  handler: (event: Event) => void = function (this: Window, event) {};
  declare callback: (event: Event) => void;
  isFull(): this is FullStore { return true; }
}

export interface Shelf<in out T, Key = string> extends Base, geometry.Box<T> {
  new (name: string): Shelf<T>;
  (item: T): void;
  readonly [index: number]: T;
  size: number;
  onChange?: (item: T) => void;
  /** Take one away. */
  take?(key: Key): T | undefined;
  get first(): T;
  set first(item: T);
  [Symbol.iterator](): Iterator<T>;
}

export type Names = { readonly [K in keyof Shelf<unknown> as `get${K}`]?: () => K };
type Unwrapped<T> = T extends Promise<infer U>
  ? U
  : never;
type Reader = { read(from: string): string; inner: { skipped(): void } };
type Tuple = [first: string, rest?: (a: number) => void];

export const enum Level { Low = 1, High = Low << 1 }
declare enum Outer { A }

export function assertOrder(value: unknown, message?: string): asserts value is Order {}
export const isOrder = (value: unknown): value is Order => true;
export const table = {
  /** Lists all. */
  list: async <T>(of: T): Promise<T[]> => [],
  drop(id: number): void {},
} as const satisfies Record<string, unknown>;
export const parse = ((text: string) => JSON.parse(text)) as Parser;
export let later!: () => void, now = function (this: void, at: Date): void {};
const used = <Reader>{ read: (from) => from };
export default abstract class Last<T> {}
export = table;
