// SPDX-License-Identifier: MIT
// Positions of a film's bodies within a tick: on their paths through the impacts that the game reports, along lines or,
// if accelerated, parabolas. tools/film/motion.c is the same for `carom render`. Times count frames: 12.25 is a quarter
// of a tick after frame 12.
import {IMPACT} from "./film.js";

const SAME_TIME = 1e-9; // ticks
const KEPT = 64; // frames with cached knots
const KNOT = 7; // numbers: time, x, y, velocity before, velocity after

// ---- knots: the points of paths at impacts ----

const near = (x, to, period) => (period > 0 ? x - period * Math.round((x - to) / period) : x);

// The image nearest to where the velocity leads, since a body may cross more than half of the box.
const ahead = (x, from, velocity, time, period) => {
  const way = velocity * time;
  return near(x, Number.isFinite(way) ? from + way : from, period);
};

// Did the world continue to the next frame? Not if a new game has begun, or a fault has reset it.
function worldGoesOn(film, tick, world) {
  const a = film.frames[tick].states;
  const b = film.frames[tick + 1].states;
  const at = world * film.stateSize;
  return a === null || (a[at + 1] === b[at + 1] && b[at + 3] === 0);
}

// The body of one side of the impact at `at` in rows, or -1 if it has none or its path there is unknown.
function tied(rows, at, side) {
  const told = rows[at + (side === 0 ? 8 : 14)] >= 0 && Number.isFinite(rows[at + 15 + 2 * side]) &&
    Number.isFinite(rows[at + 16 + 2 * side]);
  return told ? rows[at + 6 + side] : -1;
}

function unfold(film, tick, knots, at, from, to) {
  const places = film.frames[tick].places;
  let x = places[at * film.stride];
  let y = places[at * film.stride + 1];
  let time = 0;
  for (let k = from * KNOT; k < to * KNOT; k += KNOT) {
    const length = (knots[k] - time) * film.dt;
    x = knots[k + 1] = ahead(knots[k + 1], x, knots[k + 3], length, film.wrap[0]);
    y = knots[k + 2] = ahead(knots[k + 2], y, knots[k + 4], length, film.wrap[1]);
    time = knots[k];
  }
}

// The knots of the tick after a frame: {first: [world][body] and the end of the last, knots}; null if there are none.
function tie(film, tick) {
  const rows = film.frames[tick + 1].impacts;
  const bodies = film.worlds * film.bodies;
  const first = new Uint32Array(bodies + 1);
  let count = 0;
  const each = (does) => {
    for (let at = 0; at < rows.length; at += IMPACT) {
      for (let side = 0; side < 2 && worldGoesOn(film, tick, rows[at + 1]); side++) {
        const body = tied(rows, at, side);
        if (body >= 0) {
          does(rows[at + 1] * film.bodies + body, at, side);
        }
      }
    }
  };
  each((body) => {
    first[body + 1]++;
    count++;
  });
  if (count === 0) {
    return null;
  }
  for (let k = 0; k < bodies; k++) {
    first[k + 1] += first[k];
  }

  const knots = new Float64Array(count * KNOT);
  const next = first.slice();
  each((body, at, side) => {
    const to = next[body]++ * KNOT;
    knots[to] = rows[at + (side === 0 ? 8 : 14)];
    for (let n = 0; n < 2; n++) {
      knots[to + 1 + n] = rows[at + 15 + 2 * side + n];
      knots[to + 3 + n] = rows[at + 19 + 2 * side + n];
      knots[to + 5 + n] = rows[at + 23 + 2 * side + n];
    }
  });
  for (let k = 0; k < bodies; k++) {
    unfold(film, tick, knots, k, first[k], first[k + 1]);
  }
  return {first, knots};
}

function knotsOf(film, tick) {
  const frame = film.frames[tick + 1];
  if (frame.ways === undefined) {
    frame.ways = frame.impacts.length > 0 ? tie(film, tick) : null;
    if (frame.ways !== null) {
      film.tied.push(frame);
    }
    if (film.tied.length > KEPT) {
      film.tied.shift().ways = undefined;
    }
  }
  return frame.ways;
}

// ---- paths ----

