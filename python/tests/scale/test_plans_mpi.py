# SPDX-License-Identifier: MIT
"""A search over the ranks of mpirun: ten turns on any number of ranks, and after a rank is killed between two turns."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import jobs
import pytest
import turns

pytest.importorskip("mpi4py")
MPIRUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
pytestmark = pytest.mark.skipif(MPIRUN is None, reason="there is no mpirun (Debian: openmpi-bin)")

# Every rank plays all turns, and rank 0 saves what another program needs to continue. After turn `stop` all ranks wait.
PROGRAM = """
import functools, os, pathlib, sys, time
import carom.mpi, carom.plans, turns
from mpi4py import MPI

folder, count, stop = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rank = MPI.COMM_WORLD.rank
worlds = turns.roots()
search = carom.plans.ClusterSearch(
    worlds, engine=functools.partial(carom.mpi.run, threads=1), block=turns.BLOCK, **turns.OPTIONS)
done = turns.go_on(folder / "kept", worlds, search)
first = len(done)
while len(done) < count:
    done += turns.play(search, worlds, 1)
    if rank == 0:
        turns.keep(folder / "kept", done, worlds, search)
    if len(done) == stop:
        (folder / f"rank-{rank}").write_text(str(os.getpid()))
        time.sleep(600)
sys.stdout.write(f"{rank} {first} {' '.join(done)}\\n")
"""


def mpirun(ranks: int, folder: Path, count: int, stop: int = 0) -> subprocess.Popen[str]:
    """Starts it."""
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [str(MPIRUN), "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.executable, "-c", PROGRAM]
    command += [str(folder), str(count), str(stop)]
    return subprocess.Popen(command, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def found(program: subprocess.Popen[str]) -> list[list[str]]:
    """The ranks' output, in order."""
    out, errors = program.communicate(timeout=180)
    assert program.returncode == 0, errors
    return sorted(line.split() for line in out.splitlines())


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_ten_turns(ranks: int, tmp_path: Path) -> None:
    count = 3 if jobs.SHORT else turns.TURNS
    expected = turns.whole(count)
    assert found(mpirun(ranks, tmp_path, count)) == [[str(rank), "0", *expected] for rank in range(ranks)]


@pytest.mark.parametrize("rank", [1] if jobs.SHORT else [1, 0])
def test_a_rank_that_is_killed_between_two_turns(rank: int, tmp_path: Path) -> None:
    """It ends the program; the next one continues with the following turn, plans included."""
    count, stop = (4, 2) if jobs.SHORT else (turns.TURNS, 4)
    program = mpirun(2, tmp_path, count, stop)
    jobs.wait_for(lambda: all((tmp_path / f"rank-{k}").exists() for k in range(2)))
    os.kill(int((tmp_path / f"rank-{rank}").read_text()), signal.SIGKILL)
    program.communicate(timeout=60)
    assert program.returncode != 0
    expected = turns.whole(count)
    assert found(mpirun(4, tmp_path, count)) == [[str(k), str(stop), *expected] for k in range(4)]
