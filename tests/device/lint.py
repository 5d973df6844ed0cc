#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lint.py MODULE.ptx...: checks that device modules compute with the same bits as the processor.

A module may use only the instructions that are listed below. Of those with floating-point operands these are exact, or
rounded once, to nearest: so fused products, approximations, flushed subnormal numbers and conversions in other modes
are findings, and so is an instruction that nobody has looked at yet. Nothing may be called by a pointer, no thread may
wait for another or share its memory, and the only atomic operation adds 64-bit integers, in which order does not matter.

Prints one line a finding; exit status 1 if there is one.
"""
import re
import sys
from pathlib import Path

# The version of PTX that scripts/device_module promises.
HEAD = {".version": "7.0", ".target": "sm_80", ".address_size": "64"}

FLOAT = [
    r"(add|sub|mul|div)\.rn\.(f32|f64)",
    r"(sqrt|rcp)\.rn\.(f32|f64)",
    r"(abs|neg|copysign|mov|selp)\.(f32|f64)",
    r"(min|max)\.(f32|f64)",  # see check_extremes()
    r"setp\.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)(\.and|\.or|\.xor)?\.(f32|f64)",
    r"cvt\.f64\.f32",  # exact
    r"cvt\.rn\.f32\.f64",
    r"cvt\.rn\.(f32|f64)\.[su](8|16|32|64)",
    r"cvt\.rzi\.[su](8|16|32|64)\.(f32|f64)",  # C's conversion to an integer
    r"cvt\.(rzi|rmi|rpi)\.(f32\.f32|f64\.f64)",  # trunc(), floor(), ceil()
]

INTEGER = [
    r"(add|sub)\.[su](16|32|64)",
    r"(add|sub)c?\.cc\.[su](32|64)",
    r"(addc|subc)\.[su](32|64)",
    r"(mul|mad)\.(lo|hi|wide)\.[su](16|32|64)",
    r"(div|rem|min|max)\.[su](16|32|64)",
    r"(abs|neg)\.s(16|32|64)",
    r"(and|or|xor|not|cnot)\.(b16|b32|b64|pred)",
    r"shl\.b(16|32|64)",
    r"shr\.[sub](16|32|64)",
    r"shf\.(l|r)\.(wrap|clamp)\.b32",
    r"(popc|clz|brev|bfi)\.b(32|64)",
    r"bfe\.[su](32|64)",
    r"bfind(\.shiftamt)?\.[su](32|64)",
    r"(prmt|lop3)\.b32",
    r"(mov|selp)\.[subf](16|32|64)|mov\.pred|selp\.b(16|32|64)",
    r"setp\.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs)(\.and|\.or|\.xor)?\.[sub](16|32|64)",
    r"slct\.[sub](16|32|64)\.s32",
    r"cvt\.[su](8|16|32|64)\.[su](8|16|32|64)",
    r"cvt\.[su](8|16|32|64)",
]

OTHER = [
    r"(ld|st)(\.(global|local|param|const))?(\.nc)?(\.v2|\.v4)?\.[subf](8|16|32|64)",
    r"cvta(\.to)?\.(global|local|const|param)\.u64",
    r"(red|atom)(\.global)?\.add\.u64",
    r"bra(\.uni)?",
    r"call(\.uni)?",  # see check_call()
    r"ret(\.uni)?",
    r"exit|trap",
    r"brx\.idx(\.uni)?",
]

ALLOWED = re.compile("|".join(f"(?:{pattern})" for pattern in FLOAT + INTEGER + OTHER))

# What may stand outside of instructions.
DIRECTIVES = {".version", ".target", ".address_size", ".visible", ".entry", ".func", ".param", ".reg", ".local",
              ".global", ".const", ".maxntid", ".minnctapersm", ".maxnreg", ".pragma", ".branchtargets", ".loc", ".file",
              ".noreturn", ".align", ".weak"}

ZERO = re.compile(r"0[fd]([08])0+$")


class Module:
    """The statements of one module, and what is wrong with them."""

    def __init__(self, path):
        self.path = path
        self.findings = []
        # Registers of which one statement alone writes a constant 0: its sign, "0" or "8" as in PTX.
        self.zeros = {}
        self.functions = set()
        self.instructions = 0

    def report(self, line, text):
        self.findings.append(f"{self.path}:{line}: {text}")

    def statements(self):
        """Yields (line, statement), without comments, labels and scopes; a guard is a part of its statement."""
        text = Path(self.path).read_text(encoding="utf-8")
        text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
        text = re.sub(r"//.*", "", text)
        text = re.sub(r"^(\s*\.(?:version|target|address_size|file|loc)\b.*)$", r"\1;", text, flags=re.M)
        text = re.sub(r"^(\s*)[$\w]+\s*:(?!:)", r"\1", text, flags=re.M)
        # Braces about operands and initial values, as opposed to those of scopes.
        text = re.sub(r"(?:(?<=,)|(?<=\t)|(?<= )|(?<==))\{([^{};]*)\}", r"<\1>", text)
        line = 1
        for part in re.split(r"([;{}])", text):
            statement = " ".join(part.split())
            if statement and part not in ";{}":
                yield line + part[: len(part) - len(part.lstrip())].count("\n"), statement
            line += part.count("\n")

    def check(self):
        statements = list(self.statements())
        self.find_functions_and_zeros(statements)
        for line, statement in statements:
            self.check_statement(line, statement)
        if self.instructions == 0:
            self.report(0, "has no instruction")
        return self.findings

    def find_functions_and_zeros(self, statements):
        written = {}
        for _, statement in statements:
            self.functions.update(re.findall(r"\.func\s+(?:\([^)]*\)\s*)?([$\w]+)", statement))
            match = re.match(r"(?:@!?%\w+\s+)?(\w[\w.]*)\s+(%\w+),?\s*(.*)$", statement)
            if match:
                written.setdefault(match[2], []).append((match[1], match[3]))
        for register, by in written.items():
            zero = ZERO.match(by[0][1])
            if len(by) == 1 and by[0][0] in ("mov.f32", "mov.f64") and zero:
                self.zeros[register] = zero[1]

    def check_statement(self, line, statement):
        if statement.startswith("."):
            words = re.findall(r"(?<![\w%$.])\.\w+", statement.partition("=")[0])
            kinds = {word for word in words if not re.fullmatch(r"\.([subf](8|16|32|64)|pred|ptr)", word)}
            for unknown in sorted(kinds - DIRECTIVES):
                self.report(line, f"directive {unknown}")
            if (words and words[0] in HEAD and statement.split()[-1] != HEAD[words[0]]):
                self.report(line, f"'{statement}' is not {HEAD[words[0]]}")
            return
        name, _, operands = re.sub(r"^@!?%\w+\s+", "", statement).partition(" ")
        self.instructions += 1
        if not ALLOWED.fullmatch(name):
            self.report(line, f"{name} is no instruction that a module may use")
        elif name.startswith("call"):
            self.check_call(line, operands)
        elif re.match(r"(min|max)\.f", name):
            self.check_extremes(line, name, operands)

    def check_call(self, line, operands):
        """A function is called by its name: a register would be a pointer."""
        target = re.sub(r"^\([^)]*\),", "", re.sub(r"\s+", "", operands)).split(",")[0]
        if target not in self.functions:
            self.report(line, f"call of {target}, which is no function of this module")

    def check_extremes(self, line, name, operands):
        """LLVM turns a < 0 ? a : 0 into the minimum of a and 0, which is -0 for a = -0 where C has 0 (its issue
        93414). With max(a, +0) the two are the same, and with other constants. One operand is a constant: otherwise
        neither zeros nor NaNs would be sure to be as in C."""
        values = [value.strip() for value in operands.split(",")[1:]]
        zeros = [ZERO.match(value)[1] if ZERO.match(value) else self.zeros.get(value) for value in values]
        harmless = "0" if name.startswith("max") else None
        if any(zero not in (None, harmless) for zero in zeros):
            self.report(line, f"{name} with a zero: use a select on bits")
        elif not any(re.match(r"0[fd][0-9A-Fa-f]+$", value) for value in values) and not any(zeros):
            self.report(line, f"{name} of two variables: zeros of both signs and NaNs may differ from C's")


def main(paths):
    findings = [finding for path in paths for finding in Module(path).check()]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
