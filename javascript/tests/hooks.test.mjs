// SPDX-License-Identifier: MIT
// Scene hooks: functions of the page that the engine calls. Callbacks of laboratories and searches are tested
// separately.

import assert from "node:assert/strict";
import test from "node:test";

import { engines, refuses } from "./engines.mjs";

const refused = (/** @type {() => void} */ call, /** @type {string} */ status, /** @type {RegExp} */ text) => (
  refuses(assert, call, status, text));

/** What happens without a hook, for bodies of one restitution. */
function usual(/** @type {any[]} */ impacts, restitution = 1) {
  for (const i of impacts) {
    const closing = (i.vx1 - i.vx2) * i.nx + (i.vy1 - i.vy2) * i.ny;
    const push = -(1 + restitution) * closing / (i.inverse_mass1 + i.inverse_mass2);
    i.vx1 += push * i.inverse_mass1 * i.nx;
    i.vy1 += push * i.inverse_mass1 * i.ny;
    i.vx2 -= push * i.inverse_mass2 * i.nx;
    i.vy2 -= push * i.inverse_mass2 * i.ny;
  }
}

const description = {
  bodies: [{ x: 2, y: 2, vx: 3 }, { x: 6, y: 2.5, mass: 2 }, { x: 6, y: 6, vy: -1 }],
  box: { from: [0, 0], to: [10, 8], horizontal: "solid", vertical: "solid" }, dt: 0.5,
};

for (const [name, carom] of Object.entries(engines)) {
  for (const engine of ["wide", "deep"]) {
    test(`${name}, ${engine}: a response hook does what the library does, or something else`, () => {
      const seen = [];
      const hooked = new carom.Scene({
        ...description, engine, response_hook: (impacts) => { seen.push(...impacts.map((i) => ({ ...i }))); usual(impacts); },
      });
      const [plain, mine] = [new carom.Scene({ ...description, engine }).worlds(3), hooked.worlds(3, { first_id: 7n })];
      const told = plain.play(12, { events: 16, contacts: true });
      mine.play(12);
      const [a, b] = [plain.get("x"), mine.get("x")];
      assert.ok(a.every((x, k) => Math.abs(x - b[k]) < 1e-9));
      assert.equal(seen.length, told.impacts().length);
      assert.deepEqual([...new Set(seen.map((i) => i.world_id))].sort(), [7n, 8n, 9n]);
      const [first] = seen.filter((i) => i.kind === 0);
      const [{ contact, ...event }] = told.impacts().filter((one) => one.kind === 0);
      assert.deepEqual([first.first, first.second], [event.first, event.second]);
      assert.ok(Math.abs(first.x1 - contact.centre[0][0]) < 1e-9 && Math.abs(first.vx1 - contact.before[0][0]) < 1e-9);
      assert.equal(first.inverse_mass1 + first.inverse_mass2, 1.5);

      const dead = new carom.Scene({ ...description, engine, response_hook: (some) => usual(some, 0) }).worlds();
      dead.play(40);
      const energy = (/** @type {any} */ w) => w.get("vx").reduce((sum, v) => sum + v * v, 0);
      assert.ok(energy(dead) < 0.5 * energy(plain.fork(1)));
    });

    test(`${name}, ${engine}: a tick hook moves bodies, and measures are what hooks write`, () => {
      const ranges = [];
      const scene = new carom.Scene({
        bodies: [{ x: 1 }, { x: 500, vx: 1 }], dt: 0.25, user_words: true, engine,
        tick_hook: ({ first, count, stride, dt, tick, vx, user }) => {
          ranges.push({ first, count });
          for (let l = 0; l < count; l++) {
            vx[l] += dt * (first + l + tick[l]);
            user[stride + l] += 1;
          }
        },
        reward: { kind: "user", hook: ({ count, first, x, value }) => {
          for (let l = 0; l < count; l++) {
            value[l] = x[l] + first;
          }
        } },
        final_value: { kind: "user", hook: ({ count, stride, x, value }) => {
          for (let l = 0; l < count; l++) {
            value[l] = 100 * x[stride + l];
          }
        } },
      });
      assert.deepEqual([scene.hooked, scene.engine], [true, engine]);
      const worlds = scene.worlds(20);
      const { rewards } = worlds.play(2, { rewards: true });
      const [vx, x, user] = ["vx", "x", "user"].map((field) => worlds.get(field));
      for (let w = 0; w < 20; w++) {
        assert.equal(vx[2 * w], 0.25 * (2 * w + 1), "of two ticks");
        assert.deepEqual([user[2 * w], user[2 * w + 1]], [0, 2]);
      }
      assert.ok(new Set(ranges.map((range) => range.first)).has(engine === "deep" ? 19 : 16));
      const agents = rewards.shape[2];
      const starts = ranges.map(({ first }) => first).filter((first, k, all) => all.indexOf(first) === k);
      for (let w = 0; w < 20; w++) {
        const first = Math.max(...starts.filter((start) => start <= w));
        assert.equal(rewards[(20 + w) * agents], Math.fround(x[2 * w] + first));
      }
      const { returns } = carom.rollout(worlds, { k: 2, horizon: 1, reward_weight: 0 });
      const { shape: [, , players] } = returns;
      const after = worlds.copy();
      after.play(1);
      assert.ok(Math.abs(returns[0] - 100 * after.get("x")[1]) < 1e-9, String(players));
    });
  }
}

