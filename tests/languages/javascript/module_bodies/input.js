;(function (root, factory) {
  if (typeof define === "function" && define.amd) {
    define(["exports"], factory);
  } else {
    root.sieve = factory({});
  }
})(this, (function (exports) {
  var version = "1";
  // Whether nothing divides it.
  var isPrime = function (number) {
    var divides = function (by) { return number % by === 0; };
    return !divides(2);
  };
  exports.primes = function* (limit) {};
  exports.Sieve = class { next() {} };
  return exports;
}));

define("sieve/ui", ["jquery"], function ($) {
  $.fn.sieve = function (options) {};
  return {
    show: function (number) {},
  };
});

var Counter = (function () {
  function Counter() {}
  Counter.prototype.add = function (by) {};
  return Counter;
}());

!function ($) { $.shout = () => "!"; }.call(this, jQuery);
(async () => { const started = async () => 1; })().catch(console.error);

if (!String.prototype.repeat) {
  String.prototype.repeat = function (times) {};
  const helper = () => 1;
} else if (debug) exports.noisy = function () {};
try {
  var now = () => performance.now();
} catch {
  now = function () { return Date.now(); };
} finally {
  module.exports.now = () => now();
}

for (const name of names) { exports.each = () => name; }
register(function (exports) { exports.unseen = () => 1; });
const total = compute((function (a) { const inner = () => a; })());
{ const bare = () => 1; }
