/** Before the damage. */
function before(a) { return a; }

function half(a, b {
}

const entry = {
  open() {},
  note: (text) => ,
  close: function () {},
};

// Sums.
function sum(a, b) {
  return a + ;
}

/** Between the damage. */
const between = async (a) => {
  await a;
};

function note() {
  const text = "never closed
  return text;
}

class Ledger {
  total() {
    const total = ;
  }
  #close() { return ) }
}

function twice() {
}
}

import { a, from "./lost";

/** After the damage. */
export function after(done) {
  return done;
}
exports.end = () => 1;

export class Last {
  open() {}
  clo