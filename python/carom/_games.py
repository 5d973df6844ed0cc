# SPDX-License-Identifier: MIT
"""Games: the table of available games, and their options by keyword."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import known, whole
from ._observations import Number, SceneScale, numbers
from ._structs import Array, address, copied, dtype, record


class ActionKind(NamedTuple):
    """A way to read a player's action: `size` numbers of type `dtype`."""

    name: str
    dtype: np.dtype[Any]
    size: int


class ObservationKind(NamedTuple):
    """What is observed: by `agents` agents a player, `size` numbers each. `raw`: by players; `ego`: by their bodies."""

    name: str
    agents: int
    size: int


class RewardKind(NamedTuple):
    """What is rewarded, for `agents` agents a player: `game`, `result` (only the end) or `own` (what each body
    gains).
    """

    name: str
    agents: int


class ValueKind(NamedTuple):
    """The value of a state at the end of a rollout. `weights`: of its features, by name; `game` has none."""

    name: str
    weights: dict[str, float]


class Option(NamedTuple):
    """An option of a game: a keyword of `Worlds`, and `--set` of the command.

    `type`: count, flag, number, choice (one of `choices`), preset (one of `choices`, which sets other options), seed,
    list.
    """

    name: str
    type: str
    default: Any
    low: float
    high: float
    below: bool  # `high` itself is not allowed
    choices: tuple[str, ...]
    meaning: str


_TYPES = ("count", "flag", "number", "choice", "preset", "seed", "list")


@dataclass(frozen=True)
class Game:
    """The description of a game: `observations["ego"][0].name` is the meaning of a number.

    `counts` is what `Counters.goals` counts; `path` is the file of a plug-in game.
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
        """The number of an action kind; ValueError lists the valid names."""
        names = [kind.name for kind in self.action_kinds]
        return names.index(known(f"action kind of {self.name}", name, names))

    def observation_index(self, name: str) -> int:
        """The number of a kind of observation; ValueError lists the valid names."""
        names = [kind.name for kind in self.observation_kinds]
        return names.index(known(f"observation of {self.name}", name, names))

    def observed_bits(self, seen: int, observed: Sequence[int] | None) -> int:
        """The observed agents, for kind number `seen`, as bits; 0: all."""
        if observed is None:
            return 0
        count = self.players * self.observation_kinds[seen].agents
        numbers = list(observed)
        if not numbers or numbers != sorted(set(numbers)) or numbers[0] < 0 or numbers[-1] >= count:
            raise ValueError(f"observed: ascending numbers of agents below {count} are expected, not {observed!r}")
        return sum(1 << number for number in numbers)

    def seen_shape(self, seen: int, bits: int) -> tuple[int, int]:
        """(agents, numbers) of a world's observations of kind number `seen`."""
        kind = self.observation_kinds[seen]
        return bits.bit_count() or self.players * kind.agents, kind.size

    def reward_index(self, name: str) -> int:
        """The number of a kind of reward; ValueError lists the valid names."""
        names = [kind.name for kind in self.reward_kinds]
        return names.index(known(f"reward of {self.name}", name, names))

    def value_index(self, name: str) -> int:
        """The number of a kind of final value; ValueError lists the valid names."""
        names = [kind.name for kind in self.value_kinds]
        return names.index(known(f"value of {self.name}", name, names))

    def value_weights(self, name: str, weights: Mapping[str, float] | Sequence[float] | None) -> Array | None:
        """Weights of a final value's features, float64: all of them, or some by name. None: None."""
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
        """By kind, the numbers of an agent's observation: names, units, bounds, scales."""
        return {
            kind.name: numbers(self.name, self._address, index, self._scale, self.path is not None)
            for index, kind in enumerate(self.observation_kinds)
        }

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """The options by name: type, default, range, meaning."""
        found = {}
        for name, kind, _, _, value, low, high, below, choices, meaning, _ in _carom.game_options(self._address)[1]:
            plain: dict[str, Any] = {"count": int(value), "flag": bool(value), "number": value}
            default = choices[int(value)] if choices else plain.get(_TYPES[kind])
            found[name] = Option(name, _TYPES[kind], default, low, high, below, tuple(choices), meaning)
        return found

    @cached_property
    def _structure(self) -> tuple[Array, dict[str, str]]:
        """The structure of options, filled with the defaults, and the names of its lists' lengths."""
        defaults, rows = _carom.game_options(self._address)
        codes = {"count": "=u4", "number": "=f8", "choice": "=i4", "seed": "=u8", "list": "=u8"}
        members = {offset: (name, codes.get(_TYPES[kind], "?" if size == 1 else "=u4"))
                   for name, kind, offset, size, *_ in rows if size}  # fmt: skip
        lengths = {name: members.setdefault(count, (f"{name}_count", "=u4"))[0]
                   for name, kind, *_, count in rows if _TYPES[kind] == "list"}  # fmt: skip
        record = np.dtype(
            {
                "names": [name for name, _ in members.values()],
                "formats": [code for _, code in members.values()],
                "offsets": [*members],
                "itemsize": len(defaults),
            }
        )
        return np.frombuffer(defaults, record), lengths

    def policy_index(self, name: str) -> int:
        """The number of a built-in policy; ValueError lists the valid names."""
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
    """Games by name: those that Carom ships, and plug-in games that have been opened."""

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
    """Opens a plug-in game: a shared object built by `carom-kit`.

    Loading it runs its code: open only files that you trust. A game stays loaded until the process ends.
    """
    text = os.path.abspath(os.fspath(path))
    return described(_carom.game_open(text), text)


