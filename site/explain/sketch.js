// SPDX-License-Identifier: MIT
/**
 * The frame that every sketch on these pages lives in: canvas, handles to drag, sliders, readings, animation.
 *
 * A sketch is one plain object; `show(sketch)` puts it into the page's `<figure class="sketch" id="NAME">`. All of a
 * sketch's functions are pure functions of its state, so that the same code runs in the page, in tests under Node, and
 * when still pictures are made (still.mjs):
 *
 *     import { show } from "./sketch.js";
 *
 *     export const sketch = {
 *       name: "overlap",                     // the figure's id, the files' names
 *       view: [0, 0, 16, 9],                 // x0, y0, x1, y1 of the part of the plane that is drawn; y points down
 *       start: { ax: 5, ay: 4, ar: 2 },      // the state: a plain object of numbers, strings, booleans and arrays
 *       handles: (state) => [                // points to drag; they also take arrow keys
 *         { name: "centre of A", x: state.ax, y: state.ay, to: (x, y) => ({ ax: x, ay: y }) },
 *       ],
 *       controls: [                          // sliders, choices, boxes to tick, buttons; `shown` may hide one
 *         { key: "ar", label: "radius of A", min: 0.5, max: 3, step: 0.1, unit: "m" },   // `also`: sets more
 *         { key: "law", label: "law", options: { newton: "Newton", stones: "stones" } },
 *         { key: "grown", label: "show the grown circle", check: true },
 *         { label: "graze", set: { ay: 1 } },             // a button: sets these parts of the state
 *         { label: "measure", run: (state, carom) => ({ ns: ... }) },   // a button: sets what this returns (may be
 *                                                                       // a promise)
 *       ],
 *       numbers: (state, carom) => ({ ... }),   // what the sketch computes with the library; tests compare it
 *       draw(pen, state, numbers) { ... },      // the picture, with a Pen (below)
 *       readings: (state, numbers) => [["distance", "3.61 m"], ...],   // rows of the table below the equation
 *       tell: (state, numbers) => "A and B overlap.",                  // one or two sentences: the picture in words
 *       formula: (state) => state.law,      // optional: only equations with this `data-when` are shown (bounce.md)
 *       tick: (state, seconds, numbers, carom) => ({ time: ... }),     // optional: animation; changes in `seconds`
 *       resting: { playing: false },         // optional, with `tick`: starts paused
 *     };
 *     show(sketch);
 *
 * A handle's `to` returns the parts of the state that change; the point is kept within the view. `radius` (in units of
 * the view) makes the area to grab as large as the body it moves. `state` must survive JSON.
 *
 * The pen draws in units of the view, with widths in pixels and colours by their roles (COLOURS): "ink" what is there,
 * "faint" what helps, "a" and "b" the two bodies, "hit" an impact, "good", "warm" (the difference vector), "ground".
 *
 * The page, NAME.md, has the figure, which a still picture fills until the sketch runs (still.mjs makes it when the
 * site is built), the equation next to it, and loads NAME.js. The numbers of the picture come below the equation:
 *
 *     <link rel="stylesheet" href="sketch.css">
 *     <div class="beside">
 *     <figure class="sketch" id="NAME"><img src="NAME.svg" alt="The picture in words.">
 *     <figcaption>What the sketch shows.</figcaption></figure>
 *     <div class="equation">MathML</div></div>
 *     <script type="module" src="NAME.js"></script>
 *
 * For tests the figure has the property `sketch`: `{ state, numbers(), set(changes), ready }`; `ready` is a promise.
 */

/** Colours by role: light, dark. */
export const COLOURS = {
  ink: ["#1c2430", "#e8edf2"],
  faint: ["#8a95a3", "#7f8b99"],
  line: ["#c8d0d8", "#38434f"],
  a: ["#1f5fbf", "#6aa9ff"],
  b: ["#7a3fa8", "#c39bff"],
  warm: ["#b85c00", "#ffab4a"],
  hit: ["#c2181b", "#ff7474"],
  good: ["#18794e", "#4cc38a"],
  ground: ["#ffffff", "#10151c"],
};

const FONT = 13;
const ARROW = 9;
const TAU = 2 * Math.PI;

/**
 * What sketches draw with. Subclasses have two primitives, `path` and `letters`; everything else is made of them.
 * Widths, dashes and font sizes are pixels; all else is in units of the view.
 */
export class Pen {
  /** @param {number[]} view x0, y0, x1, y1  @param {number} width pixels */
  constructor(view, width) {
    this.view = view;
    this.scale = width / (view[2] - view[0]);
    this.width = width;
    this.height = (view[3] - view[1]) * this.scale;
  }

