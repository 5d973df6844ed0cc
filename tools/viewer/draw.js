// SPDX-License-Identifier: MIT
// Worlds on two canvases: static things on one, moving things on another above it.
//
//     const cells = cellsOf(film, look, width, height);
//     drawGround(ctx, film, cells, time, theme, look.world);
//     drawMoving(ctx, film, cells, time, theme, look);
//
// `film` is a Film (film.js), `time` counts its frames and may be between two, `theme` is one of film.themes. Widths
// are in the units of the context, CSS pixels after a setTransform(). `look` has
//     world, body         the selected ones; body -1: none
//     grid                how many worlds are shown, 1 to 64, including the selected one
//     zoom, cx, cy        1 shows the film's view; the point in the middle of each cell
//     trails, marks, ghosts, instants    booleans: what else is drawn
//     generation          the generation of a search for the ghosts (ghosts.js)
//     glow                ticks for which the instant of an impact stays; 0: drawn only at its time
import {shownGhosts} from "./ghosts.js";
import {between, eachImpact, goesOn, legCount, legOf, onLegX, onLegY, placeAt} from "./motion.js";

const LINE = 0;
const CIRCLE = 1;
const TRAIL = 30; // ticks
const MARKED = 6; // ticks for which a mark stays
const MOST_MARKS = 400; // in all these ticks: if there are more, older ones are left out
const MOST_INSTANTS = 50;
const BOW_STEPS = 8; // points of a leg that is a parabola
const ARROW = 3; // radii of the larger circle: length of the arrow of the greatest velocity at an impact
const SENSOR = "sensor";

// A cell of the grid, and the mapping of a world's coordinates into it.
export function cellsOf(film, look, width, height) {
  const long = Math.ceil(Math.sqrt(look.grid)); // two worlds are side by side, or one above the other
  const wide = width >= height ? long : Math.ceil(look.grid / long);
  const high = Math.ceil(look.grid / wide);
  const first = Math.floor(look.world / look.grid) * look.grid;
  const [x0, y0, x1, y1] = film.view;
  const cells = [];
  for (let k = 0; k < look.grid && first + k < film.worlds; k++) {
    const w = width / wide;
    const h = height / high;
    const scale = Math.min(w / (x1 - x0), h / (y1 - y0)) * 0.98 * look.zoom;
    const left = (k % wide) * w;
    const top = Math.floor(k / wide) * h;
    cells.push({world: first + k, left, top, width: w, height: h, scale, sign: film.down ? 1 : -1,
                cx: look.cx, cy: look.cy, mx: left + w / 2, my: top + h / 2});
  }
  return cells;
}

export const toX = (cell, x) => cell.mx + (x - cell.cx) * cell.scale;
export const toY = (cell, y) => cell.my + cell.sign * (y - cell.cy) * cell.scale;
export const fromX = (cell, px) => cell.cx + (px - cell.mx) / cell.scale;
export const fromY = (cell, py) => cell.cy + cell.sign * (py - cell.my) / cell.scale;

function within(ctx, cell, paint) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(cell.left, cell.top, cell.width, cell.height);
  ctx.clip();
  paint();
  ctx.restore();
}

export function drawGround(ctx, film, cells, time, theme, selected) {
  const frame = Math.min(Math.floor(time), film.frames.length - 1);
  for (const cell of cells) {
    within(ctx, cell, () => {
      for (const [kind, style, x, y, x2, y2, radius, text] of film.scenery(frame, cell.world)?.shapes ?? []) {
        const name = film.styles[style];
        ctx.strokeStyle = ctx.fillStyle = theme.style[style];
        ctx.lineWidth = name === "target" ? 2.5 : name === "field" ? 1 : 1.8;
        ctx.beginPath();
        if (kind === LINE) {
          ctx.moveTo(toX(cell, x), toY(cell, y));
          ctx.lineTo(toX(cell, x2), toY(cell, y2));
          ctx.stroke();
        } else if (kind === CIRCLE) {
          ctx.arc(toX(cell, x), toY(cell, y), radius * cell.scale, 0, 2 * Math.PI);
          if (name === "target" || name === "fixed") {
            ctx.globalAlpha = 0.15;
            ctx.fill();
            ctx.globalAlpha = 1;
          }
          ctx.stroke();
        } else if (2 * radius * cell.scale > 5) {
          ctx.font = `${2 * radius * cell.scale}px sans-serif`;
          ctx.textAlign = "center";
          ctx.textBaseline = "middle";
          ctx.globalAlpha = 0.6;
          ctx.fillText(text, toX(cell, x), toY(cell, y));
          ctx.globalAlpha = 1;
        }
      }
    });
    if (cells.length > 1) {
      ctx.strokeStyle = cell.world === selected ? theme.text : theme.style[film.styles.indexOf("field")];
      ctx.lineWidth = cell.world === selected ? 2 : 1;
      ctx.strokeRect(cell.left + 0.5, cell.top + 0.5, cell.width - 1, cell.height - 1);
    }
  }
}

