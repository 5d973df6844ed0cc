#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Search from many worlds at once: random shooting, and the cross-entropy method in NumPy and by the library.

python examples/python/search.py                  races against `race`: the progress of each method
python examples/python/search.py --roots 128      also rollouts a second, compared with carom.rollout()

`CrossEntropy` shows what a generation does; try your own ideas there. `carom.Search` plans in the same way without
leaving C between generations, so it does more rollouts in the same time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import carom


def shooting(worlds: carom.Worlds, k: int, horizon: int, turn: int) -> np.ndarray:
    """The first action of player 0 in the best of k random futures."""
    found = carom.rollout(worlds, k, horizon, opponent="race", seed=turn)
    return found.first_actions()


class CrossEntropy:
    """In NumPy: draws futures around a plan and moves it to the best; the rest of the plan starts the next turn."""

    def __init__(self, roots: int, k: int, horizon: int, size: int, generations: int = 3) -> None:
        self.k, self.horizon, self.generations = k, horizon, generations
        self.mean = np.zeros((roots, horizon, size), np.float32)
        self.sigma = np.empty_like(self.mean)

    def __call__(self, worlds: carom.Worlds, turn: int) -> np.ndarray:
        """Improves the plan; returns its first row."""
        self.sigma[:] = 0.6
        for generation in range(self.generations):
            carom.rollout(
                worlds, self.k, self.horizon, actions=carom.gaussian(self.mean, self.sigma), opponent="race",
                seed=turn * self.generations + generation, elites=self.k // 8,
                elite_mean=self.mean, elite_sigma=self.sigma,
            )  # fmt: skip
            np.maximum(self.sigma, 0.05, out=self.sigma)
        first = self.mean[:, 0].copy()
        self.mean[:, :-1] = self.mean[:, 1:]  # the plan for the next turn, advanced by a tick
        return first


def library(worlds: carom.Worlds, k: int, horizon: int, generations: int) -> carom.Search:
    """The same with carom.Search."""
    return carom.Search(
        worlds, planner="cem", horizon=horizon, sequences=k, rollouts=k * generations, elites=k // 8, sigma=0.6,
        sigma_least=0.05, opponent="race",
    )  # fmt: skip


def race(act: Callable[[carom.Worlds, int], np.ndarray], roots: int, ticks: int) -> tuple[float, float]:
    """Progress of both players after `ticks`, in checkpoints, averaged over `roots` races."""
    worlds = carom.Worlds("csb", roots, seed=1, players=[None, "race"], observation="ego")
    total = np.zeros(2)
    for turn in range(ticks):
        worlds.step(act(worlds, turn)[:, None])
        total += worlds.rewards.mean(0)
    return float(total[0]), float(total[1])


def rates(calls: dict[str, tuple[Callable[[], object], int]], seconds: float) -> dict[str, float]:
    """Rollouts a second in the fastest of many interleaved calls."""
    best, end = dict.fromkeys(calls, np.inf), time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, (call, _) in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - start)
    return {name: rollouts / best[name] for name, (_, rollouts) in calls.items()}


def main() -> None:
    """Races, then speeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--roots", type=int, default=128)
    parser.add_argument("--k", type=int, default=64, help="futures in a call")
    parser.add_argument("--horizon", type=int, default=6)
    parser.add_argument("--ticks", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=1.0, help="for the speeds")
    args = parser.parse_args()
    size, generations = 4, 3
    plans = CrossEntropy(args.roots, args.k, args.horizon, size, generations)
    worlds = carom.Worlds("csb", args.roots, seed=1)
    search = library(worlds, args.k, args.horizon, generations)
    for name, act in (
        ("shooting", lambda w, turn: shooting(w, generations * args.k, args.horizon, turn)),
        ("CEM in NumPy", plans),
        ("carom.Search", lambda w, turn: search.run(w)),
    ):
        own, other = race(act, args.roots, args.ticks)
        print(f"{name:14} passes {own:.2f} checkpoints in {args.ticks} ticks, `race` {other:.2f}")

    worlds.play(20, players=["race", "race"])
    count = args.roots * args.k
    returns = np.empty((args.roots, args.k, 2))
    found = rates({
        "carom.rollout": (
            lambda: carom.rollout(worlds, args.k, args.horizon, opponent="race", returns=returns), count,
        ),
        "CEM in NumPy": (lambda: plans(worlds, 0), count * generations),
        "carom.Search": (lambda: search.run(worlds), count * generations),
    }, args.seconds)  # fmt: skip
    print(f"rollouts a second: {found['carom.rollout'] / 1e6:.2f} M drawn by carom.rollout()")
    for name in ("CEM in NumPy", "carom.Search"):
        print(f"{name:14} {found[name] / 1e6:.2f} M ({found[name] / found['carom.rollout']:.2f} of that)")


if __name__ == "__main__":
    main()
