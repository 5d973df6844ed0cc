// SPDX-License-Identifier: MIT
// Games: their actions, observations and rewards, and their options by keyword.

import { Structure, known, numbers, product, refuse, shaped, whole, wide } from "./engine.js";

export const PRECISIONS = { f32: 32, f64: 64 };
export const AT_END = ["play_on", "freeze", "reset"];
const TYPES = ["count", "flag", "number", "choice", "preset", "seed", "list"];

/** The description of a game. */
export class Game {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {number} at
   */
  constructor(engine, at) {
    Object.defineProperty(this, "core", { value: engine });
    Object.defineProperty(this, "at", { value: at });
    const info = engine.filled("carom_game_info", (to) => engine.c.carom_game_describe(to, at));
    this.name = info.name;
    this.title = info.title;
    this.players = info.players;
    this.bodies = info.bodies;
    this.max_events = info.max_events;
    this.counts = info.counts;
    this.action_kinds = this.kinds("action", info.action_kinds).map(({ name, precision, size }) => (
      { name, precision: precision === 64 ? "f64" : "f32", size }));
    this.observation_kinds = this.kinds("observation", info.observation_kinds);
    this.reward_kinds = this.kinds("reward", info.reward_kinds);
    this.policies = Array.from({ length: info.policies },
      (_, k) => engine.text(engine.c.carom_game_policy_name(at, k)));
  }

  /**
   * @param {string} what
   * @param {number} count
   */
  kinds(what, count) {
    const { core: engine } = this;
    return Array.from({ length: count }, (_, k) => engine.filled(`carom_${what}_kind`,
      (to) => engine.c[`carom_game_${what}_kind`](this.at, k, to)));
  }

  /** The final values of states by name: their features with default weights. */
  get value_kinds() {
    const { core: engine } = this;
    const found = [];
    for (let k = 0; ; k++) {
      const kind = engine.frame((frame) => {
        const structure = frame.structure("carom_value_kind");
        return engine.c.carom_game_value_kind(this.at, k, structure.at) === 0 ? structure.object() : null;
      });
      if (!kind) {
        return found;
      }
      const features = Array.from({ length: kind.weights }, (_, n) => engine.filled("carom_value_weight",
        (to) => engine.c.carom_game_value_weight(this.at, k, n, to)));
      found.push({ name: kind.name, weights: Object.fromEntries(features.map(({ name, weight }) => [name, weight])) });
    }
  }

  /** By kind of observation, the numbers of an agent's row: name, unit, bounds. */
  get observations() {
    const { core: engine } = this;
    return Object.fromEntries(this.observation_kinds.map(({ name, size }, kind) => [name,
      Array.from({ length: size }, (_, k) => engine.filled("carom_number",
        (to) => engine.c.carom_game_observation_number(this.at, kind, k, to)))]));
  }

  /** The options by name: type, default, range, choices, meaning. */
  get options() {
    return Object.fromEntries(this.optionTable().map(({ name, type, value, low, high, below, choices, meaning }) => {
      const plain = { count: value, number: value, flag: value !== 0, choice: choices[value], preset: choices[value] };
      const fallback = /** @type {Record<string, any>} */ (plain)[TYPES[type]] ?? null;
      return [name, { type: TYPES[type], default: fallback, low, high, below, choices, meaning }];
    }));
  }

