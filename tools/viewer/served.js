// SPDX-License-Identifier: MIT
// The page of `carom view`: its film stands in the page, or comes from the command's server.
import {openViewer} from "./main.js";

const ALIVE = 10000; // ms between two signs of life
const HIDDEN = 180; // s that a page may be silent which is not seen: browsers let its timers run once a minute

async function askServer(viewer, since, ticks) {
  const {pointer, press} = viewer.state;
  const steering = viewer.film.human && pointer !== null ? `&x=${pointer.x}&y=${pointer.y}&press=${press ? 1 : 0}` : "";
  const answer = await fetch(`more?since=${since}&ticks=${ticks}${steering}`, {method: "POST"}).catch(() => null);
  if (!answer?.ok) {
    throw new Error("the server has gone: what there is can still be watched");
  }
  return answer.json();
}

function stayAlive() {
  let gone = false;
  const live = () => gone || fetch(document.hidden ? `alive?silent=${HIDDEN}` : "alive").catch(() => {});
  setInterval(live, ALIVE);
  document.addEventListener("visibilitychange", live);
  window.addEventListener("pagehide", () => {
    gone = true;
    navigator.sendBeacon("gone");
  });
  window.addEventListener("pageshow", () => {
    gone = false;
  });
}

async function openServed() {
  const here = document.getElementById("film");
  let told;
  try {
    told = here !== null ? JSON.parse(here.textContent) : await (await fetch("film")).json();
  } catch (error) {
    document.getElementById("status").textContent = "there is nothing to be seen: the server does not answer";
    return;
  }
  here?.remove();
  const viewer = openViewer({told, more: (since, ticks) => askServer(viewer, since, ticks)});
  if (here === null) {
    stayAlive();
  }
  window.carom = viewer;
}

openServed();
