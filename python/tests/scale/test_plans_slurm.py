# SPDX-License-Identifier: MIT
"""A search over Slurm: turns, while a node is killed between two of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import cluster
import pytest
import turns

import carom.slurm
from carom.plans import Found, Turn

if cluster.missing():
    pytest.skip(f"not installed: {', '.join(cluster.missing())}", allow_module_level=True)


def test_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: bool) -> None:
    """A node is killed between two turns: its task of the next one is played on the other node."""
    count = 3 if short else turns.TURNS
    played = []
    (tmp_path / "slurm").mkdir()
    with closing(cluster.Cluster(tmp_path / "slurm")) as slurm:
        monkeypatch.setenv("SLURM_CONF", slurm.environment["SLURM_CONF"])

        def engine(job: Turn) -> list[Found]:
            if len(played) == 1:
                slurm.kill_node("one")
            played.append(job)
            return carom.slurm.run(job, tmp_path / "jobs", tasks=2, keep=False, poll=0.2)

        assert turns.shared(engine, count) == turns.whole(count)
    assert not list((tmp_path / "jobs").iterdir())
