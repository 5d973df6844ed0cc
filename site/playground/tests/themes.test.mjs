// SPDX-License-Identifier: MIT
// The page's colours are those of the command's pictures.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import test from "node:test";

import {DARK, LIGHT, STYLES} from "../themes.js";

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("styles are those of look.h, in its order", () => {
  const list = read("include/carom/look.h").match(/typedef enum carom_look_style \{(.*?)\}/s)[1];
  assert.deepEqual([...list.matchAll(/CAROM_LOOK_(\w+)/g)].map(([, name]) => name.toLowerCase()), [...STYLES, "styles"]);
});

test("colours are those of picture.c", () => {
  const table = read("kernel/picture/picture.c").match(/carom_themes\[2\] = (.*?)\n\};/s)[1];
  const colours = [...table.matchAll(/0x(\w{6})ff/g)].map(([, colour]) => `#${colour}`);
  const of = ({ground, text, faint, impact, ghost, style}) => [ground, text, faint, impact, ...ghost, ...style];
  assert.equal(colours.length, 42);
  assert.deepEqual([...of(LIGHT), ...of(DARK)], colours);
});
