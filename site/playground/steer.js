// SPDX-License-Identifier: MIT
// A side that a human plays: what the page knows of its wishes (orders), and the numbers that the game takes for them.

/**
 * What a game tells of a world while its numbers are made.
 * @typedef {object} Seen
 * @property {(name: string) => ArrayLike<number>} field the field of that name
 * @property {(name: string, kind: string) => ArrayLike<number>} policy what a built-in policy would do for the player
 * @property {Record<string, any> | null} scene
 * @property {Record<string, number>} options of the game
 */

/** @typedef {{kind: string, numbers: number[]}} Acts a kind of action and the numbers of one player */

const SHIELD = 1048576; // CAROM_CSB_SHIELD
const BOOST = 2097152; // CAROM_CSB_BOOST
const SPELLS = {obliviate: 2, petrificus: 3, accio: 4, flipendo: 5}; // verbs of the kind `referee`
const MANA = {obliviate: 5, petrificus: 10, accio: 20, flipendo: 20};
const SNAFFLE = 4; // the first slot of one
const BLUDGER = 11;

/** What a side of a game steers: units, and what each may do in addition to moving. */
export const STEERED = {
  csb: {unit: "pod", units: 2, does: ["shield", "boost"], power: {label: "Thrust", most: 200, usual: 100}},
  fantastic_bits: {unit: "wizard", units: 2, does: ["throw", ...Object.keys(SPELLS)],
                   power: {label: "Power", most: 150, usual: 150}},
  soccer: {unit: "robot", units: 0, does: ["kick", "dribble"], power: null},
  stones: {unit: "stone", units: 0, does: [], power: null},
  fall: {unit: "ball", units: 1, does: [], power: null},
};

/** The bodies of a scene that a player acts with. */
export function actorsOf(scene, player) {
  return scene.bodies.map((own, k) => ({...scene.body, ...own, k}))
    .filter((body) => body.acts && (body.player ?? 0) === player && body.mass !== "infinite").map((body) => body.k);
}

/** May this wizard's spell be cast on a slot? Other targets lose the game. */
export function mayCast(spell, wizard, slot, alive) {
  if (slot >= BLUDGER) {
    return true;
  }
  if (slot >= SNAFFLE) {
    return spell !== "obliviate" && alive[slot - SNAFFLE] !== 0;
  }
  return slot >= 0 && Math.floor(slot / 2) !== Math.floor(wizard / 2) && ["petrificus", "flipendo"].includes(spell);
}

function podsOf(orders) {
  return orders.units.flatMap(({x, y, power, does}) =>
    [Math.round(x), Math.round(y), does === "shield" ? SHIELD : does === "boost" ? BOOST : power]);
}

/** A command that the referee would call bad is a move instead: a slip of the hand loses no game. */
function wizardsOf(orders, seen) {
  const player = orders.player;
  const [hold, alive, mana] = ["hold", "alive", "mana"].map((name) => seen.field(name));
  const snaffles = seen.field("snaffles")[0];
  let left = mana[player];
  return orders.units.flatMap(({x, y, power, does, target}, k) => {
    const wizard = 2 * player + k;
    if (does in SPELLS && left >= MANA[does] && mayCast(does, wizard, target, alive)) {
      left -= MANA[does];
      return [SPELLS[does], target < BLUDGER ? target : target - BLUDGER + SNAFFLE + snaffles, 0, 0];
    }
    const throws = does === "throw" && hold[wizard] >= 0;
    return [throws ? 1 : 0, Math.round(x), Math.round(y), throws ? 500 : power];
  });
}

const clamped = (value) => Math.max(-1, Math.min(1, value));

/** The chosen robot goes to the pointer and faces it; the others do what the built-in striker would. */
function robotsOf(orders, seen) {
  const player = orders.player;
  const numbers = Array.from(seen.policy("striker", "normalised"));
  const robots = seen.options.robots;
  const {unit, x, y, does} = orders;
  const body = player * robots + unit;
  const dx = x - seen.field("x")[body];
  const dy = y - seen.field("y")[body];
  const turn = Math.atan2(dy, dx) - seen.field("angle")[body];
  const error = turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  const far = Math.hypot(dx, dy);
  const speed = far > 0 ? Math.min(1, 2 * far) / far : 0;
  const sign = player === 0 ? 1 : -1; // in axes in which the player attacks +x
  const own = [sign * speed * dx, sign * speed * dy, clamped(error), does === "kick" ? 1 : 0, does === "dribble" ? 1 : 0];
  numbers.splice(5 * unit, 5, ...own);
  return numbers;
}

function sceneOf(orders, seen) {
  const places = ["x", "y"].map((name) => seen.field(name));
  return actorsOf(seen.scene, orders.player).flatMap((body) => {
    if (orders.x === null) {
      return [0, 0];
    }
    const radius = seen.scene.bodies[body].radius ?? seen.scene.body?.radius ?? 1;
    const dx = orders.x - places[0][body];
    const dy = orders.y - places[1][body];
    const far = Math.hypot(dx, dy);
    const share = far > 0 ? Math.min(1, far / (4 * radius)) / far : 0; // slower where it is nearly there
    return [share * dx, share * dy];
  });
}

/**
 * The numbers for what a human wants.
 *
 * Orders have a player, and
 *     csb, fantastic_bits   units: for each pod or wizard x, y, power, does (a name in STEERED, or "") and, for spells,
 *                           target, the slot of a body
 *     soccer                unit: a robot; x, y, does
 *     stones                push: {stone, course, speed, curve} or null
 *     fall, scenes          x, y; x null: nothing
 *
 * @param {string} game its name; "scene" for scenes
 * @param {Record<string, any>} orders
 * @param {Seen} seen
 * @returns {Acts}
 */
export function actsOf(game, orders, seen) {
  switch (game) {
  case "csb":
    return {kind: "referee", numbers: podsOf(orders)};
  case "fantastic_bits":
    return {kind: "referee", numbers: wizardsOf(orders, seen)};
  case "soccer":
    return {kind: "normalised", numbers: robotsOf(orders, seen)};
  case "stones": {
    const push = orders.push;
    return {kind: "push", numbers: push ? [push.stone, push.course, push.speed, push.curve] : [-1, 0, 0, 0]};
  }
  case "fall": {
    if (orders.x === null) {
      return {kind: "normalised", numbers: [0, 0]};
    }
    const dx = orders.x - seen.field("x")[0];
    const dy = orders.y - seen.field("y")[0];
    return {kind: "normalised", numbers: [clamped(dx), clamped(dy)]};
  }
  default:
    return {kind: "normalised", numbers: sceneOf(orders, seen)};
  }
}

/**
 * A flick: the way of the pointer from a stone, against which it goes, as from a catapult.
 * @param {number} scale what a unit of the way gives in speed
 * @param {number} most speed
 */
export function flickOf(dx, dy, scale, most) {
  return {course: Math.atan2(-dy, -dx), speed: Math.min(most, Math.hypot(dx, dy) * scale)};
}
