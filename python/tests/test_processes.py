# SPDX-License-Identifier: MIT
"""Batches, searches and gases with threads, forks, interpreters and interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

import carom


def test_the_same_batch_from_two_threads() -> None:
    worlds = carom.Worlds("csb", 4096, players=["race", "race"], threads=1, at_end="reset")
    errors: list[Exception] = []
    started = threading.Event()

    def play() -> None:
        started.set()
        worlds.play(300)

    thread = threading.Thread(target=play)
    thread.start()
    started.wait()
    time.sleep(0.05)
    for call in (worlds.step, worlds.save, worlds.close):
        try:
            call()
        except RuntimeError as error:
            errors.append(error)
    thread.join()
    assert [str(e) for e in errors] == ["it is in use by another thread"] * 3
    assert (worlds["tick"] + 500 * worlds["episode"]).min() >= 0
    assert worlds.counters().ticks == 4096 * 300


def test_the_lock_is_released() -> None:
    worlds = carom.Worlds("csb", 4096, players=["race", "race"], threads=1)
    thread = threading.Thread(target=lambda: worlds.play(200))
    thread.start()
    counted = 0
    while thread.is_alive():
        counted += 1
    assert counted > 1000


def test_fork_after_use() -> None:
    worlds = carom.Worlds("csb", 48, seed=7, precision="f32", at_end="reset", players=["race", "random"])
    worlds.play(20)
    expected = worlds.copy()
    expected.play(5)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            worlds.play(5)
            os.write(write, worlds.digest().to_bytes(8, "little"))
        finally:
            os._exit(0)
    os.close(write)
    assert int.from_bytes(os.read(read, 8), "little") == expected.digest()
    os.close(read)
    assert os.waitpid(child, 0)[1] == 0


def in_child(check: Callable[[], object]) -> str:
    """What a forked child's `check` returns, or its exception, as text."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = str(check())
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    text = os.read(read, 4096).decode()
    os.close(read)
    os.waitpid(child, 0)
    return text


def test_a_batch_that_was_being_played_at_a_fork() -> None:
    worlds = carom.Worlds("csb", 4096, seed=3, players=["race", "race"], threads=1, at_end="reset")
    fresh = worlds.copy()
    saved = fresh.save()
    fresh.play(3)
    thread = threading.Thread(target=lambda: worlds.play(1500))
    thread.start()
    time.sleep(0.05)

    def by(mend: Callable[[], None]) -> int:
        mend()
        worlds.play(3)
        return worlds.digest()

    refused = [in_child(call) for call in (worlds.step, worlds.save, lambda: worlds.load(b"no save"), worlds.digest)]
    mended = [in_child(lambda mend=mend: by(mend)) for mend in (worlds.reset, lambda: worlds.load(saved))]
    closed = in_child(worlds.close)
    assert thread.is_alive(), "too few ticks"
    thread.join()
    for text in (refused[0], refused[1], refused[3]):
        assert text.startswith("RuntimeError: another thread was playing it when this process was forked")
    assert refused[2].startswith("ValueError")
    assert mended == [str(fresh.digest())] * 2
    assert closed == "None"
    assert worlds.counters().ticks == 4096 * 1500


def test_roots_that_were_only_read_at_a_fork() -> None:
    roots = carom.Worlds("csb", 64, seed=3, threads=1)
    search = carom.Search(roots, rollouts=1 << 15, horizon=10)
    thread = threading.Thread(target=lambda: search.run(roots))
    thread.start()
    time.sleep(0.05)
    digest, again = in_child(roots.digest), in_child(lambda: search.run(roots))
    with pytest.raises(RuntimeError, match="in use by another thread"):
        roots.step()
    assert thread.is_alive(), "too few rollouts"
    thread.join()
    assert digest == str(roots.digest())
    assert again.startswith("RuntimeError: another thread was running it when this process was forked")


def test_roots_are_in_use_while_leaves_are_rolled_out() -> None:
    roots = carom.Worlds("csb", 256, seed=3, threads=1)
    search = carom.Search(roots, rollouts=1 << 13, sequences=1 << 12, horizon=20)
    search.begin(roots)
    thread = threading.Thread(target=search.leaves)
    thread.start()
    time.sleep(0.05)
    with pytest.raises(RuntimeError, match="in use by another thread"):
        roots.step()
    assert thread.is_alive(), "too few leaves"
    thread.join()
    roots.step()  # between the steps of a search they are not held
    roots.close()
    with pytest.raises(ValueError, match="the batch is closed"):
        search.leaves()


def test_a_second_interpreter_is_told_why() -> None:
    code = (
        "import carom\n"
        "try:\n import _xxsubinterpreters as s\nexcept ImportError:\n import _interpreters as s\n"
        "s.run_string(s.create(), 'try:\\n import carom\\nexcept ImportError as e: print(e, flush=True)')"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout
    assert "main interpreter" in out or "does not support loading in subinterpreters" in out


INTERRUPTED = """
import signal, sys, carom, numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
kind = sys.argv[1]
worlds = carom.Worlds("csb", 64, players=["race", "race"], at_end="reset")
gas = carom.Gas(20000)
print("ready", flush=True)
try:
    if kind == "play":
        worlds.play(10_000_000)
    elif kind == "rollout":
        carom.rollout(worlds, 1_000_000, 50)
    elif kind in ("search", "leaves"):
        value = (lambda seen: seen[:, :, 0].astype(float)) if kind == "leaves" else "game"
        search = carom.Search(worlds, milliseconds=3000, sequences=1 << 8, horizon=50, value=value)
        before = worlds.digest()
        search.run(worlds)
    else:
        gas.run(1e9)
except KeyboardInterrupt:
    if kind in ("search", "leaves"):
        assert worlds.digest() == before and search.report().seconds < 2
        assert np.isfinite(search.plan()).all() and abs(search.actions()).max() <= 1
        search.run(worlds)  # the interrupt is over
        assert search.report().seconds > 2
    worlds.play(1)
    gas.run(0.1)
    assert worlds.faults().worlds == 0 and not gas.measure().fault
    print("interrupted")
"""


@pytest.mark.parametrize("kind", ["play", "rollout", "search", "leaves", "gas"])
def test_control_c_stops_a_long_call(kind: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, kind], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert out == "interrupted\n"
    assert process.returncode == 0


def test_a_handler_of_the_programs_own_is_left_alone() -> None:
    called: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: called.append(number))
    try:
        worlds = carom.Worlds("csb", 4096, players=["race", "race"])
        timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        worlds.play(200)
        timer.join()
        time.sleep(0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert called == [signal.SIGINT]
    assert worlds.counters().ticks == 4096 * 200
