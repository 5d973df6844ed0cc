// SPDX-License-Identifier: MIT
// What a world looks like: for whoever draws worlds and needs to know no game.

import { options } from "./engine.js";

const KINDS = ["line", "circle", "text"];

/**
 * The view, shapes, bodies and numbers of a world as plain objects, as carom/look.h has them.
 * @param {import("./engine.js").Engine} engine
 * @param {number} worlds
 * @param {number} world
 */
export function look(engine, worlds, world) {
  const style = (/** @type {any} */ item) => ({ ...item, style: styles(engine)[item.style] });
  return {
    view: engine.filled("carom_look_view", (to) => engine.c.carom_look_view_of(worlds, world, to), "look"),
    shapes: listed(engine, worlds, world, "shape").map((shape) => ({ ...style(shape), kind: KINDS[shape.kind] })),
    bodies: listed(engine, worlds, world, "body").map(style),
    numbers: listed(engine, worlds, world, "number"),
  };
}

/** @type {WeakMap<import("./engine.js").Engine, string[]>} */
const names = new WeakMap();

/** @param {import("./engine.js").Engine} engine */
function styles(engine) {
  let found = names.get(engine);
  if (!found) {
    found = [];
    for (let name; (name = engine.text(engine.c.carom_look_style_name(found.length))) !== null;) {
      found.push(name);
    }
    names.set(engine, found);
  }
  return found;
}

const CALLS = { shape: "shapes", body: "bodies", number: "numbers" };

/**
 * @param {import("./engine.js").Engine} engine
 * @param {number} worlds
 * @param {number} world
 * @param {keyof typeof CALLS} what
 */
function listed(engine, worlds, world, what) {
  return engine.frame((frame) => {
    const call = engine.c[`carom_look_${CALLS[what]}`];
    const counted = frame.bytes(4);
    engine.check(call(worlds, world, 0, 0, counted), "look");
    const count = engine.data.getUint32(counted, true);
    const at = frame.bytes(count * engine.layout(`carom_look_${what}`).bytes);
    engine.check(call(worlds, world, at, count, counted), "look");
    return engine.objects(`carom_look_${what}`, at, count);
  });
}

/**
 * A picture as SVG text, by one of the library's functions that draw one.
 * @param {import("./engine.js").Engine} engine
 * @param {(...numbers: number[]) => number} draw
 * @param {number[]} what
 * @param {any} given
 */
export function svg(engine, draw, what, given) {
  const wanted = options("svg", given, ["width", "dark", "captions"]);
  return engine.frame((frame) => {
    const desc = frame.structure("carom_picture_desc", wanted);
    const to = frame.bytes(4);
    engine.check(draw(...what, desc.at, to), "svg");
    return ownText(engine, engine.data.getUint32(to, true));
  });
}

/**
 * A text that the library has made, which is then freed.
 * @param {import("./engine.js").Engine} engine
 * @param {number} at
 */
export function ownText(engine, at) {
  const text = /** @type {string} */ (engine.text(at));
  engine.c.carom_text_free(at);
  return text;
}
