# SPDX-License-Identifier: MIT
"""The examples that learn with other libraries: 12 s of one core each against `random`, two at a time.

These seconds are processor time, including compilation. An example that misses the bound, on a slow machine, gets 90 s
in a second run, which decides.

CAROM_TEST_LONG=1: in full, minutes each, against `race` and, in self-play, against the learner after its first minute.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"
NEEDS = {
    "sb3_csb": ["stable_baselines3"],
    "torchrl_csb": ["torchrl"],
    "jax_csb": ["jax"],
    "pettingzoo_csb": ["pettingzoo", "torch"],
}
LONG = bool(os.environ.get("CAROM_TEST_LONG"))
TRIES = [[]] if LONG else [["--minutes", minutes, "--opponent", "random"] for minutes in ("0.2", "1.5")]
ENOUGH = {"race": 60, "random": 90, "its own first minute": 90}  # % of the games

Runs = dict[str, "Future[subprocess.CompletedProcess[str]]"]


def won(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """How many of 200 games were won, by opponent."""
    return {against: int(count) for count, against in re.findall(r"won (\d+) of 200 against (.*), games", done.stdout)}


def run(name: str) -> subprocess.CompletedProcess[str]:
    """Runs an example, and once more with more time if it has not learned enough."""
    for arguments in TRIES:
        command = [sys.executable, "-W", "ignore", str(EXAMPLES / f"{name}.py"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=7200 if LONG else 600, check=False)
        if done.returncode != 0 or all(count >= 2 * ENOUGH[against] for against, count in won(done).items()):
            break
    return done


@pytest.fixture(scope="module")
def runs() -> Runs:
    """All examples that can run here, two at a time."""
    pool = ThreadPoolExecutor(2)
    return {name: pool.submit(run, name) for name, needs in NEEDS.items() if all(map(find_spec, needs))}


@pytest.mark.parametrize("name", NEEDS)
def test_learns(name: str, runs: Runs) -> None:
    if name not in runs:
        pytest.skip(f"needs {', '.join(NEEDS[name])}")
    done = runs[name].result()
    assert done.returncode == 0, done.stderr
    counts = won(done)
    if not LONG:
        counts.pop("its own first minute", None)  # from the second run of self-play
    assert set(counts) == ({"race"} if LONG else {"random"}) | (
        {"its own first minute"} if LONG and "zoo" in name else set()
    )
    for against, count in counts.items():
        assert count >= 2 * ENOUGH[against], done.stdout


@pytest.mark.parametrize("name", NEEDS)
def test_is_short(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 80
