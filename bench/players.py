# SPDX-License-Identifier: MIT
"""Rollouts a second of planners as opponents, compared with carom.rollout() with the same players, horizon and value.

    python bench/players.py [--worlds 256] [--seconds 1]

One thread, f64, horizon 6 and no cut. Prints the best of three alternating rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import carom

CASES = [("csb", 100), ("csb", 1000), ("fantastic_bits", 100), ("soccer", 100), ("stones", 100)]


def speed(call: Callable[[], object], rollouts: int, seconds: float) -> float:
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        call()
        calls += 1
    return calls * rollouts / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a round")
    asked = parser.parse_args()
    for game, budget in CASES:
        worlds = carom.Worlds(game, asked.worlds, seed=3, threads=1)
        policy, duel = worlds.game.policies[0], game == "csb"
        worlds.play(20, players=[policy] * worlds.game.players)
        value = "duel" if duel else "match"
        player = carom.Player(worlds, 1, f"cem:{budget}" + ("" if duel else ",horizon=6,cut=0"))

        # The other side's plan, and the means of the drawn sequences, are plans found by such a search.
        search = carom.Search(worlds, player=1, rollouts=budget, opponent="search" if duel else policy, value=value)
        search.run(worlds)
        drawn = carom.gaussian(search.plan(1), 0.5)
        rival = search.plan(0) if duel else policy

        def plan(player: carom.Player = player, worlds: carom.Worlds = worlds) -> object:
            return player.act(worlds)

        def roll(worlds=worlds, drawn=drawn, rival=rival, budget=budget, value=value) -> object:
            return carom.rollout(worlds, k=budget, horizon=6, player=1, actions=drawn, opponent=rival, value=value)

        best = [0.0, 0.0]
        for _ in range(3):
            for k, call in enumerate((plan, roll)):
                best[k] = max(best[k], speed(call, asked.worlds * budget, asked.seconds))
        print(
            f"{game:15} cem:{budget:<5} {best[0] / 1e3:8.0f} of {best[1] / 1e3:8.0f} thousand a second: "
            f"{best[0] / best[1]:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
