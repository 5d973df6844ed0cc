// SPDX-License-Identifier: MIT
/** Sketch 3: both circles move. Subtract one velocity, and it is sketch 2 again. */
import { digits, impact, show } from "./sketch.js";

/** Centres of both at the share t of the step. */
const at = (s, t) => [
  [s.ax + t * (s.ex - s.ax), s.ay + t * (s.ey - s.ay)],
  [s.bx + t * (s.fx - s.bx), s.by + t * (s.fy - s.by)],
];

export const sketch = {
  name: "both",
  view: [0, 0, 16, 9],
  start: { ax: 2, ay: 7.5, ex: 12.5, ey: 5.5, ar: 0.9, bx: 8, by: 2.8, fx: 11, fy: 7, br: 1.2, time: 0 },

  handles: (s) => [
    { name: "A, where A starts", x: s.ax, y: s.ay, radius: s.ar, to: (x, y) => ({ ax: x, ay: y }) },
    { name: "B, where B starts", x: s.bx, y: s.by, radius: s.br, to: (x, y) => ({ bx: x, by: y }) },
    { name: "AA, where A's step ends", x: s.ex, y: s.ey, to: (x, y) => ({ ex: x, ey: y }) },
    { name: "BB, where B's step ends", x: s.fx, y: s.fy, to: (x, y) => ({ fx: x, fy: y }) },
  ],

  controls: [
    { key: "time", label: "time in the step", min: 0, max: 1, step: 0.01 },
    { key: "ar", label: "radius of A", min: 0.2, max: 2, step: 0.1 },
    { key: "br", label: "radius of B", min: 0.2, max: 2, step: 0.1 },
    { label: "the same way", set: { ax: 2, ay: 5, ex: 14, ey: 5, bx: 6, by: 5, fx: 11, fy: 5 } },
    { label: "crossing ways, no impact", set: { ax: 2, ay: 7, ex: 12, ey: 4.5, bx: 6, by: 1.5, fx: 6.5, fy: 8 } },
  ],
  resting: { playing: false },
  tick: (s, seconds) => ({ time: (s.time + seconds / 4) % 1 }),

  numbers(s, carom) {
    const p = [s.bx - s.ax, s.by - s.ay], r = s.ar + s.br;
    const va = [s.ex - s.ax, s.ey - s.ay], vb = [s.fx - s.bx, s.fy - s.by];
    const v = [vb[0] - va[0], vb[1] - va[1]];
    const { t, entry, exit } = impact(carom, p, v, r, "normalised");
    return { p, v, r, va, vb, t, entry, exit };
  },

  draw(pen, s, n) {
    const hit = n.t <= 1, tip = [s.ax - n.v[0], s.ay - n.v[1]], [[ax, ay], [bx, by]] = at(s, s.time);
    pen.circle(s.bx, s.by, n.r, { line: "faint", fill: "faint", soft: true, dash: [5, 4] });
    pen.arrow(s.ax, s.ay, s.ex, s.ey, { line: "a" });
    pen.arrow(s.bx, s.by, s.fx, s.fy, { line: "a" });
    pen.arrow(s.ax, s.ay, ...tip, { line: "warm", width: 2.5 });

    pen.circle(ax, ay, s.ar, { line: "a", fill: "a", soft: true });
    pen.circle(bx, by, s.br, { line: "b", fill: "b", soft: true });
    if (hit) {
      const [[hax, hay], [hbx, hby]] = at(s, n.t);
      pen.circle(hax, hay, s.ar, { line: "hit", width: 2 });
      pen.circle(hbx, hby, s.br, { line: "hit", width: 2 });
      pen.dot(hax + (s.ar / n.r) * (hbx - hax), hay + (s.ar / n.r) * (hby - hay), "hit", 5);
      pen.dot(s.ax - n.t * n.v[0], s.ay - n.t * n.v[1], "warm", 5);
    }

    pen.text(s.ax, s.ay, "A", { dx: -16, bold: true, colour: "a" });
    pen.text(s.bx, s.by, "B", { dx: -16, bold: true, colour: "b" });
    pen.text(s.ex, s.ey, "AA", { dx: 8, dy: -10, bold: true, colour: "a" });
    pen.text(s.fx, s.fy, "BB", { dx: 8, dy: 8, bold: true, colour: "b" });
    pen.text(...tip, "difference", { dx: 6, dy: 10, colour: "warm" });
  },

  readings: (s, n) => [
    ["step of A", `(${digits(n.va[0])}, ${digits(n.va[1])})`],
    ["step of B", `(${digits(n.vb[0])}, ${digits(n.vb[1])})`],
    ["difference, A − B", `(${digits(-n.v[0])}, ${digits(-n.v[1])})`],
    ["t1, t2", n.entry === Infinity ? "none" : `${digits(n.entry)}, ${digits(n.exit)}`],
    ["impact in this step", n.t <= 1 ? `yes, at t = ${digits(n.t, 4)}` : "no"],
  ],

  tell: (s, n) => n.t <= 1
    ? `They meet after ${digits(100 * n.t, 0)}% of the step: there the orange arrow enters the grey circle. ` +
      "The impact itself is on the blue ways, where the red circles touch."
    : "The orange arrow does not enter the grey circle, so they do not meet in this step, " +
      "whether or not the blue ways cross.",
};

show(sketch);
