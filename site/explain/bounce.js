// SPDX-License-Identifier: MIT
/** Sketch 5: velocities after an impact, by three laws, each played by the library: a scene, and two of its games. */
import { digits, show } from "./sketch.js";

const A = [6.5, 5];
const RADIUS = 1.2;
const SPEED = 100; // of the games, for one unit of the picture
const MINIMUM = 120; // Coders Strike Back: the least half impulse

const RADIAN = Math.PI / 180;
const GRAPH = { x: 11.3, y: 8.9, width: 4.1, height: 2.2 };

const dot = (u, v) => u[0] * v[0] + u[1] * v[1];
const plus = (u, factor, v) => [u[0] + factor * v[0], u[1] + factor * v[1]];
const times = (factor, v) => [factor * v[0], factor * v[1]];
const centreOfB = (s) => [A[0] + 2 * RADIUS * Math.cos(s.turn), A[1] + 2 * RADIUS * Math.sin(s.turn)];

/**
 * Plays a tick of worlds, and tells their first impact as the library records it: velocities after it, in the order A,
 * B, and the impulse. `scale` is the game's speed for one unit of the picture.
 */
function impactOf(worlds, given = {}, scale = 1) {
  const [hit] = worlds.play(1, { ...given, events: 4, contacts: true }).impacts();
  worlds.free();
  if (!hit) return null;
  const after = hit.contact.after.map((v) => times(1 / scale, v)), [va, vb] = hit.first === 0 ? after : after.reverse();
  return { va, vb, impulse: hit.contact.impulse / scale };
}

/** Newton: two circles of a scene, half a tick before they meet. */
function newton(carom, s, { va, vb, ma, mb }) {
  const body = (centre, v, mass, restitution) => {
    const [x, y] = plus(centre, -0.5, v);
    return { x, y, vx: v[0], vy: v[1], radius: RADIUS, mass, restitution };
  };
  const scene = new carom.Scene({ bodies: [body(A, va, ma, s.e), body(centreOfB(s), vb, mb, 1)] });
  const found = impactOf(scene.worlds(1));
  scene.free();
  return found;
}

/** Coders Strike Back: two pods of one player, without thrust, a quarter of a tick before they meet. */
function strikeBack(carom, s, { va, vb, n }) {
  const worlds = new carom.Worlds("csb", 1), radius = 400;
  const places = [[8000, 4500], plus([8000, 4500], 2 * radius, n)]
    .map((centre, k) => plus(centre, -SPEED / 4, [va, vb][k]));
  ["x", "y"].forEach((name, axis) => {
    worlds.set(name, [places[0][axis], places[1][axis], 200, axis ? 8800 : 200]);
    worlds.set(`v${name}`, [SPEED * va[axis], SPEED * vb[axis], 0, 0]);
  });
  const pod = (shield) => [0, -1, shield ? -1 : 0]; // turn, thrust, shield
  const actions = [...pod(s.shieldA), ...pod(s.shieldB), ...pod(false), ...pod(false)];
  return impactOf(worlds, { actions, action_kind: "normalised_full" }, SPEED);
}

/** Stones in worlds side by side, one for each of `ways`: { va, vb, n, pa, pb }; all others are far away. */
function stoneWorlds(carom, ways) {
  const worlds = new carom.Worlds("stones", ways.length, { players: ["zero", "zero"] });
  const count = worlds.fields.px.elements, radius = 20, before = 1e-3;
  const row = (first, second, far) => Array.from({ length: count }, (_, k) => [first, second][k] ?? far(k));
  const set = (name, make) => worlds.set(name, ways.flatMap(make));
  const none = () => 0, away = (k) => 5000 + 200 * k;
  ["px", "py"].forEach((name, axis) => set(name, ({ va, vb, n }) => row(
    300 - before * va[axis], 300 + 2 * radius * n[axis] - before * vb[axis], away)));
  set("speed", ({ va, vb }) => row(Math.hypot(...va), Math.hypot(...vb), none));
  set("course", ({ va, vb }) => row(Math.atan2(va[1], va[0]), Math.atan2(vb[1], vb[0]), none));
  set("power", ({ pa, pb }) => row(pa, pb, () => 1));
  return worlds;
}

/** The stone game: a moment before two stones meet. The faster one strikes. */
function stones(carom, s, { va, vb, n }) {
  const after = impactOf(stoneWorlds(carom, [{ va, vb, n, pa: s.pa, pb: s.pb }]));
  if (!after) return null;
  const aStrikes = Math.hypot(...va) >= Math.hypot(...vb);
  const kept = aStrikes ? Math.hypot(...after.va) / Math.hypot(...va) : Math.hypot(...after.vb) / Math.hypot(...vb);
  return { ...after, aStrikes, kept };
}

