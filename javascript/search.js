// SPDX-License-Identifier: MIT
// Rollouts, and planners over them.

import { Owner, Resource, known, numbers, options, product, refuse, shaped, whole, wide } from "./engine.js";
import { SOURCES } from "./play.js";

const PLANNERS = ["shooting", "cem", "genetic", "mppi"];
const OTHERS = ["zero", "policy", "plan", "search", "fictitious"];
const AGAINST = ["worst", "mean"];
const MORE = [
  "discount", "reward_weight", "final_weight", "value_at_end", "elites", "sigma", "sigma_least", "keep", "mutation",
  "mutation_spread", "temperature", "other_share", "other_rounds", "cut_after", "cut_keep", "generations",
];
const PLANNED = [
  "planner", "player", "horizon", "hold", "sequences", "rollouts", "milliseconds", "low", "high", "seed", "action_kind",
  "opponent", "against", "value", "weights", "observation", "observed", "reward", ...MORE,
];
const ROLLED = [
  "k", "horizon", "actions", "player", "opponent", "players", "action_kind", "seed", "discount", "final_weight",
  "reward_weight", "value_at_end", "value", "weights", "observation", "observed", "reward", "horizons", "elites",
  "rewards", "lengths", "depths", "finals",
];

/** How a player's actions are drawn: made by gaussian() or uniform(). */
export class Drawn {
  /** @param {any} mean @param {any} sigma @param {any} low @param {any} high @param {number} hold */
  constructor(mean, sigma, low, high, hold) {
    Object.assign(this, { mean, sigma, low, high, hold: whole("hold", hold, 1) });
  }
}

/**
 * Actions drawn from normal distributions, for rollout(); then clipped to the bounds.
 * @param {any} mean
 * @param {any} sigma
 * @param {any} [given]
 */
export function gaussian(mean, sigma, given = {}) {
  const { low = null, high = null, hold = 1 } = options("gaussian", given, ["low", "high", "hold"]);
  return new Drawn(mean, sigma, low, high, hold);
}

/**
 * Actions drawn uniformly between bounds; null: -1 and 1.
 * @param {any} [low]
 * @param {any} [high]
 * @param {any} [given]
 */
export function uniform(low = null, high = null, given = {}) {
  const { hold = 1 } = options("uniform", given, ["hold"]);
  return new Drawn(null, null, low, high, hold);
}

/** The results of rollouts. */
export class Rollout {
  /**
   * @param {import("./worlds.js").Worlds} roots
   * @param {any} asked
   */
  constructor(roots, asked) {
    Object.defineProperty(this, "roots", { value: roots });
    Object.defineProperty(this, "asked", { value: asked });
  }

  /** [root, i, row, number]: the actions of `player`, given or drawn, in the chosen sequences [root, i]. */
  actions(/** @type {number} */ player, /** @type {number[][]} */ sequences) {
    const { roots, asked } = /** @type {any} */ (this);
    const count = sequences[0]?.length ?? 0;
    const chosen = numbers("sequences", sequences, Uint32Array, roots.count * count);
    chosen.forEach((/** @type {number} */ k) => whole("sequences", k, 0, asked.k - 1));
    return roots.core.frame((/** @type {any} */ frame) => chosenActions(frame, roots, asked, player, chosen, count));
  }

  /** [root, number]: the first action of `player` in its best sequence. */
  first_actions(player = 0) {
    const { roots, best } = /** @type {any} */ (this);
    const sequences = Array.from({ length: roots.count }, (_, root) => [best[root * roots.game.players + player]]);
    const found = this.actions(player, sequences);
    const [, , rows, size] = found.shape;
    const first = new /** @type {any} */ (found.constructor)(roots.count * size);
    for (let root = 0; root < roots.count; root++) {
      first.set(found.subarray(root * rows * size, root * rows * size + size), root * size);
    }
    return shaped(first, [roots.count, size]);
  }
}

/**
 * A player's actions in chosen sequences: drawn again by the library, or taken from the given ones.
 * @param {import("./engine.js").Frame} frame
 * @param {import("./worlds.js").Worlds} roots
 * @param {any} asked
 * @param {number} player
 * @param {Uint32Array} chosen
 * @param {number} count
 */