// Did a body move continuously from a frame to the next, rather than being moved elsewhere (by a new game, a goal)?
export function goesOn(film, tick, world, body) {
  const at = film.at(world, body);
  const a = film.frames[tick].places;
  const b = film.frames[tick + 1].places;
  const far = 0.4 * Math.min(film.view[2] - film.view[0], film.view[3] - film.view[1]);
  const dx = near(b[at], a[at], film.wrap[0]) - a[at];
  const dy = near(b[at + 1], a[at + 1], film.wrap[1]) - a[at + 1];
  const fast = 2 * film.dt * Math.sqrt(Math.max(a[at + 2] ** 2 + a[at + 3] ** 2, b[at + 2] ** 2 + b[at + 3] ** 2));
  return dx * dx + dy * dy < Math.max(far, fast) ** 2 && // false for absent bodies
    (film.frames[tick].states === null ||
     film.frames[tick].states[world * film.stateSize + 1] === film.frames[tick + 1].states[world * film.stateSize + 1]);
}

// The number of legs of a body's path from a frame to the next: between impacts, the first from the start of the tick,
// the last to its end.
export function legCount(film, tick, world, body) {
  const ways = knotsOf(film, tick);
  const at = world * film.bodies + body;
  return ways === null ? 1 : ways.first[at + 1] - ways.first[at] + 1;
}

const apart = (vx, vy, ux, uy) => {
  const distance = Math.hypot(ux - vx, uy - vy);
  return Number.isNaN(distance) ? Infinity : distance;
};

// Is a leg a parabola? Not for bodies that lean on something and do not move. Rules of the game may have changed the
// velocity at the start or the end of the tick, so only the velocity at the better-fitting end decides. `a` and `b`:
// the velocities at the start and the end of the leg.
function isCurved(leg, dt, ax, ay, bx, by) {
  const time = (leg.to - leg.from) * dt;
  const vx = (leg.x1 - leg.x0) / time;
  const vy = (leg.y1 - leg.y0) / time;
  const gainX = leg.ax / (dt * dt) * time / 2;
  const gainY = leg.ay / (dt * dt) * time / 2;
  return Math.min(apart(vx - gainX, vy - gainY, ax, ay), apart(vx + gainX, vy + gainY, bx, by)) <=
    Math.min(apart(vx, vy, ax, ay), apart(vx, vy, bx, by));
}

// Leg k of that path, written into `leg`: times within the tick, positions, acceleration (distance / tick^2; 0:
// straight).
export function legOf(film, tick, world, body, k, leg) {
  const at = film.at(world, body);
  const a = film.frames[tick].places;
  const b = film.frames[tick + 1].places;
  const ways = knotsOf(film, tick);
  const first = ways === null ? 0 : ways.first[world * film.bodies + body];
  const count = ways === null ? 0 : ways.first[world * film.bodies + body + 1] - first;
  const knots = ways === null ? null : ways.knots;
  const before = (first + k - 1) * KNOT;
  const after = (first + k) * KNOT;
  leg.from = k > 0 ? knots[before] : 0;
  leg.x0 = k > 0 ? knots[before + 1] : a[at];
  leg.y0 = k > 0 ? knots[before + 2] : a[at + 1];
  leg.to = k < count ? knots[after] : 1;
  const length = (leg.to - leg.from) * film.dt;
  leg.x1 = k < count ? knots[after + 1] : ahead(b[at], leg.x0, b[at + 2], length, film.wrap[0]);
  leg.y1 = k < count ? knots[after + 2] : ahead(b[at + 1], leg.y0, b[at + 3], length, film.wrap[1]);
  leg.ax = film.stride > 6 ? a[at + 6] : 0;
  leg.ay = film.stride > 6 ? a[at + 7] : 0;
  if ((leg.ax !== 0 || leg.ay !== 0) &&
      !(leg.to > leg.from &&
        isCurved(leg, film.dt, k > 0 ? knots[before + 5] : a[at + 2], k > 0 ? knots[before + 6] : a[at + 3],
                 k < count ? knots[after + 3] : b[at + 2], k < count ? knots[after + 4] : b[at + 3]))) {
    leg.ax = leg.ay = 0;
  }
  return leg;
}

const share = (leg, part) =>
  (leg.to > leg.from ? Math.min(1, Math.max(0, (part - leg.from) / (leg.to - leg.from))) : 1);

// A position on a leg, at a part of the tick.
export function onLegX(leg, part) {
  const u = share(leg, part);
  return leg.x0 + u * (leg.x1 - leg.x0) - (leg.to - leg.from) ** 2 * u * (1 - u) / 2 * leg.ax;
}

export function onLegY(leg, part) {
  const u = share(leg, part);
  return leg.y0 + u * (leg.y1 - leg.y0) - (leg.to - leg.from) ** 2 * u * (1 - u) / 2 * leg.ay;
}

