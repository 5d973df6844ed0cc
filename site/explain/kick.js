// SPDX-License-Identifier: MIT
/** Sketch 7: kick and dribble, played by the game "soccer" itself, tick by tick. */
import { digits, show } from "./sketch.js";

const RATE = 60;
const LENGTH = 2, WIDTH = 1.8, ROBOT = 0.09, BALL = 0.0215, ARC = 40, REACH = 0.005, RESET = 0.5;
const OPTIONS = {
  league: "original", robots: 1, length: LENGTH, width: WIDTH, arc: ARC, kick_reset: RESET, ticks: 1 << 30,
  goals: 10000,
};
const [BODIES, ROBOTS, NUMBERS, OWN] = [26, 22, 5, 55];

/** The one world that all calls share; every call sets all of it. */
const worlds = new WeakMap();
function worldOf(carom) {
  if (!worlds.has(carom)) worlds.set(carom, new carom.Worlds("soccer", 1, { ...OPTIONS, action_kind: "metric" }));
  return worlds.get(carom);
}

const row = (length, values, rest = 0) => Object.assign(new Array(length).fill(rest), values);
const turn = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

/** The robot's command: go to the target, and turn towards it. */
function command(s) {
  const dx = s.target[0] - s.robot[0], dy = s.target[1] - s.robot[1], far = Math.hypot(dx, dy) > 0.02;
  const spin = far ? 8 * turn(Math.atan2(dy, dx) - s.angle) : 0;
  return [4 * dx, 4 * dy, spin, s.kick ? s.speed : 0, s.dribble ? 1 : 0];
}

/** The state after one tick, by the library. */
function played(s, carom) {
  const world = worldOf(carom);
  world.set("x", row(BODIES, [s.robot[0], s.other[0], s.ball[0]]));
  world.set("y", row(BODIES, [s.robot[1], s.other[1], s.ball[1]]));
  world.set("vx", row(BODIES, [s.robotV[0], 0, s.ballV[0]]));
  world.set("vy", row(BODIES, [s.robotV[1], 0, s.ballV[1]]));
  world.set("angle", row(ROBOTS, [s.angle]));
  world.set("spin", row(ROBOTS, [s.spin]));
  world.set("ready", row(ROBOTS, [s.ready]));
  world.set("holder", row(4, [s.holder], -1));
  world.set("hold_x", row(4, [s.hold[0]]));
  world.set("hold_y", row(4, [s.hold[1]]));
  world.set("tick", [s.now]);
  world.play(1, { actions: row(2 * OWN, command(s)) });

  const get = (name) => world.get(name);
  const [x, y, vx, vy] = ["x", "y", "vx", "vy"].map(get);
  return {
    robot: [x[0], y[0]], robotV: [vx[0], vy[0]], angle: get("angle")[0], spin: get("spin")[0],
    other: [x[1], y[1]], ball: [x[2], y[2]], ballV: [vx[2], vy[2]],
    ready: get("ready")[0], holder: get("holder")[0], hold: [get("hold_x")[0], get("hold_y")[0]], now: get("tick")[0],
    kick: false, kicked: s.kick && get("ready")[0] > s.ready ? s.kicked + 1 : s.kicked,
  };
}

