// SPDX-License-Identifier: MIT
// The engine for tests of the playground: CAROM_WEB names the folder that has carom.js and its modules, by default where
// the build puts them. Without it the tests skip themselves.
import {existsSync} from "node:fs";
import {resolve} from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

const FOLDER = process.env.CAROM_WEB === undefined
  ? fileURLToPath(new URL("../../../build-web/javascript/dist", import.meta.url)) : resolve(process.env.CAROM_WEB);

export const skip = existsSync(`${FOLDER}/carom.js`) && existsSync(`${FOLDER}/carom.wasm`) ? false
  : "carom.js is not built";

export async function loaded() {
  const {load} = await import(pathToFileURL(`${FOLDER}/carom.js`).href);
  return load();
}
