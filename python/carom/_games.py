# SPDX-License-Identifier: MIT
"""Games: the table of those that there are, and their options by keyword."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import known, whole
from ._observations import Number, SceneScale, numbers
from ._structs import Array, address, dtype, record


class ActionKind(NamedTuple):
    """How a player's numbers are read: `size` numbers of type `dtype`."""

    name: str
    dtype: np.dtype[Any]
    size: int


class ObservationKind(NamedTuple):
    """What is seen: by `agents` agents a player, `size` numbers each. `raw`: players see; `ego`: their bodies do."""

    name: str
    agents: int
    size: int


class RewardKind(NamedTuple):
    """What is rewarded: `agents` agents a player. `game`, `result` (only the end) or `own` (what each body gains)."""

    name: str
    agents: int


class ValueKind(NamedTuple):
    """What a state is worth at the end of a rollout. `weights`: of its features, by name; `game` has none."""

    name: str
    weights: dict[str, float]


@dataclass(frozen=True)
class Game:
    """What is said of a game: `observations["ego"][0].name` is what a number means.

    `counts` is what `Counters.goals` counts; `path` is the file of a game from outside.
    """

    name: str
    title: str
    players: int
    bodies: int
    max_events: int
    action_kinds: tuple[ActionKind, ...]
    observation_kinds: tuple[ObservationKind, ...]
    reward_kinds: tuple[RewardKind, ...]
    value_kinds: tuple[ValueKind, ...]
    policies: tuple[str, ...]
    counts: str | None
    path: str | None = None
    _address: int = field(default=0, repr=False, compare=False)
    _scale: SceneScale | None = field(default=None, repr=False, compare=False)

    def kind_index(self, name: str) -> int:
        """The number of an action kind; ValueError lists those that there are."""
        names = [kind.name for kind in self.action_kinds]
        return names.index(known(f"action kind of {self.name}", name, names))

    def observation_index(self, name: str) -> int:
        """The number of a kind of observation; ValueError lists those that there are."""
        names = [kind.name for kind in self.observation_kinds]
        return names.index(known(f"observation of {self.name}", name, names))

    def reward_index(self, name: str) -> int:
        """The number of a kind of reward; ValueError lists those that there are."""
        names = [kind.name for kind in self.reward_kinds]
        return names.index(known(f"reward of {self.name}", name, names))

    def value_index(self, name: str) -> int:
        """The number of a kind of final value; ValueError lists those that there are."""
        names = [kind.name for kind in self.value_kinds]
        return names.index(known(f"value of {self.name}", name, names))

    def value_weights(self, name: str, weights: Mapping[str, float] | Sequence[float] | None) -> Array | None:
        """Weights of a final value's features, float64: all, or by name, the others as they are. None: None."""
        if weights is None:
            return None
        own = self.value_kinds[self.value_index(name)].weights
        if isinstance(weights, Mapping):
            for feature in weights:
                known(f"feature of {name}", feature, own)
            weights = [weights.get(feature, weight) for feature, weight in own.items()]
        array = np.ascontiguousarray(weights, np.float64)
        if array.shape != (len(own),):
            raise ValueError(f"weights: {name} has {len(own)} features, not {array.shape}")
        return array

    @cached_property
    def observations(self) -> Mapping[str, tuple[Number, ...]]:
        """By kind, what the numbers of an agent's observation are: names, units, bounds, scales."""
        return {
            kind.name: numbers(self.name, self._address, index, self._scale, self.path is not None)
            for index, kind in enumerate(self.observation_kinds)
        }

    def policy_index(self, name: str) -> int:
        """The number of a built-in policy; ValueError lists those that there are."""
        return self.policies.index(known(f"policy of {self.name}", name, self.policies))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (self.name, self.path))


def _again(name: str, path: str | None) -> Game:
    return games[name] if path is None else open_game(path)


def described(at: int, path: str | None = None, scale: SceneScale | None = None) -> Game:
    """The game at an address of the library."""
    name, title, players, bodies, events, kinds, seen, rewards, values, policies, counts = _carom.game_describe(at)
    types: dict[int, np.dtype[Any]] = {32: np.dtype(np.float32), 64: np.dtype(np.float64)}
    return Game(
        name,
        title,
        players,
        bodies,
        events,
        tuple(ActionKind(kind, types[bits], numbers) for kind, bits, numbers in kinds),
        tuple(ObservationKind(*kind) for kind in seen),
        tuple(RewardKind(*kind) for kind in rewards),
        tuple(ValueKind(*kind) for kind in values),
        tuple(policies),
        counts,
        path,
        at,
        scale,
    )


class _Games(Mapping[str, Game]):
    """Games by name: those that Carom ships, and those that have been opened."""

    def __getitem__(self, name: str) -> Game:
        at = _carom.game_find(name)
        if at == 0:
            raise KeyError(f"there is no game {name!r}; there are {', '.join(self)}")
        return described(at)

    def __iter__(self) -> Iterator[str]:
        return iter(_carom.game_names())

    def __len__(self) -> int:
        return len(_carom.game_names())

    def __repr__(self) -> str:
        return f"<games {', '.join(self)}>"


games: Mapping[str, Game] = _Games()


def open_game(path: str | os.PathLike[str]) -> Game:
    """Opens a game from outside: a shared object that `carom-kit` has built.

    Loading it runs its code: open nothing that you would not run. A game stays until the process ends.
    """
    text = os.path.abspath(os.fspath(path))
    return described(_carom.game_open(text), text)


# ---- options ----

_RULES = {"csb": ("full", "test"), "stones": ("as_shipped", "as_described")}
_LEAGUES = ("division_b", "division_a", "original")


