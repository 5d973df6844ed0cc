#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/prove: its page, and claims broken on purpose: a digest, a recorded game, a sentence of README.

usage: test_prove.py BUILD DATA [unittest options]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, DATA = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Prove(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def prove(self, *arguments, root=ROOT):
        """Its exit code, what it prints, and the page."""
        page = self.path / "page.md"
        done = subprocess.run([root / "scripts/prove", "--build", BUILD, "--no-rebuild", "--page", page, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout, page.read_text(encoding="utf-8")

    def few_games(self):
        """A folder with one recorded game of each, and the one of csb."""
        for game in "csb", "fantastic_bits", "stones", "fall":
            (self.path / game).mkdir()
            first = min(DATA.glob(f"{game}/*.txt"), key=lambda file: file.stat().st_size)
            shutil.copy(first, self.path / game)
        return self.path, next((self.path / "csb").glob("*.txt"))

    def test_recorded_games(self):
        data, csb = self.few_games()
        code, said, page = self.prove("--only", "traces", "--data", data)
        self.assertEqual(code, 0, said)
        self.assertIn("**Two contest games match their referees bit for bit**", page)
        self.assertRegex(page, r"\| proven \| `carom verify csb` \| 1 games, \d+ turns on scalar")
        self.assertIn("**5 proven, 0 failed, 0 not proven here.**", page)
        # One digit of the place of a pod after the last turn.
        text = csb.read_text(encoding="utf-8")
        digit = text.index(" ", text.rindex("\nS ") + 5) - 1
        csb.write_text(text[:digit] + str((int(text[digit]) + 1) % 10) + text[digit + 1:], encoding="utf-8")
        code, said, page = self.prove("--only", "traces", "--data", data)
        self.assertEqual(code, 1, said)
        self.assertIn("| **FAILED** | `carom verify csb` |", page)
        self.assertIn("**4 proven, 1 failed, 0 not proven here.**", page)
        self.assertIn(", 1 mismatches", page)

    def test_digests(self):
        table = (ROOT / "tools/prove/digests.txt").read_text(encoding="utf-8")
        wrong = self.path / "digests.txt"
        at = table.index("0x", table.index("\ngas.states")) + 2
        wrong.write_text(table[:at] + ("1" if table[at] == "0" else "0") + table[at + 1:], encoding="utf-8")
        code, said, page = self.prove("--only", "digests", "--digests", wrong)
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"FAILED .*the recorded bits on scalar: 1 of \d+ digests differ\n +gas\.states, f32, ")
        self.assertIn("| **FAILED** | `carom prove`: after a save and a restore | 1 of ", page)
        self.assertIn("| proven | `carom prove`: the same world alone and in a batch | ", page)

    def test_readme(self):
        """A claim without a proof."""
        (self.path / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/prove", self.path / "scripts")
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        (self.path / "README.md").write_text(text.replace("- **Exact.** ", "- **Exact.** It is cheap. "))
        data, _ = self.few_games()
        code, said, page = self.prove("--only", "traces", "--data", data, root=self.path)
        self.assertEqual(code, 1, said)
        self.assertIn("Exact: no proof of 'It is cheap'", page)

    def test_refused(self):
        for arguments, words in ((["--only", "traces,soup"], "soup"), (["--build", self.path], "not a build")):
            done = subprocess.run([ROOT / "scripts/prove", *arguments], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
