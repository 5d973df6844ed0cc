// SPDX-License-Identifier: MIT
// The bench on the engine itself: films, going back, changes, forks; all of it to the same bits.
import assert from "node:assert/strict";
import {readFileSync, readdirSync} from "node:fs";
import test from "node:test";

import {Film} from "../../../tools/viewer/film.js";
import {Bench} from "../bench.js";
import {bodyOf, changed, settled, textOf} from "../scene_edit.js";
import {loaded, skip} from "./engine.mjs";

const SCENES = new URL("../../../examples/scenes/", import.meta.url);
const sceneText = (name) => readFileSync(new URL(`${name}.json`, SCENES), "utf8");
const carom = skip ? null : await loaded();

const game = (name, more = {}) => ({game: name, scene: null, seed: 1, worlds: 1, at_end: "freeze",
                                    seats: Array(carom.games[name].players).fill(carom.games[name].policies[0]),
                                    options: {}, ...more});
const scene = (text, more = {}) => ({game: "scene", scene: text, seed: 1, worlds: 1, at_end: "freeze", seats: ["zero"],
                                     options: {}, ...more});

function opened(setup) {
  const bench = new Bench(carom);
  return {bench, film: new Film(bench.open(setup))};
}

const hashesOf = (film, world = 0) => film.frames.map((_, k) => film.state(k, world).hash);
const placesOf = (film, frame, world = 0) =>
  film.about.map((_, k) => film.body(frame, world, k)).map(({x, y, vx, vy, there}) => ({x, y, vx, vy, there}));

/** Takes what a change gives, as the page does. */
function took(film, frame, answer) {
  if (answer.film !== undefined) {
    return new Film(answer.film);
  }
  film.cut(frame);
  assert.ok(film.add(answer.told));
  return film;
}

test("a film shows what the library plays, in every game", {skip}, () => {
  for (const name of Object.keys(carom.games)) {
    const setup = game(name, {worlds: 3});
    const {bench, film} = opened(setup);
    for (let k = 0; k < 4; k++) {
      assert.ok(film.add(bench.play(5)));
    }
    const worlds = new carom.Worlds(name, 3, {seed: 1, at_end: "freeze", players: setup.seats});
    worlds.play(20);
    for (let w = 0; w < 3; w++) {
      assert.equal(film.state(20, w).hash, worlds.hashes()[w].toString(16).padStart(16, "0"), name);
      assert.equal(film.state(20, w).id, String(w));
      worlds.look(w).bodies.forEach((body, k) => {
        const seen = film.body(20, w, k);
        assert.deepEqual([seen.there, seen.radius, film.bodyName(k, 0)], [body.there, body.radius, `${body.name} ${body.number}`]);
        assert.ok(!body.there || (seen.x === body.x && seen.y === body.y));
      });
    }
    assert.equal(film.frames.length, 21);
    assert.ok(film.scenery(20, 2).shapes.length > 0 || name === "fall", name);
    worlds.free();
  }
});

test("rewards and results are told", {skip}, () => {
  const {bench, film} = opened(game("csb", {seats: ["race", "zero"], options: {ticks: 40}}));
  const told = bench.play(60);
  film.add(told);
  assert.deepEqual(told.results.map(({frame, world, winner, ticks}) => [frame, world, winner, ticks]), [[40, 0, 0, 40]]);
  assert.ok(film.state(40, 0).score[0] > 0.9);
  assert.equal(film.state(60, 0).end, 2);
});

test("it goes back, and plays the same again, over kept states and thinned ones", {skip}, () => {
  const {bench, film} = opened(game("csb", {seats: ["race", "random"]}));
  film.add(bench.play(150));
  const was = hashesOf(film);
  bench.branches[0].thin();
  bench.branches[0].thin();
  for (const frame of [149, 64, 33, 0]) {
    bench.cut(frame);
    film.cut(frame + 1);
    film.add(bench.play(150 - frame));
    assert.deepEqual(hashesOf(film), was, `from ${frame}`);
  }
});

