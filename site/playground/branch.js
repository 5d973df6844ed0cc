// SPDX-License-Identifier: MIT
// One course of events: a batch of worlds, who plays in it, and what was done in every tick, so that it can go back to
// any of its frames and play on from there.
import {Planner} from "./planner.js";
import {actsOf} from "./steer.js";

/**
 * What a branch plays. Never changed: another one takes its place.
 * @typedef {object} Setup
 * @property {string} game its name; "scene"
 * @property {Record<string, any> | null} scene
 * @property {number} seed
 * @property {number} worlds
 * @property {"freeze" | "reset" | "play_on"} at_end
 * @property {string[]} seats who plays, for each player: "human", "zero", a policy's name, or a planner with its budget,
 *     "cem:500"
 * @property {Record<string, any>} options of the game
 */

const EVERY = 32; // ticks from one kept state to the next
const ROOM = 64 << 20; // bytes of kept states: where there are more, every second one goes

const isPlanner = (seat) => seat.includes(":");

const EVENTS = 65536; // impacts of a tick that are reported, in all worlds

export class Branch {
  /**
   * @param {any} carom the loaded library
   * @param {Setup} setup
   */
  constructor(carom, setup) {
    this.carom = carom;
    this.setup = setup;
    this.moves = []; // [tick] what was given to each player, null to those who need nothing
    this.kept = new Map(); // by frame: {setup, saved, changed}; changed: the frame before does not lead here
    this.keptBytes = 0;
    this.planners = new Map(); // by player and seat
    this.ghosts = []; // what planners looked at in the last tick
    this.make(setup);
    this.keep(0);
  }

  // ---- worlds ----

  make(setup) {
    const {carom} = this;
    const scene = setup.scene === null ? null : new carom.Scene(setup.scene);
    try {
      const {seed, at_end, options, worlds: count} = setup;
      const worlds = new carom.Worlds(scene ?? setup.game, count, {seed, at_end, ...options});
      this.free();
      this.worlds = worlds;
      this.scene = scene;
      this.made = setup;
    } catch (error) {
      scene?.free();
      throw error;
    }
    const {max_events, bodies} = this.worlds.game;
    this.events = Math.min(max_events, Math.max(16, Math.floor(EVENTS / setup.worlds)), 64 + 4 * bodies);
  }

  free() {
    this.forgetPlans();
    this.worlds?.free();
    this.scene?.free();
    this.worlds = this.scene = null;
  }

  forgetPlans() {
    this.planners.forEach((planner) => planner.free());
    this.planners.clear();
  }

  /** Number of the last frame. */
  get last() {
    return this.moves.length;
  }

  // ---- ticks ----

  /** What the player whom a human steers sees of its world. */
  seen(player) {
    const {setup, worlds} = this;
    const robots = {robots: Math.max(...worlds.look(0).bodies.filter((b) => b.name === "robot").map((b) => b.number), 0)};
    return {
      field: (name) => worlds.get(name, {first: 0, count: 1}),
      policy: (name, kind) => {
        const size = worlds.game.action_kinds.find((k) => k.name === kind).size;
        const all = worlds.policy(name, {action_kind: kind});
        return all.subarray(player * size, (player + 1) * size);
      },
      scene: setup.scene,
      options: {robots: (robots.robots + 1) / 2, ...setup.options},
    };
  }

  /** What a planner would do for a player, in every world; what it looks at in the watched one is added to ghosts. */
  planned(seat, player, watched) {
    const {carom, setup, worlds} = this;
    const key = `${player} ${seat}`;
    if (!this.planners.has(key)) {
      const [planner, rollouts] = seat.split(":");
      const other = setup.seats.find((name, k) => k !== player && worlds.game.policies.includes(name));
      this.planners.set(key, new Planner(carom, worlds, {seed: setup.seed, ...setup.options}, {
        planner, player, rollouts: Number(rollouts), horizon: setup.game === "soccer" ? 30 : 8, seed: setup.seed,
        sequences: Math.max(2, Math.min(128, Math.floor(Number(rollouts) / 4))),
        opponent: other ?? (worlds.game.policies.includes("striker") ? "striker" : "zero"),
      }));
    }
    const mind = this.planners.get(key);
    if (watched === null) {
      return {kind: "normalised", numbers: mind.act(worlds)};
    }
    const {acts, ghosts} = mind.actSeen(worlds, watched);
    this.ghosts.push(...ghosts);
    return {kind: "normalised", numbers: acts};
  }

  /** The next actions of the players that this page decides for: humans and planners. */
  decide(orders, watched = null) {
    this.ghosts = [];
    return this.setup.seats.map((seat, player) => {
      if (isPlanner(seat)) {
        return this.planned(seat, player, watched);
      }
      if (seat !== "human" || orders === null) {
        return null;
      }
      return actsOf(this.setup.game, {...orders, player}, this.seen(player));
    });
  }

