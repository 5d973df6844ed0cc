# SPDX-License-Identifier: MIT
"""The programs of docs/scale.md and docs/recipes.md, each with its engine, but smaller."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cluster
import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("scale.md", "recipes.md"))
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGES, flags=re.DOTALL)
JOB = PROGRAMS[0].partition("sums =")[0]  # one-line programs continue from it
SMALLER = {"1_000_000": "4000", "ticks=500": "ticks=50", "ticks=1000": "ticks=50",
           "65_536": "500", "10_000": "8", "block=1_000": "block=2", "4_096": "64", "100_000": "100"}  # fmt: skip
NEEDED = {"ray": "ray", "mpi": "mpi4py", "dataset": "pyarrow"}


def title(program: str) -> str:
    """The parts of Carom that a program uses, and Carom does not always need."""
    return "_".join(name for name in ("ray", "mpi", "slurm", "plans", "dataset") if f"import carom.{name}" in program)


@pytest.mark.parametrize("program", PROGRAMS, ids=title)
def test_program(program: str, tmp_path: Path) -> None:
    parts, command, made = title(program).split("_"), [sys.executable, "program.py"], None
    for part in set(parts) & set(NEEDED):
        pytest.importorskip(NEEDED[part])
    if "mpi" in parts:
        mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        if mpirun is None:
            pytest.skip("there is no mpirun")
        command = [mpirun, "--oversubscribe", "--bind-to", "none", "-n", "2", *command]
    if "slurm" in parts:
        if cluster.missing():
            pytest.skip("there is no Slurm")
        (tmp_path / "slurm").mkdir()
        made = cluster.Cluster(tmp_path / "slurm")
    if "(job" in program and "job =" not in program:
        program = JOB + program
    for long, short in SMALLER.items():
        program = program.replace(long, short)
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    env = {**(made.environment if made else os.environ)}
    env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    try:
        found = subprocess.run(command, cwd=tmp_path, env=env, text=True, capture_output=True, check=False, timeout=120)
        assert found.returncode == 0, found.stderr
    finally:
        if made is not None:
            made.close()


def test_there_is_a_program_for_each() -> None:
    assert set(map(title, PROGRAMS)) >= {"", "ray", "mpi", "slurm", "mpi_plans", "dataset"}
