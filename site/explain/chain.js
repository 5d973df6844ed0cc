// SPDX-License-Identifier: MIT
/** Sketch 4: chains. After an impact both stones go on with the part of the step that is left. */
import { digits, impact, show } from "./sketch.js";

const RADIUS = 0.6;
const NAMES = ["1", "2", "3", "4"];
const COLOURS = ["a", "b", "warm", "good"];

/** The earliest impact of any pair within `left`, or only `left` where there is none. */
function firstImpact(stones, left, carom) {
  let first = { t: left };
  stones.forEach((one, i) => stones.slice(i + 1).forEach((two, k) => {
    const found = impact(carom, [two.x - one.x, two.y - one.y], [two.vx - one.vx, two.vy - one.vy], 2 * RADIUS);
    if (found.t < first.t) first = { t: found.t, nx: found.nx, ny: found.ny, i, j: i + 1 + k };
  }));
  return first;
}

/** Equal masses, elastic: both exchange the parts of their velocities along the line of centres. */
function bounce(one, two, nx, ny) {
  const closing = (one.vx - two.vx) * nx + (one.vy - two.vy) * ny;
  one.vx -= closing * nx;
  one.vy -= closing * ny;
  two.vx += closing * nx;
  two.vy += closing * ny;
}

/** Plays one step, from impact to impact; after `limit` impacts, no more are looked for. */
export function play(s, carom) {
  const stones = s.stones.map(([x, y], k) => ({ x, y, vx: k ? 0 : s.vx, vy: k ? 0 : s.vy, knots: [[0, x, y]] }));
  const impacts = [];
  for (let now = 0; now < 1;) {
    const first = impacts.length < s.limit ? firstImpact(stones, 1 - now, carom) : { t: 1 - now };
    const { t, i, j } = first;
    now = i === undefined ? 1 : now + t;
    for (const stone of stones) {
      stone.x += stone.vx * t;
      stone.y += stone.vy * t;
    }
    if (i !== undefined) {
      const [one, two] = [stones[i], stones[j]];
      bounce(one, two, first.nx, first.ny);
      for (const stone of [one, two]) stone.knots.push([now, stone.x, stone.y]);
      impacts.push({ t: now, i, j, x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 });
    }
  }
  for (const stone of stones) stone.knots.push([1, stone.x, stone.y]);
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
    vx: 10, vy: 0, limit: 10, time: 1,
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
    { key: "limit", label: "impacts looked for", min: 0, max: 10, step: 1 },
    { label: "none looked for", set: { limit: 0 } },
  ],
  resting: { playing: false },
  tick: (s, seconds) => ({ time: s.time >= 1 ? 0 : Math.min(1, s.time + seconds / 4) }),

  numbers(s, carom) {
    const { impacts, stones } = play(s, carom);
    return { impacts, ends: stones.map(({ x, y, vx, vy }) => [x, y, vx, vy]), knots: stones.map(({ knots }) => knots) };
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
