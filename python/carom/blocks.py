# SPDX-License-Identifier: MIT
"""Jobs in blocks: any number of workers share the work, and the result is the same bit for bit.

    from carom import blocks

    job = blocks.Play("csb", players="race", worlds=1_000_000, ticks=500, seed=1, block=65536)
    sums = blocks.run(job, progress=True)                 # this process, all its processors
    sums.digest, sums.wins, sums.games

A job describes the work completely and can be pickled. It is divided into blocks, which workers play in any order; the
answers are merged in the order of the blocks. `run` plays a job in this process; `carom.ray.run` and `carom.mpi.run`
take the same jobs. A `Ledger` with a path keeps the answers in a file, from which a stopped job resumes.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NoReturn, Protocol, TypeVar

import numpy as np

from ._arrays import whole
from ._games import Game
from ._ledger import MOST_LOST, Ledger
from ._scene import Scene
from ._structs import Array
from ._worlds import RESULT, SIZE, Worlds, opened

__all__ = [
    "GAME",
    "MOST_LOST",
    "Block",
    "BlockError",
    "Failed",
    "Job",
    "Ledger",
    "Play",
    "Progress",
    "Sums",
    "attempt",
    "divide",
    "ledger_of",
    "run",
]

A = TypeVar("A")
R_co = TypeVar("R_co", covariant=True)

GAME = np.dtype([("world", "u8"), ("tick", "u8"), *((name, RESULT[name]) for name in RESULT.names or ())])


@dataclass(frozen=True, slots=True)
class Block:
    """Part `index` of a job: its worlds (or roots, ...) `first` to `first + count - 1`."""

    index: int
    first: int
    count: int

    def __str__(self) -> str:
        return f"block {self.index} ({self.first} to {self.first + self.count - 1})"


def divide(total: int, block: int) -> list[Block]:
    """Blocks of `block` each; the last one may be smaller."""
    whole("block", block, 1, SIZE)
    return [Block(k, first, min(block, total - first)) for k, first in enumerate(range(0, total, block))]


class Job(Protocol[A, R_co]):
    """The work that engines play. A job can be pickled, and equal jobs give equal bits."""

    def blocks(self) -> Sequence[Block]:
        """All blocks, block k with index k. A block should take a second or longer."""

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], A]:
        """A function that plays blocks one after another, with one batch for all of them.

        Args:
            threads: the most threads; 0: all that the machine has.
            affinity: the processors that they run on; None: any.

        """

    def merge(self, answers: Sequence[A]) -> R_co:
        """The result, from the answers of all blocks in order."""


class BlockError(RuntimeError):
    """A job raised an error, its `__cause__`, in `block`."""

    def __init__(self, block: Block, why: str) -> None:
        super().__init__(block, why)
        self.block = block

    def __str__(self) -> str:
        return f"{self.block}: {self.args[1]}"


@dataclass(frozen=True)
class Failed:
    """Sent by a worker in another process instead of an answer: the error that the job raised in `block`."""

    block: Block
    error: Exception

    def throw(self) -> NoReturn:
        """Raises BlockError."""
        raise BlockError(self.block, f"{type(self.error).__name__}: {self.error}") from self.error


def attempt(play: Callable[[Block], A], block: Block) -> A | Failed:
    """Plays a block; an error is returned as a value that can be pickled, with the traceback as a note."""
    try:
        return play(block)
    except Exception as error:
        trace = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        error.add_note(trace)
        return Failed(block, error)


# ---- engines ----


class Progress:
    """The progress of a ledger, in one line on the terminal, if `wanted` and stderr is a terminal."""

    def __init__(self, ledger: Ledger[Any], wanted: bool) -> None:
        self._ledger = ledger
        self._wanted = wanted and sys.stderr.isatty()
        self._start, self._before, self._next = time.monotonic(), ledger.count, 0.0

    def draw(self) -> None:
        """Draws the line, at most ten times a second."""
        now = time.monotonic()
        if not self._wanted or now < self._next:
            return
        self._next = now + 0.1
        done, total = self._ledger.count, len(self._ledger.blocks)
        left = (now - self._start) * (total - done) / max(done - self._before, 1)
        rest = f", {left:.0f} s left" if done > self._before else ""
        print(f"\r{done} of {total} blocks{rest}\x1b[K", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Erases the line."""
        if self._wanted:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def ledger_of(job: Job[A, Any], ledger: Ledger[A] | str | os.PathLike[str] | None) -> Iterator[Ledger[A]]:
    """The ledger of a run, for an engine: the given one, if it belongs to this job; or a new one, in memory or with
    this path, which is closed at the end.
    """
    if isinstance(ledger, Ledger):
        if not ledger.is_of(job):
            raise ValueError("ledger: it belongs to another job")
        ledger.restart()
        yield ledger
        return
    with closing(Ledger(job, ledger)) as made:
        yield made


