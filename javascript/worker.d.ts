// SPDX-License-Identifier: MIT
// TypeScript declarations of the engine in a Worker; worker.js has the code.

import type { Carom, Loading } from "./carom.js";

/** The handle of an object that stays in the worker. */
export type Handle = object;

/** Answers requests from `port`, by default the worker's own, by calling methods of `object`, one after another. */
export function serve(object: object, port?: unknown): void;

/** The default service of a worker: the engine, with objects that stay there and have handles. */
export class Desk {
  /** Loads the engine; returns its info(). */
  load(given?: Loading): Promise<ReturnType<Carom["info"]>>;
  /** Makes an object of a class: "Worlds", "Scene", "Replay", "Gas", "Lab" or "Search". */
  make(type: string, ...args: unknown[]): Handle;
  /** Calls a method of an object; if the result is an object, it is kept and its handle returned. */
  on(handle: Handle, method: string, ...args: unknown[]): unknown;
  /** A property of an object. */
  get(handle: Handle, name: string): unknown;
  /** Rollouts from worlds in the worker, with the first actions of the best sequences. */
  rollout(roots: Handle, given?: object): unknown;
  /** A solver of Carom.toi. */
  toi(name: string, ...args: unknown[]): unknown;
  /** Frees an object. */
  free(handle: Handle): void;
}

/** A worker, for use by a page. If an answer takes too long, the worker is ended, with everything that it holds. */
export class Remote {
  constructor(worker: unknown, limit?: number);
  /** Starts a worker that serves a Desk, and loads the engine in it. `limit`: milliseconds for an answer; 10,000. */
  static start(given?: Omit<Loading, "bytes"> & { limit?: number }): Promise<Remote>;
  /** Milliseconds that an answer may take. */
  limit: number;
  /**
   * Calls a method of the worker's object. Rejects with a CaromError: the engine's, or "cancelled" after the limit.
   */
  call(method: string, ...args: unknown[]): Promise<any>;
  /** Ends the worker; pending calls are rejected. */
  stop(message?: string): void;
}
