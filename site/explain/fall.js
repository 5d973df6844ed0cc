// SPDX-License-Identifier: MIT
/** Sketch 8, first part: a dropped ball. s = u t + a t^2 / 2 has two roots; the negative one is the past. */
import { digits, lineRoots, show } from "./sketch.js";

const METRE = 2.4; // units of the picture
const FLOOR = 8;
const SECOND = 3.2;
const NOW = 10; // where time 0 is in the picture

/** How far the ball has fallen at a time. */
const fallen = (s, t) => s.u * t + (s.a * t * t) / 2;
const height = (metres) => FLOOR - METRE * metres;

export const sketch = {
  name: "fall",
  view: [0, 0, 16, 9],
  start: { h: 1, u: 0, a: 10, time: 0 },

  handles: (s) => [
    {
      name: "height of the ball", x: 3, y: height(s.h),
      to: (x, y) => ({ h: Math.min(3, Math.max(0.1, (FLOOR - y) / METRE)) }),
    },
  ],

  controls: [
    { key: "h", label: "height", min: 0.1, max: 3, step: 0.05, unit: "m" },
    { key: "u", label: "velocity, downwards", min: -4, max: 4, step: 0.1, unit: "m/s" },
    { key: "a", label: "acceleration", min: 1, max: 25, step: 0.1, unit: "m/s²" },
    { label: "from 1 m, 10 m/s²", set: { h: 1, u: 0, a: 10 } },
    { label: "thrown up", set: { h: 1, u: -4, a: 10 } },
  ],
  resting: { playing: false },
  tick: (s, seconds, n) => ({ time: s.time + seconds / 2 > n.t + 0.4 ? 0 : s.time + seconds / 2 }),

  numbers(s, carom) {
    // y points down: the floor is the line y = h, and the ball's lowest point starts at 0.
    const roots = lineRoots(carom, [0, 0], [0, s.u], [0, s.a], 0, [-1, s.h], [1, s.h]);
    return { roots, t: roots.find((root) => root >= 0) };
  },

  draw(pen, s, n) {
    pen.line(0.5, FLOOR, 5.5, FLOOR, { width: 3 });
    pen.arrow(1, height(s.h), 1, FLOOR, { line: "faint", width: 1.5 });
    pen.text(1, (FLOOR + height(s.h)) / 2, `s = ${digits(s.h)} m`, { dx: 6, colour: "faint" });
    const now = Math.min(s.time, n.t), place = height(s.h - fallen(s, now));
    pen.circle(3, place - 0.3, 0.3, { line: "a", fill: "a", soft: true });
    pen.dot(3, place, "a", 3);
    if (s.u !== 0) pen.arrow(3.6, height(s.h), 3.6, height(s.h) + s.u * 0.4, { line: "warm" });

    pen.arrow(6.3, FLOOR, 15.7, FLOOR, { line: "faint", width: 1 });
    pen.line(NOW, FLOOR + 0.1, NOW, 0.4, { line: "line" });
    pen.text(15.7, FLOOR, "t", { dy: 14, align: "right", colour: "faint" });
    pen.text(NOW, FLOOR, "0", { dy: 14, align: "center", colour: "faint" });
    const curve = [];
    for (let t = -1.15; t <= 1.75; t += 0.02) curve.push([NOW + SECOND * t, height(s.h - fallen(s, t))]);
    const shown = curve.filter(([, y]) => y > 0 && y < 8.8);
    pen.curve(shown.filter(([x]) => x <= NOW), { line: "faint", dash: [4, 4] });
    pen.curve(shown.filter(([x]) => x >= NOW), { line: "a", width: 2 });

    for (const root of n.roots) {
      const x = NOW + SECOND * root;
      pen.dot(x, FLOOR, root < 0 ? "faint" : "hit", 5);
      const [dx, align] = root < 0 ? [-8, "right"] : [8, "left"];
      pen.text(x, FLOOR, `${digits(root, 3)} s`, { dy: -14, dx, align });
    }
    pen.dot(NOW + SECOND * now, place, "a", 4);
  },

  readings: (s, n) => [
    ["a t²/2 + u t − s = 0", `${digits(s.a / 2)} t² + ${digits(s.u)} t − ${digits(s.h)} = 0`],
    ["roots", n.roots.map((root) => `${digits(root, 4)} s`).join(" and ")],
    ["speed at the floor", `${digits(s.u + s.a * n.t)} m/s`],
  ],

  tell: (s, n) => `The ball reaches the floor after ${digits(n.t, 3)} s. The other root, ${digits(n.roots[0], 3)} s, ` +
    "is in the past: thrown up from the floor then, the ball would now be where it starts.",
};

show(sketch);
