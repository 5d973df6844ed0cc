// SPDX-License-Identifier: MIT
/** Sketch 6: a wall or a circle, and a ball, slow or fast: overlap at the end of a tick, or the time of impact. */
import { digits, impact, show, wallImpact } from "./sketch.js";

const MOST = 100; // ticks that are played

const [SLOW, FAST] = [[2.4, 0.1], [9, 0.4]].map(([speed, dt]) =>
  ({ x: 1.5, y: 6.5, vx: speed, vy: -speed / 3, dt, method: "discrete" }));

const along = (p, t, v) => [p[0] + t * v[0], p[1] + t * v[1]];
const dot = (u, v) => u[0] * v[0] + u[1] * v[1];

/** When in this tick the ball at p meets the obstacle, by the method chosen: { t, nx, ny }; t is Infinity if never. */
function hitInTick(s, p, v, carom) {
  const end = along(p, s.dt, v), discrete = s.method === "discrete";

  if (s.obstacle === "wall") {
    const [a, b] = [[s.ax, s.ay], [s.bx, s.by]];
    if (!discrete) return wallImpact(carom, p, v, s.r, a, b, { limit: s.dt });
    // Time runs backwards from the end of the tick: the depth over the normal speed.
    const found = wallImpact(carom, end, v, s.r, a, b, { limit: s.dt, detection: "discrete" });
    return { ...found, t: s.dt + found.t };
  }

  const centre = [s.cx, s.cy], sum = s.r + s.cr, start = discrete ? end : p;
  const relative = [centre[0] - start[0], centre[1] - start[1]], back = [-v[0], -v[1]];
  if (discrete && dot(relative, relative) >= sum * sum) return { t: Infinity };
  const { t, xj, yj } = impact(carom, relative, back, sum, discrete ? "backward" : "fast");
  const time = discrete ? s.dt + t : t;
  if (!(time >= 0 && time <= s.dt)) return { t: Infinity };
  return { t: time, nx: -xj / sum, ny: -yj / sum };
}

/** Turns the part of a velocity along the normal around, times e; the part along the wall stays. */
function bounced(v, n, e) {
  const normal = dot(v, n);
  return [v[0] - (1 + e) * normal * n[0], v[1] - (1 + e) * normal * n[1]];
}

/** Plays tick after tick until the ball has left the picture. */
function play(s, carom) {
  let p = [s.x, s.y], v = [s.vx, s.vy];
  const places = [p], hits = [];
  while (places.length <= MOST && p[0] > -1 && p[0] < 17 && p[1] > -1 && p[1] < 10) {
    const hit = hitInTick(s, p, v, carom);
    if (hit.t <= s.dt) {
      const place = along(p, hit.t, v), before = v;
      v = bounced(v, [hit.nx, hit.ny], s.e);
      hits.push({ tick: places.length, t: hit.t, place, n: [hit.nx, hit.ny], before, after: v });
      p = along(place, s.dt - hit.t, v);
    } else {
      p = along(p, s.dt, v);
    }
    places.push(p);
  }
  return { places, hits };
}

/** Where the ball is, seen from the wall, at the end of the tick in which it reaches it: what the sign trick needs. */
function signs(s, places, hits) {
  const tick = hits.length ? hits[0].tick : 1, p = places[tick - 1], v = [s.vx, s.vy];
  const way = [s.bx - s.ax, s.by - s.ay], length = Math.hypot(...way);
  let n = [way[1] / length, -way[0] / length];
  if (dot([p[0] - s.ax, p[1] - s.ay], n) < 0) n = [-n[0], -n[1]];
  const end = along(p, s.dt, v);
  return { d: dot([end[0] - s.ax, end[1] - s.ay], n) - s.r, vn: dot(v, n), tick };
}

