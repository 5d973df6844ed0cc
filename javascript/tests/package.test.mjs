// SPDX-License-Identifier: MIT
// The package as a whole: what the modules import and export, how large they are, their memory, and the types.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { brotliCompressSync, constants } from "node:zlib";

import { engines, file, load, refuses } from "./engines.mjs";

const source = (/** @type {string} */ name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const scripts = readdirSync(new URL("..", import.meta.url)).filter((name) => name.endsWith(".js"));
const listed = source("exports.txt").trim().split("\n").filter((line) => !line.startsWith("#"));
const modules = ["carom.wasm", "carom-scalar.wasm"];

test("modules need few things, and export what the list says", () => {
  for (const name of modules) {
    const module = new WebAssembly.Module(readFileSync(file(name)));
    assert.deepEqual(WebAssembly.Module.imports(module).map((wanted) => wanted.name).sort(), [
      "clock_time_get", "emscripten_notify_memory_growth", "engine_watch", "engine_write", "environ_get",
      "environ_sizes_get", "fd_close", "fd_read", "memory",
    ], name);
    const names = new Set(WebAssembly.Module.exports(module).map((given) => given.name));
    assert.deepEqual(listed.filter((wanted) => !names.has(wanted)), [], name);
  }
});

test("the list of exports is what the scripts call", () => {
  const texts = scripts.map(source).join("\n");
  const called = (/** @type {string} */ name) => texts.includes(`c.${name}`)
    || texts.includes(`"${name.replace(/_default$/, "")}"`) // by Frame.structure()
    || [["carom_game_${what}_kind", /^carom_game_(action|observation|reward)_kind$/],
      ["carom_look_${CALLS[what]}", /^carom_look_(shapes|bodies|numbers)$/],
      ["carom_worlds_${what}", /^carom_worlds_(cast|nearest)$/],
      ["carom_search_${what}", /^carom_search_(actions|plan|returns)$/],
      ["carom_toi_${name}_f64", /^carom_toi_\w+_f64$/]].some(([text, names]) => (
      texts.includes(text) && names.test(name)));
  assert.deepEqual(listed.filter((name) => !called(name)), []);
  for (const [, name] of texts.matchAll(/\bc\.((?:carom|engine)_\w+)/g)) {
    assert.ok(listed.includes(name), `${name} is called, and not exported`);
  }
});

test("modules are small", () => {
  for (const name of modules) {
    const bytes = readFileSync(file(name));
    assert.ok(bytes.length <= 1.8e6, `${name}: ${bytes.length} bytes`);
    const packed = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
    assert.ok(packed <= 500e3, `${name}: ${packed} bytes by brotli`);
  }
});

test("the package lists all of its files, and its version is the library's", () => {
  const built = source("meson.build");
  for (const name of scripts) {
    assert.ok(built.includes(`'${name}'`), name);
  }
  const { version, types, main } = JSON.parse(source("package.json"));
  assert.deepEqual([version, types, main], [engines.simd.version, "carom.d.ts", "carom.js"]);
});

test("types name what there is", () => {
  const types = source("carom.d.ts");
  const members = (/** @type {string} */ name) => {
    const body = types.match(new RegExp(`export interface ${name} [^{]*\\{\\n(.*?)\\n\\}`, "s"))?.[1] ?? "";
    return new Set([...body.matchAll(/^  (?:readonly )?(\w+)[?]?[(:]/gm)].map((found) => found[1]));
  };
  const carom = engines.simd;
  const worlds = new carom.Worlds("csb");
  const scene = new carom.Scene({ bodies: [{}] });
  const recording = worlds.recording();
  worlds.play(1);
  const replay = new carom.Replay(recording.bytes());
  const things = {
    Carom: carom, Worlds: worlds, Scene: scene, Recording: recording, Replay: replay, Game: carom.games.csb,
    Search: new carom.Search(worlds), Gas: new carom.Gas(64, 0.3), Toi: carom.toi,
  };
  for (const [name, thing] of Object.entries(things)) {
    const named = members(name);
    assert.ok(named.size > 2, name);
    for (const member of named) {
      assert.ok(member in thing, `${name}.${member} is in the types alone`);
    }
  }
  const lists = { Made: "worlds.js", Playing: "play.js", Rolled: "search.js", Planned: "search.js" };
  for (const [name, script] of Object.entries(lists)) {
    for (const member of members(name)) {
      assert.ok(member === "" || source(script).includes(`"${member}"`), `${name}.${member}: no option of that name`);
    }
  }
});

test("memory has a limit, whatever is refused there changes nothing, and freed memory is used again", async () => {
  const carom = await load({ memory: 64 << 20 });
  const worlds = new carom.Worlds("csb", 64, { seed: 1, players: ["race", "race"] });
  worlds.play(3);
  const hash = worlds.digest();
  refuses(assert, () => new carom.Worlds("csb", 1e6), "memory", /memory/);
  refuses(assert, () => worlds.play(2000, { moved: true, events: 400 }), "memory", /no room|memory/);
  assert.ok(carom.info().memory <= 64 << 20);
  assert.equal(worlds.digest(), hash);
  worlds.play(3);

  for (let k = 0; k < 40; k++) {
    const more = new carom.Worlds("csb", 40000);
    more.free();
    worlds.play(500, { moved: true });
  }
  assert.ok(carom.info().memory <= 64 << 20);
  await assert.rejects(load({ memory: 2 ** 40 }), { status: "argument" });
});

test("what nobody holds any more is freed", async () => {
  const carom = await load({ memory: 64 << 20 });
  if (!globalThis.gc) {
    const { setFlagsFromString } = await import("node:v8");
    const { runInNewContext } = await import("node:vm");
    setFlagsFromString("--expose-gc");
    globalThis.gc = runInNewContext("gc");
  }
  for (let k = 0; k < 40; k++) {
    const scene = new carom.Scene({ bodies: Array.from({ length: 100 }, (_, at) => ({ x: 3 * at })) });
    scene.worlds(2000).play(1);
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 5)); // finalisers run between tasks
  }
  assert.ok(carom.info().memory <= 64 << 20);
});

test("arrays over the memory stay right when it grows", () => {
  const carom = engines.scalar;
  const worlds = new carom.Worlds("csb", 4, { seed: 1 });
  worlds.actions.fill(0.5);
  const before = worlds.actions;
  const big = new carom.Worlds("csb", 400000);
  assert.equal(before.length, 0, "the old array is detached, not wrong");
  assert.ok(worlds.actions.every((number) => number === 0.5));
  worlds.step();
  big.free();
});
