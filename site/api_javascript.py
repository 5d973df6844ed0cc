# SPDX-License-Identifier: MIT
"""The reference of the JavaScript package: its declarations (carom.d.ts) and their own comments, as one page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from text import escaped, indented, marked, prose

OUTER = re.compile(r"export (?:default )?(?:declare )?(interface|class|function|type|const) (\w+)")


def inline(text: str) -> str:
    """Text of a comment as reStructuredText."""
    out, at = "", 0
    for found in re.finditer(r"`([^`]+)`|\{@link (\S+?)\}", text):
        out += escaped(text[at : found.start()])
        at = found.end()
        out += marked(out, f"``{found[1] or found[2]}``", text[at : at + 1])
    return out + escaped(text[at:])


def comment_lines(text: str) -> list[str]:
    """The lines of a comment `/** ... */` or of lines `// ...`."""
    if text.startswith("//"):
        return [line.strip()[2:].removeprefix(" ") for line in text.strip().split("\n")]
    lines = text.strip()[3:-2].split("\n")
    return [lines[0].strip(), *(re.sub(r"^\s*\* ?", "", line).rstrip() for line in lines[1:])]


def parts_of(text: str) -> Iterator[tuple[str, str]]:
    """The comments, and the statements up to their `;` or `}`: ("comment" | "code", text)."""
    at = 0
    while at < len(text):
        comment = re.compile(r"\s*(/\*\*.*?\*/|(?://[^\n]*\n\s*)+)", re.DOTALL).match(text, at)
        if comment:
            yield "comment", comment[1]
            at = comment.end()
            continue
        depth, start = 0, at
        while at < len(text):
            letter = text[at]
            if text.startswith("/*", at):  # brackets of a comment are ignored
                at = text.index("*/", at) + 2
                continue
            depth += (letter in "({[<") - (letter in ")}]") - (letter == ">" and text[at - 1] != "=")
            at += 1
            if depth == 0 and (letter == ";" or (letter == "}" and not re.match(r"\s*[;)\]|&,=]", text[at:]))):
                break
        if text[start:at].strip():
            yield "code", text[start:at].strip()


def member_lines(body: str) -> list[str]:
    """The members of an interface or a class: each with what is said of it."""
    out: list[str] = []
    said: list[str] = []
    for kind, text in parts_of(body):
        if kind == "comment":
            said = comment_lines(text)
            continue
        inner = re.match(r"(?:readonly )?(\w+\??): \{(.*/\*\*.*)\}$", text.rstrip(";"), re.DOTALL)
        code = inner[1] if inner else " ".join(text.split()).removeprefix("readonly ").rstrip(";")
        about = [*(prose(said, inline) if said else []), *(member_lines(inner[2]) if inner else [])]
        out += ["", f"``{code}``", *indented(without_first(about) if about else ["\\ "])]
        said = []
    return out


def without_first(lines: list[str]) -> list[str]:
    """Lines from the first that is not empty: what describes a term follows it at once."""
    return lines[1:] if lines and not lines[0] else lines


def page(text: str) -> str:
    title = "The JavaScript package"
    lines = [title, "=" * len(title), ""]
    said: list[str] = []
    for number, (kind, part) in enumerate(parts_of(text)):
        if kind == "comment":
            said = comment_lines(part)
            said = [line for line in said if not line.startswith("SPDX")]
            if number == 0 or said[0].startswith("----"):
                if said[0].startswith("----"):
                    heading = said[0].strip("- ")
                    heading = heading[0].upper() + heading[1:]
                    lines += ["", heading, "-" * len(heading)]
                    said = said[1:]
                lines += prose(said, inline)
                said = []
            continue
        found = OUTER.match(part)
        if not found:
            continue
        if found[1] in ("interface", "class"):
            head, _, body = part.partition("{")
            lines += ["", f".. js:{'class' if found[1] == 'class' else 'data'}:: {found[2]}", ""]
            extends = re.search(r"(?:extends|implements) (.*)", head)
            lines += indented([f"Extends ``{extends[1].strip()}``.", ""]) if extends else []
            lines += indented(prose(said, inline)) + indented(member_lines(body.rpartition("}")[0]))
        else:
            code = " ".join(part.split()).removeprefix("export ").rstrip(";")
            word = {"function": "function"}.get(found[1], "data")
            lines += ["", f".. js:{word}:: {found[2]}", "", f"   ``{code}``", "", *indented(prose(said, inline))]
        said = []
    return "\n".join(lines) + "\n"


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """The page, as (path below api/, text)."""
    yield "javascript.rst", page((root / "javascript" / "carom.d.ts").read_text(encoding="utf-8"))
