#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A mixture of large and small disks: the diffusion of each kind. Writes mixture.xyz and mixture.svg.

python examples/python/mixture.py --bodies 1000 --packing 0.7
"""

from __future__ import annotations

import argparse
import pickle

import numpy as np

import carom


def main() -> None:
    """Grows, runs, and is interrupted half-way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--packing", type=float, default=0.7)
    parser.add_argument("--time", type=float, default=100.0)
    args = parser.parse_args()

    # Half of the disks are 1.4 times as large as the others, with the same density: such a mixture does not freeze.
    large = np.arange(args.bodies) % 2 == 0
    radii = np.where(large, 0.7, 0.5)
    lab = carom.Lab(radii=radii, masses=(radii / 0.5) ** 2, packing=args.packing, seed=1)
    lab.run(args.time / 2)

    # From here on, writes frames and measures displacements.
    start, begin = lab.unwrapped(), lab.time
    saved = pickle.dumps(lab)
    print("    time   small^2   large^2")

    def sample(frame: carom.Frame) -> None:
        path(frame)
        way = ((frame.unwrapped - start) ** 2).sum(0)
        print(f"{frame.time - begin:8.2f}  {way[~large].mean():8.4f}  {way[large].mean():8.4f}")

    with carom.Trajectory("mixture.xyz", lab) as path:
        lab.run(args.time, interval=args.time / 10, sample=sample)
    with open("mixture.svg", "w", encoding="utf-8") as file:
        file.write(lab.svg())

    # The pickle continues exactly like the original.
    again = pickle.loads(saved)
    again.run(args.time)
    same = again.digest() == lab.digest()
    print(f"{lab.collisions} collisions; from the pickle {'the same digest' if same else 'ANOTHER DIGEST'}")
    if not same:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
