# SPDX-License-Identifier: MIT
"""The programs of docs/scale.md, each with its engine, but smaller."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cluster
import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "scale.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
SMALLER = {"1_000_000": "4000", "ticks=500": "ticks=50", "65_536": "500"}


def title(program: str) -> str:
    """The engine of a program."""
    return next((name for name in ("ray", "mpi", "slurm", "plans", "dataset") if f"carom.{name}" in program), "blocks")


@pytest.mark.parametrize("program", PROGRAMS, ids=title)
def test_program(program: str, tmp_path: Path) -> None:
    engine, command, made = title(program), [sys.executable, "program.py"], None
    if engine == "mpi":
        mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        if mpirun is None or importlib.util.find_spec("mpi4py") is None:
            pytest.skip("no MPI")
        command = [mpirun, "--oversubscribe", "--bind-to", "none", "-n", "2", *command]
    elif engine == "slurm":
        if cluster.missing():
            pytest.skip("no Slurm")
        (tmp_path / "slurm").mkdir()
        made = cluster.Cluster(tmp_path / "slurm")
    elif engine in ("ray", "dataset"):
        pytest.importorskip({"ray": "ray", "dataset": "pyarrow"}[engine])
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
    assert {"blocks", "ray", "mpi", "slurm"} <= set(map(title, PROGRAMS))
