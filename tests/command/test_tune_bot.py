#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`carom tune --bot`: finds the best numbers for a program with a known strength for each.

usage: test_tune_bot.py CAROM DATA [unittest options]; the environment's TUNED_BOT is the built
tests/command/tuned_bot.c, and CAROM_TEST_SHORT=1 plays fewer games
"""
import math
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from command_tests import Command, carom  # noqa: E402

BOT = os.environ.get("TUNED_BOT", "tuned_bot")
SHORT = os.environ.get("CAROM_TEST_SHORT") == "1"
TUNE = ["tune", "fall", "--set", "last_tick=1", "--ms", 20000, "--first-ms", 20000,
        "--range", "k=2:4", "--range", "depth=3:8:int"]
RUNS = ("cem", 2000, False, 0.9), ("spsa", 600, False, 0.9)
SHORT_RUNS = ("cem", 192, True, 0.8), ("spsa", 160, False, 0.8)
CORNER = ["--start", "k=2", "--start", "depth=8"]  # the farthest from the best


def strength(k, depth):
    return 0.05 + 0.9 * math.exp(-3 * (((k - 3.4) / 2) ** 2 + ((depth - 4.5) / 5) ** 2))


BEST = max(strength(3.4, depth) for depth in range(3, 9))


def tune(*arguments):
    done = carom(*TUNE, "--bot", f"{BOT} {{k}} {{depth}}", *arguments)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout


def found(text):
    """The final numbers, from the command that is printed."""
    k, depth = text.splitlines()[-1].split()[-2:]
    assert depth.isdigit() and f"k={k} depth={depth}" in text, text
    return float(k), int(depth)


class Tune(Command):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_finds_the_best(self):
        """From the far corner to within a tenth of the best strength."""
        self.assertLess(strength(2, 8), 0.3 * BEST)
        small = ["--population", 8, "--elites", 2, "--games", 4]
        for method, budget, more, share in SHORT_RUNS if SHORT else RUNS:
            k, depth = found(tune(*CORNER, "--method", method, "--budget", budget, *(small if more else ())))
            self.assertGreaterEqual(strength(k, depth), share * BEST, (method, k, depth))

    def test_against(self):
        """Candidates play another side, too."""
        k, depth = found(tune("--against", f"{BOT} 3 6", "--method", "spsa", "--budget", 120, *CORNER))
        self.assertGreater(strength(k, depth), 2 * strength(2, 8))

    def test_start(self):
        """The search starts at the given numbers: without a spread it stays there."""
        for numbers in (2, 8), (4, 3), (2.5, 5):
            starts = [word for pair in zip(("k", "depth"), numbers) for word in ("--start", "{}={}".format(*pair))]
            text = tune(*starts, "--spread", 1e-6, "--budget", 12, "--games", 2, "--population", 6)
            self.assertEqual(found(text)[1], numbers[1])
            self.assertAlmostEqual(found(text)[0], numbers[0], places=4)

    def test_resumed(self):
        """An interrupted run resumes and gives the same numbers; another run's file is refused."""
        state, whole = self.folder / "state", self.folder / "whole"
        options = ["--budget", 96, "--games", 8, "--population", 4, "--elites", 2]
        text = tune(*options, "--state", whole)
        self.assertEqual(len(re.findall(r"^generation \d+: \d+ of 96 games; ", text, re.MULTILINE)), 3)
        first = tune(*options, "--state", state, "--seed", 1)
        self.assertEqual(first, text)
        self.assertEqual(state.read_text(), whole.read_text())
        # As it was after the first generation: the second line of such a run prints its numbers.
        short = tune("--budget", 32, "--games", 8, "--population", 4, "--elites", 2, "--state", self.folder / "short")
        self.assertEqual(short.splitlines()[0].split("; ", 1)[1], text.splitlines()[0].split("; ", 1)[1])
        head, _, _ = whole.read_text().partition("generation ")
        _, _, rest = (self.folder / "short").read_text().partition("generation ")
        state.write_text(head + "generation " + rest)
        again = tune(*options, "--state", state)
        self.assertEqual(again.splitlines(), text.splitlines()[1:])
        self.assertEqual(state.read_text(), whole.read_text())
        self.assert_refused(carom(*TUNE, "--bot", f"{BOT} {{k}} {{depth}}", *options, "--state", state, "--seed", 2),
                            "not a state of carom tune with this bot")

    def test_names_without_a_range(self):
        """Other braces stay as they are; whole numbers are whole, and within their range."""
        log = self.folder / "log"
        bot = f"echo '{{k}}' {{other}} '{{depth}}' >> {log}; {BOT} {{k}} {{depth}}"
        done = carom(*TUNE, "--bot", bot, "--budget", 24, "--games", 4, "--population", 3,
                     "--elites", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in log.read_text().splitlines()]
        self.assertEqual(len(lines), 2 * 24)
        for k, other, depth in lines:
            self.assertEqual(other, "{other}")
            self.assertTrue(2 <= float(k) <= 4 and depth in "345678", (k, depth))
        self.assertIn("{other}", done.stdout.splitlines()[-1])

    def test_trouble(self):
        done = carom(*TUNE, "--bot", "exit 3 {k} {depth}", "--budget", 24, "--games", 4, "--population", 3,
                     "--elites", 2)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"trouble: 'exit 3 [\d.]+ \d': game 0, turn 0: ended with exit code \d+")

    def test_refused(self):
        bot = ["--bot", "x {k} {depth}"]
        for words, arguments in {
            ("--range", "{lost}"): [*bot, "--range", "lost=1:2"], ("--range", "'k'"): [*bot, "--range", "k"],
            ("two ranges",): [*bot, "--range", "k=1:2"], ("not below",): [*bot, "--range", "a=2:1"],
            ("not whole",): [*bot, "--range", "k=1.5:2:int"], ("'real' in",): [*bot, "--range", "k=1:2:real"],
            ("--start", "'z=1'"): [*bot, "--start", "z=1"], ("--start", "not between"): [*bot, "--start", "k=5"],
            ("--budget", "less than"): [*bot, "--budget", "5"], ("--shard",): [*bot, "--shard", "0/2"],
            ("--method", "'luck'"): [*bot, "--method", "luck"], ("of what",): [],
            ("'carom:fly'",): [*bot, "--against", "carom:fly"],
        }.items():
            with self.subTest(words=words):
                self.assert_refused(carom(*TUNE, *arguments), *words)
        self.assert_refused(carom("tune", "fall", *bot), "--range NAME")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
