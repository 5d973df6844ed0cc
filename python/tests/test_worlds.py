# SPDX-License-Identifier: MIT
"""Batches: playing, fields, copies, saves, and errors."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import carom


def played(**made: object) -> carom.Worlds:
    """48 races of csb, a few ticks on."""
    made = {"seed": 7, "precision": "f32", "at_end": "reset", "players": ["race", "random"], **made}
    worlds = carom.Worlds("csb", 48, **made)
    worlds.play(20)
    return worlds


# ---- playing ----


@pytest.mark.parametrize("game", ["csb", "fantastic_bits", "soccer", "stones", "fall"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_every_game_plays(game: str, precision: str) -> None:
    worlds = carom.Worlds(game, 5, seed=1, precision=precision)
    worlds.actions[:] = np.random.default_rng(0).uniform(-1, 1, worlds.actions.shape)
    for _ in range(3):
        worlds.step()
    assert worlds.observations.shape == (5, worlds.game.players, worlds.game.observation_kinds[0].size)
    assert worlds.counters().ticks == 15
    assert (worlds["tick"] == 3).all()
    assert np.isfinite(worlds.observations).all()


def test_a_step_is_a_play() -> None:
    rng = np.random.default_rng(1)
    actions = rng.uniform(-1, 1, (30, 33, 2, 4)).astype(np.float32)
    by_step, by_play = (carom.Worlds("csb", 33, seed=3, at_end="reset") for _ in range(2))
    all_at_once = by_play.play(30, actions=actions, observations=True, rewards=True, ends=True)
    for tick in range(30):
        by_step.step(actions[tick])
        assert np.array_equal(by_step.observations, all_at_once.observations[tick])
        assert np.array_equal(by_step.rewards, all_at_once.rewards[tick])
        assert np.array_equal(by_step.ends, all_at_once.ends[tick])
    assert by_step.digest() == by_play.digest()


def test_policies_play_within_the_call() -> None:
    within, asked = (carom.Worlds("csb", 20, seed=5) for _ in range(2))
    for _ in range(10):
        asked.step(asked.policy("race"))
    within.play(10, players=["race", "race"])
    assert np.array_equal(within.hashes(), asked.hashes())


def test_players_act_in_kinds_of_their_own() -> None:
    both, own = (carom.Worlds("csb", 20, seed=3) for _ in range(2))
    rng = np.random.default_rng(5)
    for _ in range(10):
        actions = rng.uniform(-1, 1, (1, 20, 2, 4)).astype(np.float32)
        both.play(actions=actions)
        own.play(actions=actions[:, :, :1].copy(), own={1: ("normalised", actions[:, :, 1].copy())})
    assert own.digest() == both.digest()
    x = rng.uniform(0, 9000, (1, 20, 6))
    x[..., 2::3] = 100
    mixed = own.copy()
    own.play(actions=np.repeat(x[:, :, None], 2, axis=2), action_kind="referee")
    mixed.play(actions=actions[:, :, :1].copy(), own={1: ("referee", x)})
    mine, told = mixed.get("vx"), own.get("vx")
    assert (mine[:, 2:] == told[:, 2:]).mean() > 0.9  # except for impacts
    assert (mine[:, :2] != told[:, :2]).mean() > 0.9


def test_own_kinds_that_are_refused() -> None:
    worlds = carom.Worlds("csb", 4, check_actions=True, players=[None, "race"])
    with pytest.raises(ValueError, match="is not one whose actions are given"):
        worlds.play(own={1: ("referee", np.zeros((1, 4, 6)))})
    with pytest.raises(ValueError, match="referee"):  # it lists the kinds
        worlds.play(own={0: ("spoken", np.zeros((1, 4, 6)))})
    with pytest.raises((TypeError, ValueError), match="own"):
        worlds.play(own={0: ("referee", np.zeros((1, 4, 6), np.float32))})
    with pytest.raises(ValueError, match="own"):
        worlds.play(own={0: ("referee", np.zeros((1, 3, 6)))})
    with pytest.raises(ValueError, match="NaN"):
        worlds.play(own={0: ("referee", np.full((1, 4, 6), np.nan))})
    assert worlds.counters().ticks == 0


def test_only_given_players_act() -> None:
    one, both = carom.Worlds("csb", 20, players=[None, "zero"]), carom.Worlds("csb", 20)
    actions = np.random.default_rng(2).uniform(-1, 1, (20, 1, 4)).astype(np.float32)
    one.step(actions)
    both.step(np.concatenate([actions, np.zeros_like(actions)], 1))
    assert one.actions.shape == (20, 1, 4)
    assert np.array_equal(one.hashes(), both.hashes())


def test_rows_are_shared() -> None:
    shared, apart = carom.Worlds("csb", 6), carom.Worlds("csb", 6)
    actions = np.random.default_rng(3).uniform(-1, 1, (1, 2, 2, 4)).astype(np.float32)
    rows = np.array([0, 1, 0, 1, 1, 0], np.uint32)
    shared.play(actions=actions, rows=rows)
    apart.step(actions[0][rows])
    assert np.array_equal(shared.hashes(), apart.hashes())
    with pytest.raises(ValueError, match="`action_rows` is too small"):
        shared.play(actions=actions, rows=rows + np.uint32(1))


def test_last_observations_are_kept() -> None:
    worlds = carom.Worlds("fall", 3, at_end="reset", last_tick=4, seed=2)
    twin = carom.Worlds("fall", 3, at_end="play_on", last_tick=4, seed=2)
    for _ in range(4):
        worlds.step()
        twin.step()
    assert (worlds.ends == 2).all()
    assert (worlds["episode"] == 1).all()
    assert np.array_equal(worlds.last_observations, twin.observations)
    assert not np.array_equal(worlds.observations, twin.observations)


def test_events_are_recorded(scenes: object) -> None:
    worlds = carom.Scene.from_file(f"{scenes}/billiards.json").worlds(3)
    out = worlds.play(60, events=64)
    impacts = out.impacts()
    assert len(impacts) == worlds.counters().events > 10
    assert out.events.dtype == carom.EVENT
    assert np.allclose(np.hypot(impacts["nx"], impacts["ny"]), 1)
    with pytest.raises(ValueError, match="no events"):
        worlds.play(1).impacts()


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_contacts_stand_beside_events(scenes: object, precision: str) -> None:
    scene = carom.Scene.from_file(f"{scenes}/billiards.json")
    worlds, plain = scene.worlds(3, precision=precision), scene.worlds(3, precision=precision)
    out = worlds.play(60, events=64, contacts=True)
    assert out.contacts.dtype == carom.CONTACT
    assert out.contacts.shape == out.events.shape
    impacts = out.impacts()
    without = plain.play(60, events=64).impacts()
    assert all(np.array_equal(impacts[name], without[name]) for name in without.dtype.names)
    contact = impacts["contact"]
    assert np.allclose(contact["time"], 1 - impacts["left"][:, None])
    assert np.array_equal(contact["nx"], 0 - impacts["nx"])
    pairs = contact[impacts["kind"] == 0]
    assert len(pairs) > 10
    apart = pairs["centre"][:, 1] - pairs["centre"][:, 0]
    normal = np.stack([pairs["nx"], pairs["ny"]], 1)
    assert np.allclose(apart, normal * np.hypot(*apart.T)[:, None], atol=1e-3)
    given = (pairs["before"] - pairs["after"])[:, 0], (pairs["after"] - pairs["before"])[:, 1]
    assert np.allclose(*given, rtol=1e-3, atol=1e-3)  # all balls are as heavy
    again = np.zeros((60, 3, 64), carom.CONTACT)
    assert scene.worlds(3, precision=precision).play(60, events=64, contacts=again).contacts is again
    assert np.array_equal(again["x"], out.contacts["x"])
    with pytest.raises(ValueError, match="contacts: only with events"):
        worlds.play(1, contacts=True)


def test_the_same_bits_by_threads_and_instruction_sets() -> None:
    digests = {played(isa=isa, threads=n).digest() for isa in carom.info()["isas"] for n in (1, 2)
               if carom.info()["isas"][isa]["usable"]}  # fmt: skip
    assert len(digests) == 1


def test_agents_see_and_gain_by_themselves() -> None:
    made = {"seed": 4, "players": ["race", "random"], "at_end": "reset"}
    ego = carom.Worlds("csb", 7, observation="ego", reward="own", **made)
    some = carom.Worlds("csb", 7, observation="ego", observed=[1, 2], reward="result", **made)
    for _ in range(30):
        ego.step()
        some.step()
    assert ego.observations.shape == (7, 4, 38)
    assert ego.rewards.shape == (7, 4)
    assert np.array_equal(some.observations, ego.observations[:, 1:3])
    assert np.array_equal(some.observe(np.zeros((7, 2, 38), np.float32)), ego.observe()[:, 1:3])
    assert some.rewards.shape == (7, 2)
    names = [number.name for number in ego.game.observations["ego"]]
    assert names[0] == "v_ahead"
    assert len(names) == 38


def test_results_of_every_game_are_read_in_one_way(scenes: object) -> None:
    made = [("csb", {"ticks": 40}), ("fantastic_bits", {}), ("soccer", {"ticks": 40, "robots": 2}),
            ("stones", {"ticks": 40}), ("fall", {"last_tick": 40}), (f"{scenes}/penalty.json", {})]  # fmt: skip
    for game, options in made:
        worlds = carom.Worlds(game, 8, seed=1, at_end="freeze", **options)
        assert (worlds.results["winner"] == -1).all(), "no game has ended"
        players = [worlds.game.policies[0], "random"][: worlds.game.players]
        worlds = carom.Worlds(game, 8, seed=1, at_end="freeze", players=players, **options)
        results, total = worlds.results, np.zeros((8, worlds.game.players))
        for _ in range(260):
            worlds.step()
            total += worlds.rewards
        over = worlds["end"][:, 0] != 0
        assert over.any() or game == "fall", game
        assert (results["ticks"][over] == worlds["tick"][over, 0]).all(), game
        assert np.allclose(results["returns"][over, : worlds.game.players], total[over], atol=1e-3), game
        if "winner" in worlds:
            assert np.array_equal(results["winner"][over], worlds["winner"][over, 0]), game
        if "score" in worlds:
            assert np.array_equal(results["score"][over, : worlds.game.players], worlds["score"][over]), game
        assert not results["returns"][:, worlds.game.players :].any(), game
        assert not results["score"][:, worlds.game.players :].any(), game
        assert (results["winner"][~over] == -1).all()


def test_results_of_games() -> None:
    worlds = carom.Worlds("csb", 9, seed=4, players=["race", "random"], at_end="reset", ticks=100)
    worlds.bind(results=True)
    total = np.zeros((9, 2))
    for _ in range(100):
        worlds.step()
        total += worlds.rewards
        done = worlds.ends > 0
        assert np.allclose(worlds.results["returns"][done, :2], total[done])
        assert (worlds.results["ticks"][done] <= 100).all()
        assert (worlds.results["winner"][done] == 0).all()
        total[done] = 0
    assert worlds.counters().games > 0


def test_held_actions_and_skipped_worlds() -> None:
    held, plain = carom.Worlds("csb", 6, repeat=3), carom.Worlds("csb", 6)
    held.step(np.full((6, 2, 4), 0.3))
    for _ in range(3):
        plain.step(np.full((6, 2, 4), 0.3))
    assert np.array_equal(held.hashes(), plain.hashes())
    skip = np.array([0, 1, 0, 1, 0, 0], np.uint8)
    plain.play(skip=skip)
    assert plain["tick"].ravel().tolist() == [4, 3, 4, 3, 4, 4]
    plain.play(2, first=1, count=2)
    assert plain["tick"].ravel().tolist() == [4, 5, 6, 3, 4, 4]
    none = plain.play(5, count=0, observations=True, rewards=True)
    assert none.observations.shape == (5, 0, 2, 55)
    assert none.rewards.shape == (5, 0, 2)
    plain.play(5, first=6)
    assert plain["tick"].ravel().tolist() == [4, 5, 6, 3, 4, 4]


def test_trees_copy_and_play_in_one_call() -> None:
    made = {"seed": 3, "precision": "f32", "players": [None, "race"]}
    parents, children, plain = (carom.Worlds("csb", n, **made) for n in (6, 9, 9))
    parents.play(7)
    before = parents.digest()
    chosen = [5, 0, 0, 3, 1, 1, 1, 2, 4]
    actions = np.random.default_rng(1).uniform(-1, 1, (3, 9, 1, 4)).astype(np.float32)
    found = children.expand(parents, 3, worlds=chosen, actions=actions, observations=True, rewards=True)
    for child, parent in enumerate(chosen):
        plain.fork_from(parents, parent, first=child, count=1)
    expected = plain.play(3, actions=actions, observations=True, rewards=True)
    assert np.array_equal(children.hashes(), plain.hashes())
    assert np.array_equal(found.observations, expected.observations)
    assert np.array_equal(found.rewards, expected.rewards)
    assert parents.digest() == before
    some = children.copy()
    some.expand(parents, worlds=[2, 2], first=3, count=2)
    assert some["tick"].ravel().tolist() == [10] * 3 + [8] * 2 + [10] * 4
    assert children.expand(parents, count=0, rewards=True).rewards.shape == (1, 0, 2)
    for call, error, text in (
        (lambda: children.expand(parents, worlds=[0]), ValueError, "worlds: 9 entries"),
        (lambda: children.expand(parents, worlds=[6] * 9), IndexError, "worlds: a world outside the 6 that there are"),
        (lambda: children.expand(parents), ValueError, "the parents' batch does not have"),
        (lambda: children.expand(children), ValueError, "parents and children are the same batch"),
        (lambda: children.expand(carom.Worlds("soccer", 9)), ValueError, "a batch of soccer"),
        (lambda: children.expand(parents, worlds=chosen, reward=True), ValueError, "argument: 'reward' is unknown"),
    ):
        with pytest.raises(error, match=text):
            call()


def test_worlds_are_seen_in_places_of_a_larger_buffer() -> None:
    worlds, plain = (carom.Worlds("csb", 4, seed=1) for _ in range(2))
    buffer = np.full((2, 10, 2, 55), 7, np.float32)
    places = np.array([8, 1, 0, 5], np.uint32)
    found = worlds.play(2, places=places, observations=buffer, rewards=True)
    expected = plain.play(2, observations=True)
    assert found.observations is buffer
    assert np.array_equal(buffer[:, places], expected.observations)
    assert (np.delete(buffer, places, axis=1) == 7).all()
    assert worlds.play(1, places=places, observations=True).observations.shape == (1, 9, 2, 55)
    with pytest.raises(ValueError, match="places: two worlds are in the same row"):
        worlds.play(1, places=np.zeros(4, np.uint32), observations=True)
    with pytest.raises(ValueError, match="places: a row outside the 10 that there are"):
        worlds.play(2, places=places + np.uint32(2), observations=buffer)


def test_restart() -> None:
    worlds = carom.Worlds("csb", 6, seed=2)
    first = worlds.hashes()
    worlds.play(9)
    worlds.restart(np.array([1, 0, 0, 0, 0, 1], bool))
    assert worlds["tick"].ravel().tolist() == [0, 9, 9, 9, 9, 0]
    assert worlds["episode"].ravel().tolist() == [1, 0, 0, 0, 0, 1]
    worlds.restart(seeds=2)
    assert np.array_equal(worlds.hashes(), first)
    worlds.restart(ids=[3] * 6, seeds=[2, 2, 2, 9, 9, 9])
    assert len(set(worlds.hashes().tolist())) == 2
    assert worlds.seeds().tolist() == [2, 2, 2, 9, 9, 9]
    twin = pickle.loads(pickle.dumps(worlds))
    assert np.array_equal(twin.seeds(), worlds.seeds())
    worlds.reseed(5)
    assert worlds.seed == 5


# ---- arrays ----


def test_arrays_are_aligned_and_made_once() -> None:
    worlds = carom.Worlds("csb", 9)
    for name in ("actions", "observations", "last_observations", "rewards", "ends"):
        array = getattr(worlds, name)
        assert array.__array_interface__["data"][0] % 64 == 0
        assert getattr(worlds, name) is array


def test_arrays_of_the_caller() -> None:
    worlds, twin = carom.Worlds("csb", 9, seed=1), carom.Worlds("csb", 9, seed=1)
    mine = np.full((9, 2), np.nan, np.float32)
    worlds.bind(rewards=mine, observations=None)
    worlds.step(np.full((9, 2, 4), 0.5))
    twin.step(np.full((9, 2, 4), 0.5))
    assert worlds.rewards is mine
    assert np.array_equal(mine, twin.rewards)
    assert worlds.observations.size == 0
    memory = bytearray(9)
    worlds.bind(ends=memory).step()
    assert set(memory) == {0}


def test_dlpack_sees_the_same_memory() -> None:
    worlds = carom.Worlds("csb", 4)
    seen = np.from_dlpack(worlds.observations)
    worlds.step()
    assert np.shares_memory(seen, worlds.observations)
    assert seen.any()


@pytest.mark.parametrize(
    ("array", "error", "text"),
    [
        (np.zeros((9, 3), np.float32), ValueError, r"rewards: shape \(9, 2\) is expected, not \(9, 3\)"),
        (np.zeros((9, 2), np.float64), TypeError, "rewards: numbers of type float32 are expected, not float64"),
        (np.zeros((9, 4), np.float32)[:, ::2], ValueError, "rewards: a contiguous array is expected"),
        (np.zeros((8, 2), np.float32), ValueError, "rewards: shape"),
        (np.broadcast_to(np.float32(0), (9, 2)).copy(order="F"), ValueError, "contiguous"),
        ("text", TypeError, "rewards: an array is expected, not str"),
    ],
)
def test_arrays_that_are_refused(array: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        carom.Worlds("csb", 9).bind(rewards=array)


def test_read_only_memory_is_refused() -> None:
    array = np.zeros((9, 2), np.float32)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="rewards: the array is read-only"):
        carom.Worlds("csb", 9).bind(rewards=array)


def test_small_buffers_are_refused_below_the_checks_by_name() -> None:
    from carom import _carom

    worlds = carom.Worlds("csb", 9)
    with pytest.raises(ValueError, match="hashes: 8 bytes are given, 72 are needed"):
        _carom.worlds_hash(worlds._handle, np.zeros(1, np.uint64))
    with pytest.raises(TypeError, match="the handle of a batch"):
        _carom.worlds_hash(carom.Gas(100)._handle, np.zeros(9, np.uint64))


def test_nan_actions_are_refused_if_asked() -> None:
    actions = np.zeros((9, 2, 4), np.float32)
    actions[8, 1, 3] = np.nan
    carom.Worlds("csb", 9).step(actions)
    looking = carom.Worlds("csb", 9, check_actions=True)
    with pytest.raises(ValueError, match="actions: there is a NaN"):
        looking.step(actions)
    assert (looking["tick"] == 0).all()
    looking.step(np.zeros((9, 2, 4)))


def test_actions_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        carom.Worlds("csb", 9).step(np.zeros((9, 2, 5)))
    with pytest.raises(ValueError, match="actions: shape"):
        carom.Worlds("csb", 9).play(2, actions=np.zeros((1, 9, 2, 4), np.float32))


# ---- names ----


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: carom.Worlds("chess"), "'chess' is unknown; there are csb, fantastic_bits, soccer, stones, fall"),
        (lambda: carom.Worlds("csb", precision="f16"), "precision: 'f16' is unknown; there are f32, f64"),
        (lambda: carom.Worlds("csb", at_end="stop"), "at_end: 'stop' is unknown; there are play_on, freeze, reset"),
        (lambda: carom.Worlds("csb", isa="mmx"), "isa: 'mmx' is unknown"),
        (lambda: carom.Worlds("csb", action_kind="raw"), "there are relative, referee, normalised"),
        (lambda: carom.Worlds("csb", lap=2), "option of csb: 'lap' is unknown; there are rules, map_count"),
        (lambda: carom.Worlds("csb", 0), "count: 0; a whole number from 1"),
        (lambda: carom.Worlds("csb", seed=-1), "seed: -1; a whole number from 0 to 18446744073709551615"),
        (lambda: carom.Worlds("csb", seed=1.5), "seed: 1.5; a whole number"),
        (lambda: carom.Worlds("csb", seed="1"), "seed: '1'; a whole number"),
        (lambda: carom.Worlds("csb", first_id=-1), "first_id: -1"),
        (lambda: carom.Worlds("csb", threads=-1), "threads: -1; a whole number from 0 to 4294967295"),
        (lambda: carom.Worlds("csb", threads=1 << 32), "threads: 4294967296"),
        (lambda: carom.Worlds("csb", map_seed=-1), "map_seed: -1"),
        (lambda: carom.Worlds("csb", map_seed=0.5), "map_seed: 0.5"),
        (lambda: carom.Worlds("csb").reseed(1.5), "seed: 1.5"),
        (lambda: carom.rollout(carom.Worlds("csb"), seed=-1), "seed: -1"),
        (lambda: carom.draws(carom.Worlds("csb"), 1, 1, seed=-1), "seed: -1"),
        (lambda: carom.Search(carom.Worlds("csb"), seed=1.5), "seed: 1.5"),
        (lambda: carom.Gas(100, seed=1.5), "seed: 1.5"),
        (lambda: carom.Worlds("csb").play(events=-1), "events: -1"),
        (lambda: carom.Worlds("csb").play(1.5), "ticks: 1.5"),
        (lambda: carom.Worlds("soccer", robots=2.5), "robots: 2.5 is not a whole number between 1 and 11"),
        (lambda: carom.Worlds("soccer", robots=12), "robots: 12 is not between 1 and 11"),
        (lambda: carom.Worlds("soccer", mouth=7.0), "mouth: 7 is not below width"),
        (lambda: carom.Worlds("stones", loss=1.0), "loss: 1 is not between 0 and below 1"),
        (lambda: carom.Worlds("csb", result_reward=np.nan), "result_reward: nan is not between -1000000 and 1000000"),
        (lambda: carom.Worlds("csb", alone=2), "alone: 2 is not between 0 and 1"),
        (lambda: carom.Worlds("csb", rules="new"), "rules: 'new' is unknown; there are full, test"),
        (lambda: carom.Worlds("csb", maps=[[[1, 1], [1, 1]]]), "maps: number 0 is not valid"),
        (lambda: carom.Worlds("csb").policy("best"), "'best' is unknown; there are race, random"),
        (lambda: carom.Worlds("csb")["z"], "field of csb: 'z' is unknown; there are id, episode"),
        (lambda: carom.Worlds("csb").bind(reward=None), "array: 'reward' is unknown"),
        (lambda: carom.Worlds("csb", players=["race"]).step(), "an entry for each of 2 players"),
        (lambda: carom.Worlds("csb").play(0), "ticks: 0"),
        (lambda: carom.Worlds("csb").play(dt=0.1), "its ticks have a fixed length"),
        (lambda: carom.Worlds("stones", observation="ego"), "observation of stones: 'ego' is unknown; there are raw"),
        (lambda: carom.Worlds("csb", reward="pod"), "there are game, result, own"),
        (lambda: carom.Worlds("csb", observed=[0, 2]), "ascending numbers of agents below 2"),
        (lambda: carom.Worlds("csb", repeat=0), "repeat: 0"),
        (lambda: carom.Worlds("csb", 3).restart([True]), "mask: bool or uint8"),
        (lambda: carom.Worlds("csb", 3).restart(seeds=[1, 2]), "broadcast"),
    ],
)
def test_names_and_numbers_that_are_refused(call: object, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_a_file_that_is_no_game() -> None:
    with pytest.raises(ValueError, match="No such file"):
        carom.open_game("./no_such_game.so")
    with pytest.raises(KeyError, match="there is no game"):
        carom.games["chess"]


# ---- options ----


def test_options_reach_the_games() -> None:
    points = [[1000, 1000], [9000, 1000], [9000, 8000]]
    laps, found = carom.Worlds("csb", maps=[points], laps=2).csb_map(0)
    assert laps == 2
    assert found.tolist() == points
    assert carom.Worlds("csb", maps=[points], map_count=9).csb_map(0)[1].tolist() == points
    three = carom.Worlds("soccer", robots=3, league="original")["x"][0]
    assert three[:7].any()
    assert not three[7:].any()
    assert (carom.Worlds("fantastic_bits", 8, snaffles=7)["snaffles"] == 7).all()
    assert (carom.Worlds("stones", stones=4)["in_play"].sum()) == 4
    ball = {"x": 0.5, "y": 0.5, "radius": 0.1, "mass": 1.0}
    fall = carom.Worlds("fall", bodies=[ball, {"corners": [[0, 0], [1, 0], [1, 0.01], [0, 0.01]]}])
    assert fall["x"][0, 0] == 0.5
    assert len(carom.fall_box()) == 8
    assert carom.fantastic_bits_line("MOVE 1 2 3")[:4] == (0, 1, 2, 3)
    assert carom.csb_base_map(0).shape[1] == 2
    with pytest.raises(ValueError, match="whole numbers"):
        carom.Worlds("csb", maps=[[[0.5, 1], [2, 3]]])


def test_options_say_what_they_are() -> None:
    for game in carom.games.values():
        for name, option in game.options.items():
            assert option.name == name
            assert option.meaning
            if option.type not in ("seed", "list"):
                assert option.default in option.choices or option.low <= option.default <= option.high
    option = carom.games["soccer"].options["robots"]
    assert (option.type, option.default, option.low, option.high) == ("count", 6, 1, 11)
    assert carom.games["stones"].options["rules"].choices == ("as_shipped", "as_described")
    assert carom.games["stones"].options["loss"].below
    assert not carom.Scene([carom.Body()]).game.options


# What goes with an option at the lower, and at the upper end of its range.
BIG = {"length": 100, "width": 100}
SMALL = {"robot_radius": 0.03, "mouth": 0.5}
ROOM: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "length": (SMALL, {}), "width": (SMALL, {}), "mouth": ({}, BIG), "robot_radius": ({"ball_radius": 0.001}, BIG),
    "ball_radius": ({}, {"robot_radius": 5, **BIG}), "rate": ({"max_spin": 3}, {}), "max_spin": ({}, {"rate": 10000}),
    "stones": ({"ring": 0}, {}),
}  # fmt: skip


@pytest.mark.parametrize("game", ["csb", "fall", "fantastic_bits", "soccer", "stones"])
def test_options_at_the_ends_of_their_ranges(game: str, tmp_path: Path) -> None:
    for name, option in carom.games[game].options.items():
        whole = option.type in ("count", "flag")
        ends = (option.low, np.nextafter(option.high, 0) if option.below else option.high)
        for k, end in enumerate(ends if option.type not in ("seed", "list") else ()):
            if name == "map_count" and k == 1:
                continue  # they fill 3 GB
            value = option.choices[int(end)] if option.choices else int(end) if whole else end
            worlds = carom.Worlds(game, 2, **{name: value, **ROOM.get(name, ({}, {}))[k]})
            with worlds.recording(tmp_path / "worlds.carom"):
                worlds.play(2)
            assert carom.Replay(tmp_path / "worlds.carom").verify() is None
            twin = pickle.loads(pickle.dumps(worlds))
            assert twin.digest() == worlds.digest()
            twin.copy_from(worlds)
            if not option.choices:
                beyond = (end + (2 * k - 1)) if whole else np.nextafter(end, np.inf if k else -np.inf)
                with pytest.raises(ValueError, match=rf"\b{name}\b.* {option.low:.10g} .*{option.high:.10g}"):
                    carom.Worlds(game, **{name: int(beyond) if whole else beyond})


# ---- fields ----


def test_fields_and_views() -> None:
    worlds = played()
    x, view = worlds["x"], worlds.view("x")
    assert view.shape == (3, 4, 16)
    assert not view.flags.writeable
    assert not view.flags.owndata
    assert np.array_equal(view.transpose(0, 2, 1).reshape(-1, 4)[:48], x)
    worlds.play(1)
    assert not np.array_equal(view.transpose(0, 2, 1).reshape(-1, 4)[:48], x)
    assert worlds.fields["x"].role == "state"
    assert "map" in worlds
    assert worlds.get("vy", first=3, count=2).shape == (2, 4)


def test_fields_are_set_whole_or_not_at_all() -> None:
    worlds = played()
    worlds.set("x", 1234.0, first=1, count=2)
    assert (worlds["x"][1:3] == 1234).all()
    before = worlds.digest()
    with pytest.raises(ValueError, match="the new x has a value that csb does not allow"):
        worlds["x"] = np.nan
    with pytest.raises(ValueError, match="does not fit"):
        worlds["shield"] = 300
    with pytest.raises(TypeError, match="numbers of type int8"):
        worlds["shield"] = 0.5
    with pytest.raises(IndexError):
        worlds.get("x", first=47, count=2)
    assert worlds.digest() == before


def test_a_view_outlives_its_batch() -> None:
    worlds = played()
    view, x = worlds.view("x"), worlds["x"]
    worlds.close()
    del worlds
    assert np.array_equal(view.transpose(0, 2, 1).reshape(-1, 4), x)


def test_a_closed_batch_is_refused() -> None:
    worlds = played()
    worlds.step()
    step = worlds._bound()
    with worlds:
        pass
    for call in (worlds.step, worlds.observe, worlds.save, worlds.reset, worlds.hashes, lambda: worlds.view("x"),
                 lambda: worlds["x"], step.play, lambda: carom.rollout(worlds)):  # fmt: skip
        with pytest.raises(ValueError, match="the batch is closed"):
            call()


# ---- copies ----


def test_records_of_worlds() -> None:
    worlds = played()
    records = worlds.records([5, 0, 47])
    assert records.dtype == np.uint8
    assert records[1].tobytes() == worlds.record(0)
    assert np.array_equal(worlds.records()[[5, 0, 47]], records)
    twin = played()
    twin.play(9)
    twin.put_records(records, [1, 2, 9])
    assert np.array_equal(twin.hashes()[[1, 2, 9]], worlds.hashes()[[5, 0, 47]])
    twin.put_records(worlds.records())
    assert np.array_equal(twin.hashes(), worlds.hashes())
    mine = np.zeros_like(records)
    assert worlds.records([5, 0, 47], out=mine) is mine
    assert np.array_equal(mine, records)
    assert worlds.records([]).shape == (0, records.shape[1])
    before = twin.digest()
    for call, error, text in (
        (lambda: twin.put_records(records), ValueError, "records: shape"),
        (lambda: twin.put_records(np.full_like(records, 255), [0, 1, 2]), ValueError, "csb does not allow"),
        (lambda: twin.records([48]), IndexError, "worlds: a world outside the 48 that there are"),
        (lambda: twin.records([0.5]), TypeError, "whole numbers"),
    ):
        with pytest.raises(error, match=text):
            call()
    assert twin.digest() == before


def test_worlds_of_a_batch_are_permuted() -> None:
    worlds = played()
    worlds.bind(results=True).step()
    order = np.random.default_rng(1).permutation(48)
    expected = {name: worlds[name][order] for name in worlds.fields}
    seeds = np.arange(48, dtype=np.uint64)
    worlds.restart(np.zeros(48, bool), seeds=seeds)
    twin, plain = worlds.copy(), worlds.copy()
    worlds.copy_from(worlds, worlds=order)
    for name, values in expected.items():
        assert np.array_equal(worlds[name], values), name
    twin.copy_from(twin, to=[0, 1, 2], worlds=[1, 2, 0])
    assert np.array_equal(twin["x"][:3], plain["x"][[1, 2, 0]])
    assert np.array_equal(twin["x"][3:], plain["x"][3:])
    twin.copy_from(twin, to=[5], worlds=[9])
    assert np.array_equal(twin["x"][5], plain["x"][9])


def test_sums_of_rewards_go_along_with_worlds() -> None:
    made = {"seed": 4, "players": ["race", "random"], "ticks": 30, "at_end": "freeze"}
    worlds, plain = (carom.Worlds("csb", 5, **made).bind(results=True) for _ in range(2))
    order = np.array([3, 0, 4, 1, 2])
    for tick in range(30):
        worlds.step()
        plain.step()
        if tick == 20:
            worlds.copy_from(worlds, worlds=order)
    assert (plain.ends == 2).all()
    assert np.array_equal(worlds.results["returns"], plain.results["returns"][order])


def test_copies_are_the_same_and_apart() -> None:
    worlds = played()
    for twin in (worlds.copy(), copy.copy(worlds), copy.deepcopy(worlds), pickle.loads(pickle.dumps(worlds))):
        assert twin.digest() == worlds.digest()
        assert twin.players == worlds.players
        assert twin.counters() == worlds.counters()
        twin.play(5)
        assert twin.digest() != worlds.digest()


def test_pickled_options_and_scenes(scenes: object) -> None:
    soccer = carom.Worlds("soccer", 3, robots=2, balls=2)
    scene = carom.Scene.from_file(f"{scenes}/arena.json").worlds(2, precision="f32")
    for worlds in (soccer, scene):
        worlds.play(7)
        twin = pickle.loads(pickle.dumps(worlds))
        twin.play(7)
        worlds.play(7)
        assert np.array_equal(twin.hashes(), worlds.hashes())


def test_fork_and_copy_between_batches() -> None:
    worlds = played()
    forked = worlds.fork(20, 5)
    assert (forked.hashes() == worlds.hashes()[5]).all()
    assert len(np.unique(forked["id"][:, 0])) == 20
    target = carom.Worlds("csb", 10, seed=7, precision="f32")
    target.copy_from(worlds, to=[3, 1], worlds=[40, 41])
    assert np.array_equal(target.hashes()[[3, 1]], worlds.hashes()[[40, 41]])
    assert target["id"][3, 0] == 40
    record = worlds.record(9)
    target.put(0, record)
    assert target.hashes()[0] == worlds.hashes()[9]


@pytest.mark.parametrize(
    ("made", "text"),
    [
        ({"seed": 8}, "drawn with another seed: 7 there, 8 here"),
        ({"precision": "f64"}, "from a batch in f32, but this is a batch in f64"),
        ({"map_count": 3}, "with other options"),
    ],
)
def test_foreign_batches_are_not_copied(made: dict[str, object], text: str) -> None:
    target = carom.Worlds("csb", 48, **{"seed": 7, "precision": "f32", **made})
    before = target.digest()
    with pytest.raises(ValueError, match=text):
        target.copy_from(played())
    with pytest.raises(ValueError, match=text):
        target.fork_from(played())
    assert target.digest() == before


def test_indices_that_are_refused() -> None:
    worlds, other = played(), played()
    for call in (lambda: worlds.copy_from(other, to=[48]), lambda: worlds.copy_from(other, worlds=[-1]),
                 lambda: worlds.fork(2, 48), lambda: worlds.record(48)):  # fmt: skip
        with pytest.raises(IndexError):
            call()
    with pytest.raises(ValueError, match="as many entries"):
        worlds.copy_from(other, to=[1, 2], worlds=[1])


def test_save_and_load() -> None:
    worlds = played()
    saved, digest = worlds.save(), worlds.digest()
    worlds.play(10)
    worlds.load(saved)
    assert worlds.digest() == digest
    with pytest.raises(ValueError, match="damaged"):
        worlds.load(saved[:-1] + bytes([saved[-1] ^ 1]))
    worlds.reset()
    assert worlds.counters().ticks == 0


def test_digests_of_shards_add_up() -> None:
    whole = carom.Worlds("csb", 40, seed=1)
    shards = [carom.Worlds("csb", 10, seed=1, first_id=k) for k in (0, 10, 20, 30)]
    for batch in (whole, *shards):
        batch.play(10, players=["race", "race"])
    assert sum(s.digest() for s in shards) % 2**64 == whole.digest()


def test_faults_are_told() -> None:
    fast = carom.Scene([carom.Body(vx=1e6)], box=((-9, -9), (9, 9)), max_events=50).worlds(2)
    fast.play(20)
    faults = fast.faults()
    assert faults.worlds == 2
    assert faults.kinds == ("events",)
    assert fast.counters().faults == 2


@pytest.mark.parametrize("at_end", ["play_on", "freeze", "reset"])
def test_a_fault_ends_a_game(at_end: str) -> None:
    worlds = carom.Worlds("csb", 4, seed=1, at_end=at_end, ticks=20, players=["race", "race"]).bind(results=True)
    worlds.step()
    speeds = worlds["vx"]
    speeds[2, 0] = 134e6
    worlds["vx"] = speeds
    before, hashes = worlds.observe()[2].copy(), worlds.hashes()
    worlds.step()
    assert worlds.ends.tolist() == [0, 0, 2, 0]
    assert worlds.results["fault"][2] == 4
    assert worlds.results["winner"][2] == -1
    assert worlds.results["ticks"][2] == 1
    assert not worlds.rewards[2].any()
    assert np.array_equal(worlds.last_observations[2], before)
    assert worlds.counters()[2:5:2] == (0, 1)
    reset = at_end == "reset"
    assert worlds.faults().worlds == (0 if reset else 1)
    assert worlds["fault"][:, 0].tolist() == ([0] * 4 if reset else [0, 0, 4, 0])
    assert worlds["end"][:, 0].tolist() == ([0] * 4 if reset else [0, 0, 2, 0])
    assert worlds["episode"][2, 0] == int(reset)
    assert (worlds.hashes() != hashes).all()
    ended = worlds.ends != 0
    for _ in range(25):  # a loop of this kind had no end
        worlds.step()
        ended |= worlds.ends != 0
    assert ended.all()
    assert worlds.counters().games == (4 if reset else 3)


# ---- the package ----


def test_the_package_shows_what_it_has() -> None:
    names = [name for name in dir(carom) if not name.startswith("__")]
    assert names == sorted(carom.__all__)
    assert not {"Any", "annotations"} & set(vars(carom))
    assert all(getattr(carom, name) is not None for name in names)


def test_import_is_light() -> None:
    code = (
        "import sys, time; s = time.process_time(); import numpy; before = set(sys.modules); t = time.process_time(); "
        "import carom; u = time.process_time(); carom.Worlds; v = time.process_time(); "
        "print(u - t, (v - t) / (t - s), *sorted(m.split('.')[0] for m in set(sys.modules) - before))"
    )
    best = least = float("inf")
    for _ in range(10):
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        assert set(out[2:]) <= {"carom", "numpy", "_signal"} | set(sys.stdlib_module_names)
        best, least = min(best, float(out[0])), min(least, float(out[1]))
    assert best < 0.04  # 0.0003 on an idle machine once Python has compiled it
    assert least < 0.5  # of NumPy's: with the modules of `Worlds`, 0.008 s


def test_names_are_imported_when_used() -> None:
    code = (
        "import sys, carom; assert [m for m in sys.modules if m.startswith('carom.')] == ['carom._carom']; "
        "carom.toi.variants; "
        "assert 'carom._worlds' not in sys.modules; from carom import Worlds, rollout; "
        "assert not hasattr(carom, 'nothing') and carom._scene.Scene is carom.Scene; print(carom.__version__)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == carom.__version__
