// SPDX-License-Identifier: MIT
// The WebAssembly module: loading, memory, C structures by name, errors, and objects that can be freed.

/** Statuses of the library, in the order of carom_status. */
const STATUSES = [
  "ok", "argument", "value", "memory", "size", "format", "unsupported", "cancelled", "device",
];

const NO_FILE = 8; // an error of WASI, which has no files here
const PAGE = 65536; // bytes of a page of WebAssembly's memory
const FIRST_PAGES = 512; // more than the module's static data; memory grows as needed

/** An error: `status` is its kind ("argument", "value", "memory", ...), `message` the library's text. */
export class CaromError extends Error {
  /**
   * @param {string} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.name = "CaromError";
    this.status = status;
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
export function refuse(message) {
  throw new CaromError("argument", message);
}

/**
 * The index of a name in a list; throws if it is not there.
 * @param {string} what
 * @param {unknown} name
 * @param {readonly string[]} names
 */
export function known(what, name, names) {
  const place = names.indexOf(/** @type {string} */ (name));
  return place >= 0 ? place : refuse(`${what}: ${JSON.stringify(name)} is unknown; there are ${names.join(", ")}`);
}

/**
 * A whole number within bounds.
 * @param {string} what
 * @param {unknown} value
 */
export function whole(what, value, least = 0, most = 0xffffffff) {
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
    refuse(`${what}: a whole number from ${least} to ${most} is expected, not ${String(value)}`);
  }
  return /** @type {number} */ (value);
}

/**
 * A number of 64 bits, from a number or a BigInt.
 * @param {string} what
 * @param {unknown} value
 */
export function wide(what, value) {
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) {
    refuse(`${what}: a whole number or a BigInt is expected, not ${String(value)}`);
  }
  const number = BigInt(/** @type {number | bigint} */ (value));
  return BigInt.asUintN(64, number) === number ? number : refuse(`${what}: ${number} does not fit into 64 bits`);
}

/**
 * Options by name; throws for unknown names.
 * @template T
 * @param {string} what
 * @param {T | undefined} given
 * @param {readonly string[]} names
 * @returns {Partial<T>}
 */
export function options(what, given, names) {
  if (given !== undefined && (typeof given !== "object" || given === null)) {
    refuse(`${what}: an object of options is expected, not ${String(given)}`);
  }
  for (const name of Object.keys(given ?? {})) {
    known(`option of ${what}`, name, names);
  }
  return given ?? {};
}

/**
 * A typed array with its shape.
 * @template T
 * @param {T} array
 * @param {number[]} shape
 * @returns {T & { shape: number[] }}
 */
export function shaped(array, shape) {
  return Object.assign(/** @type {any} */ (array), { shape });
}

/** @param {readonly number[]} shape */
export const product = (shape) => shape.reduce((a, b) => a * b, 1);

// ---- structures ----

const SIZES = { b: 1, c: 1, t: 1, i: 4, u: 4, s: 4, f: 4, w: 8, d: 8 };
/** @type {Record<string, (data: DataView, at: number, engine: Engine) => any>} */
const READERS = {
  b: (data, at) => data.getUint8(at) !== 0,
  c: (data, at) => data.getInt8(at),
  i: (data, at) => data.getInt32(at, true),
  u: (data, at) => data.getUint32(at, true),
  f: (data, at) => data.getFloat32(at, true),
  d: (data, at) => data.getFloat64(at, true),
  w: (data, at) => data.getBigUint64(at, true),
  s: (data, at, engine) => engine.text(data.getUint32(at, true)),
};
const WIDE = new Set(["seed", "first_id", "id", "world_id"]); // all other 64-bit numbers are counts

/** A C structure in the module's memory, with access to its members by name. */
export class Structure {
  /**
   * @param {Engine} engine
   * @param {Layout} layout
   * @param {number} at
   */
  constructor(engine, layout, at) {
    this.engine = engine;
    this.layout = layout;
    this.at = at;
  }

