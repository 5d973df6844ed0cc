// SPDX-License-Identifier: MIT
// The seats: a list for each player.

const BUDGETS = [200, 1000, 4000]; // futures that a planner tries for a turn
const PLANNERS = {cem: "cross-entropy", shooting: "random shooting", genetic: "genetic", mppi: "path integral"};

/**
 * The players for a side: value and text.
 * @param {{policies: string[]}} game
 * @returns {[string, string][]}
 */
export function choicesOf(game) {
  return [
    ["human", "you"], ["zero", "nobody"], ...game.policies.map((name) => [name, name]),
    ...Object.entries(PLANNERS).flatMap(([planner, text]) =>
      BUDGETS.map((budget) => [`${planner}:${budget}`, `planner: ${text}, ${budget}`])),
  ];
}

/**
 * Fills an element with a list for each player.
 * @param {HTMLElement} into
 * @param {{players: number, policies: string[]}} game
 * @param {string[]} chosen
 * @param {(seats: string[]) => void} onChange
 */
export function showSeats(into, game, chosen, onChange) {
  into.replaceChildren();
  const lists = Array.from({length: game.players}, (_, player) => {
    const label = document.createElement("label");
    label.textContent = game.players === 1 ? "Player " : `Player ${player + 1} `;
    const list = document.createElement("select");
    list.dataset.seat = String(player);
    choicesOf(game).forEach(([value, text]) => list.add(new Option(text, value)));
    list.value = chosen[player];
    list.addEventListener("change", () => onChange(lists.map((l) => l.value)));
    label.append(list);
    into.append(label);
    return list;
  });
}

/** The default players: the first built-in policy on each side. */
export const usualSeats = (game) => Array(game.players).fill(game.policies[0] ?? "zero");
