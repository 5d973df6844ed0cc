# SPDX-License-Identifier: MIT
"""haxball_core and haxballgym (CPython 3.12 and later): HaxBall's classic field, 1 against 1 and 3 against 3.

A tick is 1/60 s, in every row. Carom's scene has HaxBall's ball, players, posts, walls and goals, with its radii,
masses, restitutions, damping and acceleration; the ball's walls let players pass. It has no kick, and nets are
straight; pushes are along one axis, since only HaxBall shortens diagonal ones. Until the first collision both play the
same game: see `check`. haxball_core moves everything, then corrects overlaps once; Carom plays each impact at its time.
haxball_core has only f64.

  physics: a step is a tick without observations, 8 a call with an action each; both from the same random states (ball
    and players anywhere, never overlapping) and with the same random pushes. haxball_core: `VecEnv.physics_step`
  training: a step is 8 ticks of one environment, with observations of every player, rewards, and ends, after which a
    new game begins. haxballgym: `Env.step` with its defaults, 12 numbers and 4 more for each other player; Carom:
    `Worlds.step`, views of all discs, 8 and 4 more, rewards for nearing the ball and bringing it to the goal
  all push: haxball_core's own benchmark, `VecEnv.rollout_bench`: a step is a tick; all worlds are alike, from the
    kick-off, and every player always pushes into one corner: no one touches the ball, all lean on a wall
Carom's `soccer` is a different game, also at 60 ticks a second: robots that turn, kick and dribble.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import carom

from .contest import Contest, Work

BALL, RED, BLUE = 1, 2, 4  # categories
TICKS = 8  # held actions
PUSHED = 256  # worlds in which all push
CALLS = 32  # then the states are reset: few games have ended by then


def scene(side: int, **more: Any) -> carom.Scene:
    """HaxBall's classic field with `side` players a side, lengths in its units, times in ticks."""
    ball: dict[str, Any] = {"radius": 10, "mass": 1, "restitution": 0.5, "damping": 0.01, "category": BALL}
    player: dict[str, Any] = {"radius": 15, "mass": 2, "restitution": 0.5, "damping": 0.04, "acts": True}
    lines = np.resize([0, 55, -55], side)
    players = [
        carom.Body(x=(-277.5, 277.5)[team], y=y, player=team, category=(RED, BLUE)[team], **player)
        for team in (0, 1)
        for y in lines
    ]
    posts = [carom.Body(x=x, y=y, radius=8, mass=np.inf, restitution=0.5) for x in (-370, 370) for y in (-64, 64)]
    walls = [carom.Wall((x, y), (x, y + (106 if y > 0 else -106)), mask=BALL) for x in (-370, 370) for y in (-64, 64)]
    walls += [carom.Wall((-420, y), (420, y), mask=BALL) for y in (-170, 170)]
    goals = [carom.Wall((x, -64), (x, 64), sensor=True, mask=BALL) for x in (381, -381)]  # the whole ball is inside
    bodies = [carom.Body(**ball), *players, *posts]
    discs = range(2 * side + 1)
    rules = [carom.Rule("meets_wall", which=len(walls) + team, ends=True, winner=team) for team in (0, 1)]
    for me in discs[1:]:
        rules += [
            carom.Rule("nears_body", body=me, which=0, reward=0.01),
            carom.Rule("nears_point", at=((370, 0), (-370, 0))[bodies[me].player], reward=0.01, to=me),
        ]
    return carom.Scene(
        bodies, [*walls, *goals], box=carom.Box((-420, -200), (420, 200), restitution=0),
        action="acceleration", action_scale=0.1, rules=rules, last_tick=2000,
        views=[carom.View(me, [other for other in discs if other != me]) for me in discs[1:]], **more,
    )  # fmt: skip


