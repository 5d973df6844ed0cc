# SPDX-License-Identifier: MIT
"""What the programs that learn by PPO share: how much better an action was than expected, and the passes over a store.

`train_csb.py` and `league.py` are the programs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn


class Judge(Protocol):
    """A network that says how likely it is to act as it did, and how well a row stands."""

    def judge(self, seen: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """[row]: logarithms of the actions' densities; [row]: what will still be gained."""

    def freedom(self) -> Tensor:
        """A number that grows with the entropy of what it does."""

    def parameters(self) -> Iterable[nn.Parameter]:
        """What is learnt."""


class Store(NamedTuple):
    """Rows that were played."""

    seen: Tensor  # [row, number]
    actions: Tensor  # [row, number]
    chances: Tensor  # [row]: logarithms of the actions' densities when they were drawn
    gained: Tensor  # [row]: how much more was gained than expected
    targets: Tensor  # [row]: what should have been expected


class Passes(NamedTuple):
    """How a store is learnt from."""

    count: int = 2
    batch: int = 4096
    clip: float = 0.2
    entropy: float = 0.005


def layers(sizes: list[int], gain: float, between: type[nn.Module] = nn.Tanh) -> nn.Sequential:
    """Dense layers with orthogonal weights; those of the last one are as large as `gain` says."""
    stack: list[nn.Module] = []
    for k, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        layer = nn.Linear(inputs, outputs)
        nn.init.orthogonal_(layer.weight, gain if k == len(sizes) - 2 else math.sqrt(2))
        nn.init.zeros_(layer.bias)
        stack += [layer, between()]
    return nn.Sequential(*stack[:-1])


def gains(rewards: Tensor, over: Tensor, values: Tensor, discount: float, trace: float) -> Tensor:
    """[step, row]: how much more was gained than expected (GAE).

    Args:
        rewards, over: [step, row]; over is 1 where a game has ended.
        values: [step + 1, row]: what was expected.
        discount, trace: gamma and lambda.

    """
    ahead, found = torch.zeros_like(rewards[0]), torch.empty_like(rewards)
    for step in reversed(range(len(rewards))):
        alive = 1 - over[step]
        surprise = rewards[step] + discount * alive * values[step + 1] - values[step]
        ahead = surprise + discount * trace * alive * ahead
        found[step] = ahead
    return found


def improve(network: Judge, optimiser: torch.optim.Optimizer, store: Store, how: Passes) -> None:
    """A few passes over a store."""
    gained = (store.gained - store.gained.mean()) / (store.gained.std() + 1e-8)
    for _ in range(how.count):
        for chosen in torch.randperm(len(gained), device=gained.device).split(how.batch):
            now, values = network.judge(store.seen.index_select(0, chosen), store.actions.index_select(0, chosen))
            ratio, gain = (now - store.chances[chosen]).exp(), gained[chosen]
            act_loss = -torch.min(ratio * gain, ratio.clamp(1 - how.clip, 1 + how.clip) * gain).mean()
            value_loss = (values - store.targets[chosen]).pow(2).mean()
            loss = act_loss + 0.5 * value_loss - how.entropy * network.freedom()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()
