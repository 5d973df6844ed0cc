# SPDX-License-Identifier: MIT
"""The package under a type checker: misspelt options, and types of results."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import carom
from carom import _options
from carom._structs import dtype

api = pytest.importorskip("mypy.api")

ROOT = Path(__file__).resolve().parents[2]  # with the settings and cache of the package's own check
PROGRAM = """
import carom
import carom.gymnasium

w = carom.Worlds("csb", 4, seed=1, fair_timeouts=True, ticks=9)
soccer = carom.gymnasium.VectorEnv("soccer", 2, robots=2, precision="f32", normalised=True)
s = carom.Search(w, sigma=0.4)
s.set_budget(milliseconds=5)
carom.Scene([carom.Body()]).worlds(3, at_end="reset")
w.fork(3, threads=1)
w.expand(w.fork(4), 2, rewards=True)
ticks: int = w.counters().ticks
name: str = w.game.observations["ego"][0].name
"""
WRONG = [
    'carom.Worlds("csb", 4, fair_timeout=True)',
    'carom.Worlds("csb", 4, ticks="nine")',
    'carom.gymnasium.VectorEnv("soccer", 2, robot=2)',
    'carom.gymnasium.Env("soccer", at_end="reset")',
    "carom.Search(w, sigmas=0.4)",
    "s.set_budget(5)",
    'carom.Scene([carom.Body()]).worlds(3, at_ends="reset")',
    "w.fork(3, thread=1)",
    "w.expand(w.fork(4), 2, reward=True)",
    "w.play(1, reward=True)",
    "carom.rollout(w, opponents='race')",
]


def test_every_option_is_typed() -> None:
    names = {
        name for game in ("csb", "fall", "fantastic_bits", "soccer", "stones") for name in carom.games[game].options
    }
    assert set(_options.Options.__annotations__) == names | {"laps"}
    mine = ("player", "action_kind", "sequences", "horizon", "hold", "seed", "rollouts", "milliseconds", "planner",
            "against", "candidates", "candidate_count", "other", "policy", "value_kind", "weights", "observation_kind",
            "observed", "reward_kind", "stream", "network_plan", "network_weight")  # fmt: skip
    assert set(_options.Planned.__annotations__) == set(dtype("search").names or ()) - {*mine}
    worlds = set(carom.Worlds.__init__.__annotations__) - {"game", "count", "options", "return"}
    made = set(_options.Made.__annotations__)
    assert made - set(_options.Options.__annotations__) == worlds
    play = set(carom.Worlds.play.__annotations__) - {"ticks", "return"}
    assert set(carom._play.Playing.__annotations__) == play


def test_a_type_checker_sees_misspelt_options(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + "\n".join(WRONG) + "\n", encoding="utf-8")
    first = PROGRAM.count("\n") + 1
    found, problem, _ = api.run(
        ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache"),
         "--python-executable", sys.executable, str(program)]
    )  # fmt: skip
    assert not problem
    lines = {int(line.split(":")[1]) for line in found.splitlines() if ": error:" in line}
    assert lines == {*range(first, first + len(WRONG))}, found
