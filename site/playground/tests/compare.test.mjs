// SPDX-License-Identifier: MIT
// The first difference of two futures, also when one of them is changed again.
import assert from "node:assert/strict";
import test from "node:test";

import {Comparison, firstDifference} from "../compare.js";

function filmOf(frames) {
  return {
    bodies: 2, stride: 2, at: (world, body) => (world * 2 + body) * 2,
    frames: frames.map(([left, right], k) => ({
      places: Float64Array.from([...left, ...right]),
      keys: BigUint64Array.from([BigInt(k), 0n, BigInt(String(left) === String(right) ? k : k + 100), 0n]),
    })),
  };
}

const SAME = [[1, 2, 3, NaN], [1, 2, 3, NaN]];
const OTHER = [[1, 2, 3, 4], [1, 2, 3.5, 4]];

test("the first frame and body that differ", () => {
  assert.equal(firstDifference(filmOf([SAME, SAME])), null);
  assert.deepEqual(firstDifference(filmOf([SAME, OTHER, OTHER])), {frame: 1, body: 1});
  assert.deepEqual(firstDifference(filmOf([OTHER, SAME, [[9, 2, 3, 4], [1, 2, 3, 4]]]), 1), {frame: 2, body: 0});
  const signs = filmOf([[[0, 0, 0, 0], [-0, 0, 0, 0]]]);
  signs.frames[0].keys[2] = 7n;
  assert.deepEqual(firstDifference(signs), {frame: 0, body: 0});
});

test("what only the hash tells is no body's", () => {
  const film = filmOf([SAME]);
  film.frames[0].keys[2] = 7n;
  assert.deepEqual(firstDifference(film), {frame: 0, body: -1});
});

test("a film that grows and is cut", () => {
  const compared = new Comparison();
  const film = filmOf([SAME, SAME, OTHER, OTHER]);
  const all = film.frames;
  film.frames = all.slice(0, 2);
  assert.equal(compared.of(film), null);
  film.frames = all;
  assert.deepEqual(compared.of(film), {frame: 2, body: 1});
  compared.cut(1);
  film.frames = [...all.slice(0, 1), ...filmOf([OTHER]).frames];
  film.frames[1].keys[2] = 1000n;
  assert.deepEqual(compared.of(film), {frame: 1, body: 1});
  assert.deepEqual(compared.of(filmOf([OTHER])), {frame: 0, body: 1});
});

test("a frame that is another one is compared anew", () => {
  const compared = new Comparison();
  const film = filmOf([SAME, SAME, SAME]);
  assert.equal(compared.of(film), null);
  compared.cut(1);
  film.frames.splice(1, 1, ...filmOf([SAME, OTHER]).frames.slice(1));
  assert.deepEqual(compared.of(film), {frame: 1, body: 1});
  compared.cut(1);
  film.frames.splice(1, 1, ...filmOf([SAME, SAME]).frames.slice(1));
  assert.equal(compared.of(film), null);
});
