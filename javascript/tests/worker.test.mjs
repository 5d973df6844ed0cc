// SPDX-License-Identifier: MIT
// Questions and answers between a page and a worker, over a channel of Node's; Chromium's part is in the page's tests.

import assert from "node:assert/strict";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

import { CaromError, engines, file } from "./engines.mjs";

const { Desk, Remote, serve } = await import(file("worker.js"));

/** A remote with its worker in this thread, at the other end of a channel. */
function connected(/** @type {any} */ object, /** @type {number} */ limit) {
  const { port1, port2 } = new MessageChannel();
  serve(object, port1);
  port2.terminate = () => {
    port1.close();
    port2.close();
  };
  return new Remote(port2, limit);
}

test("the desk makes objects, calls them and frees them", async () => {
  const remote = connected(new Desk(), 20000);
  const { isas } = await remote.call("load", { memory: 128 << 20 });
  assert.deepEqual(isas, ["wasm128"]);
  const scene = await remote.call("make", "Scene", { bodies: [{ x: 1, vx: 1 }, { x: 5 }] });
  const worlds = await remote.call("on", scene, "worlds", 2);
  const played = await remote.call("on", worlds, "play", 4, { events: 4, moved: true });
  assert.deepEqual(played.moved.shape, [4, 2, 2, 4]);
  assert.equal(played.events.length, 2);
  const x = await remote.call("on", worlds, "get", "x");
  assert.deepEqual([x.shape, x[0] > 1], [[2, 2], true]);
  assert.equal(await remote.call("get", worlds, "length"), 2);
  assert.equal(typeof await remote.call("on", worlds, "digest"), "bigint");
  const copy = await remote.call("on", worlds, "copy");
  assert.equal(await remote.call("on", copy, "digest"), await remote.call("on", worlds, "digest"));
  await remote.call("on", copy, "copy_from", worlds);

  const roots = await remote.call("make", "Worlds", "csb", 1, { seed: 1 });
  const found = await remote.call("rollout", roots, { k: 10, horizon: 2, opponent: "race" });
  const wanted = engines.scalar.rollout(new engines.scalar.Worlds("csb", 1, { seed: 1 }),
    { k: 10, horizon: 2, opponent: "race" });
  assert.deepEqual([...found.returns], [...wanted.returns]);
  assert.deepEqual([...found.first_actions], [...wanted.first_actions()]);
  assert.deepEqual([...await remote.call("toi", "circles", [5, 0], [-1, 0], 1)], [4]);

  await remote.call("on", worlds, "step");
  const shown = await remote.call("get", worlds, "rewards"); // a view of the engine's memory: it arrives as a copy
  assert.deepEqual([shown.shape, shown.buffer.byteLength], [[2, 1], 8]);
  await remote.call("on", worlds, "play", 1);

  await remote.call("free", copy);
  await assert.rejects(remote.call("on", copy, "digest"), { status: "argument", message: /no object/ });
  await assert.rejects(remote.call("make", "Object"), { status: "argument", message: /no class Object/ });
  await assert.rejects(remote.call("on", worlds, "fly"), { status: "argument", message: /no method fly/ });
  await assert.rejects(remote.call("vanish"), { status: "argument", message: /no method vanish/ });
  const refused = await remote.call("make", "Scene", { bodies: [{ radius: -1 }] }).catch((error) => error);
  assert.ok(refused instanceof CaromError);
  assert.deepEqual([refused.status, /radius -1/.test(refused.message)], ["value", true]);
  remote.stop();
  await assert.rejects(remote.call("info"), { status: "cancelled" });
});

test("questions are answered in order, by any object's methods", async () => {
  const order = [];
  const remote = connected({
    async slow() {
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push("slow");
      return { big: 1n, nested: [Object.assign(Float64Array.of(1, 2), { shape: [2] })] };
    },
    quick: () => order.push("quick"),
  }, 5000);
  const [slow, count] = await Promise.all([remote.call("slow"), remote.call("quick")]);
  assert.deepEqual([order, count], [["slow", "quick"], 2]);
  assert.deepEqual([slow.big, slow.nested[0].shape], [1n, [2]]);
  remote.stop();
});

test("a worker that takes too long is ended", async () => {
  // Worlds that would play for hours, in a thread that can be ended.
  const code = `
    import { parentPort } from "node:worker_threads";
    import { Desk, serve } from ${JSON.stringify(pathToFileURL(file("worker.js")).href)};
    const port = { postMessage: (...all) => parentPort.postMessage(...all) };
    parentPort.on("message", (data) => port.onmessage({ data }));
    serve(new Desk(), port);
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const ended = new Promise((resolve) => worker.on("exit", resolve));
  const port = {
    postMessage: (/** @type {any} */ data) => worker.postMessage(data), terminate: () => worker.terminate(),
  };
  const remote = new Remote(port, 10000);
  worker.on("message", (data) => port.onmessage({ data }));
  await remote.call("load");
  const worlds = await remote.call("make", "Worlds", "csb", 1000, { players: ["race", "race"] });
  remote.limit = 200;
  const [first, second] = await Promise.allSettled([
    remote.call("on", worlds, "play", 1e8), remote.call("on", worlds, "digest"),
  ]);
  assert.match(first.reason.message, /no answer within 200 milliseconds/);
  assert.deepEqual([first.reason.status, second.reason.status], ["cancelled", "cancelled"]);
  await ended;
});
