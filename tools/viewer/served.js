// SPDX-License-Identifier: MIT
// The page of `carom view`: its film is part of the page, or comes from the command's server.
import {stayAlive} from "./alive.js";
import {openViewer} from "./main.js";

async function askServer(viewer, since, ticks) {
  const {pointer, press} = viewer.state;
  const steering = viewer.film.human && pointer !== null ? `&x=${pointer.x}&y=${pointer.y}&press=${press ? 1 : 0}` : "";
  const answer = await fetch(`more?since=${since}&ticks=${ticks}${steering}`, {method: "POST"}).catch(() => null);
  if (!answer?.ok) {
    throw new Error("the server has ended: you can still watch what is here");
  }
  return answer.json();
}

// Offers the playground, if its engine has the game.
function linkPlayground({game, source}) {
  if (game === "scene" && !source.endsWith(".json")) {
    return;
  }
  const link = document.createElement("a");
  link.href = `playground/?served#${game === "scene" ? "given" : game}`;
  link.textContent = "Playground";
  document.querySelector("header").append(link);
}

async function openServed() {
  const here = document.getElementById("film");
  let told;
  try {
    told = here !== null ? JSON.parse(here.textContent) : await (await fetch("film")).json();
  } catch (error) {
    document.getElementById("status").textContent = "nothing to show: the server does not answer";
    return;
  }
  here?.remove();
  const viewer = openViewer({told, more: (since, ticks) => askServer(viewer, since, ticks)});
  if (here === null) {
    stayAlive("");
    if (told.live) {
      linkPlayground(told);
    }
  }
  window.carom = viewer;
}

openServed();
