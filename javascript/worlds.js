// SPDX-License-Identifier: MIT
// Worlds: a batch of independent worlds of a game or a scene.

import { Owner, Resource, known, numbers, options, product, refuse, shaped, whole, wide } from "./engine.js";
import { AT_END, Game, PRECISIONS } from "./games.js";
import { look, lookNumbers, pixels, svg } from "./look.js";
import { Call, PLAYING, setPlayers } from "./play.js";
import { ask, within } from "./query.js";
import { Recording } from "./replay.js";
import { Scene } from "./scene.js";

const ROLES = ["state", "parameter", "identity", "derived"];
const FAULTS = { 1: "events", 2: "nan", 4: "range" };
const MADE = [
  "seed", "precision", "isa", "first_id", "at_end", "players", "action_kind", "observation", "observed", "reward",
  "repeat",
];

/** Key of an option used only by replays: an existing batch, and how to make another one like it. */
const BATCH = Symbol.for("carom batch");

/** A batch of `count` independent worlds of a game or scene. See carom.d.ts for its options and methods. */
export class Worlds extends Owner {
  /**
   * @param {string | Game | Scene} game
   * @param {number} [count]
   * @param {Record<string, any>} [given]
   */
  constructor(game, count = 1, given = {}) {
    super();
    this.core = /** @type {any} */ (new.target).core;
    this.scene = game instanceof Scene ? game : null;
    this.game = typeof game === "string" ? gameOf(this.core, game) : game instanceof Scene ? game.game : game;
    if (!(this.game instanceof Game)) {
      refuse(`game: a name, a Game or a Scene is expected, not ${String(game)}`);
    }
    this.count = whole("count", count, 1);
    const { [BATCH]: adopted, ...made } = given;
    this.made = made;
    this.again = adopted?.again ?? null;
    this.read();
    this.own(adopted ? this.batch(adopted.at, adopted.needs) : this.create());
  }

  /** The number of worlds. */
  get length() {
    return this.count;
  }

  /** Reads the options of the batch. */
  read() {
    const { game, made } = this;
    this.precision = made.precision ?? "f64";
    known("precision", this.precision, Object.keys(PRECISIONS));
    this.at_end = made.at_end ?? "play_on";
    known("at_end", this.at_end, AT_END);
    this.players = this.seats(made.players ?? Array(game.players).fill(null));
    this.kind = game.kindIndex(made.action_kind ?? "normalised");
    this.seen = game.observationIndex(made.observation ?? "raw");
    this.observed = game.observedBits(this.seen, made.observed);
    this.rewarded = game.rewardIndex(made.reward ?? "game");
    this.repeat = whole("repeat", made.repeat ?? 1, 1);
    this.options = Object.fromEntries(Object.entries(made).filter(([name]) => !MADE.includes(name)));
    if (Object.keys(this.options).length > 0 && Object.keys(game.options).length === 0) {
      refuse(`${game.name} has no options; given: ${Object.keys(this.options).join(", ")}`);
    }
    /** @type {Record<string, { at: number, Type: any, shape: number[] }>} */
    this.bound = {};
    this.prepared = 0;
    /** @type {Recording | null} */
    this.recorded = null;
  }

  create() {
    const { core: engine, game, made } = this;
    return engine.frame((frame) => {
      const desc = frame.structure("carom_worlds_desc", {
        options: game.filledOptions(frame, this.options), count: this.count,
        precision: /** @type {any} */ (PRECISIONS)[this.precision], isa: isaOf(engine, frame, made.isa),
        seed: wide("seed", made.seed ?? 0), first_id: wide("first_id", made.first_id ?? 0),
        at_end: AT_END.indexOf(this.at_end),
      }, game.at);
      const problem = frame.structure("carom_problem", {});
      const wrong = engine.c.carom_game_check_options(desc.at, problem.at);
      engine.check(wrong, game.name, wrong ? problem.get("text") : null);
      const to = frame.bytes(4);
      engine.check(engine.c.carom_worlds_create(desc.at, to), `Worlds of ${game.name}`);
      return this.batch(engine.data.getUint32(to, true));
    });
  }

