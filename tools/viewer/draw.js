// SPDX-License-Identifier: MIT
// Worlds on a canvas: what stands still on one, what moves on another that lies over it.

const LINE = 0;
const CIRCLE = 1;
const TRAIL = 30; // frames
const IMPACTS = 6; // frames that a mark stays
const MOST_MARKS = 400; // of all these frames: where there are more, the older are left out
const SENSOR = "sensor";

// A cell of the grid and where a world's coordinates lie in it.
export function cellsOf(film, state, width, height) {
  const long = Math.ceil(Math.sqrt(state.grid)); // two stand side by side, or one above the other
  const wide = width >= height ? long : Math.ceil(state.grid / long);
  const high = Math.ceil(state.grid / wide);
  const first = Math.floor(state.world / state.grid) * state.grid;
  const [x0, y0, x1, y1] = film.view;
  const cells = [];
  for (let k = 0; k < state.grid && first + k < film.worlds; k++) {
    const w = width / wide;
    const h = height / high;
    const scale = Math.min(w / (x1 - x0), h / (y1 - y0)) * 0.98 * state.zoom;
    const left = (k % wide) * w;
    const top = Math.floor(k / wide) * h;
    cells.push({world: first + k, left, top, width: w, height: h, scale, sign: film.down ? 1 : -1,
                cx: state.cx, cy: state.cy, mx: left + w / 2, my: top + h / 2});
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

export function drawGround(ctx, film, cells, frame, theme, selected) {
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

function drawTrails(ctx, film, cell, frame, theme) {
  ctx.globalAlpha = 0.4;
  for (let body = 0; body < film.bodies; body++) {
    const at = film.at(cell.world, body);
    let begun = false;
    ctx.strokeStyle = theme.style[film.about[body].style];
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    for (let t = Math.max(0, frame - TRAIL); t < frame; t++) {
      if (!film.goesOn(t, cell.world, body)) {
        begun = false;
        continue;
      }
      if (!begun) {
        ctx.moveTo(toX(cell, film.frames[t].places[at]), toY(cell, film.frames[t].places[at + 1]));
        begun = true;
      }
      ctx.lineTo(toX(cell, film.frames[t + 1].places[at]), toY(cell, film.frames[t + 1].places[at + 1]));
    }
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

// The worst first, so that the best lie on top; coloured by rank.
function drawGhosts(ctx, film, cell, frame, theme) {
  const ghosts = film.frames[frame].ghosts[cell.world];
  if (ghosts === undefined) {
    return;
  }
  const order = Array.from(ghosts.returns.keys()).sort((a, b) => ghosts.returns[a] - ghosts.returns[b]);
  const first = film.styles.indexOf("first");
  const owned = film.about.some((b) => b.style === first);
  order.forEach((k, rank) => {
    const best = rank + 1 === order.length;
    ctx.strokeStyle = theme.ghost[best ? 4 : Math.floor(rank * 5 / order.length)];
    ctx.globalAlpha = best ? 1 : 0.4;
    ctx.lineWidth = best ? 2.5 : 1;
    ctx.beginPath();
    film.about.forEach((about, body) => {
      if ((owned && about.style !== first) || about.mass < 0) {
        return;
      }
      for (let t = 0; t <= ghosts.horizon; t++) {
        const at = ((k * (ghosts.horizon + 1) + t) * film.bodies + body) * 2;
        if (Number.isNaN(ghosts.paths[at])) {
          break;
        }
        const x = toX(cell, ghosts.paths[at]);
        const y = toY(cell, ghosts.paths[at + 1]);
        if (t === 0) {
          ctx.moveTo(x, y);
        } else {
          ctx.lineTo(x, y);
        }
      }
    });
    ctx.stroke();
  });
  ctx.globalAlpha = 1;
}

// Disks painted beforehand: of thousands of bodies most have few radii.
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

function drawMany(ctx, film, cell, frame, part, theme) {
  const a = film.frames[frame].places;
  const b = part > 0 && frame + 1 < film.frames.length ? film.frames[frame + 1].places : a;
  const jump = 0.2 * (film.view[2] - film.view[0]);
  for (let body = 0; body < film.bodies; body++) {
    const at = film.at(cell.world, body);
    const dx = b[at] - a[at];
    const dy = b[at + 1] - a[at + 1];
    const t = Math.abs(dx) < jump && Math.abs(dy) < jump ? part : 0;
    const x = toX(cell, a[at] + (t > 0 ? t * dx : 0));
    const y = toY(cell, a[at + 1] + (t > 0 ? t * dy : 0));
    const radius = (film.stride > 4 ? a[at + 5] : film.about[body].radius) * cell.scale;
    if (!(x > cell.left - radius && x < cell.left + cell.width + radius && y > cell.top - radius &&
          y < cell.top + cell.height + radius)) {
      continue; // those that are not there, too
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

// A body on the way to the next frame.
export function between(film, frame, part, world, body) {
  const now = film.body(frame, world, body);
  if (part > 0 && frame + 1 < film.frames.length && film.goesOn(frame, world, body)) {
    const next = film.body(frame + 1, world, body);
    const turn = next.facing - now.facing;
    now.x += part * (next.x - now.x);
    now.y += part * (next.y - now.y);
    now.facing += part * (turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI)));
  }
  return now;
}

function drawFew(ctx, film, cell, frame, part, theme) {
  for (let k = 0; k < film.bodies; k++) {
    const about = film.about[k];
    const body = between(film, frame, part, cell.world, k);
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

// The older the paler.
function drawImpacts(ctx, film, cell, frame, theme) {
  ctx.strokeStyle = theme.impact;
  ctx.lineWidth = 1.5;
  let drawn = 0;
  for (let age = 0; age < IMPACTS && age <= frame && drawn < MOST_MARKS; age++) {
    ctx.globalAlpha = 1 - age / IMPACTS;
    ctx.beginPath();
    for (const impact of film.frames[frame - age].impacts) {
      drawn++;
      if (impact.world === cell.world && !Number.isNaN(impact.x)) {
        const x = toX(cell, impact.x);
        const y = toY(cell, impact.y);
        ctx.moveTo(x - 4, y - 4);
        ctx.lineTo(x + 4, y + 4);
        ctx.moveTo(x - 4, y + 4);
        ctx.lineTo(x + 4, y - 4);
      }
    }
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

export function drawMoving(ctx, film, cells, frame, part, theme, state) {
  const many = film.bodies * cells.length > 500;
  for (const cell of cells) {
    within(ctx, cell, () => {
      if (state.trails && !many) {
        drawTrails(ctx, film, cell, frame, theme);
      }
      if (state.ghosts) {
        drawGhosts(ctx, film, cell, frame, theme);
      }
      if (many) {
        drawMany(ctx, film, cell, frame, part, theme);
      } else {
        drawFew(ctx, film, cell, frame, part, theme);
      }
      if (state.marks && film.bodies <= 2000) {
        drawImpacts(ctx, film, cell, frame, theme);
      }
      if (cell.world === state.world) {
        const body = between(film, frame, part, cell.world, state.body);
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

// A line of numbers over all frames, the place of now marked.
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
