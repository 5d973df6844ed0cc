// SPDX-License-Identifier: MIT
// The engine in a Worker: the page calls the bench's methods (bench.js).
import {load} from "../carom/carom.js";
import {serve} from "../carom/worker.js";

import {Bench} from "./bench.js";

const MEMORY = 512 << 20; // bytes that worlds may take

serve(new Bench(await load({memory: MEMORY})));
