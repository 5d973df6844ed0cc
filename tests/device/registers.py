#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""registers.py [--write] NVCC TABLE MODULE.ptx...: compares the GPU resources that device programs need with a table.

The table has a row for each entry of each module: the registers of a thread, its stack in local memory in bytes,
functions that it calls included, and how many bytes of registers it spills there and loads back (counted statically),
as reported by ptxas for sm_90. Results do not depend on these numbers, but speed does: explain any change of the
sources that changes the table. --write rewrites the table.

Only the compilers that the table names can be compared; with others, or without ptxas, this test is skipped
(exit status 77). CAROM_TEST_SHORT: one module of csb.
"""
import csv
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cuda_tools import SKIP, find_tool, version_of

ARCHITECTURE = "sm_90"
COLUMNS = ["module", "entry", "registers", "stack", "spill_stores", "spill_loads"]


def rows_of(ptxas, module):
    """The rows of one module, by entry."""
    said = subprocess.run([ptxas, "-v", f"-arch={ARCHITECTURE}", module, "-o", "/dev/null"],
                          capture_output=True, text=True, check=True).stderr
    rows = []
    for part in re.split(r"Compiling entry function ", said)[1:]:
        name = re.match(r"'carom_entry_(\w+)'", part)[1]
        spills = re.search(rf"Function properties for carom_entry_{name}\n.* stack frame, (\d+) bytes spill stores, "
                           r"(\d+) bytes spill loads", part)
        registers = re.search(r"Used (\d+) registers", part)[1]
        stack = re.search(r"(\d+) bytes cumulative stack size", part)
        rows.append([module.stem, name, registers, stack[1] if stack else "0", spills[1], spills[2]])
    return sorted(rows)


def differences(told, found):
    """The differences of the two tables, a line each."""
    told, found = ({tuple(row[:2]): row[2:] for row in rows} for rows in (told, found))
    for key in sorted(told.keys() | found.keys()):
        old, new = told.get(key), found.get(key)
        if old != new:
            name = " ".join(key)
            if old is None or new is None:
                yield f"{name}: {'is new' if old is None else 'is gone'}"
            else:
                yield f"{name}: " + ", ".join(f"{column} {a} -> {b}"
                                              for column, a, b in zip(COLUMNS[2:], old, new, strict=True) if a != b)


def main(nvcc, table, paths, write):
    ptxas = find_tool("ptxas")
    if ptxas is None or not Path(nvcc).name.startswith("nvcc"):
        print("no ptxas" if ptxas is None else "the modules are not nvcc's")
        return SKIP
    head = f"# nvcc {version_of(nvcc)}, ptxas {version_of(ptxas)}, {ARCHITECTURE}"
    modules = [Path(path) for path in paths]
    told = []
    if not write:
        lines = Path(table).read_text(encoding="utf-8").splitlines()
        if lines[0] != head:
            print(f"the table was made with{lines[0][1:]}, this is{head[1:]}")
            return SKIP
        told = list(csv.reader(lines[2:]))
        if "CAROM_TEST_SHORT" in os.environ:
            modules = [module for module in modules if module.stem == "csb_f64"]
            told = [row for row in told if row[0] == "csb_f64"]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = sorted(row for rows in pool.map(lambda module: rows_of(ptxas, module), modules) for row in rows)
    if write:
        text = "\n".join([head, *(",".join(row) for row in [COLUMNS, *found])])
        Path(table).write_text(text + "\n", encoding="utf-8")
        return 0
    changed = list(differences(told, found))
    for line in changed:
        print(line)
    if changed:
        print("if that is meant, say why, and write the table anew: meson compile -C BUILD device_registers")
    return 1 if changed or not found else 0


if __name__ == "__main__":
    writes = sys.argv[1:2] == ["--write"]
    words = sys.argv[2:] if writes else sys.argv[1:]
    if len(words) < 3 or words[0].startswith("-"):
        sys.exit(__doc__)
    sys.exit(main(words[0], words[1], words[2:], writes))
