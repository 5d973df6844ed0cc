# SPDX-License-Identifier: MIT
"""Slurm: plays the blocks of a job as a job array.

    import carom.blocks, carom.slurm

    job = carom.blocks.Play("csb", players="race", worlds=1_000_000, ticks=500)
    sums = carom.slurm.run(job, "/shared/jobs", tasks=64, threads=8, options=["--time=01:00:00"])

`run` writes the job into a new folder, submits one array with sbatch, and waits. Task k of n plays the blocks k, k + n,
... and writes each answer to a file, which appears only once it is complete:

    job.pickle           the job                           task-3.log      the output of task 3, and its blocks
    answer-7.pickle      the answer of block 7             failed.pickle   the error that the job raised
    array                the number of the array in Slurm's queue

If a node fails, Slurm queues its task again, which skips blocks with an answer; `run` resubmits a task that ends in any
other way. An answer counts once, however often its block is played. You can stop `run` and call it again, also from
another process: it continues. For commands instead of Python see `scripts/slurm_array`.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import math
import os
import pickle
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from .blocks import Block, Failed, Job, Ledger, Progress, attempt

R = TypeVar("R")
UNSEEN = 60.0  # seconds for which files of other nodes may be invisible here: NFS caches a folder that long


def run(
    job: Job[Any, R],
    folder: str | os.PathLike[str],
    *,
    tasks: int,
    threads: int = 1,
    affinity: Sequence[int] | None = None,
    options: Sequence[str] = (),
    keep: bool = True,
    poll: float = 5.0,
    progress: bool = False,
) -> R:
    """Plays a job as a Slurm job array, and waits for the result.

    Ctrl-C cancels the array; the answers so far stay in the folder.

    Args:
        job: what to play. Its class must be in a module that the tasks can import, not in the main program.
        folder: the job gets a subfolder in it, named by a digest of the job and Carom's version; all nodes must see it.
            It holds pickles: use only folders that you trust.
        tasks: the number of tasks in the array.
        threads: processors and threads of a task.
        affinity: the processors for its threads; None: those that Slurm assigns.
        options: more options of sbatch, such as "--partition=long".
        keep: keep the job's folder, to run the same job again; False: remove it once the result is there.
        poll: seconds between checks of the folder and the queue.
        progress: show the progress on the terminal.

    Raises:
        BlockError: the job raised an error in a block.
        ValueError: the job's class is in the main program.
        FileNotFoundError: sbatch is not installed.
        RuntimeError: sbatch refuses the array; or tasks end without a single new answer, even after UNSEEN seconds.

    """
    kept = Ledger(job)
    shared = Path(folder).absolute() / hashlib.sha256(kept.mark.encode()).hexdigest()[:16]
    _prepare(job, shared)
    tasks = max(1, min(tasks, len(kept.blocks)))
    words = ["--tasks", str(tasks), "--threads", str(threads)]
    if affinity is not None:
        words += ["--affinity", *map(str, affinity)]
    array = _read_array(shared)
    before = -1  # answers that were there when the array was submitted
    queued_at = -math.inf  # when the array was last in the queue
    line = Progress(kept, progress)
    try:
        while True:
            if _is_queued(array):  # asked before the answers are read
                queued_at = time.monotonic()
            _collect(shared, kept)
            if kept.done:
                break
            if time.monotonic() - queued_at > UNSEEN:
                if kept.count == before:
                    raise RuntimeError(_why_none(shared, kept, tasks))
                before = kept.count
                missing = {block.index % tasks for block in kept.missing()}
                array = _submit(shared, missing, words, [f"--cpus-per-task={threads}", *options])
                queued_at = time.monotonic()
            line.draw()
            time.sleep(poll)
    finally:
        line.close()
        if array:
            subprocess.run(["scancel", "--quiet", array], check=False)
            (shared / "array").unlink(missing_ok=True)
    result = job.merge(kept.answers())
    if not keep:
        shutil.rmtree(shared, ignore_errors=True)  # the result exists: clean up whatever happens
    return result


def _prepare(job: Job[Any, Any], folder: Path) -> None:
    """Writes the job into its folder."""
    if type(job).__module__ == "__main__":
        raise ValueError(f"{type(job).__name__} is a class of the main program: tasks can only import it from a module")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "job.pickle").exists():
        _write(folder / "job.pickle", pickle.dumps(job))
    (folder / "failed.pickle").unlink(missing_ok=True)


def _collect(folder: Path, kept: Ledger[Any]) -> None:
    """Reads new answers, or raises the job's error."""
    if (folder / "failed.pickle").exists():
        pickle.loads((folder / "failed.pickle").read_bytes()).throw()
    names = set(os.listdir(folder))
    for block in kept.missing():
        if _answer(block) in names:
            kept.take(block, pickle.loads((folder / _answer(block)).read_bytes()))


