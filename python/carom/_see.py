# SPDX-License-Identifier: MIT
"""Pictures and recordings of worlds, for `Worlds.rgb_array`, `recording`, and the `render` of environments."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _carom
from ._arrays import known, output
from ._structs import Array

if TYPE_CHECKING:
    from ._worlds import Worlds

RENDER_MODES = ["rgb_array"]
WIDTH = 640  # pixels
NOTEBOOK_BODIES = 20_000  # for worlds with more, a notebook shows only the name


def rgb_array(batch: _carom.Handle, world: int, width: int, dark: bool, captions: bool, out: Any) -> Array:
    """A picture of a world, [height, width, 3], uint8."""
    across, down = _carom.picture_size(batch, world, width, dark, captions)
    array = output("out", out, (down, across, 3), np.uint8)
    _carom.picture_pixels(batch, world, width, dark, captions, array)
    return array


class Recording:
    """A replay that is being written, by `Worlds.recording`."""

    def __init__(
        self, worlds: Worlds, path: str | os.PathLike[str], chosen: Sequence[int] | None, keyframe_ticks: int
    ) -> None:
        from pathlib import Path  # imported late: it takes longer than all of carom

        self.worlds = worlds
        self.path = Path(path)
        self._open = False
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        # A device or a pipe is written to directly; a file gets its name when it is complete.
        self._whole = not self.path.exists() or self.path.is_file()
        self._beside = self.path.with_name(self.path.name + ".part") if self._whole else self.path
        if _carom.recording_is(worlds._handle):
            raise RuntimeError("the batch is recorded already")
        numbers = None if chosen is None else np.asarray(chosen, np.uintp)
        if chosen is not None and len(chosen) == 0:
            raise ValueError("worlds: none are chosen")
        if keyframe_ticks < 1:
            raise ValueError(f"keyframe_ticks: {keyframe_ticks}; at least 1 is expected")
        options = worlds._create[1]
        scene = worlds._scene
        # An extension built without a JSON library cannot write the scene itself.
        text = None if scene is None or _carom.info()["json"] else scene.to_json()
        descriptor = os.open(self._beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            _carom.recording_begin(worlds._handle, descriptor, numbers, options, keyframe_ticks, text)
        except BaseException:
            self._drop()
            raise
        self._open = True

    def _drop(self) -> None:
        if self._whole:
            self._beside.unlink(missing_ok=True)

    def close(self) -> None:
        """Completes the replay and gives the file its name."""
        if self._open:
            self._open = False
            try:
                _carom.recording_end(self.worlds._handle)
                if self._whole:
                    os.replace(self._beside, self.path)
            except OSError:
                self._drop()
                raise

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


class Renderer:
    """The state of an environment's `render()`: its mode and the width of its pictures."""

    def __init__(self, worlds: Worlds, mode: str | None, width: int) -> None:
        if mode is not None:
            known("render_mode", mode, RENDER_MODES)
            _carom.picture_size(worlds._handle, 0, width, False, False)  # refuses an invalid width
        self.worlds = worlds
        self.mode = mode
        self.width = width

    def frame(self, world: int = 0) -> Array | None:
        """A picture of a world's current state; None without a mode."""
        return None if self.mode is None else rgb_array(self.worlds._handle, world, self.width, False, False, None)
