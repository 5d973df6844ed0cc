#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts faults into a device module, one instruction each, and checks whether the tests of modules detect them.

usage: mutate.py [--count N] [--seed S] [--only N,N...] [--fixed] [--compiler CC] MODULE.ptx MODULES PROGRAM...

A fault changes one instruction of the PTX: another comparison, the other operand of a selection, a sum instead of a
difference, another number, an inverted branch, an address next to the right one. The module is translated again with
it, and each test PROGRAM is run (one world, steps, rollouts) until one fails: the fault is detected. All run in their
short form first, then whole, finally in their longest form. A test that takes far longer than without the fault is
stopped, and counts as failed. MODULES is the folder of the translated modules, from which all modules without the fault
are taken.

--fixed tries five faults: the first of some operations from the first difference on, in the entry that plays steps.

Prints a line for each fault, and finally how many were detected. Exit status 1 if one was not, unless its line in
tests/data/device/equivalent.txt says why it changes nothing.
"""
from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass

import ptx
import ptx2c
from ptx import Function, Statement

EQUIVALENT = pathlib.Path(__file__).resolve().parents[1] / "data/device/equivalent.txt"
LENGTHS = ["CAROM_TEST_SHORT", "", "CAROM_TEST_LONG"]  # forms of a test, by the variable that selects each
# Entries that are played by rollouts and searches alone, or by steps; others may be by either.
ROLLED = ["carom_entry_roll", "carom_entry_rollout"]
STEPPED = ["carom_entry_" + name for name in ("play", "step", "staged", "observe", "restart")]
TIMEOUT = 60  # seconds that a test may take, and twenty times what it takes without a fault
FLAGS = ["-O0"]  # each function is compiled for one fault, and runs for a moment

# An instruction is replaced by another of the same form.
OTHER = [(r"\badd\.rn\.", "sub.rn."), (r"\bsub\.rn\.", "add.rn."), (r"\bmul\.rn\.", "add.rn."),
         (r"\bdiv\.rn\.", "mul.rn."), (r"\badd\.s", "sub.s"), (r"\bsub\.s", "add.s"), (r"\bmin\.", "max."),
         (r"\bmax\.", "min."), (r"\band\.", "or."), (r"\bor\.", "and."), (r"\bxor\.", "or."), (r"\bshl\.b", "shr.u"),
         (r"\bshr\.u", "shr.s"), (r"\bneg\.", "abs."), (r"\babs\.", "neg."), (r"\bmul\.lo\.", "mul.hi."),
         (r"\bsqrt\.rn\.", "rcp.rn."), (r"\bcvt\.rzi\.", "cvt.rni."), (r"\bsetp\.eq", "setp.ne"),
         (r"\bsetp\.ne", "setp.eq"), (r"\bsetp\.lt", "setp.le"), (r"\bsetp\.le", "setp.lt"), (r"\bsetp\.gt", "setp.ge"),
         (r"\bsetp\.ge", "setp.gt"), (r"\bsetp\.gtu", "setp.geu"), (r"\bsetp\.geu", "setp.gtu"),
         (r"\bsetp\.ltu", "setp.leu"), (r"\bsetp\.leu", "setp.ltu")]


@dataclass(frozen=True)
class Fault:
    """A statement of the text and its replacement."""

    function: str
    line: int
    start: int
    end: int
    before: str
    after: str


def faults_of(text: str, function: Function, statement: Statement) -> Iterator[Fault]:
    """All faults that one instruction can have."""
    before = text[statement.start:statement.end]

    def fault(after: str) -> Iterator[Fault]:
        if after != before:
            yield Fault(function.name, statement.line, statement.start, statement.end, before, after)

    for pattern, replacement in OTHER:
        yield from fault(re.sub(pattern, replacement, before, count=1))
    if statement.op.startswith("selp"):
        to, first, second, which = (str(operand) for operand in statement.operands)
        yield from fault(f"{statement.op} {to}, {second}, {first}, {which};")
    # The next number, of a float and of an integer; not the offsets of addresses, which must stay aligned.
    yield from fault(re.sub(r"0[dDfF][0-9A-Fa-f]+", lambda m: next_number(m.group()), before, count=1))
    if statement.op.split(".")[0] in ("add", "mul", "setp", "and", "mov", "selp", "sub"):
        yield from fault(re.sub(r"(?<=, )(\d+)(?=[,;])", lambda m: str(int(m.group()) + 1), before, count=1))
    # The element next to the right one.
    if statement.op.split(".")[0] in ("ld", "st") and ".v" not in statement.op and "param" not in statement.op:
        width = ptx2c.BITS[statement.op.split(".")[-1]] // 8
        yield from fault(re.sub(r"\+(-?\d+)\]", lambda m: f"+{int(m.group(1)) + width}]", before, count=1))


def next_number(text: str) -> str:
    """The next floating-point number, in PTX notation."""
    return text[:2] + format(int(text[2:], 16) ^ 1, f"0{len(text) - 2}X")


def guards_of(text: str, function: Function, statement: Statement) -> Iterator[Fault]:
    """A branch that is taken when it should not be."""
    if statement.guard:
        start = text.rindex("@", 0, statement.start)
        sign = "@" if statement.negated else "@!"
        before = text[start:statement.end]
        yield Fault(function.name, statement.line, start, statement.end, before,
                    f"{sign}{statement.guard} {text[statement.start:statement.end]}")


def all_faults(text: str, module: ptx.Module) -> list[Fault]:
    """Every fault that a module can have, in lines with one instruction: guards are a part of those."""
    found = []
    for function in module.functions:
        for item in function.body or []:
            if isinstance(item, Statement):
                found += [*faults_of(text, function, item), *guards_of(text, function, item)]
    return found


def chosen(faults: list[Fault], count: int, seed: int) -> list[Fault]:
    """Some faults, spread evenly over functions and kinds of instructions: the same for the same module and seed."""
    draw = random.Random(seed)
    by_kind: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        kind = "@" if fault.before[0] == "@" else fault.before.split()[0]
        by_kind.setdefault((fault.function, kind), []).append(fault)
    kinds = sorted(by_kind)
    draw.shuffle(kinds)
    return [draw.choice(by_kind[kinds[k % len(kinds)]]) for k in range(count)]


def fixed(faults: list[Fault]) -> list[Fault]:
    """Five faults that tests must see, in the entry that plays steps: in its first distance between two places."""
    first: dict[str, Fault] = {}
    for fault in faults:
        operation = ".".join(fault.before.split()[0].split(".")[:2])
        if fault.function == "carom_entry_step" and ("sub.rn" in first or operation == "sub.rn"):
            first.setdefault(operation, fault)
    return [first[operation] for operation in ("sub.rn", "mul.rn", "add.rn", "sqrt.rn", "div.rn")]


class Mutants:
    """Translates and tests modules with a fault."""

    def __init__(self, arguments: argparse.Namespace, module: ptx.Module, folder: pathlib.Path) -> None:
        """arguments: those of the command; folder: for what is made here."""
        self.arguments = arguments
        self.folder = folder
        self.name = arguments.module.stem
        self.modules = folder / "modules"
        self.modules.mkdir()
        for library in arguments.modules.glob("ptx_*.so"):
            os.symlink(library.resolve(), self.modules / library.name)
        self.compiler = arguments.compiler.split()
        self.translation = ptx2c.Translation(module, self.name)
        self.objects: dict[str, pathlib.Path] = {}  # of the C files without a fault
        self.lengths = LENGTHS[:2] if arguments.fixed else LENGTHS
        self.seconds: dict[tuple[str, str], float] = {}  # that a test takes without a fault

    def build(self) -> None:
        """Translate the module without a fault."""
        files = self.translation.files()
        for name, content in files.items():
            (self.folder / name).write_text(content, encoding="utf-8")
            ptx2c.compile_one(self.folder / name, self.compiler, FLAGS)
        self.objects = {name: (self.folder / name).with_suffix(".o") for name in files}
        self.link(self.objects)

    def link(self, objects: dict[str, pathlib.Path]) -> None:
        """Put the module where the tests look for it."""
        library = self.modules / f"ptx_{self.name}.so"
        library.unlink(missing_ok=True)
        ptx2c.link(list(objects.values()), library, self.compiler, FLAGS)

    def mutate(self, fault: Fault) -> None:
        """Translate the module with a fault: the function with the fault is translated and compiled again."""
        module = self.translation.module
        function = next(each for each in module.functions if each.name == fault.function)
        body = [ptx.Reader(fault.after).statement() if isinstance(item, Statement) and item.line == fault.line else item
                for item in function.body or []]
        mutant = ptx2c.Body(dataclasses.replace(function, body=body), module)
        path = self.folder / "mutant.c"
        path.write_text(self.translation.function(mutant), encoding="utf-8")
        ptx2c.compile_one(path, self.compiler, FLAGS)
        self.link({**self.objects, ptx2c.file_of(self.name, fault.function): path.with_suffix(".o")})

    def passes(self, function: str = "") -> str:
        """The name of the test that fails; empty if all pass. function: the one with the fault; empty: any."""
        passed = (["one_step", "one_traces"] if function in ROLLED else
                  ["one_rollout", "one_search"] if function in STEPPED else [])
        for length in self.lengths:
            for program in self.arguments.programs:
                if any(program.stem.endswith(name) for name in passed):
                    continue
                environment = dict(os.environ, CAROM_TEST_MODULES=str(self.modules), CAROM_TEST_MODULE=self.name)
                environment |= {length: "1"} if length else {}
                test = (program.stem, length)
                begun = time.monotonic()
                try:
                    done = subprocess.run([str(program.resolve())], env=environment, check=False,
                                          timeout=TIMEOUT + 20 * self.seconds.get(test, TIMEOUT),
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                except subprocess.TimeoutExpired:
                    return f"{program.stem}, which does not end"
                if done.returncode != 0:
                    return str(program.stem) + {LENGTHS[0]: ", short", LENGTHS[2]: ", long"}.get(length, "")
                self.seconds.setdefault(test, time.monotonic() - begun)
        return ""


def explained() -> dict[str, str]:
    """The faults that change nothing, with the reason: MODULE, line N: BEFORE -> AFTER : REASON, a line each."""
    found = {}
    if EQUIVALENT.exists():
        for line in EQUIVALENT.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                key, _, reason = line.rpartition(" : ")
                found[key] = reason
    return found


def main() -> int:
    """Try faults."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=28)
    parser.add_argument("--only", default="")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("modules", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    text = arguments.module.read_text(encoding="utf-8")
    module = ptx.read(text)
    everything = all_faults(text, module)
    faults = fixed(everything) if arguments.fixed else chosen(everything, arguments.count, arguments.seed)
    numbers = [int(number) for number in arguments.only.split(",")] if arguments.only else range(len(faults))
    reasons = explained()
    seen = unseen = 0
    with tempfile.TemporaryDirectory() as folder:
        mutants = Mutants(arguments, module, pathlib.Path(folder))
        mutants.build()
        if failing := mutants.passes():
            print(f"without a fault {failing} fails")
            return 1
        for number in numbers:
            fault = faults[number]
            mutants.mutate(fault)
            by = mutants.passes(fault.function)
            change = f"{' '.join(fault.before.split())} -> {' '.join(fault.after.split())}"
            key = f"{mutants.name}, line {fault.line}: {change}"
            how = f"seen by {by}" if by else f"unseen: {reasons.get(key, 'NOT EXPLAINED')}"
            seen += bool(by)
            unseen += not by and key not in reasons
            print(f"{number}: {key}: {how}", flush=True)
    print(f"{mutants.name}: {seen} of {len(list(numbers))} faults are seen, {unseen} are not and have no reason")
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
