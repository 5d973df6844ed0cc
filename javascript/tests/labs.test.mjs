// SPDX-License-Identifier: MIT
// Laboratories and gases that are watched, and measures of disks.

import assert from "node:assert/strict";
import test from "node:test";

import { engines, refuses } from "./engines.mjs";

const { simd: carom } = engines;
const refused = (/** @type {() => void} */ call, /** @type {string} */ status, /** @type {RegExp} */ text) => (
  refuses(assert, call, status, text));

/** A mixture with solid sides above and below: a scene of the deep engine. */
const mixture = (/** @type {any} */ given = {}) => {
  const radii = Float64Array.from({ length: 100 }, (_, k) => (k % 4 === 0 ? 1 : 0.5));
  return new carom.Lab(null, 0.5, { radii, masses: radii.map((r) => 4 * r * r), aspect: 2, vertical: "solid", ...given });
};

test("laboratories are saved and copied, and tell what they are", () => {
  for (const lab of [new carom.Lab(100, 0.4, { seed: 5n }), mixture()]) {
    lab.run(4);
    const twin = lab.copy();
    assert.equal(twin.time, 4);
    lab.run(4);
    twin.run(4);
    assert.equal(twin.digest(), lab.digest());
    assert.deepEqual([...twin.unwrapped()], [...lab.unwrapped()]);
    assert.ok(lab.collisions > 0 && !lab.fault && lab.isa === "wasm128");
    twin.set_state(lab.state());
    assert.deepEqual([twin.time, [...twin.state()]], [0, [...lab.state()]]);
    assert.match(lab.svg({ width: 200 }), /<svg/);
  }
  const lab = mixture({ field: [0, -0.5] });
  assert.deepEqual([lab.bodies, lab.periodic], [100, [true, false]]);
  assert.ok(Math.abs(lab.size[0] - 2 * lab.size[1]) < 1e-9);
  assert.deepEqual([lab.radii[0], lab.radii[1], lab.masses[0], lab.masses[99]], [1, 0.5, 4, 1]);
  const area = lab.radii.reduce((sum, r) => sum + Math.PI * r * r, 0);
  assert.ok(Math.abs(area / (lab.size[0] * lab.size[1]) - 0.5) < 1e-9);
  refused(() => lab.load(mixture().save().slice(1)), "format", /load/);
  refused(() => new carom.Lab(100, 0.95), "value", /packing|reach/);
  refused(() => new carom.Lab(100, 0.5, { start: "shaken" }), "argument", /start: "shaken" is unknown/);
  refused(() => new carom.Lab(10, 0.5, { radii: [1, 2] }), "argument", /radii: 10 numbers are expected, not 2/);
});

test("watchers see all, and change nothing", () => {
  const [gas, alone] = [new carom.Gas(200, 0.5, { box: "solid" }), new carom.Gas(200, 0.5, { box: "solid" })];
  const [frames, events] = [[], []];
  assert.equal(gas.run(8, { interval: 0.5, sample: (one) => frames.push(one), events: (some) => events.push(...some) }),
    true);
  alone.run(8);
  assert.equal(gas.digest(), alone.digest());
  assert.deepEqual(frames.map((one) => [one.time, one.step]), Array.from({ length: 16 }, (_, k) => [0.5 * (k + 1), k + 1]));
  const last = frames.at(-1);
  assert.deepEqual([last.state.shape, last.unwrapped.shape], [[4, 200], [2, 200]]);
  assert.deepEqual([[...last.state], [...last.unwrapped]], [[...gas.state()], [...gas.unwrapped()]]);
  const { collisions, sides } = alone.measure();
  const hits = (/** @type {number} */ kind) => events.filter((event) => event.kind === kind);
  assert.deepEqual([hits(0).length, hits(1).length], [collisions, sides]);
  assert.ok(events.every((event, k) => k === 0 || event.time >= events[k - 1].time));
  const sum = (/** @type {number[]} */ list) => [...list].reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum(hits(1).map((event) => event.impulse_x)) - sum(gas.state().slice(400, 600))) < 1e-9);
  assert.deepEqual([gas.size, gas.periodic, gas.radii[0], gas.masses[9]], [[gas.side, gas.side], [false, false], 0.5, 1]);
  assert.ok(gas.nbytes > 200 * 32);

  const times = [];
  new carom.Gas(200).run(8, { interval: 4, window: 0.25, events: (some) => { times.push(...some.map((e) => e.time)); } });
  assert.ok(times.length > 0 && times.every((time) => time % 4 < 0.25) && times.some((time) => time > 4));
});