  /** @param {string} name */
  get(name) {
    return read(this.engine, this.engine.data, this.at, this.member(name));
  }

  /** @param {string} name */
  member(name) {
    return this.layout.members.get(name) ?? refuse(`there is no member ${name}`);
  }

  /**
   * @param {string} name
   * @param {any} value
   */
  set(name, value) {
    const { offset, bytes, letter } = this.member(name);
    const at = this.at + offset;
    if (bytes > SIZES[letter]) {
      value.forEach((/** @type {any} */ item, /** @type {number} */ k) => {
        this.write(at + k * SIZES[letter], letter, item);
      });
    } else {
      this.write(at, letter, value);
    }
    return this;
  }

  /**
   * @param {number} at
   * @param {string} letter
   * @param {any} value
   */
  write(at, letter, value) {
    const data = this.engine.data;
    switch (letter) {
      case "b": data.setUint8(at, value ? 1 : 0); break;
      case "c": data.setInt8(at, value); break;
      case "i": data.setInt32(at, value, true); break;
      case "f": data.setFloat32(at, value, true); break;
      case "d": data.setFloat64(at, value, true); break;
      case "w": data.setBigUint64(at, BigInt(value), true); break;
      default: data.setUint32(at, value, true);
    }
  }

  /** @param {Record<string, any>} values */
  assign(values) {
    for (const [name, value] of Object.entries(values)) {
      this.set(name, value);
    }
    return this;
  }

  /** All members as a plain object. Counts of 64 bits become numbers. */
  object() {
    return this.engine.objects(this.layout.name, this.at, 1)[0];
  }
}

/**
 * A member of the structure at `at`.
 * @param {Engine} engine
 * @param {DataView} data
 * @param {number} at
 * @param {Member} member
 */
function read(engine, data, at, { offset, bytes, letter }) {
  if (letter === "t") {
    return engine.text(at + offset, bytes);
  }
  const one = READERS[letter];
  const count = bytes / SIZES[letter];
  return count === 1 ? one(data, at + offset, engine)
    : Array.from({ length: count }, (_, k) => one(data, at + offset + k * SIZES[letter], engine));
}

/** @typedef {{ offset: number, bytes: number, letter: keyof typeof SIZES }} Member */
/** @typedef {{ name: string, bytes: number, members: Map<string, Member> }} Layout */

// ---- memory for one call ----

/** Memory that is freed at the end of a call: see Engine.frame(). */
export class Frame {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    /** @type {number[]} */
    this.taken = [];
  }

  /** @param {number} bytes */
  bytes(bytes) {
    const at = this.engine.take(bytes);
    this.taken.push(at);
    return at;
  }

  /**
   * A structure, filled by `..._default(arguments)` if the library has that function, otherwise with zeros.
   * @param {string} name
   * @param {Record<string, any>} [values]
   * @param {...number} defaults
   */
  structure(name, values = {}, ...defaults) {
    const { engine } = this;
    const layout = engine.layout(name);
    const structure = new Structure(engine, layout, this.bytes(layout.bytes));
    engine.bytes(structure.at, layout.bytes).fill(0);
    engine.c[`${name}_default`]?.(structure.at, ...defaults);
    return structure.assign(values);
  }

  /** @param {string} text */
  string(text) {
    const encoded = new TextEncoder().encode(text);
    const at = this.bytes(encoded.length + 1);
    this.engine.bytes(at, encoded.length).set(encoded);
    this.engine.data.setUint8(at + encoded.length, 0);
    return { at, length: encoded.length };
  }

  /**
   * A copy of a typed array.
   * @param {any} array
   */
  copy(array) {
    const at = this.bytes(array.byteLength);
    this.engine.bytes(at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return at;
  }

  /** An array of pointers. @param {number[]} pointers */
  pointers(pointers) {
    return this.copy(Uint32Array.from(pointers));
  }

  free() {
    for (const at of this.taken) {
      this.engine.c.free(at);
    }
  }
}

// ---- objects that live in the module's memory ----