  /**
   * A batch as a resource that also frees the arrays of step().
   * @param {number} at
   * @param {Resource[]} needs
   */
  batch(at, needs = this.scene ? [this.scene.resource] : []) {
    const { bound, core: engine } = this;
    return new Resource(at, () => {
      engine.c.carom_worlds_destroy(at);
      Object.values(bound).forEach((array) => engine.c.free(array.at));
    }, needs);
  }

  /**
   * Checks the players.
   * @param {readonly (string | null)[]} players
   */
  seats(players) {
    const { game } = this;
    if (!Array.isArray(players) || players.length !== game.players) {
      refuse(`players: an entry for each of ${game.players} players is expected`);
    }
    players.forEach((who) => who === null || who === "zero" || game.policyIndex(who));
    return [...players];
  }

  /** Throws the library's error for a refused call. @param {number} status @param {string} what */
  done(status, what) {
    this.core.rethrow();
    if (status !== 0) {
      const said = this.core.filled("carom_problem", (to) => this.core.c.carom_worlds_problem(this.at, to)).text;
      this.core.check(status, what, said);
    }
  }

  // ---- properties ----

  describe() {
    return this.core.filled("carom_worlds_desc", (to) => this.core.c.carom_worlds_describe(to, this.at));
  }

  get seed() {
    return this.describe().seed;
  }

  get isa() {
    return this.core.text(this.core.c.carom_isa_name(this.describe().isa));
  }

  /** Bytes that the batch takes in total, without its arrays. */
  get nbytes() {
    const { core: engine, game } = this;
    return engine.frame((frame) => {
      const desc = frame.structure("carom_worlds_desc", {}, game.at);
      engine.c.carom_worlds_describe(desc.at, this.at);
      return engine.c.carom_worlds_bytes(desc.set("options", game.filledOptions(frame, this.options)).at);
    });
  }

  get action_kind() {
    return this.game.action_kinds[this.kind].name;
  }

  // ---- playing ----

  /** Shapes of the arrays of step(). */
  arrayShape(/** @type {string} */ name) {
    const { game } = this;
    const seen = [this.count, ...game.seenShape(this.seen, this.observed)];
    const { precision, size } = game.action_kinds[this.kind];
    const shapes = {
      actions: [precision === "f64" ? Float64Array : Float32Array,
        [this.count, this.players.filter((who) => who === null).length, size]],
      observations: [Float32Array, seen],
      last_observations: [Float32Array, seen],
      rewards: [Float32Array, [this.count, game.players * game.reward_kinds[this.rewarded].agents]],
      ends: [Uint8Array, [this.count]],
      results: [Uint8Array, [this.count, this.core.layout("carom_result").bytes]],
    };
    return /** @type {Record<string, any>} */ (shapes)[name];
  }

  /** The memory of an array of step(), allocated on first use. */
  array(/** @type {string} */ name) {
    const { core: engine } = this;
    if (!this.bound[name]) {
      const [Type, shape] = this.arrayShape(name);
      const bytes = product(shape) * Type.BYTES_PER_ELEMENT;
      const at = engine.take(bytes);
      engine.bytes(at, bytes).fill(0);
      this.bound[name] = { at, Type, shape };
    }
    return this.bound[name];
  }

  /** A typed array over that memory. */
  shown(/** @type {string} */ name) {
    this.resource;
    const { at, Type, shape } = this.array(name);
    return shaped(new Type(this.core.memory.buffer, at, product(shape)), shape);
  }

  get actions() {
    return this.shown("actions");
  }

  get observations() {
    return this.shown("observations");
  }

  get last_observations() {
    return this.shown("last_observations");
  }

  get rewards() {
    return this.shown("rewards");
  }

  get ends() {
    return this.shown("ends");
  }

  /** [world]: how each world's last game ended; recording starts with the first read. */
  get results() {
    this.resource;
    if (!this.bound.results) {
      const { at } = this.array("results");
      const { bytes, members } = this.core.layout("carom_result");
      for (let world = 0; world < this.count; world++) { // no game has ended yet
        this.core.data.setInt32(at + world * bytes + /** @type {any} */ (members.get("winner")).offset, -1, true);
      }
    }
    return shaped(this.core.objects("carom_result", this.bound.results.at, this.count), [this.count]);
  }

