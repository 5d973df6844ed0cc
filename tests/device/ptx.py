# SPDX-License-Identifier: MIT
"""Reads PTX, the assembly language in which device programs are shipped, into functions, variables and statements.

It knows the grammar of nvcc's and clang's output, but no semantics, which are in ptx2c.py. Anything it cannot parse is
an error (PtxError) with the line, never skipped.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<string>"[^"]*")
      | (?P<number>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b|0[xX][0-9a-fA-F]+U?|[0-9]+U?)
      | (?P<name>[%$_A-Za-z.][\w$.%]*(?:::[\w.]+)*)
      | (?P<mark>[{}()\[\],;:+\-@!|=<>])""",
    re.VERBOSE | re.DOTALL)


class PtxError(Exception):
    """PTX that cannot be read or has no translation; the text names the line."""


@dataclass(frozen=True)
class Token:
    """A word of the text."""

    text: str
    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Address:
    """[base + offset]; the base is a register, a variable, or empty for a bare number."""

    base: str
    offset: int


@dataclass(frozen=True)
class Group:
    """Operands in braces or parentheses."""

    parts: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """Two destinations, p|q."""

    first: str
    second: str


Operand = str | Address | Group | Pair  # a str is a register, a symbol or a number


@dataclass
class Variable:
    """A declared register range, parameter or variable in memory."""

    space: str  # .reg .param .local .global .const .shared
    kind: str  # .b8, .f64, ...
    name: str
    align: int
    length: int  # elements; for a register the length of its range, 0 for a single one
    array: bool
    initial: list[str] | None  # of .global and .const: the numbers, or symbols
    line: int


@dataclass
class Statement:
    """One instruction. `start` and `end` are its place in the text, without its guard's @."""

    line: int
    guard: str  # a predicate, or empty
    negated: bool
    op: str
    operands: list[Operand]
    start: int
    end: int


@dataclass(frozen=True)
class Label:
    """A place to branch to."""

    name: str


