// SPDX-License-Identifier: MIT
// The engine in a Worker: each message {id, method, args} calls a method of the bench, and is answered by {id, value,
// cost} or {id, error}; cost is the time that it took, in ms. Buffers of films go over without being copied.
import {load} from "../carom/carom.js";

import {Bench} from "./bench.js";
import {buffersOf} from "./film_data.js";

const MEMORY = 512 << 20; // bytes that worlds may take

const bench = load({memory: MEMORY}).then((carom) => new Bench(carom));

self.onmessage = async ({data: {id, method, args}}) => {
  try {
    const here = await bench;
    const begin = performance.now();
    const value = here[method](...args);
    const cost = performance.now() - begin;
    self.postMessage({id, value, cost}, buffersOf(value?.film ?? value?.told ?? value));
  } catch (error) {
    self.postMessage({id, error: {name: error.name, message: error.message}});
  }
};
