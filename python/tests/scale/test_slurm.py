# SPDX-License-Identifier: MIT
"""carom.slurm and scripts/slurm_array with a real Slurm, a node of which is killed."""

from __future__ import annotations

import json
import pickle
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import cluster
import jobs
import pytest

import carom.slurm
from carom import blocks

if cluster.missing():
    pytest.skip(f"not installed: {', '.join(cluster.missing())}", allow_module_level=True)
ARRAY = Path(__file__).resolve().parents[3] / "scripts" / "slurm_array"
COMMAND = [sys.executable, "-m", "carom"]


def command(*words: object) -> str:
    """What carom prints."""
    found = subprocess.run([*COMMAND, *map(str, words)], text=True, capture_output=True, check=False, timeout=300)
    assert found.returncode == 0, found.stderr
    return found.stdout


def starts(state: Path) -> int:
    """How far the state of an arena is."""
    lines = state.read_text(encoding="utf-8").splitlines() if state.exists() else []
    return next((int(line.split()[1]) for line in lines if line.startswith("starts ")), 0)


def test_array_of_the_command(slurm: cluster.Cluster, tmp_path: Path) -> None:
    """A part resumes from its state after its node was killed in the middle."""
    games = ["arena", "csb", "--a", "carom:cem:rollouts=200", "--b", "carom:race", "--games", 240]
    options = ["--parsable", "--array=0-2", "--cpus-per-task=1"]
    array = slurm.run("sbatch", *options, ARRAY, *COMMAND, *games, folder=tmp_path).strip()
    states = [tmp_path / f"part-{k}.state" for k in range(3)]
    jobs.wait_for(lambda: starts(states[0]) >= 5)
    assert slurm.run("squeue", "--noheader", "--nodelist=one", "--format=%K").strip() == "0"
    slurm.kill_node("one")
    state, done = states[0], starts(states[0])
    assert done < 40
    assert not (tmp_path / "part-0.json").exists()
    least = [done]

    def is_over() -> bool:
        least.append(starts(state))
        return not slurm.run("squeue", "--noheader")

    jobs.wait_for(is_over, 180, every=0.2)
    assert min(least) == done  # it did not restart
    assert least[-1] == 40
    assert "Restarts=1" in slurm.run("scontrol", "show", "job", f"{array}_0")
    merged = json.loads(command("merge", *tmp_path.glob("part-*.json"), "--json"))
    whole = json.loads(command(*games, "--json"))
    assert merged["pairings"] == whole["pairings"]


def test_job_whose_node_is_killed(slurm: cluster.Cluster, tmp_path: Path) -> None:
    """Blocks of a killed node are played again, and count once."""
    trace = tmp_path / "trace"
    job = jobs.small(trace, blocks=12, slow=1.0)
    lost: list[int] = []

    def kill() -> None:
        jobs.wait_for(lambda: len(jobs.events(trace, "end")) >= 4)
        _, index = jobs.wait_for(lambda: jobs.stop_one(trace, slurm.tasks("two")))
        slurm.kill_node("two")
        lost.append(index)

    killer = threading.Thread(target=kill)
    killer.start()
    found = carom.slurm.run(job, tmp_path / "run", tasks=3, poll=0.5)
    killer.join()
    assert found == blocks.run(job.play)
    assert len(lost) == 1
    begun = sorted(index for index, _ in jobs.events(trace, "begin"))
    assert begun == sorted([*range(12), *lost])
    assert sorted(index for index, _ in jobs.events(trace, "end")) == list(range(12))


def test_what_tasks_are_told(slurm: cluster.Cluster, tmp_path: Path) -> None:
    """Threads, and processors."""
    assert carom.slurm.run(jobs.Told(), tmp_path, tasks=2, affinity=[3, 5], poll=0.2) == [(1, (3, 5))]


