// SPDX-License-Identifier: MIT
// The JavaScript package as TypeScript sees it; carom.js has the program. Names are those of the Python package.

/** A typed array with its shape: [world, element], say. Numbers lie row after row, the last axis the fastest. */
export type Shaped<T> = T & { readonly shape: readonly number[] };

/** Numbers that the library reads: a typed array, a list (lists within lists are read in order), or one for all. */
export type Numbers = number | ArrayLike<number> | readonly Numbers[];

/** A whole number of 64 bits. */
export type Wide = number | bigint;

/** What went wrong. */
export class CaromError extends Error {
  /**
   * The kind: "argument", "value" (a number that is not allowed), "memory", "size", "format" (damaged or foreign
   * bytes), "unsupported", "cancelled" (a limit of time). `message` is the library's text.
   */
  readonly status: string;
  constructor(status: string, message: string);
}

/** Options of load(). */
export interface Loading {
  /** Where the module is, if not beside carom.js. */
  url?: string | URL;
  /** The module itself. */
  bytes?: BufferSource | WebAssembly.Module;
  /** Whether to take the module with SIMD; by default where the browser has it. Results are the same bits. */
  simd?: boolean;
  /**
   * Bytes of memory that the engine may take, 1 GiB by default, 2 GiB at most. What needs more is refused with a
   * CaromError of status "memory", and everything else stays as it is.
   */
  memory?: number;
}

/**
 * Loads the engine: in a page, a worker, or Node. Each call gives an engine with memory of its own.
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
    /** The gas that was saved: it goes on as that one would, bit for bit. */
    restore(saved: Uint8Array): Gas;
  };
  readonly Search: new (roots: Worlds, given?: Planned) => Search;
  /** Games by name. */
  readonly games: Record<string, Game>;
  /** Times of impact over arrays. */
  readonly toi: Toi;
  /** Measures of disks. */
  readonly measures: {
    /** psi6 of each disk over its Voronoi neighbours, [2, disk]; positions [2, disk], or more rows, as of a gas. */
    bond_order(positions: ArrayLike<number>, box: readonly [number, number], given?: {
      weighted?: boolean; periodic?: readonly [boolean, boolean]; disks?: number;
    }): Shaped<Float64Array>;
  };
  /** The colours of the library's pictures, "#rrggbb"; `style` lists one for each of `styles`. */
  readonly themes: { readonly styles: string[]; readonly light: Theme; readonly dark: Theme };
  /** Version, compiler, instruction sets, and bytes of memory in use. */
  info(): { version: string; build: string; isas: string[]; memory: number };
  /** Rolls out every world of `roots`, which stay as they are. */
  rollout(roots: Worlds, given?: Rolled): Rollout;
  /**
   * Actions drawn from normal distributions, for rollout(); then clipped to the bounds.
   * mean, sigma: [root, row, number], or one number for all; a row is what is done in `hold` ticks.
   */
  gaussian(mean: Numbers, sigma: Numbers, given?: { low?: Numbers; high?: Numbers; hold?: number }): Drawn;
  /** Actions drawn evenly between bounds [row, number], null: -1 and 1. */
  uniform(low?: Numbers | null, high?: Numbers | null, given?: { hold?: number }): Drawn;
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
   * Gives the memory back. Otherwise that happens some time after the object has become unreachable, which a program
   * that makes many objects should not wait for. An object that is freed refuses all further use.
   */
  free(): void;
}

// ---- games ----

export interface Game {
  readonly name: string;
  readonly title: string;
  readonly players: number;
  readonly bodies: number;
  /** Impacts of a tick, before a world takes a fault. */
  readonly max_events: number;
  /** What `counters().goals` counts. */
  readonly counts: string | null;
  readonly action_kinds: { name: string; precision: "f32" | "f64"; size: number }[];
  readonly observation_kinds: { name: string; agents: number; size: number }[];
  readonly reward_kinds: { name: string; agents: number }[];
  readonly value_kinds: { name: string; weights: Record<string, number> }[];
  readonly policies: string[];
  /** By kind of observation, what each number of an agent's row is. */
  readonly observations: Record<string, { name: string; unit: string; low: number; high: number }[]>;
  /** By name, what the game leaves open. */
  readonly options: Record<string, GameOption>;
}

