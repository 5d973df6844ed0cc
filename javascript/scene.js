// SPDX-License-Identifier: MIT
// Scenes: your own worlds, described by an object or by JSON text.

import { Owner, Resource, known, refuse, whole } from "./engine.js";
import { Game } from "./games.js";
import { ownText } from "./look.js";

const ENGINES = ["auto", "wide", "deep"];

/** Bits of hooks, as in engine.c. */
const HOOKS = { tick_hook: 1, response_hook: 2, reward: 4, final_value: 8 };

/** Members that a response hook may change. */
const VELOCITIES = ["vx1", "vy1", "vx2", "vy2"];

let hooked = 0; // scenes with hooks so far: the module finds hooks by number

/** A frozen description of worlds: circles, walls, polygons, arcs, a box. The constructor checks it. */
export class Scene extends Owner {
  /** @param {string | Record<string, any>} description JSON text, or an object with the same keys */
  constructor(description) {
    super();
    this.core = /** @type {any} */ (new.target).core;
    const [plain, hooks] = typeof description === "string" ? [description, {}] : apart(description);
    const text = typeof plain === "string" ? plain : JSON.stringify(plain, infinite);
    const resource = this.create(text);
    try {
      this.own(Object.keys(hooks).length > 0 ? this.hook(resource.retain(), hooks) : resource.retain());
      /** The scene as text, without its hooks. */
      this.text = this.written(resource.at);
    } finally {
      resource.release();
    }
    this.hooked = Object.keys(hooks).length > 0;
    this.game = new Game(this.core, this.core.c.carom_scene_game(this.at));
  }

  /** A scene from JSON text. @param {string} text */
  static from_json(text) {
    return new this(text);
  }

  /** @param {string} text */
  create(text) {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const problem = frame.structure("carom_problem", {});
      const to = frame.bytes(4);
      const { at, length } = frame.string(text);
      const status = engine.c.carom_scene_read_json(at, length, to, problem.at);
      engine.check(status, "scene", status ? problem.get("text") : null);
      return new Resource(engine.data.getUint32(to, true), engine.c.carom_scene_destroy);
    });
  }

  /**
   * A scene with hooks, made from one without, which is then released.
   * @param {Resource} plain
   * @param {Record<string, Function>} hooks
   */
  hook(plain, hooks) {
    const { core: engine } = this;
    const number = ++hooked;
    const bits = Object.keys(hooks).reduce((sum, name) => sum | /** @type {any} */ (HOOKS)[name], 0);
    return engine.frame((frame) => {
      const [to, problem] = [frame.bytes(4), frame.structure("carom_problem", {})];
      const status = engine.c.engine_hook(plain.at, bits, number, to, problem.at);
      plain.release();
      engine.check(status, "scene", status ? problem.get("text") : null);
      const at = engine.data.getUint32(to, true);
      const { bodies } = engine.filled("carom_game_info",
        (info) => engine.c.carom_game_describe(info, engine.c.carom_scene_game(at)));
      engine.hooks.set(number, hooksOf(engine, hooks, bodies));
      return new Resource(at, () => {
        engine.c.carom_scene_destroy(at);
        engine.hooks.delete(number);
      });
    });
  }

  /** @param {number} at of a scene without hooks */
  written(at) {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const to = frame.bytes(4);
      engine.check(engine.c.carom_scene_write_json(at, to), "to_json");
      return ownText(engine, engine.data.getUint32(to, true));
    });
  }

  /** A copy of its bodies, without members that have their defaults. */
  get bodies() {
    return read(this.text).bodies ?? [];
  }

  /** A copy of its walls. */
  get walls() {
    return read(this.text).walls ?? [];
  }

  /** A copy of its arcs. */
  get arcs() {
    return read(this.text).arcs ?? [];
  }

  /** The engine for its worlds: "wide" or "deep". */
  get engine() {
    return ENGINES[this.core.c.carom_scene_engine(this.at)];
  }

  /** The scene as JSON text; numbers are exact. */
  to_json() {
    this.resource;
    return this.hooked ? refuse("a scene with hooks cannot be written as text") : this.text;
  }

  /** The scene as an object with numbers (Infinity where JSON text has "infinite"). */
  description() {
    return read(this.to_json());
  }

  /** `count` worlds of this scene; options as for Worlds. */
  worlds(count = 1, /** @type {any} */ given = {}) {
    const { Worlds } = /** @type {any} */ (this.constructor);
    return new Worlds(this, count, given);
  }
}

