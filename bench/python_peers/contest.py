# SPDX-License-Identifier: MIT
"""How sides that do the same work are timed: in turn, with as many threads each, from the same starts."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import DependencyNotInstalled

import carom
import carom.gymnasium

MISSING = (ImportError, DependencyNotInstalled)  # what a side raises whose package is not there


class Work(NamedTuple):
    """A side, ready to run.

    Args:
        call: what is timed.
        steps: how many steps a call makes, of all environments together.
        prepare: called, untimed, before every `calls` calls: puts back the starts.
        calls: how many calls are timed in a row.

    """

    call: Callable[[], object]
    steps: float
    prepare: Callable[[], object] = lambda: None
    calls: int = 10


class Contest(NamedTuple):
    """Sides that are measured together.

    Args:
        title: what it is, with its unit.
        sides: by name, makes a side of so many environments and threads. Carom's have names that begin with "Carom".
        check: gives a line on how equal the sides are.
        peer: the side to which Carom's are compared; None: they do not do the same.

    """

    title: str
    sides: Mapping[str, Callable[[int, int], Work]]
    check: Callable[[], str] | None = None
    peer: str | None = None


def speeds(works: Mapping[str, Work], seconds: float, rounds: int = 5) -> dict[str, float]:
    """Steps a second of each side: the median of rounds in which each has its turn of about `seconds` / `rounds`."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work.prepare()
        work.call()
    for _ in range(rounds):
        for name, work in works.items():
            spent, calls = 0.0, 0
            while spent < seconds / rounds:
                work.prepare()
                start = time.perf_counter()
                for _ in range(work.calls):
                    work.call()
                spent += time.perf_counter() - start
                calls += work.calls
            found[name].append(calls * work.steps / spent)
    return {name: statistics.median(rates) for name, rates in found.items()}


def environment(game: Any, envs: int, threads: int, **made: Any) -> Work:
    """A step of Carom's vector environment: observations, rewards and ends; actions are drawn before."""
    env = carom.gymnasium.VectorEnv(
        game, envs, threads=threads, precision="f32", autoreset_mode="same_step", copy=False, **made
    )
    env.reset(seed=1)
    actions = np.random.default_rng(1).uniform(-1, 1, env.action_space.shape).astype(np.float32)
    return Work(lambda: env.step(actions), envs)


def table(contest: Contest, sizes: Sequence[int], threads: int, seconds: float, *, checked: bool) -> None:
    """Measures a contest and prints a row a side."""
    print(f"\n{contest.title:56}" + "".join(f"{size:>20}" for size in sizes))
    cells: dict[str, list[str]] = {name: [] for name in contest.sides}
    for size in sizes:
        works = {}
        for name, make in contest.sides.items():
            try:
                works[name] = make(size, threads)
            except MISSING as error:
                cells[name] = [f"   not run: {error}"]
        found = speeds(works, seconds)
        for name, speed in found.items():
            ratio = ""
            if contest.peer in found and name.startswith("Carom"):
                times = speed / found[contest.peer]
                ratio = f"  {times:.0f}x" if times >= 20 else f"  {times:.2g}x"
            cells[name].append(f"{speed / 1e6:.4g}{ratio}")
    for name, row in cells.items():
        print(f"  {name:54}" + "".join(f"{cell:>20}" for cell in row))
    if checked and contest.check is not None:
        try:
            print(f"  {contest.check()}")
        except MISSING as error:
            print(f"  not compared: {error}")
    sys.stdout.flush()
