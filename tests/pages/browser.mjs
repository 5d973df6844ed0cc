// SPDX-License-Identifier: MIT
// browser.mjs MODULE: runs a module of a page under Node, with the one thing of a page's that it may need: Worker.
import { pathToFileURL } from "node:url";
import { Worker as Thread } from "node:worker_threads";

const WITHIN = `
  const { parentPort, workerData } = require("node:worker_threads");
  globalThis.location = { href: workerData };
  globalThis.postMessage = (message, moved) => parentPort.postMessage(message, moved);
  import(workerData).then(() => parentPort.on("message", (data) => globalThis.onmessage({ data })));
`;

globalThis.Worker = class {
  constructor(url) {
    this.thread = new Thread(WITHIN, { eval: true, workerData: String(url) });
    this.thread.on("message", (data) => this.onmessage({ data }));
    this.thread.on("error", (error) => this.onerror(error));
  }

  postMessage(message, moved) {
    this.thread.postMessage(message, moved);
  }

  terminate() {
    this.thread.terminate();
  }
};

await import(pathToFileURL(process.argv[2]));
process.exit(0); // workers that the page has left running end with it
