#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns Coders Strike Back with PPO of TorchRL.

pip install '.[torchrl]'; python examples/python/torchrl_csb.py [--minutes 0.5 --opponent random]
"""

import math
import time

import match
import torch
from tensordict.nn import AddStateIndependentNormalScale, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import IndependentNormal, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import carom.torchrl

ROWS, TICKS, BATCH = 1024, 32, 4096


def layers(seen, out, gain):
    stack = [nn.Linear(seen, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, out)]
    for layer, scale in zip(stack[::2], (math.sqrt(2), math.sqrt(2), gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*stack)


def main():
    args = match.arguments(__doc__, minutes=4)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    env = carom.torchrl.Env("csb", ROWS, opponent=args.opponent, **match.CSB)
    env.set_seed(args.seed)
    size, actions = env.observation_spec["observation"].shape[-1], env.action_spec.shape[-1]
    mean = layers(size, actions, 0.01)
    spread = AddStateIndependentNormalScale(actions, scale_mapping="exp", init_value=math.exp(-0.5))
    said = TensorDictModule(nn.Sequential(mean, spread), ["observation"], ["loc", "scale"])
    actor = ProbabilisticActor(said, ["loc", "scale"], distribution_class=IndependentNormal, return_log_prob=True)
    critic = ValueOperator(layers(size, 1, 1.0), in_keys=["observation"])
    advantage = GAE(gamma=0.98, lmbda=0.95, value_network=critic)
    loss_of = ClipPPOLoss(actor, critic, entropy_coeff=0.005, critic_coeff=1.0, normalize_advantage=True,
                          loss_critic_type="l2")  # fmt: skip
    optimiser = torch.optim.Adam(loss_of.parameters(), lr=1e-3, eps=1e-5)
    start, steps = time.process_time(), 0
    collector = Collector(env, actor, frames_per_batch=ROWS * TICKS, total_frames=-1)
    for played in collector:
        left = 1 - (time.process_time() - start) / (60 * args.minutes)
        if left <= 0:
            break
        steps += played.numel()
        with torch.no_grad():
            advantage(played)
        optimiser.param_groups[0]["lr"] = 1e-3 * max(left, 0.05)
        flat = played.select(*loss_of.in_keys, "advantage", "value_target", strict=False).reshape(-1)
        for _ in range(2):
            for chosen in torch.randperm(len(flat)).split(BATCH):
                found = loss_of(flat[chosen])
                loss = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(loss_of.parameters(), 0.5)
                optimiser.step()
    collector.shutdown()

    def player(seen):
        with torch.no_grad():
            return mean(torch.from_numpy(seen)).numpy()

    match.report(args, start, steps, player)


if __name__ == "__main__":
    main()
