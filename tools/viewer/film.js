// SPDX-License-Identifier: MIT
// A film: the data of worlds, frame by frame, from `carom view` (tools/viewer/film_text.c writes it), or in the same
// form from a program that plays worlds itself.

/**
 * The data of a film: the head once, then frames, any number of times. Lists marked (*) are typed arrays, or their
 * little-endian bytes, in an ArrayBuffer or as base64. Optional members are marked (?); (?draw): optional for programs
 * that only draw (draw.js).
 *
 * @typedef {object} Told
 *
 * Of the head:
 * @property {string} title of the game
 * @property {string} game
 * @property {string} source a game, or the name of a file
 * @property {string} version of the library
 * @property {boolean} live more frames may come
 * @property {boolean} human a person plays
 * @property {number} worlds
 * @property {number} bodies of a world
 * @property {number} players
 * @property {number} first ticks played before frame 0
 * @property {number[]} view [x0, y0, x1, y1], the part of the plane to show
 * @property {boolean} down y grows downwards on the screen
 * @property {number} dt (?) length of a tick in the unit of time of velocities; 1
 * @property {number[]} wrap (?) width and height of a box with periodic sides, in the middle of the view; 0: no such
 *     sides
 * @property {number} bits 64 or 32: of the numbers in places and impacts
 * @property {number} stride numbers of a body in places: 4, 6 or 8
 * @property {string[]} styles names, in the order of carom_look_style
 * @property {Theme} light
 * @property {Theme} dark colours: {ground, text, faint, impact, ghost: [5], style: [one for each style]}
 * @property {Array} numbers [name, player or -1] of each additional number to show
 * @property {Array} names (?) the players: [world or -1 for all, player, name]
 * @property {Array} notes (?) notes: [tick, world, player, kind: 1 message, 2 standard error, 3 the referee, text]
 * @property {Array} about of each body [name, number, id, style, facing 0 or 1, radius, mass or -1 if it does not move]
 *
 * Of frames:
 * @property {number} from the number of the first of these frames: as many as there are already
 * @property {number} count
 * @property {boolean} whole no more will come
 * @property {boolean} full because there is no room for more
 * @property {Float64Array} places (*) [frame][world][body][stride]: x (NaN: absent), y, vx, vy; facing,
 *     radius; acceleration in units of distance a tick squared
 * @property {Float64Array} states (*)(?draw) [frame][world][6 + players]: tick, episode, end, fault, frozen, score of
 *     each player, energy
 * @property {BigUint64Array} keys (*)(?draw) [frame][world][2]: hash, id
 * @property {Float64Array} values (*)(?draw) [frame][world][number]
 * @property {Float64Array} impacts (*)(?) rows of IMPACT numbers, in the order of the frames: frame (from the film's
 *     first), world, first, second, part, kind (carom_event), indices of both in `about` (-1: not a body), time of
 *     the first (0 to 1, in the tick that led to the frame), point x, y, normal x, y (from the second to the
 *     first), impulse, time of the second; then x, y for each of both: centres, velocities before, velocities after.
 *     NaN: unknown
 * @property {Array} sceneries (?) {frame, world, shapes: [kind, style, x, y, x2, y2, radius, text]}, from that frame on
 * @property {Array} ghosts (?) futures from a frame on, in the order of drawing: {frame, world, count, horizon, returns
 *     (*) [count], legs (*) [count][body]: Uint32, the number of legs of that body's path, ways (*): Float32, all
 *     legs: each start and end in ticks since the frame, x, y at its start, x, y at its end, and
 *     acceleration if stride is 8}; for a search also player, generation (from 0; -1: its plan; -2: drawn, no search),
 *     generations (of the search) and sequences (of the generation)
 */

// A list of the data as a typed array, converted from bytes if needed; null if left out.
function listOf(kind, told) {
  if (told instanceof ArrayBuffer) {
    return new kind(told);
  }
  if (typeof told !== "string") {
    return told ?? null;
  }
  const text = atob(told);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) {
    bytes[k] = text.charCodeAt(k);
  }
  return new kind(bytes.buffer);
}

export const IMPACT = 27; // numbers of an impact

export class Film {
  /** @param {Told} told the head and the first frames */
  constructor(told) {
    Object.assign(this, {
      title: told.title, game: told.game, source: told.source, version: told.version, live: told.live,
      human: told.human, worlds: told.worlds, bodies: told.bodies, players: told.players, first: told.first,
      view: told.view, down: told.down, dt: told.dt ?? 1, wrap: told.wrap ?? [0, 0], stride: told.stride,
      bits: told.bits, styles: told.styles, themes: {light: told.light, dark: told.dark}, numbers: told.numbers,
    });
    this.names = told.names ?? [];
    this.notes = told.notes ?? [];
    this.stateSize = 6 + told.players;
    this.about = told.about.map(([name, number, id, style, facing, radius, mass]) =>
      ({name, number, id, style, facing: facing !== 0, radius, mass}));
    this.frames = [];
    this.sceneries = Array.from({length: this.worlds}, () => []);
    this.tied = []; // cache of motion.js: knots by frame
    this.add(told);
  }

