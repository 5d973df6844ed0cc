# SPDX-License-Identifier: MIT
"""Queries of worlds: what rays hit, what is nearest, what is within a distance."""

import numpy as np
import pytest

import carom


@pytest.fixture
def yard() -> carom.Worlds:
    bodies = [{"x": 0, "radius": 1}, {"x": 10, "radius": 2, "category": 2}, {"x": 0, "y": 6, "sensor": True}]
    walls = [{"a": (-10, -5), "b": (-10, 5)}]
    return carom.Worlds(carom.Scene(bodies=bodies, walls=walls), 3)


def kinds(found: np.ndarray) -> list[str]:
    return [carom.FOUND_KINDS[kind] for kind in found["kind"].ravel()]


def test_rays_are_broadcast(yard: carom.Worlds) -> None:
    angles = np.array([0, np.pi / 2, np.pi])
    found = yard.cast(3.0, 0.0, np.cos(angles), np.sin(angles), world=np.arange(3)[:, None], range=50)
    assert found.shape == (3, 3)
    assert found.dtype == carom.FOUND
    assert kinds(found[1]) == ["body", "none", "body"]
    assert found["index"][2].tolist() == [1, 0, 0]
    np.testing.assert_allclose(found["distance"][0], [5, 50, 2], rtol=1e-15)
    np.testing.assert_allclose(found["nx"][0], [-1, 0, 1], atol=1e-15)


def test_worlds_differ(yard: carom.Worlds) -> None:
    yard.view("x")  # queries see the worlds as they are now
    x = yard["x"].copy()
    x[1, 1] = 20
    yard["x"] = x
    assert yard.cast(3, 0, 1, 0, world=[0, 1, 2])["distance"].tolist() == [5, 15, 5]


def test_filters(yard: carom.Worlds) -> None:
    one = yard.cast(0, 0, 1, 0, ignore=0)
    assert one.shape == ()
    assert one["index"] == 1
    assert not one["inside"]
    assert yard.cast(0, 0, 1, 0)["inside"]
    assert kinds(yard.cast(0, 3, [0, 0], 1, sensors=[False, True])) == ["none", "body"]
    assert kinds(yard.cast(3, 0, 1, 0, mask=[1, 3])) == ["none", "body"]
    assert yard.cast(3, 0, 1, 0, radius=1.5)["distance"] == 3.5


def test_nearest_and_within(yard: carom.Worlds) -> None:
    found = yard.nearest([3, -8], [0, 0])
    assert kinds(found) == ["body", "wall"]
    assert found["distance"].tolist() == [2, 2]
    list_, counts = yard.within([4, 40], 0, range=5, capacity=1)
    assert counts.tolist() == [2, 0]
    assert list_.shape == (2, 1)
    assert list_["index"][0, 0] == 0
    overlaps, count = yard.within(-9, 0, radius=1)
    assert count == 1
    assert kinds(overlaps)[:2] == ["wall", "none"]


def test_into_an_array(yard: carom.Worlds) -> None:
    out = np.zeros(2, carom.FOUND)
    assert yard.cast([3, 3], 0, 1, 0, out=out) is out
    assert out["distance"].tolist() == [5, 5]


def test_games() -> None:
    worlds = carom.Worlds("csb", 2)
    x, y = worlds["x"][0], worlds["y"][0]
    found = worlds.cast(x[0], y[0], x[1] - x[0], y[1] - y[0], ignore=0)
    assert carom.FOUND_KINDS[found["kind"]] == "body"
    assert found["index"] == 1
    assert worlds.nearest(x[2], y[2], mask=1 << 2)["index"] == 2  # of the second player's pods


def test_refusals(yard: carom.Worlds) -> None:
    with pytest.raises(ValueError, match=r"query 1: \(0, 0\) is not a direction"):
        yard.cast(0, 0, [1, 0], 0)
    with pytest.raises(ValueError, match="query 0: world 3 of a batch of 3"):
        yard.cast(0, 0, 1, 0, world=3)
    with pytest.raises(ValueError, match="mask: whole numbers from 0 to 4294967295 are expected"):
        yard.cast(0, 0, 1, 0, mask=-1)
    with pytest.raises(TypeError, match="size: no such argument"):
        yard.cast(0, 0, 1, 0, size=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="out"):
        yard.cast(0, 0, 1, 0, out=np.zeros(()))
