// SPDX-License-Identifier: MIT
// Scenes: worlds of one's own, described by an object or by JSON text.

import { Owner, Resource } from "./engine.js";
import { Game } from "./games.js";
import { ownText } from "./look.js";

const ENGINES = ["auto", "wide", "deep"];

/** A frozen description of worlds: circles, walls, polygons, arcs, a box. The library checks it as it is made. */
export class Scene extends Owner {
  /** @param {string | Record<string, any>} description JSON text, or what such text describes */
  constructor(description) {
    super();
    this.core = /** @type {any} */ (new.target).core;
    const text = typeof description === "string" ? description : JSON.stringify(description, infinite);
    this.own(this.create(text));
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

  /** The engine that its worlds run on: "wide" or "deep". */
  get engine() {
    return ENGINES[this.core.c.carom_scene_engine(this.at)];
  }

  /** The scene as JSON text; numbers are exact. */
  to_json() {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const to = frame.bytes(4);
      engine.check(engine.c.carom_scene_write_json(this.at, to), "to_json");
      return ownText(engine, engine.data.getUint32(to, true));
    });
  }

  /** What the scene describes, as an object with numbers (Infinity where JSON text says "infinite"). */
  description() {
    return JSON.parse(this.to_json(), (_, value) => (value === "infinite" ? Infinity : value));
  }

  /** `count` worlds of this scene; options are those of Worlds. */
  worlds(count = 1, /** @type {any} */ given = {}) {
    const { Worlds } = /** @type {any} */ (this.constructor);
    return new Worlds(this, count, given);
  }
}

/** JSON knows no infinity: the library's own word for it. */
function infinite(/** @type {string} */ _, /** @type {any} */ value) {
  return value === Infinity ? "infinite" : value;
}