  /** Units of the view to pixels. */
  place(x, y) {
    return [(x - this.view[0]) * this.scale, (y - this.view[1]) * this.scale];
  }

  /** A number of pixels in units of the view. */
  pixels(count) {
    return count / this.scale;
  }

  /** A circle; style: { line, fill, width, dash, soft }. `soft` fills with a fifth of the colour. */
  circle(x, y, r, style = {}) {
    this.path([["arc", ...this.place(x, y), Math.max(r, 0) * this.scale]], style);
  }

  /** A dot of `size` pixels. */
  dot(x, y, colour = "ink", size = 4) {
    this.path([["arc", ...this.place(x, y), size]], { fill: colour });
  }

  line(x0, y0, x1, y1, style = {}) {
    this.path([["move", ...this.place(x0, y0)], ["line", ...this.place(x1, y1)]], { line: "ink", ...style });
  }

  /** A line through all points [x, y]; `closed` joins the ends. */
  curve(points, style = {}) {
    const steps = points.map(([x, y], index) => [index ? "line" : "move", ...this.place(x, y)]);
    if (style.closed) steps.push(["close"]);
    this.path(steps, { line: "ink", ...style });
  }

  arrow(x0, y0, x1, y1, style = {}) {
    const [px, py] = this.place(x0, y0), [qx, qy] = this.place(x1, y1);
    const length = Math.hypot(qx - px, qy - py);
    if (length < 1) return;

    const ux = (qx - px) / length, uy = (qy - py) / length, head = Math.min(ARROW, length);
    const bx = qx - ux * head, by = qy - uy * head, side = head * 0.45;
    this.path([["move", px, py], ["line", bx, by]], { line: "ink", width: 2, ...style });
    this.path(
      [["move", qx, qy], ["line", bx - uy * side, by + ux * side], ["line", bx + uy * side, by - ux * side], ["close"]],
      { fill: style.line ?? "ink" },
    );
  }

  /** Text at a point; style: { colour, align: "left" | "center" | "right", dx, dy (pixels), size, bold }. */
  text(x, y, words, style = {}) {
    const [px, py] = this.place(x, y);
    this.letters(px + (style.dx ?? 0), py + (style.dy ?? 0), String(words), style);
  }
}

/** Draws on a canvas. */
export class CanvasPen extends Pen {
  constructor(context, view, width, dark) {
    super(view, width);
    this.context = context;
    this.dark = dark;
  }

  colour(role) {
    return (COLOURS[role] ?? COLOURS.ink)[this.dark ? 1 : 0];
  }

  path(steps, style) {
    const c = this.context;
    c.beginPath();
    for (const [kind, x, y, r] of steps) {
      if (kind === "arc") c.arc(x, y, r, 0, TAU);
      else if (kind === "move") c.moveTo(x, y);
      else if (kind === "line") c.lineTo(x, y);
      else c.closePath();
    }
    if (style.fill) {
      c.globalAlpha = style.soft ? 0.2 : 1;
      c.fillStyle = this.colour(style.fill);
      c.fill();
      c.globalAlpha = 1;
    }
    if (style.line) {
      c.strokeStyle = this.colour(style.line);
      c.lineWidth = style.width ?? 1.5;
      c.setLineDash(style.dash ?? []);
      c.stroke();
    }
  }

  letters(x, y, words, style) {
    const c = this.context;
    c.font = `${style.bold ? "600 " : ""}${style.size ?? FONT}px system-ui, sans-serif`;
    c.textAlign = style.align ?? "left";
    c.textBaseline = "middle";
    c.lineWidth = 3;
    c.lineJoin = "round";
    c.setLineDash([]);
    c.strokeStyle = this.colour("ground");
    c.strokeText(words, x, y);
    c.fillStyle = this.colour(style.colour ?? "ink");
    c.fillText(words, x, y);
  }
}

/** Writes an SVG picture that follows the reader's choice of dark or light. */
export class SvgPen extends Pen {
  constructor(view, width = 640) {
    super(view, width);
    this.parts = [];
  }