function chosenActions(frame, roots, asked, player, chosen, count) {
  const { core: engine } = roots;
  const entry = asked.seats[player];
  const { precision, size } = roots.game.action_kinds[asked.kind];
  const Type = precision === "f64" ? Float64Array : Float32Array;
  const isDrawn = entry === "drawn" || entry instanceof Drawn;
  const rows = Math.ceil(asked.horizon / (/** @type {any} */ (entry).hold ?? 1));
  const shape = [roots.count, count, rows, size];
  if (isDrawn) {
    const desc = describeRollout(frame, roots, asked);
    const at = frame.bytes(product(shape) * Type.BYTES_PER_ELEMENT);
    engine.check(engine.c.carom_rollout_draws(roots.at, desc.at, player, frame.copy(chosen), count, at), "actions");
    return engine.copied(Type, at, shape);
  }
  if (typeof entry === "string") {
    refuse(`player ${player} is played by the library`);
  }
  const each = asked.horizon * size;
  const isWide = isBroadcast(entry, roots.count, each);
  const source = numbers("actions", entry, Type, roots.count * (isWide ? 1 : asked.k) * each);
  const found = new Type(product(shape));
  chosen.forEach((k, i) => {
    const from = (isWide ? Math.floor(i / count) : Math.floor(i / count) * asked.k + k) * each;
    found.set(source.subarray(from, from + each), i * each);
  });
  return shaped(found, shape);
}

/** Are these the same for every sequence? @param {any} entry @param {number} roots @param {number} each */
function isBroadcast(entry, roots, each) {
  const shape = entry.shape ?? (Array.isArray(entry) ? depthOf(entry) : null);
  return shape ? (shape.length ?? shape) === 3 : entry.length === roots * each;
}

/** @param {any} list @returns {number} */
function depthOf(list) {
  return Array.isArray(list) ? 1 + depthOf(list[0]) : 0;
}

/**
 * The source of actions for each player.
 * @param {import("./worlds.js").Worlds} roots
 * @param {any} given
 */
function seatsOf(roots, { actions = "drawn", opponent = "drawn", player = 0, players }) {
  const { game } = roots;
  if (players != null) {
    return players.length === game.players ? [...players]
      : refuse(`players: an entry for each of ${game.players} players is expected`);
  }
  whole("player", player, 0, game.players - 1);
  return Array.from({ length: game.players }, (_, k) => (k === player ? actions ?? "drawn" : opponent));
}

/**
 * The library's description of rollouts, with the actions of every player.
 * @param {import("./engine.js").Frame} frame
 * @param {import("./worlds.js").Worlds} roots
 * @param {any} asked
 */
function describeRollout(frame, roots, asked) {
  const desc = frame.structure("carom_rollout_desc", {
    sequences: asked.k, horizon: asked.horizon, action_kind: asked.kind, seed: asked.seed,
  }, roots.game.at);
  asked.seats.forEach((/** @type {any} */ entry, /** @type {number} */ player) => {
    roots.core.within(desc, "players", "carom_rollout_desc.players", player)
      .assign(playerOf(frame, roots, asked, entry));
  });
  return desc;
}

/**
 * A player's entry in that description.
 * @param {import("./engine.js").Frame} frame
 * @param {import("./worlds.js").Worlds} roots
 * @param {any} asked
 * @param {any} entry
 */
