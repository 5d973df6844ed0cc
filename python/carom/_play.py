# SPDX-License-Identifier: MIT
"""Arguments and results of `Worlds.play`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from ._device import HOST
from ._games import Game
from ._structs import Array, dtype

if TYPE_CHECKING:
    from ._device import Place

EVENT = dtype("event")
CONTACT = dtype("contact")
Shapes = Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]


class Playing(TypedDict, total=False):
    """Keywords of `Worlds.play`."""

    actions: Any
    players: Sequence[str | None] | None
    action_kind: str | None
    own: Mapping[int, tuple[str, Any]] | None
    dt: float
    repeat: int | None
    rows: Any
    skip: Any
    first: int
    count: int | None
    at_end: str | None
    observations: Any
    last_observations: Any
    places: Any
    rewards: Any
    ends: Any
    results: Any
    events: int
    contacts: Any
    moved: Any


class Played(NamedTuple):
    """The results of `Worlds.play`; None for those not requested. Arrays are [step, world, ...]."""

    observations: Array | None
    last_observations: Array | None
    rewards: Array | None
    ends: Array | None
    events: Array | None
    event_counts: Array | None
    moved: Array | None
    results: Array | None
    contacts: Array | None

    def impacts(self) -> Array:
        """All recorded impacts in one array: `tick`, `world`, the fields of an event, and `contact` if requested."""
        if self.events is None or self.event_counts is None:
            raise ValueError("impacts: no events were requested")
        kept = np.arange(self.events.shape[2]) < self.event_counts[:, :, None]
        ticks, worlds, _ = np.nonzero(kept)
        names = EVENT.names or ()
        beside = [] if self.contacts is None else [("contact", CONTACT)]
        table = np.zeros(len(ticks), [("tick", "i8"), ("world", "i8"), *((n, EVENT[n]) for n in names), *beside])
        table["tick"], table["world"] = ticks, worlds
        found = self.events[kept]
        for name in names:
            table[name] = found[name]
        if self.contacts is not None:
            table["contact"] = self.contacts[kept]
        return table


class Inputs(NamedTuple):
    """Inputs of a call; None for those not given."""

    actions: Array | None
    rows: Array | None
    skip: Array | None
    places: Array | None
    action_rows: int  # rows of a step; 0: as many as worlds


def _shape(array: Any) -> tuple[int, ...]:
    """The shape of an array on the host or on a device."""
    return tuple(array.shape) if hasattr(array, "shape") else np.shape(array)


def played_inputs(
    place: Place, game: Game, shapes: Shapes, ticks: int, n: int, apart: dict[int, tuple[int, Any]], playing: Playing
) -> Inputs:
    """Inputs of a call that plays n worlds; converts `apart`, actions by player, to arrays of the right kind."""

    def listed(name: str, given: Any, number: Any) -> Array | None:
        return None if given is None else place.taken(name, given, (n,), number, written=False)

    actions = playing.get("actions")
    rows = listed("rows", playing.get("rows"), np.uint32)
    skip = listed("skip", playing.get("skip"), np.uint8)
    places = listed("places", playing.get("places"), np.uint32)
    if places is not None and place is HOST and len(np.unique(places)) != n:
        raise ValueError("places: two worlds are in the same row")
    row_count = n
    if actions is not None:
        shape, number = shapes["actions"]
        row_count = n if rows is None else _shape(actions)[1]
        actions = place.taken("actions", actions, (ticks, row_count, *shape[1:]), number, written=False)
    elif rows is not None and apart:
        row_count = _shape(next(iter(apart.values()))[1])[1]
    for player, (index, array) in apart.items():
        numbers = game.action_kinds[index]
        shape = (ticks, row_count, numbers.size)
        apart[player] = (index, place.taken(f"own[{player}]", array, shape, numbers.dtype, written=False))
    return Inputs(actions, rows, skip, places, row_count if rows is not None else 0)


def played_outputs(
    place: Place, game: Game, shapes: Shapes, ticks: int, n: int, events: int, places: Array | None, playing: Playing
) -> tuple[tuple[Array | None, ...], int]:
    """The arrays that a call writes, as a `Played`, and the number of rows of observations; 0: as many as worlds."""
    if place is not HOST and (events or playing.get("moved")):
        raise NotImplementedError("events, moved: only on this processor")
    contacts = playing.get("contacts", False)
    if not events and contacts is not None and contacts is not False:
        raise ValueError("contacts: only with events")

    def wanted(name: str, value: Any, shape: tuple[int, ...], number: Any, rows: int = n) -> Array | None:
        if value is None or value is False:
            return None
        array: Array = place.output(name, None if value is True else value, (ticks, rows, *shape), number)
        return array

    def of(name: str, rows: int = n) -> Array | None:
        shape, number = shapes[name]
        return wanted(name, playing.get(name, False), shape[1:], number, rows)

    seen_rows = n
    if places is not None and n > 0:
        given: list[Any] = [playing.get("observations"), playing.get("last_observations")]
        wide = [shape[1] for shape in map(_shape, given) if len(shape) > 1]
        if place is not HOST:  # only the device can read the list
            if not wide:
                raise ValueError("places: on a device an array for the observations is expected")
            seen_rows = max(wide)
        else:
            seen_rows = max(wide, default=int(places.max()) + 1)
            if places.max() >= seen_rows:
                raise ValueError(f"places: a row outside the {seen_rows} that there are")
    outputs = (
        of("observations", seen_rows),
        of("last_observations", seen_rows),
        of("rewards"),
        of("ends"),
        wanted("events", events > 0, (events,), EVENT),
        wanted("event_counts", events > 0, (), np.uint32),
        wanted("moved", playing.get("moved", False), (game.bodies, 4), np.float64),
        of("results"),
        wanted("contacts", contacts, (events,), CONTACT),
    )
    return outputs, seen_rows if places is not None else 0
