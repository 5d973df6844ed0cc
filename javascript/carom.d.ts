// SPDX-License-Identifier: MIT
// TypeScript declarations of the JavaScript package; carom.js has the code. Names are those of the Python package.

/** A typed array with its shape, such as [world, element], in row-major order. */
export type Shaped<T> = T & { readonly shape: readonly number[] };

/** Numbers to read: a typed array, a list (nested lists are read in order), or one number for all. */
export type Numbers = number | ArrayLike<number> | readonly Numbers[];

/** A whole number of 64 bits. */
export type Wide = number | bigint;

/** An error of the library. */
export class CaromError extends Error {
  /**
   * The kind: "argument", "value" (a number that is not allowed), "memory", "size", "format" (damaged or invalid
   * bytes), "unsupported", "cancelled" (a time limit). `message` is the library's text.
   */
  readonly status: string;
  constructor(status: string, message: string);
}

/** Options of load(). */
export interface Loading {
  /** The address of the module, if not next to carom.js. */
  url?: string | URL;
  /** The module itself. */
  bytes?: BufferSource | WebAssembly.Module;
  /** Whether to use the module with SIMD; by default if the browser supports it. Results are the same bits. */
  simd?: boolean;
  /**
   * Bytes of memory that the engine may take, 1 GiB by default, 2 GiB at most. A call that needs more throws a
   * CaromError of status "memory", and changes nothing else.
   */
  memory?: number;
}

/**
 * Loads the engine in a page, a worker, or Node. Each call returns an engine with its own memory.
 *
 *     const carom = await load();
 *     const worlds = new carom.Worlds("csb", 64, { seed: 1, players: ["race", "race"] });
 *     worlds.play(100);
 *     worlds.digest();
 */
export function load(given?: Loading): Promise<Carom>;

/** The engine, loaded. */
export interface Carom {
  readonly version: string;
  readonly Worlds: new (game: string | Game | Scene, count?: number, given?: Made) => Worlds;
  readonly Scene: {
    new (description: string | SceneDescription): Scene;
    /** A scene from JSON text. */
    from_json(text: string): Scene;
  };
  readonly Replay: new (bytes: Uint8Array | ArrayBuffer) => Replay;
  readonly Gas: {
    new (bodies?: number, packing?: number, given?: GasMade): Gas;
    /** The gas that was saved; it continues as the original would, bit for bit. */
    restore(saved: Uint8Array, given?: { isa?: string }): Gas;
  };
  /** `bodies`: by default the number of radii, or 1000; `packing`: the share of the box that they cover, 0.5. */
  readonly Lab: new (bodies?: number | null, packing?: number, given?: LabMade) => Lab;
  readonly Search: new (roots: Worlds, given?: Planned) => Search;
  /** Games by name. */
  readonly games: Record<string, Game>;
  /** Times of impact over arrays. */
  readonly toi: Toi;
  /** Measures of disks. */
  readonly measures: DiskMeasures;
  /** The colours of the library's pictures, "#rrggbb"; `style` lists one for each of `styles`. */
  readonly themes: { readonly styles: string[]; readonly light: Theme; readonly dark: Theme };
  /** Version, compiler, instruction sets, and bytes of memory in use. */
  info(): { version: string; build: string; isas: string[]; memory: number };
  /** Rolls out every world of `roots`, which do not change. */
  rollout(roots: Worlds, given?: Rolled): Rollout;
  /** The actions that rollouts draw, [root, k, row, number], by gaussian() or uniform(), or by default. */
  draws(roots: Worlds, k: number, horizon: number, given?: {
    actions?: Acting; player?: number; seed?: Wide; action_kind?: string;
  }): Shaped<Float32Array | Float64Array>;
  /**
   * Actions drawn from normal distributions, for rollout(); then clipped to the bounds.
   * mean, sigma: [root, row, number], or one number for all; a row is held for `hold` ticks.
   */
  gaussian(mean: Numbers, sigma: Numbers, given?: { low?: Numbers; high?: Numbers; hold?: number }): Drawn;
  /** Actions drawn uniformly between bounds [row, number], null: -1 and 1. */
  uniform(low?: Numbers | null, high?: Numbers | null, given?: { hold?: number }): Drawn;
  /**
   * Bodies of a scene with these members: one value for all of them, or a list. Other members have their defaults.
   *
   *     carom.bodies(100, { radius: 0.5, x: Array.from({ length: 100 }, (_, k) => 2 * k) })
   */
  bodies(count: number, members?: { [Member in keyof Body]: Body[Member] | ArrayLike<Body[Member]> }): Body[];
  /** The bodies of the default scene of `fall`, as a starting point for your own. */
  fall_box(): Record<string, unknown>[];
  /** Checkpoints [n, 2] of one of the 13 base maps of Coders Strike Back. */
  csb_base_map(index: number): Shaped<Int32Array>;
  /** A bot's command line as the four numbers of the action kind `referee` of Fantastic Bits. */
  fantastic_bits_line(line: string): number[];
}

export interface Theme {
  readonly ground: string;
  readonly text: string;
  readonly faint: string;
  readonly impact: string;
  readonly ghost: string[];
  readonly style: string[];
}

/** An object in the engine's memory. */
export interface Owned {
  /**
   * Frees the memory. Otherwise that happens some time after the object has become unreachable; a program that makes
   * many objects should call this. Any later use of the object throws.
   */
  free(): void;
}

// ---- games ----

export interface Game {
  readonly name: string;
  readonly title: string;
  readonly players: number;
  readonly bodies: number;
  /** The most impacts in a tick before a world faults. */
  readonly max_events: number;
  /** What `counters().goals` counts. */
  readonly counts: string | null;
  readonly action_kinds: ActionKind[];
  readonly observation_kinds: ObservationKind[];
  readonly reward_kinds: RewardKind[];
  readonly value_kinds: ValueKind[];
  readonly policies: string[];
  /** By kind of observation, the meaning of each number of an agent's row. */
  readonly observations: Record<string, { name: string; unit: string; low: number; high: number }[]>;
  /** The options by name. */
  readonly options: Record<string, Option>;
}

/** A way to read a player's action: `size` numbers of this precision. */
export interface ActionKind {
  readonly name: string;
  readonly precision: "f32" | "f64";
  readonly size: number;
}

/** What is observed: by `agents` agents of a player, `size` numbers each. "raw": by players; "ego": by their bodies. */
export interface ObservationKind {
  readonly name: string;
  readonly agents: number;
  readonly size: number;
}

/** What is rewarded, for `agents` agents of a player: "game", "result" (only the end) or "own" (what each body
 * gains). */
