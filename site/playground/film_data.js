// SPDX-License-Identifier: MIT
// The viewer's data about worlds (tools/viewer/film.js), as the command writes it (tools/viewer/film_text.c), but in
// typed arrays instead of base64.
import {DARK, LIGHT, STYLES} from "./themes.js";

const WIDE_LIMIT = 4096; // bodies of all worlds of which everything is reported, in double; of more the places, in float
const KINDS = ["line", "circle", "text"];

/** What is reported of a body, in this order; of many bodies the first four alone. */
export const NUMBERS = ["x", "y", "vx", "vy", "facing", "radius", "ax", "ay"];

/** The head of a film, from what the first world of its first branch looks like. */
export function headOf(look, {title, name, source, worlds, players, first, version}) {
  const {view} = look;
  const wide = worlds * look.bodies.length <= WIDE_LIMIT;
  return {
    title, game: name, source, version, live: true, human: false, worlds, bodies: look.bodies.length, players, first,
    view: [view.x0, view.y0, view.x1, view.y1], down: view.y_down, dt: view.dt ?? 1,
    wrap: [view.wrap_x ?? 0, view.wrap_y ?? 0],
    stride: wide ? 8 : 4, bits: wide ? 64 : 32, styles: STYLES, light: LIGHT, dark: DARK,
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

/** Frames that have not been reported yet, in the order in which they were made. */
export class Untold {
  /** @param {object} head of the film */
  constructor(head) {
    this.head = head;
    this.ids = new Map(head.about.map(([, , id], body) => [id, body]));
    this.begin(0);
  }

  begin(from) {
    this.from = from;
    this.frames = [];
    this.impacts = [];
    this.sceneries = [];
    this.scenes = [];
    this.results = [];
    this.ghosts = [];
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

  /** Bodies of a world: NUMBERS of each, as many as the stride; NaN where it is not in play. */
  bodies(frame, world, rows) {
    const {bodies, stride, dt} = this.head;
    const begin = world * bodies * stride;
    frame.places.set(rows, begin);
    for (let at = begin; stride === 8 && at < begin + bodies * stride; at += stride) {
      frame.places[at + 6] *= dt * dt; // a tick is the unit of time
      frame.places[at + 7] *= dt * dt;
    }
  }

  /** Impacts of a world in the tick that led to the last frame. */
  hits(world, events) {
    const frame = this.from + this.frames.length - 1;
    for (const {first, second, part, kind, contact: c} of events) {
      const body = this.ids.get(first) ?? -1;
      const other = kind !== 0 ? -1 : this.ids.get(second) ?? -1;
      this.impacts.push(frame, world, first, second, part, kind, body, other, c.time[0], c.x, c.y, -c.nx, -c.ny,
                        c.impulse, c.time[1], ...c.centre.flat(), ...c.before.flat(), ...c.after.flat());
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
      return whole;
    };
    const told = {
      from: this.from, count: frames.length, whole: full, full, ghosts: this.ghosts, sceneries: this.sceneries,
      scenes: this.scenes, results: this.results,
      impacts: (this.head.bits === 64 ? Float64Array : Float32Array).from(this.impacts),
      places: joined("places"), states: joined("states"), keys: joined("keys"), values: joined("values"),
    };
    this.begin(this.from + frames.length);
    return told;
  }
}
