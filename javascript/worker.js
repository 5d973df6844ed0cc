// SPDX-License-Identifier: MIT
// The engine in a Worker, so that nothing that takes long freezes a page: questions and answers, with limits of time.
//
// In the page:
//     import { Remote } from "./worker.js";
//     const remote = await Remote.start({ limit: 5000, memory: 256 << 20 });
//     const worlds = await remote.call("make", "Worlds", "csb", 64, { seed: 1 });
//     const played = await remote.call("on", worlds, "play", 100, { events: 16 });
//     await remote.call("free", worlds);
//
// A page with a program of its own beside the engine writes a worker of its own, a module that imports this one and
// calls serve(object): the page may then call that object's methods by name.
//
// A question is { id, method, args }, its answer { id, result } or { id, error: { status, message } }. Typed arrays of
// a result are moved, not copied, and keep their shape.

import { CaromError, load } from "./carom.js";

const LIMIT = 10000; // milliseconds that an answer may take by default

// ---- what is sent ----

/** Key of an array that is sent with its shape, and of an object that stays in the worker. */
const ARRAY = "$array";
const HANDLE = "$handle";

/**
 * A result as it can be sent, and the buffers to move with it.
 * @param {any} value
 * @param {Set<ArrayBuffer>} moved
 * @returns {any}
 */
function packed(value, moved) {
  if (ArrayBuffer.isView(value)) {
    const array = whole(value);
    moved.add(array.buffer);
    const { shape } = /** @type {any} */ (value);
    return shape ? { [ARRAY]: array, shape } : array;
  }
  if (value instanceof CaromError) {
    return { status: value.status, message: value.message };
  }
  if (Array.isArray(value)) {
    return value.map((item) => packed(item, moved));
  }
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, packed(item, moved)]));
  }
  return value;
}

/** An array that has a buffer to itself: what lies over the engine's memory, or shares a buffer, is copied. */
function whole(/** @type {any} */ array) {
  return array.byteLength === array.buffer.byteLength ? array : array.slice();
}

/**
 * What was sent, as it was.
 * @param {any} value
 * @returns {any}
 */
function unpacked(value) {
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) {
    return value;
  }
  if (value[ARRAY]) {
    return Object.assign(value[ARRAY], { shape: value.shape });
  }
  if (Array.isArray(value)) {
    return value.map(unpacked);
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unpacked(item)]));
}

// ---- the worker's side ----

/**
 * Answers questions by the methods of `object`, one after another.
 * @param {any} object
 * @param {any} [port] where they come from; the worker's own by default
 */
export function serve(object, port = globalThis) {
  let before = Promise.resolve();
  port.onmessage = (/** @type {MessageEvent} */ { data }) => {
    before = before.then(() => answer(object, port, data));
  };
}

/**
 * @param {any} object
 * @param {any} port
 * @param {{ id: number, method: string, args: any[] }} question
 */
async function answer(object, port, { id, method, args }) {
  /** @type {Set<ArrayBuffer>} */
  const moved = new Set();
  try {
    if (method === "constructor" || typeof object[method] !== "function") {
      throw new CaromError("argument", `there is no method ${method}`);
    }
    const result = packed(await object[method](...unpacked(args)), moved);
    port.postMessage({ id, result }, [...moved]);
  } catch (error) {
    const { status = "unknown", message } = /** @type {any} */ (error);
    port.postMessage({ id, error: { status, message } });
  }
}

/** What a worker serves by itself: the engine, with objects that stay here and are named by handles. */
export class Desk {
  constructor() {
    /** @type {Map<number, any>} */
    this.objects = new Map();
    this.made = 0;
  }

  /** Loads the engine; options as of load(). Gives what info() says. @param {any} [given] */
  async load(given) {
    this.carom = await load(given);
    return this.carom.info();
  }

  /** Makes an object of a class, "Worlds", "Scene", ...: its handle. @param {string} type @param {...any} args */
  make(type, ...args) {
    if (!["Worlds", "Scene", "Replay", "Gas", "Lab", "Search"].includes(type)) {
      throw new CaromError("argument", `there is no class ${type}`);
    }
    return this.kept(new /** @type {any} */ (this.carom)[type](...args.map((item) => this.meant(item))));
  }

