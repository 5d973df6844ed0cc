# SPDX-License-Identifier: MIT
"""The reference of the Python package: signatures and docstrings, read from its sources without importing them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from text import escaped, indented, marked, prose

# Modules that are imported on their own, and packages; the rest is what `carom` itself has, by source.
OWN = ["toi", "measures", "mirror", "gymnasium", "pettingzoo", "sb3", "torch", "torchrl", "jax", "recipe", "blocks"]
OWN += ["network", "plans", "ray", "mpi", "slurm", "dataset"]
SECTIONS = {"Args:": "param", "Raises:": "raises"}
PLAIN = {"Returns:": "returns", "Yields:": "yields"}

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign


class Names:
    """What has a place in the reference: names in docstrings become links."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def take(self, prefix: str, module: ast.Module, wanted: list[str]) -> None:
        for item in module.body:
            for name in names_of(item):
                if name in wanted:
                    self.places.setdefault(name, f"{prefix}.{name}")
                    for inner in item.body if isinstance(item, ast.ClassDef) else []:
                        for member in names_of(inner):
                            self.places.setdefault(f"{name}.{member}", f"{prefix}.{name}.{member}")

    def inline(self, text: str) -> str:
        """Text of a docstring as reStructuredText."""
        out, at = "", 0
        for found in re.finditer(r"``([^`]+)``|`([^`]+)`", text):
            out += escaped(text[at : found.start()])
            at = found.end()
            code = found[1] or found[2]
            place = self.places.get(code.removeprefix("carom.").removesuffix("()"))
            piece = f":py:obj:`{code} <{place}>`" if place else f"``{code}``"
            out += marked(out, piece, text[at : at + 1])
        return out + escaped(text[at:])


def names_of(item: ast.stmt) -> list[str]:
    if isinstance(item, (ast.FunctionDef, ast.ClassDef)):
        return [item.name]
    if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
        return [item.target.id]
    return (
        [target.id for target in item.targets if isinstance(target, ast.Name)] if isinstance(item, ast.Assign) else []
    )


def described(text: str | None, names: Names) -> list[str]:
    """A docstring as reStructuredText: Google's sections become fields."""
    if not text:
        return [""]
    out: list[str] = []
    fields: list[str] = []
    free: list[str] = []
    lines = inspect.cleandoc(text).split("\n")
    at = 0
    while at < len(lines):
        word = lines[at].strip()
        if lines[at] != word or word not in {**SECTIONS, **PLAIN}:
            free.append(lines[at])
            at += 1
            continue
        first = at = at + 1
        while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
            at += 1
        body = inspect.cleandoc("\n".join(["", *lines[first:at]])).split("\n")
        if word in PLAIN:
            fields.append(f":{PLAIN[word]}: {names.inline(' '.join(body))}")
            continue
        for line in body:
            found = re.match(r"(\*{0,2}\w[\w, /.*]*): (.*)$", line)  # what continues is indented
            if found:
                fields.append(f":{SECTIONS[word]} {escaped(found[1].replace(', ', ','))}: {names.inline(found[2])}")
            elif line.strip():
                fields[-1] += " " + names.inline(line.strip())
    out += prose(free, names.inline)
    return [*out, *fields, ""]


def signature(item: ast.FunctionDef, method: bool) -> str:
    arguments = ast.unparse(item.args)
    if method:
        arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    returns = f" -> {ast.unparse(item.returns)}" if item.returns else ""
    return f"({arguments}){returns}"


def decorators(item: ast.FunctionDef) -> set[str]:
    return {ast.unparse(one) for one in item.decorator_list}


def method_lines(item: ast.FunctionDef, names: Names) -> list[str]:
    marks = decorators(item)
    if any(mark.endswith((".setter", ".deleter")) or mark.endswith("overload") for mark in marks):
        return []
    text = described(ast.get_docstring(item), names)
    if "property" in marks or any(mark.endswith("cached_property") for mark in marks):
        kind = f"   :type: {ast.unparse(item.returns)}" if item.returns else ""
        return ["", f".. py:property:: {item.name}", *([kind] if kind else []), "", *indented(text)]
    static = [f"   :{mark}:" for mark in ("classmethod", "staticmethod") if mark in marks]
    return [
        "",
        f".. py:method:: {item.name}{signature(item, 'staticmethod' not in marks)}",
        *static,
        "",
        *indented(text),
    ]


