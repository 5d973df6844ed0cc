// SPDX-License-Identifier: MIT
// Two futures side by side: where they differ first.

/** @typedef {{frame: number, body: number}} Difference body -1: no body differs, but something else of the state */

/**
 * The first frame from `from` on in which the film's worlds 0 and 1 differ, and the first body that does.
 * @param {import("../viewer/film.js").Film} film
 * @returns {Difference | null}
 */
export function firstDifference(film, from = 0) {
  for (let frame = from; frame < film.frames.length; frame++) {
    const {keys, places} = film.frames[frame];
    if (keys[0] === keys[2]) {
      continue;
    }
    for (let body = 0; body < film.bodies; body++) {
      const [a, b] = [film.at(0, body), film.at(1, body)];
      for (let k = 0; k < film.stride; k++) {
        if (!Object.is(places[a + k], places[b + k])) {
          return {frame, body};
        }
      }
    }
    return {frame, body: -1};
  }
  return null;
}

/** Follows a film that grows, is cut and grows again. */
export class Comparison {
  constructor() {
    this.film = null;
    this.seen = 0;
    /** @type {Difference | null} */
    this.found = null;
  }

  /** The first difference in anything; null: none so far. */
  of(film) {
    if (film !== this.film || film.frames.length < this.seen || (this.found?.frame ?? 0) >= film.frames.length) {
      this.film = film;
      this.seen = 0;
      this.found = null;
    }
    if (this.found === null) {
      this.found = firstDifference(film, this.seen);
      this.seen = film.frames.length;
    }
    return this.found;
  }

  /** Forgets what it knows from a frame on: another one is there. */
  cut(frame) {
    this.seen = Math.min(this.seen, frame);
    if (this.found !== null && this.found.frame >= frame) {
      this.found = null;
    }
  }
}