def starts(envs: int, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities of ball and players, [world, disc, 2]: each disc in its own cell."""
    rng = np.random.default_rng(1)
    cells = np.stack(np.meshgrid(np.linspace(-300, 300, 7), [-120, -40, 40, 120]), -1).reshape(-1, 2)
    chosen = rng.permuted(np.tile(np.arange(len(cells)), (envs, 1)), axis=1)[:, : 2 * side + 1]
    places = cells[chosen] + rng.uniform(-20, 20, (envs, 2 * side + 1, 2))
    velocities = rng.uniform(-2, 2, places.shape)
    velocities[:, 0] *= 2  # the ball's
    return places, velocities


def pushes(envs: int, side: int) -> np.ndarray:
    """[call, world, player, 2]: nowhere, or along an axis."""
    ways = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
    return ways[np.random.default_rng(2).integers(0, 5, (CALLS, envs, 2 * side))]


def worlds_of(envs: int, threads: int, side: int, precision: str, **made: Any) -> carom.Worlds:
    """Carom's worlds, in the random states."""
    worlds = scene(side).worlds(envs, threads=threads, precision=precision, at_end="reset", **made)
    places, velocities = starts(envs, side)
    for axis, name in enumerate("xy"):
        for field, values in ((name, places), ("v" + name, velocities)):
            array = worlds[field].copy()
            array[:, : 2 * side + 1] = values[..., axis]
            worlds[field] = array
    return worlds


def ours(envs: int, threads: int, side: int, precision: str) -> Work:
    """Physics alone."""
    worlds = worlds_of(envs, threads, side, precision)
    saved = worlds.save()
    acts = pushes(envs, side).astype(np.float32).reshape(CALLS, 1, *worlds.actions.shape)
    each = iter(())

    def prepare() -> None:
        nonlocal each
        worlds.load(saved)
        each = iter(acts)

    return Work(lambda: worlds.play(actions=next(each, acts[0]), repeat=TICKS), envs * TICKS, prepare, CALLS)


def needs_newer_python() -> None:
    """Raises ImportError if it is not installed."""
    if sys.version_info < (3, 12):
        raise ImportError("haxball_core has wheels for CPython 3.12 and later")


def engine(envs: int, side: int) -> Any:
    """haxball_core's matches; RAYON_NUM_THREADS set the threads when the program started."""
    needs_newer_python()
    import haxball_core

    return haxball_core.VecEnv(envs, side, side, step_limit=1 << 30, tick_skip=TICKS)


def put(matches: Any, envs: int, side: int) -> None:
    """Sets haxball_core's matches to the random states."""
    places, velocities = (np.ascontiguousarray(array) for array in starts(envs, side))
    ball, players = (np.ascontiguousarray(a) for a in (places[:, 0], places[:, 1:]))
    matches.set_state(ball, np.ascontiguousarray(velocities[:, 0]), players, np.ascontiguousarray(velocities[:, 1:]))


def theirs(envs: int, threads: int, side: int) -> Work:
    """Physics alone."""
    del threads
    matches = engine(envs, side)
    acts = np.zeros((CALLS, envs, 2 * side, 3), np.int64)
    acts[..., :2] = pushes(envs, side)
    each = iter(())

    def prepare() -> None:
        nonlocal each
        put(matches, envs, side)
        each = iter(acts)

    return Work(lambda: matches.physics_step(next(each, acts[0])), envs * TICKS, prepare, CALLS)


def our_training(envs: int, threads: int, side: int, precision: str) -> Work:
    """Observations, rewards and ends."""
    worlds = worlds_of(envs, threads, side, precision, observation="ego", reward="own", repeat=TICKS)
    saved = worlds.save()
    acts = pushes(envs, side).astype(np.float32).reshape(CALLS, *worlds.actions.shape)
    each = iter(())

    def prepare() -> None:
        nonlocal each
        worlds.load(saved)
        each = iter(acts)

    return Work(lambda: worlds.step(next(each, acts[0])), envs, prepare, CALLS)


def their_training(envs: int, threads: int, side: int) -> Work:
    """haxballgym with its defaults."""
    del threads
    needs_newer_python()
    from haxballgym import make_default_env

    env = make_default_env(envs, side, side, tick_skip=TICKS)
    env.reset()
    acts = np.zeros((CALLS, envs, 2 * side, 3), np.int64)
    acts[..., :2] = 1 + pushes(envs, side)
    each = iter(())

    def prepare() -> None:
        nonlocal each
        put(env.engine._e, envs, side)
        each = iter(acts)

    return Work(lambda: env.step(next(each, acts[0])), envs, prepare, CALLS)


def our_push(envs: int, threads: int, side: int, precision: str, contact_time: float) -> Work:
    """All push into a corner, from the kick-off on; at most 256 worlds, since a call with more takes minutes."""
    envs = min(envs, PUSHED)
    worlds = scene(side, contact_time=contact_time).worlds(envs, threads=threads, precision=precision)
    acts = np.ones((1, *worlds.actions.shape), np.float32)
    return Work(lambda: worlds.play(actions=acts, repeat=200), envs * 200, worlds.reset, calls=1)


def their_push(envs: int, threads: int, side: int) -> Work:
    """The same, with the kick pressed."""
    del threads
    envs = min(envs, PUSHED)
    matches = engine(envs, side)
    return Work(lambda: matches.rollout_bench(200), envs * 200, matches.reset_all, calls=1)


def soccer(envs: int, threads: int, side: int) -> Work:
    """Carom's robots from the kick-off, with random actions."""
    worlds = carom.Worlds("soccer", envs, threads=threads, precision="f64", at_end="reset", robots=side, rate=60.0)
    acts = np.random.default_rng(2).uniform(-1, 1, (1, *worlds.actions.shape)).astype(worlds.actions.dtype)
    return Work(lambda: worlds.play(actions=acts, repeat=TICKS), envs * TICKS, worlds.reset, CALLS)


def check(side: int, envs: int = 1000) -> str:
    """Are the worlds the same until the first collision?"""
    acts = np.zeros((envs, 2 * side, 3), np.int64)
    acts[..., :2] = pushes(envs, side)[0]
    worlds, matches = worlds_of(envs, 1, side, "f64"), engine(envs, side)
    put(matches, envs, side)
    matches.physics_step(acts)
    ball, _, players, *_ = matches.snapshot()
    theirs = np.concatenate([ball[:, None], players], axis=1)
    worlds.play(actions=acts[None, ..., :2].astype(np.float32).reshape(1, *worlds.actions.shape), repeat=TICKS)
    mine = np.stack([worlds["x"], worlds["y"]], axis=-1)[:, : 2 * side + 1]
    same = (np.abs(mine - theirs).max(axis=(1, 2)) < 1e-9).sum()
    events = worlds.counters().events
    return f"after {TICKS} ticks {same} of {envs} worlds are equal to 1e-9; Carom has had {events} impacts in all"


def check_push(side: int, envs: int = 100) -> str:
    """The number of impacts caused by leaning on walls."""
    found = []
    for contact_time in (0, 0.1):
        worlds = scene(side, contact_time=contact_time).worlds(envs, precision="f64")
        worlds.play(actions=np.ones((1, *worlds.actions.shape), np.float32), repeat=200)
        found.append(f"{worlds.counters().events / (200 * envs):.1f}")
        assert worlds.faults().worlds == 0, "worlds are frozen: their speed means nothing"
    return f"impacts a tick in Carom: {found[0]}, with contact_time 0.1 {found[1]}"


def contests(side: int) -> list[Contest]:
    """The contests for a number of players a side."""
    name = f"football {side} against {side}"
    return [
        Contest(
            f"{name}, physics, millions of ticks a second",
            {
                "Carom: a scene, f64": lambda n, t: ours(n, t, side, "f64"),
                "Carom: a scene, f32": lambda n, t: ours(n, t, side, "f32"),
                "(Carom: soccer, f64: another game)": lambda n, t: soccer(n, t, side),
                "haxball_core": lambda n, t: theirs(n, t, side),
            },
            lambda: check(side),
            "haxball_core",
        ),
        Contest(
            f"{name}, training, millions of steps of 8 ticks a second",
            {
                "Carom: a scene, f64, ego": lambda n, t: our_training(n, t, side, "f64"),
                "Carom: a scene, f32, ego": lambda n, t: our_training(n, t, side, "f32"),
                "haxballgym": lambda n, t: their_training(n, t, side),
            },
            peer="haxballgym",
        ),
        Contest(
            f"{name}, all push into a corner, millions of ticks a second",
            {
                "Carom: a scene, f64": lambda n, t: our_push(n, t, side, "f64", 0),
                "Carom: the same, contact_time 0.1": lambda n, t: our_push(n, t, side, "f64", 0.1),
                "haxball_core": lambda n, t: their_push(n, t, side),
            },
            lambda: check_push(side),
            "haxball_core",
        ),
    ]


CONTESTS = contests(1) + contests(3)
