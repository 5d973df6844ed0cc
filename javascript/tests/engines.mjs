// SPDX-License-Identifier: MIT
// The package as it is built, for the tests: node --test --test-... with CAROM_DIST, a folder, or build-web's.

import { readFileSync } from "node:fs";

const dist = process.env.CAROM_DIST ?? new URL("../../build-web/javascript/dist", import.meta.url).pathname;

/** A file of the package. */
export const file = (/** @type {string} */ name) => `${dist}/${name}`;

export const { load, CaromError } = await import(file("carom.js"));

/** Both modules: with SIMD and without. */
export const engines = { simd: await load({ simd: true }), scalar: await load({ simd: false }) };

/** The library's results elsewhere: see python/tests/test_javascript.py. */
export const expected = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));

/** Does `call` throw a CaromError of this status, with a text that matches? */
export function refuses(assert, call, status, text) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof CaromError, String(error));
    assert.equal(error.status, status, error.message);
    assert.match(error.message, text);
    return true;
  });
}
