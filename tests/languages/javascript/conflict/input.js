<<<<<<< HEAD
import { sum } from "./sums.js";
=======
import { total } from "./totals.js";
>>>>>>> topic

/** Merged in a conflict. */
export const merged = (a) => {
<<<<<<< HEAD
  return a;
||||||| base
  return 0;
=======
  return a + 1;
>>>>>>> topic
};

export class Entry {
<<<<<<< HEAD
  close(now) {
=======
  close() {
    if (open) {
>>>>>>> topic
  }

  drop() {}
}

export default {
  open() {},
<<<<<<< HEAD
  limit: 1,
=======
  limit: () => 2,
>>>>>>> topic
  stop: () => 1,
};

// After the conflicts.
export function after() {
  return `
<<<<<<< nothing
`;
}
