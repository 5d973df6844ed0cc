// SPDX-License-Identifier: MIT
// What the pointer does on the stage, by the tool that is chosen, and what of it is drawn while it does.
import {findAt, outlinesOf} from "./scene_edit.js";

const FLIGHT = 10; // a body that is thrown would be at the arrow's end after so many ticks
const NEAR = 10; // pixels
const EXAMPLE = 6; // corners of a polygon that is added

export class Hand {
  /**
   * @param {object} bench the page: viewer, tool, side, sceneAt(world), dt(), change(method, ...args)
   */
  constructor(bench) {
    this.bench = bench;
    /** What is being done: {tool, from, to, ...}; null: nothing. */
    this.doing = null;
    /** What is selected of a scene: a thing as scene_edit.js finds it. */
    this.chosen = null;
  }

  get film() {
    return this.bench.viewer.film;
  }

  placesOf(world) {
    const {frame} = this.bench.viewer;
    return Array.from({length: this.film.bodies}, (_, k) => this.film.body(frame, world, k));
  }

  /** The nearest body under the pointer, or -1. */
  bodyAt({x, y, world, scale}, touch) {
    let best = -1;
    let least = (touch ? 2 : 1) * NEAR / scale;
    this.placesOf(world).forEach((body, k) => {
      const beyond = Math.hypot(body.x - x, body.y - y) - body.radius;
      if (body.there && beyond < least) {
        least = beyond;
        best = k;
      }
    });
    return best;
  }

  press(at, event) {
    const {tool, viewer, side} = this.bench;
    const touch = event.pointerType === "touch";
    const doing = {tool, from: at, to: at, world: at.world};
    switch (tool) {
    case "move":
    case "throw": {
      const body = this.bodyAt(at, touch);
      if (body < 0) {
        return false;
      }
      viewer.show(at.world, body);
      viewer.setPlaying(false);
      this.doing = {...doing, body};
      return true;
    }
    case "edit": {
      const scene = this.bench.sceneAt(at.world);
      const found = scene && findAt(scene, this.placesOf(at.world), at.x, at.y, (touch ? 2 : 1) * NEAR / at.scale);
      this.chosen = found;
      this.bench.showChosen();
      if (!found) {
        return false;
      }
      if (found.kind === "body") {
        viewer.show(at.world, found.index);
      }
      viewer.setPlaying(false);
      this.doing = {...doing, found};
      return true;
    }
    case "body":
    case "wall":
    case "polygon":
      if (!this.bench.sceneAt(at.world)) {
        return false;
      }
      viewer.setPlaying(false);
      this.doing = doing;
      return true;
    case "steer": {
      if (side === null) {
        return false;
      }
      const body = this.bodyAt(at, touch);
      if (side.game === "stones") {
        if (body < 0 || !side.owns(body)) {
          return false;
        }
        viewer.show(at.world, body);
        this.doing = {...doing, body};
        return true;
      }
      if (body >= 0 && side.owns(body) && side.how.units > 1) {
        side.choose(body - side.bodyOf(0));
      } else {
        side.point(at.x, at.y);
      }
      this.bench.showSide();
      this.doing = doing;
      return true;
    }
    default:
      return false;
    }
  }

  move(at) {
    if (this.doing === null || at.world !== this.doing.world) {
      return;
    }
    this.doing.to = at;
    if (this.doing.tool === "steer" && this.bench.side?.game !== "stones") {
      this.bench.side?.point(at.x, at.y);
    }
  }

  /** How far the pointer has gone, in the world's units. */
  get way() {
    const {from, to} = this.doing;
    return [to.x - from.x, to.y - from.y];
  }

  release() {
    const {doing, bench} = this;
    if (doing === null) {
      return;
    }
    const [dx, dy] = this.way;
    const moved = Math.hypot(dx, dy) * doing.from.scale > 3;
    this.doing = null;
    const {world, from, to} = doing;
    switch (doing.tool) {
    case "move":
    case "throw": {
      const {x, y, vx, vy} = this.placesOf(world)[doing.body];
      if (moved) {
        const [wx, wy] = this.thrown(dx, dy);
        bench.change("put", world, doing.body,
                     doing.tool === "move" ? {x: x + dx, y: y + dy, vx, vy} : {x, y, vx: wx, vy: wy});
      }
      break;
    }
    case "edit":
      if (moved) {
        bench.change("edit", world, "moved", doing.found, dx, dy);
      }
      break;
    case "body": {
      const [vx, vy] = moved ? this.thrown(dx, dy) : [0, 0];
      bench.change("edit", world, "added", "body", {...this.likeOthers(world), x: from.x, y: from.y, vx, vy});
      break;
    }
    case "wall":
      if (moved) {
        bench.change("edit", world, "added", "wall", {a: [from.x, from.y], b: [to.x, to.y]});
      }
      break;
    case "polygon":
      if (moved) {
        bench.change("edit", world, "added", "polygon", {corners: this.corners(from, to)});
      }
      break;
    case "steer":
      if (bench.side?.game === "stones" && moved) {
        bench.side.flick(doing.body, dx, dy);
        bench.viewer.setPlaying(true);
      }
      break;
    }
  }

  /** The velocity that takes a body along (dx, dy) in its flight. */
  thrown(dx, dy) {
    const time = FLIGHT * this.bench.dt();
    return [dx / time, dy / time];
  }

  /** A body as the others of the scene are: the size of the last one. */
  likeOthers(world) {
    const scene = this.bench.sceneAt(world);
    const last = {...scene.body, ...scene.bodies[scene.bodies.length - 1]};
    const {radius = 1, mass = 1, restitution = 1, ax = 0, ay = 0} = last;
    return {radius, mass, restitution, ax, ay};
  }

