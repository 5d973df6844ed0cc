#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`carom recipe make`, `verify` and `merge`.

usage: test_recipes.py CAROM DATA [unittest options]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from command_tests import CAROM, DATA, ENVIRONMENT, Command, carom, usable_sets  # noqa: E402

MAKE = ["recipe", "make", "csb", "--worlds", 200, "--ticks", 60, "--seed", 3, "--player", "race", "--player", "random"]


WORD = (1 << 64) - 1


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def seal(text):
    """The text with the right checksum: kernel/base/hash.h."""
    body = text[: text.rindex(b"check ")]
    words = [body[k : k + 8] for k in range(0, len(body) // 8 * 8, 8)] + [body[len(body) // 8 * 8 :]]
    state = 1
    for word in [*(int.from_bytes(word, "little") for word in words), len(body)]:
        state ^= word * 0x94D049BB133111EB & WORD
        state = (state << 31 | state >> 33) & WORD
        state = (state * 0xFF51AFD7ED558CCD + 0x9E3779B97F4A7C15) & WORD
    return body + b"check %016x\n" % mix(state)


class Recipes(Command):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.file = self.path / "csb.recipe"

    def tearDown(self):
        self.folder.cleanup()

    def make(self, *arguments, file=None):
        done = carom(*(arguments or MAKE), "--out", file or self.file)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return (file or self.file).read_bytes()

    def verify(self, *arguments, file=None, code=0):
        done = carom("recipe", "verify", file or self.file, *arguments)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done)
        return done.stdout

    def blocks(self, text):
        """The digests in a recipe's text."""
        lines = text.decode().split("\nblocks ")[1].split("\n")[1:]
        return [word for line in lines if not line.startswith("check") for word in line.split()]

    def test_the_same_everywhere(self):
        text = self.make()
        self.assertLessEqual(len(text), 2048)
        self.assertEqual(len(self.blocks(text)), 64)
        for isa in usable_sets():
            self.assertIn("blocks 0 to 63 of 64: the same", self.verify("--isa", isa, "--threads", 2))
        self.assertIn("blocks 40 to 63 of 64: the same", self.verify("--from", 40))
        self.assertIn("blocks 48 to 63 of 64: the same", self.verify("--shard", "3/4"))
        self.assertIn("12,000 transitions", self.verify())
        about = json.loads(self.verify("--json"))
        self.assertEqual((about["done"], about["transitions"], about["interrupted"]), (64, 12000, False))
        self.assertNotIn("difference", about)
        for precision, blocks in (("f32", 5), ("f64", 1)):
            self.make(*MAKE, "--precision", precision, "--blocks", blocks, "--set", "ticks=20", "--observations", "ego",
                      "--rewards", "own", "--actions", "normalised", "--at-end", "freeze")
            self.assertIn(f"of {blocks}: the same", self.verify())

    def test_shards_and_going_on(self):
        whole = self.make()
        for k in range(3):
            done = carom(*MAKE, "--shard", f"{k}/3", "--threads", k + 1, "--out", self.path / "part-%d")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assert_refused(carom("recipe", "verify", self.path / "part-1"), "part-1", "block 0 is missing")
        merged = self.path / "merged"
        done = carom("recipe", "merge", self.path / "part-0", self.path / "part-2", "--out", merged)
        self.assertIn("incomplete: block 22 is missing", done.stdout)
        done = carom("recipe", "merge", *(self.path / f"part-{k}" for k in (2, 0, 1)), "--out", merged)
        self.assertEqual((done.returncode, done.stdout), (0, f"{merged}: 64 blocks\n"))
        self.assertEqual(merged.read_bytes(), whole)

        # The same command resumes what is there; files of another run are refused unless they are complete.
        done = carom(*MAKE, "--out", self.path / "part-1")
        self.assertEqual((self.path / "part-1").read_bytes(), whole)
        done = carom(*MAKE, "--out", self.path / "part-1", "--json")
        self.assertEqual(json.loads(done.stdout)["transitions"], 0)
        part = self.path / "part-0"
        kept = part.read_bytes()
        self.assert_refused(carom(*MAKE, "--seed", 4, "--out", part), "part-0", "another run")
        self.assertEqual(part.read_bytes(), kept)
        self.make(*MAKE, "--seed", 4, file=self.path / "part-1")
        self.assert_refused(carom("recipe", "merge", merged, self.path / "part-1", "--out", merged), "same run")

    def test_scenes_and_planners(self):
        scene = pathlib.Path(__file__).parents[2] / "examples" / "scenes" / "penalty.json"
        if "JSON" not in carom("run", scene, "--ticks", 1).stderr:
            self.make("recipe", "make", scene, "--worlds", 40, "--ticks", 30, "--player", "random")
            self.assertIn("the same", self.verify())
            large = scene.with_name("gas.json")
            self.assert_refused(carom("recipe", "make", large, "--out", self.file), "2048", "the scene is too large")
        self.make("recipe", "make", "csb", "--worlds", 5, "--ticks", 3, "--actions", "normalised", "--player",
                  "cem:rollouts=32,sequences=16,other-side=race", "--player", "race")
        self.assertIn("blocks 0 to 4 of 5: the same", self.verify("--threads", 3))

    def test_what_differs(self):
        """A digest that is changed, with the checksum corrected, is found in its block; so is another version."""
        text = self.make()
        was = self.blocks(text)[17].encode()
        now = b"%016x" % (int(was, 16) ^ 1)
        self.file.write_bytes(seal(text.replace(was, now)))
        report = self.verify(code=1)
        self.assertIn("DIFFERS in block 17 (worlds 59 to 61)", report)
        self.assertIn(f"the digest was {now.decode()} and is {was.decode()}", report)
        self.assertIn("the same", self.verify("--from", 18))
        self.assertIn("the same", self.verify("--shard", "0/4"))
        about = json.loads(self.verify("--json", "--shard", "1/4", code=1))
        self.assertEqual(about["difference"], {"block": 17, "recorded": now.decode(), "played": was.decode()})
        version = carom("--version").stdout.split()[1].encode()
        self.file.write_bytes(seal(text.replace(b"version " + version, b"version 0.0.9")))
        self.assert_refused(carom("recipe", "verify", self.file), "made by Carom 0.0.9", "Another version may")

    def test_damage(self):
        text = self.make()
        for at in range(0, len(text), 137):
            damaged = bytearray(text)
            damaged[at] ^= 1
            self.file.write_bytes(damaged)
            self.assert_refused(carom("recipe", "verify", self.file), "csb.recipe", "recipe")
        self.file.write_bytes(text * 2)
        self.assert_refused(carom("recipe", "verify", self.file), "at most 2048")
        self.file.write_bytes(b"")
        self.assert_refused(carom("recipe", "verify", self.file), "not a recipe")
        self.assert_refused(carom("recipe", "verify", self.path / "none"), "none", "No such file")
        self.assert_refused(carom("recipe", "verify", self.path), "Is a directory")

    def test_refusals(self):
        for arguments, words in (
            (["--player", "nobody"], ["player 0", "'nobody'"]),
            (["--player", "network:00"], ["player 0", "network"]),
            (["--player", "cem:ms=5"], ["milliseconds"]),
            (["--player", "race", "--player", "race", "--player", "race"], ["--player: given 3 times, for 2 players"]),
            (["--observations", "all"], ["--observations", "'all'"]),
            (["--rewards", "all"], ["--rewards", "'all'"]),
            (["--actions", "all"], ["all"]),
            (["--worlds", "3", "--blocks", "4"], ["number of blocks"]),
            (["--set", "tricks=3"], ["tricks"]),
        ):
            done = carom("recipe", "make", "csb", *arguments, "--out", self.file)
            self.assert_refused(done, *words)
            self.assertFalse(self.file.exists())
        self.assert_refused(carom("recipe", "make", "csb"), "--out")
        self.assert_refused(carom("recipe", "make", "csb", "--out", self.path / "no" / "file"), "cannot write")
        self.assert_refused(carom("recipe", "merge", DATA / "recipes" / "csb.recipe"), "--out")
        self.make(*MAKE, "--blocks", 2)
        self.assert_refused(carom("recipe", "verify", self.file, "--from", 2), "--from", "0 to 1")
        self.assert_refused(carom("recipe"), "unknown command 'recipe'")

    def test_interrupted(self):
        """Ctrl-C and kill -9: finished work is kept, and the same command resumes."""
        whole = self.make(*MAKE, "--worlds", 3200, "--ticks", 6000, "--threads", 2, file=self.path / "whole")
        for number, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
            file = self.path / f"by-{number}"
            command = [CAROM, *map(str, MAKE), "--worlds", "3200", "--ticks", "6000", "--threads", "1", "--out", file]
            with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
                while not file.exists() or self.blocks(file.read_bytes())[2].startswith("-"):
                    time.sleep(0.01)
                    self.assertIsNone(process.poll())
                os.kill(process.pid, number)
                process.wait()
            self.assertEqual(process.returncode, code)
            kept = self.blocks(file.read_bytes())
            self.assertGreaterEqual(sum(not digest.startswith("-") for digest in kept), 3)
            self.assertEqual(self.make(*MAKE, "--worlds", 3200, "--ticks", 6000, file=file), whole)
            self.assertFalse(list(self.path.glob("*.part")) if number == signal.SIGINT else [])

    def test_stored(self):
        self.assertIn("the same", self.verify(file=DATA / "recipes" / "csb.recipe"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
