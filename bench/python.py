#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Steps a second from Python, compared with other installed simulators: the same task and number of threads, in turn.

    pip install '.[gymnasium]' vmas mujoco haxball_core haxballgym envpool 'gymnasium[box2d]'
    python bench/python.py [--threads 1] [--envs 1024 16384] [--seconds 2] [--only football] [--skip-checks]

Each file of `bench/python_peers` is a contest: it defines a step, and what both sides have in common and what not; if
that can be checked, a line below the table shows how equal they are. Sides run in turn for five rounds; the median is
reported. "x" is Carom's speed over the peer's. Sides that are not installed are marked: haxball_core has wheels for
CPython 3.12 and later; billiards.py explains how to install pooltool.
"""

from __future__ import annotations

import argparse
import os


def main() -> None:
    """A table for each contest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1, help="for every side that can use more than one (default: 1)")
    parser.add_argument("--envs", type=int, nargs="+", default=[1024, 16384])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each side and number of environments")
    parser.add_argument("--only", default="", help="contests with this in their title")
    parser.add_argument("--skip-checks", action="store_true", help="do not check that the sides play the same")
    args = parser.parse_args()
    for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):  # read once, by the imports below
        os.environ[name] = str(args.threads)

    from python_peers import CONTESTS
    from python_peers.contest import table

    import carom

    about = carom.info()
    print(f"carom {about['version']}, {about['isa']}, {args.threads} thread(s) a side", flush=True)
    for contest in CONTESTS:
        if args.only in contest.title:
            table(contest, args.envs, args.threads, args.seconds, checked=not args.skip_checks)


if __name__ == "__main__":
    main()