  /** Calls a method of an object; an object that it gives is kept, and its handle given. */
  on(/** @type {any} */ handle, /** @type {string} */ method, /** @type {any[]} */ ...args) {
    const object = this.meant(handle);
    if (typeof object[method] !== "function") {
      throw new CaromError("argument", `there is no method ${method}`);
    }
    const found = object[method](...args.map((item) => this.meant(item)));
    return typeof found?.free === "function" ? this.kept(found) : found;
  }

  /** A property of an object. @param {any} handle @param {string} name */
  get(handle, name) {
    return this.meant(handle)[name];
  }

  /** Rollouts from worlds that are here, as of rollout(), with what the best sequences do first. */
  rollout(/** @type {any} */ roots, /** @type {any} */ given = {}) {
    const found = /** @type {any} */ (this.carom).rollout(this.meant(roots), given);
    return { ...found, first_actions: found.first_actions(given.player ?? 0) };
  }

  /** A solver of carom.toi. @param {string} name @param {...any} args */
  toi(name, ...args) {
    return /** @type {any} */ (this.carom).toi[name](...args);
  }

  /** Frees an object. @param {any} handle */
  free(handle) {
    this.meant(handle).free();
    this.objects.delete(handle[HANDLE]);
  }

  /** @param {any} object */
  kept(object) {
    this.objects.set(++this.made, object);
    return { [HANDLE]: this.made };
  }

  /** The object of a handle; anything else is what it is. @param {any} value */
  meant(value) {
    if (value === null || typeof value !== "object" || !(HANDLE in value)) {
      return value;
    }
    const object = this.objects.get(value[HANDLE]);
    if (!object) {
      throw new CaromError("argument", `there is no object ${value[HANDLE]}`);
    }
    return object;
  }
}

// ---- the page's side ----

/** A worker, asked from a page. When an answer takes too long the worker is ended, and with it all that it holds. */
export class Remote {
  /**
   * @param {any} worker
   * @param {number} [limit] milliseconds
   */
  constructor(worker, limit = LIMIT) {
    this.worker = worker;
    this.limit = limit;
    this.asked = 0;
    /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void, timer: any }>} */
    this.waiting = new Map();
    worker.onmessage = (/** @type {MessageEvent} */ { data }) => this.answered(data);
    worker.onerror = (/** @type {any} */ event) => this.stop(event.message ?? "the worker could not be started");
  }

  /**
   * Starts a worker of this file and loads the engine in it.
   * @param {{ limit?: number, url?: string | URL, simd?: boolean, memory?: number }} [given]
   */
  static async start({ limit = LIMIT, ...loading } = {}) {
    const remote = new Remote(new Worker(new URL("worker.js#serve", import.meta.url), { type: "module" }), limit);
    await remote.call("load", loading);
    return remote;
  }

  /**
   * Calls a method in the worker. Rejects with a CaromError: what the engine says, or "cancelled" after the limit.
   * @param {string} method
   * @param {...any} args
   * @returns {Promise<any>}
   */
  call(method, ...args) {
    return new Promise((resolve, reject) => {
      if (!this.worker) {
        reject(new CaromError("cancelled", "the worker has ended"));
        return;
      }
      const id = ++this.asked;
      const timer = setTimeout(() => this.stop(`no answer within ${this.limit} milliseconds`), this.limit);
      this.waiting.set(id, { resolve, reject, timer });
      this.worker.postMessage({ id, method, args });
    });
  }

  /** @param {{ id: number, result?: any, error?: { status: string, message: string } }} answer */
  answered({ id, result, error }) {
    const waiting = this.waiting.get(id);
    if (!waiting) {
      return;
    }
    this.waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error) {
      waiting.reject(new CaromError(error.status, error.message));
    } else {
      waiting.resolve(unpacked(result));
    }
  }

  /** Ends the worker; what is still asked is rejected. */
  stop(message = "the worker has ended") {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new CaromError("cancelled", message));
    }
    this.waiting.clear();
  }
}

// Started as a worker by Remote.start(), and not imported by one: the engine itself is served.
if (globalThis.location?.href === new URL("#serve", import.meta.url).href && !("document" in globalThis)) {
  serve(new Desk());
}
