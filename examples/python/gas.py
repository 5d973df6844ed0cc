#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pressure of hard disks over their packing: measured, and by two equations of state. Writes gas.png.

python examples/python/gas.py --bodies 10000 --time 100
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import carom


def henderson(packing: np.ndarray) -> np.ndarray:
    """Henderson, Mol. Phys. 30, 971 (1975): good below 0.6."""
    return (1 + packing**2 / 8) / (1 - packing) ** 2


def luding(packing: np.ndarray) -> np.ndarray:
    """The fluid part of Luding's global equation, Phys. Rev. E 63, 042201 (2001)."""
    radial = (1 - 7 * packing / 16) / (1 - packing) ** 2 - packing**3 / (128 * (1 - packing) ** 4)
    return 1 + 2 * packing * radial


def measured(bodies: int, packing: float, time: float) -> carom.Measures:
    """Melts a gas's lattice, then measures it for `time`."""
    with carom.Gas(bodies, packing, seed=1) as gas:
        gas.run(time / 2)
        gas.forget()
        gas.run(time)
        return gas.measure()


def main() -> None:
    """A table and a plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=2000)
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--out", default="gas.png")
    args = parser.parse_args()
    packings = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.69])
    # Each gas runs on one thread and releases the interpreter's lock, so several run in parallel.
    with ThreadPoolExecutor(carom.info()["threads"]) as pool:
        results = list(pool.map(lambda p: measured(args.bodies, float(p), args.time), packings))
    print("packing  Z measured         Henderson  Luding   collisions")
    for packing, m in zip(packings, results, strict=True):
        print(f"{packing:7.2f}  {m.compressibility:7.4f} +- {m.compressibility_error:6.4f}  "
              f"{henderson(packing):9.4f}  {luding(packing):6.4f}  {m.collisions:11}")  # fmt: skip
    worst = max(abs(m.compressibility / luding(p) - 1) for p, m in zip(packings, results, strict=True) if p < 0.6)
    print(f"furthest from Luding below 0.6: {100 * worst:.2f}%")
    if not math.isfinite(worst) or worst > 0.05:
        raise SystemExit("the pressure is wrong")

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    line = np.linspace(0.05, 0.7, 200)
    plt.figure(figsize=(6, 4))
    plt.plot(line, henderson(line), "--", label="Henderson")
    plt.plot(line, luding(line), label="Luding")
    z, error = [m.compressibility for m in results], [m.compressibility_error for m in results]
    plt.errorbar(packings, z, error, fmt="o", ms=4, label=f"{args.bodies} disks")
    plt.xlabel("packing fraction")
    plt.ylabel("Z = P V / N kT")
    plt.yscale("log")
    plt.legend()
    plt.grid(alpha=0.3)
    plt.tight_layout()
    plt.savefig(args.out, dpi=120)


if __name__ == "__main__":
    main()
