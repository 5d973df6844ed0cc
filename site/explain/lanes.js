// SPDX-License-Identifier: MIT
/** Sketch 12: how lanes share one tick. Worlds side by side in registers, and which of them wait. */
import { digits, show } from "./sketch.js";

const WORLDS = 32, TICKS = 200, EVENTS = 32;
const [LEFT, WIDTH, CELL] = [0.6, 14.8, 0.56];
const [TOP, LOWER] = [1, 5.2];
const TIMELINE = 10; // where all ticks are shown, with the impacts of each
const ROWS = 5; // rounds that fit into a half of the picture

/** Impacts of each world in each tick: 32 races of Coders Strike Back, played by the library. */
const kept = new WeakMap();
function impactsOf(carom, policy) {
  const known = kept.get(carom) ?? {};
  if (!known[policy]) {
    const worlds = new carom.Worlds("csb", WORLDS, { seed: 1, players: [policy, policy] });
    const counts = Array.from({ length: TICKS }, () => new Array(WORLDS).fill(0));
    for (const { tick, world } of worlds.play(TICKS, { events: EVENTS }).impacts()) counts[tick][world]++;
    worlds.free();
    kept.set(carom, { ...known, [policy]: counts });
  }
  return kept.get(carom)[policy];
}

/** Registers that are worked on in a tick if the lanes of a register wait for the slowest of them. */
function waiting(counts, lanes) {
  let passes = 0;
  for (let first = 0; first < WORLDS; first += lanes) passes += 1 + Math.max(...counts.slice(first, first + lanes));
  return passes;
}

/** The same if worlds that have an impact are packed side by side after every round. */
function packed(counts, lanes) {
  let passes = WORLDS / lanes;
  for (let round = 1; counts.some((count) => count >= round); round++)
    passes += Math.ceil(counts.filter((count) => count >= round).length / lanes);
  return passes;
}

const tickX = (tick) => LEFT + (WIDTH * tick) / (TICKS - 1);
const sum = (list) => list.reduce((total, next) => total + next, 0);
const x = (column, lanes) => LEFT + (column * WIDTH) / WORLDS + Math.floor(column / lanes) * 0.08 * (lanes / 8);

function drawCell(pen, column, row, top, lanes, style) {
  const left = x(column, lanes), wide = WIDTH / WORLDS - 0.06, y = top + row * CELL;
  pen.curve([[left, y], [left + wide, y], [left + wide, y + CELL - 0.1], [left, y + CELL - 0.1]],
    { line: "line", width: 1, closed: true, ...style });
}

export const sketch = {
  name: "lanes",
  view: [0, 0, 16, 10.4],
  start: { policy: "ram", lanes: 8, tick: 60 },

  handles: (s) => [
    { name: "tick", x: tickX(s.tick), y: TIMELINE,
      to: (px) => ({ tick: Math.min(TICKS - 1, Math.max(0, Math.round(((px - LEFT) / WIDTH) * (TICKS - 1)))) }) },
  ],

  controls: [
    { key: "tick", label: "tick", min: 0, max: TICKS - 1, step: 1 },
    { key: "policy", label: "pods", options: { race: "race", ram: "ram each other", random: "at random" } },
    { label: "2 lanes (SSE4, WebAssembly)", set: { lanes: 2 } },
    { label: "4 lanes (AVX2)", set: { lanes: 4 } },
    { label: "8 lanes (AVX-512)", set: { lanes: 8 } },
  ],
  resting: { playing: false },
  tick: (s, seconds) => ({ carry: ((s.carry ?? 0) + 4 * seconds) % 1,
    tick: (s.tick + Math.floor((s.carry ?? 0) + 4 * seconds)) % TICKS }),

  numbers(s, carom) {
    const all = impactsOf(carom, s.policy), counts = all[s.tick];
    return {
      counts, impacts: all.map(sum), waiting: waiting(counts, s.lanes), packed: packed(counts, s.lanes),
      meanWaiting: sum(all.map((tick) => waiting(tick, s.lanes))) / TICKS,
      meanPacked: sum(all.map((tick) => packed(tick, s.lanes))) / TICKS,
      meanImpacts: sum(all.map(sum)) / TICKS / WORLDS,
      work: WORLDS + sum(counts),
    };
  },

  draw(pen, s, n) {
    pen.text(LEFT, TOP - 0.5, `All lanes wait for the slowest: ${n.waiting} registers`);
    n.counts.forEach((count, world) => {
      const first = world - (world % s.lanes), most = Math.max(...n.counts.slice(first, first + s.lanes));
      for (let row = 0; row <= Math.min(most, ROWS); row++) {
        drawCell(pen, world, row, TOP, s.lanes, row <= count ? { fill: row ? "hit" : "a", soft: row === 0 } : {});
      }
    });

    pen.text(LEFT, LOWER - 0.5, `Packed after each round: ${n.packed} registers`);
    for (let row = 0; row <= ROWS; row++) {
      const active = n.counts.filter((count) => count >= row).length;
      const columns = Math.ceil(active / s.lanes) * s.lanes;
      for (let column = 0; column < columns; column++) {
        drawCell(pen, column, row, LOWER, s.lanes, column < active ? { fill: row ? "hit" : "a", soft: row === 0 } : {});
      }
    }

    pen.text(LEFT, TIMELINE - 1.4, "Impacts in each tick", { colour: "faint" });
    pen.line(LEFT, TIMELINE, LEFT + WIDTH, TIMELINE, { line: "line" });
    n.impacts.forEach((count, tick) => {
      const high = TIMELINE - Math.min(1, count / WORLDS), line = tick === s.tick ? "hit" : "faint";
      if (count) pen.line(tickX(tick), TIMELINE, tickX(tick), high, { line, width: 1.5 });
    });
    pen.dot(tickX(s.tick), TIMELINE, "hit", 5);
  },

  readings: (s, n) => [
    ["impacts in this tick", `${sum(n.counts)} in ${WORLDS} worlds; the most in one world: ${Math.max(...n.counts)}`],
    ["registers: waiting, packed", `${n.waiting}, ${n.packed}`],
    ["lanes at work", `${digits((100 * n.work) / (s.lanes * n.waiting), 0)}%, ` +
      `${digits((100 * n.work) / (s.lanes * n.packed), 0)}%`],
    [`means of ${TICKS} ticks`, `${digits(n.meanWaiting)} registers waiting, ${digits(n.meanPacked)} packed; ` +
      `${digits(n.meanImpacts, 3)} impacts a world`],
  ],

  tell: (s, n) => sum(n.counts) === 0
    ? "No world has an impact in this tick: all lanes look once, and are done."
    : `${n.counts.filter((count) => count > 0).length} of ${WORLDS} worlds have an impact in this tick. ` +
      `Waiting takes ${n.waiting} registers, packing ${n.packed}.`,
};

show(sketch);
