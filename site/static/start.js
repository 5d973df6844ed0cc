// SPDX-License-Identifier: MIT
// The start page's live race: Coders Strike Back in place of the page's first picture. The engine runs in a worker, and
// rests while the race is not on the screen. Where it cannot run the picture stays.
import {Remote} from "../carom/worker.js";
import {Film} from "../viewer/film.js";
import {cellsOf, drawGround, drawMoving} from "../viewer/draw.js";

const TICKS = 8; // shown a second
const AHEAD = 8; // ticks that are played before they are shown
const FIRST = 2; // ticks after the start: where nothing moves it does not look live
const MOST = 3000; // ticks of a film; then a new race begins
const LABEL = "A race of four pods, played live in this page. Press to pause it, or to go on.";

const remote = new Remote(new Worker(new URL("../playground/bench_worker.js", import.meta.url), {type: "module"}));
const call = (method, ...args) => remote.call(method, ...args);

const begin = (seed) => call("open", {
  game: "csb", scene: null, seed, worlds: 1, at_end: "reset", options: {}, seats: ["race", "race"],
});

/** Is the page shown in dark colours? Its theme's switch says so, or the system. */
function isDark() {
  const chosen = document.body.dataset.theme ?? "auto";
  return chosen === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}

class Race {
  constructor(film, picture) {
    this.film = film;
    this.time = FIRST;
    this.paused = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.seen = true;
    this.asking = false;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "race";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "button");
    this.canvas.setAttribute("aria-label", LABEL);
    picture.replaceWith(this.canvas);
    this.canvas.onclick = () => this.turn();
    this.canvas.onkeydown = (event) => {
      if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        this.turn();
      }
    };
    new IntersectionObserver(([entry]) => (this.seen = entry.isIntersecting)).observe(this.canvas);
    requestAnimationFrame((now) => this.step(now));
  }

  turn() {
    this.paused = !this.paused;
  }

  /** Requests frames before they are due; after MOST of them another race begins. */
  async ask() {
    this.asking = true;
    if (this.film.frames.length > MOST) {
      this.film = new Film(await begin(this.film.frames.length));
      this.time = 0;
    }
    this.film.add(await call("play", AHEAD, null));
    this.asking = false;
  }

  step(now) {
    const seconds = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    const end = this.film.frames.length - 1;
    if (this.seen && !this.paused) {
      this.time = Math.min(end, this.time + seconds * TICKS);
    }
    if (!this.asking && this.time > end - AHEAD) {
      this.ask();
    }
    if (this.seen) {
      this.draw();
    }
    requestAnimationFrame((next) => this.step(next));
  }

  draw() {
    const {canvas, film} = this;
    const [x0, y0, x1, y1] = film.view;
    const width = canvas.clientWidth;
    const height = Math.round(width * (y1 - y0) / (x1 - x0));
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    this.theme = isDark() ? film.themes.dark : film.themes.light;
    const look = {world: 0, body: -1, grid: 1, zoom: 1, cx: (x0 + x1) / 2, cy: (y0 + y1) / 2,
                  trails: true, marks: true, ghosts: false, instants: false, glow: 0};
    const ctx = canvas.getContext("2d");
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const cells = cellsOf(film, look, width, height);
    drawGround(ctx, film, cells, Math.floor(this.time), this.theme, -1);
    drawMoving(ctx, film, cells, this.time, this.theme, look);
  }
}

const picture = document.querySelector("main img, article img");
if (picture !== null) {
  begin(4).then((told) => {
    const film = new Film(told);
    return call("play", AHEAD, null).then((more) => {
      film.add(more);
      window.race = new Race(film, picture);
    });
  }).catch(() => remote.close());
}
