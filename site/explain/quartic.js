// SPDX-License-Identifier: MIT
/** Sketch 8, second part: circles under constant acceleration. The squared distance is a quartic in time. */
import { circleRoots, digits, show } from "./sketch.js";

const GROUND = 8; // where 0 is in the graph
const LEFT = 1, WIDTH = 14, FROM = -1, TO = 3; // its axis of time
const LARGEST = 8; // of the graph's values, in units of R^2
const ARROW = 0.8; // units of the picture for a unit of acceleration

const at = (p, v, a, t) => [p[0] + v[0] * t + (a[0] * t * t) / 2, p[1] + v[1] * t + (a[1] * t * t) / 2];
const minus = (u, v) => [u[0] - v[0], u[1] - v[1]];
const bodies = (s) => [
  { p: [s.ax, s.ay], v: [s.avx, s.avy], a: [s.aax, s.aay], r: s.ar, colour: "a", name: "A" },
  { p: [s.bx, s.by], v: [s.bvx, s.bvy], a: [s.bax, s.bay], r: s.br, colour: "b", name: "B" },
];

/** Coefficients of |p + v t + a t^2/2|^2 - R^2, the highest power first. */
function coefficients(p, v, a, r) {
  const dot = (x, y) => x[0] * y[0] + x[1] * y[1];
  return [dot(a, a) / 4, dot(v, a), dot(v, v) + dot(p, a), 2 * dot(p, v), dot(p, p) - r * r];
}

const horner = (k, t) => k.reduce((sum, next) => sum * t + next, 0);
const x = (t) => LEFT + (WIDTH * (t - FROM)) / (TO - FROM);

function drawGraph(pen, s, n) {
  const curve = (value, style) => {
    let run = [];
    for (let t = FROM; t <= TO; t += 0.01) {
      const y = GROUND - value(t);
      if (y > 5.1 && y < 9.9) run.push([x(t), y]);
      if ((y <= 5.1 || y >= 9.9 || t + 0.01 > TO) && run.length) {
        pen.curve(run, style);
        run = [];
      }
    }
  };
  const unit = LARGEST / 2 / (n.r * n.r);
  pen.arrow(LEFT, GROUND, LEFT + WIDTH + 0.5, GROUND, { line: "faint", width: 1 });
  pen.line(x(0), 5.1, x(0), 9.9, { line: "line" });
  pen.text(x(0), GROUND, "0", { dx: -8, dy: 12, colour: "faint" });
  pen.text(LEFT + WIDTH + 0.5, GROUND, "t", { dx: 8, colour: "faint" });
  curve((t) => unit * horner(n.quartic, t), { line: "a", width: 2 });
  if (s.mistake) {
    curve((t) => unit * (Math.sqrt(horner(n.quartic, t) + n.r * n.r) - n.r * n.r), { line: "warm", dash: [5, 4] });
    for (const root of n.wrong) pen.dot(x(root), GROUND, "warm", 4);
  }
  const now = GROUND - unit * horner(n.quartic, s.time);
  if (now > 5.1 && now < 9.9) pen.dot(x(s.time), now, "good", 4);
  for (const root of n.roots) {
    const impact = Math.abs(root - n.t) < 1e-9, [dx, align] = impact ? [-8, "right"] : [8, "left"];
    pen.dot(x(root), GROUND, impact ? "hit" : "faint", 5);
    pen.text(x(root), GROUND, digits(root, 3), { dx, dy: impact ? -14 : 14, align });
  }
}

/** The right triangle between both centres at the time of the slider. */
function drawTriangle(pen, s) {
  const [[ax, ay], [bx, by]] = bodies(s).map(({ p, v, a }) => at(p, v, a, s.time));
  pen.curve([[ax, ay], [bx, ay], [bx, by]], { line: "faint", dash: [3, 3], width: 1 });
  pen.line(ax, ay, bx, by, { line: "good", width: 1.5 });
  pen.text((ax + bx) / 2, ay, "dx", { dy: ay > by ? 10 : -10, align: "center", colour: "faint" });
  pen.text(bx, (ay + by) / 2, "dy", { dx: bx > ax ? 8 : -8, align: bx > ax ? "left" : "right", colour: "faint" });
}