def class_lines(item: ast.ClassDef, names: Names) -> list[str]:
    start = next((one for one in item.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    data = [one for one in item.body if isinstance(one, ast.AnnAssign) and not names_of(one)[0].startswith("_")]
    arguments = signature(start, True).partition(" -> ")[0] if start else "" if not data else fields_of(data)
    out = ["", f".. py:class:: {item.name}{arguments}", "", *indented(described(ast.get_docstring(item), names))]
    if start and ast.get_docstring(start):
        out += indented(described(ast.get_docstring(start), names))
    if not start:
        for one in data:
            value = f"      :value: {ast.unparse(one.value)}" if one.value else ""
            kind = f"      :type: {ast.unparse(one.annotation)}"
            out += ["", f"   .. py:attribute:: {names_of(one)[0]}", kind, *([value] if value else []), ""]
    for inner in item.body:
        if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
            out += indented(method_lines(inner, names))
    return out


def fields_of(data: list[ast.AnnAssign]) -> str:
    """The arguments of a class of data."""
    parts = [ast.unparse(one.target) + (f"={ast.unparse(one.value)}" if one.value else "") for one in data]
    return f"({', '.join(parts)})" if not any("field(" in part for part in parts) else ""


def definition_lines(item: ast.stmt, remark: str, names: Names) -> list[str]:
    if isinstance(item, ast.ClassDef):
        return class_lines(item, names)
    if isinstance(item, ast.FunctionDef):
        if any(mark.endswith("overload") for mark in decorators(item)):
            return []
        text = indented(described(ast.get_docstring(item), names))
        return ["", f".. py:function:: {item.name}{signature(item, False)}", "", *text]
    if isinstance(item, (ast.Assign, ast.AnnAssign)) and item.value is not None:
        value = ast.unparse(item.value)
        shown = [f"   :value: {value}"] if len(value) < 100 else []
        return ["", f".. py:data:: {names_of(item)[0]}", *shown, "", *indented(prose([remark], names.inline))]
    return []


def remark_of(source: list[str], item: ast.stmt) -> str:
    """The comment behind a constant, or the lines right before it."""
    behind = (
        source[item.end_lineno - 1][item.end_col_offset :].strip() if item.end_lineno and item.end_col_offset else ""
    )
    if behind.startswith("# ") and "fmt:" not in behind:
        return behind[2:]
    lines: list[str] = []
    at = item.lineno - 2
    while at >= 0 and source[at].startswith("# "):
        lines.insert(0, source[at][2:])
        at -= 1
    return " ".join(lines)


def public(module: ast.Module) -> list[str]:
    """The names of a module that are for its users: those of __all__, or what is defined without an underscore."""
    for item in module.body:
        if isinstance(item, ast.Assign) and names_of(item) == ["__all__"]:
            return [str(name) for name in ast.literal_eval(item.value)]
    found = (item for item in module.body if isinstance(item, (ast.ClassDef, ast.FunctionDef)))
    return [item.name for item in found if not item.name.startswith("_")]


def page(title: str, prefix: str, path: Path, wanted: list[str], about: bool, names: Names) -> str:
    text = path.read_text(encoding="utf-8")
    module, source = ast.parse(text), text.split("\n")
    lines = [title, "=" * len(title), "", f".. py:currentmodule:: {prefix}", ""]
    if about:
        lines += [f".. py:module:: {prefix}", "", *described(ast.get_docstring(module), names)]
    for item in module.body:
        if any(name in wanted for name in names_of(item)):
            lines += definition_lines(item, remark_of(source, item), names)
    return "\n".join(lines) + "\n"


def imported(package: Path) -> dict[str, list[str]]:
    """Which names `carom` has from which of its private modules, in the order of __init__.py."""
    module = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    wanted = set(public(module))
    found: dict[str, list[str]] = {}
    for item in ast.walk(module):
        if isinstance(item, ast.ImportFrom) and item.level == 1 and item.module:
            found.setdefault(item.module, []).extend(one.name for one in item.names if one.name in wanted)
    found["__init__"] = [item.name for item in module.body if isinstance(item, ast.FunctionDef) and item.name in wanted]
    return {name: ones for name, ones in found.items() if ones}


def parts(package: Path, prefix: str, module: str) -> Iterator[tuple[str, str, str, Path, list[str], bool]]:
    """The pages of what a package has from its private modules, as of sources()."""
    for name, ones in imported(package).items():
        path = package / f"{name}.py"
        lengths = {
            one: -(item.end_lineno or 0) + item.lineno
            for item in ast.parse(path.read_text(encoding="utf-8")).body
            for one in names_of(item)
        }
        first = sorted(ones, key=lambda one: lengths.get(one, 0))[:3]  # those of which there is most to say
        yield f"{prefix}{name}", f"{', '.join(first)}{', ...' if len(ones) > 3 else ''}", module, path, ones, False


def sources(package: Path) -> Iterator[tuple[str, str, str, Path, list[str], bool]]:
    """The pages: (file, title, module, source, names, has it a docstring for the page)."""
    yield from parts(package, "carom", "carom")
    for name in OWN:
        path = package / f"{name}.py"
        path = path if path.is_file() else package / name / "__init__.py"
        wanted = public(ast.parse(path.read_text(encoding="utf-8")))
        yield name, f"carom.{name}", f"carom.{name}", path, wanted, True
        if path.parent != package:
            yield from parts(path.parent, name, f"carom.{name}")


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """The package's pages, and that which lists them; as (path below api/, text)."""
    package = root / "python" / "carom"
    names = Names()
    ones = list(sources(package))
    for _, _, module, path, wanted, _ in ones:
        names.take(module, ast.parse(path.read_text(encoding="utf-8")), wanted)
    for file, title, module, path, wanted, about in ones:
        yield f"python/{file}.rst", page(title, module, path, wanted, about, names)
    title = "The Python package"
    lines = [title, "=" * len(title), "", ".. py:module:: carom", ""]
    lines += described(ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))), names)
    lines += [".. toctree::", "   :maxdepth: 1", "", *(f"   {file}" for file, *_ in ones), ""]
    yield "python/index.rst", "\n".join(lines)