@dataclass(frozen=True)
class Targets:
    """The labels of a brx.idx."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Scope:
    """A brace that opens or closes a block."""

    opens: bool


Item = Statement | Label | Targets | Scope | Variable


@dataclass
class Function:
    """A .func or .entry with its body; without a body it is a declaration."""

    entry: bool
    name: str
    results: list[Variable]
    parameters: list[Variable]
    body: list[Item] | None
    line: int
    limits: dict[str, int] = field(default_factory=dict)  # .maxntid and the like: the first number


@dataclass
class Module:
    """All that a file of PTX holds."""

    version: str
    target: str
    variables: list[Variable]
    functions: list[Function]


def tokens_of(text: str) -> list[Token]:
    """Split the text into words, without comments."""
    found, at, line = [], 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise PtxError(f"line {line}: cannot read {text[at:at + 20]!r}")
        if match.lastgroup != "space":
            found.append(Token(match.group(), line, at, match.end()))
        line += match.group().count("\n")
        at = match.end()
    return found


class Reader:
    """A recursive-descent parser over the words."""

    def __init__(self, text: str) -> None:
        """text: a whole file."""
        self.tokens = tokens_of(text)
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        """The word that comes next; empty at the end."""
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""

    def take(self) -> str:
        """Read one word."""
        if self.at == len(self.tokens):
            raise PtxError("the text ends too early")
        self.at += 1
        return self.tokens[self.at - 1].text

    @property
    def line(self) -> int:
        """The line of the next word."""
        return self.tokens[min(self.at, len(self.tokens) - 1)].line

    def skip(self, text: str) -> bool:
        """Read a word if it is this one."""
        if self.peek() == text:
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Read this word."""
        if not self.skip(text):
            raise PtxError(f"line {self.line}: {text!r} expected, not {self.peek()!r}")

    def integer(self) -> int:
        """Read a whole number."""
        sign = -1 if self.skip("-") else 1
        return sign * number_of(self.take())

    # ---- declarations ----

    def variable(self) -> Variable:
        """Read .space [.align n] .type name[...] [= ...], without what ends it."""
        line, space, align, kind = self.line, self.take(), 0, ""
        while self.peek().startswith("."):
            word = self.take()
            if word == ".align":
                align = self.integer()
            elif word == ".ptr" or (word in (".global", ".const", ".local", ".shared") and kind):
                continue  # of a pointer parameter: .ptr .space .align n
            elif kind:
                raise PtxError(f"line {line}: two types, {kind} and {word}")
            else:
                kind = word
        name = self.take() if self.peek() not in (",", ")", ";") else "_"
        if self.skip("<"):
            length = self.integer()
            self.expect(">")
            return Variable(space, kind, name, align, length, False, None, line)
        length, array = 1, False
        while self.skip("["):
            array = True
            length *= self.integer() if self.peek() != "]" else 0
            self.expect("]")
        initial = self.initial() if self.skip("=") else None
        return Variable(space, kind, name, align, length if array or space != ".reg" else 0, array, initial, line)

    def initial(self) -> list[str]:
        """Read the numbers of a variable."""
        if not self.skip("{"):
            return [self.value()]
        values = []
        while not self.skip("}"):
            values.append(self.value())
            self.skip(",")
        return values

    def value(self) -> str:
        """Read one number or address."""
        sign = "-" if self.skip("-") else ""
        word = self.take()
        if word == "generic":
            self.expect("(")
            word = self.take()
            self.expect(")")
        if self.skip("+"):
            word += "+" + self.take()
        return sign + word

    def declarations(self, end: str) -> list[Variable]:
        """Read parameters up to the closing bracket."""
        found = []
        while not self.skip(end):
            found.append(self.variable())
            self.skip(",")
        return found

    # ---- functions ----

    def function(self) -> Function:
        """Read a .func or .entry, its limits and its body."""
        line, entry, results, limits = self.line, self.take() == ".entry", [], {}
        if self.skip("("):
            results = self.declarations(")")
        name = self.take()
        parameters = self.declarations(")") if self.skip("(") else []
        while self.peek() not in ("{", ";"):
            word = self.take()
            if word.startswith("."):
                limits[word] = number_of(self.peek()) if self.peek()[:1].isdigit() else 0
        if self.skip(";"):
            return Function(entry, name, results, parameters, None, line, limits)
        self.expect("{")
        return Function(entry, name, results, parameters, self.body(), line, limits)

    def body(self) -> list[Item]:
        """Read up to the brace that closes the function."""
        items: list[Item] = []
        depth = 0
        while True:
            word = self.peek()
            if word == "{":
                self.at += 1
                depth += 1
                items.append(Scope(True))
            elif word == "}":
                self.at += 1
                if depth == 0:
                    return items
                depth -= 1
                items.append(Scope(False))
            elif self.peek(1) == ":":
                items.extend(self.label())
            elif word in (".loc", ".file"):
                line = self.line
                while self.line == line:
                    self.at += 1
            elif word == ".pragma":
                while self.take() != ";":
                    pass
            elif word in (".reg", ".param", ".local", ".global", ".const", ".shared"):
                items.extend(self.variables())
            else:
                items.append(self.statement())

    def variables(self) -> list[Variable]:
        """Read a declaration of one or more names."""
        first = self.variable()
        found = [first]
        while self.skip(","):
            found.append(Variable(first.space, first.kind, self.take(), first.align, first.length, first.array, None,
                                  first.line))
        self.expect(";")
        return found

    def label(self) -> list[Item]:
        """Read a label, or what is declared under one."""
        name = self.take()
        self.expect(":")
        if self.peek() == ".branchtargets":
            self.at += 1
            labels = [self.take()]
            while self.skip(","):
                labels.append(self.take())
            self.expect(";")
            return [Targets(name, tuple(labels))]
        if self.peek() == ".callprototype":
            while self.take() != ";":
                pass
            return []
        return [Label(name)]

    def statement(self) -> Statement:
        """Read an instruction with its guard."""
        guard, negated = "", False
        if self.skip("@"):
            negated = self.skip("!")
            guard = self.take()
        first = self.tokens[self.at]
        op = self.take()
        operands: list[Operand] = []
        while not self.skip(";"):
            operands.append(self.operand())
            self.skip(",")
        return Statement(first.line, guard, negated, op, operands, first.start, self.tokens[self.at - 1].end)

    def operand(self) -> Operand:
        """Read one operand."""
        if self.skip("["):
            base = "" if self.peek()[:1].isdigit() else self.take()
            offset = self.integer() if base == "" else 0
            if self.skip("+") or self.peek() == "-":
                offset += self.integer()
            self.expect("]")
            return Address(base, offset)
        for opens, closes in (("{", "}"), ("(", ")")):
            if self.skip(opens):
                parts = []
                while not self.skip(closes):
                    parts.append(self.operand())
                    self.skip(",")
                return Group(tuple(parts))
        if self.skip("-"):
            return "-" + self.take()
        if self.skip("!"):
            return "!" + self.take()
        word = self.take()
        if self.skip("|"):
            return Pair(word, self.take())
        return word

    def module(self) -> Module:
        """Read the whole file."""
        module = Module("", "", [], [])
        while self.at < len(self.tokens):
            word = self.peek()
            if word == ".version":
                self.at += 1
                module.version = self.take() + self.rest_of_version()
            elif word == ".target":
                self.at += 1
                module.target = self.take()
                while self.skip(","):
                    self.take()
            elif word == ".address_size":
                self.at += 1
                if self.take() != "64":
                    raise PtxError("only 64-bit addresses are known")
            elif word in (".visible", ".extern", ".weak", ".common"):
                self.at += 1
            elif word in (".func", ".entry"):
                module.functions.append(self.function())
            elif word in (".global", ".const", ".shared"):
                module.variables.append(self.variable())
                self.expect(";")
            elif word == ".section":  # debug information
                while self.take() != "}":
                    pass
            elif word == ".file":
                line = self.line
                while self.at < len(self.tokens) and self.line == line:
                    self.at += 1
            else:
                raise PtxError(f"line {self.line}: {word!r} is not known outside functions")
        return module

    def rest_of_version(self) -> str:
        """The part of a version after its point, which the words split off."""
        return self.take() if self.peek().startswith(".") and self.peek()[1:2].isdigit() else ""


def number_of(text: str) -> int:
    """A whole number of any base."""
    text = text.rstrip("U")
    if len(text) > 1 and text[0] == "0" and text[1].isdigit():
        return int(text, 8)
    return int(text, 0)


def read(text: str) -> Module:
    """Read a file of PTX."""
    return Reader(text).module()