export interface RewardKind {
  readonly name: string;
  readonly agents: number;
}

/** The value of a state at the end of a rollout. `weights`: of its features, by name; "game" has none. */
export interface ValueKind {
  readonly name: string;
  readonly weights: Record<string, number>;
}

/** An option of a game, and of Worlds. */
export interface Option {
  readonly type: "count" | "flag" | "number" | "choice" | "preset" | "seed" | "list";
  readonly default: number | boolean | string | null;
  readonly low: number;
  readonly high: number;
  /** `high` itself is not allowed. */
  readonly below: boolean;
  readonly choices: string[];
  readonly meaning: string;
}

// ---- worlds ----

/** null: the caller gives `actions`; "zero": all numbers are 0; or the name of a built-in policy. */
export type Player = string | null;

/** Options of new worlds; all other names are options of the game (csb: rules, map_count, maps, laps, ...). */
export interface Made {
  /** For all random numbers of the game; 0. */
  seed?: Wide;
  /** "f64" (default). Modules of web pages have no "f32". */
  precision?: "f32" | "f64";
  isa?: string;
  /** The id of world 0. A world's random numbers depend on the seed and its id, not on its index. */
  first_id?: Wide;
  /** What a world does when its game is over; "play_on". */
  at_end?: "play_on" | "freeze" | "reset";
  /** An entry for each player; all null. */
  players?: readonly Player[];
  /** How actions are read; "normalised". */
  action_kind?: string;
  /** What is observed; "raw". */
  observation?: string;
  /** Numbers of the agents that observe, ascending; all. */
  observed?: readonly number[];
  /** What is rewarded; "game". */
  reward?: string;
  /** Ticks of a step, during which its actions are held. */
  repeat?: number;
  [option: string]: unknown;
}

/** A batch of `length` independent worlds of a game or scene. */
export interface Worlds extends Owned {
  readonly length: number;
  readonly game: Game;
  readonly seed: bigint;
  readonly isa: string;
  readonly precision: "f32" | "f64";
  readonly at_end: string;
  readonly action_kind: string;
  /** Bytes that the batch takes in total, without the arrays below. */
  readonly nbytes: number;

  /**
   * Inputs and outputs of step(): arrays over the engine's memory, written in place. Such an array is valid until the
   * next call that may make the memory grow (making objects, play() with outputs, rollouts): read the property again
   * after it, which costs nothing. actions: [world, player, number], of the players whose actions the caller gives.
   */
  readonly actions: Shaped<Float32Array | Float64Array>;
  /** [world, agent, number], after the step (and after a reset). */
  readonly observations: Shaped<Float32Array>;
  /** The same; written where a game ended in the step: its last state, before the reset. */
  readonly last_observations: Shaped<Float32Array>;
  /** [world, agent], the sum over the step's ticks. */
  readonly rewards: Shaped<Float32Array>;
  /** [world]: 0 running, 1 terminated, 2 truncated (also by a fault). */
  readonly ends: Shaped<Uint8Array>;

  /**
   * [world]: how each world's last game ended in a step; `winner` -1: a draw, or none has ended yet. A copy; recording
   * starts with the first read.
   */
  readonly results: Shaped<Result[]>;

  /** Plays one step; `actions`, if given, are copied into `this.actions` first. */
  step(actions?: Numbers): void;
  /** Plays `ticks` steps in one call and returns the requested outputs as new arrays. */
  play(ticks?: number, given?: Playing): Played;
  /** World w becomes a copy of world worlds[w] of `parents`, keeps its own id and seed, and plays as in play(). */
  expand(parents: Worlds, ticks?: number, given?: Playing & { worlds?: ArrayLike<number> }): Played;
  /** Observations of the current state: `this.observations`; of another kind as a new array. */
  observe(given?: { observation?: string }): Shaped<Float32Array>;
  /** Actions [world, player, number] that a built-in policy would play, for all players. */
  policy(name: string, given?: { action_kind?: string }): Shaped<Float32Array | Float64Array>;
  /** Resets all worlds to the start of their first game, ids to first_id + index, and counters to zero. */
  reset(): void;
  /** Starts a new game in worlds whose mask is not 0; null: in all. ids, seeds: new ones for those worlds. */
  restart(mask?: Numbers | null, given?: { ids?: readonly Wide[] | Wide; seeds?: readonly Wide[] | Wide }): void;
  /** Sets the seed of all worlds from now on; games continue. */
  reseed(seed: Wide): void;
  /** Each world's seed. */
  seeds(): Shaped<BigUint64Array>;

  /** Fields by name: id, episode, tick, end, fault, frozen, then the game's own. */
  readonly fields: Record<string, Field>;
  /** A copy of a field, [world, element]. */
  get(name: string, given?: { first?: number; count?: number }): Shaped<FieldArray>;
  /** Sets a field from [world, element], or one number for all; all or nothing. */
  set(name: string, values: Numbers, given?: { first?: number; count?: number }): void;
  /**
   * A field in place, without a copy: element e of world w is at index
   * floor(w / lanes) * strides[0] + e * strides[1] + (w % lanes) * strides[2], lanes = shape[2]. Do not write to it. It
   * changes as the batch plays, and is valid as long as `actions` (see there).
   */
  view(name: string): Shaped<FieldArray> & { readonly strides: readonly number[] };
  /** A complete world as a value, for any batch of the same game, options and precision. */
  record(world: number): Shaped<Uint8Array>;
  /** Records of worlds, by default of all, [n, byte]. */
  records(worlds?: ArrayLike<number> | null): Shaped<Uint8Array>;
  /** Sets worlds, by default all, from records, all or nothing. */
  put_records(records: Uint8Array, worlds?: ArrayLike<number> | null): void;
  /** Sets `world` from a record. */
  put(world: number, record: Uint8Array): void;

  /** An independent copy in the same state, including counters. */
  copy(): Worlds;
  /** A new batch of `count` worlds, each in the state of `world` but with its own id; `changes` as for Worlds. */
  fork(count: number, world?: number, changes?: Made): Worlds;
  /** World to[i] becomes world worlds[i] of `source`, id included; by default 0, 1, ... */
  copy_from(source: Worlds, given?: { to?: ArrayLike<number>; worlds?: ArrayLike<number> }): void;
  /** Worlds become copies of `world` of `source`, and keep their ids. */
  fork_from(source: Worlds, world?: number, given?: { first?: number; count?: number }): void;