  /** Plays one step: reads `actions`, writes observations, last_observations, rewards and ends in place. */
  step(/** @type {any} */ actions) {
    const { core: engine } = this;
    this.resource;
    if (actions !== undefined) {
      const { Type, shape } = this.array("actions");
      this.actions.set(numbers("actions", actions, Type, product(shape)));
    }
    engine.frame((frame) => {
      const step = frame.structure("carom_step", {
        action_kind: this.kind, repeat: this.repeat, observation_kind: this.seen, reward_kind: this.rewarded,
        observed: this.observed,
      });
      for (const name of ["actions", "observations", "last_observations", "rewards", "ends"]) {
        step.set(name, this.array(name).at);
      }
      step.set("results", this.bound.results?.at ?? 0);
      setPlayers(step, this.game, this.players, new Map());
      this.playStep(step.at, "step");
    });
  }

  /** Plays a prepared step, and records it if there is a recording. */
  playStep(/** @type {number} */ step, /** @type {string} */ what) {
    const { c } = this.core;
    this.done(this.during((at) => (this.recorded ? c.carom_recorder_play(this.recorded.at, at, step)
      : c.carom_worlds_play(at, step))), what);
  }

  play(ticks = 1, /** @type {any} */ given = {}) {
    return this.core.frame((frame) => {
      const call = new Call(frame, this, ticks, options("play", given, PLAYING));
      if (call.n > 0) { // the library reads a count of 0 as all worlds
        this.playStep(call.step.at, "play");
      }
      return call.played();
    });
  }

  expand(/** @type {Worlds} */ parents, ticks = 1, /** @type {any} */ given = {}) {
    const { worlds, ...playing } = options("expand", given, [...PLAYING, "worlds"]);
    return this.core.frame((frame) => {
      const call = new Call(frame, this, ticks, playing);
      const from = worlds == null ? 0 : frame.copy(numbers("worlds", worlds, Uint32Array, call.n));
      if (call.n > 0) {
        const source = parents.at;
        this.done(this.during((at) => this.core.c.carom_worlds_expand(at, source, from, call.step.at)), "expand");
      }
      return call.played();
    });
  }

  observe(/** @type {any} */ given = {}) {
    const { observation } = options("observe", given, ["observation"]);
    const { c } = this.core;
    return this.core.frame((frame) => {
      const kind = observation === undefined ? this.seen : this.game.observationIndex(observation);
      const bits = observation === undefined ? this.observed : 0n;
      const shape = [this.count, ...this.game.seenShape(kind, bits)];
      const at = observation === undefined ? this.array("observations").at : frame.bytes(4 * product(shape));
      const step = frame.structure("carom_step", { observations: at, observation_kind: kind, observed: bits });
      this.done(c.carom_worlds_observe_step(this.at, step.at), "observe");
      return observation === undefined ? this.observations : this.core.copied(Float32Array, at, shape);
    });
  }

  policy(/** @type {string} */ name, /** @type {any} */ given = {}) {
    const { action_kind } = options("policy", given, ["action_kind"]);
    const { core: engine, game } = this;
    const kind = action_kind === undefined ? this.kind : game.kindIndex(action_kind);
    const { precision, size } = game.action_kinds[kind];
    return engine.frame((frame) => {
      const shape = [this.count, game.players, size];
      const at = frame.bytes(8 * product(shape));
      this.done(engine.c.carom_worlds_policy(this.at, game.policyIndex(name), kind, at), "policy");
      return engine.copied(precision === "f64" ? Float64Array : Float32Array, at, shape);
    });
  }

  reset() {
    this.done(this.core.c.carom_worlds_reset(this.at), "reset");
  }

  restart(/** @type {any} */ mask = null, /** @type {any} */ given = {}) {
    const { ids, seeds } = options("restart", given, ["ids", "seeds"]);
    this.core.frame((frame) => {
      const column = (/** @type {string} */ what, /** @type {any} */ values, /** @type {any} */ Type) => (
        values == null ? 0 : frame.copy(numbers(what, values, Type, this.count)));
      this.done(this.core.c.carom_worlds_restart(this.at, column("mask", mask, Uint8Array),
        column("ids", ids, BigUint64Array), column("seeds", seeds, BigUint64Array)), "restart");
    });
  }

