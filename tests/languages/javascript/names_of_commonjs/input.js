// Größe: names come after bytes that are no letters of ASCII
"use strict";
const { total, format: asText, limit = 20 } = require("./shop/cart.js");
const prices = require("@shop/prices"), rates = require("../rates").current;
const fs = require("fs");
const parent = require("..");
const log = require("debug")("shop");
const { spare } = parse("spare"), { extra } = tools.require("extra");
var helpers;
helpers = require('node:path/posix');

describe("a cart", () => require ("./fixtures"));
jest.require("./mocked");
print("total");

async function load(name) {
  const { later } = await import("./later.mjs");
  return require(name)[later];
}

exports.format = asText;
module.exports = { total, open: prices.open, load };
