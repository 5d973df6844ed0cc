#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lint.py MODULE.ptx...: checks that device modules compute the same bits as the processor.

A module may use only the instructions listed below. Those with floating-point operands are exact, or round once, to
nearest: so fused products, approximations, flushed subnormal numbers and conversions in other modes are findings, and
so is any unlisted instruction. No calls through pointers, no waiting between threads, no shared memory; the only atomic
operation adds 64-bit integers, for which order does not matter.

Prints one line a finding; exit status 1 if there is one.
"""
import re
import sys
from pathlib import Path

import ptx

# What scripts/device_module promises.
VERSION, TARGET = "7.0", "sm_80"

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

ZERO = re.compile(r"0[fd]([08])0+$")


class Lint:
    """One module, and its findings."""

    def __init__(self, path):
        self.path = path
        self.findings = []

    def report(self, line, text):
        self.findings.append(f"{self.path}:{line}: {text}")

    def check(self):
        try:
            module = ptx.read(Path(self.path).read_text(encoding="utf-8"))
        except ptx.PtxError as error:
            return [f"{self.path}:" + str(error).removeprefix("line ")]
        if (module.version, module.target) != (VERSION, TARGET):
            self.report(1, f"is version {module.version} for {module.target}, not {VERSION} for {TARGET}")
        if not any(function.entry and function.body for function in module.functions):
            self.report(1, "has no entry")
        self.functions = {function.name for function in module.functions if function.body is not None}
        self.check_variables(module.variables)
        for function in module.functions:
            self.check_variables(function.body or [])
            self.check_body([item for item in function.body or [] if isinstance(item, ptx.Statement)])
        return self.findings

    def check_variables(self, items):
        for item in items:
            if isinstance(item, ptx.Variable) and item.space == ".shared":
                self.report(item.line, f"{item.name} is shared by the threads of a block")

    def check_body(self, statements):
        zeros = self.zeros_of(statements)
        for statement in statements:
            op, operands = statement.op, statement.operands
            if not ALLOWED.fullmatch(op):
                self.report(statement.line, f"{op} is no instruction that a module may use")
            elif op.startswith("call"):
                self.check_call(statement)
            elif re.match(r"(min|max)\.f", op):
                self.check_extremes(statement.line, op, operands[1:], zeros)

    @staticmethod
    def zeros_of(statements):
        """Registers of which one statement alone writes a constant 0: its sign, "0" or "8" as in PTX."""
        written = {}
        for statement in statements:
            if statement.operands and isinstance(statement.operands[0], str):
                written.setdefault(statement.operands[0], []).append(statement)
        zeros = {}
        for register, by in written.items():
            zero = len(by) == 1 and by[0].op in ("mov.f32", "mov.f64") and ZERO.match(by[0].operands[1])
            if zero:
                zeros[register] = zero[1]
        return zeros

    def check_call(self, statement):
        """A function is called by its name: a register would be a pointer."""
        target = next(operand for operand in statement.operands if isinstance(operand, str))
        if target not in self.functions:
            self.report(statement.line, f"call of {target}, which is no function of this module")

    def check_extremes(self, line, op, values, zeros):
        """LLVM turns a < 0 ? a : 0 into the minimum of a and 0, which is -0 for a = -0 where C has 0 (its issue
        93414). With max(a, +0) the two are the same, and with other constants. One operand is a constant: otherwise
        neither zeros nor NaNs would be sure to be as in C."""
        signs = [ZERO.match(value)[1] if ZERO.match(value) else zeros.get(value) for value in values]
        harmless = "0" if op.startswith("max") else None
        if any(sign not in (None, harmless) for sign in signs):
            self.report(line, f"{op} with a zero: use a select on bits")
        elif not any(signs) and not any(re.match(r"0[fd][0-9A-Fa-f]+$", value) for value in values):
            self.report(line, f"{op} of two variables: zeros of both signs and NaNs may differ from C's")


def main(paths):
    findings = [finding for path in paths for finding in Lint(path).check()]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