# ---- options ----


def _maps(maps: Any, laps: int, keep: list[Array]) -> Array:
    table = np.zeros(len(maps), dtype("csb_map"))
    for k, points in enumerate(maps):
        exact = np.asarray(points)
        checkpoints = np.ascontiguousarray(exact, np.int32)
        if checkpoints.ndim != 2 or checkpoints.shape[1] != 2 or not np.array_equal(checkpoints, exact):
            raise ValueError(f"maps[{k}]: whole numbers [checkpoint][x, y] are expected")
        keep.append(checkpoints)
        table[k] = (address(checkpoints), len(checkpoints), laps)
    return table


def fall_bodies(bodies: Any) -> Array:
    """Bodies of `fall` as records, from such records or from mappings with `corners` as a list of points."""
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
    """The bodies of the default scene of `fall`, as a starting point for your own."""
    return np.frombuffer(bytearray(_carom.fall_box()), dtype("fall_body"))


def _items(name: str, value: Any, options: Mapping[str, Any], keep: list[Array]) -> Array:
    """The records of a list."""
    if name == "maps":
        return _maps(value, options.get("laps", 3), keep)
    return fall_bodies(value) if name == "bodies" else np.ascontiguousarray(value, np.int64).ravel()


def options_record(game: Game, options: Mapping[str, Any], keep: list[Array]) -> Array | None:
    """The game's options struct, or None for its defaults; appends the arrays that it points to to `keep`."""
    if not options:
        return None
    table = game.options
    if not table:
        raise ValueError(f"{game.name} has no options; given: {', '.join(options)}")
    names = [*table, *(["laps"] if "maps" in table else [])]
    defaults, lengths = game._structure
    row = copied(defaults)
    kinds = {
        known(f"option of {game.name}", name, names): table[name].type if name in table else name for name in options
    }
    # Presets come first, since they set other options; lists last, since they determine their lengths.
    for name, kind in sorted(kinds.items(), key=lambda entry: (entry[1] == "list") - (entry[1] == "preset")):
        value = options[name]
        if kind == "laps":
            if options.get("maps") is None:
                raise ValueError("option laps of csb: it goes with maps")
        elif kind == "seed" and value is not None:
            keep.append(np.array([whole(name, value)], np.uint64))
            row[name] = address(keep[-1])
        elif kind == "list" and value is not None:
            keep.append(_items(name, value, options, keep))
            row[name], row[lengths[name]] = address(keep[-1]), len(keep[-1])
        elif kind not in ("seed", "list"):
            choices = table[name].choices
            number = choices.index(known(name, value, choices)) if choices else value
            _carom.game_set_option(game._address, row, name, number)
    return row


# ---- calls for single games ----


def csb_base_map(index: int) -> Array:
    """Checkpoints [n, 2] of one of the 13 base maps of Coders Strike Back."""
    return np.frombuffer(_carom.csb_base_map(index), np.int32).reshape(-1, 2).copy()


def fantastic_bits_line(line: str) -> tuple[float, float, float, float]:
    """A bot's command line as the four numbers of the action kind `referee`.

    For an invalid line the first number is -1, which loses the game, as in the referee.
    """
    return _carom.fantastic_bits_read_line(line)