  /** A 64-bit hash of each world's state and parameters, without its id. */
  hashes(): Shaped<BigUint64Array>;
  /** One number for all worlds; those of parts add up (modulo 2^64) to that of the whole. */
  digest(): bigint;
  /** The batch as bytes, the same on every machine. */
  save(): Shaped<Uint8Array>;
  /** Loads a save of a batch of the same game, options, precision and count. */
  load(saved: Uint8Array): void;

  /** The first thing met by a ray, or by a moving circle, from (x, y) along (dx, dy). */
  cast(question: Question): Found;
  cast(questions: readonly Question[]): Found[];
  /** The nearest thing to a point, or to a circle with a radius. */
  nearest(question: Question): Found;
  nearest(questions: readonly Question[]): Found[];
  /** Everything within `range` (default 0): at most `capacity` (16) things, and how many there are. */
  within(question: Question, given?: { capacity?: number }): { found: Found[]; count: number };
  within(questions: readonly Question[], given?: { capacity?: number }): { found: Found[]; count: number }[];

  /** How to draw a world, independent of the game; or only some parts of that. */
  look(world?: number, parts?: readonly (keyof Look)[]): Look;
  /**
   * Numbers of all bodies, [body, number]: of x, y, vx, vy, facing, radius, mass, ax, ay those that `names` lists, by
   * default the first four; positions of bodies that are not in play are NaN. Use it to draw thousands of bodies in
   * every frame.
   */
  look_numbers(world?: number, names?: readonly string[]): Shaped<Float64Array>;
  /** A picture of a world as SVG text; `width` in pixels, an even number. */
  svg(world?: number, given?: Picture): string;
  /** The same picture as pixels, [height, width, 3]: red, green, blue. */
  rgb_array(world?: number, given?: Picture): Shaped<Uint8Array>;
  /** Records what the batch plays from now on. A batch has one recording at a time. */
  recording(given?: { worlds?: ArrayLike<number>; keyframe_ticks?: number }): Recording;

  /** How many worlds have a fault now, and the kinds of faults: "events", "nan", "range". */
  faults(): Faults;
  /** Totals since the batch's creation or reset(). */
  counters(): Counters;
  /** Laps and checkpoints [n, 2] of a map of a batch of csb; the field `map` is the map of each world. */
  csb_map(index: number): { laps: number; checkpoints: Shaped<Int32Array> };
}

/** `role`: "state", "parameter", "identity" or "derived"; `elements`: numbers of a world. */
export interface Field {
  readonly number: number;
  readonly role: string;
  readonly elements: number;
}

export type FieldArray = Float64Array | Float32Array | Int32Array | Int16Array | Int8Array;

export interface Faults {
  readonly worlds: number;
  readonly kinds: string[];
}

export interface Counters {
  readonly ticks: number;
  /** Impacts. */
  readonly events: number;
  readonly games: number;
  /** What `Game.counts` names. */
  readonly goals: number;
  readonly faults: number;
}

/** Options of play(). */
export interface Playing {
  /** [step, row, player, number], of the players whose actions are given; otherwise all numbers are 0. */
  actions?: Numbers;
  /** As for Worlds; its entries are the default. */
  players?: readonly Player[];
  action_kind?: string;
  /** By player, for players with a different kind of action: the kind, and actions [step, row, number]. */
  own?: Record<number, readonly [kind: string, actions: Numbers]>;
  /** Length of a tick, for scenes; 0: the scene's. */
  dt?: number;
  repeat?: number;
  /** [world]: world w acts as row rows[w] of the actions. */
  rows?: ArrayLike<number>;
  /** [world]: worlds where it is not 0 are not played. */
  skip?: Numbers;
  /** The worlds to play, which [world] means here. */
  first?: number;
  count?: number;
  at_end?: "play_on" | "freeze" | "reset";
  /** [world], all different: the observations of world w go to row places[w] of their arrays. */
  places?: ArrayLike<number>;
  /** Outputs; one that is not requested costs nothing. */
  observations?: boolean;
  last_observations?: boolean;
  rewards?: boolean;
  ends?: boolean;
  results?: boolean;
  /** Records up to this many impacts of each tick and world. */
  events?: number;
  /** With events: each impact has a `contact`. */
  contacts?: boolean;
  /** [step, world, body, 4]: x, y, vx, vy after the motion, before the end-of-tick rules. */
  moved?: boolean;
}

/** The results of play(), [step, world, ...]; null for those not requested. */
export interface Played {
  readonly observations: Shaped<Float32Array> | null;
  readonly last_observations: Shaped<Float32Array> | null;
  readonly rewards: Shaped<Float32Array> | null;
  readonly ends: Shaped<Uint8Array> | null;
  /** Step by step, world by world; valid where `ends` is not 0. */
  readonly results: Shaped<Result[]> | null;
  readonly moved: Shaped<Float64Array> | null;
  /** How many impacts there were, including those without room. */
  readonly event_counts: Shaped<Uint32Array> | null;
  readonly events: Impact[] | null;
  /** All recorded impacts in one list, in order of tick, world and time. */
  impacts(): Impact[];
}

/** The result of a game; entries of players that the game does not have are 0. */
export interface Result {
  /** -1: none. */
  readonly winner: number;
  readonly ticks: number;
  readonly score: number[];
  /** Bits: 1 events, 2 nan, 4 range. */
  readonly fault: number;
  readonly returns: number[];
}

/** One impact: carom_event, and the step and world that it belongs to. */
export interface Impact {
  readonly tick: number;
  readonly world: number;
  /** Time left in the tick, in ticks. */
  readonly left: number;
  readonly first: number;
  readonly second: number;
  readonly part: number;
  /** What the second is: 0 a body, 1 a side, 2 a wall, 3 a polygon, 4 an arc. */
  readonly kind: number;
  readonly x: number;
  readonly y: number;
  readonly nx: number;
  readonly ny: number;
  readonly impulse: number;
  readonly contact?: Contact;
}

/** More about an impact: carom_contact. Pairs are [first, second], vectors [x, y]. */
export interface Contact {
  /** The point where the first touches. */
  readonly x: number;
  readonly y: number;
  /** The unit normal from the first to the second. */
  readonly nx: number;
  readonly ny: number;
  /** On the second, along the normal. */
  readonly impulse: number;
  /** When they touch: 0 the start of the tick, 1 its end. */
  readonly time: number[];
  readonly centre: number[][];
  readonly before: number[][];
  readonly after: number[][];
}

// ---- looks ----

