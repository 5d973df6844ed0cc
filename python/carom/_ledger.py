# SPDX-License-Identifier: MIT
"""The ledger of a job in blocks: which worker has which block, and the answers, in memory or in a file."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import pickle
import time
import zlib
from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeVar

import numpy as np

from . import _carom

if TYPE_CHECKING:
    from .blocks import Block, Job

A = TypeVar("A")

MOST_LOST = 8  # deaths of workers with the same block after which the block is considered the cause
HEADER = 12  # the head of an entry in a ledger's file: its length and a checksum


class Ledger(Generic[A]):
    """Which blocks of a job have been started, by which worker, and their answers. An answer counts once.

    Engines create one. Pass `run` your own, or its path, to keep finished blocks when the run is stopped:

        blocks.run(job, ledger="job.ledger")

    After Ctrl-C or a crash, run the same again: only missing blocks are played. Without a path a ledger can be pickled.

    Args:
        job: the job that the blocks belong to.
        path: a file to which every answer is appended; an existing file is read first. It holds pickles: open only
            files that you trust. None: no file.

    Raises:
        ValueError: the file belongs to another job or another version of Carom, or is not a ledger.
        BlockingIOError: another process uses the file.

    """

    def __init__(self, job: Job[A, Any], path: str | os.PathLike[str] | None = None) -> None:
        self.blocks = tuple(job.blocks())
        self._job = job
        self.begun: list[tuple[Block, str]] = []  # in order: the block and the worker's name
        self.late: list[Block] = []  # answers that do not count: the block already had one
        self._answers: dict[int, A] = {}
        self._holders: dict[int, list[str]] = {}  # workers by block that is being played; the earliest first
        self._since: dict[int, float] = {}  # when each block that is being played was started
        self._took: list[float] = []  # seconds for each finished block
        self._lost: dict[int, int] = {}
        self._file: BinaryIO | None = None if path is None else self._open(path)
        self.restart()

    def is_of(self, job: Job[Any, Any]) -> bool:
        """Does it belong to this job, or to an equal one?"""
        return self._job is job or self.mark == _mark(job)

    def restart(self) -> None:
        """Begins a run: all blocks without an answer wait to be played, including those that an earlier run had
        started.
        """
        self._holders.clear()
        self._waiting = deque(block.index for block in self.missing())

    @cached_property
    def mark(self) -> str:
        """The version and a digest of the job. Computed on first use: a job that stays in this process may hold what
        cannot be pickled, such as a lambda.
        """
        return _mark(self._job)

    def begin(self, worker: str, *, late: float | None = None) -> Block | None:
        """The next block for a worker, or None.

        Args:
            worker: its name.
            late: once every block has been started, repeat the one that another worker has been playing longest, if
                that is more than `late` times the mean of the finished blocks; None: never.

        """
        if self._waiting:
            index = self._waiting.popleft()
            self._since[index] = time.monotonic()
        elif (found := self._late(worker, late)) is not None:
            index = found
        else:
            return None
        self._holders.setdefault(index, []).append(worker)
        self.begun.append((self.blocks[index], worker))
        return self.blocks[index]

    def _late(self, worker: str, late: float | None) -> int | None:
        alone = (k for k, names in self._holders.items() if len(names) == 1 and worker not in names)
        index = next(alone, None)
        if index is None or late is None or not self._took:
            return None
        limit = late * sum(self._took) / len(self._took)
        return index if time.monotonic() - self._since[index] > limit else None

    def take(self, block: Block, answer: A) -> bool:
        """Records an answer; False if the block already had one, in which case this one does not count."""
        if block not in self.blocks[block.index : block.index + 1]:
            raise ValueError(f"{block}: the job has none")
        if block.index in self._answers:
            self.late.append(block)
            return False
        if self._file is not None:
            _append(self._file, (block.index, answer))
        self._answers[block.index] = answer
        if self._holders.pop(block.index, None) is None:  # it was returned
            self._waiting.remove(block.index)
        else:
            self._took.append(time.monotonic() - self._since.pop(block.index))
        return True

    def give_back(self, worker: str, *, died: bool = False) -> None:
        """Removes a worker: blocks that only it was playing are given out again, before all others.

        Args:
            worker: its name.
            died: raise RuntimeError if MOST_LOST workers have died while they had the same block.

        """
        held = [k for k, names in self._holders.items() if worker in names]
        for index in held:
            self._holders[index].remove(worker)
            if not self._holders[index]:
                del self._holders[index], self._since[index]
                self._waiting.appendleft(index)
            self._lost[index] = self._lost.get(index, 0) + died
        for index in held:
            if self._lost[index] >= MOST_LOST:
                raise RuntimeError(f"{self.blocks[index]}: {MOST_LOST} workers died while they had it")

    def missing(self) -> list[Block]:
        """The blocks without an answer."""
        return [block for block in self.blocks if block.index not in self._answers]

    @property
    def count(self) -> int:
        """How many blocks have an answer."""
        return len(self._answers)

    @property
    def waiting(self) -> int:
        """How many blocks have neither an answer nor a worker."""
        return len(self._waiting)

    @property
    def done(self) -> bool:
        """Does every block have an answer?"""
        return len(self._answers) == len(self.blocks)

    @property
    def begun_twice(self) -> list[Block]:
        """Blocks that were started more than once."""
        times = np.bincount([block.index for block, _ in self.begun], minlength=len(self.blocks))
        return [block for block in self.blocks if times[block.index] > 1]

    def answers(self) -> list[A]:
        """The answers in the order of the blocks; RuntimeError unless all are there."""
        if not self.done:
            raise ValueError(f"{len(self.missing())} blocks have no answer yet")
        return [self._answers[block.index] for block in self.blocks]

    def _open(self, path: str | os.PathLike[str]) -> BinaryIO:
        """Opens the file, reads all complete answers, and truncates an incomplete one."""
        name = os.fspath(path)
        file = open(name, "a+b")  # noqa: SIM115 - kept open
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            raise BlockingIOError(error.errno, "another process uses this ledger", name) from None
        file.seek(0)
        head = _next(file)
        if head is None:
            if file.seek(0, os.SEEK_END) > 0:
                file.close()
                raise ValueError(f"{name}: not a ledger")
            _append(file, self.mark)
            return file
        if head != self.mark:
            file.close()
            raise ValueError(f"{name}: the ledger of another job, or of another version of Carom")
        end = file.tell()
        while (entry := _next(file)) is not None:
            index, answer = entry
            self._answers.setdefault(index, answer)
            end = file.tell()
        file.truncate(end)
        return file

    def close(self) -> None:
        """Closes the file, so that another ledger can open it."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _mark(job: Job[Any, Any]) -> str:
    """The first line of a ledger's file: the version and a digest of the job."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=4)
    pickler.fast = True  # equal values give equal bytes, whether or not parts of them are the same object
    pickler.dump((job, job.blocks()))
    return f"carom ledger {_carom.version()} {hashlib.sha256(buffer.getvalue()).hexdigest()}"


def _append(file: BinaryIO, entry: Any) -> None:
    data = pickle.dumps(entry)
    file.write(len(data).to_bytes(8, "little") + zlib.crc32(data).to_bytes(4, "little") + data)
    file.flush()


def _next(file: BinaryIO) -> Any:
    """The next entry of a ledger's file, or None if there is no complete one."""
    header = file.read(HEADER)
    length = int.from_bytes(header[:8], "little")
    if len(header) < HEADER or length > os.fstat(file.fileno()).st_size:
        return None
    data = file.read(length)
    if len(data) < length or zlib.crc32(data) != int.from_bytes(header[8:], "little"):
        return None
    return pickle.loads(data)
