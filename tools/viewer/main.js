// SPDX-License-Identifier: MIT
// The page: drawing, playback and controls. The film comes from a source (served.js: the command's server or the page
// itself; the playground: the engine in the page).
import {Film} from "./film.js";
import {cellsOf, drawChart, drawGround, drawMoving, fromX, fromY, toX, toY} from "./draw.js";
import {IN_TURN, LAST, ghostRows, mostGenerations} from "./ghosts.js";
import {between, impactsAt, nextImpact} from "./motion.js";

const AHEAD = 40; // frames requested in advance
const FINE = 1000; // steps of a tick
const SLOW = 1; // ticks a second: up to this speed, impacts are drawn at their instants
const GLOW = 0.3; // s for which they then stay
const PATIENCE = 2000; // ticks to play in search of the next impact
const FAULTS = ["too many impacts", "not a number", "out of range"];
const ENDS = ["", "decided", "out of time"];
const SAYS = ["", "says", "writes", "referee"]; // by the kind of a note
const MOST_SAID = 2000; // characters shown of a note

const element = (id) => document.getElementById(id);
const ground = element("ground");
const moving = element("moving");

/**
 * The source of a film. Only `told` and `more` are required.
 * @typedef {object} Source
 * @property {object} told the film's head and its first frames, for film.js
 * @property {(since: number, ticks: number) => Promise<object>} more the frames from number `since` on, after playing
 *     `ticks` more; null: not now; rejected: the end
 * @property {number} [ahead] frames requested in advance
 * @property {{press: Function, move: Function, release: Function}} [hand] gets pointer events before the view;
 *     if press(at, event) returns true, the hand has the pointer until its release. at: {x, y} in the units of `world`,
 *     {px, py} on the stage, `scale` pixels a unit
 * @property {(ctx: CanvasRenderingContext2D, cells: object[], time: number, theme: object) => void} [over] draws on
 *     top of everything; time counts frames and may be between two
 * @property {Record<string, () => void>} [keys]
 * @property {(frame: number) => void} [seen] called when another frame is shown
 */
let source = null;
let film = null;
const state = {
  position: 0, // in frames
  playing: false, speed: 10, grid: 1, world: 0, body: 0, zoom: 1, cx: 0, cy: 0, follow: false, trails: true, marks: true,
  ghosts: true, generation: LAST, dark: false,
  asked: null, pointer: null, press: false,
};
let stale = true; // moving things and the panels must be redrawn
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

// The time for which the instant of an impact stays, in ticks.
const glowNow = () => (state.playing ? GLOW * state.speed : 0);

// Are they drawn at their instants? Not if they would disappear at once.
const showsInstants = () => !state.playing || state.speed <= SLOW;

