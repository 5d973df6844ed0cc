// SPDX-License-Identifier: MIT
// numbers.mjs FOLDER: the numbers that sketches of a built site show, computed by the same engine under Node. Reads the
// sketches' states by name as JSON from standard input, and writes their numbers in the same form.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const module = (name) => import(pathToFileURL(join(folder, name)).href);
const carom = await (await module("carom/carom.js")).load();
const shown = {};
for (const [name, state] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  const { sketch } = await module(`explain/${name}.js`);
  shown[name] = sketch.numbers(state, carom);
}
console.log(JSON.stringify(shown));
