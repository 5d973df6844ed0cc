// SPDX-License-Identifier: MIT
// Measures of disks, from the arrays of their centres.

import { numbers, options, refuse, shaped, whole } from "./engine.js";

/**
 * The first two rows of positions [2, disk], or of an array with more rows, such as Gas.state().
 * @param {any} positions
 * @param {number} [disks] by default from the shape, or half of all numbers
 */
function points(positions, disks = positions.shape?.[1] ?? positions.length / 2) {
  whole("disks", disks, 1);
  return { disks, rows: numbers("positions", Array.from(positions).slice(0, 2 * disks), Float64Array, 2 * disks) };
}

/**
 * @param {import("./engine.js").Frame} frame
 * @param {readonly [number, number]} box
 * @param {readonly [boolean, boolean]} periodic
 */
function region(frame, [width, height], [periodic_x, periodic_y]) {
  if (!(Number.isFinite(width) && width > 0 && Number.isFinite(height) && height > 0)) {
    refuse(`box: ${width}, ${height} is not two lengths`);
  }
  return frame.structure("carom_region", { x0: 0, y0: 0, width, height, periodic_x, periodic_y }).at;
}

/** The measures of one module. */
export class Measures {
  /** @param {import("./engine.js").Engine} engine */
  constructor(engine) {
    Object.defineProperty(this, "core", { value: engine });
  }

  /** Centres of the bins, and g(r): 1 for points without order. */
  pair_distribution(/** @type {any} */ positions, /** @type {any} */ box, /** @type {number} */ range, bins = 256,
    /** @type {any} */ given = {}) {
    const { periodic = [true, true], disks: some } = options("pair_distribution", given, ["periodic", "disks"]);
    whole("bins", bins, 1, 1e6);
    const { core: engine } = /** @type {any} */ (this);
    return engine.frame((/** @type {import("./engine.js").Frame} */ frame) => {
      const { disks, rows } = points(positions, some);
      const [within, at] = [region(frame, box, periodic), frame.copy(rows)];
      const [counts, expected] = [frame.copy(new BigUint64Array(bins)), frame.bytes(8 * bins)];
      engine.check(engine.c.carom_measure_pairs(within, disks, at, at + 8 * disks, range, bins, counts, 0, 0, 0),
        "pair_distribution");
      engine.check(engine.c.carom_measure_pairs_expected(within, disks, range, bins, expected), "pair_distribution");
      const [found, usual] = [engine.copied(BigUint64Array, counts, [bins]), engine.copied(Float64Array, expected, [bins])];
      return {
        r: shaped(Float64Array.from({ length: bins }, (_, k) => (k + 0.5) * range / bins), [bins]),
        g: shaped(Float64Array.from(found, (/** @type {bigint} */ count, /** @type {number} */ k) => (
          Number(count) / usual[k])), [bins]),
      };
    });
  }

  /** Wave numbers up to `greatest`, and S(k), from up to `directions` waves in each bin; for periodic boxes. */
  structure_factor(/** @type {any} */ positions, /** @type {any} */ box, greatest = 4 * Math.PI, bins = 64,
    directions = 6, /** @type {any} */ given = {}) {
    const { disks: some } = options("structure_factor", given, ["disks"]);
    const most = whole("bins", bins, 1, 1e6) * whole("directions", directions, 1, 1e6);
    const { core: engine } = /** @type {any} */ (this);
    return engine.frame((/** @type {import("./engine.js").Frame} */ frame) => {
      const { disks, rows } = points(positions, some);
      const [within, at] = [region(frame, box, [true, true]), frame.copy(rows)];
      const [waves, counted] = [frame.bytes(most * engine.layout("carom_wave").bytes), frame.bytes(4)];
      const sums = frame.copy(new Float64Array(most));
      engine.check(engine.c.carom_measure_waves(within, greatest, bins, directions, waves, counted),
        "structure_factor");
      const count = engine.data.getUint32(counted, true);
      engine.check(engine.c.carom_measure_structure(within, disks, at, at + 8 * disks, count, waves, sums),
        "structure_factor");
      const k = Float64Array.from(engine.objects("carom_wave", waves, count), (/** @type {any} */ wave) => wave.k);
      return { k: shaped(k, [count]), s: engine.copied(Float64Array, sums, [count]) };
    });
  }

  /** psi6 of each disk over its Voronoi neighbours, [2, disk]: real and imaginary parts. */
  bond_order(/** @type {any} */ positions, /** @type {any} */ box, /** @type {any} */ given = {}) {
    const { weighted = false, periodic = [true, true], disks: some } = options("bond_order", given,
      ["weighted", "periodic", "disks"]);
    const { core: engine } = /** @type {any} */ (this);
    return engine.frame((/** @type {import("./engine.js").Frame} */ frame) => {
      const { disks, rows } = points(positions, some);
      const [within, at, to] = [region(frame, box, periodic), frame.copy(rows), frame.bytes(16 * disks)];
      engine.check(engine.c.carom_measure_order(within, disks, at, at + 8 * disks, weighted, to, to + 8 * disks, 0),
        "bond_order");
      return engine.copied(Float64Array, to, [2, disks]);
    });
  }

  /** The mean, its error, and whether the values have a trend. */
  series(/** @type {any} */ values) {
    const { core: engine } = /** @type {any} */ (this);
    const list = numbers("values", values, Float64Array, values.length);
    return engine.frame((/** @type {import("./engine.js").Frame} */ frame) => {
      const at = frame.copy(list);
      return engine.filled("carom_series", (/** @type {number} */ to) => (
        engine.c.carom_measure_series(list.length, at, to)), "series");
    });
  }
}