def run(
    job: Job[A, R_co],
    *,
    threads: int = 0,
    affinity: Sequence[int] | None = None,
    ledger: Ledger[A] | str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> R_co:
    """Plays a job in this process.

    Args:
        job: what to play.
        threads: the most threads; 0: all that the machine has.
        affinity: the processors that they run on; None: any.
        ledger: a Ledger, or the path of one: it keeps the answers if the run is stopped, and supplies those of an
            earlier run.
        progress: show the progress on the terminal.

    Raises:
        BlockError: the job raised an error in a block.
        KeyboardInterrupt: Ctrl-C; the ledger has the finished blocks.

    """
    with ledger_of(job, ledger) as kept:
        line = Progress(kept, progress)
        play: Callable[[Block], A] | None = None
        try:
            while (block := kept.begin("here")) is not None:
                line.draw()
                play = play or job.worker(threads, affinity)
                try:
                    answer = play(block)
                except Exception as error:
                    raise BlockError(block, f"{type(error).__name__}: {error}") from error
                kept.take(block, answer)
        finally:
            line.close()
        return job.merge(kept.answers())


# ---- games by built-in policies ----


@dataclass(frozen=True)
class Sums:
    """Totals over all worlds.

    `games` counts those that ended, other than by a fault; `goals` is what `Game.counts` names. `wins` and `scores`
    have an entry for each player. `digest` is that of `Worlds.digest` for one batch of all worlds. `results` lists the
    games that ended, as records of type GAME: world, tick (from 1 on), and the fields of a carom.RESULT; None: not
    requested.
    """

    world_ticks: int
    events: int
    games: int
    goals: int
    faults: int
    wins: tuple[int, ...]
    draws: int
    scores: tuple[int, ...]
    digest: int
    results: Array | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Play:
    """A job: games played by built-in policies.

    World w of the job has the id first_id + w: the digest is that of one batch
    `Worlds(game, worlds, seed=seed, first_id=first_id, at_end=at_end, players=players, action_kind=action_kind)` after
    `ticks` ticks, and with distinct=128 that of `carom rollout`.

    Args:
        game: as for `Worlds`: a name, a `Game`, a `Scene`, or a path. A scene's file is read once, when the job is
            made; that of a plug-in game is opened by every worker.
        players: one built-in policy for all players, or one for each; "zero": all actions are 0.
        worlds: how many.
        ticks: how many each of them plays.
        seed, first_id, precision, at_end, action_kind: as for `Worlds`; action_kind None: the game's first.
        distinct: the number of different games: world w has the id (first_id + w) % distinct. None: all differ.
        options: the game's options by name.
        block: worlds in a block, or fewer in the last; choose it so that a block takes a second or longer.
        results: also list the results of all games.

    """

    game: str | os.PathLike[str] | Game | Scene
    _: KW_ONLY
    players: str | Sequence[str]
    worlds: int
    ticks: int
    seed: int = 0
    first_id: int = 0
    precision: str = "f64"
    at_end: str = "reset"
    action_kind: str | None = None
    distinct: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    block: int = 65536
    results: bool = False

    def __post_init__(self) -> None:
        for name in ("worlds", "ticks", "block"):
            whole(name, getattr(self, name), 1, SIZE)
        if self.distinct is not None:
            whole("distinct", self.distinct, 1, SIZE)
        if isinstance(game := opened(self.game), Scene):  # the file may change, and workers may not have it
            object.__setattr__(self, "game", game)
        if None in self._players():
            raise ValueError("players: a job needs a policy for each player")
        self._make(1, 1, None).close()  # fails here rather than in a worker if it cannot be played

    def blocks(self) -> list[Block]:
        """Its blocks."""
        return divide(self.worlds, self.block)

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Sums]:
        """See `Job.worker`."""
        return _Player(self, threads, affinity).play

    def merge(self, answers: Sequence[Sums]) -> Sums:
        """The sums of all blocks."""

        def each(name: str) -> list[Any]:
            return [getattr(answer, name) for answer in answers]

        counts = {name: sum(each(name)) for name in ("world_ticks", "events", "games", "goals", "faults", "draws")}
        wins, scores = (tuple(map(sum, zip(*each(name), strict=True))) for name in ("wins", "scores"))
        results = np.concatenate(each("results")) if self.results else None
        return Sums(**counts, wins=wins, scores=scores, digest=sum(each("digest")) % 2**64, results=results)

    def _players(self) -> tuple[str, ...]:
        if not isinstance(self.players, str):
            return tuple(self.players)
        game = opened(self.game)
        return (self.players,) * (game if isinstance(game, Game) else game.game).players

    def _make(self, count: int, threads: int, affinity: Sequence[int] | None) -> Worlds:
        game = opened(self.game)
        kinds = (game if isinstance(game, Game) else game.game).action_kinds
        pinned: dict[str, Any] = {} if affinity is None else {"affinity": affinity}
        return Worlds(
            game, count, seed=self.seed, precision=self.precision, threads=threads, at_end=self.at_end,
            players=self._players(), action_kind=self.action_kind or kinds[0].name, **pinned, **self.options,
        )  # fmt: skip


