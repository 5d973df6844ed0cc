// SPDX-License-Identifier: MIT
// The bench: what the page does with the engine. It runs in a Worker (bench_worker.js), so that nothing that takes long
// freezes what is drawn; under Node tests call it as it is.
import {Branch} from "./branch.js";
import {LEG} from "./planner.js";
import {NUMBERS, Untold, headOf, sceneryOf} from "./film_data.js";
import {added, changed, moved, removed, sceneOf, settled, textOf, withCorner} from "./scene_edit.js";

const ROOM = 256 << 20; // bytes of a film; then it begins again
const EDITS = {added, changed, moved, removed, withCorner}; // of scene_edit.js, by name
const UNDO = 50; // changes that can be taken back

/** @typedef {import("./branch.js").Setup} Setup */

export class Bench {
  /** @param {any} carom the loaded library */
  constructor(carom, {room = ROOM} = {}) {
    this.carom = carom;
    this.room = room;
    /** @type {Branch[]} */
    this.branches = [];
    this.first = 0; // ticks before the film's first frame
    this.past = []; // before each change: the branches' frame, and their states
  }

  /** What there is to choose from: games with their players, policies and options. */
  games() {
    return Object.values(this.carom.games).map(({name, title, players, policies, options}) =>
      ({name, title, players, policies, options}));
  }

  // ---- films ----

  /**
   * Begins with new worlds.
   * @param {Omit<Setup, "scene"> & {scene: string | null}} setup
   */
  open(setup) {
    const scene = setup.scene === null ? null : sceneOf(setup.scene);
    const branch = new Branch(this.carom, {...setup, scene});
    this.branches.forEach((old) => old.free());
    this.branches = [branch];
    this.first = 0;
    this.past = [];
    return this.film();
  }

  /** Worlds of the film: [branch, world of it]. */
  get places() {
    return this.branches.flatMap((branch) => Array.from({length: branch.setup.worlds}, (_, world) => [branch, world]));
  }

  /** Number of the last frame of the film. */
  get last() {
    return this.branches[0].last;
  }

  /** The film from where the branches stand: its head and first frame. */
  film() {
    const [branch] = this.branches;
    const {game} = branch.worlds;
    const look = branch.worlds.look(0);
    const worlds = this.places.length;
    this.start = this.last; // the branches' number of the film's frame 0
    this.head = headOf(look, {title: game.title, name: branch.setup.game, source: branch.setup.game, worlds,
                              players: game.players, first: this.first, version: this.carom.version});
    this.untold = new Untold(this.head);
    this.bytes = 0;
    this.scores = [new Float64Array(worlds * game.players)];
    this.episodes = Array(worlds).fill(null);
    this.look(null);
    return {...this.head, ...this.tell()};
  }

  /** Number of the last frame in the film. */
  get frame() {
    return this.last - this.start;
  }

  tell() {
    return this.untold.tell(this.bytes > this.room);
  }

  /** Adds a frame of the worlds as they are; outcomes: what each branch's tick told, null before the first. */
  look(outcomes) {
    const {untold, head} = this;
    const frame = untold.frame();
    const scores = this.scores[this.scores.length - 1].slice();
    let world = 0;
    this.branches.forEach((branch, b) => {
      const outcome = outcomes?.[b] ?? null;
      const fields = fieldsOf(branch.worlds);
      const hashes = branch.worlds.hashes();
      const hits = outcome === null ? [] : byWorld(outcome, branch.setup.worlds);
      for (let w = 0; w < branch.setup.worlds; w++, world++) {
        const rows = branch.worlds.look_numbers(w, NUMBERS.slice(0, head.stride));
        untold.bodies(frame, world, rows);
        for (let p = 0; p < head.players; p++) {
          scores[world * head.players + p] += outcome?.rewards[w * head.players + p] ?? 0;
        }
        const result = outcome !== null && outcome.ends[w] !== 0 ? outcome.results[w] : null;
        const fault = fields.fault[w] | (result?.fault ?? 0);
        frame.states.set([fields.tick[w], fields.episode[w], fields.end[w], fault, fields.frozen[w],
                          ...scores.subarray(world * head.players, (world + 1) * head.players), energyOf(rows, head)],
                         world * (6 + head.players));
        frame.keys[2 * world] = hashes[w];
        frame.keys[2 * world + 1] = fields.id[w];
        const {numbers} = branch.worlds.look(w, ["numbers"]);
        frame.values.set(numbers.map(({value}) => value), world * head.numbers.length);
        untold.hits(world, hits[w] ?? []);
        if (result !== null) {
          const {winner, score, ticks} = result;
          untold.results.push({frame: this.frame, world, winner, score: Array.from(score).slice(0, head.players), ticks});
        }
        if (this.episodes[world] !== fields.episode[w]) {
          this.episodes[world] = fields.episode[w];
          untold.sceneries.push(sceneryOf(branch.worlds.look(w, ["shapes"]), this.frame, world));
          if (w === 0 && branch.setup.scene !== null) {
            untold.scenes.push({frame: this.frame, world, scene: branch.setup.scene});
          }
        }
      }
    });
    this.scores[this.frame] = scores;
    this.bytes += frame.places.byteLength + frame.states.byteLength + frame.values.byteLength;
  }

