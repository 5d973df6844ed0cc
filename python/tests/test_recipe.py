# SPDX-License-Identifier: MIT
"""Recipes: their digests equal those of stepped worlds, and every engine makes and verifies them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import carom
from carom import blocks, recipe

PLAYED = {"players": ["race", "random"], "worlds": 50, "ticks": 30, "seed": 7}


def stepped(made, players):
    """The digest of a recipe's transitions, by stepping all its worlds at once."""
    worlds = carom.Worlds(
        made.game, made.worlds, seed=made.seed, precision=made.precision, at_end=made.at_end,
        action_kind=made.action_kind, observation=made.observation, reward=made.reward,
    )  # fmt: skip
    total, before = 0, worlds.observe().copy()
    for tick in range(made.ticks):
        actions = np.concatenate([worlds.policy(name)[:, p : p + 1] for p, name in enumerate(players)], axis=1)
        worlds.step(actions)
        total += recipe.digest(before[None], actions[None], worlds.rewards[None], worlds.ends[None], first_tick=tick)
        before = worlds.observations.copy()
    return total % 2**64


def test_what_is_digested():
    for kinds in ({}, {"precision": "f32", "observation": "ego", "reward": "own", "action_kind": "normalised"}):
        made = recipe.Recipe("csb", **PLAYED, **kinds).make()
        assert sum(made.digests) % 2**64 == stepped(made, PLAYED["players"])
        assert made.verify() is None
        assert len(made.text) <= 2048


def test_texts(tmp_path):
    made = recipe.Recipe("csb", **PLAYED, blocks=3, options={"ticks": 20, "map_seed": 5})
    assert made.digests == (None, None, None)
    assert [(block.index, block.first, block.count) for block in made.blocks] == [(0, 0, 17), (1, 17, 17), (2, 34, 16)]
    assert "3 missing" in repr(made)
    with pytest.raises(ValueError, match="block 0 has no digest"):
        recipe.Verify(made)
    whole = made.make(threads=2)
    whole.save(tmp_path / "csb.recipe")
    again = recipe.Recipe.load(tmp_path / "csb.recipe")
    assert again == whole == pickle.loads(pickle.dumps(whole)) != made
    assert hash(again) == hash(whole)
    assert (again.game, again.players, again.worlds, again.ticks) == ("csb", ("race", "random"), 50, 30)
    assert (again.seed, again.precision, again.at_end, again.reward) == (7, "f64", "reset", "game")
    for isa, about in carom.info()["isas"].items():
        if about["usable"]:
            assert again.play(1, isa=isa) == whole.digests[1]
    forged = whole.filled({2: 0, 1: 1})
    assert forged.verify() == recipe.Difference(whole.blocks[1], 1, whole.digests[1])

    text = bytearray(whole.text)
    text[100] ^= 1
    with pytest.raises(ValueError, match="damaged"):
        recipe.Recipe.parse(bytes(text))
    with pytest.raises(ValueError, match="at most 2048"):
        recipe.Recipe.parse(whole.text * 9)
    with pytest.raises(FileNotFoundError):
        recipe.Recipe.load(tmp_path / "none")


def test_engines():
    made = recipe.Recipe("csb", **PLAYED, blocks=4)
    job = recipe.Make(made)
    whole = blocks.run(job, threads=2)
    # Another process, another order, other threads: the same text.
    play = pickle.loads(pickle.dumps(job)).worker(1)
    answers = {block.index: play(block) for block in reversed(job.blocks())}
    assert job.merge([answers[k] for k in range(4)]) == whole
    assert blocks.run(recipe.Verify(whole)) is None
    assert recipe.Verify(whole).merge([0, *whole.digests[1:]]) == recipe.Difference(
        whole.blocks[0], whole.digests[0], 0
    )


def test_scenes_and_planners():
    if carom.info()["json"]:
        scene = carom.Scene([carom.Body(acts=True, vx=1), carom.Body(x=3)])
        made = recipe.Recipe(scene, players="random", worlds=20, ticks=10).make()
        del scene
        assert recipe.Recipe.parse(made.text).verify() is None
        crowd = carom.Scene([carom.Body(x=3 * k) for k in range(200)])
        with pytest.raises(ValueError, match="the scene is too large"):
            recipe.Recipe(crowd, players="still", worlds=20, ticks=10)
    planned = recipe.Recipe(
        "csb", players=["cem:rollouts=32,sequences=16", "race"], worlds=3, ticks=4, action_kind="normalised"
    )
    assert planned.make(threads=1) == planned.make(threads=2)


def test_refusals():
    for wrong, error, why in (
        ({"players": "nobody"}, ValueError, "'nobody'"),
        ({"players": ["race"]}, ValueError, "1 are given, csb has 2"),
        ({"players": "network:12"}, NotImplementedError, "network"),
        ({"players": "cem:ms=3"}, NotImplementedError, "milliseconds"),
        ({"worlds": 0}, ValueError, "worlds"),
        ({"ticks": 0}, ValueError, "ticks"),
        ({"blocks": 51}, ValueError, "number of blocks"),
        ({"precision": "f16"}, ValueError, "precision"),
        ({"options": {"tricks": 1}}, ValueError, "tricks"),
        ({"options": {"maps": [[(1000, 1000), (9000, 8000)]]}}, NotImplementedError, "maps: a list"),
    ):
        with pytest.raises(error, match=why):
            recipe.Recipe("csb", **{**PLAYED, **wrong})
    with pytest.raises(ValueError, match="block"):
        recipe.Recipe("csb", **PLAYED).play(50)
    with pytest.raises(ValueError, match="isa"):
        recipe.Recipe("csb", **PLAYED).play(0, isa="mmx")


def test_digests_of_arrays():
    rng = np.random.default_rng(1)
    seen = rng.random((4, 6, 2, 70), np.float32)
    acted, gained, ends = rng.random((4, 6, 2, 3)), rng.random((4, 6, 2), np.float32), np.zeros((4, 6), np.uint8)
    whole = recipe.digest(seen, acted, gained, ends, first_id=3)
    assert whole == recipe.digest(seen, acted, gained, ends, ids=range(3, 9))
    assert whole == recipe.digest(seen.view(np.uint32), acted.tolist(), gained, ends.astype(bool), first_id=3)
    parts = [recipe.digest(seen[a:b], acted[a:b], gained[a:b], ends[a:b], first_id=3, first_tick=a)
             for a, b in ((0, 1), (1, 4))]  # fmt: skip
    assert sum(parts) % 2**64 == whole
    for array in (seen, acted, gained, ends):
        for _ in range(50):
            at = tuple(rng.integers(array.shape))
            was = array[at]
            array[at] = np.nextafter(was, array.dtype.type(2)) if array.dtype.kind == "f" else was + 1
            assert recipe.digest(seen, acted, gained, ends, first_id=3) != whole
            array[at] = was
    assert recipe.digest(seen, acted, gained, ends, first_id=3) == whole
    assert recipe.digest() == 0
    assert recipe.digest(np.zeros((0, 5, 2), np.float32)) == 0
    with pytest.raises(ValueError, match=r"rewards: \[tick, world\]"):
        recipe.digest(seen, rewards=gained[1:])
    with pytest.raises(ValueError, match="actions: not in C order"):
        recipe.digest(seen, acted.transpose(0, 1, 3, 2))
    with pytest.raises(ValueError, match="ids"):
        recipe.digest(seen, ids=[1, 2])
