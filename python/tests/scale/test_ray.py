# SPDX-License-Identifier: MIT
"""Jobs on a real local Ray cluster: digests for any number of actors, actors and nodes that die, late blocks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jobs
import pytest
from jobs import SHORT, Traced, wait_for

from carom import blocks
from carom.blocks import Block, BlockError, Ledger, Play, Sums

ray: Any = pytest.importorskip("ray")

import carom.ray  # noqa: E402 - it needs Ray

JOB = Play("csb", players="race", worlds=20_000, ticks=100, seed=5, block=900, distinct=128)
SLOW = Play("csb", players="race", worlds=12_000, ticks=100, seed=7, block=400, distinct=128)


@dataclass(frozen=True)
class Gated:
    """Six blocks. The first worker to start block 0, and all that start the last block, wait for a file of that number;
    block `bad` raises an error, block `fatal` ends its process. Results say how often the block was started before.
    """  # fmt: skip

    folder: str
    gates: bool = False
    bad: int = -1
    fatal: int = -1

    def blocks(self) -> list[Block]:
        return blocks.divide(6, 1)

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], int]:
        return self.play

    def play(self, block: Block) -> int:
        before = 0
        while True:
            try:
                Path(self.folder, f"began-{block.index}-{before}").touch(exist_ok=False)
                break
            except FileExistsError:
                before += 1
        if block.index == self.bad:
            raise ValueError("a bad block")
        if block.index == self.fatal:
            os._exit(1)
        if self.gates and ((block.index == 0 and before == 0) or block.index == 5):
            wait_for(Path(self.folder, str(block.index)).exists)
        return before

    def merge(self, answers: Sequence[int]) -> list[int]:
        return list(answers)


@dataclass(frozen=True)
class Told:
    """Forty blocks; each returns its index and the worker's settings."""

    def blocks(self) -> list[Block]:
        return blocks.divide(40, 1)

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Any]:
        def play(block: Block) -> Any:
            time.sleep(0.01 * (block.index % 3))  # they come back in another order
            return block.index, threads, affinity

        return play

    def merge(self, answers: Sequence[Any]) -> list[Any]:
        return list(answers)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of one node that counts eight processors, on this machine."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 8, "include_dashboard": False})
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def one_batch(job: Play) -> Sums:
    """The result of one batch of all worlds."""
    return blocks.run(replace(job, block=job.worlds))


@pytest.mark.parametrize("workers", [1, 2] if SHORT else [1, 2, 3, 7])
def test_any_number_of_actors(cluster: Any, workers: int) -> None:
    ledger: Ledger[Sums] = Ledger(JOB)
    assert carom.ray.run(JOB, workers=workers, ledger=ledger, late=None) == one_batch(JOB)
    assert {name for _, name in ledger.begun} == {f"actor {k}" for k in range(workers)}
    assert not ledger.begun_twice
    assert ray.is_initialized()


def test_threads_affinity_and_order(cluster: Any) -> None:
    def told(**keywords: Any) -> tuple[list[int], list[Any]]:
        answers = carom.ray.run(Told(), late=None, **keywords)
        found: list[Any] = []
        for _, *rest in answers:
            if rest not in found:
                found.append(rest)
        return [index for index, *_ in answers], sorted(found)

    assert told() == (list(range(40)), [[8, None]]), "an actor a node, with all its processors"
    assert told(threads=3, affinity=[0, 1]) == (list(range(40)), [[3, [0, 1]]])
    assert told(workers=2, threads=4, affinity=[[0], [1]]) == (list(range(40)), [[4, [0]], [4, [1]]])


def test_actors_that_are_killed(cluster: Any, tmp_path: Path) -> None:
    kills = 1 if SHORT else 3
    trace = tmp_path / "trace"
    job = Traced(SLOW, str(trace), slow=0.3)
    ledger: Ledger[Sums] = Ledger(job)
    killed: dict[int, int] = {}  # the block that a process was in, by its id

    def alive() -> list[int]:
        return [process for _, process in jobs.events(trace, "begin") if process not in killed]

    def kill() -> None:
        for _ in range(kills):
            time.sleep(0.2)
            process, index = wait_for(lambda: jobs.stop_one(trace, alive()))
            os.kill(process, signal.SIGKILL)
            killed[process] = index

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    sums = carom.ray.run(job, workers=3, ledger=ledger, late=None)
    killer.join()
    assert sums == one_batch(SLOW)
    began, ended = jobs.events(trace, "begin"), jobs.events(trace, "end")
    assert len(killed) == kills
    for process, index in killed.items():
        assert (index, process) in began
        assert (index, process) not in ended, "in the middle of a block"
    begun = [index for index, _ in began]
    twice = {index for index in begun if begun.count(index) > 1}
    assert set(killed.values()) <= twice <= {block.index for block in ledger.begun_twice}


def test_a_late_block_counts_once(cluster: Any, tmp_path: Path) -> None:
    job = Gated(str(tmp_path), gates=True)
    ledger: Ledger[int] = Ledger(job)
    first = job.blocks()[0]

    def open_gates() -> None:
        wait_for(lambda: first not in ledger.missing())  # by its repetition
        (tmp_path / "0").touch()
        wait_for(lambda: first in ledger.late)
        (tmp_path / "5").touch()

    opener = threading.Thread(target=open_gates, daemon=True)
    opener.start()
    answers = carom.ray.run(job, workers=3, ledger=ledger, late=0.001)
    opener.join()
    assert answers[0] == 1, "the repetition's"
    assert ledger.late.count(first) == 1
    assert [block for block, _ in ledger.begun].count(first) == 2
    assert first in ledger.begun_twice


