// SPDX-License-Identifier: MIT
/** Sketch 2: a circle moves in one step, the other rests: grow the one that rests, shrink the mover to a point. */
import { digits, impact, show } from "./sketch.js";

/** A's centre after the share t of its step. */
const along = (s, t) => [s.ax + t * (s.tx - s.ax), s.ay + t * (s.ty - s.ay)];

/** Where A, with its centre at a place on C, touches B. */
const touching = (s, [x, y]) => {
  const share = s.br / (s.ar + s.br);
  return [s.bx + share * (x - s.bx), s.by + share * (y - s.by)];
};

/** Which case it is, by the number and signs of the roots. */
function caseOf(n) {
  if (n.a === 0) return "rest";
  if (n.d < 0) return "none";
  if (n.exit < 0) return "behind";
  if (n.entry < 0) return "inside";
  if (n.entry > 1) return "later";
  return n.d === 0 ? "graze" : "hit";
}

const WORDS = {
  rest: () => "A does not move: drag AA away from A.",
  none: () => "No root: the line through A and AA misses circle C, so A passes B.",
  behind: () => "Both roots are negative: A is moving away. They would have met only if A had come from behind.",
  inside: () => "One root is negative, one positive: A starts inside circle C, so A and B overlap already.",
  later: (n) => `The first root is ${digits(n.entry)}, more than 1: A would meet B, but not in this step.`,
  graze: (n) => "One root: the line touches circle C in one point. " +
    `A grazes B after ${digits(100 * n.entry, 0)}% of its step.`,
  hit: (n) => `A meets B after ${digits(100 * n.entry, 0)}% of its step. The second root, ${digits(n.exit)}, is ` +
    "where A would leave again if it went through B.",
};

export const sketch = {
  name: "swept",
  view: [0, 0, 16, 9],
  start: { ax: 2, ay: 7, tx: 13.5, ty: 3, ar: 1, bx: 10, by: 4.5, br: 1.3 },

  handles: (s) => [
    { name: "centre of B", x: s.bx, y: s.by, radius: s.br, to: (x, y) => ({ bx: x, by: y }) },
    { name: "A, where A starts", x: s.ax, y: s.ay, radius: s.ar, to: (x, y) => ({ ax: x, ay: y }) },
    { name: "AA, where A's step ends", x: s.tx, y: s.ty, to: (x, y) => ({ tx: x, ty: y }) },
  ],

  controls: [
    { key: "ar", label: "radius of A", min: 0.2, max: 2, step: 0.1 },
    { key: "br", label: "radius of B", min: 0.2, max: 2, step: 0.1 },
    { label: "two roots", set: { ax: 2, ay: 7, tx: 13.5, ty: 3, ar: 1, bx: 10, by: 4.5, br: 1.3 } },
    { label: "one root", set: { ax: 3, ay: 6, tx: 13, ty: 6, ar: 1, bx: 9, by: 3, br: 2 } },
    { label: "none", set: { ax: 3, ay: 7.5, tx: 13, ty: 7.5, ar: 1, bx: 9, by: 3, br: 2 } },
    { label: "later", set: { ax: 1.5, ay: 5, tx: 6, ty: 5, ar: 1, bx: 12, by: 4.5, br: 1.3 } },
    { label: "behind", set: { ax: 8, ay: 5, tx: 14, ty: 5, ar: 1, bx: 3, by: 4.5, br: 1.3 } },
  ],

  numbers(s, carom) {
    // B seen from A: A rests at the origin, and B comes by A's step, turned around.
    const p = [s.bx - s.ax, s.by - s.ay], v = [s.ax - s.tx, s.ay - s.ty], r = s.ar + s.br;
    const a = v[0] * v[0] + v[1] * v[1], b = p[0] * v[0] + p[1] * v[1], c = p[0] * p[0] + p[1] * p[1] - r * r;
    const { entry, exit } = impact(carom, p, v, r);
    return { p, v, r, a, b, c, d: b * b - a * c, entry, exit, t: impact(carom, p, v, r, "normalised").t };
  },

  draw(pen, s, n) {
    const ways = [along(s, -20), along(s, 20)], meet = Number.isFinite(n.entry);
    if (n.a > 0) pen.line(...ways[0], ...ways[1], { line: "line", width: 1 });

    pen.circle(s.bx, s.by, n.r, { line: "faint", dash: [5, 4] });
    pen.circle(s.bx, s.by, s.br, { line: "b", fill: "b", soft: true });
    pen.circle(s.ax, s.ay, s.ar, { line: "a", fill: "a", soft: true });
    pen.circle(s.tx, s.ty, s.ar, { line: "a", dash: [2, 4] });
    pen.arrow(s.ax, s.ay, s.tx, s.ty, { line: "a", width: 2.5 });

    if (meet) {
      const [one, two] = [n.entry, n.exit].map((t) => along(s, t)), met = n.t <= 1 ? "hit" : "faint";
      pen.circle(...two, s.ar, { line: "faint", dash: [3, 3] });
      pen.circle(...one, s.ar, { line: met, width: 2 });
      for (const [place, colour] of [[two, "faint"], [one, met]]) {
        pen.dot(...place, colour, 5);
        pen.dot(...touching(s, place), colour, 3);
      }
      const [dy, share] = s.ty <= s.ay ? [18, 0.12] : [-16, 0.12];
      pen.text(...one, `t1 = ${digits(n.entry)}`, { dy, dx: -share * 100, align: "center" });
      if (n.d > 0) pen.text(...two, `t2 = ${digits(n.exit)}`, { dy: -dy, dx: share * 100, align: "center" });
    }

    pen.dot(s.bx, s.by, "b");
    pen.text(s.ax, s.ay, "A", { dy: -14, align: "center", bold: true, colour: "a" });
    pen.text(s.tx, s.ty, "AA", { dx: 12, bold: true, colour: "a" });
    pen.text(s.bx, s.by, "B", { dx: 8, dy: 10, bold: true, colour: "b" });
    pen.text(s.bx, s.by - n.r, "C", { dy: -10, align: "center", bold: true, colour: "faint" });
  },

  readings: (s, n) => [
    ["a = v·v", digits(n.a)],
    ["b = p·v", `${digits(n.b)}: ${n.b < 0 ? "coming nearer" : "parting"}`],
    ["c = p·p − R²", digits(n.c)],
    ["d = b² − a c", digits(n.d)],
    ["t1, t2", n.d < 0 || n.a === 0 ? "none" : `${digits(n.entry)}, ${digits(n.exit)}`],
    ["impact in this step", n.t <= 1 ? `yes, at t = ${digits(n.t, 4)}` : "no"],
  ],

  tell: (s, n) => WORDS[caseOf(n)](n),
};

show(sketch);
