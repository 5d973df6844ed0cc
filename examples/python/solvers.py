#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pow(x, 2) or x * x? Speed and error of every variant of the time of impact. Writes solvers.png.

    python examples/python/solvers.py

The error is that of f32, relative to the accurate variant in f64 for the same inputs. bench/SOLVERS.md compares them in
detail.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import carom
from carom import toi


def pairs(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pods on a board, approaching each other: most of them collide."""
    draw = np.random.default_rng(seed)
    p = draw.uniform(-8000, 8000, (n, 2))
    v = -p * draw.uniform(0.001, 0.1, (n, 1)) + draw.normal(0, 5, (n, 2))
    return p.astype(np.float32), v.astype(np.float32), np.full(n, 800, np.float32)


def speed(name: str, p: np.ndarray, v: np.ndarray, r: np.ndarray, seconds: float) -> float:
    """Nanoseconds a pair in the fastest of many calls into one array."""
    columns = ((p[:, 0].copy(), p[:, 1].copy()), (v[:, 0].copy(), v[:, 1].copy()))
    out = np.empty(len(r), p.dtype)
    best, end = np.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        toi.circles(*columns, r, solver=name, out=out)
        best = min(best, time.perf_counter() - start)
    return best / len(r) * 1e9


def main() -> None:
    """A table and a plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=16384)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each variant")
    parser.add_argument("--out", default="solvers.png")
    args = parser.parse_args()
    p, v, r = pairs(args.pairs)
    exact = toi.circles(p.astype(float), v.astype(float), r.astype(float), solver="accurate")
    hits = np.isfinite(exact) & (exact > 0)
    rows = []
    for variant in toi.variants():
        if variant.name in ("normalised", "backward"):
            continue  # they compute something else
        t = toi.circles(p, v, r, solver=variant.name).astype(float)
        both = hits & np.isfinite(t)
        error = np.abs(t[both] / exact[both] - 1).max() / np.finfo(np.float32).eps
        rows.append((variant.name, speed(variant.name, p, v, r, args.seconds), error))
    print(f"{args.pairs} pairs, f32, {carom.info()['isa']}\nvariant             ns a pair  worst error, eps")
    for name, nanoseconds, error in rows:
        print(f"{name:18} {nanoseconds:10.2f} {error:17.1f}")
    by_name = {name: nanoseconds for name, nanoseconds, _ in rows}
    print(f"pow takes {by_name['pow'] / by_name['dot']:.1f} times as long as multiplying")

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.figure(figsize=(7, 4.5))
    for name, nanoseconds, error in rows:
        plt.plot(nanoseconds, error, "o", color="C3" if name == "pow" else "C0")
        plt.annotate(name, (nanoseconds, error), textcoords="offset points", xytext=(4, 3), fontsize=8)
    plt.xscale("log")
    plt.yscale("log")
    plt.xlabel("nanoseconds a pair")
    plt.ylabel("worst relative error, spacings of f32")
    plt.grid(alpha=0.3, which="both")
    plt.tight_layout()
    plt.savefig(args.out, dpi=120)


if __name__ == "__main__":
    main()