export interface GameOption {
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

/** Who plays: null, the caller, by `actions`; "zero", all numbers are 0; or the name of a built-in policy. */
export type Player = string | null;

/** What worlds are made with; all other names are options of the game (csb: rules, map_count, maps, laps, ...). */
export interface Made {
  /** Of everything that the game draws; 0. */
  seed?: Wide;
  /** "f64" (default). Modules of web pages have no "f32". */
  precision?: "f32" | "f64";
  isa?: string;
  /** The id of world 0. What a world draws depends on the seed and its id, never on its place. */
  first_id?: Wide;
  /** What becomes of a world when its game is over; "play_on". */
  at_end?: "play_on" | "freeze" | "reset";
  /** An entry for each player; all null. */
  players?: readonly Player[];
  /** How actions are read: "normalised". */
  action_kind?: string;
  /** What is seen: "raw". */
  observation?: string;
  /** Numbers of the agents that are observed, ascending; all. */
  observed?: readonly number[];
  /** What is rewarded: "game". */
  reward?: string;
  /** Ticks of a step; its actions are held. */
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

  /**
   * What step() reads and writes: arrays over the engine's memory, written in place. Such an array is good until the
   * next call that may make the memory grow (making objects, play() with outputs, rollouts): read the property again
   * after it, which costs nothing. actions: [world, player, number], of the players whose actions the caller gives.
   */
  readonly actions: Shaped<Float32Array | Float64Array>;
  /** [world, agent, number], after the step (and after a reset). */
  readonly observations: Shaped<Float32Array>;
  /** The same; written where a game ended in the step: how it ended, before the reset. */
  readonly last_observations: Shaped<Float32Array>;
  /** [world, agent], the sum over the step's ticks. */
  readonly rewards: Shaped<Float32Array>;
  /** [world]: 0 running, 1 terminated, 2 truncated (also by a fault). */
  readonly ends: Shaped<Uint8Array>;

  /** Plays one step; `actions`, if given, are copied into `this.actions` first. */
  step(actions?: Numbers): void;
  /** Plays `ticks` steps in one call and gives what is asked for, as arrays of the caller's own. */
  play(ticks?: number, given?: Playing): Played;
  /** World w becomes a copy of world worlds[w] of `parents`, keeps its own id and seed, and plays as in play(). */
  expand(parents: Worlds, ticks?: number, given?: Playing & { worlds?: ArrayLike<number> }): Played;
  /** Observations of the state as it is: `this.observations`; of another kind as an array of the caller's own. */
  observe(given?: { observation?: string }): Shaped<Float32Array>;
  /** Actions [world, player, number] that a built-in policy would play, for all players. */
  policy(name: string, given?: { action_kind?: string }): Shaped<Float32Array | Float64Array>;
  /** All worlds back to the start of their first game, ids to first_id + index, counters to zero. */
  reset(): void;
  /** Worlds begin a new game: those whose mask is not 0; null: all. ids, seeds: what those worlds are given. */
  restart(mask?: Numbers | null, given?: { ids?: readonly Wide[] | Wide; seeds?: readonly Wide[] | Wide }): void;
  /** From now on all worlds draw with this seed; games go on. */
  reseed(seed: Wide): void;
  /** The seed that each world draws with. */
  seeds(): Shaped<BigUint64Array>;

  /** Fields by name: id, episode, tick, end, fault, frozen, then the game's own. */
  readonly fields: Record<string, { role: string; elements: number }>;
  /** A field, [world, element], copied. */
  get(name: string, given?: { first?: number; count?: number }): Shaped<Field>;
  /** Sets a field from [world, element], or one number for all; all or nothing. */
  set(name: string, values: Numbers, given?: { first?: number; count?: number }): void;
  /**
   * A field in place, without a copy: element e of world w is at index
   * floor(w / lanes) * strides[0] + e * strides[1] + (w % lanes) * strides[2], lanes = shape[2]. Do not write to it; it
   * changes as the batch plays, and is good as long as `actions` is (see there).
   */
  view(name: string): Shaped<Field> & { readonly strides: readonly number[] };
  /** A whole world as a value: to be put into any batch of the same game, options and precision. */
  record(world: number): Shaped<Uint8Array>;
  /** Records of worlds, by default of all, [n, byte]. */
  records(worlds?: ArrayLike<number> | null): Shaped<Uint8Array>;
  /** Sets worlds, by default all, from records, all or nothing. */
  put_records(records: Uint8Array, worlds?: ArrayLike<number> | null): void;
  /** Makes `world` what a record says. */
  put(world: number, record: Uint8Array): void;

