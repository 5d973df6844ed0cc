# SPDX-License-Identifier: MIT
"""The reference of the C library: its public headers' own comments and declarations, as pages of Sphinx's C domain.

It reads the headers as they are formatted here, not C in general. A comment between blank lines is a paragraph of the
page, `---- this ----` a heading; a comment right before declarations describes all of them up to the next blank line;
one behind a declaration describes that one. Text that is indented by four is set as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from text import escaped, indented, marked, prose

QUALIFIERS = re.compile(r"\b(?:CAROM_API|CAROM_LANE|KIT_RULE|static inline|extern)\s+")
SKIPPED = re.compile(r'#\s*(?:include|if|ifdef|ifndef|endif|else|elif|error|undef|pragma)\b|extern "C" \{|\}$')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
NAME = re.compile(r"`([^`]+)`|\b((?:carom|CAROM)_\w+)(\.\w+)?(\(\))?|\b(\w+)\.h\b")


@dataclass
class Entry:
    """A declaration, or remarks between declarations (`code` is empty)."""

    code: str
    comment: list[str] = field(default_factory=list)
    inside: list[Entry] = field(default_factory=list)


@dataclass
class Header:
    """A public header, read."""

    name: str  # "worlds", "kit/rules"
    about: list[str]
    entries: list[Entry]


def comment_lines(text: str) -> list[str]:
    """The lines of a comment without what makes it one."""
    lines = text.strip()[2:-2].split("\n")
    rest = [re.sub(r"^ \* ?", "", line) for line in lines[1:]]
    if rest and not any(line.startswith(" *") for line in lines[1:]):  # behind a member: aligned without stars
        rest = [line.strip() for line in lines[1:]]
    return [lines[0].strip(), *(line.rstrip() for line in rest)]


# ---- reading ----


def declarations(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a header after its head: ("comment" | "code" | "blank", text)."""
    at, lines = 0, text.split("\n")
    while at < len(lines):
        line, first = lines[at], at
        at += 1
        if not line.strip():
            yield "blank", ""
        elif line.startswith("/*"):
            while "*/" not in lines[at - 1]:
                at += 1
            yield "comment", "\n".join(lines[first:at])
        elif SKIPPED.match(line):
            while lines[at - 1].endswith("\\"):
                at += 1
        elif line.startswith("#"):
            while lines[at - 1].endswith("\\") or lines[at - 1].count("/*") > lines[at - 1].count("*/"):
                at += 1
            yield "code", "\n".join(lines[first:at])
        else:
            while not complete("\n".join(lines[first:at])):
                at += 1
            yield "code", "\n".join(lines[first:at])


def complete(text: str) -> bool:
    """Is this the whole of a declaration, and of the comment behind it?"""
    if text.count("/*") > text.count("*/"):
        return False
    code = COMMENT.sub("", text).rstrip()
    return code.endswith(";") and code.count("{") == code.count("}") and code.count("(") == code.count(")")