/** Something in the module's memory, destroyed after its last use. */
export class Resource {
  /**
   * @param {number} at
   * @param {(at: number) => void} destroy
   * @param {Resource[]} needs resources that must outlive it
   */
  constructor(at, destroy, needs = []) {
    this.at = at;
    this.destroy = destroy;
    this.needs = needs.map((resource) => resource.retain());
    this.uses = 1;
  }

  retain() {
    this.uses++;
    return this;
  }

  release() {
    if (--this.uses === 0) {
      this.destroy(this.at);
      this.needs.forEach((resource) => resource.release());
    }
  }
}

const forgotten = new FinalizationRegistry((/** @type {Resource} */ resource) => resource.release());

/** An object that holds a resource until free() or garbage collection. */
export class Owner {
  /** @type {Resource | null} */
  #resource = null;
  #isUsed = false;

  /** @param {Resource} resource */
  own(resource) {
    this.#resource = resource;
    forgotten.register(this, resource, this);
  }

  /** The resource; throws if it is freed, or in use by a call. */
  get resource() {
    if (this.#isUsed) {
      refuse("it is in use: a function called by it must not use it");
    }
    return this.#resource ?? refuse("it is freed");
  }

  /**
   * A call that may call functions of the page, which cannot use this object.
   * @template T
   * @param {(at: number) => T} work
   * @returns {T}
   */
  during(work) {
    const { at } = this;
    this.#isUsed = true;
    try {
      return work(at);
    } finally {
      this.#isUsed = false;
    }
  }

  get at() {
    return this.resource.at;
  }

  /** Frees the memory now; the object must not be used again. A second call does nothing. */
  free() {
    if (this.#resource) {
      this.resource;
      forgotten.unregister(this);
      this.#resource.release();
      this.#resource = null;
    }
  }
}

// ---- the module ----

/** The module: its functions `c`, its memory, and helpers for calls. */
export class Engine {
  /**
   * @param {WebAssembly.Memory} memory
   * @param {boolean} simd
   */
  constructor(memory, simd) {
    this.memory = memory;
    this.simd = simd;
    this.view = new DataView(memory.buffer);
    /** @type {Record<string, (...numbers: any[]) => any>} */
    this.c = {};
    /** @type {Map<string, Layout>} */
    this.layouts = new Map();
    /** @type {Map<number, string>} */
    this.texts = new Map(); // of the module's own
    this.heap = 0;
    /** @type {Map<number, (bytes: Uint8Array) => void>} */
    this.writers = new Map();
    /** @type {Map<number, (drawn: number) => void>} */
    this.watchers = new Map();
    /** @type {Map<number, Record<number, (range: number) => void> & { respond?: (at: number, count: number) => void }>} */
    this.hooks = new Map();
    /** @type {{ sample?: (frame: number) => boolean, events?: (at: number, count: number) => boolean } | null} */
    this.running = null; // the watched run of a laboratory
    /** @type {{ error: unknown } | null} */
    this.thrown = null;
  }

  /**
   * Calls a function of the page from within the library. An exception is kept until the library returns, since it must
   * not pass through C; until then no such function is called.
   * @template T
   * @param {() => T} work
   * @param {T} [otherwise]
   */
  called(work, otherwise) {
    if (this.thrown) {
      return otherwise;
    }
    try {
      return work();
    } catch (error) {
      this.thrown = { error };
      return otherwise;
    }
  }

  /** Did a watcher end the call that returned this status, by its result or an exception? @param {number} status */
  isCancelled(status) {
    return STATUSES[status] === "cancelled";
  }

  /** Rethrows an exception of a function of the page during the call that has just returned. */
  rethrow() {
    const { thrown } = this;
    if (thrown) {
      this.thrown = null;
      throw thrown.error;
    }
  }

