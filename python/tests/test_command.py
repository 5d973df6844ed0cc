# SPDX-License-Identifier: MIT
"""The command that the wheel brings: `carom` and `python -m carom`, on a machine that has libc alone."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import carom

SCRIPT = Path(sys.executable).with_name("carom")
MODULE = [sys.executable, "-m", "carom"]


def run(*words: object, code: int = 0) -> str:
    """A command's stdout, or its stderr if it should fail."""
    command = [*MODULE, *map(str, words)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert found.returncode == code, found.stderr
    return str(found.stderr if code else found.stdout)


def test_both_names() -> None:
    assert run("--version") == f"carom {carom.__version__}\n"
    found = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"carom {carom.__version__}\n"


def test_it_lists_its_parts() -> None:
    found = json.loads(run("info", "--json"))
    assert found["version"] == carom.__version__
    assert found["parts"] == {"json": True}
    assert carom.info()["json"] is True
    text = run("info")
    assert "scenes     in C, as JSON" in text
    assert "pictures   SVG, PNG" in text


def test_it_needs_libc_alone() -> None:
    if shutil.which("readelf") is None:
        pytest.skip("there is no readelf")
    text = subprocess.run(["readelf", "-d", carom._carom.__file__], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(lib\w+|ld-linux)", text))
    assert "libc" in needed
    assert any(path.name == "jansson.txt" for path in importlib.metadata.files("carom") or ())
    assert needed <= {"libc", "libm", "libpthread", "libdl", "librt", "ld-linux"}


def test_scenes_and_replays(scenes: Path, tmp_path: Path) -> None:
    scene = scenes / "billiards.json"
    replay = tmp_path / "x.carom"
    assert "digest" in run("rollout", scene, "--worlds", 4, "--ticks", 20)
    run("record", scene, "--ticks", 30, "--out", replay)
    assert "the same" in run("replay", replay)
    assert carom.Replay(replay).verify() is None
    run("render", replay, "--tick", 10, "--out", tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text().startswith("<svg ")
    run("render", replay, "--out", tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    run("view", replay, "--out", tmp_path / "x.html")
    assert '"game":' in (tmp_path / "x.html").read_text()
    assert "no.json" in run("rollout", "no.json", code=2)


def test_bots_play() -> None:
    bot = f"{sys.executable} -m carom bot csb"
    found = run("arena", "csb", "--a", bot, "--b", "carom:random", "--games", 2, "--ms", 2000, "--first-ms", 20000)
    assert re.search(r"games +2: 2 won", found)


def test_output_that_ends_early() -> None:
    """A closed pipe ends it without a word, as it does any program."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        found = subprocess.run([*MODULE, "info"], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert found.returncode != 0
    assert "Traceback" not in found.stderr
