#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns the value of a state of Coders Strike Back, from games that a search plays against itself.

A search looks six ticks ahead, and plays by how it values the last states. The game has a value `both`, a weighted sum
of features. The network learns by how much that will still grow (TD(lambda)). With the sum of both as the value of
leaves, the same search is stronger with the same number of rollouts.

    pip install . torch
    python examples/python/value_network.py             trains, then plays the searches against each other python
    examples/python/value_network.py --quick     the same in seconds, too short to be strong

The final games play each start from both seats, on new maps. A score is the share of the points, a draw counting half,
with Wilson's 95% interval.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np

import carom

try:
    import torch
    from torch import nn
except ImportError:
    raise SystemExit("value_network.py: PyTorch is missing: pip install torch") from None

PODS, SEEN = 4, 55  # a player's observation: 13 numbers a pod, its own first, and 3 more
GATE, AFTER = 3, 4  # columns of a pod: the vectors to its next checkpoint, and to the one after it
RUNNER, GUARD, RIVAL, RIVAL_GUARD = range(PODS)
PAIRS = ((RUNNER, RIVAL), (RUNNER, RIVAL_GUARD), (RIVAL, GUARD), (RUNNER, GUARD), (RIVAL, RIVAL_GUARD))
RESULT = 3.0  # the value of winning, in checkpoints
WEIGHTS = {kind.name: kind.weights for kind in carom.games["csb"].value_kinds}
WEIGHTS["game"] = dict.fromkeys(WEIGHTS["both"], 0.0) | {"progress": 1.0, "rival_progress": -1.0}


