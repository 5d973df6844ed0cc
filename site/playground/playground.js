// SPDX-License-Identifier: MIT
// The playground: the viewer's page with the engine in a Worker behind it. Worlds are chosen, played, changed, forked
// and compared here; nothing leaves the page.
import {Remote} from "../carom/worker.js";
import {stayAlive} from "../viewer/alive.js";
import {openViewer} from "../viewer/main.js";

import {Comparison} from "./compare.js";
import {optionField, slider} from "./fields.js";
import {Hand} from "./hand.js";
import {PARAMETERS, bodyOf, parameterOf, sceneOf, textOf} from "./scene_edit.js";
import {choicesOf, showSeats, usualSeats} from "./seats.js";
import {addressOf, textIn} from "./share.js";
import {Side, showSide} from "./side.js";

const SCENES = ["air_hockey", "arena", "billiards", "four_goals", "gas", "halves", "maze", "penalty", "pins", "round_table",
                "swarm"];
const AHEAD = 4; // frames that are played before they are shown; a human's next one is played when it is due
const TICKS = {csb: 10, fantastic_bits: 10, soccer: 60, stones: 20, fall: 60, scene: 60}; // a second, by default
const PATIENCE = 20000; // ms that the worker may take for an answer
const SPEEDS = [1, 2, 5, 10, 20, 60];

const element = (id) => document.getElementById(id);

let remote = null; // the worker; it is ended when it takes too long
const costs = []; // ms that ticks took in the worker: the last 600
const comparison = new Comparison();

/** The page as its parts see it. */
const bench = {
  viewer: null,
  tool: "look",
  side: null,
  setup: null, // as the worlds were begun
  scenes: [], // {frame, world, scene}: from which frame on a future has which scene
  comparing: false,
  sceneAt, dt, change, showChosen, showSide: drawSide,
};
const hand = new Hand(bench);
let games = {};
let busy = Promise.resolve(); // one call after the other

// ---- calls ----

const say = (text) => (bench.viewer ? bench.viewer.say(text) : (element("status").textContent = text));

/** Calls a method of the bench in the worker. */
async function call(method, ...args) {
  remote ??= new Remote(new Worker(new URL("bench_worker.js", import.meta.url), {type: "module"}), PATIENCE);
  try {
    return await remote.call(method, ...args);
  } catch (error) {
    if (error.status === "cancelled") {
      remote = null; // another one will begin with new worlds
      if (bench.viewer !== null) {
        bench.viewer.film.live = false;
        bench.viewer.setPlaying(false);
      }
      throw new Error(`The engine was stopped: ${error.message}. Begin again with less.`, {cause: error});
    }
    throw error;
  }
}

/** The same function, but what it is refused is said, not thrown. */
const saying = (does) => async (...args) => {
  try {
    await does(...args);
  } catch (error) {
    say(error.message);
  }
};

function exclusive(work) {
  const next = busy.then(work);
  busy = next.catch(() => {});
  return next;
}

/** Frames for the viewer; null: another film is shown by now. */
function more(_, ticks) {
  const {film} = bench.viewer;
  return exclusive(async () => {
    if (bench.viewer.film !== film) {
      return null;
    }
    const orders = bench.side?.take() ?? null;
    if (bench.side !== null) {
      drawSide();
    }
    const {ghosts, world} = bench.viewer.state;
    const told = await call("play", bench.side === null ? ticks : 1, orders, ghosts ? world : null);
    costs.push(...told.costs);
    costs.splice(0, costs.length - 600);
    took(told);
    if (told.full) {
      setTimeout(() => exclusive(async () => showFilm(await call("anew"), 0)).then(() =>
        say("The page was full: ticks before this one are gone.")));
    }
    return told;
  });
}

/** What the page itself keeps of an answer. */
function took(told) {
  bench.scenes.push(...told.scenes);
  for (const result of told.results) {
    showResult(result);
  }
}

function showFilm(told, frame, whole = false) {
  bench.scenes = [];
  took(told);
  if (bench.viewer === null) {
    bench.viewer = openViewer({
      told, more, hand, seen: showFrame, get ahead() { return bench.side === null ? AHEAD : 1; },
      get keys() { return keysNow(); },
      over: (ctx, cells, _time, theme) => {
        hand.draw(ctx, cells, theme);
        drawDifference(ctx, cells, theme);
      },
    });
  } else {
    bench.viewer.showFilm(told, frame, whole);
  }
  drawSide();
}

