#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bench/strength` in parts: they add up to the whole, an interrupted run resumes, a missing part is named, and the
page says what was played and whether it meets the requirements.

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


def strength(*arguments, only="value"):
    command = [STRENGTH, "--build", BUILD, "--only", only, "--games", "2", *map(str, arguments)]
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

    def test_page(self):
        """A ladder with two rungs swapped is distinguished from a correct one; unplayed matches are reported."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            listed = strength("--list", only="ladders").stdout.splitlines()[:-1]
            results = []
            for line in listed:
                label = line.partition("ladders: ")[2]
                _, upper, _, lower, _ = label.split("`")
                results.append({"study": "ladders", "label": label, "a": f"carom:{upper}", "b": f"carom:{lower}",
                                "games": 2, "won": 160, "lost": 40, "drawn": 0, "score": 0.8, "interval": [0.74, 0.85],
                                "digest": "0", "seconds": 36, "commit": "abc", "date": "2026-01-01", "machine": "M"})
            kept, page = folder / "kept.json", folder / "page.md"
            kept.write_text(json.dumps(results))
            made = strength("--merge", kept, "--page", page, "--check", only="ladders")
            self.assertEqual(made.returncode, 0, made)
            text = page.read_text()
            self.assertEqual(text.count("| 160 | 40 | 70% to 95% | 80.0% (74 to 85) |"), len(listed))
            self.assertIn("2026-01-01, commit abc, M", text)

            results[0]["score"], results[0]["interval"] = 0.2, [0.15, 0.26]
            kept.write_text(json.dumps(results[:-1]))
            made = strength("--merge", kept, "--page", page, "--check", only="ladders")
            self.assertEqual(made.returncode, 1)
            self.assertIn("outside the required range: " + results[0]["label"], made.stderr)
            self.assertIn("| **20.0% (15 to 26)** |", page.read_text())
            self.assertIn(f"| {results[-1]['label']} | | | 70% to 95% | not played |", page.read_text())

            kept.write_text("[]")
            self.assertEqual(strength("--merge", kept, "--page", page, only="ladders").returncode, 0)
            self.assertEqual(page.read_text().count("| not played |"), len(listed))
            self.assertIn("None of the duels has been played yet.", page.read_text())

    def test_refused(self):
        for text in "2/2", "x", "1/", "-1/2":
            self.assertEqual(strength(f"--shard={text}", "--list").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
