// SPDX-License-Identifier: MIT
// Tells the command's server that the page is still there: it ends when nobody looks any more.

const ALIVE = 10000; // ms between two signs of life
const HIDDEN = 180; // s that a page may be silent which is not seen: browsers let its timers run once a minute

/** @param {string} root the server's address, from the page's */
export function stayAlive(root) {
  let gone = false;
  const live = () => gone || fetch(document.hidden ? `${root}alive?silent=${HIDDEN}` : `${root}alive`).catch(() => {});
  live();
  setInterval(live, ALIVE);
  document.addEventListener("visibilitychange", live);
  window.addEventListener("pagehide", () => {
    gone = true;
    navigator.sendBeacon(`${root}gone`);
  });
  window.addEventListener("pageshow", () => {
    gone = false;
  });
}
