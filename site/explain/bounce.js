// SPDX-License-Identifier: MIT
/** Sketch 5: velocities after an impact, by three laws: Newton's, Coders Strike Back's, and the stone game's. */
import { digits, show } from "./sketch.js";

const A = [6.5, 5];
const RADIUS = 1.2;
const SPEED = 100; // of the games, for one unit of the picture
const MINIMUM = 120; // Coders Strike Back: the least half impulse

const dot = (u, v) => u[0] * v[0] + u[1] * v[1];
const plus = (u, factor, v) => [u[0] + factor * v[0], u[1] + factor * v[1]];
const times = (factor, v) => [factor * v[0], factor * v[1]];
const centreOfB = (s) => [A[0] + 2 * RADIUS * Math.cos(s.turn), A[1] + 2 * RADIUS * Math.sin(s.turn)];

/** Newton: an impulse along the line of centres; the closing speed c becomes -e c. */
function newton({ va, vb, n, closing, ma, mb, e }) {
  const impulse = ((1 + e) * closing) / (1 / ma + 1 / mb);
  return { va: plus(va, -impulse / ma, n), vb: plus(vb, impulse / mb, n), impulse };
}

/** Coders Strike Back: elastic, but at least half of the impulse is 120; a shield makes a pod ten times as heavy. */
function strikeBack({ va, vb, n, closing, ma, mb }) {
  const half = (closing * SPEED) / (1 / ma + 1 / mb);
  const impulse = (half < MINIMUM ? half + MINIMUM : 2 * half) / SPEED;
  return { va: plus(va, -impulse / ma, n), vb: plus(vb, impulse / mb, n), impulse };
}

/** Stones: the faster one strikes. The other leaves along the line of centres, the striker along the tangent. */
function stones({ va, vb, n, pa, pb }) {
  const aStrikes = Math.hypot(...va) >= Math.hypot(...vb);
  const [v, speed] = aStrikes ? [va, Math.hypot(...va)] : [vb, Math.hypot(...vb)];
  const normal = aStrikes ? n : times(-1, n), tangent = [normal[1], -normal[0]];
  const across = dot(v, tangent) / speed; // the sine of the angle of approach
  const struck = times(((speed * (aStrikes ? pa : pb)) / (aStrikes ? pb : pa)) * (1 - Math.abs(across)), normal);
  const striker = times(speed * Math.abs(across) * (across > 0 ? 1 : -1), tangent);
  return { va: aStrikes ? striker : struck, vb: aStrikes ? struck : striker, across: Math.abs(across), aStrikes };
}

const LAWS = { newton, csb: strikeBack, stones };

/** Masses by the law: Coders Strike Back knows 1, and 10 for a raised shield. */
const massesOf = (s) => (s.law === "csb" ? [s.shieldA ? 10 : 1, s.shieldB ? 10 : 1] : [s.ma, s.mb]);

export const sketch = {
  name: "bounce",
  view: [0, 0, 16, 10],
  start: {
    turn: 0.6, vax: 3, vay: 0.6, vbx: -1.6, vby: 0.4, law: "newton", ma: 1, mb: 1, e: 1,
    shieldA: false, shieldB: false, pa: 1, pb: 1,
  },

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

  numbers(s) {
    const va = [s.vax, s.vay], vb = [s.vbx, s.vby], n = [Math.cos(s.turn), Math.sin(s.turn)];
    const closing = dot(va, n) - dot(vb, n), [ma, mb] = massesOf(s);
    const given = { va, vb, n, closing, ma, mb, e: s.e, pa: s.pa, pb: s.pb };
    const after = closing > 0 ? LAWS[s.law](given) : { va, vb };
    const momentum = (u, v) => plus(times(ma, u), mb, v), energy = (u, v) => (ma * dot(u, u) + mb * dot(v, v)) / 2;
    return {
      va, vb, n, closing, ma, mb, after,
      momentum: [momentum(va, vb), momentum(after.va, after.vb)],
      energy: [energy(va, vb), energy(after.va, after.vb)],
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
    if (n.after.across !== undefined) rows.push(["share the striker keeps", digits(n.after.across)]);
    return s.law === "stones" ? rows.filter(([name]) => !["momentum", "energy"].includes(name)) : rows;
  },

  tell(s, n) {
    if (n.closing <= 0) return "They are parting, or slide past each other: nothing happens.";
    if (s.law === "stones") {
      return `${n.after.aStrikes ? "A" : "B"} is the faster one and strikes. It leaves along the tangent with ` +
        `${digits(100 * n.after.across, 0)}% of its speed; the other leaves along the line of centres with the rest.`;
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