function playerOf(frame, roots, asked, entry) {
  const { game, count } = roots;
  const { precision, size, name } = game.action_kinds[asked.kind];
  if (entry === "drawn" && name !== "normalised") {
    refuse(`players: drawn actions are of the kind normalised, not ${name}`);
  }
  if (entry === "drawn" || entry === "zero") {
    return { source: SOURCES[/** @type {"drawn"} */ (entry)] };
  }
  if (typeof entry === "string") {
    return { source: SOURCES.policy, policy: game.policyIndex(entry) };
  }
  if (entry instanceof Drawn) {
    const { mean, sigma, low, high, hold } = /** @type {any} */ (entry);
    const row = Math.ceil(asked.horizon / hold) * size;
    const filled = (/** @type {string} */ what, /** @type {any} */ value, /** @type {number} */ length) => (
      value == null ? 0 : frame.copy(numbers(what, value, Float32Array, length)));
    return {
      source: mean == null ? SOURCES.uniform : SOURCES.gaussian, hold,
      mean: filled("mean", mean, count * row), sigma: filled("sigma", sigma, count * row),
      low: filled("low", low, row), high: filled("high", high, row),
    };
  }
  const each = asked.horizon * size;
  const isWide = isBroadcast(entry, count, each);
  const Type = precision === "f64" ? Float64Array : Float32Array;
  const list = numbers("actions", entry, Type, count * (isWide ? 1 : asked.k) * each);
  return { source: isWide ? SOURCES.broadcast : SOURCES.given, actions: frame.copy(list) };
}

/**
 * The actions that rollouts draw, [root, k, row, number].
 * @param {import("./worlds.js").Worlds} roots
 * @param {number} k
 * @param {number} horizon
 * @param {any} [given]
 */
export function draws(roots, k, horizon, given = {}) {
  options("draws", given, ["actions", "player", "seed", "action_kind"]);
  const asked = {
    k: whole("k", k, 1), horizon: whole("horizon", horizon, 1),
    kind: roots.game.kindIndex(given.action_kind ?? "normalised"), seed: wide("seed", given.seed ?? 0),
    seats: seatsOf(roots, { ...given, opponent: "zero" }),
  };
  const each = Uint32Array.from({ length: roots.count * asked.k }, (_, at) => at % asked.k);
  return roots.core.frame((frame) => chosenActions(frame, roots, asked, given.player ?? 0, each, asked.k));
}

/**
 * Rolls out every world of `roots`, which do not change: `k` sequences of actions, `horizon` ticks deep.
 * @param {import("./worlds.js").Worlds} roots
 * @param {any} [given]
 */
export function rollout(roots, given = {}) {
  options("rollout", given, ROLLED);
  const { game, core: engine } = roots;
  const asked = {
    k: whole("k", given.k ?? 1, 1), horizon: whole("horizon", given.horizon ?? 1, 1),
    kind: game.kindIndex(given.action_kind ?? "normalised"), seed: wide("seed", given.seed ?? 0),
    seats: seatsOf(roots, given),
  };
  const found = /** @type {any} */ (new Rollout(roots, asked));
  engine.frame((frame) => {
    const desc = describeRollout(frame, roots, asked);
    weigh(frame, desc, game, given, "value");
    const outputs = roomForRollout(frame, roots, desc, asked, given);
    const [returns, best] = [outputs.returns, outputs.best];
    const finals = given.finals?.at ?? 0;
    engine.check(roots.during((at) => engine.c.carom_rollout(at, desc.at, returns.at, best.at, finals)), "rollout");
    for (const [name, { Type, at, shape }] of Object.entries(outputs)) {
      found[name] = engine.copied(Type, at, shape);
    }
  });
  return found;
}

/**
 * The outputs of rollouts, by name.
 * @param {import("./engine.js").Frame} frame
 * @param {import("./worlds.js").Worlds} roots
 * @param {import("./engine.js").Structure} desc
 * @param {any} asked
 * @param {any} given
 */
