// SPDX-License-Identifier: MIT
// Worlds: steps, plays, fields, copies, looks and queries, and errors.

import assert from "node:assert/strict";
import test from "node:test";

import { engines, refuses } from "./engines.mjs";

const { simd: carom } = engines;
const refused = (/** @type {() => void} */ call, /** @type {string} */ status, /** @type {RegExp} */ text) => (
  refuses(assert, call, status, text));

test("step() reads and writes its arrays in place, as play() does", () => {
  const options = { seed: 1, players: [null, "race"], at_end: "reset", repeat: 2, observation: "ego", reward: "own" };
  const [stepped, played] = [new carom.Worlds("csb", 5, options), new carom.Worlds("csb", 5, options)];
  const actions = Float32Array.from({ length: 3 * 5 * 4 }, (_, k) => Math.sin(k));
  assert.deepEqual(stepped.actions.shape, [5, 1, 4]);

  const all = played.play(3, { actions, observations: true, rewards: true, ends: true });
  assert.deepEqual(all.observations.shape, [3, 5, 4, stepped.game.observation_kinds[1].size]);
  for (let k = 0; k < 3; k++) {
    if (k === 1) {
      stepped.actions.set(actions.subarray(20, 40));
      stepped.step();
    } else {
      stepped.step(actions.subarray(20 * k, 20 * k + 20));
    }
    const { observations, rewards } = stepped;
    const part = (array, row) => [...array].slice(k * row, (k + 1) * row);
    assert.deepEqual([...observations], part(all.observations, observations.length));
    assert.deepEqual([...rewards], part(all.rewards, rewards.length));
  }
  assert.equal(stepped.digest(), played.digest());
  assert.equal(stepped.get("tick")[0], 6);
  assert.deepEqual([...stepped.observe()], [...stepped.observations]);
  assert.notEqual(stepped.observe({ observation: "raw" }).length, stepped.observations.length);
});

test("some agents are observed", () => {
  const worlds = new carom.Worlds("csb", 2, { seed: 1, observation: "ego", observed: [1, 2] });
  const [agents, all] = [worlds.observe(), worlds.observe({ observation: "ego" })];
  const { size } = worlds.game.observation_kinds[1];
  assert.deepEqual([agents.shape, all.shape], [[2, 2, size], [2, 4, size]]);
  assert.deepEqual([...agents.subarray(0, 2 * size)], [...all.subarray(size, 3 * size)]);
  refused(() => new carom.Worlds("csb", 1, { observed: [1, 0] }), "argument", /ascending/);
});

test("rows, skip, first, count and own say who does what", () => {
  const worlds = new carom.Worlds("csb", 4, { seed: 2 });
  const given = new carom.Worlds("csb", 4, { seed: 2 });
  const rows = Float32Array.from({ length: 2 * 2 * 4 }, (_, k) => Math.cos(k)); // two rows of two players
  worlds.play(1, { actions: rows, rows: [1, 0, 1, 0] });
  const wide = [1, 0, 1, 0].flatMap((row) => [...rows.subarray(8 * row, 8 * row + 8)]);
  given.play(1, { actions: wide });
  assert.equal(worlds.digest(), given.digest());

  const before = [...worlds.hashes()];
  worlds.play(1, { actions: wide.slice(8), first: 1, count: 3, skip: [0, 1, 0] });
  const changed = [...worlds.hashes()].map((hash, k) => hash !== before[k]);
  assert.deepEqual(changed, [false, true, false, true]);

  const seen = (/** @type {any} */ options) => given.fork(3).play(1, { observations: true, ...options }).observations;
  const [usual, placed] = [seen({}), seen({ places: [3, 0, 1] })];
  const row = usual.length / 3;
  assert.deepEqual(placed.shape, [1, 4, ...usual.shape.slice(2)]);
  [3, 0, 1].forEach((place, w) => {
    assert.deepEqual([...placed.slice(place * row, (place + 1) * row)], [...usual.slice(w * row, (w + 1) * row)]);
  });
  assert.ok(placed.slice(2 * row, 3 * row).every((number) => number === 0));
  refused(() => seen({ places: [1, 0, 1] }), "argument", /same row/);

  const kinds = given.game.action_kinds.map((kind) => kind.name);
  const { size } = given.game.action_kinds[kinds.indexOf("referee")];
  const [first, second] = [3000, 9000].map((at) => Float64Array.from({ length: 4 * size }, (_, k) => at + k));
  const both = [0, 1, 2, 3].flatMap((world) => [first, second].flatMap((acts) => [
    ...acts.slice(world * size, (world + 1) * size)]));
  const [apart, mixed] = [given.copy(), given.copy()];
  given.play(1, { own: { 0: ["referee", first], 1: ["referee", second] } });
  apart.play(1, { action_kind: "referee", actions: both });
  assert.equal(given.digest(), apart.digest());
  mixed.play(1, { own: { 1: ["referee", second] } }); // the first gets no actions: its numbers are 0
  assert.notEqual(mixed.digest(), apart.digest());
});

