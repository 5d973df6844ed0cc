// SPDX-License-Identifier: MIT
// numbers.mjs FOLDER: what each sketch of a built site shows at its start, computed by the same engine under Node; as
// JSON, by the sketches' names.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const module = (name) => import(pathToFileURL(join(folder, name)).href);
const carom = await (await module("carom/carom.js")).load();
const shown = {};
for (const file of readdirSync(join(folder, "explain")).filter((name) => name.endsWith(".html"))) {
  const name = file.slice(0, -5);
  const { sketch } = await module(`explain/${name}.js`).catch(() => ({}));
  if (sketch) shown[name] = sketch.numbers(sketch.start, carom);
}
console.log(JSON.stringify(shown));