/** Names of styles: "plain", "first", "second", "third", "fourth", "ball", "danger", "fixed", "sensor", "wall", ... */
export interface Look {
  /** The region of a picture; see carom_look_view. */
  readonly view: {
    x0: number; y0: number; x1: number; y1: number;
    y_down: boolean; timed: boolean; placed: boolean; dt: number; wrap_x: number; wrap_y: number;
  };
  /** Things that do not move. */
  readonly shapes: {
    kind: "line" | "circle" | "text"; style: string; x: number; y: number; x2: number; y2: number; radius: number;
    text: string;
  }[];
  readonly bodies: {
    name: string; number: number; id: number; there: boolean; has_facing: boolean; style: string; x: number; y: number;
    vx: number; vy: number; radius: number; mass: number; facing: number; ax: number; ay: number;
  }[];
  /** Other numbers for spectators, such as scores; player -1: of no player. */
  readonly numbers: { name: string; player: number; value: number }[];
}

export interface Picture {
  width?: number;
  dark?: boolean;
  captions?: boolean;
}

/** A spatial query; all members except x and y have defaults. */
export interface Question {
  world?: number;
  x?: number;
  y?: number;
  dx?: number;
  dy?: number;
  radius?: number;
  range?: number;
  category?: number;
  mask?: number;
  ignore?: number;
  sensors?: boolean;
}

export interface Found {
  readonly kind: "none" | "body" | "side" | "wall" | "polygon" | "arc";
  readonly index: number;
  readonly part: number;
  readonly inside: boolean;
  readonly distance: number;
  readonly x: number;
  readonly y: number;
  readonly nx: number;
  readonly ny: number;
}

// ---- scenes ----

/** [x, y] */
export type Place = readonly [number, number];

/**
 * A scene: the keys of its JSON text, explained in carom/scene.h and shown in examples/scenes/, and its hooks. Infinity
 * is allowed as a number here. You choose the units.
 */
export interface SceneDescription {
  bodies: readonly Body[];
  walls?: readonly Wall[];
  polygons?: readonly Polygon[];
  arcs?: readonly Arc[];
  box?: Box | null;
  /** Defaults for all bodies and for all walls. */
  body?: Body;
  wall?: Partial<Wall>;
  /** Length of a tick, 1, unless play() is given another; with dt_spread, drawn for each game within that distance. */
  dt?: number;
  dt_spread?: number;
  /** What may differ from world to world, in addition to numbers with a spread. They become fields of the worlds. */
  varies?: readonly ("radius" | "mass" | "restitution" | "damping" | "ax" | "ay" | "action_scale" | "walls" | "corners" |
    "dt" | "there")[];
  speed_limit?: number;
  least_impulse?: number;
  contact_time?: number;
  max_events?: number;
  last_tick?: number;
  ends_at_sensor?: boolean;
  /** A variant's name, of carom.toi.variants(). */
  solver?: string;
  advance?: "own_clock" | "advance_all";
  engine?: "auto" | "wide" | "deep";
  /** The meaning of a number of "normalised" actions, times action_scale. */
  action?: "impulse" | "velocity" | "acceleration";
  action_scale?: number;
  rules?: readonly Rule[];
  views?: readonly View[];
  lidar?: Lidar | null;
  /** Worlds have a field `user`. */
  user_words?: boolean;
  reward?: Measure | null;
  final_value?: Measure | null;
  /** Called at the start of each tick. It may change x, y, vx, vy, active and user. */
  tick_hook?: ((range: Range) => void) | null;
  /**
   * Called for impacts, each in another world, before they take effect: it must set the velocities vx1, vy1, vx2, vy2
   * to those after the impact. An endless series of impacts ends in a fault.
   */
  response_hook?: ((impacts: HookImpact[]) => void) | null;
  /** A comment. */
  about?: string;
}

/** A circle, as it is at the start of each game. A number with a `_spread` is drawn for each game within that
 * distance. */
export interface Body {
  x?: number;
  y?: number;
  vx?: number;
  vy?: number;
  /** 1. */
  radius?: number;
  /** 1; Infinity: fixed. */
  mass?: number;
  /** 1. */
  restitution?: number;
  damping?: number;
  ax?: number;
  ay?: number;
  x_spread?: number;
  y_spread?: number;
  vx_spread?: number;
  vy_spread?: number;
  category?: number;
  mask?: number;
  sensor?: boolean;
  slow?: boolean;
  inactive?: boolean;
  acts?: boolean;
  user?: number;
  player?: number;
  action_scale?: number;
  radius_spread?: number;
  mass_spread?: number;
  restitution_spread?: number;
  damping_spread?: number;
  ax_spread?: number;
  ay_spread?: number;
  action_scale_spread?: number;
  about?: string;
}

/**
 * A segment; a one-sided one stops only circles to the left, seen from `a` to `b`. With a `mask` only bodies of one of
 * these categories meet it, with a `category` only those with one of these in their mask; 0: all do.
 */
export interface Wall {
  a: Place;
  b: Place;
  restitution?: number;
  one_sided?: boolean;
  sensor?: boolean;
  category?: number;
  mask?: number;
  ax_spread?: number;
  ay_spread?: number;
  bx_spread?: number;
  by_spread?: number;
  about?: string;
}

/** A closed outline, convex or concave, in either direction. `category` and `mask` are as for a wall. */
export interface Polygon {
  corners: readonly Place[];
  restitution?: number;
  sensor?: boolean;
  category?: number;
  mask?: number;
  x_spread?: number;
  y_spread?: number;
  about?: string;
}

/**
 * An arc of the circle of `radius` around `at`, counterclockwise from the direction of `a` to that of `b`; if they are
 * the same point it is the whole circle.
 */
export interface Arc {
  at: Place;
  radius: number;
  a?: Place;
  b?: Place;
  restitution?: number;
  /** It stops circles on both sides, or only those whose centre is inside ("within") or outside ("without") its
   * circle. */
  sides?: "both" | "within" | "without";
  sensor?: boolean;
  category?: number;
  mask?: number;
  about?: string;
}

/** The box of a scene, from one corner to the opposite one. */
export interface Box {
  from: Place;
  to: Place;
  horizontal?: "open" | "solid" | "periodic";
  vertical?: "open" | "solid" | "periodic";
  restitution?: number;
  category?: number;
  mask?: number;
  about?: string;
}

/** A number of a world, for rewards and final values. */
export interface Measure {
  /**
   * "distance": minus the distance of `body` from `at`; "energy": the kinetic energy of all active bodies; "impacts":
   * the number of those of `body` in the tick; "user": what `hook` writes to `value`.
   */
  kind: "none" | "distance" | "energy" | "impacts" | "user";
  body?: number;
  at?: Place;
  hook?: (range: Range) => void;
}