test("impacts have contacts: circles that touch, on ways that end where bodies are", () => {
  const scene = new carom.Scene({
    bodies: [{ x: 2, y: 2, vx: 3 }, { x: 5, y: 2, mass: 2 }], box: { from: [0, 0], to: [10, 4], horizontal: "solid" },
    dt: 1,
  });
  const worlds = scene.worlds(2);
  const played = worlds.play(1, { events: 4, contacts: true, moved: true });
  const [first] = played.impacts();
  assert.deepEqual([first.tick, first.world, first.first, first.second, first.kind], [0, 0, 0, 1, 0]);
  const { contact } = first;
  assert.ok(Math.abs(contact.time[0] - 1 / 3) < 1e-12);
  assert.deepEqual(contact.before, [[3, 0], [0, 0]]);
  assert.ok(Math.abs(contact.after[0][0] + 1) < 1e-12 && Math.abs(contact.after[1][0] - 2) < 1e-12);
  assert.deepEqual([contact.nx, contact.ny], [1, 0]);
  assert.ok(Math.abs(contact.impulse - 4) < 1e-12);
  const [[x1], [x2]] = contact.centre;
  assert.ok(Math.abs(x2 - x1 - 2) < 1e-12 && Math.abs(contact.x - x1 - 1) < 1e-12);
  const left = 1 - contact.time[0];
  const x = worlds.get("x");
  assert.ok(Math.abs(x1 + contact.after[0][0] * left - x[0]) < 1e-12);
  assert.deepEqual(played.moved.shape, [1, 2, 2, 4]);
  assert.equal(played.moved[0], x[0]);
  assert.equal(worlds.play(1, { events: 4 }).impacts()[0]?.contact, undefined);
  refused(() => worlds.play(1).impacts(), "argument", /no events/);
});

test("results tell how games ended", () => {
  const worlds = new carom.Worlds("csb", 8, { seed: 1, players: ["race", "zero"], at_end: "freeze", ticks: 20 });
  const played = worlds.play(20, { ends: true, results: true });
  assert.deepEqual(played.results.shape, [20, 8]);
  const last = played.results.slice(19 * 8);
  assert.ok(last.every((result) => result.ticks === 20 && result.returns.length === 4 && result.fault === 0));
  assert.ok(last.some((result) => result.winner === 0));
  assert.ok([...played.ends.slice(19 * 8)].every((end) => end === 2));
  assert.deepEqual(worlds.counters().games, 8);
});

test("results of steps are kept, from the first reading on", () => {
  const options = { seed: 1, players: ["race", "zero"], at_end: "reset", ticks: 20 };
  const [worlds, played] = [new carom.Worlds("csb", 8, options), new carom.Worlds("csb", 8, options)];
  assert.deepEqual(worlds.results.map((result) => [result.winner, result.ticks]), Array(8).fill([-1, 0]));
  assert.deepEqual(worlds.results.shape, [8]);
  for (let tick = 0; tick < 25; tick++) {
    worlds.step();
  }
  const { results } = played.play(20, { results: true });
  assert.deepEqual(worlds.results.map((result) => result), results.slice(19 * 8));
  assert.ok(worlds.nbytes > 8 * 4 * 40 && new carom.Worlds("csb", 16000).nbytes > 16000 * 4 * 40);
});

test("fields are copied, set and viewed in place", () => {
  const worlds = new carom.Worlds("csb", 20, { seed: 3 });
  assert.deepEqual(Object.keys(worlds.fields).slice(0, 6), ["id", "episode", "tick", "end", "fault", "frozen"]);
  const x = worlds.get("x");
  assert.deepEqual(x.shape, [20, 4]);
  worlds.set("x", x.map((value) => value + 1));
  assert.deepEqual([...worlds.get("x", { first: 17, count: 2 })], [...x.slice(68, 76)].map((value) => value + 1));
  worlds.set("vx", 7, { first: 3, count: 1 });
  assert.deepEqual([...worlds.get("vx", { first: 2, count: 3 })], [0, 0, 0, 0, 7, 7, 7, 7, 0, 0, 0, 0]);

  const view = worlds.view("x");
  const [tile, element, lane] = view.strides;
  for (const [world, k] of [[0, 0], [15, 3], [16, 1], [19, 3]]) {
    assert.equal(view[Math.floor(world / 16) * tile + k * element + world % 16 * lane], x[4 * world + k] + 1);
  }
  assert.deepEqual(view.shape, [2, 4, 16]);

  const hash = worlds.digest();
  refused(() => worlds.set("x", NaN), "value", /x|finite/);
  refused(() => worlds.set("x", [1, 2]), "argument", /80 numbers are expected, not 2/);
  refused(() => worlds.set("y", 1, { first: 20, count: 1 }), "argument", /count/);
  refused(() => worlds.get("radius"), "argument", /field of csb: "radius" is unknown; there are id, /);
  assert.equal(worlds.digest(), hash, "a refused call changes nothing");
});