test("a watcher ends a run, by its answer or by throwing, and cannot use what runs", () => {
  const lab = mixture();
  assert.equal(lab.run(8, { interval: 0.5, sample: (one) => one.step < 3 }), false);
  assert.equal(lab.time, 1.5);
  const failing = (/** @type {any} */ one) => {
    refused(() => lab.run(1), "argument", /in use/);
    refused(() => lab.free(), "argument", /in use/);
    const other = new carom.Gas(32, 0.2);
    assert.equal(other.run(1, { interval: 1, sample: (two) => two.step === 1 }), true, "another may run within");
    throw new RangeError(`at ${one.step}`);
  };
  assert.throws(() => lab.run(8, { interval: 0.5, sample: failing }), { name: "RangeError", message: "at 4" });
  assert.equal(lab.time, 2);
  assert.throws(() => lab.run(8, { events: () => { throw new TypeError("none"); } }), TypeError);
  assert.equal(lab.run(1), true);
  refused(() => lab.run(1, { sample: () => true }), "argument", /interval: required with sample/);
  refused(() => lab.run(1, { sample: () => true, interval: -1 }), "argument", /interval: -1 is not above 0/);
  refused(() => lab.run(1, { window: 0 }), "argument", /window/);
  refused(() => lab.run(-1), "argument", /time/);
});

test("measures of disks: order, structure, distances, and a series", () => {
  const { measures } = carom;
  const gas = new carom.Gas(120, 0.3);
  const box = [gas.side, gas.side];
  gas.run(10);
  const state = gas.state();
  const { r, g } = measures.pair_distribution(state, box, gas.side / 2, 64);
  assert.deepEqual([r.length, g.length], [64, 64]);
  assert.ok(r.every((at, k) => at >= 0.9 || g[k] === 0), "disks do not overlap");
  assert.ok(g.some((value) => value > 1) && g.slice(-8).every((value) => Math.abs(value - 1) < 0.3));
  const closed = measures.pair_distribution(state, box, gas.side / 4, 16, { periodic: [false, false] });
  assert.equal(closed.g.length, 16);
  const { k, s } = measures.structure_factor(state, box);
  assert.ok(k.length === s.length && k.length > 100 && s.every((value) => value >= 0));
  const m = k.indexOf(Math.min(...k));
  const [kx, n] = [k[m], gas.bodies];
  const along = [0, 1].map((axis) => {
    const place = state.slice(axis * n, axis * n + n);
    const [re, im] = [Math.cos, Math.sin].map((f) => place.reduce((sum, at) => sum + f(kx * at), 0));
    return (re * re + im * im) / n;
  });
  assert.ok(along.some((value) => Math.abs(value - s[m]) < 1e-9), "the longest wave lies along an axis");

  const order = measures.bond_order(state, box);
  assert.deepEqual(order.shape, [2, 120]);
  assert.deepEqual([...measures.bond_order([...state], box, { disks: 120 })], [...order]);
  const lattice = measures.bond_order(new carom.Gas(120, 0.7).state(), [1, 1].map(() => new carom.Gas(120, 0.7).side));
  assert.ok(lattice.every((part) => Math.abs(part) <= 1));

  const even = measures.series(Array.from({ length: 64 }, (_, at) => at % 2));
  assert.deepEqual([even.mean, even.stationary], [0.5, true]);
  const rising = measures.series(Float64Array.from({ length: 64 }, (_, at) => at));
  assert.ok(rising.drift > 2.58 && !rising.stationary);
  assert.ok(Number.isNaN(measures.series([1]).error));
  refused(() => measures.pair_distribution(state, box, gas.side), "value", /pair_distribution/);
  refused(() => measures.structure_factor(state, [1, NaN]), "argument", /box/);
  refused(() => measures.series([]), "value", /series/);
});
