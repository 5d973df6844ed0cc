// SPDX-License-Identifier: MIT
// A scene in the address: it comes back as it was, and what is damaged or too large is refused.
import assert from "node:assert/strict";
import test from "node:test";
import {deflateRawSync} from "node:zlib";

import {LIMITS} from "../scene_edit.js";
import {addressOf, textIn} from "../share.js";

const coded = (bytes) => "#scene=" + Buffer.from(bytes).toString("base64url");

test("a scene comes back, whatever its characters", async () => {
  for (const text of ["{}", JSON.stringify({about: "Größe, 球, 🎱", bodies: [{x: 1 / 3}]}), "x".repeat(100000)]) {
    const address = await addressOf(text);
    assert.match(address, /^#scene=[-_A-Za-z0-9]*$/);
    assert.equal(await textIn(address), text);
  }
  assert.ok((await addressOf("x".repeat(100000))).length < 1000);
});

test("other addresses hold no scene", async () => {
  for (const hash of ["", "#", "#help", "#scene"]) {
    assert.equal(await textIn(hash), null);
  }
});

test("what is damaged is refused", async () => {
  await assert.rejects(textIn("#scene=***"), /not base64/);
  await assert.rejects(textIn(coded([1, 2, 3, 4])), /damaged/);
  const whole = deflateRawSync("{\"bodies\": [{}, {\"x\": 4}, {\"x\": 8}]}");
  await assert.rejects(textIn(coded(whole.subarray(0, whole.length - 3))), /damaged/);
  await assert.rejects(textIn(coded(deflateRawSync(Buffer.from([0xff, 0xfe, 0xc0])))), /not text/);
});

test("what is too large is refused, before it is all there", async () => {
  await assert.rejects(textIn("#scene=" + "A".repeat(LIMITS.text + 1)), /too long/);
  const bomb = deflateRawSync(Buffer.alloc(64 << 20)); // 64 kB that unpack to 64 MiB
  await assert.rejects(textIn(coded(bomb)), /more than 1048576 bytes/);
  const filled = (length) => coded(deflateRawSync(Buffer.alloc(length, "x")));
  assert.equal((await textIn(filled(LIMITS.text))).length, LIMITS.text);
  await assert.rejects(textIn(filled(LIMITS.text + 1)), /more than 1048576 bytes/);
});
