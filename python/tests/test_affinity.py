# SPDX-License-Identifier: MIT
"""Affinity: the threads of a batch's calls run on the processors that it lists, and nothing else depends on it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

import carom

ALLOWED = sorted(os.sched_getaffinity(0))
ENDS = sorted({ALLOWED[0], ALLOWED[-1]})
LIBC = ctypes.CDLL(None)


def discs(seen: set[int]) -> tuple[carom.Scene, object]:
    """A scene that records on which processors its ticks are played, and the objects that must outlive it."""
    hook = ctypes.CFUNCTYPE(None)(lambda: seen.add(LIBC.sched_getcpu()))
    bodies = [{"x": 0.0, "y": 0.0, "radius": 1.0}, {"x": 3.0, "y": 0.0, "radius": 1.0, "vx": -0.5}]
    return carom.Scene(bodies=bodies, tick_hook=ctypes.cast(hook, ctypes.c_void_p).value), hook


@pytest.mark.parametrize("threads", [1, 2])
def test_calls_run_on_the_listed_processors(threads: int) -> None:
    seen: set[int] = set()
    scene, _hook = discs(seen)
    everywhere = carom.Worlds(scene, 512, threads=threads)
    everywhere.play(40)
    for processor in ENDS:
        seen.clear()
        worlds = carom.Worlds(scene, 512, threads=threads, affinity=[processor])
        worlds.play(40)
        assert seen == {processor}
        assert os.sched_getaffinity(0) == set(ALLOWED)  # the caller is back
        assert worlds.digest() == everywhere.digest()
        assert worlds.affinity == (processor,)


def test_helping_threads_stay_there() -> None:
    code = """
import os, sys, carom
make = carom.Worlds  # NumPy, whose threads go where they like, comes with it
before = set(os.listdir("/proc/self/task"))
worlds = make("csb", 4096, threads=2, affinity=[int(sys.argv[1])], players=["race", "race"])
worlds.play(20)
for task in set(os.listdir("/proc/self/task")) - before:
    print(*[line.split()[1] for line in open(f"/proc/self/task/{task}/status") if "Cpus_allowed_list" in line])
"""
    made = [sys.executable, "-c", code, str(ENDS[-1])]
    found = subprocess.run(made, capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.split() == [str(ENDS[-1])]


def test_threads_are_as_many_as_processors() -> None:
    for some in ([ENDS[0]], ENDS):
        assert carom.Worlds("csb", 40, affinity=some).threads == len(some)
    assert carom.Worlds("csb", 40, affinity=ENDS[:1], threads=3).threads == 3
    worlds = carom.Worlds("csb", 40)
    assert worlds.affinity is None
    assert carom.Worlds("csb", 40, affinity=ENDS).copy().affinity == tuple(ENDS)


def test_searches_run_there_too() -> None:
    seen: set[int] = set()
    scene, _hook = discs(seen)
    roots = carom.Worlds(scene, 8, affinity=ENDS[-1:], threads=2)
    search = carom.Search(roots, horizon=4, rollouts=256, sequences=64)
    seen.clear()
    search.run(roots)
    assert seen == {ENDS[-1]}


@pytest.mark.parametrize(
    ("affinity", "words"),
    [
        ([], "no processor is listed"),
        ([100000], "processor 100000 does not exist or is not allowed; this thread may run on"),
        ([ENDS[0], ENDS[0]], f"processor {ENDS[0]} is listed twice"),
        ([-1], "affinity: -1"),
        ([0.5], "affinity: 0.5"),
        ("0", "affinity: '0'"),
    ],
)
def test_lists_that_are_refused(affinity: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        carom.Worlds("csb", 4, affinity=affinity)


def test_processors_that_this_thread_may_not_use() -> None:
    other = ENDS[-1] if len(ENDS) > 1 else ENDS[0] + 1
    os.sched_setaffinity(0, ENDS[:1])
    try:
        with pytest.raises(ValueError, match=f"processor {other} does not exist or is not allowed.* on {ENDS[0]}$"):
            carom.Worlds("csb", 4, affinity=[other])
    finally:
        os.sched_setaffinity(0, ALLOWED)
