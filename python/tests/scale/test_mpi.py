# SPDX-License-Identifier: MIT
"""carom.mpi under mpirun: ranks, errors, a rank that is killed."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import jobs
import pytest

from carom import blocks

pytest.importorskip("mpi4py")
MPIRUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
pytestmark = pytest.mark.skipif(MPIRUN is None, reason="there is no mpirun (Debian: openmpi-bin)")
PROGRAM = """
import os, pathlib, pickle, sys
import carom.mpi
from mpi4py import MPI

folder, ledger = pathlib.Path(sys.argv[1]), (sys.argv[2:] or [None])[0]
rank = MPI.COMM_WORLD.rank
(folder / f"process-{rank}").write_text(str(os.getpid()))
job = pickle.loads((folder / "job").read_bytes())
mine = sorted(os.sched_getaffinity(0))
affinity = [mine[rank % len(mine)]]
found = carom.mpi.run(job if rank == 0 else None, threads=1, affinity=affinity, ledger=ledger)
sys.stdout.write(f"rank {rank}: {getattr(found, 'digest', found)}\\n")
"""


def mpirun(ranks: int, job: object, folder: Path, *ledger: Path) -> subprocess.Popen[str]:
    """Starts a program that plays a job."""
    (folder / "job").write_bytes(pickle.dumps(job))
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [str(MPIRUN), "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.executable, "-c", PROGRAM]
    return subprocess.Popen(
        [*command, str(folder), *map(str, ledger)], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def digests(program: subprocess.Popen[str]) -> list[str]:
    """The output of a program's ranks."""
    out, errors = program.communicate(timeout=120)
    assert program.returncode == 0, errors
    return sorted(out.splitlines())


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_every_rank_has_the_same_digest(ranks: int, tmp_path: Path) -> None:
    job = jobs.small(tmp_path / "trace", slow=0.1 * ranks)  # no rank is so late that no work is left for it
    whole = blocks.run(job.play)
    assert digests(mpirun(ranks, job, tmp_path)) == [f"rank {k}: {whole.digest}" for k in range(ranks)]
    begun = jobs.events(tmp_path / "trace", "begin")
    assert sorted(index for index, _ in begun) == list(range(12))
    assert len({process for _, process in begun}) == ranks  # rank 0 plays, too


def test_what_ranks_are_told(tmp_path: Path) -> None:
    """Each rank has its own processor, if there are two."""
    told = [(1, (processor,)) for processor in sorted(os.sched_getaffinity(0))[:2]]
    assert digests(mpirun(2, jobs.Told(), tmp_path)) == [f"rank 0: {told}", f"rank 1: {told}"]


@pytest.mark.parametrize("bad", [0, 7])
def test_an_error_ends_all_ranks(bad: int, tmp_path: Path) -> None:
    program = mpirun(3, jobs.failing(jobs.small(tmp_path / "trace", slow=0.05), bad), tmp_path)
    out, errors = program.communicate(timeout=60)
    assert program.returncode != 0
    assert out == ""
    assert f"BlockError: block {bad} ({bad * 32} to {bad * 32 + 31}): ArithmeticError: one and one is three" in errors


def test_a_ledger_of_another_job(tmp_path: Path) -> None:
    other = jobs.small(tmp_path / "trace", blocks=3)
    blocks.Ledger(other, tmp_path / "ledger").close()
    program = mpirun(2, jobs.small(tmp_path / "trace"), tmp_path, tmp_path / "ledger")
    _, errors = program.communicate(timeout=60)
    assert program.returncode != 0
    assert "the ledger of another job" in errors
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("rank", [1] if jobs.SHORT else [1, 0])
def test_a_killed_rank(rank: int, tmp_path: Path) -> None:
    """It ends the run; the next run resumes from the ledger."""
    trace, ledger = tmp_path / "trace", tmp_path / "ledger"
    job = jobs.small(trace, slow=0.4)
    program = mpirun(3, job, tmp_path, ledger)
    jobs.wait_for(lambda: len(jobs.events(trace, "end")) >= 4)
    process = int((tmp_path / f"process-{rank}").read_text())
    _, index = jobs.wait_for(lambda: jobs.stop_one(trace, [process]))
    os.kill(process, signal.SIGKILL)
    program.communicate(timeout=60)
    assert program.returncode != 0
    with closing(blocks.Ledger(job, ledger)) as kept:
        missing = [block.index for block in kept.missing()]
    assert index in missing
    assert len(missing) <= 8 + 3  # an answer may have been on its way

    before = len(jobs.events(trace, "begin"))
    whole = blocks.run(job.play)
    assert digests(mpirun(3, job, tmp_path, ledger)) == [f"rank {k}: {whole.digest}" for k in range(3)]
    assert sorted(index for index, _ in jobs.events(trace, "begin")[before:]) == missing
