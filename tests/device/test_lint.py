#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lint.py on a module of two functions: it finds each forbidden line by itself, and nothing else."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import lint  # noqa: E402

MODULE = """//
.version 7.0
.target sm_80
.address_size 64

.global .align 8 .b8 table[4] = {1, 2, 3, 4};

.func  (.param .b64 func_retval0) helper(
    .param .b64 helper_param_0
)
{
    .reg .b64     %rd<3>;

    ld.param.u64     %rd1, [helper_param_0];
    st.param.b64     [func_retval0+0], %rd1;
    ret;
}

.visible .entry carom_entry_step(
    .param .align 8 .b8 carom_entry_step_param_0[16]
)
.maxntid 128, 1, 1
{
    .reg .pred     %p<9>;
    .reg .f64     %fd<9>;

    ld.param.u64     %rd1, [carom_entry_step_param_0];
    mov.f64     %fd1, 0d0000000000000000;
    mov.f64     %fd2, 0d4000000000000000;
$L__BB0_1:
    LINE
    @%p1 bra     $L__BB0_1;
    ret;
}
"""

GOOD = [
    "add.rn.f64 %fd3, %fd1, %fd2;",
    "@!%p2 mul.rn.f32 %f3, %f1, 0f3F000000;",
    "sqrt.rn.f64 %fd3, %fd1;",
    "ld.global.v2.f64 {%fd3, %fd4}, [%rd1+16];",
    "setp.leu.f32 %p1, %f1, %f2; // fma.rn.f32",
    "min.f64 %fd3, %fd4, 0d4000000000000000;",
    "max.f64 %fd3, %fd4, 0d0000000000000000;",
    "red.global.add.u64 [%rd1], %rd2;",
    "{ .param .b64 param0;\n st.param.b64 [param0+0], %rd1;\n call.uni (retval0),\n helper,\n (\n param0\n );\n }",
]

BAD = {
    "fma.rn.f64 %fd3, %fd1, %fd2, %fd1;": "fma.rn.f64",
    "mad.f32 %f3, %f1, %f2, %f1;": "mad.f32",
    "add.f64 %fd3, %fd1, %fd2;": "add.f64",
    "mul.rz.f64 %fd3, %fd1, %fd2;": "mul.rz.f64",
    "mul.rn.ftz.f32 %f3, %f1, %f2;": "mul.rn.ftz.f32",
    "add.rn.sat.f32 %f3, %f1, %f2;": "add.rn.sat.f32",
    "div.full.f32 %f3, %f1, %f2;": "div.full.f32",
    "div.approx.f32 %f3, %f1, %f2;": "div.approx.f32",
    "sqrt.approx.f32 %f3, %f1;": "sqrt.approx.f32",
    "rcp.approx.ftz.f64 %fd3, %fd1;": "rcp.approx.ftz.f64",
    "rsqrt.approx.f32 %f3, %f1;": "rsqrt.approx.f32",
    "sin.approx.f32 %f3, %f1;": "sin.approx.f32",
    "@%p1 ex2.approx.f32 %f3, %f1;": "ex2.approx.f32",
    "cvt.rni.s32.f64 %r1, %fd1;": "cvt.rni.s32.f64",
    "cvt.rz.f32.f64 %f1, %fd1;": "cvt.rz.f32.f64",
    "cvt.rn.f16.f32 %rs1, %f1;": "cvt.rn.f16.f32",
    "min.ftz.f32 %f3, %f1, %f2;": "min.ftz.f32",
    "min.f64 %fd3, %fd4, 0d0000000000000000;": "with a zero",
    "min.f32 %f3, %f4, 0f80000000;": "with a zero",
    "max.f64 %fd3, %fd4, 0d8000000000000000;": "with a zero",
    "min.f64 %fd3, %fd4, %fd1;": "with a zero",
    "max.f64 %fd3, %fd4, %fd5;": "two variables",
    "call (retval0), %rd1, (param0), prototype_0;": "call of %rd1",
    "call.uni vprintf, (param0);": "call of vprintf",
    "bar.sync 0;": "bar.sync",
    "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;": "shfl.sync.idx.b32",
    "atom.global.add.f64 %fd3, [%rd1], %fd2;": "atom.global.add.f64",
    "ld.shared.u32 %r1, [%rd1];": "ld.shared.u32",
    ".shared .align 8 .b8 buffer[16];": "shared by the threads",
    "ld.global.f64 %fd3, [%rd1;": "expected",
}


class Lint(unittest.TestCase):
    def findings(self, line, module=MODULE):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "module.ptx"
            path.write_text(module.replace("LINE", line), encoding="utf-8")
            return lint.Lint(path).check()

    def test_good_lines(self):
        for line in GOOD:
            with self.subTest(line):
                self.assertEqual(self.findings(line), [])

    def test_bad_lines(self):
        number = MODULE.split("LINE")[0].count("\n") + 1
        for line, said in BAD.items():
            with self.subTest(line):
                found = self.findings(line)
                self.assertEqual(len(found), 1, found)
                self.assertIn(said, found[0])
                self.assertIn(f":{number}: ", found[0])

    def test_heads(self):
        self.assertIn("is version 8.3", self.findings("", MODULE.replace(".version 7.0", ".version 8.3"))[0])
        self.assertIn("for sm_90", self.findings("", MODULE.replace("sm_80", "sm_90"))[0])
        self.assertIn("no entry", self.findings("", MODULE.replace(".visible .entry", ".func"))[0])


if __name__ == "__main__":
    unittest.main()
