# SPDX-License-Identifier: MIT
"""VMAS's lidar: nine agents, each of which scans the others with 12 rays, as in VMAS's `navigation`.

A step is a scan of one agent of one environment with all its rays. The same on both sides, and checked: agents of
radius 0.1 at VMAS's positions, rays evenly all around with a range of 0.35 from an agent's centre. Carom's rows have
four more numbers a ray: whether it met a body or a wall, and the relative velocity. Only the scan is timed; VMAS is
called agent by agent, as in its scenarios. VMAS returns distances, Carom shares of the range.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import carom

from .contest import Contest, Work

AGENTS = 9
RAYS = 12
RANGE = 0.35


def scene() -> carom.Scene:
    """The agents as a scene."""
    anywhere: dict[str, Any] = {"x_spread": 1, "y_spread": 1}
    agents = [carom.Body(radius=0.1, acts=True, **anywhere) for _ in range(AGENTS)]
    return carom.Scene(agents, dt=0.1, lidar=carom.Lidar(RAYS, RANGE))


def ours(envs: int, threads: int) -> Work:
    """Carom's observation `lidar`."""
    worlds = scene().worlds(envs, seed=1, precision="f32", observation="lidar", threads=threads)
    return Work(worlds.observe, envs * AGENTS)


def simulator(envs: int, threads: int) -> Any:
    """VMAS's environments on the CPU."""
    import torch
    import vmas

    torch.set_num_threads(threads)
    env = vmas.make_env(
        "navigation",
        num_envs=envs,
        device="cpu",
        continuous_actions=True,
        seed=1,
        n_agents=AGENTS,
        n_lidar_rays=RAYS,
        lidar_range=RANGE,
        agent_radius=0.1,
    )
    env.reset()
    return env


def theirs(envs: int, threads: int) -> Work:
    """VMAS, without gradients."""
    env = simulator(envs, threads)
    import torch

    def scan() -> None:
        with torch.no_grad():
            for agent in env.world.agents:
                agent.sensors[0].measure()

    return Work(scan, envs * AGENTS, calls=1)


def check(envs: int = 1000) -> str:
    """The greatest difference between the distances of both, for agents that do not overlap."""
    env = simulator(envs, 1)
    places = np.stack([agent.state.pos.numpy() for agent in env.world.agents], axis=1)
    worlds = scene().worlds(envs, precision="f32", observation="lidar")
    worlds["x"] = places[..., 0]
    worlds["y"] = places[..., 1]
    mine = worlds.observe().reshape(envs, AGENTS, RAYS, 5)
    other = np.stack([agent.sensors[0].measure().numpy() for agent in env.world.agents], axis=1)
    wrong = np.abs(mine[..., 0] * RANGE - other)
    met = (mine[..., 1] == 1).sum()
    far = wrong > 1e-4
    return (
        f"{met} of {other.size} rays meet an agent; {far.sum()} differ by more than 1e-4, the others by "
        f"{wrong[~far].max():.1e} at most"
    )


CONTEST = Contest(
    "lidar, millions of scans of an agent a second",
    {"Carom: a scene, f32, lidar": ours, "VMAS, PyTorch": theirs},
    check,
    peer="VMAS, PyTorch",
)
