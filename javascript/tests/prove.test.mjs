// SPDX-License-Identifier: MIT
// The digests of `carom prove`, from JavaScript, in both modules: the same games give those that are recorded for the
// command.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { engines } from "./engines.mjs";

const [WORLDS, TICKS, SEED] = [50, 110, 2026]; // tools/prove/course.c
const lines = readFileSync(new URL("../../tools/prove/digests.txt", import.meta.url), "utf8").split("\n");
const games = lines.map((line) => line.split(/[. ]+/)).filter(([game, , sum]) => sum === "states" && game !== "scene");

for (const [name, carom] of Object.entries(engines)) {
  test(`${name}: the recorded games`, () => {
    assert.equal(games.length, 7);
    for (const [game, policy, , , f64] of games) {
      const worlds = new carom.Worlds(game, WORLDS, { seed: SEED, at_end: "reset" });
      worlds.play(TICKS, { players: Array(worlds.game.players).fill(policy) });
      assert.equal(worlds.digest(), BigInt(f64), `${game}.${policy}`);
      worlds.free();
    }
  });
}
