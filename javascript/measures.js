// SPDX-License-Identifier: MIT
// Measures of disks, from the arrays of their centres.

import { numbers, options } from "./engine.js";

/** The measures of one module. */
export class Measures {
  /** @param {import("./engine.js").Engine} engine */
  constructor(engine) {
    this.core = engine;
  }

  /**
   * psi6 of each disk over its Voronoi neighbours, [2, disk]: real and imaginary parts.
   * @param {ArrayLike<number>} positions [2, disk] or more rows, as Gas.state() gives them
   * @param {[number, number]} box width and height
   * @param {{ weighted?: boolean, periodic?: [boolean, boolean], disks?: number }} [given]
   */
  bond_order(positions, box, given = {}) {
    const { weighted = false, periodic = [true, true], disks = positions.length / 2 } = options("bond_order", given,
      ["weighted", "periodic", "disks"]);
    const { core: engine } = this;
    return engine.frame((frame) => {
      const rows = numbers("positions", Array.from(positions).slice(0, 2 * disks), Float64Array, 2 * disks);
      const region = frame.structure("carom_region", {
        x0: 0, y0: 0, width: box[0], height: box[1], periodic_x: periodic[0], periodic_y: periodic[1],
      });
      const [at, to] = [frame.copy(rows), frame.bytes(16 * disks)];
      engine.check(engine.c.carom_measure_order(region.at, disks, at, at + 8 * disks, weighted, to,
        to + 8 * disks, 0), "bond_order");
      return engine.copied(Float64Array, to, [2, disks]);
    });
  }
}
