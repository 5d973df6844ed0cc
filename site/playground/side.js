// SPDX-License-Identifier: MIT
// The side that a human plays: its units, what they are to do, and the controls for that.
import {STEERED, actorsOf, flickOf} from "./steer.js";

const FLICK = 0.15; // speed of a stone for each unit that it is drawn back
const FASTEST = 40;
const HELP = {
  csb: "Drag to set the chosen pod's target; 1 and 2 choose a pod; arrow keys move its target.",
  fantastic_bits: "Drag to say where the chosen wizard goes or throws; 1 and 2 choose one. Spells are cast on the " +
    "selected body: select it in Look, or with n.",
  soccer: "Drag to say where the chosen robot goes; its mates play on their own. 1 to 9 choose a robot.",
  stones: "Draw a stone of yours back, and let go. By keyboard: select a stone with n, then set course and speed.",
  fall: "Drag to kick the first ball towards a point.",
  scene: "Drag to say where your bodies go; arrow keys move the point.",
};

export class Side {
  /**
   * @param {{game: string, scene: object | null, seats: string[]}} setup
   * @param {import("../viewer/film.js").Film} film
   * @param {() => number} selected the selected body
   */
  constructor(setup, film, selected) {
    this.game = setup.game;
    this.player = setup.seats.indexOf("human");
    this.selected = selected;
    this.how = STEERED[this.game] ?? {unit: "body", units: 0, does: [], power: null};
    this.actors = setup.scene === null ? [] : actorsOf(setup.scene, this.player);
    this.robots = film.about.filter(({name}) => name === "robot").length / 2;
    this.active = 0;
    const start = this.bodyOf(0) < film.bodies ? film.body(0, 0, this.bodyOf(0)) : {x: 0, y: 0};
    const sign = this.player === 0 ? 1 : -1;
    const ahead = 0.2 * (film.view[2] - film.view[0]) * sign;
    this.units = Array.from({length: Math.max(1, this.how.units)}, (_, k) => {
      const body = film.body(0, 0, Math.min(this.bodyOf(k), film.bodies - 1));
      const far = ["csb", "fantastic_bits"].includes(this.game) ? ahead : 0;
      return {x: (body.x || start.x) + far, y: body.y || start.y, power: this.how.power?.usual ?? 0, does: "", target: -1};
    });
    this.aimed = this.how.units > 0 && this.game !== "fall"; // the others wait for a first point
    this.push = null;
  }

  /** The body of a unit. */
  bodyOf(unit) {
    switch (this.game) {
    case "csb":
    case "fantastic_bits":
      return 2 * this.player + unit;
    case "soccer":
      return this.robots * this.player + this.active;
    case "stones":
      return this.player;
    case "fall":
      return 0;
    default:
      return this.actors[unit] ?? 0;
    }
  }

  /** Which of a player's stones, pods, ... a body is; null: none of them. */
  owns(body) {
    if (this.game === "stones") {
      return body % 2 === this.player;
    }
    return this.how.units > 0 && body >= this.bodyOf(0) && body < this.bodyOf(0) + this.how.units;
  }

  choose(unit) {
    const most = this.game === "soccer" ? this.robots : this.how.units;
    if (unit >= 0 && unit < most) {
      this.active = unit;
    }
  }

  get unit() {
    return this.units[Math.min(this.active, this.units.length - 1)];
  }

  /** The pointer is at a place. */
  point(x, y) {
    Object.assign(this.unit, {x, y});
    this.aimed = true;
  }

  /** The chosen unit does something in the next tick; dribbling continues until the next such command. */
  act(does, unit = this.active) {
    const of = this.units[Math.min(unit, this.units.length - 1)];
    of.does = of.does === does ? "" : does;
    of.target = this.selected();
  }

  /** A stone is let go that was drawn back by (dx, dy). */
  flick(stone, dx, dy) {
    const {course, speed} = flickOf(dx, dy, FLICK, FASTEST);
    this.push = {stone, course, speed, curve: 0};
  }