  reseed(/** @type {number | bigint} */ seed) {
    this.done(this.core.c.carom_worlds_reseed(this.at, wide("seed", seed)), "reseed");
  }

  seeds() {
    return this.core.frame((frame) => {
      const at = frame.bytes(8 * this.count);
      this.done(this.core.c.carom_worlds_seeds(this.at, 0, this.count, at), "seeds");
      return this.core.copied(BigUint64Array, at, [this.count]);
    });
  }

  // ---- fields ----

  /** Fields by name: id, episode, tick, end, fault, frozen, then the game's own. */
  get fields() {
    if (!this.listed) {
      const { core: engine } = this;
      const Real = this.precision === "f64" ? Float64Array : Float32Array;
      const count = engine.c.carom_worlds_field_count(this.at);
      this.listed = Object.fromEntries(Array.from({ length: count }, (_, number) => {
        const field = engine.filled("carom_field", (to) => engine.c.carom_worlds_field(this.at, number, to));
        const Type = [Real, Int32Array, Int16Array, Int8Array][field.type];
        return [field.name, { number, Type, role: ROLES[field.role], elements: field.count }];
      }));
    }
    return this.listed;
  }

  field(/** @type {string} */ name) {
    known(`field of ${this.game.name}`, name, Object.keys(this.fields));
    return this.fields[name];
  }

  /** The number of worlds of a range; throws if it is outside the batch. */
  range(/** @type {number} */ first, /** @type {number | null | undefined} */ count) {
    whole("first", first, 0, this.count);
    return whole("count", count ?? this.count - first, 0, this.count - first);
  }

  view(/** @type {string} */ name) {
    const { core: engine } = this;
    const { number, Type } = this.field(name);
    const found = engine.filled("carom_view", (to) => engine.c.carom_worlds_view(this.at, number, to));
    const tiles = Math.ceil(found.worlds / found.lanes);
    const shape = [tiles, found.elements, found.lanes];
    const strides = [found.tile_stride, found.element_stride, found.lane_stride]
      .map((bytes) => bytes / Type.BYTES_PER_ELEMENT);
    const length = shape.reduce((end, n, axis) => end + (n - 1) * strides[axis], 1);
    return Object.assign(new Type(engine.memory.buffer, found.data, length), { shape, strides });
  }

  get(/** @type {string} */ name, /** @type {any} */ given = {}) {
    const { first = 0, count } = options("get", given, ["first", "count"]);
    const { number, Type, elements } = this.field(name);
    const n = this.range(first, count);
    return this.core.frame((frame) => {
      const at = frame.bytes(n * elements * Type.BYTES_PER_ELEMENT);
      this.done(this.core.c.carom_worlds_get(this.at, number, first, n, at), "get");
      return this.core.copied(Type, at, [n, elements]);
    });
  }

  set(/** @type {string} */ name, /** @type {any} */ values, /** @type {any} */ given = {}) {
    const { first = 0, count } = options("set", given, ["first", "count"]);
    const { number, Type, elements } = this.field(name);
    const n = this.range(first, count);
    const list = numbers(name, values, Type, n * elements);
    this.core.frame((frame) => {
      this.done(this.core.c.carom_worlds_set(this.at, number, first, n, frame.copy(list)), "set");
    });
  }

  /** A complete world as a value. */
  record(/** @type {number} */ world) {
    this.world(world);
    const size = this.core.c.carom_worlds_record_size(this.at);
    return this.core.frame((frame) => {
      const at = frame.bytes(size);
      this.done(this.core.c.carom_worlds_get_world(this.at, world, at, size), "record");
      return this.core.copied(Uint8Array, at, [size]);
    });
  }

  put(/** @type {number} */ world, /** @type {Uint8Array} */ record) {
    this.world(world);
    this.core.frame((frame) => {
      this.done(this.core.c.carom_worlds_set_world(this.at, world, frame.copy(record), record.length), "put");
    });
  }

