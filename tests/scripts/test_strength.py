#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bench/strength` in parts: they add up to the whole, a run that was stopped goes on, and a missing part is named.

usage: test_strength.py BUILD [unittest options]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = sys.argv[1]
STRENGTH = pathlib.Path(__file__).parents[2] / "bench/strength"


def strength(*arguments):
    command = [STRENGTH, "--build", BUILD, "--only", "value", "--games", "2", *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Strength(unittest.TestCase):
    def test_parts(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            parts = [folder / f"part-{k}.json" for k in range(2)]
            first = strength("--shard", "0/2", "--json", parts[0])
            self.assertEqual(first.returncode, 0, first)
            self.assertEqual(len(json.loads(parts[0].read_text())), 1)
            missing = strength("--merge", parts[0])
            self.assertNotEqual(missing.returncode, 0)
            self.assertIn("missing: value: fantastic_bits", missing.stderr)
            self.assertEqual(strength("--shard", "1/2", "--json", parts[1]).returncode, 0)
            merged = strength("--merge", *parts, "--json", folder / "all.json")
            self.assertEqual((merged.returncode, merged.stderr), (0, ""), merged)
            # A whole run that was stopped after its first duel: that one is not played again.
            stopped = json.loads(parts[0].read_text())
            stopped[0]["seconds"] = -1
            (folder / "whole.json").write_text(json.dumps(stopped))
            whole = strength("--json", folder / "whole.json")
            self.assertEqual(whole.stdout, merged.stdout)
            self.assertEqual(len(whole.stderr.splitlines()), 1)
            results = [json.loads((folder / f"{which}.json").read_text()) for which in ("all", "whole")]
            self.assertEqual([found["digest"] for found in results[0]], [found["digest"] for found in results[1]])
            self.assertEqual(results[1][0]["seconds"], -1)

    def test_refused(self):
        for text in "2/2", "x", "1/", "-1/2":
            self.assertEqual(strength(f"--shard={text}", "--list").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
