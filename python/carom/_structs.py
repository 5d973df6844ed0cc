# SPDX-License-Identifier: MIT
"""Structs of the library as records of NumPy: their types, and records filled with the defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _carom

Array = npt.NDArray[Any]

_LAYOUTS = _carom.layouts()


def dtype(name: str) -> np.dtype[Any]:
    """The record type of a struct; its padding is part of it."""
    size, members, _ = _LAYOUTS[name]
    return np.dtype(
        {
            "names": [member for member, _, _ in members],
            "formats": [kind for _, kind, _ in members],
            "offsets": [offset for _, _, offset in members],
            "itemsize": size,
        }
    )


def record(name: str) -> Array:
    """A record with the library's defaults, to be changed."""
    return np.frombuffer(bytearray(_LAYOUTS[name][2]), dtype=dtype(name))


def copied(records: Array) -> Array:
    """A copy, members without a name included, which a structured copy() would drop."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


def address(array: Array) -> int:
    """Where an array's memory begins. The caller keeps the array alive."""
    return int(array.__array_interface__["data"][0])