export const sketch = {
  name: "kick",
  view: [-1.1, -0.95, 1.1, 0.95],
  start: {
    robot: [-0.7, 0.3], robotV: [0, 0], angle: 0, spin: 0, target: [-0.1, 0.1], other: [0.6, -0.6],
    ball: [-0.3, 0.17], ballV: [0, 0], ready: 0, holder: -1, hold: [0, 0], now: 0, kicked: 0,
    kick: false, dribble: true, speed: 2, slow: 0.5, carry: 0,
  },

  handles: (s) => [
    { name: "ball", x: s.ball[0], y: s.ball[1], radius: BALL,
      to: (x, y) => ({ ball: [x, y], ballV: [0, 0], holder: -1 }) },
    { name: "robot", x: s.robot[0], y: s.robot[1], radius: ROBOT,
      to: (x, y) => ({ robot: [x, y], robotV: [0, 0], target: [x, y], holder: -1 }) },
    { name: "where the robot goes", x: s.target[0], y: s.target[1], to: (x, y) => ({ target: [x, y] }) },
  ],

  controls: [
    { label: "kick", run: () => ({ kick: true }) },
    { key: "dribble", label: "dribbler on", check: true },
    { key: "speed", label: "speed of a kick", min: 0.5, max: 5, step: 0.1, unit: "m/s" },
    { key: "slow", label: "slow motion", min: 0.05, max: 1, step: 0.05 },
  ],
  resting: { playing: true },

  tick(s, seconds, n, carom) {
    let carry = s.carry + seconds * RATE * s.slow, state = s;
    for (; carry >= 1; carry -= 1) state = { ...state, ...played(state, carom) };
    return { ...state, carry };
  },

  numbers(s, carom) {
    const dx = s.ball[0] - s.robot[0], dy = s.ball[1] - s.robot[1], distance = Math.hypot(dx, dy);
    const bearing = (turn(Math.atan2(dy, dx) - s.angle) * 180) / Math.PI;
    const reaches = distance <= ROBOT + BALL + REACH && Math.abs(bearing) <= ARC;
    return { distance, bearing, reaches, mayKick: s.ready <= s.now, next: played(s, carom) };
  },

  draw(pen, s, n) {
    const [l, w] = [LENGTH / 2, WIDTH / 2];
    pen.curve([[-l, -w], [l, -w], [l, w], [-l, w]], { line: "line", width: 2, closed: true });
    for (const side of [-l, l]) pen.line(side, -0.3, side, 0.3, { line: "good", width: 4 });
    pen.line(0, -w, 0, w, { line: "line", width: 1 });

    const zone = [], arc = (ARC * Math.PI) / 180, far = ROBOT + 2 * BALL + REACH;
    for (let k = -10; k <= 10; k++) {
      const angle = s.angle + (k / 10) * arc;
      zone.push([s.robot[0] + far * Math.cos(angle), s.robot[1] + far * Math.sin(angle)]);
    }
    pen.curve([s.robot, ...zone], { line: "warm", fill: n.reaches ? "warm" : "", soft: true, closed: true, width: 1 });
    pen.circle(...s.robot, ROBOT, { line: "a", fill: "a", soft: true });
    pen.line(...s.robot, s.robot[0] + ROBOT * Math.cos(s.angle), s.robot[1] + ROBOT * Math.sin(s.angle), { line: "a" });
    pen.circle(...s.other, ROBOT, { line: "b", fill: "b", soft: true });
    pen.circle(...s.target, 0.03, { line: "a", dash: [2, 3] });

    pen.circle(...s.ball, BALL, { line: "hit", fill: "hit" });
    pen.arrow(...s.ball, s.ball[0] + s.ballV[0] / 5, s.ball[1] + s.ballV[1] / 5, { line: "hit", width: 1.5 });
  },

  readings: (s, n) => [
    ["distance of the centres", `${digits(n.distance, 3)} m; reach ${digits(ROBOT + BALL + REACH, 4)} m`],
    ["bearing of the ball", `${digits(n.bearing, 0)}° from ahead; at most ${ARC}°`],
    ["speed of the ball", `${digits(Math.hypot(...s.ballV))} m/s`],
    ["next kick", n.mayKick ? "possible" : `in ${s.ready - s.now} ticks`],
    ["place in the robot's frame",
      s.holder === 0 ? `(${digits(s.hold[0], 3)}, ${digits(s.hold[1], 3)}) m, kept` : "free"],
  ],

  tell(s, n) {
    if (s.holder === 0) return "The robot dribbles: the ball keeps its place in front of it, however the robot turns.";
    if (n.reaches) return n.mayKick ? "The ball is within the kicker's arc and reach." : "The kicker is loading.";
    return "The ball is free. Drag the dashed ring to send the robot to the ball.";
  },
};

show(sketch);