/** A rule for rewards and for the end of a game; Python's Rule explains each kind. */
export interface Rule {
  kind?: "meets_body" | "meets_side" | "meets_wall" | "meets_polygon" | "meets_sensor" | "nears_body" | "nears_point" |
    "within" | "tick" | "acts" | "nearest" | "meets_arc";
  body?: number;
  category?: number;
  which?: number;
  at?: Place;
  corner?: Place;
  reward?: number;
  /** The body that gets it; -1: `body`. */
  to?: number;
  ends?: boolean;
  /** -1: none. */
  winner?: number;
  about?: string;
}

/** The observation "ego" of an agent of the player of `body`: `bodies` relative to `body`. */
export interface View {
  body: number;
  bodies?: readonly number[];
}

/** Rays from each body that acts, for the observation "lidar". */
export interface Lidar {
  rays: number;
  range: number;
  /** The angle of ray k is first + k step; step 0: evenly all around. */
  first?: number;
  step?: number;
  mask?: number;
  tells?: number;
  sensors?: boolean;
}

/**
 * Some worlds as passed to a hook, in arrays over the engine's memory that are valid until it returns: body e of world
 * first + l is at [e * stride + l], l = 0 to count - 1.
 */
export interface Range {
  readonly first: number;
  readonly count: number;
  readonly stride: number;
  readonly dt: number;
  /** [world]: ticks played so far. */
  readonly tick: Int32Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly vx: Float64Array;
  readonly vy: Float64Array;
  readonly active: Int8Array;
  /** null without user_words. */
  readonly user: Int32Array | null;
  /** [world], out: the reward or final value; otherwise null. */
  readonly value: Float64Array | null;
}

/** An impact as passed to a response hook; first, second, kind and part as in an Impact. */
export interface HookImpact {
  readonly world_id: bigint;
  /** Since the start of the tick. */
  readonly time: number;
  readonly kind: number;
  readonly first: number;
  readonly second: number;
  readonly part: number;
  /** Centres; for a wall the centre of the circle. */
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  /** From the second to the first. */
  readonly nx: number;
  readonly ny: number;
  /** 0: it does not move. */
  readonly inverse_mass1: number;
  readonly inverse_mass2: number;
  /** Velocities before the impact; set them to those after it. */
  vx1: number;
  vy1: number;
  vx2: number;
  vy2: number;
}

/** A frozen description of worlds: circles, walls, polygons, arcs, a box. The constructor checks it. */
export interface Scene extends Owned {
  readonly game: Game;
  /** The engine for its worlds. */
  readonly engine: "wide" | "deep";
  /** Does it have hooks? Then it cannot be written as text, and its worlds cannot be recorded. */
  readonly hooked: boolean;
  /** Its bodies, walls and arcs, as copies without members that have their defaults. */
  readonly bodies: Body[];
  readonly walls: Wall[];
  readonly arcs: Arc[];
  /** `count` worlds of this scene. */
  worlds(count?: number, given?: Made): Worlds;
  /** The scene as JSON text; numbers are exact, so reading it gives the same scene. */
  to_json(): string;
  /** The same as an object. */
  description(): SceneDescription;
}

// ---- replays ----

/** Records what a batch plays as a replay. */
export interface Recording extends Owned {
  /** The replay so far. */
  bytes(): Uint8Array;
  /** Writes a note that belongs to the next tick. */
  note(note: { kind: NoteKind; world?: number; player?: number; text: string }): void;
  /** Ends the recording; returns the complete replay, for Replay and for the command `carom`. */
  close(): Uint8Array;
}

/** A player's name, its message in a tick, its output on standard error, the referee's message about it. */
export type NoteKind = "name" | "message" | "error" | "referee";

export interface Note {
  readonly kind: NoteKind;
  readonly tick: number;
  readonly world: number;
  readonly player: number;
  readonly text: string;
}

/** A replay: bytes written by a recording or by the command `carom`. It begins at tick 0. */
export interface Replay extends Owned {
  readonly game: string;
  readonly precision: string;
  readonly seed: bigint;
  /** How many. */
  readonly worlds: number;
  readonly ticks: number;
  /** Whether it is not cut off. */
  readonly whole: boolean;
  readonly keyframes: number;
  /** Texts by tick: a note belongs to tick number `tick`, or follows the last one. */
  readonly notes: Note[];
  /** Ticks played so far. */
  readonly tick: number;
  /** The worlds at the current tick; to play on, use fork(). */
  readonly batch: Worlds;
  readonly fields: Worlds["fields"];
  /** Plays the next tick; false at the end. With options it returns the requested outputs, as play() does. */
  step(): boolean;
  step(given: Playing): Played | false;
  /** Goes to the state after `tick` ticks, forwards or back. */
  seek(tick: number): void;
  /** Plays it again from the start and compares every world after every tick; null if all bits are the same. */
  verify(): Difference | null;
  /** An independent batch in the current state of the replay, to play on from. */
  fork(): Worlds;
  /** A field of all worlds at the current tick, [world, element]. */
  get(name: string): Shaped<FieldArray>;
  /** All actions of a tick, by default the last one: for each player [world, number]. */
  actions(tick?: number): Shaped<Float32Array | Float64Array>[];
  hashes(): Shaped<BigUint64Array>;
  look(world?: number): Look;
  svg(world?: number, given?: Picture): string;
  rgb_array(world?: number, given?: Picture): Shaped<Uint8Array>;
}

/** Where playing a replay again first differs. */
export interface Difference {
  readonly ticks: number;
  readonly world: number;
  readonly id: bigint;
  readonly field: string | null;
  readonly element: number;
  /** As recorded and as played again, if the file has a whole state there. */
  readonly values: readonly [number, number] | null;
}

// ---- rollouts and search ----

/** How a player's actions are drawn: made by gaussian() or uniform(). */
export interface Drawn {
  readonly hold: number;
}

/** A player's actions in rollouts: "drawn", "zero", a policy, gaussian(), uniform(), or [root, k, tick, number]. */
export type Acting = string | Drawn | Shaped<Float32Array | Float64Array> | readonly Numbers[];

/** Weights of states and rewards, and observations. */
export interface Weighing {
  discount?: number;
  final_weight?: number;
  reward_weight?: number;
  value_at_end?: boolean;
  /** Of the final value's features: all, or by name. */
  weights?: Record<string, number> | ArrayLike<number>;
  observation?: string;
  observed?: readonly number[];
  reward?: string;
  action_kind?: string;
  seed?: Wide;
}