/**
 * Changes something at the frame that is shown; a new future begins there.
 * @param {string} method of the bench
 * @param {...any} args
 */
function change(method, ...args) {
  return exclusive(async () => {
    const {viewer} = bench;
    const frame = viewer.frame;
    try {
      const answer = await call(method, frame, ...args);
      taken(answer, frame);
    } catch (error) {
      forgetAfter(frame);
      say(error.message);
    }
  });
}

function forgetAfter(frame) {
  bench.viewer.film.cut(frame + 1);
  bench.scenes = bench.scenes.filter((entry) => entry.frame <= frame);
  comparison.cut(frame + 1);
  bench.viewer.state.position = Math.min(bench.viewer.state.position, frame);
  bench.viewer.redraw();
}

/** The page after a change: the frame is reported again, or a film begins. */
function taken(answer, frame) {
  if (answer.film !== undefined) {
    showFilm(answer.film, 0);
  } else {
    const {film} = bench.viewer;
    film.cut(frame);
    film.live = true;
    bench.scenes = bench.scenes.filter((entry) => entry.frame < frame);
    comparison.cut(frame);
    film.add(answer.told);
    took(answer.told);
    bench.viewer.state.position = film.frames.length - 1;
    bench.viewer.changed();
  }
  element("verdict").hidden = true;
  element("digest").textContent = "";
  showParameters();
  showText();
}

// ---- beginning ----

function chosenSetup() {
  const what = element("what").value;
  return {what, seed: Number(element("seed").value) || 0, worlds: Number(element("count").value),
          seats: [...element("seats").querySelectorAll("select")].map((list) => list.value)};
}

/** The scene of the list's entry "file": a file, text, or the address. */
let ownScene = null;

async function sceneNamed(name) {
  if (name === "file") {
    return ownScene;
  }
  return fileAt(`scenes/${name}.json`, `the scene ${name}`);
}

async function fileAt(address, what) {
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(`Missing: ${what} (${answer.status}).`);
  }
  return answer.text();
}

/** What is said of a scene as of a game: its players, and who may play them. */
function gameOfScene(text) {
  const bodies = sceneOf(text).bodies.map((_, k) => bodyOf(sceneOf(text), k));
  const players = 1 + Math.max(0, ...bodies.map((body) => body.player ?? 0));
  return {name: "scene", players, policies: ["still", "random"], options: {}};
}

async function begin({seats = null, seed = null, options = {}} = {}) {
  const chosen = chosenSetup();
  const [kind, name] = chosen.what.split(" ");
  try {
    const scene = kind === "scene" ? await sceneNamed(name) : null;
    const game = scene === null ? games[name] : gameOfScene(scene);
    let who = seats ?? chosen.seats;
    if (who.length !== game.players || !who.every((seat) => choicesOf(game).some(([value]) => value === seat))) {
      who = usualSeats(game);
    }
    const human = who.includes("human");
    const worlds = human ? 1 : chosen.worlds;
    const setup = {game: scene === null ? name : "scene", scene, seed: seed ?? chosen.seed, worlds, seats: who,
                   at_end: human || scene !== null ? "freeze" : "reset", options};
    showSeats(element("seats"), game, who, changeSeats);
    element("seed").value = String(setup.seed);
    await exclusive(async () => {
      const told = await call("open", setup);
      costs.length = 0;
      bench.setup = {...setup, scene: scene === null ? null : sceneOf(scene)};
      bench.options = {...options};
      bench.comparing = false;
      element("comparison").hidden = true;
      element("verdict").hidden = true;
      makeSide(told, who);
      showFilm(told, 0, true);
      bench.viewer.setGrid(worlds);
      element("grid").value = String(worlds);
      setSpeed(TICKS[setup.game]);
      setTool(bench.side !== null ? "steer" : bench.tool === "steer" ? "look" : bench.tool);
      showParameters();
      showText();
      say("Everything runs in this page; nothing leaves it.");
      bench.viewer.setPlaying(true);
    });
  } catch (error) {
    say(error.message);
  }
}

