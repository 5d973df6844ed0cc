# SPDX-License-Identifier: MIT
"""The digests of `carom prove`, from Python: the same games give the digests that are recorded for the command.

`python test_prove.py` tests without pytest, too: scripts/prove runs it so.
"""

from __future__ import annotations

from pathlib import Path

import carom

TABLE = Path(__file__).resolve().parents[2] / "tools" / "prove" / "digests.txt"
WORLDS, TICKS, SEED = 50, 110, 2026  # tools/prove/course.c


def recorded() -> dict[str, tuple[int, int]]:
    """The digests in f32 and f64, by name."""
    lines = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {name: (int(f32, 16), int(f64, 16)) for name, f32, f64 in lines}


def test_games() -> None:
    played = 0
    for name, digests in recorded().items():
        game, policy, kind = name.split(".") if name.count(".") == 2 else ("", "", "")
        if kind != "states" or game == "scene":
            continue
        for precision, digest in zip(("f32", "f64"), digests, strict=True):
            worlds = carom.Worlds(game, WORLDS, seed=SEED, precision=precision, at_end="reset")
            worlds.play(TICKS, players=[policy] * worlds.game.players)
            assert worlds.digest() == digest, (name, precision)
            played += 1
    assert played == 14


if __name__ == "__main__":
    test_games()
