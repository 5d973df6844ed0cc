#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Expert iteration: a search labels states of Coders Strike Back, a network learns the labels and helps the search.

Each round (Anthony, Tian and Barber, 2017):
  1. Games are played, and the search finds the actions of both players in every state. From the second round on, it
     starts from the plan of the previous round's network; and in most games the network itself plays one side or both,
     so that it learns from the states that it gets into.
  2. The network learns the search's actions, from the labels of all rounds.
  3. It is written as `network-ROUND.network`, a player for `carom arena`, the viewer and the bot: alone
     (`network:FILE`), or in a search (`cem:1500,network=FILE`). Alone it plays the ladder of built-in players and the
     earlier networks; the search plays the same search without a network, and with the earlier ones.

    pip install .
    python examples/python/expert_iteration.py expert            five rounds: see docs/notes/search.md
    python examples/python/expert_iteration.py expert --short    the same in seconds, too short to be strong

Everything is kept in the folder. To resume a killed run, give the same command again: it ends with the same networks,
to the bit. `curve.svg` shows their strength, if Matplotlib is installed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import carom
from carom.network import Network, quantise

Floats = NDArray[np.float32]
Parameters = list[Floats]  # for each layer weights [inputs, outputs] and biases [outputs]

BODIES, SEEN, DONE = 4, 38, 2  # a pod's observation (`ego`) and action: see csb.h
MIRRORED = [
    1,
    3,
    6,
    *(14 + 8 * pod + k for pod in range(3) for k in (1, 3, 5)),
]  # their sign means left or right
RIVALS = [*range(22), *range(30, 38), *range(22, 30)]  # the rivals' two pods swapped
SHORT = {"rounds": 2, "worlds": 8, "ticks": 12, "parts": 2, "rollouts": 128, "steps": 60, "games": 4,
         "ladder": "race", "searching": 4,
         "match_rollouts": 64}  # fmt: skip


# ---- files ----


