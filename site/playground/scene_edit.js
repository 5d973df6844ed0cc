// SPDX-License-Identifier: MIT
// Editing a scene: the object that a scene's JSON text stands for (docs/scenes.md), and what a hand does to it. Every
// function gives a new scene and leaves its argument alone, so that undoing is to go back to an old one.

/** @typedef {Record<string, any>} Scene */
/** @typedef {{x: number, y: number, vx: number, vy: number, there: boolean}} Place where a body is now */
/** @typedef {{kind: "body" | "wall" | "polygon", index: number, part: number}} Found
 *  part: of a wall 0 its end a, 1 its end b, -1 all of it; of a polygon a corner, or -1; of a body 0 */

/** What a scene may have here: the page has to play it while somebody watches. */
export const LIMITS = {text: 1 << 20, bodies: 5000, walls: 5000, corners: 5000, arcs: 1000};

const BODY = {x: 0, y: 0, vx: 0, vy: 0, radius: 1, mass: 1, restitution: 1, ax: 0, ay: 0};
const SPREADS = ["x_spread", "y_spread", "vx_spread", "vy_spread"];

const length = (list) => (Array.isArray(list) ? list.length : 0);

/**
 * A scene out of text that anybody may have written; the engine checks what the numbers mean.
 * @param {string} text
 * @returns {Scene}
 */
export function sceneOf(text) {
  if (text.length > LIMITS.text) {
    throw new Error(`The scene has ${text.length} characters; this page takes at most ${LIMITS.text}.`);
  }
  let scene;
  try {
    scene = JSON.parse(text);
  } catch (error) {
    throw new Error(`The scene is not JSON: ${error.message}`);
  }
  if (scene === null || typeof scene !== "object" || Array.isArray(scene)) {
    throw new Error("The scene is not a JSON object.");
  }
  const corners = (Array.isArray(scene.polygons) ? scene.polygons : []).reduce((n, p) => n + length(p?.corners), 0);
  const counts = {bodies: length(scene.bodies), walls: length(scene.walls), corners, arcs: length(scene.arcs)};
  for (const [name, count] of Object.entries(counts)) {
    if (count > LIMITS[name]) {
      throw new Error(`The scene has ${count} ${name}; this page takes at most ${LIMITS[name]}.`);
    }
  }
  if (counts.bodies === 0) {
    throw new Error("The scene has no bodies.");
  }
  return scene;
}

/** The text of a scene: one body, wall or polygon a line. */
export function textOf(scene) {
  const line = (value) => JSON.stringify(value);
  const rows = Object.entries(scene).map(([key, value]) => {
    if (!Array.isArray(value) || value.length === 0 || typeof value[0] !== "object") {
      return `  ${line(key)}: ${line(value)}`;
    }
    return `  ${line(key)}: [\n${value.map((item) => `    ${line(item)}`).join(",\n")}\n  ]`;
  });
  return `{\n${rows.join(",\n")}\n}\n`;
}

/** A body with all its numbers: its own, else those of the scene's "body", else the engine's. */
export function bodyOf(scene, index) {
  return {...BODY, ...scene.body, ...scene.bodies[index]};
}

const isFixed = (body) => body.mass === "infinite";

/** The ends of a wall: [[x, y], [x, y]]. */
export function endsOf(scene, index) {
  const wall = {...scene.wall, ...scene.walls[index]};
  return [wall.a ?? [wall.ax ?? 0, wall.ay ?? 0], wall.b ?? [wall.bx ?? 0, wall.by ?? 0]];
}

const replaced = (list, index, item) => list.map((old, k) => (k === index ? item : old));

// ---- finding ----

const apart = (x, y, [px, py]) => Math.hypot(x - px, y - py);

function fromSegment(x, y, [ax, ay], [bx, by]) {
  const dx = bx - ax;
  const dy = by - ay;
  const long = dx * dx + dy * dy;
  const t = long > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / long)) : 0;
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

