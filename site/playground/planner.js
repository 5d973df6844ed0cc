// SPDX-License-Identifier: MIT
// A planner that plays a side, and what it looks at: of each generation of its search the best sequence and the first
// ones, and its plan, as ghosts for the viewer (tools/viewer/ghosts.js). A search gives the numbers of its sequences and
// what they are worth; where the bodies go in them is found here, by playing them once more, as `carom view` does
// (tools/film/ghosts.c).

import {STYLES} from "./themes.js";

const KEPT = 8; // sequences of a generation that are shown
const SHOWN = 12; // generations of a search, at most: a page keeps all of them

export const LEG = 8; // numbers of a leg
const IMPACTS = 64; // of a future in a tick; beyond them its ways lead straight on

/** Places through which bodies go in a tick, since there are impacts: for each world, by body, [time, x, y]. */
function knotsOf(told, worlds, ids) {
  const knots = Array.from({length: worlds}, () => new Map());
  told.impacts().forEach(({world, first, second, kind, contact}) => {
    [first, kind === 0 ? second : -1].forEach((id, side) => {
      const body = ids.get(id);
      const knot = [contact.time[side], ...contact.centre[side]];
      if (body !== undefined && knot.every(Number.isFinite)) {
        knots[world].set(body, [...knots[world].get(body) ?? [], knot]);
      }
    });
  });
  return knots;
}

/** Adds the straight legs of a tick to a body's way: begin, end, x, y at both, and no acceleration. */
function addLegs(way, tick, [x0, y0], knots, [x1, y1]) {
  let last = [0, x0, y0];
  for (const knot of [...knots, [1, x1, y1]]) {
    way.push(tick + last[0], tick + knot[0], last[1], last[2], knot[1], knot[2], 0, 0);
    last = knot;
  }
}

/** @typedef {{numbers: Float32Array, returns: Float64Array, sequences: number, generation: number}} Seen sequences of a
 *  world, one row of numbers after the other; sequences: of the generation, -1 and generation -1: the plan */

/** The best of a list's indices, then the first ones. */
export function bestAndFirst(returns, most) {
  const all = Array.from(returns, (_, k) => k);
  const best = all.reduce((found, k) => (returns[k] > returns[found] ? k : found), 0);
  return [best, ...all.filter((k) => k !== best)].slice(0, most);
}

/** Places of a list of `count` that are reported: all, or `most` of them, the first and the last among them. */
export function spread(count, most) {
  const shown = Math.min(count, most);
  return Array.from({length: shown}, (_, k) => (shown > 1 ? Math.floor(k * (count - 1) / (shown - 1)) : 0));
}

export class Planner {
  /**
   * @param {any} carom the loaded library
   * @param {any} roots worlds that it plays in
   * @param {Record<string, any>} made with what they were made: seed, and options of the game
   * @param {{player: number, horizon: number, opponent: string}} asked of a search, as carom.js has it
   */
  constructor(carom, roots, made, asked) {
    const {player, horizon, opponent} = asked;
    Object.assign(this, {carom, made, player, horizon, opponent});
    this.search = new carom.Search(roots, asked);
    this.futures = null;
  }

  free() {
    this.search.free();
    this.futures?.free();
    this.futures = null;
  }

  /** What it does in every world. */
  act(roots) {
    return this.search.run(roots);
  }

