# SPDX-License-Identifier: MIT
"""The first hour of docs/python.md runs as printed, its Python and its shell commands.

Its first step, the installation, is the environment of these tests.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import carom

pytest.importorskip("gymnasium")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def section() -> str:
    text = PAGE.read_text(encoding="utf-8")
    part = r"^## The first hour\n.*?^pip install [^\n]*\n```\n(.*?)^## "
    found = re.search(part, text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def run(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "it warns"
    return done.stdout


def test_the_hour(tmp_path: Path) -> None:
    blocks = re.findall(r"```(python|shell)\n(.*?)```", section(), re.DOTALL)
    (tmp_path / "hour.py").write_text("\n".join(text for kind, text in blocks if kind == "python"), encoding="utf-8")
    said = run([sys.executable, "hour.py"], tmp_path)
    numbers = re.search(r"ticks: (-?[\d.]+) before, (-?[\d.]+) after", said)
    assert numbers is not None
    untaught, learnt = (float(number) for number in numbers.groups())
    assert untaught < 0.1
    assert learnt > 2
    won = re.search(r"won: (\d+)% against `random`, (\d+)% against `race`", said)
    assert won is not None
    assert int(won[1]) > 90
    assert int(won[2]) < 50

    lines = [line for kind, text in blocks if kind == "shell" for line in text.splitlines()]
    answers = {}
    for line in lines:
        first, *words = shlex.split(line)
        assert first == "carom"
        answers[words[0]] = run([sys.executable, "-m", "carom", *words], tmp_path)
    assert set(answers) == {"info", "replay", "render", "view"}
    assert "400 of 400 ticks: the same" in answers["replay"]
    for name in ("mine.svg", "mine100.svg"):
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<svg ")
    assert (tmp_path / "mine.svg").read_text() != (tmp_path / "mine100.svg").read_text()
    assert 'id="film"' in (tmp_path / "mine.html").read_text(encoding="utf-8")
    replay = carom.Replay(tmp_path / "mine.carom")
    assert (replay.worlds, replay.ticks) == (2, 400)
