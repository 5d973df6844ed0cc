#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bench/latency`: a bot slowed by 10 ms is detected, on a busy machine too; a bot is not slower than itself.

usage: test_latency.py BUILD [unittest options]
"""
import importlib.machinery
import importlib.util
import pathlib
import shlex
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv[1])
LATENCY = pathlib.Path(__file__).parents[2] / "bench/latency"
# Forwards its input to another program, 10 ms later.
SLOWED = """
import os, subprocess, sys, time
bot = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
while text := os.read(0, 65536):
    time.sleep(0.01)
    bot.stdin.write(text)
    bot.stdin.flush()
bot.stdin.close()
sys.exit(bot.wait())
"""
BOT = [str(BUILD / "tools/carom"), "bot"]


def latency(*arguments):
    command = [LATENCY, "--build", BUILD, "--busy", "0", "--check", *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def judge():
    """The functions of the script, for times of our own."""
    loader = importlib.machinery.SourceFileLoader("latency", str(LATENCY))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("latency", loader))
    loader.exec_module(module)
    return module


class Latency(unittest.TestCase):
    def test_slowed(self):
        for game in "csb", "fantastic_bits":
            bot = [*BOT, game, "--ms", "10", "--first-ms", "50"]
            beside = ["--game", game, "--ms", 10, "--first-ms", 50, "--answers", 60, "--beside", shlex.join(bot)]
            with self.subTest(game=game):
                same = latency(*beside)
                self.assertEqual((same.returncode, same.stderr), (0, ""), same)
                self.assertIn("used by the median one", same.stdout)
                slowed = latency(*beside, "--bot", shlex.join([sys.executable, "-S", "-E", "-c", SLOWED, *bot]))
                self.assertEqual(slowed.returncode, 1, slowed)
                self.assertIn("slower than the other", slowed.stderr)

    def test_figures(self):
        """The required latencies for 70, 15 and 5 ms."""
        missed = judge().missed
        self.assertEqual(missed([69.5] * 100 + [70.9], 70, False), [])
        self.assertRegex(missed([69.5] * 100 + [71.1], 70, False)[0], "1 of 101 .* late")
        for asked, least in (70, 66), (15, 13), (5, 4), (20, 18):
            self.assertEqual(missed([least + 0.01] * 9, asked, False), [])
            self.assertRegex(missed([least - 0.01] * 9, asked, False)[0], f"of {asked} ms: {least}")
        self.assertEqual(missed([30] * 9999 + [75.1], 70, True), [])
        self.assertRegex(missed([30] * 9999 + [75.1, 76], 70, True)[0], "2 of 10001 .* late")
        self.assertEqual(missed([70] * 19998 + [75.1, 76], 70, True), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
