# SPDX-License-Identifier: MIT
"""Looking at worlds: what `Worlds.rgb_array`, `svg` and `recording` do, and how environments render."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import known, output
from ._structs import Array

if TYPE_CHECKING:
    from ._worlds import Worlds

RENDER_MODES = ["rgb_array"]
WIDTH = 640  # pixels
NOTEBOOK_BODIES = 20_000  # of worlds with more a notebook shows the name only


def rgb_array(worlds: Worlds, world: int, width: int, dark: bool, captions: bool, out: Any) -> Array:
    """A picture of a world, [height, width, 3], uint8."""
    across, down = _carom.picture_size(worlds._handle, world, width, dark, captions)
    array = output("out", out, (down, across, 3), np.uint8)
    _carom.picture_pixels(worlds._handle, world, width, dark, captions, array)
    return array


class Recording:
    """A replay that is being written: of `Worlds.recording`."""

    def __init__(
        self, worlds: Worlds, path: str | os.PathLike[str], chosen: Sequence[int] | None, keyframe_ticks: int
    ) -> None:
        from pathlib import Path  # not at the head: its import takes longer than all of carom's

        self.worlds = worlds
        self.path = Path(path)
        # Nothing may be put in the place of a device or a pipe; a folder is refused as it is opened.
        direct = self.path.exists() and not self.path.is_file()
        self._beside = None if direct else self.path.with_name(self.path.name + ".part")
        self._open = False
        numbers = None if chosen is None else np.asarray(chosen, np.uintp)
        if chosen is not None and len(chosen) == 0:
            raise ValueError("worlds: none are chosen")
        if keyframe_ticks < 1:
            raise ValueError(f"keyframe_ticks: {keyframe_ticks}; at least 1 is expected")
        options = worlds._create[1]
        if _carom.recording_runs(worlds._handle):  # before its file, which may be the same, is touched
            raise RuntimeError("the batch is recorded already")
        descriptor = os.open(self._beside or self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            _carom.recording_begin(worlds._handle, descriptor, numbers, options, keyframe_ticks)
        except BaseException:
            self._discard()
            raise
        self._open = True

    def _discard(self) -> None:
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)

    def close(self) -> None:
        """Ends the replay: it is whole, and stands at its path."""
        if self._open:
            self._open = False
            try:
                _carom.recording_end(self.worlds._handle)
                if self._beside is not None:
                    os.replace(self._beside, self.path)
            except OSError:
                self._discard()
                raise

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


class Difference(NamedTuple):
    """Where a replay that is played anew first differs: after `ticks` ticks, in `world` of the replay.

    `field` is the first that is known to differ, None if only the world's hash does; `values` are its numbers, recorded
    and played anew, where a whole state of the file tells them.
    """

    ticks: int
    world: int
    id: int
    field: str | None
    element: int
    values: tuple[float, float] | None


class Replay:
    """A replay: a file that `Worlds.recording`, `carom record` or `carom rollout --record` has written.

    Raises:
        ValueError: it is none, or is damaged, or its game is not there or not the same any more.
        NotImplementedError: it is of a scene, in a build without Jansson, as the usual wheel is.

    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        with open(path, "rb") as file:
            self._bytes = file.read()
        about, _ = _carom.replay_read(self._bytes, None, False)
        self.game, bits, self.seed, self.worlds, self.ticks, self.whole, self.keyframes = about
        self.precision = f"f{bits}"

    def __repr__(self) -> str:
        return f"<Replay {self.game} {self.precision} worlds={self.worlds} ticks={self.ticks} whole={self.whole}>"

    def verify(self, isa: str | None = None) -> Difference | None:
        """Plays it anew and compares every world after every tick; None: all are the same bits."""
        if isa is not None:
            known("isa", isa, _carom.info()["isas"])
        found = _carom.replay_read(self._bytes, isa, True)[1]
        return None if found is None else Difference(*found)


class Renderer:
    """What an environment's `render()` needs: its mode and the width of its pictures."""

    def __init__(self, worlds: Worlds, mode: str | None, width: int) -> None:
        if mode is not None:
            known("render_mode", mode, RENDER_MODES)
            _carom.picture_size(worlds._handle, 0, width, False, False)  # refuses a width that is none
        self.worlds = worlds
        self.mode = mode
        self.width = width

    def frame(self, world: int = 0) -> Array | None:
        """A picture of a world as it stands; None without a mode."""
        return None if self.mode is None else rgb_array(self.worlds, world, self.width, False, False, None)