def _fill(what: str, row: Array, options: Mapping[str, Any], others: Sequence[str] = ()) -> None:
    """Sets members of a record by name; pointers and what `others` lists are not for here."""
    kinds: Mapping[str, Any] = row.dtype.fields or {}
    plain = [name for name, entry in kinds.items() if entry[0] != np.dtype("u8")]
    for name, value in options.items():
        if name in others:
            continue
        known(f"option of {what}", name, [*dict.fromkeys([*plain, *others])])
        kind = kinds[name][0]
        if kind.kind in "iu":
            limits = np.iinfo(kind)
            value = whole(f"option {name} of {what}", value, int(limits.min), int(limits.max))
        row[name] = value


def _csb(options: Mapping[str, Any], keep: list[Array]) -> Array:
    row = record("csb")
    _fill("csb", row, options, ("rules", "maps", "laps", "map_seed"))
    if options.get("map_seed") is not None:
        keep.append(np.array([whole("map_seed", options["map_seed"])], np.uint64))
        row["map_seed"] = address(keep[-1])
    if "rules" in options:
        row["rules"] = _RULES["csb"].index(known("rules", options["rules"], _RULES["csb"]))
    maps = options.get("maps")
    if maps is not None:
        table = np.zeros(len(maps), dtype("csb_map"))
        for k, points in enumerate(maps):
            exact = np.asarray(points)
            checkpoints = np.ascontiguousarray(exact, np.int32)
            if checkpoints.ndim != 2 or checkpoints.shape[1] != 2 or not np.array_equal(checkpoints, exact):
                raise ValueError(f"maps[{k}]: whole numbers [checkpoint][x, y] are expected")
            keep.append(checkpoints)
            table[k] = (address(checkpoints), len(checkpoints), options.get("laps", 3))
        keep.append(table)
        row["maps"], row["map_count"] = address(table), len(maps)
    elif "laps" in options:
        raise ValueError("option laps of csb: it goes with maps")
    return row


def _fall(options: Mapping[str, Any], keep: list[Array]) -> Array:
    row = record("fall")
    _fill("fall", row, options, ("bodies",))
    bodies = options.get("bodies")
    if bodies is not None:
        table = fall_bodies(bodies)
        keep.append(table)
        row["bodies"], row["body_count"] = address(table), len(table)
    return row


def fall_bodies(bodies: Any) -> Array:
    """Bodies of `fall` as records: from such records, or from mappings with `corners` as a list of points."""
    kind = dtype("fall_body")
    if isinstance(bodies, np.ndarray) and bodies.dtype == kind:
        return np.ascontiguousarray(bodies)
    table = np.repeat(record("fall_body"), len(bodies))
    for k, body in enumerate(bodies):
        corners = body.get("corners", ())
        if len(corners) > 6:
            raise ValueError(f"bodies[{k}]: {len(corners)} corners; there are at most 6")
        for name, value in body.items():
            if name == "corners":
                table[k]["corner_count"] = len(corners)
                table[k]["corners"][: len(corners)] = corners
                table[k]["fixed"] = 1
            else:
                table[k][known(f"member of bodies[{k}]", name, kind.names)] = value
    return table


def fall_box() -> Array:
    """The bodies of the default scene of `fall`, to start one's own from."""
    return np.frombuffer(bytearray(_carom.fall_box()), dtype("fall_body"))


def _fantastic_bits(options: Mapping[str, Any], keep: list[Array]) -> Array:
    row = record("fantastic_bits")
    _fill("fantastic_bits", row, options, ("seeds",))
    if options.get("seeds") is not None:
        seeds = np.ascontiguousarray(options["seeds"], np.int64).ravel()
        keep.append(seeds)
        row["seeds"], row["seed_count"] = address(seeds), len(seeds)
    return row


def _soccer(options: Mapping[str, Any], keep: list[Array]) -> Array:
    league = known("league", options.get("league", "division_b"), _LEAGUES)
    row = np.frombuffer(bytearray(_carom.soccer_league(_LEAGUES.index(league))), dtype("soccer"))
    _fill("soccer", row, options, ("league",))
    return row


def _stones(options: Mapping[str, Any], keep: list[Array]) -> Array:
    row = record("stones")
    _fill("stones", row, options, ("rules",))
    if "rules" in options:
        row["rules"] = _RULES["stones"].index(known("rules", options["rules"], _RULES["stones"]))
    return row


_OPTIONS: dict[str, Callable[[Mapping[str, Any], list[Array]], Array]] = {
    "csb": _csb,
    "fall": _fall,
    "fantastic_bits": _fantastic_bits,
    "soccer": _soccer,
    "stones": _stones,
}


def options_record(game: Game, options: Mapping[str, Any], keep: list[Array]) -> Array | None:
    """The game's options struct, or None for its defaults; `keep` receives the arrays that it points to."""
    if not options:
        return None
    make = _OPTIONS.get(game.name) if game.path is None else None
    if make is None:
        raise ValueError(f"{game.name} has no options; given: {', '.join(options)}")
    return make(options, keep)


# ---- what single games have beside the common calls ----


def csb_base_map(index: int) -> Array:
    """Checkpoints [n, 2] of one of the 13 base maps of Coders Strike Back."""
    return np.frombuffer(_carom.csb_base_map(index), np.int32).reshape(-1, 2).copy()


def fantastic_bits_line(line: str) -> tuple[float, float, float, float]:
    """A bot's command line as the four numbers of the action kind `referee`.

    A line that cannot be read gives -1 first, which loses the game, as in the referee.
    """
    return _carom.fantastic_bits_read_line(line)