  /**
   * Plays on. `costs` of what it tells are the times that its ticks took, in ms.
   * @param {number} ticks
   * @param {Record<string, any> | null} [orders] what a human wants (steer.js)
   * @param {number | null} [watched] the world whose planners' futures are reported; null: none. Of two futures
   *     both are
   */
  play(ticks, orders = null, watched = null) {
    const costs = [];
    for (let k = 0; k < ticks && this.bytes <= this.room; k++) {
      const begin = performance.now();
      const outcomes = this.branches.map((branch, b) => branch.tick(orders, this.watchedOf(b, watched)));
      this.hearPlanners(watched);
      this.look(outcomes);
      costs.push(performance.now() - begin);
    }
    return Object.assign(this.tell(), {costs});
  }

  /** The world of a branch that is watched, or null. */
  watchedOf(b, watched) {
    if (watched === null || this.branches.length > 1) {
      return watched === null ? null : 0;
    }
    return watched < this.branches[b].setup.worlds ? watched : null;
  }

  /** Takes what planners looked at, from the frame before the tick that was played. */
  hearPlanners(watched) {
    this.branches.forEach((branch, b) => {
      const world = this.branches.length > 1 ? b : watched;
      for (const ghosts of branch.ghosts) {
        const few = this.head.stride > 6; // without accelerations where there are many bodies, as in places
        const ways = few ? ghosts.ways : ghosts.ways.filter((_, k) => k % LEG < 6);
        this.untold.ghosts.push({frame: this.frame - 1, world, ...ghosts, ways});
        this.bytes += ghosts.ways.byteLength;
      }
    });
  }

  /** Forgets all before the last frame, and begins a film there. */
  anew() {
    this.first += this.frame;
    return this.film();
  }

  // ---- going back, and changes ----

  /** Goes back to a frame of the film; what came after it is gone. */
  cut(frame) {
    this.branches.forEach((branch) => branch.cut(this.start + frame));
    this.scores.length = frame + 1;
    this.past = this.past.filter((before) => before.frame <= this.last);
    this.untold.begin(frame + 1);
    this.episodes.fill(null);
    this.places.forEach(([branch, world], k) => {
      this.episodes[k] = fieldsOf(branch.worlds).episode[world];
    });
  }

  /** Changes something at a frame, and tells that frame again, with all that stands still. */
  change(frame, change) {
    this.cut(frame);
    const before = {frame: this.last, states: this.branches.map((branch) => branch.state())};
    change();
    this.past.push(before);
    this.past.splice(0, this.past.length - UNDO);
    return this.again();
  }

  /** Tells the last frame once more; a film of its own where it has other bodies. */
  again() {
    const bodies = this.branches.map((branch) => branch.worlds.look(0, ["bodies"]).bodies.length);
    if (this.frame < 0 || bodies.some((count) => count !== this.head.bodies)) {
      return {film: this.anew()};
    }
    this.untold.begin(this.frame);
    this.episodes.fill(null);
    this.look(null);
    return {told: this.tell()};
  }

