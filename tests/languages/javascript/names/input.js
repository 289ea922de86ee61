import Store, { open, format as asText } from "./shop/store.js";
import * as prices from "@shop/prices";
import "./polyfills";
export { Basket as default, total } from "./basket";
export * from "./events";

// Öffnungszeiten: names come after bytes that are no letters of ASCII
export const LIMIT = 20, currency = "€";
export const { add, remove: drop } = prices.actions;
const routes = { "/": showHome, "/cart": pages.showCart, total, [open]: 3 };
let cache, filters = [isCheap, rules.isNew];
var legacy = function () {};

@sealed
@registry.entry("cart", createCart)
@shop.tracked
export class Cart extends shop.Basket {
  static #opened = 0;
  owner = null;
  onChange = (event) => this.#publish(event);

  constructor(items) {
    super(items);
    const local = new Map(), later = new prices.Table(LIMIT);
    this.items = items.filter(isCheap).map((item) => format(item));
    super.open(local, later.rows);
  }

  #publish(event) {
    this.owner?.notify?.(event);
    if (event instanceof StoreEvent || event instanceof events.Closed) (print)(event);
    else (tools.log)(event.name);
    return import("./report").then(showReport);
  }
}

class Shelf extends Cart {}

(function () {
  const hidden = `sum: ${sum(1)}`;
  html`<b>${hidden}</b>`;
})();

app.onopen = handleOpen;
cart.handlers.close = handleClose;
export { cache, Shelf as Rack };
export default legacy;
