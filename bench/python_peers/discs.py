# SPDX-License-Identifier: MIT
"""MuJoCo: four elastic discs of radius 0.3 m in a box of 2 x 2 m, with up to 4 m/s along each axis.

A step is 20 ms of one world without observations; a call plays 20 of them from the same random states.
  MuJoCo: `mujoco.rollout`, 10 substeps of its default 2 ms; two slide joints a body, spheres and four planes, no
    gravity, friction or rotation, Euler, elastic contacts (solref "-50000 0"): the lightest model for this. MuJoCo is
    general (3D, joints, friction, soft contacts); none of that is used here
  Carom: the same discs with restitution 1, in 10 ticks of 2 ms; or in one of 20 ms, since a long tick misses no impact
Not the same: contacts. MuJoCo's are stiff springs, which do not keep a contact's energy: see `check`. Substeps of 10 ms
are unstable with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import carom

from .contest import Contest, Work

SIDE, RADIUS, SPEED = 2.0, 0.3, 4.0
STEP, SUBSTEP, STEPS = 0.02, 0.002, 20


def starts(envs: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities, [world, disc, 2]: each disc in its quarter of the box."""
    rng = np.random.default_rng(1)
    quarter = np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) * SIDE / 2
    places = quarter + rng.uniform(RADIUS, SIDE / 2 - RADIUS, (envs, 4, 2))
    return places, rng.uniform(-SPEED, SPEED, (envs, 4, 2))


def model() -> Any:
    """MuJoCo's model."""
    import mujoco

    body = "".join(
        f'<body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
        f'<geom type="sphere" size="{RADIUS}" mass="1"/></body>'
        for _ in range(4)
    )
    sides = "".join(
        f'<geom type="plane" size="0 0 1" pos="{pos} 0" zaxis="{axis} 0"/>'
        for pos, axis in (("0 0", "1 0"), ("0 0", "0 1"), (f"{SIDE} 0", "-1 0"), (f"0 {SIDE}", "0 -1"))
    )
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{SUBSTEP}" gravity="0 0 0" integrator="Euler"/>'
        f'<default><geom condim="1" friction="0 0 0" solref="-50000 0"/></default>'
        f"<worldbody>{sides}{body}</worldbody></mujoco>"
    )


def rollouts(envs: int, threads: int) -> Any:
    """A function that plays some steps and returns MuJoCo's last states [world, 17]: time, positions, velocities."""
    import mujoco
    from mujoco import rollout

    made = model()
    places, velocities = (array.reshape(envs, 8) for array in starts(envs))
    initial = np.concatenate([np.zeros((envs, 1)), places, velocities], axis=1)
    data = [mujoco.MjData(made) for _ in range(threads)]
    runner = rollout.Rollout(nthread=threads if threads > 1 else 0)

    def play(steps: int) -> np.ndarray:
        states, _ = runner.rollout(made, data, initial, nstep=round(steps * STEP / SUBSTEP))
        return states[:, -1]

    return play


def theirs(envs: int, threads: int) -> Work:
    """MuJoCo from the same states in every call; at most 1,024 worlds, since more make calls longer but not faster."""
    envs = min(envs, 1024)
    play = rollouts(envs, threads)
    return Work(lambda: play(STEPS), envs * STEPS, calls=1)


def scene() -> carom.Scene:
    """The discs as a scene."""
    return carom.Scene(
        [carom.Body(x=SIDE / 4 * (1 + 2 * (k % 2)), y=SIDE / 4 * (1 + 2 * (k // 2)), radius=RADIUS) for k in range(4)],
        box=((0, 0), (SIDE, SIDE)),
    )


def made(envs: int, threads: int, precision: str) -> tuple[carom.Worlds, Any]:
    """Worlds, and a function that resets them."""
    worlds = scene().worlds(envs, threads=threads, precision=precision)
    places, velocities = starts(envs)
    worlds["x"], worlds["y"] = places[..., 0], places[..., 1]
    worlds["vx"], worlds["vy"] = velocities[..., 0], velocities[..., 1]
    saved = worlds.save()
    return worlds, lambda: worlds.load(saved)


def ours(ticks: int, precision: str, envs: int, threads: int) -> Work:
    """Carom, with a number of ticks a step."""
    worlds, put_back = made(envs, threads, precision)
    return Work(lambda: worlds.play(STEPS * ticks, dt=STEP / ticks), envs * STEPS, put_back, calls=1)


def check(envs: int = 200, steps: int = 100) -> str:
    """The remaining share of the energy after 2 s, in the median and the worst worlds, and impacts a step."""
    _, before = starts(envs)
    states = rollouts(envs, 1)(steps)
    worlds, _ = made(envs, 1, "f64")
    worlds.play(steps, dt=STEP)
    energy = (before**2).sum(axis=(1, 2))
    kept = (states[:, 9:] ** 2).sum(1) / energy
    mine = ((worlds["vx"] ** 2).sum(1) + (worlds["vy"] ** 2).sum(1)) / energy
    impacts = worlds.counters().events / (envs * steps)
    return (
        f"{impacts:.2f} impacts a step; energy after 2 s: Carom {mine.min():.9f} to {mine.max():.9f} of that before, "
        f"MuJoCo {np.median(kept):.3f} ({kept.min():.2f} to {kept.max():.2f})"
    )


CONTEST = Contest(
    "4 discs in a box, millions of steps of 20 ms a second",
    {
        "Carom: one tick of 20 ms, f64": lambda n, t: ours(1, "f64", n, t),
        "Carom: 10 ticks of 2 ms, f64": lambda n, t: ours(10, "f64", n, t),
        "Carom: 10 ticks of 2 ms, f32": lambda n, t: ours(10, "f32", n, t),
        "MuJoCo rollout: 10 of 2 ms": theirs,
    },
    check,
    peer="MuJoCo rollout: 10 of 2 ms",
)
