# SPDX-License-Identifier: MIT
"""Reading a data set: batches for NumPy, PyTorch and JAX, whole games, and verification."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .._arrays import known, whole
from .._scene import Scene
from .._structs import Array
from ..recipe import Recipe
from ._layout import Column, Layout, Part, digest_of, games_of, layout_from, name_of, read_manifest, read_part, rest_of

LIBRARIES = ("numpy", "torch", "jax")
TILE = 1024  # rows to convert from columns into an array at once: they fit into a cache


class Batch(NamedTuple):
    """Transitions, as arrays of NumPy, PyTorch or JAX; row i of each belongs to transition i.

    Attributes:
        observations: [row, agent, number], float32: before the step.
        actions: [row, player, number]: of all players in the step.
        rewards: [row, agent], float32.
        ends: [row], uint8: 1: the game was decided in the step, 2: it was stopped (limit of ticks, or a fault), else 0.
        next_observations: [row, agent, number], float32: after the step. If the game ended, this is its last state, not
            the start of the next game.
        worlds: [row], uint64 (int64 for PyTorch): ids of the worlds.
        episodes: [row], int32: the world's game, 0 for its first.
        ticks: [row], int32: of the game, before the step.

    JAX has no types of 64 bits unless `jax_enable_x64` is set: without it ids are uint32, the low half, and actions of
    float64 become float32.

    """

    observations: Any
    actions: Any
    rewards: Any
    ends: Any
    next_observations: Any
    worlds: Any
    episodes: Any
    ticks: Any


class Episode(NamedTuple):
    """A game: `length` transitions of one world; possibly cut off.

    Attributes:
        world, episode: the world's id, and its game.
        observations: [length + 1, agent, number]: the last one is the state in which the game ended.
        actions, rewards: [length, ...].
        end: 1 decided, 2 stopped, 0 cut off by the end of the data.
        winner: a player; -1: a draw. None (like score, returns, fault) if `end` is 0.
        score, returns: [player].
        fault: bits of the fault that stopped it, or 0.

    """

    world: int
    episode: int
    observations: Array
    actions: Array
    rewards: Array
    end: int
    winner: int | None
    score: Array | None
    returns: Array | None
    fault: int | None


class Difference(NamedTuple):
    """The first block that differs, and what differs: its "files" cannot be read; "transitions"; the "rest" (worlds,
    episodes, ticks, games); or the "recipe", whose block it then is.
    """  # fmt: skip

    block: int
    what: str


class Dataset:
    """A data set written by `write` or the job `Write`.

    Args:
        path: its folder.

    `description` is the manifest, `parts` are the existing blocks, and `complete` tells whether these are all. If
    writing was stopped, you can read the blocks written so far.

    Raises:
        FileNotFoundError: no data set is there.
        ValueError: its manifest is damaged, or in another version of the format.

    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.description, self.parts = read_manifest(self.path)
        blocks = -(-self.description["worlds"] // self.description["block"])
        if len(self.parts) < blocks:
            found = (read_part(self.path, index, self.description["mark"]) for index in range(blocks))
            self.parts = [part for part in found if part is not None]
        self.complete = len(self.parts) == blocks
        self._layout: Layout = layout_from(self.description)

    def __repr__(self) -> str:
        return f"<Dataset {self.description['game']} transitions={len(self)} blocks={len(self.parts)}>"

    def __len__(self) -> int:
        """The number of transitions."""
        return sum(part.rows for part in self.parts)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the transitions' files; observations have `unit` and `scale` as metadata."""
        return self._layout.schema("transitions")

    @property
    def digest(self) -> int:
        """The digest of all transitions: the sum of the blocks' digests, and that of a recipe for the same worlds."""
        return sum(int(part.digest, 16) for part in self.parts) % 2**64

    def games(self) -> pa.Table:
        """All games as a table: world, episode, row, ticks, end, winner, score, return, fault, final_observation.

        `row` is the game's last transition, counted within its block.
        """
        tables = [pq.read_table(self.path / name_of("games", part.index)) for part in self.parts]
        return pa.concat_tables(tables) if tables else self._layout.schema("games").empty_table()

    def block(self, index: int) -> Batch:
        """The transitions of the block of that index, in the order of play.

        Raises:
            IndexError: there is no such block, or it has not been written.

        """
        for part in self.parts:
            if part.index == index:
                return self._block(part).batch()
        raise IndexError(f"{self.path}: block {index} is missing")

    def batches(
        self, size: int, *, shuffle_seed: int | None = None, as_: str = "numpy", drop_last: bool = False
    ) -> Iterator[Batch]:
        """All transitions in batches, with one block at a time in memory.

        Args:
            size: transitions in a batch.
            shuffle_seed: None: in the order of writing. A number: shuffles the blocks, and the transitions within each.
            as_: "numpy", "torch" (tensors on the CPU) or "jax"; types are those of `Batch`.
            drop_last: leave the last batch out if it is smaller.

        """
        whole("size", size, 1)
        known("as_", as_, LIBRARIES)
        generator = None if shuffle_seed is None else np.random.default_rng(whole("shuffle_seed", shuffle_seed))
        return self._batches(size, generator, _CONVERT[as_], drop_last)

    def _batches(
        self, size: int, generator: np.random.Generator | None, convert: Any, drop_last: bool
    ) -> Iterator[Batch]:
        left: Batch | None = None
        order = range(len(self.parts)) if generator is None else generator.permutation(len(self.parts))
        for k in order:
            block = self._block(self.parts[k])
            rows = None if generator is None else generator.permutation(block.part.rows)
            batch, first = block.batch(rows), 0
            if left is not None:
                first = min(size - len(left.ends), len(batch.ends))
                left = Batch(*(np.concatenate([old, new[:first]]) for old, new in zip(left, batch, strict=True)))
                if len(left.ends) < size:
                    continue
                yield convert(left)
            whole_ones = range(first, len(batch.ends) - size + 1, size)
            for at in whole_ones:
                yield convert(Batch(*(array[at : at + size] for array in batch)))
            rest = first + len(whole_ones) * size
            left = Batch(*(array[rest:] for array in batch)) if rest < len(batch.ends) else None
        if left is not None and not drop_last:
            yield convert(left)

    def episodes(self) -> Iterator[Episode]:
        """Every game, block by block, in the order in which they ended."""
        for part in self.parts:
            yield from self._block(part).episodes()

    def verify(self, recipe: Recipe | None = None) -> Difference | None:
        """Reads everything and compares digests; None, or the first block that has changed since it was written.

        Args:
            recipe: also compare with a `carom.recipe.Recipe` for the same worlds; its blocks may be different ones.

        Raises:
            ValueError: the recipe is for something else, or has no digests yet, or blocks of the data set are missing.

        """
        starts = self._starts(recipe)
        sums = np.zeros(len(starts), np.uint64)
        for part in self.parts:
            try:
                found, rest = self._block(part).digests(starts)
            except (OSError, ValueError, KeyError, pa.ArrowException):
                return Difference(part.index, "files")
            sums += found
            for what, told, wanted in (("transitions", found.sum(), part.digest), ("rest", rest, part.rest)):
                if f"{told:016x}" != wanted:
                    return Difference(part.index, what)
        if recipe is not None:
            for block, told in zip(recipe.blocks, recipe.digests, strict=True):
                if int(sums[block.index]) != told:
                    return Difference(block.index, "recipe")
        return None

    def _starts(self, recipe: Recipe | None) -> Array:
        """Ids at which blocks of a recipe begin."""
        if recipe is None:
            return np.zeros(1, np.uint64)
        about = {**self.description, "players": tuple(self.description["players"])}
        wanted: dict[str, Any] = {"games": None, "observed": None, "first_id": 0, "repeat": 1}
        names = ("game", "worlds", "ticks", "seed", "precision", "at_end", "players", "action_kind", "observation",
                 "reward")  # fmt: skip
        for name, value in {**wanted, **{name: getattr(recipe, name) for name in names}}.items():
            if about[name] != value:
                raise ValueError(f"recipe: {name} is {about[name]!r} in the data set, and {value!r} in the recipe")
        if None in recipe.digests:
            raise ValueError("recipe: it has no digests yet; make it first")
        if not self.complete:
            raise ValueError(f"recipe: {self.path} is not complete")
        scene = about["scene"]
        source = about["game"] if scene is None else Scene.from_json(json.dumps(scene))
        made = {name: about[name] for name in names if name != "game"}
        try:
            own = Recipe(source, blocks=len(recipe.blocks), options=about["options"], **made)
        except (ValueError, NotImplementedError) as error:
            raise ValueError(f"recipe: a recipe cannot hold this data set: {error}") from None
        if own.filled({k: told for k, told in enumerate(recipe.digests) if told is not None}) != recipe:
            raise ValueError("recipe: the data set has other options or another scene")
        return np.array([block.first for block in recipe.blocks], np.uint64)

    def _block(self, part: Part) -> _Block:
        return _Block(self.path, self._layout, part)


class _Block:
    """A block's transitions and games in memory."""

    def __init__(self, folder: Path, layout: Layout, part: Part) -> None:
        self.part, self._file = part, folder / name_of("games", part.index)
        self.rows = _arrays(folder / name_of("transitions", part.index), layout.transitions)
        self.games = _arrays(self._file, layout.games)
        if (len(self.rows["end"]), len(self.games["end"])) != (part.rows, part.games):
            raise ValueError(f"{folder}: block {part.index} has another number of rows than when it was written")

    @cached_property
    def order(self) -> Array:
        """The rows by world, and within a world in the order of play."""
        return np.argsort(self.rows["world"], kind="stable")

    def after(self) -> Array:
        """For each row the next one of its world; -1: it is the last of its game."""
        following = np.full(self.part.rows, -1)
        following[self.order[:-1]] = self.order[1:]
        following[self.games["row"]] = -1
        return following

    def batch(self, rows: Array | None = None) -> Batch:
        """All transitions, or `rows` of them."""
        order = np.arange(self.part.rows) if rows is None else rows
        following, finals = self.after(), np.empty(self.part.rows, np.int64)
        finals[self.games["row"]] = np.arange(self.part.games)
        following = following[order]
        last = following < 0
        seen = self.rows["observation"]
        after = seen[following]
        after[last] = self.games["final_observation"][finals[order[last]]]
        arrays = {name: array if rows is None else array[rows] for name, array in self.rows.items()}
        return Batch(
            arrays["observation"], arrays["action"], arrays["reward"], arrays["end"], after, arrays["world"],
            arrays["episode"], arrays["tick"],
        )  # fmt: skip

    def episodes(self) -> Iterator[Episode]:
        place = np.empty(self.part.rows, np.int64)
        place[self.order] = np.arange(self.part.rows)
        began = np.maximum.accumulate(np.where(self.rows["tick"][self.order] == 0, np.arange(self.part.rows), 0))
        for k, row in enumerate(self.games["row"]):
            last = place[row]
            rows = self.order[began[last] : last + 1]
            final = self.games["final_observation"][k : k + 1]
            end = int(self.games["end"][k])
            yield Episode(
                int(self.games["world"][k]), int(self.games["episode"][k]),
                np.concatenate([self.rows["observation"][rows], final]), self.rows["action"][rows],
                self.rows["reward"][rows], end,
                *((int(self.games["winner"][k]), self.games["score"][k], self.games["return"][k],
                   int(self.games["fault"][k])) if end else (None,) * 4),
            )  # fmt: skip

    def steps(self) -> Array:
        """The step of each row, counted from the start of the block."""
        worlds = self.rows["world"][self.order]
        place = np.arange(self.part.rows)
        starts = np.where(np.append(True, worlds[1:] != worlds[:-1]), place, 0)
        steps = np.empty(self.part.rows, np.int64)
        steps[self.order] = place - np.maximum.accumulate(starts)
        return steps

    def digests(self, starts: Array) -> tuple[Array, int]:
        """The digests of the block as read: those of the transitions, by ranges of ids that begin at `starts` (they add
        up modulo 2^64), and that of the rest.
        """  # fmt: skip
        steps, ranges = self.steps(), np.searchsorted(starts, self.rows["world"], "right") - 1
        changes = (np.diff(steps, prepend=-1) != 0) | (np.diff(ranges, prepend=-1) != 0)
        sums, rest = np.zeros(len(starts), np.uint64), games_of(self.games)
        for first, last in pairwise([*np.flatnonzero(changes), self.part.rows]):
            rows = {name: array[first:last] for name, array in self.rows.items()}
            np.add.at(sums, ranges[first], np.uint64(digest_of(int(steps[first]), rows)))  # wraps
            rest += rest_of(int(steps[first]), rows)
        return sums, rest % 2**64


def _arrays(path: Path, columns: Mapping[str, Column]) -> dict[str, Array]:
    """A file as arrays [row, ...], by group of columns; nulls become 0."""
    file = pq.ParquetFile(path)
    count = file.metadata.num_rows
    found = {name: np.empty((count, *column.shape), column.dtype) for name, column in columns.items()}
    first = 0
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        for name, column in columns.items():
            _fill(found[name][first : first + len(table)], [table.column(c) for c in column.names])
        first += len(table)
    return found


def _fill(rows: Array, columns: Sequence[pa.ChunkedArray]) -> None:
    """Joins columns as [row, ...], a tile at a time."""
    plain = [column.combine_chunks() for column in columns]
    arrays = [(c.fill_null(0) if c.null_count else c).to_numpy(zero_copy_only=False) for c in plain]
    table = rows.reshape(len(rows), -1)
    for first in range(0, len(rows), TILE):
        table[first : first + TILE] = np.array([array[first : first + TILE] for array in arrays]).T


# ---- libraries ----


def _as_torch(batch: Batch) -> Batch:
    import torch

    return Batch(
        *(torch.from_numpy(np.require(a.view(a.dtype.str.replace("u8", "i8")), requirements=["C", "W"])) for a in batch)
    )


def _as_jax(batch: Batch) -> Batch:
    import jax.numpy

    return Batch(*map(jax.numpy.asarray, batch))


_CONVERT: Mapping[str, Any] = {"numpy": lambda batch: batch, "torch": _as_torch, "jax": _as_jax}