export interface Rolled extends Weighing {
  /** Sequences of each root; 1. */
  k?: number;
  /** Ticks; 1. */
  horizon?: number;
  /** The actions of `player`; or [root, tick, number], the same for every k. */
  actions?: Acting;
  player?: number;
  /** The actions of each other player; "drawn". */
  opponent?: Acting;
  /** Instead of the three above, an entry for each player. */
  players?: readonly Acting[];
  /** One of the game's final values. */
  value?: string;
  /** [root]: ticks to play from each root, instead of `horizon`. */
  horizons?: Numbers;
  /** Reports this many best sequences, and the mean and deviation of the actions of `player` in them. */
  elites?: number;
  rewards?: boolean;
  lengths?: boolean;
  /** The numbers of ticks after which to observe, ascending. */
  depths?: readonly number[];
  /** A batch of roots x k worlds that receives the final states. */
  finals?: Worlds;
}

/** The results of rollouts. */
export interface Rollout {
  /** [root, k, player]; -Infinity where a world faulted. */
  readonly returns: Shaped<Float64Array>;
  /** [root, player]: each player's best sequence; of equal ones, the first. */
  readonly best: Shaped<Uint32Array>;
  /** [root, k, tick, agent], if requested. */
  readonly rewards?: Shaped<Float32Array>;
  /** [root, k]: ticks played, if requested. */
  readonly lengths?: Shaped<Uint32Array>;
  /** [root, k, depth, agent, number], if requested. */
  readonly observations?: Shaped<Float32Array>;
  readonly elites?: Shaped<Uint32Array>;
  readonly elite_mean?: Shaped<Float32Array>;
  readonly elite_sigma?: Shaped<Float32Array>;
  /** [root, i, row, number]: the actions of `player`, given or drawn, in the chosen sequences [root, i]. */
  actions(player: number, sequences: readonly (readonly number[])[]): Shaped<Float32Array | Float64Array>;
  /** [root, number]: the first action of `player` in its best sequence. */
  first_actions(player?: number): Shaped<Float32Array | Float64Array>;
}

export interface Planned extends Weighing {
  /** "cem". */
  planner?: "shooting" | "cem" | "genetic" | "mppi";
  player?: number;
  /** Ticks of a plan, and the ticks that each of its rows is held; 6 and 1. */
  horizon?: number;
  hold?: number;
  /** In each generation, for each root. */
  sequences?: number;
  /** The budget, in rollouts for each root, 1024, or in time for the run. */
  rollouts?: number;
  milliseconds?: number;
  /** Bounds [row, number]; -1 and 1. */
  low?: Numbers;
  high?: Numbers;
  /** "zero", a policy, "plan", "search" or "fictitious", or several of them. */
  opponent?: string | readonly string[];
  against?: "worst" | "mean";
  /** One of the game's final values, or a function from observations [leaf, agent, number] to values [leaf, player]. */
  value?: string | ((leaves: Shaped<Float32Array>) => Numbers);
  elites?: number;
  sigma?: number;
  sigma_least?: number;
  keep?: number;
  mutation?: number;
  mutation_spread?: number;
  temperature?: number;
  other_share?: number;
  other_rounds?: number;
  cut_after?: number;
  cut_keep?: number;
  /** With a budget in time: the approximate number in a run, whose sizes follow the speed; `sequences` is then the
   * most. */
  generations?: number;
}

/** A planner for a fixed number of worlds. It keeps its plans and advances them from run to run. */
export interface Search extends Owned {
  /** Searches from every world of `roots`, which do not change; returns the actions to play, actions(). */
  run(roots: Worlds): Shaped<Float32Array | Float64Array>;
  /** The same in steps: `roots` must not change until leaves() returns none. */
  begin(roots: Worlds): void;
  /** Rolls out a generation; returns the observations of its last states, [leaf, agent, number]; length 0 at the
   * end. */
  leaves(): Shaped<Float32Array>;
  /** Takes the values of the leaves, [leaf, player]. */
  values(values: Numbers): void;
  /**
   * Calls `call` with every generation of the following runs, before the planner learns from it; null: stops that. The
   * results do not change. `call` may use the search only through its Drawing, and not its roots. An exception ends the
   * run and leaves the best plan so far; with values from outside, the run stays unfinished until the next one begins.
   * Do not call this during a run in steps or after an unfinished run.
   */
  watch(call: ((drawn: Drawing) => void) | null): void;
  /** Changes the budget for the following runs: give one of the two. */
  set_budget(given: { rollouts?: number; milliseconds?: number }): void;
  /** [root, number]: the first action of a player, by default the one that plans. */
  actions(player?: number): Shaped<Float32Array | Float64Array>;
  /** [root, row, number]: the whole plan. */
  plan(player?: number): Shaped<Float32Array>;
  /** Sets a plan for the next run; null: discards all plans. */
  set_plan(plan: Numbers | null, player?: number): void;
  /** [root]: the return of the plan when it was last rolled out. */
  returns(): Shaped<Float64Array>;
  /** The state of the search for some of its roots. */
  save(first?: number, count?: number): Shaped<Uint8Array>;
  /** Loads a save of a search with the same parameters. */
  load(saved: Uint8Array, first?: number): void;
  report(): Report;
}

/** A generation after its rollouts. */
export interface Drawing {
  /** The number within the run, from 0. */
  readonly generation: number;
  /** The player that plans. */
  readonly player: number;
  /** Sequences of each root. */
  readonly count: number;
  /**
   * Sequences that were rolled out from one root, by default all from root 0: the player's actions, [sequence, row,
   * number], and their returns for it. Number 0 is the plan or the mean, if the planner tries it.
   */
  sequences(root?: number, chosen?: readonly number[] | null): {
    numbers: Shaped<Float32Array>; returns: Shaped<Float64Array>;
  };
}

export interface Report {
  readonly rollouts: number;
  readonly ticks: number;
  readonly seconds: number;
  readonly cut: number;
  /** With a budget in time: the longest time between two ticks of a thread, in seconds. */
  readonly pause: number;
  readonly generations: Generation[];
}

/** Statistics of a generation; numbers are means over the roots. */
export interface Generation {
  readonly player: number;
  readonly rollouts: number;
  readonly ticks: number;
  readonly best: number;
  readonly mean: number;
  readonly spread: number;
  readonly seconds: number;
  /** Rollouts that were cut after cut_after ticks. */
  readonly cut: number;
}

// ---- gases ----

export interface GasMade {
  box?: "periodic" | "solid";
  restitution?: number;
  seed?: Wide;
  precision?: "f32" | "f64";
  isa?: string;
}

