# SPDX-License-Identifier: MIT
"""Writing a data set: plays worlds in blocks, and writes rows to each block's files while the next rows are played."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .._arrays import aligned, whole
from .._worlds import SIZE, Worlds
from ..blocks import Block, divide
from ..blocks import run as run_here
from ._layout import (
    FOOTER,
    MANIFEST,
    RESULTS,
    Layout,
    Part,
    described,
    digest_of,
    flat,
    games_of,
    layout_of,
    mark_of,
    name_of,
    read_manifest,
    read_part,
    rest_of,
    unfinished,
    write_manifest,
)
from ._play import Player, Policy, Rows
from ._read import Dataset

BLOCK_BYTES = 256 << 20  # default for a block's file
GROUP_BYTES = 4 << 20  # of a row group; one is written while the next is played
FILE = {"compression": "NONE", "use_dictionary": False, "write_statistics": False, "write_batch_size": 1 << 16}


@dataclass(frozen=True)
class Write:
    """A job for the engines: any number of workers write a data set. `write` does the same in this process.

    Workers write the files of their blocks themselves, and return only their numbers and digests. All workers must see
    `path`. A block whose files exist is not played again.

    Args:
        worlds: gives the game, options, seed, players, precision, and kinds of actions, observations and rewards; it is
            not played itself. World w of the data set has the id first_id + w and plays from the start of its first
            game.
        path: the folder.
        count: how many worlds; None: as many as `worlds` has.
        ticks: steps of each world; with `games`, at most.
        games: None: each world plays `ticks` steps, and its last game is cut off. A number: each world plays that many
            games.
        policy: for the players that are None in worlds.players: a function from observations [world, agent, number] and
            a NumPy generator to actions [world, player, number]. The worlds are those of a block; the generator is
            seeded by the seed and the block. The observations are read-only and change with the next step: copy what
            you keep.
        label: identifies the policy, such as a hash of its weights: writing resumes only with the same label.
        block: worlds in a block; None: enough for files of about 256 MB.

    """

    worlds: Worlds
    path: str | os.PathLike[str]
    _: KW_ONLY
    ticks: int
    count: int | None = None
    games: int | None = None
    policy: Policy | None = None
    label: str = ""
    block: int | None = None

    def __post_init__(self) -> None:
        """Refuses worlds that cannot be played, or that differ from those in the folder."""
        worlds, given = self.worlds, None in self.worlds.players
        for name in ("ticks", "count", "games", "block"):
            if getattr(self, name) is not None or name == "ticks":
                whole(name, getattr(self, name), 1, SIZE)
        if worlds.at_end != "reset":
            raise ValueError(f"worlds: at_end 'reset' is expected, not {worlds.at_end!r}")
        if worlds._repeat > 1 and any(name not in (None, "zero") for name in worlds.players):
            raise ValueError("worlds: repeat 1 is expected, since built-in policies act in every tick")
        if given != (self.policy is not None):
            raise ValueError(f"policy: {'one' if given else 'none'} is expected, since players are {worlds.players}")
        size = max(1, BLOCK_BYTES // (layout_of(worlds).row_bytes * self.ticks))
        for name, value in (
            ("path", os.path.abspath(self.path)),
            ("count", self.count or len(worlds)),
            ("block", self.block or size),
            ("worlds", worlds._like(1, isa=None, threads=0, affinity=None, device="cpu")),  # workers make their own
        ):
            object.__setattr__(self, name, value)
        self._there()

    def layout(self) -> Layout:
        """Its columns."""
        return layout_of(self.worlds)

    def description(self) -> dict[str, Any]:
        """The contents of the manifest."""
        policy: Any = self.policy
        if policy is not None:
            policy = getattr(policy, "__qualname__", type(policy).__name__)
        more = {"worlds": self.count, "ticks": self.ticks, "games": self.games, "block": self.block, "policy": policy,
                "label": self.label}  # fmt: skip
        return described(self.worlds, self.layout(), more)

    def _there(self) -> bool:
        """Does the folder hold this data set already? ValueError if it holds another."""
        folder = Path(self.path)
        if not (folder / MANIFEST).exists():
            return False
        there, wanted = read_manifest(folder)[0], self.description()
        for name, value in wanted.items():
            if there.get(name) != value:
                raise ValueError(f"{folder}: it holds another data set: {name} {there.get(name)!r}, not {value!r}")
        return True

    def blocks(self) -> list[Block]:
        """Its blocks: see `carom.blocks.Job`."""
        assert self.count is not None  # set above, like block
        assert self.block is not None
        return divide(self.count, self.block)

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Part]:
        """A function that plays and writes a block. One of the threads writes; the others, at least one, play."""
        if not self._there():
            for part in ("games", "transitions"):
                (Path(self.path) / part).mkdir(parents=True, exist_ok=True)
            write_manifest(Path(self.path), self.description(), [])
        return _Worker(self, threads, affinity).play

    def merge(self, answers: Sequence[Part]) -> Dataset:
        """Writes the manifest, removes leftover files of killed workers, and opens the data set."""
        for pattern in (f"{MANIFEST}.*.part", "*/*.part"):
            for part in Path(self.path).glob(pattern):
                part.unlink(missing_ok=True)
        write_manifest(Path(self.path), self.description(), answers)
        return Dataset(self.path)


def write(
    worlds: Worlds,
    path: str | os.PathLike[str],
    *,
    ticks: int,
    count: int | None = None,
    games: int | None = None,
    policy: Policy | None = None,
    label: str = "",
    block: int | None = None,
    threads: int = 0,
    affinity: Sequence[int] | None = None,
    progress: bool = False,
) -> Dataset:
    """Plays worlds and writes their transitions and games to a folder as Parquet; see `carom.dataset`.

    After Ctrl-C or a crash, call it again with the same arguments to resume: finished blocks are not played again, and
    the data set is the same as from a single run.

    Args:
        worlds, path, ticks, count, games, policy, label, block: see `Write`.
        threads: the most threads for playing and writing, at least one each; 0: all that the machine has.
        affinity: the processors that they run on; None: any.
        progress: show the progress on the terminal.

    Raises:
        ValueError: arguments do not go together, or the folder holds another data set. carom.blocks.BlockError: the
            policy raised an error, or a file could not be written.

    """
    job = Write(worlds, path, ticks=ticks, count=count, games=games, policy=policy, label=label, block=block)
    return run_here(job, threads=threads, affinity=affinity, progress=progress)


class _Group:
    """Buffers for the rows of a row group: an array [number, row] for each group of columns."""

    def __init__(self, layout: Layout) -> None:
        self.schema = layout.schema("transitions")
        self._room = max(1, GROUP_BYTES // layout.row_bytes)
        self._columns = {
            name: aligned((len(column.names), self._room), column.dtype) for name, column in layout.transitions.items()
        }
        self.count = 0
        self.written: Future[None] | None = None
        self._whole = self._table(self._room)

    def put(self, rows: Rows, first: int) -> int:
        """Takes rows from `first` on, as many as fit; returns how many."""
        n = min(self._room - self.count, len(rows["end"]) - first)
        for name, columns in self._columns.items():
            columns[:, self.count : self.count + n] = flat(rows[name][first : first + n]).T
        self.count += n
        return n

    def table(self) -> pa.Table:
        """The rows, without copying."""
        return self._whole if self.count == self._room else self._table(self.count)

    def _table(self, count: int) -> pa.Table:
        columns = [pa.array(column[:count]) for table in self._columns.values() for column in table]
        return pa.Table.from_arrays(columns, schema=self.schema)


class _File:
    """A Parquet file that gets its name once it is complete."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path = path
        self._part = unfinished(path)
        try:
            self._writer = pq.ParquetWriter(self._part, schema, **FILE)
        except OSError:
            self._part.unlink(missing_ok=True)
            raise

    def write(self, table: pa.Table) -> None:
        """Writes a row group."""
        if table.num_rows > 0:
            self._writer.write_table(table, row_group_size=table.num_rows)

    def close(self, about: str) -> None:
        """Writes the footer and gives the file its name."""
        self._writer.add_key_value_metadata({FOOTER.decode(): about})
        self._writer.close()
        try:
            self._part.replace(self._path)
        except FileNotFoundError:
            if not self._path.exists():  # otherwise another worker has written it, and the data set is complete
                raise

    def drop(self) -> None:
        """Removes an incomplete file."""
        with suppress(OSError):  # the disk may be full
            self._writer.close()
        self._part.unlink(missing_ok=True)


