#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns Coders Strike Back: PPO in PyTorch, on the CPU or wholly on a GPU.

A row is a pod, with its own observation (`ego`, mirrored) and reward (`own`). All pods share a network.

    pip install '.[gymnasium]' torch matplotlib
    python examples/python/train_csb.py --minutes 10           against the policy `race`
    python examples/python/train_csb.py --device cuda          environment, network and learning on a GPU
    python examples/python/train_csb.py --game soccer          robots, two against two, against `striker`
    python examples/python/play_csb.py csb.npz                 play the result

Writes NAME.npz (the network, NumPy alone reads it), NAME.csv and NAME.png (the learning curve), and prints the share of
games won, with a 95% interval, over games from both seats.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from ppo import Passes, Store, gains, improve, layers
from torch import nn

import carom.torch
from carom.mirror import Mirror

GAMES: dict[str, dict[str, Any]] = {
    # Draws teach nothing: if both sides time out in the same tick, the game is decided fairly, so that both seats are
    # equal.
    "csb": {"game": "csb", "opponent": "race", "action_kind": "normalised_full", "fair_timeouts": 1},
    # Half a minute, 1,800 ticks, or the first goal; an action is held for 6 ticks, a tenth of a second.
    "soccer": {"game": "soccer", "opponent": "striker", "robots": 2, "goals": 1, "ticks": 1800, "repeat": 6},
}


def standing(mirror: Mirror, seen: torch.Tensor) -> torch.Tensor:
    """The potential of a row, whose gain is added to its rewards (potential-based shaping).

    In soccer the balls are far away at first, so approaching one is rewarded. Playing it towards the goal already is.
    """
    if mirror.game == "csb":
        return torch.zeros(len(seen), device=seen.device)
    ahead, aside = (mirror.names.index(f"ball0.{way}") for way in ("ahead", "aside"))
    return -2 * torch.hypot(
        seen[:, ahead] / float(mirror.weights[ahead]), seen[:, aside] / float(mirror.weights[aside])
    )