test("a body that is thrown flies; what was before stays", {skip}, () => {
  const {bench, film: first} = opened(scene(sceneText("arena")));
  let film = first;
  film.add(bench.play(40));
  const was = hashesOf(film);
  film = took(film, 20, bench.put(20, 0, 3, {x: 8, y: 6, vx: 30, vy: 0}));
  film.add(bench.play(20));
  assert.deepEqual(hashesOf(film).slice(0, 20), was.slice(0, 20));
  assert.notEqual(hashesOf(film)[20], was[20]);
  assert.deepEqual(placesOf(film, 20)[3], {x: 8, y: 6, vx: 30, vy: 0, there: true});
  const thrown = hashesOf(film);
  bench.branches[0].thin();
  bench.cut(35); // after the throw: it is not lost on the way
  film.cut(36);
  film.add(bench.play(5));
  assert.deepEqual(hashesOf(film), thrown);
  bench.cut(19); // before it: as if nothing had been
  film.cut(20);
  film.add(bench.play(21));
  assert.deepEqual(hashesOf(film), was);
});

test("bodies of every game can be put elsewhere", {skip}, () => {
  for (const name of Object.keys(carom.games)) {
    const {bench, film: first} = opened(game(name));
    first.add(bench.play(2));
    const old = first.body(2, 0, 0);
    const film = took(first, 2, bench.put(2, 0, 0, {x: old.x + 0.25, y: old.y, vx: 0.5, vy: 0}));
    const now = film.body(2, 0, 0);
    const whole = ["csb", "fantastic_bits"].includes(name);
    assert.ok(Math.abs(now.x - (whole ? Math.round(old.x + 0.25) : old.x + 0.25)) < 1e-9, name);
    assert.ok(film.add(bench.play(3)), name);
    assert.equal(film.state(5, 0).fault, 0, name);
  }
});

test("a parameter is changed while it plays, and the scene that is saved plays on to the same bits", {skip}, () => {
  const {bench, film: first} = opened(scene(sceneText("arena")));
  let film = first;
  film.add(bench.play(30));
  const next = changed(settled(JSON.parse(bench.text(0)), placesOf(film, 30)), "restitution", 0.5);
  film = took(film, 30, bench.scene(30, 0, textOf(next)));
  assert.equal(film.frames.length, 31);
  const saved = bench.text(0);
  film.add(bench.play(100));
  const again = opened(scene(saved));
  again.film.add(again.bench.play(100));
  assert.equal(again.bench.digest(0), bench.digest(0));
  assert.deepEqual(hashesOf(again.film), hashesOf(film).slice(30));
  assert.equal(bodyOf(JSON.parse(bench.text(0)), 0).restitution, 0.5);
});

test("changes are taken back, the last first", {skip}, () => {
  const {bench, film: first} = opened(scene(sceneText("arena")));
  let film = first;
  film.add(bench.play(20));
  const was = hashesOf(film);
  film = took(film, 10, bench.put(10, 0, 3, {x: 8, y: 6, vx: 30, vy: 0}));
  film.add(bench.play(5));
  const thrown = hashesOf(film);
  const grown = new Film(bench.edit(15, 0, "added", "body", {x: 10, y: 11, radius: 0.2}).film);
  assert.deepEqual([grown.first, grown.bodies], [15, 13]);
  grown.add(bench.play(3));
  const shrunk = new Film(bench.undo().film);
  assert.deepEqual([shrunk.first, shrunk.bodies, shrunk.state(0, 0).hash], [15, 12, thrown[15]]);
  const back = new Film(bench.undo().film);
  assert.deepEqual([back.first, back.state(0, 0).hash], [10, was[10]]);
  back.add(bench.play(10));
  assert.deepEqual(hashesOf(back), was.slice(10));
  assert.equal(bench.undo(), null);
});

test("what has been cut off cannot be taken back", {skip}, () => {
  const {bench, film} = opened(scene(sceneText("arena")));
  film.add(bench.play(20));
  bench.put(10, 0, 3, {x: 8, y: 6, vx: 30, vy: 0});
  bench.cut(5);
  assert.equal(bench.undo(), null);
});

