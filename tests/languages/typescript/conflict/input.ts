<<<<<<< HEAD
import { sum } from "./sums";
=======
import { total } from "./totals";
>>>>>>> topic

export interface Options {
<<<<<<< HEAD
  limit: number;
=======
  limit?(of: string): number;
>>>>>>> topic
  close(): void;
}

/** Merged in a conflict. */
export const merged = (a: number): number => {
<<<<<<< HEAD
  return a;
||||||| base
  return 0;
=======
  return a + 1;
>>>>>>> topic
};

export class Entry<T> extends Base<T> {
<<<<<<< HEAD
  drop(of: T): void {
=======
  drop(): void {
    if (open) {
>>>>>>> topic
  }

  close(): void {}
}

// After the conflicts.
export function after(): void {}