/** An exact gas of equal hard disks in a square box: diameter 1, mass 1, temperature 1 at the start. */
export interface Gas extends Owned {
  readonly bodies: number;
  readonly isa: string;
  /** Of the box, in diameters. */
  readonly side: number;
  /** Width and height of the box. */
  readonly size: [number, number];
  /** Along x and along y. */
  readonly periodic: [boolean, boolean];
  /** [disk]: 0.5 each, and 1 each. */
  readonly radii: Shaped<Float64Array>;
  readonly masses: Shaped<Float64Array>;
  /** Bytes that it takes in total. */
  readonly nbytes: number;
  /** The clock: time since it was made, or since set_state(). */
  readonly time: number;
  /** Runs for `time` >= 0 as a Lab does. */
  run(time: number, given?: Watching): boolean;
  /** Resets all measures. */
  forget(): void;
  /** Collisions, energy, compressibility and so on. */
  measure(): Measures;
  /** [4, disk]: x, y, vx, vy. */
  state(): Shaped<Float64Array>;
  /** Sets them and clears the fault. */
  set_state(state: Numbers): void;
  /** [2, disk]: unwrapped positions in a periodic box. */
  unwrapped(): Shaped<Float64Array>;
  digest(): bigint;
  svg(given?: Picture): string;
  save(): Shaped<Uint8Array>;
  copy(): Gas;
}

/** Measures since the gas was made, or since forget(). */
export interface Measures {
  readonly time: number;
  readonly collisions: number;
  readonly sides: number;
  readonly crossings: number;
  readonly energy: number;
  readonly energy_drift: number;
  readonly momentum_x: number;
  readonly momentum_y: number;
  readonly momentum_drift: number;
  readonly compressibility: number;
  readonly compressibility_error: number;
  readonly fault: boolean;
}

// ---- laboratories ----

/** Options of a Lab; all have defaults. */
export interface LabMade {
  /** [disk]; 0.5 and 1. */
  radii?: Numbers & { readonly length: number };
  masses?: Numbers & { readonly length: number };
  /** Width / height of the box, 1/64 to 64; 1. */
  aspect?: number;
  /** Left and right sides, lower and upper sides; "periodic". */
  horizontal?: "periodic" | "solid";
  vertical?: "periodic" | "solid";
  /** Between two disks, 0 to 1; 1. */
  restitution?: number;
  /** A constant acceleration of all disks. */
  field?: readonly [ax: number, ay: number];
  /** "lattice", for a gas only, or "grown" (default): disks grow from random positions. */
  start?: "lattice" | "grown";
  /** The growth rate of their mean radius, 1e-4 to 1; 0.05. */
  growth?: number;
  /** For a scene, the length of its ticks; 0.125. */
  tick?: number;
  seed?: Wide;
  precision?: "f32" | "f64";
  isa?: string;
}

/** Watchers of a run. They must not use the object that is running; one that returns false ends the run. */
export interface Watching {
  /** `sample` is called at each multiple of it; for a scene it must be a multiple of its tick. */
  interval?: number;
  sample?: (frame: Frame) => unknown;
  /** Called with lists of events, in order of time. */
  events?: (events: LabEvent[]) => unknown;
  /** Only events of the first `window` units of time of each interval; Infinity. */
  window?: number;
}

/** The system at one time; the watcher may keep the arrays. */
export interface Frame {
  /** Of the clock. */
  readonly time: number;
  /** time = step * interval */
  readonly step: number;
  /** [4, disk]: x, y, vx, vy. */
  readonly state: Shaped<Float64Array>;
  /** [2, disk]: unwrapped positions in a periodic box. */
  readonly unwrapped: Shaped<Float64Array>;
}

/** When and where `first` and `second` touch, and the impulse that the first gets. */
export interface LabEvent {
  readonly time: number;
  readonly x: number;
  readonly y: number;
  readonly impulse_x: number;
  readonly impulse_y: number;
  readonly first: number;
  readonly second: number;
  /** What the second is: 0 a disk, 1 a side of a solid box (left, right, lower, upper). */
  readonly kind: number;
  readonly part: number;
}

/**
 * An exact, event-driven system of disks of any radii and masses in a box. Equal disks in a square box with sides of
 * one kind and no field are a gas; everything else is a scene of the deep engine, which runs in ticks. The temperature
 * at the start is 1.
 */
export interface Lab extends Owned {
  readonly bodies: number;
  readonly isa: string;
  /** Width and height of the box. */
  readonly size: [number, number];
  /** Along x and along y. */
  readonly periodic: [boolean, boolean];
  /** The clock; 0 at creation and after set_state(). */
  readonly time: number;
  /** Impacts since the clock was 0. */
  readonly collisions: number;
  /** Has it stopped because time did not advance? */
  readonly fault: boolean;
  /** [disk]. */
  readonly radii: Shaped<Float64Array>;
  readonly masses: Shaped<Float64Array>;
  digest(): bigint;
  /** Runs for `time` >= 0 and calls watchers, which do not change the motion. False: one of them ended it. */
  run(time: number, given?: Watching): boolean;
  /** [4, disk]: x, y, vx, vy. */
  state(): Shaped<Float64Array>;
  /** Sets them; the clock starts at 0. */
  set_state(state: Numbers): void;
  /** [2, disk]: unwrapped positions in a periodic box. */
  unwrapped(): Shaped<Float64Array>;
  svg(given?: Picture): string;
  /** Its complete state. */
  save(): Shaped<Uint8Array>;
  /** Continues as the saved one would, bit for bit. Both must have been made with the same arguments. */
  load(saved: Uint8Array): void;
  /** A copy in the same state. A scene first grows its disks again. */
  copy(): Lab;
}

// ---- measures ----

/** Positions [2, disk] with their shape, or more rows, such as a gas's state; or a plain list with the option
 * `disks`. */
export type Positions = ArrayLike<number> & { readonly shape?: readonly number[] };

/** Measures of disks in a box of a width and a height. */
export interface DiskMeasures {
  /** Centres of the bins, and g(r): 1 for points without order. `range` is at most half of a periodic side. */
  pair_distribution(positions: Positions, box: readonly [number, number], range: number, bins?: number, given?: {
    periodic?: readonly [boolean, boolean]; disks?: number;
  }): { r: Shaped<Float64Array>; g: Shaped<Float64Array> };
  /**
   * Wave numbers up to `greatest` (4 pi), and S(k), from up to `directions` (6) waves in each of `bins` (64) bins; for
   * a periodic box.
   */
  structure_factor(positions: Positions, box: readonly [number, number], greatest?: number, bins?: number,
    directions?: number, given?: { disks?: number }): { k: Shaped<Float64Array>; s: Shaped<Float64Array> };
  /** psi6 of each disk over its Voronoi neighbours, [2, disk]: real and imaginary parts. */
  bond_order(positions: Positions, box: readonly [number, number], given?: {
    weighted?: boolean; periodic?: readonly [boolean, boolean]; disks?: number;
  }): Shaped<Float64Array>;
  /** Statistics of values measured at equal intervals. */
  series(values: ArrayLike<number>): Series;
}