/**
 * The thing at a point: a body that covers it, else the nearest end or corner within `reach`, else the nearest wall or
 * outline.
 * @param {Scene} scene
 * @param {Place[]} places where the bodies are now
 * @returns {Found | null}
 */
export function findAt(scene, places, x, y, reach) {
  let best = null;
  let least = Infinity;
  const offer = (kind, index, part, distance) => {
    if (distance < least) {
      least = distance;
      best = {kind, index, part};
    }
  };
  places.forEach((place, k) => {
    const distance = Math.hypot(x - place.x, y - place.y);
    if (place.there && distance <= Math.max(bodyOf(scene, k).radius, reach)) {
      offer("body", k, 0, distance);
    }
  });
  if (best !== null) {
    return best;
  }
  const outlines = outlinesOf(scene);
  for (const {kind, index, points} of outlines) {
    points.forEach((point, part) => {
      const distance = apart(x, y, point);
      if (distance <= reach) {
        offer(kind, index, part, distance);
      }
    });
  }
  if (best !== null) {
    return best;
  }
  for (const {kind, index, points, closed} of outlines) {
    for (let k = closed ? 0 : 1; k < points.length; k++) {
      const distance = fromSegment(x, y, points[(k + points.length - 1) % points.length], points[k]);
      if (distance <= reach) {
        offer(kind, index, -1, distance);
      }
    }
  }
  return best;
}

/** Walls and polygons as lists of points. */
export function outlinesOf(scene) {
  const walls = (scene.walls ?? []).map((_, index) =>
    ({kind: "wall", index, points: endsOf(scene, index), closed: false}));
  const polygons = (scene.polygons ?? []).map(({corners}, index) =>
    ({kind: "polygon", index, points: corners ?? [], closed: true}));
  return [...walls, ...polygons];
}

// ---- changing ----

/**
 * A scene in which a wall, a polygon, or one of their points has gone by (dx, dy).
 * @param {Found} found
 */
export function moved(scene, found, dx, dy) {
  const shift = (points) => points.map(([x, y], k) =>
    (found.part < 0 || found.part === k ? [x + dx, y + dy] : [x, y]));
  if (found.kind === "wall") {
    const {ax, ay, bx, by, ...rest} = scene.walls[found.index];
    const [a, b] = shift(endsOf(scene, found.index));
    return {...scene, walls: replaced(scene.walls, found.index, {...rest, a, b})};
  }
  if (found.kind === "polygon") {
    const polygon = scene.polygons[found.index];
    return {...scene, polygons: replaced(scene.polygons, found.index, {...polygon, corners: shift(polygon.corners)})};
  }
  const body = bodyOf(scene, found.index);
  return {...scene, bodies: replaced(scene.bodies, found.index,
                                     {...scene.bodies[found.index], x: body.x + dx, y: body.y + dy})};
}

/** A scene with a body, a wall or a polygon more, at the end of its list. */
export function added(scene, kind, thing) {
  const list = {body: "bodies", wall: "walls", polygon: "polygons"}[kind];
  const most = kind === "polygon" ? LIMITS.corners : LIMITS[list];
  if (length(scene[list]) >= most) {
    throw new Error(`This page takes at most ${most} ${list}.`);
  }
  return {...scene, [list]: [...scene[list] ?? [], thing]};
}

/** A polygon with a corner more, in the middle of the edge from corner `index` to the next. */
export function withCorner(scene, polygon, index) {
  const {corners} = scene.polygons[polygon];
  const [a, b] = [corners[index], corners[(index + 1) % corners.length]];
  const more = [...corners.slice(0, index + 1), [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], ...corners.slice(index + 1)];
  return {...scene, polygons: replaced(scene.polygons, polygon, {...scene.polygons[polygon], corners: more})};
}

const RULES = {body: ["meets_body", "nears_body"], wall: ["meets_wall"], polygon: ["meets_polygon"]};

