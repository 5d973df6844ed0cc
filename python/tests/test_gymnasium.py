# SPDX-License-Identifier: MIT
"""Gymnasium: the vector environment against SyncVectorEnv over single ones, element by element."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import carom  # noqa: E402
import carom.gymnasium  # noqa: E402


def swarm() -> carom.Scene:
    """Two bodies that act, in games of 7 ticks."""
    bodies = [carom.Body(x=2, y=2, acts=True), carom.Body(x=6, y=2, acts=True)]
    return carom.Scene(bodies, box=((0, 0), (9, 9)), last_tick=7, reward=carom.Measure("distance", at=(5, 5)))


CASES: dict[str, dict[str, Any]] = {
    "csb": {"game": "csb", "opponent": "race", "ticks": 12, "precision": "f32"},
    "csb ego": {"game": "csb", "opponent": "random", "seat": 1, "observation": "ego", "ticks": 9, "reward": "own"},
    "fantastic_bits": {"game": "fantastic_bits", "opponent": "zero", "repeat": 10},
    "soccer": {"game": "soccer", "opponent": "random", "robots": 2, "ticks": 8, "observation": "ego"},
    "stones": {"game": "stones", "opponent": "random", "ticks": 6, "stones": 4},
    "fall": {"game": "fall", "last_tick": 5},
    "scene": {"game": swarm()},
}

# The only warning: observations of scenes and some games are unbounded.
BOUNDS = r".*A Box observation space (minimum|maximum) value is -?infinity"


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("case", CASES)
def test_rows_are_single_environments(case: str, mode: str) -> None:
    made, n = CASES[case], 5
    ours = carom.gymnasium.VectorEnv(num_envs=n, autoreset_mode=mode, **made)
    theirs = SyncVectorEnv([lambda: carom.gymnasium.Env(**made)] * n, autoreset_mode=ours.metadata["autoreset_mode"])
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.action_space
    ours.action_space.seed(3)
    seen, expected = ours.reset(seed=11)[0], theirs.reset(seed=11)[0]
    assert np.array_equal(seen, expected)
    ends = 0
    for step in range(40):
        actions = ours.action_space.sample()
        found, wanted = ours.step(actions), theirs.step(actions)
        for mine, other in zip(found[:4], wanted[:4], strict=True):
            assert np.array_equal(mine, other), (step, mine, other)
        over = found[2] | found[3]
        ends += over.sum()
        if over.any():
            mine, other = found[4], wanted[4]
            if mode == "same_step":
                assert np.array_equal(mine["_final_obs"], other["_final_obs"])
                for row in np.flatnonzero(over):
                    assert np.array_equal(mine["final_obs"][row], other["final_obs"][row])
                other = other["final_info"]
            assert np.array_equal(mine["_result"], other["_result"])
            for name in ("r", "l", "winner", "score"):
                assert np.array_equal(mine["result"][name][over], other["result"][name][over]), name
            if mode == "disabled":
                again, others = (e.reset(options={"reset_mask": over.copy()})[0] for e in (ours, theirs))
                assert np.array_equal(again, others)
    assert ends >= n
    mask = np.array([True, False, True, False, False])
    again, others = (e.reset(seed=list(range(50, 55)), options={"reset_mask": mask.copy()})[0] for e in (ours, theirs))
    assert np.array_equal(again, others)
    ours.close()


@pytest.mark.parametrize("case", CASES)
def test_the_checker_passes(case: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", BOUNDS)
        check_env(carom.gymnasium.Env(**CASES[case]), skip_render_check=True)


def test_environments_are_registered() -> None:
    made = {"opponent": "race", "observation": "ego"}
    envs = gymnasium.make_vec("Carom/CodersStrikeBack-v0", num_envs=6, **made)
    assert isinstance(envs, carom.gymnasium.VectorEnv)
    assert envs.reset(seed=1)[0].shape == (6, 76)
    env = gymnasium.make("Carom/CodersStrikeBack-v0", **made)
    assert np.array_equal(env.reset(seed=3)[0], envs.reset(seed=1)[0][2])
    for name in ("FantasticBits", "Soccer", "Stones"):
        gymnasium.make(f"Carom/{name}-v0", opponent="random").reset(seed=1)
    gymnasium.make("Carom/Fall-v0").reset(seed=1)
    assert gymnasium.make_vec("Carom/Scene-v0", num_envs=3, scene=swarm()).reset(seed=1)[0].shape == (3, 8)


@pytest.mark.parametrize("name", [name for name in gymnasium.registry if name.startswith("Carom/")])
def test_every_environment_is_made_without_arguments(name: str) -> None:
    env = gymnasium.make(name)
    envs = gymnasium.make_vec(name, num_envs=2)
    assert np.array_equal(env.reset(seed=1)[0], envs.reset(seed=1)[0][0])
    env.step(env.action_space.sample())
    envs.step(envs.action_space.sample())
    if name != "Carom/Scene-v0":
        players = env.unwrapped.worlds.players
        assert players[1:] == carom.games[carom.gymnasium.ENVIRONMENTS[name[6:-3]]].policies[:1] * (len(players) - 1)


def test_the_scene_of_a_path(scenes: Path) -> None:
    path = scenes / "penalty.json"
    for given in (path, str(path), carom.Scene.from_file(path)):
        env = gymnasium.make("Carom/Scene-v0", scene=given)
        assert env.unwrapped.worlds.game.bodies == carom.Scene.from_file(path).game.bodies
        assert carom.gymnasium.VectorEnv(given, 2).reset(seed=1)[0].shape[0] == 2
        assert len(carom.Worlds(given, 3)) == 3
    with pytest.raises(FileNotFoundError):
        carom.Worlds("no_such_scene.json")


def test_the_scene_by_default_ends_both_ways() -> None:
    envs = gymnasium.make_vec("Carom/Scene-v0", num_envs=64, autoreset_mode="same_step")
    envs.reset(seed=1)
    caught = late = 0
    for _ in range(200):
        _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
        caught += terminated.sum()
        late += truncated.sum()
    assert caught > 10
    assert late > 10


def test_both_players_and_bodies() -> None:
    both = carom.gymnasium.VectorEnv("csb", 6, players="both", ticks=20)
    each = carom.gymnasium.VectorEnv("csb", 12, players="both", per="body", observation="ego", ticks=20)
    plain = carom.Worlds("csb", 3, map_seed=0, ticks=20)
    plain.restart(ids=0, seeds=[5, 7, 9])
    assert np.array_equal(both.reset(seed=5)[0], plain.observe().reshape(6, 55))
    assert each.reset(seed=[s for s in (5, 7, 9) for _ in range(4)])[0].shape == (12, 38)
    for _ in range(5):
        actions = both.action_space.sample()
        by_both = both.step(actions)
        by_each = each.step(actions.reshape(12, 2))
        plain.step(actions.reshape(3, 2, 4))
        assert np.array_equal(by_both[0], plain.observations.reshape(6, 55))
        assert np.array_equal(by_both[1], plain.rewards.reshape(6))
        assert np.array_equal(each.worlds.hashes(), plain.hashes())
        assert by_each[1].shape == (12,)
        ego = plain.observe(np.empty((3, 2, 55), np.float32))
        assert ego.shape == (3, 2, 55)
    assert not np.array_equal(by_each[1][::2], by_each[1][1::2])


def test_a_row_for_each_robot() -> None:
    envs = carom.gymnasium.VectorEnv("soccer", 8, per="body", robots=2, opponent="zero", observation="ego")
    seen = envs.reset(seed=1)[0]
    assert seen.shape == (8, 167)
    assert envs.action_space.shape == (8, 5)
    actions = np.zeros((8, 5), np.float32)
    actions[1, 0] = 1  # the second robot of the first world drives ahead
    for _ in range(3):
        envs.step(actions)
    moved = np.abs(envs.worlds["vx"]) > 0.01
    assert np.argwhere(moved).tolist() == [[0, 1]]


def test_memory_is_shared_only_if_asked() -> None:
    copying, sharing = (carom.gymnasium.VectorEnv("csb", 4, opponent="race", copy=c) for c in (True, False))
    first, second = copying.reset(seed=1)[0], sharing.reset(seed=1)[0]
    kept = first.copy()
    for envs in (copying, sharing):
        envs.step(envs.action_space.sample())
    assert np.array_equal(first, kept)
    assert np.shares_memory(second, sharing.worlds.observations)
    assert not np.array_equal(second, kept)


@pytest.mark.parametrize("players", ["one", "both"])
def test_results_are_the_same_whether_copied_or_not(players: str) -> None:
    """Games of 7 ticks: every end has the same result in both, and a copy outlives the next end."""
    made: dict[str, Any] = {"ticks": 7, "players": players, "autoreset_mode": "same_step"}
    copying, sharing = (carom.gymnasium.VectorEnv("csb", 4, copy=c, **made) for c in (True, False))
    for envs in (copying, sharing):
        envs.reset(seed=1)
        envs.action_space.seed(1)
    ended = []
    for _ in range(21):
        actions = copying.action_space.sample()
        infos = [envs.step(actions)[4] for envs in (copying, sharing)]
        assert [set(info) for info in infos] == [set(infos[0])] * 2
        for name, values in infos[0].get("result", {}).items():
            assert np.array_equal(values, infos[1]["result"][name]), name
        if "result" in infos[0]:
            ended.append((infos[0]["result"]["r"], infos[0]["result"]["r"].copy()))
    assert len(ended) == 3
    assert all(np.array_equal(now, then) for now, then in ended)
    if players == "one":
        assert np.shares_memory(infos[1]["result"]["r"], sharing.worlds.results)


def table() -> carom.Scene:
    """A body that is too fast after an action of 1 causes a fault."""
    bodies = [carom.Body(acts=True), carom.Body(x=5, y=5)]
    return carom.Scene(bodies, box=((-9, -9), (9, 9)), max_events=40, dt=0.5, action_scale=1e6,
                       reward=carom.Measure("distance", at=(9, 9)))  # fmt: skip


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_fault_truncates(mode: AutoresetMode) -> None:
    envs = carom.gymnasium.VectorEnv(table(), 3, autoreset_mode=mode)
    start, _ = envs.reset(seed=1)
    actions = np.zeros((3, 2))
    assert "fault" not in envs.step(actions)[4]
    actions[1] = 1
    seen, rewards, terminated, truncated, info = envs.step(actions)
    assert truncated.tolist() == [False, True, False]
    assert not terminated.any()
    assert info["fault"].tolist() == [False, True, False]
    assert info["_result"].tolist() == [False, True, False]
    assert info["result"]["fault"][1] == 1
    assert info["result"]["l"][1] == 1
    assert rewards[1] == 0
    assert (rewards[::2] < 0).all()
    assert np.array_equal(seen[1], start[1])
    if mode is AutoresetMode.SAME_STEP:
        assert np.array_equal(info["final_obs"][1], start[1])
    elif mode is AutoresetMode.DISABLED:
        envs.reset(options={"reset_mask": truncated})
    _, rewards, _, truncated, info = envs.step(np.zeros((3, 2)))
    assert not truncated.any()
    assert "fault" not in info
    assert envs.worlds.faults().worlds == 0
    assert envs.worlds["tick"][:, 0].tolist() == [3, 0 if mode is AutoresetMode.NEXT_STEP else 1, 3]
    assert envs.worlds.counters().faults == 1


def test_a_fault_truncates_a_single_environment() -> None:
    env = carom.gymnasium.Env(table())
    start, _ = env.reset(seed=1)
    assert not any(env.step(np.zeros(2))[2:4])
    seen, reward, terminated, truncated, info = env.step(np.ones(2))
    assert (reward, terminated, truncated) == (0, False, True)
    assert info["fault"] is True
    assert info["result"]["fault"] == 1
    assert np.array_equal(seen, start)
    env.reset()
    assert not any(env.step(np.zeros(2))[2:4])


@pytest.mark.parametrize(
    ("made", "text"),
    [
        ({"game": "csb", "opponent": "best"}, "'best' is unknown"),
        ({"game": "fall", "opponent": "still"}, "has no side left"),
        ({"game": "csb", "players": "both", "num_envs": 3}, "a multiple of 2 is expected"),
        ({"game": "csb", "players": "three"}, "there are one, all, both"),
        ({"game": "csb", "opponent": "race", "seat": 2}, "seat: 2"),
        ({"game": "csb", "at_end": "reset"}, "at_end: environments call it autoreset_mode"),
        ({"game": "csb", "opponent": "race", "autoreset_mode": "later"}, "autoreset_mode: 'later' is unknown"),
    ],
)
def test_environments_that_are_refused(made: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        carom.gymnasium.VectorEnv(**made)


@pytest.mark.parametrize("made", [{"per": "body"}, {"players": "both"}])
def test_a_single_environment_is_one_row(made: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a world has 2 rows, and a single environment is one"):
        carom.gymnasium.Env("csb", **made)
    alone = carom.gymnasium.Env("csb", alone=1, opponent="zero")  # one row: it works
    alone.reset(seed=1)
    alone.step(alone.action_space.sample())


@pytest.mark.parametrize("seed", [1.5, -1, "1", [1.5, 2]])
def test_seeds_that_are_refused(seed: Any) -> None:
    envs = carom.gymnasium.VectorEnv("csb", 2)
    with pytest.raises(ValueError, match=r"seed: .* a whole number from 0 to"):
        envs.reset(seed=seed)
    if not isinstance(seed, list):
        with pytest.raises(ValueError, match=r"seed: .* a whole number from 0 to"):
            carom.gymnasium.Env("csb").reset(seed=seed)
    envs.reset(seed=np.int64(3))


def test_steps_that_are_refused() -> None:
    envs = carom.gymnasium.VectorEnv("csb", 4, players="both", ticks=2, autoreset_mode="disabled")
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(envs.action_space.sample())
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="actions: shape"):
        envs.step(np.zeros((4, 5), np.float32))
    with pytest.raises(ValueError, match="rows of one world differ"):
        envs.reset(options={"reset_mask": np.array([True, False, False, False])})
    with pytest.raises(TypeError, match="reset_mask"):
        envs.reset(options={"reset_mask": [True] * 4})
    with pytest.raises(ValueError, match="4 seeds are expected"):
        envs.reset(seed=[1, 2])
    for _ in range(2):
        envs.step(envs.action_space.sample())
    with pytest.raises(gymnasium.error.ResetNeeded, match="rows have ended"):
        envs.step(envs.action_space.sample())