  /**
   * Instantiates a compiled module.
   * @param {BufferSource | WebAssembly.Module} source
   * @param {{ memory: number, simd: boolean }} settings
   */
  static async start(source, { memory, simd }) {
    const maximum = Math.max(FIRST_PAGES, Math.floor(memory / PAGE));
    const engine = new Engine(new WebAssembly.Memory({ initial: FIRST_PAGES, maximum }), simd);
    const found = await WebAssembly.instantiate(source, engine.imports());
    const instance = found instanceof WebAssembly.Instance ? found : found.instance;
    engine.c = /** @type {any} */ (instance.exports);
    engine.c._initialize();
    engine.heap = engine.c.engine_heap();
    engine.readLayouts();
    return engine;
  }

  /**
   * Imports of the module: a clock, an environment without variables or files, and the callbacks for recordings,
   * watchers and hooks.
   */
  imports() {
    return {
      env: {
        memory: this.memory,
        emscripten_notify_memory_growth: () => {},
        engine_write: (/** @type {number} */ user, /** @type {number} */ at, /** @type {number} */ size) => {
          this.writers.get(user)?.(this.bytes(at, size).slice());
          return this.writers.has(user) ? 1 : 0;
        },
        engine_watch: (/** @type {number} */ user, /** @type {number} */ _, /** @type {number} */ drawn) => {
          this.watchers.get(user)?.(drawn);
        },
        engine_sample: (/** @type {number} */ _, /** @type {number} */ frame) => (
          this.called(() => this.running?.sample?.(frame), false) ? 1 : 0),
        engine_events: (/** @type {number} */ _, /** @type {number} */ at, /** @type {number} */ count) => (
          this.called(() => this.running?.events?.(at, count), false) ? 1 : 0),
        engine_respond: (/** @type {number} */ user, /** @type {number} */ count, /** @type {number} */ at) => {
          this.called(() => this.hooks.get(user)?.respond?.(at, count));
        },
        engine_range: (/** @type {number} */ user, /** @type {number} */ what, /** @type {number} */ at) => {
          this.called(() => this.hooks.get(user)?.[what]?.(at));
        },
      },
      wasi_snapshot_preview1: {
        clock_time_get: (/** @type {number} */ _, /** @type {bigint} */ __, /** @type {number} */ at) => {
          this.data.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
          return 0;
        },
        environ_sizes_get: (/** @type {number} */ count, /** @type {number} */ size) => {
          this.data.setUint32(count, 0, true);
          this.data.setUint32(size, 0, true);
          return 0;
        },
        environ_get: () => 0,
        fd_read: () => NO_FILE,
        fd_close: () => NO_FILE,
      },
    };
  }

  /** Reads the layout of structures from the module. */
  readLayouts() {
    this.frame((frame) => {
      const counted = frame.bytes(4);
      const table = this.c.engine_members(counted);
      const count = this.data.getUint32(counted, true);
      /** @type {Map<string, Member>} */
      let members = new Map();
      for (let k = 0; k < count; k++) {
        const at = table + k * 16;
        const name = /** @type {string} */ (this.text(this.data.getUint32(at, true)));
        const bytes = this.data.getUint32(at + 8, true);
        const letter = /** @type {any} */ (String.fromCharCode(this.data.getUint8(at + 12)));
        if (letter === "{") {
          members = new Map();
          this.layouts.set(name, { name, bytes, members });
        } else {
          members.set(name, { offset: this.data.getUint32(at + 4, true), bytes, letter });
        }
      }
    });
  }

  /** @param {string} name */
  layout(name) {
    return this.layouts.get(name) ?? refuse(`there is no structure ${name}`);
  }

  /** The memory as numbers; a new view whenever the memory has grown. */
  get data() {
    if (this.view.buffer !== this.memory.buffer) {
      this.view = new DataView(this.memory.buffer);
    }
    return this.view;
  }

  /**
   * @param {number} at
   * @param {number} count
   */
  bytes(at, count) {
    return new Uint8Array(this.memory.buffer, at, count);
  }

