/// <reference types="node" />
import { Order } from "./order";

export as namespace Shop;

/** The shop's version. */
declare const version: string;
declare let open: () => boolean;
declare var legacy: any, older: { run(): void };

// Buys something.
declare function buy(item: string): Order;
declare function buy(item: string, count: number): Order[];

declare class Cart<T> extends Array<T> {
  constructor(limit?: number);
  private secret;
  static of<T>(...items: T[]): Cart<T>;
  get total(): number;
  checkout(): Promise<void>;
}
declare abstract class Payment { abstract pay(): void; }
declare interface Receipt { print(): void }
declare type Id = string;
declare enum State { Open }

declare global {
  interface Window { shop: Cart<unknown>; openShop(): void }
  var debug: boolean;
  function log(...parts: unknown[]): void;
}

declare module "shop/plugins" {
  import { Plugin } from "plugin";
  export interface Options { run(plugin: Plugin): void }
  export default function install(options?: Options): void;
  const hidden: () => void;
  export = install;
}
declare module "*.svg";

/** Shapes, and what is flat. */
declare namespace geometry.flat {
  const origin: Point;
  function distance(a: Point, b: Point): number;
  namespace inner { class Circle { area(): number } }
}
export namespace tools {
  export const hammer = (nail: string): void => {};
  const local = function () {};
  export namespace small { export type Screw = { turn(by: number): void } }
}
module Old { export var x = () => 1; }