class Network(nn.Module):
    """Two hidden layers for the policy, two for the value; Gaussian actions."""

    def __init__(self, seen: int, actions: int, width: int) -> None:
        super().__init__()
        self.act, self.value = layers([seen, width, width, actions], 0.01), layers([seen, width, width, 1], 1.0)
        self.log_spread = nn.Parameter(torch.full((actions,), -0.5))

    def chances(self, mean: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """The log density of actions."""
        spread = self.log_spread.exp()
        return (-((actions - mean) ** 2) / (2 * spread**2) - self.log_spread).sum(-1)

    def judge(self, seen: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """For `ppo.improve`."""
        return self.chances(self.act(seen), actions), self.value(seen).squeeze(-1)

    def freedom(self) -> torch.Tensor:
        """For `ppo.improve`."""
        return self.log_spread.sum()

    def save(self, path: Path, mirror: Mirror) -> None:
        """The weights of the policy and its inputs from `ego`: all that playing needs."""
        layers = {f"layer{k}.{name}": p.detach().cpu().numpy() for k, layer in enumerate(self.act[::2])
                  for name, p in layer.named_parameters()}  # fmt: skip
        np.savez(path, game=mirror.game, kept=mirror.kept, scale=mirror.weights, image=mirror.image,
                 act_image=mirror.act_image, side=mirror.side, **layers)  # fmt: skip


def score(network: Network, made: dict[str, Any], games: int, seed: int, device: str) -> tuple[int, int, int]:
    """Games won, lost and drawn, from both seats in equal numbers, acting without noise."""
    won = lost = drawn = 0
    for seat in (0, 1):
        count = games // 2
        envs = carom.torch.Env(
            num_envs=count * rows_of(made), device=device, per="body", observation="ego", mirrored=True, seat=seat,
            precision="f32", copy=False, **made,
        )  # fmt: skip
        seen, _ = envs.reset(seed=seed + seat * games)
        left = torch.ones(count, dtype=torch.bool, device=device)
        while left.any():
            with torch.no_grad():
                said = network.act(seen)
            seen, _, terminated, truncated, info = envs.step(said)
            ended = (terminated | truncated).view(count, -1)[:, 0] & left
            winner = info["result"]["winner"].view(count, -1)[:, 0]
            won += int((ended & (winner == seat)).sum())
            lost += int((ended & (winner == 1 - seat)).sum())
            drawn += int((ended & (winner < 0)).sum())
            left &= ~ended
        envs.close()
    return won, lost, drawn


def rows_of(made: dict[str, Any]) -> int:
    """Rows of a world: the bodies of one side."""
    return int(made.get("robots", 2))


def interval(won: int, games: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share."""
    z, share = 1.96, won / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return middle - half, middle + half


def learn(args: argparse.Namespace) -> tuple[Network, Mirror]:
    """PPO: play `horizon` steps in all worlds, then a few passes over them."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    made = GAMES[args.game] | ({"opponent": args.opponent} if args.opponent else {})
    rows = args.worlds * rows_of(made)
    device = torch.device(args.device)
    envs = carom.torch.Env(
        num_envs=rows, device=device, per="body", observation="ego", mirrored=True, copy=False, precision="f32",
        threads=args.threads, **made,
    )  # fmt: skip
    seen, _ = envs.reset(seed=args.seed)
    actions = envs.num_actions
    mirror = Mirror(args.game)
    size = len(mirror.names)
    network = Network(size, actions, args.width).to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=args.rate, eps=1e-5)
    horizon, how = args.horizon, Passes(args.passes, args.batch, args.clip, args.entropy)
    shapes = {"seen": (horizon + 1, rows, size), "actions": (horizon, rows, actions), "chances": (horizon, rows),
              "rewards": (horizon, rows), "over": (horizon, rows)}  # fmt: skip
    store = {name: torch.empty(shape, device=device) for name, shape in shapes.items()}
    clock = time.process_time if device.type == "cpu" else time.monotonic
    curve = Path(args.out).with_suffix(".csv").open("w", newline="", encoding="utf-8")
    log = csv.writer(curve)
    log.writerow(["seconds", "steps", "won", "lost", "drawn"])
    start, limit, steps, shown = clock(), args.minutes * 60, 0, -1.0
    paused = 0.0  # spent on scoring, not on training
    while True:
        spent = clock() - start - paused
        if spent - shown >= limit / 20 or spent >= limit:
            before, shown = clock(), spent
            result = score(network, made, 200, 10_000, args.device)
            log.writerow([round(spent, 1), steps, *result])
            curve.flush()
            print(f"{spent:6.0f} s  {steps / 1e6:6.2f} M steps  won {result[0] / 2:.0f}%  "
                  f"spread {network.log_spread.exp().mean():.2f}", flush=True)  # fmt: skip
            paused += clock() - before
        if spent >= limit:
            return network, mirror
        left = 1 - spent / limit
        for group in optimiser.param_groups:
            group["lr"] = args.rate * max(left, 0.05)
        with torch.no_grad():
            spread = network.log_spread.exp()
            for tick in range(horizon):
                store["seen"][tick] = seen
                mean = network.act(store["seen"][tick])
                action = mean + spread * torch.randn_like(mean)
                store["actions"][tick], store["chances"][tick] = action, network.chances(mean, action)
                stood = standing(mirror, seen)
                seen, rewards, terminated, truncated, _ = envs.step(action)
                over = terminated | truncated
                gained = args.discount * ~over * standing(mirror, seen) - stood
                store["rewards"][tick], store["over"][tick] = rewards + gained, over
            store["seen"][horizon] = seen
            values = network.value(store["seen"].view(-1, size)).view(horizon + 1, rows)
            gained = gains(store["rewards"], store["over"], values, args.discount, args.trace)
        steps += horizon * rows
        played = (store["seen"][:-1], store["actions"], store["chances"], gained, gained + values[:-1])
        improve(network, optimiser, Store(*(part.flatten(0, 1) for part in played)), how)


def plot(path: Path, title: str) -> None:
    """The learning curve as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = list(csv.DictReader(path.with_suffix(".csv").open(encoding="utf-8")))
    steps = [int(row["steps"]) / 1e6 for row in rows]
    share = [100 * int(row["won"]) / (int(row["won"]) + int(row["lost"]) + int(row["drawn"])) for row in rows]
    plt.figure(figsize=(6, 3.5))
    plt.plot(steps, share)
    plt.xlabel("steps of a body, millions")
    plt.ylabel("games won, %")
    plt.title(title)
    plt.ylim(0, 100)
    plt.grid(alpha=0.3)
    plt.tight_layout()
    plt.savefig(path.with_suffix(".png"), dpi=120)


def main() -> None:
    """Trains, then plays the final games."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=GAMES, default="csb")
    parser.add_argument("--opponent", help="a built-in policy of the game")
    parser.add_argument("--device", default="cpu", help="for environment and network: cpu, cuda, cuda:1")
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="of processor time (with cuda: time) in training, without scoring"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="path without suffix; default: the game's name")
    parser.add_argument("--worlds", type=int, default=512)
    parser.add_argument("--horizon", type=int, default=32, help="steps between updates")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--discount", type=float, default=0.98)
    parser.add_argument("--trace", type=float, default=0.95, help="lambda of GAE")
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.005)
    parser.add_argument(
        "--threads", type=int, default=1, help="of PyTorch and Carom; more only helps on an idle machine"
    )
    parser.add_argument("--games", type=int, default=1000, help="played at the end")
    parser.add_argument("--at-least", type=float, help="exit with 1 if the lower bound of games won, in %%, is below")
    args = parser.parse_args()
    args.out = args.out or args.game
    network, mirror = learn(args)
    network.save(Path(args.out).with_suffix(".npz"), mirror)
    plot(Path(args.out), f"{args.game}: games won, seed {args.seed}")
    worst = 100.0
    opponent = args.opponent or GAMES[args.game]["opponent"]
    for other in dict.fromkeys([opponent, GAMES[args.game]["opponent"], "random"]):
        won, lost, drawn = score(network, GAMES[args.game] | {"opponent": other}, args.games, 1_000_000, args.device)
        low, high = interval(won, won + lost + drawn)
        print(f"against {other}: won {won}, lost {lost}, drawn {drawn}: {100 * low:.1f} to {100 * high:.1f}% won")
        if other == opponent:
            worst = 100 * low
    if args.at_least is not None and worst < args.at_least:
        raise SystemExit(f"won less than {args.at_least}%")


if __name__ == "__main__":
    main()