/** By angle of approach in degrees: the shares of the speed that the striker keeps and that the struck stone gets. */
const curves = new WeakMap();
function sharesByAngle(carom) {
  if (!curves.has(carom)) {
    const angles = Array.from({ length: 19 }, (_, k) => Math.min(5 * k, 89));
    const worlds = stoneWorlds(carom, angles.map((angle) => (
      { va: [4, 0], vb: [0, 0], n: [Math.cos(angle * RADIAN), Math.sin(angle * RADIAN)], pa: 1, pb: 1 })));
    const hits = worlds.play(1, { events: 4, contacts: true }).impacts();
    worlds.free();
    curves.set(carom, hits.map(({ world, contact }) =>
      [angles[world], ...contact.after.map((v) => Math.hypot(...v) / 4)]));
  }
  return curves.get(carom);
}

const LAWS = { newton, csb: strikeBack, stones };

/** Masses by the law: Coders Strike Back knows 1, and 10 for a raised shield. */
const massesOf = (s) => (s.law === "csb" ? [s.shieldA ? 10 : 1, s.shieldB ? 10 : 1] : [s.ma, s.mb]);

/** The share of the speed that striker and struck stone have afterwards, over the angle of approach. */
function drawShares(pen, n) {
  const { x, y, width, height } = GRAPH, at = (angle, share) => [x + (width * angle) / 90, y - height * share];
  pen.curve([at(0, 1), at(0, 0), at(90, 0)], { line: "faint", width: 1 });
  pen.text(...at(90, 1), "share of the speed", { dy: -14, align: "right", colour: "faint" });
  const below = { dy: 12, align: "center", colour: "faint" };
  for (const angle of [0, 30, 60, 90]) pen.text(...at(angle, 0), `${angle}°`, below);
  pen.curve(n.shares.map(([angle, striker]) => at(angle, striker)), { line: "good", width: 2 });
  pen.curve(n.shares.map(([angle, , struck]) => at(angle, struck)), { line: "warm", width: 2 });
  pen.text(...at(66, 0.72), "striker", { align: "center", colour: "good" });
  pen.text(...at(66, 0.28), "struck", { align: "center", colour: "warm" });
  if (n.after.kept === undefined) return;
  const angle = Math.asin(Math.min(1, n.after.kept)) / RADIAN;
  pen.line(...at(angle, 0), ...at(angle, 1), { line: "hit", dash: [3, 3] });
  pen.dot(...at(angle, n.after.kept), "hit", 4);
}

