# SPDX-License-Identifier: MIT
"""Tests with real engines: `scripts/test scale`. Each file skips itself where its engine is not installed.

With CAROM_TEST_SHORT=1 they are shorter: one worker of each engine is killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import cluster
import pytest

# Programs that the tests start find jobs.py.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[cluster.Cluster]:
    """Slurm, also for the programs that this process starts."""
    (tmp_path / "slurm").mkdir()
    made = cluster.Cluster(tmp_path / "slurm")
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    try:
        yield made
    finally:
        made.close()
        print(made.log())
