# SPDX-License-Identifier: MIT
"""A data set that workers of a Ray cluster write: the same files for any number of them, one of them killed or not."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import carom
from carom import blocks
from carom.blocks import Block, Ledger

pytest.importorskip("pyarrow")
ray: Any = pytest.importorskip("ray")

import carom.dataset  # noqa: E402
import carom.ray  # noqa: E402
from carom.dataset import Write  # noqa: E402

SHORT = bool(os.environ.get("CAROM_TEST_SHORT"))
PATIENCE = 120.0  # seconds
COUNT, BLOCK = 2400, 400


@dataclass(frozen=True)
class Watched(Write):
    """Creates an empty file for each block that starts, and one for each that ends: `began-INDEX-PID`."""

    folder: str = ""

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], Any]:
        play = super().worker(threads, affinity)

        def watched(block: Block) -> Any:
            Path(self.folder, f"began-{block.index}-{os.getpid()}").touch()
            part = play(block)
            Path(self.folder, f"ended-{block.index}-{os.getpid()}").touch()
            return part

        return watched


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster that counts four processors, on this machine."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init("local", num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def job(path: Path, kind: Any = Write, **more: Any) -> Any:
    worlds = carom.Worlds(
        "csb", seed=3, players=["race", "random"], observation="ego", precision="f32", at_end="reset", ticks=90
    )
    return kind(worlds, path, ticks=200, count=COUNT, block=BLOCK, **more)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.*"))}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files that one process writes."""
    folder = tmp_path_factory.mktemp("one") / "d"
    data = blocks.run(job(folder), threads=2)
    assert data.verify() is None
    found = files(folder)
    assert len(found) == 1 + 2 * 6
    return found


@pytest.mark.parametrize("workers", [2] if SHORT else [1, 2, 3])
def test_any_number_of_workers(cluster: None, expected: dict[str, bytes], workers: int, tmp_path: Path) -> None:
    ledger: Ledger[Any] = Ledger(job(tmp_path / "d"))
    data = carom.ray.run(job(tmp_path / "d"), workers=workers, ledger=ledger, late=None)
    assert {name for _, name in ledger.begun} == {f"actor {k}" for k in range(workers)}
    assert len(data) == COUNT * 200
    assert files(tmp_path / "d") == expected


def test_a_worker_that_is_killed(cluster: None, expected: dict[str, bytes], tmp_path: Path) -> None:
    """A worker dies in the middle of a block; another writes the block's files."""
    watched = tmp_path / "watched"
    watched.mkdir()
    made = job(tmp_path / "d", Watched, folder=str(watched))
    killed: list[tuple[int, int]] = []

    def seen(what: str) -> set[tuple[int, int]]:
        names = (name.split("-") for name in os.listdir(watched))
        return {(int(index), int(process)) for kind, index, process in names if kind == what}

    def kill() -> None:
        deadline = time.monotonic() + PATIENCE
        while not killed and time.monotonic() < deadline:
            for index, process in sorted(seen("began") - seen("ended")):
                os.kill(process, signal.SIGSTOP)
                if not killed and (index, process) not in seen("ended"):
                    os.kill(process, signal.SIGKILL)
                    killed.append((index, process))
                else:
                    os.kill(process, signal.SIGCONT)
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    ledger: Ledger[Any] = Ledger(made)
    data = carom.ray.run(made, workers=2, ledger=ledger, late=None)
    killer.join()
    assert len(killed) == 1
    began = [index for index, _ in seen("began")]
    assert began.count(killed[0][0]) == 2, "its block was begun twice"
    assert killed[0][0] in [block.index for block in ledger.begun_twice]
    assert data.verify() is None
    assert files(tmp_path / "d") == expected


def test_answers_are_small(cluster: None, tmp_path: Path) -> None:
    """What goes back through the engine are numbers, not rows."""
    ledger: Ledger[Any] = Ledger(job(tmp_path / "d"))
    carom.ray.run(job(tmp_path / "d"), workers=2, ledger=ledger, late=None)
    assert max(len(pickle.dumps(part)) for part in ledger.answers()) < 400
    assert all(isinstance(part, carom.dataset.Part) for part in ledger.answers())
