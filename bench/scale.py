#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of sharing work between processes: the blocks of a job on several workers, compared with one process.

    pip install '.[ray]'
    python bench/scale.py ray [--seconds 60] [--rounds 2]
    mpirun -n 2 --bind-to none python bench/scale.py mpi        the same with two ranks
    python bench/scale.py pinned|crowd [--seconds 10] [--rounds 5]

Sides alternate, also in who starts a round. A side is timed from the first answer of its last worker, which excludes
their start, to its last answer. Games are csb by `race`. "Others" is the machine's use by other processes meanwhile, in
processors: a round with 0.05 or more is unreliable.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from carom import Worlds, blocks
from carom.blocks import Block, Ledger, Play, Sums

BLOCK_SECONDS = 1.0  # of a block, on one thread
Measured = tuple[float, float, float]  # world-ticks a second; processors used by the side; used by others
JOB = Play("csb", players="race", worlds=1, ticks=500)
WORLDS, TICKS = 1024, 64  # of a process and a call, for independent processes


class Own:
    """Processor seconds of a process and all its descendants, including ended ones."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._spent: dict[int, float] = {}

    def look(self) -> float:
        """The seconds until now. Misses what a process uses between the last check and its end."""
        parents, spent = {}, {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            parents[int(name)] = int(fields[1])
            spent[int(name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        def descends(process: int) -> bool:
            return process == self._root or (process in parents and descends(parents[process]))

        self._spent |= {process: seconds for process, seconds in spent.items() if descends(process)}
        return sum(self._spent.values())


class Timed(Ledger[Sums]):
    """A ledger that records for each answer its time, its worker, and the machine's use until then."""

    def __init__(self, job: Play, own: Own) -> None:
        super().__init__(job)
        self._own = own
        self.workers: list[str] = []  # of the answers
        self.times: list[tuple[float, float, float, int]] = []  # seconds, processor seconds: own, all; world-ticks

    def take(self, block: Block, answer: Sums) -> bool:
        """Records an answer and its time."""
        self.workers.append(next(name for begun, name in reversed(self.begun) if begun == block))
        self.times.append((time.perf_counter(), self._own.look(), all_seconds(), answer.world_ticks))
        return super().take(block, answer)

    def measure(self) -> Measured:
        """World-ticks a second once every worker has given its first answer; processors used by it, and by others."""
        start = max(self.workers.index(name) for name in set(self.workers))
        (begun, own, all_, _), (end, own_end, all_end, _) = self.times[start], self.times[-1]
        ticks = sum(row[3] for row in self.times[start + 1 :])
        passed, had = end - begun, own_end - own
        return ticks / passed, had / passed, (all_end - all_ - had) / passed


def sized(seconds: float, threads: int) -> Play:
    """A job that takes one process with `threads` threads about `seconds`, in blocks of a second of one thread."""
    trial = replace(JOB, worlds=16384, block=4096)
    start = time.perf_counter()
    played = blocks.run(trial, threads=threads)
    speed = played.world_ticks / (time.perf_counter() - start)
    block = max(1, round(speed / threads * BLOCK_SECONDS / JOB.ticks))
    return replace(JOB, worlds=round(seconds * threads) * block, block=block)


