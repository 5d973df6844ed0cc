// SPDX-License-Identifier: MIT
// Replays: bytes from which recorded games can be played again; and recordings, which write such bytes.

import { Owner, Resource, known, numbers, options, refuse, shaped, whole } from "./engine.js";
import { Game } from "./games.js";
import { Call, PLAYING } from "./play.js";

/** See worlds.js, which imports this file. */
const BATCH = Symbol.for("carom batch");

const NOTES = ["name", "message", "error", "referee"];

let recordings = 0; // the number of recordings so far, by which the module finds each

/** Records what a batch plays as a replay, until close(). */
export class Recording extends Owner {
  /**
   * @param {import("./worlds.js").Worlds} worlds
   * @param {any} given
   */
  constructor(worlds, given) {
    super();
    const { worlds: chosen, keyframe_ticks = 256 } = options("recording", given, ["worlds", "keyframe_ticks"]);
    if (worlds.recorded) {
      refuse("recording: the batch is recorded already");
    }
    const engine = worlds.core;
    this.batch = worlds;
    /** @type {Uint8Array[]} */
    this.parts = [];
    const number = ++recordings;
    engine.writers.set(number, (bytes) => this.parts.push(bytes));
    this.own(engine.frame((frame) => {
      const problem = frame.structure("carom_problem", {});
      const to = frame.bytes(4);
      const desc = frame.structure("carom_recorder_desc", {
        worlds: chosen == null ? 0 : frame.copy(numbers("worlds", chosen, Uint32Array, chosen.length)),
        count: chosen?.length ?? 0, options: worlds.game.filledOptions(frame, worlds.options),
        keyframe_ticks: whole("keyframe_ticks", keyframe_ticks, 1), write: engine.c.engine_writer(), user: number,
      });
      const status = engine.c.carom_recorder_create(worlds.at, desc.at, to, problem.at);
      engine.check(status, "recording", status ? problem.get("text") : null);
      return new Resource(engine.data.getUint32(to, true), (at) => {
        engine.c.carom_recorder_destroy(at);
        engine.writers.delete(number);
      }, [worlds.resource]);
    }));
    worlds.recorded = this;
  }