def test_an_error_of_the_job(slurm: cluster.Cluster, tmp_path: Path) -> None:
    """It is raised here, and the array is cancelled."""
    job = jobs.failing(jobs.small(tmp_path / "trace", slow=1.0), 3)
    with pytest.raises(
        blocks.BlockError, match=r"block 3 \(96 to 127\): ArithmeticError: one and one is three"
    ) as found:
        carom.slurm.run(job, tmp_path / "run", tasks=2, poll=0.2)
    assert found.value.block.index == 3
    assert isinstance(found.value.__cause__, ArithmeticError)
    jobs.wait_for(lambda: not slurm.run("squeue", "--noheader"), every=0.2)
    assert len(jobs.events(tmp_path / "trace", "end")) < 10


PROGRAM = """
import pathlib, signal, sys
import carom.slurm, jobs
signal.signal(signal.SIGINT, signal.default_int_handler)
trace, folder = map(pathlib.Path, sys.argv[1:])
carom.slurm.run(jobs.small(trace, slow=0.7), folder, tasks=2, poll=0.2)
"""


@pytest.mark.parametrize("end", [signal.SIGINT] if jobs.SHORT else [signal.SIGINT, signal.SIGKILL])
def test_run_goes_on(end: signal.Signals, slurm: cluster.Cluster, tmp_path: Path) -> None:
    """A program that was killed leaves its array, which the next one waits for; Ctrl-C cancels it."""
    trace, folder = tmp_path / "trace", tmp_path / "run"
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, str(trace), str(folder)])
    jobs.wait_for(lambda: len(jobs.events(trace, "end")) >= 3)
    program.send_signal(end)
    assert program.wait(timeout=30) != 0
    if end == signal.SIGINT:
        jobs.wait_for(lambda: not slurm.run("squeue", "--noheader"), every=0.2)
    else:
        assert slurm.run("squeue", "--noheader")
    job = jobs.small(trace, slow=0.7)
    assert carom.slurm.run(job, folder, tasks=3, poll=0.2) == blocks.run(job.play)
    arrays = set(re.findall(r"ArrayJobId=(\d+)", slurm.run("scontrol", "show", "job")))
    assert len(arrays) == (2 if end == signal.SIGINT else 1)
    ended = [index for index, _ in jobs.events(trace, "end")]
    assert set(ended) == set(range(12))
    assert len(ended) <= (14 if end == signal.SIGINT else 12)  # cancelled between the end of a block and its answer
    assert not list(folder.glob("*/array"))
    assert carom.slurm.run(job, folder, tasks=2, keep=False) == blocks.run(job.play)  # it has the answers already
    assert len(jobs.events(trace, "end")) == len(ended)
    assert not list(folder.iterdir())


def test_tasks_that_answer_nothing(slurm: cluster.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one's message is reported."""
    monkeypatch.setattr(carom.slurm, "UNSEEN", 1.0)
    job = jobs.small(tmp_path / "trace", blocks=3)
    with pytest.raises(RuntimeError, match=r"3 blocks are missing, the first is block 0 (?s:.*)No module named"):
        carom.slurm.run(job, tmp_path / "run", tasks=1, poll=0.2, options=["--export=NONE"])
    with pytest.raises(RuntimeError, match=r"sbatch: error: .*partition"):
        carom.slurm.run(job, tmp_path / "run", tasks=1, options=["--partition=none"])


def test_answers_that_are_seen_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No array is submitted for them again. Another version of Carom does not take them."""
    job = jobs.small(tmp_path / "trace", blocks=2)
    submitted: list[str] = []

    def submit(folder: Path, *_: object) -> str:
        """An array that leaves the queue at once; its files appear later."""
        submitted.append(folder.name)
        play = job.play.worker(1)
        for block in job.blocks():
            answer = pickle.dumps(play(block))
            threading.Timer(0.5, (folder / f"answer-{block.index}.pickle").write_bytes, [answer]).start()
        return ""

    monkeypatch.setattr(carom.slurm, "_submit", submit)
    for versions in (1, 1, 2):
        if versions == 2:
            monkeypatch.setattr("carom._ledger._carom.version", lambda: "another")
        assert carom.slurm.run(job, tmp_path / "run", tasks=1, poll=0.1) == blocks.run(job.play)
        assert len(submitted) == len(set(submitted)) == versions