function roomForRollout(frame, roots, desc, asked, given) {
  const { game, count } = roots;
  const { k, horizon } = asked;
  /** @type {Record<string, { Type: any, at: number, shape: number[] }>} */
  const found = {};
  const room = (/** @type {string} */ name, /** @type {any} */ Type, /** @type {number[]} */ shape, member = name) => {
    const at = frame.bytes(product(shape) * Type.BYTES_PER_ELEMENT);
    found[name] = { Type, at, shape };
    return desc.layout.members.has(member) ? desc.set(member, at) : desc;
  };
  room("returns", Float64Array, [count, k, game.players]);
  room("best", Uint32Array, [count, game.players]);
  const agents = game.players * game.reward_kinds[desc.get("reward_kind")].agents;
  if (given.rewards) {
    room("rewards", Float32Array, [count, k, horizon, agents]);
  }
  if (given.lengths) {
    room("lengths", Uint32Array, [count, k]);
  }
  if (given.depths?.length) {
    const depths = numbers("depths", given.depths, Uint32Array, given.depths.length);
    desc.assign({ depths: frame.copy(depths), depth_count: depths.length });
    room("observations", Float32Array,
      [count, k, depths.length, ...game.seenShape(desc.get("observation_kind"), desc.get("observed"))]);
  }
  if (given.horizons != null) {
    desc.set("horizons", frame.copy(numbers("horizons", given.horizons, Uint32Array, count)));
  }
  if (given.elites) {
    const player = given.player ?? 0;
    const rows = Math.ceil(horizon / (asked.seats[player]?.hold ?? 1));
    const fitted = [count, rows, game.action_kinds[asked.kind].size];
    desc.assign({ "elites.count": whole("elites", given.elites, 1, k), "elites.player": player });
    room("elites", Uint32Array, [count, given.elites], "elites.best");
    room("elite_mean", Float32Array, fitted, "elites.mean");
    room("elite_sigma", Float32Array, fitted, "elites.sigma");
  }
  return found;
}

/**
 * Weights of states and rewards, and observations: options shared by rollouts and searches.
 * @param {import("./engine.js").Frame} frame
 * @param {import("./engine.js").Structure} desc
 * @param {import("./games.js").Game} game
 * @param {any} given
 * @param {string} value the member that holds the kind of final value
 */
function weigh(frame, desc, game, given, value) {
  const seen = game.observationIndex(given.observation ?? "raw");
  desc.assign({
    observation_kind: seen, observed: game.observedBits(seen, given.observed),
    reward_kind: game.rewardIndex(given.reward ?? "game"),
  });
  for (const name of ["discount", "final_weight", "reward_weight", "value_at_end"]) {
    if (given[name] !== undefined) {
      desc.set(name, given[name]);
    }
  }
  const kind = typeof given.value === "string" ? given.value : "game";
  desc.set(value, game.valueIndex(kind));
  const weights = game.valueWeights(kind, given.weights);
  if (weights) {
    desc.set("weights", frame.copy(weights));
  }
}

/** A planner for as many worlds as `roots` has. It keeps its plans and advances them from run to run. */
export class Search extends Owner {
  /**
   * @param {import("./worlds.js").Worlds} roots
   * @param {any} [given]
   */
  constructor(roots, given = {}) {
    super();
    options("Search", given, PLANNED);
    this.core = roots.core;
    this.game = roots.game;
    this.count = roots.count;
    this.player = whole("player", given.player ?? 0, 0, roots.game.players - 1);
    this.kind = roots.game.kindIndex(given.action_kind ?? "normalised");
    this.rows = Math.ceil(whole("horizon", given.horizon ?? 6, 1) / whole("hold", given.hold ?? 1, 1));
    this.size = roots.game.action_kinds[this.kind].size;
    /** @type {((leaves: any) => any) | null} */
    this.value = typeof given.value === "function" ? given.value : null;
    const seen = roots.game.observationIndex(given.observation ?? "raw");
    this.leaf = roots.game.seenShape(seen, roots.game.observedBits(seen, given.observed));
    this.awaited = 0;
    this.own(this.create(roots, given));
  }