function setSpeed(ticks) {
  element("speed").value = String(SPEEDS.includes(ticks) ? ticks : 10);
  element("speed").dispatchEvent(new Event("change"));
}

function makeSide(told, seats) {
  // The film that is about to be shown is not there yet: its first bodies are in its head.
  bench.pending = seats.includes("human") ? {...bench.setup, seats} : null;
  bench.side = null;
  if (bench.pending === null) {
    element("side").hidden = true;
  }
}

function drawSide() {
  if (bench.pending) {
    bench.side = new Side(bench.pending, bench.viewer.film, () => bench.viewer.state.body);
    bench.pending = null;
  }
  element("side").hidden = bench.side === null;
  if (bench.side !== null) {
    showSide(element("units"), element("side-help"), bench.side, () => {
      drawSide();
      bench.viewer.redraw();
    });
  }
}

/** Others play on from here. */
function changeSeats(seats) {
  if (seats.includes("human") || bench.side !== null) {
    begin({seats}); // a human's game begins again
    return;
  }
  bench.setup = {...bench.setup, seats};
  change("seats", bench.viewer.state.world, seats);
}

// ---- what the side bar shows ----

function sceneAt(world) {
  const frame = bench.viewer.frame;
  const until = bench.scenes.filter((entry) => entry.frame <= frame && entry.world <= world);
  const owner = Math.max(...until.map((entry) => entry.world));
  return until.filter((entry) => entry.world === owner).pop()?.scene ?? null;
}

function dt() {
  const {film} = bench.viewer;
  return film.dt ?? {soccer: 1 / 60, fall: 0.01}[film.game] ?? sceneAt(0)?.dt ?? 1;
}

function showChosen() {
  element("remove").disabled = hand.chosen === null && sceneAt(bench.viewer.state.world) === null;
}

/** Another frame is shown. */
function showFrame(frame) {
  const {viewer} = bench;
  const {world, body} = viewer.state;
  const place = viewer.film.body(frame, world, body);
  for (const name of ["x", "y", "vx", "vy"]) {
    const field = element("place").elements[name];
    if (document.activeElement !== field) {
      field.value = Number.isNaN(place[name]) ? "" : String(place[name]);
    }
  }
  if (bench.comparing) {
    showDifference();
  }
  const scene = sceneAt(world) !== null;
  for (const name of ["edit", "body", "wall", "polygon"]) {
    document.querySelector(`[data-tool=${name}]`).hidden = !scene;
  }
  document.querySelector("[data-tool=steer]").hidden = bench.side === null;
  element("remove").hidden = !scene;
  element("save").hidden = element("link").hidden = !scene;
  element("text-section").hidden = !scene;
}

function showDifference() {
  const {film} = bench.viewer;
  const found = comparison.of(film);
  element("to-difference").disabled = found === null;
  element("difference").textContent = found === null ? "No difference so far."
    : `First difference: tick ${film.first + found.frame}, ${found.body < 0 ? "no body, but the state" : film.bodyName(found.body, 0)}.`;
}

function drawDifference(ctx, cells, theme) {
  const found = bench.comparing ? comparison.found : null;
  if (found === null || found.body < 0 || bench.viewer.frame < found.frame) {
    return;
  }
  for (const cell of cells) {
    const body = bench.viewer.film.body(found.frame, cell.world, found.body);
    if (body.there) {
      ctx.save();
      ctx.strokeStyle = theme.impact;
      ctx.setLineDash([4, 4]);
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.arc(cell.mx + (body.x - cell.cx) * cell.scale, cell.my + cell.sign * (body.y - cell.cy) * cell.scale,
              Math.max(8, body.radius * cell.scale * 1.5), 0, 2 * Math.PI);
      ctx.stroke();
      ctx.restore();
    }
  }
}

function showResult({world, winner, score, ticks}) {
  if (bench.side === null || world !== 0) {
    return;
  }
  const {player} = bench.side;
  const other = winner < 0 ? "Nobody wins" : winner === player ? "You win" : `Player ${winner + 1} wins`;
  const scores = score.length > 1 ? `, ${score.join(" : ")}` : "";
  element("verdict-text").textContent = `${other}${scores}, after ${ticks} ticks.`;
  element("verdict").hidden = false;
}

// ---- parameters ----

