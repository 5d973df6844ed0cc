# SPDX-License-Identifier: MIT
"""The descriptions of observations, and their scaling by `normalised=True`."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom

KINDS = [(name, kind.name) for name, game in carom.games.items() for kind in game.observation_kinds]


def played(game: Any, kind: str, **made: Any) -> Any:
    """Observations in games of the first policy against itself, [observation, number]."""
    probe = carom.Worlds(game)
    policy = probe.game.policies[0 if probe.game.players == 2 else 1]
    worlds = carom.Worlds(
        game, 32, seed=2, players=[policy] * probe.game.players, at_end="reset", observation=kind, **made
    )
    rows = []
    for _ in range(40):
        worlds.play(8)
        rows.append(worlds.observe().reshape(-1, worlds.observations.shape[-1]).copy())
    return np.concatenate(rows)


@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_numbers_are_named_and_lie_within_their_scales(game: str, kind: str) -> None:
    numbers = carom.games[game].observations[kind]
    names = [number.name for number in numbers]
    assert len(set(names)) == len(names)
    assert not [name for name in names if name.startswith("number ")]
    seen = np.abs(played(game, kind))
    scale = np.array([number.scale for number in numbers])
    assert np.isfinite(scale).all()
    assert (scale > 0).all()
    for number in numbers:
        assert number.low < number.high
        assert number.scale <= max(abs(number.low), abs(number.high))
        assert number.unit or number.high == 1
    usual = np.quantile(seen, 0.999, axis=0)
    assert (usual <= scale).all(), [(n, u) for n, u in zip(numbers, usual, strict=True) if u > n.scale]
    # Nor are scales too coarse: half of the numbers that vary use a tenth of theirs.
    varying = seen.max(0) > 0
    assert np.median((seen.max(0) / scale)[varying]) > 0.1


@pytest.mark.parametrize("name", ["air_hockey", "arena", "billiards", "penalty", "pins", "swarm"])
def test_scenes_have_scales(name: str, scenes: Path) -> None:
    scene = carom.Scene.from_file(scenes / f"{name}.json")
    assert {number.scale for kind in scene.game.observations.values() for number in kind} <= {
        *map(float, scene.game._scale)
    }
    worlds = scene.worlds(64, at_end="reset", players=["random"] * scene.game.players)
    scale = np.array([number.scale for number in scene.game.observations["raw"]])
    seen = []
    for _ in range(50):
        worlds.play(4)
        seen.append(np.abs(worlds.observe()).reshape(-1, len(scale)) / scale)
    shares = np.concatenate(seen).reshape(-1, len(scale) // 4, 4)
    assert (np.quantile(shares, 0.99, axis=(0, 1)) <= 1).all()
    assert shares.max() > 0.1


def test_a_scene_of_every_unit() -> None:
    metres = carom.Scene([carom.Body(x=3, vx=2, acts=True)], box=((0, 0), (10, 5)), speed_limit=4)
    inches = carom.Scene([carom.Body(x=300, vx=200, acts=True)], box=((0, 0), (1000, 500)), speed_limit=400)
    for small, large in zip(metres.game.observations["raw"], inches.game.observations["raw"], strict=True):
        assert large.scale == pytest.approx(100 * small.scale)
    assert [n.scale for n in metres.game.observations["raw"]] == [10, 5, 4, 4]
    free = carom.Scene([carom.Body(x=-7, x_spread=2, vx=3, vy=4)])
    assert [n.scale for n in free.game.observations["raw"]] == [10, 1, 10, 10]


def test_normalised_environments() -> None:
    gymnasium = pytest.importorskip("gymnasium")

    for name in [name for name in gymnasium.registry if name.startswith("Carom/")]:
        plain, made = (
            gymnasium.make_vec(name, num_envs=4, normalised=n, autoreset_mode="same_step") for n in (False, True)
        )
        space = made.single_observation_space
        assert space.is_bounded()
        assert max(abs(space.low).max(), abs(space.high).max()) == 1
        one = gymnasium.make(name, normalised=True)
        scale = np.array([number.scale for number in plain.worlds.game.observations["raw"]], np.float32)
        seen, found = plain.reset(seed=1)[0], made.reset(seed=1)[0]
        assert np.array_equal(one.reset(seed=1)[0], found[0])
        for _ in range(30):
            assert np.array_equal(found, np.clip(seen / scale, -1, 1))
            assert made.observation_space.contains(found)
            assert 0 < np.abs(found).max() <= 1
            actions = plain.action_space.sample()
            seen, found = plain.step(actions)[0], made.step(actions)[0]
        # What needs bounds can be put about it now.
        coarse = gymnasium.wrappers.DiscretizeObservation(one, bins=3, multidiscrete=True)
        coarse.reset(seed=1)
        scaled = gymnasium.wrappers.vector.RescaleObservation(
            gymnasium.make_vec(name, num_envs=2, normalised=True), min_obs=0, max_obs=1
        )
        rows = scaled.reset(seed=1)[0]
        assert rows.min() >= 0
        assert rows.max() <= 1


def test_the_checkers_have_nothing_to_say_of_normalised_environments() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    import carom.gymnasium

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in [name for name in gymnasium.registry if name.startswith("Carom/")]:
            check_env(gymnasium.make(name, normalised=True).unwrapped, skip_render_check=True)
        if importlib.util.find_spec("pettingzoo") is not None:
            from pettingzoo.test import parallel_api_test

            import carom.pettingzoo

            parallel_api_test(carom.pettingzoo.ParallelEnv("csb", ticks=30, normalised=True), num_cycles=80)


def test_normalised_bodies_share_what_their_player_sees() -> None:
    pytest.importorskip("gymnasium")
    import carom.gymnasium

    plain, made = (carom.gymnasium.VectorEnv("csb", 8, per="body", normalised=n) for n in (False, True))
    scale = np.array([number.scale for number in plain.worlds.game.observations["raw"]], np.float32)
    assert np.array_equal(made.reset(seed=1)[0], np.clip(plain.reset(seed=1)[0] / scale, -1, 1))
