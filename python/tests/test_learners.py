# SPDX-License-Identifier: MIT
"""Stable-Baselines3, TorchRL and PyTorch, where they are installed."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import carom

MADE = {"opponent": "random", "per": "body", "observation": "ego", "ticks": 15}


def test_pytorch_sees_the_same_memory() -> None:
    torch = pytest.importorskip("torch")
    worlds = carom.Worlds("csb", 8, players=[None, "zero"])
    seen, actions = torch.from_dlpack(worlds.observations), torch.from_numpy(worlds.actions)
    actions[:] = 0.5
    worlds.step()
    assert seen.data_ptr() == worlds.observations.ctypes.data
    assert seen.data_ptr() % 64 == 0
    assert seen.abs().sum() > 0
    mine = torch.zeros(8, 2)
    worlds.bind(rewards=mine).step(actions)
    assert np.shares_memory(mine.numpy(), worlds.rewards)
    assert mine.abs().sum() > 0


def test_stable_baselines3() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    import carom.gymnasium
    import carom.sb3

    env = carom.sb3.VecEnv("csb", 8, **MADE)
    plain = carom.gymnasium.VectorEnv("csb", 8, autoreset_mode="same_step", **MADE)
    env.seed(3)
    seen, expected = env.reset(), plain.reset(seed=3)[0]
    for step in range(40):
        assert np.array_equal(seen, expected), step
        actions = plain.action_space.sample()
        seen, rewards, over, infos = env.step(actions)
        expected, wanted, terminated, truncated, info = plain.step(actions)
        assert np.array_equal(rewards, wanted)
        assert np.array_equal(over, terminated | truncated)
        for row in np.flatnonzero(over):
            assert np.array_equal(infos[row]["terminal_observation"], info["final_obs"][row])
            assert infos[row]["TimeLimit.truncated"] == truncated[row]
            assert infos[row]["episode"]["l"] == 15
    model = sb3.PPO("MlpPolicy", env, n_steps=16, batch_size=64, device="cpu")
    model.learn(256)
    assert env.env_is_wrapped(object) == [False] * 8
    env.close()


def test_stable_baselines3_logs_what_games_brought(tmp_path: Path) -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.logger import configure

    import carom.sb3

    env = carom.sb3.VecEnv("csb", 8, **MADE)
    model = sb3.PPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, device="cpu", seed=1)
    model.set_logger(configure(str(tmp_path), ["csv"]))
    model.learn(512)
    with open(tmp_path / "progress.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["rollout/ep_len_mean"]) for row in rows] == [15, 15]
    assert all(np.isfinite(float(row["rollout/ep_rew_mean"])) for row in rows)
    games = list(model.ep_info_buffer)
    assert len(games) == 32
    assert all(game.keys() == {"r", "l", "t"} and game["t"] > 0 for game in games)
    assert np.isclose(np.mean([game["r"] for game in games]), float(rows[-1]["rollout/ep_rew_mean"]))


def test_stable_baselines3s_wrappers(tmp_path: Path) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

    import carom.gymnasium
    import carom.sb3

    env = VecNormalize(VecMonitor(carom.sb3.VecEnv("csb", 8, ticks=15), str(tmp_path / "games")))
    env.seed(3)
    env.reset()
    ended = 0
    for _ in range(40):
        seen, rewards, over, infos = env.step(np.stack([env.action_space.sample() for _ in range(8)]))
        assert np.isfinite(seen).all()
        assert np.isfinite(rewards).all()
        for row in np.flatnonzero(over):
            ended += 1
            assert infos[row]["episode"]["l"] == infos[row]["result"]["l"] == 15
            assert infos[row]["episode"]["r"] == pytest.approx(infos[row]["result"]["r"], abs=1e-5)
    assert ended == 16
    env.close()
    single = Monitor(carom.gymnasium.Env("csb", ticks=15), info_keywords=())
    single.reset(seed=1)
    for _ in range(2):
        over = False
        while not over:
            *_, terminated, truncated, info = single.step(single.action_space.sample())
            over = terminated or truncated
        assert info["episode"]["r"] == pytest.approx(info["result"]["r"], abs=1e-5)
        single.reset()


def test_torchrl() -> None:
    pytest.importorskip("torchrl")
    import torch
    from torchrl.envs import check_env_specs

    import carom.gymnasium
    import carom.torchrl

    env = carom.torchrl.Env("csb", 8, **MADE)
    check_env_specs(env, seed=3)
    env.set_seed(3)
    steps = env.rollout(40, break_when_any_done=False)
    assert steps.batch_size == torch.Size([8, 40])
    assert steps["next", "done"].sum() == 16  # two games of 15 ticks in each row
    plain = carom.gymnasium.VectorEnv("csb", 8, autoreset_mode="disabled", **MADE)
    plain.reset(seed=3)
    for step in range(15):
        seen, rewards, _, _, info = plain.step(steps["action"][:, step].numpy())
        assert np.array_equal(seen, steps["next", "observation"][:, step].numpy())
        assert np.array_equal(rewards, steps["next", "reward"][:, step, 0].numpy())
    assert set(info["result"]) == set(steps["next", "result"].keys())
    for name, values in info["result"].items():
        told = steps["next", "result", name][..., 0].numpy()
        assert np.array_equal(told[:, 14], values), name
        assert not (told[:, :14] + (name == "winner")).any(), name
        assert not (steps["result", name][:, [0, 15]].numpy() + (name == "winner")).any(), name


def test_torchrl_says_who_won() -> None:
    pytest.importorskip("torchrl")

    import carom.torchrl

    env = carom.torchrl.Env("soccer", 64, opponent="striker", observation="ego", ticks=400, goals=1)
    env.set_seed(1)
    steps = env.rollout(500, break_when_any_done=False)["next"]
    done = steps["done"][..., 0]
    result = {name: values[..., 0] for name, values in steps["result"].items()}
    assert done.sum() > 32
    assert set(result["winner"][done].tolist()) >= {1}  # random actions against a striker
    assert (result["winner"][~done] == -1).all()
    assert ((result["score"][done] == 1) == (result["winner"][done] == 0)).all()
    assert (result["l"][done] > 0).all()


def test_torchrls_transforms() -> None:
    pytest.importorskip("torchrl")
    import torch
    from torchrl.envs import (
        Compose,
        InitTracker,
        ObservationNorm,
        RewardClipping,
        RewardScaling,
        RewardSum,
        StepCounter,
        TransformedEnv,
        check_env_specs,
    )  # fmt: skip

    import carom.torchrl

    env = TransformedEnv(
        carom.torchrl.Env("csb", 8, **MADE),
        Compose(
            InitTracker(), StepCounter(), ObservationNorm(loc=0.5, scale=2.0, in_keys=["observation"]),
            RewardScaling(0.0, 2.0), RewardClipping(-1, 1), RewardSum(),
        ),
    )  # fmt: skip
    check_env_specs(env, seed=3)
    env.set_seed(3)
    steps = env.rollout(40, break_when_any_done=False)
    done = steps["next", "done"][..., 0]
    assert done.sum() == 16
    assert (steps["next", "step_count"][..., 0][done] == 15).all()
    total = steps["next", "reward"][:, :15, 0].sum(1)
    assert torch.allclose(steps["next", "episode_reward"][:, 14, 0], total, atol=1e-5)
    assert steps["is_init"][:, 15].all()


@pytest.mark.parametrize(("kind", "double", "bound"), [("normalised", False, 1.0), ("relative", False, None),
                                                       ("referee", True, None)])  # fmt: skip
def test_torchrls_actions_by_kind(kind: str, double: bool, bound: float | None) -> None:
    pytest.importorskip("torchrl")
    import torch
    from torchrl.data import Bounded, Unbounded
    from torchrl.envs import check_env_specs

    import carom.torchrl

    env = carom.torchrl.Env("csb", 4, action_kind=kind, ticks=15)
    check_env_specs(env, seed=3)
    assert env.action_spec.dtype == (torch.float64 if double else torch.float32)
    assert isinstance(env.action_spec, Unbounded if bound is None else Bounded)
    drawn = torch.stack([env.action_spec.rand() for _ in range(50)])
    assert (drawn.abs().max() > 1) == (bound is None)


def too_fast() -> carom.Scene:
    """A body that is too fast after an action of 1 causes a fault."""
    return carom.Scene([carom.Body(acts=True)], box=((-9, -9), (9, 9)), max_events=40, dt=0.5, action_scale=1e6)


def test_a_fault_is_a_truncation_for_stable_baselines3() -> None:
    pytest.importorskip("stable_baselines3")
    import carom.sb3

    env = carom.sb3.VecEnv(too_fast(), 2)
    env.seed(3)
    before = env.reset()
    _, rewards, over, infos = env.step(np.array([[0, 0], [1, 1]], np.float32))
    assert over.tolist() == [False, True]
    assert rewards[1] == 0
    assert infos[1]["TimeLimit.truncated"]
    assert infos[1]["result"]["fault"] == 1
    assert np.array_equal(infos[1]["terminal_observation"], before[1])
    assert not env.step(np.zeros((2, 2), np.float32))[2].any()
    env.close()


def test_a_fault_is_a_truncation_for_torchrl() -> None:
    pytest.importorskip("torchrl")
    import torch

    import carom.torchrl

    env = carom.torchrl.Env(too_fast(), 2)
    start = env.reset()
    start["action"] = torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    after = env.step(start)["next"]
    assert after["truncated"].view(-1).tolist() == [False, True]
    assert not after["terminated"].any()
    assert after["result", "fault"].view(-1).tolist() == [0, 1]
    again = env.reset(after.select("observation").set("_reset", after["done"].clone()))
    again["action"] = torch.zeros(2, 2)
    assert not env.step(again)["next"]["done"].any()
