# SPDX-License-Identifier: MIT
"""Environments with other games than Carom's: the cost of a step for a trainer, not a comparison of engines.

A step is that of one environment, with observations, rewards and ends: in csb a turn of both players, in soccer a tick
of twelve robots, in CartPole and LunarLander one of their steps. No side skips frames, and an environment counts once,
for any number of agents.
"""

from __future__ import annotations

import numpy as np

from .contest import Contest, Work, environment


def envpool(envs: int, threads: int) -> Work:
    """EnvPool's CartPole."""
    import envpool as pool

    env = pool.make("CartPole-v1", env_type="gymnasium", num_envs=envs, num_threads=threads)
    env.reset()
    actions = np.random.default_rng(1).integers(0, 2, envs).astype(np.int32)
    return Work(lambda: env.step(actions), envs)


def gymnasium_vector(envs: int, threads: int) -> Work:
    """Gymnasium's CartPole in NumPy, for all environments at once, on one thread."""
    import gymnasium

    del threads
    env = gymnasium.make_vec("CartPole-v1", envs, vectorization_mode="vector_entry_point")
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(0, 2, envs)
    return Work(lambda: env.step(actions), envs)


def lunar_lander(envs: int, threads: int) -> Work:
    """Box2D's LunarLander through Gymnasium, one after another on one thread: 16 of them stand for all."""
    import gymnasium

    del envs, threads
    env = gymnasium.make_vec("LunarLander-v3", 16, vectorization_mode="sync")
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(0, 4, 16)
    return Work(lambda: env.step(actions), 16)


CONTEST = Contest(
    "other games, millions of steps a second",
    {
        "Carom: csb against race, f32, ego": lambda n, t: environment("csb", n, t, opponent="race", observation="ego"),
        "Carom: soccer, 6 against 6, f32": lambda n, t: environment("soccer", n, t, opponent="zero"),
        "EnvPool: CartPole": envpool,
        "Gymnasium: CartPole, NumPy": gymnasium_vector,
        "Gymnasium: LunarLander, Box2D": lunar_lander,
    },
    peer=None,
)
