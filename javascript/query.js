// SPDX-License-Identifier: MIT
// Spatial queries: rays and moving circles, the nearest thing, everything within a distance.

import { Structure, known, whole } from "./engine.js";

const KINDS = ["none", "body", "side", "wall", "polygon", "arc"];
const ASKED = ["world", "x", "y", "dx", "dy", "radius", "range", "category", "mask", "ignore", "sensors"];

/**
 * Queries as an array of C structures.
 * @param {import("./engine.js").Frame} frame
 * @param {Record<string, any>[]} questions
 * @param {Record<string, any>} usual
 */
function asked(frame, questions, usual) {
  const { engine } = frame;
  const layout = engine.layout("carom_query");
  const at = frame.bytes(layout.bytes * questions.length);
  questions.forEach((question, k) => {
    Object.keys(question).forEach((name) => known("question", name, ASKED));
    const row = new Structure(engine, layout, at + layout.bytes * k);
    engine.c.carom_query_default(row.at);
    row.assign({ ...usual, ...question });
  });
  return at;
}

/** @param {any} found */
const named = (found) => ({ ...found, kind: KINDS[found.kind] });

/**
 * The answers to queries, by carom_worlds_cast() or carom_worlds_nearest().
 * @param {import("./worlds.js").Worlds} worlds
 * @param {"cast" | "nearest"} what
 * @param {Record<string, any>[]} questions
 */
export function ask(worlds, what, questions) {
  const { core: engine } = worlds;
  return engine.frame((frame) => {
    const to = frame.bytes(engine.layout("carom_found").bytes * questions.length);
    const from = asked(frame, questions, {});
    worlds.done(engine.c[`carom_worlds_${what}`](worlds.at, questions.length, from, to), what);
    return engine.objects("carom_found", to, questions.length).map(named);
  });
}

/**
 * Everything within the range of each query, which defaults to 0 here.
 * @param {import("./worlds.js").Worlds} worlds
 * @param {Record<string, any>[]} questions
 * @param {number} capacity
 */
export function within(worlds, questions, capacity) {
  const { core: engine } = worlds;
  whole("capacity", capacity);
  return engine.frame((frame) => {
    const bytes = engine.layout("carom_found").bytes * capacity;
    const [to, counts] = [frame.bytes(bytes * questions.length), frame.bytes(4 * questions.length)];
    const from = asked(frame, questions, { range: 0 });
    worlds.done(engine.c.carom_worlds_within(worlds.at, questions.length, from, capacity, to, counts), "within");
    return questions.map((_, k) => {
      const count = engine.data.getUint32(counts + 4 * k, true);
      return { found: engine.objects("carom_found", to + bytes * k, Math.min(count, capacity)).map(named), count };
    });
  });
}
