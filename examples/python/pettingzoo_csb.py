#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns Coders Strike Back by PPO in self-play: the four pods of PettingZoo's ParallelEnvs share a network.

pip install '.[pettingzoo]' torch; python examples/python/pettingzoo_csb.py [--minutes 0.5 --opponent random]
"""

import copy
import math
import time

import match
import numpy as np
import torch
from torch import nn

import carom.pettingzoo
from carom.mirror import Mirror

GAMES, TICKS, BATCH, MIRROR = 256, 32, 4096, Mirror("csb")


def layers(out, gain):
    stack = [nn.Linear(len(MIRROR.names), 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, out)]
    for layer, scale in zip(stack[::2], (math.sqrt(2), math.sqrt(2), gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
    return nn.Sequential(*stack)


def step(envs, actions):  # of all games, [game, pod, number]; a game that has ended is restarted
    played = [
        env.step(dict(zip(env.possible_agents, rows, strict=True))) for env, rows in zip(envs, actions, strict=True)
    ]
    seen = [found[0] if env.agents else env.reset()[0] for env, found in zip(envs, played, strict=True)]
    alive = torch.tensor([[bool(env.agents)] for env in envs]).float()
    return np.array([[*s.values()] for s in seen]), torch.tensor([[*found[1].values()] for found in played]), alive


if __name__ == "__main__":
    args = match.arguments(__doc__, minutes=10)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    envs = [carom.pettingzoo.ParallelEnv("csb", **match.EGO) for _ in range(GAMES)]
    act, value, spread = layers(3, 0.01), layers(1, 1.0), nn.Parameter(torch.full((3,), -0.5))
    weights = [*act.parameters(), *value.parameters(), spread]
    adam, first, steps, start = torch.optim.Adam(weights, eps=1e-5), None, 0, time.process_time()
    raw = np.array([[*env.reset(seed=args.seed + k)[0].values()] for k, env in enumerate(envs)])
    while (spent := (time.process_time() - start) / 60) < args.minutes:
        first = copy.deepcopy(act) if spent < 1 else first  # for a match against the final player
        adam.param_groups[0]["lr"] = 1e-3 * max(1 - spent / args.minutes, 0.05)
        store = []
        with torch.no_grad():
            for _ in range(TICKS):
                seen = torch.from_numpy(MIRROR.see(raw))
                said = torch.distributions.Normal(act(seen), spread.exp())
                acts = said.sample()
                raw, reward, alive = step(envs, MIRROR.act(raw, acts.numpy()))
                store += [(seen, acts, said.log_prob(acts).sum(-1), value(seen)[..., 0], reward, alive)]
            ahead, after, gains = 0, value(torch.from_numpy(MIRROR.see(raw)))[..., 0], []
            for *_, worth, reward, alive in reversed(store):
                ahead, after = reward + 0.99 * alive * (after + 0.95 * ahead) - worth, worth
                gains = [ahead, *gains]
            parts = [*list(zip(*store, strict=True))[:4], gains]
            seen, acts, before, worth, gains = (torch.cat(part).flatten(0, 1) for part in parts)
        steps += len(seen)
        for chosen in [*torch.randperm(len(seen)).split(BATCH), *torch.randperm(len(seen)).split(BATCH)]:
            chance = torch.distributions.Normal(act(seen[chosen]), spread.exp()).log_prob(acts[chosen]).sum(-1)
            ratio, gain = (chance - before[chosen]).exp(), gains[chosen]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean() - 0.005 * spread.sum()
            loss += 0.5 * (value(seen[chosen])[:, 0] - gains[chosen] - worth[chosen]).square().mean()
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(weights, 0.5)
            adam.step()
    players = [lambda seen, net=net: net(torch.from_numpy(seen)).detach().numpy() for net in (act, first)]
    match.report(args, start, steps, *players[: 2 if args.minutes > 1 else 1])
