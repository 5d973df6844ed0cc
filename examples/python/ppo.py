# SPDX-License-Identifier: MIT
"""PPO for `train_csb.py` and `league.py`: advantages, and the update from stored steps."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn


class Judge(Protocol):
    """A network with a policy and a value."""

    def judge(self, seen: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Log densities [row] of the actions, and values [row]."""

    def freedom(self) -> Tensor:
        """A number that grows with the policy's entropy."""

    def parameters(self) -> Iterable[nn.Parameter]:
        """Everything to be trained."""


class Store(NamedTuple):
    """Stored steps."""

    seen: Tensor  # [row, number]
    actions: Tensor  # [row, number]
    chances: Tensor  # [row]: log densities of the actions when they were drawn
    gained: Tensor  # [row]: advantages
    targets: Tensor  # [row]: targets of the value


class Passes(NamedTuple):
    """Settings of an update."""

    count: int = 2
    batch: int = 4096
    clip: float = 0.2
    entropy: float = 0.005


def layers(sizes: list[int], gain: float, between: type[nn.Module] = nn.Tanh) -> nn.Sequential:
    """Dense layers with orthogonal weights; `gain` is that of the last one."""
    stack: list[nn.Module] = []
    for k, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        layer = nn.Linear(inputs, outputs)
        nn.init.orthogonal_(layer.weight, gain if k == len(sizes) - 2 else math.sqrt(2))
        nn.init.zeros_(layer.bias)
        stack += [layer, between()]
    return nn.Sequential(*stack[:-1])


def gains(rewards: Tensor, over: Tensor, values: Tensor, discount: float, trace: float) -> Tensor:
    """Advantages [step, row] by GAE.

    Args:
        rewards, over: [step, row]; over is 1 if a game has ended.
        values: [step + 1, row].
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
    """Updates the network in a few passes over the stored steps."""
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
