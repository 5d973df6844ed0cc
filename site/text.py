# SPDX-License-Identifier: MIT
"""Small things that the makers of pages share."""

from __future__ import annotations

import os
from pathlib import PurePosixPath


def posix_relative(
    folder: PurePosixPath | None, name: str | PurePosixPath, start: PurePosixPath | None = None
) -> PurePosixPath:
    """`name`, as it is meant in `folder`, from `start`; both are folders below one root, which None stands for."""
    path = os.path.normpath((folder or PurePosixPath()) / name)
    return PurePosixPath(path if start is None else os.path.relpath(path, start))
