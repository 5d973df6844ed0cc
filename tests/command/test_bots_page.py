#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/bots.md as a reader uses it: its bots are written to files, its commands run in order, with smaller numbers, and
its bots are as strong as it says.

usage: test_bots_page.py CAROM DATA [unittest options]; CAROM_TEST_LONG=1 plays as many games as the page
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from command_tests import CAROM, ENVIRONMENT, Command  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pages"))
from test_pages import SHELL, blocks_of  # noqa: E402

LONG = os.environ.get("CAROM_TEST_LONG") == "1"
PATIENT = ["--ms", "20000", "--first-ms", "30000", "--patience", "60"]
FILES = {"python": "bot.py", "c": "stones.c"}


class Page(Command):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.blocks = blocks_of((ROOT / "docs/bots.md").read_text(encoding="utf-8"))
        for block in cls.blocks:
            if block.language in FILES:
                (cls.folder / FILES[block.language]).write_text(block.text, encoding="utf-8")
        (cls.folder / "bin").mkdir()
        (cls.folder / "bin/carom").symlink_to(CAROM)
        (cls.folder / "bin/python3").symlink_to(sys.executable)
        flags = ["-std=c17", "-O2", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([os.environ.get("CC", "cc").split()[0], *flags, "stones.c", "-o", "stones", "-lm"],
                       cwd=cls.folder, check=True)

    def shell(self, text):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", SHELL + text], cwd=self.folder, text=True, timeout=120,
                              env={**ENVIRONMENT, "PATH": path}, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def test_bots_are_short(self):
        self.assertEqual([block.language for block in self.blocks].count("python"), 1)
        lines = {block.language: len(block.text.splitlines()) for block in self.blocks}
        self.assertLessEqual(lines["python"], 30)
        self.assertLessEqual(lines["c"], 40)

    def test_commands(self):
        said = ""
        for block in self.blocks:
            if block.language == "shell" and not block.left_out():
                with self.subTest(line=block.line):
                    said += self.shell(block.smaller())
        for words in "1 against 2", "test ", "rating", "drift=", "http://127.0.0.1", "rung", "carom:pile":
            self.assertIn(words, said)
        games = (self.folder / "games.jsonl").read_text().splitlines()
        self.assertEqual(len(games), len(list((self.folder / "games").iterdir())))
        told = self.page_keys("## Record and watch")
        self.assertEqual(told, set(json.loads(games[0])))

    def page_keys(self, section):
        """The entries of the first column of the section's table."""
        text = (ROOT / "docs/bots.md").read_text(encoding="utf-8").partition(section)[2].partition("\n## ")[0]
        rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
        return {word.strip(" `") for row in rows for word in row.split(",")}

    def score(self, game, side, rival, games):
        """The share of points, by the arena of a folder in which the bots are."""
        done = subprocess.run([CAROM, "arena", game, "--json", *PATIENT, "--a", side, "--b", rival, "--games",
                               str(games)], cwd=self.folder, env=ENVIRONMENT, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done)
        pairing = json.loads(done.stdout)["pairings"][0]
        self.assertIsNone(pairing["conduct"][0]["first_trouble"])
        return pairing["score_a"]

    def test_strength(self):
        """The Python bot wins six games of ten against `race`; the one in C nearly all against `strike`."""
        python = f"{sys.executable} -S -E bot.py"
        self.assertGreaterEqual(self.score("csb", python, "carom:race", 200 if LONG else 16), 0.6)
        self.assertGreaterEqual(self.score("stones", "./stones", "carom:strike", 40 if LONG else 8), 0.9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
