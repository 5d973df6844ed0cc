# SPDX-License-Identifier: MIT
"""The numbers in observations: names, units, bounds and scales."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from . import _carom
from ._structs import Array


class Number(NamedTuple):
    """A number of an observation.

    `name` gives the body and the quantity ("mate.v_ahead"); `unit` what 1 means ("1000 units a tick"; "" for flags,
    cosines and shares). `low` and `high` bound it in every state that `Worlds.set` accepts, and may be infinite. In
    play it rarely exceeds the finite `scale`: `normalised=True` divides by that. A scene's scales follow from its box
    and speeds.
    """

    name: str
    unit: str
    low: float
    high: float
    scale: float


# Scales other than 1, by the end of the name. Measured in games of the first policy against itself: 999 of 1,000 values
# are within the scale.
_SCALES: dict[str, dict[str, float]] = {
    "csb": {
        r"\b(x|y|next_dx|next_dy|after_dx|after_dy|ahead|aside|next_distance|after_distance)": 2,
        r"\b(vx|vy|v_ahead|v_aside|away|aside)": 2,
        r"progress": 16,
    },
    "fantastic_bits": {r"\b(vx|vy)": 3},
    "soccer": {r"\b(vx|vy|v_ahead|v_aside|away|aside)": 2, r"distance": 1.25},
    "stones": {r"\b(vx|vy)": 3},
    "fall": {r"\b(vx|vy)": 5},
}


class SceneScale(NamedTuple):
    """Typical limits of a scene: coordinates, distances between bodies along each axis, speeds."""

    x: float
    y: float
    way_x: float
    way_y: float
    speed: float

    def of(self, name: str) -> float:
        """The scale of the number with this name."""
        owner, _, what = name.rpartition(".")
        if what in ("vx", "vy", "away", "aside"):
            return self.speed
        if owner.startswith("ray"):
            return 1.0
        relative = owner.startswith("seen")
        return getattr(self, f"way_{what}" if relative else what)  # type: ignore[no-any-return]


def scene_scale(row: Array, bodies: Array) -> SceneScale:
    """Coordinates from the box, or from where the bodies start. Speeds from the limit, or from what moves bodies."""
    places, ways = [], []
    for axis, side in (("x", "horizontal"), ("y", "vertical")):
        if row[f"box_{side}"][0]:
            low, high = float(row[f"box_{axis}0"][0]), float(row[f"box_{axis}1"][0])
            places.append(max(abs(low), abs(high)))
            ways.append(high - low)
        else:
            radius = bodies["radius"] + bodies["radius_spread"]
            places.append(float(np.max(np.abs(bodies[axis]) + bodies[f"{axis}_spread"] + radius)))
            ways.append(2 * places[-1])
    speed = float(row["speed_limit"][0])
    if not math.isfinite(speed):
        start = np.hypot(np.abs(bodies["vx"]) + bodies["vx_spread"], np.abs(bodies["vy"]) + bodies["vy_spread"])
        fall = np.sqrt(2 * np.hypot(bodies["ax"], bodies["ay"]) * max(ways))
        scale, dt = float(row["action_scale"][0]), float(row["dt"][0])
        pushed = {0: scale / bodies["mass"], 1: scale, 2: scale * dt}[int(row["action"][0])] * bodies["acts"]
        if row["action"][0] != 1:  # pushes add up until damping balances them, or for a hundred ticks
            pushed = pushed / np.maximum(bodies["damping"], 0.01)
        speed = 2 * float(np.max(np.maximum(np.maximum(start, fall), pushed)))  # a heavy body can double it
    x, y, way_x, way_y, speed = (number if number > 0 else 1.0 for number in (*places, *ways, speed))
    return SceneScale(x, y, way_x, way_y, speed)


def numbers(game: str, address: int, kind: int, scene: SceneScale | None, outside: bool) -> tuple[Number, ...]:
    """The numbers of a kind of observation."""
    table: Mapping[str, float] = {} if outside else _SCALES.get(game, {})
    found = []
    for name, unit, low, high in _carom.game_numbers(address, kind):
        most = max(abs(low), abs(high))
        if scene is not None:
            scale = scene.of(name)
        else:
            matching = [scale for pattern, scale in table.items() if re.search(pattern + "$", name)]
            scale = matching[0] if matching and most > 1 else 1.0
        found.append(Number(name, unit, low, high, min(scale, most)))
    return tuple(found)
