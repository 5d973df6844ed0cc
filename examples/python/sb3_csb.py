#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns Coders Strike Back with PPO of Stable-Baselines3.

pip install '.[sb3]'; python examples/python/sb3_csb.py [--minutes 0.5 --opponent random]
"""

from __future__ import annotations

import time
from typing import Any

import match
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

import carom.sb3


class Budget(BaseCallback):
    """Ends training after `minutes` of processor time; the learning rate falls to a twentieth until then."""

    def __init__(self, minutes: float) -> None:
        super().__init__()
        self.start, self.seconds = time.process_time(), 60 * minutes

    def left(self, _: float = 1.0) -> float:
        """The share of the time that is left."""
        return 1 - (time.process_time() - self.start) / self.seconds

    def rate(self, _: float) -> float:
        """The current learning rate."""
        return 1e-3 * max(self.left(), 0.05)

    def _on_step(self) -> bool:
        return self.left() > 0


def main() -> None:
    """Trains, then plays the final games."""
    args = match.arguments(__doc__, minutes=4)
    torch.set_num_threads(1)
    budget = Budget(args.minutes)
    envs = carom.sb3.VecEnv("csb", 1024, opponent=args.opponent, **match.CSB)
    network: dict[str, Any] = {"net_arch": [64, 64], "log_std_init": -0.5}
    ppo = PPO(
        "MlpPolicy", envs, n_steps=32, batch_size=4096, n_epochs=2, learning_rate=budget.rate, gamma=0.98,
        ent_coef=0.005, policy_kwargs=network, seed=args.seed, device="cpu",
    )  # fmt: skip
    ppo.learn(10**12, callback=budget)

    def player(seen: np.ndarray) -> np.ndarray:
        return ppo.predict(seen, deterministic=True)[0]

    match.report(args, budget.start, ppo.num_timesteps, player)


if __name__ == "__main__":
    main()