def _submit(folder: Path, tasks: set[int], words: Sequence[str], options: Sequence[str]) -> str:
    """Submits tasks as an array; returns its number."""
    command = ["exec", sys.executable, "-m", "carom.slurm", str(folder), *words]
    done = subprocess.run(
        ["sbatch", "--parsable", "--job-name=carom",
         "--requeue", "--open-mode=append", f"--output={folder}/task-%a.log",
         f"--array={_ranges(tasks)}", *options, f"--wrap={shlex.join(command)}"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},  # for imports
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    array = done.stdout.strip().partition(";")[0]
    _write(folder / "array", array.encode())
    return array


def _ranges(numbers: set[int]) -> str:
    """Task numbers for sbatch --array: "0-3,7"."""
    starts = [k for k in sorted(numbers) if k - 1 not in numbers]
    ends = [k for k in sorted(numbers) if k + 1 not in numbers]
    return ",".join(f"{first}-{last}" for first, last in zip(starts, ends, strict=True))


def _read_array(folder: Path) -> str:
    """The array of an earlier run of this folder, which may still be in the queue."""
    try:
        return (folder / "array").read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _is_queued(array: str) -> bool:
    """Is one of its tasks waiting or running? Yes if Slurm's controller does not answer."""
    if not array:
        return False
    words = ["squeue", "--noheader", "--jobs", array, "--format=%T"]
    done = subprocess.run(words, text=True, capture_output=True, check=False)
    return bool(done.stdout.strip()) if done.returncode == 0 else "Invalid job id" not in done.stderr


def _why_none(folder: Path, kept: Ledger[Any], tasks: int) -> str:
    """The error message for an array that gave no answer."""
    missing = kept.missing()
    log = folder / f"task-{missing[0].index % tasks}.log"
    tail = log.read_text(encoding="utf-8", errors="replace")[-2000:] if log.exists() else "(it was not written)"
    return f"{len(missing)} blocks are missing, the first is {missing[0]}, and the array gave no answer; {log}:\n{tail}"


def _answer(block: Block) -> str:
    """The name of the file with a block's answer."""
    return f"answer-{block.index}.pickle"


def _write(path: Path, data: bytes) -> None:
    """Writes a file that appears under its name only once it is complete and on the disk."""
    half = path.with_name(f".{path.name}.{os.uname().nodename}.{os.getpid()}")
    with half.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def main() -> int:
    """A task: python -m carom.slurm FOLDER --tasks N --threads T [--affinity P...]."""
    parser = argparse.ArgumentParser(prog="carom.slurm", description="A task of an array that carom.slurm.run submits.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tasks", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--affinity", type=int, nargs="+")
    words = parser.parse_args()
    task = os.environ.get("SLURM_ARRAY_TASK_ID")
    if task is None:
        parser.error("SLURM_ARRAY_TASK_ID is not set: this program is started by Slurm")
    job = pickle.loads((words.folder / "job.pickle").read_bytes())
    play = functools.cache(lambda: job.worker(words.threads, words.affinity))  # an error becomes the block's
    for block in job.blocks()[int(task) :: words.tasks]:
        if (words.folder / _answer(block)).exists():
            continue
        print(f"{time.strftime('%FT%T')} {os.uname().nodename} {block}", flush=True)
        answer = attempt(lambda block: pickle.dumps(play()(block)), block)
        if isinstance(answer, Failed):
            _write(words.folder / "failed.pickle", pickle.dumps(answer))
            return 1
        _write(words.folder / _answer(block), answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