class _Worker:
    """Plays and writes blocks, with two row groups: one is filled while the other is written."""

    def __init__(self, job: Write, threads: int, affinity: Sequence[int] | None) -> None:
        self._job, self._layout = job, job.layout()
        self._folder, self._mark = Path(job.path), mark_of(job.description())
        processors = affinity or os.sched_getaffinity(0)
        players = max(1, (threads or len(processors)) - 1)
        self._player = Player(job.worlds, self._layout, job.policy, players, affinity)
        self._groups = [_Group(self._layout) for _ in range(2)]
        self._thread = ThreadPoolExecutor(1, "carom-dataset", os.sched_setaffinity, (0, processors))

    def play(self, block: Block) -> Part:
        """Plays a block and writes its files, unless they exist."""
        there = read_part(self._folder, block.index, self._mark)
        if there is not None:
            return there
        files: dict[str, _File] = {}
        try:
            for name in ("games", "transitions"):
                files[name] = _File(self._folder / name_of(name, block.index), self._layout.schema(name))
            part, games = self._play(block, files["transitions"])
            about = json.dumps({"data set": self._mark, **asdict(part)})
            files["games"].write(games)
            files["games"].close(about)
            files["transitions"].close(about)
        finally:
            self._thread.submit(int).result()  # nothing is being written now
            for group in self._groups:
                group.written, group.count = None, 0
            for file in files.values():
                file.drop()
        return part

    def _play(self, block: Block, file: _File) -> tuple[Part, pa.Table]:
        """Plays a block and writes its transitions to a file; returns its description and its games."""
        rows = digest = rest = 0
        for step, taken in enumerate(self._player.steps(block, self._job.ticks, self._job.games)):
            n, done = len(taken["end"]), 0
            while (done := done + self._groups[0].put(taken, done)) < n:
                self._hand_over(file)
            rows += n
            digest += digest_of(step, taken)
            rest += rest_of(step, taken)
        self._hand_over(file)
        for group in self._groups:
            _wait(group)
        games = self._player.games()
        rest += games_of(games)
        told = f"{digest % 2**64:016x}", f"{rest % 2**64:016x}"
        return Part(block.index, block.first, block.count, rows, len(games["end"]), *told), self._table(games)

    def _hand_over(self, file: _File) -> None:
        """Starts writing the full group, and fills the other one next, once that has been written."""
        self._groups[0].written = self._thread.submit(file.write, self._groups[0].table())
        self._groups.reverse()
        _wait(self._groups[0])

    def _table(self, games: Rows) -> pa.Table:
        running = games["end"] == 0
        columns = [
            pa.array(np.ascontiguousarray(column), mask=running if name in RESULTS else None)
            for name, table in games.items()
            for column in flat(table).T
        ]
        return pa.Table.from_arrays(columns, schema=self._layout.schema("games"))


def _wait(group: _Group) -> None:
    """Waits until a group is written, and empties it."""
    if group.written is not None:
        group.written.result()
    group.written, group.count = None, 0
