// SPDX-License-Identifier: MIT
// The same bits as everywhere: results of games, scenes, rollouts, searches, gases and solvers, in both modules,
// against the table with which the Python package is compared, too.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

import { engines, expected } from "./engines.mjs";

/** @param {any} data bytes, or an array of numbers */
const sha = (data) => createHash("sha256").update(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  .digest("hex").slice(0, 16);
const shaOfText = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const joined = (/** @type {any[]} */ ...arrays) => Float64Array.from(arrays.flatMap((array) => [...array]));

/** As of the Python test: numbers in [-1, 1). */
function columns(n, count) {
  let state = 1;
  return Array.from({ length: count }, () => Float64Array.from({ length: n }, () => {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  }));
}

for (const [name, carom] of Object.entries(engines)) {
  for (const { game, count, ticks, options, ...wanted } of expected.games) {
    test(`${name}: ${game}, seed ${options.seed}`, () => {
      const worlds = new carom.Worlds(game, count, options);
      const played = worlds.play(ticks, { events: 4, rewards: true, observations: true });
      const impacts = played.impacts();
      assert.deepEqual({
        digest: String(worlds.digest()), rewards: sha(played.rewards), observations: sha(played.observations),
        impacts: impacts.length, left: sha(Float64Array.from(impacts, (e) => e.left)), save: sha(worlds.save()),
        svg: shaOfText(worlds.svg(1)),
      }, wanted);
      worlds.free();
    });
  }

  for (const { name: file, ...wanted } of expected.scenes) {
    test(`${name}: ${file}`, () => {
      const text = readFileSync(new URL(`../../examples/scenes/${file}`, import.meta.url), "utf8");
      const scene = new carom.Scene(text);
      const worlds = scene.worlds(3, { seed: 8 });
      const impacts = worlds.play(25, { events: 8 }).impacts();
      assert.deepEqual({
        digest: String(worlds.digest()), impacts: impacts.length,
        impulses: sha(Float64Array.from(impacts, (e) => e.impulse)),
      }, wanted);

      const again = new carom.Scene(scene.description()).worlds(3, { seed: 8 });
      again.play(25);
      assert.equal(String(again.digest()), wanted.digest, "as an object");
    });
  }

  test(`${name}: rollouts and search`, () => {
    const roots = new carom.Worlds("csb", 3, { seed: 9 });
    const found = carom.rollout(roots, { k: 40, horizon: 5, opponent: "race", elites: 4, seed: 10 });
    const value = roots.game.value_kinds.at(-1).name;
    const drawn = carom.rollout(roots, {
      k: 40, horizon: 6, actions: carom.gaussian(0.25, 0.5, { hold: 2 }), opponent: "zero", value,
    });
    const search = new carom.Search(roots, { planner: "cem", horizon: 5, rollouts: 512, opponent: "race", seed: 11 });
    assert.deepEqual({
      returns: sha(found.returns), best: [...found.best], first: sha(found.first_actions()),
      elite_mean: sha(found.elite_mean), drawn: sha(drawn.returns), search: sha(search.run(roots)),
      plan: sha(search.plan()), planned: sha(search.returns()),
    }, expected.search);
  });

  for (const { bodies, packing, box, ...wanted } of expected.gases) {
    test(`${name}: a gas in a ${box} box`, () => {
      const gas = new carom.Gas(bodies, packing, { box, seed: 3 });
      gas.run(12.5);
      assert.deepEqual({
        digest: String(gas.digest()), compressibility: gas.measure().compressibility, state: sha(gas.state()),
      }, wanted);
    });
  }

  test(`${name}: solvers`, () => {
    const [px, py, vx, vy, r, ax, ay] = columns(257, 7);
    const p = [px.map((x) => 8 * x), py.map((y) => 8 * y)];
    const [v, a, radius] = [[vx, vy], [ax, ay], r.map((x) => 1 + x / 2)];
    const { toi } = carom;
    const found = {};
    for (const solver of ["fast", "half-b", "accurate", "textbook/branches", "pow-folded"]) {
      found[solver] = sha(toi.circles(p, v, radius, { solver }));
    }
    const { entry, exit, nx, xj } = toi.contacts(p, v, radius);
    found.contacts = sha(joined(entry, exit, nx, xj));
    found.within = String(toi.within(p, v, radius, 6).filter(Boolean).length);
    const segment = toi.segment(p, v, radius, [-1, 0], [2, 1]);
    found.segment = sha(joined(segment.t, segment.nx, segment.ny, segment.feature));
    const box = toi.box(p, v, radius, [-1, -1], [2, 1], { detection: "discrete", limit: 5 });
    found.box = sha(joined(box.t, box.feature));
    const polygon = toi.polygon(p, v, radius, [[0, 0], [3, 0], [1, 1], [0, 3]]);
    found.polygon = sha(joined(polygon.t, polygon.feature));
    found.accelerated = sha(toi.accelerated(p, v, a, radius));
    found.ferrari = sha(toi.accelerated(p, v, a, radius, { solver: "ferrari" }));
    const { roots, count } = toi.accelerated_roots(p, v, a, radius);
    found.roots = sha(roots) + sha(count);
    const falling = toi.accelerated_segment(p, v, a, radius, [-1, 0], [2, 1]);
    found.falling = sha(joined(falling.t, falling.feature));
    assert.deepEqual(found, expected.toi);
  });
}