class _Player:
    """Plays the blocks of a `Play`, with one batch."""

    SLICE, TICKS = 4096, 64  # worlds and ticks of a call: its worlds fit into a cache

    def __init__(self, job: Play, threads: int, affinity: Sequence[int] | None) -> None:
        self._job, self._threads, self._affinity = job, threads, affinity
        self._batch: Worlds | None = None
        self._ends = np.zeros((self.TICKS, self.SLICE), np.uint8)
        self._results = np.zeros((self.TICKS, self.SLICE), RESULT)

    def play(self, block: Block) -> Sums:
        """Plays a block."""
        job = self._job
        if self._batch is None or len(self._batch) != block.count:
            self._batch = None  # before the next one is made: there may not be memory for both
            self._batch = job._make(block.count, self._threads, self._affinity)
        batch = self._batch
        batch.reset()
        ids = job.first_id + np.arange(block.first, block.first + block.count, dtype=np.uint64)
        batch.restart(ids=ids if job.distinct is None else ids % np.uint64(job.distinct))
        parts = [self._slice(batch, block, first) for first in range(0, block.count, self.SLICE)]
        found = np.concatenate(parts)
        played = batch.counters()
        decided = found[found["fault"] == 0]
        players = range(batch.game.players)
        return Sums(
            world_ticks=played.ticks,
            events=played.events,
            games=played.games,
            goals=played.goals,
            faults=played.faults,
            wins=tuple(int((decided["winner"] == player).sum()) for player in players),
            draws=int((decided["winner"] < 0).sum()),
            scores=tuple(int(decided["score"][:, player].sum()) for player in players),
            digest=batch.digest(),
            results=found if job.results else None,
        )

    def _slice(self, batch: Worlds, block: Block, first: int) -> Array:
        """Plays some worlds of a block to the end; returns the games that ended."""
        count = min(self.SLICE, block.count - first)
        found = []
        for tick in range(0, self._job.ticks, self.TICKS):
            n = min(self.TICKS, self._job.ticks - tick)
            shape = slice(n * count)
            ends = self._ends.reshape(-1)[shape].reshape(n, count)
            results = self._results.reshape(-1)[shape].reshape(n, count)
            batch.play(n, first=first, count=count, ends=ends, results=results)
            rows, worlds = np.nonzero(ends)
            games = np.empty(len(rows), GAME)
            games["world"], games["tick"] = worlds + (block.first + first), rows + (tick + 1)
            ended = results[rows, worlds]
            for name in RESULT.names or ():
                games[name] = ended[name]
            found.append(games)
        return np.concatenate(found)