/** Parameters of the world that is selected. */
function showParameters() {
  const into = element("sliders");
  into.replaceChildren();
  const world = () => bench.viewer.state.world;
  const scene = sceneAt(world());
  if (scene !== null) {
    for (const {name, label, least, most, step} of PARAMETERS) {
      const made = slider(label, {least, most, step, value: parameterOf(scene, name)},
                          (value) => change("edit", world(), "changed", name, value));
      made.querySelectorAll("input").forEach((field) => { field.dataset.parameter = name; });
      into.append(made);
    }
    return;
  }
  const {options} = games[bench.setup.game];
  for (const [name, option] of Object.entries(options)) {
    if (["count", "flag", "number", "choice"].includes(option.type)) {
      into.append(optionField(name, option, bench.options[name] ?? option.default, (value) => {
        bench.options[name] = value;
        change("option", world(), name, value);
      }));
    }
  }
}

// ---- scenes as text ----

function showText() {
  const scene = sceneAt(bench.viewer.state.world);
  if (scene !== null && document.activeElement !== element("text")) {
    element("text").value = textOf(scene);
  }
}

/** The scene as it is at the frame that is shown. */
async function standing() {
  const {viewer} = bench;
  const frame = viewer.frame;
  if (frame < viewer.film.frames.length - 1) {
    await exclusive(() => call("cut", frame));
    forgetAfter(frame);
  }
  return exclusive(() => call("text", viewer.state.world));
}

async function save() {
  const text = await standing();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  link.download = "scene.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function share() {
  const hash = await addressOf(await standing());
  history.replaceState(null, "", hash);
  try {
    await navigator.clipboard.writeText(location.href);
    say("The address with the scene is in the clipboard.");
  } catch {
    say("The scene is in the page's address.");
  }
}

async function useScene(text, name) {
  sceneOf(text);
  ownScene = text;
  const list = element("what");
  [...list.options].filter((option) => option.value === "scene file").forEach((option) => option.remove());
  list.add(new Option(name, "scene file"));
  list.value = "scene file";
  element("count").value = "1";
  await begin();
}

// ---- tools ----

function setTool(tool) {
  bench.tool = tool;
  hand.chosen = null;
  document.querySelectorAll("[data-tool]").forEach((button) =>
    button.setAttribute("aria-pressed", String(button.dataset.tool === tool)));
  element("stage").className = `tool-${tool}`;
  bench.viewer?.redraw();
}

async function fork() {
  const {viewer} = bench;
  if (bench.comparing) {
    say("Two futures are compared already: keep one of them first.");
    return;
  }
  await exclusive(async () => {
    const told = await call("fork", viewer.frame, viewer.state.world);
    bench.comparing = true;
    showFilm(told, 0, false);
    viewer.setGrid(2);
    viewer.show(1, viewer.state.body);
    viewer.setPlaying(false);
    element("comparison").hidden = false;
    showSeats(element("future-seats"), {...games[bench.setup.game] ?? gameOfScene(textOf(bench.setup.scene))},
              bench.setup.seats, (seats) => change("seats", viewer.state.world, seats));
    say("Two futures, the same so far: change the selected one, and play.");
  });
}

async function keep(world) {
  const {viewer} = bench;
  await exclusive(async () => {
    const told = await call("only", viewer.frame, world);
    bench.comparing = false;
    element("comparison").hidden = true;
    showFilm(told, 0, false);
    viewer.setGrid(1);
    viewer.show(0, viewer.state.body);
    showParameters();
  });
}

function remove() {
  const {viewer} = bench;
  const found = hand.chosen ?? {kind: "body", index: viewer.state.body, part: 0};
  hand.chosen = null;
  change("edit", viewer.state.world, "removed", found);
}

const undo = saying(() => exclusive(async () => {
  const answer = await call("undo");
  if (answer === null) {
    say("There is nothing to undo.");
  } else {
    taken(answer, answer.told?.from ?? 0);
  }
}));

function playOnFromHere() {
  const {viewer} = bench;
  return exclusive(async () => {
    const frame = viewer.frame;
    await call("cut", frame);
    forgetAfter(frame);
    viewer.film.live = true;
    viewer.setPlaying(true);
  });
}

const TOOL_KEYS = {l: "look", p: "steer", m: "move", v: "throw", e: "edit", b: "body"};