test("scenes with hooks are no text, and share their hooks", () => {
  const { simd: carom } = engines;
  let calls = 0;
  const scene = new carom.Scene({ ...description, tick_hook: () => { calls++; } });
  refused(() => scene.to_json(), "argument", /hooks/);
  refused(() => scene.description(), "argument", /hooks/);
  assert.deepEqual(scene.bodies, new carom.Scene(description).bodies);
  assert.equal(scene.bodies.length, 3);
  assert.deepEqual([scene.walls, scene.arcs, new carom.Scene(description).hooked], [[], [], false]);
  const worlds = scene.worlds(1);
  refused(() => worlds.recording(), "argument", /./);
  scene.free();
  worlds.play(5);
  assert.equal(calls, 5, "the hooks live as long as the worlds");
  const before = carom.core.hooks.size;
  worlds.free();
  assert.equal(carom.core.hooks.size, before - 1);
  refused(() => new carom.Scene({ ...description, tick_hook: 7 }), "argument", /tick_hook: a function/);
  refused(() => new carom.Scene({ ...description, reward: { kind: "user" } }), "argument", /reward: a function/);
  refused(() => new carom.Scene({ ...description, reward: { kind: "user", hook() {}, body: 1 } }), "argument", /body/);
  refused(() => new carom.Scene({ bodies: [{ radius: -1 }], tick_hook() {} }), "value", /radius/);
});

test("what a hook throws is thrown by the call that played, and it cannot use these worlds", () => {
  const { simd: carom } = engines;
  let calls = 0;
  const worlds = new carom.Scene({
    ...description,
    tick_hook: () => {
      calls++;
      refused(() => worlds.get("x"), "argument", /in use/);
      refused(() => worlds.play(1), "argument", /in use/);
      const other = new carom.Worlds("csb", 1);
      other.play(1);
      other.free();
      throw new RangeError("not so");
    },
  }).worlds(1);
  assert.throws(() => worlds.play(5), { name: "RangeError", message: "not so" });
  assert.equal(calls, 1, "it is called no more within this call");
  assert.throws(() => worlds.step(), RangeError);
  assert.throws(() => carom.rollout(worlds, { horizon: 2 }), RangeError);
  assert.equal(calls, 3);
  assert.equal(new carom.Worlds("csb", 1).play(1) === null, false, "the next call is its own");
});