  /** Orders for a tick; what is done once is done with it. */
  take() {
    const once = (unit) => {
      const copy = {...unit};
      unit.does = unit.does === "dribble" ? "dribble" : "";
      return copy;
    };
    if (this.game === "stones") {
      const push = this.push;
      this.push = null;
      return {push};
    }
    if (["csb", "fantastic_bits"].includes(this.game)) {
      return {units: this.units.map(once)};
    }
    const unit = once(this.units[0]);
    if (this.game === "soccer") {
      return this.aimed ? {unit: this.active, x: unit.x, y: unit.y, does: unit.does} : null;
    }
    const orders = {x: this.aimed ? unit.x : null, y: this.aimed ? unit.y : null};
    this.aimed = this.aimed && this.game !== "fall"; // a kick
    return orders;
  }

  /** Keys of this side: arrows move the target, digits choose, letters act. */
  keys(film, changed) {
    const stepX = 0.03 * (film.view[2] - film.view[0]);
    const stepY = 0.03 * (film.view[3] - film.view[1]) * (film.down ? 1 : -1);
    const by = (dx, dy) => () => {
      this.point(this.unit.x + dx * stepX, this.unit.y + dy * stepY);
      changed();
    };
    const keys = {ArrowLeft: by(-1, 0), ArrowRight: by(1, 0), ArrowUp: by(0, -1), ArrowDown: by(0, 1)};
    for (let digit = 1; digit <= 9; digit++) {
      keys[digit] = () => {
        this.choose(digit - 1);
        changed();
      };
    }
    for (const does of this.how.does) {
      keys[KEYS[does]] = () => {
        this.act(does);
        changed();
      };
    }
    return keys;
  }
}

/** Letters of what units do; those of the viewer and of the tools are others. */
export const KEYS = {shield: "s", boost: "x", throw: "s", obliviate: "o", petrificus: "k", accio: "a", flipendo: "j",
                     kick: "s", dribble: "x"};

function button(text, title, pressed, onClick) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = title;
  made.setAttribute("aria-pressed", String(pressed));
  made.addEventListener("click", onClick);
  return made;
}

function numberField(text, value, onChange, more) {
  const label = document.createElement("label");
  const field = Object.assign(document.createElement("input"), {type: "number", value: String(value), ...more});
  field.addEventListener("change", () => onChange(Number(field.value)));
  label.append(`${text} `, field);
  return label;
}

/** Draws the controls of a side into an element. */
export function showSide(into, help, side, changed) {
  into.replaceChildren();
  help.textContent = HELP[side.game] ?? HELP.scene;
  const rows = side.how.units > 0 ? side.units.length : 1;
  for (let k = 0; k < rows; k++) {
    const row = document.createElement("div");
    row.className = "unit";
    const unit = side.units[k];
    if (side.how.units > 1) {
      row.append(button(`${side.how.unit} ${k + 1}`, `Choose (${k + 1})`, side.active === k, () => {
        side.choose(k);
        changed();
      }));
    } else if (side.game === "soccer") {
      row.append(numberField("Robot", side.active + 1, (value) => {
        side.choose(value - 1);
        changed();
      }, {min: "1", max: String(side.robots), step: "1"}));
    }
    if (side.how.power !== null) {
      const slider = Object.assign(document.createElement("input"), {
        type: "range", min: "0", max: String(side.how.power.most), value: String(unit.power)});
      slider.setAttribute("aria-label", `${side.how.power.label} of ${side.how.unit} ${k + 1}`);
      slider.title = side.how.power.label;
      slider.addEventListener("input", () => { unit.power = Number(slider.value); });
      row.append(slider);
    }
    for (const does of side.how.does) {
      const one = button(does, `${does} (${KEYS[does]})`, unit.does === does, () => {
        side.act(does, k);
        changed();
      });
      one.dataset.does = `${k} ${does}`;
      row.append(one);
    }
    into.append(row);
  }
  if (side.game === "stones") {
    const push = {course: 0, speed: 20, curve: 0};
    const row = document.createElement("div");
    row.className = "unit";
    row.append(numberField("Course (degrees)", 0, (v) => { push.course = v * Math.PI / 180; }, {step: "any"}),
               numberField("Speed", 20, (v) => { push.speed = v; }, {min: "0", max: "40", step: "any"}),
               numberField("Curve", 0, (v) => { push.curve = v; }, {min: "-1", max: "1", step: "any"}),
               button("Push the selected stone", "Push", false, () => {
                 side.push = {stone: side.selected(), ...push};
               }));
    into.append(row);
  }
}