export interface Series {
  readonly mean: number;
  /** One standard deviation of the mean, by blocking; NaN for fewer than 8 values. */
  readonly error: number;
  /** The number of values in a block from which on the error no longer grows. */
  readonly block: number;
  /** The Mann-Kendall trend test, as a standard normal deviate; NaN for fewer than 8 values. */
  readonly drift: number;
  /** |drift| < 2.58. */
  readonly stationary: boolean;
}

// ---- times of impact ----

/** A number for all pairs, or an array of n. */
export type Column = number | ArrayLike<number>;
/** [x, y]. */
export type Point = readonly [Column, Column];

/** Of both roots, the normal from i to j, and the centres at contact those that `also` names. */
export interface Contacts {
  readonly t: Shaped<Float64Array>;
  readonly entry?: Shaped<Float64Array>;
  readonly exit?: Shaped<Float64Array>;
  readonly nx?: Shaped<Float64Array>;
  readonly ny?: Shaped<Float64Array>;
  readonly xi?: Shaped<Float64Array>;
  readonly yi?: Shaped<Float64Array>;
  readonly xj?: Shaped<Float64Array>;
  readonly yj?: Shaped<Float64Array>;
}

/** Times of impact with walls, the unit normal from the wall, and which part was hit (-1: none). */
export interface Hits {
  readonly t: Shaped<Float64Array>;
  readonly nx: Shaped<Float64Array>;
  readonly ny: Shaped<Float64Array>;
  readonly feature: Shaped<Int32Array>;
}

export interface Roots {
  /** [4, n], ascending; Infinity after the last. */
  readonly roots: Shaped<Float64Array>;
  /** [n]; -1 where an input is NaN. */
  readonly count: Shaped<Int32Array>;
}

/**
 * Times of impact over arrays, in float64; "never" is Infinity. Arguments are numbers or arrays of n, points are pairs
 * [x, y] of such. The headers carom/toi.h, toi_walls.h, toi_arcs.h and toi_accelerated.h specify the results.
 */
export interface Toi {
  /** All variants of the solver. `NAME/branches` is one in scalar code with branches. */
  variants(): Variant[];
  /** n pairs in relative motion: position and velocity of the second relative to the first, sum of radii. */
  circles(p: Point, v: Point, r: Column, given?: { solver?: string }): Shaped<Float64Array>;
  contacts(p: Point, v: Point, r: Column, given?: { solver?: string; also?: readonly string[] }): Contacts;
  /** Pairs (i[k], j[k]) of bodies with positions p, velocities v and radii r. */
  indexed(p: Point, v: Point, r: Column, i: ArrayLike<number>, j: ArrayLike<number>,
    given?: { solver?: string; also?: readonly string[] }): Contacts;
  /** One body against n others. */
  one(p: readonly number[], v: readonly number[], r: number, others_p: Point, others_v: Point, others_r: Column,
    given?: { solver?: string; also?: readonly string[] }): Contacts;
  /** The earliest impact of each body with any other; index -1: none. */
  first(p: Point, v: Point, r: Column, others_p: Point, others_v: Point, others_r: Column,
    given?: { solver?: string }): { t: Shaped<Float64Array>; index: Shaped<Int32Array> };
  /** Does the pair meet within `limit`? */
  within(p: Point, v: Point, r: Column, limit: number): boolean[];
  /** Circle k against the infinite line through a and b. */
  line(p: Point, v: Point, r: Column, a: Point, b: Point, given?: Detecting): Hits;
  /** Circle k against the segment from a to b: feature 0 is the straight part, 1 and 2 are its ends. */
  segment(p: Point, v: Point, r: Column, a: Point, b: Point, given?: Detecting): Hits;
  point(p: Point, v: Point, r: Column, q: Point, given?: Detecting): Hits;
  /** Circle k against a box: features 0 to 3 are its sides, 4 to 7 its corners. */
  box(p: Point, v: Point, r: Column, low: Point, high: Point, given?: Detecting): Hits;
  /** n circles against one outline of m corners [x, y]: feature e is an edge, m + k a corner. */
  polygon(p: Point, v: Point, r: Column, corners: readonly (readonly number[])[], given?: Detecting): Hits;
  /** Circle k against the arc around c, counterclockwise from the direction of a to that of b. */
  arc(p: Point, v: Point, r: Column, c: Point, radius: Column, a: Point, b: Point, given?: Arcs): Hits;
  /** n pairs under constant relative acceleration a: the first root of a quartic. */
  accelerated(p: Point, v: Point, a: Point, r: Column, given?: { limit?: number; solver?: string }):
    Shaped<Float64Array>;
  /** All times at which they touch. */
  accelerated_roots(p: Point, v: Point, a: Point, r: Column): Roots;
  /** All times at which circle k touches the infinite line through start and end. */
  accelerated_line_roots(p: Point, v: Point, a: Point, r: Column, start: Point, end: Point): Roots;
  accelerated_point(p: Point, v: Point, a: Point, r: Column, q: Point, given?: { limit?: number }): Hits;
  accelerated_segment(p: Point, v: Point, a: Point, r: Column, start: Point, end: Point,
    given?: { limit?: number }): Hits;
  accelerated_box(p: Point, v: Point, a: Point, r: Column, low: Point, high: Point, given?: { limit?: number }): Hits;
  accelerated_arc(p: Point, v: Point, acceleration: Point, r: Column, c: Point, radius: Column, a: Point, b: Point,
    given?: Arcs): Hits;
}

export interface Variant {
  readonly name: string;
  readonly summary: string;
  /** Does it run on SIMD lanes? */
  readonly lanes: boolean;
  /** Does it use only exactly rounded operations? */
  readonly exact: boolean;
}

export interface Detecting {
  limit?: number;
  detection?: "continuous" | "discrete";
}

export interface Arcs {
  limit?: number;
  sides?: "both" | "within" | "without";
  /** Circles that overlap and separate meet again as soon as they come closer than they were. */
  holds?: boolean;
}
