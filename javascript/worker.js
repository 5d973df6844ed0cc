// SPDX-License-Identifier: MIT
// The engine in a Worker, so that long calls do not freeze a page: requests and answers, with time limits.
//
// In the page:
//     import { Remote } from "./worker.js";
//     const remote = await Remote.start({ limit: 5000, memory: 256 << 20 });
//     const worlds = await remote.call("make", "Worlds", "csb", 64, { seed: 1 });
//     const played = await remote.call("on", worlds, "play", 100, { events: 16 });
//     await remote.call("free", worlds);
//
// To run your own code next to the engine, write a worker module that imports this one and calls serve(object): the
// page can then call that object's methods by name.
//
// A request is { id, method, args }, its answer { id, result } or { id, error: { status, message } }. Typed arrays in a
// result are transferred, not copied, and keep their shape.

import { CaromError, load } from "./carom.js";

const LIMIT = 10000; // default limit of an answer, in milliseconds

// ---- messages ----

/** Keys of an array that is sent with its shape, and of an object that stays in the worker. */
const ARRAY = "$array";
const HANDLE = "$handle";

/**
 * A result in the form of a message; adds the buffers to transfer to `moved`.
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

/** An array with its own buffer; copies one over the engine's memory or in a shared buffer. */
function whole(/** @type {any} */ array) {
  return array.byteLength === array.buffer.byteLength ? array : array.slice();
}

/**
 * The value of a message.
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
 * Answers requests by calling methods of `object`, one after another.
 * @param {any} object
 * @param {any} [port] the port of the requests; the worker's own by default
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

/** The default service of a worker: the engine, with objects that stay here and have handles. */
export class Desk {
  constructor() {
    /** @type {Map<number, any>} */
    this.objects = new Map();
    this.made = 0;
  }

  /** Loads the engine; options as for load(). Returns its info(). @param {any} [given] */
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

  /** Calls a method of an object; if the result is an object, it is kept and its handle returned. */
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

  /** Rollouts from worlds in the worker, as rollout(), with the first actions of the best sequences. */
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

  /** The object of a handle; other values are returned unchanged. @param {any} value */
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

/** A worker, for use by a page. If an answer takes too long, the worker is ended, with everything that it holds. */
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
   * Calls a method in the worker. Rejects with a CaromError: the engine's, or "cancelled" after the limit.
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

  /** Ends the worker; pending calls are rejected. */
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

// If started as a worker by Remote.start(), rather than imported by one, serves the engine itself.
if (globalThis.location?.href === new URL("#serve", import.meta.url).href && !("document" in globalThis)) {
  serve(new Desk());
}
