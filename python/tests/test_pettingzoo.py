# SPDX-License-Identifier: MIT
"""PettingZoo: its own tests, and the games that plain worlds play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")
from pettingzoo.test import parallel_api_test, parallel_seed_test

import carom
import carom.pettingzoo

CASES: list[dict[str, Any]] = [
    {"game": "csb", "ticks": 30},
    {"game": "csb", "per": "body", "observation": "ego", "ticks": 30},
    {"game": "soccer", "per": "body", "observation": "ego", "robots": 2, "ticks": 30},
    {"game": "stones", "ticks": 30},
    {"game": "fantastic_bits", "opponent": "random"},
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("made", CASES, ids=str)
def test_pettingzoos_own_tests(made: dict[str, Any]) -> None:
    ends: list[bool] = []

    class Watched(carom.pettingzoo.ParallelEnv):
        def step(self, actions: dict[str, Any]) -> Any:
            told = super().step(actions)
            ends.append(any(told[2].values()) or any(told[3].values()))
            return told

    # Games of fantastic_bits cannot be shortened; they end after tick 200.
    parallel_api_test(Watched(**made), num_cycles=220 if made["game"] == "fantastic_bits" else 80)
    assert any(ends)
    parallel_seed_test(lambda: carom.pettingzoo.ParallelEnv(**made), num_cycles=20)


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("made", CASES[:4], ids=str)
def test_the_state(made: dict[str, Any], normalised: bool) -> None:
    env = carom.pettingzoo.ParallelEnv(**made, normalised=normalised)
    if normalised:
        assert env.state_space.is_bounded()
        assert env.observation_space(env.possible_agents[0]).is_bounded()
    raw = carom.pettingzoo.ParallelEnv(**{**made, "per": "player", "observation": "raw"}, normalised=normalised)
    raw.reset(seed=1)
    env.reset(seed=1)
    before = env.state()
    for _ in range(3):
        assert env.state_space.contains(env.state())
        for agent, seen in zip(raw.agents, env.state().reshape(len(raw.agents), -1), strict=True):
            assert raw.observation_space(agent).contains(seen)
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        env.step(actions)
        sides = np.concatenate(list(actions.values())).reshape(2, -1)
        if made["game"] == "soccer":  # room for robots that do not exist
            sides = np.pad(sides, ((0, 0), (0, raw.action_space("player_0").shape[0] - sides.shape[1])))
        seen = raw.step(dict(zip(raw.agents, sides, strict=True)))[0]
        assert np.array_equal(env.state(), np.concatenate(list(seen.values())))
    assert not np.array_equal(env.state(), before)
    assert env.state() is not env.state()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoos_own_test_of_states() -> None:
    from pettingzoo.test.state_test import test_parallel_env, test_state_space

    test_state_space(carom.pettingzoo.ParallelEnv("csb", ticks=30))
    test_parallel_env(carom.pettingzoo.ParallelEnv("csb", ticks=30))


def test_games_are_those_of_worlds() -> None:
    env = carom.pettingzoo.ParallelEnv("csb", per="body", observation="ego", ticks=9)
    worlds = carom.Worlds("csb", map_seed=0, ticks=9, observation="ego", reward="own")
    worlds.restart(ids=0, seeds=4)
    seen, _ = env.reset(seed=4)
    assert list(seen) == ["player_0_body_0", "player_0_body_1", "player_1_body_0", "player_1_body_1"]
    for _ in range(9):
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        seen, rewards, _, truncated, info = env.step(actions)
        worlds.step(np.concatenate(list(actions.values())).reshape(1, 2, 4))
        assert np.array_equal(np.stack(list(seen.values())), worlds.observations[0])
        assert np.allclose(list(rewards.values()), worlds.rewards[0])
    assert all(truncated.values())
    assert info["player_0_body_0"]["result"]["l"] == 9
    assert env.agents == []
    with pytest.raises(RuntimeError, match="the game is over"):
        env.step(actions)
    assert env.reset()[0].keys() == seen.keys()


def test_a_fault_ends_the_game_of_all() -> None:
    env = carom.pettingzoo.ParallelEnv("csb")
    env.reset(seed=4)
    still = {agent: np.zeros(4, np.float32) for agent in env.agents}
    before = env.step(still)[0]
    speeds = env.worlds["vx"]
    speeds[0, 0] = 134e6
    env.worlds["vx"] = speeds
    seen, rewards, terminated, truncated, info = env.step(still)
    assert all(truncated.values())
    assert not any(terminated.values())
    assert not any(rewards.values())
    assert seen.keys() == before.keys()
    assert all(info[agent]["fault"] and info[agent]["result"]["fault"] == 4 for agent in info)
    assert env.agents == []
    env.reset()
    assert not any(env.step(still)[3].values())
