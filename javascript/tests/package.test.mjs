// SPDX-License-Identifier: MIT
// The package as a whole: the modules' imports and exports, their sizes, their memory, and the types.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
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
      "clock_time_get", "emscripten_notify_memory_growth", "engine_events", "engine_range", "engine_respond",
      "engine_sample", "engine_watch", "engine_write", "environ_get", "environ_sizes_get", "fd_close", "fd_read", "memory",
    ], name);
    const names = new Set(WebAssembly.Module.exports(module).map((given) => given.name));
    assert.deepEqual(listed.filter((wanted) => !names.has(wanted)), [], name);
  }
});

/** Calls with names that the scripts assemble, and the resulting names. */
const TOGETHER = {
  "carom_game_${what}_kind": ["carom_game_action_kind", "carom_game_observation_kind", "carom_game_reward_kind"],
  "carom_look_${CALLS[what]}": ["carom_look_shapes", "carom_look_bodies", "carom_look_numbers"],
  "carom_worlds_${what}": ["carom_worlds_cast", "carom_worlds_nearest"],
  "carom_search_${what}": ["carom_search_actions", "carom_search_plan", "carom_search_returns"],
};

test("the list of exports is what the scripts call: nothing is missing, and nothing is left over", () => {
  const texts = scripts.map(source).join("\n");
  const wanted = new Set(["free", "malloc"]);
  for (const [, name] of texts.matchAll(/(?:\bc[.]|[(]")((?:carom|engine)_\w+)(?=[(),;\]?" ])/g)) {
    wanted.add(name);
  }
  for (const [text, names] of Object.entries(TOGETHER)) {
    assert.ok(texts.includes(`c[\`${text}\`]`), text);
    names.forEach((name) => wanted.add(name));
  }
  for (const [, name] of source("toi.js").matchAll(/"(\w+)"/g)) {
    wanted.add(`carom_toi_${name}_f64`); // Toi names its solvers so: the library has some of these
  }
  const module = new WebAssembly.Module(readFileSync(file("carom.wasm")));
  const headers = readdirSync(new URL("../../include/carom/", import.meta.url)).filter((name) => name.endsWith(".h"))
    .map((name) => readFileSync(new URL(`../../include/carom/${name}`, import.meta.url), "utf8")).join("\n");
  const there = (/** @type {string} */ name) => new RegExp(`\\b${name}\\(`).test(headers)
    || ["free", "malloc"].includes(name) || source("engine.c").includes(`${name}(`);
  for (const [, name] of texts.matchAll(/structure[(]"(\w+)"/g)) {
    wanted.add(`${name}_default`); // which structure() calls, where there is one
  }
  assert.deepEqual([...listed].sort(), [...wanted].filter(there).sort());
  const given = WebAssembly.Module.exports(module).map((one) => one.name);
  assert.deepEqual(given.filter((name) => /^(carom|engine)_/.test(name)).sort(),
    listed.filter((name) => /^(carom|engine)_/.test(name)).sort());
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

test("what npm would publish is the scripts, types and modules, and nothing else", (t) => {
  const found = spawnSync("npm", ["pack", "--dry-run", "--json", "--offline", file("")], { encoding: "utf8" });
  if (found.error) {
    t.skip("no npm");
    return;
  }
  assert.equal(found.status, 0, found.stderr);
  const [{ files, name }] = JSON.parse(found.stdout);
  assert.equal(name, "carom");
  assert.deepEqual(files.map(({ path }) => path).sort(), [
    "LICENSE", "LICENSE.emscripten", "LICENSE.fdlibm", "LICENSE.jansson", "LICENSE.simde", "README.md", "carom.d.ts",
    "package.json", "worker.d.ts", ...modules, ...scripts,
  ].sort());
});

/** Interfaces, classes and functions of a file of declarations, by name: their members, or none. */
function declared(/** @type {string} */ text) {
  /** @type {Record<string, Set<string>>} */
  const found = {};
  for (const [, name, base, body] of text.matchAll(
    /^export (?:interface|class) (\w+)(?: extends (\w+))? \{\n(.*?)\n\}$/gms)) {
    const members = [...body.matchAll(/^  (?:static )?(?:readonly )?(\w+)[?]?[(:]/gm)].map((member) => member[1]);
    found[name] = new Set([...members.filter((member) => member !== "constructor"), ...(found[base] ?? [])]);
  }
  return found;
}

/** Names that objects have, their classes' included. */
function named(/** @type {any} */ thing) {
  const names = new Set(Object.keys(thing));
  for (let at = Object.getPrototypeOf(thing); at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    Object.getOwnPropertyNames(at).forEach((name) => names.add(name));
  }
  names.delete("constructor");
  return names;
}

/** Members that only the package's own modules should use. */
const AMONG_THEMSELVES = {
  Owned: ["at", "core", "during", "own", "resource"],
  Worlds: ["again", "array", "arrayShape", "batch", "bound", "chosen", "copyLists", "count", "create", "describe", "done",
           "field", "kind", "like", "listed", "made", "observed", "options", "playStep", "players", "prepared", "range",
           "read", "recorded", "repeat", "rewarded", "scene", "seats", "seen", "shown", "world"],
  Scene: ["create", "hook", "text", "written"],
  Replay: ["described", "made", "note", "open"],
  Recording: ["batch", "parts"],
  Gas: ["asLab"],
  Lab: ["create", "describe", "made", "read"],
  Search: ["awaited", "cancel", "candidates", "count", "create", "game", "kind", "leaf", "player", "read", "rows", "size",
           "value"],
  Game: ["at", "core", "filledOptions", "items", "kindIndex", "kinds", "observationIndex", "observedBits", "optionTable", "policyIndex",
         "rewardIndex", "seenShape", "setOption", "valueIndex", "valueWeights"],
  Toi: ["arcs", "call", "contactsOf", "core", "falling", "hits", "roots", "still", "variant"],
  Drawn: ["high", "low", "mean", "sigma"],
};

test("the types are those of the scripts: every name is in both", () => {
  const types = declared(source("carom.d.ts"));
  const carom = engines.simd;
  const worlds = new carom.Worlds("csb", 2, { players: ["race", "race"], at_end: "reset", ticks: 2, laps: 1 });
  const scene = new carom.Scene({ bodies: [{ vx: 1 }, { x: 3 }] });
  const recording = worlds.recording();
  recording.note({ kind: "name", text: "one" });
  const played = worlds.play(1, { events: 1, contacts: true });
  const search = new carom.Search(worlds, { rollouts: 64, sequences: 16 });
  const gas = new carom.Gas(64, 0.3);
  const hit = scene.worlds().play(4, { events: 1, contacts: true }).impacts()[0];
  /** @type {any} */
  let [drawing, frame, event, range, impact] = [];
  search.watch((drawn) => { drawing = drawn; });
  search.run(worlds);
  gas.run(1, { interval: 1, sample: (one) => { frame = one; }, events: ([one]) => { event ??= one; } });
  new carom.Scene({
    bodies: [{ vx: 1 }, { x: 3 }], tick_hook: (one) => { range = one; }, response_hook: ([one]) => { impact = one; },
  }).worlds().play(4);
  const replay = new carom.Replay(recording.bytes());
  const [look, { csb }] = [worlds.look(0), carom.games];
  const things = {
    Carom: carom, Worlds: worlds, Scene: scene, Recording: recording, Replay: replay, Game: csb, Search: search, Gas: gas,
    Lab: new carom.Lab(64, 0.3, { start: "lattice" }), Toi: carom.toi, DiskMeasures: carom.measures, Played: played,
    Drawn: carom.gaussian(0, 1), Drawing: drawing, Report: search.report(), Generation: search.report().generations[0],
    Frame: frame, LabEvent: event, Range: range, HookImpact: impact, Measures: gas.measure(), Note: replay.notes[0],
    Series: carom.measures.series([1, 2]), Impact: hit, Contact: hit.contact, Look: look, Counters: worlds.counters(),
    Faults: worlds.faults(), Result: worlds.results[0], Found: worlds.nearest({ x: 0, y: 0 }), Option: csb.options.rules,
    ActionKind: csb.action_kinds[0], ObservationKind: csb.observation_kinds[0], RewardKind: csb.reward_kinds[0],
    ValueKind: csb.value_kinds[0], Field: worlds.fields.x, Theme: carom.themes.light, Variant: carom.toi.variants()[0],
    Hits: carom.toi.line([0, 5], [3, -1], 1, [0, 0], [1, 0]), Rollout: carom.rollout(worlds),
    Roots: carom.toi.accelerated_roots([4, 0], [-1, 0], [0, 0], 1),
  };
  const maybe = {
    Rollout: ["rewards", "lengths", "observations", "elites", "elite_mean", "elite_sigma"], Field: ["Type"], // as asked
    Theme: ["name"],
  };
  for (const [name, thing] of Object.entries(things)) {
    const [wanted, found] = [types[name], named(thing)];
    assert.ok(wanted?.size > 0, `${name} is not in the types`);
    const among = new Set([...(AMONG_THEMSELVES[name] ?? []), ...(wanted.has("free") ? AMONG_THEMSELVES.Owned : []),
                           ...(maybe[name] ?? [])]);
    assert.deepEqual([...wanted].filter((member) => !found.has(member) && !among.has(member)), [],
      `${name}: in the types alone`);
    assert.deepEqual([...found].filter((member) => !wanted.has(member) && !among.has(member)), [],
      `${name}: not in the types`);
  }
  assert.deepEqual(Object.keys(carom.Scene).sort(), ["Worlds", "core"]);
  for (const [Type, name] of [[carom.Gas, "restore"], [carom.Scene, "from_json"]]) {
    assert.equal(typeof Type[name], "function");
    assert.match(source("carom.d.ts"), new RegExp(`^    ${name}\\(`, "m"));
  }
  assert.ok(Array.isArray(carom.themes.dark.ghost) && carom.themes.dark.ghost.every((colour) => /^#\w{6}$/.test(colour)));
});

test("options are those that the types list", () => {
  const types = declared(source("carom.d.ts"));
  const carom = engines.simd;
  const worlds = new carom.Worlds("csb", 1);
  const gas = new carom.Gas(64, 0.3);
  const listing = (/** @type {(given: any) => void} */ call) => {
    try {
      call({ "no option": 1 });
    } catch (error) {
      return error.message.replace(/.*there are /, "").split(", ").sort();
    }
    return assert.fail("an option that there is not is taken");
  };
  const calls = {
    Loading: null, // of a promise: below
    Playing: (given) => worlds.play(1, given),
    Rolled: (given) => carom.rollout(worlds, given),
    Planned: (given) => new carom.Search(worlds, given),
    Picture: (given) => worlds.svg(0, given),
    Question: (given) => worlds.nearest(given),
    GasMade: (given) => new carom.Gas(64, 0.3, given),
    LabMade: (given) => new carom.Lab(64, 0.3, given),
    Watching: (given) => gas.run(1, given),
    Detecting: (given) => carom.toi.line([0, 5], [3, -1], 1, [0, 0], [1, 0], given),
    Arcs: (given) => carom.toi.arc([0, 0], [1, 0], 1, [0, 0], 5, [0, 0], [0, 0], given),
  };
  const weighing = [...types.Weighing];
  for (const [name, call] of Object.entries(calls)) {
    if (call) {
      const named = new Set([...types[name], ...(["Rolled", "Planned"].includes(name) ? weighing : [])]);
      assert.deepEqual(listing(call), [...named].sort(), name);
    }
  }
  const made = [...types.Made].sort();
  const all = source("worlds.js").match(/const MADE = \[(.*?)\];/s)?.[1] ?? "";
  assert.deepEqual([...all.matchAll(/"(\w+)"/g)].map((found) => found[1]).sort(), made);
  return assert.rejects(load({ "no option": 1 }), (error) => {
    assert.deepEqual(error.message.replace(/.*there are /, "").split(", ").sort(), [...types.Loading].sort());
    return true;
  });
});

test("the worker's types are those of its script", async () => {
  const types = declared(source("worker.d.ts"));
  const worker = await import(file("worker.js"));
  assert.deepEqual(Object.keys(worker).sort(), ["Desk", "Remote", "serve"]);
  assert.match(source("worker.d.ts"), /^export function serve\(/m);
  const among = { Desk: ["carom", "kept", "made", "meant", "objects"], Remote: ["answered", "asked", "waiting", "worker"] };
  for (const [name, Type] of [["Desk", worker.Desk], ["Remote", worker.Remote]]) {
    const thing = name === "Desk" ? new Type() : new Type({ terminate() {} });
    const names = new Set([...named(thing), ...Object.getOwnPropertyNames(Type)]);
    ["length", "name", "prototype", ...among[name]].forEach((member) => names.delete(member));
    assert.deepEqual([...names].sort(), [...types[name]].sort(), name);
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
