#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hooks of a scene, written in Python and compiled by Numba: pinball, with gravity that turns and bumpers that kick.

python examples/python/hooks.py --worlds 1000

A hook is a C function that the library calls while it plays, from several threads at once. `numba.cfunc` compiles one
from Python, and the scene takes its address. It must depend only on its arguments. The scene does not keep it alive:
keep the result of cfunc() as long as there are worlds of the scene.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

import carom

BALLS, BUMPERS = 8, 5
GRAVITY = 3.0
KICK = 4.0  # the least speed at which a bumper sends a ball away

# carom_response_hook: void (void *user, size_t count, carom_impact *impacts)
RESPONSE = types.void(types.voidptr, types.uintp, types.CPointer(numba.from_dtype(carom.IMPACT)))
# carom_range_hook: void (void *user, const carom_scene_range *range)
RANGE = types.void(types.voidptr, types.CPointer(numba.from_dtype(carom.RANGE)))


@intrinsic
def at(_context: Any, address: Any) -> Any:
    """A member of carom.RANGE as a pointer, for numba.carray()."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@numba.cfunc(RESPONSE)
def bump(_user, count, impacts):
    """Balls collide as usual; a bumper, which is fixed, sends a ball straight away.

    Each impact is in another world. Velocities are those before it, and must be set to those after it.
    """
    for i in numba.carray(impacts, count):
        away = (i.vx1 - i.vx2) * i.nx + (i.vy1 - i.vy2) * i.ny  # negative: they approach
        leave = -away
        if i.kind != 0:  # a side, wall or polygon
            leave *= 0.9
        elif i.inverse_mass1 == 0 or i.inverse_mass2 == 0:
            leave = max(KICK, leave)
        push = (leave - away) / (i.inverse_mass1 + i.inverse_mass2)
        i.vx1 += push * i.inverse_mass1 * i.nx
        i.vy1 += push * i.inverse_mass1 * i.ny
        i.vx2 -= push * i.inverse_mass2 * i.nx
        i.vy2 -= push * i.inverse_mass2 * i.ny


@numba.cfunc(RANGE)
def turn(_user, ranges):
    """At the start of a tick: gravity, whose direction turns once in 200 ticks.

    Body b of world l of the range is at [b * stride + l]. This scene's worlds are in f64, so it reads vx64 and vy64.
    """
    r = numba.carray(ranges, 1)[0]
    size = (BALLS + BUMPERS) * r.stride
    ticks = numba.carray(at(r.tick), r.count, np.int32)
    vx, vy = numba.carray(at(r.vx64), size, np.float64), numba.carray(at(r.vy64), size, np.float64)
    for world in range(r.count):
        angle = 2 * math.pi * ticks[world] / 200
        for ball in range(BALLS):
            vx[ball * r.stride + world] += GRAVITY * r.dt * math.sin(angle)
            vy[ball * r.stride + world] -= GRAVITY * r.dt * math.cos(angle)


@numba.cfunc(RANGE)
def swirl(_user, ranges):
    """A measure, which writes range.value[l]: the balls' angular momentum around the middle."""
    r = numba.carray(ranges, 1)[0]
    size = (BALLS + BUMPERS) * r.stride
    x, y = numba.carray(at(r.x64), size, np.float64), numba.carray(at(r.y64), size, np.float64)
    vx, vy = numba.carray(at(r.vx64), size, np.float64), numba.carray(at(r.vy64), size, np.float64)
    value = numba.carray(at(r.value), r.count, np.float64)
    for world in range(r.count):
        value[world] = 0.0
        for ball in range(BALLS):
            k = ball * r.stride + world
            value[world] += x[k] * vy[k] - y[k] * vx[k]


def scene(**made: Any) -> carom.Scene:
    """A ring of bumpers in a box, and balls."""
    balls = [carom.Body(x=-1.75 + 0.5 * k, y=1.5, x_spread=0.1, vx_spread=1, radius=0.1) for k in range(BALLS)]
    angles = [2 * math.pi * k / BUMPERS for k in range(BUMPERS)]
    bumpers = [carom.Body(x=math.cos(a), y=math.sin(a), radius=0.25, mass=math.inf) for a in angles]
    hooks: dict[str, Any] = {
        "tick_hook": turn.address,
        "response_hook": bump.address,
        "reward": carom.Measure("user", hook=swirl.address),
    }
    return carom.Scene([*balls, *bumpers], box=((-2, -2), (2, 2)), dt=0.02, max_events=2000, **{**hooks, **made})


def timed(play: Callable[[], object]) -> float:
    """Seconds that it takes."""
    start = time.perf_counter()
    play()
    return time.perf_counter() - start


def main() -> None:
    """Plays the scene with and without its hooks, and prints their cost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--ticks", type=int, default=400)
    args = parser.parse_args()
    hooked, plain = scene().worlds(args.worlds), scene(tick_hook=0, response_hook=0, reward=None).worlds(args.worlds)
    with_hooks, without = timed(lambda: hooked.play(args.ticks)), timed(lambda: plain.play(args.ticks))
    speed = np.hypot(hooked["vx"][:, :BALLS], hooked["vy"][:, :BALLS]).mean()
    impacts, others = hooked.counters().events, plain.counters().events
    print(f"{args.worlds} worlds, {args.ticks} ticks: {impacts} impacts, mean speed {speed:.2f}; "
          f"worlds with a fault: {hooked.faults().worlds}; digest {hooked.digest():016x}")  # fmt: skip
    each = 1e9 / args.worlds / args.ticks
    print(f"{with_hooks * each:.0f} ns a world and tick with the hooks, {without * each:.0f} without, "
          f"{impacts / max(1, others):.1f} times the impacts")  # fmt: skip


if __name__ == "__main__":
    main()
