# SPDX-License-Identifier: MIT
"""Shared by the tests of the command `carom`. Their first arguments are CAROM, the program, and DATA, the folder of
traces."""
import functools
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys
import time
import unittest

CAROM = os.path.abspath(sys.argv[1])
DATA = pathlib.Path(sys.argv[2]).resolve()
# A shell, or nohup, may have started the tests with these ignored; programs inherit that and would run forever.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
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


def spent():
    """Processor seconds of all processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def interrupted(command, wanted):
    """A command on a terminal, told by SIGINT to end once it has written `wanted`: its exit code, what the terminal
    shows from then on, what it has printed, and the processor seconds that it took to end."""
    terminal, end = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, env=ENVIRONMENT) as process:
        os.close(end)
        read_until(terminal, wanted)
        process.send_signal(signal.SIGINT)
        before = time.clock_gettime(~process.pid << 3 | 2) + spent()  # the process's own clock, as Linux names it
        shown = read_until(terminal, None)
        report = process.stdout.read()
        process.wait()
        took = spent() - before
    os.close(terminal)
    return process.returncode, shown, report, took


@functools.cache
def twice_ending():
    """The limit of processor seconds that a command may take to end, the least of ten: twice those on an idle machine,
    which needs 0.016 s."""
    times = []
    for _ in range(10):
        before = spent()
        carom("rollout", "csb", "--worlds", 20000, "--ticks", 20, "--threads", 2)
        times.append(spent() - before)
    return min(times)


class Command(unittest.TestCase):
    def assert_refused(self, done, *words):
        self.assertEqual(done.returncode, 2, done)
        self.assertRegex(done.stderr, r"\Acarom: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)