  /** A batch of its own in the same state, counters included. */
  copy(): Worlds;
  /** A new batch of `count` worlds, each in the state of `world`, with ids of their own; `changes` as of Worlds. */
  fork(count: number, world?: number, changes?: Made): Worlds;
  /** World to[i] becomes world worlds[i] of `source`, id included; by default 0, 1, ... */
  copy_from(source: Worlds, given?: { to?: ArrayLike<number>; worlds?: ArrayLike<number> }): void;
  /** Worlds become `world` of `source`, each keeping its own id. */
  fork_from(source: Worlds, world?: number, given?: { first?: number; count?: number }): void;

  /** A 64-bit hash of each world's state and parameters; ids are not in it. */
  hashes(): Shaped<BigUint64Array>;
  /** One number for all worlds; those of shards add up (modulo 2^64) to that of the whole. */
  digest(): bigint;
  /** The batch as bytes, the same on every machine. */
  save(): Shaped<Uint8Array>;
  /** Takes over a save of a batch of the same game, options, precision and count. */
  load(saved: Uint8Array): void;

  /** What a ray from (x, y) along (dx, dy) meets first, or a circle of a radius that moves so. */
  cast(question: Question): Found;
  cast(questions: readonly Question[]): Found[];
  /** What is nearest to a place, or to a circle with a radius. */
  nearest(question: Question): Found;
  nearest(questions: readonly Question[]): Found[];
  /** All that is within `range` (here 0): at most `capacity` (16) things, and how many there are. */
  within(question: Question, given?: { capacity?: number }): { found: Found[]; count: number };
  within(questions: readonly Question[], given?: { capacity?: number }): { found: Found[]; count: number }[];

  /** What a world looks like, for whoever draws it and needs to know no game; or only some parts of that. */
  look(world?: number, parts?: readonly (keyof Look)[]): Look;
  /**
   * Numbers of all bodies, [body, number]: of x, y, vx, vy, facing, radius, mass, ax, ay those that `names` lists, by
   * default the first four; places of bodies that are not in play are NaN. For whoever draws thousands of them in every
   * frame.
   */
  look_numbers(world?: number, names?: readonly string[]): Shaped<Float64Array>;
  /** A picture of a world as SVG text; `width` in pixels, an even number. */
  svg(world?: number, given?: Picture): string;
  /** From now on what the batch plays goes into a replay. A batch has one recording at a time. */
  recording(given?: { worlds?: ArrayLike<number>; keyframe_ticks?: number }): Recording;

