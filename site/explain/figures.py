# SPDX-License-Identifier: MIT
"""Figures of the sketches' pages, read from the benchmark's results when the site is built.

A page asks for a figure with a comment, and `fill()` puts the figure in its place:

    <!-- figure: solvers NAME -->            what bench/SOLVERS.md has between `generated: NAME` and `end`
    <!-- figure: cell NAME | ROW | COLUMN -->   one cell of such a table; ROW and COLUMN are its heads
    <!-- figure: table NAME | ROW | ROW .. -->  such a table, with these rows only
    <!-- figure: target GROUP | ROW -->      what was measured, of a row of the table of targets in bench/README.md

A figure that is not there is an error: no page keeps a number that the results no longer have.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASKED = re.compile(r"<!-- figure: (\w+) (.+?) -->")


@cache
def text_of(name: str) -> str:
    """A page of results."""
    return (ROOT / "bench" / name).read_text(encoding="utf-8")


def cells(line: str) -> list[str]:
    """The cells of a table's line, without the ticks of code."""
    return [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]


def generated(name: str) -> str:
    """What the solvers' report has under a name."""
    found = re.search(rf"<!-- generated: {re.escape(name)} -->(.*?)<!-- end -->", text_of("SOLVERS.md"), re.DOTALL)
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


def target(group: str, row: str) -> str:
    """The measured value of a row; rows are looked for within their group, a line in bold."""
    inside = False
    for line in text_of("README.md").splitlines():
        if line.startswith("| **"):
            inside = line.startswith(f"| **{group}**")
        elif inside and line.startswith("|") and cells(line)[0] == row:
            return cells(line)[2]
    raise KeyError(f"bench/README.md: no row {row!r} under {group!r}")


KINDS = {"solvers": solvers, "cell": cell, "table": part, "target": target}


def fill(page: str) -> str:
    """A page with its figures."""
    return ASKED.sub(lambda found: KINDS[found[1]](*(item.strip() for item in found[2].split(" | "))), page)
