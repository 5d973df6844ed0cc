#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns Coders Strike Back with PPO of RLlib: two env runners, each a process with one batch of worlds.

    pip install '.[rllib]'
    python examples/python/rllib_csb.py                             at most 15 minutes of two cores against `race`
    python examples/python/rllib_csb.py --minutes 1 --opponent random --enough 90

Stops when `--enough` percent of 200 games are won. Prints the steps a second of RLlib and of the library alone.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import match
import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

import carom.gymnasium

RUNNERS, ROWS, TICKS = 2, 512, 32
# Each runner imports the module before the colon, which registers the environment.
ENVIRONMENT = "carom.gymnasium:Carom/CodersStrikeBack-v0"


def config(opponent: str, seed: int, steps: float) -> PPOConfig:
    """PPO with two env runners; the learning rate falls over the expected `steps` of a pod."""
    network = DefaultModelConfig(
        fcnet_hiddens=[64, 64], fcnet_activation="tanh", vf_share_layers=False, free_log_std=True,
        fcnet_kernel_initializer="orthogonal_", head_fcnet_kernel_initializer="orthogonal_",
        head_fcnet_kernel_initializer_kwargs={"gain": 0.01},
    )  # fmt: skip
    return (
        PPOConfig()
        .environment(
            ENVIRONMENT, env_config={"opponent": opponent, **match.CSB},
            normalize_actions=False, clip_actions=False,  # the environment clips; RLlib would do it row by row
        )
        .env_runners(
            num_env_runners=RUNNERS, num_envs_per_env_runner=ROWS, rollout_fragment_length=TICKS,
            gym_env_vectorize_mode="vector_entry_point",
        )
        .rl_module(model_config=network)
        .training(
            train_batch_size_per_learner=RUNNERS * ROWS * TICKS, minibatch_size=4096, num_epochs=2, gamma=0.98,
            lambda_=0.95, lr=[[0, 1e-3], [int(steps), 1e-4]], grad_clip=0.5, grad_clip_by="global_norm",
            use_kl_loss=False, clip_param=0.2, vf_clip_param=math.inf, vf_loss_coeff=0.5, entropy_coeff=0.005,
        )
        .debugging(seed=seed, log_level="ERROR")
    )  # fmt: skip


def each_runner(algorithm: PPO, ask: Callable[[Any], Any]) -> list[Any]:
    """The answers of the env runners."""
    return algorithm.env_runner_group.foreach_env_runner(ask, local_env_runner=False)


def processor_seconds(algorithm: PPO) -> float:
    """Processor time of this process, the learner, and of the env runners."""
    return time.process_time() + sum(each_runner(algorithm, lambda _: time.process_time()))


def player_of(algorithm: PPO) -> match.Player:
    """The trained policy, acting without noise."""
    module = algorithm.get_module()

    def player(seen: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            said = module.forward_inference({"obs": torch.from_numpy(seen)})["action_dist_inputs"]
        return said[:, :3].numpy()

    return player


def bare(opponent: str, seconds: float) -> float:
    """Steps of a pod in a second of processor time, by the environment alone with random actions."""
    envs = carom.gymnasium.VectorEnv("csb", ROWS, opponent=opponent, **match.CSB)
    envs.reset(seed=1)
    said = np.random.default_rng(1).uniform(-1, 1, (64, ROWS, 3)).astype(np.float32)
    start, steps = time.process_time(), 0
    while (spent := time.process_time() - start) < seconds:
        envs.step(said[steps % 64])
        steps += 1
    envs.close()
    return steps * ROWS / spent


def main() -> None:
    """Trains until enough games are won or time is up, then plays the final games."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=15, help="of two cores, in processor time; without scoring")
    parser.add_argument("--opponent", default="race", help="a built-in policy to train against")
    parser.add_argument("--enough", type=float, default=101, help="stop when this share, in %%, of 200 games is won")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--at-least", type=float, default=0, help="exit with 1 if fewer games are won, in %%")
    args = parser.parse_args()
    torch.set_num_threads(1)
    ray.init(address="local", num_cpus=RUNNERS, include_dashboard=False, log_to_driver=False,
             object_store_memory=256 << 20)  # fmt: skip
    algorithm = config(args.opponent, args.seed, args.minutes * 60 * RUNNERS * 10_000).build_algo()
    for made in each_runner(algorithm, lambda runner: str(type(runner.env.unwrapped))):
        print(f"an env runner steps {ROWS} rows of {made}")
    start, scoring, spent, steps, shown = processor_seconds(algorithm), 0.0, 0.0, 0, 0.0
    while spent < args.minutes * 60 * RUNNERS:
        found: dict[str, Any] = algorithm.train()
        steps = found["env_runners"]["num_env_steps_sampled_lifetime"]
        spent = processor_seconds(algorithm) - start - scoring
        if spent - shown > args.minutes * 60 * RUNNERS / 20:
            before, shown = time.process_time(), spent
            won = match.won(player_of(algorithm), 200, 10_000, args.opponent)
            scoring += time.process_time() - before
            print(f"{spent / 60:6.1f} core minutes  {steps / 1e6:6.2f} M steps  won {won / 2:.0f}%", flush=True)
            if won >= 2 * args.enough:
                break
    worst = 100.0
    for opponent in dict.fromkeys([args.opponent, "random"]):
        seed = 1_000_000 + args.seed
        won = match.won(player_of(algorithm), args.games, seed, opponent)
        worst = min(worst, 100 * won / args.games)
        print(f"seed {args.seed}, {spent / 60:.1f} core minutes, {steps / 1e6:.2f} million steps of a pod: won {won} "
              f"of {args.games} against {opponent}, games of seeds {seed} to {seed + args.games - 1}")  # fmt: skip
    algorithm.stop()
    ray.shutdown()
    print(f"steps of a pod a second of one core: {steps / spent:,.0f} by RLlib, with learning; "
          f"{bare(args.opponent, 2):,.0f} by VectorEnv.step alone")  # fmt: skip
    if worst < args.at_least:
        raise SystemExit(f"won less than {args.at_least:g}%")


if __name__ == "__main__":
    main()