  /**
   * @param {import("./worlds.js").Worlds} roots
   * @param {any} given
   */
  create(roots, given) {
    const { core: engine, game } = this;
    return engine.frame((frame) => {
      const desc = frame.structure("carom_search_desc", {
        player: this.player, action_kind: this.kind,
        planner: known("planner", given.planner ?? "cem", PLANNERS),
        against: known("against", given.against ?? "worst", AGAINST), seed: wide("seed", given.seed ?? 0),
      }, game.at);
      for (const name of ["horizon", "hold", "sequences", "rollouts", "milliseconds", ...MORE]) {
        if (given[name] !== undefined) {
          desc.set(name, given[name]);
        }
      }
      for (const name of ["low", "high"]) {
        const bound = given[name];
        desc.set(name, bound == null ? 0 : frame.copy(numbers(name, bound, Float32Array, this.rows * this.size)));
      }
      weigh(frame, desc, game, given, "value_kind");
      this.candidates(frame, desc, given.opponent ?? "zero");
      const [to, cancel] = [frame.bytes(4), engine.take(4)];
      const status = engine.c.carom_search_create(roots.at, desc.set("cancel", cancel).at, to);
      if (status) {
        engine.c.free(cancel);
      }
      engine.check(status, "Search");
      this.cancel = cancel;
      return new Resource(engine.data.getUint32(to, true), (at) => {
        engine.watchers.delete(at);
        engine.c.carom_search_destroy(at);
        engine.c.free(cancel);
      }, roots.scene ? [roots.scene.resource] : []);
    });
  }

  /**
   * @param {import("./engine.js").Frame} frame
   * @param {import("./engine.js").Structure} desc
   * @param {string | string[]} opponent
   */
  candidates(frame, desc, opponent) {
    const names = Array.isArray(opponent) ? opponent : [opponent];
    const list = names.flatMap((name) => (OTHERS.includes(name) && name !== "policy" ? [OTHERS.indexOf(name), 0]
      : [OTHERS.indexOf("policy"), this.game.policyIndex(name)]));
    desc.assign({ candidates: frame.copy(Uint32Array.from(list)), candidate_count: names.length });
  }

  /** Changes the budget for the following runs: give one of the two. */
  set_budget(/** @type {any} */ given) {
    const { rollouts, milliseconds } = options("set_budget", given, ["rollouts", "milliseconds"]);
    if ((rollouts === undefined) === (milliseconds === undefined)) {
      refuse("rollouts, milliseconds: one of the two is expected");
    }
    const { c } = this.core;
    this.core.check(c.carom_search_set_budget(this.at, BigInt(rollouts ?? 0), milliseconds ?? 0), "set_budget");
  }

  /** Searches from every world of `roots`, which do not change; returns the actions to play, `actions()`. */
  run(/** @type {import("./worlds.js").Worlds} */ roots) {
    if (!this.value) {
      this.core.data.setInt32(this.cancel, 0, true);
      this.core.check(this.during((at) => roots.during((from) => this.core.c.carom_search_run(at, from))), "run");
      return this.actions();
    }
    this.begin(roots);
    for (let leaves = this.leaves(); leaves.length > 0; leaves = this.leaves()) {
      this.values(this.value(leaves));
    }
    return this.actions();
  }

  begin(/** @type {import("./worlds.js").Worlds} */ roots) {
    this.core.check(this.core.c.carom_search_begin(this.at, roots.at), "begin");
  }