// The part of a leg of a trail between two times. `end` is the current end of the trail, in its x1 and y1.
function addLeg(ctx, cell, leg, from, until, end) {
  if (from > leg.from) {
    ctx.moveTo(toX(cell, onLegX(leg, from)), toY(cell, onLegY(leg, from)));
  } else if (leg.x0 !== end.x1 || leg.y0 !== end.y1) {
    ctx.moveTo(toX(cell, leg.x0), toY(cell, leg.y0));
  }
  const to = Math.min(leg.to, until);
  const steps = leg.ax !== 0 || leg.ay !== 0 ? BOW_STEPS : 1;
  for (let k = 1; k <= steps; k++) {
    const part = from + (to - from) * k / steps;
    ctx.lineTo(toX(cell, onLegX(leg, part)), toY(cell, onLegY(leg, part)));
  }
}

function drawTrails(ctx, film, cell, time, theme) {
  const legs = [{x1: NaN, y1: NaN}, {}]; // the last one, and this one
  ctx.globalAlpha = 0.4;
  ctx.lineWidth = 1.5;
  for (let body = 0; body < film.bodies; body++) {
    ctx.strokeStyle = theme.style[film.about[body].style];
    ctx.beginPath();
    for (let tick = Math.max(0, Math.floor(time) - TRAIL); tick < time && tick + 1 < film.frames.length; tick++) {
      const count = goesOn(film, tick, cell.world, body) ? legCount(film, tick, cell.world, body) : 0;
      for (let k = 0; k < count; k++) {
        const leg = legOf(film, tick, cell.world, body, k, legs[1]);
        if (leg.from < time - tick) {
          addLeg(ctx, cell, leg, leg.from, time - tick, legs[0]);
          legs.reverse();
        }
      }
    }
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

// The paths of all bodies in future k, from a time on, in ticks since their start; the first leg is number `at`.
function addWays(ctx, film, cell, ghosts, k, at, from) {
  const stride = film.stride > 6 ? 8 : 6;
  const legs = [{x1: NaN, y1: NaN}, {}]; // the last one, and this one
  for (let body = 0; body < film.bodies; body++) {
    legs[0].x1 = NaN;
    for (let n = ghosts.legs[k * film.bodies + body]; n > 0; n--, at++) {
      const leg = legs[1];
      [leg.from, leg.to, leg.x0, leg.y0, leg.x1, leg.y1, leg.ax = 0, leg.ay = 0] =
        ghosts.ways.subarray(at * stride, (at + 1) * stride);
      if (leg.to > from) {
        addLeg(ctx, cell, leg, Math.max(leg.from, from), leg.to, legs[0]);
        legs.reverse();
      }
    }
  }
}

// From the current time on. The worst first, so that the best are on top; coloured by rank, a plan in the colour of
// texts.
function drawFutures(ctx, film, cell, ghosts, from, theme) {
  const order = Array.from(ghosts.returns.keys()).sort((a, b) => ghosts.returns[a] - ghosts.returns[b]);
  const begins = [0]; // the first leg of each future
  for (let k = 0; k < ghosts.count; k++) {
    begins.push(ghosts.legs.subarray(k * film.bodies, (k + 1) * film.bodies).reduce((sum, n) => sum + n, begins[k]));
  }
  order.forEach((k, rank) => {
    const best = rank + 1 === order.length;
    ctx.strokeStyle = ghosts.generation === -1 ? theme.text
      : theme.ghost[best ? 4 : Math.floor(rank * 5 / order.length)];
    ctx.globalAlpha = best ? 1 : 0.4;
    ctx.lineWidth = best ? 2.5 : 1;
    ctx.beginPath();
    addWays(ctx, film, cell, ghosts, k, begins[k], from);
    ctx.stroke();
  });
  ctx.globalAlpha = 1;
}

// Prerendered disks: thousands of bodies usually have few different radii.
const sprites = new Map();
function spriteOf(colour, radius) {
  const size = Math.round(radius * 4);
  const key = `${colour} ${size}`;
  let sprite = sprites.get(key);
  if (sprite === undefined) {
    const pixels = Math.ceil(size / 2) + 2;
    sprite = document.createElement("canvas");
    sprite.width = sprite.height = pixels;
    const ctx = sprite.getContext("2d");
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.arc(pixels / 2, pixels / 2, size / 4, 0, 2 * Math.PI);
    ctx.fill();
    if (sprites.size > 500) {
      sprites.clear();
    }
    sprites.set(key, sprite);
  }
  return sprite;
}

function drawMany(ctx, film, cell, time, theme) {
  const {places} = film.frames[Math.floor(time)];
  const place = [0, 0];
  for (let body = 0; body < film.bodies; body++) {
    const at = film.at(cell.world, body);
    placeAt(film, time, cell.world, body, place);
    const x = toX(cell, place[0]);
    const y = toY(cell, place[1]);
    const radius = (film.stride > 4 ? places[at + 5] : film.about[body].radius) * cell.scale;
    if (!(x > cell.left - radius && x < cell.left + cell.width + radius && y > cell.top - radius &&
          y < cell.top + cell.height + radius)) {
      continue; // including absent ones
    }
    const colour = theme.style[film.about[body].style];
    if (radius < 1.25) {
      ctx.fillStyle = colour;
      ctx.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    } else if (radius < 40) {
      const sprite = spriteOf(colour, radius);
      ctx.drawImage(sprite, Math.round(x - sprite.width / 2), Math.round(y - sprite.height / 2));
    } else {
      ctx.fillStyle = colour;
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
}

function drawFew(ctx, film, cell, time, theme) {
  for (let k = 0; k < film.bodies; k++) {
    const about = film.about[k];
    const body = between(film, time, cell.world, k);
    if (!body.there) {
      continue;
    }
    const x = toX(cell, body.x);
    const y = toY(cell, body.y);
    const radius = Math.max(1, body.radius * cell.scale);
    ctx.fillStyle = ctx.strokeStyle = theme.style[about.style];
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    if (film.styles[about.style] === SENSOR) {
      ctx.lineWidth = 1.5;
      ctx.stroke();
    } else {
      ctx.fill();
    }
    if (about.facing) {
      ctx.strokeStyle = theme.ground;
      ctx.lineWidth = Math.max(1.5, 0.15 * radius);
      ctx.beginPath();
      ctx.moveTo(x, y);
      ctx.lineTo(x + radius * Math.cos(body.facing), y + cell.sign * radius * Math.sin(body.facing));
      ctx.stroke();
    }
    if (radius >= 9) {
      const beside = about.facing ? 0.45 * radius : 0;
      ctx.fillStyle = theme.ground;
      ctx.font = `${0.8 * radius}px sans-serif`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.fillText(String(about.number), x - beside * Math.cos(body.facing),
                   y - cell.sign * beside * Math.sin(body.facing));
    }
  }
}

// Older ones are paler.
function drawMarks(ctx, film, cell, time, theme) {
  ctx.strokeStyle = theme.impact;
  ctx.lineWidth = 1.5;
  eachImpact(film, time, MARKED, cell.world, MOST_MARKS, (rows, at, age) => {
    const x = toX(cell, rows[at + 9]);
    const y = toY(cell, rows[at + 10]);
    if (age >= MARKED || Number.isNaN(x + y)) {
      return;
    }
    ctx.globalAlpha = Math.min(1, 1 - age / MARKED);
    ctx.beginPath();
    ctx.moveTo(x - 4, y - 4);
    ctx.lineTo(x + 4, y + 4);
    ctx.moveTo(x - 4, y + 4);
    ctx.lineTo(x + 4, y - 4);
    ctx.stroke();
  });
  ctx.globalAlpha = 1;
}

function drawArrow(ctx, x, y, dx, dy) {
  const length = Math.hypot(dx, dy);
  if (!(length > 1)) {
    return;
  }
  const head = Math.min(9, length / 2) / length;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + dx, y + dy);
  ctx.moveTo(x + dx - head * (dx + dy / 2), y + dy - head * (dy - dx / 2));
  ctx.lineTo(x + dx, y + dy);
  ctx.lineTo(x + dx - head * (dx - dy / 2), y + dy - head * (dy + dx / 2));
  ctx.stroke();
}

// One body at the instant of an impact: its circle, its velocities before (pale) and after.
function drawSide(ctx, cell, theme, centre, radius, before, after, scale) {
  const x = toX(cell, centre[0]);
  const y = toY(cell, centre[1]);
  ctx.strokeStyle = theme.text;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.globalAlpha = 0.45;
  drawArrow(ctx, x, y, before[0] * scale, cell.sign * before[1] * scale);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2;
  drawArrow(ctx, x, y, after[0] * scale, cell.sign * after[1] * scale);
}

function drawNormal(ctx, cell, theme, impact, reach) {
  const x = toX(cell, impact.x);
  const y = toY(cell, impact.y);
  const nx = impact.nx * reach;
  const ny = cell.sign * impact.ny * reach;
  ctx.strokeStyle = ctx.fillStyle = theme.impact;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(x - nx, y - ny);
  ctx.lineTo(x + nx, y + ny);
  ctx.stroke();
  if (impact.impulse > 0) {
    ctx.font = "12px sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillText(Number(impact.impulse.toPrecision(4)).toString(), x - ny, y + nx);
  }
}

// Impacts at their instants: both circles, the normal, velocities, the impulse.
function drawInstants(ctx, film, cell, time, theme, glow) {
  const tick = Math.min(Math.floor(time), film.frames.length - 1);
  let drawn = 0;
  eachImpact(film, time, glow, cell.world, Infinity, (rows, at) => {
    const impact = film.impact(rows, at);
    const bodies = [impact.body, impact.other];
    if (Number.isNaN(impact.centre[0][0]) || drawn++ >= MOST_INSTANTS) {
      return;
    }
    const radii = bodies.map((body) => (body >= 0 ? film.body(tick, cell.world, body).radius * cell.scale : 0));
    const reach = Math.max(8, ...radii);
    const fastest = Math.max(...[...impact.before, ...impact.after].map(([vx, vy]) => Math.hypot(vx, vy) || 0));
    const scale = fastest > 0 ? ARROW * reach / fastest : 0;
    bodies.forEach((body, side) => {
      if (body >= 0) {
        drawSide(ctx, cell, theme, impact.centre[side], radii[side], impact.before[side], impact.after[side], scale);
      }
    });
    drawNormal(ctx, cell, theme, impact, 1.3 * reach);
  });
}

export function drawMoving(ctx, film, cells, time, theme, look) {
  const many = film.bodies * cells.length > 500;
  const frame = Math.min(Math.floor(time), film.frames.length - 1);
  for (const cell of cells) {
    within(ctx, cell, () => {
      if (look.trails && !many) {
        drawTrails(ctx, film, cell, time, theme);
      }
      if (look.ghosts) {
        for (const ghosts of shownGhosts(film, time, cell.world, look.generation ?? "last")) {
          drawFutures(ctx, film, cell, ghosts, time - frame, theme);
        }
      }
      if (many) {
        drawMany(ctx, film, cell, time, theme);
      } else {
        drawFew(ctx, film, cell, time, theme);
      }
      if (look.marks && film.bodies <= 2000) {
        drawMarks(ctx, film, cell, time, theme);
      }
      if (look.instants) {
        drawInstants(ctx, film, cell, time, theme, look.glow);
      }
      if (cell.world === look.world && look.body >= 0) {
        const body = between(film, time, cell.world, look.body);
        if (body.there) {
          ctx.strokeStyle = theme.text;
          ctx.lineWidth = 1.5;
          ctx.beginPath();
          ctx.arc(toX(cell, body.x), toY(cell, body.y), Math.max(3, body.radius * cell.scale) + 2, 0, 2 * Math.PI);
          ctx.stroke();
        }
      }
    });
  }
}

// A graph of numbers over all frames, with a mark at the current time.
export function drawChart(canvas, lines, now, colours, theme) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (width === 0) {
    return;
  }
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  let low = Infinity;
  let high = -Infinity;
  for (const line of lines) {
    for (const value of line) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (!(high > low)) {
    low -= 1;
    high += 1;
  }
  const count = lines[0].length;
  const x = (k) => (count > 1 ? 1 + k / (count - 1) * (width - 2) : 1);
  lines.forEach((line, which) => {
    ctx.strokeStyle = colours[which];
    ctx.beginPath();
    const stride = Math.max(1, Math.floor(count / 600));
    for (let k = 0; k < count; k += stride) {
      ctx.lineTo(x(k), height - 2 - (line[k] - low) / (high - low) * (height - 4));
    }
    ctx.stroke();
  });
  ctx.strokeStyle = theme.faint;
  ctx.beginPath();
  ctx.moveTo(x(now), 0);
  ctx.lineTo(x(now), height);
  ctx.stroke();
}
