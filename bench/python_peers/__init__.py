# SPDX-License-Identifier: MIT
"""The contests of `bench/python.py`, one in each file, which defines a step."""

from . import billiards, discs, football, lidar, others, spread

CONTESTS = (spread.CONTEST, lidar.CONTEST, *football.CONTESTS, discs.CONTEST, billiards.CONTEST, others.CONTEST)
