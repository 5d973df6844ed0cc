# SPDX-License-Identifier: MIT
"""VMAS's `simple_spread`: three agents cover three landmarks.

A step is a tick of 0.1 s of one environment with observations, rewards and ends of all three agents. The same on both
sides, and checked to the last digits of f32 until agents touch:
  starts: agents and landmarks anywhere in [-1, 1] x [-1, 1], also on each other; a new game after 100 steps
  motion: v = 0.75 v + 0.1 a with a in [-1, 1]; then x = x + 0.1 v; no walls; f32
  rewards: minus three times the sum over landmarks of the distance of the nearest agent, and -1 for each agent and each
    other that it collides with: in VMAS where the two overlap after the step, in Carom for each impact
  observations: an agent's place and velocity, and the places of landmarks and other agents relative to it, 14 numbers.
    Carom's rows have 10 more, relative velocities; and its velocity is that after drag, 0.75 times VMAS's
Not the same: contacts. VMAS's agents overlap and are pushed apart by springs; Carom's are hard and elastic, with exact
times of impact, and bodies that overlap at the start may separate. Carom draws new starts world by world, VMAS all at
once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import carom

from .contest import Contest, Work, environment

AGENTS = range(3)
LANDMARKS = range(3, 6)
DRAG = 0.25


def scene() -> carom.Scene:
    """The task as a scene."""
    anywhere: dict[str, Any] = {"x_spread": 1, "y_spread": 1}
    agents = [carom.Body(radius=0.15, damping=DRAG, acts=True, mask=1, **anywhere) for _ in AGENTS]
    landmarks = [carom.Body(radius=0.05, mass=np.inf, category=2, mask=0, **anywhere) for _ in LANDMARKS]
    return carom.Scene(
        [*agents, *landmarks],
        dt=0.1,
        action="acceleration",
        last_tick=100,
        rules=[
            *(carom.Rule("nearest", body=landmark, category=1, reward=-3, to=0) for landmark in LANDMARKS),
            *(carom.Rule("meets_body", body=agent, category=1, reward=-1) for agent in AGENTS),
        ],
        views=[carom.View(me, [*LANDMARKS, *(other for other in AGENTS if other != me)]) for me in AGENTS],
    )


def simulator(envs: int, threads: int) -> Any:
    """VMAS's environments on the CPU."""
    import torch
    import vmas

    torch.set_num_threads(threads)
    env = vmas.make_env("simple_spread", num_envs=envs, device="cpu", continuous_actions=True, max_steps=100, seed=1)
    env.reset()
    return env


def theirs(envs: int, threads: int) -> Work:
    """VMAS, without gradients; all games end and restart in the same step."""
    env = simulator(envs, threads)
    import torch

    actions = [torch.rand(envs, 2) * 2 - 1 for _ in AGENTS]

    def step() -> None:
        with torch.no_grad():
            _, _, dones, _ = env.step(actions)
            if bool(dones.any()):
                env.reset()

    return Work(step, envs)


def check(envs: int = 1000, steps: int = 99) -> str:
    """Both play the same games. How many stay equal until the end of the game?"""
    env = simulator(envs, 1)
    import torch

    worlds = scene().worlds(envs, seed=1, precision="f32", observation="ego")
    places = torch.from_numpy(np.stack([worlds["x"], worlds["y"]], axis=-1))
    for body, entity in enumerate([*env.world.agents, *env.world.landmarks]):
        entity.set_pos(places[:, body], batch_index=None)

    rng = np.random.default_rng(1)
    apart = np.hypot(*(worlds[axis][:, [0, 1, 2]] - worlds[axis][:, [1, 2, 0]] for axis in "xy"))
    met = (apart < 0.3).any(axis=1)  # from the start on
    worst = 0.0
    means = np.zeros(2)
    for _ in range(steps):
        actions = rng.uniform(-1, 1, (envs, 3, 2)).astype(np.float32)
        worlds.step(actions.reshape(worlds.actions.shape))
        seen, rewards, _, _ = env.step([torch.from_numpy(actions[:, k].copy()) for k in AGENTS])

        rows = worlds.observations.reshape(envs, 3, 6, 4)
        mine = np.concatenate([rows[:, :, 0], rows[:, :, 1:, :2].reshape(envs, 3, 10)], axis=-1)
        mine[..., 2:4] /= 1 - DRAG
        other = np.stack([agent.numpy() for agent in seen], axis=1)
        wrong = np.abs(mine - other).max(axis=(1, 2))
        missed = np.abs(worlds.rewards[:, 0] - rewards[0].numpy())
        for side in mine, other:  # the last four numbers: positions of the other agents
            met |= (np.hypot(side[..., 10::2], side[..., 11::2]) < 0.3).any(axis=(1, 2))
        met |= missed > 0.9  # an impact within the step, after which they are apart again
        worst = max(worst, wrong[~met].max(initial=0), missed[~met].max(initial=0))
        means += worlds.rewards.mean(), float(rewards[0].mean())
    return (
        f"{(~met).sum()} of {envs} games without a contact: observations and rewards differ by {worst:.1e} at most; "
        f"mean reward of all {means[0] / steps:.2f}, VMAS {means[1] / steps:.2f}"
    )


CONTEST = Contest(
    "simple_spread, millions of steps a second",
    {"Carom: a scene, f32, ego": lambda n, t: environment(scene(), n, t, observation="ego"), "VMAS, PyTorch": theirs},
    check,
    peer="VMAS, PyTorch",
)