  /** The replay so far. */
  bytes() {
    const bytes = new Uint8Array(this.parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of this.parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** Writes a note that belongs to the next tick. @param {any} note */
  note(note) {
    const { kind, world = 0, player = 0, text } = options("note", note, ["kind", "world", "player", "text"]);
    const { core: engine } = this.batch;
    engine.frame((frame) => {
      const { at, length } = frame.string(text);
      const row = frame.structure("carom_replay_note", { kind: known("kind", kind, NOTES), world, player, text: at,
                                                         length });
      engine.check(engine.c.carom_recorder_note(this.at, row.at), "note");
    });
  }

  /** Ends the recording; returns the complete replay. */
  close() {
    const { core: engine } = this.batch;
    engine.check(engine.c.carom_recorder_end(this.at), "recording");
    this.free();
    return this.bytes();
  }

  free() {
    if (this.batch.recorded === this) {
      this.batch.recorded = null;
    }
    super.free();
  }
}

/** A replay: bytes written by a recording or by the command `carom`. It begins at tick 0. */
export class Replay extends Owner {
  /**
   * @param {Uint8Array | ArrayBuffer} bytes
   * @param {any} [given]
   */
  constructor(bytes, given = {}) {
    super();
    this.core = /** @type {any} */ (new.target).core;
    options("Replay", given, []);
    this.own(this.open(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes));
    const info = this.core.filled("carom_replay_info", (to) => this.core.c.carom_replay_describe(to, this.at));
    this.described = new Game(this.core, info.game);
    this.game = this.described.name;
    this.precision = info.precision === 64 ? "f64" : "f32";
    this.seed = info.seed;
    this.worlds = info.worlds;
    this.ticks = info.ticks;
    this.whole = info.whole;
    this.keyframes = info.keyframes;
    this.notes = Array.from({ length: info.notes }, (_, k) => this.note(k));
    this.tick = 0;
    this.batch = this.made();
  }

  /** @param {Uint8Array} bytes */
  open(bytes) {
    const { core: engine } = this;
    const kept = engine.take(bytes.length); // read by the library until the replay is closed
    engine.bytes(kept, bytes.length).set(bytes);
    return engine.frame((frame) => {
      const problem = frame.structure("carom_problem", {});
      const to = frame.bytes(4);
      const status = engine.c.carom_replay_open(kept, bytes.length, to, problem.at);
      if (status) {
        engine.c.free(kept);
      }
      engine.check(status, "replay", status ? problem.get("text") : null);
      return new Resource(engine.data.getUint32(to, true), (at) => {
        engine.c.carom_replay_close(at);
        engine.c.free(kept);
      });
    });
  }

  /** @param {number} index */
  note(index) {
    const { core: engine } = this;
    const { kind, tick, world, player, text, length } = engine.filled("carom_replay_note",
      (to) => engine.c.carom_replay_note_at(this.at, index, to));
    return { kind: NOTES[kind], tick, world, player, text: new TextDecoder().decode(engine.bytes(text, length)) };
  }

  /** A batch of the replay's worlds before its first tick. */
  made() {
    const { core: engine } = this;
    const { Worlds } = /** @type {any} */ (this.constructor);
    return engine.frame((frame) => {
      const to = frame.bytes(4);
      engine.check(engine.c.carom_replay_worlds(this.at, 0, 1, to), "replay");
      return new Worlds(this.described, this.worlds, {
        precision: this.precision,
        [BATCH]: { at: engine.data.getUint32(to, true), needs: [this.resource], again: () => this.made() },
      });
    });
  }

  /** An independent batch in the current state of the replay, to play on from. */
  fork() {
    const twin = this.made();
    this.core.check(this.core.c.carom_replay_seek(this.at, twin.at, BigInt(this.tick)), "fork");
    return twin;
  }

  /** Plays the next tick; false at the end. With options it returns the requested outputs: see Worlds.play. */
  step(/** @type {any} */ given) {
    if (this.tick === this.ticks) {
      return false;
    }
    const { core: engine } = this;
    return engine.frame((frame) => {
      const wanted = options("step", given, PLAYING.slice(PLAYING.indexOf("observations")));
      const call = given === undefined ? null : new Call(frame, this.batch, 1, wanted);
      engine.check(engine.c.carom_replay_play(this.at, this.batch.at, BigInt(this.tick), call?.step.at ?? 0), "step");
      this.tick++;
      return call ? call.played() : true;
    });
  }

  /** Goes to the state after `tick` ticks, forwards or back. @param {number} tick */
  seek(tick) {
    whole("tick", tick, 0, this.ticks);
    this.core.check(this.core.c.carom_replay_seek(this.at, this.batch.at, BigInt(tick)), "seek");
    this.tick = tick;
  }

  /** Plays it again from the start and compares every world after every tick; null if all bits are the same. */
  verify(/** @type {any} */ given = {}) {
    options("verify", given, []);
    const { core: engine } = this;
    const found = engine.filled("carom_replay_difference",
      (to) => engine.c.carom_replay_verify(this.at, 0, 1, 0, 0, to), "verify");
    const { ticks, world, id, field, element, was, is } = found;
    return found.found ? { ticks, world, id, field, element, values: found.values ? [was, is] : null } : null;
  }

  get fields() {
    return this.batch.fields;
  }

  /** A field of all worlds at the current tick. @param {string} name */
  get(name) {
    return this.batch.get(name);
  }

  /** All actions of a tick, by default the last one: for each player [world, number]. */
  actions(tick = this.tick - 1) {
    whole("tick", tick, 0, this.ticks - 1);
    const { core: engine, described: game } = this;
    const most = Math.max(...game.action_kinds.map(({ size }) => size)) * 8;
    return engine.frame((frame) => {
      const capacity = this.worlds * game.players * most;
      const [kinds, at] = [frame.bytes(4 * 4), frame.bytes(capacity)];
      engine.check(engine.c.carom_replay_actions(this.at, BigInt(tick), kinds, at, capacity), "actions");
      const chosen = Array.from({ length: game.players }, (_, k) => game.action_kinds[
        engine.data.getUint32(kinds + 4 * k, true)]);
      return split(engine, at, this.worlds, chosen);
    });
  }

  hashes() {
    return this.batch.hashes();
  }

  look(world = 0) {
    return this.batch.look(world);
  }

  svg(world = 0, /** @type {any} */ given = {}) {
    return this.batch.svg(world, given);
  }

  rgb_array(world = 0, /** @type {any} */ given = {}) {
    return this.batch.rgb_array(world, given);
  }

  free() {
    this.batch.free();
    super.free();
  }
}

/**
 * Actions [world][player][number], each in its kind's precision, as an array for each player.
 * @param {import("./engine.js").Engine} engine
 * @param {number} at
 * @param {number} worlds
 * @param {{ precision: string, size: number }[]} kinds
 */
function split(engine, at, worlds, kinds) {
  const arrays = kinds.map(({ precision, size }) => shaped(
    new (precision === "f64" ? Float64Array : Float32Array)(worlds * size), [worlds, size]));
  for (let world = 0; world < worlds; world++) {
    kinds.forEach(({ precision, size }, player) => {
      for (let k = 0; k < size; k++) {
        arrays[player][world * size + k] = precision === "f64" ? engine.data.getFloat64(at, true)
          : engine.data.getFloat32(at, true);
        at += precision === "f64" ? 8 : 4;
      }
    });
  }
  return arrays;
}