test("walls are edited where the bodies are", {skip}, () => {
  const {bench, film: first} = opened(scene(sceneText("arena")));
  let film = first;
  film.add(bench.play(20));
  const places = placesOf(film, 20);
  const answer = bench.edit(20, 0, "moved", {kind: "wall", index: 0, part: 0}, 1, 0);
  assert.deepEqual(answer.told.scenes[0].scene.walls[0].a, [16.5, 11.5]);
  film = took(film, 20, answer);
  assert.deepEqual(placesOf(film, 20), places);
  assert.ok(film.scenery(20, 0).shapes.some(([kind, , x, y]) => kind === 0 && x === 16.5 && y === 11.5));
  assert.ok(!film.scenery(19, 0).shapes.some(([kind, , x, y]) => kind === 0 && x === 16.5 && y === 11.5));
  assert.throws(() => bench.edit(20, 0, "moved", {kind: "wall", index: 0, part: 0}, -1, -4.5), /wall 0/);
  const many = opened(scene(sceneText("arena"), {worlds: 4}));
  assert.throws(() => many.bench.edit(0, 0, "changed", "restitution", 0.5), /one world/);
});

test("with another number of bodies the film begins anew", {skip}, () => {
  const {bench, film} = opened(scene(JSON.stringify({bodies: [{vx: 1}, {x: 5}]})));
  film.add(bench.play(3));
  const answer = bench.scene(3, 0, JSON.stringify({bodies: [{vx: 1}, {x: 5}, {x: 9}]}));
  const next = new Film(answer.film);
  assert.deepEqual([next.first, next.bodies, next.frames.length], [3, 3, 1]);
  assert.ok(next.add(bench.play(2)));
});

test("options of a game are changed in the state as it is", {skip}, () => {
  const {bench, film: first} = opened(game("fall", {seats: ["still"]}));
  let film = first;
  film.add(bench.play(10));
  const before = placesOf(film, 10);
  film = took(film, 10, bench.option(10, 0, "gravity", 9.81));
  assert.deepEqual(placesOf(film, 10), before);
  film.add(bench.play(1));
  const bodies = carom ? placesOf(film, 11) : [];
  assert.ok(bodies.some((body, k) => body.vy > before[k].vy));
  bench.cut(5);
  film.cut(6);
  film.add(bench.play(5));
  assert.deepEqual(placesOf(film, 10), before);
});

test("two futures are the same until one is changed", {skip}, () => {
  const {bench, film: first} = opened(game("csb", {worlds: 4, seats: ["race", "random"]}));
  first.add(bench.play(20));
  let film = new Film(bench.fork(10, 2));
  assert.deepEqual([film.worlds, film.first, film.frames.length], [2, 10, 1]);
  assert.equal(film.state(0, 0).hash, first.state(10, 2).hash);
  film.add(bench.play(10));
  for (let world = 0; world < 2; world++) {
    assert.deepEqual(hashesOf(film, world), hashesOf(first, 2).slice(10), "they go on as it did");
  }
  film = took(film, 4, bench.seats(4, 1, ["zero", "random"]));
  film.add(bench.play(6));
  assert.deepEqual(hashesOf(film, 0), hashesOf(first, 2).slice(10));
  assert.equal(film.state(4, 1).hash, film.state(4, 0).hash);
  assert.notEqual(film.state(5, 1).hash, film.state(5, 0).hash);
  const one = new Film(bench.only(10, 1));
  assert.equal(one.state(0, 0).hash, film.state(10, 1).hash);
  assert.deepEqual([one.worlds, one.first], [1, 20]);
});

test("a human steers, an opponent plans", {skip}, () => {
  const {bench, film} = opened(game("csb", {seats: ["human", "cem:200"]}));
  const start = film.body(0, 0, 0);
  const units = [0, 1].map(() => ({x: start.x, y: start.y - 5000, power: 200, does: ""}));
  film.add(bench.play(6, {units}));
  assert.ok(film.body(6, 0, 0).vy < -200);
  const was = hashesOf(film);
  bench.cut(2);
  film.cut(3);
  film.add(bench.play(1, {units}));
  bench.cut(2);
  assert.deepEqual(hashesOf(film).slice(0, 3), was.slice(0, 3));
  film.cut(3);
  film.add(bench.play(1, null)); // hands off: the pods coast
  assert.notEqual(film.state(3, 0).hash, was[3]);
});