def write(path: Path, content: bytes) -> None:
    """Writes a file completely or not at all, even if the run is killed."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(content)
    unfinished.replace(path)


def write_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """The same for arrays."""
    unfinished = path.with_suffix(".unfinished.npz")
    np.savez(unfinished, **arrays)
    unfinished.replace(path)


def settle(folder: Path, args: argparse.Namespace) -> None:
    """Saves the settings of a new run; refuses to resume one with others."""
    settings = {name: value for name, value in vars(args).items() if name != "folder"}
    path = folder / "settings.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write(path, json.dumps(settings, indent=1).encode())
        return
    kept = json.loads(path.read_text())
    changed = [name for name in settings if kept.get(name) != settings[name]]
    if changed:
        begun = ", ".join(f"{name}={kept.get(name)}" for name in changed)
        raise SystemExit(f"expert_iteration.py: {folder} began with {begun}: use the same, or another folder")


# ---- 1. the search labels ----


def policy(network: Network, worlds: carom.Worlds) -> Floats:
    """The network's actions [world, player, number]."""
    done: Floats = network.run(worlds.observe(observation="ego"))["policy"]
    return done.reshape(len(worlds), 2, BODIES // 2 * DONE)


def plans(network: Network, worlds: carom.Worlds, aside: carom.Worlds, rows: int) -> Floats:
    """Actions of both players if the network plays from here on: [world, player, row, number]. `aside` is scratch."""
    aside.copy_from(worlds)
    made = np.empty((len(worlds), 2, rows, BODIES // 2 * DONE), np.float32)
    for row in range(rows):
        made[:, :, row] = policy(network, aside)
        aside.step(made[:, :, row])
    return made


def label(network: Network | None, seed: int, args: argparse.Namespace) -> dict[str, Any]:
    """Plays many games: observations of all pods [state, SEEN], and the search's actions for them [state, DONE]."""
    worlds = carom.Worlds("csb", args.worlds, seed=seed, precision="f32", at_end="reset", fair_timeouts=True, threads=1)
    aside = worlds.copy()
    searches = [
        carom.Search(
            worlds, player=player, horizon=args.horizon, sequences=128, rollouts=args.rollouts, opponent="fictitious",
            against="mean", other_rounds=3, value="duel", reward_weight=0.0, seed=2 * seed + player,
        )
        for player in (0, 1)
    ]  # fmt: skip
    generator = np.random.default_rng(seed)
    number = np.arange(args.worlds)
    steers = np.stack([number % 4 % 2 == 1, number % 4 >= 2], 1) & (network is not None)  # [world, player]
    spoilt = np.zeros((args.worlds, 2), int)  # ticks left of a player's random action
    anything = np.zeros((args.worlds, 2, BODIES // 2 * DONE), np.float32)
    seen, done = [], []
    for _ in range(args.ticks):
        first = None if network is None else plans(network, worlds, aside, args.horizon)
        for player, search in enumerate(searches):
            if first is not None:
                search.set_plan(np.ascontiguousarray(first[:, player]))
            search.run(worlds)
        best = np.stack([search.actions(player) for player, search in enumerate(searches)], 1)
        seen.append(worlds.observe(observation="ego").reshape(-1, SEEN).copy())
        done.append(best.reshape(-1, DONE))

        # Plays the search's action or the network's, and now and then a random one for some ticks.
        begins = (spoilt == 0) & (generator.random(spoilt.shape) < args.noise)
        spoilt[begins] = 4
        anything[begins] = generator.uniform(-1, 1, (int(begins.sum()), anything.shape[2]))
        played = best if first is None else np.where(steers[:, :, None], first[:, :, 0], best)
        worlds.step(np.where(spoilt[:, :, None] > 0, anything, played))
        spoilt = np.maximum(spoilt - 1, 0)
        astray = worlds["fault"][:, 0] > 0
        if astray.any():  # a pod left the range of f32: the game is frozen
            worlds.restart(astray)
    return {"seen": np.concatenate(seen), "done": np.concatenate(done)}


# ---- 2. the network learns ----


def forward(parameters: Parameters, inputs: Floats) -> list[Floats]:
    """The outputs of all layers, after the inputs."""
    out = [inputs]
    for k in range(0, len(parameters), 2):
        sums = out[-1] @ parameters[k] + parameters[k + 1]
        out.append(np.tanh(sums) if k + 2 == len(parameters) else np.maximum(sums, 0))
    return out


def slopes(parameters: Parameters, inputs: Floats, wanted: Floats) -> tuple[Parameters, float]:
    """The gradient of the mean squared error, and the error."""
    out = forward(parameters, inputs)
    off = out[-1] - wanted
    back = 2 / off.size * off * (1 - out[-1] ** 2)
    found: Parameters = []
    for k in reversed(range(0, len(parameters), 2)):
        below = out[k // 2]
        found[:0] = [below.T @ back, back.sum(0)]
        back = (back @ parameters[k].T) * (below > 0)
    return found, float((off**2).mean())


def images(seen: Floats, done: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Mirrors a random half of the states, and swaps the rivals' pods in a random half: data augmentation."""
    mirror = np.ones((2, SEEN), np.float32)
    mirror[1, MIRRORED] = -1
    which = generator.integers(0, 2, len(seen))
    seen = seen * mirror[which]
    done = done * np.array([[1, 1], [-1, 1]], np.float32)[which]
    swapped = generator.integers(0, 2, len(seen)) == 1
    seen[swapped] = seen[swapped][:, RIVALS]
    return seen, done


def learn(begun: Parameters | None, seen: Floats, done: Floats, seed: int, args: argparse.Namespace) -> Parameters:
    """Adam (Kingma and Ba, 2015), with a rate that falls to 0, starting from the previous round's network."""
    generator = np.random.default_rng(seed)
    sizes = [SEEN, *args.layers, DONE]
    parameters: Parameters = []
    for inputs, outputs in itertools.pairwise(sizes):
        spread = math.sqrt(2 / inputs)
        parameters += [generator.normal(0, spread, (inputs, outputs)).astype(np.float32), np.zeros(outputs, np.float32)]
    parameters = [p.copy() for p in begun] if begun is not None else parameters
    first, second = [np.zeros_like(p) for p in parameters], [np.zeros_like(p) for p in parameters]
    for step in range(args.steps):
        chosen = generator.integers(0, len(seen), args.batch)
        gradient, _ = slopes(parameters, *images(seen[chosen], done[chosen], generator))
        rate = np.float32(args.rate * (1 - step / args.steps))
        for p, g, m, v in zip(parameters, gradient, first, second, strict=True):
            m += np.float32(0.1) * (g - m)
            v += np.float32(0.001) * (g * g - v)
            scale = math.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1))
            p -= rate * np.float32(scale) * m / (np.sqrt(v) + np.float32(1e-8))
    return parameters


def exported(parameters: Parameters) -> Network:
    """Quantised to integers."""
    dense = [(parameters[k].T, parameters[k + 1]) for k in range(0, len(parameters), 2)]
    return quantise("csb", "ego", [(*layer, "relu") for layer in dense[:-1]], policy=(*dense[-1], "tanh"))


# ---- 3. matches ----


def interval(won: float, count: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share."""
    z, share = 1.96, won / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return middle - half, middle + half


def points(side: str, other: str, games: int, seed: int) -> float:
    """Points of one player against another, a draw counting half: the same starts from both seats, on new maps."""
    won = 0.0
    for seat in (0, 1):
        players = [side, other] if seat == 0 else [other, side]
        worlds = carom.Worlds("csb", games // 2, seed=seed, at_end="freeze", players=players, threads=1)
        worlds.bind(results=True)
        left = np.ones(len(worlds), bool)
        while left.any():
            worlds.step()
            ended = left & (worlds.ends > 0)
            winner = worlds.results["winner"][ended]
            won += float((winner == seat).sum() + 0.5 * (winner < 0).sum())
            left &= ~ended
    return won


def matches_of(folder: Path, number: int, args: argparse.Namespace) -> Iterator[tuple[str, str, str, str, int]]:
    """The matches of a round's network: kind, opponent, both sides' texts, and games."""

    def alone(network: int) -> str:
        return f"network:{folder / f'network-{network}.network'}"

    def inside(network: int) -> str:
        file = folder / f"network-{network}.network"
        return f"cem:{args.match_rollouts},network={file}"

    for rung in args.ladder.split("+"):
        yield "alone", rung, alone(number), rung, args.games
    for earlier in range(1, number):
        yield "alone", f"round {earlier}", alone(number), alone(earlier), args.games
    plain = f"cem:{args.match_rollouts}"
    yield "in a search", plain, inside(number), plain, args.searching
    for earlier in range(1, number):
        yield "in a search", f"round {earlier}", inside(number), inside(earlier), args.searching


def played(folder: Path) -> list[dict[str, Any]]:
    """The matches in `matches.jsonl`."""
    path = folder / "matches.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def play(folder: Path, number: int, args: argparse.Namespace) -> None:
    """Plays the matches of a round that are not yet in `matches.jsonl`."""
    matches = played(folder)
    known = {(m["round"], m["kind"], m["against"]) for m in matches}
    for kind, against, side, other, games in matches_of(folder, number, args):
        if games == 0 or (number, kind, against) in known:
            continue
        won = points(side, other, games, 1_000_000 + args.seed)
        low, high = interval(won, games)
        matches.append({"round": number, "kind": kind, "against": against, "won": won, "games": games})
        write(folder / "matches.jsonl", "".join(f"{json.dumps(match)}\n" for match in matches).encode())
        shown = f"{won:g} of {games}, {won / games:.1%} ({low:.0%} to {high:.0%})"
        print(f"round {number}: {kind}, against {against}: {shown}", flush=True)


def draw(folder: Path) -> None:
    """The curve: scores of each round's network against fixed opponents."""
    try:
        import matplotlib
    except ImportError:
        print("no curve: Matplotlib is missing")
        return
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "carom", "svg.fonttype": "none"})  # reproducible bytes
    from matplotlib import pyplot

    matches = played(folder)
    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    for kind, against in dict.fromkeys((m["kind"], m["against"]) for m in matches):
        chosen = [m for m in matches if (m["kind"], m["against"]) == (kind, against)]
        if against.startswith("round") and against != "round 1":
            continue
        share = [100 * m["won"] / m["games"] for m in chosen]
        ends = np.array([interval(m["won"], m["games"]) for m in chosen]).T * 100
        errors = [np.maximum(share - ends[0], 0), np.maximum(ends[1] - share, 0)]
        style = "-" if kind == "alone" else "--"
        axes.errorbar([m["round"] for m in chosen], share, errors, fmt=f"o{style}", capsize=3,
                      label=f"{kind}, against {against}")  # fmt: skip
    axes.set(xlabel="round", ylabel="score (%), 95%", ylim=(0, 100), title="Expert iteration")
    axes.set_xticks(sorted({m["round"] for m in matches}))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    figure.savefig(folder / "curve.svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)


# ---- all of it ----


def labels_of(folder: Path, number: int, before: Network | None, args: argparse.Namespace) -> list[dict[str, Any]]:
    """The labels of a round; makes missing ones. Each part starts new games, with its own seed."""
    for part in range(args.parts):
        path = folder / f"labels-{number}-{part}.npz"
        if not path.exists():
            write_arrays(path, label(before, 1000 * (100 * args.seed + number) + part, args))
    return [load(folder / f"labels-{number}-{part}.npz") for part in range(args.parts)]


def load(path: Path) -> dict[str, Any]:
    """The arrays of a file."""
    with np.load(path) as found:
        return dict(found)


def rounds(folder: Path, args: argparse.Namespace) -> None:
    """Makes everything that is missing, round by round."""
    labels: list[dict[str, Any]] = []
    parameters: Parameters | None = None
    network: Network | None = None
    for number in range(1, args.rounds + 1):
        start = time.process_time()
        labels += labels_of(folder, number, network, args)
        seen, done = (np.concatenate([part[name] for part in labels]) for name in ("seen", "done"))
        labelled = time.process_time()

        path = folder / f"weights-{number}.npz"
        if not path.exists():
            learnt = learn(parameters, seen, done, args.seed + number, args)
            write_arrays(path, {f"array_{k}": array for k, array in enumerate(learnt)})
        kept = load(path)
        parameters = [kept[f"array_{k}"] for k in range(len(kept))]
        network = exported(parameters)
        about = f"examples/python/expert_iteration.py, round {number}, seed {args.seed}"
        write(folder / f"network-{number}.network", network.text(about).encode())

        error = float(((forward(parameters, seen)[-1] - done) ** 2).mean())
        print(f"round {number}: {len(seen):,} states in {labelled - start:.0f} s, learnt in "
              f"{time.process_time() - labelled:.0f} s; error {error:.3f}", flush=True)  # fmt: skip
        play(folder, number, args)
        draw(folder)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="for all files; a killed run resumes from it")
    parser.add_argument("--short", action="store_true", help="seconds instead of an hour")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--worlds", type=int, default=64, help="games at once")
    parser.add_argument("--ticks", type=int, default=200, help="in each of these games")
    parser.add_argument("--parts", type=int, default=3, help="in a round: each plays this many worlds and ticks")
    parser.add_argument("--rollouts", type=int, default=4096, help="a move, of the search that labels")
    parser.add_argument("--horizon", type=int, default=7, help="ticks ahead that it searches")
    parser.add_argument("--noise", type=float, default=0.01, help="probability of starting 4 random ticks")
    parser.add_argument("--layers", type=int, nargs="+", default=[64, 32], help="sizes of the hidden layers")
    parser.add_argument("--steps", type=int, default=12000, help="of learning in each round")
    parser.add_argument("--batch", type=int, default=512, help="states in a step")
    parser.add_argument("--rate", type=float, default=2e-3, help="of learning, at the start")
    parser.add_argument("--games", type=int, default=200, help="in a match of networks without search")
    parser.add_argument("--searching", type=int, default=100, help="in a match of searches; 0: no such matches")
    parser.add_argument("--match-rollouts", type=int, default=1500, help="a move, in those matches")
    parser.add_argument("--ladder", default="race+drive+cem:300", help="opponents of every network, separated by +")
    first, _ = parser.parse_known_args()
    parser.set_defaults(**(SHORT if first.short else {}))
    args = parser.parse_args()

    if "OPENBLAS_NUM_THREADS" not in os.environ:  # read by NumPy at import: one core, one order of sums
        os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
        os.execv(sys.executable, sys.orig_argv)
    settle(args.folder, args)
    rounds(args.folder, args)


if __name__ == "__main__":
    main()
