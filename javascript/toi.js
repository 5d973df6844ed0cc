// SPDX-License-Identifier: MIT
// Times of impact of circles: pure functions over arrays of float64, or of single numbers.
//
// A point or a velocity is a pair [x, y] of numbers or of arrays [n]; a plain number applies to all n. Results are
// arrays [n]; "never" is Infinity. The headers toi.h, toi_walls.h, toi_arcs.h and toi_accelerated.h specify every
// result.

import { known, options, refuse } from "./engine.js";

const DETECTION = ["continuous", "discrete"];
const QUARTICS = ["bracketed", "ferrari"];
const ARC_SIDES = ["both", "within", "without"];
const CONTACTS = ["entry", "exit", "nx", "ny", "xi", "yi", "xj", "yj"];

/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./engine.js").Frame} Frame */

/**
 * The two columns of a point or a velocity.
 * @param {any} point
 * @returns {any[]}
 */
function pair(point) {
  return Array.isArray(point) && point.length === 2 ? point
    : refuse(`a pair [x, y] of numbers or arrays is expected, not ${JSON.stringify(point)}`);
}

/** Columns of one length in the module's memory. */
class Columns {
  /**
   * @param {Frame} frame
   * @param {any[]} columns
   */
  constructor(frame, columns) {
    for (const column of columns) {
      if (typeof column !== "number" && !Array.isArray(column) && !ArrayBuffer.isView(column)) {
        refuse(`a number or an array is expected, not ${JSON.stringify(column)}`);
      }
    }
    const lengths = [...new Set(columns.filter((column) => typeof column !== "number").map(({ length }) => length))];
    if (lengths.length > 1) {
      refuse(`arrays of one length are expected, not ${lengths.join(" and ")}`);
    }
    this.n = lengths[0] ?? 1;
    this.at = columns.map((column) => frame.copy(
      typeof column === "number" ? new Float64Array(this.n).fill(column) : Float64Array.from(column)));
  }
}

/** The solvers of one module. */
export class Toi {
  /** @param {Engine} engine */
  constructor(engine) {
    this.core = engine;
  }

  /** All variants of the solver for two circles. */
  variants() {
    const { core: engine } = this;
    const found = [];
    for (let at; (at = engine.c.carom_toi_variant_describe(found.length)) !== 0;) {
      found.push(engine.objects("carom_toi_variant_info", at, 1)[0]);
    }
    return found;
  }

  /**
   * @param {Frame} frame
   * @param {string} name
   */
  variant(frame, name) {
    const to = frame.bytes(4);
    if (this.core.c.carom_toi_variant_find(frame.string(name).at, to) !== 0) {
      known("solver", name, ["fast", ...this.variants().map((variant) => variant.name)]);
    }
    return this.core.data.getInt32(to, true);
  }

  /**
   * @param {string} name of the function
   * @param {number[]} numbers
   */
  call(name, ...numbers) {
    this.core.check(this.core.c[`carom_toi_${name}_f64`](...numbers), name);
  }

  /**
   * Memory for the outputs of a solver of two circles, and a function that copies them out.
   * @param {Frame} frame
   * @param {number} n
   * @param {string[]} also
   */
  contactsOf(frame, n, also) {
    also.forEach((name) => known("also", name, CONTACTS));
    const names = ["t", ...CONTACTS.filter((name) => also.includes(name))];
    const at = Object.fromEntries(names.map((name) => [name, frame.bytes(8 * n)]));
    const out = frame.pointers(["t", ...CONTACTS].map((name) => at[name] ?? 0));
    const take = () => Object.fromEntries(names.map((name) => [name, this.core.copied(Float64Array, at[name], [n])]));
    return { out, take };
  }

  /** Times of impact of pairs in relative motion: position and velocity of the second relative to the first. */
  circles(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {any} */ given = {}) {
    return this.contacts(p, v, r, { ...options("circles", given, ["solver"]), also: [] }).t;
  }

