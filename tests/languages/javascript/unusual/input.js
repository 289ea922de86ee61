#!/usr/bin/env node
'use strict';

/**
 * A clock that can be set.
 * @extends Device
 */
class Clock extends (/** @type {typeof Device} */ (mixins.Device)) {
  static #instances = 0;
  hands = { hour: () => 1 };
  // Ticks once.
  tick = async () => { this.#turn(); };
  onAlarm = function (event) { ring(event); };

  /** Ready to run. */
  constructor(zone = "UTC", { face, ...rest } = {}) {
    super();
    this.wind = (turns = 1) => turns;
    this.spring = this.mainspring = function () {};
    this.label = zone;
    const local = () => face;
  }

  static { Clock.reset = () => 0; }
  static async *ticks(limit) { yield* limit; }
  static create() { return new this(); }
  get time() { return 0; }
  set time(value) { this.face = () => value; }
  #turn() {}
  [Symbol.iterator]() {}
  ['set' + 'Zone'](zone) {}
  'strike twelve'() {}
  12() {}
  get() {}
  static() {}
}

Clock.prototype.strike = function strikeOnce(times) { this.sound = () => times; };
Clock.prototype.chime = Clock.prototype.ring = function () {};
old.Sundial.prototype = {
  shadow: function (sun) { return sun; },
  get angle() { return 0; },
};

/** Keeps sand. */
function Hourglass(sand) {
  // Turn it over.
  this.turn = function () { return sand; };
  if (sand) this.spill = () => 0;
}
var Pendulum = function () {
  this.swing = function (angle) {};
};
function measure() {
  this.unit = () => "s";
}

const {parse = (text) => text, format} = formats, [first = () => 1] = list;
let pause = function* named(seconds) {}, stop = /* at once */ async (now) => now;
const Watch = class Wrist extends Clock {}, Timer = class { start() {} };
alarm: function ring(event) {}

schedule("noon", function lunch(guests) { return guests; });
schedule("night", () => { const dream = () => 1; });
export const zones = {
  async utc() {},
  *all() {},
  "far away": (hours) => hours,
  [local]: () => 0,
  nested: { deep: { zone: (name) => name } },
  plain: parse,
  list: [() => 1],
  lunch: (function () {}),
};

function mixed(Base) {
  return class Mixed extends Base {
    mix() {}
  };
}
