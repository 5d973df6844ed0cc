#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A break shot, many times: each world of one batch has its own angle of the cue ball. Writes billiards.png.

python examples/python/billiards.py --shots 1000
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import carom

TABLE = Path(__file__).resolve().parents[1] / "scenes" / "billiards.json"
BALLS, POCKETS = 16, 6
TICKS = 400


def main() -> None:
    """Plays all shots, removes balls that reach a pocket, and plots the best shot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shots", type=int, default=500)
    parser.add_argument("--speed", type=float, default=9.0, help="of the cue ball, m/s")
    parser.add_argument("--out", default="billiards.png")
    args = parser.parse_args()
    scene = carom.Scene.from_file(TABLE)
    worlds = scene.worlds(args.shots)
    angles = np.linspace(-0.06, 0.06, args.shots)
    for name, speeds in (("vx", args.speed * np.cos(angles)), ("vy", args.speed * np.sin(angles))):
        velocities = worlds[name]
        velocities[:, 0] = speeds
        worlds[name] = velocities
    active = worlds["active"]
    places = np.empty((TICKS, args.shots, BALLS, 2))
    impacts = 0
    for tick in range(TICKS):
        found = worlds.play(events=64).impacts()
        impacts += len(found)
        # A ball and a pocket: bodies from BALLS on are the pockets, discs that are sensors.
        pocketed = found[(found["kind"] == 0) & (found["second"] >= BALLS) & (found["first"] < BALLS)]
        if len(pocketed):
            active[pocketed["world"], pocketed["first"]] = 0
            worlds["active"] = active
        places[tick, :, :, 0], places[tick, :, :, 1] = worlds["x"][:, :BALLS], worlds["y"][:, :BALLS]
    down = BALLS - active[:, :BALLS].sum(1)
    best = int(down.argmax())
    print(f"{args.shots} shots, {impacts} impacts; balls pocketed: mean {down.mean():.2f}, most {down[best]} "
          f"at {np.degrees(angles[best]):.2f} degrees; worlds with a fault: {worlds.faults().worlds}")  # fmt: skip

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (table, share) = plt.subplots(2, 1, figsize=(7, 6), height_ratios=(2, 1))
    for wall in scene.walls:
        table.plot([wall["ax"], wall["bx"]], [wall["ay"], wall["by"]], "k", lw=2)
    for body in scene.bodies[BALLS:]:
        table.add_patch(plt.Circle((body["x"], body["y"]), body["radius"], color="0.8"))
    for ball in range(BALLS):
        path = places[:, best, ball]
        table.plot(path[:, 0], path[:, 1], lw=0.7)
        if active[best, ball]:
            table.add_patch(plt.Circle(path[-1], scene.bodies["radius"][ball], color="C3" if ball else "0.4"))
    table.set_aspect("equal")
    table.set_title(f"the best of {args.shots} break shots")
    share.plot(np.degrees(angles), down, ".", ms=3)
    share.set_xlabel("angle of the cue ball, degrees")
    share.set_ylabel("balls pocketed")
    figure.tight_layout()
    figure.savefig(args.out, dpi=120)


if __name__ == "__main__":
    main()