/** Does something in the scene call this by its number, or another of its list? Then nothing may leave the list. */
function isCounted(scene, kind) {
  const rules = scene.rules ?? [];
  if (kind !== "body") {
    return rules.some((rule) => RULES[kind].includes(rule.kind));
  }
  return rules.length > 0 || length(scene.views) > 0 || scene.reward?.body !== undefined ||
    scene.final_value?.body !== undefined;
}

/**
 * A scene without a thing. Of a polygon's corner only that goes, while three are left. What rules call by number stays.
 * @param {Found} found
 */
export function removed(scene, found) {
  if (found.kind === "polygon" && found.part >= 0 && scene.polygons[found.index].corners.length > 3) {
    const polygon = scene.polygons[found.index];
    const corners = polygon.corners.filter((_, k) => k !== found.part);
    return {...scene, polygons: replaced(scene.polygons, found.index, {...polygon, corners})};
  }
  if (isCounted(scene, found.kind)) {
    throw new Error(`Rules of this scene call each ${found.kind} by its number: none can be removed.`);
  }
  const list = {body: "bodies", wall: "walls", polygon: "polygons"}[found.kind];
  if (list === "bodies" && scene.bodies.length === 1) {
    throw new Error("A scene has at least one body.");
  }
  return {...scene, [list]: scene[list].filter((_, k) => k !== found.index)};
}

/**
 * The scene with its bodies where they are now: what begins from here on.
 * @param {Place[]} places
 */
export function settled(scene, places) {
  const bodies = scene.bodies.map((body, k) => {
    const place = places[k];
    const now = {...body, inactive: !place.there};
    if (place.there) {
      Object.assign(now, {x: place.x, y: place.y});
      if (!isFixed(bodyOf(scene, k))) {
        Object.assign(now, {vx: place.vx, vy: place.vy});
      }
    }
    for (const name of SPREADS) {
      if (bodyOf(scene, k)[name]) {
        now[name] = 0;
      }
    }
    if (!now.inactive && !scene.body?.inactive) {
      delete now.inactive;
    }
    return now;
  });
  return {...scene, bodies};
}

/** What can be changed while a scene plays: name, least, greatest and step of a slider, and whether it is a factor. */
export const PARAMETERS = [
  {name: "restitution", label: "Restitution", least: 0, most: 1, step: 0.01, factor: false},
  {name: "gravity", label: "Gravity (downwards)", least: -20, most: 20, step: 0.1, factor: false},
  {name: "radius", label: "Radius (times)", least: 0.25, most: 2, step: 0.05, factor: true},
  {name: "speed", label: "Speed (times)", least: 0, most: 4, step: 0.05, factor: true},
];

/** The value of a parameter in a scene, for its slider: that of the first body that can move. */
export function parameterOf(scene, name) {
  const all = scene.bodies.map((_, k) => bodyOf(scene, k));
  const body = all.find((b) => !isFixed(b)) ?? all[0];
  return {restitution: body.restitution, gravity: -body.ay, radius: 1, speed: 1}[name];
}

/**
 * A scene in which a parameter has another value: restitution of all bodies, walls, outlines and sides; the downward
 * acceleration of all bodies that can move; a factor for all radii, or for all velocities.
 */
export function changed(scene, name, value) {
  const each = (change) => ({...scene, bodies: scene.bodies.map((own, k) => ({...own, ...change(bodyOf(scene, k))}))});
  switch (name) {
  case "restitution": {
    const set = (list) => list?.map((item) => ({...item, restitution: value}));
    const next = each(() => ({restitution: value}));
    for (const list of ["walls", "polygons", "arcs"]) {
      if (next[list] !== undefined) {
        next[list] = set(next[list]);
      }
    }
    return next.box === undefined ? next : {...next, box: {...next.box, restitution: value}};
  }
  case "gravity":
    return each((body) => (isFixed(body) ? {} : {ay: value === 0 ? 0 : -value}));
  case "radius":
    return each((body) => ({radius: body.radius * value}));
  case "speed":
    return each((body) => (isFixed(body) ? {} : {vx: body.vx * value, vy: body.vy * value}));
  default:
    throw new Error(`${name} is no parameter of a scene`);
  }
}
