# SPDX-License-Identifier: MIT
"""MPI: the blocks of a job over the ranks of a communicator, by mpi4py.

    import carom.blocks, carom.mpi                        # mpirun -n 4 python program.py

    job = carom.blocks.Play("csb", players="race", worlds=1_000_000, ticks=500)
    sums = carom.mpi.run(job, threads=1, ledger="job.ledger")

Every rank calls `run` and gets the result, which is the same bit for bit with any number of ranks: the rest of the
program need not know its rank. Rank 0 gives out the blocks one by one, and plays some itself in a separate thread.

MPI cannot continue without a rank: when one is killed, mpirun ends all of them. With `ledger=`, start the program
again: only blocks without an answer are played.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

try:
    from mpi4py import MPI
except (ImportError, RuntimeError) as error:  # RuntimeError: mpi4py finds no MPI library
    raise ImportError("carom.mpi needs mpi4py and an MPI library: pip install 'carom[mpi]'") from error

from . import blocks
from .blocks import Block, Failed, Job, Ledger

R = TypeVar("R")
POLL = 0.001  # seconds between polls for a message: MPI's own waiting takes a whole processor
TAG = 25441  # tag of all messages


class _Work(NamedTuple):
    """To a rank: play this block."""

    block: Block
    job: bytes | None  # its pickle, with the rank's first block


class _End(NamedTuple):
    """To a rank: the job is done, or has failed."""

    result: bytes  # its pickle
    error: BaseException | None


_Answer = bytes | Failed | None  # from a rank: the pickle of a block's answer; None: it has none yet


def run(
    job: Job[Any, R],
    *,
    threads: int = 0,
    affinity: Sequence[int] | None = None,
    ledger: Ledger[Any] | str | os.PathLike[str] | None = None,
    progress: bool = False,
    comm: MPI.Intracomm | None = None,
) -> R:
    """Plays a job on all ranks of a communicator. Every rank must call it, and gets the result.

    Args:
        job: what to play. Only rank 0's is used.
        threads: the most threads for this rank; 0: all that mpirun lets it use.
        affinity: the processors for this rank's threads; None: those that mpirun assigns.
        ledger: a Ledger, or the path of one: it keeps the answers, and supplies those of an earlier run. Only rank 0's
            is used.
        progress: show the progress on rank 0's terminal.
        comm: the communicator; None: all ranks. Messages with tags other than TAG are not touched.

    Raises:
        BlockError: the job raised an error in a block. Every rank raises it, after its current block.
        ValueError, OSError: the ledger cannot be used. Every rank raises it.

    """
    world = MPI.COMM_WORLD if comm is None else comm
    if world.rank > 0:
        result: R = _follow(world, threads, affinity)
        return result
    return _lead(world, job, threads, affinity, ledger, progress)


def _answer(
    send: Callable[[_Answer], object], receive: Callable[[], _Work | _End], threads: int, affinity: Sequence[int] | None
) -> _End:
    """Plays the blocks that a rank gets, until the end."""
    send(None)
    job = b""
    play = functools.cache(lambda: pickle.loads(job).worker(threads, affinity))  # an error becomes the block's
    while isinstance(message := receive(), _Work):
        job = message.job or job
        send(blocks.attempt(lambda block: pickle.dumps(play()(block)), message.block))
    return message


def _follow(world: MPI.Intracomm, threads: int, affinity: Sequence[int] | None) -> Any:
    """The loop of ranks other than 0."""

    def receive() -> Any:
        while not world.Iprobe(source=0, tag=TAG):
            time.sleep(POLL)
        return world.recv(source=0, tag=TAG)

    end = _answer(lambda answer: world.send(answer, 0, tag=TAG), receive, threads, affinity)
    if end.error is not None:
        raise end.error
    return pickle.loads(end.result)


def _lead(
    world: MPI.Intracomm,
    job: Job[Any, R],
    threads: int,
    affinity: Sequence[int] | None,
    ledger: Ledger[Any] | str | os.PathLike[str] | None,
    progress: bool,
) -> R:
    """The work of rank 0. However it ends, it notifies the others."""
    if world.size == 1:
        return blocks.run(job, threads=threads, affinity=affinity, ledger=ledger, progress=progress)
    ranks = _Ranks(world, threads, affinity)
    try:
        with blocks.ledger_of(job, ledger) as kept:
            result = _deal(ranks, job, kept, progress)
        end = _End(pickle.dumps(result), None)
    except BaseException as error:
        ranks.end(_End(b"", _portable(error)))
        raise
    ranks.end(end)
    return result


def _deal(ranks: _Ranks, job: Job[Any, R], kept: Ledger[Any], progress: bool) -> R:
    """Gives out blocks until all have their answers."""
    text = pickle.dumps(job)
    held: dict[int, Block] = {}
    line = blocks.Progress(kept, progress)
    try:
        while not kept.done:
            line.draw()
            rank, answer = ranks.hear()
            if isinstance(answer, Failed):
                answer.throw()
            if answer is not None:
                kept.take(held[rank], pickle.loads(answer))
            block = kept.begin(f"rank {rank}")
            if block is not None:
                held[rank] = block
                ranks.tell(rank, _Work(block, text if answer is None else None))
    finally:
        line.close()
    return job.merge(kept.answers())


class _Ranks:
    """The connections of rank 0 to all ranks; those to its own player are queues."""

    def __init__(self, world: MPI.Intracomm, threads: int, affinity: Sequence[int] | None) -> None:
        self._world = world
        self._waiting: set[int] = set()  # they have answered and are idle
        self._answers: queue.SimpleQueue[_Answer] = queue.SimpleQueue()
        self._work: queue.SimpleQueue[_Work | _End] = queue.SimpleQueue()
        arguments = (self._answers.put, self._work.get, threads, affinity)
        threading.Thread(target=_answer, args=arguments, daemon=True).start()

    def hear(self) -> tuple[int, _Answer]:
        """The next answer from any rank."""
        status = MPI.Status()
        rank, answer = -1, None
        while rank < 0:
            if self._world.Iprobe(tag=TAG, status=status):
                rank = status.source
                answer = self._world.recv(source=rank, tag=TAG)
            else:
                with contextlib.suppress(queue.Empty):
                    answer = self._answers.get(timeout=POLL)
                    rank = 0
        self._waiting.add(rank)
        return rank, answer

    def tell(self, rank: int, message: _Work | _End) -> None:
        """Replies to a waiting rank."""
        self._waiting.remove(rank)
        if rank == 0:
            self._work.put(message)
        else:
            self._world.send(message, rank, tag=TAG)

    def end(self, message: _End) -> None:
        """Releases every rank as soon as it has played its block."""
        while len(self._waiting) < self._world.size:
            self.hear()
        for rank in sorted(self._waiting):
            self.tell(rank, message)


def _portable(error: BaseException) -> BaseException:
    """The error, or its text if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
