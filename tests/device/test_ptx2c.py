#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ptx2c.py gives PTX instructions the semantics of the manual, and refuses those that it does not know or may not
translate.

usage: test_ptx2c.py [unittest options]
"""
from __future__ import annotations

import ctypes
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
HEAD = ".version 7.0\n.target sm_80\n.address_size 64\n"
REGISTERS = (".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
             ".reg .f64 %fd<9>;\n")
LOAD = ("ld.param.u64 %rd1, [entry_param_0];\nld.param.u64 %rd2, [entry_param_0+8];\n"
        "ld.param.u64 %rd3, [entry_param_0+16];\nld.param.u64 %rd4, [entry_param_0+24];\n")


def entry(body: str, before: str = "") -> str:
    """A module with an entry that is given an address and three numbers, in %rd1 to %rd4."""
    return (f"{HEAD}{before}\n.visible .entry entry(.param .align 8 .b8 entry_param_0[32])\n{{\n{REGISTERS}{LOAD}"
            f"{body}\nret;\n}}\n")


class Place(ctypes.Structure):
    """Struct ptx_place."""

    _fields_ = [(name, ctypes.c_uint32 * 3) for name in ("ctaid", "ntid", "tid", "nctaid")]


class Translation(unittest.TestCase):
    """Small modules, translated and compiled."""

    def translate(self, text: str, folder: str) -> subprocess.CompletedProcess[str]:
        pathlib.Path(folder, "m.ptx").write_text(text, encoding="utf-8")
        command = [sys.executable, HERE / "ptx2c.py", "--library", f"{folder}/m.so", f"{folder}/m.ptx", folder]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def run_entry(self, text: str, *numbers: int, place: tuple[int, int] = (0, 0)) -> int:
        """What an entry leaves at its address, of 64 bits."""
        with tempfile.TemporaryDirectory() as folder:
            done = self.translate(text, folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            library = ctypes.CDLL(f"{folder}/m.so")
            table = ctypes.cast(ctypes.addressof(ctypes.c_char.in_dll(library, "ptx_module_loaded")),
                                ctypes.POINTER(ctypes.c_uint64))
            thread = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Place))(
                ctypes.cast(table[1], ctypes.POINTER(ctypes.c_uint64))[1])
            result = ctypes.c_uint64(0)
            padded = [*numbers, 0, 0, 0][:3]
            parameters = (ctypes.c_uint64 * 4)(ctypes.addressof(result), *padded)
            where = Place(ctaid=(place[0], 0, 0), ntid=(128, 1, 1), tid=(place[1], 0, 0), nctaid=(7, 1, 1))
            thread(ctypes.addressof(parameters), ctypes.byref(where))
            return int(result.value)

    def refuse(self, text: str, why: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = self.translate(text, folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)

    def check(self, instruction: str, arguments: list[int], expected: int) -> None:
        """An instruction from %rd2 .. %rd4 to %rd5."""
        found = self.run_entry(entry(f"{instruction}\nst.global.u64 [%rd1], %rd5;"), *arguments)
        self.assertEqual(found, expected & (1 << 64) - 1, f"{instruction} of {arguments}: {found:#x}")


def bits64(number: float) -> int:
    """The bits of a double."""
    return int(struct.unpack("<Q", struct.pack("<d", number))[0])


class Instructions(Translation):
    """Arithmetic with corner cases."""

    def check_f64(self, instruction: str, arguments: list[float], expected: float) -> None:
        moves = "".join(f"mov.b64 %fd{k}, %rd{k};\n" for k in (2, 3, 4))
        self.check(f"{moves}{instruction}\nmov.b64 %rd5, %fd5;", [bits64(a) for a in arguments], bits64(expected))

    def test_integers(self) -> None:
        self.check("sub.s64 %rd5, %rd2, %rd3;", [3, 5], -2)
        self.check("cvt.u32.u64 %r1, %rd2; mul.wide.s32 %rd5, %r1, -3;", [0xFFFFFFFE], 6)
        self.check("cvt.u32.u64 %r1, %rd2; cvt.s64.s32 %rd5, %r1;", [0x80000000], -(1 << 31))
        self.check("cvt.u32.u64 %r1, %rd3; shr.s64 %rd5, %rd2, %r1;", [1 << 63, 99], -1)
        self.check("cvt.u32.u64 %r1, %rd3; shl.b64 %rd5, %rd2, %r1;", [1, 64], 0)
        self.check("cvt.u32.u64 %r1, %rd2; bfind.shiftamt.u32 %r2, %r1; cvt.u64.u32 %rd5, %r2;", [1], 31)
        self.check("cvt.u32.u64 %r1, %rd2; brev.b32 %r2, %r1; cvt.u64.u32 %rd5, %r2;", [6], 0x60000000)
        self.check("cvt.u32.u64 %r1, %rd2; prmt.b32 %r2, %r1, 0, 0x4180; cvt.u64.u32 %rd5, %r2;", [0x7F80], 0x7FFF80)
        self.check("bfi.b64 %rd5, %rd2, %rd3, 32, 32;", [0x12345678, 0xFFFFFFFF9ABCDEF0], 0x123456789ABCDEF0)
        self.check("mul.hi.u64 %rd5, %rd2, %rd3;", [1 << 63, 6], 3)

    def test_floats(self) -> None:
        self.check_f64("min.f64 %fd5, %fd2, %fd3;", [0.0, -0.0], -0.0)
        self.check_f64("max.f64 %fd5, %fd2, %fd3;", [-0.0, 0.0], 0.0)
        self.check_f64("min.f64 %fd5, %fd2, %fd3;", [float("nan"), 2.0], 2.0)
        self.check_f64("copysign.f64 %fd5, %fd2, %fd3;", [-1.0, 5.0], -5.0)
        self.check_f64("neg.f64 %fd5, %fd2;", [0.0], -0.0)
        self.check_f64("cvt.rni.f64.f64 %fd5, %fd2;", [2.5], 2.0)
        self.check("mov.b64 %fd1, %rd2; cvt.rzi.s32.f64 %r1, %fd1; cvt.s64.s32 %rd5, %r1;", [bits64(-1e30)], -(1 << 31))
        self.check("mov.b64 %fd1, %rd2; cvt.rzi.s64.f64 %rd5, %fd1;", [bits64(float("nan"))], 0)
        self.check("mov.b64 %fd1, %rd2; setp.geu.f64 %p1, %fd1, 0d0000000000000000; selp.b64 %rd5, 7, 8, %p1;",
                   [bits64(float("nan"))], 7)

    def test_threads(self) -> None:
        text = entry("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
                     "mad.lo.s32 %r4, %r1, %r2, %r3;\ncvt.u64.u32 %rd5, %r4;\nst.global.u64 [%rd1], %rd5;")
        self.assertEqual(self.run_entry(text, place=(3, 5)), 3 * 128 + 5)

    def test_calls_and_scopes(self) -> None:
        """A call in braces; its result is used after it."""
        function = (".func (.param .b64 out) twice(.param .b64 in)\n{\n.reg .b64 %rd<3>;\n"
                    "ld.param.u64 %rd1, [in];\nadd.s64 %rd2, %rd1, %rd1;\nst.param.b64 [out+0], %rd2;\nret;\n}")
        body = ("{ // callseq 0, 0\n.param .b64 param0;\nst.param.b64 [param0+0], %rd2;\n.param .b64 retval0;\n"
                "call.uni (retval0), twice, (param0);\nld.param.b64 %rd5, [retval0+0];\n} // callseq 0\n"
                "st.global.u64 [%rd1], %rd5;")
        self.assertEqual(self.run_entry(entry(body, function), 21), 42)

    def test_tables_and_vectors(self) -> None:
        table = ".global .align 8 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};"
        body = ("mov.u64 %rd6, table;\nld.global.nc.v2.u32 {%r1, %r2}, [%rd6+8];\nmov.b64 %rd5, {%r1, %r2};\n"
                "st.global.u64 [%rd1], %rd5;")
        self.assertEqual(self.run_entry(entry(body, table)), 3 | 4 << 32)


class Refusals(Translation):
    """What would give other bits, or cannot be translated."""

    def test_other_bits(self) -> None:
        for instruction in ("fma.rn.f64 %fd1, %fd2, %fd3, %fd4;", "div.full.f32 %f1, %f2, %f3;",
                            "add.rn.ftz.f32 %f1, %f2, %f3;", "sqrt.approx.f32 %f1, %f2;", "add.f64 %fd1, %fd2, %fd3;",
                            "mul.f32 %f1, %f2, %f3;", "mad.rn.f32 %f1, %f2, %f3, %f4;"):
            self.refuse(entry(instruction), "other bits")

    def test_unknown(self) -> None:
        self.refuse(entry("bar.sync 0;"), "not known")
        self.refuse(entry("frobnicate.b32 %r1, %r2;"), "not known")
        self.refuse(entry("cvt.rn.f32.f64 %r1, %zz;"), "%zz is not declared")
        self.refuse(entry("prototype_0 : .callprototype _ ();\ncall %rd2, prototype_0;"), "an indirect call")
        self.refuse(entry("", ".shared .align 4 .b8 common[4];"), "shared memory")


if __name__ == "__main__":
    unittest.main()