  /** The library's table of options. */
  optionTable() {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const option = frame.structure("carom_option");
      const found = [];
      while (engine.c.carom_game_option(this.at, found.length, option.at) === 0) {
        const row = option.object();
        const count = row.choices ? row.high + 1 : 0;
        row.choices = Array.from({ length: count }, (_, k) => (
          engine.text(engine.data.getUint32(row.choices + 4 * k, true))));
        found.push(row);
      }
      return found;
    });
  }

  /**
   * The structure of options, filled in memory of `frame`; 0, for the defaults, if none are given.
   * @param {import("./engine.js").Frame} frame
   * @param {Record<string, any>} given
   */
  filledOptions(frame, given) {
    if (Object.keys(given).length === 0) {
      return 0;
    }
    const { core: engine } = this;
    const table = this.optionTable();
    const names = [...table.map(({ name }) => name), ...(this.name === "csb" ? ["laps"] : [])];
    Object.keys(given).forEach((name) => known(`option of ${this.name}`, name, names));
    const at = frame.bytes(engine.c.carom_game_options_size(this.at));
    engine.check(engine.c.carom_game_options_default(this.at, at), this.name);
    const order = (/** @type {any} */ row) => Number(TYPES[row.type] === "list") - Number(TYPES[row.type] === "preset");
    // Presets come first, since they set other options; lists last, since they determine their lengths.
    for (const row of table.filter(({ name }) => given[name] != null).sort((a, b) => order(a) - order(b))) {
      const value = given[row.name];
      const type = TYPES[row.type];
      if (type === "seed") {
        engine.data.setUint32(at + row.offset, frame.copy(BigUint64Array.of(wide(row.name, value))), true);
      } else if (type === "list") {
        const items = this.items(frame, row.name, value, given);
        engine.data.setUint32(at + row.offset, items, true);
        engine.data.setUint32(at + row.count_offset, value.length, true);
      } else {
        this.setOption(frame, at, row, value);
      }
    }
    return at;
  }

  /**
   * @param {import("./engine.js").Frame} frame
   * @param {number} at
   * @param {Record<string, any>} row
   * @param {any} value
   */
  setOption(frame, at, row, value) {
    const { core: engine } = this;
    const problem = frame.structure("carom_problem", {});
    const number = row.choices.length && typeof value === "string" ? known(row.name, value, row.choices)
      : Number(value);
    const status = engine.c.carom_game_set_option(this.at, at, frame.string(row.name).at, number, problem.at);
    engine.check(status, row.name, status ? problem.get("text") : null);
  }

  /**
   * The items of a list: csb's maps, bodies of fall, whole numbers.
   * @param {import("./engine.js").Frame} frame
   * @param {string} name
   * @param {any} value
   * @param {Record<string, any>} given
   */
  items(frame, name, value, given) {
    const { core: engine } = this;
    if (name !== "maps" && name !== "bodies") {
      return frame.copy(numbers(name, value, BigInt64Array, value.length));
    }
    const type = name === "maps" ? "carom_csb_map" : "carom_fall_body";
    const layout = engine.layout(type);
    const at = frame.bytes(layout.bytes * value.length);
    engine.bytes(at, layout.bytes * value.length).fill(0);
    value.forEach((/** @type {any} */ item, /** @type {number} */ k) => {
      const row = new Structure(engine, layout, at + layout.bytes * k);
      row.assign(name === "maps" ? mapOf(frame, item, given.laps ?? 3) : fallBody(item));
    });
    return at;
  }

  // ---- names and numbers of kinds ----

  /** @param {string} name */
  kindIndex(name) {
    return known(`action kind of ${this.name}`, name, this.action_kinds.map((kind) => kind.name));
  }

  /** @param {string} name */
  observationIndex(name) {
    return known(`observation of ${this.name}`, name, this.observation_kinds.map((kind) => kind.name));
  }

  /** @param {string} name */
  rewardIndex(name) {
    return known(`reward of ${this.name}`, name, this.reward_kinds.map((kind) => kind.name));
  }

  /** @param {string} name */
  policyIndex(name) {
    return known(`policy of ${this.name}`, name, this.policies);
  }

  /** @param {string} name */
  valueIndex(name) {
    return known(`value of ${this.name}`, name, this.value_kinds.map((kind) => kind.name));
  }

  /**
   * The observed agents, as bits; 0: all.
   * @param {number} kind
   * @param {number[] | null | undefined} observed
   */
  observedBits(kind, observed) {
    if (observed == null) {
      return 0n;
    }
    const count = this.players * this.observation_kinds[kind].agents;
    if (observed.length === 0 || observed.some((agent, k) => k > 0 && agent <= observed[k - 1])) {
      refuse(`observed: ascending numbers of agents are expected, not ${observed.join(", ")}`);
    }
    return observed.reduce((bits, agent) => bits | 1n << BigInt(whole("observed", agent, 0, count - 1)), 0n);
  }

  /**
   * [agents, numbers] of a world's observations.
   * @param {number} kind
   * @param {bigint} bits
   */
  seenShape(kind, bits) {
    const { agents, size } = this.observation_kinds[kind];
    const some = [...bits.toString(2)].filter((bit) => bit === "1").length;
    return [some || this.players * agents, size];
  }

  /**
   * Weights of a final value's features: all of them, or some by name. null: the defaults.
   * @param {string} name
   * @param {Record<string, number> | number[] | null | undefined} weights
   */
  valueWeights(name, weights) {
    if (weights == null) {
      return null;
    }
    const own = this.value_kinds[this.valueIndex(name)].weights;
    if (Array.isArray(weights) || ArrayBuffer.isView(weights)) {
      return numbers("weights", weights, Float64Array, Object.keys(own).length);
    }
    Object.keys(weights).forEach((feature) => known(`feature of ${name}`, feature, Object.keys(own)));
    return Float64Array.from(Object.entries({ ...own, ...weights }), ([, weight]) => weight);
  }
}

/**
 * @param {import("./engine.js").Frame} frame
 * @param {number[][]} points
 * @param {number} laps
 */
function mapOf(frame, points, laps) {
  const checkpoints = frame.copy(numbers("maps", points, Int32Array, points.length * 2));
  return { checkpoints, count: points.length, laps };
}

/** @param {Record<string, any>} body of fall; a polygon has `corners`, [x, y] each */
function fallBody(body) {
  const { corners, ...plain } = body;
  if (!corners) {
    return { radius: 1, mass: 1, ...plain };
  }
  return { mass: 1, ...plain, fixed: 1, corner_count: corners.length, corners: corners.flat() };
}

/**
 * Checkpoints [n, 2] of one of csb's base maps.
 * @param {import("./engine.js").Engine} engine
 * @param {number} index
 */
export function baseMap(engine, index) {
  return engine.frame((frame) => {
    const count = frame.bytes(4);
    const at = engine.c.carom_csb_base_map(index, count);
    return at ? engine.copied(Int32Array, at, [engine.data.getUint32(count, true), 2])
      : refuse(`there is no base map ${index}`);
  });
}

/**
 * The bodies of the default scene of fall.
 * @param {import("./engine.js").Engine} engine
 */
export function fallBox(engine) {
  return engine.frame((frame) => {
    const at = frame.bytes(8 * engine.layout("carom_fall_body").bytes);
    const count = engine.c.carom_fall_box(at);
    return engine.objects("carom_fall_body", at, count).map(({ corners, corner_count, fixed, radius, ...body }) => (
      corner_count === 0 ? { ...body, radius, fixed: fixed !== 0 } : {
        ...body, corners: Array.from({ length: corner_count }, (_, k) => [corners[2 * k], corners[2 * k + 1]]),
      }));
  });
}

/**
 * A bot's command line as the four numbers of fantastic_bits' action kind `referee`.
 * @param {import("./engine.js").Engine} engine
 * @param {string} line
 */
export function fantasticBitsLine(engine, line) {
  return engine.frame((frame) => {
    const at = frame.bytes(32);
    engine.check(engine.c.carom_fantastic_bits_read_line(frame.string(line).at, at), `no command: ${line}`);
    return [...engine.copied(Float64Array, at, [4])];
  });
}