export const sketch = {
  name: "quartic",
  view: [0, 0, 16, 10],
  start: {
    ax: 3.4, ay: 2, avx: 3, avy: -1, aax: 1, aay: 1.6, ar: 0.7,
    bx: 11, by: 2.6, bvx: -1.6, bvy: 1.2, bax: -0.6, bay: -1, br: 1, time: 0.4, mistake: false,
  },

  handles: (s) => bodies(s).flatMap(({ p, v, a, r, name }) => {
    const key = name.toLowerCase(), low = (y) => Math.min(y, 4.8);
    return [
      { name: `centre of ${name}`, x: p[0], y: p[1], radius: r,
        to: (px, py) => ({ [`${key}x`]: px, [`${key}y`]: low(py) }) },
      { name: `velocity of ${name}`, x: p[0] + v[0] / 2, y: p[1] + v[1] / 2,
        to: (px, py) => ({ [`${key}vx`]: 2 * (px - p[0]), [`${key}vy`]: 2 * (py - p[1]) }) },
      { name: `acceleration of ${name}`, x: p[0] + ARROW * a[0], y: p[1] + ARROW * a[1],
        to: (px, py) => ({ [`${key}ax`]: (px - p[0]) / ARROW, [`${key}ay`]: (py - p[1]) / ARROW }) },
    ];
  }),

  controls: [
    { key: "time", label: "time", min: 0, max: 3, step: 0.01, unit: "s" },
    { key: "ar", label: "radius of A", min: 0.2, max: 1.2, step: 0.05 },
    { key: "br", label: "radius of B", min: 0.2, max: 1.2, step: 0.05 },
    { key: "mistake", label: "with the root by mistake", check: true },
  ],
  resting: { playing: false },
  tick: (s, seconds) => ({ time: (s.time + seconds / 2) % TO }),

  numbers(s, carom) {
    const [A, B] = bodies(s), p = minus(B.p, A.p), v = minus(B.v, A.v), a = minus(B.a, A.a), r = A.r + B.r;
    const { t, roots } = circleRoots(carom, p, v, a, r), wrong = circleRoots(carom, p, v, a, r * r).roots;
    return { p, v, a, r, t, roots, wrong, quartic: coefficients(p, v, a, r) };
  },

  draw(pen, s, n) {
    for (const { p, v, a, r, colour, name } of bodies(s)) {
      const way = [];
      for (let t = 0; t <= TO; t += 0.05) way.push(at(p, v, a, t));
      pen.curve(way.filter(([, y]) => y < 5), { line: "line" });
      pen.circle(...p, r, { line: colour, dash: [2, 4] });
      pen.arrow(...p, p[0] + v[0] / 2, p[1] + v[1] / 2, { line: colour });
      pen.arrow(...p, p[0] + ARROW * a[0], p[1] + ARROW * a[1], { line: "warm" });
      if (n.t <= TO) pen.circle(...at(p, v, a, n.t), r, { line: "hit", width: 2 });
      pen.circle(...at(p, v, a, s.time), r, { line: colour, fill: colour, soft: true });
      const [dx, dy] = name === "A" ? [-14, -10] : [14, 16];
      pen.text(...p, name, { dx, dy, bold: true, colour });
    }
    drawTriangle(pen, s);
    drawGraph(pen, s, n);
  },

  readings: (s, n) => [
    ["quartic", n.quartic.map((k, power) =>
      `${k < 0 ? "− " : power ? "+ " : ""}${digits(Math.abs(k))}${[" t⁴", " t³", " t²", " t", ""][power]}`).join(" ")],
    ["roots", n.roots.length ? n.roots.map((root) => digits(root, 4)).join(", ") : "none"],
    ["dx² + dy² − R² now", digits(horner(n.quartic, s.time))],
    ["impact", n.t === Infinity ? "never" : `t = ${digits(n.t, 4)}`],
    ...(s.mistake ? [["roots with the mistake", n.wrong.map((root) => digits(root, 4)).join(", ") || "none"]] : []),
  ],

  tell: (s, n) => n.t === Infinity
    ? "The curve does not come down to 0 at any time from now on: the circles never meet."
    : `The curve first comes down to 0 at t = ${digits(n.t, 3)}: there the circles meet.` +
      (n.roots.some((root) => root < 0) ? " Negative roots are the past." : ""),
};

show(sketch);