/** @param {string} text */
function read(text) {
  return JSON.parse(text, (_, value) => (value === "infinite" ? Infinity : value));
}

/**
 * Bodies with these members: one value for all of them, or a list. Other members have their defaults.
 * @param {number} count
 * @param {Record<string, any>} [members]
 */
export function bodies(count, members = {}) {
  whole("count", count);
  for (const [name, values] of Object.entries(members)) {
    if (typeof values === "object" && values.length !== count) {
      refuse(`${name}: ${count} values are expected, not ${values.length}`);
    }
  }
  return Array.from({ length: count }, (_, k) => Object.fromEntries(Object.entries(members).map(([name, values]) => (
    [name, typeof values === "object" ? values[k] : values]))));
}

/**
 * A description without its hooks, and the hooks.
 * @param {Record<string, any>} description
 * @returns {[Record<string, any>, Record<string, Function>]}
 */
function apart(description) {
  const plain = { ...description };
  /** @type {Record<string, Function>} */
  const hooks = {};
  for (const name of ["tick_hook", "response_hook"]) {
    if (plain[name] != null) {
      hooks[name] = plain[name];
    }
    delete plain[name];
  }
  for (const name of ["reward", "final_value"]) {
    if (plain[name]?.kind === "user") {
      Object.keys(plain[name]).forEach((key) => known(name, key, ["kind", "hook"]));
      hooks[name] = plain[name].hook;
      delete plain[name];
    }
  }
  for (const [name, hook] of Object.entries(hooks)) {
    if (typeof hook !== "function") {
      refuse(`${name}: a function is expected, not ${String(hook)}`);
    }
  }
  return [plain, hooks];
}

/**
 * The functions that the module calls: by the hooks' bits, and `respond`.
 * @param {import("./engine.js").Engine} engine
 * @param {Record<string, any>} hooks
 * @param {number} bodies
 */
function hooksOf(engine, hooks, bodies) {
  /** @type {Record<string, any>} */
  const found = {};
  for (const name of ["tick_hook", "reward", "final_value"]) {
    if (hooks[name]) {
      found[/** @type {any} */ (HOOKS)[name]] = (/** @type {number} */ at) => hooks[name](rangeAt(engine, at, bodies));
    }
  }
  if (hooks.response_hook) {
    found.respond = (/** @type {number} */ at, /** @type {number} */ count) => {
      const impacts = engine.objects("carom_impact", at, count);
      hooks.response_hook(impacts);
      const { bytes, members } = engine.layout("carom_impact");
      impacts.forEach((impact, k) => VELOCITIES.forEach((name) => {
        const { offset } = /** @type {any} */ (members.get(name));
        engine.data.setFloat64(at + k * bytes + offset, impact[name], true);
      }));
    };
  }
  return found;
}

/**
 * A range of worlds as passed to a hook: arrays over the engine's memory.
 * @param {import("./engine.js").Engine} engine
 * @param {number} at
 * @param {number} bodies
 */
function rangeAt(engine, at, bodies) {
  const [range] = engine.objects("carom_scene_range", at, 1);
  const { first, count, stride, dt } = range;
  const length = (bodies - 1) * stride + count;
  const over = (/** @type {any} */ Type, /** @type {number} */ start, size = length) => (
    start ? new Type(engine.memory.buffer, start, size) : null);
  return {
    first, count, stride, dt, tick: over(Int32Array, range.tick, count), x: over(Float64Array, range.x64),
    y: over(Float64Array, range.y64), vx: over(Float64Array, range.vx64), vy: over(Float64Array, range.vy64),
    active: over(Int8Array, range.active), user: over(Int32Array, range.user),
    value: over(Float64Array, range.value, count),
  };
}

/** JSON has no infinity: replaces it by the library's word for it. */
function infinite(/** @type {string} */ _, /** @type {any} */ value) {
  return value === Infinity ? "infinite" : value;
}
