// SPDX-License-Identifier: MIT
// A laboratory: runs and watches one large system of disks. A gas is watched in the same way.

import { Owner, Resource, known, numbers, options, refuse, shaped, whole, wide } from "./engine.js";
import { PRECISIONS } from "./games.js";
import { svg } from "./look.js";
import { isaOf } from "./worlds.js";

export const BOXES = ["periodic", "solid"];

const STARTS = ["lattice", "grown"];
const MADE = [
  "radii", "masses", "aspect", "horizontal", "vertical", "restitution", "field", "start", "growth", "tick", "seed",
  "precision", "isa",
];

/** @param {any} event an event, with its impulse named as in Python */
const told = ({ jx, jy, ...event }) => ({ ...event, impulse_x: jx, impulse_y: jy });

/**
 * Rows of doubles at separate addresses, as one array [row, disk].
 * @param {import("./engine.js").Engine} engine
 * @param {number[]} rows
 * @param {number} bodies
 */
function gathered(engine, rows, bodies) {
  const all = new Float64Array(rows.length * bodies);
  rows.forEach((at, row) => all.set(new Float64Array(engine.memory.buffer, at, bodies), row * bodies));
  return shaped(all, [rows.length, bodies]);
}

/**
 * Runs a laboratory and calls watchers: `run` of Lab and of Gas. False if a watcher has ended the run.
 * @param {import("./engine.js").Engine} engine
 * @param {number} lab
 * @param {number} bodies
 * @param {number} time
 * @param {any} given
 */
export function runWatched(engine, lab, bodies, time, given) {
  const { interval, sample, events, window = Infinity } = options("run", given,
    ["interval", "sample", "events", "window"]);
  if (!(Number.isFinite(time) && time >= 0)) {
    refuse(`time: ${time} is not a time`);
  }
  if (sample && interval === undefined) {
    refuse("interval: required with sample");
  }
  if (interval !== undefined && !(interval > 0)) {
    refuse(`interval: ${interval} is not above 0`);
  }
  if (!(window > 0)) {
    refuse(`window: ${window} is not above 0`);
  }
  const { c, running: before } = engine;
  return engine.frame((frame) => {
    const watcher = frame.structure("carom_lab_watcher", { interval: interval ?? Infinity,
                                                           window: events ? window : 0 });
    c.engine_lab_watcher(watcher.at, Boolean(sample), Boolean(events));
    const number = frame.bytes(4);
    engine.check(c.carom_lab_watch(lab, watcher.at, number), "run");
    engine.running = {
      sample: (at) => {
        const [{ time, index, x, y, vx, vy, ux, uy }] = engine.objects("carom_lab_frame", at, 1);
        return sample({ time, step: index, state: gathered(engine, [x, y, vx, vy], bodies),
                        unwrapped: gathered(engine, [ux, uy], bodies) }) !== false;
      },
      events: (at, count) => events(engine.objects("carom_lab_event", at, count).map(told)) !== false,
    };
    let status;
    try {
      status = c.carom_lab_run(lab, time, 0, 0);
    } finally {
      engine.running = before;
      c.carom_lab_unwatch(lab, engine.data.getUint32(number, true));
    }
    if (engine.isCancelled(status)) {
      engine.rethrow();
      return false;
    }
    engine.check(status, "run");
    return true;
  });
}

/** An exact, event-driven system of disks of any radii and masses in a box. */
export class Lab extends Owner {
  /**
   * @param {number | null} [bodies] by default the number of radii
   * @param {number} [packing]
   * @param {any} [given]
   */
  constructor(bodies = null, packing = 0.5, given = {}) {
    super();
    this.core = /** @type {any} */ (new.target).core;
    options("Lab", given, MADE);
    const count = bodies ?? given.radii?.length ?? given.masses?.length ?? 1000;
    this.bodies = whole("bodies", count, 1, 2 ** 26);
    this.made = { ...given, packing };
    this.own(this.create(this.made));
  }