  /** How many worlds have a fault now, and which faults there are among them: "events", "nan", "range". */
  faults(): { worlds: number; kinds: string[] };
  /** What the batch has done since its creation or reset(). */
  counters(): { ticks: number; events: number; games: number; goals: number; faults: number };
  /** Laps and checkpoints [n, 2] of a map of a batch of csb; the field `map` says which one a world plays on. */
  csb_map(index: number): { laps: number; checkpoints: Shaped<Int32Array> };
}

export type Field = Float64Array | Float32Array | Int32Array | Int16Array | Int8Array;

/** Options of play(). */
export interface Playing {
  /** [step, row, player, number], of the players whose actions are given; otherwise all numbers are 0. */
  actions?: Numbers;
  /** As of Worlds, whose entries are the default. */
  players?: readonly Player[];
  action_kind?: string;
  /** By player, of those whose actions are given: a kind of their own and actions [step, row, number] of it. */
  own?: Record<number, readonly [kind: string, actions: Numbers]>;
  /** Length of a tick, where the game leaves it open (scenes); 0: the game's own. */
  dt?: number;
  repeat?: number;
  /** [world]: world w acts as row rows[w] of the actions. */
  rows?: ArrayLike<number>;
  /** [world]: those that are not 0 stand still. */
  skip?: Numbers;
  /** The worlds that play, and that [world] counts here. */
  first?: number;
  count?: number;
  at_end?: "play_on" | "freeze" | "reset";
  /** What is wanted; each costs nothing where it is not asked for. */
  observations?: boolean;
  last_observations?: boolean;
  rewards?: boolean;
  ends?: boolean;
  results?: boolean;
  /** Records up to so many impacts of each tick and world. */
  events?: number;
  /** With events: each impact has a `contact`. */
  contacts?: boolean;
  /** [step, world, body, 4]: x, y, vx, vy after the motion, before the end-of-tick rules. */
  moved?: boolean;
}

/** What a call of play() wrote, [step, world, ...]; null for what was not asked for. */
export interface Played {
  readonly observations: Shaped<Float32Array> | null;
  readonly last_observations: Shaped<Float32Array> | null;
  readonly rewards: Shaped<Float32Array> | null;
  readonly ends: Shaped<Uint8Array> | null;
  /** Step by step, world by world; meant where `ends` is not 0. */
  readonly results: Shaped<Result[]> | null;
  readonly moved: Shaped<Float64Array> | null;
  /** How many impacts there were, those that had no room included. */
  readonly event_counts: Shaped<Uint32Array> | null;
  readonly events: Impact[] | null;
  /** All recorded impacts in one list, in order of tick, world and time. */
  impacts(): Impact[];
}

/** How a game has ended; entries of players that the game does not have are 0. */
export interface Result {
  /** -1: nobody. */
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

/** What is known of an impact beside its event: carom_contact. Pairs are [first, second], vectors [x, y]. */
export interface Contact {
  /** The place: where the first touches. */
  readonly x: number;
  readonly y: number;
  /** The unit normal from the first to the second. */
  readonly nx: number;
  readonly ny: number;
  /** That the second gets along the normal. */
  readonly impulse: number;
  /** When they are there: 0 the start of the tick, 1 its end. */
  readonly time: number[];
  readonly centre: number[][];
  readonly before: number[][];
  readonly after: number[][];
}

// ---- looks ----

/** Names of styles: "plain", "first", "second", "third", "fourth", "ball", "danger", "fixed", "sensor", "wall", ... */
export interface Look {
  /** What a picture should show; see carom_look_view. */
  readonly view: {
    x0: number; y0: number; x1: number; y1: number;
    y_down: boolean; timed: boolean; placed: boolean; dt: number; wrap_x: number; wrap_y: number;
  };
  /** What stands still. */
  readonly shapes: {
    kind: "line" | "circle" | "text"; style: string; x: number; y: number; x2: number; y2: number; radius: number;
    text: string;
  }[];
  readonly bodies: {
    name: string; number: number; id: number; there: boolean; has_facing: boolean; style: string; x: number; y: number;
    vx: number; vy: number; radius: number; mass: number; facing: number; ax: number; ay: number;
  }[];
  /** What a spectator wants to know beside; player -1: nobody's. */
  readonly numbers: { name: string; player: number; value: number }[];
}

export interface Picture {
  width?: number;
  dark?: boolean;
  captions?: boolean;
}

/** A question about what is where; all but x and y have defaults. */
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

/** The keys of a scene as JSON text (carom/scene.h and examples/scenes/); infinity may be Infinity here. */
export interface SceneDescription {
  bodies: readonly Record<string, unknown>[];
  [key: string]: unknown;
}

/** A frozen description of worlds: circles, walls, polygons, arcs, a box. The library checks it as it is made. */
export interface Scene extends Owned {
  readonly game: Game;
  /** The engine that its worlds run on. */
  readonly engine: "wide" | "deep";
  /** `count` worlds of this scene. */
  worlds(count?: number, given?: Made): Worlds;
  /** The scene as JSON text; numbers are exact, so that what is read from it is the same scene. */
  to_json(): string;
  /** The same as an object. */
  description(): SceneDescription;
}

// ---- replays ----

/** What a batch plays, as a replay. */
export interface Recording extends Owned {
  /** The replay so far. */
  bytes(): Uint8Array;
  /** Writes a note, which belongs to the tick that is played next. */
  note(note: { kind: NoteKind; world?: number; player?: number; text: string }): void;
  /** Ends the recording: the whole replay, for Replay and for the command `carom`. */
  close(): Uint8Array;
}

/** A player's name, its message in a tick, what it wrote to its standard error, what the referee says of it. */
export type NoteKind = "name" | "message" | "error" | "referee";

/** A replay: bytes that a recording, or the command `carom`, has written. It begins at tick 0. */
export interface Replay extends Owned {
  readonly game: string;
  readonly precision: string;
  readonly seed: bigint;
  /** How many. */
  readonly worlds: number;
  readonly ticks: number;
  /** Its end is there. */
  readonly whole: boolean;
  readonly keyframes: number;
  /** What goes with it as text, by tick: each note belongs to tick number `tick`, or follows the last one. */
  readonly notes: { kind: NoteKind; tick: number; world: number; player: number; text: string }[];
  /** Ticks that are played. */
  readonly tick: number;
  /** The worlds as they stand; to play on, take fork(). */
  readonly batch: Worlds;
  readonly fields: Worlds["fields"];
  /** Plays the next tick; false at the end. With options it gives what they ask for, as play() does. */
  step(): boolean;
  step(given: Playing): Played | false;
  /** Goes to the state after so many ticks, forwards or back. */
  seek(tick: number): void;
  /** Plays all of it again and compares every world after every tick; null: all are the same bits. */
  verify(): Difference | null;
  /** A batch of its own in the state that the replay has reached, to play on from. */
  fork(): Worlds;
  /** A field of all worlds as they stand, [world, element]. */
  get(name: string): Shaped<Field>;
  /** What everybody did in a tick, by default the last one: for each player [world, number]. */
  actions(tick?: number): Shaped<Float32Array | Float64Array>[];
  hashes(): Shaped<BigUint64Array>;
  look(world?: number): Look;
  svg(world?: number, given?: Picture): string;
}

/** Where a replay that is played again first differs. */
export interface Difference {
  readonly ticks: number;
  readonly world: number;
  readonly id: bigint;
  readonly field: string | null;
  readonly element: number;
  /** Recorded and played again, where a whole state of the file tells them. */
  readonly values: readonly [number, number] | null;
}

// ---- rollouts and search ----

/** What a player draws: made by gaussian() or uniform(). */
export interface Drawn {
  readonly hold: number;
}

/** What a player does in rollouts: "drawn", "zero", a policy, gaussian(), uniform(), or [root, k, tick, number]. */
export type Acting = string | Drawn | Shaped<Float32Array | Float64Array> | readonly Numbers[];

/** What states and rewards are worth, and what is seen. */
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
  /** What `player` does; or [root, tick, number], the same for every k. */
  actions?: Acting;
  player?: number;
  /** What each other player does; "drawn". */
  opponent?: Acting;
  /** Instead of the three above, an entry for each player. */
  players?: readonly Acting[];
  /** One of the game's final values. */
  value?: string;
  /** [root]: ticks to play from that root instead. */
  horizons?: Numbers;
  /** So many best sequences are told, and the mean and deviation of what `player` does in them. */
  elites?: number;
  rewards?: boolean;
  lengths?: boolean;
  /** After how many ticks to observe, ascending. */
  depths?: readonly number[];
  /** A batch of roots x k worlds, which receives the final states. */
  finals?: Worlds;
}

/** What rollouts return. */
export interface Rollout {
  /** [root, k, player]; -Infinity where a world took a fault. */
  readonly returns: Shaped<Float64Array>;
  /** [root, player]: each player's best sequence, the first of equals. */
  readonly best: Shaped<Uint32Array>;
  /** [root, k, tick, agent], if asked for. */
  readonly rewards?: Shaped<Float32Array>;
  /** [root, k]: ticks played, if asked for. */
  readonly lengths?: Shaped<Uint32Array>;
  /** [root, k, depth, agent, number], if asked for. */
  readonly observations?: Shaped<Float32Array>;
  readonly elites?: Shaped<Uint32Array>;
  readonly elite_mean?: Shaped<Float32Array>;
  readonly elite_sigma?: Shaped<Float32Array>;
  /** [root, i, row, number]: what `player` does in chosen sequences [root, i]; given or drawn ones. */
  actions(player: number, sequences: readonly (readonly number[])[]): Shaped<Float32Array | Float64Array>;
  /** [root, number]: what `player` does first in its best sequence. */
  first_actions(player?: number): Shaped<Float32Array | Float64Array>;
}

export interface Planned extends Weighing {
  /** "cem". */
  planner?: "shooting" | "cem" | "genetic" | "mppi";
  player?: number;
  /** Ticks of a plan, and for how many each of its rows is played; 6 and 1. */
  horizon?: number;
  hold?: number;
  /** Of a generation and root. */
  sequences?: number;
  /** The budget of a root in rollouts, 1024, or of the run in time. */
  rollouts?: number;
  milliseconds?: number;
  /** Bounds [row, number]; -1 and 1. */
  low?: Numbers;
  high?: Numbers;
  /** "zero", a policy, "plan", "search" or "fictitious", or several of them. */
  opponent?: string | readonly string[];
  against?: "worst" | "mean";
  /** One of the game's final values, or a function of observations [leaf, agent, number] that gives [leaf, player]. */
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
}

/** A planner for as many worlds as it was made for; plans are remembered and moved on from run to run. */
export interface Search extends Owned {
  /** Searches from every world of `roots`, which stay as they are; gives what to play, actions(). */
  run(roots: Worlds): Shaped<Float32Array | Float64Array>;
  /** The same in steps: `roots` must stay as they are until leaves() gives none. */
  begin(roots: Worlds): void;
  /** Rolls out a generation: what is seen of its last states, [leaf, agent, number]; of length 0 at the end. */
  leaves(): Shaped<Float32Array>;
  /** Takes what the leaves are worth, [leaf, player]. */
  values(values: Numbers): void;
  /**
   * Lets `call` see every generation of the runs that follow, before the planner learns from it; null: nobody. The
   * results stay the same bits. `call` must not use the search but by what it is shown.
   */
  watch(call: ((drawn: Drawing) => void) | null): void;
  /** Changes the budget for the runs that follow: one of the two. */
  set_budget(given: { rollouts?: number; milliseconds?: number }): void;
  /** [root, number]: what a player, by default the one that plans, does first. */
  actions(player?: number): Shaped<Float32Array | Float64Array>;
  /** [root, row, number]: the whole plan. */
  plan(player?: number): Shaped<Float32Array>;
  /** Sets a plan for the next run; null: all plans start again. */
  set_plan(plan: Numbers | null, player?: number): void;
  /** [root]: what the plan was worth when it was last rolled out. */
  returns(): Shaped<Float64Array>;
  /** What the search remembers of some of its roots. */
  save(first?: number, count?: number): Shaped<Uint8Array>;
  /** Takes over what another search with the same parameters saved. */
  load(saved: Uint8Array, first?: number): void;
  report(): Report;
}

/** A generation that has been rolled out. */
export interface Drawing {
  /** Of the run, from 0. */
  readonly generation: number;
  /** Who plans. */
  readonly player: number;
  /** Sequences of each root. */
  readonly count: number;
  /**
   * Some sequences as they were rolled out from one root, by default all from root 0: what the player does,
   * [sequence, row, number], and what that is worth to it. Number 0 is the plan or the mean, where the planner tries
   * it.
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
  readonly generations: {
    player: number; rollouts: number; ticks: number; best: number; mean: number; spread: number; seconds: number;
    cut: number;
  }[];
}

// ---- gases ----

export interface GasMade {
  box?: "periodic" | "solid";
  restitution?: number;
  seed?: Wide;
  precision?: "f32" | "f64";
  isa?: string;
}

/** Equal hard disks in a square box, exactly: diameter 1, mass 1, temperature 1 at the start. */
export interface Gas extends Owned {
  readonly bodies: number;
  readonly isa: string;
  /** Of the box, in diameters. */
  readonly side: number;
  /** The clock. */
  readonly time: number;
  /** Runs for `time` >= 0. */
  run(time: number): void;
  /** Measures from now on. */
  forget(): void;
  /** Collisions, energy, compressibility and their like: carom_gas_measures. */
  measure(): {
    time: number; collisions: number; sides: number; crossings: number; energy: number; energy_drift: number;
    momentum_x: number; momentum_y: number; momentum_drift: number; compressibility: number;
    compressibility_error: number; fault: boolean;
  };
  /** [4, disk]: x, y, vx, vy. */
  state(): Shaped<Float64Array>;
  /** Sets them and clears the fault. */
  set_state(state: Numbers): void;
  /** [2, disk]: positions that go on beyond a periodic box. */
  unwrapped(): Shaped<Float64Array>;
  digest(): bigint;
  svg(given?: Picture): string;
  save(): Shaped<Uint8Array>;
  copy(): Gas;
}

// ---- times of impact ----

/** A number for all pairs, or an array of n. */
export type Column = number | ArrayLike<number>;
/** [x, y]. */
export type Point = readonly [Column, Column];

/** Both roots, the normal from i to j, and the centres at contact: those that `also` names. */
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
  /** [4, n], ascending; Infinity behind the last. */
  readonly roots: Shaped<Float64Array>;
  /** [n]; -1 where an input is NaN. */
  readonly count: Shaped<Int32Array>;
}

/**
 * Times of impact over arrays, in float64; "never" is Infinity. Arguments are numbers or arrays of n, points are pairs
 * [x, y] of such. The headers carom/toi.h, toi_walls.h, toi_arcs.h and toi_accelerated.h say what each answer means.
 */
export interface Toi {
  /** All ways to solve the equation. `NAME/branches` is one in scalar code with branches. */
  variants(): { name: string; summary: string; lanes: boolean; exact: boolean }[];
  /** n pairs in relative motion: position and velocity of the second seen from the first, sum of radii. */
  circles(p: Point, v: Point, r: Column, given?: { solver?: string }): Shaped<Float64Array>;
  contacts(p: Point, v: Point, r: Column, given?: { solver?: string; also?: readonly string[] }): Contacts;
  /** Pairs (i[k], j[k]) of bodies with positions p, velocities v and radii r. */
  indexed(p: Point, v: Point, r: Column, i: ArrayLike<number>, j: ArrayLike<number>,
    given?: { solver?: string; also?: readonly string[] }): Contacts;
  /** One body against n others. */
  one(p: readonly number[], v: readonly number[], r: number, others_p: Point, others_v: Point, others_r: Column,
    given?: { solver?: string; also?: readonly string[] }): Contacts;
  /** The earliest impact of each body with any of the others; index -1: none. */
  first(p: Point, v: Point, r: Column, others_p: Point, others_v: Point, others_r: Column,
    given?: { solver?: string }): { t: Shaped<Float64Array>; index: Shaped<Int32Array> };
  /** Does the pair meet within `limit`? */
  within(p: Point, v: Point, r: Column, limit: number): boolean[];
  /** Circle k against the infinite line through a and b. */
  line(p: Point, v: Point, r: Column, a: Point, b: Point, given?: Detecting): Hits;
  /** Circle k against the segment from a to b: feature 0 the straight part, 1 and 2 its ends. */
  segment(p: Point, v: Point, r: Column, a: Point, b: Point, given?: Detecting): Hits;
  point(p: Point, v: Point, r: Column, q: Point, given?: Detecting): Hits;
  /** Circle k against a box: features 0 to 3 its sides, 4 to 7 its corners. */
  box(p: Point, v: Point, r: Column, low: Point, high: Point, given?: Detecting): Hits;
  /** n circles against one outline of m corners [x, y]: feature e an edge, m + k a corner. */
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

export interface Detecting {
  limit?: number;
  detection?: "continuous" | "discrete";
}

export interface Arcs {
  limit?: number;
  sides?: "both" | "within" | "without";
  /** Circles that overlap and part meet again as soon as they come closer than they were. */
  holds?: boolean;
}
