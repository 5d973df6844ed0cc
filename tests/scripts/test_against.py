#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/against without building anything: its statistics, its report, its refusals.

usage: test_against.py [unittest options]
"""
import importlib.machinery
import importlib.util
import math
import pathlib
import random
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "bench" / "against"
loader = importlib.machinery.SourceFileLoader("against", str(PROGRAM))
against = importlib.util.module_from_spec(importlib.util.spec_from_loader("against", loader))
loader.exec_module(against)


class Statistics(unittest.TestCase):
    def test_by_hand(self):
        mean, low, high = against.interval([1.0, math.e])  # logarithms 0 and 1: 0.5 +- 12.706 / 2
        self.assertAlmostEqual(math.log(mean), 0.5)
        self.assertAlmostEqual(math.log(low), 0.5 - 6.353)
        self.assertAlmostEqual(math.log(high), 0.5 + 6.353)

    def test_equal_rounds_have_no_width(self):
        for bound in against.interval([1.25] * 4):
            self.assertAlmostEqual(bound, 1.25)

    def test_one_round_has_no_interval(self):
        self.assertEqual(against.interval([0.5]), (0.5, 0.0, math.inf))

    def test_covers_in_95_of_100(self):
        draws = random.Random(7)
        inside = 0
        for _ in range(4000):
            _, low, high = against.interval([math.exp(draws.gauss(0.1, 0.05)) for _ in range(5)])
            inside += low <= math.exp(0.1) <= high
        self.assertTrue(0.935 < inside / 4000 < 0.965, inside)


class Report(unittest.TestCase):
    def rounds(self, ratio, extra_old=(), extra_new=()):
        old = {"a/x": 100.0, **dict.fromkeys(extra_old, 1.0)}
        new = {"a/x": 100.0 * ratio, **dict.fromkeys(extra_new, 1.0)}
        return [([old, old], [new, new])] * 3

    def test_drift_cancels(self):
        """A B B A: a machine that slows down by a constant factor from run to run does not change the ratio."""
        runs = [{"a": 100 * 0.9 ** k} for k in range(4)]
        ratios, _, _ = against.compare([([runs[0], runs[3]], [runs[1], runs[2]])])
        self.assertAlmostEqual(ratios["a"][0], 1)

    def test_direction(self):
        lines, means, slower = against.program_report("a", self.rounds(2))
        self.assertAlmostEqual(means[0], 2)
        self.assertEqual(slower, [])
        self.assertIn("faster", lines[0])
        lines, means, slower = against.program_report("a", self.rounds(0.5))
        self.assertAlmostEqual(means[0], 0.5)
        self.assertEqual(slower, ["a/x"])
        self.assertIn("SLOWER", lines[0])

    def test_missing_cases_are_told(self):
        lines, means, slower = against.program_report("a", self.rounds(1, ["a/old"], ["a/new"]))
        self.assertEqual((len(means), slower), (1, []))
        self.assertTrue(any(line.startswith("a/new") and "not in the commit" in line for line in lines), lines)
        self.assertTrue(any(line.startswith("a/old") and "not in the work tree" in line for line in lines), lines)

    def test_nothing_measured(self):
        self.assertEqual(against.program_report("a", []), ([], [], []))
        self.assertFalse(against.verdict({}, [])[1])

    def test_verdict(self):
        self.assertTrue(against.verdict({"a": [1.0, 0.99]}, [])[1])
        self.assertFalse(against.verdict({"a": [1.0, 1.0], "b": [0.97]}, [])[1])
        text, good = against.verdict({"a": [1.0, 1.0]}, ["a/x"])
        self.assertFalse(good)
        self.assertIn("1 cases below", text)


class Arguments(unittest.TestCase):
    def refuse(self, *arguments, word=""):
        done = subprocess.run([sys.executable, PROGRAM, *arguments], text=True, capture_output=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertIn(word, done.stderr)
        return done.stderr

    def test_refusals(self):
        for arguments, word in [
            (("HEAD", "("), "no regular expression"),
            (("HEAD", "--rounds", "0"), "--rounds"),
            (("HEAD", "--repeats", "1001"), "--repeats"),
            (("HEAD", "--compiler", "no-such-compiler"), "no-such-compiler"),
            (("no-such-commit",), "no-such-commit"),
            (("--", "--help"), "--help"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertEqual(self.refuse(*arguments, word=word).count("\n"), 1)

    def test_usage(self):
        self.refuse(word="usage")
        self.refuse("HEAD", "--isa", "mmx", word="mmx")

    def test_selection(self):
        self.assertEqual(against.selected("scene_deep/x"), ["scene_deep"])
        self.assertEqual(against.selected("scene/x"), ["scene"])
        self.assertEqual(against.selected("race"), against.PROGRAMS)
        self.assertEqual(against.selected(None), against.PROGRAMS)


if __name__ == "__main__":
    unittest.main()
