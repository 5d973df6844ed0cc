#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plays a network trained by train_csb.py; needs only NumPy.

    python examples/python/play_csb.py csb.npz                       200 games against `race`; csb.game.png shows one
    python examples/python/play_csb.py csb.npz --opponent ram
    carom arena csb --a 'python3 examples/python/play_csb.py csb.npz --bot' --b carom:race      as a bot

As a bot it speaks the referee's protocol on standard input and output. Python starts slowly: on a busy machine give the
arena `--first-ms 5000`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import carom

# Indices in a pod's observation.
NAMES = [number.name for number in carom.games["csb"].observations["ego"]]
AHEAD, ASIDE, TICK = (NAMES.index(name) for name in ("next_ahead", "next_aside", "tick"))

Network = dict[str, np.ndarray]


def read(path: str) -> Network:
    """Weights and biases of the layers, and the mapping of observations to inputs; see `carom.mirror`."""
    with np.load(path) as found:
        network = dict(found)
    if str(network["game"]) != "csb":
        raise SystemExit(f"play_csb: {path} plays {network['game']}")
    return network


def first_turn(seen: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """In a game's first tick, and only then, a pod may turn by any angle: it turns to its checkpoint."""
    first = seen[..., TICK] == 0
    actions[first, 0] = np.arctan2(seen[first, ASIDE], seen[first, AHEAD]) / np.pi
    return actions


def act(network: Network, seen: np.ndarray) -> np.ndarray:
    """Actions [..., number] for observations [..., number], without noise."""
    mirrored = seen[..., network["side"], None] < 0
    found = seen[..., network["kept"]] * np.where(mirrored, network["image"], network["scale"])
    for k in range(3):
        found = found @ network[f"layer{k}.weight"].T + network[f"layer{k}.bias"]
        found = np.tanh(found) if k < 2 else np.clip(found, -1, 1)
    return first_turn(seen, np.where(mirrored, found * network["act_image"], found))


def games(network: Network, opponent: str, count: int) -> None:
    """Plays games from both seats, and prints the results."""
    tally = np.zeros(3, int)
    for seat in (0, 1):
        worlds = carom.Worlds(
            "csb", count // 2, seed=77 + seat, precision="f32", at_end="freeze", observation="ego", fair_timeouts=1,
            action_kind="normalised_full", observed=[2 * seat, 2 * seat + 1],
            players=[None if side == seat else opponent for side in (0, 1)],
        )  # fmt: skip
        worlds.observe()
        while not worlds["end"].all():
            worlds.step(act(network, worlds.observations).reshape(len(worlds), 1, 6))
        winner = worlds["winner"][:, 0]
        tally += [(winner == seat).sum(), (winner == 1 - seat).sum(), (winner < 0).sum()]
    print(f"{tally.sum()} games against {opponent}: won {tally[0]}, lost {tally[1]}, drawn {tally[2]}")


def show(network: Network, opponent: str, path: Path) -> None:
    """One game as a picture: the paths of all pods."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    world = carom.Worlds(
        "csb", seed=5, at_end="freeze", observation="ego", action_kind="normalised_full", observed=[0, 1],
        players=[None, opponent],
    )  # fmt: skip
    laps, points = world.csb_map(int(world["map"][0, 0]))
    places = []
    world.observe()
    while not world["end"].any():
        places.append(np.stack([world["x"][0], world["y"][0]], 1))
        world.step(act(network, world.observations).reshape(1, 1, 6))
    ways = np.array(places)
    _, axes = plt.subplots(figsize=(8, 4.6))
    for k, (x, y) in enumerate(points):
        axes.add_patch(plt.Circle((x, y), 600, color="0.9"))
        axes.annotate(str(k), (x, y), ha="center", va="center", color="0.5")
    for pod in range(4):
        axes.plot(ways[:, pod, 0], ways[:, pod, 1], lw=0.8, color="C0" if pod < 2 else "C3",
                  label={0: "learnt", 2: opponent}.get(pod))  # fmt: skip
    axes.set_xlim(-1500, 17500)
    axes.set_ylim(10000, -1000)
    axes.set_aspect("equal")
    winner = {0: "the network wins", 1: f"{opponent} wins"}.get(int(world["winner"][0, 0]), "nobody wins")
    axes.set_title(f"{laps} laps, {len(ways)} ticks: {winner}")
    axes.legend(loc="upper right")
    plt.tight_layout()
    plt.savefig(path, dpi=120)
    print(f"{path}: {winner} after {len(ways)} ticks")


def bot(act: Callable[[np.ndarray], np.ndarray], observed: list[int]) -> None:
    """A bot by the referee's protocol. It puts the input into a world, which gives the pods' observations.

    What the protocol hides is guessed: rivals have no shield, and a push that no thrust of 200 gives is their boost.

    Args:
        act: a function from observations to actions of both pods, [pod, number].
        observed: the pods whose `ego` is the observation, [pod, number].

    """
    laps, count = int(input()), int(input())
    points = [[int(word) for word in input().split()] for _ in range(count)]
    world = carom.Worlds("csb", maps=[points], laps=laps, observation="ego", observed=observed, threads=1)
    following, boosted, shield = np.ones(4, np.int16), np.zeros(4, np.int8), np.zeros(4, np.int8)
    timeout = np.full(2, 100, np.int16)
    before, tick = np.zeros((2, 4)), 0
    while True:
        lines = [sys.stdin.readline() for _ in range(4)]
        if not lines[3]:
            return
        x, y, vx, vy, degrees, checkpoint = np.array([[float(word) for word in line.split()] for line in lines]).T
        timeout = np.maximum(timeout - 1, 1).astype(np.int16)
        for pod in range(4):
            if int(checkpoint[pod]) != following[pod] % count:
                following[pod] = min(following[pod] + 1, laps * count)
                timeout[pod // 2] = 100
        shield = np.maximum(shield - 1, 0).astype(np.int8)
        velocity = np.array([vx, vy])
        boosted[2:] |= np.hypot(*(velocity / 0.85 - before))[2:] > 300
        before = velocity
        angle = np.radians(degrees)
        state = {"x": x, "y": y, "vx": vx, "vy": vy, "angle": angle, "next": following, "shield": shield,
                 "boosted": boosted, "timeout": timeout, "tick": tick}  # fmt: skip
        for name, values in state.items():
            world[name] = values
        for pod, (turn, push, special) in enumerate(act(world.observe()[0])):
            heading = angle[pod] + float(turn) * math.radians(18 if tick else 180)
            thrust = str(round(100 * (float(push) + 1)))
            if special <= -0.5:
                thrust, shield[pod] = "SHIELD", 4
            elif special >= 0.5 and not boosted[pod]:
                thrust, boosted[pod] = "BOOST", 1
            to_x, to_y = x[pod] + 10000 * math.cos(heading), y[pod] + 10000 * math.sin(heading)
            print(round(to_x), round(to_y), thrust, flush=True)
        tick += 1


def main() -> None:
    """Games and a picture, or a bot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", help="written by train_csb.py")
    parser.add_argument("--bot", action="store_true", help="speak the referee's protocol")
    parser.add_argument("--opponent", default="race")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--out", type=Path, help="the picture; default: the network's name with .game.png")
    args = parser.parse_args()
    network = read(args.network)
    if args.bot:
        bot(lambda seen: act(network, seen), [0, 1])
        return
    games(network, args.opponent, args.games)
    show(network, args.opponent, args.out or Path(args.network).with_suffix(".game.png"))


if __name__ == "__main__":
    main()
