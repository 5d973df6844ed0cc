# SPDX-License-Identifier: MIT
"""Stable-Baselines3, TorchRL and PyTorch, where they are installed."""

from __future__ import annotations

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
        seen, rewards, _, _, _ = plain.step(steps["action"][:, step].numpy())
        assert np.array_equal(seen, steps["next", "observation"][:, step].numpy())
        assert np.array_equal(rewards, steps["next", "reward"][:, step, 0].numpy())


def too_fast() -> carom.Scene:
    """A body that is too fast after an action of 1: it takes a fault."""
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
    assert infos[1]["episode"]["fault"] == 1
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
    again = env.reset(after.select("observation").set("_reset", after["done"].clone()))
    again["action"] = torch.zeros(2, 2)
    assert not env.step(again)["next"]["done"].any()
