# SPDX-License-Identifier: MIT
"""pooltool: breaks of 9-ball without friction, spin and pockets; ten equal elastic balls, a table of 1.98 x 0.99 m.

A step is an impact of two balls or of a ball and a cushion; a break lasts 7 s and has about 315. f64. Racks and their
gaps are pooltool's; the cue ball's speed is 11 m/s.
  pooltool plays one break after another on one thread, with its models `FrictionlessElastic` and `UnrealisticLinear` (a
    mirror), compiled before the clock starts. It keeps the history of all balls. Friction is 1e-9, since with exactly 0
    all its times of impact are 0: the leading coefficient of its quartic vanishes.
  Carom plays the same balls in a box in a tick of 7 s: also one break after another on one thread, or all in one call.
    It has neither friction nor spin, so this says nothing about billiards with them.

`check` compares impacts one by one. pooltool separates balls after an impact, here by 1e-12 m. Each impact of a ball
multiplies a difference by about ten, until two impacts change their order: from then on the breaks differ.

pooltool requires a version of panda3d that is not on PyPI: pip install --no-deps pooltool-billiards, then panda3d,
panda3d-gltf, panda3d-simplepbr, numba, numpy-quaternion, scipy, attrs, cattrs, msgpack, msgpack-numpy, pyyaml, click,
pillow, h5py, h11, rich.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import carom

from .contest import Contest, Work

WIDTH, LENGTH, SECONDS, SPEED, BREAKS = 0.99, 1.98, 7.0, 11.0, 10
FRICTION, SPACER = 1e-9, 1e-12


def shots() -> list[Any]:
    """pooltool's breaks, ready for simulation."""
    import pooltool as pt
    from pooltool.objects import BallParams, BilliardTableSpecs

    pt.constants.MIN_DIST = SPACER
    params = BallParams(
        u_s=FRICTION, u_r=FRICTION, u_sp_proportionality=FRICTION, u_b=FRICTION, e_b=1.0, e_c=1.0, f_c=FRICTION
    )
    found = []
    for k in range(BREAKS):
        random.seed(k)  # pooltool draws the order of a rack from it
        np.random.seed(k)  # noqa: NPY002  and its gaps by this
        table = pt.Table.from_table_specs(BilliardTableSpecs(l=LENGTH, w=WIDTH))
        balls = pt.get_rack(pt.GameType.NINEBALL, table, ball_params=params)
        way = balls["1"].xyz - balls["cue"].xyz
        balls["cue"].state.rvw[1] = SPEED * way / np.linalg.norm(way)
        balls["cue"].state.s = pt.constants.sliding
        found.append(pt.System(cue=pt.Cue(cue_ball_id="cue"), table=table, balls=balls))
    return found


def engine() -> Any:
    """Its physics without friction."""
    from pooltool.physics.engine import PhysicsEngine
    from pooltool.physics.resolve.ball_ball.frictionless_elastic import FrictionlessElastic
    from pooltool.physics.resolve.ball_cushion.unrealistic import UnrealisticLinear
    from pooltool.physics.resolve.resolver import default_resolver

    resolver = default_resolver()
    resolver.ball_ball = FrictionlessElastic()
    resolver.ball_linear_cushion = UnrealisticLinear()
    return PhysicsEngine(resolver)


def pair(*names: str) -> tuple[str, ...]:
    """A colliding pair, in either order."""
    return tuple(sorted(names))


def impacts_of(shot: Any) -> list[tuple[float, tuple[str, ...]]]:
    """Times and pairs; a cushion is "cushion"."""
    found = []
    for event in shot.events:
        if event.time <= SECONDS and event.event_type == "ball_ball":
            found.append((event.time, pair(*event.ids)))
        elif event.time <= SECONDS and event.event_type == "ball_linear_cushion":
            found.append((event.time, pair(event.ids[0], "cushion")))
    return found


def theirs(envs: int, threads: int) -> Work:
    """pooltool, three breaks in turn."""
    del envs, threads
    import pooltool as pt

    physics, fresh = engine(), shots()[:3]
    played: list[Any] = []
    count = sum(len(impacts_of(pt.simulate(shot, physics, t_final=SECONDS))) for shot in fresh)

    def prepare() -> None:
        played[:] = [shot.copy() for shot in fresh]

    def call() -> None:
        for shot in played:
            pt.simulate(shot, physics, inplace=True, t_final=SECONDS)

    return Work(call, count, prepare, calls=1)


def worlds_of(copies: int, threads: int) -> tuple[carom.Worlds, list[str]]:
    """The same breaks, `copies` times each; and the balls' names."""
    breaks = shots()
    names = sorted(breaks[0].balls)
    radius = breaks[0].balls["cue"].params.R
    bodies = [carom.Body(x=0.1 + 0.08 * k, y=0.1, radius=radius) for k in range(len(names))]
    scene = carom.Scene(bodies, box=((0, 0), (WIDTH, LENGTH)), dt=SECONDS)
    worlds = scene.worlds(BREAKS * copies, threads=threads, precision="f64")
    rvw = np.array([[shot.balls[name].state.rvw[:2, :2] for name in names] for shot in breaks])
    for axis, name in enumerate("xy"):
        for field, values in ((name, rvw[:, :, 0, axis]), ("v" + name, rvw[:, :, 1, axis])):
            worlds[field] = np.repeat(values, copies, axis=0)
    return worlds, names


def ours(copies: int, threads: int) -> Work:
    """All breaks in one call."""
    worlds, _ = worlds_of(copies, threads)
    saved = worlds.save()
    worlds.play()
    count = worlds.counters().events
    return Work(worlds.play, count, lambda: worlds.load(saved), calls=1)


def one_by_one() -> Work:
    """A call for each break, as pooltool plays them."""
    worlds, _ = worlds_of(1, 1)
    saved = worlds.save()
    worlds.play()
    count = worlds.counters().events

    def call() -> None:
        for k in range(BREAKS):
            worlds.play(first=k, count=1)

    return Work(call, count, lambda: worlds.load(saved), calls=1)


def check() -> str:
    """The number of equal impacts, and how close the next two are in time."""
    import pooltool as pt

    worlds, names = worlds_of(1, 1)
    played = worlds.play(events=2000).impacts()
    physics = engine()
    same, first, last, counts = [], [], [], np.zeros(2, int)
    for k, shot in enumerate(shots()):
        theirs = impacts_of(pt.simulate(shot, physics, t_final=SECONDS))
        mine = [
            (SECONDS * (1 - i["left"]), pair(names[i["first"]], names[i["second"]] if i["kind"] == 0 else "cushion"))
            for i in played[played["world"] == k]
        ]
        pairs = list(zip(mine, theirs, strict=False))
        same.append(next((n for n, (a, b) in enumerate(pairs) if a[1] != b[1]), len(pairs)))
        apart = [abs(a[0] - b[0]) for a, b in pairs[: same[-1]]]
        first.append(apart[0])
        last.append(max(apart))
        counts += len(mine), len(theirs)
    return (
        f"the first {min(same)} to {max(same)} impacts of a break are the same, their times {max(first):.0e} s apart "
        f"at first and {max(last):.0e} s at last; impacts a break: {counts[0] / BREAKS:.0f}, "
        f"pooltool {counts[1] / BREAKS:.0f}"
    )


CONTEST = Contest(
    "9-ball without friction, millions of impacts a second",
    {
        "Carom: one break at a time": lambda n, t: one_by_one(),
        "Carom: all at a time": lambda n, t: ours(max(n // BREAKS, 1), t),
        "pooltool: one break at a time": theirs,
    },
    check,
    peer="pooltool: one break at a time",
)
