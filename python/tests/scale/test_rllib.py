# SPDX-License-Identifier: MIT
"""RLlib: PPO with two env runners through the vector entry point, examples/python/rllib_csb.py.

Whole: at most 15 minutes of two cores, to half of 200 games against `race`. Short: half a minute, against `random`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray.rllib")

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "python" / "rllib_csb.py"
SHORT = bool(os.environ.get("CAROM_TEST_SHORT"))
ARGUMENTS = (
    ["--minutes", "0.5", "--opponent", "random", "--enough", "95"] if SHORT else ["--minutes", "15", "--enough", "60"]
)


def test_rllib_learns() -> None:
    command = [sys.executable, "-W", "ignore", str(EXAMPLE), *ARGUMENTS]
    niceness = {"RAY_worker_niceness": "0"}  # Ray's default, 15, starves the runners where others work, too
    done = subprocess.run(
        command, env=os.environ | niceness, capture_output=True, text=True, timeout=1200 if SHORT else 7200, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("rows of <class 'carom.gymnasium.VectorEnv'>") == 2, done.stdout
    won = {against: int(count) for count, against in re.findall(r"won (\d+) of 200 against (\w+)", done.stdout)}
    assert won["random"] >= 180, done.stdout
    if not SHORT:
        assert won["race"] >= 100, done.stdout
    training, alone = re.findall(r"([\d,]+) by", done.stdout)
    assert 0 < int(training.replace(",", "")) < int(alone.replace(",", ""))
