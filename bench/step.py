# SPDX-License-Identifier: MIT
"""What a call of Worlds.step() costs in addition to its work: prints rows as in bench/results.

A call in which every world is skipped plays nothing; its time is the cost of the call.
"""

import argparse
import statistics
import time

import numpy as np

import carom

ROUNDS = 15


def seconds(worlds: carom.Worlds, calls: int) -> float:
    """Processor time of a step, the median of the rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        for _ in range(calls):
            worlds.step()
        times.append((time.thread_time() - start) / calls)
    return statistics.median(times)


def made(count: int) -> carom.Worlds:
    """Worlds of csb whose first player moves at random, with observations; the same action in every tick."""
    worlds = carom.Worlds("csb", count, seed=1, players=[None, "race"], at_end="reset", threads=1)
    worlds.actions[:] = np.random.default_rng(1).uniform(-1, 1, worlds.actions.shape)
    worlds.observe()
    return worlds


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a short run, to see that it works")
    quick = parser.parse_args().quick
    idle = made(1)
    idle.bind(skip=np.ones(1, np.uint8))
    call = seconds(idle, 1000 if quick else 50000)
    count = 1024
    step = seconds(made(count), 20 if quick else 1000)
    print(f"python/call,{1e6 * call:.4g},us,,")
    print(f"python/step/worlds:{count},{1e-6 * count / step:.4g},M ticks/s,python/call,{(step - call) / step:.4g}")


if __name__ == "__main__":
    main()
