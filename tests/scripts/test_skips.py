#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/skips finds skipped tests in the logs of meson, cmocka, unittest and pytest, and compares them with its list.

usage: test_skips.py [unittest options]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMOCKA = "[ RUN      ] {0}\n[  SKIPPED ] {0}\n"


def run(suite, text, end=".log"):
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log" + end)
        log.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, ROOT / "scripts/skips", suite, log], stdout=subprocess.PIPE, text=True,
                              check=False)


def of_meson(name, result="OK", stdout=""):
    return json.dumps({"name": "unit - carom:" + name, "result": result, "stdout": stdout}) + "\n"


class Skips(unittest.TestCase):
    def known(self, suite, text, count, end=".log"):
        done = run(suite, text, end)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, count), done.stdout)

    def unknown(self, suite, text, name, end=".log"):
        done = run(suite, text, end)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"skip  {name}: NOT in tests/skips.txt", done.stdout)

    def test_nothing(self):
        self.known("gcc", of_meson("base", stdout="[       OK ] test_fork_after\n"), 0, ".json")

    def test_meson(self):
        self.known("gcc", of_meson("verify_csb_avx512", "SKIP") + of_meson("view", "SKIP"), 2, ".json")
        self.unknown("gcc", of_meson("verify_csb_avx2", "SKIP", "avx2: not usable here"), "verify_csb_avx2", ".json")
        self.unknown("asan", of_meson("view", "SKIP"), "view", ".json")

    def test_cmocka(self):
        text = of_meson("parallel_pool", stdout=CMOCKA.format("test_no_more_threads"))
        fork = of_meson("base", stdout=CMOCKA.format("test_fork_after"))
        for suite in ("asan", "tsan", "aarch64"):
            self.known(suite, text, 1, ".json")
        self.unknown("gcc", text, "parallel_pool: test_no_more_threads", ".json")
        self.known("aarch64", fork, 1, ".json")
        for suite in ("asan", "tsan"):
            self.unknown(suite, text + fork, "base: test_fork_after", ".json")

    def test_unittest(self):
        text = "test_moving (__main__.Render.test_moving) ... skipped 'ffmpeg is not there'\n"
        self.unknown("view", text, "test_moving")
        self.known("gcc", of_meson("command_see", stdout=text), 1, ".json")

    def test_pytest(self):
        text = "SKIPPED ../python/tests/{} - Skipped: could not import '{}'\n"
        films = "test_wrappers.py::test_films"
        self.known("python", text.format(films, "moviepy"), 1)
        self.unknown("python-all", text.format(films, "moviepy"), films)
        self.unknown("python", text.format("test_hour.py", "gymnasium"), "test_hour.py")

    def test_lines(self):
        suites = re.findall(r"^suite_([\w-]+)\(\)", (ROOT / "scripts/test").read_text(encoding="utf-8"), re.M)
        for line in (ROOT / "tests/skips.txt").read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                where, what, why = line.split(" | ")
                self.assertLessEqual(set(where.split()), {*suites, "*"}, line)
                self.assertTrue(what and why and what != "*", line)


if __name__ == "__main__":
    unittest.main()