  /** Records of worlds, by default of all, [n, byte]. */
  records(/** @type {any} */ worlds = null) {
    const chosen = this.chosen(worlds);
    const size = this.core.c.carom_worlds_record_size(this.at);
    return this.core.frame((frame) => {
      const at = frame.bytes(chosen.length * size);
      this.done(this.core.c.carom_worlds_get_records(this.at, frame.copy(chosen), chosen.length, at,
        chosen.length * size), "records");
      return this.core.copied(Uint8Array, at, [chosen.length, size]);
    });
  }

  /** Sets worlds, by default all, from records, all or nothing. */
  put_records(/** @type {Uint8Array} */ records, /** @type {any} */ worlds = null) {
    const chosen = this.chosen(worlds);
    this.core.frame((frame) => {
      this.done(this.core.c.carom_worlds_set_records(this.at, frame.copy(chosen), chosen.length, frame.copy(records),
        records.length), "put_records");
    });
  }

  /** Indices of worlds. @returns {Uint32Array} */
  chosen(/** @type {any} */ worlds) {
    const list = worlds ?? Array.from({ length: this.count }, (_, k) => k);
    const chosen = numbers("worlds", list, Uint32Array, list.length);
    chosen.forEach((world) => this.world(world));
    return chosen;
  }

  /** Throws unless the world exists. */
  world(/** @type {number} */ world) {
    return whole("world", world, 0, this.count - 1);
  }

  // ---- copy and fork ----

  like(/** @type {number} */ count, /** @type {any} */ changes = {}) {
    if (this.again) {
      refuse("fork: the batch comes from a replay, which does not give its options; use copy()");
    }
    const Type = /** @type {any} */ (this.constructor);
    return new Type(this.scene ?? this.game, count, { ...this.made, seed: this.seed, ...changes });
  }

  copy() {
    const twin = this.again ? this.again() : this.like(this.count);
    twin.load(this.save());
    return twin;
  }

  fork(/** @type {number} */ count, world = 0, /** @type {any} */ changes = {}) {
    this.world(world);
    const twin = this.like(count, changes);
    twin.fork_from(this, world);
    return twin;
  }

  copy_from(/** @type {Worlds} */ source, /** @type {any} */ given = {}) {
    const { to, worlds } = options("copy_from", given, ["to", "worlds"]);
    const n = to?.length ?? worlds?.length ?? Math.min(this.count, source.count);
    const listed = (/** @type {string} */ what, /** @type {any} */ list, /** @type {number} */ most) => {
      const found = numbers(what, list ?? Array.from({ length: n }, (_, k) => k), Uint32Array, n);
      found.forEach((world) => whole(what, world, 0, most - 1));
      return found;
    };
    const [ends, starts] = [listed("to", to, this.count), listed("worlds", worlds, source.count)];
    if (source === this && starts.some((world) => ends.includes(world))) {
      const between = this.copy(); // all worlds are read before any is written
      this.copyLists(between, ends, starts);
      between.free();
    } else {
      this.copyLists(source, ends, starts);
    }
  }

  copyLists(/** @type {Worlds} */ source, /** @type {Uint32Array} */ to, /** @type {Uint32Array} */ from) {
    this.core.frame((frame) => {
      this.done(this.core.c.carom_worlds_copy(this.at, frame.copy(to), source.at, frame.copy(from), to.length),
        "copy_from");
    });
  }

  fork_from(/** @type {Worlds} */ source, world = 0, /** @type {any} */ given = {}) {
    const { first = 0, count } = options("fork_from", given, ["first", "count"]);
    source.world(world);
    const n = this.range(first, count);
    this.done(this.core.c.carom_worlds_fork(this.at, first, n, source.at, world), "fork_from");
  }

  // ---- hash, save, load ----

  hashes() {
    return this.core.frame((frame) => {
      const at = frame.bytes(8 * this.count);
      this.done(this.core.c.carom_worlds_hash(this.at, 0, this.count, at), "hashes");
      return this.core.copied(BigUint64Array, at, [this.count]);
    });
  }

  digest() {
    return this.core.frame((frame) => {
      const at = frame.bytes(8);
      this.done(this.core.c.carom_worlds_digest(this.at, at), "digest");
      return this.core.data.getBigUint64(at, true);
    });
  }

