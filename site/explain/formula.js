// SPDX-License-Identifier: MIT
/** Sketch 10: which formula? Cancellation far away, the forgotten R^2, and what a call of pow costs in this browser. */
import { digits, show } from "./sketch.js";

const FURTHEST = 9; // powers of ten
const [LEFT, BOTTOM, WIDTH, HEIGHT] = [2.2, 8, 12.8, 7.2]; // of the graph
const [LEAST, MOST] = [-17, 1]; // powers of ten of the error
const VARIANTS = { components: "warm", citardauq: "a", cross: "b", fast: "good" };
const WORDS = {
  components: "(−b − √(b² − a c)) / a",
  citardauq: "c / (−b + √(b² − a c))",
  cross: "(−b − √(R² a − (p × v)²)) / a",
  fast: "c / (−b + √(R² a − (p × v)²))",
};
const PAIRS = 1000, MILLISECONDS = 15;

// Distances and directions are made without powers and sines, whose last digits differ from program to program.
const STEPS = Array.from({ length: 4 * (FURTHEST - 1) + 1 }, (_, k) => 1 + k / 4);
const DISTANCES = STEPS.map((k) => [1, 1.8, 3.2, 5.6][Math.round(4 * (k % 1))] * Number(`1e${Math.floor(k)}`));
const TURNS = [[3, 4, 5], [5, 12, 13], [8, 15, 17], [7, 24, 25]].flatMap(([a, b, c]) =>
  [[a / c, b / c], [b / c, -a / c], [-a / c, -b / c], [-b / c, a / c]]);
const DIRECTIONS = TURNS.length; // from which the circle comes: a single one may have luck with its roundings

/** For every distance and direction: a circle at 10^k that comes nearer at a speed of 1 and passes at the height h. */
function ways(h) {
  const p = [[], []], v = [[], []];
  for (const far of DISTANCES) {
    for (const [ux, uy] of TURNS) {
      p[0].push(far * ux - h * uy);
      p[1].push(far * uy + h * ux);
      v[0].push(-ux);
      v[1].push(-uy);
    }
  }
  return { p: p.map((column) => Float64Array.from(column)), v: v.map((column) => Float64Array.from(column)) };
}

/** By distance: the worst error of all directions, against the accurate solver. Infinity: an impact is missed. */
function worst(given, right, carom, solver, r = 1) {
  const found = carom.toi.circles(given.p, given.v, r, { solver });
  return STEPS.map((_, k) => Math.max(...right.slice(k * DIRECTIONS, (k + 1) * DIRECTIONS)
    .map((t, turn) => Math.abs(found[k * DIRECTIONS + turn] - t))));
}

/* ---- measuring ---- */

/** Pairs as arrays: half of them approach. */
function pairs() {
  const column = (spread, seed) => Float64Array.from({ length: PAIRS }, (_, k) =>
    spread * (((Math.imul(k + 1, 2654435761) ^ Math.imul(seed, 40503)) >>> 0) / 2 ** 31 - 1));
  return { px: column(8000, 1), py: column(8000, 2), vx: column(1000, 3), vy: column(1000, 4) };
}

const root = (a, b, c) => {
  const d = b * b - a * c;
  return b < 0 && d >= 0 ? (-b - Math.sqrt(d)) / a : Infinity;
};
const dot = (ux, uy, vx, vy) => ux * vx + uy * vy;

/** Ways to write the same equation in JavaScript. */
const SCRIPTS = {
  "Math.pow(x, n), n a variable": (px, py, vx, vy, r, n) =>
    root(Math.pow(vx, n) + Math.pow(vy, n), px * vx + py * vy, Math.pow(px, n) + Math.pow(py, n) - Math.pow(r, n)),
  "x ** 2": (px, py, vx, vy, r) => root(vx ** 2 + vy ** 2, px * vx + py * vy, px ** 2 + py ** 2 - r ** 2),
  "x * x, components": (px, py, vx, vy, r) =>
    root(vx * vx + vy * vy, px * vx + py * vy, px * px + py * py - r * r),
  "x * x, dot products": (px, py, vx, vy, r) =>
    root(dot(vx, vy, vx, vy), dot(px, py, vx, vy), dot(px, py, px, py) - r * r),
};
/** A square alone, as a function of the component x and the exponent. */
const SQUARES = { "Math.pow(x, n)": (x, n) => Math.pow(x, n), "x * x": (x) => x * x };
const LIBRARY = ["pow", "components", "fast", "accurate"];

/** Nanoseconds a pair: the least of five runs. */
function nanoseconds(run) {
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    let calls = 0;
    do {
      run();
      calls++;
    } while (performance.now() - start < MILLISECONDS);
    least = Math.min(least, (1e6 * (performance.now() - start)) / calls / PAIRS);
  }
  return least;
}