  /** @param {any} made */
  create(made) {
    const { core: engine, bodies } = this;
    const { aspect = 1, restitution = 1, growth = 0.05, tick = 0.125, seed = 1 } = made;
    const { horizontal = "periodic", vertical = "periodic", start = "grown", precision = "f64" } = made;
    const [ax, ay] = made.field ?? [0, 0];
    known("precision", precision, Object.keys(PRECISIONS));
    return engine.frame((frame) => {
      const column = (/** @type {"radii" | "masses"} */ name) => (
        made[name] == null ? 0 : frame.copy(numbers(name, made[name], Float64Array, bodies)));
      const desc = frame.structure("carom_lab_desc", {
        bodies, radii: column("radii"), masses: column("masses"), packing: made.packing, aspect, restitution, growth, tick,
        ax, ay, horizontal: known("horizontal", horizontal, BOXES), vertical: known("vertical", vertical, BOXES),
        start: known("start", start, STARTS), seed: wide("seed", seed),
        precision: /** @type {any} */ (PRECISIONS)[precision], isa: isaOf(engine, frame, made.isa),
      });
      const [to, problem] = [frame.bytes(4), frame.structure("carom_problem", {})];
      const status = engine.c.carom_lab_create(desc.at, to, problem.at);
      engine.check(status, "Lab", status ? problem.get("text") : null);
      return new Resource(engine.data.getUint32(to, true), engine.c.carom_lab_destroy);
    });
  }

  describe() {
    return this.core.filled("carom_lab_info", (to) => this.core.c.carom_lab_describe(this.at, to), "Lab");
  }

  /** The instruction set that it runs on. */
  get isa() {
    return this.core.text(this.core.c.carom_isa_name(this.describe().isa));
  }

  /** Width and height of the box. */
  get size() {
    const { width, height } = this.describe();
    return [width, height];
  }

  /** Along x and along y. */
  get periodic() {
    const { periodic_x, periodic_y } = this.describe();
    return [periodic_x, periodic_y];
  }

  /** The clock; 0 at creation and after set_state(). */
  get time() {
    return this.describe().time;
  }

  /** Impacts since the clock was 0. */
  get collisions() {
    return this.describe().events;
  }

  /** Has it stopped because time did not advance? */
  get fault() {
    return this.describe().fault;
  }

  get radii() {
    return this.core.copied(Float64Array, this.describe().radii, [this.bodies]);
  }

  get masses() {
    return this.core.copied(Float64Array, this.describe().masses, [this.bodies]);
  }

  /** A hash of the state by disk. */
  digest() {
    return BigInt.asUintN(64, this.core.c.carom_lab_digest(this.at));
  }

  /** Runs for `time` >= 0 and calls watchers, which do not change the motion. */
  run(/** @type {number} */ time, /** @type {any} */ given = {}) {
    return this.during((at) => runWatched(this.core, at, this.bodies, time, given));
  }

  /** Positions and velocities by disk, [4, disk]: x, y, vx, vy. */
  state() {
    return this.read("carom_lab_get", 4);
  }

  /** Unwrapped positions in a periodic box, [2, disk]. */
  unwrapped() {
    return this.read("carom_lab_unwrapped", 2);
  }

  /** @param {string} call @param {number} count */
  read(call, count) {
    return this.core.frame((frame) => {
      const at = frame.bytes(8 * count * this.bodies);
      const rows = Array.from({ length: count }, (_, row) => at + 8 * row * this.bodies);
      this.core.check(this.core.c[call](this.at, ...rows), call);
      return this.core.copied(Float64Array, at, [count, this.bodies]);
    });
  }

  /** Sets positions and velocities, [4, disk]; the clock starts at 0. */
  set_state(/** @type {any} */ state) {
    const list = numbers("state", state, Float64Array, 4 * this.bodies);
    this.core.frame((frame) => {
      const at = frame.copy(list);
      const rows = [0, 1, 2, 3].map((row) => at + 8 * row * this.bodies);
      this.core.check(this.core.c.carom_lab_set(this.at, ...rows), "set_state");
    });
  }

  /** A picture of the disks, coloured by the order of their neighbours. */
  svg(/** @type {any} */ given = {}) {
    return svg(this.core, this.core.c.carom_lab_picture_svg, [this.at], given);
  }

  /** Its complete state. */
  save() {
    const size = this.core.c.carom_lab_save_size(this.at);
    return this.core.frame((frame) => {
      const at = frame.bytes(size);
      this.core.check(this.core.c.carom_lab_save(this.at, at, size), "save");
      return this.core.copied(Uint8Array, at, [size]);
    });
  }

  /** Continues as the saved one would, bit for bit. Both must have been made with the same arguments. */
  load(/** @type {Uint8Array} */ saved) {
    this.core.frame((frame) => {
      this.core.check(this.core.c.carom_lab_load(this.at, frame.copy(saved), saved.length), "load");
    });
  }

  /** A copy in the same state. A scene first grows its disks again, which takes as long as before. */
  copy() {
    const { packing, ...made } = this.made;
    const start = this.describe().gas ? "lattice" : made.start; // a gas need not grow: load() replaces its start
    const twin = new /** @type {any} */ (this.constructor)(this.bodies, packing, { ...made, start });
    twin.load(this.save());
    return twin;
  }
}