function keysNow() {
  const tools = Object.fromEntries(Object.entries(TOOL_KEYS).map(([key, tool]) => [key, () => {
    if (!document.querySelector(`[data-tool=${tool}]`).hidden) {
      setTool(tool);
    }
  }]));
  const side = bench.side !== null && bench.tool === "steer" ? bench.side.keys(bench.viewer.film, () => {
    drawSide();
    bench.viewer.redraw();
  }) : {};
  return {...tools, u: undo, r: saying(playOnFromHere), c: saying(fork), Delete: remove, ...side};
}

function setUp() {
  const click = (id, does) => element(id).addEventListener("click", saying(does));
  document.querySelectorAll("[data-tool]").forEach((button) =>
    button.addEventListener("click", () => setTool(button.dataset.tool)));
  click("begin", () => begin());
  click("rematch", () => begin(
    {seats: bench.setup.seats, seed: bench.setup.seed + 1, options: bench.options}));
  click("open", () => element("file").click());
  click("save", save);
  click("link", share);
  click("remove", remove);
  click("undo", undo);
  click("here", playOnFromHere);
  click("fork", fork);
  click("keep-0", () => keep(0));
  click("keep-1", () => keep(1));
  click("to-difference", () => bench.viewer.goTo(comparison.found.frame));
  click("take-text", useOwnText);
  click("count-digest", countDigest);
  element("what").addEventListener("change", () => begin());
  element("count").addEventListener("change", () => begin());
  element("file").addEventListener("change", saying(async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file !== undefined) {
      await useScene(await file.text(), file.name);
    }
  }));
  element("place").addEventListener("submit", (event) => {
    event.preventDefault();
    const place = Object.fromEntries(["x", "y", "vx", "vy"].map((name) =>
      [name, Number(event.target.elements[name].value)]));
    const {world, body} = bench.viewer.state;
    change("put", world, body, place);
  });
  window.addEventListener("hashchange", openAddress);
}

function useOwnText() {
  const text = element("text").value;
  sceneOf(text);
  return change("scene", bench.viewer.state.world, text);
}

async function countDigest() {
  const {viewer} = bench;
  const frame = viewer.frame;
  if (frame < viewer.film.frames.length - 1) {
    await exclusive(() => call("cut", frame));
    forgetAfter(frame);
  }
  element("digest").textContent = await exclusive(() => call("digest", viewer.state.world));
}

/** The scene in the address, or that of `carom view SCENE`; false if there is none. */
async function openAddress() {
  try {
    if (location.hash === "#given") {
      await useScene(await fileAt("../scene", "the scene of carom view"), "scene of carom view");
      return true;
    }
    const text = await textIn(location.hash);
    if (text === null) {
      return false;
    }
    await useScene(text, "scene in the address");
  } catch (error) {
    say(error.message);
    return false;
  }
  return true;
}

async function start() {
  if (new URLSearchParams(location.search).has("served")) {
    stayAlive("../"); // by carom view
  }
  say("Loading the engine…");
  try {
    games = Object.fromEntries((await call("games")).map((game) => [game.name, game]));
  } catch (error) {
    say(error.message);
    return;
  }
  const list = element("what");
  const group = (label, entries) => {
    const made = Object.assign(document.createElement("optgroup"), {label});
    entries.forEach(([value, text]) => made.append(new Option(text, value)));
    list.add(made);
  };
  group("Games", Object.values(games).map(({name, title}) => [`game ${name}`, title]));
  group("Scenes", SCENES.map((name) => [`scene ${name}`, name.replaceAll("_", " ")]));
  setUp();
  if (!await openAddress()) {
    const [name] = location.hash.slice(1).split("&");
    if ([...list.options].some((option) => option.value === `game ${name}`)) {
      list.value = `game ${name}`;
    }
    const refused = location.hash.startsWith("#scene=") ? element("status").textContent : null;
    await begin();
    if (refused !== null) {
      say(refused);
    }
  }
  window.carom = {
    get viewer() { return bench.viewer; },
    get frame() { return bench.viewer.frame; },
    get frames() { return bench.viewer.frames; },
    get costs() { return {main: bench.viewer.costs, worker: costs}; },
    idle: () => busy,
    bench,
  };
}

start();
