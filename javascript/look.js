// SPDX-License-Identifier: MIT
// How to draw a world, independent of the game.

import { known, options, product, shaped } from "./engine.js";

const KINDS = ["line", "circle", "text"];

const PARTS = ["view", "shapes", "bodies", "numbers"];

/**
 * The view, shapes, bodies and numbers of a world (carom/look.h) as plain objects; or some of these parts.
 * @param {import("./engine.js").Engine} engine
 * @param {number} worlds
 * @param {number} world
 * @param {string[]} parts
 */
export function look(engine, worlds, world, parts = PARTS) {
  const style = (/** @type {any} */ item) => ({ ...item, style: styles(engine)[item.style] });
  /** @type {Record<string, () => any>} */
  const seen = {
    view: () => engine.filled("carom_look_view", (to) => engine.c.carom_look_view_of(worlds, world, to), "look"),
    shapes: () => listed(engine, worlds, world, "shape").map((shape) => ({ ...style(shape), kind: KINDS[shape.kind] })),
    bodies: () => listed(engine, worlds, world, "body").map(style),
    numbers: () => listed(engine, worlds, world, "number"),
  };
  parts.forEach((part) => known("part", part, PARTS));
  return Object.fromEntries(parts.map((part) => [part, seen[part]()]));
}

/** @type {WeakMap<import("./engine.js").Engine, string[]>} */
const names = new WeakMap();

/** @param {import("./engine.js").Engine} engine */
export function styles(engine) {
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

const NUMBERS = ["x", "y", "vx", "vy", "facing", "radius", "mass", "ax", "ay"];

/**
 * Numbers of all bodies of a world (carom/look.h), [body, number]; positions of bodies that are not in play are NaN.
 * Use it to draw thousands of bodies in every frame.
 * @param {import("./engine.js").Engine} engine
 * @param {number} worlds
 * @param {number} world
 * @param {string[]} names
 */
export function lookNumbers(engine, worlds, world, names) {
  names.forEach((name) => known("number of bodies", name, NUMBERS));
  return engine.frame((frame) => {
    const counted = frame.bytes(4);
    engine.check(engine.c.carom_look_bodies(worlds, world, 0, 0, counted), "look");
    const count = engine.data.getUint32(counted, true);
    const { bytes, members } = engine.layout("carom_look_body");
    const at = frame.bytes(count * bytes);
    engine.check(engine.c.carom_look_bodies(worlds, world, at, count, counted), "look");
    const wide = new Float64Array(engine.memory.buffer, at, count * bytes / 8);
    const flags = engine.bytes(at, count * bytes);
    const [stride, there] = [bytes / 8, /** @type {any} */ (members.get("there")).offset];
    const columns = names.map((name) => /** @type {any} */ (members.get(name)).offset / 8);
    const found = new Float64Array(count * names.length);
    const isPlace = names.map((name) => name === "x" || name === "y");
    for (let body = 0, to = 0; body < count; body++) {
      const gone = flags[body * bytes + there] === 0;
      for (let k = 0; k < columns.length; k++) {
        found[to++] = gone && isPlace[k] ? NaN : wide[body * stride + columns[k]];
      }
    }
    return shaped(found, [count, names.length]);
  });
}

/**
 * A picture as SVG text, by one of the library's drawing functions.
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
 * A picture of a world, [height, width, 3]: red, green, blue.
 * @param {import("./engine.js").Engine} engine
 * @param {number} worlds
 * @param {number} world
 * @param {any} given
 */
export function pixels(engine, worlds, world, given) {
  const { width = 640, dark = false, captions = false } = options("rgb_array", given, ["width", "dark", "captions"]);
  return engine.frame((frame) => {
    const desc = frame.structure("carom_picture_desc", { width, dark, captions });
    const [across, down] = [frame.bytes(4), frame.bytes(4)];
    engine.check(engine.c.carom_picture_size(worlds, world, desc.at, across, down), "rgb_array");
    const shape = [engine.data.getUint32(down, true), engine.data.getUint32(across, true), 3];
    const at = frame.bytes(product(shape));
    engine.check(engine.c.carom_picture_pixels(worlds, world, desc.at, at), "rgb_array");
    return engine.copied(Uint8Array, at, shape);
  });
}

/**
 * A text made by the library, which is then freed.
 * @param {import("./engine.js").Engine} engine
 * @param {number} at
 */
export function ownText(engine, at) {
  const text = /** @type {string} */ (engine.text(at));
  engine.c.carom_text_free(at);
  return text;
}
