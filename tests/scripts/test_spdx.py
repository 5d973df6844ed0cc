#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`packaging/spdx`: the bill of materials is up to date and complete, and each gap is reported.

usage: test_spdx.py [unittest options]
"""
import importlib.machinery
import importlib.util
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "spdx"
loader = importlib.machinery.SourceFileLoader("spdx", str(PROGRAM))
spdx = importlib.util.module_from_spec(importlib.util.spec_from_loader("spdx", loader))
loader.exec_module(spdx)
HEAD = "/* SPDX-License-Identifier: MIT\n */\n"


class Spdx(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(spdx.ROOT / "licenses", self.root / "licenses")
        (self.root / "kernel").mkdir()
        self.target = self.root / "carom.spdx"
        self.target.write_text(spdx.document(), encoding="utf-8")

    def found(self):
        return "\n".join(spdx.findings(self.root, self.target))

    def test_this_tree(self):
        self.assertEqual(spdx.findings(), [])

    def test_a_small_tree(self):
        (self.root / "kernel/good.c").write_text(HEAD + "#include <math.h>\n#include <simde/x86/sse2.h>\n")
        self.assertEqual(self.found(), "")

    def test_out_of_date(self):
        self.target.write_text(spdx.document().replace("SPDX-2.3", "SPDX-2.2"), encoding="utf-8")
        self.assertIn("out of date", self.found())
        self.target.unlink()
        self.assertIn("out of date", self.found())

    def test_licence_texts(self):
        (self.root / "licenses/simde.txt").unlink()
        (self.root / "licenses/other.txt").write_text("free\n")
        self.assertIn("licenses/simde.txt is missing", self.found())
        self.assertIn("licenses/other.txt is missing, or belongs to nothing", self.found())

    def test_sources(self):
        (self.root / "kernel/png.c").write_text(HEAD + "#  include <libpng/png.h>\n")
        (self.root / "kernel/foreign.h").write_text("/* SPDX-License-Identifier: GPL-2.0-only\n */\n")
        self.assertIn("kernel/png.c: <libpng/png.h>", self.found())
        self.assertIn("kernel/foreign.h: its licence is not MIT", self.found())

    def test_names(self):
        """Every relationship names packages of the document, each of which is described once."""
        lines = spdx.document().splitlines()
        packages = [line.split()[1] for line in lines if line.startswith("SPDXID:")]
        self.assertEqual(len(packages), len(set(packages)))
        for line in lines:
            if line.startswith("Relationship:"):
                _, first, _, second = line.split()
                self.assertIn(first, packages)
                self.assertIn(second, packages)


if __name__ == "__main__":
    unittest.main()