test("each game takes what its human does", {skip}, () => {
  const orders = {
    fantastic_bits: {units: [0, 1].map(() => ({x: 8000, y: 3750, power: 150, does: "throw"}))},
    soccer: {unit: 1, x: 0, y: 0, does: "kick"}, stones: {push: {stone: 0, course: 1, speed: 30, curve: 0}},
    fall: {x: 0.5, y: 1},
  };
  for (const [name, given] of Object.entries(orders)) {
    const setup = game(name);
    const {bench, film} = opened({...setup, seats: ["human", ...setup.seats.slice(1)]});
    film.add(bench.play(3, given));
    const idle = opened({...setup, seats: ["human", ...setup.seats.slice(1)]});
    idle.film.add(idle.bench.play(3, null));
    assert.notEqual(film.state(3, 0).hash, idle.film.state(3, 0).hash, name);
  }
  const {bench, film} = opened(scene(sceneText("air_hockey"), {seats: ["human", "zero"]}));
  film.add(bench.play(20, {x: 0, y: 0}));
  assert.ok(film.body(20, 0, 1).x > film.body(0, 0, 1).x + 0.1);
});

test("every example scene is played", {skip}, () => {
  for (const file of readdirSync(SCENES).filter((name) => name.endsWith(".json"))) {
    const text = readFileSync(new URL(file, SCENES), "utf8");
    const {game: made} = new carom.Scene(text);
    const {bench, film} = opened(scene(text, {seats: Array(made.players).fill("random")}));
    assert.ok(film.add(bench.play(10)), file);
    assert.equal(film.state(10, 0).fault, 0, file);
  }
});

test("what is refused changes nothing", {skip}, () => {
  const {bench, film} = opened(scene(sceneText("arena")));
  film.add(bench.play(5));
  assert.throws(() => bench.scene(5, 0, "{\"bodies\": [{\"radius\": -1}]}"), /radius/);
  assert.throws(() => bench.scene(5, 0, "{"), /not JSON/);
  assert.throws(() => bench.open(scene("{\"bodies\": [{\"radius\": -1}]}")), /radius/);
  assert.throws(() => bench.put(5, 0, 3, {x: NaN, y: 0, vx: 0, vy: 0}));
  assert.ok(film.add(bench.play(1)));
});

test("a film that is full says so, and begins anew where it stands", {skip}, () => {
  const bench = new Bench(carom, {room: 20000});
  const film = new Film(bench.open(game("csb")));
  let told;
  for (let k = 0; k < 200 && !told?.full; k++) {
    film.add(told = bench.play(10));
  }
  assert.ok(told.full && told.whole);
  const next = new Film(bench.anew());
  assert.equal(next.first, film.frames.length - 1);
  assert.equal(next.state(0, 0).hash, film.state(film.frames.length - 1, 0).hash);
  assert.ok(!next.full && next.add(bench.play(1)) && next.frames.length === 2);
});

test("a scene is saved as it stands, and its digest is the library's", {skip}, () => {
  const {bench, film} = opened(scene(sceneText("arena")));
  film.add(bench.play(25));
  const text = bench.text(0);
  const places = placesOf(film, 25);
  JSON.parse(text).bodies.forEach((body, k) => {
    const {x, y, vx, vy} = {...places[k], ...body};
    assert.deepEqual([x, y, vx, vy], [places[k].x, places[k].y, places[k].vx, places[k].vy]);
    assert.ok("x" in body && "y" in body);
  });
  const again = opened(scene(text));
  again.film.add(again.bench.play(10));
  const worlds = new carom.Worlds(new carom.Scene(text), 1, {seed: 1, at_end: "freeze"});
  worlds.play(10);
  assert.equal(again.bench.digest(0), worlds.digest().toString(16).padStart(16, "0"));
  assert.notEqual(again.bench.digest(0), again.film.state(10, 0).hash);
  worlds.free();
});
