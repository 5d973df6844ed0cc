// SPDX-License-Identifier: MIT
/** Sketch 9: a circle against a polygon. Edges shifted by the radius, and a circle around each corner. */
import { digits, polygonImpact, show } from "./sketch.js";

/** 1 where the corners go around as the hands of a clock, on a screen; -1 otherwise. */
function orientation(corners) {
  const twice = corners.reduce((sum, [x, y], k) => {
    const [nx, ny] = corners[(k + 1) % corners.length];
    return sum + x * ny - y * nx;
  }, 0);
  return twice > 0 ? 1 : -1;
}

/** The unit normal of edge k that points away from the polygon. */
function outward(corners, k) {
  const [x, y] = corners[k], [nx, ny] = corners[(k + 1) % corners.length];
  const sign = orientation(corners) / Math.hypot(nx - x, ny - y);
  return [sign * (ny - y), -sign * (nx - x)];
}

export const sketch = {
  name: "polygon",
  view: [0, 0, 16, 9],
  start: {
    corners: [[8, 2], [12.5, 1.5], [13.5, 5.5], [10.5, 4.6], [8.5, 7]],
    x: 2.2, y: 4, vx: 9, vy: 1.2, r: 0.9, grown: true,
  },

  handles: (s) => [
    { name: "circle", x: s.x, y: s.y, radius: s.r, to: (x, y) => ({ x, y }) },
    { name: "end of the circle's step", x: s.x + s.vx, y: s.y + s.vy, to: (x, y) => ({ vx: x - s.x, vy: y - s.y }) },
    ...s.corners.map(([x, y], k) => ({
      name: `corner ${k}`, x, y,
      to: (nx, ny) => ({ corners: s.corners.map((corner, m) => (m === k ? [nx, ny] : corner)) }),
    })),
  ],

  controls: [
    { key: "r", label: "radius", min: 0.1, max: 2, step: 0.1 },
    { key: "grown", label: "show the grown polygon", check: true },
    { label: "at a corner", set: { x: 2.2, y: 1.2, vx: 9, vy: 0, r: 0.9 } },
    { label: "into the notch", set: { x: 12.4, y: 8.2, vx: -2.6, vy: -4.2, r: 0.5 } },
  ],

  numbers(s, carom) {
    const { t, nx, ny, feature } = polygonImpact(carom, [s.x, s.y], [s.vx, s.vy], s.r, s.corners);
    return { t, nx, ny, feature, inStep: t <= 1 };
  },

  draw(pen, s, n) {
    const count = s.corners.length, met = n.inStep ? n.feature : -1;
    pen.curve(s.corners, { line: "b", fill: "b", soft: true, closed: true });

    s.corners.forEach((corner, k) => {
      const next = s.corners[(k + 1) % count], [ox, oy] = outward(s.corners, k);
      if (met === k) pen.line(...corner, ...next, { line: "hit", width: 3 });
      if (!s.grown) return;
      const shift = ([x, y]) => [x + s.r * ox, y + s.r * oy];
      pen.line(...shift(corner), ...shift(next), { line: met === k ? "hit" : "faint", dash: [5, 4] });
      pen.circle(...corner, s.r, { line: met === count + k ? "hit" : "faint", dash: [2, 4], width: 1 });
    });
    if (met >= count) pen.dot(...s.corners[met - count], "hit", 6);
    s.corners.forEach(([x, y], k) => pen.text(x, y, k, { dx: 8, dy: -8, colour: "b" }));

    pen.circle(s.x, s.y, s.r, { line: "a", fill: "a", soft: true });
    pen.arrow(s.x, s.y, s.x + s.vx, s.y + s.vy, { line: "a" });
    if (n.inStep) {
      const [x, y] = [s.x + n.t * s.vx, s.y + n.t * s.vy];
      pen.circle(x, y, s.r, { line: "hit", width: 2 });
      pen.dot(x - s.r * n.nx, y - s.r * n.ny, "hit", 4);
      pen.arrow(x - s.r * n.nx, y - s.r * n.ny, x + n.nx, y + n.ny, { line: "hit", width: 1.5 });
    }
  },

  readings: (s, n) => [
    ["impact in this step", n.inStep ? `t = ${digits(n.t, 4)}` : "no"],
    ["normal", n.inStep ? `(${digits(n.nx, 3)}, ${digits(n.ny, 3)})` : "none"],
    ["feature", n.inStep ? `${n.feature}, of edges 0 to ${s.corners.length - 1} and corners ${s.corners.length} to ` +
      `${2 * s.corners.length - 1}` : "none"],
  ],

  tell(s, n) {
    if (!n.inStep) return "The circle does not meet the polygon in this step.";
    const count = s.corners.length, at = `after ${digits(100 * n.t, 0)}% of its step`;
    return n.feature < count
      ? `The circle meets the edge from corner ${n.feature} to ${(n.feature + 1) % count} ${at}.`
      : `The circle meets corner ${n.feature - count} ${at}; the normal points from the corner to the centre.`;
  },
};

show(sketch);
