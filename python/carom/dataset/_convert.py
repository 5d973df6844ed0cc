# SPDX-License-Identifier: MIT
"""Output of commands as Arrow tables: impacts of `carom run --events`, replays, results of `carom arena --json`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from .._arrays import known
from .._replay import Replay
from .._structs import Array
from ._layout import flat, unfinished

_REAL, _COUNT = pa.float64(), pa.uint32()
EVENTS = pa.schema(
    [
        ("tick", pa.uint64()), ("world", pa.uint64()), ("time", _REAL), ("kind", pa.string()), ("first", _COUNT),
        ("second", _COUNT), ("part", _COUNT), ("x", _REAL), ("y", _REAL), ("nx", _REAL), ("ny", _REAL),
        ("impulse", _REAL),
    ]
)  # fmt: skip


def from_events(path: str | os.PathLike[str], *, parquet: str | os.PathLike[str] | None = None) -> pa.Table:
    """The impacts written by `carom run --events FILE`, a row each.

    Columns: tick, world, time, kind ("body", "side", "wall", "polygon"), first, second, part, x, y, nx, ny, impulse;
    numbers are bit for bit those of the run.

    Args:
        path: the file of comma-separated values.
        parquet: write the table to this file, too.

    Raises:
        ValueError: not such a file.

    """
    options = pyarrow.csv.ConvertOptions(column_types=EVENTS, strings_can_be_null=False, null_values=[])
    try:
        table = pyarrow.csv.read_csv(path, convert_options=options)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{os.fspath(path)}: not a list of impacts of carom run --events: {error}") from None
    if table.column_names != EVENTS.names:
        raise ValueError(f"{os.fspath(path)}: columns {','.join(EVENTS.names)} are expected, not {table.column_names}")
    return _written(table, parquet)


def from_replay(
    path: str | os.PathLike[str], *, fields: list[str] | None = None, parquet: str | os.PathLike[str] | None = None
) -> pa.Table:
    """The states and actions of a replay's worlds: a row for each world after each tick, and one before the first.

    Columns: `ticks` (how many were played), `world` (of the replay, from 0 on), the fields of the world ("x.0", "x.1",
    ... if there are several numbers, else "x"), and `action.PLAYER.NUMBER`: the actions of the tick just played, null
    before the first.

    Args:
        path: of the replay.
        fields: names of fields, from `Worlds.fields`; None: all.
        parquet: write the table to this file, too.

    """
    replay = Replay(path)
    names = list(replay.fields) if fields is None else [known("field", name, replay.fields) for name in fields]
    parts: list[pa.Table] = []
    kinds = [array.dtype for array in replay.actions(0)] if replay.ticks else []
    sizes = [array.shape[1] for array in replay.actions(0)] if replay.ticks else []
    while True:
        worlds = np.arange(replay.worlds)
        columns: dict[str, Any] = {"ticks": np.full(replay.worlds, replay.tick, np.uint64), "world": worlds}
        for name in names:
            table = replay[name]
            columns |= _named(name if table.shape[1] == 1 else None, name, table)
        for player, (kind, size) in enumerate(zip(kinds, sizes, strict=True)):
            for k in range(size):
                columns[f"action.{player}.{k}"] = pa.nulls(replay.worlds, pa.from_numpy_dtype(kind))
        if replay.tick > 0:
            for player, acted in enumerate(replay.actions()):
                columns |= _named(None, f"action.{player}", acted)
        parts.append(pa.table(columns))
        if not replay.step():
            return _written(pa.concat_tables(parts).combine_chunks(), parquet)


def _named(single: str | None, name: str, table: Array) -> dict[str, Array]:
    names = [single] if single is not None else [f"{name}.{k}" for k in range(table.shape[1])]
    return {n: np.ascontiguousarray(column) for n, column in zip(names, flat(table).T, strict=True)}


class Arena(NamedTuple):
    """Results of arenas: tables of runs, sides and pairings; `run` is the line of the file."""

    runs: pa.Table
    sides: pa.Table
    pairings: pa.Table


_REALS = {"rating", "rating_low", "rating_high", "accepted", "ms", "first_ms", "patience", "seconds", "slowest",
          "score_a", "score_low", "score_high", "elo", "elo_low", "elo_high"}  # fmt: skip
_TEXTS = {"options", "protocol", "observation", "digest", "first_trouble"}
_OPTIONAL = {"options": None, "protocol": None, "observation": None}


def _side(number: int, side: dict[str, Any]) -> dict[str, Any]:
    low, high = side["interval"]
    return {"side": number, "text": side["side"], "rating": side["rating"], "rating_low": low, "rating_high": high}


def from_arena(path: str | os.PathLike[str], *, parquet: str | os.PathLike[str] | None = None) -> Arena:
    """The results that `carom arena --json` prints, one line a run; several runs or shards can share a file.

    Args:
        path: the file.
        parquet: write the tables to runs.parquet, sides.parquet and pairings.parquet in this folder, too.

    Returns:
        runs: `run`, and how it was played: game, options, version, seed, games, ...; `accepted`: the Elo that --sprt
            accepted (null: no test, or undecided).
        sides: `run`, side (the number that pairings have), text, rating, rating_low and rating_high (its interval).
        pairings: `run`, a, b (sides), games, wins_a, wins_b, draws, faults, digest, score_a, score_low and score_high
            (its interval of 95%), elo, elo_low, elo_high (null: infinite), and the conduct of both sides: `a.answers`,
            `a.seconds`, `a.slowest`, `a.crashed`, ..., `b.answers`, ...

    Raises:
        ValueError: a line is not a result of an arena, or has other names than the first; the message has its number.

    """
    tables: dict[str, list[dict[str, Any]]] = {"runs": [], "sides": [], "pairings": []}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        try:
            found = json.loads(line)
            if found.pop("command") != "arena":
                raise ValueError("it is from another command")
            run = {"run": number - 1}
            sides, pairings = found.pop("sides"), found.pop("pairings")
            accepted = found.pop("sprt", {"accepted": None})["accepted"]
            added = {
                "runs": [run | _OPTIONAL | {"accepted": accepted} | found],
                "sides": [run | _side(k, side) for k, side in enumerate(sides)],
                "pairings": [run | _pairing(pairing) for pairing in pairings],
            }
            for name, rows in added.items():
                tables[name] += rows
                for row in rows:
                    if other := sorted(row.keys() ^ tables[name][0].keys()):
                        raise ValueError(f"{name} have {', '.join(other)} only in some lines")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)}:{number}: not a result of carom arena --json: {error}") from None
    made = {name: _table(rows) for name, rows in tables.items()}
    if parquet is not None:
        Path(parquet).mkdir(parents=True, exist_ok=True)
        for name, table in made.items():
            _written(table, Path(parquet) / f"{name}.parquet")
    return Arena(**made)


def _pairing(pairing: dict[str, Any]) -> dict[str, Any]:
    """A pairing without its nested parts."""
    row = {k: v for k, v in pairing.items() if k not in ("conduct", "interval", "elo_interval")}
    for name, interval in (("score", pairing["interval"]), ("elo", pairing["elo_interval"])):
        row |= {f"{name}_low": interval[0], f"{name}_high": interval[1]}
    for side, conduct in zip("ab", pairing["conduct"], strict=True):
        row |= {f"{side}.{name}": value for name, value in conduct.items()}
    return row


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    """Rows with the same names as a table."""
    columns = {}
    for name in rows[0] if rows else ():
        last = name.split(".")[-1]
        kind = pa.string() if last in _TEXTS else _REAL if last in _REALS else None
        columns[name] = pa.array([row[name] for row in rows], kind)
    return pa.table(columns)


def _written(table: pa.Table, path: str | os.PathLike[str] | None) -> pa.Table:
    """Writes a table, if a path is given; the file appears complete or not at all."""
    if path is not None:
        part = unfinished(Path(path))
        try:
            pq.write_table(table, part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    return table
