# SPDX-License-Identifier: MIT
"""Measures of disks from arrays: pair distribution, structure factor, bond order, statistics of a time series.

Positions are [2, disk], or arrays whose first two rows are used, such as `Lab.state()`, and lie within the box. The box
is (width, height), and periodic along both axes unless `periodic` says otherwise.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from . import _carom
from ._structs import Array


class Series(NamedTuple):
    """Statistics of values measured at equal intervals."""

    mean: float
    error: float
    """One standard deviation of the mean, by blocking; NaN for fewer than 8 values."""
    block: float
    """The number of values in a block from which on the error no longer grows."""
    drift: float
    """The Mann-Kendall trend test, as a standard normal deviate; NaN for fewer than 8 values."""
    stationary: bool
    """|drift| < 2.58."""


def _points(positions: Any) -> Array:
    array = np.asarray(positions, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] < 2:
        raise ValueError(f"positions: shape {array.shape} is not (2, disks)")
    return np.ascontiguousarray(array[:2])


def _region(box: tuple[float, float], periodic: tuple[bool, bool]) -> tuple[float, float, float, float, bool, bool]:
    width, height = box
    if not (math.isfinite(width) and width > 0 and math.isfinite(height) and height > 0):
        raise ValueError(f"box: {box} is not two lengths")
    return (0.0, 0.0, float(width), float(height), bool(periodic[0]), bool(periodic[1]))


def _whole(name: str, value: int) -> int:
    if not 1 <= value <= 1_000_000:
        raise ValueError(f"{name}: {value} is not in 1 to 1,000,000")
    return int(value)


def pair_distribution(
    positions: Any,
    box: tuple[float, float],
    range: float,
    bins: int = 256,
    *,
    periodic: tuple[bool, bool] = (True, True),
) -> tuple[Array, Array]:
    """Centres of the bins, and g(r): 1 for points without order, in closed boxes, too.

    `range` is at most half the box along a periodic axis.
    """
    points, bins = _points(positions), _whole("bins", bins)
    counts, expected = np.zeros(bins, np.uint64), np.zeros(bins)
    _carom.measure_pairs(_region(box, periodic), points.shape[1], points, float(range), bins, counts, expected)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (np.arange(bins) + 0.5) * range / bins, counts / expected


def structure_factor(
    positions: Any, box: tuple[float, float], greatest: float = 4 * math.pi, bins: int = 64, directions: int = 6
) -> tuple[Array, Array]:
    """Wave numbers up to `greatest`, and S(k), from up to `directions` waves in each bin; for periodic boxes."""
    points = _points(positions)
    bins, directions = _whole("bins", bins), _whole("directions", directions)
    k, values = np.zeros(bins * directions), np.zeros(bins * directions)
    count = _carom.measure_structure(
        _region(box, (True, True)), points.shape[1], points, float(greatest), bins, directions, k, values
    )
    return k[:count], values[:count]


def bond_order(
    positions: Any, box: tuple[float, float], *, weighted: bool = False, periodic: tuple[bool, bool] = (True, True)
) -> Array:
    """psi6 of each disk over its Voronoi neighbours, complex; weighted by the sides of its cell, or unweighted."""
    points = _points(positions)
    psi = np.zeros((2, points.shape[1]))
    _carom.measure_order(_region(box, periodic), points.shape[1], points, weighted, psi)
    return np.asarray(psi[0] + 1j * psi[1])


def series(values: Any) -> Series:
    """The mean, its error, and whether the values have a trend."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"values: shape {array.shape} is not (values,)")
    return Series(*_carom.measure_series(len(array), array))
