#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures of docs/performance.md and README.md are those of their CSV; a difference in either page or in the charts
is found. Nothing is measured.

usage: test_performance.py [unittest options]
"""
import copy
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True
import performance  # noqa: E402

GAS = "gas/0.5/10000/f64/{isa}"


def median(name, rate, threads=1, busy=1.0, kind="median"):
    return {"aggregate_name": kind, "run_name": name, "items_per_second": rate, "threads": threads,
            "real_time": 1.0, "cpu_time": busy}


class Pages(unittest.TestCase):
    def setUp(self):
        self.results = performance.shown()

    def changed(self, name, factor):
        """The results with another speed of a benchmark."""
        results = copy.deepcopy(self.results)
        for row in results.rows:
            if row[0] == results.named(name):
                row[1] = f"{float(row[1]) * factor:.4g}"
        return results

    def test_committed(self):
        done = subprocess.run([ROOT / "bench/run", "--check"], stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_difference_is_found(self):
        self.assertEqual(performance.stale(self.changed(GAS, 2)),
                         ["docs/performance.md", "README.md", "docs/pictures/performance.svg"])
        self.assertEqual(performance.stale(self.changed("csb/race/relative/f64/scalar", 3)),
                         ["docs/pictures/performance.svg"])
        other = copy.deepcopy(self.results)
        other.head["date"] = "1999-01-01"
        self.assertEqual(performance.stale(other), ["docs/performance.md", "README.md"])

    def test_missing_figure(self):
        self.results.rows = [row for row in self.results.rows if not row[0].startswith("gas/")]
        with self.assertRaisesRegex(performance.MissingError, "no row 'gas/0.5/"):
            performance.texts(self.results)

    def test_file(self):
        path = performance.RESULTS / self.results.name
        self.assertEqual(performance.text_of(self.results), path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            bad = pathlib.Path(folder) / "bad.csv"
            bad.write_text("benchmark,value\na,1\n", encoding="utf-8")
            with self.assertRaisesRegex(performance.MissingError, "columns"):
                performance.load(bad)

    def test_length(self):
        self.assertLessEqual(len(performance.README.read_text(encoding="utf-8").splitlines()), 90)
        how = performance.PAGE.read_text(encoding="utf-8").partition("## How to measure")[2]
        self.assertLessEqual(len(how.splitlines()), 60)


class Rows(unittest.TestCase):
    def rows(self, *entries):
        program = performance.Program("any", "M/s", 1e-6, [])
        return performance.rows_of(program, {"benchmarks": [{"run_type": "iteration"}, *entries]})

    def test_processor_time_on_one_thread(self):
        self.assertEqual(self.rows(median("a/scalar", 1e6), median("a/avx2", 2e6, busy=0.5)),
                         [["a/scalar", "1", "M/s", "", ""], ["a/avx2", "4", "M/s", "a/scalar", "4"]])

    def test_fastest_round_of_two_threads(self):
        self.assertEqual(self.rows(median("a/threads:1", 2e6), median("a/threads:1", 3e6, kind="max"),
                                   median("a/threads:2", 2e6, 2), median("a/threads:2", 6e6, 2, kind="max")),
                         [["a/threads:1", "2", "M/s", "", ""], ["a/threads:2", "6", "M/s", "a/threads:1", "2"]])
        self.assertEqual(self.rows(median("a", 2e6), median("a", 3e6, kind="max"),
                                   median("a/threads:2", 2e6, 2), median("a/threads:2", 6e6, 2, kind="max"))[1:],
                         [["a/threads:2", "6", "M/s", "a", "2"]])

    def test_both_modes_of_a_peer(self):
        rows = self.rows(median("peers/4/box2d/k:1", 1e6), median("peers/4/box2d_discrete/k:1", 2e6),
                         median("peers/4/chipmunk/k:1", 4e6), median("peers/4/carom/f32/avx2/worlds:8", 8e6))
        self.assertEqual([row[3:] for row in rows if "carom" in row[0]],
                         [["peers/4/box2d/k:1", "8"], ["peers/4/box2d_discrete/k:1", "4"],
                          ["peers/4/chipmunk/k:1", "2"]])


if __name__ == "__main__":
    unittest.main()
