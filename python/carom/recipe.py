# SPDX-License-Identifier: MIT
"""Recipes: 2 kB that reproduce the same transitions on any machine.

    from carom import recipe

    made = recipe.Recipe("csb", players=["race", "random"], worlds=1_000_000, ticks=1000, seed=1).make(progress=True)
    made.save("csb.recipe")

    recipe.Recipe.load("csb.recipe").verify()             # None, or the first block that differs

A recipe describes what to play, with a digest of each block: of all observations, actions, rewards and ends. A block is
a range of worlds, from their start, for all ticks. Any engine can play blocks in any order:

    carom.ray.run(recipe.Verify(made))
    carom.mpi.run(recipe.Make(made))

`digest` computes the same digest from arrays: of steps, or of a data set.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import known, whole
from ._games import Game, options_record
from ._scene import Scene
from ._structs import Array
from ._worlds import AT_END, PRECISIONS, SIZE, THREADS, opened
from .blocks import Block, run

__all__ = ["Difference", "Make", "Recipe", "Verify", "digest"]

MOST_BYTES = 2048  # of a recipe


def digest(
    observations: Any = None,
    actions: Any = None,
    rewards: Any = None,
    ends: Any = None,
    *,
    ids: Any = None,
    first_id: int = 0,
    first_tick: int = 0,
) -> int:
    """The digest of transitions in memory.

    It is a sum modulo 2**64 over all transitions: digests of any parts add up to that of the whole. Two sets of
    transitions that differ in one number never have the same digest. A block of a recipe has the digest of its arrays,
    in the types that `Worlds` uses: observations before each tick, the actions of all players, and the rewards and ends
    that follow.

    Args:
        observations, actions, rewards, ends: arrays [tick, world, ...] in C order, of any type: only their bytes
            matter. None: not included.
        ids: the ids of the worlds, [world]; None: first_id, first_id + 1, ...
        first_id: of world 0, without ids.
        first_tick: the tick of the first rows, counted from the start of the run.

    Raises:
        ValueError: arrays disagree about ticks and worlds, or are not in C order.

    """
    given = {"observations": observations, "actions": actions, "rewards": rewards, "ends": ends}
    arrays: dict[str, Array | None] = {
        name: None if array is None else np.asarray(array) for name, array in given.items()
    }
    shapes = {name: array.shape[:2] for name, array in arrays.items() if array is not None}
    for name, shape in shapes.items():
        if len(shape) < 2 or shape != next(iter(shapes.values())):
            raise ValueError(f"{name}: [tick, world] is {shape}, that of the others {next(iter(shapes.values()))}")
    ticks, worlds = next(iter(shapes.values()), (0, 0))
    rows: list[tuple[Any, int]] = []
    for name, array in arrays.items():
        if array is not None and not array.flags.c_contiguous:
            raise ValueError(f"{name}: not in C order")
        each = 0 if array is None or ticks * worlds == 0 else array.nbytes // (ticks * worlds)
        rows.append((None if array is None or each == 0 else array.reshape(-1).view(np.uint8), each))
    named = None if ids is None else np.ascontiguousarray(ids, np.uint64)
    if named is not None and named.shape != (worlds,):
        raise ValueError(f"ids: the shape is {named.shape}, not ({worlds},)")
    (a, b, c, d), (e, f, g, h) = [row for row, _ in rows], [each for _, each in rows]
    return _carom.transitions_digest(
        (a, b, c, d), (e, f, g, h), ticks, worlds, named, whole("first_id", first_id), whole("first_tick", first_tick)
    )


class Difference(NamedTuple):
    """The first block of a recipe that differs: its worlds, the digest in the recipe, and the one that was computed."""

    block: Block
    recorded: int
    played: int


class Recipe:
    """A recipe, which reproduces the same transitions.

    World w has the id w; its worlds are those of `Worlds(game, worlds, seed=seed, at_end=at_end, ...)`.

    Args:
        game: a name, a `Game`, a `Scene` without hooks, or a path. Its text, including options, must fit into 2 kB.
        players: one for all players or one for each: a built-in policy; "zero": all actions are 0; or a planner with
            its budget, "cem:rollouts=64,horizon=6" (docs/recipes.md lists the keys).
        worlds, ticks: how many worlds, and how many ticks each of them plays.
        seed, precision, at_end, action_kind, observation, reward: as for `Worlds`. action_kind None: the game's first.
        blocks: how many parts can be verified separately; None: 64, or fewer if there are fewer worlds or they do not
            fit.
        options: the game's options by name.

    Attributes: `text`, the file's bytes; `game` (a name), `players`, `worlds`, `ticks`, `seed`, `precision`, `at_end`,
    `action_kind`, `observation`, `reward`; `blocks`, a tuple of `carom.blocks.Block`; `digests`, one for each block,
    None if missing. Recipes are immutable; two are equal if their texts are.

    Raises:
        ValueError: an argument is not allowed, or the text would be too long.
        NotImplementedError: a recipe cannot hold options that are lists, a network, or a budget in milliseconds.

    """

    def __init__(
        self,
        game: str | os.PathLike[str] | Game | Scene,
        *,
        players: str | Sequence[str],
        worlds: int,
        ticks: int,
        seed: int = 0,
        precision: str = "f64",
        at_end: str = "reset",
        action_kind: str | None = None,
        observation: str = "raw",
        reward: str = "game",
        blocks: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        source = opened(game)
        played = source if isinstance(source, Game) else source.game
        keep: list[Array] = []  # arrays that the options point to
        who = [players] * played.players if isinstance(players, str) else list(players)
        if len(who) != played.players:
            raise ValueError(f"players: {len(who)} are given, {played.name} has {played.players}")
        self._read(
            _carom.recipe_create(
                played._address,
                options_record(played, options or {}, keep),
                whole("worlds", worlds, 1, SIZE),
                whole("ticks", ticks, 1, SIZE),
                whole("seed", seed),
                PRECISIONS[known("precision", precision, PRECISIONS)],
                AT_END.index(known("at_end", at_end, AT_END)),
                0 if action_kind is None else played.kind_index(action_kind),
                played.observation_index(observation),
                played.reward_index(reward),
                who,
                0 if blocks is None else whole("blocks", blocks, 1, SIZE),
                None if isinstance(source, Game) else source._handle,
            )
        )

    def _read(self, text: bytes) -> None:
        name, worlds, ticks, seed, bits, at_end, acts, seen, rewarded, players, parts = _carom.recipe_describe(text)
        self.text = text
        self.game, self.worlds, self.ticks, self.seed = name, worlds, ticks, seed
        self.precision, self.at_end = f"f{bits}", AT_END[at_end]
        self.action_kind, self.observation, self.reward, self.players = acts, seen, rewarded, tuple(players)
        self.blocks = tuple(Block(k, first, count) for k, (first, count, _) in enumerate(parts))
        self.digests = tuple(found for _, _, found in parts)

    @classmethod
    def parse(cls, text: bytes) -> Recipe:
        """A recipe from its text. A plug-in game must have been opened before, by `carom.open_game`.

        Raises:
            ValueError: the text is not a recipe, or is damaged: a changed byte is always noticed.
            NotImplementedError: it was made by another version, or its game is missing.

        """
        made = cls.__new__(cls)
        made._read(bytes(text))
        return made

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recipe:
        """A recipe from its file; see `parse`."""
        with open(path, "rb") as file:
            return cls.parse(file.read(MOST_BYTES + 1))  # one byte more than allowed

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, whole or not at all."""
        part = f"{os.fspath(path)}.part"
        with open(part, "wb") as file:
            file.write(self.text)
        os.replace(part, path)

    def __repr__(self) -> str:
        missing = self.digests.count(None)
        parts = f"{len(self.blocks)} blocks" + (f", {missing} missing" if missing else "")
        return f"<Recipe {self.game} {self.precision} worlds={self.worlds} ticks={self.ticks} {parts}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Recipe.parse, (self.text,)

    # ---- playing ----

    def play(
        self, block: int, *, isa: str | None = None, threads: int = 0, affinity: Sequence[int] | None = None
    ) -> int:
        """Plays a block; returns the digest of its transitions.

        Args:
            block: its index.
            isa, threads, affinity: as for `Worlds`; they do not change the digest.

        """
        if isa is not None:
            known("isa", isa, _carom.info()["isas"])
        processors = None
        if affinity is not None:
            processors = np.array([whole("affinity", p, 0, THREADS) for p in affinity], np.uintc)
        index = whole("block", block, 0, len(self.blocks) - 1)
        return _carom.recipe_play(self.text, index, isa, whole("threads", threads, 0, THREADS), processors)

    def filled(self, digests: dict[int, int]) -> Recipe:
        """The same recipe with these digests, by block."""
        return Recipe.parse(_carom.recipe_fill(self.text, digests))

    def make(self, *, threads: int = 0, progress: bool = False) -> Recipe:
        """Plays all blocks in this process; returns the recipe with its digests."""
        return run(Make(self), threads=threads, progress=progress)

    def verify(self, *, threads: int = 0, progress: bool = False) -> Difference | None:
        """Plays all blocks in this process; returns None, or the first one whose digest differs."""
        return run(Verify(self), threads=threads, progress=progress)


