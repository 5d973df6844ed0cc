# SPDX-License-Identifier: MIT
"""Jobs in blocks: digests, ledgers, errors and interrupts, in one process."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom import blocks
from carom.blocks import Block, BlockError, Failed, Ledger, Play

JOB = Play("csb", players=["race", "random"], worlds=1000, ticks=150, seed=3, block=300)


def batch(job: Play, **made: Any) -> carom.Worlds:
    """One batch of all worlds of a job, played."""
    worlds = carom.Worlds(
        job.game, job.worlds, seed=job.seed, first_id=job.first_id, at_end="reset", players=job.players, **made
    )
    worlds.play(job.ticks)
    return worlds


@dataclass(frozen=True)
class Squares:
    """A job that returns squares; block `bad` raises an error."""

    count: int
    bad: int = -1

    def blocks(self) -> list[Block]:
        return blocks.divide(self.count, 1)

    def worker(self, threads: int = 0, affinity: Sequence[int] | None = None) -> Callable[[Block], int]:
        def play(block: Block) -> int:
            if block.index == self.bad:
                raise ValueError("a bad block")
            return block.first**2

        return play

    def merge(self, answers: Sequence[int]) -> list[int]:
        return list(answers)


def test_divide() -> None:
    assert blocks.divide(10, 4) == [Block(0, 0, 4), Block(1, 4, 4), Block(2, 8, 2)]
    assert str(Block(2, 8, 2)) == "block 2 (8 to 9)"
    with pytest.raises(ValueError, match="block"):
        blocks.divide(10, 0)


@pytest.mark.parametrize("block", [1, 64, 300, 1000, 5000])
def test_blocks_have_the_digest_of_one_batch(block: int) -> None:
    sums = (
        blocks.run(replace(JOB, block=block), threads=1) if block > 1 else blocks.run(replace(JOB, worlds=9, block=1))
    )
    worlds = batch(JOB if block > 1 else replace(JOB, worlds=9), action_kind="relative")
    counters = worlds.counters()
    assert sums.digest == worlds.digest()
    assert (sums.world_ticks, sums.events, sums.games, sums.goals, sums.faults) == (
        counters.ticks, counters.events, counters.games, counters.goals, counters.faults,
    )  # fmt: skip
    assert sum(sums.wins) + sums.draws == sums.games


@pytest.mark.parametrize(
    ("game", "options", "first_id"),
    [("soccer", {"robots": 2}, 5), ("fantastic_bits", {}, 0), ("stones", {}, 2**40), ("fall", {}, 1)],
)
def test_other_games(game: str, options: dict[str, Any], first_id: int) -> None:
    policy = carom.games[game].policies[-1]
    job = Play(game, players=policy, worlds=50, ticks=40, block=20, first_id=first_id, precision="f32", options=options)
    kind, players = carom.games[game].action_kinds[0].name, [policy] * carom.games[game].players
    made: dict[str, Any] = {"precision": "f32", "action_kind": kind, **options}
    assert blocks.run(job).digest == batch(replace(job, players=players), **made).digest()


def test_scenes(scenes: Path, tmp_path: Path) -> None:
    path = tmp_path / "pins.json"
    path.write_bytes((scenes / "pins.json").read_bytes())
    by_path = Play(path, players="random", worlds=40, ticks=30, block=16)
    scene = carom.Scene.from_file(path)
    by_value = replace(by_path, game=scene)
    worlds = carom.Worlds(scene, 40, at_end="reset", players=["random"] * scene.game.players)
    worlds.play(30)
    path.write_bytes((scenes / "billiards.json").read_bytes())
    assert Ledger(replace(by_path, game=path)).mark != Ledger(by_path).mark, "another scene"
    path.unlink()  # it was read when the job was made
    assert blocks.run(by_path).digest == blocks.run(by_value).digest == worlds.digest()
    again = pickle.loads(pickle.dumps(by_path))
    assert Ledger(again).mark == Ledger(by_value).mark == Ledger(by_path).mark


def test_the_command_gives_the_same() -> None:
    words = "rollout csb --worlds 1000 --ticks 150 --seed 3 --workload race --json --threads 1"
    out = subprocess.run([sys.executable, "-m", "carom", *words.split()], capture_output=True, text=True, check=True)
    sums = blocks.run(replace(JOB, players="race", distinct=128))
    assert f'"digest": "{sums.digest:016x}"' in out.stdout
    assert f'"games": {sums.games},' in out.stdout


def test_results_are_those_of_every_step() -> None:
    found = blocks.run(replace(JOB, ticks=400, results=True)).results
    assert found is not None
    worlds = batch(replace(JOB, ticks=1), action_kind="relative")
    worlds.reset()
    played = worlds.play(400, ends=True, results=True)
    assert played.ends is not None
    assert played.results is not None
    ticks, ids = np.nonzero(played.ends)
    order = np.lexsort((found["tick"], found["world"]))
    expected = np.lexsort((ticks, ids))
    assert len(found) == len(ticks) > 1000
    assert np.array_equal(found["world"][order], ids[expected])
    assert np.array_equal(found["tick"][order], ticks[expected] + 1)
    for name in carom.RESULT.names or ():
        assert np.array_equal(found[name][order], played.results[ticks, ids][expected][name]), name
    sums = blocks.run(replace(JOB, ticks=400))
    assert sums.results is None
    assert sums.wins == tuple((found["winner"] == player).sum() for player in (0, 1))
    assert sums.scores == tuple(found["score"][:, player].sum() for player in (0, 1))


def test_what_a_job_refuses() -> None:
    for change, why in (
        ({"worlds": 0}, "worlds"), ({"ticks": 1.5}, "ticks"), ({"block": 0}, "block"), ({"distinct": 0}, "distinct"),
        ({"players": [None, "race"]}, "job needs"), ({"players": "winner"}, "winner"), ({"game": "chess"}, "chess"),
        ({"precision": "f16"}, "f16"), ({"options": {"map_counts": 1}}, "map_counts"), ({"action_kind": "x"}, "x"),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=why):
            replace(JOB, **change)


# ---- ledgers ----


def test_blocks_are_given_out_and_counted_once() -> None:
    ledger: Ledger[int] = Ledger(Squares(4))
    first, second = ledger.begin("a"), ledger.begin("b")
    assert (first, second) == (Block(0, 0, 1), Block(1, 1, 1))
    assert first is not None
    assert second is not None
    ledger.give_back("a")
    assert ledger.begin("c") == first
    assert ledger.begun_twice == [first]
    assert ledger.take(first, 0)
    assert not ledger.take(first, -1), "the late answer"
    assert ledger.late == [first]
    assert ledger.take(second, 1)
    with pytest.raises(ValueError, match="2 blocks have no answer"):
        ledger.answers()
    with pytest.raises(ValueError, match=r"block 7 \(7 to 7\): the job has none"):
        ledger.take(Block(7, 7, 1), 49)
    for k in (2, 3):
        assert ledger.begin("c") == Block(k, k, 1)
    assert ledger.begin("d") is None
    ledger.give_back("c")
    assert ledger.take(Block(2, 2, 1), 4), "given back, and answered after all"
    assert ledger.begin("d") == Block(3, 3, 1)
    assert ledger.take(Block(3, 3, 1), 9)
    assert (ledger.done, ledger.waiting, ledger.missing()) == (True, 0, [])
    assert ledger.answers() == [0, 1, 4, 9]


def test_a_late_block_is_repeated_once() -> None:
    ledger: Ledger[int] = Ledger(Squares(3))
    slow, quick, _ = (ledger.begin(name) for name in "abc")
    assert slow is not None
    assert quick is not None
    time.sleep(0.01)
    assert ledger.begin("b", late=1.0) is None, "nothing has come back that says what is late"
    ledger.take(quick, 1)
    assert ledger.begin("b", late=1e9) is None
    time.sleep(0.02)
    assert ledger.begin("b") is None
    assert ledger.begin("a", late=1.0) == Block(2, 2, 1), "its own is not repeated by itself"
    assert ledger.begin("b", late=1.0) == slow
    assert ledger.begin("d", late=1.0) is None, "both are repeated"
    ledger.give_back("a", died=True)
    assert ledger.begin("d") is None, "the repetition goes on"
    ledger.give_back("b")
    assert ledger.begin("d") == slow


def test_a_block_that_kills_its_workers() -> None:
    ledger: Ledger[int] = Ledger(Squares(1))
    for _ in range(blocks.MOST_LOST - 1):
        ledger.begin("a")
        ledger.give_back("a", died=True)
    ledger.begin("a")
    with pytest.raises(RuntimeError, match=r"block 0 .*workers died"):
        ledger.give_back("a", died=True)


def test_a_ledger_of_another_job() -> None:
    with pytest.raises(ValueError, match="another job"):
        blocks.run(Squares(3), ledger=Ledger(Squares(4)))
    text = "".join(["ra", "ce"])  # an equal string, another object
    assert Ledger(replace(JOB, players=(text, "race"))).mark == Ledger(replace(JOB, players=("race", "race"))).mark


def test_a_ledger_that_is_pickled() -> None:
    ledger: Ledger[int] = Ledger(Squares(4))
    block = ledger.begin("a")
    assert block is not None
    ledger.take(block, 100)
    ledger.begin("a")
    again = pickle.loads(pickle.dumps(ledger))
    assert blocks.run(Squares(4), ledger=again) == [100, 1, 4, 9]
    assert len(again.begun) == 5


def test_a_ledger_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "job.ledger"
    job = Squares(5, bad=3)
    with pytest.raises(BlockError, match=r"block 3 \(3 to 3\): ValueError: a bad block") as raised:
        blocks.run(job, ledger=(ledger := Ledger(job, path)))
    assert raised.value.block == Block(3, 3, 1)
    assert isinstance(raised.value.__cause__, ValueError)
    with pytest.raises(BlockingIOError, match="another process"):
        Ledger(job, path)
    ledger.close()
    whole = path.read_bytes()
    for lost in range(1, 30):  # a write that was cut off
        path.write_bytes(whole[:-lost])
        cut: Ledger[int] = Ledger(job, path)
        assert cut.count == 2
        assert cut.take(Block(2, 2, 1), 4)
        cut.close()
        assert path.read_bytes() == whole
    with pytest.raises(ValueError, match="another job"):
        Ledger(Squares(5), path)
    for text in (b"no ledger\n", b"x" * 5, b"\xff" * 100):
        path.write_bytes(text)
        with pytest.raises(ValueError, match="not a ledger"):
            Ledger(job, path)
        assert path.read_bytes() == text


def test_the_path_of_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "job.ledger"
    for _ in range(2):  # it is closed at the end
        with pytest.raises(BlockError, match="block 3"):
            blocks.run(Squares(5, bad=3), ledger=path)
    with closing(Ledger(Squares(5, bad=3), path)) as ledger:
        assert ledger.missing() == [Block(3, 3, 1), Block(4, 4, 1)]
        assert ledger.take(Block(3, 3, 1), 9)
    assert blocks.run(Squares(5, bad=3), ledger=str(path)) == [0, 1, 4, 9, 16]


def test_errors_that_cannot_be_pickled() -> None:
    class OddError(Exception):
        def __init__(self, a: int, b: int) -> None:
            super().__init__("odd")

    def play(block: Block) -> int:
        raise OddError(1, 2)

    failed = blocks.attempt(play, Block(1, 2, 3))
    assert isinstance(failed, Failed)
    again = pickle.loads(pickle.dumps(failed))
    with pytest.raises(BlockError, match=r"block 1 \(2 to 4\).*OddError: odd") as raised:
        again.throw()
    assert "in play" in "".join(raised.value.__cause__.__notes__)  # type: ignore[union-attr]


INTERRUPTED = """
import signal, sys
from carom import blocks
signal.signal(signal.SIGINT, signal.default_int_handler)
job = blocks.Play("csb", players="race", worlds=40000, ticks=200, block=2000)
ledger = blocks.Ledger(job, sys.argv[1])
before = ledger.count
print("ready", flush=True)
try:
    sums = blocks.run(job, threads=1, ledger=ledger)
    print(before, len(ledger.begun), sums.digest)
