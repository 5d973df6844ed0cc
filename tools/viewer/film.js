// SPDX-License-Identifier: MIT
// What the command tells of worlds (tools/viewer/film_text.c), frame by frame.

// Of base64, or of a typed array: the engine in the page needs no text.
function bytesOf(told) {
  if (ArrayBuffer.isView(told)) {
    return told.buffer;
  }
  const text = atob(told);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) {
    bytes[k] = text.charCodeAt(k);
  }
  return bytes.buffer;
}

const IMPACT = 14;

export class Film {
  constructor(told) {
    Object.assign(this, {
      title: told.title, game: told.game, source: told.source, version: told.version, live: told.live,
      human: told.human, worlds: told.worlds, bodies: told.bodies, players: told.players, first: told.first,
      view: told.view, down: told.down, stride: told.stride, bits: told.bits, styles: told.styles,
      themes: {light: told.light, dark: told.dark}, numbers: told.numbers,
    });
    this.stateSize = 6 + told.players;
    this.about = told.about.map(([name, number, id, style, facing, radius, mass]) =>
      ({name, number, id, style, facing: facing !== 0, radius, mass}));
    this.frames = [];
    this.sceneries = Array.from({length: this.worlds}, () => []);
    this.add(told);
  }

  // Adds the frames of an answer; false if they are not those that come next.
  add(told) {
    if (told.from !== this.frames.length) {
      return false;
    }
    const places = this.bits === 64 ? new Float64Array(bytesOf(told.places)) : new Float32Array(bytesOf(told.places));
    const states = new Float64Array(bytesOf(told.states));
    const keys = new BigUint64Array(bytesOf(told.keys));
    const values = new Float64Array(bytesOf(told.values));
    const impacts = new Float64Array(bytesOf(told.impacts));
    const wide = this.worlds * this.bodies * this.stride, wideStates = this.worlds * this.stateSize;
    for (let k = 0; k < told.count; k++) {
      this.frames.push({
        places: places.subarray(k * wide, (k + 1) * wide),
        states: states.subarray(k * wideStates, (k + 1) * wideStates),
        keys: keys.subarray(k * this.worlds * 2, (k + 1) * this.worlds * 2),
        values: values.subarray(k * this.worlds * this.numbers.length, (k + 1) * this.worlds * this.numbers.length),
        impacts: [], ghosts: [],
      });
    }
    for (let at = 0; at < impacts.length; at += IMPACT) {
      const [frame, world, first, second, part, kind, body, other, time, x, y, nx, ny, impulse] =
        impacts.subarray(at, at + IMPACT);
      this.frames[frame].impacts.push({world, first, second, part, kind, body, other, time, x, y, nx, ny, impulse});
    }
    for (const scenery of told.sceneries) {
      this.sceneries[scenery.world].push(scenery);
    }
    for (const ghosts of told.ghosts) {
      this.frames[ghosts.frame].ghosts[ghosts.world] = {
        count: ghosts.count, horizon: ghosts.horizon, returns: new Float64Array(bytesOf(ghosts.returns)),
        paths: new Float32Array(bytesOf(ghosts.paths)),
      };
    }
    this.whole = told.whole;
    this.full = told.full;
    return true;
  }

  // Forgets the frames from one on: others come in their place.
  cut(frame) {
    this.frames.length = Math.min(frame, this.frames.length);
    this.sceneries = this.sceneries.map((list) => list.filter((scenery) => scenery.frame < frame));
    this.whole = this.full = false;
  }

  // Where a body's numbers begin in a frame's places.
  at(world, body) {
    return (world * this.bodies + body) * this.stride;
  }

  body(frame, world, body) {
    const from = this.frames[frame].places;
    const at = this.at(world, body);
    return {
      x: from[at], y: from[at + 1], vx: from[at + 2], vy: from[at + 3], there: !Number.isNaN(from[at]),
      facing: this.stride > 4 ? from[at + 4] : 0, radius: this.stride > 4 ? from[at + 5] : this.about[body].radius,
    };
  }

  state(frame, world) {
    const of = this.frames[frame];
    const [tick, episode, end, fault, frozen, ...rest] =
      of.states.subarray(world * this.stateSize, (world + 1) * this.stateSize);
    return {
      tick, episode, end, fault, frozen, score: rest.slice(0, this.players), energy: rest[this.players],
      hash: of.keys[world * 2].toString(16).padStart(16, "0"), id: of.keys[world * 2 + 1].toString(),
    };
  }

  values(frame, world) {
    const count = this.numbers.length;
    return this.frames[frame].values.subarray(world * count, (world + 1) * count);
  }

  scenery(frame, world) {
    let found = null;
    for (const scenery of this.sceneries[world]) {
      found = scenery.frame <= frame ? scenery : found;
    }
    return found;
  }

  // Has a body gone on to the next frame, or was it put elsewhere (a new game, a periodic side)?
  goesOn(frame, world, body) {
    const at = this.at(world, body);
    const a = this.frames[frame].places;
    const b = this.frames[frame + 1].places;
    const far = 0.4 * Math.min(this.view[2] - this.view[0], this.view[3] - this.view[1]);
    return Math.hypot(b[at] - a[at], b[at + 1] - a[at + 1]) < far; // false for those that are not there
  }

  bodyName(body, id) {
    return body >= 0 ? `${this.about[body].name} ${this.about[body].number}` : `#${id}`;
  }
}