def split_outside(text: str, mark: str) -> list[str]:
    """Splits at a mark that is in no brackets."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == mark and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [*parts, part]


def members(body: str, mark: str) -> list[Entry]:
    """What is between the braces of a struct (mark ;) or an enum (mark ,)."""
    nested = re.search(r"\bstruct \{(.*?)\} (\w+)(\[\w+\])?;", body, re.DOTALL)
    if nested:
        entry = Entry(f"struct @{nested[2]} {nested[2]}{nested[3] or ''}", inside=members(nested[1], mark))
        before = members(body[: nested.start()], mark)
        return [*before, entry, *members(body[nested.end() :], mark)]
    entries: list[Entry] = []
    code = ""

    def finish() -> None:
        nonlocal code
        for part in split_outside(code, mark):
            if part.strip():
                entries.append(Entry(" ".join(part.split())))
        code = ""

    for piece in re.split(r"(/\*.*?\*/)", body, flags=re.DOTALL):
        if not piece.startswith("/*"):
            code += piece
            continue
        behind = code.rpartition("\n")[2].strip() != ""
        known = len(entries)
        finish()
        if behind and len(entries) > known:
            entries[-1].comment = comment_lines(piece)
        else:
            entries.append(Entry("", comment_lines(piece)))
    finish()
    return entries


def entry_of(text: str) -> Entry:
    """A declaration with what is in it and the comment behind it."""
    if text.startswith("#define CAROM_API"):
        return Entry("#define")  # how a function is exported: nothing for a page
    text = QUALIFIERS.sub("", text)
    found = re.match(r"typedef (struct|enum|union) (\w+) \{(.*)\} \2;(.*)$", text, re.DOTALL)
    if found:
        kind, name, body, rest = found.groups()
        entry = Entry(f"{kind} {name}", inside=members(body, "," if kind == "enum" else ";"))
    else:
        rest = "".join(COMMENT.findall(text)) if not text.startswith("#") or "\\\n" not in text else ""
        entry = Entry(" ".join(COMMENT.sub("", text).replace("\\\n", " ").split()).rstrip(";"))
    comments = COMMENT.findall(rest)
    entry.comment = comment_lines(comments[-1]) if comments else []
    return entry


def read(path: Path, name: str) -> Header:
    text = path.read_text(encoding="utf-8")
    head = COMMENT.match(text)
    assert head is not None
    about = comment_lines(head[0])[1:]
    entries: list[Entry] = []
    pending: list[str] = []  # the comment that describes the next declarations
    fresh = False  # no declaration has followed it yet
    body = re.sub(r"#ifndef (CAROM_\w+_H)\n#define \1\n", "", text[head.end() :])
    for kind, part in declarations(body):
        if kind == "comment":
            if fresh:
                entries.append(Entry("", pending))
            pending, fresh = comment_lines(part), True
            if pending[0].startswith("----"):
                entries.append(Entry("", pending))
                fresh, pending = False, []
        elif kind == "blank":
            if fresh:
                entries.append(Entry("", pending))
            pending, fresh = [], False
        else:
            entry = entry_of(part)
            function = "(" in entry.code and not entry.code.startswith(("#", "typedef", "struct", "enum"))
            if fresh:
                entry.comment = [*pending, *([""] if entry.comment else []), *entry.comment]
            elif pending and function and not entry.comment and entries and "(" in entries[-1].code:
                entries[-1].code += "\n" + entry.code  # one description of several functions
                continue
            fresh = False
            entries.append(entry)
    return Header(name, about, entries)


# ---- writing ----


class Names:
    """What is declared where: names in comments become links."""

    def __init__(self, headers: list[Header]) -> None:
        self.roles: dict[str, str] = {}
        self.headers = {header.name.rpartition("/")[2]: header.name for header in headers}
        for header in headers:
            for entry in header.entries:
                for code in entry.code.split("\n"):
                    self.take(code, entry)

    def take(self, code: str, entry: Entry) -> None:
        kind, names = directive(code)
        if not kind:
            return
        name = declared(names)
        self.roles[name] = {"function": "func"}.get(kind, kind)
        self.take_inside(name, kind, entry)

    def take_inside(self, name: str, kind: str, entry: Entry) -> None:
        for member in entry.inside:
            if member.inside:
                self.take_inside(f"{name}.{declared(member.code)}", "struct", member)
            for one in declarators(member.code) if kind != "enum" else [member.code] if member.code else []:
                inner = declared(one)
                self.roles[inner if kind == "enum" else f"{name}.{inner}"] = (
                    "enumerator" if kind == "enum" else "member"
                )

    def inline(self, text: str) -> str:
        """Text of a comment as reStructuredText."""
        out, at = "", 0
        for found in NAME.finditer(text):
            out += escaped(text[at : found.start()])
            at = found.end()
            code, name, member, call, file = found.groups()
            if code:
                piece = f"``{code}``"
            elif file:
                known = self.headers.get(file)
                piece = f":doc:`{file}.h </api/c/{known}>`" if known else escaped(found[0])
            elif member and f"{name}{member}" in self.roles:
                piece = f":c:member:`{name}{member}`"
            elif name in self.roles:
                piece = f":c:{self.roles[name]}:`{name}`" + escaped(member or "")
                call = None
            else:
                piece = f"``{name}{member or ''}{call or ''}``"
            if piece.startswith((":", "`")):
                piece = marked(out, piece, text[at : at + 1])
            out += piece
        return out + escaped(text[at:])


def directive(code: str) -> tuple[str, str]:
    """The C domain's word for a declaration, and what goes with it; ("", "") for what is no declaration."""
    if code.startswith("#define"):
        found = re.match(r"#define (\w+(?:\([^)]*\))?)", code)
        return ("macro", found[1]) if found else ("", "")
    if code.startswith("typedef"):
        plain = re.match(r"typedef struct (\w+) \1$", code)
        return ("type", plain[1] if plain else code.removeprefix("typedef ")) if "{" not in code else ("", "")
    for kind in ("struct", "enum", "union"):
        if re.match(rf"{kind} \w+$", code):
            return kind, code.removeprefix(f"{kind} ")
    return ("function", code) if "(" in code else ("", "")


