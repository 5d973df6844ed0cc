# SPDX-License-Identifier: MIT
"""A search over a Ray cluster: ten turns, while actors are killed and a node goes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jobs
import pytest
import turns

from carom.blocks import Ledger
from carom.plans import Found, Turn

ray: Any = pytest.importorskip("ray")

import carom.ray  # noqa: E402 - it needs Ray


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Any]:
    """Two nodes of one processor on this machine."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=made.address, log_to_driver=False)
    made.add_node(num_cpus=1)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


def test_ten_turns(cluster: Any, tmp_path: Path) -> None:
    """In some turns an actor is killed in the middle of a block; between two turns a node is killed."""
    count = 4 if jobs.SHORT else turns.TURNS
    killed_in, without_node_from = ([1], 2) if jobs.SHORT else ([1, 3, 7], 5)
    trace = tmp_path / "trace"
    killed: list[int] = []  # blocks
    begun_twice: list[int] = []
    names: list[set[str]] = []

    def kill(number: int) -> None:
        """Kills a process in the middle of a block of this turn, in which all actors are new."""

        def actors() -> list[int]:
            return [process for index, process in jobs.events(trace, "begin") if index // 100 == number]

        process, index = jobs.wait_for(lambda: jobs.stop_one(trace, actors()))
        os.kill(process, signal.SIGKILL)
        killed.append(index)

    def engine(job: Turn) -> list[Found]:
        number = len(names)
        watched = turns.Watched(job, number, str(trace), 0.2)
        ledger: Ledger[Found] = Ledger(watched)
        killer = threading.Thread(target=kill, args=[number])
        if number == without_node_from:
            cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)
            jobs.wait_for(lambda: len([node for node in ray.nodes() if node["Alive"]]) == 1)
        if number in killed_in:
            killer.start()
        found = carom.ray.run(watched, threads=1, ledger=ledger, late=None)  # an actor a node
        if number in killed_in:
            killer.join()
        begun_twice.extend(number * 100 + block.index for block in ledger.begun_twice)
        names.append({name for _, name in ledger.begun})
        return found

    assert turns.shared(engine, count) == turns.whole(count)
    assert len(killed) == len(killed_in)
    assert set(killed) <= set(begun_twice)
    for number, actors in enumerate(names):
        nodes = 2 if number < without_node_from else 1
        assert len(actors) <= nodes + (number in killed_in), number
