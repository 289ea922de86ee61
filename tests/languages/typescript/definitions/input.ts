import fs = require("fs");
import type { Logger } from "./logger";
import "./polyfills";
export { helper } from './helper';

/** What every shape can do. */
export interface Shape<T> extends Named<T>, Disposable {
  readonly area: number;
  /** Draw it. */
  draw(on: Canvas, options?: { color: string }): Promise<void>;
  <K>(key: K): T;
}

/** @internal */
export abstract class Base<T> {
  abstract size(): number;
}

@Injectable({ scope: "root" })
// the decorator above is not part of the definition line
export default class Circle extends geometry.Base<number> implements Shape<number>, Other {
  static #count = 0;
  private radius = 1;

  constructor(
    private readonly logger: Logger, // kept
    radius: number = 1,
  ) {
    super();
  }

  @Input()
  get area(): number { return 3 * this.radius ** 2; }

  async draw(on: Canvas, { color }: Options = {}): Promise<void> {
    const local = () => color;
    function nested(n: number) { return n; }
    on.each((shape) => shape.draw());
  }

  onClick = async (event: MouseEvent): Promise<void> => { };

  overload(a: string): string;
  overload(a: any): any { return a; }

  [Symbol.iterator]() { return this; }
}

export type Point = { x: number; toString(): string };
export const enum Level { Low = 1, High }

declare module "shop" {
  export function buy(item: string): boolean;
}

namespace geometry.flat {
  /** Distance between points. */
  export const distance = (a: Point, b: Point): number => a.x - b.x;
  export class Line { length(): number { return 0; } }
}

export declare function assertPoint(value: unknown): asserts value is Point;

const double = (n: number) => n * 2, triple = function (n: number): number { return n * 3; };

export const wide = <
  A,
  B extends A,
>(
  a: A,
  b?: B,
): [A, B] => [a, b!];
