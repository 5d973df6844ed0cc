// SPDX-License-Identifier: MIT
// The engine in a Worker: the page calls the bench's methods (bench.js), which wait here until the engine is loaded.
import {load} from "../carom/carom.js";
import {serve} from "../carom/worker.js";

import {Bench} from "./bench.js";

const MEMORY = 512 << 20; // bytes that worlds may take

const bench = load({memory: MEMORY}).then((carom) => new Bench(carom));
const methods = Object.entries(Object.getOwnPropertyDescriptors(Bench.prototype))
  .filter(([name, {value}]) => name !== "constructor" && typeof value === "function")
  .map(([name]) => [name, async (...args) => (await bench)[name](...args)]);

serve(Object.fromEntries(methods));
