# SPDX-License-Identifier: MIT
"""Worlds of a scene that differ: fields, draws, refusals, and each against the only world of a scene with its
numbers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom

STATE = ("x", "y", "vx", "vy")


def table(**more: object) -> carom.Scene:
    """Three balls, a wall and a block in a box."""
    balls = [
        carom.Body(x=2, y=2, vx=3, vy=1, radius=0.5, radius_spread=0.25, mass_spread=0.5),
        {"x": 5, "y": 5, "vx": -2, "radius": 0.75, "restitution": 0.8, "restitution_spread": 0.2},
        carom.Body(x=8, y=3, mass=math.inf, radius=0.5),
    ]
    wall = carom.Wall((0, 7), (4, 7), bx_spread=1)
    block = carom.Polygon([(6, 7), (8, 7), (7, 9)], x_spread=0.5, y_spread=0.25)
    return carom.Scene(balls, [wall], [block], ((0, 0), (10, 10)), dt=0.25, dt_spread=0.125, varies=["there"], **more)


@pytest.mark.parametrize("engine", ["wide", "deep"])
def test_worlds_are_their_own_scenes(engine: str) -> None:
    """A world plays as the scene that is described with its numbers."""
    worlds = table(engine=engine).worlds(17, precision="f64")
    worlds.set("wall_there", np.arange(17).reshape(-1, 1) % 2)
    own = {
        name: worlds.get(name) for name in ("radius", "mass", "restitution", "wall_bx", "corner_x", "corner_y", "dt")
    }
    start = {name: worlds.get(name) for name in STATE}
    assert all(np.ptp(own[name][:, 0]) > 0 for name in own if name != "restitution")
    worlds.play(ticks=40)
    for w in range(17):
        bodies = carom.bodies(3, **{name: start[name][w] for name in STATE})
        for name in ("radius", "mass", "restitution"):
            bodies[name] = own[name][w]
        walls = [carom.Wall((0, 7), (own["wall_bx"][w, 0], 7))] if w % 2 else []
        block = carom.Polygon(np.stack([own["corner_x"][w], own["corner_y"][w]], 1))
        alone = carom.Scene(bodies, walls, [block], ((0, 0), (10, 10)), dt=float(own["dt"][w, 0]), engine=engine)
        world = alone.worlds(1, precision="f64")
        world.play(ticks=40)
        for name in STATE:
            np.testing.assert_array_equal(world.get(name)[0], worlds.get(name)[w])


def test_refusals() -> None:
    """A field refuses the same values as the description."""
    worlds = table().worlds(2)
    with pytest.raises(ValueError, match="radius"):
        worlds.set("radius", np.full((2, 3), -1.0))
    with pytest.raises((KeyError, ValueError), match="varies"):
        carom.Scene([carom.Body()], varies=["colour"])
    with pytest.raises(ValueError, match="mass_spread 2 takes mass below"):
        carom.Scene([carom.Body(mass_spread=2)])


def test_json() -> None:
    """The same by JSON."""
    scene = table()
    again = carom.Scene.from_json(scene.to_json())
    for a, b in zip(scene.worlds(3).save(), again.worlds(3).save(), strict=True):
        assert a == b

    text = '{"bodies": [{"radius_spread": 0.5, "action_scale": 2}], "varies": ["mass", "dt"], "dt_spread": 0.5}'
    read = carom.Scene.from_json(text).worlds(5, precision="f64")
    made = carom.Scene([carom.Body(radius_spread=0.5, action_scale=2)], varies=["dt", "mass"], dt_spread=0.5)
    other = made.worlds(5, precision="f64")
    for name in ("radius", "mass", "dt"):
        np.testing.assert_array_equal(read.get(name), other.get(name))
