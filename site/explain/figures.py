# SPDX-License-Identifier: MIT
"""Figures of the sketches' pages, read from the benchmark's results when the site is built.

A page asks for a figure with a comment, and `fill()` puts the figure in its place:

    <!-- figure: solvers NAME -->            what bench/SOLVERS.md has between `generated: NAME` and `end`
    <!-- figure: cell NAME | ROW | COLUMN -->   one cell of such a table; ROW and COLUMN are its heads
    <!-- figure: table NAME | ROW | ROW .. -->  such a table, with these rows only
    <!-- figure: speed CASE -->              a benchmark's value in the file of bench/results that docs/performance.md
                                             shows; {isa} in CASE is its widest instruction set
    <!-- figure: ratio CASE -->              its speed relative to its first baseline

A figure that is not there is an error: no page keeps a number that the results no longer have.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
import performance

ASKED = re.compile(r"<!-- figure: (\w+) (.+?) -->")


@cache
def report() -> str:
    """The solvers' page."""
    return (ROOT / "bench" / "SOLVERS.md").read_text(encoding="utf-8")


def cells(line: str) -> list[str]:
    """The cells of a table's line, without the ticks of code."""
    return [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]


def generated(name: str) -> str:
    """What the solvers' report has under a name."""
    found = re.search(rf"<!-- generated: {re.escape(name)} -->(.*?)<!-- end -->", report(), re.DOTALL)
    if not found:
        raise KeyError(f"bench/SOLVERS.md: nothing is generated as {name!r}")
    return found[1].strip()


def table(name: str) -> tuple[list[str], dict[str, str]]:
    """The two lines of a table's head, and its other lines by their first cell."""
    lines = [line for line in generated(name).splitlines() if line.startswith("|")]
    return lines[:2], {cells(line)[0]: line for line in lines[2:]}


def row_of(name: str, row: str) -> str:
    """A line of a table."""
    rows = table(name)[1]
    if row not in rows:
        raise KeyError(f"bench/SOLVERS.md, {name}: no row {row!r}; there are {', '.join(rows)}")
    return rows[row]


def solvers(name: str) -> str:
    return generated(name)


def cell(name: str, row: str, column: str) -> str:
    heads = cells(table(name)[0][0])
    if column not in heads:
        raise KeyError(f"bench/SOLVERS.md, {name}: no column {column!r}; there are {', '.join(heads)}")
    return cells(row_of(name, row))[heads.index(column)]


def part(name: str, *rows: str) -> str:
    return "\n".join([*table(name)[0], *(row_of(name, row) for row in rows)])


def speed(name: str) -> str:
    return performance.number(performance.shown().value(name))


def ratio(name: str) -> str:
    return performance.times(performance.shown().ratio(name))


KINDS = {"solvers": solvers, "cell": cell, "table": part, "speed": speed, "ratio": ratio}


def fill(page: str) -> str:
    """A page with its figures."""
    return ASKED.sub(lambda found: KINDS[found[1]](*(item.strip() for item in found[2].split(" | "))), page)
