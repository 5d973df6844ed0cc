# SPDX-License-Identifier: MIT
"""Mirror images: a world and its image look the same, and the same actions lead to the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom
from carom.mirror import Mirror

pytest.importorskip("gymnasium")
import carom.gymnasium

GAMES: dict[str, dict[str, Any]] = {
    "csb": {"opponent": "race", "action_kind": "normalised_full", "ticks": 60},
    "soccer": {"opponent": "striker", "robots": 2, "ticks": 60},
}
BODIES = {"per": "body", "observation": "ego", "precision": "f32", "threads": 1}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_mirrored_rows_are_plain_rows_seen_by_a_mirror(game: str, mode: str) -> None:
    made = {**BODIES, **GAMES[game], "autoreset_mode": mode}
    plain = carom.gymnasium.VectorEnv(game, 32, **made)
    mirrored = carom.gymnasium.VectorEnv(game, 32, mirrored=True, **made)
    mirror, chance = Mirror(game), np.random.default_rng(1)
    raw, seen = plain.reset(seed=1)[0], mirrored.reset(seed=1)[0]
    space: Any = mirrored.single_observation_space
    ended = 0
    for _ in range(130):
        assert seen.dtype == np.float32
        assert np.array_equal(mirror.see(raw), seen)
        assert all(space.contains(row) for row in seen)
        said = chance.normal(size=(32, mirrored.single_action_space.shape[0])).astype(np.float32)
        raw, gained, *_, told = plain.step(mirror.act(raw, said))
        seen, rewards, *_, info = mirrored.step(said)
        assert np.array_equal(gained, rewards)
        ended += "result" in info
        if "final_obs" in info:
            assert np.array_equal(mirror.see(told["final_obs"]), info["final_obs"])
    assert ended >= 2


def test_a_world_and_its_image() -> None:
    """Pods on a map and on its mirror image see the same, do the same, and are then still images of each other."""
    maps = [([(2000, 2500), (12000, 1800), (9000, 6000)], [(2000, 6500), (12000, 7200), (9000, 3000)])]
    height = 9000
    for one, other in maps:
        batches = [
            carom.Worlds("csb", 16, seed=3, maps=[points], laps=3, observation="ego", action_kind="normalised_full",
                         players=[None, "zero"], observed=[0, 1])
            for points in (one, other)
        ]  # fmt: skip
        left, right = batches
        for worlds in batches:
            worlds.observe()
            worlds.play(1, players=["race", "race"])
        for name in ("x", "vx"):
            right[name] = left[name]
        right["y"], right["vy"], right["angle"] = height - left["y"], -left["vy"], -left["angle"]
        mirror, chance = Mirror("csb"), np.random.default_rng(2)
        for _ in range(25):
            seen = [worlds.observe().reshape(32, -1) for worlds in batches]
            shown = [mirror.see(rows) for rows in seen]
            assert np.allclose(*shown, atol=2e-3)
            assert (np.sign(seen[0][:, mirror.side]) == -np.sign(seen[1][:, mirror.side])).mean() > 0.9
            said = chance.uniform(-1, 1, (32, 3)).astype(np.float32)
            for worlds, rows in zip(batches, seen, strict=True):
                worlds.step(mirror.act(rows, said).reshape(16, 1, 6))
            assert np.allclose(left["x"], right["x"], atol=1e-6)
            assert np.allclose(left["y"], height - right["y"], atol=1e-6)


def test_first_turn() -> None:
    """In csb's first tick a pod faces its checkpoint, whatever its action."""
    envs = carom.gymnasium.VectorEnv("csb", 64, mirrored=True, **BODIES, opponent="zero")
    envs.reset(seed=1)
    said = np.zeros((64, 3), np.float32)
    said[:, 0] = 1
    seen = envs.step(said)[0]
    names = Mirror("csb").names
    assert np.abs(seen[:, names.index("next_aside")]).max() < 0.05 * np.abs(seen[:, names.index("next_ahead")]).min()


@pytest.mark.parametrize(("game", "made", "message"), [
    ("csb", {"per": "player"}, "per='body'"),
    ("csb", {"observation": "raw"}, "observation='ego'"),
    ("csb", {"normalised": True}, "without normalised"),
    ("csb", {"action_kind": "relative"}, "action_kind='normalised_full'"),
    ("stones", {}, "there are csb, soccer"),
])  # fmt: skip
def test_refusals(game: str, made: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        carom.gymnasium.VectorEnv(game, 4, mirrored=True, **{"per": "body", "observation": "ego", **made})


def test_jax() -> None:
    jnp = pytest.importorskip("jax.numpy")
    import carom.jax

    mirror, chance = Mirror("csb"), np.random.default_rng(1)
    envs = carom.gymnasium.VectorEnv("csb", 64, **BODIES, opponent="race", action_kind="normalised_full")
    seen, said = envs.reset(seed=1)[0], chance.normal(size=(64, 3)).astype(np.float32)
    for rows in (seen, envs.step(mirror.act(seen, said))[0]):
        assert np.allclose(mirror.see(jnp.asarray(rows), jnp), mirror.see(rows), rtol=1e-6)
        assert np.allclose(mirror.act(jnp.asarray(rows), jnp.asarray(said), jnp), mirror.act(rows, said), atol=1e-6)
    with pytest.raises(ValueError, match=r"carom\.mirror\.Mirror"):
        carom.jax.Env("csb", mirrored=True)