def all_seconds() -> float:
    """Busy processor seconds of the whole machine until now, including time taken by its host."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def compare(job: Play, sides: dict[str, Callable[[Ledger[Sums]], Sums]], rounds: int, root: int) -> None:
    """Prints the speed of two sides, played by `root` and its children, and the ratio of the first to the second."""
    print(f"{len(job.blocks())} blocks of {job.block} worlds and {job.ticks} ticks")
    own, order, digests = Own(root), list(sides), set()

    def play(name: str) -> Measured:
        ledger = Timed(job, own)
        digests.add(sides[name](ledger).digest)
        speed, had, others = ledger.measure()
        print(f"  {speed / 1e6:.2f} M world-ticks/s, {had:.2f} processors (others {others:.2f}): {name}", flush=True)
        return speed, had, others

    def both() -> tuple[Measured, Measured]:
        order.reverse()
        found = {name: play(name) for name in order}
        first, second = (found[name] for name in sides)
        return first, second

    ratios(both, rounds)
    print(f"digest: {', '.join(f'{digest:016x}' for digest in digests)}")


def ray(seconds: float, rounds: int) -> None:
    """Two local actors of one thread each, compared with one process with two threads."""
    import ray

    import carom.ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    job = sized(seconds, 2)
    compare(
        job,
        {
            "two actors": lambda ledger: carom.ray.run(job, workers=2, threads=1, ledger=ledger),
            "two threads": lambda ledger: blocks.run(job, threads=2, ledger=ledger),
        },
        rounds,
        os.getpid(),
    )
    ray.shutdown()


def mpi(seconds: float, rounds: int) -> None:
    """Two ranks of one thread each, compared with one process with two threads."""
    from mpi4py import MPI

    import carom.mpi

    if MPI.COMM_WORLD.rank > 0:
        for _ in range(rounds):
            carom.mpi.run(JOB, threads=1)  # rank 0's job
        return
    job = sized(seconds, 2)
    compare(
        job,
        {
            "two ranks": lambda ledger: carom.mpi.run(job, threads=1, ledger=ledger),
            "two threads": lambda ledger: blocks.run(job, threads=2, ledger=ledger),
        },
        rounds,
        os.getppid(),  # mpirun
    )


# ---- independent processes ----


def play_alone(made: dict[str, Any], seconds: float, start: Any, told: Any) -> None:
    """A process: plays for a number of seconds from the common start on, and reports its speed and processors."""
    worlds = Worlds("csb", WORLDS, players=["race", "race"], at_end="reset", **made)
    worlds.play(JOB.ticks)
    start.wait()
    begun, spent, ticks = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() < begun + seconds:
        worlds.play(TICKS)
        ticks += TICKS * WORLDS
    passed = time.perf_counter() - begun
    told.put((ticks / passed, (time.process_time() - spent) / passed))


def together(processes: Sequence[dict[str, Any]], seconds: float) -> Measured:
    """World-ticks a second of all processes, each with worlds `made` so; processors used by them, and by others."""
    context = multiprocessing.get_context("spawn")
    start, told = context.Barrier(len(processes) + 1), context.Queue()
    started = [context.Process(target=play_alone, args=(made, seconds, start, told)) for made in processes]
    for process in started:
        process.start()
    start.wait()
    before, begun = all_seconds(), time.perf_counter()
    time.sleep(seconds)
    busy = (all_seconds() - before) / (time.perf_counter() - begun)
    speed, own = np.sum([told.get() for _ in started], axis=0)
    for process in started:
        process.join()
    names = ", ".join(str(made or "default settings") for made in processes)
    print(f"  {speed / 1e6:.2f} M world-ticks/s, {own:.2f} processors (others {busy - own:.2f}): {names}", flush=True)
    return speed, own, busy - own


def ratios(sides: Callable[[], tuple[Measured, Measured]], rounds: int) -> None:
    """Prints the ratio of the first side's speed to the second's, for the machine and for a processor's second."""
    found = []
    for _ in range(rounds):
        (speed, own, others), (beside, own_beside, others_beside) = sides()
        found.append((speed / beside, speed / own / (beside / own_beside), max(others, others_beside)))
        print(f"ratio {found[-1][0]:.3f}, for each processor's second {found[-1][1]:.3f}", flush=True)
    quiet = [row for row in found if row[2] < 0.05]
    for name, rows in (("all rounds", found), ("rounds where others had less than 0.05", quiet)):
        if rows:
            whole, each, _ = np.array(rows).T
            spread = f"median ratio {np.median(whole):.3f} ({whole.min():.3f} to {whole.max():.3f})"
            print(f"{name} ({len(rows)}): {spread}, for each processor's second {np.median(each):.3f}")


def pinned(seconds: float, rounds: int) -> None:
    """Two processes of one thread, each on its own processor, compared with each of them alone."""
    each = [{"threads": 1, "affinity": [place]} for place in sorted(os.sched_getaffinity(0))[:2]]

    def sides() -> Any:
        alone = np.array([together([made], seconds) for made in each])
        return together(each, seconds), (*alone[:, :2].sum(axis=0), alone[:, 2].max())

    ratios(sides, rounds)


def crowd(seconds: float, rounds: int) -> None:
    """Four processes with default settings, each with as many threads as processors, compared with one."""
    ratios(lambda: (together([{}] * 4, seconds), together([{}], seconds)), rounds)


def main() -> None:
    """The command."""
    rows: dict[str, Callable[..., Any]] = {"ray": ray, "mpi": mpi, "pinned": pinned, "crowd": crowd}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("row", choices=rows)
    parser.add_argument("--seconds", type=float, default=60, help="of each side in a round")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    rows[arguments.row](arguments.seconds, arguments.rounds)


if __name__ == "__main__":
    main()
