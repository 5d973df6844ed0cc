// SPDX-License-Identifier: MIT
// Arguments and results of `Worlds.play`.

import { known, numbers, refuse, shaped, whole } from "./engine.js";
import { AT_END } from "./games.js";

/** Values of carom_source, for the players of a step. */
export const SOURCES = { drawn: 0, given: 1, broadcast: 2, zero: 3, policy: 4, uniform: 5, gaussian: 6 };

/** Names of options of `Worlds.play`. */
export const PLAYING = [
  "actions", "players", "action_kind", "own", "dt", "repeat", "rows", "skip", "first", "count", "at_end", "places",
  "observations", "last_observations", "rewards", "ends", "results", "events", "contacts", "moved",
];

/** The results of a call; null for those not requested. Arrays are [step, world, ...], and new. */
export class Played {
  /** @param {Record<string, any>} found */
  constructor(found) {
    this.observations = found.observations ?? null;
    this.last_observations = found.last_observations ?? null;
    this.rewards = found.rewards ?? null;
    this.ends = found.ends ?? null;
    this.results = found.results ?? null;
    this.moved = found.moved ?? null;
    this.event_counts = found.event_counts ?? null;
    this.events = found.events ?? null;
  }

  /** All recorded impacts in one list, as events with the additional members `tick` and `world`. */
  impacts() {
    return this.events ?? refuse("impacts: no events were requested");
  }
}

/**
 * A contact with vectors as pairs: of the first and the second body.
 * @param {Record<string, any>} contact
 */
function paired({ centre, before, after, ...rest }) {
  const pair = (/** @type {number[]} */ [x1, y1, x2, y2]) => [[x1, y1], [x2, y2]];
  return { ...rest, centre: pair(centre), before: pair(before), after: pair(after) };
}

/**
 * Fills the entries of players of a step.
 * @param {import("./engine.js").Structure} step
 * @param {import("./games.js").Game} game
 * @param {readonly (string | null)[]} players
 * @param {Map<number, { kind: number, at: number }>} own
 */
export function setPlayers(step, game, players, own) {
  const { engine } = step;
  players.forEach((who, k) => {
    const entry = engine.within(step, "players", "carom_step.players", k);
    const apart = own.get(k);
    if (who === null) {
      entry.assign({ source: SOURCES.given, actions: apart?.at ?? 0, action_kind: apart?.kind ?? 0 });
    } else if (who === "zero") {
      entry.set("source", SOURCES.zero);
    } else {
      entry.assign({ source: SOURCES.policy, policy: game.policyIndex(who) });
    }
  });
}

/** A call of carom_worlds_play() or a similar function: copies inputs in, allocates outputs, copies results out. */
export class Call {
  /**
   * @param {import("./engine.js").Frame} frame
   * @param {import("./worlds.js").Worlds} worlds
   * @param {number} ticks
   * @param {import("./carom.js").Playing} given
   */
  constructor(frame, worlds, ticks, given) {
    this.frame = frame;
    this.worlds = worlds;
    this.ticks = whole("ticks", ticks, 1);
    this.given = given;
    this.first = given.first ?? 0;
    this.n = worlds.range(this.first, given.count);
    this.players = given.players ? worlds.seats(given.players) : worlds.players;
    /** @type {{ name: string, at: number, Type: any, shape: number[] }[]} */
    this.outputs = [];
    this.step = frame.structure("carom_step");
    this.fill();
  }

  fill() {
    const { given, step, worlds } = this;
    const kind = given.action_kind === undefined ? worlds.kind : worlds.game.kindIndex(given.action_kind);
    const repeat = given.repeat ?? worlds.repeat;
    step.assign({
      ticks: this.ticks, action_kind: kind, dt: given.dt ?? 0, first: this.first, count: this.n,
      repeat: whole("repeat", repeat, 1),
      at_end: given.at_end === undefined ? AT_END.length : known("at_end", given.at_end, AT_END),
      observation_kind: worlds.seen, reward_kind: worlds.rewarded, observed: worlds.observed,
    });
    const rows = this.rows();
    const own = this.own(rows);
    this.actions(rows, kind, own);
    setPlayers(step, worlds.game, this.players, own);
    if (given.skip != null) {
      step.set("skip", this.frame.copy(numbers("skip", given.skip, Uint8Array, this.n)));
    }
    this.wanted();
  }

  /** How many rows of actions a tick has. */
  rows() {
    const { rows } = this.given;
    if (rows == null) {
      return this.n;
    }
    const listed = numbers("rows", rows, Uint32Array, this.n);
    const count = listed.reduce((most, row) => Math.max(most, row + 1), 0);
    this.step.assign({ rows: this.frame.copy(listed), action_rows: count });
    return count;
  }

  /**
   * Actions of players with a different kind of action.
   * @param {number} rows
   */
  own(rows) {
    const { game } = this.worlds;
    /** @type {Map<number, { kind: number, at: number }>} */
    const found = new Map();
    for (const [player, [name, actions]] of Object.entries(this.given.own ?? {})) {
      if (this.players[Number(player)] !== null) {
        refuse(`own: player ${player} is not one whose actions are given`);
      }
      const kind = game.kindIndex(name);
      const at = this.actionArray(`own[${player}]`, actions, kind, rows, 1);
      found.set(Number(player), { kind, at });
    }
    return found;
  }

