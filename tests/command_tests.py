# SPDX-License-Identifier: MIT
"""What the tests of the command `carom` share. Their first arguments are CAROM, the program, and DATA, the folder of
traces."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

CAROM = os.path.abspath(sys.argv[1])
DATA = pathlib.Path(sys.argv[2]).resolve()
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "CAROM_ISA"}


def carom(*arguments, env=None, **options):
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([CAROM, *map(str, arguments)], stderr=subprocess.PIPE, text=True, timeout=120,
                          env={**ENVIRONMENT, **(env or {})}, **options)


def usable_sets():
    return [isa["name"] for isa in json.loads(carom("info", "--json").stdout)["instruction_sets"] if isa["usable"]]


def read_until(terminal, wanted):
    """What a terminal shows until `wanted` (None: its end) has been written."""
    text = b""
    while wanted is None or wanted not in text:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux: every writer has gone
            piece = b""
        if piece == b"":
            break
        text += piece
    return text


class Command(unittest.TestCase):
    def assert_refused(self, done, *words):
        self.assertEqual(done.returncode, 2, done)
        self.assertRegex(done.stderr, r"\Acarom: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)
