#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`carom prove`: its table, Ctrl-C, and what it refuses. tests/scripts/test_prove.py breaks a digest.

usage: test_command_prove.py CAROM DATA [unittest options]
"""
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from command_tests import CAROM, Command, carom, interrupted, usable_sets  # noqa: E402

RECORDED = pathlib.Path(__file__).parents[2] / "tools/prove/digests.txt"


class Prove(Command):
    def test_table(self):
        """The recorded digests are what this machine writes."""
        self.assertEqual(carom("prove", "--table").stdout, RECORDED.read_text(encoding="utf-8"))

    def test_ctrl_c(self):
        code, shown, report, _ = interrupted([CAROM, "prove", "--json"], b"any number of threads")
        found = json.loads(report)
        self.assertEqual((code, found["interrupted"], found["failed"]), (130, True, 0))
        self.assertRegex(shown, rb"\r +\r\Z")
        results = {claim["claim"]: claim["result"] for claim in found["claims"]}
        for isa in json.loads(carom("info", "--json").stdout)["instruction_sets"]:
            wanted = "proven" if isa["name"] in usable_sets() else "not proven here"
            self.assertEqual(results["the recorded bits on " + isa["name"]], wanted)

    def test_refused(self):
        self.assert_refused(carom("prove", "csb"), "'csb'")
        self.assert_refused(carom("prove", "--digests", "/no/such/file"), "/no/such/file")
        for line in "", "csb.race.states 0x1", "csb.race.states 0x1 0x2 0x3", "one", "a 0 0\n" * 65:
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(line)
                file.flush()
                self.assert_refused(carom("prove", "--digests", file.name), file.name if line else "csb.race.states")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
