# SPDX-License-Identifier: MIT
"""A search over a real Slurm: ten turns, each an array; a node is killed in the middle of a block, or between turns."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import cluster
import jobs
import pytest
import turns

import carom.slurm
from carom.plans import Found, Turn

if cluster.missing():
    pytest.skip(f"not installed: {', '.join(cluster.missing())}", allow_module_level=True)


@pytest.mark.parametrize("where", ["in a block"] if jobs.SHORT else ["in a block", "between turns"])
def test_ten_turns(slurm: cluster.Cluster, tmp_path: Path, where: str) -> None:
    count = 3 if jobs.SHORT else turns.TURNS
    kill_in, kill_after = (1, None) if where == "in a block" else (None, 4)
    trace = tmp_path / "trace"
    numbers: list[int] = []
    lost: list[int] = []

    def kill(number: int) -> None:
        """Kills the second node while its task is in the middle of a block of this turn."""
        _, index = jobs.wait_for(lambda: jobs.stop_one(trace, slurm.tasks("two")))
        slurm.kill_node("two")
        assert index // 100 == number
        lost.append(index)

    def engine(job: Turn) -> list[Found]:
        number = len(numbers)
        numbers.append(number)
        killer = threading.Thread(target=kill, args=[number])
        if number == kill_in:
            killer.start()
        watched = turns.Watched(job, number, str(trace), 0.5 if number == kill_in else 0.0)
        found = carom.slurm.run(watched, tmp_path / f"turn-{number}", tasks=2, poll=0.2)
        if number == kill_in:
            killer.join()
        if number == kill_after:
            slurm.kill_node("two")
        return found

    assert turns.shared(engine, count) == turns.whole(count)
    assert len(numbers) == count
    assert len(lost) == (kill_in is not None)
    begun = sorted(index for index, _ in jobs.events(trace, "begin"))
    blocks = [number * 100 + block for number in numbers for block in range(turns.COUNT // turns.BLOCK)]
    assert begun == sorted([*blocks, *lost])
    assert os.getpid() not in {process for _, process in jobs.events(trace, "end")}
