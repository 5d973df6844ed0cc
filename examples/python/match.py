# SPDX-License-Identifier: MIT
"""Shared by the learning examples: Coders Strike Back as they play it, their arguments, and the final games.

A player is a function from its pods' observations [row, number] to their actions [row, 3], both NumPy arrays.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import carom.gymnasium

Player = Callable[[np.ndarray], np.ndarray]

# A row is a pod, with its own observation and reward. If both sides time out in the same tick, the game is decided
# fairly, so that both seats are equal.
EGO: dict[str, Any] = {"per": "body", "observation": "ego", "action_kind": "normalised_full", "fair_timeouts": 1,
                       "precision": "f32", "threads": 1}  # fmt: skip
CSB: dict[str, Any] = EGO | {"mirrored": True}


def arguments(doc: str, minutes: float) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=minutes, help="of processor time in training")
    parser.add_argument("--opponent", default="race", help="a built-in policy to train and test against")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=200, help="played at the end, from both seats, with new seeds")
    parser.add_argument("--at-least", type=float, default=0, help="exit with 1 if fewer games are won, in %%")
    return parser.parse_args()


def play(sides: tuple[Player | None, Player | None], games: int, seed: int, opponent: str = "race") -> np.ndarray:
    """Games won by player 0, won by player 1, and drawn; None is the built-in policy `opponent`."""
    given = [side for side in (0, 1) if sides[side] is not None]
    made = {"players": "all"} if len(given) == 2 else {"opponent": opponent, "seat": given[0]}
    envs = carom.gymnasium.VectorEnv("csb", games * 2 * len(given), copy=False, **CSB, **made)
    seen, _ = envs.reset(seed=seed)
    left, tally = np.ones(games, bool), np.zeros(3, int)
    while left.any():
        rows = seen.reshape(games, len(given), 2, -1)
        said = [sides[side](rows[:, k].reshape(games * 2, -1)).reshape(games, 2, 3) for k, side in enumerate(given)]
        seen, *_, info = envs.step(np.stack(said, 1).reshape(-1, 3))
        if "result" in info:
            ended = info["_result"].reshape(games, -1)[:, 0] & left
            tally += np.bincount(info["result"]["winner"].reshape(games, -1)[ended, 0] % 3, minlength=3)  # -1: a draw
            left &= ~ended
    envs.close()
    return tally


def won(player: Player, games: int, seed: int, opponent: str | Player) -> int:
    """Games that `player` wins, half of them from each seat."""
    other, name = (None, opponent) if isinstance(opponent, str) else (opponent, "")
    half = games // 2
    return int(play((player, other), half, seed, name)[0] + play((other, player), half, seed + half, name)[1])


def report(args: argparse.Namespace, start: float, steps: int, player: Player, first: Player | None = None) -> None:
    """Plays the games, prints the results, and exits with 1 if too few are won.

    Args:
        args: from `arguments`.
        start: `time.process_time()` when learning began.
        steps: played so far, counting each pod.
        player: the trained player.
        first: the player after a minute of training, as a second opponent.

    """
    minutes = (time.process_time() - start) / 60
    print(f"seed {args.seed}, {minutes:.1f} minutes of one core, {steps / 1e6:.1f} million steps of a pod")
    seed, worst = 1_000_000 + args.seed, args.games
    for name, other in {args.opponent: args.opponent, "its own first minute": first}.items():
        if other is not None:
            found = won(player, args.games, seed, other)
            worst = min(worst, found)
            print(f"won {found} of {args.games} against {name}, games of seeds {seed} to {seed + args.games - 1}")
    if 100 * worst < args.at_least * args.games:
        raise SystemExit(f"won less than {args.at_least:g}%")
