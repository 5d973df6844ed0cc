# SPDX-License-Identifier: MIT
"""What `bench/python.py` measures: a contest a file, each of which says what a step is."""

from . import billiards, discs, football, lidar, others, spread

CONTESTS = (spread.CONTEST, lidar.CONTEST, *football.CONTESTS, discs.CONTEST, billiards.CONTEST, others.CONTEST)