const atNow = {from: 0, to: 0, x0: 0, y0: 0, x1: 0, y1: 0, ax: 0, ay: 0};

// The current leg of a body, or null if it stays: there is no next frame, or its path is not continuous. The next call
// overwrites it.
function legAt(film, tick, part, world, body) {
  if (!(part > 0) || tick + 1 >= film.frames.length || !goesOn(film, tick, world, body)) {
    return null;
  }
  const count = legCount(film, tick, world, body);
  let k = 0;
  do {
    legOf(film, tick, world, body, k++, atNow);
  } while (k < count && atNow.to < part);
  return atNow;
}

// The position of a body, as [x, y] in `place`; NaN if it is absent. With periodic sides it is the image within the
// box, which is in the middle of the view.
export function placeAt(film, time, world, body, place) {
  const tick = Math.min(Math.floor(time), film.frames.length - 1);
  const leg = legAt(film, tick, time - tick, world, body);
  if (leg === null) {
    const at = film.at(world, body);
    place[0] = film.frames[tick].places[at];
    place[1] = film.frames[tick].places[at + 1];
  } else {
    place[0] = near(onLegX(leg, time - tick), (film.view[0] + film.view[2]) / 2, film.wrap[0]);
    place[1] = near(onLegY(leg, time - tick), (film.view[1] + film.view[3]) / 2, film.wrap[1]);
  }
  return place;
}

const placeNow = [0, 0];

// A body at a time: as film.body(), but also between frames, with the velocity on its path.
export function between(film, time, world, body) {
  const tick = Math.min(Math.floor(time), film.frames.length - 1);
  const now = film.body(tick, world, body);
  const leg = legAt(film, tick, time - tick, world, body);
  if (leg !== null) {
    const part = time - tick;
    const length = leg.to - leg.from;
    if (length > 0) {
      const after = Math.min(Math.max(part, leg.from), leg.to) - (leg.from + leg.to) / 2;
      now.vx = ((leg.x1 - leg.x0) / length + leg.ax * after) / film.dt;
      now.vy = ((leg.y1 - leg.y0) / length + leg.ay * after) / film.dt;
    }
    [now.x, now.y] = placeAt(film, time, world, body, placeNow);
    const turn = film.body(tick + 1, world, body).facing - now.facing;
    now.facing += part * (turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI)));
  }
  return now;
}

// ---- impacts ----

// The time of an impact of a frame; the end of the tick if the game does not report it.
const whenOf = (rows, at, frame) => (rows[at + 8] >= 0 ? frame - 1 + rows[at + 8] : frame);

// Calls does(rows, at, age) for the impacts of a world up to a time, not older than the given ticks, newest frames
// first; reads at most `most` rows.
export function eachImpact(film, time, age, world, most, does) {
  let looked = 0;
  const last = Math.min(Math.floor(time) + 1, film.frames.length - 1);
  for (let frame = last; frame >= 1 && frame + 1 > time - age && looked < most; frame--) {
    const rows = film.frames[frame].impacts;
    for (let at = 0; at < rows.length && looked < most; at += IMPACT, looked++) {
      const old = time - whenOf(rows, at, frame);
      if (rows[at + 1] === world && old >= -SAME_TIME && old <= age + SAME_TIME) {
        does(rows, at, old);
      }
    }
  }
}

// The impacts of a world at a time, or up to the given ticks before it, as from film.impact().
export function impactsAt(film, time, world, age = 0) {
  const found = [];
  eachImpact(film, time, age, world, Infinity, (rows, at) => found.push(film.impact(rows, at)));
  return found;
}

// The time of a world's next impact after a time, or of the last one before it (way: -1); Infinity or -Infinity if the
// film has none.
export function nextImpact(film, time, world, way = 1) {
  const begin = way > 0 ? Math.max(1, Math.floor(time)) : Math.min(Math.floor(time) + 1, film.frames.length - 1);
  for (let frame = begin; frame >= 1 && frame < film.frames.length; frame += way) {
    const rows = film.frames[frame].impacts;
    let found = way * Infinity;
    for (let at = 0; at < rows.length; at += IMPACT) {
      const when = whenOf(rows, at, frame);
      if (rows[at + 1] === world && way * (when - time) > SAME_TIME && way * (found - when) > 0) {
        found = when;
      }
    }
    if (Number.isFinite(found)) {
      return found;
    }
  }
  return way * Infinity;
}
