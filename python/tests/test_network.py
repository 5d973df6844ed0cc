# SPDX-License-Identifier: MIT
"""carom.network: the bits of the library's networks in NumPy; files written and read; networks made from floats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom.network import Layer, Network, quantise

ACTIVATIONS = ("relu", "clip", "tanh")


def drawn(seed: int, inputs: int, policy: int, *, game: str = "soccer", widths: tuple[int, ...] = (24, 9)) -> Network:
    """A network of floats that are drawn, with all activations."""
    random = np.random.default_rng(seed)

    def dense(outputs: int, width: int, activation: str) -> tuple[Any, Any, str]:
        return random.normal(0, 1.5 / np.sqrt(width), (outputs, width)), random.normal(0, 0.2, outputs), activation

    layers, width = [], inputs
    for k, outputs in enumerate(widths):
        layers.append(dense(outputs, width, ACTIVATIONS[(seed + k) % 3]))
        width = outputs
    return quantise(
        game,
        "ego",
        layers,
        value=dense(1, width, "linear"),
        policy=dense(policy, width, ("linear", *ACTIVATIONS)[seed % 4]),
        input_bits=6 + seed % 7,
    )


def test_the_library_has_the_same_bits(tmp_path: Path) -> None:
    worlds = carom.Worlds("soccer", 37, observation="ego", seed=4, players=["striker", "random"])
    agents, inputs = worlds.observations.shape[1] // 2, worlds.observations.shape[-1]
    size = {kind.name: kind.size for kind in worlds.game.action_kinds}["normalised"]
    for seed in range(12):
        worlds.play(20)
        network = drawn(seed, inputs, size // agents, widths=((), (24, 9), (5,))[seed % 3])
        file = tmp_path / f"{seed}.network"
        network.write(file)
        player = carom.Player(worlds, 1, f"network:{file}")
        seen = worlds.observe().reshape(37, 2, agents, inputs)[:, 1]
        wanted = np.clip(network.run(seen)["policy"].reshape(37, size), -1, 1)
        assert (player.act(worlds) == wanted).all()
        assert len(np.unique(wanted)) > 10


def test_files(tmp_path: Path) -> None:
    network = drawn(3, 11, 2)
    file = tmp_path / "some.network"
    network.write(file, about="drawn\nin a test")
    text = file.read_text()
    assert text.startswith("# drawn\n# in a test\ncarom-network 1\n")
    again = Network.load(file)
    assert again.digest == network.digest
    assert again.text() == network.text()
    assert again.heads.keys() == {"value", "policy"}
    assert len(again.layers) == 2
    inputs = np.random.default_rng(1).normal(size=(3, 5, 11)).astype(np.float32)
    assert all((again.run(inputs)[name] == network.run(inputs)[name]).all() for name in again.heads)
    assert again.run(inputs)["policy"].shape == (3, 5, 2)

    # One weight is another: seen here and by the library.
    row = text.index("weights\n") + len("weights\n") + 1
    file.write_text(text[:row] + ("1" if text[row] != "1" else "2") + text[row + 1 :])
    with pytest.raises(ValueError, match="or changed: the digest differs"):
        Network.load(file)
    with pytest.raises(ValueError, match="the network was changed"):
        carom.Worlds("soccer", 1, players=[None, f"network:{file}"])


def test_floats_become_whole_numbers() -> None:
    random = np.random.default_rng(2)
    w1, b1, w2, b2 = random.normal(0, 0.3, (32, 20)), random.normal(0, 0.3, 32), random.normal(0, 0.2, (1, 32)), [0.25]
    network = quantise("csb", "ego", [(w1, b1, "tanh")], value=(w2, b2, "linear"))
    inputs = random.normal(size=(500, 20)).astype(np.float32)
    wanted = np.tanh(inputs @ w1.T + b1) @ w2.T + b2
    assert np.abs(network.run(inputs)["value"] - wanted).max() < 0.01
    assert np.abs(np.diff(network.layers[0].weights)).max() > 1000  # as many bits as there is room for


def test_fewer_bits() -> None:
    network = drawn(3, 11, 2)
    inputs = np.random.default_rng(2).normal(size=(200, 11)).astype(np.float32)
    fine = network.run(inputs)
    before = 0.0
    for most in (2000, 200, 30):
        made = Network.read(network.coarse(most).text())
        dense = [*made.layers, *made.heads.values()]
        assert all(most / 2 - 1 <= np.abs(layer.weights).max() <= most for layer in dense)
        away = max(float(np.abs(said - fine[name]).mean()) for name, said in made.run(inputs).items())
        assert before < away < 12 / most
        before = away
    with pytest.raises(ValueError, match="1 at least"):
        network.coarse(0)


def test_what_is_refused() -> None:
    one = ([[1.0, 2.0]], [0.0], "linear")
    with pytest.raises(ValueError, match="heads are value and policy"):
        quantise("csb", "ego", [])
    with pytest.raises(ValueError, match="weights are too large"):
        quantise("csb", "ego", [], value=([[1e6, 2.0]], [0.0], "linear"))
    with pytest.raises(ValueError, match="not all weights and biases are finite"):
        quantise("csb", "ego", [], value=([[np.nan, 2.0]], [0.0], "linear"))
    with pytest.raises(ValueError, match="layer 0: activation 'linear'"):
        quantise("csb", "ego", [one], value=([[1.0]], [0.0], "linear"))
    with pytest.raises(ValueError, match="it must have one output"):
        quantise("csb", "ego", [], value=(np.ones((2, 2)), [0.0, 0.0], "linear"))
    network = quantise("csb", "ego", [], value=one)
    with pytest.raises(ValueError, match="the network sees 2 numbers"):
        network.run([1.0, 2.0, 3.0])
    network.heads["value"] = Layer(np.full((1, 2), 32767), np.array([2**31 - 1]), "linear", 0)
    with pytest.raises(ValueError, match="a sum can be"):
        network.text()
    for text in ("", "carom-network 2", "digest 0"):
        with pytest.raises(ValueError, match="not a network"):
            Network.read(text)
