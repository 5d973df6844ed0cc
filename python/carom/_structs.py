# SPDX-License-Identifier: MIT
"""The library's structs as NumPy records: their types, and records filled with the defaults."""

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
    """A new record with the library's defaults."""
    return np.frombuffer(bytearray(_LAYOUTS[name][2]), dtype=dtype(name))


def copied(records: Array) -> Array:
    """A copy that includes unnamed members, which a structured copy() would drop."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


def address(array: Array) -> int:
    """The address of an array's memory. The caller must keep the array alive."""
    return int(array.__array_interface__["data"][0])