export const sketch = {
  name: "bounce",
  view: [0, 0, 16, 10],
  start: {
    turn: 0.6, vax: 3, vay: 0.6, vbx: -1.6, vby: 0.4, law: "newton", ma: 1, mb: 1, e: 1,
    shieldA: false, shieldB: false, pa: 1, pb: 1,
  },

  formula: (s) => s.law,

  handles(s) {
    const [bx, by] = centreOfB(s);
    return [
      {
        name: "B, around A", x: bx, y: by, radius: RADIUS * 0.6,
        to: (x, y) => ({ turn: Math.atan2(y - A[1], x - A[0]) }),
      },
      { name: "velocity of A", x: A[0] + s.vax, y: A[1] + s.vay, to: (x, y) => ({ vax: x - A[0], vay: y - A[1] }) },
      { name: "velocity of B", x: bx + s.vbx, y: by + s.vby, to: (x, y) => ({ vbx: x - bx, vby: y - by }) },
    ];
  },

  controls: [
    { key: "law", label: "law", options: { newton: "Newton", csb: "Coders Strike Back", stones: "stones" } },
    { key: "ma", label: "mass of A", min: 0.1, max: 10, step: 0.1, shown: (s) => s.law === "newton" },
    { key: "mb", label: "mass of B", min: 0.1, max: 10, step: 0.1, shown: (s) => s.law === "newton" },
    { key: "e", label: "restitution", min: 0, max: 1, step: 0.05, shown: (s) => s.law === "newton" },
    { key: "shieldA", label: "A has raised its shield", check: true, shown: (s) => s.law === "csb" },
    { key: "shieldB", label: "B has raised its shield", check: true, shown: (s) => s.law === "csb" },
    { key: "pa", label: "power of A", min: 1, max: 3, step: 1, shown: (s) => s.law === "stones" },
    { key: "pb", label: "power of B", min: 1, max: 3, step: 1, shown: (s) => s.law === "stones" },
    { label: "head-on", set: { turn: 0, vax: 4, vay: 0, vbx: 0, vby: 0 } },
    { label: "a graze", set: { turn: 1.4, vax: 4, vay: 0, vbx: 0, vby: 0 } },
  ],

  numbers(s, carom) {
    const va = [s.vax, s.vay], vb = [s.vbx, s.vby], n = [Math.cos(s.turn), Math.sin(s.turn)];
    const closing = dot(va, n) - dot(vb, n), [ma, mb] = massesOf(s);
    const after = (closing > 0 && LAWS[s.law](carom, s, { va, vb, n, ma, mb })) || { va, vb, impulse: 0 };
    const momentum = (u, v) => plus(times(ma, u), mb, v), energy = (u, v) => (ma * dot(u, u) + mb * dot(v, v)) / 2;
    return {
      va, vb, n, closing, ma, mb, after,
      momentum: [momentum(va, vb), momentum(after.va, after.vb)],
      energy: [energy(va, vb), energy(after.va, after.vb)],
      ...(s.law === "stones" ? { shares: sharesByAngle(carom) } : {}),
    };
  },

  draw(pen, s, n) {
    const B = centreOfB(s), touch = plus(A, RADIUS, n.n), tangent = [n.n[1], -n.n[0]];
    pen.line(...plus(A, -3, n.n), ...plus(B, 3, n.n), { line: "line" });
    pen.line(...plus(touch, -4, tangent), ...plus(touch, 4, tangent), { line: "line", dash: [4, 4] });
    pen.circle(...A, RADIUS, { line: "a", fill: "a", soft: true });
    pen.circle(...B, RADIUS, { line: "b", fill: "b", soft: true });

    for (const [centre, before, after, colour] of [[A, n.va, n.after.va, "a"], [B, n.vb, n.after.vb, "b"]]) {
      const along = plus(centre, dot(before, n.n), n.n);
      pen.curve([centre, along, plus(centre, 1, before)], { line: "faint", dash: [2, 3], width: 1 });
      pen.arrow(...centre, ...plus(centre, 1, before), { line: colour, dash: [5, 4], width: 1.5 });
      pen.arrow(...centre, ...plus(centre, 1, after), { line: colour, width: 3 });
    }
    const difference = plus(n.va, -1, n.vb), then = plus(n.after.va, -1, n.after.vb);
    pen.arrow(...touch, ...plus(touch, 1, difference), { line: "warm", dash: [5, 4], width: 1.5 });
    pen.arrow(...touch, ...plus(touch, 1, then), { line: "warm", width: 2 });
    pen.dot(...touch, "hit", 4);
    pen.text(...A, "A", { dx: -14, dy: -12, bold: true, colour: "a" });
    pen.text(...B, "B", { dx: 10, dy: 12, bold: true, colour: "b" });
    if (n.shares) drawShares(pen, n);
  },

  readings(s, n) {
    const pair = ([x, y]) => `(${digits(x)}, ${digits(y)})`;
    const rows = [
      ["A after", `${pair(n.after.va)}, speed ${digits(Math.hypot(...n.after.va))}`],
      ["B after", `${pair(n.after.vb)}, speed ${digits(Math.hypot(...n.after.vb))}`],
      ["closing speed", `${digits(n.closing)}; after the impact ${digits(dot(plus(n.after.va, -1, n.after.vb), n.n))}`],
      ["momentum", `${pair(n.momentum[0])} → ${pair(n.momentum[1])}`],
      ["energy", `${digits(n.energy[0])} → ${digits(n.energy[1])}`],
    ];
    if (s.law !== "stones") rows.push(["impulse", digits(s.law === "csb" ? SPEED * n.after.impulse : n.after.impulse)]);
    if (n.after.kept !== undefined) rows.push(["share the striker keeps", digits(n.after.kept)]);
    return s.law === "stones" ? rows.filter(([name]) => !["momentum", "energy"].includes(name)) : rows;
  },

  tell(s, n) {
    if (n.closing <= 0 || n.after.impulse === 0) return "They are parting, or slide past each other: nothing happens.";
    if (s.law === "stones") {
      return `${n.after.aStrikes ? "A" : "B"} is the faster one and strikes. It leaves along the tangent with ` +
        `${digits(100 * n.after.kept, 0)}% of its speed; the other leaves along the line of centres with the rest.`;
    }
    const half = (n.closing * SPEED) / (1 / n.ma + 1 / n.mb);
    if (s.law === "csb" && half < MINIMUM) {
      return `Half of the impulse would be ${digits(half, 0)}, less than ${MINIMUM}: the game adds ${MINIMUM} ` +
        "instead of doubling it, so even a gentle touch pushes hard.";
    }
    return "Along the line of centres the impact is one-dimensional; across it both velocities stay as they were.";
  },
};

show(sketch);