def test_no_block_is_repeated_unless_asked(cluster: Any, tmp_path: Path) -> None:
    job = Gated(str(tmp_path), gates=True)
    ledger: Ledger[int] = Ledger(job)

    def open_gates() -> None:
        wait_for(lambda: len(ledger.missing()) == 3)  # 0, the one behind it, and 5
        time.sleep(0.5)
        (tmp_path / "0").touch()
        (tmp_path / "5").touch()

    opener = threading.Thread(target=open_gates, daemon=True)
    opener.start()
    assert carom.ray.run(job, workers=3, ledger=ledger, late=None) == [0] * 6
    opener.join()
    assert (ledger.begun_twice, ledger.late) == ([], [])


def test_an_error_of_the_job_is_not_tried_again(cluster: Any, tmp_path: Path) -> None:
    job = Gated(str(tmp_path), bad=3)
    with pytest.raises(BlockError, match=r"block 3 \(3 to 3\): ValueError: a bad block") as raised:
        carom.ray.run(job, workers=2)
    assert raised.value.block.index == 3
    assert isinstance(raised.value.__cause__, ValueError)
    assert "in play" in raised.value.__cause__.__notes__[0]
    assert (tmp_path / "began-3-0").exists()
    assert not (tmp_path / "began-3-1").exists()


def test_a_block_that_ends_its_process(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carom._ledger.MOST_LOST", 2)
    with pytest.raises(RuntimeError, match=r"2 workers died while they had it"):
        carom.ray.run(Gated(str(tmp_path), fatal=0), workers=1)
    assert (tmp_path / "began-0-1").exists()
    assert not (tmp_path / "began-0-2").exists()


def test_what_is_refused(cluster: Any, tmp_path: Path) -> None:
    job = Gated(str(tmp_path))
    for keywords, why in (
        ({"workers": 0}, "workers: 0"), ({"threads": 0}, "threads: 0"), ({"workers": 9}, "room for 8 of 9 actors"),
        ({"workers": 3, "threads": 4}, "room for 2 of 3 actors of 4 threads"), ({"threads": 9}, "room for 0"),
        ({"workers": 3, "affinity": [[0], [1]]}, "each of 3 actors"), ({"affinity": [0, [1]]}, "affinity"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            carom.ray.run(job, **keywords)  # type: ignore[arg-type]
    assert not os.listdir(tmp_path)


@contextmanager
def node_that_dies(cluster: Any, processors: int, ready: Callable[[], bool]) -> Iterator[None]:
    """A node more, until `ready`."""
    node = cluster.add_node(num_cpus=processors)

    def remove() -> None:
        wait_for(ready)
        cluster.remove_node(node, allow_graceful=False)

    remover = threading.Thread(target=remove, daemon=True)
    remover.start()
    yield
    remover.join()


@pytest.mark.parametrize("workers", [None, 3], ids=["an actor a node", "three actors"])
def test_a_node_that_dies(cluster: Any, tmp_path: Path, workers: int | None) -> None:
    """The cluster has no room for a replacement: of eight processors, two actors of four threads use all."""
    trace = tmp_path / "trace"
    job = Traced(replace(SLOW, worlds=8000), str(trace), slow=1.0)
    ledger: Ledger[Sums] = Ledger(job)
    actors = workers or 2

    def all_play() -> bool:
        return len({process for _, process in jobs.events(trace, "end")}) == actors

    with node_that_dies(cluster, 4, all_play):
        sums = carom.ray.run(job, workers=workers, threads=4, ledger=ledger, late=None)
    assert sums == one_batch(job.play)
    assert len({process for _, process in jobs.events(trace, "begin")}) == actors
    assert ledger.begun_twice


def test_the_only_node_with_room_dies(cluster: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    job = Traced(SLOW, str(trace), slow=1.0)
    with (
        node_that_dies(cluster, 9, lambda: bool(jobs.events(trace, "end"))),
        pytest.raises(RuntimeError, match="no node of the cluster has room for an actor of 9 threads"),
    ):
        carom.ray.run(job, workers=1, threads=9, late=None)


ALONE = """
import signal, sys, ray, carom.ray
from carom import blocks
signal.signal(signal.SIGINT, signal.default_int_handler)
job = blocks.Play("csb", players="race", worlds=40000, ticks=600, block=2000)
ledger = blocks.Ledger(job, sys.argv[1])
before = ledger.count
print("ready", flush=True)
try:
    sums = carom.ray.run(job, workers=2, ledger=ledger, late=None)
    print(before, len(ledger.begun), sums.digest)
except KeyboardInterrupt:
    print("interrupted", before, ledger.count)
print(ray.is_initialized())
"""


def test_control_c_and_a_cluster_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "job.ledger"
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", ALONE, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment,
        )  # fmt: skip

    with start() as process, ended(process):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        size = os.path.getsize(path)
        wait_for(lambda: os.path.getsize(path) > size + 500)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)
    words = out.split()
    done = int(words[2])
    assert words == ["interrupted", "0", str(done), "False"]
    assert 0 < done < 20
    assert "Traceback" not in errors
    with start() as process, ended(process):
        out, errors = process.communicate(timeout=120)
    sums = blocks.run(Play("csb", players="race", worlds=40000, ticks=600, block=40000))
    assert out.split() == ["ready", str(done), str(20 - done), str(sums.digest), "False"]
    assert "Traceback" not in errors


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """Always ends a process, and the cluster that it started."""
    try:
        yield
    finally:
        process.kill()
