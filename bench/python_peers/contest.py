# SPDX-License-Identifier: MIT
"""Timing of sides that do the same work: in turn, with the same number of threads, from the same starts."""

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

MISSING = (ImportError, DependencyNotInstalled)  # raised by a side whose package is missing


class Work(NamedTuple):
    """A side, ready to run.

    Args:
        call: the timed function.
        steps: the number of steps of a call, of all environments together.
        prepare: called, untimed, before every `calls` calls: resets to the starts.
        calls: how many calls are timed in a row.

    """

    call: Callable[[], object]
    steps: float
    prepare: Callable[[], object] = lambda: None
    calls: int = 10


class Contest(NamedTuple):
    """Sides measured together.

    Args:
        title: the quantity, with its unit.
        sides: by name, a function of the numbers of environments and threads that makes a side. Carom's names begin
            with "Carom".
        check: returns a line on how equal the sides are.
        peer: the side that Carom's are compared with; None: they do different work.

    """

    title: str
    sides: Mapping[str, Callable[[int, int], Work]]
    check: Callable[[], str] | None = None
    peer: str | None = None


def speeds(works: Mapping[str, Work], seconds: float, rounds: int = 5) -> dict[str, float]:
    """Steps a second of each side: the median of rounds with a turn of about `seconds` / `rounds` for each."""
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
    """A step of Carom's vector environment: observations, rewards and ends; actions are drawn in advance."""
    env = carom.gymnasium.VectorEnv(
        game, envs, threads=threads, precision="f32", autoreset_mode="same_step", copy=False, **made
    )
    env.reset(seed=1)
    actions = np.random.default_rng(1).uniform(-1, 1, env.action_space.shape).astype(np.float32)
    return Work(lambda: env.step(actions), envs)


def table(contest: Contest, sizes: Sequence[int], threads: int, seconds: float, *, checked: bool) -> None:
    """Measures a contest and prints a row for each side."""
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
