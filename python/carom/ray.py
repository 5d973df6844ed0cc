# SPDX-License-Identifier: MIT
"""Ray: plays the blocks of a job on the nodes of a cluster, with an actor on each node.

    import carom.ray
    from carom import blocks

    job = blocks.Play("csb", players="race", worlds=10_000_000, ticks=500, block=262_144)
    sums = carom.ray.run(job, progress=True)

Every actor has one batch and plays blocks one after another. Answers are small: sums, results, digests. For
trajectories, actors write files (`carom.dataset`). An actor that dies is replaced, and its blocks are given out again;
at the end an idle actor repeats a block that takes too long.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .blocks import Block, Failed, Job, Ledger, Progress, attempt, ledger_of

try:
    import ray
except ImportError as error:
    raise ImportError("carom.ray needs Ray: pip install 'carom[ray]'") from error

from ray.exceptions import ActorUnschedulableError, NodeDiedError, ObjectLostError, OutOfMemoryError, RayActorError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

A = TypeVar("A")
R = TypeVar("R")

IN_FLIGHT = 2  # blocks queued for an actor, so that it never waits for the next one
LOST = (RayActorError, ActorUnschedulableError, NodeDiedError, ObjectLostError, OutOfMemoryError)
WAKE = 0.1  # seconds between updates of the progress and checks for late blocks


class _Player:
    """The actor. It makes its worker with the first block, so that every error of a job belongs to a block."""

    def __init__(self, job: bytes, threads: int, affinity: Sequence[int] | None) -> None:
        self._job, self._threads, self._affinity = job, threads, affinity
        self._play: Callable[[Block], Any] | None = None

    def play(self, block: Block) -> Any:
        """A block's answer, or Failed."""
        return attempt(self._made, block)

    def _made(self, block: Block) -> Any:
        if self._play is None:
            self._play = pickle.loads(self._job).worker(self._threads, self._affinity)
        return self._play(block)


@dataclass
class _Seat:
    """An actor's node and resources, which its replacement gets, too."""

    node: str | None  # None: any
    threads: int
    affinity: Sequence[int] | None


@dataclass
class _Actor:
    name: str
    seat: _Seat
    handle: Any
    flight: dict[Any, Block] = field(default_factory=dict)  # by the answer's reference


class _Crew:
    """The actors of a run."""

    def __init__(self, job: Job[Any, Any], seats: list[_Seat]) -> None:
        cloudpickle: Any = ray.cloudpickle  # also works for a job whose class is in the main program
        self._job = ray.put(cloudpickle.dumps(job))
        self._hired = 0
        self.actors = [self._hire(seat) for seat in seats]

    def _hire(self, seat: _Seat) -> _Actor:
        where = "SPREAD" if seat.node is None else NodeAffinitySchedulingStrategy(seat.node, soft=False)
        made = ray.remote(_Player).options(num_cpus=seat.threads, scheduling_strategy=where, max_restarts=0)
        name = f"actor {self._hired}"
        self._hired += 1
        return _Actor(name, seat, made.remote(self._job, seat.threads, seat.affinity))

    def replace(self, actor: _Actor) -> None:
        """Starts another actor on the same node, if that is alive; otherwise on any node with room."""
        self.actors.remove(actor)
        ray.kill(actor.handle)
        node, threads = actor.seat.node, actor.seat.threads
        cores = _cores()
        if node in cores or (node is None and _room(cores, threads) > len(self.actors)):
            self.actors.append(self._hire(actor.seat))
        if not self.actors:
            raise RuntimeError(f"no node of the cluster has room for an actor of {threads} threads")

    def close(self) -> None:
        """Ends all actors."""
        for actor in self.actors:
            ray.kill(actor.handle)


def _cores() -> dict[str, int]:
    """The number of processors of each live node that has some."""
    nodes: Any = ray.nodes
    cores = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in nodes() if node["Alive"]}
    return {node: count for node, count in cores.items() if count > 0}