  path(steps, style) {
    const round = (number) => Math.round(number * 100) / 100;
    const paint = [style.line ? `s-${style.line}` : "", style.fill ? `f-${style.fill}` : ""].filter(Boolean).join(" ");
    const how = [
      `class="${paint}"`,
      style.line ? `stroke-width="${style.width ?? 1.5}"` : "",
      style.dash ? `stroke-dasharray="${style.dash.join(" ")}"` : "",
      style.soft ? 'fill-opacity="0.2"' : "",
    ].filter(Boolean).join(" ");

    if (steps[0]?.[0] === "arc") {
      const [, x, y, r] = steps[0];
      this.parts.push(`<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" ${how}/>`);
      return;
    }
    const letters = { move: "M", line: "L", close: "Z" };
    const d = steps.map(([kind, x, y]) => letters[kind] + (kind === "close" ? "" : `${round(x)} ${round(y)}`)).join("");
    this.parts.push(`<path d="${d}" ${how}/>`);
  }

  letters(x, y, words, style) {
    const anchor = { left: "start", center: "middle", right: "end" }[style.align ?? "left"];
    const text = words.replace(/&/g, "&amp;").replace(/</g, "&lt;");
    this.parts.push(
      `<text x="${x.toFixed(1)}" y="${(y + 4.5).toFixed(1)}" text-anchor="${anchor}"` +
      ` font-size="${style.size ?? FONT}"${style.bold ? ' font-weight="600"' : ""}` +
      ` class="t f-${style.colour ?? "ink"}">${text}</text>`,
    );
  }