/** Measures all ways; between two of them the page may draw. */
async function measure(state, carom) {
  const { px, py, vx, vy } = pairs(), measured = [], pause = () => new Promise((done) => { setTimeout(done); });
  let kept = 0;
  for (const [name, square] of Object.entries(SQUARES)) {
    await pause();
    measured.push([`JavaScript, ${name} alone`, nanoseconds(() => {
      let sum = 0;
      for (let k = 0; k < PAIRS; k++) sum += square(px[k], state.power);
      kept += sum;
    })]);
  }
  for (const [name, solve] of Object.entries(SCRIPTS)) {
    await pause();
    measured.push([`JavaScript, ${name}`, nanoseconds(() => {
      let met = 0;
      for (let k = 0; k < PAIRS; k++) met += solve(px[k], py[k], vx[k], vy[k], 800, state.power) < Infinity ? 1 : 0;
      kept += met;
    })]);
  }
  for (const solver of LIBRARY) {
    await pause();
    measured.push([`Carom, ${solver}`, nanoseconds(() => {
      kept += carom.toi.circles([px, py], [vx, vy], 800, { solver })[0];
    })]);
  }
  return kept === 0 ? {} : { measured };
}

/* ---- the sketch ---- */

/** A power of ten. */
const ten = (power) => `10${[...String(power)].map((sign) => "⁻·⁰¹²³⁴⁵⁶⁷⁸⁹"["-.0123456789".indexOf(sign)]).join("")}`;

/** A small number, as 7.0 · 10⁻⁵. */
function scientific(number) {
  const [digit, power] = number.toExponential(1).split("e");
  return `${digit} · ${ten(Number(power))}`;
}

/** An error in words. */
function offBy(error) {
  if (error === Infinity) return "missed";
  return `off by ${error === 0 ? 0 : scientific(error)}`;
}

const x = (k) => LEFT + (WIDTH * (k - 1)) / (FURTHEST - 1);
const y = (power) => BOTTOM - (HEIGHT * (power - LEAST)) / (MOST - LEAST);

function drawAxes(pen) {
  pen.line(LEFT, BOTTOM, LEFT + WIDTH, BOTTOM, { line: "faint", width: 1 });
  pen.line(LEFT, BOTTOM, LEFT, BOTTOM - HEIGHT, { line: "faint", width: 1 });
  for (let k = 1; k <= FURTHEST; k += 2) {
    pen.text(x(k), BOTTOM, ten(k), { dy: 14, align: "center", colour: "faint" });
  }
  for (let power = -16; power <= 0; power += 4) {
    pen.line(LEFT, y(power), LEFT + WIDTH, y(power), { line: "line", width: 0.5 });
    pen.text(LEFT, y(power), power ? ten(power) : "1", { dx: -6, align: "right", colour: "faint" });
  }
  pen.text(LEFT + WIDTH, BOTTOM, "distance", { dy: 30, align: "right", colour: "faint" });
  pen.text(LEFT, BOTTOM - HEIGHT, "error of t", { dx: 8, dy: -6, colour: "faint" });
}

export const sketch = {
  name: "formula",
  view: [0, 0, 16, 9.8],
  start: { k: 6, h: 0.5, missing: false, power: 2, measured: [] },

  handles: (s) => [
    { name: "distance", x: x(s.k), y: BOTTOM, to: (px) => ({
      k: Math.min(FURTHEST, Math.max(1, Math.round(4 * (1 + ((px - LEFT) / WIDTH) * (FURTHEST - 1))) / 4)),
    }) },
  ],

  controls: [
    { key: "k", label: "distance, power of ten", min: 1, max: FURTHEST, step: 0.25 },
    { key: "h", label: "height at which it passes", min: 0, max: 0.99, step: 0.01 },
    { key: "missing", label: "forget R²", check: true },
    { label: "measure in this browser", run: measure },
  ],

  numbers(s, carom) {
    const given = ways(s.h), right = carom.toi.circles(given.p, given.v, 1, { solver: "accurate" }), error = {};
    for (const solver of Object.keys(VARIANTS)) error[solver] = worst(given, right, carom, solver);
    if (s.missing) error.missing = worst(given, right, carom, "components", 0);
    return { distances: DISTANCES, error };
  },

  draw(pen, s, n) {
    drawAxes(pen);
    pen.line(x(s.k), BOTTOM, x(s.k), BOTTOM - HEIGHT, { line: "faint", dash: [4, 3] });
    for (const [solver, found] of Object.entries(n.error)) {
      const colour = VARIANTS[solver] ?? "hit";
      const points = found.map((error, k) => [x(STEPS[k]), y(Math.min(MOST, Math.max(LEAST, Math.log10(error))))]);
      pen.curve(points, { line: colour, width: 1.5, dash: solver === "fast" || solver === "citardauq" ? [6, 4] : [] });
      points.forEach(([px, py], k) => pen.dot(px, py, found[k] === Infinity ? "hit" : colour, 3));
    }
  },

  readings(s, n) {
    const at = STEPS.indexOf(s.k);
    const rows = Object.keys(VARIANTS).map((solver) => [WORDS[solver], offBy(n.error[solver][at])]);
    if (s.missing) rows.push(["without R²", offBy(n.error.missing[at])]);
    return [...rows, ...s.measured.map(([name, ns]) => [name, `${digits(ns, 1)} ns`])];
  },

  tell(s, n) {
    const off = n.error.components[STEPS.indexOf(s.k)], far = `From ${ten(s.k)} radii away, b² − a c`;
    if (off === Infinity) return `${far} has lost all its digits: impacts are missed.`;
    return off > 1e-3 ? `${far} has lost so many digits that the time is ${offBy(off)}.`
      : `${far} still has digits enough: the time is ${offBy(off)} at most.`;
  },
};

show(sketch);
