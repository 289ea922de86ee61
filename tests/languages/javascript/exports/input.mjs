import "./setup.mjs";
import main from "./main.mjs";
import * as all from './all.mjs';
import { a, b as c, "odd name" as d } from "./names.mjs";
import data from "./data.json" with { type: "json" };
export * from "./all.mjs";
export * as shapes from "./shapes.mjs";
export {
  area,
  default as volume, // the usual one
} from "./measures.mjs";
export { a, c as default };
const lazy = () => import("./lazy.mjs");

/** Draws. */
export async function draw(canvas) {}
export function* points() {}
export class Point extends Array {}
export let scale = (by) => by, { x, y } = main;
export var unit = function unitOf(name) { return name; };

// The one to use.
export default class {
  static of() {}
}
export default function () {}
export default async function* named(limit) {}
export default (left, right) => left;
export default {
  name: "shape",
  data: () => ({ ready: () => 1 }),
  methods: { rotate(by) {} },
};
export default class Named {}
export default main;
