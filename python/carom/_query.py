# SPDX-License-Identifier: MIT
"""Spatial queries: `Worlds.cast`, `nearest` and `within`."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

from . import _carom
from ._arrays import output, whole
from ._structs import Array, dtype, record

QUERY = dtype("query")
FOUND = dtype("found")
FOUND_KINDS = ("none", "body", "side", "wall", "polygon", "arc")  # names of the field `kind`

_CAST, _NEAREST, _WITHIN = range(3)
_NOBODY = (1 << 32) - 1


class Asking(TypedDict, total=False):
    """Common arguments; numbers, or arrays that are broadcast together."""

    world: Any  # 0
    radius: Any  # 0: a point, a ray
    range: Any  # infinite
    category: Any  # all bits
    mask: Any  # all bits
    ignore: Any  # a body to skip; None: none
    sensors: Any  # False


def _queries(x: Any, y: Any, dx: Any, dy: Any, asking: Asking) -> Array:
    """Records of carom_query, in the shape of all arguments together."""
    given: dict[str, Any] = {"x": x, "y": y, "dx": dx, "dy": dy, **asking}
    unknown = sorted(given.keys() - set(QUERY.names or ()))
    if unknown:
        raise TypeError(f"{unknown[0]}: no such argument; there are {', '.join(Asking.__annotations__)}")
    if given.get("ignore") is None:
        given.pop("ignore", None)
    columns = {name: np.asarray(value) for name, value in given.items()}
    for name, column in columns.items():
        if QUERY[name].kind == "u":
            most = _NOBODY if QUERY[name].itemsize == 4 else (1 << 63) - 1
            if column.dtype.kind not in "iu" or (column.size > 0 and not 0 <= column.min() <= column.max() <= most):
                raise ValueError(f"{name}: whole numbers from 0 to {most} are expected")

    shape = np.broadcast_shapes(*(column.shape for column in columns.values()))
    queries = np.empty(shape, QUERY)
    queries[...] = record("query")[0]
    for name, column in columns.items():
        queries[name] = column
    return queries


def _asked(batch: _carom.Handle, what: int, queries: Array, out: Any) -> Array:
    found = output("out", out, queries.shape, FOUND)
    _carom.worlds_query(batch, what, queries.size, queries, 1, found, None)
    return found


def cast(batch: _carom.Handle, x: Any, y: Any, dx: Any, dy: Any, out: Any, asking: Asking) -> Array:
    return _asked(batch, _CAST, _queries(x, y, dx, dy, asking), out)


def nearest(batch: _carom.Handle, x: Any, y: Any, out: Any, asking: Asking) -> Array:
    return _asked(batch, _NEAREST, _queries(x, y, 1, 0, asking), out)


def within(batch: _carom.Handle, x: Any, y: Any, capacity: int, asking: Asking) -> tuple[Array, Array]:
    asking.setdefault("range", 0.0)
    whole("capacity", capacity, 0, (1 << 31) - 1)
    queries = _queries(x, y, 1, 0, asking)
    found = np.zeros((*queries.shape, capacity), FOUND)
    counts = np.zeros(queries.shape, np.uintp)
    _carom.worlds_query(batch, _WITHIN, queries.size, queries, capacity, found, counts)
    return found, counts