def look(seen: torch.Tensor, checkpoints: torch.Tensor, base: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The game's value `base` [row], and the network's inputs [row, number].

    Args:
        seen: a player's observations of the kind `raw` [row, SEEN].
        checkpoints: their number over all laps [row].
        base: the name of a value of the game.

    The inputs are relative to a pod, in the direction of its checkpoint. Of a player's two pods the one ahead, its
    runner, comes first; and a state has the same inputs as its mirror image.

    """
    pods = seen[:, : PODS * 13].view(-1, PODS, 13)
    numbers = pods[:, :, :10].clone()
    numbers[:, :, 1] *= 9 / 16  # x is in widths of the board, y in heights
    known = torch.view_as_complex(numbers.view(-1, PODS, 5, 2))  # place, velocity, heading, GATE, AFTER
    come = pods[:, :, 10] * checkpoints[:, None] - (known[:, :, GATE].abs() * (16 / 20)).clamp(max=1)
    second = (come[:, 0::2] < come[:, 1::2]).repeat_interleave(2, 1)  # is a player's second pod ahead?
    order = torch.arange(PODS, device=seen.device) ^ second.long()
    come = come.gather(1, order)
    flags = pods[:, :, 10:].gather(1, order[:, :, None].expand(-1, -1, 3))
    place, velocity, heading, gate, after = known.gather(1, order[:, :, None].expand(-1, -1, 5)).unbind(2)

    far = gate.abs().clamp(min=1e-4)
    turn = gate.conj() / far  # multiplying by it gives components ahead and aside of the pod
    velocity_ahead, heading_ahead = velocity * turn, heading * turn
    to = place[:, RIVAL] - place[:, GUARD]
    from_guard = place[:, RUNNER] - place[:, RIVAL_GUARD]
    watch = (heading[:, GUARD] * to.conj()).real / to.abs().clamp(min=1e-4)
    standing = torch.zeros_like(far[:, 0])
    for name, feature in (  # see csb.h; `won` is part of the reward
        ("progress", come[:, RUNNER]), ("speed", velocity_ahead[:, RUNNER].real),
        ("facing", heading_ahead[:, RUNNER].real), ("guard_progress", come[:, GUARD]),
        ("rival_progress", come[:, RIVAL]), ("guard_at_gate", 1 - (to + gate[:, RIVAL]).abs()),
        ("guard_at_rival", 1 - to.abs()), ("guard_facing", watch),
        ("gate_guarded", 1 - (from_guard + gate[:, RUNNER]).abs()),
        ("runner_guarded", 1 - from_guard.abs()),
    ):  # fmt: skip
        standing += WEIGHTS[base][name] * feature

    turned = [3 * velocity_ahead, heading_ahead, 2 * (after - gate) * turn]
    distances = [4 * far]
    for a, b in PAIRS:
        apart = place[:, b] - place[:, a]
        pair = torch.stack([4 * apart, 2 * (velocity[:, b] - velocity[:, a]), heading[:, b]], 1)
        turned.append(pair * turn[:, a, None])
        distances.append(4 * torch.stack([apart.abs(), (apart - gate[:, a]).abs()], 1))
    bends = torch.cat(turned, 1)
    mirror = torch.where(bends[:, 2 * PODS].imag < 0, -1.0, 1.0)[:, None]  # the runner's bend is never to the left
    gained = (come[:, 1:] - come[:, :1]).clamp(-4, 4)
    rest = seen[:, PODS * 13 :]
    return standing, torch.cat([bends.real, bends.imag * mirror, *distances, gained, flags.flatten(1), rest], 1)


def network_of(width: int) -> nn.Sequential:
    """Predicts by how much a value will grow."""
    size = look(torch.zeros(1, SEEN), torch.ones(1), "both")[1].shape[1]
    return nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))


class Player:
    """A search for one seat of a batch of games, which values leaves by `base` and, if given, the network."""

    def __init__(
        self, worlds: carom.Worlds, seat: int, base: str, network: nn.Module | None, args: argparse.Namespace
    ) -> None:
        self.seat, self.base, self.network, self.args = seat, base, network, args
        self.checkpoints = np.ones(len(worlds), np.float32)
        self.search = carom.Search(
            worlds, player=seat, horizon=args.horizon, sequences=args.sequences, rollouts=args.rollouts,
            opponent=args.model, seed=args.seed + seat, value=base if network is None else self.worth,
        )  # fmt: skip

    def worth(self, leaves: np.ndarray) -> np.ndarray:
        """The values of a generation's leaves for the planning players: [leaf, player]."""
        assert self.network is not None
        values = np.zeros(leaves.shape[:2])
        checkpoints = np.repeat(self.checkpoints, len(leaves) // len(self.checkpoints))
        seats = (0, 1) if self.args.model == "search" else (self.seat,)  # the planning players
        with torch.inference_mode():
            for first in range(0, len(leaves), self.args.chunk):
                part = slice(first, first + self.args.chunk)
                for seat in seats:
                    seen = torch.from_numpy(leaves[part, seat].copy()).to(self.args.device)
                    standing, inputs = look(seen, torch.from_numpy(checkpoints[part]).to(self.args.device), self.base)
                    values[part, seat] = (standing + self.args.trust * self.network(inputs).squeeze(1)).cpu()
        return values

    def __call__(self, worlds: carom.Worlds, checkpoints: np.ndarray) -> np.ndarray:
        """The next actions [world, number]."""
        self.checkpoints = checkpoints
        return self.search.run(worlds)


def games(count: int, seed: int, at_end: str, args: argparse.Namespace) -> carom.Worlds:
    """A batch of games. Only their end is rewarded; everything else is left to the values."""
    worlds = carom.Worlds(
        "csb", count, seed=seed, precision="f32", at_end=at_end, progress_reward=0, result_reward=RESULT,
        fair_timeouts=1, threads=args.threads,
    )  # fmt: skip
    worlds.observe()
    return worlds


def strayed(worlds: carom.Worlds) -> np.ndarray:
    """Frozen games, in which a pod left the range of f32: they have no winner."""
    return worlds["fault"][:, 0] > 0


def checkpoints_of(worlds: carom.Worlds) -> np.ndarray:
    """The number of checkpoints of all laps, for new games: observations give a checkpoint as a share of it."""
    return np.rint(1 / worlds.observations[:, 0, 10]).astype(np.float32)


class Noise:
    """Makes a player act randomly for some ticks now and then, so that the consequences are learnt, too."""

    TICKS = 5

    def __init__(self, count: int, share: float, seed: int) -> None:
        self.generator, self.share = np.random.default_rng(seed), share
        self.left = np.zeros((count, 2), int)
        self.actions = np.zeros((count, 2, 4), np.float32)

    def __call__(self, actions: np.ndarray) -> np.ndarray:
        """Actions [world, player, number], some replaced by noise."""
        begins = (self.left == 0) & (self.generator.random(self.left.shape) < self.share / self.TICKS)
        self.left[begins] = self.TICKS
        self.actions[begins] = self.generator.uniform(-1, 1, (int(begins.sum()), 4))
        spoilt = self.left > 0
        self.left[spoilt] -= 1
        return np.where(spoilt[:, :, None], self.actions, actions)


class Played:
    """Observations in self-play, and what followed."""

    def __init__(self, base: str, network: nn.Module | None, seed: int, args: argparse.Namespace) -> None:
        """Plays the search against itself, with noise; when a game ends another one begins."""
        count, ticks = args.worlds, args.ticks
        worlds = games(count, seed, "reset", args)
        checkpoints = checkpoints_of(worlds)
        players = [Player(worlds, seat, base, network, args) for seat in (0, 1)]
        noise = Noise(count, args.noise, seed)

        def looked(observations: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
            both = torch.from_numpy(np.repeat(checkpoints, 2))
            standing, inputs = look(torch.from_numpy(observations).view(-1, SEEN), both, base)
            return standing.view(count, 2), inputs.view(count, 2, -1)

        standing, inputs = looked(worlds.observations)
        self.inputs = torch.empty(ticks + 1, *inputs.shape)  # [tick, world, player, number]
        self.gained = torch.empty(ticks, count, 2)
        self.alive = torch.empty(ticks, count, 1)
        for tick in range(ticks):
            self.inputs[tick] = inputs
            worlds.step(noise(np.stack([player(worlds, checkpoints) for player in players], 1)))
            over, astray = worlds.ends > 0, strayed(worlds)
            end, _ = looked(np.where(over[:, None, None], worlds.last_observations, worlds.observations))
            if astray.any():
                worlds.restart(astray)
                worlds.observe()
                over |= astray
            self.gained[tick] = end - standing + torch.from_numpy(worlds.rewards)
            self.alive[tick] = torch.from_numpy(~over[:, None])
            checkpoints[over] = checkpoints_of(worlds)[over]
            standing, inputs = looked(worlds.observations)
        self.inputs[ticks] = inputs

    def targets(self, network: nn.Module, args: argparse.Namespace) -> torch.Tensor:
        """TD(lambda) returns [tick, world, player], with the network's current values."""
        with torch.inference_mode():
            flat = self.inputs.flatten(0, 2).split(8192)
            values = torch.cat([network(part.to(args.device)).cpu() for part in flat]).view(self.inputs.shape[:3])
        targets, ahead = torch.empty_like(self.gained), torch.zeros_like(self.gained[0])
        for tick in reversed(range(len(self.gained))):
            left = args.discount * self.alive[tick]
            ahead = self.gained[tick] + left * values[tick + 1] - values[tick] + left * args.trace * ahead
            targets[tick] = values[tick] + ahead
        return targets


def learn(network: nn.Module, played: list[Played], args: argparse.Namespace) -> float:
    """Fits the network to returns, recomputed in each pass; returns the share of their variance that it explains."""
    optimiser = torch.optim.Adam(network.parameters(), lr=args.rate)
    inputs = torch.cat([p.inputs[:-1].flatten(0, 2) for p in played])
    explained = 0.0
    for number in range(args.passes):
        for group in optimiser.param_groups:
            group["lr"] = args.rate * (1 - number / args.passes)
        targets = torch.cat([p.targets(network, args).flatten() for p in played])
        total = 0.0
        for chosen in torch.randperm(len(inputs)).split(args.batch):
            said = network(inputs[chosen].to(args.device)).squeeze(1)
            loss = (said - targets[chosen].to(args.device)).pow(2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += float(loss.detach()) * len(chosen)
        explained = 1 - total / len(inputs) / float(targets.var())
    return explained


def interval(won: float, count: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share."""
    z, share = 1.96, won / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return middle - half, middle + half


def match(network: nn.Module, other: str, args: argparse.Namespace) -> float:
    """Points of the network's search against the search with the value `other`: each game from both seats, no noise."""
    won = 0.0
    for seat in (0, 1):
        worlds = games(args.games // 2, args.seed + 1_000_000, "freeze", args).bind(results=True)
        checkpoints = checkpoints_of(worlds)
        against = argparse.Namespace(**vars(args) | {"rollouts": args.other_rollouts or args.rollouts})
        players = [
            Player(worlds, p, args.base, network, args) if p == seat else Player(worlds, p, other, None, against)
            for p in (0, 1)
        ]
        left = np.ones(len(worlds), bool)
        while left.any():
            worlds.step(np.stack([player(worlds, checkpoints) for player in players], 1))
            astray = strayed(worlds)
            ended = left & ((worlds.ends > 0) | astray)
            winner = np.where(astray, -1, worlds.results["winner"])[ended]
            won += float((winner == seat).sum() + 0.5 * (winner < 0).sum())
            left &= ~ended
    return won


QUICK = {"worlds": 32, "ticks": 40, "rollouts": 32, "sequences": 16, "passes": 4, "rounds": 1, "games": 4}


def main() -> None:
    """Trains, then plays the final games."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where to write the network, for --load")
    parser.add_argument("--load", type=Path, help="skip training and use this network, of the same --width")
    parser.add_argument("--device", default="cpu", help="PyTorch device for the network")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch and Carom")
    parser.add_argument("--chunk", type=int, default=4096, help="leaves evaluated at once")
    parser.add_argument("--rollouts", type=int, default=128, help="a move")
    parser.add_argument("--other-rollouts", type=int, help="a move, of the search without a network, if different")
    parser.add_argument("--sequences", type=int, default=32, help="in a generation")
    parser.add_argument("--horizon", type=int, default=6, help="ticks")
    parser.add_argument("--model", default="race", help="the search's model of the other side")
    parser.add_argument("--base", choices=WEIGHTS, default="both", help="the value that the network adds to")
    parser.add_argument("--trust", type=float, default=0.4, help="weight of the network's output")
    parser.add_argument("--rounds", type=int, default=2, help="of playing and learning")
    parser.add_argument("--worlds", type=int, default=256, help="games of self-play at once")
    parser.add_argument("--ticks", type=int, default=200, help="of self-play in each round")
    parser.add_argument("--noise", type=float, default=0.15, help="share of random actions in self-play")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--passes", type=int, default=8, help="over all observations")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--discount", type=float, default=0.95)
    parser.add_argument("--trace", type=float, default=0.9, help="lambda")
    parser.add_argument(
        "--against", nargs="+", choices=WEIGHTS, default=["game", "both"], help="values without a network"
    )
    parser.add_argument("--games", type=int, default=400, help="in each match, half of them from each seat")
    if parser.parse_known_args()[0].quick:
        parser.set_defaults(**QUICK)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    start = time.perf_counter()

    def say(text: str) -> None:
        print(f"{time.perf_counter() - start:5.0f} s  {text}", flush=True)

    network = network_of(args.width).to(args.device)
    played: list[Played] = []
    if args.load:
        network.load_state_dict(torch.load(args.load, map_location=args.device))
    for number in range(0 if args.load else args.rounds):
        played.append(Played(args.base, network if number else None, args.seed + number, args))
        explained = learn(network, played, args)
        states = sum(p.gained.numel() for p in played)
        say(f"round {number + 1}: {states} states, {100 * explained:.0f}% of the variance of returns explained")
    if args.out:
        torch.save(network.state_dict(), args.out)
    for other in args.against:
        won = match(network, other, args)
        low, high = interval(won, args.games)
        say(f"against the value `{other}`: {100 * won / args.games:.1f}% of {args.games} games, "
            f"{100 * low:.1f} to {100 * high:.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
