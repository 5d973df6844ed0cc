# SPDX-License-Identifier: MIT
"""Watched searches: what a watch gets, that it changes nothing, and what ends it."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import carom


def search(roots: carom.Worlds, **more: Any) -> carom.Search:
    return carom.Search(roots, **{"horizon": 4, "rollouts": 256, "sequences": 64, "opponent": "race", **more})


@pytest.fixture
def roots() -> carom.Worlds:
    return carom.Worlds("csb", 2, seed=3)


@pytest.mark.parametrize("planner", ["shooting", "cem", "genetic", "mppi"])
def test_what_is_shown(roots: carom.Worlds, planner: str) -> None:
    plain, watched = search(roots, planner=planner), search(roots, planner=planner)
    best = np.full(2, -np.inf)
    plans = [np.empty(0), np.empty(0)]
    seen = []

    def see(drawn: Any) -> None:
        seen.append((drawn.generation, drawn.player, drawn.count))
        for root in range(2):
            numbers, returns = drawn.sequences(root)
            assert (numbers.shape, returns.shape) == ((drawn.count, 4, 4), (drawn.count,))
            some = drawn.sequences(root, [5, 0])
            assert np.array_equal(some[0], numbers[[5, 0]])
            assert np.array_equal(some[1], returns[[5, 0]])
            if returns.max() > best[root]:
                best[root], plans[root] = returns.max(), numbers[returns.argmax()]

    watched.watch(see)
    assert np.array_equal(watched.run(roots), plain.run(roots))
    assert np.array_equal(watched.plan(), plain.plan())
    assert [generation for generation, _, _ in seen] == list(range(len(plain.report().generations)))
    assert {player for _, player, _ in seen} == {0}
    assert sum(count for _, _, count in seen) == 256
    if planner != "mppi":  # where the plan is a mean
        assert np.array_equal(best, watched.returns())
        assert np.array_equal(np.stack(plans), watched.plan())

    # The values shown equal those of a rollout.
    actions = watched.plan()
    out = carom.rollout(roots, k=1, horizon=4, actions=actions[:, None], opponent="race")
    if planner != "mppi":
        assert np.array_equal(out.returns[:, 0, 0], best)

    count = len(seen)
    watched.watch(None)
    watched.run(roots)
    assert len(seen) == count


def test_in_steps(roots: carom.Worlds) -> None:
    def value(leaves: Any) -> Any:
        worth = leaves.astype(float).sum((1, 2))
        return np.stack([worth, -worth], 1)

    plain, watched = (search(roots, value=value, final_weight=1.0) for _ in range(2))
    seen: list[int] = []
    watched.watch(lambda drawn: seen.append(drawn.generation))
    assert np.array_equal(plain.run(roots), watched.run(roots))
    assert seen == list(range(4))
    watched.begin(roots)
    with pytest.raises(ValueError, match="a run is in progress"):
        watched.watch(None)
    while len(leaves := watched.leaves()):
        watched.values(value(leaves))
    assert seen == [*range(4), *range(4)]


def test_what_a_watch_may_not(roots: carom.Worlds) -> None:
    watched = search(roots)
    kept = []

    def see(drawn: Any) -> None:
        kept.append(drawn)
        for root, chosen in ((2, None), (0, [drawn.count])):
            with pytest.raises(ValueError, match="a whole number from 0 to"):
                drawn.sequences(root, chosen)
        busy: list[Any] = [watched.plan, watched.returns, watched.save, lambda: watched.run(roots), watched.leaves]
        for call in busy:
            with pytest.raises(RuntimeError):
                call()

    watched.watch(see)
    watched.run(roots)
    assert len(kept) == 4
    with pytest.raises(RuntimeError, match="the watch has returned"):
        kept[0].sequences()


@pytest.mark.parametrize("value", ["game", lambda leaves: np.zeros((len(leaves), 2))])
def test_what_it_raises_ends_the_run(roots: carom.Worlds, value: Any) -> None:
    watched = search(roots, value=value)
    seen: list[int] = []

    def see(drawn: Any) -> None:
        seen.append(drawn.generation)
        if len(seen) == 2:
            raise KeyError("enough")

    watched.watch(see)
    with pytest.raises(KeyError, match="enough"):
        watched.run(roots)
    assert seen == [0, 1]
    assert np.isfinite(watched.plan()).all()
    assert np.isfinite(watched.run(roots)).all()
    assert len(seen) == 6
    watched.watch(None)


def test_a_watch_keeps_no_search_alive(roots: carom.Worlds) -> None:
    watched = search(roots)

    def see(drawn: Any, kept: carom.Search = watched) -> None:
        kept.actions  # noqa: B018

    watched.watch(see)
    watched.run(roots)
    gone = weakref.ref(watched)
    del watched, see
    gc.collect()
    assert gone() is None
