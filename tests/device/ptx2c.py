#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Translates device programs from PTX to C, so that a processor can run the shipped device code, a thread at a time.

usage: ptx2c.py [--name MODULE] [--library FILE.so] [--compiler CC] [--flags FLAGS] FILE.ptx FOLDER

Writes FOLDER/MODULE_*.c, a file for each function, and MODULE.c with the structure of ptx_module.h; prints their names.
--library compiles them as well (by cc, unless --compiler names another), some at the same time, and links them.
--flags adds options of the compiler, such as -DPTX_CHECKED.

A register becomes a local variable, a block of PTX stays a block of C, addresses are those of the process, and local
memory, which a device leaves undefined, is filled with a pattern. Instructions have the semantics of the PTX manual
(ptx_words.h). Unknown ones are refused with their line, including all that could give other bits (fma, approx, ftz,
full, sat), barriers, shared memory and indirect calls.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable

import ptx
from ptx import Address, Function, Group, Label, Module, Operand, Pair, PtxError, Scope, Statement, Targets, Variable

BITS = {"pred": 8, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "b32": 32, "u32": 32, "s32": 32,
        "f32": 32, "b64": 64, "u64": 64, "s64": 64, "f64": 64}
C_OF = {"pred": "bool", "f32": "float", "f64": "double"}
C_OF.update({k: f"uint{bits}_t" for k, bits in BITS.items() if k[0] in "bu"})
C_OF.update({k: f"int{bits}_t" for k, bits in BITS.items() if k[0] == "s"})
PLACES = ("ctaid", "ntid", "tid", "nctaid")
FLOAT_TESTS = {"eq": "{a} == {b}", "ne": "{a} < {b} || {a} > {b}", "lt": "{a} < {b}", "le": "{a} <= {b}",
               "gt": "{a} > {b}", "ge": "{a} >= {b}", "equ": "!({a} < {b} || {a} > {b})", "neu": "{a} != {b}",
               "ltu": "!({a} >= {b})", "leu": "!({a} > {b})", "gtu": "!({a} <= {b})", "geu": "!({a} < {b})",
               "num": "{a} == {a} && {b} == {b}", "nan": "{a} != {a} || {b} != {b}"}
INTEGER_TESTS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=",
                 "hi": ">", "hs": ">="}
LOGIC = {"and": "&&", "or": "||", "xor": "!="}
REFUSED = {"approx", "ftz", "full", "sat", "relu", "rna"}
SPACES = {"global", "local", "param", "const"}
# How a load or store may be cached or ordered changes no value here.
HINTS = {"nc", "volatile", "relaxed", "weak", "gpu", "sys", "cta", "ca", "cg", "cs", "lu", "cv", "wb", "wt"}


def is_float(kind: str) -> bool:
    """Whether a type is a floating-point number."""
    return kind in ("f32", "f64")


def name_of(text: str) -> str:
    """A name of PTX as a name of C."""
    return re.sub(r"\W", "_", text.lstrip("%"))


def c_of(kind: str) -> str:
    """The C type of a PTX type."""
    return C_OF[kind]


