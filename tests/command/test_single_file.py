#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`scripts/single_file`: the file that it writes is small enough, compiles by itself, and is the bot: the same moves as
`carom bot` for the same budget, in whole games from both seats; with a network, too.

usage: test_single_file.py CAROM DATA [unittest options]

Skipped (77) without g++ or AVX2. CAROM_TEST_SHORT=1: one game.
"""
import os
import pathlib
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from command_tests import CAROM, carom  # noqa: E402

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/single_file"
ROLLOUTS = 150
SHORT = "CAROM_TEST_SHORT" in os.environ
MANY = 4300  # from 4096 on, and by the clock, bots search in another way


def can_run():
    cpu = pathlib.Path("/proc/cpuinfo")
    return platform.machine() == "x86_64" and shutil.which("g++") and cpu.exists() and " avx2 " in cpu.read_text()


def network(activation="relu", observation="ego", most=99, limit=2500):
    """A policy of csb with drawn weights, in the format of carom/network.h: layers of 8 and 5, large and small numbers,
    inputs and sums that are clipped."""
    draws = random.Random(1)
    text = f"carom-network 1\ngame csb\nobservation {observation}\ninputs 38 bits 11 limit {limit}\n"
    for head, inputs, outputs, most, bias in [(f"layer dense 8 {activation} bits 6 limit 1500", 38, 8, most, 60000),
                                              ("layer dense 5 relu bits 13 limit 8192", 8, 5, 20000, 4000000),
                                              ("head policy dense 2 tanh bits 3", 5, 2, 9, 5000)]:
        weights = " ".join(str(draws.randint(-most, most)) for _ in range(inputs * outputs))
        biases = " ".join(str(draws.randint(-bias, bias)) for _ in range(outputs))
        text += f"{head}\nweights {weights}\nbiases {biases}\n"
    digest = 0xcbf29ce484222325
    for byte in "".join(f"{word}\n" for word in text.split()).encode():
        digest = (digest ^ byte) * 0x100000001b3 % 2**64
    return f"{text}digest {digest:016x}\n"


class SingleFile(unittest.TestCase):
    def test_csb(self):
        self.same_moves("csb")

    def test_fantastic_bits(self):
        self.same_moves("fantastic_bits")

    def test_network(self):
        self.same_moves("csb", network())

    def test_networks_that_are_refused(self):
        for text, why in [(network(activation="clip"), "layers of relu"), (network(observation="raw"), "sees `ego`"),
                          (network(most=32767, limit=32767), "could overflow"),
                          (network().replace(" 8192", " 8191"), "was changed"),
                          (network().replace("weights", "# weights", 1), "was changed")]:
            with tempfile.NamedTemporaryFile("w", suffix=".network") as file:
                file.write(text)
                file.flush()
                refused = subprocess.run([SCRIPT, "csb", "--network", file.name], capture_output=True, text=True)
            self.assertEqual(refused.returncode, 1, refused)
            self.assertIn(why, refused.stderr)
        refused = subprocess.run([SCRIPT, "fantastic_bits", "--network", "none"], capture_output=True, text=True)
        self.assertIn("is for csb", refused.stderr)

    def same_moves(self, which, policy=None):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "network").write_text(policy or "")
            asked = ["--network", folder / "network"] if policy else []
            plan = ["--plan", f"cem:network={folder}/network"] if policy else []
            text = subprocess.run([SCRIPT, which, *asked], check=True, stdout=subprocess.PIPE, text=True).stdout
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
            for game in games[:1] if SHORT else games:
                # The arena ends its sides with the game: the last turn may be a part of one, which ends a bot.
                told = game.read_text()
                said = subprocess.run([folder / "bot", str(ROLLOUTS)], input=told, stdout=subprocess.PIPE, text=True,
                                      check=True).stdout
                self.assertGreater(len(said.splitlines()), 100)
                self.assertEqual(said, carom("bot", which, *plan, "--rollouts", ROLLOUTS, input=told).stdout)
                if policy:  # which does something
                    self.assertNotEqual(said, carom("bot", which, "--rollouts", ROLLOUTS, input=told).stdout)
                told = "".join(told.splitlines(keepends=True)[:100 if SHORT else 150])
                said = subprocess.run([folder / "bot", str(MANY)], input=told, stdout=subprocess.PIPE, text=True,
                                      check=True).stdout
                self.assertGreater(len(said.splitlines()), 10)
                self.assertEqual(said, carom("bot", which, *plan, "--rollouts", MANY, input=told).stdout)
            timed = subprocess.run([folder / "bot"], input="".join(told.splitlines(keepends=True)[:40]),
                                   stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertGreater(len(timed.splitlines()), 1)


if __name__ == "__main__":
    if not can_run():
        print("no g++, or no AVX2")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