  /** Takes the last change back, with all that came after it; null: there is none. */
  undo() {
    const before = this.past.pop();
    if (before === undefined) {
      return null;
    }
    const frame = before.frame - this.start;
    this.branches.forEach((branch, k) => {
      branch.cut(before.frame);
      branch.restore(before.states[k]);
    });
    this.scores.length = Math.max(1, frame + 1);
    return this.again();
  }

  /** The branch of a film's world. */
  of(world) {
    return this.places[world];
  }

  /** Puts a body at a place, with a velocity. */
  put(frame, world, body, place) {
    return this.change(frame, () => {
      const [branch, own] = this.of(world);
      branch.put(own, body, place);
    });
  }

  /**
   * Another scene from a frame on: its bodies are where the text says.
   * @param {string} text
   */
  scene(frame, world, text) {
    const scene = sceneOf(text);
    return this.change(frame, () => {
      const [branch] = this.of(world);
      branch.remake({...branch.setup, scene});
    });
  }

  /**
   * Edits a scene where its bodies are at a frame.
   * @param {keyof typeof EDITS} name
   * @param {...any} args of the function of that name in scene_edit.js, but for the scene
   */
  edit(frame, world, name, ...args) {
    return this.change(frame, () => {
      const [branch, own] = this.of(world);
      if (branch.setup.worlds > 1) {
        throw new Error("A scene is edited in one world: choose one, or fork here.");
      }
      const scene = settled(branch.setup.scene, branch.worlds.look(own, ["bodies"]).bodies);
      branch.remake({...branch.setup, scene: EDITS[name](scene, ...args)});
    });
  }

  /** Another value of an option of the game from a frame on. */
  option(frame, world, name, value) {
    return this.change(frame, () => this.of(world)[0].option(name, value));
  }

  /** Others play from a frame on. */
  seats(frame, world, seats) {
    return this.change(frame, () => this.of(world)[0].seat(seats));
  }

  // ---- two futures ----

  /** Two futures of a world from a frame on, the same until one is changed: a film of both. */
  fork(frame, world) {
    this.cut(frame);
    const [branch, own] = this.of(world);
    const two = [0, 1].map(() => branch.alone(own));
    this.branches.forEach((old) => old.free());
    this.branches = two;
    this.first += frame;
    this.past = [];
    return this.film();
  }

  /** Continues with one of two futures. */
  only(frame, world) {
    this.cut(frame);
    const [branch, own] = this.of(world);
    const one = branch.alone(own);
    this.branches.forEach((old) => old.free());
    this.branches = [one];
    this.first += frame;
    this.past = [];
    return this.film();
  }

  // ---- to be kept ----

  /** What identifies the state: the digest of the branch of a world, as `carom run` prints it. */
  digest(world) {
    return this.of(world)[0].worlds.digest().toString(16).padStart(16, "0");
  }

  /** The current scene of a branch, as text; null: it is a game. */
  text(world) {
    const [branch, own] = this.of(world);
    const {scene} = branch.setup;
    return scene === null ? null : textOf(settled(scene, branch.worlds.look(own, ["bodies"]).bodies));
  }
}

/** Fields that every game has, of all worlds. */
function fieldsOf(worlds) {
  const [tick, episode, end, fault, frozen] = ["tick", "episode", "end", "fault", "frozen"].map((n) => worlds.get(n));
  const words = worlds.get("id");
  const id = new BigUint64Array(words.buffer, words.byteOffset, worlds.length);
  return {tick, episode, end, fault, frozen, id};
}

function energyOf(rows, {about, stride}) {
  let energy = 0;
  about.forEach(([, , , , , , mass], k) => {
    const at = stride * k;
    if (mass >= 0 && !Number.isNaN(rows[at])) {
      energy += 0.5 * mass * (rows[at + 2] ** 2 + rows[at + 3] ** 2);
    }
  });
  return energy;
}

/** Impacts of a tick, world by world. */
function byWorld(outcome, worlds) {
  const found = Array.from({length: worlds}, () => []);
  outcome.impacts().forEach((event) => found[event.world].push(event));
  return found;
}