  /** As circles(), plus the roots, normals and centres that `also` names. */
  contacts(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {any} */ given = {}) {
    const { solver = "fast", also = CONTACTS } = options("contacts", given, ["solver", "also"]);
    return this.core.frame((frame) => {
      const { n, at } = new Columns(frame, [...pair(p), ...pair(v), r]);
      const { out, take } = this.contactsOf(frame, n, also);
      this.call("circles", this.variant(frame, solver), n, frame.pointers(at), out);
      return take();
    });
  }

  /** Pairs (i[k], j[k]) of bodies with positions p, velocities v and radii r. */
  indexed(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {number[]} */ i,
    /** @type {number[]} */ j, /** @type {any} */ given = {}) {
    const { solver = "fast", also = [] } = options("indexed", given, ["solver", "also"]);
    return this.core.frame((frame) => {
      const bodies = new Columns(frame, [...pair(p), ...pair(v), r]);
      if (i.length !== j.length) {
        refuse(`i, j: two lists of one length are expected, not of ${i.length} and ${j.length}`);
      }
      const { out, take } = this.contactsOf(frame, i.length, also);
      this.call("circles_indexed", this.variant(frame, solver), i.length, bodies.n, frame.pointers(bodies.at),
        frame.copy(Int32Array.from(i)), frame.copy(Int32Array.from(j)), out);
      return take();
    });
  }

  /** One body, at p = [x, y], against n others. */
  one(/** @type {number[]} */ p, /** @type {number[]} */ v, /** @type {number} */ r, /** @type {any} */ others_p,
    /** @type {any} */ others_v, /** @type {any} */ others_r, /** @type {any} */ given = {}) {
    const { solver = "fast", also = [] } = options("one", given, ["solver", "also"]);
    return this.core.frame((frame) => {
      const others = new Columns(frame, [...pair(others_p), ...pair(others_v), others_r]);
      const { out, take } = this.contactsOf(frame, others.n, also);
      const body = frame.copy(Float64Array.of(...p, ...v, r));
      this.call("circles_one", this.variant(frame, solver), body, others.n, frame.pointers(others.at), out);
      return take();
    });
  }

  /** The earliest impact of each body with any other: times, and indices (-1: none). */
  first(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {any} */ others_p,
    /** @type {any} */ others_v, /** @type {any} */ others_r, /** @type {any} */ given = {}) {
    const { solver = "fast" } = options("first", given, ["solver"]);
    return this.core.frame((frame) => {
      const bodies = new Columns(frame, [...pair(p), ...pair(v), r]);
      const others = new Columns(frame, [...pair(others_p), ...pair(others_v), others_r]);
      const [t, index] = [frame.bytes(8 * bodies.n), frame.bytes(4 * bodies.n)];
      this.call("circles_first", this.variant(frame, solver), bodies.n, frame.pointers(bodies.at), others.n,
        frame.pointers(others.at), t, index);
      return {
        t: this.core.copied(Float64Array, t, [bodies.n]), index: this.core.copied(Int32Array, index, [bodies.n]),
      };
    });
  }

  /** [n], booleans: does the pair meet within `limit`? Usually decided without a square root or a division. */
  within(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {number} */ limit) {
    return this.core.frame((frame) => {
      const { n, at } = new Columns(frame, [...pair(p), ...pair(v), r]);
      const mask = frame.bytes(8 * Math.ceil(n / 64));
      this.call("circles_within", n, frame.pointers(at), limit, mask);
      return Array.from({ length: n }, (_, k) => (this.core.data.getUint8(mask + (k >> 3)) >> (k & 7) & 1) === 1);
    });
  }

  // ---- walls ----

