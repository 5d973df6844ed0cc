// SPDX-License-Identifier: MIT
// Ghosts, the futures of a world: selects those to show. If a planner plays, a film has futures of its search,
// generation by generation, and its plan; otherwise futures with drawn actions.

// Which of a search's generations in a film: the last, one after another during a tick, or one by its number among
// them, from 1.
export const LAST = "last";
export const IN_TURN = "turn";

function chosen(generations, part, choice) {
  const count = generations.length;
  const place = choice === LAST ? count : choice === IN_TURN ? Math.floor(part * count) + 1 : choice;
  return generations[Math.max(1, Math.min(count, place)) - 1];
}

/**
 * The ghosts to draw at a time, from bottom to top: for each player that acts in them one generation and the plan.
 * @param {import("./film.js").Film} film
 * @param {number} time in frames
 * @param {number} world
 * @param {"last" | "turn" | number} choice
 */
export function shownGhosts(film, time, world, choice) {
  const frame = Math.min(Math.floor(time), film.frames.length - 1);
  const sets = film.frames[frame].ghosts[world] ?? [];
  const wanted = new Map();
  for (const player of new Set(sets.map((set) => set.player))) {
    const generations = sets.filter((set) => set.player === player && set.generation >= 0);
    wanted.set(player, chosen(generations, time - frame, choice));
  }
  return sets.filter((set) => set.generation < 0 || set === wanted.get(set.player));
}

// The most generations of one search in a film, from a frame on: the number of choices.
export function mostGenerations(film, from = 0) {
  let most = 0;
  for (const frame of film.frames.slice(from)) {
    for (const sets of Object.values(frame.ghosts)) {
      for (const player of new Set(sets.map((set) => set.player))) {
        most = Math.max(most, sets.filter((set) => set.player === player && set.generation >= 0).length);
      }
    }
  }
  return most;
}

// Rows for a panel: [name, value].
export function ghostRows(film, time, world, choice) {
  const rows = [];
  for (const set of shownGhosts(film, time, world, choice)) {
    const best = String(Math.max(...set.returns));
    if (set.generation >= 0) {
      rows.push([`player ${set.player}, generation`, `${set.generation + 1} of ${set.generations}`],
                ["shown", `${set.count} of ${set.sequences}`], ["best return", best]);
    } else if (set.generations > 0) {
      rows.push([`player ${set.player}, plan's return`, best]);
    }
  }
  return rows;
}
