// SPDX-License-Identifier: MIT
// Editing a scene: what is found under a pointer, and what each change makes of the scene, which itself stays.
import assert from "node:assert/strict";
import {readFileSync, readdirSync} from "node:fs";
import test from "node:test";

import {LIMITS, added, bodyOf, changed, endsOf, findAt, moved, outlinesOf, parameterOf, removed, sceneOf, settled, textOf,
        withCorner} from "../scene_edit.js";

const SCENES = new URL("../../../examples/scenes/", import.meta.url);

function freeze(value) {
  if (value !== null && typeof value === "object") {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}

const SCENE = freeze({
  body: {radius: 0.5, restitution: 0.9},
  bodies: [{x: 1, y: 1, vx: 2}, {x: 3, y: 1, radius: 1}, {x: 9, y: 9, mass: "infinite"}],
  walls: [{a: [0, 5], b: [4, 5], restitution: 0.7}, {ax: 6, ay: 0, by: 2, one_sided: true}],
  polygons: [{corners: [[10, 0], [12, 0], [12, 2], [10, 2]]}],
  box: {from: [-20, -20], to: [20, 20], horizontal: "solid", vertical: "solid"},
});
const PLACES = SCENE.bodies.map((_, k) => {
  const {x, y, vx, vy} = bodyOf(SCENE, k);
  return {x, y, vx, vy, there: true};
});

test("text is read, limited, and written as it was", () => {
  for (const file of readdirSync(SCENES).filter((name) => name.endsWith(".json"))) {
    const text = readFileSync(new URL(file, SCENES), "utf8");
    const scene = sceneOf(text);
    assert.deepEqual(sceneOf(textOf(scene)), JSON.parse(text), file);
  }
  assert.throws(() => sceneOf("{"), /not JSON/);
  assert.throws(() => sceneOf("[1]"), /not a JSON object/);
  assert.throws(() => sceneOf("null"), /not a JSON object/);
  assert.throws(() => sceneOf("{}"), /no bodies/);
  assert.throws(() => sceneOf(JSON.stringify({bodies: Array(LIMITS.bodies + 1).fill({})})), /5001 bodies.*at most 5000/);
  const corners = Array(LIMITS.corners + 1).fill([0, 0]);
  assert.throws(() => sceneOf(JSON.stringify({bodies: [{}], polygons: [{corners}]})), /5001 corners/);
  for (const name of ["walls", "arcs"]) {
    const scene = (count) => JSON.stringify({bodies: [{}], [name]: Array(count).fill({})});
    assert.throws(() => sceneOf(scene(LIMITS[name] + 1)), new RegExp(`${LIMITS[name] + 1} ${name}`));
    assert.equal(sceneOf(scene(LIMITS[name]))[name].length, LIMITS[name]);
  }
  assert.throws(() => sceneOf("x".repeat(LIMITS.text + 1)), /characters/);
});

test("numbers come from the body, its template, the engine", () => {
  assert.deepEqual([bodyOf(SCENE, 0).radius, bodyOf(SCENE, 1).radius, bodyOf(SCENE, 0).mass], [0.5, 1, 1]);
  assert.deepEqual(endsOf(SCENE, 0), [[0, 5], [4, 5]]);
  assert.deepEqual(endsOf(SCENE, 1), [[6, 0], [0, 2]]);
  assert.equal(outlinesOf(SCENE).length, 3);
});

test("the pointer finds bodies, then points, then edges", () => {
  const at = (x, y) => findAt(SCENE, PLACES, x, y, 0.2);
  assert.deepEqual(at(3.9, 1), {kind: "body", index: 1, part: 0});
  assert.deepEqual(at(4.1, 5.1), {kind: "wall", index: 0, part: 1});
  assert.deepEqual(at(2, 5.1), {kind: "wall", index: 0, part: -1});
  assert.deepEqual(at(12.1, 2.1), {kind: "polygon", index: 0, part: 2});
  assert.deepEqual(at(9.9, 1), {kind: "polygon", index: 0, part: -1}); // the edge from the last corner to the first
  assert.equal(at(2, 5.3), null);
  const gone = PLACES.map((p, k) => (k === 1 ? {...p, there: false} : p));
  assert.equal(findAt(SCENE, gone, 3.9, 1, 0.2), null);
  assert.deepEqual(findAt(SCENE, PLACES.map((p) => ({...p, x: p.x + 100})), 103.9, 1, 0.2).index, 1);
});

test("points and things are moved", () => {
  assert.deepEqual(endsOf(moved(SCENE, {kind: "wall", index: 0, part: 1}, 1, -2), 0), [[0, 5], [5, 3]]);
  const both = moved(SCENE, {kind: "wall", index: 1, part: -1}, 1, 1);
  assert.deepEqual(both.walls[1], {one_sided: true, a: [7, 1], b: [1, 3]});
  const polygon = moved(SCENE, {kind: "polygon", index: 0, part: 2}, 1, 1).polygons[0].corners;
  assert.deepEqual(polygon, [[10, 0], [12, 0], [13, 3], [10, 2]]);
  assert.deepEqual(moved(SCENE, {kind: "body", index: 1, part: 0}, 1, 1).bodies[1], {x: 4, y: 2, radius: 1});
});

test("things are added and removed", () => {
  const more = added(added({bodies: [{}]}, "wall", {a: [0, 0], b: [1, 0]}), "body", {x: 3});
  assert.deepEqual([more.bodies.length, more.walls.length], [2, 1]);
  assert.throws(() => added({bodies: Array(LIMITS.bodies).fill({})}, "body", {}), /at most 5000 bodies/);
  assert.deepEqual(withCorner(SCENE, 0, 3).polygons[0].corners.at(-1), [10, 1]);
  const without = (kind, index, part = -1) => removed(SCENE, {kind, index, part});
  assert.deepEqual(without("body", 0).bodies.map((b) => b.x), [3, 9]);
  assert.deepEqual(without("wall", 1).walls, [SCENE.walls[0]]);
  const three = without("polygon", 0, 1);
  assert.deepEqual(three.polygons[0].corners, [[10, 0], [12, 2], [10, 2]]);
  assert.deepEqual(removed(three, {kind: "polygon", index: 0, part: 1}).polygons, []);
  assert.throws(() => removed({bodies: [{}]}, {kind: "body", index: 0, part: 0}), /at least one body/);
});

test("what rules call by number stays", () => {
  const hockey = sceneOf(readFileSync(new URL("air_hockey.json", SCENES), "utf8"));
  assert.throws(() => removed(hockey, {kind: "wall", index: 0, part: -1}), /by its number/);
  assert.throws(() => removed(hockey, {kind: "body", index: 0, part: 0}), /by its number/);
  assert.equal(removed({...SCENE, rules: [{kind: "meets_wall", which: 0}]}, {kind: "polygon", index: 0, part: -1})
    .polygons.length, 0);
});

test("a scene as it stands begins there, to the last bit", () => {
  const spread = {...SCENE, body: {...SCENE.body, x_spread: 0.1}};
  const places = PLACES.map((p, k) => ({...p, x: p.x + 0.1 / (k + 3), vx: Math.PI, there: k !== 0}));
  const now = sceneOf(textOf(settled(spread, places)));
  assert.equal(now.bodies[1].x, places[1].x);
  assert.equal(now.bodies[1].vx, Math.PI);
  assert.equal(now.bodies[1].x_spread, 0);
  assert.equal(now.bodies[0].inactive, true);
  assert.ok(!("inactive" in now.bodies[1]));
  assert.ok(!("vx" in now.bodies[2])); // fixed: a velocity would be refused
});

test("parameters change everything that they are about", () => {
  const soft = changed(SCENE, "restitution", 0.25);
  assert.deepEqual([...soft.bodies, ...soft.walls, ...soft.polygons, soft.box].map((item) => item.restitution),
                   Array(7).fill(0.25));
  assert.equal(parameterOf(soft, "restitution"), 0.25);
  const heavy = changed(SCENE, "gravity", 9.81);
  assert.deepEqual(heavy.bodies.map((b) => b.ay), [-9.81, -9.81, undefined]);
  assert.equal(parameterOf(heavy, "gravity"), 9.81);
  assert.deepEqual(changed(SCENE, "radius", 2).bodies.map((b) => b.radius), [1, 2, 1]);
  assert.deepEqual(changed(SCENE, "speed", 0.5).bodies.map((b) => b.vx), [1, 0, undefined]);
  assert.throws(() => changed(SCENE, "colour", 1), /no parameter/);
});