except KeyboardInterrupt:
    print("interrupted", before, ledger.count)
"""


def test_control_c_keeps_what_is_done(tmp_path: Path) -> None:
    path = tmp_path / "job.ledger"

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-c", INTERRUPTED, path], stdout=subprocess.PIPE, text=True)

    process = start()
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    size, end = os.path.getsize(path), time.monotonic() + 60
    while os.path.getsize(path) < size + 500 and time.monotonic() < end:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    words = process.communicate(timeout=60)[0].split()
    done = int(words[2])
    assert words == ["interrupted", "0", str(done)]
    assert 0 < done < 20
    out = start().communicate(timeout=120)[0].split()
    sums = blocks.run(Play("csb", players="race", worlds=40000, ticks=200, block=40000))
    assert out == ["ready", str(done), str(20 - done), str(sums.digest)]


def test_progress_is_for_terminals() -> None:
    code = "from carom import blocks; blocks.run(blocks.Play('csb', players='race', worlds=9, ticks=9), progress=True)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (out.stdout, out.stderr) == (b"", b"")
    primary, secondary = os.openpty()
    subprocess.run([sys.executable, "-c", code], stderr=secondary, check=True)
    shown = os.read(primary, 4096)
    os.close(primary)
    os.close(secondary)
    assert b"0 of 1 blocks" in shown
    assert shown.endswith(b"\r\x1b[K")
