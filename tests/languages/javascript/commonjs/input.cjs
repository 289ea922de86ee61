"use strict";

const { join } = require("path"), fs = require("node:fs").promises;
exports.colors = require("./colors");
module.exports = require("./all").everything;
const lazy = () => require("./lazy");
const written = require(join(__dirname, "written"));

/**
 * Starts the server.
 *
 * @param {object} options how
 */
module.exports = function start(options) {
  return function stop() {};
};
module.exports = class Server extends Base {
  close() {}
};
module.exports = (port) => port;
exports = module.exports = function () {};
module.exports = {
  listen(port) {},
  accept: function accepted(socket) {},
  ...rest,
};

/** Reads a header. */
module.exports.get =
exports.header = function header(name) {
  return name;
};
exports.Router = class AppRouter {};
exports["in-memory"] = async () => {};
exports[dynamic] = function () {};
var app = module.exports = {};
app.use = function use(path, ...handlers) {};
const Request = exports.Request = function (raw) {};