  corners(from, to) {
    const radius = Math.hypot(to.x - from.x, to.y - from.y);
    const turn = Math.atan2(to.y - from.y, to.x - from.x);
    return Array.from({length: EXAMPLE}, (_, k) => {
      const angle = turn + 2 * Math.PI * k / EXAMPLE;
      return [from.x + radius * Math.cos(angle), from.y + radius * Math.sin(angle)];
    });
  }

  // ---- drawing ----

  /** Draws over the worlds: what is being done, points to grab, targets. */
  draw(ctx, cells, theme) {
    for (const cell of cells) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(cell.left, cell.top, cell.width, cell.height);
      ctx.clip();
      const to = (x, y) => [cell.mx + (x - cell.cx) * cell.scale, cell.my + cell.sign * (y - cell.cy) * cell.scale];
      if (this.bench.tool === "edit") {
        this.drawPoints(ctx, cell, to, theme);
      }
      if (this.bench.side !== null && cell.world === 0) {
        this.drawTargets(ctx, to, theme);
      }
      if (this.doing !== null && this.doing.world === cell.world) {
        this.drawDoing(ctx, cell, to, theme);
      }
      ctx.restore();
    }
  }

  drawPoints(ctx, cell, to, theme) {
    const scene = this.bench.sceneAt(cell.world);
    if (!scene) {
      return;
    }
    for (const {kind, index, points} of outlinesOf(scene)) {
      points.forEach(([x, y], part) => {
        const [px, py] = to(x, y);
        const chosen = this.chosen?.kind === kind && this.chosen.index === index &&
          (this.chosen.part === part || this.chosen.part < 0);
        ctx.fillStyle = chosen ? theme.impact : theme.ground;
        ctx.strokeStyle = theme.text;
        ctx.lineWidth = 1.5;
        ctx.beginPath();
        ctx.rect(px - 4, py - 4, 8, 8);
        ctx.fill();
        ctx.stroke();
      });
    }
  }

  drawTargets(ctx, to, theme) {
    const {side} = this.bench;
    if (!side.aimed || side.game === "stones") {
      return;
    }
    side.units.forEach(({x, y, does}, k) => {
      const [px, py] = to(x, y);
      ctx.strokeStyle = ctx.fillStyle = theme.text;
      ctx.lineWidth = k === side.active || side.units.length === 1 ? 2.5 : 1;
      ctx.beginPath();
      ctx.arc(px, py, 9, 0, 2 * Math.PI);
      ctx.moveTo(px - 13, py);
      ctx.lineTo(px + 13, py);
      ctx.moveTo(px, py - 13);
      ctx.lineTo(px, py + 13);
      ctx.stroke();
      ctx.font = "12px sans-serif";
      ctx.textAlign = "left";
      ctx.fillText(side.units.length > 1 ? `${k + 1} ${does}` : does, px + 12, py - 10);
    });
  }

  drawDoing(ctx, cell, to, theme) {
    const {doing} = this;
    const [dx, dy] = this.way;
    ctx.strokeStyle = theme.impact;
    ctx.lineWidth = 2;
    const arrow = (x, y, ex, ey) => {
      const [ax, ay] = to(x, y);
      const [bx, by] = to(ex, ey);
      const turn = Math.atan2(by - ay, bx - ax);
      ctx.beginPath();
      ctx.moveTo(ax, ay);
      ctx.lineTo(bx, by);
      for (const side of [-1, 1]) {
        ctx.moveTo(bx, by);
        ctx.lineTo(bx - 10 * Math.cos(turn + 0.4 * side), by - 10 * Math.sin(turn + 0.4 * side));
      }
      ctx.stroke();
    };
    const circle = (x, y, radius) => {
      ctx.beginPath();
      ctx.arc(...to(x, y), Math.max(2, radius * cell.scale), 0, 2 * Math.PI);
      ctx.stroke();
    };
    const body = doing.body === undefined ? null : this.placesOf(doing.world)[doing.body];
    switch (doing.tool) {
    case "move":
      circle(body.x + dx, body.y + dy, body.radius);
      break;
    case "throw":
      arrow(body.x, body.y, body.x + dx, body.y + dy);
      break;
    case "steer":
      if (body !== null) {
        arrow(body.x, body.y, body.x - dx, body.y - dy);
      }
      break;
    case "body":
      circle(doing.from.x, doing.from.y, this.likeOthers(doing.world).radius);
      arrow(doing.from.x, doing.from.y, doing.to.x, doing.to.y);
      break;
    case "wall":
      this.line(ctx, to, [[doing.from.x, doing.from.y], [doing.to.x, doing.to.y]], false);
      break;
    case "polygon":
      this.line(ctx, to, this.corners(doing.from, doing.to), true);
      break;
    case "edit": {
      const {kind, index, part} = doing.found;
      if (kind === "body") {
        const at = this.placesOf(doing.world)[index];
        circle(at.x + dx, at.y + dy, at.radius);
        break;
      }
      const outline = outlinesOf(this.bench.sceneAt(doing.world)).find((o) => o.kind === kind && o.index === index);
      this.line(ctx, to, outline.points.map(([x, y], k) => (part < 0 || part === k ? [x + dx, y + dy] : [x, y])),
                outline.closed);
      break;
    }
    }
  }

  line(ctx, to, points, closed) {
    ctx.beginPath();
    points.forEach(([x, y]) => ctx.lineTo(...to(x, y)));
    if (closed) {
      ctx.closePath();
    }
    ctx.stroke();
  }
}
