/** Before the damage. */
export function before(a: number): number { return a; }

function half(a: number, b {
}

// Sums.
const sum = (a: number, b: number): number => {
  return a + ;
};

interface Ledger {
  total(: number;
  close(): void;
}

/** Between the damage. */
export type Between = { pay(of: number): void };

function note(): string {
  const text = "never closed
  return text;
}

class Entry<T {
  open(): void {}
}

enum Level { Low = , High }

function twice(): void {
}
}

import { a, from "./lost";

/** After the damage. */
export abstract class After {
  abstract done(): boolean;
  protected when: Date = ;
  late = (by: number): void => {};
}

namespace last {
  export function end(): void {}