function draw() {
  const frame = frameNow();
  const time = state.position;
  const theme = themeNow();
  if (state.follow) {
    const body = between(film, time, state.world, state.body);
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
    drawGround(groundCtx, film, places, time, theme, state.world);
  }
  movingCtx.clearRect(0, 0, moving.clientWidth, moving.clientHeight);
  drawMoving(movingCtx, film, places, time, theme, {...state, instants: state.marks && showsInstants(), glow: glowNow()});
  source.over?.(movingCtx, places, time, theme);
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

// Enough digits to identify the number.
const number = (value) => (Number.isNaN(value) ? "" : String(value));
const short = (value) => (Number.isNaN(value) ? "" : Number(value.toPrecision(4)).toString());

// Rounded within a tick, where the number is interpolated.
function tellBody(time) {
  const about = film.about[state.body];
  const body = between(film, time, state.world, state.body);
  const told = Number.isInteger(time) ? number : (value) => number(Number(value.toPrecision(7)));
  const rows = [["x", told(body.x)], ["y", told(body.y)], ["vx", told(body.vx)], ["vy", told(body.vy)],
                ["speed", told(Math.hypot(body.vx, body.vy))]];
  if (about.facing) {
    rows.push(["facing", told(body.facing)]);
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
    if (film.name(state.world, p) !== undefined) {
      rows.push([`player ${p}`, film.name(state.world, p)]);
    }
    rows.push([`reward, player ${p}`, number(world.score[p])]);
  }
  const end = world.fault !== 0 ? "by a fault" : ENDS[world.end] || "-";
  rows.push(["energy", number(world.energy)], ["end", end], ["hash", world.hash]);
  fillTable("world-numbers", rows);
  const faults = FAULTS.filter((_, bit) => (world.fault >> bit & 1) !== 0);
  element("fault").hidden = faults.length === 0;
  element("fault").textContent = `FAULT: ${faults.join(", ")}`;
}

// For the current tick, or the one that has just ended.
function tellImpacts(time) {
  const tick = Math.min(Math.ceil(time - 1e-9), film.frames.length - 1);
  const rows = film.impacts(tick, state.world, 50);
  fillTable("impacts", rows.map((i) => [
    short(i.time), film.bodyName(i.body, i.first), film.bodyName(i.other, i.second),
    Number.isNaN(i.nx) ? "" : `${short(i.nx)}, ${short(i.ny)}`, short(i.impulse)]));
}

// Notes of the same tick.
function tellSaid(time) {
  const tick = Math.min(Math.ceil(time - 1e-9), film.frames.length - 1);
  const rows = film.said(tick, state.world).map(([player, kind, text]) => [
    `player ${player} ${SAYS[kind]}`, text.length > MOST_SAID ? `${text.slice(0, MOST_SAID)} ...` : text]);
  element("at-said").hidden = rows.length === 0;
  fillTable("said", rows);
}

function tellSearch(time) {
  const rows = ghostRows(film, time, state.world, state.generation);
  element("at-search").hidden = rows.length === 0;
  fillTable("search", rows);
}

const vector = ([x, y]) => `${short(x)}, ${short(y)}`;

// The impacts that are drawn at their instants.
function tellInstant(time) {
  const found = showsInstants() ? impactsAt(film, time, state.world, glowNow()).slice(0, 10) : [];
  const rows = [];
  for (const impact of found) {
    const names = [film.bodyName(impact.body, impact.first), film.bodyName(impact.other, impact.second)];
    rows.push(["impact", names.join(" and ")], ["time", short(impact.time)], ["place", vector([impact.x, impact.y])]);
    if (!Number.isNaN(impact.nx)) {
      rows.push(["normal", vector([impact.nx, impact.ny])], ["impulse", short(impact.impulse)]);
    }
    [impact.body, impact.other].forEach((body, side) => {
      if (body >= 0 && !Number.isNaN(impact.before[side][0])) {
        rows.push([`${names[side]} before`, vector(impact.before[side])],
                  [`${names[side]} after`, vector(impact.after[side])]);
      }
    });
  }
  element("at-instant").hidden = rows.length === 0;
  fillTable("instant", rows);
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

let slowlyAt = 0;

function tell(now) {
  const frame = frameNow();
  const time = state.playing && state.speed > SLOW ? frame : state.position;
  const key = [time, state.world, state.body, state.dark, state.generation, state.playing, film.frames.length,
               moving.clientWidth].join();
  if (key === panelKey) {
    return;
  }
  panelKey = key;
  source.seen?.(frame);
  const world = film.state(frame, state.world);
  element("scrub").max = film.frames.length - 1;
  element("scrub").value = frame;
  element("scrub").setAttribute("aria-valuetext", `tick ${film.first + frame}`);
  element("tick").textContent = Number.isInteger(time) ? String(film.first + time) : (film.first + time).toFixed(3);
  tellBody(time);
  tellWorld(frame, world);
  tellInstant(time);
  tellSaid(time);
  tellSearch(time);
  if (!state.playing || now - slowlyAt > 250) { // slow updates, four times a second
    slowlyAt = now;
    tellImpacts(time);
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

// In thousandths of a tick.
function stepFine(way) {
  const steps = state.position * FINE;
  const time = (way > 0 ? Math.floor(steps + 1e-6) + 1 : Math.ceil(steps - 1e-6) - 1) / FINE;
  setPlaying(false);
  state.position = Math.max(0, Math.min(film.frames.length - 1, time));
}

// To the next impact of the selected world, or back to the last one; a live film is played on to find it.
async function toImpact(way) {
  setPlaying(false);
  const from = state.position;
  const end = film.frames.length + PATIENCE;
  let time = nextImpact(film, from, state.world, way);
  while (time === Infinity && film.live && !film.human && !film.whole && film.frames.length < end) {
    await ask(AHEAD);
    time = nextImpact(film, from, state.world, way);
  }
  if (Number.isFinite(time)) {
    state.position = time;
  } else {
    say(`world ${state.world} has no ${way > 0 ? "later" : "earlier"} impact among these ticks`);
  }
  stale = true;
}

function changeSpeed(by) {
  const list = element("speed");
  list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + by));
  state.speed = Number(list.value);
}

function changeGeneration(by) {
  const list = element("generation");
  list.selectedIndex = (list.selectedIndex + by + list.options.length) % list.options.length;
  list.dispatchEvent(new Event("change"));
}

// One request at a time: other callers wait for its answer.
function ask(ticks) {
  if (state.asked === null && film.live && !film.whole) {
    state.asked = fetchMore(ticks).finally(() => { state.asked = null; });
  }
  return state.asked ?? Promise.resolve();
}

async function fetchMore(ticks) {
  const asked = film;
  try {
    const told = await source.more(film.frames.length, ticks);
    if (told === null || asked !== film) {
      return; // another film is shown now
    }
    const begin = performance.now();
    film.add(told);
    if (told.ghosts?.length > 0) {
      listGenerations(told.ghosts[0].frame);
    }
    spent += performance.now() - begin;
    if (film.full) {
      sayFull();
    }
    stale = true;
  } catch (error) {
    if (asked === film) {
      film.live = false;
      say(error.message);
    }
  }
}

let before = 0;
let spent = 0; // ms spent on new frames since the last picture
const costs = []; // ms of the last 600 pictures, including their new frames

function onTime(time) {
  const begin = performance.now();
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
    } else if (film.live && state.position > last - (source.ahead ?? AHEAD)) {
      ask(Math.ceil((source.ahead ?? AHEAD) / 2));
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
    costs.push(performance.now() - begin + spent);
    costs.splice(0, costs.length - 600);
    spent = 0;
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

// Zooms around a point of the stage.
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

// The body nearest to a point, if it is close enough.
function pick(px, py) {
  const cell = cellAt(px, py);
  if (cell === undefined) {
    return;
  }
  let best = -1;
  let nearest = Infinity;
  for (let k = 0; k < film.bodies; k++) {
    const body = between(film, state.position, cell.world, k);
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
  let held = null; // the pointer held by the source's hand
  const of = (at) => {
    const cell = cellAt(at.x, at.y);
    return cell && {x: fromX(cell, at.x), y: fromY(cell, at.y), px: at.x, py: at.y, world: cell.world, scale: cell.scale,
                    sign: cell.sign};
  };
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
    const at = of(place(event));
    if (held === null && down.size === 0 && at !== undefined && source.hand?.press(at, event)) {
      held = event.pointerId;
      stale = true;
      return;
    }
    down.set(event.pointerId, place(event));
    moved = 0;
    state.press = true;
    steer(place(event));
  });
  moving.addEventListener("pointermove", (event) => {
    const now = place(event);
    if (source.hand !== undefined && (held === null || held === event.pointerId)) {
      const at = of(now);
      if (at !== undefined) {
        source.hand.move(at, event);
        stale ||= held !== null;
      }
      if (held !== null) {
        return;
      }
    }
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
    if (held === event.pointerId) {
      held = null;
      source.hand.release(of(place(event)), event);
      stale = true;
      return;
    }
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
  ".": () => stepFine(1),
  ",": () => stepFine(-1),
  x: () => toImpact(1),
  X: () => toImpact(-1),
  "[": () => changeSpeed(-1),
  "]": () => changeSpeed(1),
  Home: () => goTo(0),
  End: () => goTo(film.frames.length - 1),
  "+": () => zoomBy(1.25),
  "=": () => zoomBy(1.25),
  "-": () => zoomBy(0.8),
  0: () => fit(),
  h: () => changeGeneration(1),
  H: () => changeGeneration(-1),
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
  click("next", () => toImpact(1));
  click("previous", () => toImpact(-1));
  click("in", () => zoomBy(1.25));
  click("out", () => zoomBy(0.8));
  click("fit", fit);
  click("theme", () => setDark(!state.dark));
  element("scrub").addEventListener("input", (event) => goTo(Number(event.target.value)));
  element("speed").addEventListener("change", (event) => { state.speed = Number(event.target.value); });
  element("grid").addEventListener("change", (event) => setGrid(Number(event.target.value)));
  element("generation").addEventListener("change", (event) => {
    const value = event.target.value;
    state.generation = value === LAST || value === IN_TURN ? value : Number(value);
    stale = true;
  });
  element("world").addEventListener("change", (event) => show(Number(event.target.value) || 0, state.body));
  element("body").addEventListener("change", (event) => show(state.world, Number(event.target.value)));
  for (const name of ["follow", "trails", "marks", "ghosts"]) {
    element(name).addEventListener("change", (event) => {
      state[name] = event.target.checked;
      stale = true;
    });
  }
  document.addEventListener("keydown", (event) => {
    const field = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target.type !== "checkbox";
    const button = event.target.tagName === "BUTTON" && event.key === " ";
    const does = field || button || event.ctrlKey || event.metaKey || event.altKey ? undefined
      : source.keys?.[event.key] ?? (Object.hasOwn(keys, event.key) ? keys[event.key] : undefined);
    if (does !== undefined) {
      event.preventDefault();
      does();
    }
  });
  new ResizeObserver(() => { stale = true; }).observe(element("stage"));
}

// Adds choices for the generations in frames from one on.
function listGenerations(from) {
  const list = element("generation");
  const known = list.options.length - 2;
  const generations = Math.max(known, mostGenerations(film, from));
  for (let k = known + 1; k <= generations; k++) {
    list.add(new Option(String(k)));
  }
  list.parentElement.hidden = generations < 2;
  if (film.frames.slice(from).some((frame) => frame.ghosts.length > 0)) {
    element("ghosts").parentElement.hidden = false;
  }
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
  element("ghosts").parentElement.hidden = true;
  element("generation").replaceChildren(new Option("the last", LAST), new Option("in turn", IN_TURN));
  state.generation = LAST;
  listGenerations(0);
  say(film.human ? "you steer player 0: point; press to shield or to throw"
    : film.live ? `${film.source}, live` : `${film.source}, ${film.frames.length - 1} ticks`);
  if (film.full) {
    sayFull();
  }
}

// Shows another film in the same page, from a frame on; `whole`: with other worlds, resetting the view.
function showFilm(told, frame, whole) {
  film = new Film(told);
  groundKey = panelKey = "";
  element("body").replaceChildren();
  setUpLists();
  if (whole) {
    costs.length = 0;
    fit();
  }
  show(state.world, state.body);
  state.position = Math.min(frame, film.frames.length - 1);
  stale = true;
}

/**
 * Shows the film of a source; call it once in a page. The result is for programs that inspect the page, and for its
 * source.
 * @param {Source} from
 */
export function openViewer(from) {
  source = from;
  film = new Film(source.told);
  setUpLists();
  setUpControls();
  setUpPointers();
  fit();
  setDark(window.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false);
  show(0, 0);
  setPlaying(film.live || film.human);
  requestAnimationFrame(onTime);
  return {
    get frame() { return frameNow(); },
    get time() { return state.position; },
    between: (time, world, body) => between(film, time, world, body),
    get frames() { return film.frames.length; },
    get rate() { return rate.value; },
    get view() { return {zoom: state.zoom, cx: state.cx, cy: state.cy}; },
    get film() { return film; },
    get state() { return state; },
    get costs() { return costs; },
    redraw: () => { stale = true; },
    changed: () => { groundKey = panelKey = ""; stale = true; }, // another film
    goTo, say, setGrid, setPlaying, show, showFilm,
  };
}
