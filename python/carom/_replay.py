# SPDX-License-Identifier: MIT
"""Replays: files that record games and play them again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import aligned, known, output
from ._see import WIDTH, rgb_array
from ._structs import Array
from ._worlds import Field, fields_of


class Difference(NamedTuple):
    """Where playing a replay again first differs: after `ticks` ticks, in `world` of the replay.

    `field` is the first that is known to differ, None if only the world's hash does; `values` are its numbers as
    recorded and as played again, if the file has a whole state there.
    """

    ticks: int
    world: int
    id: int
    field: str | None
    element: int
    values: tuple[float, float] | None


NOTES = ("name", "message", "error", "referee")


class Note(NamedTuple):
    """A text that belongs to a tick. Its `kind` is "name" (of a player), "message" (by the player, with its action),
    "error" (a program's output on standard error) or "referee" (for example, why it has lost).

    `tick` is the number of ticks before it: it belongs to the tick that follows, or comes after the last one.
    """

    tick: int
    world: int
    player: int
    kind: str
    text: str


class Replay:
    """A replay: a file written by `Worlds.recording`, `carom record` or `carom rollout --record`.

        replay = carom.Replay("race.carom")
        while replay.step():
            replay["x"]                       # a field, [world, element]; replay.svg(), replay.rgb_array()
        replay.seek(100)                      # the state after 100 ticks

    Args:
        path: of the file.
        isa, threads: as in `Worlds`; a replay gives the same bits on every instruction set.

    It begins at tick 0. `game`, `precision`, `seed`, `worlds` (how many), `ticks` (how many), `whole` (the file is not
    cut off) and `keyframes` describe it.

    Raises:
        ValueError: the file is not a replay, or damaged, or its game is missing or has changed.
        NotImplementedError: a replay of a scene, in a build without Jansson.

    """

    def __init__(self, path: str | os.PathLike[str], *, isa: str | None = None, threads: int = 0) -> None:
        if isa is not None:
            known("isa", isa, _carom.info()["isas"])
        self.path = os.fspath(path)
        with open(path, "rb") as file:
            self._replay, about = _carom.replay_open(file.read())
        self.game, bits, self.seed, self.worlds, self.ticks, self.whole, self.keyframes, notes = about
        self.precision = f"f{bits}"
        self._notes = notes
        self._made = (isa, threads)
        self._batch: _carom.Handle | None = None
        self._fields: dict[str, Field] | None = None
        self._tick = 0

    def __repr__(self) -> str:
        return f"<Replay {self.game} {self.precision} worlds={self.worlds} ticks={self.ticks} whole={self.whole}>"

    @property
    def _handle(self) -> _carom.Handle:
        """The worlds that show it, made on first use."""
        if self._batch is None:
            self._batch = _carom.replay_worlds(self._replay, *self._made)
        return self._batch

    # ---- from tick to tick ----

    @property
    def tick(self) -> int:
        """Ticks played so far."""
        return self._tick

    def step(self) -> bool:
        """Plays the next tick; False at the end."""
        if self._tick == self.ticks:
            return False
        _carom.replay_play(self._replay, self._handle, self._tick)
        self._tick += 1
        return True

    def seek(self, tick: int) -> None:
        """Goes to the state after `tick` ticks, forwards or back."""
        if not 0 <= tick <= self.ticks:
            raise IndexError(f"tick {tick} of {self.ticks}")
        _carom.replay_seek(self._replay, self._handle, tick)
        self._tick = tick

    def verify(self, isa: str | None = None) -> Difference | None:
        """Plays it again from the start and compares every world after every tick; None if all bits are the same."""
        if isa is not None:
            known("isa", isa, _carom.info()["isas"])
        found = _carom.replay_verify(self._replay, isa)
        return None if found is None else Difference(*found)

    # ---- contents ----

    @property
    def fields(self) -> Mapping[str, Field]:
        """Fields by name, as for `Worlds`."""
        if self._fields is None:
            self._fields = fields_of(self._handle, self.precision)
        return self._fields

    def __getitem__(self, name: str) -> Array:
        """A field of all worlds at the current tick, [world, element]."""
        field = self.fields[known(f"field of {self.game}", name, self.fields)]
        array = aligned((self.worlds, field.elements), field.dtype)
        _carom.worlds_get(self._handle, field.number, 0, self.worlds, array)
        return array

    def actions(self, tick: int | None = None) -> list[Array]:
        """All actions of a tick, by default the last one: for each player [world, number].

        Args:
            tick: its number, 0 for the first.

        """
        tick = self._tick - 1 if tick is None else tick
        if not 0 <= tick < self.ticks:
            raise IndexError(f"tick {tick} of {self.ticks}")
        return [
            np.frombuffer(numbers, np.float64 if doubles else np.float32).reshape(self.worlds, size).copy()
            for size, doubles, numbers in _carom.replay_actions(self._replay, tick)
        ]

    @property
    def notes(self) -> list[Note]:
        """All notes in the order of the ticks: replays of `carom record` have the names of the policies, those of
        `carom arena` all kinds. Bytes that are not valid UTF-8 become U+FFFD.
        """
        found = (_carom.replay_note(self._replay, k) for k in range(self._notes))
        return [
            Note(tick, world, player, NOTES[kind], text.decode(errors="replace"))
            for tick, world, player, kind, text in found
        ]

    def hashes(self, out: Any = None) -> Array:
        """A 64-bit hash of each world, [world], uint64."""
        array = output("out", out, (self.worlds,), np.uint64)
        _carom.worlds_hash(self._handle, array)
        return array

    def rgb_array(
        self, world: int = 0, *, width: int = WIDTH, dark: bool = False, captions: bool = False, out: Any = None
    ) -> Array:
        """A picture of a world at the current tick, as `Worlds.rgb_array`."""
        return rgb_array(self._handle, self._world(world), width, dark, captions, out)

    def svg(self, world: int = 0, *, width: int = WIDTH, dark: bool = False, captions: bool = True) -> str:
        """The same picture as SVG text. Notebooks show a replay as the picture of world 0."""
        return _carom.picture_svg(self._handle, self._world(world), width, dark, captions)

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except ValueError:  # its worlds have no shape
            return None

    def _world(self, world: int) -> int:
        if not 0 <= world < self.worlds:
            raise IndexError(f"world {world} of {self.worlds}")
        return world