  /**
   * @param {number} rows
   * @param {number} kind
   * @param {Map<number, unknown>} own
   */
  actions(rows, kind, own) {
    const given = this.players.filter((who, k) => who === null && !own.has(k)).length;
    if (this.given.actions != null) {
      this.step.set("actions", this.actionArray("actions", this.given.actions, kind, rows, given));
    }
  }

  /**
   * @param {string} what
   * @param {any} actions
   * @param {number} kind
   * @param {number} rows
   * @param {number} players
   */
  actionArray(what, actions, kind, rows, players) {
    const { precision, size } = this.worlds.game.action_kinds[kind];
    const Type = precision === "f64" ? Float64Array : Float32Array;
    return this.frame.copy(numbers(what, actions, Type, this.ticks * rows * players * size));
  }

  /** Allocates the requested outputs. */
  wanted() {
    const { given, worlds } = this;
    const seen = worlds.game.seenShape(worlds.seen, worlds.observed);
    const agents = worlds.game.players * worlds.game.reward_kinds[worlds.rewarded].agents;
    const rows = this.places();
    this.output("observations", Float32Array, seen, rows);
    this.output("last_observations", Float32Array, seen, rows);
    this.output("rewards", Float32Array, [agents]);
    this.output("ends", Uint8Array, []);
    if (given.moved) {
      this.room("moved", Float64Array, [worlds.game.bodies, 4]);
    }
    if (given.results) {
      this.room("results", Uint8Array, [worlds.core.layout("carom_result").bytes]);
    }
    const events = whole("events", given.events ?? 0);
    if (events > 0) {
      this.room("event_counts", Uint32Array, []);
      this.room("events", Uint8Array, [events, worlds.core.layout("carom_event").bytes]);
      this.step.set("event_capacity", events);
      if (given.contacts) {
        this.room("contacts", Uint8Array, [events, worlds.core.layout("carom_contact").bytes]);
      }
    }
  }

  /** The row of each world's observations; returns the number of rows. */
  places() {
    const { places } = this.given;
    if (places == null) {
      return this.n;
    }
    const listed = numbers("places", places, Uint32Array, this.n);
    if (new Set(listed).size !== this.n) {
      refuse("places: two worlds are in the same row");
    }
    const rows = listed.reduce((/** @type {number} */ most, /** @type {number} */ row) => Math.max(most, row + 1), 0);
    this.step.assign({ places: this.frame.copy(listed), observation_rows: rows });
    return rows;
  }

  /**
   * @param {"observations" | "last_observations" | "rewards" | "ends"} name
   * @param {any} Type
   * @param {number[]} shape
   * @param {number} [rows]
   */
  output(name, Type, shape, rows) {
    if (this.given[name]) {
      this.room(name, Type, shape, rows);
    }
  }

  /**
   * @param {string} name
   * @param {any} Type
   * @param {number[]} shape
   * @param {number} [rows] of a step; one for each world
   */
  room(name, Type, shape, rows = this.n) {
    const whole = [this.ticks, rows, ...shape];
    const bytes = whole.reduce((a, b) => a * b, Type.BYTES_PER_ELEMENT);
    const at = this.frame.bytes(bytes);
    this.worlds.core.bytes(at, bytes).fill(0);
    this.outputs.push({ name, at, Type, shape: whole });
    this.step.set(name, at);
  }

  /** Copies of the call's results. */
  played() {
    const { core: engine } = this.worlds;
    /** @type {Record<string, any>} */
    const found = {};
    for (const { name, at, Type, shape } of this.outputs) {
      if (name === "contacts") {
        continue; // go with the events
      }
      if (name === "events") {
        found.events = this.impacts(at, found.event_counts);
      } else if (name === "results") {
        found.results = shaped(engine.objects("carom_result", at, shape[0] * shape[1]), shape.slice(0, 2));
      } else {
        found[name] = engine.copied(Type, at, shape);
      }
    }
    return new Played(found);
  }

  /**
   * @param {number} at
   * @param {Uint32Array} counts
   */
  impacts(at, counts) {
    const { core: engine } = this.worlds;
    const capacity = this.given.events ?? 0;
    const contacts = this.outputs.find(({ name }) => name === "contacts")?.at ?? 0;
    const [size, wide] = [engine.layout("carom_event").bytes, engine.layout("carom_contact").bytes];
    /** @type {any[]} */
    const found = [];
    counts.forEach((all, row) => {
      const [tick, world, count] = [Math.floor(row / this.n), row % this.n, Math.min(all, capacity)];
      const details = contacts ? engine.objects("carom_contact", contacts + row * capacity * wide, count) : [];
      engine.objects("carom_event", at + row * capacity * size, count).forEach((event, k) => {
        found.push({ tick, world, ...event, ...(contacts ? { contact: paired(details[k]) } : {}) });
      });
    });
    return found;
  }
}