test("copies, forks, records and saves are the same worlds", () => {
  const worlds = new carom.Worlds("soccer", 6, { seed: 4, players: ["striker", "random"], robots: 3 });
  worlds.play(30);
  const copy = worlds.copy();
  assert.equal(copy.digest(), worlds.digest());
  assert.deepEqual(copy.counters(), worlds.counters());
  copy.play(5);
  worlds.play(5);
  assert.equal(copy.digest(), worlds.digest());

  const fork = worlds.fork(3, 5);
  assert.ok([...fork.hashes()].every((hash) => hash === worlds.hashes()[5]));
  worlds.put(0, worlds.record(5));
  assert.equal(worlds.hashes()[0], worlds.hashes()[5]);
  worlds.put_records(copy.records([3, 2]), [1, 4]);
  assert.deepEqual([worlds.hashes()[1], worlds.hashes()[4]], [copy.hashes()[3], copy.hashes()[2]]);
  worlds.put_records(copy.records());
  assert.equal(worlds.digest(), copy.digest());
  refused(() => worlds.put_records(copy.records([0]).slice(1), [0]), "size", /./);
  worlds.load(copy.save());
  assert.equal(worlds.digest(), copy.digest());

  const before = worlds.hashes();
  worlds.copy_from(worlds, { to: [0, 1, 2], worlds: [1, 2, 0] });
  assert.deepEqual([...worlds.hashes()], [before[1], before[2], before[0], ...before.slice(3)]);
  worlds.fork_from(copy, 4, { first: 2, count: 2 });
  assert.deepEqual([...worlds.hashes().slice(2, 4)], [copy.hashes()[4], copy.hashes()[4]]);

  const children = worlds.fork(4);
  children.expand(copy, 2, { worlds: [5, 5, 0, 1], players: ["zero", "zero"] });
  copy.play(2, { players: ["zero", "zero"] });
  assert.deepEqual([...children.hashes()], [5, 5, 0, 1].map((world) => copy.hashes()[world]));
  const damaged = copy.save();
  damaged[damaged.length >> 1] ^= 1;
  refused(() => worlds.load(damaged), "format", /damaged/);
});

test("games begin again: reset, restart, reseed", () => {
  const worlds = new carom.Worlds("csb", 3, { seed: 5, first_id: 7n });
  const start = worlds.digest();
  worlds.play(3);
  worlds.reset();
  assert.equal(worlds.digest(), start);
  worlds.restart([0, 1, 0], { seeds: 2n ** 63n, ids: [1, 2, 3] });
  assert.deepEqual([...worlds.seeds()], [5n, 2n ** 63n, 5n]);
  assert.deepEqual([...worlds.get("id")].filter((_, k) => k % 2 === 0), [7, 2, 9]);
  worlds.reseed(6);
  assert.equal(worlds.seed, 6n);
});

test("what a world looks like, and where its things are", () => {
  const scene = new carom.Scene({
    bodies: [{ x: 2, y: 2 }, { x: 7, y: 2, ay: -1, acts: true }], walls: [{ a: [0, 0], b: [9, 0] }],
    box: { from: [0, 0], to: [10, 8], horizontal: "periodic", vertical: "solid" }, dt: 0.5,
  });
  const worlds = scene.worlds();
  const { view, shapes, bodies, numbers } = worlds.look();
  assert.deepEqual([view.dt, view.wrap_x, view.wrap_y, view.y_down], [0.5, 10, 0, false]);
  assert.ok(shapes.some((shape) => shape.kind === "line" && shape.style === "wall" && shape.x2 === 9));
  assert.deepEqual([bodies.length, bodies[1].style, bodies[1].ay, bodies[0].name], [2, "first", -1, "body"]);
  assert.ok(Array.isArray(numbers));
  assert.deepEqual(Object.keys(worlds.look(0, ["bodies"])), ["bodies"]);
  assert.deepEqual([...worlds.look_numbers(0, ["x", "radius"])], [2, 1, 7, 1]);
  assert.match(worlds.svg(0, { width: 320, dark: true, captions: false }), /^<svg|^<\?xml/);
  const pixels = worlds.rgb_array(0, { width: 320 });
  assert.deepEqual([pixels.shape[1], pixels.shape[2], pixels.length], [320, 3, 3 * 320 * pixels.shape[0]]);
  assert.ok(new Set(pixels).size > 8);
  refused(() => worlds.rgb_array(0, { width: 321 }), "value", /rgb_array/);

  assert.equal(worlds.cast({ x: 2, y: 2, dx: 1, dy: 0, ignore: 0, range: 9 }).index, 1);
  refused(() => worlds.cast({ x: 2, y: 2 }), "value", /range inf/);
  const [near, far] = worlds.nearest([{ x: 3, y: 3.5 }, { x: 3, y: 3.5, range: 0.1 }]);
  assert.deepEqual([near.kind, near.index, far.kind], ["body", 0, "none"]);
  const found = worlds.within({ x: 2, y: 2, radius: 0.5 });
  assert.deepEqual([found.count, found.found[0].inside], [1, true]);
  assert.equal(worlds.within({ x: 4, y: 2, range: 6 }, { capacity: 1 }).found.length, 1);
  refused(() => worlds.cast({ x: 2, y: 2, world: 1 }), "argument", /world/);
});