  /**
   * Adds frames; false if they are not the next ones.
   * @param {Told} told
   */
  add(told) {
    if (told.from !== this.frames.length) {
      return false;
    }
    const real = this.bits === 64 ? Float64Array : Float32Array;
    const lists = {
      places: [listOf(real, told.places), this.worlds * this.bodies * this.stride],
      states: [listOf(Float64Array, told.states), this.worlds * this.stateSize],
      keys: [listOf(BigUint64Array, told.keys), this.worlds * 2],
      values: [listOf(Float64Array, told.values), this.worlds * this.numbers.length],
    };
    const impacts = listOf(real, told.impacts) ?? new real(0);
    let at = 0;
    for (let k = 0; k < told.count; k++) {
      const frame = {ghosts: []};
      for (const [name, [list, size]] of Object.entries(lists)) {
        frame[name] = list === null ? null : list.subarray(k * size, (k + 1) * size);
      }
      const begin = at;
      while (at < impacts.length && impacts[at] === this.frames.length) {
        at += IMPACT;
      }
      frame.impacts = impacts.subarray(begin, at);
      this.frames.push(frame);
    }
    for (const scenery of told.sceneries ?? []) {
      this.sceneries[scenery.world].push(scenery);
    }
    const anew = new Set(); // those of a frame come together, and again if it is played on from there another time
    for (const ghosts of told.ghosts ?? []) {
      const of = this.frames[ghosts.frame].ghosts;
      if (!anew.has(`${ghosts.frame} ${ghosts.world}`)) {
        anew.add(`${ghosts.frame} ${ghosts.world}`);
        of[ghosts.world] = [];
      }
      of[ghosts.world].push({
        player: ghosts.player ?? 0, generation: ghosts.generation ?? -2, generations: ghosts.generations ?? 0,
        sequences: ghosts.sequences ?? 0, count: ghosts.count, horizon: ghosts.horizon,
        returns: listOf(Float64Array, ghosts.returns), legs: listOf(Uint32Array, ghosts.legs),
        ways: listOf(Float32Array, ghosts.ways),
      });
    }
    this.whole = told.whole;
    this.full = told.full;
    return true;
  }

  // Removes the frames from one on, to be replaced by others.
  cut(frame) {
    this.frames.length = Math.min(frame, this.frames.length);
    this.sceneries = this.sceneries.map((list) => list.filter((scenery) => scenery.frame < frame));
    this.whole = this.full = false;
  }

  // The name of a player in a world; undefined if unknown.
  name(world, player) {
    return this.names.findLast((name) => (name[0] < 0 || name[0] === world) && name[1] === player)?.[2];
  }

  // Notes of the tick that led to a frame, or after the last one: [player, kind, text].
  said(frame, world) {
    const tick = this.first + frame - 1;
    const end = this.first + this.frames.length - 1;
    return this.notes.filter((note) => note[1] === world && (note[0] === tick || (note[0] >= end && tick + 1 === end)))
      .map((note) => note.slice(2));
  }

  // The index of a body's numbers in a frame's places.
  at(world, body) {
    return (world * this.bodies + body) * this.stride;
  }

  body(frame, world, body) {
    const from = this.frames[frame].places;
    const at = this.at(world, body);
    return {
      x: from[at], y: from[at + 1], vx: from[at + 2], vy: from[at + 3], there: !Number.isNaN(from[at]),
      facing: this.stride > 4 ? from[at + 4] : 0, radius: this.stride > 4 ? from[at + 5] : this.about[body].radius,
    };
  }

  state(frame, world) {
    const of = this.frames[frame];
    const [tick, episode, end, fault, frozen, ...rest] =
      of.states.subarray(world * this.stateSize, (world + 1) * this.stateSize);
    return {
      tick, episode, end, fault, frozen, score: rest.slice(0, this.players), energy: rest[this.players],
      hash: of.keys[world * 2].toString(16).padStart(16, "0"), id: of.keys[world * 2 + 1].toString(),
    };
  }

  values(frame, world) {
    const count = this.numbers.length;
    return this.frames[frame].values.subarray(world * count, (world + 1) * count);
  }

  scenery(frame, world) {
    let found = null;
    for (const scenery of this.sceneries[world]) {
      found = scenery.frame <= frame ? scenery : found;
    }
    return found;
  }

  // An impact from a row of a frame.
  impact(rows, at) {
    const [, world, first, second, part, kind, body, other, time, x, y, nx, ny, impulse, time2, ...both] =
      rows.subarray(at, at + IMPACT);
    const pair = (from) => [[both[from], both[from + 1]], [both[from + 2], both[from + 3]]];
    return {world, first, second, part, kind, body, other, time, time2, x, y, nx, ny, impulse, centre: pair(0),
            before: pair(4), after: pair(8)};
  }

  // The first `most` impacts of a world in the tick that led to a frame.
  impacts(frame, world, most) {
    const rows = this.frames[frame].impacts;
    const found = [];
    for (let at = 0; at < rows.length && found.length < most; at += IMPACT) {
      if (rows[at + 1] === world) {
        found.push(this.impact(rows, at));
      }
    }
    return found;
  }

  bodyName(body, id) {
    return body >= 0 ? `${this.about[body].name} ${this.about[body].number}` : `#${id}`;
  }
}
