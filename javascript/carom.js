// SPDX-License-Identifier: MIT
// Carom in JavaScript: the engine as WebAssembly, for pages, workers and Node.
//
//     import { load } from "./carom.js";
//     const carom = await load();
//     const worlds = new carom.Worlds("csb", 64, { seed: 1, players: ["race", "race"] });
//     worlds.play(100);
//     worlds.digest();
//
// Names are those of the Python package. carom.d.ts documents arguments and results.

import { CaromError, Engine, refuse, options } from "./engine.js";
import { baseMap, fallBox, fantasticBitsLine } from "./games.js";
import { Gas } from "./gas.js";
import { Lab } from "./lab.js";
import { styles } from "./look.js";
import { Measures } from "./measures.js";
import { Replay } from "./replay.js";
import { Scene, bodies } from "./scene.js";
import { Search, draws, gaussian, rollout, uniform } from "./search.js";
import { Toi } from "./toi.js";
import { Worlds, gameNames, gameOf } from "./worlds.js";

export { CaromError };

const MOST_MEMORY = 2 ** 31; // the most bytes of memory that the module can have
const MEMORY = 2 ** 30; // the default limit

/** A module with a single SIMD function, to test whether the browser supports SIMD. */
const SIMD_PROBE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, // the head of a module
  1, 5, 1, 96, 0, 1, 123, // a type: nothing to v128
  3, 2, 1, 0, // a function of it
  10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11, // i32.const 0, i8x16.splat, i8x16.popcnt
);

/**
 * Loads the engine.
 * @param {import("./carom.js").Loading} [given]
 */
export async function load(given = {}) {
  const { url, bytes, simd = WebAssembly.validate(SIMD_PROBE), memory = MEMORY } = options("load", given,
    ["url", "bytes", "simd", "memory"]);
  if (!(memory > 0 && memory <= MOST_MEMORY)) {
    refuse(`memory: bytes up to ${MOST_MEMORY} are expected, not ${memory}`);
  }
  const source = bytes ?? await fetched(url ?? new URL(simd ? "carom.wasm" : "carom-scalar.wasm", import.meta.url));
  return new Carom(await Engine.start(source, { memory, simd }));
}

/**
 * The bytes of a file next to this one, or of another address. In Node fetch() cannot read files.
 * @param {string | URL} url
 */
async function fetched(url) {
  const address = new URL(url, import.meta.url);
  if (address.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(address);
  }
  const response = await fetch(address);
  if (!response.ok) {
    throw new CaromError("format", `${address}: ${response.status} ${response.statusText}`);
  }
  return response.arrayBuffer();
}

/** The engine, loaded: its classes and functions. */
class Carom {
  /** @param {Engine} engine */
  constructor(engine) {
    Object.defineProperty(this, "core", { value: engine });
    /** @param {any} Type */
    const here = (Type) => {
      const Bound = class extends Type {};
      Object.defineProperty(Bound, "name", { value: Type.name });
      return Object.assign(Bound, { core: engine });
    };
    this.Worlds = here(Worlds);
    this.Scene = Object.assign(here(Scene), { Worlds: this.Worlds });
    this.Replay = Object.assign(here(Replay), { Worlds: this.Worlds });
    this.Gas = here(Gas);
    this.Lab = here(Lab);
    this.Search = Search;
    this.bodies = bodies;
    this.rollout = rollout;
    this.draws = draws;
    this.gaussian = gaussian;
    this.uniform = uniform;
    this.toi = new Toi(engine);
    this.measures = new Measures(engine);
    this.version = engine.text(engine.c.carom_version());
  }

  /** The colours of the library's pictures, as "#rrggbb", and the names of the styles in `style`. */
  get themes() {
    /** @type {Engine} */
    const engine = /** @type {any} */ (this).core;
    const colour = (/** @type {number} */ rgba) => `#${(rgba >>> 8).toString(16).padStart(6, "0")}`;
    const [light, dark] = engine.objects("theme", engine.c.engine_themes(), 2).map(({ name, ...colours }) => (
      Object.fromEntries(Object.entries(colours).map(([what, value]) => [what,
        Array.isArray(value) ? value.map(colour) : colour(value)]))));
    return { styles: styles(engine), light, dark };
  }

  /** Games by name. */
  get games() {
    const engine = /** @type {any} */ (this).core;
    return Object.fromEntries(gameNames(engine).map((name) => [name, gameOf(engine, name)]));
  }

  /** Version, compiler, instruction sets of this module, and bytes of memory in use. */
  info() {
    /** @type {Engine} */
    const engine = /** @type {any} */ (this).core;
    const isas = [];
    for (let k = 1, name; (name = engine.text(engine.c.carom_isa_name(k))) !== null; k++) {
      if (engine.c.carom_isa_usable(k)) {
        isas.push(name);
      }
    }
    return {
      version: this.version, build: engine.text(engine.c.carom_build_info()), isas,
      memory: engine.memory.buffer.byteLength,
    };
  }

  /** Checkpoints [n, 2] of one of the base maps of Coders Strike Back. @param {number} index */
  csb_base_map(index) {
    return baseMap(/** @type {any} */ (this).core, index);
  }

  /** The bodies of the default scene of fall, as a starting point for your own. */
  fall_box() {
    return fallBox(/** @type {any} */ (this).core);
  }

  /** A bot's command line as the four numbers of the action kind `referee` of Fantastic Bits. @param {string} line */
  fantastic_bits_line(line) {
    return fantasticBitsLine(/** @type {any} */ (this).core, line);
  }
}