  /** A copy of the observations of a generation's last states, [leaf, agent, number]; length 0 at the end. */
  leaves() {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const [to, count] = [frame.bytes(4), frame.bytes(4)];
      engine.data.setInt32(this.cancel, 0, true);
      engine.check(this.during((at) => engine.c.carom_search_leaves(at, to, count)), "leaves");
      this.awaited = engine.data.getUint32(count, true);
      return engine.copied(Float32Array, engine.data.getUint32(to, true), [this.awaited, ...this.leaf]);
    });
  }

  /** Takes the values of the leaves, [leaf, player]. */
  values(/** @type {any} */ values) {
    const list = numbers("values", values, Float64Array, this.awaited * this.game.players);
    this.core.frame((frame) => {
      const from = frame.copy(list);
      this.core.check(this.during((at) => this.core.c.carom_search_values(at, from)), "values");
    });
  }

  /** [root, number]: the first action of a player, by default the one that plans. */
  actions(player = this.player) {
    const { precision } = this.game.action_kinds[this.kind];
    return this.read("actions", precision === "f64" ? Float64Array : Float32Array, [this.count, this.size], player);
  }

  /** [root, row, number]: the whole plan. */
  plan(player = this.player) {
    return this.read("plan", Float32Array, [this.count, this.rows, this.size], player);
  }

  /** [root]: the return of the plan when it was last rolled out. */
  returns() {
    return this.read("returns", Float64Array, [this.count]);
  }

  /**
   * @param {"actions" | "plan" | "returns"} what
   * @param {any} Type
   * @param {number[]} shape
   * @param {number} [player]
   */
  read(what, Type, shape, player) {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const at = frame.bytes(product(shape) * Type.BYTES_PER_ELEMENT);
      const call = engine.c[`carom_search_${what}`];
      engine.check(player === undefined ? call(this.at, at) : call(this.at, player, at), what);
      return engine.copied(Type, at, shape);
    });
  }

  /** Sets a plan [root, row, number] for the next run; null: discards all plans. */
  set_plan(/** @type {any} */ plan, player = this.player) {
    this.core.frame((frame) => {
      const size = this.count * this.rows * this.size;
      const at = plan === null ? 0 : frame.copy(numbers("plan", plan, Float32Array, size));
      this.core.check(this.core.c.carom_search_set_plan(this.at, player, at), "set_plan");
    });
  }

  save(first = 0, count = this.count - first) {
    const { c } = this.core;
    const size = c.carom_search_save_size(this.at, count);
    return this.core.frame((frame) => {
      const at = frame.bytes(size);
      this.core.check(c.carom_search_save(this.at, first, count, at, size), "save");
      return this.core.copied(Uint8Array, at, [size]);
    });
  }

  load(/** @type {Uint8Array} */ saved, first = 0) {
    this.core.frame((frame) => {
      const problem = frame.structure("carom_problem", {});
      const status = this.core.c.carom_search_load(this.at, first, frame.copy(saved), saved.length, problem.at);
      this.core.check(status, "load", status ? problem.get("text") : null);
    });
  }

  /**
   * Calls `call` with every generation of the following runs, before the planner learns from it; null: stops that. An
   * exception ends the run.
   * @param {((drawn: any) => void) | null} call
   */
  watch(call) {
    const { core: engine, at, cancel, rows, size } = this; // not `this`, so that an unused search can be freed
    engine.check(engine.c.carom_search_set_watch(at, call ? engine.c.engine_watcher() : 0, at), "watch");
    engine.watchers.delete(at);
    if (call) {
      engine.watchers.set(at, (drawn) => {
        engine.called(() => call(shown(engine, at, drawn, rows, size)));
        engine.data.setInt32(cancel, engine.thrown ? 1 : 0, true);
      });
    }
  }

  /** Statistics of the last run, generation by generation. */
  report() {
    const { core: engine } = this;
    const found = engine.filled("carom_search_report", (to) => engine.c.carom_search_last(to, this.at));
    const generations = Array.from({ length: found.generations }, (_, k) => engine.filled("carom_search_generation",
      (to) => engine.c.carom_search_generation_at(this.at, k, to)));
    return { ...found, generations };
  }
}

/**
 * A generation as passed to a watch.
 * @param {import("./engine.js").Engine} engine
 * @param {number} search
 * @param {number} drawn
 * @param {number} rows
 * @param {number} size
 */
function shown(engine, search, drawn, rows, size) {
  const [seen] = engine.objects("carom_search_drawn", drawn, 1);
  const sequences = (/** @type {number} */ root = 0, /** @type {number[] | null} */ chosen = null) => (
    engine.frame((frame) => {
      const count = chosen?.length ?? seen.sequences;
      const shape = [count, rows, size];
      const [to, returns] = [frame.bytes(4 * product(shape)), frame.bytes(8 * count)];
      const list = chosen ? frame.copy(numbers("sequences", chosen, Uint32Array, count)) : 0;
      engine.check(engine.c.carom_search_sequences(search, root, list, count, to, returns), "sequences");
      return {
        numbers: engine.copied(Float32Array, to, shape), returns: engine.copied(Float64Array, returns, [count]),
      };
    }));
  return { generation: seen.generation, player: seen.player, count: seen.sequences, sequences };
}
