// SPDX-License-Identifier: MIT
// What a human's orders become: numbers that the games take, and never a command that loses a game.
import assert from "node:assert/strict";
import test from "node:test";

import {STEERED, actorsOf, actsOf, flickOf, mayCast} from "../steer.js";

const seenOf = (fields, more = {}) => ({field: (name) => fields[name], policy: () => Array(55).fill(0.5), scene: null,
                                        options: {}, ...more});

test("each pod has its own target, thrust, shield and boost", () => {
  const units = [{x: 100.4, y: 200.6, power: 70, does: ""}, {x: -5, y: 3, power: 200, does: "shield"}];
  assert.deepEqual(actsOf("csb", {player: 0, units}, null),
                   {kind: "referee", numbers: [100, 201, 70, -5, 3, 1048576]});
  units[0].does = "boost";
  assert.equal(actsOf("csb", {player: 0, units}, null).numbers[2], 2097152);
});

test("wizards throw what they hold, cast what they may, and else move", () => {
  const fields = {hold: [-1, 4, -1, -1], alive: [1, 0, 1, 1, 1, 0, 0], mana: [25, 100], snaffles: [5]};
  const acts = (...units) => actsOf("fantastic_bits", {player: 0, units}, seenOf(fields)).numbers;
  const to = {x: 7, y: 8, power: 120};
  assert.deepEqual(acts({...to, does: "throw"}, {...to, does: "throw"}), [0, 7, 8, 120, 1, 7, 8, 500]);
  // Slot 11, the first bludger, is the referee's 9 where there are five snaffles.
  assert.deepEqual(acts({...to, does: "accio", target: 11}, {...to, does: ""}), [4, 9, 0, 0, 0, 7, 8, 120]);
  // 25 mana: the second Accio has not enough left, Obliviate has.
  assert.deepEqual(acts({...to, does: "accio", target: 4}, {...to, does: "accio", target: 4}).slice(4), [0, 7, 8, 120]);
  assert.deepEqual(acts({...to, does: "accio", target: 4}, {...to, does: "obliviate", target: 12}).slice(4), [2, 10, 0, 0]);
  // A snaffle that is in a goal, its own mate, nothing.
  for (const target of [5, 1, -1, undefined]) {
    assert.deepEqual(acts({...to, does: "flipendo", target}, {...to, does: ""}).slice(0, 4), [0, 7, 8, 120], target);
  }
});

test("who may be enchanted", () => {
  const alive = [1, 1, 1, 1, 1, 0, 0];
  for (const spell of ["obliviate", "petrificus", "accio", "flipendo"]) {
    assert.ok(mayCast(spell, 0, 12, alive));
    assert.equal(mayCast(spell, 0, 4, alive), spell !== "obliviate");
    assert.ok(!mayCast(spell, 0, 9, alive));
    assert.equal(mayCast(spell, 0, 2, alive), ["petrificus", "flipendo"].includes(spell));
    assert.ok(!mayCast(spell, 2, 3, alive));
  }
});

test("one robot is steered, its mates play on their own", () => {
  const fields = {x: Array(26).fill(0), y: Array(26).fill(0), angle: Array(22).fill(0)};
  fields.x[8] = 1; // robot 2 of player 1, where a side has six
  const seen = seenOf(fields, {options: {robots: 6}});
  const {kind, numbers} = actsOf("soccer", {player: 1, unit: 2, x: 1, y: 4, does: "kick"}, seen);
  assert.equal(kind, "normalised");
  assert.equal(numbers.length, 55);
  assert.deepEqual(numbers.slice(10, 15).map((n) => Math.round(1000 * n) / 1000 + 0), [0, -1, 1, 1, 0]);
  assert.ok(numbers.every((n, k) => (k >= 10 && k < 15) || n === 0.5));
});

test("a stone is pushed once, or not", () => {
  assert.deepEqual(actsOf("stones", {player: 0, push: null}, null).numbers, [-1, 0, 0, 0]);
  const push = {stone: 4, course: 1, speed: 20, curve: -0.5};
  assert.deepEqual(actsOf("stones", {player: 0, push}, null), {kind: "push", numbers: [4, 1, 20, -0.5]});
  assert.deepEqual(flickOf(-30, 0, 0.5, 40), {course: Math.atan2(-0, 30), speed: 15});
  assert.equal(flickOf(0, 1000, 0.5, 40).speed, 40);
  assert.equal(flickOf(0, 1000, 0.5, 40).course, -Math.PI / 2);
});

test("bodies of a scene go to the pointer, and rest there", () => {
  const scene = {body: {radius: 0.5}, bodies: [{}, {acts: true}, {acts: true, player: 1}, {acts: true, mass: "infinite"}]};
  assert.deepEqual(actorsOf(scene, 0), [1]);
  assert.deepEqual(actorsOf(scene, 1), [2]);
  const seen = seenOf({x: [0, 1, 9, 0], y: [0, 1, 9, 0]}, {scene});
  const numbers = (orders) => actsOf("scene", {player: 0, ...orders}, seen).numbers;
  assert.deepEqual(numbers({x: 1, y: 11}), [0, 1]);
  assert.deepEqual(numbers({x: 2, y: 1}), [0.5, 0]);
  assert.deepEqual(numbers({x: 1, y: 1}), [0, 0]);
  assert.deepEqual(numbers({x: null}), [0, 0]);
});

test("every game that is steered says how", () => {
  assert.deepEqual(Object.keys(STEERED).sort(), ["csb", "fall", "fantastic_bits", "soccer", "stones"]);
});
