# SPDX-License-Identifier: MIT
"""Carom: exact impacts of moving circles, in many worlds at once.

    import carom

    w = carom.Worlds("csb", 4096, seed=1, precision="f32", at_end="reset", players=[None, "race"])
    w.observe()
    while True:
        w.step(policy(w.observations[:, 0])[:, None])     # then w.rewards, w.ends

`docs/python.md` is the guide. Environments are in `carom.gymnasium` and `carom.pettingzoo`, which you import
separately.
"""

from typing import TYPE_CHECKING

from . import _carom  # imported here so that an unsupported interpreter fails at once

if TYPE_CHECKING:
    from . import toi
    from ._device import Device, DeviceArray, devices
    from ._games import (
        ActionKind,
        Game,
        ObservationKind,
        Option,
        RewardKind,
        ValueKind,
        csb_base_map,
        fall_box,
        fantastic_bits_line,
        games,
        open_game,
    )
    from ._gas import Gas, Measures
    from ._lab import LAB_EVENT, Frame, Lab, event_table
    from ._observations import Number
    from ._play import CONTACT, EVENT, Played
    from ._player import Player
    from ._query import FOUND, FOUND_KINDS, QUERY
    from ._replay import Difference, Note, Replay
    from ._rollout import Rollout, draws, gaussian, rollout, uniform
    from ._scene import (
        ARC,
        BODY,
        IMPACT,
        RANGE,
        RULE,
        VARIES,
        WALL,
        Arc,
        Body,
        Box,
        Lidar,
        Measure,
        Polygon,
        Rule,
        Scene,
        View,
        Wall,
        bodies,
    )
    from ._search import Search
    from ._see import Recording
    from ._trajectory import Trajectory
    from ._view import Viewer, view
    from ._worlds import RESULT, Counters, Faults, Field, Worlds

__all__ = [
    "ARC",
    "BODY",
    "CONTACT",
    "EVENT",
    "FOUND",
    "FOUND_KINDS",
    "IMPACT",
    "LAB_EVENT",
    "QUERY",
    "RANGE",
    "RESULT",
    "RULE",
    "VARIES",
    "WALL",
    "ActionKind",
    "Arc",
    "Body",
    "Box",
    "Counters",
    "Device",
    "DeviceArray",
    "Difference",
    "Faults",
    "Field",
    "Frame",
    "Game",
    "Gas",
    "Lab",
    "Lidar",
    "Measure",
    "Measures",
    "Note",
    "Number",
    "ObservationKind",
    "Option",
    "Played",
    "Player",
    "Polygon",
    "Recording",
    "Replay",
    "RewardKind",
    "Rollout",
    "Rule",
    "Scene",
    "Search",
    "Trajectory",
    "ValueKind",
    "View",
    "Viewer",
    "Wall",
    "Worlds",
    "bodies",
    "csb_base_map",
    "devices",
    "draws",
    "event_table",
    "fall_box",
    "fantastic_bits_line",
    "force_isa",
    "games",
    "gaussian",
    "info",
    "open_game",
    "rollout",
    "toi",
    "uniform",
    "view",
]

# Where each public name is defined. A module is imported when one of its names is first used, which keeps
# `import carom` quick.
_MODULES = {
    "_games": "ActionKind Game ObservationKind Option RewardKind ValueKind csb_base_map fall_box fantastic_bits_line "
    "games open_game",
    "_device": "Device DeviceArray devices",
    "_gas": "Gas Measures",
    "_lab": "LAB_EVENT Frame Lab event_table",
    "_observations": "Number",
    "_play": "CONTACT EVENT Played",
    "_player": "Player",
    "_query": "FOUND FOUND_KINDS QUERY",
    "_replay": "Difference Note Replay",
    "_rollout": "Rollout draws gaussian rollout uniform",
    "_scene": "ARC BODY IMPACT RANGE RULE VARIES WALL Arc Body Box Lidar Measure Polygon Rule Scene View Wall bodies",
    "_search": "Search",
    "_see": "Recording",
    "_trajectory": "Trajectory",
    "_view": "Viewer view",
    "_worlds": "RESULT Counters Faults Field Worlds",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__version__ = _carom.version()


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    elif name in _MODULES or name == "toi":
        return import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"]


def info() -> "dict[str, object]":
    """Version, build, the instruction set in use, threads, and all instruction sets in the build."""
    return _carom.info()


def force_isa(name: str) -> None:
    """Sets the instruction set for new batches; "default" restores the environment's choice."""
    _carom.isa_force(name)