def declared(code: str) -> str:
    """The name that a declaration declares."""
    code = code.partition(" = ")[0]
    if "(" in code:
        found = re.search(r"\(\*(\w+)\)[(\[]|(\w+)\(", code)
        assert found is not None, code
        return found[1] or found[2]
    found = re.search(r"(\w+)(?:\[[^\]]*\])*$", code)
    assert found is not None, code
    return found[1]


def declarators(code: str) -> list[str]:
    """`double x, *y` as `double x` and `double *y`."""
    if not code:
        return []
    first, *others = split_outside(code, ",")
    if "(" in first:
        return [code]
    base = re.match(r"(.*?)(\**\w+(?:\[[^\]]*\])*)$", first.strip())
    assert base is not None, code
    return [first.strip(), *(f"{base[1]}{other.strip()}" for other in others)]


def entry_lines(entry: Entry, names: Names) -> list[str]:
    """An entry as reStructuredText."""
    if not entry.code:
        if entry.comment[0].startswith("----"):
            title = entry.comment[0].strip("- ")
            title = title[0].upper() + title[1:]
            rest = prose(entry.comment[1:], names.inline)
            return ["", title, "-" * len(title), *rest]
        return prose(entry.comment, names.inline)
    codes = entry.code.split("\n")
    kind, _ = directive(codes[0])
    if not kind:
        return []
    start = f".. c:{kind}:: "
    signatures = [directive(code)[1] for code in codes]
    out = ["", start + signatures[0]]
    out += [" " * len(start) + signature for signature in signatures[1:]]
    value = re.match(r"#define \w+ (\S+)$", entry.code)
    comment = [f"`{value[1]}`: ", *entry.comment] if value else entry.comment
    out += indented(prose(comment, names.inline)) if comment else [""]
    return out + indented(inside_lines(entry.inside, "enumerator" if kind == "enum" else "member", names))


def inside_lines(entries: list[Entry], word: str, names: Names) -> list[str]:
    """The members of a struct or an enum as reStructuredText."""
    out: list[str] = []
    for member in entries:
        if not member.code:
            out += prose(member.comment, names.inline)
            continue
        parts = [member.code] if word == "enumerator" else declarators(member.code)
        out += [f".. c:{word}:: {parts[0]}", *(" " * (len(word) + 8) + part for part in parts[1:])]
        out += indented(prose(member.comment, names.inline) if member.comment else [""])
        out += indented(inside_lines(member.inside, word, names))
    return out


def page(header: Header, names: Names) -> str:
    title = f"carom/{header.name}.h"
    lines = [title, "=" * len(title), "", *prose(header.about, names.inline)]
    for entry in header.entries:
        lines += entry_lines(entry, names)
    return "\n".join(lines) + "\n"


def headers(root: Path) -> list[Path]:
    """The headers that have a page."""
    folder = root / "include" / "carom"
    return [path for path in sorted(folder.glob("*.h")) if path.name != "carom.h"] + [folder / "kit" / "rules.h"]


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Every public header's page, and that which lists them; as (path below api/, text)."""
    folder = root / "include" / "carom"
    read_ones = [read(path, path.relative_to(folder).with_suffix("").as_posix()) for path in headers(root)]
    names = Names(read_ones)
    for header in read_ones:
        yield f"c/{header.name}.rst", page(header, names)
    title = "The C library"
    lines = [title, "=" * len(title), "", "``#include <carom/carom.h>`` includes all but ``carom/kit/rules.h``.", ""]
    lines += [".. toctree::", "   :maxdepth: 1", "", *(f"   {header.name}" for header in read_ones), ""]
    yield "c/index.rst", "\n".join(lines)
