# SPDX-License-Identifier: MIT
"""Jobs for the tests of engines: games that log which process played what, and one that fails."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from carom.blocks import Block, Play, Sums, divide

T = TypeVar("T")
SHORT = os.environ.get("CAROM_TEST_SHORT", "") not in ("", "0")  # are the tests to be short?


@dataclass(frozen=True)
class Traced:
    """Plays `play`, and notes in the file `trace` when a block begins and ends, and in which process.

    slow: seconds that every block takes at least, so that there is time to kill its process in the middle of it.
    """

    play: Play
    trace: str
    slow: float = 0.0

    def blocks(self) -> list[Block]:
        return self.play.blocks()

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Sums]:
        play = self.play.worker(threads, affinity)

        def played(block: Block) -> Sums:
            note(self.trace, "begin", block.index, os.getpid())
            end = time.monotonic() + self.slow
            answer = play(block)
            time.sleep(max(0.0, end - time.monotonic()))
            note(self.trace, "end", block.index, os.getpid())
            return answer

        return played

    def merge(self, answers: Sequence[Sums]) -> Sums:
        return self.play.merge(answers)


@dataclass(frozen=True)
class Failing(Traced):
    """The same, but block `bad` raises an error."""

    bad: int = 0

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Sums]:
        play = super().worker(threads, affinity)

        def played(block: Block) -> Sums:
            if block.index == self.bad:
                raise ArithmeticError("one and one is three")
            return play(block)

        return played


@dataclass(frozen=True)
class Told:
    """Plays nothing; returns the threads and processors assigned to the workers."""

    def blocks(self) -> list[Block]:
        return divide(8, 1)

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Any]:
        def told(_: Block) -> Any:
            time.sleep(0.05)
            return threads, affinity and tuple(affinity)

        return told

    def merge(self, answers: Sequence[Any]) -> list[Any]:
        return sorted(set(answers))


def small(trace: Path, blocks: int = 12, slow: float = 0.0) -> Traced:
    """A job of some blocks, each with its own games."""
    play = Play("csb", players=("race", "random"), worlds=blocks * 32 - 5, ticks=100, seed=5, block=32)
    return Traced(play, str(trace), slow)


def failing(job: Traced, bad: int) -> Failing:
    """The same job, but one of its blocks raises an error."""
    return Failing(job.play, job.trace, job.slow, bad)


def note(path: str, *words: object) -> None:
    """Adds a line to a file that several processes write to."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(" ".join(map(str, words)) + "\n")


def events(path: Path, kind: str) -> list[tuple[int, int]]:
    """Blocks and processes of all lines of a kind."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return [(int(index), int(process)) for word, index, process in lines if word == kind]


def playing(path: Path, process: int) -> list[int]:
    """The blocks that a process has started and not finished."""
    ended = events(path, "end")
    return [index for index, who in events(path, "begin") if who == process and (index, who) not in ended]


def stop_one(path: Path, processes: Iterable[int]) -> tuple[int, int] | None:
    """Stops one of these processes in the middle of a block: the process and the block; None: it found none."""
    for process in processes:
        if playing(path, process):
            os.kill(process, signal.SIGSTOP)
            for index in playing(path, process):  # still, so it will not end it
                return process, index
            os.kill(process, signal.SIGCONT)
    return None


def wait_for(ready: Callable[[], T], seconds: float = 60, every: float = 0.02) -> T:
    """Waits until a condition holds; returns its result."""
    end = time.monotonic() + seconds
    while not (found := ready()):
        assert time.monotonic() < end, f"not within {seconds:g} s"
        time.sleep(every)
    return found
