// SPDX-License-Identifier: MIT
// The page: what is shown, how it goes on, and what its controls do.
import {Film} from "./film.js";
import {between, cellsOf, drawChart, drawGround, drawMoving, fromX, fromY, toX, toY} from "./draw.js";

const AHEAD = 40; // frames that are asked for before they are needed
const ALIVE = 10000; // ms between two signs of life
const HIDDEN = 180; // s that a page may be silent which is not seen: browsers let its timers run once a minute
const FAULTS = ["too many impacts", "not a number", "out of range"];
const ENDS = ["", "decided", "out of time"];

const element = (id) => document.getElementById(id);
const ground = element("ground");
const moving = element("moving");

let film = null;
const state = {
  position: 0, // in frames
  playing: false, speed: 10, grid: 1, world: 0, body: 0, zoom: 1, cx: 0, cy: 0, follow: false, trails: true, marks: true,
  ghosts: true, dark: false,
  asked: null, pointer: null, press: false,
};
let stale = true; // what moves must be drawn anew, and the panels with it
let groundKey = "";
let panelKey = "";
const rate = {frames: 0, since: 0, value: 0};

const frameNow = () => Math.min(Math.floor(state.position), film.frames.length - 1);
const themeNow = () => film.themes[state.dark ? "dark" : "light"];

// ---- drawing ----

