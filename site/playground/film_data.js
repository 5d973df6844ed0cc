// SPDX-License-Identifier: MIT
// What the viewer is told of worlds (tools/viewer/film.js), as the command tells it (tools/viewer/film_text.c), but with
// bytes instead of base64.
import {DARK, LIGHT, STYLES} from "./themes.js";

const WIDE_LIMIT = 4096; // bodies of all worlds of which everything is told, in double; of more the places, in float
const IMPACT = 14; // numbers of an impact
const KINDS = ["line", "circle", "text"];

/** The head of a film, from what the first world of its first branch looks like. */
export function headOf(look, {title, name, source, worlds, players, first, version}) {
  const {view} = look;
  const wide = worlds * look.bodies.length <= WIDE_LIMIT;
  return {
    title, game: name, source, version, live: true, human: false, worlds, bodies: look.bodies.length, players, first,
    view: [view.x0, view.y0, view.x1, view.y1], down: view.y_down, timed: view.timed, placed: view.placed,
    stride: wide ? 6 : 4, bits: wide ? 64 : 32, styles: STYLES, light: LIGHT, dark: DARK,
    numbers: look.numbers.map(({name: what, player}) => [what, player]),
    about: look.bodies.map((b) => [b.name, b.number, b.id, STYLES.indexOf(b.style), b.has_facing ? 1 : 0, b.radius,
                                   Number.isFinite(b.mass) ? b.mass : -1]),
  };
}

/** What stands still in a world, as film.js takes it. */
export function sceneryOf(look, frame, world) {
  return {frame, world, shapes: look.shapes.map((s) =>
    [KINDS.indexOf(s.kind), STYLES.indexOf(s.style), s.x, s.y, s.x2, s.y2, s.radius, s.text])};
}

/** Frames that have not been told yet, in the order in which they were made. */
export class Untold {
  /** @param {object} head of the film */
  constructor(head) {
    this.head = head;
    this.ids = new Map(head.about.map(([, , id], body) => [id, body]));
    this.isScene = head.game === "scene";
    this.begin(0);
  }

  begin(from) {
    this.from = from;
    this.frames = [];
    this.impacts = [];
    this.sceneries = [];
    this.scenes = [];
    this.results = [];
  }

  /** An empty frame, to be filled world by world. */
  frame() {
    const {worlds, bodies, stride, bits, players, numbers} = this.head;
    const frame = {
      places: new (bits === 64 ? Float64Array : Float32Array)(worlds * bodies * stride),
      states: new Float64Array(worlds * (6 + players)),
      keys: new BigUint64Array(worlds * 2),
      values: new Float64Array(worlds * numbers.length),
    };
    this.frames.push(frame);
    return frame;
  }

  /** Bodies of a world: [x, y, vx, vy, facing, radius] of each, NaN at x where it is not in play. */
  bodies(frame, world, rows) {
    const {bodies, stride} = this.head;
    let at = world * bodies * stride;
    for (let body = 0; body < bodies; body++) {
      for (let k = 0; k < stride; k++) {
        frame.places[at++] = rows[6 * body + k];
      }
    }
  }

  /** Impacts of a world in the tick that led to the last frame; bodies are those at its end. */
  hits(world, events, rows) {
    const frame = this.from + this.frames.length - 1;
    for (const e of events) {
      const body = this.ids.get(e.first) ?? -1;
      const other = e.kind !== 0 ? -1 : this.ids.get(e.second) ?? -1;
      const c = e.contact ?? null;
      const time = c !== null ? c.time[0] : this.head.timed ? 1 - e.left : NaN;
      const there = body >= 0 ? [rows[6 * body], rows[6 * body + 1]] : [NaN, NaN];
      const place = c !== null ? [c.x, c.y] : this.head.placed ? [e.x, e.y] : there;
      const normal = c !== null ? [-c.nx, -c.ny, c.impulse] : this.isScene ? [e.nx, e.ny, e.impulse] : [NaN, NaN, NaN];
      this.impacts.push(frame, world, e.first, e.second, e.part, e.kind, body, other, time, ...place, ...normal);
    }
  }

  /** All of it, as film.js takes it; from then on there are none. */
  tell(full) {
    const {frames} = this;
    const joined = (name) => {
      const size = frames.reduce((n, f) => n + f[name].length, 0);
      const Type = frames[0]?.[name].constructor ?? Float64Array;
      const whole = new Type(size);
      let at = 0;
      for (const frame of frames) {
        whole.set(frame[name], at);
        at += frame[name].length;
      }
      return whole.buffer;
    };
    const told = {
      from: this.from, count: frames.length, whole: full, full, ghosts: [], sceneries: this.sceneries,
      scenes: this.scenes, results: this.results, impacts: Float64Array.from(this.impacts).buffer,
      places: joined("places"), states: joined("states"), keys: joined("keys"), values: joined("values"),
    };
    this.begin(this.from + frames.length);
    return told;
  }
}

/** The buffers of what is told, which go to the page without being copied. */
export function buffersOf(told) {
  return ["places", "states", "keys", "values", "impacts"].map((name) => told?.[name])
    .filter((value) => value instanceof ArrayBuffer);
}
