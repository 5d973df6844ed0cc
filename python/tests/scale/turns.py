# SPDX-License-Identifier: MIT
"""Ten turns of a search, for tests that distribute it: the result of each turn, and a job that logs its progress."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jobs
import numpy as np

import carom
from carom.blocks import Block
from carom.plans import ClusterSearch, Found, Turn

TURNS, COUNT, BLOCK = 10, 12, 2  # six blocks a turn
OPTIONS: dict[str, Any] = {
    "planner": "cem", "horizon": 6, "sequences": 32, "rollouts": 512, "opponent": "search", "seed": 2,
}  # fmt: skip


def roots() -> carom.Worlds:
    """Worlds in the middle of a race."""
    worlds = carom.Worlds("csb", COUNT, seed=6, at_end="reset")
    worlds.play(20, players=["race", "race"])
    return worlds


def play(search: carom.Search, worlds: carom.Worlds, turns: int) -> list[str]:
    """Plays turns, both players by their plans: a digest of plans, actions and returns for each."""
    found = []
    for _ in range(turns):
        search.run(worlds)
        parts = [search.plan(0), search.plan(1), search.returns()]
        found.append(hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest())
        worlds.step(np.stack([search.actions(0), search.actions(1)], axis=1))
    return found


def whole(turns: int = TURNS) -> list[str]:
    """What one search finds."""
    worlds = roots()
    return play(carom.Search(worlds, **OPTIONS), worlds, turns)


def shared(engine: Callable[[Turn], list[Found]], turns: int = TURNS) -> list[str]:
    """The results of a search with runs played by an engine."""
    worlds = roots()
    return play(ClusterSearch(worlds, engine=engine, block=BLOCK, **OPTIONS), worlds, turns)


@dataclass(frozen=True)
class Watched:
    """A turn that notes in a file when a block begins and ends, and in which process.

    number: of the turn; block b of it is noted as number * 100 + b.
    slow: seconds that every block takes at least, so that there is time to kill its process in the middle of it.
    """

    turn: Turn
    number: int
    trace: str
    slow: float = 0.0

    def blocks(self) -> list[Block]:
        return self.turn.blocks()

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Found]:
        play = self.turn.worker(threads, affinity)

        def played(block: Block) -> Found:
            name = self.number * 100 + block.index
            jobs.note(self.trace, "begin", name, os.getpid())
            end = time.monotonic() + self.slow
            answer = play(block)
            time.sleep(max(0.0, end - time.monotonic()))
            jobs.note(self.trace, "end", name, os.getpid())
            return answer

        return played

    def merge(self, answers: Sequence[Found]) -> list[Found]:
        return self.turn.merge(answers)


def keep(path: Path, done: list[str], worlds: carom.Worlds, search: carom.Search) -> None:
    """Writes what another program needs to continue after these turns."""
    path.with_suffix(".part").write_bytes(pickle.dumps((done, worlds.save(), search.save())))
    path.with_suffix(".part").rename(path)


def go_on(path: Path, worlds: carom.Worlds, search: carom.Search) -> list[str]:
    """Reads that: the results of the turns before."""
    if not path.exists():
        return []
    done, saved, memory = pickle.loads(path.read_bytes())
    worlds.load(saved)
    search.load(memory)
    return list(done)
