# SPDX-License-Identifier: MIT
"""Small things that the makers of pages share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import PurePosixPath

ITEM = re.compile(r"^( {1,3})(\d+\.|-) (.*)$")


def posix_relative(
    folder: PurePosixPath | None, name: str | PurePosixPath, start: PurePosixPath | None = None
) -> PurePosixPath:
    """`name`, as it is meant in `folder`, from `start`; both are folders below one root, which None stands for."""
    path = os.path.normpath((folder or PurePosixPath()) / name)
    return PurePosixPath(path if start is None else os.path.relpath(path, start))


def escaped(text: str) -> str:
    return re.sub(r"([\\*_|`])", r"\\\1", text)


def marked(before: str, piece: str, after: str) -> str:
    """Markup within a word needs a mark around it that is not shown."""
    start = "" if not before or before[-1] in " \n([{<-/:'\"" else "\\ "
    end = "" if not after or after in " \n)]}>-/:.,;!?'\"" else "\\ "
    return start + piece + end


def prose(lines: list[str], inline: Callable[[str], str]) -> list[str]:
    """A comment's lines as paragraphs, lists and blocks that are set as they are."""
    out: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        item = ITEM.match(line)
        if not line.strip():
            at += 1
        elif item:
            first, at = at, at + 1
            deep = len(item[1]) + len(item[2]) + 1
            while at < len(lines) and lines[at].startswith(" " * deep) and not ITEM.match(lines[at]):
                at += 1
            text = " ".join([item[3], *(part.strip() for part in lines[first + 1 : at])])
            mark = "-" if item[2] == "-" else item[2]
            if not (out and first and ITEM.match(lines[first - 1])):
                out.append("")
            out += [f"{mark} {inline(text)}"]
        elif line.startswith("    "):
            first = at
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            block = lines[first:at]
            out += ["", "::", "", *block]
        else:
            first = at
            while (
                at < len(lines)
                and lines[at].strip()
                and not lines[at].startswith("    ")
                and not (at > first and ITEM.match(lines[at]))
            ):
                at += 1
            out += ["", inline(" ".join(part.strip() for part in lines[first:at]))]
    return [*out, ""]


def indented(lines: list[str]) -> list[str]:
    return [f"   {line}" if line else "" for line in lines]