  /**
   * Solves for circles and obstacles: t, the unit normal nx, ny from the wall, and the feature that was hit.
   * @param {string} name
   * @param {any[]} circles
   * @param {any[]} walls
   * @param {(frame: Frame, n: number, circles: number, walls: number[]) => number[]} order arguments before `out`
   */
  hits(name, circles, walls, order) {
    const { core: engine } = this;
    return engine.frame((frame) => {
      const { n, at } = new Columns(frame, [...circles, ...walls]);
      const split = circles.length;
      const found = [frame.bytes(8 * n), frame.bytes(8 * n), frame.bytes(8 * n), frame.bytes(4 * n)];
      this.call(name, ...order(frame, n, frame.pointers(at.slice(0, split)), at.slice(split)), frame.pointers(found));
      const [t, nx, ny] = found.map((to) => engine.copied(Float64Array, to, [n]));
      return { t, nx, ny, feature: engine.copied(Int32Array, found[3], [n]) };
    });
  }

  /**
   * @param {string} name
   * @param {any[]} circles
   * @param {any[]} walls
   * @param {any} given
   */
  still(name, circles, walls, given) {
    const { limit = Infinity, detection = "continuous" } = options(name, given, ["limit", "detection"]);
    const chosen = known("detection", detection, DETECTION);
    return this.hits(name, circles, walls, (frame, n, at, others) => [chosen, n, at, frame.pointers(others), limit]);
  }

  /** Circle k against the infinite line through a and b. */
  line(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {any} */ a, /** @type {any} */ b,
    /** @type {any} */ given = {}) {
    return this.still("line", [...pair(p), ...pair(v), r], [...pair(a), ...pair(b)], given);
  }

  /** Circle k against the segment from a to b: feature 0 is the straight part, 1 and 2 are its ends. */
  segment(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {any} */ a, /** @type {any} */ b,
    /** @type {any} */ given = {}) {
    return this.still("segment", [...pair(p), ...pair(v), r], [...pair(a), ...pair(b)], given);
  }

  /** Circle k against the point q. */
  point(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {any} */ q,
    /** @type {any} */ given = {}) {
    return this.still("point", [...pair(p), ...pair(v), r], [...pair(q)], given);
  }

  /** Circle k against the box from low = [x0, y0] to high: features 0 to 3 are its sides, 4 to 7 its corners. */
  box(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {any} */ low,
    /** @type {any} */ high, /** @type {any} */ given = {}) {
    return this.still("box", [...pair(p), ...pair(v), r], [...pair(low), ...pair(high)], given);
  }

  /** n circles against one outline of corners, a list of [x, y]: feature e is an edge, m + k a corner. */
  polygon(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {number[][]} */ corners,
    /** @type {any} */ given = {}) {
    const { limit = Infinity, detection = "continuous" } = options("polygon", given, ["limit", "detection"]);
    const chosen = known("detection", detection, DETECTION);
    return this.hits("polygon", [...pair(p), ...pair(v), r], [], (frame, n, at) => {
      const [x, y] = [0, 1].map((axis) => frame.copy(Float64Array.from(corners, (corner) => corner[axis])));
      return [chosen, n, at, corners.length, x, y, limit];
    });
  }

