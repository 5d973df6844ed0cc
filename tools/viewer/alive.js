// SPDX-License-Identifier: MIT
// Tells the command's server that the page is still open; without that the server ends.

const ALIVE = 10000; // ms between two messages
const HIDDEN = 180; // s that a hidden page may be silent: browsers run its timers once a minute

/** @param {string} root the server's address, relative to the page's */
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