  save() {
    const size = this.core.c.carom_worlds_save_size(this.at);
    return this.core.frame((frame) => {
      const at = frame.bytes(size);
      this.done(this.core.c.carom_worlds_save(this.at, at, size), "save");
      return this.core.copied(Uint8Array, at, [size]);
    });
  }

  load(/** @type {Uint8Array} */ saved) {
    this.core.frame((frame) => {
      this.done(this.core.c.carom_worlds_load(this.at, frame.copy(saved), saved.length), "load");
    });
  }

  // ---- spatial queries ----

  cast(/** @type {any} */ questions) {
    return Array.isArray(questions) ? ask(this, "cast", questions) : ask(this, "cast", [questions])[0];
  }

  nearest(/** @type {any} */ questions) {
    return Array.isArray(questions) ? ask(this, "nearest", questions) : ask(this, "nearest", [questions])[0];
  }

  within(/** @type {any} */ questions, /** @type {any} */ given = {}) {
    const { capacity = 16 } = options("within", given, ["capacity"]);
    return Array.isArray(questions) ? within(this, questions, capacity) : within(this, [questions], capacity)[0];
  }

  // ---- pictures and recordings ----

  look(world = 0, /** @type {string[] | undefined} */ parts = undefined) {
    return look(this.core, this.at, this.world(world), parts);
  }

  look_numbers(world = 0, names = ["x", "y", "vx", "vy"]) {
    return lookNumbers(this.core, this.at, this.world(world), names);
  }

  svg(world = 0, /** @type {any} */ given = {}) {
    return svg(this.core, this.core.c.carom_picture_svg, [this.at, this.world(world)], given);
  }

  rgb_array(world = 0, /** @type {any} */ given = {}) {
    return pixels(this.core, this.at, this.world(world), given);
  }

  recording(/** @type {any} */ given = {}) {
    return new Recording(this, given);
  }

  // ---- faults and counters ----

  faults() {
    return this.core.frame((frame) => {
      const bits = frame.copy(Uint32Array.of(0));
      const worlds = this.core.c.carom_worlds_faults(this.at, bits);
      const found = this.core.data.getUint32(bits, true);
      return { worlds, kinds: Object.entries(FAULTS).filter(([bit]) => found & Number(bit)).map(([, name]) => name) };
    });
  }

  counters() {
    return this.core.filled("carom_counters", (to) => this.core.c.carom_worlds_counters(to, this.at));
  }

  csb_map(/** @type {number} */ index) {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const [n, laps, xy] = [frame.bytes(4), frame.bytes(4), frame.bytes(8 * 1024)];
      this.done(engine.c.carom_csb_get_map(this.at, whole("map", index), n, laps, xy, 1024), "csb_map");
      const checkpoints = engine.copied(Int32Array, xy, [engine.data.getUint32(n, true), 2]);
      return { laps: engine.data.getUint32(laps, true), checkpoints };
    });
  }
}

/**
 * The game of a name.
 * @param {import("./engine.js").Engine} engine
 * @param {string} name
 */
export function gameOf(engine, name) {
  const at = engine.frame((frame) => engine.c.carom_game_find(frame.string(name).at));
  return at ? new Game(engine, at) : refuse(`game: ${JSON.stringify(name)} is unknown; there are ${
    gameNames(engine).join(", ")}`);
}

/** @param {import("./engine.js").Engine} engine */
export function gameNames(engine) {
  return Array.from({ length: engine.c.carom_game_count() }, (_, k) => (
    engine.filled("carom_game_info", (to) => engine.c.carom_game_describe(to, engine.c.carom_game_at(k))).name));
}

/**
 * An instruction set by name; without one, the default.
 * @param {import("./engine.js").Engine} engine
 * @param {import("./engine.js").Frame} frame
 * @param {string | null | undefined} name
 */
export function isaOf(engine, frame, name) {
  if (name == null) {
    return 0;
  }
  const to = frame.bytes(4);
  engine.check(engine.c.carom_isa_from_name(frame.string(name).at, to), `isa: ${name}`);
  return engine.data.getUint32(to, true);
}