function sizeCanvas(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    groundKey = "";
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

const cells = () => cellsOf(film, state, moving.clientWidth, moving.clientHeight);

function draw() {
  const frame = frameNow();
  const part = state.position - frame;
  const theme = themeNow();
  if (state.follow) {
    const body = between(film, frame, part, state.world, state.body);
    if (body.there) {
      state.cx = body.x;
      state.cy = body.y;
    }
  }
  const groundCtx = sizeCanvas(ground);
  const movingCtx = sizeCanvas(moving);
  const places = cells();
  const key = JSON.stringify([state.cx, state.cy, state.zoom, state.grid, state.world, state.dark, ground.width,
                              ground.height, places.map((c) => film.scenery(frame, c.world)?.frame)]);
  if (key !== groundKey) {
    groundKey = key;
    groundCtx.clearRect(0, 0, ground.clientWidth, ground.clientHeight);
    drawGround(groundCtx, film, places, frame, theme, state.world);
  }
  movingCtx.clearRect(0, 0, moving.clientWidth, moving.clientHeight);
  drawMoving(movingCtx, film, places, frame, part, theme, state);
}

// ---- panels ----

function fillTable(id, rows) {
  const body = element(id).tBodies[0];
  while (body.rows.length > rows.length) {
    body.deleteRow(-1);
  }
  rows.forEach((cellsOfRow, k) => {
    const row = body.rows[k] ?? body.insertRow();
    cellsOfRow.forEach((text, c) => {
      let cell = row.cells[c];
      if (cell === undefined) {
        cell = document.createElement(c === 0 && id !== "impacts" ? "th" : "td");
        if (cell.tagName === "TH") {
          cell.scope = "row";
        }
        row.append(cell);
      }
      if (cell.textContent !== text) {
        cell.textContent = text;
      }
    });
    while (row.cells.length > cellsOfRow.length) {
      row.deleteCell(-1);
    }
  });
}

// As many digits as tell the number from every other.
const number = (value) => (Number.isNaN(value) ? "" : String(value));
const short = (value) => (Number.isNaN(value) ? "" : Number(value.toPrecision(4)).toString());

function tellBody(frame) {
  const about = film.about[state.body];
  const body = film.body(frame, state.world, state.body);
  const rows = [["x", number(body.x)], ["y", number(body.y)], ["vx", number(body.vx)], ["vy", number(body.vy)],
                ["speed", number(Math.hypot(body.vx, body.vy))]];
  if (about.facing) {
    rows.push(["facing", number(body.facing)]);
  }
  rows.push(["radius", number(body.radius)], ["mass", about.mass < 0 ? "fixed" : number(about.mass)]);
  fillTable("body-numbers", body.there ? rows : [["", "not in play"]]);
}

function tellWorld(frame, world) {
  const rows = [["id", world.id], ["tick", number(world.tick)], ["game", number(world.episode)]];
  film.values(frame, state.world).forEach((value, k) => {
    const [name, player] = film.numbers[k];
    rows.push([player < 0 ? name : `${name}, player ${player}`, number(value)]);
  });
  for (let p = 0; p < film.players; p++) {
    rows.push([`reward, player ${p}`, number(world.score[p])]);
  }
  const end = world.fault !== 0 ? "by a fault" : ENDS[world.end] || "-";
  rows.push(["energy", number(world.energy)], ["end", end], ["hash", world.hash]);
  fillTable("world-numbers", rows);
  const faults = FAULTS.filter((_, bit) => (world.fault >> bit & 1) !== 0);
  element("fault").hidden = faults.length === 0;
  element("fault").textContent = `FAULT: ${faults.join(", ")}`;
}

function tellImpacts(frame) {
  const rows = film.frames[frame].impacts.filter((i) => i.world === state.world).slice(0, 50);
  fillTable("impacts", rows.map((i) => [
    short(i.time), film.bodyName(i.body, i.first), film.bodyName(i.other, i.second),
    Number.isNaN(i.nx) ? "" : `${short(i.nx)}, ${short(i.ny)}`, short(i.impulse)]));
}

function tellCharts(frame) {
  const theme = themeNow();
  const count = film.frames.length;
  const line = (of) => Array.from({length: count}, (_, k) => of(k));
  const first = film.styles.indexOf("first");
  const players = Array.from({length: film.players}, (_, p) => theme.style[first + p]);
  const state0 = state.world * film.stateSize;
  drawChart(element("chart-energy"), [line((k) => film.frames[k].states[state0 + 5 + film.players])], frame, [theme.text],
            theme);
  drawChart(element("chart-score"), Array.from({length: film.players}, (_, p) =>
    line((k) => film.frames[k].states[state0 + 5 + p])), frame, players, theme);
  const at = film.at(state.world, state.body);
  drawChart(element("chart-speed"), [line((k) => Math.hypot(film.frames[k].places[at + 2],
                                                            film.frames[k].places[at + 3]))],
            frame, [theme.style[film.about[state.body].style]], theme);
}

let chartsAt = 0;

function tell(time) {
  const frame = frameNow();
  const key = [frame, state.world, state.body, state.dark, film.frames.length, moving.clientWidth].join();
  if (key === panelKey) {
    return;
  }
  panelKey = key;
  const world = film.state(frame, state.world);
  element("scrub").max = film.frames.length - 1;
  element("scrub").value = frame;
  element("scrub").setAttribute("aria-valuetext", `tick ${film.first + frame}`);
  element("tick").textContent = String(film.first + frame);
  tellBody(frame);
  tellWorld(frame, world);
  tellImpacts(frame);
  if (!state.playing || time - chartsAt > 250) { // the long lines, four times a second
    chartsAt = time;
    tellCharts(frame);
  }
}

// ---- time ----

function say(text) {
  element("status").textContent = text;
}

function sayFull() {
  say(`${film.source}, ${film.frames.length - 1} ticks: the page is full. --memory gives it more room; fewer worlds or ` +
      "bodies take less");
}

function setPlaying(playing) {
  if (playing && !canGoOn() && !film.live) {
    state.position = 0;
  }
  state.playing = playing;
  const button = element("play");
  button.textContent = playing ? "‖" : "▶";
  button.setAttribute("aria-label", playing ? "Pause" : "Play");
  stale = true;
}

const canGoOn = () => state.position < film.frames.length - 1;

function goTo(frame) {
  setPlaying(false);
  state.position = Math.max(0, Math.min(film.frames.length - 1, frame));
  if (film.live && !film.human && frame >= film.frames.length) {
    ask(1).then(() => {
      state.position = Math.min(frame, film.frames.length - 1);
      stale = true;
    });
  }
  stale = true;
}

// One question at a time: who asks while there is one waits for its answer.
function ask(ticks) {
  if (state.asked === null && film.live && !film.whole) {
    state.asked = fetchMore(ticks).finally(() => { state.asked = null; });
  }
  return state.asked ?? Promise.resolve();
}

async function fetchMore(ticks) {
  const steering = film.human && state.pointer !== null
    ? `&x=${state.pointer.x}&y=${state.pointer.y}&press=${state.press ? 1 : 0}` : "";
  try {
    const answer = await fetch(`more?since=${film.frames.length}&ticks=${ticks}${steering}`, {method: "POST"});
    if (!answer.ok) {
      throw new Error(String(answer.status));
    }
    film.add(await answer.json());
    if (film.full) {
      sayFull();
    }
    stale = true;
  } catch (error) {
    film.live = false;
    say("the server has gone: what there is can still be watched");
  }
}

let before = 0;

function onTime(time) {
  const seconds = Math.min(0.1, (time - before) / 1000);
  before = time;
  rate.frames++;
  if (time - rate.since > 1000) {
    rate.value = rate.frames * 1000 / (time - rate.since);
    rate.frames = 0;
    rate.since = time;
  }
  if (state.playing) {
    const last = film.frames.length - 1;
    state.position = Math.min(last, state.position + seconds * state.speed);
    if (film.human) {
      if (state.position >= last - 0.5) {
        ask(1);
      }
    } else if (film.live && state.position > last - AHEAD) {
      ask(Math.ceil(AHEAD / 2));
    }
    if (!canGoOn() && (!film.live || film.whole)) {
      setPlaying(false);
    }
    stale = true;
  }
  if (stale) {
    stale = false;
    draw();
    tell(time);
  }
  requestAnimationFrame(onTime);
}

// ---- controls ----

function show(world, body) {
  state.world = Math.max(0, Math.min(film.worlds - 1, world));
  state.body = Math.max(0, Math.min(film.bodies - 1, body));
  element("world").value = state.world;
  element("body").value = state.body;
  stale = true;
}

function fit() {
  const [x0, y0, x1, y1] = film.view;
  state.zoom = 1;
  state.cx = (x0 + x1) / 2;
  state.cy = (y0 + y1) / 2;
  state.follow = element("follow").checked = false;
  stale = true;
}

// Keeps what lies under a point of the stage where it is.
function zoomBy(factor, px, py) {
  const cell = cellAt(px ?? moving.clientWidth / 2, py ?? moving.clientHeight / 2) ?? cells()[0];
  const x = px === undefined ? state.cx : fromX(cell, px);
  const y = py === undefined ? state.cy : fromY(cell, py);
  const zoom = Math.max(0.2, Math.min(200, state.zoom * factor));
  const share = state.zoom / zoom;
  state.cx = x + (state.cx - x) * share;
  state.cy = y + (state.cy - y) * share;
  state.zoom = zoom;
  stale = true;
}

function cellAt(px, py) {
  return cells().find((c) => px >= c.left && px < c.left + c.width && py >= c.top && py < c.top + c.height);
}

function setDark(dark) {
  state.dark = dark;
  document.documentElement.classList.toggle("dark", dark);
  stale = true;
}

function setGrid(grid) {
  state.grid = grid;
  stale = true;
}

// The body nearest to a point, if it is near.
function pick(px, py) {
  const cell = cellAt(px, py);
  if (cell === undefined) {
    return;
  }
  let best = -1;
  let nearest = Infinity;
  for (let k = 0; k < film.bodies; k++) {
    const body = between(film, frameNow(), state.position - frameNow(), cell.world, k);
    const distance = Math.hypot(toX(cell, body.x) - px, toY(cell, body.y) - py) - body.radius * cell.scale;
    if (body.there && distance < nearest) {
      nearest = distance;
      best = k;
    }
  }
  show(cell.world, best >= 0 && nearest < 12 ? best : state.body);
}

function setUpPointers() {
  const down = new Map();
  let moved = 0;
  const place = (event) => {
    const box = moving.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  const steer = (at) => {
    const cell = cellAt(at.x, at.y);
    if (film.human && cell !== undefined) {
      state.pointer = {x: fromX(cell, at.x), y: fromY(cell, at.y)};
    }
  };
  moving.addEventListener("pointerdown", (event) => {
    moving.setPointerCapture(event.pointerId);
    down.set(event.pointerId, place(event));
    moved = 0;
    state.press = true;
    steer(place(event));
  });
  moving.addEventListener("pointermove", (event) => {
    const now = place(event);
    steer(now);
    const last = down.get(event.pointerId);
    if (last === undefined || film.human) {
      return;
    }
    const cell = cells()[0];
    if (down.size === 1) {
      moved += Math.hypot(now.x - last.x, now.y - last.y);
      if (moved > 4) {
        state.cx -= (now.x - last.x) / cell.scale;
        state.cy -= cell.sign * (now.y - last.y) / cell.scale;
        state.follow = element("follow").checked = false;
      }
    } else if (down.size === 2) {
      moved = 100;
      const other = [...down].find(([id]) => id !== event.pointerId)[1];
      const was = Math.hypot(last.x - other.x, last.y - other.y);
      const is = Math.hypot(now.x - other.x, now.y - other.y);
      if (was > 0) {
        zoomBy(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
      }
    }
    down.set(event.pointerId, now);
    stale = true;
  });
  const up = (event) => {
    state.press = false;
    if (down.delete(event.pointerId) && moved <= 4 && event.type === "pointerup" && !film.human) {
      pick(place(event).x, place(event).y);
    }
  };
  moving.addEventListener("pointerup", up);
  moving.addEventListener("pointercancel", up);
  moving.addEventListener("wheel", (event) => {
    event.preventDefault();
    const at = place(event);
    zoomBy(Math.exp(-event.deltaY * 0.0015), at.x, at.y);
  }, {passive: false});
}

const keys = {
  " ": () => setPlaying(!state.playing),
  ArrowLeft: () => goTo(Math.ceil(state.position) - 1),
  ArrowRight: () => goTo(frameNow() + 1),
  Home: () => goTo(0),
  End: () => goTo(film.frames.length - 1),
  "+": () => zoomBy(1.25),
  "=": () => zoomBy(1.25),
  "-": () => zoomBy(0.8),
  0: () => fit(),
  f: () => element("follow").click(),
  t: () => element("trails").click(),
  i: () => element("marks").click(),
  g: () => element("ghosts").click(),
  d: () => setDark(!state.dark),
  n: () => show(state.world, (state.body + 1) % film.bodies),
  w: () => show((state.world + 1) % film.worlds, state.body),
};

function setUpControls() {
  const click = (id, does) => element(id).addEventListener("click", does);
  click("start", () => goTo(0));
  click("back", () => goTo(Math.ceil(state.position) - 1));
  click("play", () => setPlaying(!state.playing));
  click("step", () => goTo(frameNow() + 1));
  click("in", () => zoomBy(1.25));
  click("out", () => zoomBy(0.8));
  click("fit", fit);
  click("theme", () => setDark(!state.dark));
  element("scrub").addEventListener("input", (event) => goTo(Number(event.target.value)));
  element("speed").addEventListener("change", (event) => { state.speed = Number(event.target.value); });
  element("grid").addEventListener("change", (event) => setGrid(Number(event.target.value)));
  element("world").addEventListener("change", (event) => show(Number(event.target.value) || 0, state.body));
  element("body").addEventListener("change", (event) => show(state.world, Number(event.target.value)));
  for (const name of ["follow", "trails", "marks", "ghosts"]) {
    element(name).addEventListener("change", (event) => {
      state[name] = event.target.checked;
      stale = true;
    });
  }
  document.addEventListener("keydown", (event) => {
    const field = ["INPUT", "SELECT"].includes(event.target.tagName) && event.target.type !== "checkbox";
    const button = event.target.tagName === "BUTTON" && event.key === " ";
    if (!field && !button && !event.ctrlKey && !event.metaKey && !event.altKey && Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  new ResizeObserver(() => { stale = true; }).observe(element("stage"));
}

function setUpLists() {
  element("title").textContent = film.title;
  document.title = `${film.title} - Carom`;
  moving.setAttribute("aria-label", `${film.title}: ${film.worlds} worlds of ${film.bodies} bodies`);
  const list = element("body");
  film.about.slice(0, 1000).forEach((about, k) => list.add(new Option(`${about.name} ${about.number}`, String(k))));
  element("world").max = film.worlds - 1;
  for (const option of element("grid").options) {
    option.disabled = Number(option.value) > 1 && Number(option.value) / 4 >= film.worlds;
  }
  element("ghosts").parentElement.hidden = !film.frames.some((f) => f.ghosts.length > 0);
  say(film.human ? "you steer player 0: point; press to shield or to throw"
    : film.live ? `${film.source}, live` : `${film.source}, ${film.frames.length - 1} ticks`);
  if (film.full) {
    sayFull();
  }
}

async function start() {
  const here = element("film");
  let told;
  try {
    told = here !== null ? JSON.parse(here.textContent) : await (await fetch("film")).json();
  } catch (error) {
    say("there is nothing to be seen: the server does not answer");
    return;
  }
  here?.remove();
  film = new Film(told);
  setUpLists();
  setUpControls();
  setUpPointers();
  fit();
  setDark(window.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false);
  show(0, 0);
  if (here === null) {
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
  setPlaying(film.live || film.human);
  // For programs that look at the page.
  window.carom = {
    get frame() { return frameNow(); },
    get frames() { return film.frames.length; },
    get rate() { return rate.value; },
    get view() { return {zoom: state.zoom, cx: state.cx, cy: state.cy}; },
  };
  requestAnimationFrame(onTime);
}

start();
