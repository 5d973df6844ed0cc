# SPDX-License-Identifier: MIT
"""The examples run, each in a small size, and write what they say."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


def run(folder: Path, name: str, *arguments: str) -> str:
    """Runs an example in a folder of its own, and gives what it prints."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_search(tmp_path: Path) -> None:
    out = run(tmp_path, "search", "--roots", "16", "--ticks", "40", "--seconds", "0.1")
    shooting, cross_entropy = (float(line.split("passes ")[1].split()[0]) for line in out.splitlines()[:2])
    assert cross_entropy > shooting
    assert "rollouts a second" in out


PLOTS = {
    "gas": ["--bodies", "300", "--time", "20"],
    "billiards": ["--shots", "20"],
    "solvers": ["--pairs", "1024", "--seconds", "0.005"],
}


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="plots need matplotlib")
@pytest.mark.parametrize("name", PLOTS)
def test_plots(tmp_path: Path, name: str) -> None:
    run(tmp_path, name, *PLOTS[name])
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="training needs PyTorch")
def test_training_beats_random(tmp_path: Path) -> None:
    out = run(
        tmp_path, "train_csb", "--minutes", "0.3", "--games", "200", "--opponent", "random", "--at-least", "90",
        "--worlds", "256",
    )  # fmt: skip
    assert "against random" in out
    assert (tmp_path / "csb.png").stat().st_size > 10_000
    assert "won" in run(tmp_path, "play_csb", "csb.npz", "--games", "20", "--opponent", "random")
    assert (tmp_path / "csb.game.png").stat().st_size > 10_000
    world = "3\n2\n1000 1000\n9000 5000\n" + "1000 1000 0 0 -1 1\n" * 4
    command = [sys.executable, str(EXAMPLES / "play_csb.py"), "csb.npz", "--bot"]
    done = subprocess.run(command, cwd=tmp_path, input=world, capture_output=True, text=True, timeout=60, check=True)
    assert len(done.stdout.splitlines()) == 2
    assert all(len(line.split()) == 3 for line in done.stdout.splitlines())
