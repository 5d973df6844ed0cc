// SPDX-License-Identifier: MIT
// Scenes, replays, rollouts, searches and gases: arguments, results and errors.

import assert from "node:assert/strict";
import test from "node:test";

import { engines, refuses } from "./engines.mjs";

const { simd: carom } = engines;
const refused = (/** @type {() => void} */ call, /** @type {string} */ status, /** @type {RegExp} */ text) => (
  refuses(assert, call, status, text));

test("a scene is made of an object or of text, and says what it is", () => {
  const scene = new carom.Scene({ bodies: [{ x: 1, mass: Infinity }, { x: 4.1, vx: 1e-3 }], speed_limit: Infinity });
  assert.deepEqual([scene.engine, scene.game.bodies], ["wide", 2]);
  const told = scene.description();
  assert.deepEqual([told.bodies[0].mass, told.bodies[1].x], [Infinity, 4.1]);
  const again = carom.Scene.from_json(scene.to_json());
  assert.equal(again.to_json(), scene.to_json());
  refused(() => new carom.Scene({ bodies: [{ radius: -1 }] }), "value", /body 0: radius -1/);
  refused(() => new carom.Scene({ bodies: [{ colour: "red" }] }), "format", /colour/);
  refused(() => new carom.Scene("{"), "format", /./);
  refused(() => new carom.Scene({ bodies: [] }), "argument", /bod/);
});

test("worlds of a scene outlive it", () => {
  const scene = new carom.Scene({ bodies: [{ vx: 1 }] });
  const worlds = scene.worlds(2);
  scene.free();
  worlds.play(3);
  assert.equal(worlds.get("x")[1], 3);
  refused(() => scene.to_json(), "argument", /freed/);
  worlds.free();
  worlds.free();
  refused(() => worlds.play(1), "argument", /freed/);
});

test("parameters that vary are fields", () => {
  const worlds = new carom.Scene({ bodies: [{ vx: 1 }, { x: 5 }], varies: ["restitution", "radius"] }).worlds(2);
  worlds.set("restitution", [1, 1, 0, 0]);
  worlds.play(8);
  const vx = worlds.get("vx");
  assert.deepEqual([vx[0], vx[1], vx[2], vx[3]], [0, 1, 0.5, 0.5]);
});

test("a recording plays again to the same bits, forwards and back", () => {
  const worlds = new carom.Worlds("csb", 4, { seed: 1, players: [null, "race"], map_count: 2 });
  const recording = worlds.recording({ worlds: [2, 0], keyframe_ticks: 8 });
  refused(() => worlds.recording(), "argument", /already/);
  recording.note({ kind: "name", player: 1, text: "Zoë" });
  for (let k = 0; k < 10; k++) {
    worlds.step(k / 10);
  }
  recording.note({ kind: "message", world: 1, player: 0, text: "go" });
  worlds.play(12, { actions: Float32Array.from({ length: 12 * 16 }, (_, k) => Math.sin(k)) });
  assert.ok(recording.bytes().length > 100);
  const bytes = recording.close();
  const [second, first] = [worlds.hashes()[2], worlds.hashes()[0]];
  worlds.play(1);

  const replay = new carom.Replay(bytes);
  assert.deepEqual([replay.game, replay.worlds, replay.ticks, replay.whole, replay.precision, replay.seed],
    ["csb", 2, 22, true, "f64", 1n]);
  assert.deepEqual(replay.notes, [
    { kind: "name", tick: 0, world: 0, player: 1, text: "Zoë" },
    { kind: "message", tick: 10, world: 1, player: 0, text: "go" },
  ]);
  assert.equal(replay.verify(), null);
  const seen = [];
  do {
    seen.push(String(replay.hashes()));
  } while (replay.step());
  assert.deepEqual([...replay.hashes()], [second, first]);
  assert.equal(replay.step(), false);
  assert.deepEqual(replay.actions(3).map((array) => array.shape), [[2, 4], [2, 4]]);
  assert.ok(Math.abs(replay.actions(3)[0][0] - 0.3) < 1e-6);

  replay.seek(9);
  assert.equal(String(replay.hashes()), seen[9]);
  const told = replay.step({ events: 4, contacts: true, rewards: true });
  assert.deepEqual(told.rewards.shape, [1, 2, 2]);
  assert.equal(String(replay.hashes()), seen[10]);
  const fork = replay.fork();
  assert.equal(String(fork.hashes()), seen[10]);
  fork.play(2, { players: ["race", "race"] });
  assert.equal(String(replay.hashes()), seen[10], "a fork is on its own");
  assert.equal(fork.copy().digest(), fork.digest());
  refused(() => fork.fork(2), "argument", /replay/);
  assert.equal(replay.look(1).bodies.length, 4);

  replay.free();
  fork.play(2);
  assert.equal(fork.get("tick")[0], 14);

  const changed = bytes.slice();
  changed[bytes.length - 40] ^= 64;
  let found = null;
  try {
    found = new carom.Replay(changed).verify();
  } catch (error) {
    found = error;
  }
  assert.notEqual(found, null, "a change is seen");
  refused(() => new carom.Replay(bytes.slice(0, 20)), "format", /./);
  refused(() => new carom.Replay(bytes).seek(23), "argument", /tick/);
});

