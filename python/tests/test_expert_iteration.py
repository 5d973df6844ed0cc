# SPDX-License-Identifier: MIT
"""`examples/python/expert_iteration.py`: its training data; a killed run ends with the same networks."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_examples import EXAMPLES, module

import carom
from carom.network import Network

SMALL = ["--short", "--steps", "40", "--parts", "1"]


@pytest.fixture(scope="module")
def example() -> Any:
    return module("expert_iteration")


def command(folder: Path, *more: str) -> list[str]:
    return [sys.executable, str(EXAMPLES / "expert_iteration.py"), str(folder), *SMALL, *more]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("expert") / "whole"
    subprocess.run(command(folder), check=True, capture_output=True, timeout=300)
    return folder


def test_rounds(whole: Path, example: Any) -> None:
    """Every round has a network that has learnt something, and its matches."""
    matches = [json.loads(line) for line in (whole / "matches.jsonl").read_text().splitlines()]
    assert [(m["round"], m["kind"], m["against"]) for m in matches] == [
        (1, "alone", "race"), (1, "in a search", "cem:64"),
        (2, "alone", "race"), (2, "alone", "round 1"), (2, "in a search", "cem:64"), (2, "in a search", "round 1"),
    ]  # fmt: skip
    assert all(m["games"] == 4 and 0 <= m["won"] <= 4 for m in matches)
    if importlib.util.find_spec("matplotlib") is not None:
        assert "round 1" in (whole / "curve.svg").read_text()

    labels = [np.load(whole / f"labels-{number}-0.npz") for number in (1, 2)]
    network = Network.load(whole / "network-2.network")
    seen, done = (np.concatenate([part[name] for part in labels]) for name in ("seen", "done"))
    off = ((network.run(seen)["policy"] - done) ** 2).mean()
    assert off < 0.8 * done.var()
    floats = example.load(whole / "weights-2.npz")
    said = example.forward([floats[f"array_{k}"] for k in range(len(floats))], seen)[-1]
    assert np.abs(said - network.run(seen)["policy"]).max() < 0.02


def test_killed(whole: Path, tmp_path: Path, example: Any) -> None:
    """A run that is killed twice ends with the same networks and results, to the bit; other settings are refused."""
    folder = tmp_path / "killed"
    for until in ("labels-1-0.npz", "matches.jsonl"):
        run = subprocess.Popen(command(folder), stdout=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while not (folder / until).exists() and time.monotonic() < end:
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert not (folder / "network-2.network").exists()
    subprocess.run(command(folder), check=True, capture_output=True, timeout=300)
    for name in ("network-1.network", "network-2.network", "matches.jsonl"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name

    refused = subprocess.run(command(folder, "--seed", "2"), capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 1
    assert "began with seed=1" in refused.stderr


def test_label(whole: Path, example: Any) -> None:
    """Of four games the search plays the first, the network one player of two others, and all of the last."""
    network = Network.load(whole / "network-2.network")
    args = Namespace(worlds=4, ticks=6, rollouts=64, horizon=7, noise=0.0)
    labels = example.label(network, 5, args)
    seen, done = labels["seen"].reshape(6, 4, 4, 38), labels["done"].reshape(6, 4, 2, 4)
    worlds = carom.Worlds("csb", 4, seed=5, precision="f32", fair_timeouts=True)
    for tick in range(6):
        assert np.array_equal(seen_by_pods(worlds), seen[tick])
        steered = network.run(seen[tick])["policy"].reshape(4, 2, 4)
        played = done[tick].copy()
        played[1, 0], played[2, 1], played[3] = steered[1, 0], steered[2, 1], steered[3]
        assert not np.array_equal(played, done[tick])
        worlds.step(played)

    # The search starts from the network's plan: without one it finds other moves.
    alone = example.label(None, 5, args)
    assert np.array_equal(alone["seen"][:16], labels["seen"][:16])
    assert not np.array_equal(alone["done"][:16], labels["done"][:16])


def seen_by_pods(worlds: carom.Worlds) -> np.ndarray:
    return worlds.observe(observation="ego")


def test_images(example: Any) -> None:
    """A mirrored state, and one with the other side's pods swapped, look as the example says."""
    course = [(1000, 1200), (14000, 3000), (7000, 8000)]
    mirrored = [(x, 9000 - y) for x, y in course]
    state = carom.Worlds("csb", 1, maps=[course], laps=3)
    image = carom.Worlds("csb", 1, maps=[mirrored], laps=3)
    state.play(37, players=["race", "ram"])
    for name in state.fields:
        if state.fields[name].role == "state":
            image[name] = state[name]
    image["y"] = 9000 - state["y"]
    image["vy"] = -state["vy"]
    image["angle"] = -state["angle"]

    signs = np.ones(example.SEEN, np.float32)
    signs[example.MIRRORED] = -1
    assert np.allclose(seen_by_pods(image), seen_by_pods(state) * signs, atol=1e-5)
    assert not np.allclose(seen_by_pods(image), seen_by_pods(state), atol=0.1)

    swapped = state.copy()
    for name in state.fields:
        if state.fields[name].role == "state" and state.fields[name].elements == 4:
            swapped[name] = state[name][:, [0, 1, 3, 2]]
    own = seen_by_pods(state)[:, :2]
    assert np.array_equal(seen_by_pods(swapped)[:, :2], own[:, :, example.RIVALS])
    assert not np.array_equal(seen_by_pods(swapped)[:, :2], own)


def test_slopes(example: Any) -> None:
    """The gradient is that of the error."""
    generator = np.random.default_rng(3)
    shapes = [(6, 5), (5,), (5, 4), (4,), (4, 2), (2,)]
    parameters = [generator.normal(0, 0.7, shape) for shape in shapes]
    inputs, wanted = generator.normal(0, 1, (9, 6)), generator.uniform(-1, 1, (9, 2))
    gradient, error = example.slopes(parameters, inputs, wanted)
    assert error > 0.1
    for k, array in enumerate(parameters):
        at = tuple(int(generator.integers(0, n)) for n in array.shape)
        array[at] += 1e-6
        above = example.slopes(parameters, inputs, wanted)[1]
        array[at] -= 2e-6
        below = example.slopes(parameters, inputs, wanted)[1]
        array[at] += 1e-6
        assert (above - below) / 2e-6 == pytest.approx(gradient[k][at], rel=1e-4, abs=1e-9)
