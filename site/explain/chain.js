// SPDX-License-Identifier: MIT
/** Sketch 4: chains. After an impact both stones continue with the rest of the step. */
import { digits, show } from "./sketch.js";

const RADIUS = 0.6;
const MOST = 10; // impacts that are looked for in a step
// Stone 1 goes 50 pixels, of which 7 are a unit of the picture, and meets stone 2 after 35 of them.
const PIXELS = { stones: [[2, 3.6], [8.2, 3.6], [8, 1], [10, 6]], vx: 50 / 7, vy: 0, limit: MOST };
const NAMES = ["1", "2", "3", "4"];
const COLOURS = ["a", "b", "warm", "good"];

/**
 * One step of a scene of four equal, elastic circles: its impacts, and each stone's way as [time, x, y] from knot to
 * knot. After `limit` impacts no more are looked for, and what is left of the step is straight on.
 */
export function play(s, carom) {
  const bodies = s.stones.map(([x, y], k) =>
    ({ x, y, vx: k ? 0 : s.vx, vy: k ? 0 : s.vy, radius: RADIUS, restitution: 1 }));
  const scene = new carom.Scene({ bodies }), worlds = scene.worlds(1);
  const impacts = worlds.play(1, { events: MOST, contacts: true }).impacts().slice(0, s.limit)
    .map(({ first, second, contact }) => ({ ...contact, t: contact.time[0], i: first, j: second }));
  worlds.free();
  scene.free();

  const stones = bodies.map(({ x, y, vx, vy }) => ({ knots: [[0, x, y]], v: [vx, vy] }));
  for (const { t, i, j, centre, after } of impacts) {
    [i, j].forEach((k, side) => {
      stones[k].knots.push([t, ...centre[side]]);
      stones[k].v = after[side];
    });
  }
  for (const { knots, v: [vx, vy] } of stones) {
    const [t, x, y] = knots.at(-1);
    knots.push([1, x + (1 - t) * vx, y + (1 - t) * vy]);
  }
  return { impacts, stones };
}

/** Where a stone is at a time, on its way from knot to knot. */
function at(knots, time) {
  const next = Math.max(1, knots.findIndex(([t]) => t >= time));
  const [t0, x0, y0] = knots[next - 1], [t1, x1, y1] = knots[next];
  const share = t1 > t0 ? (time - t0) / (t1 - t0) : 0;
  return [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
}

/** The bars at the bottom: how much of the step each stone has used, and where an impact parts it. */
function drawBars(pen, n, time) {
  n.knots.forEach((knots, k) => {
    const y = 7.3 + 0.65 * k, left = 1.6, width = 13;
    pen.text(left, y, NAMES[k], { dx: -10, align: "right", colour: COLOURS[k], bold: true });
    pen.line(left, y, left + width, y, { line: "line", width: 7 });
    pen.line(left, y, left + width * time, y, { line: COLOURS[k], width: 7 });
    for (const [t] of knots.slice(1, -1)) pen.dot(left + width * t, y, "hit", 4);
  });
}

export const sketch = {
  name: "chain",
  view: [0, 0, 16, 10],
  start: {
    stones: [[1.5, 3.6], [4.4, 3.7], [7.4, 3.6], [10.2, 3.4]],
    vx: 10, vy: 0, limit: MOST, time: 1,
  },

  handles: (s) => [
    ...s.stones.map(([x, y], k) => ({
      name: `stone ${k + 1}`, x, y, radius: RADIUS,
      to: (nx, ny) => ({ stones: s.stones.map((stone, m) => (m === k ? [nx, Math.min(ny, 6.2)] : stone)) }),
    })),
    {
      name: "velocity of stone 1", x: Math.min(s.stones[0][0] + s.vx, 16), y: s.stones[0][1] + s.vy,
      to: (x, y) => ({ vx: x - s.stones[0][0], vy: Math.min(y, 6.5) - s.stones[0][1] }),
    },
  ],

  controls: [
    { key: "time", label: "time in the step", min: 0, max: 1, step: 0.01 },
    { key: "limit", label: "impacts looked for", min: 0, max: MOST, step: 1 },
    { label: "35 of 50 pixels", set: PIXELS },
    { label: "none looked for", set: { limit: 0 } },
  ],
  resting: { playing: false },
  tick: (s, seconds) => ({ time: s.time >= 1 ? 0 : Math.min(1, s.time + seconds / 4) }),

  numbers(s, carom) {
    const { impacts, stones } = play(s, carom);
    return {
      impacts, ends: stones.map(({ knots, v }) => [...knots.at(-1).slice(1), ...v]),
      knots: stones.map(({ knots }) => knots),
    };
  },

  draw(pen, s, n) {
    const [x, y] = s.stones[0];
    pen.arrow(x, y, x + s.vx, y + s.vy, { line: "line" });
    n.knots.forEach((knots, k) => {
      pen.curve(knots.map(([, kx, ky]) => [kx, ky]), { line: COLOURS[k], width: 1.5 });
      pen.circle(...s.stones[k], RADIUS, { line: COLOURS[k], dash: [2, 4] });
    });
    for (const hit of n.impacts) if (hit.t <= s.time) pen.dot(hit.x, hit.y, "hit", 4);
    n.knots.forEach((knots, k) => {
      const [px, py] = at(knots, s.time);
      pen.circle(px, py, RADIUS, { line: COLOURS[k], fill: COLOURS[k], soft: true });
      pen.text(px, py, NAMES[k], { align: "center", bold: true, colour: COLOURS[k] });
    });
    drawBars(pen, n, s.time);
  },

  readings: (s, n) => n.impacts.map((hit) => [
    `${NAMES[hit.i]} meets ${NAMES[hit.j]}`,
    `after ${digits(100 * hit.t, 1)}% of the step; ${digits(100 - 100 * hit.t, 1)}% is left for both`,
  ]),

  tell(s, n) {
    if (s.limit === 0) return "No impacts are looked for: stone 1 goes to the end of its step, through the rest.";
    if (n.impacts.length === 0) return "Stone 1 meets none of the others in this step.";
    const cut = n.impacts.length === s.limit;
    const many = n.impacts.length === 1 ? "1 impact" : `${n.impacts.length} impacts`;
    return `${many} in one step. After each, both stones go on with their new velocities for the time that is left` +
      (cut ? "; then the search is cut off." : ".");
  },
};

show(sketch);
