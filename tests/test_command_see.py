#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands that write worlds down and show them: record, replay.

usage: test_command_see.py CAROM DATA [unittest options]
"""
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from command_tests import Command, carom, usable_sets  # noqa: E402

SCENES = pathlib.Path(__file__).resolve().parent.parent / "examples/scenes"


class Replays(Command):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def record(self, *arguments, name="x.carom"):
        done = carom("record", *arguments, "--out", self.path(name), "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)

    def test_games_and_scenes(self):
        scenes = SCENES / "billiards.json", SCENES / "arena.json"
        for what in ("csb", "fantastic_bits", "soccer", "stones", "fall", *scenes):
            with self.subTest(what=what):
                said = self.record(what, "--ticks", 40, "--worlds", 3)
                self.assertEqual((said["worlds"], said["ticks"]), (3, 40))
                self.assertEqual(said["bytes"], self.path("x.carom").stat().st_size)
                for isa in usable_sets():
                    done = carom("replay", self.path("x.carom"), "--isa", isa, "--json")
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                    said = json.loads(done.stdout)
                    self.assertEqual((said["compared"], said["difference"], said["whole"]), (40, None, True))

    def test_two_policies(self):
        one = self.record("csb", "--workload", "race", name="a")
        two = self.record("csb", "--workload", "race,ram", name="b")
        self.assertNotEqual(self.path("a").read_bytes(), self.path("b").read_bytes())
        self.assertLess(max(one["bytes_per_tick"], two["bytes_per_tick"]), 44)
        self.assert_refused(carom("record", "csb", "--workload", "race,"), "race,")
        self.assert_refused(carom("record", "fall", "--workload", "still,still"), "still")

    def test_the_same_file_from_every_instruction_set(self):
        for isa in usable_sets():
            self.record("soccer", "--ticks", 100, "--precision", "f32", "--isa", isa, name=isa)
        first = self.path("scalar").read_bytes()
        for isa in usable_sets():
            self.assertEqual(self.path(isa).read_bytes(), first)

    def test_rollout(self):
        plain = carom("rollout", "csb", "--worlds", 300, "--ticks", 150, "--json")
        done = carom("rollout", "csb", "--worlds", 300, "--ticks", 150, "--json", "--record", self.path("r"),
                     "--recorded", 130)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(json.loads(done.stdout)["digest"], json.loads(plain.stdout)["digest"])
        said = json.loads(carom("replay", self.path("r"), "--json").stdout)
        self.assertEqual((said["worlds"], said["ticks"], said["difference"]), (130, 150, None))
        self.assert_refused(carom("rollout", "csb", "--worlds", 3, "--recorded", 4), "--recorded")

    def test_not_whole(self):
        self.record("csb", "--ticks", 100)
        whole = self.path("x.carom").read_bytes()
        cut = self.path("cut")
        cut.write_bytes(whole[:len(whole) // 2])
        done = carom("replay", cut)
        self.assertEqual(done.returncode, 0)
        self.assertIn("cut", done.stdout)
        cases = {"empty": b"", "foreign": b"no replay", "head": whole[:40], "first state": whole[:100],
                 "damaged": whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:],
                 "format 2": whole[:8] + b"\2" + whole[9:], "follow": whole + b"x"}
        for word, data in cases.items():
            with self.subTest(word=word):
                cut.write_bytes(data)
                done = carom("replay", cut)
                self.assert_refused(done, "not a replay" if word in ("empty", "foreign") else word)
                self.assertEqual(done.stdout, "")
        self.assert_refused(carom("replay", "/dev/zero"), "not a replay")
        self.assert_refused(carom("replay", self.path("missing")), "No such file")

    def test_arguments(self):
        for arguments in ((), ("a", "b"), ("--fly",), ("x", "--threads", 0), ("x", "--game", "chess")):
            self.assert_refused(carom("replay", *arguments))
        for arguments in ((), ("chess",), ("csb", "csb"), ("csb", "--fly"), ("csb", "--worlds", 0),
                          ("csb", "--ticks", 0), ("csb", "--keyframes", 0), ("csb", "--actions", "dance"),
                          ("csb", "--scatter", 1),
                          ("csb", "--at-end", "cry")):
            self.assert_refused(carom("record", *arguments, "--out", self.path("no")))
        self.assertFalse(self.path("no").exists())
        self.assert_refused(carom("record", "csb", "--out", self.path("no/such/folder")), "cannot write")
        self.assertEqual(list(pathlib.Path(self.folder.name).iterdir()), [])

    def test_full_disk(self):
        self.assert_refused(carom("record", "csb", "--worlds", 100, "--out", "/dev/full"), "No space")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
