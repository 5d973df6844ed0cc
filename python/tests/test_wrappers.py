# SPDX-License-Identifier: MIT
"""Wrappers around the environments, across ends of games: those of Gymnasium, and loops like those of trainers."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium import wrappers  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from gymnasium.wrappers import vector  # noqa: E402

import carom  # noqa: E402
import carom.gymnasium  # noqa: E402 - it registers them

RACE: dict[str, Any] = {"id": "Carom/CodersStrikeBack-v0", "ticks": 12}
MODES = ["next_step", "same_step", "disabled"]

SINGLE: dict[str, tuple[str, dict[str, Any]]] = {
    "statistics": ("RecordEpisodeStatistics", {}),
    "normalise observations": ("NormalizeObservation", {}),
    "normalise rewards": ("NormalizeReward", {}),
    "clip rewards": ("ClipReward", {"min_reward": -1, "max_reward": 1}),
    "clip actions": ("ClipAction", {}),
    "rescale actions": ("RescaleAction", {"min_action": -2, "max_action": 2}),
    "transform observations": ("TransformObservation", {"func": lambda seen: seen * 2, "observation_space": None}),
    "transform rewards": ("TransformReward", {"func": lambda reward: reward * 2}),
    "transform actions": ("TransformAction", {"func": lambda action: action / 2, "action_space": None}),
    "flatten": ("FlattenObservation", {}),
    "type": ("DtypeObservation", {"dtype": np.float64}),
    "stack": ("FrameStackObservation", {"stack_size": 3}),
    "delay": ("DelayObservation", {"delay": 2}),
    "skip": ("MaxAndSkipObservation", {"skip": 2}),
    "sticky": ("StickyAction", {"repeat_action_probability": 0.2}),
    "discrete actions": ("DiscretizeAction", {"bins": 3}),
    "limit": ("TimeLimit", {"max_episode_steps": 7}),
    "autoreset": ("Autoreset", {}),
    "pictures": ("RenderCollection", {}),
    "seen pictures": ("AddRenderObservation", {}),
}
VECTOR = [name for name, (wrapper, _) in SINGLE.items() if hasattr(vector, wrapper)]
SEEN = {"normalise observations", "transform observations", "flatten", "type"}  # Gymnasium's refuse same_step


def through_ends(env: Any, games: int = 3) -> list[dict[str, Any]]:
    """Plays a single environment by its own samples; infos of the steps that ended games."""
    ends: list[dict[str, Any]] = []
    env.action_space.seed(1)
    env.reset(seed=1)
    for _ in range(30 * games):
        _, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert np.isfinite(reward)
        if terminated or truncated:
            ends.append(info)
            env.reset()
        if len(ends) == games:
            break
    assert len(ends) == games
    return ends


def vector_through_ends(envs: Any, mode: str, steps: int = 30) -> Iterator[tuple[Any, Any]]:
    """Plays a vector environment by its own samples; (which rows ended, info) of the steps that ended games."""
    ends = 0
    envs.action_space.seed(1)
    envs.reset(seed=1)
    for _ in range(steps):
        _, rewards, terminated, truncated, info = envs.step(envs.action_space.sample())
        assert np.isfinite(np.asarray(rewards)).all()
        over = np.asarray(terminated | truncated)
        if over.any():
            ends += 1
            yield over, info
            if mode == "disabled":
                envs.reset(options={"reset_mask": over.copy()})
    assert ends >= 2


@pytest.mark.parametrize("name", SINGLE)
def test_single_environments(name: str) -> None:
    wrapper, arguments = SINGLE[name]
    env = getattr(wrappers, wrapper)(gymnasium.make(**RACE, render_mode="rgb_array", render_width=64), **arguments)
    ends = through_ends(env)
    if name == "statistics":
        for info in ends:
            assert info["episode"]["l"] == info["result"]["l"] == 12
            assert info["episode"]["r"] == pytest.approx(info["result"]["r"], abs=1e-5)
    elif name not in ("limit", "autoreset"):
        assert all(info["result"]["l"] == 12 for info in ends)
    env.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", VECTOR)
def test_vector_environments(name: str, mode: str) -> None:
    wrapper, arguments = SINGLE[name]
    envs = gymnasium.make_vec(**RACE, num_envs=3, autoreset_mode=mode)
    only_next_step = name == "normalise observations"  # by Gymnasium's own word
    if (name in SEEN and mode == "same_step") or (only_next_step and mode != "next_step"):
        with pytest.raises(ValueError, match="NEXT_STEP"):
            getattr(vector, wrapper)(envs, **arguments)
        return
    arguments = {key: value for key, value in arguments.items() if value is not None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # infinite bounds in another type
        envs = getattr(vector, wrapper)(envs, **arguments)
    assert list(vector_through_ends(envs, mode))
    envs.close()


@pytest.mark.parametrize("mode", MODES)
def test_statistics_of_rows(mode: str) -> None:
    envs = vector.RecordEpisodeStatistics(gymnasium.make_vec(**RACE, num_envs=3, autoreset_mode=mode))
    for over, info in vector_through_ends(envs, mode):
        assert np.array_equal(info["_episode"], over)
        assert np.array_equal(info["_result"], over)
        assert (info["episode"]["l"][over] == 12).all()
        assert np.array_equal(info["episode"]["l"][over], info["result"]["l"][over])
        assert np.allclose(info["episode"]["r"][over], info["result"]["r"][over], atol=1e-5)
    assert envs.episode_count >= 6


@pytest.mark.parametrize("mode", MODES)
def test_infos_as_lists(mode: str) -> None:
    envs = vector.DictInfoToList(gymnasium.make_vec(**RACE, num_envs=3, autoreset_mode=mode))
    for over, infos in vector_through_ends(envs, mode):
        assert len(infos) == 3
        for row in np.flatnonzero(over):
            assert infos[row]["result"]["l"] == 12
            assert infos[row]["result"].keys() >= {"winner", "score", "r", "l"}
            if mode == "same_step":
                assert infos[row]["final_obs"].shape == (55,)
                assert infos[row]["final_info"]["result"]["l"] == 12


@pytest.mark.parametrize("mode", MODES)
def test_faults_reach_the_wrappers(mode: str) -> None:
    scene = carom.Scene([carom.Body(y=1.2, ay=-1, restitution=0.5, acts=True)], box=((-9, 0), (9, 9)), max_events=40,
                        dt=0.5)  # fmt: skip
    envs = gymnasium.make_vec("Carom/Scene-v0", num_envs=2, scene=scene, autoreset_mode=mode)
    envs = vector.DictInfoToList(vector.RecordEpisodeStatistics(envs))
    envs.reset(seed=1)
    games = 0
    for _ in range(60):
        _, _, _, truncated, infos = envs.step(np.zeros((2, 2)))
        assert [bool(info.get("fault")) for info in infos] == truncated.tolist()
        if truncated.any():
            games += 1
            assert all(info["episode"]["l"] > 0 for info in infos)
            if mode == "disabled":
                envs.reset(options={"reset_mask": truncated.copy()})
    assert games >= 2


@pytest.mark.skipif(importlib.util.find_spec("moviepy") is None, reason="films need moviepy")
def test_films(tmp_path: Path) -> None:
    made = {**RACE, "render_mode": "rgb_array", "render_width": 64}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a folder that is there, and of the mode
        env = wrappers.RecordVideo(gymnasium.make(**made), str(tmp_path / "one"), episode_trigger=lambda number: True)
        through_ends(env, 2)
        env.close()
        envs = gymnasium.make_vec(**made, num_envs=2, autoreset_mode="next_step")
        envs = vector.RecordVideo(envs, str(tmp_path / "rows"), video_length=20)
        assert list(vector_through_ends(envs, "next_step"))
        envs.close()
    assert len(list((tmp_path / "one").glob("*.mp4"))) >= 2
    assert list((tmp_path / "rows").glob("*.mp4"))


@pytest.mark.parametrize("mode", MODES)
def test_as_tensors(mode: str) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("array_api_compat")
    envs = vector.NumpyToTorch(gymnasium.make_vec(**RACE, num_envs=3, autoreset_mode=mode))
    envs.reset(seed=1)
    ended = 0
    for _ in range(30):
        seen, rewards, terminated, truncated, _ = envs.step(torch.zeros(3, 4))
        assert seen.shape == (3, 55)
        assert rewards.shape == (3,)
        over = terminated | truncated
        ended += int(over.sum())
        if mode == "disabled" and over.any():
            envs.reset(options={"reset_mask": over.numpy().copy()})
    assert ended == 6


def test_a_loop_as_cleanrl_has_it() -> None:
    """Statistics about the environment, `same_step` or `next_step`, and returns read off the infos."""
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        envs = gymnasium.make_vec(**RACE, num_envs=4, autoreset_mode=mode)
        envs = vector.ClipAction(vector.RecordEpisodeStatistics(envs))
        seen, _ = envs.reset(seed=1)
        done = np.zeros(4, bool)
        steps, returns, total, counted = 0, [], np.zeros(4), np.zeros(4)
        for _ in range(40):
            actions = np.clip(np.random.default_rng(0).normal(size=envs.action_space.shape), -1, 1)
            following, rewards, terminated, truncated, infos = envs.step(actions.astype(np.float32))
            alive = ~done if mode is AutoresetMode.NEXT_STEP else np.ones(4, bool)  # an autoreset step is no step
            assert (rewards[~alive] == 0).all()
            total += np.where(alive, rewards, 0)
            counted += alive
            if "episode" in infos:
                ended = infos["_episode"]
                returns += infos["episode"]["r"][ended].tolist()
                assert np.allclose(infos["episode"]["r"][ended], total[ended], atol=1e-5)
                assert np.array_equal(infos["episode"]["l"][ended], counted[ended])
                total[ended] = counted[ended] = 0
            done = terminated | truncated
            seen = following
            steps += int(alive.sum())
        assert len(returns) == 12
        assert seen.shape == (4, 55)