test("rollouts take what each player does, and give what is asked for", () => {
  const roots = new carom.Worlds("csb", 2, { seed: 3 });
  const hash = roots.digest();
  const each = Float32Array.from({ length: 2 * 5 * 3 * 4 }, (_, k) => Math.sin(k));
  const found = carom.rollout(roots, {
    k: 5, horizon: 3, actions: Object.assign(each, { shape: [2, 5, 3, 4] }), opponent: "race", rewards: true,
    lengths: true, depths: [0, 3], observation: "ego", discount: 0.5, final_weight: 0,
  });
  assert.deepEqual([found.returns.shape, found.rewards.shape, found.observations.shape.slice(0, 4)],
    [[2, 5, 2], [2, 5, 3, 2], [2, 5, 2, 4]]);
  const [a, b, c] = [0, 2, 4].map((k) => found.rewards[k]);
  assert.equal(found.returns[0], a + 0.5 * b + 0.25 * c);
  assert.ok([...found.lengths].every((length) => length === 3));
  assert.equal(roots.digest(), hash, "roots stay as they are");
  const best = found.best[2];
  assert.deepEqual([...found.first_actions()].slice(4), [...each.subarray((5 + best) * 12, (5 + best) * 12 + 4)]);
  const [most] = [...found.returns].filter((_, k) => k % 2 === 0).slice(0, 5).sort((x, y) => y - x);
  assert.equal(found.returns[2 * found.best[0]], most);

  const wide = carom.rollout(roots, { k: 2, horizon: 1, actions: [[[1, 0, 0, 0]], [[0, 0, 1, 0]]], opponent: "zero" });
  assert.equal(wide.returns[0], wide.returns[2], "the same for every k");
  const finals = roots.fork(4);
  const ended = carom.rollout(roots, { k: 2, horizon: 4, players: ["zero", "zero"], finals, horizons: [4, 2] });
  assert.equal(ended.returns.length, 8);
  assert.deepEqual([...finals.get("tick")], [4, 4, 2, 2]);
  refused(() => carom.rollout(roots, { k: 0 }), "argument", /k: /);
  refused(() => carom.rollout(roots, { action_kind: "referee" }), "argument", /normalised/);
  refused(() => found.actions(1, [[0], [0]]), "argument", /played by the library/);
  refused(() => carom.rollout(roots, { weights: { speed: 1 } }), "argument", /feature/);
});