class Body:
    """Translates one function."""

    def __init__(self, function: Function, module: Module) -> None:
        """function: one with a body."""
        self.function = function
        self.module = module
        self.registers: dict[str, str] = {}  # name without its number, or the whole name -> class
        self.memory: set[str] = set()  # names that are addresses: local memory, parameters, globals
        self.targets: dict[str, tuple[str, ...]] = {}
        self.lines: list[str] = []
        self.used: dict[str, set[str]] = {}  # class -> registers that occur
        self.local_bytes = 0
        self.statement: Statement | None = None

    # ---- operands ----

    def fail(self, why: str) -> PtxError:
        """An error about the present statement."""
        at = self.statement
        return PtxError(f"line {at.line}: {at.op}: {why}" if at is not None else why)

    def class_of(self, register: str) -> str | None:
        """A register's class (pred, b16, b32, b64, f32, f64), or None."""
        if register in self.registers:
            return self.registers[register]
        stem = register.rstrip("0123456789")
        return self.registers.get(stem + "<>") if stem != register else None

    def register(self, register: str) -> tuple[str, str]:
        """A register's C name and class."""
        kind = self.class_of(register)
        if kind is None:
            raise self.fail(f"{register} is not declared")
        if register not in self.registers:  # of a range; single ones are declared in place
            self.used.setdefault(kind, set()).add(register)
        return name_of(register), kind

    def constant(self, text: str, kind: str) -> str:
        """A number in C notation."""
        if text[:2] in ("0f", "0F"):
            return f"ptx_f32_of(UINT32_C(0x{text[2:]}))" if kind == "f32" else f"UINT32_C(0x{text[2:]})"
        if text[:2] in ("0d", "0D"):
            return f"ptx_f64_of(UINT64_C(0x{text[2:]}))" if kind == "f64" else f"UINT64_C(0x{text[2:]})"
        negative, digits = text.startswith("-"), text.lstrip("-")
        value = ptx.number_of(digits) * (-1 if negative else 1)
        if kind == "pred":
            return "true" if value != 0 else "false"
        if is_float(kind):
            raise self.fail(f"{text} is no floating-point number")
        bits = BITS[kind]
        number = f"UINT{max(bits, 32)}_C({value & ((1 << bits) - 1)})"
        return f"({c_of(kind)}){number}" if kind[0] == "s" or bits < 32 else number

    def read(self, operand: Operand, kind: str) -> str:
        """An operand as a C expression of a PTX type."""
        if not isinstance(operand, str):
            raise self.fail(f"{operand} is no number")
        if operand.startswith("!"):
            return f"!{self.read(operand[1:], kind)}"
        if operand[0].isdigit() or operand[0] == "-":
            return self.constant(operand, kind)
        if operand in self.memory:
            return f"(uint64_t)(uintptr_t){name_of(operand)}"
        place = operand[1:].split(".")
        if operand.startswith("%") and len(place) == 2 and place[0] in PLACES:
            return f"place->{place[0]}[{'xyz'.index(place[1])}]"
        name, has = self.register(operand)
        if has == kind:
            return name
        if is_float(kind):
            if has == kind.replace("f", "b"):
                return f"ptx_{kind}_of({name})"
            raise self.fail(f"{operand} is no {kind}")
        if is_float(has):
            if BITS[has] == BITS[kind]:
                return f"ptx_bits_{has}({name})"
            raise self.fail(f"{operand} is no {kind}")
        if (has == "pred") != (kind == "pred") or BITS[has] < BITS[kind]:
            raise self.fail(f"{operand} is no {kind}")
        return name if c_of(has) == c_of(kind) else f"({c_of(kind)}){name}"

    def write(self, operand: Operand, kind: str, value: str) -> str:
        """An assignment of a C expression of a PTX type to a register."""
        if not isinstance(operand, str):
            raise self.fail(f"{operand} is no register")
        if operand == "_":
            return f"(void)({value});"
        name, has = self.register(operand)
        if has == kind:
            return f"{name} = {value};"
        if is_float(kind):
            if has == kind.replace("f", "b"):
                return f"{name} = ptx_bits_{kind}({value});"
            raise self.fail(f"{operand} cannot hold {kind}")
        if is_float(has):
            if BITS[has] == BITS[kind]:
                return f"{name} = ptx_{has}_of((uint{BITS[has]}_t)({value}));"
            raise self.fail(f"{operand} cannot hold {kind}")
        if (has == "pred") != (kind == "pred") or BITS[has] < BITS[kind]:
            raise self.fail(f"{operand} cannot hold {kind}")
        return f"{name} = ({c_of(has)})({c_of(kind)})({value});"

    def address(self, operand: Operand) -> str:
        """The address of a memory operand."""
        if not isinstance(operand, Address):
            raise self.fail(f"{operand} is no address")
        base = self.read(operand.base, "b64") if operand.base else "0"
        return f"{base} + UINT64_C({operand.offset & (1 << 64) - 1})" if operand.offset else base

    # ---- instructions ----

    def load(self, mods: list[str], operands: list[Operand]) -> str:
        """ld: [.hints].space[.v2].type d, [a]."""
        kind, count = self.access(mods)
        to = operands[0].parts if isinstance(operands[0], Group) else (operands[0],)
        if len(to) != count:
            raise self.fail("a vector of another length")
        width = BITS[kind] // 8
        memory = kind if is_float(kind) else f"u{BITS[kind]}"
        where = self.address(operands[1])
        values = [f"({c_of(kind)})PTX_LOAD({memory}, where, {width * count}, {i})" for i in range(count)]
        if count == 1:
            return self.write(to[0], kind, values[0].replace("where", where))
        # Read the whole vector before any register changes: one of them may be the address.
        reads = " ".join(f"const {c_of(kind)} v{i} = {value};" for i, value in enumerate(values))
        writes = " ".join(self.write(register, kind, f"v{i}") for i, register in enumerate(to))
        return f"{{ const uint64_t where = {where}; {reads} {writes} }}"

    def store(self, mods: list[str], operands: list[Operand]) -> str:
        """st: [.hints].space[.v2].type [a], b."""
        kind, count = self.access(mods)
        values = operands[1].parts if isinstance(operands[1], Group) else (operands[1],)
        if len(values) != count:
            raise self.fail("a vector of another length")
        memory, width = kind if is_float(kind) else f"u{BITS[kind]}", BITS[kind] // 8
        where = self.address(operands[0])
        return " ".join(f"PTX_STORE({memory}, {where}, {width * count}, {i}, {self.read(value, kind)});"
                        for i, value in enumerate(values))

    def access(self, mods: list[str]) -> tuple[str, int]:
        """The type and the number of elements of a load or store."""
        count = 1
        for mod in mods[:-1]:
            if mod in ("v2", "v4"):
                count = int(mod[1])
            elif mod not in SPACES and mod not in HINTS and not mod.startswith(("L1::", "L2::", "param::")):
                raise self.fail(f".{mod} is not known")
        if mods[-1] not in BITS or mods[-1] == "pred":
            raise self.fail(f".{mods[-1]} is not known")
        return mods[-1], count

    def move(self, mods: list[str], operands: list[Operand]) -> str:
        """mov, with vectors that are packed or unpacked."""
        kind = mods[-1]
        to, value = operands
        if isinstance(value, Group):
            width = BITS[kind] // len(value.parts)
            parts = [f"(uint{BITS[kind]}_t){self.read(part, f'b{width}')} << {width * i}"
                     for i, part in enumerate(value.parts)]
            return self.write(to, kind.replace("f", "b"), " | ".join(f"({part})" for part in parts))
        if isinstance(to, Group):
            width = BITS[kind] // len(to.parts)
            whole = self.read(value, f"b{BITS[kind]}")
            writes = [self.write(part, f"b{width}", f"(uint{width}_t)(whole >> {width * i})")
                      for i, part in enumerate(to.parts)]
            return f"{{ const uint{BITS[kind]}_t whole = {whole}; {' '.join(writes)} }}"
        return self.write(to, kind, self.read(value, kind))

    def add_or_sub(self, mods: list[str], operands: list[Operand], sign: str) -> str:
        """add, sub: integers wrap around."""
        kind = mods[-1]
        if is_float(kind):
            self.rounded(mods)
            a, b = (self.read(operand, kind) for operand in operands[1:])
            return self.write(operands[0], kind, f"ptx_made_{kind}({a} {sign} {b})")
        self.only(mods, 1)
        unsigned = f"b{BITS[kind]}"
        a, b = (self.read(operand, unsigned) for operand in operands[1:])
        return self.write(operands[0], unsigned, f"({c_of(unsigned)})({a} {sign} {b})")

    def product(self, mods: list[str], a: Operand, b: Operand) -> tuple[str, str]:
        """The type and value of an integer product with .lo, .hi or .wide."""
        part, kind = mods
        bits, signed = BITS[kind], kind[0] == "s"
        if part == "lo":
            wide = f"uint{max(bits, 32)}_t"
            return f"b{bits}", (f"(uint{bits}_t)(({wide}){self.read(a, f'b{bits}')} * "
                                f"({wide}){self.read(b, f'b{bits}')})")
        if part == "hi" and bits == 64:
            return "b64", f"ptx_high_{kind}({self.read(a, 'b64')}, {self.read(b, 'b64')})"
        double = f"{'int' if signed else 'uint'}{2 * bits}_t"
        value = f"({double}){self.read(a, kind)} * ({double}){self.read(b, kind)}"
        if part == "wide" and bits < 64:
            return f"b{2 * bits}", f"(uint{2 * bits}_t)({value})"
        if part == "hi" and bits < 64:
            return f"b{bits}", f"(uint{bits}_t)(({value}) >> {bits})"
        raise self.fail("not known")

    def multiply(self, mods: list[str], operands: list[Operand]) -> str:
        """mul."""
        kind = mods[-1]
        if is_float(kind):
            self.rounded(mods)
            a, b = (self.read(operand, kind) for operand in operands[1:])
            return self.write(operands[0], kind, f"ptx_made_{kind}({a} * {b})")
        self.only(mods, 2)
        result, value = self.product(mods, operands[1], operands[2])
        return self.write(operands[0], result, value)

    def multiply_add(self, mods: list[str], operands: list[Operand]) -> str:
        """mad, of integers only."""
        self.only(mods, 2)
        if is_float(mods[-1]):
            raise self.fail("could give other bits")
        result, value = self.product(mods, operands[1], operands[2])
        return self.write(operands[0], result, f"({c_of(result)})({value} + {self.read(operands[3], result)})")

    def divide(self, mods: list[str], operands: list[Operand]) -> str:
        """div."""
        kind = mods[-1]
        a, b = (self.read(operand, kind) for operand in operands[1:])
        if is_float(kind):
            self.rounded(mods)
            return self.write(operands[0], kind, f"ptx_made_{kind}({a} / {b})")
        self.only(mods, 1)
        return self.write(operands[0], kind, f"ptx_div_{kind}({a}, {b})")

    def least_or_most(self, name: str, mods: list[str], operands: list[Operand]) -> str:
        """min, max."""
        self.only(mods, 1)
        kind = mods[0]
        a, b = (self.read(operand, kind) for operand in operands[1:])
        if is_float(kind):
            return self.write(operands[0], kind, f"ptx_made_{kind}(ptx_{name}_{kind}({a}, {b}))")
        return self.write(operands[0], kind, f"{a} {'<' if name == 'min' else '>'} {b} ? {a} : {b}")

    def test(self, mods: list[str], operands: list[Operand]) -> str:
        """setp: .test[.logic].type p[|q], a, b[, c]."""
        kind = mods[-1]
        a, b = (self.read(operand, kind) for operand in operands[1:3])
        if is_float(kind):
            if mods[0] not in FLOAT_TESTS:
                raise self.fail(f".{mods[0]} is not known")
            value = "(" + FLOAT_TESTS[mods[0]].format(a=a, b=b) + ")"
        else:
            if mods[0] not in INTEGER_TESTS or (mods[0] in ("lo", "ls", "hi", "hs") and kind[0] != "u"):
                raise self.fail(f".{mods[0]} is not known")
            value = f"({a} {INTEGER_TESTS[mods[0]]} {b})"
        logic = None
        if len(mods) == 3:
            logic = LOGIC.get(mods[1])
        if len(mods) > 3 or (len(mods) == 3 and logic is None) or (logic is not None) != (len(operands) == 4):
            raise self.fail("not known")
        third = f" {logic} {self.read(operands[3], 'pred')}" if logic is not None else ""
        to = operands[0]
        if isinstance(to, Pair):
            first = self.write(to.first, "pred", f"is{third}")
            second = self.write(to.second, "pred", f"!is{third}")
            return f"{{ const bool is = {value}; {first} {second} }}"
        return self.write(to, "pred", value + third)

    def convert(self, mods: list[str], operands: list[Operand]) -> str:
        """cvt: [.rounding].to.from d, a."""
        *rounding, to, kind = mods
        value = self.read(operands[1], kind)
        if len(rounding) > 1:
            raise self.fail("not known")
        how = rounding[0] if rounding else ""
        if is_float(to) and is_float(kind):
            if to == kind and how in ("rni", "rzi", "rmi", "rpi"):
                return self.write(operands[0], to, f"ptx_made_{to}(ptx_whole_{kind}_{how}({value}))")
            if (to, kind, how) in (("f32", "f64", "rn"), ("f64", "f32", "")):
                return self.write(operands[0], to, f"ptx_made_{to}(({c_of(to)}){value})")
        elif is_float(to):
            if how == "rn":
                return self.write(operands[0], to, f"({c_of(to)}){value}")
        elif is_float(kind):
            if how in ("rni", "rzi", "rmi", "rpi") and to[0] != "b":
                whole = value if how == "rzi" else f"ptx_whole_{kind}_{how}({value})"
                bits = BITS[to]
                ends = (f"INT{bits}_MIN, INT{bits}_MAX" if to[0] == "s" else f"0, UINT{bits}_MAX")
                return self.write(operands[0], to, f"ptx_to_{to}({whole}, {ends})")
        elif not how:
            return self.write(operands[0], to, f"({c_of(to)}){value}")
        raise self.fail("this conversion is not known")

    def atomic(self, name: str, mods: list[str], operands: list[Operand]) -> str:
        """atom and red, with addition only: what is added up does not depend on the order."""
        kind = mods[-1]
        rest = [mod for mod in mods[:-1] if mod not in HINTS and mod != "global"]
        if rest != ["add"] or kind not in ("u32", "u64", "s32"):
            raise self.fail("only additions of integers are known")
        at, by = (operands[1], operands[2]) if name == "atom" else (operands[0], operands[1])
        memory = f"u{BITS[kind]}"
        value = (f"__atomic_fetch_add((ptx_{memory} *)ptx_at({self.address(at)}, {BITS[kind] // 8}), "
                 f"{self.read(by, f'b{BITS[kind]}')}, __ATOMIC_RELAXED)")
        return self.write(operands[0], f"b{BITS[kind]}", value) if name == "atom" else f"(void){value};"

    def call(self, operands: list[Operand]) -> str:
        """call [(result),] name[, (arguments)]."""
        groups = [operand for operand in operands if isinstance(operand, Group)]
        names = [operand for operand in operands if isinstance(operand, str)]
        known = {function.name: function for function in self.module.functions}
        if not names or names[0].startswith("%"):
            raise self.fail("an indirect call")
        if names[0] not in known:
            raise self.fail(f"{names[0]} is not in the module")
        arguments = [name_of(str(part)) for group in groups for part in group.parts]
        return f"{name_of(names[0])}({', '.join([*arguments, 'place'])});"

    def branch(self, name: str, operands: list[Operand]) -> str:
        """bra, brx.idx."""
        if name == "bra":
            return f"goto {name_of(str(operands[0]))};"
        cases = " ".join(f"case {i}: goto {name_of(label)};"
                         for i, label in enumerate(self.targets[str(operands[1])]))
        return f"switch ({self.read(operands[0], 'b32')}) {{ {cases} default: ptx_stop(\"no such branch\"); }}"

    def rounded(self, mods: list[str]) -> None:
        """Demand .rn, by name: an operation without it may be contracted."""
        if mods[:-1] != ["rn"]:
            raise self.fail("without .rn it could give other bits")

    def only(self, mods: list[str], count: int) -> None:
        """Demand just this many modifiers."""
        if len(mods) != count:
            raise self.fail("not known")

    def simple(self, name: str, mods: list[str], operands: list[Operand]) -> str | None:
        """Instructions with a value that one expression gives, or None."""
        kind = mods[-1] if mods else ""
        if kind not in BITS:
            return None
        to, *sources = operands
        bits = f"b{BITS[kind]}"
        shape = (name, tuple(mods[:-1]), len(sources))

        def values(*kinds: str) -> list[str]:
            return [self.read(operand, each) for operand, each in zip(sources, kinds, strict=True)]

        if name in ("and", "or", "xor") and shape[1:] == ((), 2):
            a, b = values(kind, kind)
            return self.write(to, kind, f"({c_of(kind)})({a} {dict(zip(LOGIC, '&|^', strict=True))[name]} {b})")
        if shape == ("not", (), 1):
            return self.write(to, kind, f"!{values(kind)[0]}" if kind == "pred" else
                              f"({c_of(kind)})~{values(kind)[0]}")
        if name in ("neg", "abs") and shape[1:] == ((), 1):
            (a,) = values(kind)
            if is_float(kind):
                return self.write(to, kind, f"ptx_{name}_{kind}({a})")
            unsigned = f"({c_of(bits)})(0 - ({c_of(bits)}){a})"
            return self.write(to, bits, unsigned if name == "neg" else f"{a} < 0 ? {unsigned} : ({c_of(bits)}){a}")
        if shape == ("sqrt", ("rn",), 1) and is_float(kind):
            return self.write(to, kind, f"ptx_made_{kind}(sqrt{'f' if kind == 'f32' else ''}({values(kind)[0]}))")
        if shape == ("rcp", ("rn",), 1) and is_float(kind):
            one = "1.0f" if kind == "f32" else "1.0"
            return self.write(to, kind, f"ptx_made_{kind}({one} / {values(kind)[0]})")
        if shape == ("copysign", (), 2):
            return self.write(to, kind, f"ptx_copysign_{kind}({', '.join(values(kind, kind))})")
        if shape == ("rem", (), 2) and not is_float(kind):
            return self.write(to, kind, f"ptx_rem_{kind}({', '.join(values(kind, kind))})")
        if shape == ("selp", (), 3):
            a, b, which = values(kind, kind, "pred")
            return self.write(to, kind, f"{which} ? {a} : {b}")
        if name in ("shl", "shr") and shape[1:] == ((), 2):
            a, by = values(bits, "b32")
            return self.write(to, bits, f"ptx_{name}_{'s' if kind[0] == 's' else 'b' if name == 'shl' else 'u'}"
                                        f"{BITS[kind]}({a}, {by})")
        if name in ("clz", "popc") and shape[1:] == ((), 1):
            (a,) = values(kind)
            return self.write(to, "b32", f"ptx_clz_{kind}({a})" if name == "clz" else
                              f"(uint32_t)__builtin_popcountll({a})")
        if name == "bfind" and shape[1:] in (((), 1), (("shiftamt",), 1)):
            shift = "true" if mods[0] == "shiftamt" else "false"
            return self.write(to, "b32", f"ptx_bfind_{kind}({values(bits)[0]}, {shift})")
        if shape == ("brev", (), 1):
            return self.write(to, kind, f"ptx_brev_{kind}({values(kind)[0]})")
        if shape == ("prmt", (), 3):
            return self.write(to, "b32", f"ptx_prmt({', '.join(values('b32', 'b32', 'b32'))})")
        if shape == ("bfi", (), 4):
            return self.write(to, kind, f"ptx_bfi_{kind}({', '.join(values(kind, kind, 'b32', 'b32'))})")
        if shape == ("bfe", (), 3):
            return self.write(to, bits, f"ptx_bfe_{kind}({', '.join(values(bits, 'b32', 'b32'))})")
        if shape == ("lop3", (), 4):
            return self.write(to, kind, f"ptx_lop3({', '.join(values(*['b32'] * 4))})")
        if name == "shf" and mods[1:-1] in (["wrap"], ["clamp"]):
            a, b, by = values("b32", "b32", "b32")
            by = f"{by} & 31" if mods[1] == "wrap" else f"{by} < 32 ? {by} : 32"
            return self.write(to, "b32", f"ptx_shf_{mods[0]}({a}, {b}, {by})")
        if name == "testp":
            return self.tested(mods, to, values(kind)[0])
        return None

    def tested(self, mods: list[str], to: Operand, a: str) -> str:
        """testp."""
        tests = {"finite": "isfinite({})", "infinite": "isinf({})", "number": "!isnan({})", "notanumber": "isnan({})",
                 "normal": "isnormal({})", "subnormal": "(fpclassify({}) == FP_SUBNORMAL)"}
        return self.write(to, "pred", tests[mods[0]].format(a))

    def instruction(self, statement: Statement) -> str:
        """One instruction, without its guard."""
        self.statement = statement
        name, *mods = statement.op.split(".")
        operands = statement.operands
        refused = REFUSED.intersection(mods)
        if refused or name == "fma":
            raise self.fail("could give other bits")
        special: dict[str, Callable[[], str]] = {
            "ld": lambda: self.load(mods, operands),
            "ldu": lambda: self.load(mods, operands),
            "st": lambda: self.store(mods, operands),
            "mov": lambda: self.move(mods, operands),
            "cvta": lambda: self.write(operands[0], "b64", self.read(operands[1], "b64")),
            "add": lambda: self.add_or_sub(mods, operands, "+"),
            "sub": lambda: self.add_or_sub(mods, operands, "-"),
            "mul": lambda: self.multiply(mods, operands),
            "mad": lambda: self.multiply_add(mods, operands),
            "div": lambda: self.divide(mods, operands),
            "min": lambda: self.least_or_most(name, mods, operands),
            "max": lambda: self.least_or_most(name, mods, operands),
            "setp": lambda: self.test(mods, operands),
            "cvt": lambda: self.convert(mods, operands),
            "atom": lambda: self.atomic(name, mods, operands),
            "red": lambda: self.atomic(name, mods, operands),
            "call": lambda: self.call(operands),
            "bra": lambda: self.branch(name, operands),
            "brx": lambda: self.branch(name, operands),
            "ret": lambda: "return;",
            "trap": lambda: 'ptx_stop("trap");',
        }
        code = special[name]() if name in special else self.simple(name, mods, operands)
        if code is None:
            raise self.fail("not known")
        return code

    # ---- the function ----

    def declare(self, variable: Variable) -> None:
        """A declaration within the body."""
        kind = variable.kind[1:]
        if variable.space == ".reg":
            self.registers[variable.name + "<>" if variable.length else variable.name] = \
                kind if kind == "pred" or kind[0] == "f" else f"b{BITS[kind]}"
            if not variable.length:
                self.lines.append(f"{c_of(self.registers[variable.name])} {name_of(variable.name)} = 0;")
                self.lines.append(f"(void){name_of(variable.name)};")
        elif variable.space in (".local", ".param"):
            self.memory.add(variable.name)
            size = max(variable.length, 1) * BITS[kind] // 8
            name = name_of(variable.name)
            align = max(variable.align, BITS[kind] // 8)
            self.lines.append(f"_Alignas({align}) uint8_t {name}[{size}];")
            if variable.space == ".local":
                self.local_bytes += size
                self.lines.append(f"memset({name}, PTX_FILL, sizeof {name});")
        else:
            raise PtxError(f"line {variable.line}: {variable.space} within a function")

    def signature(self) -> str:
        """The function's head in C."""
        parameters = [f"uint8_t *{name_of(v.name)}" for v in (*self.function.results, *self.function.parameters)]
        if self.function.entry:
            return f"void {name_of(self.function.name)}(const void *params, const ptx_place *place)"
        return f"void {name_of(self.function.name)}({', '.join([*parameters, 'const ptx_place *place'])})"

    def translate(self) -> list[str]:
        """The whole function."""
        body = self.function.body
        if body is None:
            raise PtxError(f"line {self.function.line}: {self.function.name} has no body")
        self.memory.update(v.name for v in (*self.function.results, *self.function.parameters))
        self.memory.update(v.name for v in self.module.variables)
        self.memory.update(f.name for f in self.module.functions)
        self.targets = {item.name: item.labels for item in body if isinstance(item, Targets)}
        for item in body:
            self.item(item)
        head = [self.signature(), "{"]
        if self.function.entry:
            for parameter, at in zip(self.function.parameters, offsets_of(self.function.parameters), strict=True):
                head.append(f"const uint8_t *{name_of(parameter.name)} = (const uint8_t *)params + {at};")
                head.append(f"(void){name_of(parameter.name)};")
        for kind in sorted(self.used):
            names = sorted((name_of(name) for name in self.used[kind]), key=lambda name: (len(name), name))
            for at in range(0, len(names), 12):
                head.append(f"{c_of(kind)} {', '.join(f'{name} = 0' for name in names[at:at + 12])};")
        return [*head, "(void)place;", *(["(void)params;"] if self.function.entry else []), *self.lines, "}"]

    def item(self, item: object) -> None:
        """One item of the body."""
        if isinstance(item, Variable):
            self.declare(item)
        elif isinstance(item, Scope):
            self.lines.append("{" if item.opens else "}")
        elif isinstance(item, Label):
            self.lines.append(f"{name_of(item.name)}:;")
        elif isinstance(item, Statement):
            code = self.instruction(item)
            if item.guard:
                guard = self.read(item.guard, "pred")
                code = f"if ({'!' if item.negated else ''}{guard}) {{ {code} }}"
            self.lines.append(code)


def offsets_of(parameters: list[Variable]) -> list[int]:
    """Where a launch puts each parameter."""
    offsets, at = [], 0
    for parameter in parameters:
        size = BITS[parameter.kind[1:]] // 8
        align = max(parameter.align, size)
        at = (at + align - 1) // align * align
        offsets.append(at)
        at += size * max(parameter.length, 1)
    return offsets


def size_of(variable: Variable) -> int:
    """The bytes of a variable."""
    return BITS[variable.kind[1:]] // 8 * max(variable.length, 1)


def definition_of(variable: Variable) -> str:
    """A variable of a module, in C."""
    kind = variable.kind[1:]
    name, length = name_of(variable.name), max(variable.length, 1)
    align = max(variable.align, BITS[kind] // 8)
    if variable.space == ".shared":
        raise PtxError(f"line {variable.line}: shared memory")
    values = variable.initial or []
    addresses = any(not re.match(r"-?[0-9]", value) for value in values)
    if addresses and kind not in ("b64", "u64"):
        raise PtxError(f"line {variable.line}: an address in {variable.kind}")
    if is_float(kind):
        kind = f"b{BITS[kind]}"
        values = ["0x" + value[2:] if value[:2].lower() in ("0f", "0d") else value for value in values]
    numbers = ", ".join(value if re.match(r"-?[0-9]", value) else
                        f"(uint64_t)(uintptr_t){name_of(value.split('+')[0])} + {value.partition('+')[2] or 0}"
                        for value in values)
    return f"_Alignas({align}) {c_of(kind)} {name}[{length}] = {{{numbers or 0}}};"


def table(module: Module, name: str, bodies: list[Body]) -> list[str]:
    """The file with the module's variables and its structure."""
    lines = ['#include "ptx_words.h"']
    lines += [definition_of(variable) for variable in module.variables]
    entries = [body for body in bodies if body.function.entry]
    lines += [body.signature() + ";" for body in entries]
    lines.append(f"static const ptx_entry entries[{len(entries) + 1}] = {{")
    for body in entries:
        parameters = body.function.parameters
        size = offsets_of(parameters)[-1] + size_of(parameters[-1]) if parameters else 0
        limit = body.function.limits.get(".maxntid", body.function.limits.get(".reqntid", 0))
        lines.append(f'{{"{body.function.name}", {name_of(body.function.name)}, {size}, {body.local_bytes}, {limit}}},')
    lines += ["{0}};", f"static const ptx_global globals[{len(module.variables) + 1}] = {{"]
    lines += [f'{{"{v.name}", {name_of(v.name)}, {size_of(v)}}},' for v in module.variables]
    lines += ["{0}};",
              f'__attribute__((visibility("default"))) const ptx_module ptx_module_{name} = {{"{name}", entries, '
              f'{len(entries)}, globals, {len(module.variables)}}};',
              "#if defined(PTX_LOADED)",
              f'extern __attribute__((visibility("default"), alias("ptx_module_{name}"))) const ptx_module '
              "ptx_module_loaded;",
              "#endif"]
    return lines


def file_of(name: str, function: str) -> str:
    """The name of a function's C file, in the module `name`."""
    return f"{name}_{name_of(function)}.c"


class Translation:
    """A module in C. Symbols begin with its name, so that several modules can be linked together."""

    def __init__(self, module: Module, name: str) -> None:
        """module: from ptx.read()."""
        self.module = module
        self.name = name
        self.names = [f"#define {name_of(each)} {name}_{name_of(each)}"
                      for each in [*(v.name for v in module.variables), *(f.name for f in module.functions)]]
        self.shared = [f"extern {definition_of(v).partition(' = ')[0]};" for v in module.variables]
        self.shared += [Body(function, module).signature() + ";" for function in module.functions]

    def function(self, body: Body) -> str:
        """A function's file."""
        head = ["/* Translated from PTX by tests/device/ptx2c.py. */", '#include "ptx_words.h"']
        return "\n".join([*self.names, *head, *self.shared, *body.translate(), ""])

    def files(self) -> dict[str, str]:
        """All C files by name."""
        bodies = [Body(function, self.module) for function in self.module.functions if function.body is not None]
        files = {file_of(self.name, body.function.name): self.function(body) for body in bodies}
        files[f"{self.name}.c"] = "\n".join([*self.names, *table(self.module, self.name, bodies), ""])
        return files


# -O1: translated programs are long, and each more level takes much longer than it saves in the tests.
FLAGS = ["-std=c17", "-O1", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-fvisibility=hidden", "-DPTX_LOADED",
         f"-I{pathlib.Path(__file__).resolve().parent}", "-w"]


def compile_one(path: pathlib.Path, compiler: list[str], flags: list[str]) -> None:
    """Compile a C file into an object file next to it."""
    command = [*compiler, *FLAGS, *flags, "-c", str(path), "-o", str(path.with_suffix(".o"))]
    subprocess.run(command, check=True)


def link(objects: list[pathlib.Path], library: pathlib.Path, compiler: list[str], flags: list[str]) -> None:
    """Link objects into a shared library, under another name until it is whole."""
    new = library.with_suffix(".new")
    subprocess.run([*compiler, "-shared", *flags, *map(str, objects), "-o", str(new), "-lm"], check=True)
    new.replace(library)


def build(paths: list[pathlib.Path], library: pathlib.Path, compiler: list[str], flags: list[str]) -> None:
    """Compile C files into a shared library, as many at a time as there are processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda path: compile_one(path, compiler, flags), paths))
    link([path.with_suffix(".o") for path in paths], library, compiler, flags)


def main() -> int:
    """Translate one file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--name", help="of the module; otherwise the file's")
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--flags", default="")
    parser.add_argument("ptx", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    name = arguments.name or arguments.ptx.stem
    try:
        files = Translation(ptx.read(arguments.ptx.read_text(encoding="utf-8")), name).files()
    except PtxError as error:
        print(f"{arguments.ptx}: {error}", file=sys.stderr)
        return 1
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        path = arguments.folder / file
        path.write_text(text, encoding="utf-8")
        print(path)
    if arguments.library:
        build([arguments.folder / file for file in files], arguments.library, arguments.compiler.split(),
              arguments.flags.split())
    return 0


if __name__ == "__main__":
    sys.exit(main())
