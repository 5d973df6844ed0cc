// SPDX-License-Identifier: MIT
// Colours and styles of films that are made in the page: those of the command's pictures (kernel/picture/picture.c), which
// tests/themes.test.mjs holds against them.

/** In the order of carom_look_style. */
export const STYLES = ["plain", "first", "second", "third", "fourth", "ball", "danger", "fixed", "sensor", "wall", "field",
                       "target"];

export const LIGHT = {
  ground: "#ffffff", text: "#1c2430", faint: "#6b7684", impact: "#d0021b",
  ghost: ["#3b4cc0", "#7b9ff9", "#b0b0b0", "#ee8468", "#b40426"],
  style: ["#5b7a99", "#1769c4", "#d9542b", "#2c8a3c", "#b23a8f", "#e0a100",
          "#5c2a86", "#8a939e", "#2a9d6f", "#3a424d", "#c8d0d8", "#2a9d6f"],
};

export const DARK = {
  ground: "#10151c", text: "#e8edf2", faint: "#93a0af", impact: "#ff6b6b",
  ghost: ["#6788ee", "#9abbff", "#c9c9c9", "#f4987a", "#ff5a5a"],
  style: ["#8fb0d0", "#5aa7ff", "#ff8a5c", "#74d680", "#f07fcb", "#ffcf4a",
          "#c28cf0", "#7a8796", "#57d19f", "#b8c4d0", "#38434f", "#57d19f"],
};
