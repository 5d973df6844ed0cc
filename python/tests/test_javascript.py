# SPDX-License-Identifier: MIT
"""The JavaScript package against this one: the same results and the same names.

javascript/tests/expected.json holds the library's results here, with which its tests compare. After an intended change
of results run `python test_javascript.py` to rewrite it. The names are those of carom.d.ts, which the package's own
tests compare with its scripts.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

import carom
import carom._options
import carom._play
import carom._query
import carom._search
import carom.measures

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
    contacts: Any = carom.toi.contacts(p, v, radius)
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


# ---- names ----

TYPES = ROOT / "javascript" / "carom.d.ts"

# Public names that carom.js has not, and why.
HERE_ALONE = {
    "Device": "graphics cards",
    "DeviceArray": "graphics cards",
    "devices": "graphics cards",
    "Trajectory": "writes files of other programs",
    "Viewer": "starts a program",
    "view": "starts a program",
    "event_table": "Apache Arrow",
    "open_game": "loads a shared object",
    "force_isa": "a module has one instruction set",
    "FOUND_KINDS": "a union of texts in Found.kind",
    "VARIES": "a union of texts in SceneDescription.varies",
    "Number": "a name of JavaScript's own: it is in Game.observations",
    "Player": "pages plan by Search",
    # submodules
    "blocks": "blocks of a job on many machines",
    "dataset": "data sets in files",
    "gymnasium": "a Python library",
    "jax": "a Python library",
    "mirror": "for arrays of NumPy and of libraries of networks",
    "mpi": "many machines",
    "network": "makes networks from arrays of NumPy",
    "pettingzoo": "a Python library",
    "plans": "many machines",
    "ray": "many machines",
    "recipe": "recipes of data sets in files",
    "sb3": "a Python library",
    "slurm": "many machines",
    "torch": "a Python library",
    "torchrl": "a Python library",
}
# Names here that carom.js spells differently, or lacks.
MEMBERS_HERE_ALONE = {
    "Worlds": {
        "affinity": "one thread", "threads": "one thread", "wait": "nothing is queued", "device": "graphics cards",
        "stream": "graphics cards", "to": "graphics cards", "bind": "arrays are the engine's", "close": "free",
    },
    "Scene": {"from_file": "there are no files: fetch, and from_json", "from_json": "of Carom.Scene"},
    "Option": {"name": "the key"},
    "Played": {"contacts": "each event's contact"},
    "Game": {"path": "there are no shared objects"},
    "Gas": {"close": "free", "restore": "of Carom.Gas"},
    "Lab": {"close": "free"},
    "Search": {"close": "free"},
    "ActionKind": {"dtype": "precision"},
    "Field": {
        "name": "the key", "dtype": "of the array that get() gives", "address": "view", "strides": "view",
        "lanes": "view",
    },
    "RANGE": {
        "precision": "modules of pages have f64 alone", **dict.fromkeys(("x32", "y32", "vx32", "vy32"), "f64 alone"),
        "x64": "x", "y64": "y", "vx64": "vx", "vy64": "vy",
    },
    "RULE": {"x": "at", "y": "at", "x1": "corner", "y1": "corner"},
    "WALL": {"ax": "a", "ay": "a", "bx": "b", "by": "b"},
    "ARC": {"x": "at", "y": "at", "ax": "a", "ay": "a", "bx": "b", "by": "b"},
    "Box": {"from_": "from"},
    "Made": {
        "threads": "one thread", "affinity": "one thread", "device": "graphics cards",
        "check_actions": "numbers are copied, and NaN is what it is", "opponent": "pages plan by Search",
    },
    "Planned": dict.fromkeys(("network", "network_plan", "network_weight"), "pages have no networks"),
    "Scene()": {"user": "a hook is a closure", "sides": "box says it"},
    "rollout()": {
        "elite_mean": "told with elites", "elite_sigma": "told with elites", "returns": "always told",
        "best": "always told",
    },
}  # fmt: skip
# Names that types have there alone, and why.
FREE = {"free": "memory is given back by hand"}
THERE_ALONE = {
    "Worlds": {
        **FREE,
        "length": "len()",
        "game": "set as it is made",
        "look": "for pages that draw worlds",
        "look_numbers": "for pages that draw worlds",
    },
    "Scene": {**FREE, "game": "of Worlds", "description": "to_json as an object"},
    "Replay": {
        **FREE,
        "batch": "its worlds",
        "fork": "to play on from it",
        "get": "replay[name]",
        "look": "for pages that draw",
    },
    "Recording": {**FREE, "bytes": "there are no files", "note": "of the command"},
    "Rollout": dict.fromkeys(
        ("returns", "best", "rewards", "lengths", "observations", "elites", "elite_mean", "elite_sigma"),
        "set by rollout",
    ),
    "Search": FREE,
    "Gas": FREE,
    "Lab": FREE,
    "ActionKind": {"precision": "dtype"},
    "Toi": {"arc": "Python has it in scenes", "accelerated_arc": "Python has it in scenes"},
    "EVENT": {"tick": "of impacts()", "world": "of impacts()", "contact": "of impacts()"},
    "RANGE": dict.fromkeys(("x", "y", "vx", "vy"), "x64, ..."),
    "Box": {"from": "from_"},
    **{name: {"about": "a comment of the JSON text"} for name in ("Body", "BODY", "Wall", "Polygon", "Arc", "Rule")},
    "RULE": {"about": "a comment of the JSON text", "at": "x, y", "corner": "x1, y1"},
    "WALL": {"about": "a comment of the JSON text", "a": "ax, ay", "b": "bx, by"},
    "ARC": {"about": "a comment of the JSON text", "a": "ax, ay", "b": "bx, by", "at": "x, y"},
}
THERE_ALONE["Box"]["about"] = "a comment of the JSON text"
# NumPy records and the equivalent types.
RECORDS = {
    "ARC": "Arc", "BODY": "Body", "CONTACT": "Contact", "EVENT": "Impact", "FOUND": "Found", "IMPACT": "HookImpact",
    "LAB_EVENT": "LabEvent", "QUERY": "Question", "RANGE": "Range", "RESULT": "Result", "RULE": "Rule", "WALL": "Wall",
}  # fmt: skip


def declared() -> dict[str, set[str]]:
    """Members of the interfaces and classes of carom.d.ts."""
    found: dict[str, set[str]] = {}
    text = TYPES.read_text(encoding="utf-8")
    for one in re.finditer(r"^export (?:interface|class) (\w+)(?: extends (\w+))? \{\n(.*?)\n\}$", text, re.M | re.S):
        members = re.findall(r"^  (?:readonly )?(\w+)[?]?[(:]", one[3], re.M)
        found[one[1]] = set(members) | found.get(one[2], set())
    return found


def members(thing: Any) -> set[str]:
    """The public names of a class, of a record, or of what makes or is called."""
    if isinstance(thing, np.dtype):
        return set(thing.names or ())
    if dataclasses.is_dataclass(thing):
        fields = {field.name for field in dataclasses.fields(thing)}
        return {name for name in fields | set(dir(thing)) if not name.startswith("_")}
    if hasattr(thing, "_fields"):
        return set(thing._fields) | ({"impacts"} if thing is carom.Played else set())
    return {name for name in dir(thing) if not name.startswith("_")}


def missing(name: str, here: set[str], there: set[str]) -> list[str]:
    """Names missing without a stated reason, and reasons that no longer apply."""
    excused = set(MEMBERS_HERE_ALONE.get(name, {}))
    return sorted(here - there - excused) + [f"{one}: excused" for one in sorted(excused & there | excused - here)]


def apart(name: str, here: set[str], there: set[str]) -> list[str]:
    """Names missing there, and names only there."""
    excused = set(THERE_ALONE.get(name, {}))
    alone = sorted(there - here - excused) + [f"{one}: excused" for one in sorted(excused & here | excused - there)]
    return missing(name, here, there) + [f"{one}: there alone" for one in alone]


def test_names() -> None:
    types = declared()
    modules = {module.name for module in pkgutil.iter_modules(carom.__path__)}
    names = set(carom.__all__) | {name for name in modules if name[0] != "_"}
    there = types["Carom"] | set(types) | {name for name, kind in RECORDS.items() if kind in types}
    assert sorted(names - there - set(HERE_ALONE)) == []
    assert sorted(set(HERE_ALONE) & there | set(HERE_ALONE) - names) == []


def test_members() -> None:
    types = declared()
    wrong = {}
    shared = [name for name in carom.__all__ if name in types] + list(RECORDS)
    assert len(shared) > 40
    for name in shared:
        public = members(getattr(carom, name))
        if name == "Game":  # arguments of the extension
            public -= {"kind_index", "observation_index", "observed_bits", "policy_index", "reward_index", "seen_shape",
                       "value_index", "value_weights"}  # fmt: skip
        wrong[name] = apart(name, public, types[RECORDS.get(name, name)])
    for name in ("Report", "Generation"):
        wrong[name] = apart(name, members(getattr(carom._search, name)), types[name])
    wrong["Drawing"] = apart("Drawing", {"generation", "player", "count", "sequences"}, types["Drawing"])
    wrong["Series"] = apart("Series", members(carom.measures.Series), types["Series"])
    wrong["Replay"] = apart("Replay", {*members(carom.Replay), *Replayed}, types["Replay"])
    for module, name in ((carom.toi, "Toi"), (carom.measures, "DiskMeasures")):
        functions = {
            key
            for key, value in vars(module).items()
            if inspect.isfunction(value) and key[0] != "_" and value.__module__ == module.__name__
        }
        assert len(functions) >= 4
        wrong[name] = apart(name, functions, types[name])
    assert {name: found for name, found in wrong.items() if found} == {}


Replayed = ("worlds", "ticks", "game", "precision", "seed", "whole", "keyframes", "notes")  # set as a replay is opened


def test_statics() -> None:
    text = TYPES.read_text(encoding="utf-8")
    assert re.search(r"^    restore\(saved: ", text, re.M)
    assert re.search(r"^    from_json\(text: ", text, re.M)


def keywords(call: Any, *more: Any) -> set[str]:
    named = {name for one in more for name in one.__annotations__}
    return named | {p.name for p in inspect.signature(call).parameters.values() if p.kind == p.KEYWORD_ONLY}


def test_keywords() -> None:
    """Options of constructors and calls are the keywords here."""
    types = declared()
    scene = set(inspect.signature(carom.Scene).parameters)
    made = {name for name in keywords(carom.Worlds, carom._options.Made)} - set(carom._options.Options.__annotations__)
    wrong = {
        "Made": missing("Made", made, types["Made"]),
        "Playing": missing("Playing", keywords(carom.Worlds.play, carom._play.Playing), types["Playing"]),
        "Question": missing("Question", set(carom._query.Asking.__annotations__), types["Question"]),
        "Scene()": missing("Scene()", scene, types["SceneDescription"]),
        "GasMade": missing("GasMade", keywords(carom.Gas), types["GasMade"]),
        "LabMade": missing("LabMade", keywords(carom.Lab), types["LabMade"]),
        "Watching": missing("Watching", keywords(carom.Lab.run), types["Watching"]),
        "Planned": missing("Planned", keywords(carom.Search, carom._options.Planned), types["Planned"]),
        "rollout()": missing("rollout()", keywords(carom.rollout), types["Rolled"]),
        "Picture": missing("Picture", keywords(carom.Worlds.svg), types["Picture"]),
    }
    assert {name: found for name, found in wrong.items() if found} == {}


if __name__ == "__main__":
    TABLE.write_text(json.dumps(table(), indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{TABLE}\n")
