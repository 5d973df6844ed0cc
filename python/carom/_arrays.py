# SPDX-License-Identifier: MIT
"""Arrays: aligned allocation, and zero-copy checks of the caller's arrays with errors that name the argument."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._structs import Array

ALIGNMENT = 64


def aligned(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """An array of zeros whose memory begins at a multiple of 64 bytes."""
    kind = np.dtype(dtype)
    size = math.prod(shape) * kind.itemsize
    memory = np.zeros(size + ALIGNMENT, np.uint8)
    start = -memory.__array_interface__["data"][0] % ALIGNMENT
    return memory[start : start + size].view(kind).reshape(shape)


def taken(name: str, array: Any, shape: tuple[int, ...], dtype: npt.DTypeLike, *, written: bool) -> Array:
    """The caller's array as a NumPy array that shares its memory.

    Accepts anything that NumPy can view without a copy: NumPy arrays, PyTorch tensors on the CPU, buffers.

    Raises:
        TypeError: not such an array, or of another element type.
        ValueError: wrong shape or strides, or read-only memory for results.

    """
    if isinstance(array, np.ndarray):
        found = array
    elif hasattr(array, "__dlpack__"):
        found = np.from_dlpack(array)
    elif hasattr(array, "__array_interface__"):
        found = np.asarray(array)
    else:
        try:
            found = np.asarray(memoryview(array))
        except TypeError:
            raise TypeError(f"{name}: an array is expected, not {type(array).__name__}") from None
    kind = np.dtype(dtype)
    if found.dtype != kind:
        raise TypeError(f"{name}: numbers of type {kind} are expected, not {found.dtype}")
    if found.shape != shape:
        raise ValueError(f"{name}: shape {shape} is expected, not {found.shape}")
    if not found.flags.c_contiguous:
        raise ValueError(f"{name}: a contiguous array is expected; its strides are {found.strides}")
    if written and not found.flags.writeable:
        raise ValueError(f"{name}: the array is read-only")
    return found


def output(name: str, array: Any, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """The caller's array for a result, or a new one if None."""
    return aligned(shape, dtype) if array is None else taken(name, array, shape, dtype, written=True)


def whole(name: str, value: Any, least: int = 0, most: int = (1 << 64) - 1) -> int:
    """A whole number within inclusive bounds; otherwise a ValueError that states them."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise ValueError(f"{name}: {value!r}; a whole number from {least} to {most} is expected")
    return number


def known(what: str, name: object, names: Any) -> str:
    """`name`, if it is one of `names`; otherwise a ValueError that lists them."""
    if name not in names:
        raise ValueError(f"{what}: {name!r} is unknown; there are {', '.join(map(str, names))}")
    return str(name)