  /**
   * Circle k against the arc around c, counterclockwise from the direction of a to that of b; a = b: a whole circle.
   * Feature 0 is the arc from outside, 1 and 2 are its ends, 3 is the arc from inside.
   */
  arc(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ r, /** @type {any} */ c,
    /** @type {any} */ radius, /** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ given = {}) {
    return this.arcs("arc", [...pair(p), ...pair(v), r], [...pair(c), radius, ...pair(a), ...pair(b)], given);
  }

  /** The same under a constant acceleration. */
  accelerated_arc(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ acceleration, /** @type {any} */ r,
    /** @type {any} */ c, /** @type {any} */ radius, /** @type {any} */ a, /** @type {any} */ b,
    /** @type {any} */ given = {}) {
    return this.arcs("accelerated_arc", [...pair(p), ...pair(v), ...pair(acceleration), r],
      [...pair(c), radius, ...pair(a), ...pair(b)], given);
  }

  /**
   * @param {string} name
   * @param {any[]} circles
   * @param {any[]} arcs
   * @param {any} given
   */
  arcs(name, circles, arcs, given) {
    const { limit = Infinity, sides = "both", holds = false } = options(name, given, ["limit", "sides", "holds"]);
    const chosen = known("sides", sides, ARC_SIDES);
    return this.hits(name, circles, arcs, (frame, n, at, others) => (
      [chosen, holds ? 1 : 0, n, at, frame.pointers(others), limit]));
  }

  // ---- under acceleration ----

  /** Times of impact of pairs under constant relative acceleration a: the first root of a quartic. */
  accelerated(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ a, /** @type {any} */ r,
    /** @type {any} */ given = {}) {
    const { limit = Infinity, solver = "bracketed" } = options("accelerated", given, ["limit", "solver"]);
    return this.core.frame((frame) => {
      const { n, at } = new Columns(frame, [...pair(p), ...pair(v), ...pair(a), r]);
      const t = frame.bytes(8 * n);
      this.call("accelerated", known("solver", solver, QUARTICS), n, frame.pointers(at), limit, t);
      return this.core.copied(Float64Array, t, [n]);
    });
  }

  /** All times at which circles under acceleration touch: roots [4, n] in ascending order, and how many. */
  accelerated_roots(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ a, /** @type {any} */ r) {
    return this.roots("accelerated_roots", [...pair(p), ...pair(v), ...pair(a), r], []);
  }

  /** All times at which circle k touches the infinite line through start and end. */
  accelerated_line_roots(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ a, /** @type {any} */ r,
    /** @type {any} */ start, /** @type {any} */ end) {
    return this.roots("accelerated_line_roots", [...pair(p), ...pair(v), ...pair(a), r],
      [...pair(start), ...pair(end)]);
  }

  /**
   * @param {string} name
   * @param {any[]} motion
   * @param {any[]} lines
   */
  roots(name, motion, lines) {
    return this.core.frame((frame) => {
      const { n, at } = new Columns(frame, [...motion, ...lines]);
      const roots = frame.bytes(32 * n);
      const count = frame.bytes(4 * n);
      const rows = frame.pointers([0, 1, 2, 3].map((row) => roots + 8 * row * n));
      this.call(name, n, frame.pointers(at.slice(0, 7)), ...(lines.length ? [frame.pointers(at.slice(7))] : []), rows,
        count);
      return {
        roots: this.core.copied(Float64Array, roots, [4, n]), count: this.core.copied(Int32Array, count, [n]),
      };
    });
  }

  /** The first impact of circle k under acceleration on the point q. */
  accelerated_point(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ a, /** @type {any} */ r,
    /** @type {any} */ q, /** @type {any} */ given = {}) {
    return this.falling("accelerated_point", [...pair(p), ...pair(v), ...pair(a), r], [...pair(q)], given);
  }

  /** The first impact of circle k under acceleration on the segment from start to end. */
  accelerated_segment(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ a, /** @type {any} */ r,
    /** @type {any} */ start, /** @type {any} */ end, /** @type {any} */ given = {}) {
    return this.falling("accelerated_segment", [...pair(p), ...pair(v), ...pair(a), r],
      [...pair(start), ...pair(end)], given);
  }

  /** The first impact of circle k under acceleration on the box from low to high. */
  accelerated_box(/** @type {any} */ p, /** @type {any} */ v, /** @type {any} */ a, /** @type {any} */ r,
    /** @type {any} */ low, /** @type {any} */ high, /** @type {any} */ given = {}) {
    return this.falling("accelerated_box", [...pair(p), ...pair(v), ...pair(a), r],
      [...pair(low), ...pair(high)], given);
  }

  /**
   * @param {string} name
   * @param {any[]} motion
   * @param {any[]} walls
   * @param {any} given
   */
  falling(name, motion, walls, given) {
    const { limit = Infinity } = options(name, given, ["limit"]);
    return this.hits(name, motion, walls, (frame, n, at, others) => [n, at, frame.pointers(others), limit]);
  }
}
