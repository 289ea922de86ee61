"use strict";
const path = require("path"), { join } = require('./join');
const deep = require("deep").part;
const dynamic = require(path.name);
import main, * as all from "./main.js";
export * from "./all.js";

// Joins two paths.
// Both may be empty.
async function both(left, right = "", ...rest) {}

/* eslint-disable */
function* numbers() { yield 1; }

const single = x => x, Anonymous = class extends mixin(A, B) { method() {} };

class Shape extends Base {
  static create = async (kind) => new this(kind);
  #hidden() {}
  set size(value) {}
  @logged
  draw({ color }, [first]) {}
}

Shape.prototype.legacy = function (a) { return a; };
module.exports.run = async function (options) {};
exports.api = { list(q) {}, "drop-all": (id) => id, [computed]: () => 1 };
this.ignored;

export default () => 42;
