# SPDX-License-Identifier: MIT
"""A scene of four players in all that Python offers: worlds, results, rollouts, searches, replays, environments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom


@pytest.fixture(scope="module")
def four(scenes: Path) -> str:
    return str(scenes / "four_goals.json")


def stakes(winner: Any) -> Any:
    """[game, player]: 1 for the winner, -1/3 for each other player; 0 without a winner."""
    lost = np.repeat(np.where(winner >= 0, np.float32(-1 / 3), np.float32(0))[:, None], 4, 1)
    lost[winner >= 0, winner[winner >= 0]] = 1
    return lost


def test_results(four: str) -> None:
    worlds = carom.Worlds(four, 64, players=["random", "random", "still", "random"], reward="result", at_end="reset")
    assert worlds.game.players == 4
    assert worlds.rewards.shape == (64, 4)
    won = np.zeros(4, int)
    drawn = 0
    for _ in range(600):
        results = worlds.results
        worlds.step()
        over = worlds.ends != 0
        assert not worlds.rewards[~over].any()
        assert np.array_equal(worlds.rewards[over], stakes(results["winner"][over]))
        assert np.allclose(results["returns"][over], worlds.rewards[over])
        won += np.bincount(results["winner"][over & (results["winner"] >= 0)], minlength=4)
        drawn += int((results["winner"][over] < 0).sum())
    assert (won > 0).all()
    assert won[2] < won.max()
    assert drawn > 0
    two = carom.Worlds("csb", 2, players=["race", "race"], ticks=3)
    two.play(3, results=True)
    assert two.results["returns"].shape == (2, carom.RESULT["returns"].shape[0]) == (2, 4)


def test_rollouts_and_searches(four: str) -> None:
    roots = carom.Worlds(four, 3, players=["random"] * 4)
    roots.play(5)
    found = carom.rollout(roots, k=5, horizon=4, player=2, opponent="still", rewards=True)
    assert found.returns.shape == (3, 5, 4)
    assert found.best.shape == (3, 4)
    assert np.allclose(found.returns, found.rewards.astype(float).sum(2))
    assert np.array_equal(found.best, found.returns.argmax(1))
    apart = carom.rollout(roots, k=5, horizon=4, players=["still", "still", "drawn", "still"])
    assert np.array_equal(apart.returns, found.returns)
    for opponent in ("zero", "plan", "search", ["still", "random"]):
        search = carom.Search(roots, player=3, horizon=4, rollouts=64, sequences=16, opponent=opponent)
        search.run(roots)
        assert search.plan().shape == (3, 4, 2)
        planners = [g.player for g in search.report().generations]
        assert sorted(set(planners)) == ([0, 1, 2, 3] if opponent == "search" else [3])
        if opponent in ("plan", "search"):
            plans = [np.broadcast_to(search.plan(p)[:, None], (3, 1, 4, 2)).copy() for p in range(4)]
            told = carom.rollout(roots, k=1, horizon=4, players=plans)
            assert np.allclose(told.returns[:, 0, 3], search.returns())
    with pytest.raises(ValueError, match="opponent: 'fictitious' is for two players; scene has 4"):
        carom.Search(roots, opponent="fictitious")


def test_replay(four: str, tmp_path: Path) -> None:
    worlds = carom.Worlds(four, 8)
    rng = np.random.default_rng(1)
    given = rng.uniform(-1, 1, (20, 8, 4, 2)).astype(np.float32)
    path = tmp_path / "four.carom"
    with worlds.recording(path):
        for t in range(20):
            worlds.step(given[t])
    replay = carom.Replay(path)
    assert replay.verify() is None
    replay.seek(20)
    assert [tuple(a.shape) for a in replay.actions()] == [(8, 2)] * 4
    assert all(np.array_equal(replay.actions()[p], given[19, :, p]) for p in range(4))
    assert np.array_equal(replay.hashes(), worlds.hashes())


@pytest.mark.parametrize("seat", range(4))
def test_gymnasium_with_one_seat(four: str, seat: int) -> None:
    pytest.importorskip("gymnasium")
    import carom.gymnasium

    envs = carom.gymnasium.VectorEnv(
        four, 16, opponent="random", seat=seat, observation="ego", autoreset_mode="same_step"
    )
    assert envs.worlds.players == tuple(None if p == seat else "random" for p in range(4))
    plain = carom.Worlds(four, 16, players=envs.worlds.players, at_end="reset").bind(results=True)
    seen, _ = envs.reset(seed=2)
    plain.restart(ids=0, seeds=np.arange(2, 18, dtype=np.uint64))
    assert seen.shape == (16, 4 * 8)
    for _ in range(450):
        actions = envs.action_space.sample()
        _, rewards, terminated, truncated, info = envs.step(actions)
        plain.step(actions[:, None])
        assert np.array_equal(rewards, plain.rewards[:, seat])
        over = terminated | truncated
        if over.any():
            results = info["result"]
            mine = np.where(results["winner"] < 0, 0, np.where(results["winner"] == seat, 1, -1 / 3))
            assert (np.abs(results["r"] - mine)[over] < 5).all()  # with what the rules gave on the way
            assert np.array_equal(results["winner"][over], plain.results["winner"][over])
    assert np.array_equal(envs.worlds.hashes(), plain.hashes())


def test_gymnasium_with_all_seats(four: str) -> None:
    pytest.importorskip("gymnasium")
    import carom.gymnasium

    envs = carom.gymnasium.VectorEnv(
        four, 12, players="all", observation="ego", reward="result", autoreset_mode="same_step"
    )
    both = carom.gymnasium.VectorEnv(
        four, 12, players="both", observation="ego", reward="result", autoreset_mode="same_step"
    )
    assert np.array_equal(envs.reset(seed=range(12))[0], both.reset(seed=range(12))[0])
    ended = 0
    for _ in range(401):
        actions = envs.action_space.sample()
        seen, rewards, terminated, truncated, info = envs.step(actions)
        assert np.array_equal(both.step(actions)[0], seen)
        over = (terminated | truncated)[::4]
        assert not rewards.reshape(3, 4)[~over].any()
        if over.any():
            assert np.array_equal(rewards.reshape(3, 4)[over], stakes(info["result"]["winner"][::4][over]))
            assert np.allclose(info["result"]["r"].reshape(3, 4)[over], rewards.reshape(3, 4)[over])
            ended += 1
    assert ended > 0
    with pytest.raises(ValueError, match="a multiple of 4 is expected"):
        carom.gymnasium.VectorEnv(four, 6, players="all")
    with pytest.raises(ValueError, match="seat: 4; 0 to 3 are expected"):
        carom.gymnasium.VectorEnv(four, 6, seat=4)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "made", [{}, {"per": "body", "observation": "ego"}, {"opponent": "random", "seat": 2}], ids=str
)
def test_pettingzoo(four: str, made: dict[str, Any]) -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    import carom.pettingzoo

    env = carom.pettingzoo.ParallelEnv(four, **made)
    body = "_body_0" if "per" in made else ""
    assert env.possible_agents == [f"player_{p}{body}" for p in ([2] if "seat" in made else range(4))]
    env.reset(seed=1)
    assert env.state().shape == (4 * 4 * 8,)
    parallel_api_test(env, num_cycles=420)
    parallel_seed_test(lambda: carom.pettingzoo.ParallelEnv(four, **made), num_cycles=20)


def test_pictures(four: str) -> None:
    """Each player's mallet has its own colour."""
    worlds = carom.Worlds(four)
    picture = worlds.rgb_array(0, width=400)
    colours = {tuple(picture[y, x]) for x, y in ((48, 200), (352, 200), (200, 48), (200, 352))}
    assert len(colours) == 4
