# SPDX-License-Identifier: MIT
"""Search on many machines: the roots of a search in blocks, played by the same engines as other jobs.

    import functools
    import carom, carom.plans, carom.ray

    engine = functools.partial(carom.ray.run, workers=4, threads=8)
    roots = carom.Worlds("csb", 100_000)
    search = carom.plans.ClusterSearch(roots, engine=engine, block=2000, rollouts=4096, opponent="race")
    for turn in range(100):
        roots.step(search.run(roots)[:, None])

A turn, one run of the search, is a job. A block carries the worlds of some roots and the search's state for them
(`carom.Search.save`), and returns the new state. So a worker has nothing to lose, any worker can play any block, and
actions and plans equal those of one machine, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import blocks
from ._arrays import whole
from ._search import Generation, Report, Search
from ._structs import Array
from ._worlds import SIZE, Worlds
from .blocks import Block

__all__ = ["ClusterSearch", "Found", "Turn"]


@dataclass(frozen=True)
class Found:
    """The answer of a block: the search's state for its roots after the run, and the report of the run."""

    memory: bytes
    report: Report


@dataclass(frozen=True)
class Turn:
    """A job: one run of a search, with its roots in blocks. `ClusterSearch` makes one for every turn.

    Args:
        made: the game, and keywords of `Worlds`.
        search: keywords of `Search`.
        roots: their worlds, a save of `Worlds` for each block.
        memory: the search's state for them, a save of `Search` for each block.
        count, block: the number of roots, in all and in a block.

    """

    made: Mapping[str, Any]
    search: Mapping[str, Any]
    roots: Sequence[bytes]
    memory: Sequence[bytes]
    count: int
    block: int

    def blocks(self) -> list[Block]:
        """Its blocks."""
        return blocks.divide(self.count, self.block)

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Found]:
        """See `blocks.Job.worker`."""
        held: dict[int, tuple[Worlds, Search]] = {}  # for the last number of roots

        def play(block: Block) -> Found:
            if block.count not in held:
                held.clear()
                made = {**self.made, "threads": threads, "affinity": affinity}
                batch = Worlds(made.pop("game"), block.count, **made)
                held[block.count] = batch, Search(batch, **self.search)
            batch, search = held[block.count]
            batch.load(self.roots[block.index])
            search.load(self.memory[block.index])
            search.run(batch)
            return Found(search.save(), search.report())

        return play

    def merge(self, answers: Sequence[Found]) -> list[Found]:
        """The answers of the blocks, in order."""
        return list(answers)


class ClusterSearch(Search):
    """A `Search` whose runs are shared by the workers of an engine. Everything else is as for `Search`.

    Args:
        roots: as for `Search`.
        engine: plays the job of a turn: `carom.blocks.run` (this process), `carom.ray.run`, `carom.mpi.run`, or one of
            them with arguments, `functools.partial(carom.ray.run, workers=2)`. With MPI every rank makes the same
            calls.
        block: roots in a block, or fewer in the last; choose it so that a block takes a second or longer.
        search: keywords of `Search`. The budget is one in rollouts. A function `value` must be one that workers can
            import.

    This process also allocates the memory that `Search` takes for all roots; the unused part costs nothing.

    """

    def __init__(
        self,
        roots: Worlds,
        *,
        engine: Callable[[Turn], list[Found]] = blocks.run,
        block: int = 64,
        **search: Any,
    ) -> None:
        if search.get("milliseconds"):
            raise ValueError("milliseconds: a search on many machines has its budget in rollouts")
        super().__init__(roots, **search)
        self._engine = engine
        self._block = whole("block", block, 1, SIZE)
        self._search = search
        self._last: Report | None = None

    def run(self, roots: Worlds) -> Array:
        """Searches from every world of `roots`, which do not change; returns the actions to play, `actions()`.

        After an error or Ctrl-C the search is in its state before the run, which you can then try again.
        """
        if len(roots) != self._count:
            raise ValueError(f"roots: {self._count} worlds are expected, not {len(roots)}")
        parts = blocks.divide(self._count, self._block)
        memory = [self.save(part.first, part.count) for part in parts]
        own = ("threads", "affinity", "isa", "device")  # of each worker
        made = {name: value for name, value in roots._made.items() if name not in own}
        made["seed"] = roots.seed
        turn = Turn(made, self._search, _saves(roots, parts), memory, self._count, self._block)
        found = self._engine(turn)
        for part, answer in zip(parts, found, strict=True):
            self.load(answer.memory, part.first)
        self._last = _sum([answer.report for answer in found], [part.count for part in parts])
        return self.actions()

    def set_budget(self, *, rollouts: int | None = None, milliseconds: float | None = None) -> None:
        """Changes the budget for the following runs, in rollouts."""
        if milliseconds is not None:
            raise ValueError("milliseconds: a search on many machines has its budget in rollouts")
        super().set_budget(rollouts=rollouts)
        self._search = {**self._search, "rollouts": rollouts}

    def report(self) -> Report:
        """The report of the last run; seconds are those of the slowest block."""
        return super().report() if self._last is None else self._last


def _saves(roots: Worlds, parts: Sequence[Block]) -> list[bytes]:
    """The worlds of each block."""
    saves = []
    batch = roots._like(parts[0].count, device="cpu")
    for part in parts:
        if len(batch) != part.count:
            batch = roots._like(part.count, device="cpu")
        batch.copy_from(roots, worlds=range(part.first, part.first + part.count))
        saves.append(batch.save())
    return saves


def _sum(reports: Sequence[Report], roots: Sequence[int]) -> Report:
    """The report of a turn from those of its blocks, with their numbers of roots."""

    def mean(numbers: Sequence[float]) -> float:
        return sum(number * count for number, count in zip(numbers, roots, strict=True)) / sum(roots)

    generations = []
    for parts in zip(*(report.generations for report in reports), strict=True):
        generations.append(
            Generation(
                player=parts[0].player,
                rollouts=sum(g.rollouts for g in parts),
                ticks=sum(g.ticks for g in parts),
                best=mean([g.best for g in parts]),
                mean=mean([g.mean for g in parts]),
                spread=mean([g.spread for g in parts]),
                seconds=max(g.seconds for g in parts),
                cut=sum(g.cut for g in parts),
            )
        )
    return Report(
        rollouts=sum(report.rollouts for report in reports),
        ticks=sum(report.ticks for report in reports),
        seconds=max(report.seconds for report in reports),
        generations=tuple(generations),
        cut=sum(report.cut for report in reports),
    )
