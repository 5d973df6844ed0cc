// SPDX-License-Identifier: MIT
// An exact, event-driven gas of hard disks in one box.

import { Owner, Resource, known, numbers, options, shaped, whole, wide } from "./engine.js";
import { PRECISIONS } from "./games.js";
import { BOXES, runWatched } from "./lab.js";
import { svg } from "./look.js";
import { isaOf } from "./worlds.js";

/** Up to millions of equal hard disks in a square box: diameter 1, mass 1, temperature 1 at the start. */
export class Gas extends Owner {
  constructor(bodies = 1000, packing = 0.5, /** @type {any} */ given = {}) {
    super();
    this.core = /** @type {any} */ (new.target).core;
    options("Gas", given, ["box", "restitution", "seed", "precision", "isa"]);
    const { box = "periodic", restitution = 1, seed = 1, precision = "f64", isa } = given;
    known("precision", precision, Object.keys(PRECISIONS));
    const { core: engine } = this;
    this.own(engine.frame((frame) => {
      const desc = frame.structure("carom_gas_desc", {
        bodies: whole("bodies", bodies, 1), packing, box: known("box", box, BOXES), restitution,
        seed: wide("seed", seed), precision: /** @type {any} */ (PRECISIONS)[precision], isa: isaOf(engine, frame, isa),
      });
      const to = frame.bytes(4);
      engine.check(engine.c.carom_gas_create(desc.at, to),
        `${bodies} disks do not fit into a ${box} box at packing ${packing}`);
      return new Resource(engine.data.getUint32(to, true), engine.c.carom_gas_destroy);
    }));
    this.bodies = bodies;
    this.side = engine.c.carom_gas_side(this.at);
  }

  /** The instruction set that it runs on. */
  get isa() {
    const { c } = this.core;
    const { isa } = this.core.filled("carom_gas_desc", (to) => c.carom_gas_describe(to, this.at));
    return this.core.text(c.carom_isa_name(isa));
  }

  /** Width and height of the box. */
  get size() {
    return [this.side, this.side];
  }

  /** Along x and along y. */
  get periodic() {
    const { c } = this.core;
    const { box } = this.core.filled("carom_gas_desc", (to) => c.carom_gas_describe(to, this.at));
    return [BOXES[box] === "periodic", BOXES[box] === "periodic"];
  }

  get radii() {
    return shaped(new Float64Array(this.bodies).fill(0.5), [this.bodies]);
  }

  get masses() {
    return shaped(new Float64Array(this.bodies).fill(1), [this.bodies]);
  }

  /** Bytes that it takes in total. */
  get nbytes() {
    const { c } = this.core;
    return this.core.frame((frame) => {
      const desc = frame.structure("carom_gas_desc");
      c.carom_gas_describe(desc.at, this.at);
      return c.carom_gas_bytes(desc.at);
    });
  }

  /** Runs for `time` >= 0 and calls watchers, which do not change the motion. */
  run(/** @type {number} */ time, /** @type {any} */ given = {}) {
    return this.during((at) => this.asLab(at, (lab) => runWatched(this.core, lab, this.bodies, time, given)));
  }

  /**
   * Calls `work` with a laboratory for this gas.
   * @template T
   * @param {number} gas
   * @param {(lab: number) => T} work
   */
  asLab(gas, work) {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const to = frame.bytes(4);
      engine.check(engine.c.carom_lab_of_gas(gas, to), "Gas");
      const lab = engine.data.getUint32(to, true);
      try {
        return work(lab);
      } finally {
        engine.c.carom_lab_destroy(lab);
      }
    });
  }

  /** Resets all measures. */
  forget() {
    this.core.c.carom_gas_forget(this.at);
  }

  measure() {
    return this.core.filled("carom_gas_measures", (to) => this.core.c.carom_gas_measure(this.at, to), "measure");
  }

  /** Positions and velocities by disk, [4, disk]: x, y, vx, vy. */
  state() {
    return this.core.frame((frame) => {
      const at = frame.bytes(32 * this.bodies);
      const rows = [0, 1, 2, 3].map((row) => at + 8 * row * this.bodies);
      this.core.check(this.core.c.carom_gas_get(this.at, ...rows), "state");
      return this.core.copied(Float64Array, at, [4, this.bodies]);
    });
  }

  set_state(/** @type {any} */ state) {
    const list = numbers("state", state, Float64Array, 4 * this.bodies);
    this.core.frame((frame) => {
      const at = frame.copy(list);
      const rows = [0, 1, 2, 3].map((row) => at + 8 * row * this.bodies);
      this.core.check(this.core.c.carom_gas_set(this.at, ...rows), "set_state");
    });
  }

  /** Unwrapped positions in a periodic box, [2, disk]. */
  unwrapped() {
    return this.core.frame((frame) => {
      const at = frame.bytes(16 * this.bodies);
      this.core.check(this.core.c.carom_gas_unwrapped(this.at, at, at + 8 * this.bodies), "unwrapped");
      return this.core.copied(Float64Array, at, [2, this.bodies]);
    });
  }

  /** Time since the gas was made, or since set_state(). */
  get time() {
    return this.core.c.carom_gas_clock(this.at);
  }

  /** A hash of the state by disk. */
  digest() {
    return BigInt.asUintN(64, this.core.c.carom_gas_digest(this.at));
  }

  /** A picture of the disks, coloured by the order of their neighbours. */
  svg(/** @type {any} */ given = {}) {
    return this.asLab(this.at, (lab) => svg(this.core, this.core.c.carom_lab_picture_svg, [lab], given));
  }

  /** Its complete state and its arguments. */
  save() {
    const size = this.core.c.carom_gas_save_size(this.at);
    return this.core.frame((frame) => {
      const at = frame.bytes(size);
      this.core.check(this.core.c.carom_gas_save(this.at, at, size), "save");
      return this.core.copied(Uint8Array, at, [size]);
    });
  }

  /** The gas that was saved; it continues as the original would, bit for bit. */
  static restore(/** @type {Uint8Array} */ saved, /** @type {any} */ given = {}) {
    const { isa } = options("restore", given, ["isa"]);
    const engine = /** @type {any} */ (this).core;
    return engine.frame((/** @type {import("./engine.js").Frame} */ frame) => {
      const desc = frame.structure("carom_gas_desc");
      const at = frame.copy(saved);
      engine.check(engine.c.carom_gas_saved(at, saved.length, desc.at), "restore");
      const gas = new this(desc.get("bodies"), desc.get("packing"), {
        box: BOXES[desc.get("box")], restitution: desc.get("restitution"), seed: desc.get("seed"),
        precision: desc.get("precision") === 64 ? "f64" : "f32", isa,
      });
      engine.check(engine.c.carom_gas_load(gas.at, at, saved.length), "restore");
      return gas;
    });
  }

  copy() {
    return /** @type {any} */ (this.constructor).restore(this.save());
  }
}