  /** Plays a tick with what was decided; what the library tells of it. */
  play(decided) {
    const own = {};
    const players = this.setup.seats.map((seat, player) => {
      const given = decided[player];
      if (given !== null) {
        own[player] = [given.kind, given.numbers];
        return null;
      }
      return seat === "human" ? "zero" : seat;
    });
    return this.worlds.play(1, {players, own, events: this.events, contacts: true, rewards: true, results: true,
                                ends: true});
  }

  /** Plays a tick, and remembers it; `watched`: a world whose ghosts are reported, null: none. */
  tick(orders, watched = null) {
    const decided = this.decide(orders, watched);
    const played = this.play(decided);
    this.moves.push(decided);
    if (this.last % EVERY === 0) {
      this.keep(this.last, false);
    }
    return played;
  }

  // ---- back ----

  /** Keeps the state as that of a frame, the last one. */
  keep(frame, changed = true) {
    const saved = this.worlds.save();
    this.keptBytes += saved.length - (this.kept.get(frame)?.saved.length ?? 0);
    this.kept.set(frame, {setup: this.setup, saved, changed});
    if (this.keptBytes > ROOM) {
      this.thin();
    }
  }

  /** Forgets every second state, but those at which something was changed. */
  thin() {
    let odd = false;
    for (const [frame, state] of [...this.kept].sort(([a], [b]) => a - b)) {
      odd = !state.changed && !odd;
      if (odd) {
        this.kept.delete(frame);
        this.keptBytes -= state.saved.length;
      }
    }
  }

  /** Goes back to a frame, and forgets what came after it. */
  cut(frame) {
    if (frame === this.last) {
      return;
    }
    const from = Math.max(...[...this.kept.keys()].filter((kept) => kept <= frame));
    const {setup, saved} = this.kept.get(from);
    if (setup !== this.made) {
      this.make(setup);
    }
    this.setup = setup;
    this.worlds.load(saved);
    for (let tick = from; tick < frame; tick++) {
      this.play(this.moves[tick]);
    }
    this.moves.length = frame;
    for (const [kept, state] of this.kept) {
      if (kept > frame) {
        this.kept.delete(kept);
        this.keptBytes -= state.saved.length;
      }
    }
    this.forgetPlans(); // they were made for what is no more
  }

  /** A branch of one of the worlds alone, as it is, id and seed included. */
  alone(world) {
    const at_end = this.setup.at_end === "reset" ? "freeze" : this.setup.at_end;
    const one = new Branch(this.carom, {...this.setup, at_end, worlds: 1});
    one.worlds.copy_from(this.worlds, {to: [0], worlds: [world]});
    one.keep(0);
    return one;
  }

  /** The state as it is, to be restored. */
  state() {
    return {setup: this.setup, saved: this.worlds.save()};
  }

  /** Takes a state back that was the last frame's. */
  restore({setup, saved}) {
    if (setup !== this.made) {
      this.make(setup);
    }
    this.setup = setup;
    this.worlds.load(saved);
    this.keep(this.last);
  }

  // ---- changes, all at the last frame ----

  /** Another setup from here on, with worlds that begin as it says. */
  remake(setup) {
    this.make(setup);
    this.setup = setup;
    this.keep(this.last);
  }

  /** Others play from here on. */
  seat(seats) {
    this.setup = this.made = {...this.setup, seats};
    this.forgetPlans();
    this.keep(this.last);
  }

  /** Another value of an option of the game, in the same state. */
  option(name, value) {
    const records = Array.from({length: this.setup.worlds}, (_, world) => this.worlds.record(world));
    const setup = {...this.setup, options: {...this.setup.options, [name]: value}};
    this.make(setup);
    records.forEach((record, world) => {
      this.worlds.put(world, record);
      this.forget(world);
    });
    this.setup = setup;
    this.keep(this.last);
  }

  /** Forgets what a world has computed ahead, since its numbers are others now. */
  forget(world) {
    if (this.setup.game === "fall") {
      this.worlds.set("wait", [-1], {first: world, count: 1});
    }
  }

  /** Puts a body elsewhere, or gives it another velocity. */
  put(world, body, place) {
    const {worlds, setup} = this;
    const set = (name, value, at = body) => {
      const range = {first: world, count: 1};
      const values = worlds.get(name, range);
      values[at] = value;
      worlds.set(name, values, range);
    };
    const whole = ["csb", "fantastic_bits"].includes(setup.game) ? Math.round : (value) => value;
    const {x, y, vx, vy} = place;
    if (setup.game === "stones") {
      const radius = worlds.get("radius", {first: world, count: 1})[body];
      const speed = Math.min(40, Math.hypot(vx, vy));
      const entries = {px: x - radius, py: y - radius, speed, course: Math.atan2(vy, vx), shot: 0, unused: 0};
      Object.entries(entries).forEach(([name, value]) => set(name, value));
    } else {
      Object.entries({x: whole(x), y: whole(y), vx: whole(vx), vy: whole(vy)}).forEach(([name, value]) => set(name, value));
    }
    this.forget(world);
    this.keep(this.last);
  }
}
