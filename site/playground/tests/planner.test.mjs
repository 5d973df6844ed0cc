// SPDX-License-Identifier: MIT
// What a planner looks at, as ghosts: its search's own sequences, where the bodies go in them, and its plan.
import assert from "node:assert/strict";
import test from "node:test";

import {Film} from "../../../tools/viewer/film.js";
import {ghostRows, mostGenerations, shownGhosts} from "../../../tools/viewer/ghosts.js";
import {Bench} from "../bench.js";
import {bestAndFirst, spread} from "../planner.js";
import {loaded, skip} from "./engine.mjs";

const carom = skip ? null : await loaded();
const setup = (seats, more = {}) => ({game: "csb", scene: null, seed: 3, worlds: 1, at_end: "freeze", seats, options: {},
                                      ...more});

function opened(given) {
  const bench = new Bench(carom);
  return {bench, film: new Film(bench.open(given))};
}

/** Where a body is at the ticks of a future of ghosts; [] for those that are not shown. */
function wayOf(ghosts, film, k, body) {
  const place = k * film.bodies + body;
  const begin = ghosts.legs.slice(0, place).reduce((sum, n) => sum + n, 0);
  const rows = Array.from({length: ghosts.legs[place]}, (_, n) =>
    Array.from(ghosts.ways.subarray((begin + n) * film.stride, (begin + n + 1) * film.stride)));
  rows.slice(1).forEach(([from, , x, y], n) => assert.deepEqual([from, x, y], [rows[n][1], rows[n][4], rows[n][5]]));
  const ends = rows.filter(([, to]) => Number.isInteger(to)).map((row) => row.slice(4, 6));
  return rows.length === 0 ? [] : [rows[0].slice(2, 4), ...ends];
}

const placeOf = (film, frame, body, world = 0) => {
  const {x, y} = film.body(frame, world, body);
  return [Math.fround(x), Math.fround(y)];
};

test("the best of a generation is shown, and the first ones", () => {
  assert.deepEqual(bestAndFirst([1, 5, 2, 5, 0], 3), [1, 0, 2]);
  assert.deepEqual(bestAndFirst([-Infinity, -Infinity], 8), [0, 1]);
  assert.deepEqual(spread(3, 12), [0, 1, 2]);
  assert.deepEqual(spread(31, 4), [0, 10, 20, 30]);
  assert.deepEqual(spread(1, 12), [0]);
});

test("generations and the plan are told, and what is planned is what happens", {skip}, () => {
  const {bench, film} = opened(setup(["cem:200", "race"]));
  film.add(bench.play(5, null, 0));
  for (let frame = 0; frame < 5; frame++) {
    const sets = film.frames[frame].ghosts[0];
    const generations = sets.slice(0, -1);
    const plan = sets[sets.length - 1];
    assert.deepEqual(sets.map(({generation}) => generation), [...generations.keys(), -1]);
    assert.ok(generations.length > 1 && sets.every((set) => set.generations === generations.length && set.player === 0));
    assert.equal(generations.reduce((sum, {sequences}) => sum + sequences, 0), 200);
    for (const {returns, count} of generations) {
      assert.ok(count === 8 && returns.length === 8 && returns[0] === Math.max(...returns));
    }
    assert.equal(plan.count, 1);
    assert.equal(plan.returns[0], Math.max(...generations.map(({returns}) => returns[0])));
    for (const set of sets) {
      for (let k = 0; k < set.count; k++) {
        assert.deepEqual([2, 3].map((body) => wayOf(set, film, k, body)), [[], []], "of its own side");
        for (let body = 0; body < 2; body++) {
          assert.deepEqual(wayOf(set, film, k, body)[0], placeOf(film, frame, body), "they begin where the bodies are");
        }
      }
    }
    for (let body = 0; body < 2; body++) {
      assert.deepEqual(wayOf(plan, film, 0, body)[1], placeOf(film, frame + 1, body), "the first action is played");
    }
    const best = generations.find(({returns}) => returns[0] === plan.returns[0]);
    assert.deepEqual(wayOf(best, film, 0, 0), wayOf(plan, film, 0, 0));
    assert.notDeepEqual(wayOf(best, film, 1, 0), wayOf(plan, film, 0, 0));
  }
  assert.deepEqual(film.frames[5].ghosts, []);
  assert.equal(mostGenerations(film), film.frames[0].ghosts[0].length - 1);
  assert.equal(shownGhosts(film, 2, 0, "last").length, 2);
  assert.equal(ghostRows(film, 2, 0, 1)[0][1], `1 of ${mostGenerations(film)}`);
});

test("to be watched changes nothing", {skip}, () => {
  const seats = ["cem:200", "genetic:200"];
  const films = [null, 0].map((watched) => {
    const {bench, film} = opened(setup(seats));
    film.add(bench.play(6, null, watched));
    return film;
  });
  assert.equal(films[0].state(6, 0).hash, films[1].state(6, 0).hash);
  assert.deepEqual(films[0].frames[3].ghosts, []);
  assert.deepEqual([...new Set(films[1].frames[3].ghosts[0].map(({player}) => player))], [0, 1]);
});

test("one world is watched, or both of two futures", {skip}, () => {
  const {bench, film} = opened(setup(["race", "cem:200"], {worlds: 3}));
  film.add(bench.play(2, null, 2));
  assert.deepEqual(Object.keys(film.frames[0].ghosts), ["2"]);
  const [set] = film.frames[1].ghosts[2];
  assert.deepEqual(wayOf(set, film, 0, 2)[0], placeOf(film, 1, 2, 2));
  const two = new Film(bench.fork(2, 2));
  two.add(bench.play(1, null, 1));
  assert.deepEqual(Object.keys(two.frames[0].ghosts), ["0", "1"]);
  assert.deepEqual(two.frames[0].ghosts[0][0].returns, two.frames[0].ghosts[1][0].returns);
});

test("a tick that is played once more has its ghosts once", {skip}, () => {
  const {bench, film} = opened(setup(["cem:200", "race"]));
  film.add(bench.play(4, null, 0));
  const count = film.frames[2].ghosts[0].length;
  bench.cut(2);
  film.cut(3);
  film.add(bench.play(2, null, 0));
  assert.equal(film.frames[2].ghosts[0].length, count);
});

test("plans for what has been cut off are forgotten", {skip}, () => {
  const after = [3, 5].map((ticks) => {
    const {bench} = opened(setup(["cem:200", "race"]));
    bench.play(ticks);
    bench.cut(2);
    bench.play(1);
    return bench.digest(0);
  });
  assert.equal(after[0], after[1]);
});

test("all games and scenes with planners show them", {skip}, () => {
  for (const name of Object.keys(carom.games)) {
    const seats = Array(carom.games[name].players).fill("shooting:200");
    const {bench, film} = opened(setup(seats, {game: name}));
    film.add(bench.play(1, null, 0));
    const own = film.frames[0].ghosts[0].filter(({generation}) => generation < 0);
    assert.deepEqual(own.map(({player}) => player), [...seats.keys()], name);
  }
});
