#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`scripts/once`: long runs in pieces, which end, resume and add up; with programs in their place that end at once.

usage: test_once.py [unittest options]
"""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "once"
SOAK = """#!/bin/sh
echo "$1 $2" >>calls
[ "$2" != "$(cat bad 2>/dev/null)" ] || { echo "energy drifts"; exit 1; }
[ "$2" != "$(cat last 2>/dev/null)" ] || kill -TERM $PPID # the run ends after this piece
echo "gas: 100 collisions, energy drift -${2}e-12"
echo "scenes: 10 impacts, energy drift at most 1e-9"
echo "random scenes: 7, 70 impacts, both engines the same"
"""
FUZZ = """#!/bin/sh
[ "$1" != --list ] || { printf 'a\\nb\\n'; exit; }
echo "$1 $2" >>calls
echo "fuzz $2: $1 s, 1000 runs, cov: 5"
"""


class Once(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for place in "scripts", "kernel", "tools", "tests/fuzz":
            (self.root / place).mkdir(parents=True)
            (self.root / place / "source").write_text("1\n")
        shutil.copy(SCRIPT, self.root / "scripts")
        for name, text in ("soak", SOAK), ("fuzz", FUZZ):
            program = self.root / "scripts" / name
            program.write_text(text)
            program.chmod(0o755)
        self.git("init", "-q")
        self.commit()

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=N", "-c", "user.email=E", *arguments], cwd=self.root, check=True,
                       capture_output=True, timeout=60)

    def commit(self):
        self.git("add", "kernel", "tools", "tests")
        self.git("commit", "-q", "-m", "a commit")

    def once(self, *arguments, status=0):
        done = subprocess.run(["scripts/once", *arguments], cwd=self.root, capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, status, done)
        return done.stdout

    def calls(self):
        path = self.root / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def test_pieces_add_up(self):
        row = self.once("soak", "900", "5")
        self.assertEqual(self.calls(), ["300 5", "300 6", "300 7"])
        self.assertIn("| `scripts/once soak 900 5` |", row)
        self.assertIn("900 of 900 s: 300 collisions of gases, energy drift at most 7e-12; 30 impacts of scenes; "
                      "21 random scenes with 210 impacts", row)

    def test_a_run_that_is_ended_resumes(self):
        (self.root / "last").write_text("2")
        self.assertIn("600 of 900 s: 200 collisions", self.once("soak", "900"))
        (self.root / "last").unlink()
        self.calls()
        self.assertIn("900 of 900 s: 300 collisions", self.once("soak", "900"))
        self.assertEqual(self.calls(), ["300 3"])

    def test_other_sources_start_from_the_beginning(self):
        self.once("soak", "600")
        self.calls()
        (self.root / "kernel/source").write_text("2\n")
        self.commit()
        self.assertIn("300 of 300 s", self.once("soak", "300"))
        self.assertEqual(self.calls(), ["300 1"])

    def test_changes_without_a_commit_are_refused(self):
        (self.root / "kernel/source").write_text("2\n")
        self.assertEqual(self.once("soak", "300", status=1), "")
        self.assertEqual(self.calls(), [])

    def test_a_failure_is_no_piece(self):
        (self.root / "bad").write_text("2")
        self.assertEqual(self.once("soak", "900", status=1), "")
        (self.root / "bad").unlink()
        self.calls()
        self.once("soak", "900")
        self.assertEqual(self.calls(), ["300 2", "300 3"])

    def test_targets_in_turn(self):
        row = self.once("fuzz", "900")
        self.assertEqual(self.calls(), ["300 a", "300 b", "300 a"])
        self.assertIn("900 of 900 s: a 2000, b 1000 runs, nothing found", row)

    def test_unknown_runs(self):
        self.assertEqual(self.once("sleep", status=2), "")


if __name__ == "__main__":
    unittest.main()
