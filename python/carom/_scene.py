# SPDX-License-Identifier: MIT
"""Scenes: your own worlds, described by keywords, dataclasses, records or JSON."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Unpack

import numpy as np

from . import _carom
from ._arrays import known, whole
from ._games import Game, described
from ._observations import scene_scale
from ._options import Made
from ._structs import Array, dtype, record
from ._worlds import Worlds

ARC = dtype("scene_arc")
BODY = dtype("scene_body")
WALL = dtype("scene_wall")
RULE = dtype("scene_rule")
IMPACT = dtype("impact")  # arguments of hooks: carom_impact
RANGE = dtype("range")  # and carom_scene_range
SIDES = ("open", "solid", "periodic")
ARC_SIDES = ("both", "within", "without")
ADVANCE = ("own_clock", "advance_all")
ENGINES = ("auto", "wide", "deep")
POLYGON = ("restitution", "sensor", "category", "mask", "x_spread", "y_spread")  # besides its corners
VARIES = ("radius", "mass", "restitution", "damping", "ax", "ay", "action_scale", "walls", "corners", "dt", "there")
ACTIONS = ("impulse", "velocity", "acceleration")
RULES = (
    "meets_body", "meets_side", "meets_wall", "meets_polygon", "meets_sensor", "nears_body", "nears_point",
    "within", "tick", "acts", "nearest", "meets_arc",
)  # fmt: skip
MEASURES = ("none", "distance", "energy", "impacts", "user")


@dataclass
class Body:
    """A circle, as it is at the start of each game. With infinite `mass` it is fixed.

    A number with a `_spread` is drawn for each game, uniformly within that distance. Of these, positions and velocities
    are those at the start; the others become fields of the worlds, see `Scene`.
    """

    x: float = 0
    y: float = 0
    vx: float = 0
    vy: float = 0
    radius: float = 1
    mass: float = 1
    restitution: float = 1
    damping: float = 0
    ax: float = 0
    ay: float = 0
    x_spread: float = 0
    y_spread: float = 0
    vx_spread: float = 0
    vy_spread: float = 0
    category: int = 1
    mask: int = 0xFFFFFFFF
    sensor: bool = False
    slow: bool = False
    inactive: bool = False
    acts: bool = False
    user: int = 0
    player: int = 0
    action_scale: float = 1
    radius_spread: float = 0
    mass_spread: float = 0
    restitution_spread: float = 0
    damping_spread: float = 0
    ax_spread: float = 0
    ay_spread: float = 0
    action_scale_spread: float = 0


@dataclass
class Wall:
    """A segment from `a` to `b`; a one-sided one stops only circles to the left, seen from `a` to `b`.

    With a `mask` only bodies of one of these categories meet it, with a `category` only those with one of these in
    their mask; 0: every body does.
    """

    a: Sequence[float]
    b: Sequence[float]
    restitution: float = 1
    one_sided: bool = False
    sensor: bool = False
    category: int = 0
    mask: int = 0
    ax_spread: float = 0
    ay_spread: float = 0
    bx_spread: float = 0
    by_spread: float = 0


@dataclass
class Polygon:
    """A closed outline of corners [n][x, y], convex or concave, in either direction.

    `category` and `mask` are as for a wall. The spreads are drawn separately for each corner.
    """

    corners: Sequence[Sequence[float]] | Array
    restitution: float = 1
    sensor: bool = False
    category: int = 0
    mask: int = 0
    x_spread: float = 0
    y_spread: float = 0


@dataclass
class Arc:
    """A wall that is an arc of the circle of `radius` around `at`.

    It runs counterclockwise from the direction of `a` to that of `b`, both seen from `at`. `a` and `b` need not be on
    the circle; if they are the same point it is the whole circle. `sides`: it stops circles on "both" sides, or only
    those whose centre is inside ("within") or outside ("without") its circle. `category` and `mask` are as for a wall.
    """

    at: Sequence[float]
    radius: float
    a: Sequence[float] = (0.0, 0.0)
    b: Sequence[float] = (0.0, 0.0)
    restitution: float = 1
    sides: str = "both"
    sensor: bool = False
    category: int = 0
    mask: int = 0


@dataclass
class Box:
    """The box of a scene; its sides are `open`, `solid` or `periodic`.

    `category` and `mask` apply to the solid sides, as for a wall.
    """

    from_: Sequence[float]
    to: Sequence[float]
    horizontal: str = "solid"
    vertical: str = "solid"
    restitution: float = 1
    category: int = 0
    mask: int = 0


@dataclass
class Measure:
    """A number of a world, for rewards and final values.

    Args:
        kind: "none"; "distance", minus the distance of `body` from `at`; "energy", the kinetic energy of all active
            bodies; "impacts", the number of those of `body` in the tick; "user", the number that `hook` writes.
        hook: the address of a C function `carom_range_hook`, such as `numba.cfunc(...).address`.

    """

    kind: str = "none"
    body: int = 0
    at: Sequence[float] = (0.0, 0.0)
    hook: int = 0


@dataclass
class Rule:
    """A rule for rewards and for the end of a game.

    Args:
        kind: `body` meets another body ("meets_body", of one of the categories `category`), side, wall, polygon or arc
            `which` ("meets_side", "meets_wall", "meets_polygon", "meets_arc"), or anything if one of the two is a
            sensor ("meets_sensor"); or the decrease of its distance from body `which` ("nears_body") or from the point
            `at` ("nears_point"); or, at the end of each tick if it is active: 1 if its centre is in the zone from `at`
            to the opposite `corner` ("within"); 1 ("tick"); the sum of the squares of the numbers of its action
            ("acts": 0 to 2 for `normalised` actions); the distance of the nearest other body of one of the categories
            `category` ("nearest").
        reward: for each meeting, unit of length, tick, or unit of that sum; body `to` gets it (-1: `body` itself).
        ends: the game is over after a tick in which they meet, or in which the body is within the zone. Player `winner`
            wins; -1: no winner.

    """

    kind: str = "meets_body"
    body: int = 0
    category: int = 0xFFFFFFFF
    which: int = 0
    at: Sequence[float] = (0.0, 0.0)
    reward: float = 0
    to: int = -1
    ends: bool = False
    winner: int = -1
    corner: Sequence[float] = (0.0, 0.0)


@dataclass
class View:
    """The observation `ego` of an agent of the player of `body`: `bodies` relative to `body`."""

    body: int
    bodies: Sequence[int] = ()


@dataclass
class Lidar:
    """Rays from each body that acts, for the observation `lidar`.

    Args:
        rays: the number of rays of a body.
        range: how far they reach from the body's centre.
        first, step: the angle of ray k is first + k step, in radians from +x towards +y; step 0: evenly all around.
        mask: rays meet bodies of these categories, and walls, polygons and sides that have one of them or none.
        tells: categories that a ray reports.
        sensors: whether rays also meet sensors.

    A ray gives the distance to the first thing it meets, as a share of the range (1: nothing); 1 or 0 each for whether
    that is a body, is a wall, and has each category of `tells`; and its relative velocity along the ray (positive:
    away) and aside.

    """

    rays: int
    range: float
    first: float = 0
    step: float = 0
    mask: int = 0xFFFFFFFF
    tells: int = 0
    sensors: bool = False


LIDAR = tuple(f.name for f in fields(Lidar))


def _members(item: Any) -> Mapping[str, Any]:
    return item if isinstance(item, Mapping) else asdict(item)


def _number(where: str, value: Any) -> Any:
    if value == "infinite":
        return math.inf
    if isinstance(value, str) or value is None or isinstance(value, Mapping):
        raise TypeError(f"{where}: a number is expected, not {value!r}")
    return value


def _set(row: Array, where: str, name: str, value: Any) -> None:
    """Sets a member of a record; integers must be whole and in range."""
    kind = row.dtype[name]
    number = _number(where, value)
    if kind.kind == "b" and not isinstance(number, bool | np.bool_):
        raise TypeError(f"{where}: true or false is expected, not {number!r}")
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        if isinstance(number, bool) or number != int(number) or not limits.min <= number <= limits.max:
            raise ValueError(f"{where}: {number!r} is not a whole number from {limits.min} to {limits.max}")
    row[name] = number


def _pair(where: str, value: Any) -> tuple[float, float]:
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
        raise ValueError(f"{where}: [x, y] is expected, not {value!r}")
    return float(_number(where, value[0])), float(_number(where, value[1]))


def _table(what: str, kind: str, items: Any, usual: Mapping[str, Any], pairs: Mapping[str, tuple[str, str]]) -> Array:
    """Bodies or walls as records, from such records, dataclasses or mappings."""
    layout = dtype(kind)
    if isinstance(items, np.ndarray):
        if items.dtype != layout:
            raise TypeError(f"{what}: records of carom.{'BODY' if what == 'bodies' else 'WALL'} are expected")
        if what == "bodies":
            _warn_of_ghosts(items)
        return np.ascontiguousarray(items)
    table = np.repeat(record(kind), len(items))
    if usual:
        row = record(kind)
        _row(row, usual, what, pairs)
        table[:] = row[0]
    for k, item in enumerate(items):
        _row(table[k : k + 1], _members(item), f"{what}[{k}]", pairs)
    return table


def _warn_of_ghosts(bodies: Array) -> None:
    """Warns of bodies that meet nothing: records from np.zeros have category 0 and mask 0."""
    ghosts = np.flatnonzero((bodies["category"] == 0) & (bodies["mask"] == 0))
    if len(ghosts):
        what = f"body {ghosts[0]}" if len(ghosts) == 1 else f"{len(ghosts)} bodies, the first of them {ghosts[0]},"
        warnings.warn(
            f"{what} with category 0 and mask 0 will pass through all others; use carom.bodies(n) for records with the "
            "defaults",
            stacklevel=4,
        )


def bodies(count: int, **members: Any) -> Array:
    """Records of type `carom.BODY` with the defaults of `Body`, which `np.zeros` does not set.

        table = carom.bodies(100, radius=0.5, x=np.arange(100) * 2.0)

    Args:
        count: how many.
        members: values by name: one number for all bodies, or [count].

    """
    table = np.repeat(record("scene_body"), whole("count", count))
    for name, values in members.items():
        known("member of a body", name, BODY.names)
        column = np.broadcast_to(np.asarray(values), (count,))
        cast = column.astype(BODY[name])
        if BODY[name].kind in "iub" and not np.array_equal(cast, column):
            raise ValueError(f"{name}: a number does not fit into {BODY[name]}")
        table[name] = cast
    return table


def _row(row: Array, members: Mapping[str, Any], where: str, pairs: Mapping[str, tuple[str, str]]) -> None:
    names = row.dtype.names or ()
    for name, value in members.items():
        if name in pairs:
            for member, number in zip(pairs[name], _pair(f"{where}.{name}", value), strict=True):
                row[member] = number
        elif name != "about":
            _set(row, f"{where}.{name}", known(f"{where}: key", name, [*names, *pairs]), value)


class Scene:
    """A frozen description of worlds: circles, walls, polygons, arcs, a box. The constructor checks it.

    Args:
        bodies: `Body` objects, mappings with the same names, or an array of records of type `carom.BODY` from
            `carom.bodies(n)`. A record with category 0 and mask 0 gives a UserWarning.
        walls: `Wall` objects, mappings, or an array of records of type `carom.WALL`.
        polygons: `Polygon` objects, or mappings.
        arcs: `Arc` objects, mappings, or an array of records of type `carom.ARC`.
        box: a `Box`, a mapping, or ((x0, y0), (x1, y1)) whose sides are `sides`.
        sides: for a box given by its corners: "solid", "periodic" or "open".
        dt: length of a tick, unless `Worlds.play` is given another; with `dt_spread`, drawn for each game from
            an interval of that much on either side.
        varies: what may differ from world to world, in addition to numbers with a spread: names of `carom.VARIES`. They
            become fields of the worlds: `radius`, `mass`, `restitution`, `damping`, `ax`, `ay`, `action_scale`;
            "walls": `wall_ax`, `wall_ay`, `wall_bx`, `wall_by`; "corners": `corner_x`, `corner_y`; `dt`; "there":
            `wall_there` and `polygon_there`, 0 if absent. speed_limit, least_impulse, contact_time, max_events,
            last_tick, ends_at_sensor, action_scale, user_words: see scene.h.
        action: the meaning of a number of `normalised` actions, times `action_scale`: "impulse", "velocity",
            "acceleration".
        rules: `Rule` objects, or mappings: rewards, and ends of games.
        views: `View` objects, or mappings: observations of agents.
        lidar: a `Lidar`, or a mapping: observations by rays, for bodies that act.
        solver: a variant's name, of `carom.toi.variants()`.
        advance: "own_clock" or "advance_all".
        engine: "auto", "wide" or "deep".
        reward, final_value: a `Measure`, or a mapping.
        tick_hook, response_hook, user: addresses of C functions and of their first argument; see scene.h. You can
            compile Python functions with `numba.cfunc`: they get records of the types `carom.RANGE` and `carom.IMPACT`;
            see `examples/python/hooks.py`.

    Raises:
        ValueError: the description is invalid, such as "body 2: radius -1 is negative".

    You choose the units. `scene.worlds(n)` makes n worlds of it.

    """

    def __init__(
        self,
        bodies: Any,
        walls: Any = (),
        polygons: Iterable[Any] = (),
        box: Any = None,
        *,
        arcs: Iterable[Any] = (),
        sides: str = "solid",
        dt: float = 1.0,
        dt_spread: float = 0.0,
        varies: Iterable[str] = (),
        speed_limit: float | str = math.inf,
        least_impulse: float = 0.0,
        contact_time: float = 0.0,
        max_events: int = 0,
        last_tick: int = 0,
        ends_at_sensor: bool = False,
        solver: str = "fast",
        advance: str = "own_clock",
        engine: str = "auto",
        action_scale: float = 1.0,
        action: str = "impulse",
        rules: Iterable[Any] = (),
        views: Iterable[Any] = (),
        lidar: Any = None,
        user_words: bool = False,
        reward: Any = None,
        final_value: Any = None,
        tick_hook: int = 0,
        response_hook: int = 0,
        user: int = 0,
        body: Mapping[str, Any] | None = None,
        wall: Mapping[str, Any] | None = None,
    ) -> None:
        row = record("scene")
        for name, value in (
            ("dt", dt), ("dt_spread", dt_spread), ("speed_limit", speed_limit),
            ("least_impulse", least_impulse), ("contact_time", contact_time),
            ("max_events", max_events), ("last_tick", last_tick), ("action_scale", action_scale),
            ("user_words", user_words), ("ends_at_sensor", ends_at_sensor), ("tick_hook", tick_hook),
            ("response_hook", response_hook), ("user", user),
        ):  # fmt: skip
            _set(row, name, name, value)
        if isinstance(varies, str):
            raise TypeError(f"varies: names are expected, not {varies!r}")
        row["varies"] = sum(1 << VARIES.index(name) for name in {known("varies", each, VARIES) for each in varies})
        row["advance"] = ADVANCE.index(known("advance", advance, ADVANCE))
        row["action"] = ACTIONS.index(known("action", action, ACTIONS))
        row["engine"] = ENGINES.index(known("engine", engine, ENGINES))
        row["solver"] = _carom.toi_variant_find(solver)
        if row["solver"] < 0:
            known("solver", solver, ["fast", *(name for name, *_ in _carom.toi_variants())])
        self._box(row, box, sides)
        self._lidar(row, lidar)
        self._measure(row, "reward", reward)
        self._measure(row, "final_value", final_value)
        self._parts = (
            row,
            _table("bodies", "scene_body", bodies, body or {}, {}),
            _table("walls", "scene_wall", walls, wall or {}, {"a": ("ax", "ay"), "b": ("bx", "by")}),
            [self._polygon(k, polygon) for k, polygon in enumerate(polygons)],
            self._rules(list(rules)),
            [self._view(k, view) for k, view in enumerate(views)],
            self._arcs(arcs),
        )
        self._freeze()

    def _freeze(self) -> None:
        self._handle = _carom.scene_create(*self._parts)
        at, self._engine = _carom.scene_describe(self._handle)
        self.game: Game = described(at, scale=scene_scale(self._parts[0], self._parts[1]))

    @staticmethod
    def _box(row: Array, box: Any, sides: str) -> None:
        if box is None:
            return
        if isinstance(box, Box):
            box = {("from" if key == "from_" else key): value for key, value in asdict(box).items()}
        elif not isinstance(box, Mapping):
            known("sides", sides, SIDES)
            if len(box) != 2:
                raise ValueError(f"box: ((x0, y0), (x1, y1)) is expected, not {box!r}")
            box = {"from": box[0], "to": box[1], "horizontal": sides, "vertical": sides}
        corners = {"from": ("x0", "y0"), "to": ("x1", "y1")}
        row["box_restitution"] = 1.0
        for key, value in box.items():
            if key in corners:
                for member, number in zip(corners[key], _pair(f"box.{key}", value), strict=True):
                    row[f"box_{member}"] = number
            elif key in ("horizontal", "vertical"):
                row[f"box_{key}"] = SIDES.index(known(f"box.{key}", value, SIDES))
            elif key != "about":
                names = (
                    "from",
                    "to",
                    "x0",
                    "y0",
                    "x1",
                    "y1",
                    "horizontal",
                    "vertical",
                    "restitution",
                    "category",
                    "mask",
                )
                _set(row, f"box.{key}", f"box_{known('box: key', key, names)}", value)

    @staticmethod
    def _lidar(row: Array, lidar: Any) -> None:
        for key, value in _members(lidar).items() if lidar is not None else ():
            if key != "about":
                _set(row, f"lidar.{key}", f"lidar_{known('lidar: key', key, LIDAR)}", value)

    @staticmethod
    def _measure(row: Array, name: str, measure: Any) -> None:
        if measure is None:
            return
        for key, value in _members(measure).items():
            if key == "kind":
                row[f"{name}_kind"] = MEASURES.index(known(f"{name}.kind", value, MEASURES))
            elif key == "at":
                row[f"{name}_x"], row[f"{name}_y"] = _pair(f"{name}.at", value)
            elif key != "about":
                known(f"{name}: key", key, ("kind", "body", "at", "x", "y", "hook"))
                _set(row, f"{name}.{key}", f"{name}_{key}", value)

    @staticmethod
    def _polygon(k: int, polygon: Any) -> tuple[Array, Array, float, bool, int, int, float, float]:
        members = _members(polygon)
        for key in members:
            known(f"polygons[{k}]: key", key, ("corners", *POLYGON, "about"))
        if "corners" not in members:
            raise ValueError(f"polygons[{k}]: it has no corners")
        corners = np.array([_pair(f"polygons[{k}].corners", c) for c in members["corners"]], float).reshape(-1, 2)
        restitution = float(_number(f"polygons[{k}].restitution", members.get("restitution", 1.0)))
        x, y = (np.ascontiguousarray(corners[:, axis]) for axis in (0, 1))
        sensor = bool(members.get("sensor", False))
        passing = record("scene_wall")  # whose category and mask are of the same kind
        for key in ("category", "mask"):
            _set(passing, f"polygons[{k}].{key}", key, members.get(key, 0))
        x_spread, y_spread = (
            float(_number(f"polygons[{k}].{key}", members.get(key, 0.0))) for key in ("x_spread", "y_spread")
        )
        category, mask = int(passing["category"][0]), int(passing["mask"][0])
        return x, y, restitution, sensor, category, mask, x_spread, y_spread

    @staticmethod
    def _rules(rules: list[Any]) -> Array:
        table = np.repeat(record("scene_rule"), len(rules))
        for k, rule in enumerate(rules):
            members = dict(_members(rule))
            kind = members.pop("kind", "meets_body")
            table["kind"][k] = RULES.index(known(f"rules[{k}].kind", kind, RULES))
            _row(table[k : k + 1], members, f"rules[{k}]", {"at": ("x", "y"), "corner": ("x1", "y1")})
        return table

    @staticmethod
    def _arcs(arcs: Any) -> Array:
        if isinstance(arcs, np.ndarray):
            if arcs.dtype != ARC:
                raise TypeError("arcs: records of carom.ARC are expected")
            return np.ascontiguousarray(arcs)
        items = list(arcs)
        table = np.repeat(record("scene_arc"), len(items))
        for k, arc in enumerate(items):
            members = dict(_members(arc))
            table["sides"][k] = ARC_SIDES.index(known(f"arcs[{k}].sides", members.pop("sides", "both"), ARC_SIDES))
            _row(table[k : k + 1], members, f"arcs[{k}]", {"at": ("x", "y"), "a": ("ax", "ay"), "b": ("bx", "by")})
        return table

    @staticmethod
    def _view(k: int, view: Any) -> tuple[int, Array]:
        members = _members(view)
        for key in members:
            known(f"views[{k}]: key", key, ("body", "bodies", "about"))
        numbers = [members.get("body", 0), *members.get("bodies", ())]
        for number in numbers:
            if isinstance(number, bool) or number != int(number) or not 0 <= number < 2**32:
                raise ValueError(f"views[{k}]: {number!r} is not the number of a body")
        return int(numbers[0]), np.array(numbers[1:], np.uint32)

    # ---- properties ----

    @property
    def bodies(self) -> Array:
        """Its bodies, a copy, as records of type `carom.BODY`."""
        return self._parts[1].copy()

    @property
    def walls(self) -> Array:
        """Its walls, a copy, as records of type `carom.WALL`."""
        return self._parts[2].copy()

    @property
    def arcs(self) -> Array:
        """Its arcs, a copy, as records of type `carom.ARC`."""
        return self._parts[6].copy()

    @property
    def engine(self) -> str:
        """The engine for worlds in f64: "wide" or "deep"."""
        return ENGINES[self._engine]

    @property
    def hooked(self) -> bool:
        """Does it have hooks, which are addresses in this process?"""
        row = self._parts[0]
        return any(row[name][0] for name in ("tick_hook", "response_hook", "reward_hook", "final_value_hook", "user"))

    def __repr__(self) -> str:
        _, bodies, walls, polygons, _, _, arcs = self._parts
        shapes = f" arcs={len(arcs)}" if len(arcs) else ""
        return f"<Scene bodies={len(bodies)} walls={len(walls)} polygons={len(polygons)}{shapes}>"

    def worlds(self, count: int = 1, **made: Unpack[Made]) -> Worlds:
        """`count` worlds of this scene; keywords are those of `Worlds`."""
        return Worlds(self, count, **made)

    def __reduce__(self) -> tuple[Any, ...]:
        row = self._parts[0]
        if self.hooked:
            raise TypeError("a scene with hooks cannot be pickled: they are addresses in this process")
        _, bodies, walls, polygons, rules, views, arcs = self._parts
        packed = (row.tobytes(), bodies.tobytes(), walls.tobytes(), polygons, rules.tobytes(), views, arcs.tobytes())
        return (_unpickled, packed)

    # ---- JSON ----

    @classmethod
    def from_json(cls, text: str) -> Scene:
        """A scene from JSON text, with the keys of the constructor; see `examples/scenes/`."""
        import json

        found = json.loads(text)
        if not isinstance(found, dict):
            raise ValueError("an object is expected")
        found.pop("about", None)
        names = [name for name in cls.__init__.__annotations__ if name not in ("return", "sides", "user")]
        for key in found:
            known("key", key, [name for name in names if not name.endswith("hook")])
        if "bodies" not in found:
            raise ValueError("bodies: there are none")
        return cls(**found)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Scene:
        """A scene from a file of JSON text."""
        with open(path, encoding="utf-8") as file:
            return cls.from_json(file.read())

    def to_json(self) -> str:
        """The scene as JSON text; numbers are exact, so reading it gives the same scene."""
        import json

        row, bodies, walls, polygons, rules, views, arcs = self._parts
        if self.hooked:
            raise ValueError("a scene with hooks cannot be written as text")
        usual = record("scene")
        found: dict[str, Any] = {}
        for name in ("dt", "speed_limit", "least_impulse", "contact_time", "max_events", "last_tick", "action_scale",
                     "user_words", "ends_at_sensor", "dt_spread"):  # fmt: skip
            if row[name][0] != usual[name][0]:
                found[name] = row[name][0].item()
        found["varies"] = [name for k, name in enumerate(VARIES) if row["varies"][0] >> k & 1]
        found["action"] = ACTIONS[row["action"][0]]
        found["advance"] = ADVANCE[row["advance"][0]]
        found["engine"] = ENGINES[row["engine"][0]]
        variant = int(row["solver"][0])
        found["solver"] = _carom.toi_variants()[variant & 0xFF][0] + ("/branches" if variant & 0x100 else "")
        if row["box_horizontal"][0] or row["box_vertical"][0]:
            found["box"] = {
                **{
                    key: row[f"box_{key}"][0].item()
                    for key in ("x0", "y0", "x1", "y1", "restitution", "category", "mask")
                },
                **{key: SIDES[row[f"box_{key}"][0]] for key in ("horizontal", "vertical")},
            }
        if row["lidar_rays"][0]:
            found["lidar"] = {key: row[f"lidar_{key}"][0].item() for key in LIDAR}
        for name in ("reward", "final_value"):
            if row[f"{name}_kind"][0]:
                found[name] = {
                    "kind": MEASURES[row[f"{name}_kind"][0]],
                    **{key: row[f"{name}_{key}"][0].item() for key in ("body", "x", "y")},
                }
        found["bodies"] = _changed(bodies, record("scene_body"))
        found["walls"] = _changed(walls, record("scene_wall"))
        found["polygons"] = [
            {"corners": np.stack([x, y], 1).tolist(), **dict(zip(POLYGON, rest, strict=True))}
            for x, y, *rest in polygons
        ]

        if len(arcs):
            found["arcs"] = [
                {**arc, "sides": ARC_SIDES[arc.get("sides", 0)]} for arc in _changed(arcs, record("scene_arc"))
            ]
        found["rules"] = [
            {**rule, "kind": RULES[rule.get("kind", 0)]} for rule in _changed(rules, record("scene_rule"))
        ]
        found["views"] = [{"body": body, "bodies": others.tolist()} for body, others in views]

        def text(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: text(item) for key, item in value.items()}
            if isinstance(value, list):
                return [text(item) for item in value]
            return "infinite" if value == math.inf else value

        return json.dumps(text(found), indent=2)


def _changed(rows: Array, usual: Array) -> list[dict[str, Any]]:
    """Records as mappings, without members that have their defaults."""
    names = rows.dtype.names or ()
    return [{n: row[n].item() for n in names if row[n] != usual[n][0]} for row in rows]


def _unpickled(
    row: bytes,
    bodies: bytes,
    walls: bytes,
    polygons: list[tuple[Array, Array, float, bool, int, int, float, float]],
    rules: bytes,
    views: list[tuple[int, Array]],
    arcs: bytes = b"",
) -> Scene:
    scene = Scene.__new__(Scene)
    scene._parts = (
        np.frombuffer(bytearray(row), dtype("scene")),
        np.frombuffer(bytearray(bodies), BODY),
        np.frombuffer(bytearray(walls), WALL),
        polygons,
        np.frombuffer(bytearray(rules), RULE),
        views,
        np.frombuffer(bytearray(arcs), ARC),
    )
    scene._freeze()
    return scene


assert [f.name for f in fields(Body)] == list(BODY.names or ())
