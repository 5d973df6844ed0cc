// SPDX-License-Identifier: MIT
/**
 * Makes the still pictures: node still.mjs ENGINE OUT [NAME...], where ENGINE is carom.js and OUT a folder. Every
 * sketch is drawn as it begins, by the code that draws it in the page. Without names: all sketches of this folder.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { SvgPen } from "./sketch.js";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Names of all sketches: the pages that have a figure of their own name. */
export function sketchNames() {
  return readdirSync(here).filter((file) => file.endsWith(".md")).map((file) => file.slice(0, -3))
    .filter((name) => readFileSync(join(here, `${name}.md`), "utf8").includes(`id="${name}"`));
}

export async function loadSketch(name) {
  return (await import(pathToFileURL(join(here, `${name}.js`)).href)).sketch;
}

/** The picture of a sketch in its first state. */
export function still(sketch, carom) {
  const pen = new SvgPen(sketch.view);
  const numbers = sketch.numbers(sketch.start, carom);
  sketch.draw(pen, sketch.start, numbers);
  return pen.picture(sketch.tell(sketch.start, numbers));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [, , engine, out, ...names] = process.argv;
  if (!out) throw new Error("node still.mjs ENGINE OUT [NAME...]");
  const carom = await (await import(pathToFileURL(resolve(engine)).href)).load();
  for (const name of names.length ? names : sketchNames())
    writeFileSync(join(out, `${name}.svg`), still(await loadSketch(name), carom));
}