  /**
   * The same, and what it looks at in one of the worlds.
   * @param {any} roots
   * @param {number} world of them
   * @returns {{acts: Float32Array, ghosts: object[]}} ghosts as film.js takes them, without frame and world
   */
  actSeen(roots, world) {
    /** @type {Seen[]} */
    const seen = [];
    this.search.watch((drawn) => {
      if (drawn.player === this.player) { // the others' plans may be searched for, too
        seen.push(this.noted(drawn, world));
      }
    });
    const acts = this.search.run(roots);
    this.search.watch(null);
    if (seen.length === 0) {
      return {acts, ghosts: []};
    }

    const each = this.search.rows * this.search.size;
    const plan = {numbers: this.search.plan().slice(world * each, (world + 1) * each),
                  returns: this.search.returns().slice(world, world + 1), sequences: 0, generation: -1};
    const sets = [...spread(seen.length, SHOWN).map((k) => seen[k]), plan];
    const ways = this.played(roots, world, sets);
    const ghosts = sets.map(({returns, sequences, generation}, k) =>
      ({player: this.player, generation, generations: seen.length, sequences, count: returns.length,
        horizon: this.horizon, returns, ...ways[k]}));
    return {acts, ghosts};
  }

  /** The sequences of a generation that are shown. */
  noted(drawn, world) {
    const each = this.search.rows * this.search.size;
    const {numbers, returns} = drawn.sequences(world);
    const chosen = bestAndFirst(returns, KEPT);
    const kept = new Float32Array(chosen.length * each);
    chosen.forEach((k, n) => kept.set(numbers.subarray(k * each, (k + 1) * each), n * each));
    return {numbers: kept, returns: Float64Array.from(chosen, (k) => returns[k]), sequences: drawn.count,
            generation: drawn.generation};
  }

  /** Where bodies go in sets of sequences: for each set {legs, ways}, as film.js has them. */
  played(roots, world, sets) {
    const {size, rows} = this.search;
    const numbers = sets.flatMap((set) => Array.from({length: set.returns.length}, (_, k) =>
      set.numbers.subarray(k * rows * size, (k + 1) * rows * size)));
    const count = numbers.length;
    const futures = this.room(roots, count);
    const all = Array.from({length: futures.length}, (_, k) => k);
    futures.copy_from(roots, {to: all, worlds: all.map(() => world)});

    const about = futures.look(0, ["bodies"]).bodies;
    const style = STYLES[STYLES.indexOf("first") + this.player];
    const owned = about.some((body) => body.style === style); // then the others' bodies are not shown
    const shown = about.map((body) => Number.isFinite(body.mass) && (!owned || body.style === style));
    const ids = new Map(about.map(({id}, body) => [id, body]));
    const places = () => numbers.map((_, k) => futures.look_numbers(k, ["x", "y"]));
    const legs = numbers.map(() => about.map(() => []));
    const players = Array.from({length: futures.game.players}, (_, p) => (p === this.player ? null : this.opponent));
    const acts = new Float32Array(futures.length * size);
    let before = places();
    for (let tick = 0; tick < this.horizon; tick++) {
      numbers.forEach((row, k) => acts.set(row.subarray(tick * size, (tick + 1) * size), k * size));
      const own = {[this.player]: ["normalised", acts]};
      const told = futures.play(1, {players, own, events: IMPACTS, contacts: true});
      const knots = knotsOf(told, futures.length, ids);
      const after = places();
      legs.forEach((ways, k) => ways.forEach((way, body) => {
        if (shown[body] && !Number.isNaN(before[k][2 * body]) && !Number.isNaN(after[k][2 * body])) {
          addLegs(way, tick, before[k].subarray(2 * body, 2 * body + 2), knots[k].get(body) ?? [],
                  after[k].subarray(2 * body, 2 * body + 2));
        }
      }));
      before = after;
    }
    let at = 0;
    return sets.map(({returns}) => {
      const all = legs.slice(at, at += returns.length).flat();
      return {legs: Uint32Array.from(all, (way) => way.length / LEG), ways: Float32Array.from(all.flat())};
    });
  }

  /** Worlds to play at least `count` futures in; a game that ends stands still in them, as in rollouts. */
  room(roots, count) {
    if (this.futures === null || this.futures.length < count) {
      this.futures?.free();
      this.futures = new this.carom.Worlds(roots.scene ?? roots.game, count, {...this.made, at_end: "freeze"});
    }
    return this.futures;
  }
}
