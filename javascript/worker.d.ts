// SPDX-License-Identifier: MIT
// The engine in a Worker, as TypeScript sees it; worker.js has the program.

import type { Carom, Loading } from "./carom.js";

/** An object that stays in the worker, named in the page. */
export type Handle = object;

/** Answers questions by the methods of `object`, one after another; they come from `port`, by default the worker's own. */
export function serve(object: object, port?: unknown): void;

/** What a worker serves by itself: the engine, with objects that stay there and are named by handles. */
export class Desk {
  /** Loads the engine: what info() says. */
  load(given?: Loading): Promise<ReturnType<Carom["info"]>>;
  /** Makes an object of a class: "Worlds", "Scene", "Replay", "Gas", "Lab" or "Search". */
  make(type: string, ...args: unknown[]): Handle;
  /** Calls a method of an object; an object that it gives is kept, and its handle given. */
  on(handle: Handle, method: string, ...args: unknown[]): unknown;
  /** A property of an object. */
  get(handle: Handle, name: string): unknown;
  /** Rollouts from worlds that are there, with what the best sequences do first. */
  rollout(roots: Handle, given?: object): unknown;
  /** A solver of Carom.toi. */
  toi(name: string, ...args: unknown[]): unknown;
  /** Frees an object. */
  free(handle: Handle): void;
}

/** A worker, asked from a page. When an answer takes too long the worker is ended, and with it all that it holds. */
export class Remote {
  constructor(worker: unknown, limit?: number);
  /** Starts a worker that serves a Desk, and loads the engine in it. `limit`: milliseconds for an answer; 10,000. */
  static start(given?: Omit<Loading, "bytes"> & { limit?: number }): Promise<Remote>;
  /** Milliseconds that an answer may take. */
  limit: number;
  /**
   * Calls a method of what the worker serves. Rejects with a CaromError: what the engine says, or "cancelled" after the
   * limit.
   */
  call(method: string, ...args: unknown[]): Promise<any>;
  /** Ends the worker; what is still asked is rejected. */
  stop(message?: string): void;
}
