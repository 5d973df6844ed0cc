# SPDX-License-Identifier: MIT
"""The pages' programs run as printed, only smaller."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom

pytest.importorskip("gymnasium")
ROOT = Path(__file__).resolve().parents[2]
SMALLER = {"100_000": "1000", "packing=0.7": "packing=0.5", "4096": "64"}


def test_programs_of_the_page_on_devices() -> None:
    """The programs of docs/device.md: unchanged on a GPU; without one on this processor, except the graph."""
    torch = pytest.importorskip("torch")
    programs = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs/device.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )
    assert ["CUDAGraph" in program for program in programs] == [False, True]
    there = bool(carom.devices()) and torch.cuda.is_available()
    scope: dict[str, Any] = {"policy": lambda seen: torch.zeros(len(seen), 1, 4, device=seen.device)}
    for program in programs:
        if there:
            exec(program, scope)
        elif "CUDAGraph" not in program:
            exec(program.replace("262144", "64").replace('"cuda"', '"cpu"'), scope)
    assert scope["w"].digest() == scope["w"].to("cpu").digest()
    scope["w"].wait()


def test_scenes_of_the_page_on_scenes() -> None:
    """Its JSON texts that are whole scenes play; the second has arcs, in the third worlds differ."""
    texts = re.findall(r"```json\n(.*?)```", (ROOT / "docs/scenes.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    scenes = [carom.Scene.from_json(text) for text in texts if text.startswith("{")]
    assert [len(scene.bodies) for scene in scenes] == [2, 2, 2]
    for scene in scenes:
        w = scene.worlds(8)
        w.play(500)
        assert w.faults().worlds == 0
        assert len(np.unique(w["x"])) > 1
        again = carom.Scene.from_json(scene.to_json()).worlds(8)
        again.play(500)
        assert again.digest() == w.digest()
    assert len(scenes[1].arcs) == 2
    assert len(np.unique(scenes[2].worlds(8)["radius"][:, 0])) == 8


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/scenes.md", "docs/gas.md"])
def test_programs_of_a_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"^## The first hour\n.*?^## ", "## ", text, flags=re.DOTALL | re.MULTILINE)  # see test_hour.py
    programs = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert programs
    monkeypatch.chdir(tmp_path)  # some write files
    # Variables of the reader: positions, velocities and radii.
    scope: dict[str, Any] = {"p": np.zeros((3, 2)), "v": np.ones((3, 2)), "r": 1.0}
    for program in programs:
        if any(word in program and importlib.util.find_spec(word) is None for word in ("jax", "numba")):
            continue
        for long, short in SMALLER.items():
            program = program.replace(long, short)
        exec(program, scope)