test("games tell what they are", () => {
  const { csb, soccer } = carom.games;
  assert.deepEqual(Object.keys(carom.games).sort(), ["csb", "fall", "fantastic_bits", "soccer", "stones"]);
  assert.deepEqual([csb.players, csb.bodies, csb.policies[0], csb.title], [2, 4, "race", "Coders Strike Back"]);
  assert.equal(soccer.options.robots.type, "count");
  assert.equal(csb.options.rules.default, csb.options.rules.choices[0]);
  assert.equal(csb.observations.ego.length, csb.observation_kinds[1].size);
  assert.ok(csb.observations.raw[0].low < csb.observations.raw[0].high);
  assert.equal(carom.csb_base_map(0).shape[1], 2);
  refused(() => carom.csb_base_map(13), "argument", /13/);
  const worlds = new carom.Worlds("csb", 1, { map_count: 2 });
  const map = worlds.csb_map(worlds.get("map")[0]);
  assert.deepEqual([map.laps, map.checkpoints.shape[0] >= 2], [3, true]);
  const box = carom.fall_box();
  assert.deepEqual([box.length, box[0].corners.length, box[4].radius], [8, 4, 0.05]);
  const [own, usual] = [{ bodies: box, scatter: 0 }, { scatter: 0 }].map((given) => new carom.Worlds("fall", 1, given));
  assert.deepEqual([...own.get("x")].slice(4), [...usual.get("x")].slice(4));
  assert.deepEqual(carom.bodies(2, { radius: 0.5, x: [1, 4] }), [{ radius: 0.5, x: 1 }, { radius: 0.5, x: 4 }]);
  assert.equal(new carom.Scene({ bodies: carom.bodies(3, { x: [0, 3, 6] }) }).bodies.length, 3);
  refused(() => carom.bodies(2, { x: [1] }), "argument", /x: 2 values are expected, not 1/);
  assert.equal(carom.fantastic_bits_line("MOVE 100 200 50").length, 4);
  refused(() => carom.fantastic_bits_line("DANCE"), "value", /DANCE/);
});

test("what is wrong is refused, and names what is wrong", () => {
  refused(() => new carom.Worlds("chess"), "argument", /"chess" is unknown; there are csb/);
  refused(() => new carom.Worlds("csb", 0), "argument", /count: a whole number from 1/);
  refused(() => new carom.Worlds("csb", 1, { seeds: 1 }), "argument", /option of csb: "seeds" is unknown/);
  refused(() => new carom.Worlds("csb", 1, { ticks: 0 }), "value", /ticks/);
  refused(() => new carom.Worlds("csb", 1, { players: ["race"] }), "argument", /each of 2 players/);
  refused(() => new carom.Worlds("csb", 1, { players: ["race", "rave"] }), "argument", /policy of csb: "rave"/);
  refused(() => new carom.Worlds("csb", 1, { at_end: "stop" }), "argument", /at_end/);
  refused(() => new carom.Worlds("csb", 1, { precision: "f32" }), "unsupported", /csb/);
  refused(() => new carom.Worlds("csb", 1, { seed: -1 }), "argument", /seed/);
  const worlds = new carom.Worlds("csb", 2);
  refused(() => worlds.play(1, { tick: 2 }), "argument", /option of play: "tick"/);
  refused(() => worlds.play(0), "argument", /ticks/);
  refused(() => worlds.play(1, { actions: [1] }), "argument", /16 numbers/);
  refused(() => worlds.play(1, { own: { 0: ["referee", []] }, players: ["race", null] }), "argument", /own/);
  refused(() => worlds.look(2), "argument", /world/);
  refused(() => new carom.Worlds("soccer", 2).copy_from(worlds), "argument",
    /from a batch of csb, but this is a batch of soccer/);
});
