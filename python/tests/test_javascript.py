# SPDX-License-Identifier: MIT
"""The table that the JavaScript package is held to, javascript/tests/expected.json, is what the library gives here.

`python test_javascript.py` writes the table anew: after a change of results that is meant.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import carom

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "javascript" / "tests" / "expected.json"

GAMES: list[dict[str, Any]] = [
    {"game": "csb", "count": 33, "ticks": 60, "options": {"seed": 1, "players": ["race", "race"], "at_end": "reset"}},
    {"game": "csb", "count": 5, "ticks": 60, "options": {"seed": 2, "players": ["random", "zero"], "rules": "test",
                                                       "map_count": 3, "map_seed": 9}},
    {"game": "csb", "count": 3, "ticks": 40, "options": {"seed": 3, "players": ["race", "ram"], "laps": 2,
                                                         "maps": [[[3000, 2000], [9000, 2500], [12000, 7000]]]}},
    {"game": "fantastic_bits", "count": 17, "ticks": 60, "options": {"seed": 4, "players": ["striker", "random"],
                                                                     "seeds": [1, 2, 3]}},
    {"game": "soccer", "count": 9, "ticks": 100, "options": {"seed": 5, "players": ["striker", "striker"],
                                                             "league": "division_a"}},
    {"game": "stones", "count": 16, "ticks": 30, "options": {"seed": 6, "players": ["strike", "strike"]}},
    {"game": "fall", "count": 6, "ticks": 80, "options": {"seed": 7, "players": ["random"], "gravity": -3.0, "bodies": [
        {"x": 0.25, "y": 0.5, "vx": 0.1, "radius": 0.05}, {"x": 0.75, "y": 0.5, "vx": -0.2, "radius": 0.05},
        {"corners": [[-1, -1], [2, -1], [2, 0], [-1, 0]]}]}},
]  # fmt: skip
SCENES = sorted(path.name for path in (ROOT / "examples" / "scenes").glob("*.json"))
SOLVERS = ["fast", "half-b", "accurate", "textbook/branches", "pow-folded"]


def sha(data: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(data).tobytes()).hexdigest()[:16]


def columns(n: int, count: int) -> list[Any]:
    """Numbers in [-1, 1) that JavaScript makes, too: of a linear congruential generator of 32 bits."""
    state, found = 1, np.empty((count, n))
    for k in range(count):
        for i in range(n):
            state = (1664525 * state + 1013904223) % 2**32
            found[k, i] = state / 2**31 - 1
    return list(found)


def game(case: dict[str, Any]) -> dict[str, Any]:
    worlds = carom.Worlds(case["game"], case["count"], **case["options"])
    played = worlds.play(case["ticks"], events=4, rewards=True, observations=True)
    impacts = played.impacts()
    return {
        **case,
        "digest": str(worlds.digest()),
        "rewards": sha(played.rewards),
        "observations": sha(played.observations),
        "impacts": len(impacts),
        "left": sha(impacts["left"]),
        "save": sha(np.frombuffer(worlds.save(), np.uint8)),
        "svg": hashlib.sha256(worlds.svg(1).encode()).hexdigest()[:16],
    }


def scene(name: str) -> dict[str, Any]:
    worlds = carom.Scene.from_file(ROOT / "examples" / "scenes" / name).worlds(3, seed=8)
    impacts = worlds.play(25, events=8).impacts()
    return {"name": name, "digest": str(worlds.digest()), "impacts": len(impacts), "impulses": sha(impacts["impulse"])}


def searched() -> dict[str, Any]:
    roots = carom.Worlds("csb", 3, seed=9)
    found = carom.rollout(roots, k=40, horizon=5, opponent="race", elites=4, seed=10)
    noise = carom.gaussian(0.25, 0.5, hold=2)
    drawn = carom.rollout(roots, k=40, horizon=6, actions=noise, opponent="zero", value=roots.game.value_kinds[-1].name)
    search = carom.Search(roots, planner="cem", horizon=5, rollouts=512, opponent="race", seed=11)
    return {
        "returns": sha(found.returns),
        "best": [int(k) for k in found.best.ravel()],
        "first": sha(found.first_actions()),
        "elite_mean": sha(found.elite_mean),
        "drawn": sha(drawn.returns),
        "search": sha(search.run(roots)),
        "plan": sha(search.plan()),
        "planned": sha(search.returns()),
    }


def gas(bodies: int, packing: float, box: str) -> dict[str, Any]:
    made = carom.Gas(bodies, packing, box=box, seed=3)
    made.run(12.5)
    return {
        "bodies": bodies,
        "packing": packing,
        "box": box,
        "digest": str(made.digest()),
        "compressibility": made.measure().compressibility,
        "state": sha(made.state()),
    }


def solved() -> dict[str, Any]:
    px, py, vx, vy, r, ax, ay = columns(257, 7)
    p, v, a, radius = (8 * px, 8 * py), (vx, vy), (ax, ay), 1 + r / 2
    found = {name: sha(carom.toi.circles(p, v, radius, solver=name)) for name in SOLVERS}
    contacts = carom.toi.contacts(p, v, radius)
    found["contacts"] = sha(np.stack([contacts.entry, contacts.exit, contacts.nx, contacts.xj]))
    found["within"] = str(int(carom.toi.within(p, v, radius, 6.0).sum()))
    segment = carom.toi.segment(p, v, radius, (-1.0, 0.0), (2.0, 1.0))
    found["segment"] = sha(np.stack([segment.t, segment.nx, segment.ny, segment.feature]))
    box = carom.toi.box(p, v, radius, (-1.0, -1.0), (2.0, 1.0), detection="discrete", limit=5.0)
    found["box"] = sha(np.stack([box.t, box.feature]))
    polygon = carom.toi.polygon(p, v, radius, [(0, 0), (3, 0), (1, 1), (0, 3)])
    found["polygon"] = sha(np.stack([polygon.t, polygon.feature]))
    found["accelerated"] = sha(carom.toi.accelerated(p, v, a, radius))
    found["ferrari"] = sha(carom.toi.accelerated(p, v, a, radius, solver="ferrari"))
    roots, count = carom.toi.accelerated_roots(p, v, a, radius)
    found["roots"] = sha(roots) + sha(count)
    falling = carom.toi.accelerated_segment(p, v, a, radius, (-1.0, 0.0), (2.0, 1.0))
    found["falling"] = sha(np.stack([falling.t, falling.feature]))
    return found


def table() -> dict[str, Any]:
    return {
        "games": [game(case) for case in GAMES],
        "scenes": [scene(name) for name in SCENES],
        "search": searched(),
        "gases": [gas(200, 0.6, "periodic"), gas(100, 0.4, "solid")],
        "toi": solved(),
    }


def test_table() -> None:
    wanted, found = json.loads(TABLE.read_text(encoding="utf-8")), table()
    for part, rows in wanted.items():
        assert found[part] == rows, part
    assert found.keys() == wanted.keys()


if __name__ == "__main__":
    TABLE.write_text(json.dumps(table(), indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{TABLE}\n")
