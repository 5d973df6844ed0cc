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

    # fantastic_bits, whose games cannot be shortened, ends after tick 200.
    parallel_api_test(Watched(**made), num_cycles=220 if made["game"] == "fantastic_bits" else 80)
    assert any(ends)
    parallel_seed_test(lambda: carom.pettingzoo.ParallelEnv(**made), num_cycles=20)


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
    assert info["player_0_body_0"]["episode"]["l"] == 9
    assert env.agents == []
    with pytest.raises(RuntimeError, match="the game is over"):
        env.step(actions)
    assert env.reset()[0].keys() == seen.keys()
