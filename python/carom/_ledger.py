# SPDX-License-Identifier: MIT
"""The ledger of a job in blocks: what was begun by whom, and the answers, in memory or in a file."""

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

MOST_LOST = 8  # workers that may die while they have the same block: then the block is to blame
HEADER = 12  # bytes before an entry in a ledger's file: its length, and a checksum


class Ledger(Generic[A]):
    """Which blocks of a job are begun, by whom, and the answers. An answer counts once.

    Engines keep one. Give `run` one of your own, or its path, to keep what is done when it is stopped:

        blocks.run(job, ledger="job.ledger")

    Run the same again after Ctrl-C or a crash, and only what is missing is played. Without a path it can be pickled.

    Args:
        job: whose blocks these are.
        path: a file to which every answer is appended as it comes; one that exists is read first. It holds pickles:
            open only files that you trust. None: no file.

    Raises:
        ValueError: the file is of another job or another version of Carom, or no ledger.
        BlockingIOError: another process uses the file.

    """

    def __init__(self, job: Job[A, Any], path: str | os.PathLike[str] | None = None) -> None:
        self.blocks = tuple(job.blocks())
        self._job = job
        self.begun: list[tuple[Block, str]] = []  # in order: the block, and the worker's name
        self.late: list[Block] = []  # blocks that came back when they had their answer, which do not count
        self._answers: dict[int, A] = {}
        self._holders: dict[int, list[str]] = {}  # workers by block that is being played; the first begun is the first
        self._since: dict[int, float] = {}  # of blocks that are being played: when they were begun
        self._took: list[float] = []  # seconds, of blocks that came back
        self._lost: dict[int, int] = {}
        self._file: BinaryIO | None = None if path is None else self._open(path)
        self.restart()

    def is_of(self, job: Job[Any, Any]) -> bool:
        """Is it of this job, or of an equal one?"""
        return self._job is job or self.mark == _mark(job)

    def restart(self) -> None:
        """A run begins: every block without an answer waits, also those that an earlier run had begun."""
        self._holders.clear()
        self._waiting = deque(block.index for block in self.missing())

    @cached_property
    def mark(self) -> str:
        """The version, and a digest of the job. Made when it is first needed: a job that stays here may hold what
        cannot be pickled, such as a lambda.
        """
        return _mark(self._job)

    def begin(self, worker: str, *, late: float | None = None) -> Block | None:
        """The next block for a worker; None: there is none.

        Args:
            worker: its name.
            late: if every block is begun, repeat the one that another worker has been playing for longest, once that
                is `late` times the mean of the blocks that came back; None: repeat none.

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
        """Takes an answer; False: it had one already, and this one does not count."""
        if block not in self.blocks[block.index : block.index + 1]:
            raise ValueError(f"{block}: the job has none")
        if block.index in self._answers:
            self.late.append(block)
            return False
        if self._file is not None:
            _append(self._file, (block.index, answer))
        self._answers[block.index] = answer
        if self._holders.pop(block.index, None) is None:  # it was given back
            self._waiting.remove(block.index)
        else:
            self._took.append(time.monotonic() - self._since.pop(block.index))
        return True

    def give_back(self, worker: str, *, died: bool = False) -> None:
        """A worker plays no more: what it has begun and nobody else plays waits again, and is begun next.

        Args:
            worker: its name.
            died: RuntimeError if a block was with MOST_LOST workers when they died.

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
        """How many blocks have their answer."""
        return len(self._answers)

    @property
    def waiting(self) -> int:
        """How many blocks nobody plays and has played."""
        return len(self._waiting)

    @property
    def done(self) -> bool:
        """Does every block have its answer?"""
        return len(self._answers) == len(self.blocks)

    @property
    def begun_twice(self) -> list[Block]:
        """Blocks that were begun more than once."""
        times = np.bincount([block.index for block, _ in self.begun], minlength=len(self.blocks))
        return [block for block in self.blocks if times[block.index] > 1]

    def answers(self) -> list[A]:
        """The answers in the order of the blocks, once all are there."""
        if not self.done:
            raise ValueError(f"{len(self.missing())} blocks have no answer yet")
        return [self._answers[block.index] for block in self.blocks]

    def _open(self, path: str | os.PathLike[str]) -> BinaryIO:
        """The file, with all whole answers read and what was half-written cut off."""
        name = os.fspath(path)
        file = open(name, "a+b")  # noqa: SIM115 - it stays open
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
                raise ValueError(f"{name}: it is no ledger")
            _append(file, self.mark)
            return file
        if head != self.mark:
            file.close()
            raise ValueError(f"{name}: it is the ledger of another job, or of another version of Carom")
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
    """What a ledger's file begins with: the version, and a digest of the job."""
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
    """The next entry of a ledger's file; None: there is none that is whole."""
    header = file.read(HEADER)
    length = int.from_bytes(header[:8], "little")
    if len(header) < HEADER or length > os.fstat(file.fileno()).st_size:
        return None
    data = file.read(length)
    if len(data) < length or zlib.crc32(data) != int.from_bytes(header[8:], "little"):
        return None
    return pickle.loads(data)
