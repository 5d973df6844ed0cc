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


def test_search(tmp_path: Path) -> None:
    """The library's value of leaves is that of NumPy, and a search with a network is the player with the same keys."""
    roots = carom.Worlds("csb", 5, seed=3, players=["race", "race"])
    roots.play(20)
    network = drawn(2, 38, 2, game="csb", widths=(12, 7))
    shape: dict[str, Any] = {"rollouts": 120, "sequences": 32, "horizon": 4, "reward_weight": 0}

    def judge(leaves: Any) -> Any:  # [leaf, agent, number] to [leaf, player]: the mean over a player's agents
        said = network.run(leaves)["value"].astype(np.float64)
        return said.reshape(len(leaves), 2, 2).sum(axis=2) / 2

    own = carom.Search(roots, network=network, network_weight=3, network_plan=False, final_weight=0, **shape)
    by_hand = carom.Search(roots, value=judge, observation="ego", final_weight=3, **shape)
    assert (own.run(roots) == by_hand.run(roots)).all()
    assert (own.returns() == by_hand.returns()).all()
    assert len(np.unique(own.returns())) == 5

    # By default both heads are used; a path is read.
    file = tmp_path / "some.network"
    network.write(file)
    alike = [
        carom.Search(roots, network=given, **more, **shape)
        for given in (network, file, str(file))
        for more in ({}, {"network_weight": 1.0, "network_plan": True})
    ]
    assert len({search.run(roots).tobytes() for search in alike}) == 1
    plain = carom.Search(roots, **shape).run(roots).tobytes()
    halves = [{"network_weight": 0}, {"network_plan": False}, {"network_weight": -1}]
    found = {carom.Search(roots, network=network, **half, **shape).run(roots).tobytes() for half in halves}
    assert len(found | {plain, alike[0].actions().tobytes()}) == 5

    # The other side follows the policy: as against its plan by hand.
    faced = carom.Search(roots, network=network, network_weight=0, network_plan=False, opponent="network", **shape)
    against = carom.Search(roots, opponent="plan", **shape)
    futures = carom.Worlds("csb", 5, seed=3, observation="ego")
    futures.copy_from(roots)
    plan = np.empty((5, 2, 4, 4), np.float32)
    for row in range(4):
        seen = futures.observe().reshape(5, 2, 2, 38)
        plan[:, :, row] = np.clip(network.run(seen)["policy"].reshape(5, 2, 4), -1, 1)
        futures.step(plan[:, :, row])
    against.set_plan(np.ascontiguousarray(plan[:, 1]), player=1)
    assert (faced.run(roots) == against.run(roots)).all()
    assert faced.run(roots).tobytes() != plain


def test_what_a_search_refuses(tmp_path: Path) -> None:
    roots = carom.Worlds("csb", 2)
    both = drawn(2, 38, 2, game="csb")
    value, policy = (Network.read(both.text()) for _ in range(2))
    del value.heads["policy"], policy.heads["value"]

    def refuses(match: str, **given: Any) -> None:
        with pytest.raises(ValueError, match=match):
            carom.Search(roots, **given)

    refuses("network: it is for soccer, not for csb", network=drawn(1, 38, 2))
    refuses("network: 37 inputs, but 'ego' has 38 numbers", network=drawn(2, 37, 2, game="csb"))
    refuses("network_weight: the network has no value", network=policy, network_weight=0.5)
    refuses("network_weight: nan; a finite number", network=both, network_weight=np.nan)
    refuses("network_weight: a function values the leaves", network=both, value=lambda leaves: leaves[:, :, 0])
    refuses("network_weight: no network is given", network_weight=0.5)
    refuses("network_plan, opponent='network': no network is given", network_plan=True)
    refuses("network_plan, opponent='network': no network is given", opponent=["race", "network"])
    refuses("the network has no policy", network=value, network_plan=True)
    refuses("the network has no policy", network=value, opponent="network")
    refuses("its policy has 3 numbers for 2 agents, an action of csb has 4", network=drawn(2, 38, 3, game="csb"))
    bounds = {"action_kind": "referee", "low": -1, "high": 1}
    refuses("actions of the kind 'normalised', not 'referee'", network=both, **bounds)
    carom.Search(roots, network=value, **bounds)
    carom.Search(roots, network=policy, value=lambda leaves: leaves[:, :, 0])
    (tmp_path / "some").write_text(both.text()[:-1] + "0")
    refuses("the digest differs", network=tmp_path / "some")
    with pytest.raises(FileNotFoundError):
        carom.Search(roots, network=tmp_path / "none")


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
