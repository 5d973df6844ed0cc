# SPDX-License-Identifier: MIT
"""Measures of disks against freud, and statistics of series; freud is optional (PyPI: freud-analysis)."""

import math

import numpy as np
import pytest

import carom
from carom import measures


def laboratory(packing: float) -> tuple[np.ndarray, tuple[float, float]]:
    with carom.Lab(400, packing, seed=3) as lab:
        lab.run(20.0)
        return lab.state(), lab.size


@pytest.mark.parametrize("packing", [0.1, 0.5, 0.7])
def test_freud(packing: float) -> None:
    freud = pytest.importorskip("freud")
    state, (width, height) = laboratory(packing)
    box = freud.box.Box(Lx=width, Ly=height, is2D=True)
    points = np.stack([state[0] - width / 2, state[1] - height / 2, np.zeros(400)], axis=1)

    # freud works in single precision: a distance near the end of a bin may count in the next one.
    rdf = freud.density.RDF(bins=40, r_max=5.0, normalization_mode="finite_size")
    rdf.compute((box, points))
    r, g = measures.pair_distribution(state, (width, height), 5.0, 40)
    np.testing.assert_allclose(r, rdf.bin_centers, rtol=1e-6)
    np.testing.assert_allclose(g, rdf.rdf, atol=0.02 * max(g))
    assert abs(np.mean(g - rdf.rdf)) < 2e-3

    voronoi = freud.locality.Voronoi()
    voronoi.compute((box, points))
    for weighted in (False, True):
        hexatic = freud.order.Hexatic(k=6, weighted=weighted)
        hexatic.compute((box, points), neighbors=voronoi.nlist)
        psi = measures.bond_order(state, (width, height), weighted=weighted)
        assert np.max(np.abs(psi - hexatic.particle_order)) < 1e-3


def test_structure_factor() -> None:
    state, size = laboratory(0.5)
    k, values = measures.structure_factor(state, size, 10.0, 20, 4)
    assert len(k) > 60
    assert np.all((k > 0) & (k < 10))

    # Along the axes, by the definition.
    step = 2 * math.pi / size[0]
    for wave, value in zip(k, values, strict=True):
        if abs(wave / step - round(wave / step)) < 1e-9:
            along = [np.abs(np.exp(1j * wave * row).sum()) ** 2 / 400 for row in state[:2]]
            if min(abs(value - a) for a in along) < 1e-9 * 400:
                break
    else:
        pytest.fail("no wave along an axis is as by the definition")


def test_series() -> None:
    values = np.random.default_rng(1).normal(5.0, 1.0, 4096)
    s = measures.series(values)
    assert abs(s.mean - 5) < 5 / 64
    assert 0.8 / 64 < s.error < 1.5 / 64
    assert s.stationary
    assert not measures.series(values + np.linspace(0, 1, 4096)).stationary


def test_refused() -> None:
    state, size = laboratory(0.5)
    with pytest.raises(ValueError, match="not allow"):
        measures.pair_distribution(state, size, size[0])
    with pytest.raises(ValueError, match="bins"):
        measures.pair_distribution(state, size, 2.0, 0)
    with pytest.raises(ValueError, match="positions"):
        measures.bond_order(state[0], size)
    with pytest.raises(ValueError, match="values"):
        measures.series([])
