# SPDX-License-Identifier: MIT
"""Distributed searches: the plans of ten turns, block by block, equal those of one search, bit for bit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import carom
from carom import blocks, plans

COUNT, TURNS = 13, 10
SMALL: dict[str, Any] = {"horizon": 5, "sequences": 16, "rollouts": 64, "seed": 4}


def roots_of(game: str = "csb", **made: Any) -> carom.Worlds:
    """Worlds in the middle of games, some of which end within ten turns."""
    worlds = carom.Worlds(game, COUNT, seed=3, first_id=100, at_end="reset", players=None, **made)
    policies = [name for name in worlds.game.policies if name != "zero"][:1] * worlds.game.players
    carom.Worlds.play(worlds, 95, players=policies)
    return worlds


def game_of(search: carom.Search, turns: int = TURNS, **made: Any) -> list[tuple[Any, ...]]:
    """The result of a search in each turn; the roots then play it."""
    roots = roots_of(**made)
    found = []
    for turn in range(turns):
        actions = search.run(roots)
        found.append((actions.tobytes(), search.plan().tobytes(), search.returns().tobytes()))
        numbers = np.zeros_like(roots.actions)
        numbers[:, 0] = actions
        roots.step(numbers)
        if turn == 4:
            roots.step(numbers)  # plans move on by two ticks
        if turn == 6:
            search.set_plan(search.plan() / 2)
    return found


def pickled(job: plans.Turn) -> list[plans.Found]:
    """An engine: every block goes to a new worker, with all its arguments pickled."""
    data = pickle.dumps(job)
    order = np.random.default_rng(1).permutation(len(job.blocks()))
    answers: dict[int, plans.Found] = {}
    for index in order:
        block = job.blocks()[index]
        answers[block.index] = pickle.loads(pickle.dumps(pickle.loads(data).worker(threads=1)(block)))
    return job.merge([answers[k] for k in range(len(order))])


@pytest.mark.parametrize(
    "options",
    [
        {"planner": "cem"},
        {"planner": "shooting", "opponent": "race", "hold": 2},
        {"planner": "genetic", "opponent": "search", "cut_after": 2},
        {"planner": "mppi", "opponent": "fictitious", "against": "mean", "other_rounds": 2},
        {"planner": "cem", "opponent": ["plan", "race"], "low": -0.5, "high": 1.0},
    ],
)
def test_ten_turns(options: dict[str, Any]) -> None:
    expected = game_of(carom.Search(roots_of(), **SMALL, **options))
    assert len({actions for actions, *_ in expected}) == TURNS
    for block, engine in ((1, pickled), (5, blocks.run), (5, pickled), (COUNT, blocks.run), (100, pickled)):
        shared = plans.ClusterSearch(roots_of(), engine=engine, block=block, **SMALL, **options)
        assert game_of(shared) == expected, (block, engine)


def test_other_worlds_and_another_player() -> None:
    made = {"game": "soccer", "precision": "f32", "robots": 2}
    expected = game_of(carom.Search(roots_of(**made), player=1, **SMALL), 3, **made)
    shared = plans.ClusterSearch(roots_of(**made), engine=pickled, block=4, player=1, **SMALL)
    assert game_of(shared, 3, **made) == expected


def test_seeds_of_worlds() -> None:
    """Games that start during a rollout are drawn with the seed of each world."""

    def find(search: carom.Search) -> list[bytes]:
        found = []
        roots.restart(seeds=np.arange(COUNT, dtype=np.uint64))
        for _ in range(3):
            found.append(search.run(roots).tobytes())
            roots.step(np.zeros_like(roots.actions))
        return found

    roots = carom.Worlds("csb", COUNT, ticks=4, at_end="reset")
    expected = find(carom.Search(roots, **SMALL))
    assert find(plans.ClusterSearch(roots, engine=pickled, block=3, **SMALL)) == expected


def test_report_and_budget() -> None:
    roots = roots_of()
    whole = carom.Search(roots, **SMALL)
    shared = plans.ClusterSearch(roots, block=5, **SMALL)
    assert shared.report().rollouts == 0
    for rollouts in (64, 200):
        whole.set_budget(rollouts=rollouts)
        shared.set_budget(rollouts=rollouts)
        assert whole.run(roots).tobytes() == shared.run(roots).tobytes()
        one, sum_ = whole.report(), shared.report()
        assert (one.rollouts, one.ticks, one.cut) == (sum_.rollouts, sum_.ticks, sum_.cut)
        for a, b in zip(one.generations, sum_.generations, strict=True):
            assert (a.player, a.rollouts, a.ticks, a.cut) == (b.player, b.rollouts, b.ticks, b.cut)
            np.testing.assert_allclose((a.best, a.mean, a.spread), (b.best, b.mean, b.spread), rtol=1e-12)


def test_a_run_that_failed_is_tried_again() -> None:
    roots, calls = roots_of(), 0

    def engine(job: plans.Turn) -> list[plans.Found]:
        nonlocal calls
        calls += 1
        if calls == 2:
            play = job.worker(1)
            play(job.blocks()[0])  # a part is done
            raise KeyboardInterrupt
        return blocks.run(job)

    shared = plans.ClusterSearch(roots, engine=engine, block=4, **SMALL)
    whole = carom.Search(roots, **SMALL)
    for turn in range(3):
        if turn == 1:
            with pytest.raises(KeyboardInterrupt):
                shared.run(roots)
        assert shared.run(roots).tobytes() == whole.run(roots).tobytes()
        roots.step(np.zeros_like(roots.actions))


def scaled(seen: Any) -> Any:
    """A value by the caller."""
    return np.tile(seen.reshape(len(seen), -1).mean(axis=1)[:, None], (1, 2))


def test_values_from_outside() -> None:
    roots = roots_of()
    expected = carom.Search(roots, value=scaled, **SMALL).run(roots).tobytes()
    assert plans.ClusterSearch(roots, value=scaled, engine=pickled, block=4, **SMALL).run(roots).tobytes() == expected


def test_what_is_refused() -> None:
    roots = roots_of()
    with pytest.raises(ValueError, match="milliseconds"):
        plans.ClusterSearch(roots, milliseconds=5)
    shared = plans.ClusterSearch(roots, **SMALL)
    with pytest.raises(ValueError, match="milliseconds"):
        shared.set_budget(milliseconds=5)
    with pytest.raises(ValueError, match="block: 0"):
        plans.ClusterSearch(roots, block=0)
    with pytest.raises(ValueError, match="roots: 13 worlds are expected, not 14"):
        shared.run(carom.Worlds("csb", COUNT + 1))
    with pytest.raises(blocks.BlockError, match="another game or precision, or of other options"):
        shared.run(carom.Worlds("csb", COUNT, seed=77))


# ---- saves ----


def saved_after(turns: int, count: int, **options: Any) -> tuple[carom.Worlds, carom.Search]:
    """A search after some runs."""
    roots = carom.Worlds("csb", count)
    search = carom.Search(roots, **{**SMALL, **options})
    for _ in range(turns):
        roots.step(np.concatenate([search.run(roots)[:, None]] * 2, axis=1))
    return roots, search


def test_saves_go_into_other_places() -> None:
    _roots, search = saved_after(2, 6)
    larger = carom.Search(carom.Worlds("csb", 9), **SMALL)
    larger.load(search.save(1, 3), first=5)
    assert larger.save(5, 3) == search.save(1, 3)
    np.testing.assert_array_equal(larger.plan()[5:8], search.plan()[1:4])
    np.testing.assert_array_equal(larger.returns()[5:8], search.returns()[1:4])
    assert larger.save(first=9) != b""  # of no roots, but with the count of generations


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda saved: b"", "not a save of a search"),
        (lambda saved: saved[:-1], "was cut or is too long"),
        (lambda saved: saved + b"\0", "was cut or is too long"),
        (lambda saved: saved[:100] + bytes([saved[100] ^ 1]) + saved[101:], "damaged"),
        (lambda saved: saved_after(1, 4, horizon=6)[1].save(), "a search with other parameters"),
        (lambda saved: saved_after(1, 5)[1].save(), "has 5 roots, the search 4 from root 0 on"),
    ],
)
def test_saves_that_are_refused(change: Any, words: str) -> None:
    _, search = saved_after(1, 4)
    before = search.save()
    with pytest.raises(ValueError, match=words):
        search.load(change(before))
    assert search.save() == before


def test_saves_in_the_middle_of_a_run() -> None:
    roots, search = saved_after(1, 4)
    saved = search.save()
    search.begin(roots)
    for call in (search.save, lambda: search.load(saved)):
        with pytest.raises(ValueError, match="a run is in progress"):
            call()
    for first in (-1, 5):
        with pytest.raises(ValueError, match="first"):
            search.save(first)
