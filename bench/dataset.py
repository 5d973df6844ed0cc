#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The speed of writing data sets: played and written at the same time, compared with pyarrow alone with the same tables
in memory.

    pip install '.[dataset]'
    python bench/dataset.py [--folder F] [--megabytes 1000] [--rounds 3] [--game csb] [--observation ego]

Both sides write files of the same layout (uncompressed, the same row groups and options) into the same folder,
alternating, also in who starts a round. `write` has two threads: one plays, one writes. "pyarrow alone" is
pyarrow.parquet.write_table, for tables that were read from a data set before; it plays no worlds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

import carom
import carom.dataset
from carom.dataset import _write

TICKS = 400


def written(folder: Path, write: Callable[[Path], None]) -> float:
    """Bytes a second."""
    shutil.rmtree(folder, ignore_errors=True)
    os.sync()  # so that earlier writes do not count
    start = time.perf_counter()
    write(folder)
    seconds = time.perf_counter() - start
    return sum(path.stat().st_size for path in folder.glob("transitions/*.parquet")) / seconds


def measure(folder: Path, worlds: carom.Worlds, count: int, rounds: int) -> tuple[list[float], list[float]]:
    """Speeds of `write` and of pyarrow alone, in bytes a second, by round."""

    def whole(to: Path) -> None:
        carom.dataset.write(worlds, to, ticks=TICKS, count=count, threads=2)

    whole(folder / "first")
    files = sorted((folder / "first" / "transitions").iterdir())
    tables = [pq.read_table(file) for file in files]
    group = pq.ParquetFile(files[0]).metadata.row_group(0).num_rows
    shutil.rmtree(folder / "first")

    def alone(to: Path) -> None:
        (to / "transitions").mkdir(parents=True)
        for k, table in enumerate(tables):
            pq.write_table(table, to / "transitions" / f"{k}.parquet", row_group_size=group, **_write.FILE)

    speeds: dict[Callable[[Path], None], list[float]] = {whole: [], alone: []}
    for k in range(rounds):
        for side in (whole, alone) if k % 2 == 0 else (alone, whole):
            speeds[side].append(written(folder / "d", side))
    shutil.rmtree(folder / "d")
    return speeds[whole], speeds[alone]


def main() -> None:
    """Measures, and prints a row for each round and the medians."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, help="on the disk to write to; default: for temporary files")
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--game", default="csb")
    parser.add_argument("--observation", default="ego")
    options = parser.parse_args()
    info = carom.games[options.game]
    worlds = carom.Worlds(
        options.game, seed=1, players=[info.policies[0]] * info.players, observation=options.observation,
        precision="f32", at_end="reset",
    )  # fmt: skip
    row = carom.dataset.Write(worlds, "nowhere", ticks=TICKS).layout().row_bytes
    count = max(1, int(options.megabytes * 1e6 / TICKS / row))
    print(f"{options.game}, {options.observation}: {count * TICKS} transitions of {row} bytes, {worlds.isa}")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        whole, alone = measure(Path(folder), worlds, count, options.rounds)
    for one, other in zip(whole, alone, strict=True):
        print(f"  write {one / 1e9:.2f} GB/s, pyarrow alone {other / 1e9:.2f} GB/s: {one / other:.2f}")
    ratio = statistics.median(one / other for one, other in zip(whole, alone, strict=True))
    print(f"median: write {statistics.median(whole) / 1e9:.2f} GB/s, {ratio:.2f} of pyarrow alone")


if __name__ == "__main__":
    main()