# ---- jobs ----


@dataclass(frozen=True)
class _Blocks:
    """Plays the blocks of a recipe: the answer of each is its digest."""

    recipe: Recipe

    def blocks(self) -> Sequence[Block]:
        """See `carom.blocks.Job`."""
        return self.recipe.blocks

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], int]:
        """See `carom.blocks.Job`."""
        return lambda block: self.recipe.play(block.index, threads=threads, affinity=affinity)


@dataclass(frozen=True)
class Make(_Blocks):
    """A job for `carom.blocks.run` and the other engines, whose result is the recipe with its digests."""

    def merge(self, answers: Sequence[int]) -> Recipe:
        """The whole recipe."""
        return self.recipe.filled(dict(enumerate(answers)))


@dataclass(frozen=True)
class Verify(_Blocks):
    """A job for `carom.blocks.run` and the other engines, whose result is None or the first block that differs.

    Args:
        recipe: with all digests.

    """

    def __post_init__(self) -> None:
        if None in self.recipe.digests:
            raise ValueError(f"recipe: block {self.recipe.digests.index(None)} has no digest yet; make it first")

    def merge(self, answers: Sequence[int]) -> Difference | None:
        """What differs."""
        for block, recorded, played in zip(self.recipe.blocks, self.recipe.digests, answers, strict=True):
            if recorded is not None and recorded != played:
                return Difference(block, recorded, played)
        return None