export const sketch = {
  name: "wall",
  view: [0, 0, 16, 9],
  start: {
    ...FAST, r: 0.5, e: 0.8, obstacle: "wall",
    ax: 11, ay: 8, bx: 9.5, by: 1, cx: 10, cy: 3.6, cr: 0.7,
  },

  handles: (s) => [
    { name: "ball", x: s.x, y: s.y, radius: s.r, to: (x, y) => ({ x, y }) },
    { name: "velocity of the ball", x: s.x + s.vx / 4, y: s.y + s.vy / 4,
      to: (x, y) => ({ vx: 4 * (x - s.x), vy: 4 * (y - s.y) }) },
    ...(s.obstacle === "wall"
      ? [
        { name: "one end of the wall", x: s.ax, y: s.ay, to: (x, y) => ({ ax: x, ay: y }) },
        { name: "other end of the wall", x: s.bx, y: s.by, to: (x, y) => ({ bx: x, by: y }) },
      ]
      : [{ name: "circle", x: s.cx, y: s.cy, radius: s.cr, to: (x, y) => ({ cx: x, cy: y }) }]),
  ],

  controls: [
    { key: "method", label: "look for", options: { discrete: "overlap at a tick's end", swept: "time of impact" } },
    { key: "obstacle", label: "obstacle", options: { wall: "wall", circle: "circle" } },
    { key: "dt", label: "length of a tick", min: 0.02, max: 0.5, step: 0.01, unit: "s" },
    { key: "e", label: "restitution", min: 0, max: 1, step: 0.05 },
    { label: "slow ball, wall", set: { ...SLOW, obstacle: "wall" } },
    { label: "slow ball, circle", set: { ...SLOW, obstacle: "circle" } },
    { label: "fast ball, wall", set: { ...FAST, obstacle: "wall" } },
    { label: "fast ball, circle", set: { ...FAST, obstacle: "circle" } },
  ],

  numbers(s, carom) {
    const { places, hits } = play(s, carom), swept = play({ ...s, method: "swept" }, carom);
    const missed = hits.length === 0 && swept.hits.length > 0;
    return { places, hits, missed, signs: signs(s, swept.places, swept.hits) };
  },

  draw(pen, s, n) {
    if (s.obstacle === "wall") pen.line(s.ax, s.ay, s.bx, s.by, { line: "ink", width: 3 });
    else pen.circle(s.cx, s.cy, s.cr, { line: "b", fill: "b", soft: true });

    const way = [n.places[0], ...n.places.slice(1).flatMap((p, k) =>
      [...n.hits.filter((hit) => hit.tick === k + 1).map((hit) => hit.place), p])];
    pen.curve(way, { line: n.missed ? "hit" : "a", width: 1 });
    n.places.forEach((p, k) => pen.circle(...p, s.r, { line: "a", fill: k ? "" : "a", soft: true, width: 1 }));

    for (const { place, n: normal, before, after } of n.hits) {
      const across = dot(before, normal) / 4, tip = along(place, 0.25, after);
      pen.circle(...place, s.r, { line: "hit", width: 2.5 });
      pen.curve([along(place, -0.25, before), along(place, -across, normal), place], { line: "faint", dash: [3, 3] });
      pen.curve([place, along(place, dot(after, normal) / 4, normal), tip], { line: "faint", dash: [3, 3] });
      pen.arrow(...along(place, -0.25, before), ...place, { line: "warm" });
      pen.arrow(...place, ...tip, { line: "good" });
    }
    pen.arrow(s.x, s.y, s.x + s.vx / 4, s.y + s.vy / 4, { line: "a" });
  },

  readings(s, n) {
    const { d, vn } = n.signs, rows = [];
    if (s.obstacle === "wall") {
      rows.push(["d, at the end of tick " + n.signs.tick, digits(d)], ["normal velocity", digits(vn)]);
      rows.push(["by the signs", vn >= 0 ? "no impact: it does not approach" : d > 0 ? "not in this tick: no division"
        : d < vn * s.dt ? "before this tick" : `in this tick, ${digits(d / vn, 3)} s before its end`]);
    }
    for (const hit of n.hits) {
      rows.push([`impact in tick ${hit.tick}`, `${digits(hit.t, 3)} s after its start; speed ` +
        `${digits(Math.hypot(...hit.before))} → ${digits(Math.hypot(...hit.after))}`]);
    }
    return rows;
  },

  tell(s, n) {
    if (n.missed) {
      return "Tunnelling: at the end of no tick do the two overlap, so the impact is missed. " +
        "Make the tick shorter, or look for the time of impact.";
    }
    if (n.hits.length === 0) return "The ball passes by: there is no impact to find.";
    return s.method === "discrete"
      ? "An overlap was found at the end of a tick, and time turned back to the moment of contact (red)."
      : "The time of impact was computed; it is found whatever the length of the tick.";
  },
};

show(sketch);
