// SPDX-License-Identifier: MIT
/** Sketch 1: do two circles overlap? Squares are compared; no root is needed. */
import { digits, impact, show } from "./sketch.js";

export const sketch = {
  name: "overlap",
  view: [0, 0, 16, 9],
  start: { ax: 5, ay: 6, ar: 2, bx: 10, by: 3, br: 1.5 },

  handles: (s) => [
    { name: "centre of A", x: s.ax, y: s.ay, radius: s.ar, to: (x, y) => ({ ax: x, ay: y }) },
    { name: "centre of B", x: s.bx, y: s.by, radius: s.br, to: (x, y) => ({ bx: x, by: y }) },
  ],

  controls: [
    { key: "ar", label: "radius of A", min: 0.5, max: 3, step: 0.1 },
    { key: "br", label: "radius of B", min: 0.5, max: 3, step: 0.1 },
    { label: "just touching", set: { ax: 4, ay: 6, ar: 3, bx: 8, by: 3, br: 2 } },
  ],

  numbers(s, carom) {
    const dx = s.bx - s.ax, dy = s.by - s.ay, sum = s.ar + s.br;
    const squared = dx * dx + dy * dy;
    // The library's answer: if B went straight to A's centre in one unit of time, when would they touch?
    const { t } = impact(carom, [dx, dy], [-dx, -dy], sum);
    return { dx, dy, sum, squared, limit: sum * sum, overlap: squared <= sum * sum, t };
  },

  draw(pen, s, n) {
    const colour = n.overlap ? "hit" : "good";
    pen.circle(s.ax, s.ay, s.ar, { line: "a", fill: "a", soft: true });
    pen.circle(s.bx, s.by, s.br, { line: "b", fill: "b", soft: true });

    pen.line(s.ax, s.ay, s.bx, s.ay, { line: "faint", dash: [4, 3] });
    pen.line(s.bx, s.ay, s.bx, s.by, { line: "faint", dash: [4, 3] });
    pen.line(s.ax, s.ay, s.bx, s.by, { line: colour, width: 2.5 });
    pen.dot(s.ax, s.ay, "a");
    pen.dot(s.bx, s.by, "b");

    const below = s.ay >= s.by ? 12 : -12;
    pen.text((s.ax + s.bx) / 2, s.ay, `dx = ${digits(n.dx)}`, { align: "center", dy: below });
    const [dx, align] = s.bx >= s.ax ? [6, "left"] : [-6, "right"];
    pen.text(s.bx, (s.ay + s.by) / 2, `dy = ${digits(n.dy)}`, { dx, align });
    pen.text(s.ax, s.ay, "A", { dx: -12, dy: -10, bold: true, colour: "a" });
    pen.text(s.bx, s.by, "B", { dx: 8, dy: -12, bold: true, colour: "b" });
  },

  readings: (s, n) => [
    ["distance, by a root", `${digits(Math.sqrt(n.squared))} ${n.overlap ? "≤" : ">"} ${digits(n.sum)} = rA + rB`],
    ["dx² + dy²", `${digits(Math.abs(n.dx))}² + ${digits(Math.abs(n.dy))}² = ${digits(n.squared)}`],
    ["(rA + rB)²", `${digits(n.sum)}² = ${digits(n.limit)}`],
    ["overlap, by squares", `${n.overlap ? "yes" : "no"}: ${digits(n.squared)} ${n.overlap ? "≤" : ">"} ${digits(n.limit)}`],
  ],

  tell(s, n) {
    if (n.squared === n.limit) return "The circles just touch: both squares are the same.";
    if (n.overlap) return "The circles overlap: the square of the distance is less than that of the sum of the radii.";
    return "The circles are apart. If B came straight towards A, they would touch after " +
      `${digits(100 * n.t, 0)}% of the distance between the centres.`;
  },
};

show(sketch);
