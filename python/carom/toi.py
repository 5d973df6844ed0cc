# SPDX-License-Identifier: MIT
"""Times of impact of circles over arrays: pure functions.

Arrays are float32 or float64, the same in one call; a plain number applies to all. A point or a velocity is [n, 2], or
a pair of arrays (x, y). Times are in (unit of length) / (unit of velocity); "never" is infinity. The headers toi.h,
toi_walls.h and toi_accelerated.h specify every result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import aligned, known, taken
from ._structs import Array

DETECTION = ("continuous", "discrete")
QUARTICS = ("bracketed", "ferrari")
CONTACTS = ("entry", "exit", "nx", "ny", "xi", "yi", "xj", "yj")


class Variant(NamedTuple):
    """A variant of the solver; `lanes`: it runs on SIMD lanes; `exact`: it uses only exactly rounded operations."""

    name: str
    summary: str
    lanes: bool
    exact: bool


class Contacts(NamedTuple):
    """Times of impact and, if requested: both roots, the normal from i to j, the centres at contact."""

    t: Array
    entry: Array | None = None
    exit: Array | None = None
    nx: Array | None = None
    ny: Array | None = None
    xi: Array | None = None
    yi: Array | None = None
    xj: Array | None = None
    yj: Array | None = None


class Hits(NamedTuple):
    """Times of impact with walls; the unit normal from the wall, and which part was hit (-1: none)."""

    t: Array
    nx: Array
    ny: Array
    feature: Array


def variants() -> tuple[Variant, ...]:
    """All variants of the solver. `NAME/branches` is one in scalar code with branches."""
    return tuple(Variant(*entry) for entry in _carom.toi_variants())


def _variant(name: str) -> int:
    found = _carom.toi_variant_find(name)
    if found < 0:
        known("solver", name, ["fast", *(v.name for v in variants())])
    return found


class _Call:
    """Inputs of one call as contiguous columns of one type and length."""

    def __init__(self, *arrays: Any) -> None:
        flat: list[Any] = []
        for array in arrays:
            if isinstance(array, tuple | list) and len(array) == 2 and np.ndim(array[0]) <= 1:
                flat += array
            elif np.ndim(array) == 2:
                points = np.asarray(array)
                if points.shape[1] != 2:
                    raise ValueError(f"points: shape (n, 2) is expected, not {points.shape}")
                flat += [points[:, 0], points[:, 1]]
            else:
                flat.append(array)
        floats = {np.asarray(a).dtype for a in flat if np.ndim(a) != 0 and np.asarray(a).dtype.kind == "f"}
        if len(floats) > 1:
            raise TypeError(f"arrays of one type are expected, not {' and '.join(sorted(map(str, floats)))}")
        self.dtype = floats.pop() if floats else np.dtype(np.float64)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise TypeError(f"arrays of float32 or float64 are expected, not {self.dtype}")
        lengths = {len(a) for a in flat if np.ndim(a) != 0}
        if len(lengths) > 1:
            raise ValueError(f"arrays of one length are expected, not {' and '.join(map(str, sorted(lengths)))}")
        self.n = lengths.pop() if lengths else 1
        self.columns = tuple(np.ascontiguousarray(np.broadcast_to(np.asarray(a, self.dtype), (self.n,))) for a in flat)

    @property
    def bits(self) -> int:
        return self.dtype.itemsize * 8


def _out(call: _Call, name: str, out: Any, n: int | None = None, kind: Any = None) -> Array:
    shape, number = (call.n if n is None else n,), call.dtype if kind is None else kind
    return aligned(shape, number) if out is None else taken(name, out, shape, number, written=True)


def _contacts(call: _Call, out: Any, also: tuple[str, ...], n: int | None = None) -> tuple[Contacts, tuple[Any, ...]]:
    extra = {known("also", name, CONTACTS): _out(call, name, None, n) for name in also}
    found = Contacts(_out(call, "out", out, n), **extra)
    return found, (found.t, *(extra.get(name) for name in CONTACTS))


def _limit(limit: float) -> float:
    if not limit >= 0:
        raise ValueError(f"limit: {limit} is not a time")
    return limit


def circles(p: Any, v: Any, r: Any, *, solver: str = "fast", out: Any = None) -> Array:
    """Times of impact of n pairs in relative motion: position p and velocity v of the second relative to the first, sum
    of radii r. 0 if they touch and approach, infinity if they never meet.
    """  # fmt: skip
    return contacts(p, v, r, solver=solver, out=out, also=()).t


def contacts(
    p: Any, v: Any, r: Any, *, solver: str = "fast", also: tuple[str, ...] = CONTACTS, out: Any = None
) -> Contacts:
    """As `circles`, plus the roots, normals and centres that `also` names."""
    call = _Call(p, v, r)
    found, outs = _contacts(call, out, also)
    _carom.toi("circles", call.bits, _variant(solver), call.n, 0, 0.0, call.columns, outs)
    return found


def indexed(
    p: Any, v: Any, r: Any, i: Any, j: Any, *, solver: str = "fast", also: tuple[str, ...] = (), out: Any = None
) -> Contacts:
    """Pairs (i[k], j[k]), int32, of bodies with positions p, velocities v and radii r."""
    call = _Call(p, v, r)
    pairs = [np.ascontiguousarray(a, np.int32) for a in (i, j)]
    if pairs[0].shape != pairs[1].shape or pairs[0].ndim != 1:
        raise ValueError("i, j: two arrays of one length are expected")
    for name, array in zip("ij", pairs, strict=True):
        if array.size and not (0 <= array.min() and array.max() < call.n):
            raise IndexError(f"{name}: a body outside the {call.n} that there are")
    n = len(pairs[0])
    found, outs = _contacts(call, out, also, n)
    _carom.toi("circles_indexed", call.bits, _variant(solver), n, call.n, 0.0, (*pairs, *call.columns), outs)
    return found


def one(
    p: Any, v: Any, r: float, others_p: Any, others_v: Any, others_r: Any, *, solver: str = "fast",
    also: tuple[str, ...] = (), out: Any = None,
) -> Contacts:  # fmt: skip
    """One body, with position p = (x, y), against n others."""
    call = _Call(others_p, others_v, others_r)
    body = tuple(np.full(1, number, call.dtype) for number in (p[0], p[1], v[0], v[1], r))
    found, outs = _contacts(call, out, also)
    _carom.toi("circles_one", call.bits, _variant(solver), call.n, 0, 0.0, (*body, *call.columns), outs)
    return found


def first(
    p: Any, v: Any, r: Any, others_p: Any, others_v: Any, others_r: Any, *, solver: str = "fast"
) -> tuple[Array, Array]:
    """The earliest impact of each body with any other: times, and indices (int32; -1: none)."""
    call, others = _Call(p, v, r), _Call(others_p, others_v, others_r)
    if call.dtype != others.dtype:
        raise TypeError(f"arrays of one type are expected, not {call.dtype} and {others.dtype}")
    t, index = _out(call, "t", None), _out(call, "index", None, kind=np.int32)
    columns = (*call.columns, *others.columns)
    _carom.toi("circles_first", call.bits, _variant(solver), call.n, others.n, 0.0, columns, (t, index))
    return t, index


def within(p: Any, v: Any, r: Any, limit: float) -> Array:
    """[n], bool: does the pair meet within `limit`? Usually decided without a square root or a division."""
    call = _Call(p, v, r)
    words = np.zeros((call.n + 63) // 64, np.uint64)
    _carom.toi("circles_within", call.bits, 0, call.n, 0, _limit(limit), call.columns, (words,))
    return np.unpackbits(words.view(np.uint8), bitorder="little")[: call.n].astype(bool)


def _walls(name: str, call: _Call, detection: int, m: int, limit: float, extra: tuple[Array, ...], out: Any) -> Hits:
    normals = (aligned((call.n,), call.dtype), aligned((call.n,), call.dtype))
    found = Hits(_out(call, "out", out), *normals, aligned((call.n,), np.int32))
    outs = (found.t, found.nx, found.ny, found.feature)
    _carom.toi(name, call.bits, detection, call.n, m, _limit(limit), (*call.columns, *extra), outs)
    return found


def _detection(name: str) -> int:
    return DETECTION.index(known("detection", name, DETECTION))


def line(
    p: Any, v: Any, r: Any, a: Any, b: Any, *, limit: float = np.inf, detection: str = "continuous", out: Any = None
) -> Hits:
    """Circle k against the infinite line through a and b."""
    return _walls("line", _Call(p, v, r, a, b), _detection(detection), 0, limit, (), out)


def segment(
    p: Any, v: Any, r: Any, a: Any, b: Any, *, limit: float = np.inf, detection: str = "continuous", out: Any = None
) -> Hits:
    """Circle k against the segment from a to b: feature 0 is the straight part, 1 and 2 are its ends."""
    return _walls("segment", _Call(p, v, r, a, b), _detection(detection), 0, limit, (), out)


def point(
    p: Any, v: Any, r: Any, q: Any, *, limit: float = np.inf, detection: str = "continuous", out: Any = None
) -> Hits:
    """Circle k against the point q."""
    return _walls("point", _Call(p, v, r, q), _detection(detection), 0, limit, (), out)


def box(
    p: Any, v: Any, r: Any, low: Any, high: Any, *, limit: float = np.inf, detection: str = "continuous",
    out: Any = None,
) -> Hits:  # fmt: skip
    """Circle k against the box from low = (x0, y0) to high: features 0 to 3 are its sides, 4 to 7 its corners."""
    return _walls("box", _Call(p, v, r, low, high), _detection(detection), 0, limit, (), out)


def polygon(
    p: Any, v: Any, r: Any, corners: Any, *, limit: float = np.inf, detection: str = "continuous", out: Any = None
) -> Hits:
    """n circles against one outline of corners [m, 2]: feature e is an edge, m + k a corner."""
    call = _Call(p, v, r)
    outline = np.asarray(corners, call.dtype)
    if outline.ndim != 2 or outline.shape[1] != 2:
        raise ValueError(f"corners: shape (m, 2) is expected, not {outline.shape}")
    columns = tuple(np.ascontiguousarray(outline[:, axis]) for axis in (0, 1))
    return _walls("polygon", call, _detection(detection), len(outline), limit, columns, out)


def accelerated(
    p: Any, v: Any, a: Any, r: Any, *, limit: float = np.inf, solver: str = "bracketed", out: Any = None
) -> Array:
    """Times of impact of n pairs under constant relative acceleration a: the first root of a quartic."""
    call = _Call(p, v, a, r)
    t = _out(call, "out", out)
    quartic = QUARTICS.index(known("solver", solver, QUARTICS))
    _carom.toi("accelerated", call.bits, quartic, call.n, 0, _limit(limit), call.columns, (t,))
    return t


def _roots(name: str, call: _Call) -> tuple[Array, Array]:
    roots = aligned((4, call.n), call.dtype)
    count = aligned((call.n,), np.int32)
    _carom.toi(name, call.bits, 0, call.n, 0, 0.0, call.columns, (*roots, count))
    return roots, count


def accelerated_roots(p: Any, v: Any, a: Any, r: Any) -> tuple[Array, Array]:
    """All times at which circles under acceleration touch: roots [4, n] in ascending order, and how many."""
    return _roots("accelerated_roots", _Call(p, v, a, r))


def accelerated_line_roots(p: Any, v: Any, a: Any, r: Any, start: Any, end: Any) -> tuple[Array, Array]:
    """All times at which circle k touches the infinite line through start and end."""
    return _roots("accelerated_line_roots", _Call(p, v, a, r, start, end))


def accelerated_point(p: Any, v: Any, a: Any, r: Any, q: Any, *, limit: float = np.inf, out: Any = None) -> Hits:
    """The first impact of circle k under acceleration on the point q."""
    return _walls("accelerated_point", _Call(p, v, a, r, q), 0, 0, limit, (), out)


def accelerated_segment(
    p: Any, v: Any, a: Any, r: Any, start: Any, end: Any, *, limit: float = np.inf, out: Any = None
) -> Hits:
    """The first impact of circle k under acceleration on the segment from start to end."""
    return _walls("accelerated_segment", _Call(p, v, a, r, start, end), 0, 0, limit, (), out)


def accelerated_box(
    p: Any, v: Any, a: Any, r: Any, low: Any, high: Any, *, limit: float = np.inf, out: Any = None
) -> Hits:
    """The first impact of circle k under acceleration on the box from low to high."""
    return _walls("accelerated_box", _Call(p, v, a, r, low, high), 0, 0, limit, (), out)
