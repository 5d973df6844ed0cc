// SPDX-License-Identifier: MIT
// The page's end of bench_worker.js: calls in their order, with a limit of time.

const PATIENCE = 20000; // ms that a call may take; a scene whose tick takes longer is stopped

export class Client {
  /** @param {() => Worker} start makes a worker */
  constructor(start, patience = PATIENCE) {
    this.start = start;
    this.patience = patience;
    this.waiting = new Map();
    this.count = 0;
    this.worker = null;
    /** Times of calls in the worker, in ms: of the last 600. */
    this.costs = [];
  }

  /**
   * Calls a method of the bench.
   * @param {string} method
   * @param {...any} args
   * @returns {Promise<any>}
   */
  call(method, ...args) {
    if (this.worker === null) {
      this.worker = this.start();
      this.worker.onmessage = ({data}) => this.take(data);
      this.worker.onerror = (event) => this.stop(`The engine cannot run here: ${event.message || "it did not load"}.`);
    }
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      const seconds = this.patience / 1000;
      const timer = setTimeout(() => this.stop(`The engine was stopped: it took more than ${seconds} s.`), this.patience);
      this.waiting.set(id, {resolve, reject, timer});
      this.worker.postMessage({id, method, args});
    });
  }

  take({id, value, error, cost}) {
    const call = this.waiting.get(id);
    if (call === undefined) {
      return; // of a worker that was stopped
    }
    this.waiting.delete(id);
    clearTimeout(call.timer);
    if (error !== undefined) {
      call.reject(Object.assign(new Error(error.message), {name: error.name}));
      return;
    }
    this.costs.push(cost);
    this.costs.splice(0, this.costs.length - 600);
    call.resolve(value);
  }

  /** Ends the worker and all calls; the next call starts another one, which knows nothing of this one's worlds. */
  stop(why) {
    this.worker?.terminate();
    this.worker = null;
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    for (const {reject, timer} of calls) {
      clearTimeout(timer);
      reject(Object.assign(new Error(why), {name: "Stopped"}));
    }
  }
}
