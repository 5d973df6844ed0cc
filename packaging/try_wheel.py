# SPDX-License-Identifier: MIT
"""Uses an installed package: plays all games on every instruction set, records, verifies, runs the command.

usage: try_wheel.py FOLDER [--alone]    FOLDER is for the files that it writes; --alone: start no other process

Needs NumPy alone. The last line is a digest of all that was played, which is the same on every machine; what differs
between instruction sets, or fails, ends it with an error.
"""

import hashlib
import importlib.metadata
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import carom

WORLDS, TICKS = 37, 60


def played(game: str, precision: str, isa: str) -> bytes:
    """Digests of a batch on the way, with random actions."""
    numbers = np.random.RandomState(7)
    worlds = carom.Worlds(game, WORLDS, seed=3, precision=precision, isa=isa, at_end="reset")
    seen = []
    for _ in range(TICKS):
        worlds.step(numbers.uniform(-1, 1, worlds.actions.shape).astype(worlds.actions.dtype))
        seen.append(worlds.digest())
    saved = worlds.save()
    worlds.step(np.zeros_like(worlds.actions))
    after = worlds.digest()
    worlds.load(saved)
    worlds.step(np.zeros_like(worlds.actions))
    assert worlds.digest() == after, f"{game}: a loaded batch goes another way"
    return repr(seen).encode()


def main() -> None:
    """Plays, records and verifies; prints what it used."""
    folder = Path(sys.argv[1])
    info: dict[str, Any] = carom.info()
    assert info["json"], "scenes cannot be read as JSON"
    sets = [name for name, isa in info["isas"].items() if isa["usable"]]
    whole = hashlib.sha256()
    for game in sorted(carom.games):
        for precision in ("f32", "f64"):
            digests = {played(game, precision, isa) for isa in sets}
            assert len(digests) == 1, f"{game} {precision}: instruction sets differ"
            whole.update(f"{game} {precision} ".encode() + digests.pop())

    replay = folder / "try.carom"
    worlds = carom.Worlds("csb", 4, seed=1, players=["race", "race"])
    with worlds.recording(replay):
        worlds.play(50)
    assert carom.Replay(replay).verify() is None
    whole.update(repr(worlds.digest()).encode())
    if "--alone" not in sys.argv:
        subprocess.run([sys.executable, "-m", "carom", "replay", replay], check=True, stdout=subprocess.DEVNULL)

    python = ".".join(map(str, sys.version_info[:3]))
    print(f"carom {importlib.metadata.version('carom')}, CPython {python}, NumPy {np.__version__}: {' '.join(sets)}")
    print(whole.hexdigest())


if __name__ == "__main__":
    main()