  /** The whole file. */
  picture(title) {
    const rules = (shade) => Object.entries(COLOURS).map(([role, pair]) =>
      `.s-${role}{stroke:${pair[shade]}}.f-${role}{fill:${pair[shade]}}`).join("");
    const ground = (shade) => `.t{paint-order:stroke;stroke:${COLOURS.ground[shade]};stroke-width:3px}`;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${Math.round(this.height)}" role="img">
<!-- SPDX-License-Identifier: MIT -->
<title>${title.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</title>
<style>text{font-family:system-ui,sans-serif}path,circle{fill:none}${rules(0)}${ground(0)}
@media (prefers-color-scheme:dark){${rules(1)}${ground(1)}}</style>
<rect width="100%" height="100%" class="f-ground"/>
${this.parts.join("\n")}
</svg>
`;
  }
}

/** A number as readers see it: with `places` digits after the point; "never" for infinity. */
export function digits(number, places = 2) {
  if (number === Infinity) return "never";
  if (Number.isNaN(number)) return "not a number";
  const text = number.toFixed(places);
  return (Number(text) === 0 ? (0).toFixed(places) : text).replace("-", "\u2212");
}

/** The impact of one pair: circle A at rest at the origin, B at p with velocity v, sum of radii r. Plain numbers. */
export function impact(carom, p, v, r, solver = "fast") {
  const found = carom.toi.contacts(p, v, r, { solver });
  const one = { t: found.t[0], entry: found.entry[0], exit: found.exit[0] };
  return { ...one, nx: found.nx[0], ny: found.ny[0], xj: found.xj[0], yj: found.yj[0] };
}

/** The impact of a moving circle on the wall from a to b: t (Infinity: none), and the normal towards the circle. */
export function wallImpact(carom, p, v, r, a, b, options) {
  const found = carom.toi.segment(p, v, r, a, b, options);
  return { t: found.t[0], nx: found.nx[0], ny: found.ny[0] };
}

/** The impact of a moving circle on a closed outline; feature: edge k is k, corner k is k + the number of corners. */
export function polygonImpact(carom, p, v, r, corners) {
  const found = carom.toi.polygon(p, v, r, corners);
  return { t: found.t[0], nx: found.nx[0], ny: found.ny[0], feature: found.feature[0] };
}

/** Circles under acceleration: the impact, and all times at which the distance is r, also those in the past. */
export function circleRoots(carom, p, v, a, r) {
  const { roots, count } = carom.toi.accelerated_roots(p, v, a, r);
  return { t: carom.toi.accelerated(p, v, a, r)[0], roots: [...roots].slice(0, count[0]) };
}

/** All times at which an accelerated circle touches the line through two points. */
export function lineRoots(carom, p, v, a, r, start, end) {
  const { roots, count } = carom.toi.accelerated_line_roots(p, v, a, r, start, end);
  return [...roots].slice(0, count[0]);
}

/* ---- in the page ---- */

/** Is the page dark? The site's own switch first, then the reader's system. */
function isDark() {
  const chosen = document.body.dataset.theme;
  if (chosen === "dark" || chosen === "light") return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** The engine, loaded once for all sketches of a page. */
let engine = null;
function loadEngine() {
  engine ??= import(new URL("../carom/carom.js", import.meta.url).href).then((module) => module.load());
  return engine;
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** One sketch in its figure. */
class Frame {
  constructor(sketch, figure, carom) {
    this.sketch = sketch;
    this.figure = figure;
    this.carom = carom;
    this.state = structuredClone(sketch.start);
    this.playing = Boolean(sketch.tick) && sketch.resting?.playing !== false &&
      !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.seen = false;
    this.asked = false;
    this.last = 0;
    this.build();
    this.watch();
  }

  /** Makes the elements: picture and handles, controls, readings, words. */
  build() {
    const [x0, y0, x1, y1] = this.sketch.view;
    this.canvas = element("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.stage = element("div", { className: "stage" }, this.canvas);
    this.stage.style.aspectRatio = `${x1 - x0} / ${y1 - y0}`;
    this.panel = element("div", { className: "controls" });
    this.table = element("table", { className: "readings" });
    this.words = element("p", { className: "words" });
    this.words.setAttribute("aria-live", "polite");

    this.buildControls();
    this.handles = [];
    this.figure.querySelector("img")?.remove();
    this.figure.prepend(this.stage, this.panel, this.words);
    const beside = this.figure.parentElement.querySelector(".equation");
    beside.append(this.table);
    this.formulas = beside.querySelectorAll("[data-when]");
    this.figure.classList.add("live");
  }

  buildControls() {
    this.inputs = [];
    for (const control of this.sketch.controls ?? []) this.panel.append(this.buildControl(control));
    if (this.sketch.tick) {
      this.play = element("button", { type: "button", onclick: () => this.setPlaying(!this.playing) });
      this.panel.append(this.play);
      this.setPlaying(this.playing);
    }
    this.panel.append(element("button", {
      type: "button", textContent: "start again", onclick: () => this.set(structuredClone(this.sketch.start)),
    }));
  }

  buildControl(control) {
    if (control.set || control.run) return this.buildButton(control);

    if (control.check) {
      const input = element("input", { type: "checkbox" });
      input.onchange = () => this.set({ [control.key]: input.checked });
      const label = element("label", { className: "check" }, input, ` ${control.label}`);
      this.inputs.push({ control, label, show: (value) => { input.checked = value; } });
      return label;
    }

    if (control.options) {
      const input = element("select");
      for (const [value, words] of Object.entries(control.options)) input.append(new Option(words, value));
      input.onchange = () => this.set({ [control.key]: input.value });
      const label = element("label", {}, `${control.label} `, input);
      this.inputs.push({ control, label, show: (value) => { input.value = value; } });
      return label;
    }

    const input = element("input", { type: "range", min: control.min, max: control.max, step: control.step });
    const output = element("output");
    input.oninput = () => this.set({ [control.key]: Number(input.value), ...control.also });
    const places = Math.max(0, (String(control.step).split(".")[1] ?? "").length);
    const name = element("span", { textContent: control.label });
    const label = element("label", { className: "slider" }, name, input, output);
    this.inputs.push({
      control, label,
      show: (value) => {
        input.value = value;
        output.textContent = digits(value, places) + (control.unit ? ` ${control.unit}` : "");
      },
    });
    return label;
  }

  buildButton(control) {
    const button = element("button", { type: "button", textContent: control.label });
    button.onclick = async () => {
      if (control.set) return this.set(control.set);
      button.disabled = true;
      try {
        this.set(await control.run(this.state, this.carom));
      } finally {
        button.disabled = false;
      }
    };
    this.inputs.push({ control, label: button, show: () => {} });
    return button;
  }

  /** Redraws when the size, the colours or what is seen of the page change. */
  watch() {
    new ResizeObserver(() => this.ask()).observe(this.stage);
    new IntersectionObserver(([entry]) => { this.seen = entry.isIntersecting; this.ask(); }).observe(this.stage);
    document.addEventListener("visibilitychange", () => this.ask());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.ask());
    new MutationObserver(() => this.ask()).observe(document.body, { attributeFilter: ["data-theme"] });
  }

  set(changes) {
    Object.assign(this.state, changes);
    this.known = null;
    this.ask();
  }

  setPlaying(playing) {
    this.playing = playing;
    this.play.textContent = playing ? "pause" : "play";
    this.last = 0;
    this.ask();
  }

  numbers() {
    this.known ??= this.sketch.numbers(this.state, this.carom);
    return this.known;
  }

  /** Asks for a frame; none is made while the sketch is out of sight. */
  ask() {
    if (this.asked || !this.seen || document.hidden) return;
    this.asked = true;
    requestAnimationFrame((now) => { this.asked = false; this.frame(now); });
  }

  frame(now) {
    if (this.playing) {
      const seconds = this.last ? Math.min((now - this.last) / 1000, 0.1) : 0;
      this.last = now;
      if (seconds > 0) {
        Object.assign(this.state, this.sketch.tick(this.state, seconds, this.numbers(), this.carom));
        this.known = null;
      }
    }
    this.paint();
    if (this.playing) this.ask();
  }

  paint() {
    const width = this.stage.clientWidth, height = this.stage.clientHeight, ratio = window.devicePixelRatio || 1;
    if (width === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }

    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const pen = new CanvasPen(context, this.sketch.view, width, isDark());
    context.clearRect(0, 0, width, height);
    const numbers = this.numbers();
    this.sketch.draw(pen, this.state, numbers);
    this.paintHandles(pen);
    this.paintTexts(numbers);
  }

  paintHandles(pen) {
    const wanted = this.sketch.handles?.(this.state) ?? [];
    while (this.handles.length < wanted.length) this.handles.push(this.buildHandle(this.handles.length));
    while (this.handles.length > wanted.length) this.handles.pop().remove();

    wanted.forEach((handle, index) => {
      const button = this.handles[index], [x, y] = pen.place(handle.x, handle.y);
      const size = Math.max(36, 2 * (handle.radius ?? 0) * pen.scale);
      Object.assign(button.style, { left: `${x}px`, top: `${y}px`, width: `${size}px`, height: `${size}px` });
      button.classList.toggle("body", Boolean(handle.radius));
      button.title = handle.name;
      button.setAttribute("aria-label", `${handle.name}: ${digits(handle.x)}, ${digits(handle.y)}; arrow keys move it`);
    });
  }

  /** A handle is a button over the canvas: it takes mouse, finger, and arrow keys (with shift ten times as far). */
  buildHandle(index) {
    const button = element("button", { type: "button", className: "handle" });
    const handle = () => this.sketch.handles(this.state)[index];
    const move = (x, y) => {
      const [x0, y0, x1, y1] = this.sketch.view;
      this.set(handle().to(Math.min(Math.max(x, x0), x1), Math.min(Math.max(y, y0), y1)));
    };

    button.onpointerdown = (event) => {
      event.preventDefault();
      button.focus();
      button.setPointerCapture(event.pointerId);
      const scale = this.stage.clientWidth / (this.sketch.view[2] - this.sketch.view[0]);
      const { x, y } = handle();
      button.onpointermove = (moved) =>
        move(x + (moved.clientX - event.clientX) / scale, y + (moved.clientY - event.clientY) / scale);
      button.onpointerup = button.onpointercancel = () => { button.onpointermove = null; };
    };

    button.onkeydown = (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way) return;
      event.preventDefault();
      const step = (this.sketch.view[2] - this.sketch.view[0]) / (event.shiftKey ? 16 : 160), { x, y } = handle();
      move(x + way[0] * step, y + way[1] * step);
    };

    this.stage.append(button);
    return button;
  }

  paintTexts(numbers) {
    for (const { control, label, show } of this.inputs) {
      show(this.state[control.key]);
      label.hidden = control.shown ? !control.shown(this.state) : false;
    }

    const rows = this.sketch.readings?.(this.state, numbers) ?? [];
    const text = JSON.stringify(rows);
    if (text !== this.shownRows) {
      this.shownRows = text;
      this.table.replaceChildren(...rows.map(([name, value]) => element("tr", {},
        element("th", { scope: "row", textContent: name }), element("td", { textContent: value }))));
    }
    for (const one of this.formulas) one.hidden = one.dataset.when !== this.sketch.formula(this.state);
    this.say(this.sketch.tell(this.state, numbers));
  }

  /** Screen readers hear the words once the picture has been at rest for a moment. */
  say(words) {
    if (words === this.said) return;
    this.said = words;
    clearTimeout(this.saying);
    if (!this.words.textContent) this.words.textContent = words;
    else this.saying = setTimeout(() => { this.words.textContent = words; }, this.playing ? 1000 : 150);
  }
}

/**
 * Shows a sketch in the figure of its name, if this is a page. Without the engine the still picture stays, and a line
 * says why.
 */
export function show(sketch) {
  if (typeof document === "undefined") return;
  const figure = document.getElementById(sketch.name);

  figure.sketch = { ready: loadEngine().then((carom) => {
    const frame = new Frame(sketch, figure, carom);
    Object.defineProperty(figure.sketch, "state", { get: () => frame.state });
    figure.sketch.numbers = () => structuredClone(frame.numbers());
    figure.sketch.set = (changes) => frame.set(changes);
  }, (problem) => {
    const textContent = `This sketch cannot move here: ${problem.message}`;
    figure.append(element("p", { className: "words", textContent }));
  }) };
}