def _room(cores: dict[str, int], threads: int) -> int:
    """How many actors with `threads` threads these nodes hold."""
    return sum(count // threads for count in cores.values())


def _seats(workers: int | None, threads: int | None, affinity: Sequence[Any] | None) -> list[_Seat]:
    cores = _cores()
    if workers is None:
        seats = [_Seat(node, cores[node] if threads is None else threads, None) for node in cores]
        room = sum(count >= seat.threads for count, seat in zip(cores.values(), seats, strict=True))
    else:
        seats = [_Seat(None, threads or 1, None) for _ in range(workers)]
        room = _room(cores, threads or 1)
    if not 0 < len(seats) <= room:
        needed = f"{len(seats)} actors of {threads or 1} threads"
        raise ValueError(f"workers, threads: the cluster has room for {room} of {needed}; its nodes have {cores}")
    if affinity is not None:
        apart = [isinstance(entry, Sequence) for entry in affinity]
        if any(apart) and (not all(apart) or len(affinity) != len(seats)):
            raise ValueError(f"affinity: processors are expected, or a list of them for each of {len(seats)} actors")
        for k, seat in enumerate(seats):
            seat.affinity = affinity[k] if any(apart) else affinity
    return seats


@contextmanager
def _started(processors: int) -> Iterator[None]:
    """Ray as started by the program; or the cluster of RAY_ADDRESS, or a local one, which ends with the run."""
    if ray.is_initialized():
        yield
        return
    local: dict[str, Any] = {}
    if not os.environ.get("RAY_ADDRESS"):
        local = {"address": "local", "num_cpus": processors, "include_dashboard": False}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # otherwise Ray warns of a future change
    ray.init(logging_level=logging.ERROR, **local)
    try:
        yield
    finally:
        ray.shutdown()


def run(
    job: Job[A, R],
    *,
    workers: int | None = None,
    threads: int | None = None,
    affinity: Sequence[int] | Sequence[Sequence[int]] | None = None,
    ledger: Ledger[A] | str | os.PathLike[str] | None = None,
    progress: bool = False,
    late: float | None = 3.0,
) -> R:
    """Plays a job on a Ray cluster; the result is that of `carom.blocks.run`, bit for bit.

    If the program has called `ray.init`, that cluster is used. Otherwise Ray is started here, on the cluster that
    RAY_ADDRESS names or a local one, and shut down at the end. Carom must be installed on every node.

    Args:
        job: what to play.
        workers: how many actors; None: one on each node.
        threads: processors for each actor; None: all of its node, or 1 if `workers` is given.
        affinity: the processors that an actor's threads run on, or a list of them for each actor; None: any.
        ledger: a Ledger, or the path of one: it keeps the answers if the run is stopped, and supplies those of an
            earlier run.
        progress: show the progress on the terminal.
        late: at the end an idle actor repeats a block that takes `late` times the mean; None: never.

    Raises:
        BlockError: the job raised an error in a block, which is not retried.
        RuntimeError: several actors died while they had the same block; or no node has room.
        KeyboardInterrupt: Ctrl-C; the ledger has the finished blocks.

    """
    for name, number in (("workers", workers), ("threads", threads)):
        if number is not None and number < 1:
            raise ValueError(f"{name}: {number}; 1 or more is expected")
    processors = max(len(os.sched_getaffinity(0)), (workers or 1) * (threads or 1))
    with ledger_of(job, ledger) as kept:
        if not kept.done:
            with _started(processors):
                crew = _Crew(job, _seats(workers, threads, affinity))
                line = Progress(kept, progress)
                try:
                    _play(crew, kept, line, late)
                finally:
                    line.close()
                    crew.close()
        return job.merge(kept.answers())


def _play(crew: _Crew, ledger: Ledger[Any], line: Progress, late: float | None) -> None:
    """Gives blocks to actors and takes their answers, until every block has one."""
    while not ledger.done:
        line.draw()
        for actor in crew.actors:
            _give(actor, ledger, len(crew.actors), late)
        flights = {reference: actor for actor in crew.actors for reference in actor.flight}
        ready, _ = ray.wait(list(flights), num_returns=len(flights), timeout=0)
        if not ready:
            ready, _ = ray.wait(list(flights), timeout=WAKE)
        for reference in ready:
            actor = flights[reference]
            if actor not in crew.actors:
                continue
            block = actor.flight.pop(reference)
            try:
                answer = ray.get(reference)
            except LOST:
                ledger.give_back(actor.name, died=True)
                crew.replace(actor)
                continue
            except Exception as error:  # such as an answer that cannot be pickled
                answer = Failed(block, error)
            if isinstance(answer, Failed):
                answer.throw()
            ledger.take(block, answer)


def _give(actor: _Actor, ledger: Ledger[Any], actors: int, late: float | None) -> None:
    """Blocks for an actor that has too few; towards the end only one each, so that none waits behind a slow one."""
    while len(actor.flight) < (IN_FLIGHT if ledger.waiting >= actors else 1):
        block = ledger.begin(actor.name, late=late)
        if block is None:
            return
        actor.flight[actor.handle.play.remote(block)] = block