test("draws are what rollouts draw", () => {
  const roots = new carom.Worlds("csb", 2, { seed: 3 });
  const given = { actions: carom.gaussian(0.25, 0.5, { hold: 2 }), seed: 7 };
  const drawn = carom.draws(roots, 3, 4, given);
  assert.deepEqual(drawn.shape, [2, 3, 2, 4]);
  const found = carom.rollout(roots, { k: 3, horizon: 4, opponent: "zero", ...given });
  assert.deepEqual([...found.actions(0, [[2, 0], [1, 2]])],
    [2, 0, 4, 5].flatMap((sequence) => [...drawn.slice(8 * sequence, 8 * sequence + 8)]));
  assert.ok(new Set(drawn).size > 40);
  refused(() => carom.draws(roots, 0, 4), "argument", /k: /);
});

test("a search plans, is watched, and is valued by the caller", () => {
  const roots = new carom.Worlds("csb", 2, { seed: 3 });
  const options = { horizon: 4, rollouts: 256, sequences: 64, opponent: ["race", "zero"], against: "mean", seed: 1 };
  const [plain, watched] = [new carom.Search(roots, options), new carom.Search(roots, options)];
  const seen = [];
  watched.watch((drawn) => {
    const { numbers, returns } = drawn.sequences(1);
    const some = drawn.sequences(1, [5, 0]);
    assert.deepEqual([numbers.shape, returns.length], [[drawn.count, 4, 4], drawn.count]);
    assert.deepEqual([...some.returns], [returns[5], returns[0]]);
    seen.push([drawn.generation, drawn.player, Math.max(...returns)]);
  });
  assert.deepEqual([...watched.run(roots)], [...plain.run(roots)], "the same bits");
  assert.deepEqual(seen.map(([generation]) => generation), seen.map((_, k) => k));
  assert.equal(seen.length, plain.report().generations.length);
  assert.ok(Math.max(...seen.map(([, , most]) => most)) <= plain.returns()[1] + 1e-9);
  const [{ rollouts }] = plain.report().generations;
  assert.ok(rollouts > 0 && plain.report().rollouts === 512);
  watched.watch(() => {
    refused(() => watched.plan(), "argument", /in use/);
    refused(() => roots.play(1), "argument", /in use/);
    throw new RangeError("enough");
  });
  assert.throws(() => watched.run(roots), { name: "RangeError", message: "enough" });
  assert.equal(watched.report().generations.length, 1, "what a watch throws ends the run");
  assert.ok(watched.plan().every(Number.isFinite));
  watched.watch(null);
  const count = seen.length;
  watched.run(roots);
  assert.equal(seen.length, count, "nobody watches");

  const other = new carom.Search(roots, options);
  other.load(plain.save());
  assert.deepEqual([...other.plan()], [...plain.plan()]);
  other.set_plan(null);
  other.set_budget({ rollouts: 16 });
  other.run(roots);
  assert.equal(other.report().rollouts, 32);
  refused(() => other.set_budget({}), "argument", /one of the two/);

  let calls = 0;
  const valued = new carom.Search(roots, {
    horizon: 3, rollouts: 64, sequences: 16, final_weight: 1, reward_weight: 0, observation: "ego",
    value: (leaves) => {
      calls++;
      return Float64Array.from({ length: leaves.shape[0] * 2 }, (_, k) => leaves[(k >> 1) * leaves.length
        / leaves.shape[0]]);
    },
  });
  assert.equal(valued.run(roots).shape[1], 4);
  assert.ok(calls >= 2);
  refused(() => new carom.Search(roots, { planner: "best" }), "argument", /planner/);
  refused(() => new carom.Search(roots, { plan: 1 }), "argument", /option of Search/);
});