  /**
   * A string of C; null for NULL.
   * @param {number} at
   */
  text(at, most = Infinity) {
    if (at === 0) {
      return null;
    }
    const known = this.texts.get(at);
    if (known !== undefined) {
      return known;
    }
    const bytes = new Uint8Array(this.memory.buffer, at, Math.min(most, this.memory.buffer.byteLength - at));
    const end = bytes.indexOf(0);
    const text = new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
    if (at < this.heap && most === Infinity) {
      this.texts.set(at, text);
    }
    return text;
  }

  /** @param {number} bytes */
  take(bytes) {
    const at = this.c.malloc(Math.max(bytes, 1));
    if (at === 0) {
      throw new CaromError("memory", `there is no room for ${bytes} bytes: see the option memory of load()`);
    }
    return at;
  }

  /**
   * Calls `work` with memory that is freed when it returns.
   * @template T
   * @param {(frame: Frame) => T} work
   * @returns {T}
   */
  frame(work) {
    const frame = new Frame(this);
    try {
      return work(frame);
    } finally {
      frame.free();
    }
  }

  /**
   * An array of structures, as plain objects.
   * @param {string} name
   * @param {number} at
   * @param {number} count
   */
  objects(name, at, count) {
    const { bytes, members } = this.layout(name);
    const { data } = this;
    const found = [];
    for (let k = 0; k < count; k++, at += bytes) {
      /** @type {Record<string, any>} */
      const one = {};
      for (const [name, member] of members) {
        if (member.letter !== "p") {
          const value = read(this, data, at, member);
          one[name] = member.letter === "w" && !WIDE.has(name) ? Number(value) : value;
        }
      }
      found.push(one);
    }
    return found;
  }

  /**
   * An element of an array of structures within a structure.
   * @param {Structure} structure
   * @param {string} member
   * @param {string} name of the entries
   * @param {number} place
   */
  within(structure, member, name, place) {
    const layout = this.layout(name);
    return new Structure(this, layout, structure.at + structure.member(member).offset + place * layout.bytes);
  }

  /**
   * Throws unless a status is that of success. `problem` is the library's message, if any.
   * @param {number} status
   * @param {string} what
   * @param {string | null} [problem]
   */
  check(status, what, problem) {
    this.rethrow();
    if (status !== 0) {
      throw new CaromError(STATUSES[status] ?? "unknown",
        problem || `${what}: ${this.text(this.c.carom_status_string(status))}`);
    }
  }

  /**
   * Calls a function that fills a structure; returns it as an object.
   * @param {string} name of the structure
   * @param {(at: number) => number | void} call
   * @param {string} what
   */
  filled(name, call, what = name) {
    return this.frame((frame) => {
      const found = new Structure(this, this.layout(name), frame.bytes(this.layout(name).bytes));
      this.check(call(found.at) ?? 0, what);
      return found.object();
    });
  }

  /** A copy of memory as a typed array. @param {any} Type @param {number} at @param {number[]} shape */
  copied(Type, at, shape) {
    const bytes = product(shape) * Type.BYTES_PER_ELEMENT;
    return shaped(new Type(this.memory.buffer.slice(at, at + bytes)), shape);
  }
}

/**
 * Numbers as a typed array, from such an array, one number for all, or a (nested) list.
 * @param {string} what
 * @param {any} value
 * @param {any} Type
 * @param {number} count
 */
export function numbers(what, value, Type, count) {
  const isWide = Type === BigUint64Array || Type === BigInt64Array;
  if (typeof value === "number" || typeof value === "bigint") {
    return new Type(count).fill(isWide ? BigInt(value) : Number(value));
  }
  let array = value;
  if (!(value instanceof Type)) {
    const list = Array.isArray(value) ? value.flat(Infinity) : ArrayBuffer.isView(value) ? value
      : refuse(`${what}: numbers are expected, not ${String(value)}`);
    array = Type.from(list, (/** @type {any} */ item) => (isWide ? BigInt(item) : Number(item)));
  }
  return array.length === count ? array : refuse(`${what}: ${count} numbers are expected, not ${array.length}`);
}
