// SPDX-License-Identifier: MIT
/** Sketch 11: hard disks, from gas to crystal: pressure and order of a gas that the library plays. */
import { digits, show } from "./sketch.js";

const BODIES = 340;
const FORGET = 8; // units of time until what is measured no longer depends on the lattice at the start, below 0.65
const PICTURE = 8.4; // side of the box in the picture
const [LEFT, BOTTOM, WIDTH, HEIGHT] = [10.2, 7.4, 5.4, 6.6]; // of the graph
const [THINNEST, DENSEST, STRONGEST] = [0.05, 0.75, 14];

/** The gas of a packing, played to a time after it was forgotten. One gas is kept, and played on where it can be. */
const kept = new WeakMap();
function gasAt(carom, packing, time) {
  let found = kept.get(carom);
  if (!found || found.packing !== packing || found.time > time) {
    found?.gas.free();
    found = { packing, time: 0, gas: new carom.Gas(BODIES, packing) };
    found.gas.run(FORGET);
    found.gas.forget();
    kept.set(carom, found);
  }
  if (time > found.time) found.gas.run(time - found.time);
  found.time = time;
  return found.gas;
}

const x = (packing) => LEFT + (WIDTH * packing) / DENSEST;
const y = (z) => BOTTOM - (HEIGHT * Math.min(z, STRONGEST)) / STRONGEST;

/** A disk's colour by how much of its surroundings is a hexagon. */
const colourOf = (psi) => (psi > 0.85 ? "good" : psi > 0.6 ? "warm" : "faint");

function drawGraph(pen, s, n) {
  pen.line(LEFT, BOTTOM, LEFT + WIDTH, BOTTOM, { line: "faint", width: 1 });
  pen.line(LEFT, BOTTOM, LEFT, BOTTOM - HEIGHT, { line: "faint", width: 1 });
  for (const packing of [0, 0.2, 0.4, 0.6]) {
    pen.text(x(packing), BOTTOM, packing, { dy: 12, align: "center", colour: "faint" });
  }
  for (const z of [1, 5, 10]) pen.text(LEFT, y(z), z, { dx: -6, align: "right", colour: "faint" });
  pen.text(LEFT + WIDTH, BOTTOM, "packing", { dy: 26, align: "right", colour: "faint" });
  pen.text(LEFT, BOTTOM - HEIGHT, "pressure", { dx: 4, dy: -8, colour: "faint" });
  pen.line(LEFT, y(1), LEFT + WIDTH, y(1), { line: "line", dash: [3, 3] });
  pen.text(LEFT + WIDTH, BOTTOM - HEIGHT, "order", { dy: -8, align: "right", colour: "good" });
  for (const [packing, z, order] of s.measured) {
    pen.dot(x(packing), y(z), "a", 3);
    pen.dot(x(packing), y(STRONGEST * order), "good", 3);
  }
  pen.dot(x(s.packing), y(STRONGEST * n.order), "good", 5);
  if (Number.isFinite(n.pressure)) pen.dot(x(s.packing), y(n.pressure), "hit", 5);
}

/** Measures a short gas at every packing of the axis; between two of them the page may draw. */
async function measureAll(state, carom) {
  const measured = [];
  for (let packing = 0.1; packing <= DENSEST; packing += 0.05) {
    await new Promise((done) => { setTimeout(done); });
    const rounded = Math.round(100 * packing) / 100, n = sketch.numbers({ packing: rounded, time: 0.5 }, carom);
    measured.push([rounded, n.pressure, n.order]);
  }
  return { measured };
}

export const sketch = {
  name: "disks",
  view: [0, 0, 16, 9],
  start: { packing: 0.55, time: 0.5, speed: 0.5, measured: [] },

  handles: (s) => [
    {
      name: "packing", x: x(s.packing), y: BOTTOM,
      to: (px) => {
        const packing = Math.round((100 * DENSEST * (px - LEFT)) / WIDTH) / 100;
        return { packing: Math.min(DENSEST, Math.max(THINNEST, packing)), time: 0.5 };
      },
    },
  ],

  controls: [
    { key: "packing", label: "packing", min: THINNEST, max: DENSEST, step: 0.01, also: { time: 0.5 } },
    { key: "speed", label: "units of time a second", min: 0.05, max: 4, step: 0.05 },
    { label: "measure all packings", run: measureAll },
    { label: "a gas", set: { packing: 0.3, time: 0.5 } },
    { label: "a dense liquid", set: { packing: 0.68, time: 0.5 } },
    { label: "a crystal", set: { packing: 0.74, time: 0.5 } },
  ],
  resting: { playing: true },

  tick(s, seconds, n) {
    const others = s.measured.filter(([packing]) => packing !== s.packing);
    return { time: s.time + seconds * s.speed, measured: [...others, [s.packing, n.pressure, n.order]] };
  },

  numbers(s, carom) {
    const gas = gasAt(carom, s.packing, s.time), found = gas.measure(), places = gas.state().slice(0, 2 * BODIES);
    const psi = carom.measures.bond_order(places, [gas.side, gas.side]);
    const re = psi.slice(0, BODIES), im = psi.slice(BODIES), mean = (list) => list.reduce((a, b) => a + b, 0) / BODIES;
    return {
      side: gas.side, places, strength: Float64Array.from(re, (part, k) => Math.hypot(part, im[k])),
      pressure: found.compressibility, collisions: Number(found.collisions), time: found.time,
      order: Math.hypot(mean(re), mean(im)), local: mean(Array.from(re, (part, k) => Math.hypot(part, im[k]))),
    };
  },

  draw(pen, s, n) {
    const scale = PICTURE / n.side, corner = 0.3;
    pen.curve([[corner, corner], [corner + PICTURE, corner], [corner + PICTURE, corner + PICTURE],
      [corner, corner + PICTURE]], { line: "line", closed: true });
    for (let k = 0; k < BODIES; k++) {
      const colour = colourOf(n.strength[k]);
      pen.circle(corner + scale * n.places[k], corner + scale * n.places[BODIES + k], scale / 2,
        { line: colour, fill: colour, soft: true, width: 1 });
    }
    drawGraph(pen, s, n);
  },

  readings: (s, n) => [
    ["pressure P V / (N kT)", digits(n.pressure)],
    ["collisions", `${n.collisions} in ${digits(n.time)} units of time`],
    ["order of all disks together", digits(n.order)],
    ["order around each disk", digits(n.local)],
  ],

  tell(s, n) {
    const pressed = `The pressure is ${digits(n.pressure, 1)} times that of an ideal gas`;
    if (n.order > 0.6) return `${pressed}. The disks stand in hexagons that all point the same way: a crystal.`;
    if (n.local > 0.6) return `${pressed}. Many disks have six neighbours around them, but no common direction.`;
    return `${pressed}. There is no order among the disks: a gas.`;
  },
};

show(sketch);
