// SPDX-License-Identifier: MIT
// A scene in the page's address, behind the #, which browsers keep to themselves: "#scene=" and the JSON text, deflated
// and in the base64 of addresses. What an address holds may come from anyone: it is limited here while it is
// unpacked, and then checked like a file (scene_edit.js, and the engine).
import {LIMITS} from "./scene_edit.js";

const KEY = "#scene=";

async function through(stream, bytes, limit) {
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => {}); // the reader meets the same error
  const reader = stream.readable.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) {
      break;
    }
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new Error(`The scene in the address has more than ${limit} bytes.`);
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * @param {string} text JSON
 * @returns {Promise<string>} what comes behind the address of the page
 */
export async function addressOf(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text), Infinity);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return KEY + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * @param {string} hash of the address
 * @returns {Promise<string | null>} the text of the scene in it; null: there is none
 */
export async function textIn(hash) {
  if (!hash.startsWith(KEY)) {
    return null;
  }
  const code = hash.slice(KEY.length);
  if (code.length > LIMITS.text) {
    throw new Error("The scene in the address is too long.");
  }
  let bytes;
  try {
    bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    throw new Error("The scene in the address is damaged: it is not base64.");
  }
  let plain;
  try {
    plain = await through(new DecompressionStream("deflate-raw"), bytes, LIMITS.text);
  } catch (error) {
    throw error.message.startsWith("The scene") ? error : new Error("The scene in the address is damaged.");
  }
  try {
    return new TextDecoder("utf-8", {fatal: true}).decode(plain);
  } catch {
    throw new Error("The scene in the address is not text.");
  }
}
