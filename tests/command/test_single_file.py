#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`scripts/single_file`: the file that it writes is small enough, compiles by itself, and is the bot: the same moves as
`carom bot` for the same budget, in whole games from both seats.

usage: test_single_file.py CAROM DATA [unittest options]

Skipped (77) without g++ or AVX2, and in the short form of the tests.
"""
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from command_tests import CAROM, carom  # noqa: E402

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/single_file"
ROLLOUTS = 150
MANY = 4300  # from 4096 on, and by the clock, bots search in another way


def can_run():
    cpu = pathlib.Path("/proc/cpuinfo")
    return (platform.machine() == "x86_64" and shutil.which("g++") and cpu.exists() and " avx2 " in cpu.read_text()
            and "CAROM_TEST_SHORT" not in os.environ)


class SingleFile(unittest.TestCase):
    def test_csb(self):
        self.same_moves("csb")

    def test_fantastic_bits(self):
        self.same_moves("fantastic_bits")

    def same_moves(self, which):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            text = subprocess.run([SCRIPT, which], check=True, stdout=subprocess.PIPE, text=True).stdout
            self.assertLessEqual(len(text), 100_000)
            self.assertTrue(text.isascii())
            (folder / "bot.cc").write_text(text)
            subprocess.run(["g++", "-std=c++17", "-O2", "bot.cc", "-o", "bot"], cwd=folder, check=True)
            side = folder / "side"
            side.write_text(f"#!/bin/sh\ntee {folder}/$$.in |"
                            f" {CAROM} bot {which} --rollouts {ROLLOUTS}\n")
            side.chmod(0o755)
            played = carom("arena", which, "--a", side, "--b", "carom:cem:rollouts=60", "--games", 2, "--ms", 60000,
                           "--first-ms", 60000, "--patience", 60)
            self.assertEqual(played.returncode, 0, played)
            games = list(folder.glob("*.in"))
            self.assertEqual(len(games), 2)
            for game in games:
                # The arena ends its sides with the game: the last turn may be a part of one, which ends a bot.
                told = game.read_text()
                said = subprocess.run([folder / "bot", str(ROLLOUTS)], input=told, stdout=subprocess.PIPE, text=True,
                                      check=True).stdout
                self.assertGreater(len(said.splitlines()), 100)
                self.assertEqual(said, carom("bot", which, "--rollouts", ROLLOUTS, input=told).stdout)
                told = "".join(told.splitlines(keepends=True)[:150])
                said = subprocess.run([folder / "bot", str(MANY)], input=told, stdout=subprocess.PIPE, text=True,
                                      check=True).stdout
                self.assertGreater(len(said.splitlines()), 10)
                self.assertEqual(said, carom("bot", which, "--rollouts", MANY, input=told).stdout)
            timed = subprocess.run([folder / "bot"], input="".join(told.splitlines(keepends=True)[:40]),
                                   stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertGreater(len(timed.splitlines()), 1)


if __name__ == "__main__":
    if not can_run():
        print("no g++, no AVX2, or the short form of the tests")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
