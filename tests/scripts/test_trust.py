#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SECURITY.md and the files for hosted CI stay true: SECURITY.md's table has every target of `scripts/fuzz`, which is
built and has a corpus; the workflows run every suite of `scripts/test all`, and nothing but the scripts.

usage: test_trust.py [unittest options]
"""
import json
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# All that a step of a workflow may do.
STEPS = [
    r"- uses: actions/(checkout|upload-artifact)@v\d+",
    r"- run: apt-get update && apt-get install -y git ca-certificates # for checkout",
    r'- run: git config --global --add safe\.directory "\$PWD"',  # the container's user is another than the checkout's
    r"- run: scripts/setup [a-z]+",
    r"- run: scripts/test --werror (build|\$\{\{ matrix\.suite \}\})",
    r"- run: packaging/[a-z]+",
    r'run: echo "suites=\$\(scripts/test --list\)" >>"\$GITHUB_OUTPUT"',
]


def said(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout


def wrong_steps(text):
    """The lines of a workflow that run anything else than STEPS."""
    lines = [line.strip() for line in text.splitlines()]
    steps = [line for line in lines if re.match(r"(- )?(run|uses):", line)]
    return [line for line in steps if not any(re.fullmatch(step, line) for step in STEPS)]


class Fuzzing(unittest.TestCase):
    def test_targets(self):
        targets = said("scripts/fuzz", "--list").split()
        page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
        listed = [name for row in re.findall(r"^\|.*\| (`.*`) \|$", page, re.M) for name in re.findall(r"`(\w+)`", row)]
        self.assertEqual(sorted(listed), sorted(targets))
        sources = [path.stem.removeprefix("fuzz_") for path in (ROOT / "tests/fuzz").glob("fuzz_*.c")]
        self.assertEqual(sorted(sources), sorted(targets))
        build = (ROOT / "tests/fuzz/meson.build").read_text(encoding="utf-8")
        for target in targets:
            self.assertRegex(build, rf"'(fuzz_)?{target}'")
            self.assertTrue(any((ROOT / "tests/fuzz/corpus" / target).iterdir()), target)

    def test_page_is_short(self):
        self.assertLessEqual(len((ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()), 80)


class Workflows(unittest.TestCase):
    def test_they_are_there(self):
        self.assertEqual([path.stem for path in WORKFLOWS], ["build", "test", "wheels"])

    def test_they_only_call_the_scripts(self):
        for path in WORKFLOWS:
            self.assertEqual(wrong_steps(path.read_text(encoding="utf-8")), [], path.name)

    def test_another_step_is_seen(self):
        self.assertEqual(wrong_steps("steps:\n  - run: scripts/setup dev\n  - run: scripts/setup dev; make\n"),
                         ["- run: scripts/setup dev; make"])
        self.assertEqual(wrong_steps("  - uses: someone/action@v1\n"), ["- uses: someone/action@v1"])
        self.assertEqual(wrong_steps("  - run: |\n      make\n"), ["- run: |"])

    def test_every_suite_runs(self):
        suites = json.loads(said("scripts/test", "--list"))
        script = (ROOT / "scripts/test").read_text(encoding="utf-8")
        self.assertIn("lint-short", suites)
        for suite in suites:
            self.assertIn(f"\nsuite_{suite}()", script)
        text = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
        self.assertIn("suite: ${{ fromJSON(needs.list.outputs.suites) }}", text)
        self.assertIn("suites: ${{ steps.list.outputs.suites }}", text)


if __name__ == "__main__":
    unittest.main()
