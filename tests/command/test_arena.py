#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`carom arena`: scores, seats, well-behaved and misbehaving programs, Ctrl-C, no process left running.

usage: test_arena.py CAROM DATA [unittest options]
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
from command_tests import CAROM, ENVIRONMENT, Command, carom, usable_sets  # noqa: E402

SCENES = pathlib.Path(__file__).resolve().parents[2] / "examples/scenes"
PLAYER = pathlib.Path(__file__).resolve().parent / "arena_player.py"


def player(*words):
    return " ".join([sys.executable, "-S", "-E", str(PLAYER), *map(str, words)])


def arena(*arguments, game="csb"):
    done = carom("arena", game, "--json", "--patience", 30, *arguments)
    assert done.returncode == 0 and done.stderr == "", done
    return json.loads(done.stdout)


def duel(a, b, *arguments, **options):
    return arena("--a", a, "--b", b, *arguments, **options)["pairings"][0]


def running(marker):
    """Processes with the marker in their command line or environment."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (folder / "environ").read_bytes() and folder.name != str(os.getpid()):
                found.append((folder / "cmdline").read_bytes())
        except OSError:
            pass
    return found


class BadInput(Command):
    def test_refused(self):
        sides = ["--a", "carom:race", "--b", "carom:ram"]
        for words, arguments in {
            ("which game",): sides, ("'chess'",): ["chess", *sides], ("'carom:race'", "still"): ["fall", *sides],
            ("weight", "cem"): ["soccer", "--a", "carom:cem:weight=1", "--b", "carom:random"],
            ("who plays",): ["csb", "--a", "carom:race"],
            ("'carom:fly'", "race"): ["csb", *sides, "--side", "carom:fly"],
            ("empty",): ["csb", "--a", " ", "--b", "carom:race"], ("--games", "odd"): ["csb", *sides, "--games", "3"],
            ("--games",): ["csb", *sides, "--games", "0"], ("--late", "'x'"): ["csb", *sides, "--late", "x"],
            ("--ms",): ["csb", *sides, "--ms", "0"], ("--patience",): ["csb", *sides, "--patience", "-1"],
            ("--concurrency",): ["csb", *sides, "--concurrency", "0"], ("--fly",): ["csb", *sides, "--fly"],
            ("at most",): ["csb", *sides, *["--side", "carom:ram"] * 63],
            ("--observation", "'all'", "raw, ego"): ["csb", *sides, "--observation", "all"],
            ("--protocol", "'json'"): ["csb", *sides, "--protocol", "json"],
            ("--sprt", "two values"): ["csb", *sides, "--sprt", "0"],
            ("--sprt", "not a number"): ["csb", *sides, "--sprt", "0", "--json"],
            ("--sprt", "20 is not less than 0"): ["csb", *sides, "--sprt", "20", "0"],
            ("--sprt", "two sides"): ["csb", *sides, "--side", "carom:pile", "--sprt", "0", "20"],
            ("--sprt", "--shard"): ["csb", *sides, "--sprt", "0", "20", "--shard", "0/2"],
            ("cannot write", "no/such"): ["csb", *sides, "--results", "no/such/file"],
        }.items():
            with self.subTest(arguments=arguments[:8]):
                self.assert_refused(carom("arena", *arguments), *words)


class BuiltIn(Command):
    def test_scores(self):
        found = duel("carom:race", "carom:random", "--games", 200)
        self.assertEqual(found["games"], 200)
        self.assertEqual(found["wins_a"] + found["wins_b"] + found["draws"], 200)
        self.assertGreater(found["score_a"], 0.97)
        low, high = found["interval"]
        self.assertTrue(low < found["score_a"] <= high <= 1, found)
        turned = duel("carom:random", "carom:race", "--games", 200)
        self.assertEqual((turned["wins_a"], turned["wins_b"]), (found["wins_b"], found["wins_a"]))
        self.assertEqual(turned["digest"], found["digest"])  # every start is played from both seats

    def test_against_oneself(self):
        """Seats do not matter in the mean: the same policy wins as often as it loses."""
        for game, policy in ("csb", "carom:ram"), ("fantastic_bits", "carom:striker"):
            found = duel(policy, policy, "--games", 2000, game=game)
            self.assertEqual(found["wins_a"], found["wins_b"])
            self.assertEqual((found["score_a"], found["elo"]), (0.5, 0))
            # Wilson's interval of a half in 2000 games
            self.assertAlmostEqual(found["interval"][0], 0.478108, places=5)

    def test_precision(self):
        """A search in f32 plays the games, which are f64: nearly as well, and not the same."""
        for game, policy in ("csb", "race"), ("fantastic_bits", "striker"):
            usual, exact, rounded = (duel("carom:cem:rollouts=192" + key, "carom:" + policy, "--games", 16, game=game)
                                     for key in ("", ",precision=f64", ",precision=f32"))
            self.assertEqual(usual["digest"], exact["digest"])
            self.assertNotEqual(usual["digest"], rounded["digest"])
            self.assertGreaterEqual(rounded["score_a"], 0.8)

    def test_starts(self):
        """Games are those of their starts: a part of them is played with --first, on any instruction set."""
        whole = duel("carom:race", "carom:pile", "--games", 40)
        parts = [duel("carom:race", "carom:pile", "--games", 20, "--first", first, "--threads", 1, "--isa", isa)
                 for first, isa in ((0, "scalar"), (10, usable_sets()[-1]))]
        for key in "wins_a", "wins_b", "draws":
            self.assertEqual(whole[key], sum(part[key] for part in parts), key)
        self.assertEqual(int(whole["digest"], 16), sum(int(part["digest"], 16) for part in parts) % 2**64)

    def test_record(self):
        """Every game as a replay, which plays again to the same bits; the same games as without."""
        plain = duel("carom:race", "carom:ram", "--games", 4)
        with tempfile.TemporaryDirectory() as folder:
            found = duel("carom:race", "carom:ram", "--games", 4, "--record", folder)
            self.assertEqual(found["wins_a"], plain["wins_a"])
            files = sorted(pathlib.Path(folder).iterdir())
            self.assertEqual([path.name for path in files], [f"1-2-{game}.carom" for game in range(4)])
            for path in files:
                self.assertEqual(carom("replay", path).returncode, 0)
        self.assert_refused(carom("arena", "csb", "--a", "carom:race", "--b", "carom:ram", "--record", "/no/such"))

    def test_what_is_said(self):
        """The replay has the players, messages and standard error, turn by turn, and is small."""
        speaker, silent = player("speak"), "carom:race"
        with tempfile.TemporaryDirectory() as folder:
            duel(speaker, silent, "--games", 2, "--ms", 20000, "--first-ms", 30000, "--record", folder)
            for game, seat in ((0, 0), (1, 1)):
                path = pathlib.Path(folder) / f"1-2-{game}.carom"
                done = carom("replay", path, "--notes", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                told = json.loads(done.stdout)
                notes = [(note["tick"], note["player"], note["kind"], note["text"]) for note in told["notes"]]
                self.assertEqual(sorted(notes[:2]), sorted([(0, seat, "name", speaker), (0, 1 - seat, "name", silent)]))
                said = [note for note in notes if note[2] == "message"]
                self.assertEqual(said, [(tick, seat, "message", "hello\nhello") for tick in range(told["ticks"])])
                errors = [note for note in notes if note[2] == "error"]
                self.assertEqual([note[:2] for note in errors], [(tick, seat) for tick in range(told["ticks"])])
                self.assertEqual([note[3] for note in errors[:5]],
                                 ["turn 0\n", "turn 1\n", "x" * 16384 + "\n[8192 more bytes]",
                                  "y" * 16384 + "\n[283616 more bytes]", "turn 4\n"])
                words = sum(len(note[3].encode()) + 6 for note in notes)
                self.assertLessEqual((path.stat().st_size - words) / told["ticks"], 50)
                plain = carom("replay", path, "--notes").stdout
                self.assertIn(f"tick 1, world 0, player {seat}, error: turn 1\n", plain)
                self.assertIn(f"tick 1, world 0, player {seat}, message:\n    hello\n    hello\n", plain)

    def test_the_verdict_is_said(self):
        for fault, words in (("exit", "crashed: ended with exit code 7"), ("rubbish", "rubbish: 'go go go'"),
                             ("flood", "flooded: ")):
            with tempfile.TemporaryDirectory() as folder:
                duel(player(fault), "carom:race", "--games", 2, "--record", folder)
                told = json.loads(carom("replay", pathlib.Path(folder) / "1-2-0.carom", "--notes", "--json").stdout)
                verdicts = [note for note in told["notes"] if note["kind"] == "referee"]
                self.assertEqual([(note["tick"], note["player"]) for note in verdicts], [(3, 0)])
                self.assertTrue(verdicts[0]["text"].startswith(words), verdicts)
                self.assertEqual(told["ticks"], 3)

    def test_errors_are_shown_and_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            shown = [carom("arena", "csb", "--a", player("speak"), "--b", "carom:race", "--games", 2, "--patience", 30,
                           *more).stderr for more in ((), ("--errors",), ("--errors", "--record", folder))]
        self.assertNotIn("turn 1\n", shown[0])
        for text in shown[1:]:
            self.assertEqual(text.count("turn 1\n"), 2)

    def test_planners_play_as_in_carom_record(self):
        """A planner is the same player wherever it plays."""
        planner = "cem:rollouts=128,horizon=4"
        with tempfile.TemporaryDirectory() as folder:
            duel(f"carom:{planner}", "carom:race", "--games", 2, "--seed", 6, "--record", folder)
            theirs = pathlib.Path(folder) / "1-2-0.carom"
            ticks = json.loads(carom("replay", theirs, "--json").stdout)["ticks"]
            ours = pathlib.Path(folder) / "ours.carom"
            done = carom("record", "csb", "--policy", f"{planner},race", "--seed", 6, "--first-id", 0, "--worlds", 1,
                         "--ticks", ticks, "--actions", "referee", "--at-end", "freeze", "--out", ours)
            self.assertEqual(done.returncode, 0, done.stderr)
            pages = []
            for path in theirs, ours:
                done = carom("render", path, "--out", path.with_suffix(".svg"))
                self.assertEqual(done.returncode, 0, done.stderr)
                pages.append(path.with_suffix(".svg").read_text())
            self.assertEqual(*pages)

    def test_tournament(self):
        sides = ["carom:race", "carom:random", "carom:ram", "carom:pile"]
        found = arena("--a", sides[0], "--b", sides[1], "--side", sides[2], "--side", sides[3], "--games", 100)
        self.assertEqual([side["side"] for side in found["sides"]], sides)
        pairs = [(pairing["a"], pairing["b"]) for pairing in found["pairings"]]
        self.assertEqual(pairs, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
        ratings = [side["rating"] for side in found["sides"]]
        self.assertEqual(max(ratings), ratings[0])
        self.assertAlmostEqual(sum(ratings), 0, places=4)
        alone = duel(sides[1], sides[3], "--games", 100)
        self.assertEqual(alone["digest"], found["pairings"][4]["digest"])
        text = carom("arena", "csb", "--a", sides[0], "--b", sides[1], "--side", sides[2], "--games", 10).stdout
        self.assertIn("rating", text)


class OtherGames(Command):
    """Games without a protocol, and of more than two players, who are sides a, b, a, b: built-in sides play them."""

    def test_scene_of_four(self):
        scene = SCENES / "four_goals.json"
        found = duel("carom:random", "carom:still", "--games", 60, game=scene)
        self.assertEqual(found["wins_a"] + found["wins_b"] + found["draws"], 60)
        self.assertGreater(found["wins_a"], 3 * found["wins_b"] + 10)
        again = duel("carom:still", "carom:random", "--games", 60, "--threads", 1, "--isa", "scalar", game=scene)
        self.assertEqual((again["wins_b"], again["wins_a"]), (found["wins_a"], found["wins_b"]))
        self.assertEqual(again["digest"], found["digest"])
        with tempfile.TemporaryDirectory() as folder:  # one by one, as replays
            alone = duel("carom:random", "carom:still", "--games", 60, "--record", folder, game=scene)
            for key in "wins_a", "wins_b", "draws", "digest":
                self.assertEqual(alone[key], found[key], key)
            self.assertEqual(carom("replay", f"{folder}/1-2-7.carom").returncode, 0)

    def test_search_against_three(self):
        """A search finds its way to a goal, on either side, side by side and one by one."""
        scene, sides = SCENES / "four_goals.json", ("carom:cem:rollouts=96,horizon=8", "carom:still")
        found = duel(*sides, "--games", 4, game=scene)
        self.assertEqual(found["wins_a"], 4)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(duel(*sides, "--games", 4, "--record", folder, game=scene)["digest"], found["digest"])

    def test_parts_are_merged(self):
        scene = SCENES / "four_goals.json"
        sides = ["--a", "carom:random", "--b", "carom:still", "--games", 20]
        with tempfile.TemporaryDirectory() as folder:
            for k in range(2):
                done = carom("arena", scene, *sides, "--shard", f"{k}/2", "--out", f"{folder}/%d.json")
                self.assertEqual(done.returncode, 0, done.stderr)
            merged = carom("merge", "--json", f"{folder}/0.json", f"{folder}/1.json")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.assertEqual(json.loads(merged.stdout)["pairings"], arena(*sides, game=scene)["pairings"])

    def test_shipped_game(self):
        found = duel("carom:striker", "carom:random", "--games", 8, game="soccer")
        self.assertEqual(found["wins_a"], 8)


class Programs(Command):
    def setUp(self):
        self.marker = f"CAROM_ARENA_TEST_{os.getpid()}"
        ENVIRONMENT[self.marker] = "1"

    def tearDown(self):
        self.assertEqual(running(self.marker), [])

    def test_good(self):
        found = duel(player("good"), "carom:random", "--games", 6, "--ms", 5000, "--first-ms", 9000, "--concurrency", 3)
        again = duel(player("good"), "carom:random", "--games", 6, "--ms", 5000, "--first-ms", 9000, "--concurrency", 1)
        self.assertEqual(found["wins_a"], 6)
        self.assertEqual(found["digest"], again["digest"])
        conduct = found["conduct"][0]
        self.assertGreater(conduct["answers"], 300)
        self.assertGreater(conduct["slowest"], 0)
        self.assertIsNone(conduct["first_trouble"])
        self.assertEqual(found["conduct"][1]["answers"], 0)

    def test_troubles(self):
        faults = {"exit": ("crashed", "exit code 7"), "signal": ("crashed", "signal 11"), "close": ("closed", ""),
                  "rubbish": ("rubbish", "'go go go'"), "fast": ("rubbish", "'0 0 201'"), "flood": ("flooded", ""),
                  "three": ("flooded", "more than 2 lines")}
        for fault, (kind, why) in faults.items():
            with self.subTest(fault=fault):
                found = duel(player(fault), player("good"), "--games", 2, "--ms", 5000, "--first-ms", 9000)
                self.assertEqual((found["wins_a"], found["wins_b"]), (0, 2))
                self.check_trouble(found["conduct"], kind, 2)
                self.assertIn("game 0, turn 3: ", found["conduct"][0]["first_trouble"])
                self.assertIn(why, found["conduct"][0]["first_trouble"])

    def check_trouble(self, conduct, kind, times):
        for name in "crashed", "closed", "silent", "late", "rubbish", "flooded":
            self.assertEqual(conduct[0][name], times if name == kind else 0, (name, conduct[0]))
            self.assertEqual(conduct[1][name], 0)

    def test_silence(self):
        for fault in "hang", "children", "deaf", "group", "session", "stop":
            with self.subTest(fault=fault):
                found = duel(player(fault, 3, os.getpgrp()), "carom:race", "--games", 2, "--ms", 5000, "--first-ms",
                             9000, "--patience", 0.8)
                self.assertEqual(found["wins_b"], 2)
                self.check_trouble(found["conduct"], "silent", 2)
                self.assertEqual(running(self.marker), [])

    def test_orphans(self):
        """A program exits and leaves others behind in their own sessions: they end with the game."""
        found = duel(player("orphan"), "carom:race", "--games", 2, "--ms", 5000, "--first-ms", 9000)
        self.check_trouble(found["conduct"], "crashed", 2)
        self.assertEqual(running(self.marker), [])

    def test_escapes(self):
        """A program's output is shown without control characters, which become question marks."""
        sides = ["--a", player("escapes"), "--b", "carom:race", "--games", 2, "--ms", 5000, "--first-ms", 9000]
        shown = "'?[2J?]0;mine? \u00f6 ?31m ??31m ? ?' is not a command"
        self.assertIn(shown, duel(*sides[1::2][:2], *sides[4:])["conduct"][0]["first_trouble"])
        table = carom("arena", "csb", *sides).stdout
        self.assertIn(shown, table)
        self.assertRegex(table, r"\A[\n -~\u00a0-\uffff]*\Z")

    def test_early(self):
        """An extra line at the start: when it is detected depends on when it arrives, but it is never played."""
        found = duel(player("early"), "carom:race", "--games", 2, "--ms", 5000, "--first-ms", 9000)
        conduct = found["conduct"][0]
        self.assertEqual(found["wins_b"], 2)
        self.assertEqual(conduct["flooded"] + conduct["rubbish"], 2)

    def test_late(self):
        options = "--games", 2, "--ms", 200, "--first-ms", 9000
        found = duel(player("late"), "carom:random", *options)
        self.assertEqual(found["wins_b"], 2)
        self.check_trouble(found["conduct"], "late", 2)
        found = duel(player("late"), "carom:random", *options, "--late", "play")
        self.assertEqual(found["wins_a"], 2)
        self.assertGreaterEqual(found["conduct"][0]["late"], 2)
        self.assertGreater(found["conduct"][0]["slowest"], 0.2)

    def test_negative_thrust(self):
        """No error, as with the referee of csb: the pods drive away from their checkpoints until they time out."""
        found = duel(player("brake"), "carom:race", "--games", 2, "--ms", 5000, "--first-ms", 9000)
        self.assertEqual(found["wins_b"], 2)
        self.check_trouble(found["conduct"], None, 0)
        self.assertGreaterEqual(found["conduct"][0]["answers"], 80)
        # However far one pod is driven away while the other one plays, the world can hold it.
        found = duel(player("flee", 3, -9999), "carom:pile", "--games", 2, "--ms", 5000, "--first-ms", 9000)
        self.assertEqual((found["faults"], found["wins_a"]), (0, 2))
        for word in "-", "-1.5", "1e2", "--1", "-10000", "201":
            line = f"while read line; do case $line in *\\ *\\ *\\ *\\ *\\ *) n=$((n+1)); " \
                   f"[ $((n%4)) = 0 ] && echo 0 0 {word} && echo 0 0 0;; esac; done"
            found = duel(line, "carom:race", "--games", 2, "--ms", 5000, "--first-ms", 9000)
            self.check_trouble(found["conduct"], "rubbish", 2)
            self.assertIn(f"'0 0 {word}' is not a command", found["conduct"][0]["first_trouble"])

    def test_no_such_program(self):
        found = duel("/no/such/program", "carom:race", "--games", 2)
        self.check_trouble(found["conduct"], "crashed", 2)
        self.assertIn("exit code 127", found["conduct"][0]["first_trouble"])

    def test_forbidden(self):
        """In Fantastic Bits the rules decide which commands are invalid for this wizard now."""
        line = "while read line; do case $line in *BLUDGER*) n=$((n+1)); " \
               "[ $((n%2)) = 0 ] && echo THROW 0 0 500 && echo MOVE 0 0 0;; esac; done"
        found = duel(line, "carom:striker", "--games", 2, "--ms", 5000, game="fantastic_bits")
        self.assertEqual(found["wins_b"], 2)
        self.check_trouble(found["conduct"], "rubbish", 2)
        self.assertIn("forbid", found["conduct"][0]["first_trouble"])

    def test_ctrl_c(self):
        command = [CAROM, "arena", "csb", "--json", "--a", player("children", 50), "--b", player("good"),
                   "--ms", "9000", "--first-ms", "20000", "--patience", "1000", "--concurrency", "2"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
            while len(running(self.marker)) < 12:  # the arena, two players a game with a keeper each, three children
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            report = json.loads(process.stdout.read())
        self.assertEqual(process.returncode, 130)
        self.assertTrue(report["interrupted"])

    def test_killed(self):
        """If the arena itself is killed, its programs end with it."""
        command = [CAROM, "arena", "csb", "--a", player("good"), "--b", player("session"), "--patience", "1000",
                   "--concurrency", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
            while len(running(self.marker)) < 8:  # the arena, two players, two keepers, three children
                time.sleep(0.05)
            process.kill()
        until = time.monotonic() + 5
        while running(self.marker) and time.monotonic() < until:
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
