#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Environment steps a second from Python, beside other simulators that are installed.

    pip install '.[gymnasium]' vmas envpool 'gymnasium[box2d]'
    python bench/python.py [--envs 1024 16384] [--seconds 2]

One process. A step is one call that takes actions for all environments and gives observations, rewards and ends. No
side skips frames, and an environment counts once, however many agents it has. Each side runs with as many threads as
are best for it. Actions are drawn before the clock runs. The best of several rounds counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import carom
import carom.gymnasium


def rate(step: Callable[[], Any], envs: int, seconds: float) -> float:
    """Steps a second: rounds of at least 10 calls, the fastest counts."""
    step()
    best, end, calls = 0.0, time.perf_counter() + seconds, 10
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(calls):
            step()
        best = max(best, calls * envs / (time.perf_counter() - start))
    return best


def spread_scene() -> carom.Scene:
    """VMAS's simple_spread: 3 agents and 3 landmarks in a box; agents push each other, landmarks are passed through."""
    agents = [carom.Body(x=-0.6 + 0.6 * k, y=-0.5, radius=0.05, mass=1, damping=0.25, acts=True) for k in range(3)]
    landmarks = [carom.Body(x=-0.6 + 0.6 * k, y=0.5, radius=0.05, mass=np.inf, mask=0) for k in range(3)]
    return carom.Scene(
        [*agents, *landmarks], box=((-1, -1), (1, 1)), dt=0.1, action_scale=0.1, last_tick=100,
        reward=carom.Measure("distance", body=0, at=(0.0, 0.5)),
    )  # fmt: skip


def ours(game: Any, envs: int, threads: int, **made: Any) -> Callable[[], Any]:
    """A vector environment of Carom, its actions drawn before."""
    env = carom.gymnasium.VectorEnv(
        game, envs, threads=threads, precision="f32", autoreset_mode="same_step", copy=False, **made
    )
    env.reset(seed=1)
    actions = np.random.default_rng(1).uniform(-1, 1, env.action_space.shape).astype(np.float32)
    return lambda: env.step(actions)


def vmas(envs: int, threads: int) -> Callable[[], Any]:
    """VMAS on the CPU."""
    import torch
    import vmas as simulator

    torch.set_num_threads(threads)
    env = simulator.make_env(
        "simple_spread", num_envs=envs, device="cpu", continuous_actions=True, max_steps=100, seed=1
    )
    env.reset()
    actions = [torch.rand(envs, 2) * 2 - 1 for _ in range(env.n_agents)]

    def step() -> None:
        with torch.no_grad():
            _, _, dones, _ = env.step(actions)
            if bool(dones.any()):
                env.reset()

    return step


def envpool(envs: int, threads: int) -> Callable[[], Any]:
    """EnvPool's CartPole."""
    import envpool as pool

    env = pool.make("CartPole-v1", env_type="gymnasium", num_envs=envs, num_threads=threads)
    env.reset()
    actions = np.random.default_rng(1).integers(0, 2, envs).astype(np.int32)
    return lambda: env.step(actions)


def gymnasium_vector(envs: int, threads: int) -> Callable[[], Any]:
    """Gymnasium's CartPole, written in NumPy for all environments at once."""
    import gymnasium

    env = gymnasium.make_vec("CartPole-v1", envs, vectorization_mode="vector_entry_point")
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(0, 2, envs)
    return lambda: env.step(actions)


def lunar_lander(envs: int, threads: int) -> Callable[[], Any]:
    """Box2D's LunarLander through Gymnasium, one after the other: 16 of them stand for all."""
    import gymnasium

    env = gymnasium.make_vec("LunarLander-v3", 16, vectorization_mode="sync")
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(0, 4, 16)
    return lambda: env.step(actions)


SIDES: dict[str, tuple[Callable[[int, int], Callable[[], Any]], int | None]] = {
    "Carom: simple_spread as a scene, f32": (lambda n, t: ours(spread_scene(), n, t), None),
    "Carom: csb against race, f32, ego": (lambda n, t: ours("csb", n, t, opponent="race", observation="ego"), None),
    "Carom: soccer, 6 against 6, f32": (lambda n, t: ours("soccer", n, t, opponent="zero"), None),
    "VMAS: simple_spread, PyTorch": (vmas, None),
    "EnvPool: CartPole": (envpool, None),
    "Gymnasium: CartPole, NumPy": (gymnasium_vector, None),
    "Gymnasium: LunarLander, Box2D": (lunar_lander, 16),
}


def main() -> None:
    """A table of steps a second."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--envs", type=int, nargs="+", default=[1024, 16384])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each side, size and number of threads")
    parser.add_argument("--only", help="sides with this in their name")
    args = parser.parse_args()
    about = carom.info()
    print(f"carom {about['version']}, {about['isa']}, {about['threads']} threads; millions of steps a second (threads)")
    print(f"{'':40}" + "".join(f"{n:>16}" for n in args.envs))
    found: dict[tuple[str, int], float] = {}
    for name, (make, fixed) in SIDES.items():
        if args.only and args.only not in name:
            continue
        cells = []
        for envs in args.envs:
            rates = {}
            for threads in sorted({1, about["threads"]}):
                try:
                    rates[threads] = rate(make(envs, threads), fixed or envs, args.seconds)
                except ImportError as error:
                    cells.append(f"no {error.name}")
                    break
            else:
                threads = max(rates, key=lambda t: rates[t])
                found[name, envs] = rates[threads]
                cells.append(f"{rates[threads] / 1e6:.3f} ({threads})")
        print(f"{name:40}" + "".join(f"{cell:>16}" for cell in cells), flush=True)
    for envs in args.envs:
        mine, theirs = (found.get((name, envs)) for name in ("Carom: simple_spread as a scene, f32",
                                                             "VMAS: simple_spread, PyTorch"))  # fmt: skip
        if mine and theirs:
            print(f"simple_spread, {envs} environments: {mine / theirs:.0f} times VMAS")


if __name__ == "__main__":
    main()
