# SPDX-License-Identifier: MIT
"""RLlib: PPO with two env runners through the vector entry point, examples/python/rllib_csb.py.

Whole: at most 15 minutes of two cores, to half of 200 games against `race`. Short: half a minute, against `random`; a
slow machine that misses the bound has a second run of a minute and a half, which counts.
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
SHORT_TRIES = [["--minutes", minutes, "--opponent", "random", "--enough", "95"] for minutes in ("0.5", "1.5")]
TRIES = SHORT_TRIES if SHORT else [["--minutes", "15", "--enough", "60"]]


def won(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """How many of 200 games were won, by opponent."""
    return {against: int(count) for count, against in re.findall(r"won (\d+) of 200 against (\w+)", done.stdout)}


def test_rllib_learns() -> None:
    niceness = {"RAY_worker_niceness": "0"}  # Ray's default, 15, starves the runners where others work, too
    for arguments in TRIES:
        command = [sys.executable, "-W", "ignore", str(EXAMPLE), *arguments]
        done = subprocess.run(
            command, env=os.environ | niceness, capture_output=True, text=True, timeout=1200 if SHORT else 7200,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        if won(done)["random"] >= 180:
            break
    assert done.stdout.count("rows of <class 'carom.gymnasium.VectorEnv'>") == 2, done.stdout
    assert won(done)["random"] >= 180, done.stdout
    if not SHORT:
        assert won(done)["race"] >= 100, done.stdout
    training, alone = re.findall(r"([\d,]+) by", done.stdout)
    assert 0 < int(training.replace(",", "")) < int(alone.replace(",", ""))