test("a gas is saved, copied, set and drawn", () => {
  const gas = new carom.Gas(64, 0.3, { seed: 5n });
  gas.run(4);
  const saved = gas.save();
  const twin = carom.Gas.restore(saved);
  gas.run(4);
  twin.run(4);
  assert.equal(twin.digest(), gas.digest());
  assert.equal(gas.time, 8);
  const state = gas.state();
  assert.deepEqual(state.shape, [4, 64]);
  twin.set_state(state);
  assert.equal(twin.time, 0);
  assert.deepEqual([...twin.state()], [...state]);
  assert.equal(gas.unwrapped().length, 128);
  assert.match(gas.svg({ width: 200 }), /<svg/);
  const order = carom.measures.bond_order(gas.state(), [gas.side, gas.side], { disks: 64 });
  assert.ok(order.length === 128 && order.every((part) => Math.abs(part) <= 1));
  gas.forget();
  assert.equal(gas.measure().collisions, 0);
  refused(() => new carom.Gas(100, 0.95), "value", /100 disks do not fit/);
  refused(() => gas.set_state(new Float64Array(256)), "value", /set_state/);
  refused(() => carom.Gas.restore(saved.slice(1)), "format", /restore/);
});

test("solvers take numbers, arrays, and refuse what has not one length", () => {
  const { toi } = carom;
  assert.deepEqual([...toi.circles([5, 0], [-1, 0], 1)], [4]);
  assert.deepEqual([...toi.circles([[5, 3], 0], [-1, 0], [1, 2])], [4, 1]);
  const pair = toi.indexed([[0, 5, 9], 0], [[1, 0, 0], 0], 0.5, [0, 0], [1, 2], { also: ["nx"] });
  assert.deepEqual([[...pair.t], [...pair.nx]], [[4, 8], [1, 1]]);
  const { t, index } = toi.first([0, 0], [1, 0], 0.5, [[9, 5], 0], [0, 0], 0.5);
  assert.deepEqual([t[0], index[0]], [4, 1]);
  assert.deepEqual([...toi.one([0, 0], [1, 0], 0.5, [[9, 5], 0], [0, 0], 0.5).t], [8, 4]);
  assert.deepEqual(toi.within([[5, 9], 0], [-1, 0], 1, 5), [true, false]);
  assert.deepEqual([...toi.line([0, 5], [3, -1], 1, [0, 0], [1, 0]).t], [4]);
  assert.deepEqual([...toi.point([0, 5], [0, -1], 1, [0, 0]).t], [4]);
  const arc = toi.arc([0, 0], [1, 0], 1, [0, 0], 5, [0, 0], [0, 0]);
  assert.deepEqual([arc.t[0], arc.feature[0]], [4, 3]);
  assert.ok(Math.abs(toi.accelerated_arc([0, 0], [0, 0], [2, 0], 1, [0, 0], 5, [0, 0], [0, 0]).t[0] - 2) < 1e-12);
  const { roots, count } = toi.accelerated_line_roots([0, 5], [0, 0], [0, -2], 1, [0, 0], [1, 0]);
  assert.equal(count[0], 4);
  assert.ok(Math.abs(roots[2] - 2) < 1e-12);
  assert.equal(toi.accelerated_point([0, 5], [0, 0], [0, -2], 1, [0, 0]).t[0], 2);
  assert.equal(toi.accelerated_box([0, 5], [0, 0], [0, -2], 1, [-1, -1], [1, 0]).t[0], 2);
  assert.deepEqual(toi.variants().map((variant) => variant.name).slice(0, 2), ["pow", "pow-folded"]);
  assert.equal(toi.circles([5, 0], [-1, 0], 1, { solver: "pow" })[0], 4);
  refused(() => toi.circles([[1, 2, 3], [1, 2]], [0, 0], 1), "argument", /one length/);
  refused(() => toi.circles(1, [0, 0], 1), "argument", /pair/);
  refused(() => toi.circles([1, 2], [0, 0], "one"), "argument", /number/);
  refused(() => toi.circles([1, 2], [0, 0], 1, { solver: "root" }), "argument", /solver: "root" is unknown/);
  refused(() => toi.segment([1, 2], [0, 0], 1, [0, 0], [1, 0], { limit: -1 }), "argument", /segment/);
});
