#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command `carom` as a program: bad input, output, determinism, Ctrl-C, verification.

usage: test_command.py CAROM DATA [unittest options]     DATA holds the traces, csb/trace_*.txt and stones/*.txt
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import time
import unittest
from unittest.mock import ANY

sys.dont_write_bytecode = True
from command_tests import (CAROM, DATA, ENVIRONMENT, Command, carom, interrupted, read_until,  # noqa: E402
                           twice_ending, usable_sets)

TRACES = sorted(DATA.glob("csb/trace_*.txt"))
FALL = sorted(DATA.glob("fall/trace_*.txt"))
FANTASTIC = sorted(DATA.glob("fantastic_bits/trace_*.txt"))
STONES = sorted(DATA.glob("stones/*.txt"))


def rollout(*arguments):
    done = carom("rollout", "csb", "--json", *arguments)
    assert done.returncode == 0 and done.stderr == "", done
    return json.loads(done.stdout)


class BadInput(Command):
    def refuse(self, *arguments, words=(), env=None):
        with self.subTest(arguments=arguments, env=env):
            done = carom(*arguments, env=env)
            self.assert_refused(done, *words)
            self.assertEqual(done.stdout, "")

    def test_commands(self):
        self.refuse()
        self.refuse("fly", words=["'fly'"])
        self.refuse("--fly", words=["'--fly'"])
        self.refuse("", words=["''"])
        self.refuse("two\nlines\x1b")
        self.refuse("info", "fly", words=["'fly'"])
        self.refuse("info", "--fly", words=["'--fly'"])
        self.refuse("x" * 20000)

    def test_scenes(self):
        self.refuse("run")
        self.refuse("run", "soup", words=["'soup'", "gas", "No such file"])
        self.refuse("run", "gas", "soup", words=["'soup'"])
        self.refuse("run", "soup", "gas", words=["'soup'"])
        self.refuse("run", "gas", "gas", words=["'gas'"])
        self.refuse("run", "gas", "--fly", words=["'--fly'"])
        self.refuse("run", "gas", "--bodies", "0", words=["--bodies"])
        self.refuse("run", "gas", "--bodies", "2", words=["2 disks"])
        for value in ("x", "", "nan", "0", "1", "0.5x"):
            self.refuse("run", "gas", "--packing", value, words=["--packing"])
        self.refuse("run", "gas", "--time", "-1", words=["--time"])
        self.refuse("run", "gas", "--restitution", "1.1", words=["--restitution"])
        self.refuse("run", "gas", "--box", "round", words=["'round'"])
        self.refuse("run", "gas", "--precision", "f16", words=["'f16'"])

    def test_games(self):
        self.refuse("rollout")
        self.refuse("rollout", "chess", words=["'chess'"])
        self.refuse("rollout", "csb", "csb", words=["'csb'"])
        self.refuse("rollout", "csb", "--fly", words=["'--fly'"])
        self.refuse("rollout", "csb", "--jsonx", words=["'--jsonx'"])
        self.refuse("rollout", "csb", "--worldsx", "3", words=["'--worldsx'"])

    def test_numbers(self):
        for option in "--worlds", "--ticks", "--seed", "--threads":
            for value in "-1", "x", "", "1.5", "1e3", "0x10", "10 ", "-", "99999999999999999999999":
                self.refuse("rollout", "csb", option, value, words=[option])
                self.refuse("rollout", "csb", f"{option}={value}", words=[option])
            if option != "--seed":
                self.refuse("rollout", "csb", option, "0", words=[option])
        self.refuse("rollout", "csb", "--seed", 2**64, words=["--seed"])
        self.refuse("rollout", "csb", "--threads", 1000000, words=["--threads"])

    def test_names(self):
        for option in "--workload", "--actions", "--isa", "--precision", "--at-end":
            for value in "fly", "", "RACE":
                self.refuse("rollout", "csb", option, value, words=[option, f"'{value}'"])
        self.refuse("verify", "csb", "--isa", "fly", TRACES[0], words=["--isa", "'fly'"])
        for option in "--solver", "--shape", "--isa", "--precision":
            for value in "fly", "", "PAIRS", "half-b/", "half-b/fly":
                self.refuse("bench", "solvers", option, value, words=[option, f"'{value}'"])

    def test_options_of_games(self):
        for game in json.loads(carom("info", "--json").stdout)["games"]:
            for option in game["options"]:
                name, bad = option["name"], ["fly", ""]
                words = ["--set", name]
                if "choices" in option:
                    words += option["choices"]
                elif option["type"] == "seed":
                    bad += ["-1", "1.5", str(2**64)]
                elif option["type"] != "list":
                    bad += ["nan", str(option["low"] - 1), str(option["high"] * 2 + 1)]
                    if option["type"] != "number":
                        bad += [str(option["low"] + 0.5)]
                for value in bad:
                    self.refuse("rollout", game["name"], "--set", f"{name}={value}", words=words)
            self.refuse("rollout", game["name"], "--set", "tikcs=3", words=["'tikcs'", game["options"][0]["name"]])
        arena = ["arena", "--a", "carom:striker", "--b", "carom:random"]
        for command in ["rollout"], ["record"], ["render", "--out", "x.svg"], ["view", "--out", "x.html"], ["check"], \
                arena:
            command = [command[0], "soccer", *command[1:]]
            self.refuse(*command, "--set", "robots=12", words=["robots", "12", "between 1 and 11"])
            self.refuse(*command, "--set", "mouth=6.5", words=["mouth", "width"])
            self.refuse(*command, "--set", "robots", words=["'robots'", "NAME=VALUE"])
            self.refuse(*command, "--set", words=["--set"])
        for maps in "1", "3,0,0", "3,0,0,9", "3,0,0,900,0,", "3,0,0,900,0/", "3,0,0,900,0;2", "3,0,0,1e30,0", \
                "40,0,0,9,0", "-3,0,0,9,0", "3,0,0,9.5,0", "3,0,0,1e10,0":
            self.refuse("rollout", "csb", "--set", f"maps={maps}", words=["maps"])
        for bodies in "1", "0,0,0,0,0,0,1,1", "0,0,0,0,0,0,-1,1,0", "0,0,1,0,0,1", ",".join(["1"] * 40):
            self.refuse("rollout", "fall", "--set", f"bodies={bodies}", words=["bodies"])
        self.refuse("rollout", "fantastic_bits", "--set", "seeds=1,2", words=["seeds"])
        self.refuse("rollout", "fantastic_bits", "--set", "seeds=1.5", words=["seeds"])
        for command in ["arena", "csb", "--a", "carom:race", "--b", "carom:race"], ["bot", "csb"], ["tune", "csb"]:
            self.refuse(*command, "--set", "ticks=0", words=["--set", "ticks"])
            self.refuse(*command, "--set", "tikcs=3", words=["'tikcs'", "ticks"])
        self.refuse("arena", "csb", "--a", "carom:cem:precision=f32", "--b", "carom:race", "--set", "ticks=9",
                    words=["precision=f32", "--set"])

    def test_solvers(self):
        for value in "fly", "", "half-b/fly":
            self.refuse("rollout", "csb", "--solver", value,
                        words=["--solver", f"'{value}'", "fast", "pow", "half-b", "cross-citardauq", "accurate"])
        for value in "fast", "half-b", "pow", "accurate/branches":
            self.refuse("rollout", "csb", "--solver", value, words=["--solver", "csb"])
            self.refuse("rollout", f"--solver={value}", "csb", words=["--solver", "csb"])
        self.refuse("rollout", "csb", "--solver", words=["--solver"])

    def test_benchmarks(self):
        self.refuse("bench", words=["which"])
        self.refuse("bench", "fly", words=["'fly'"])
        self.refuse("bench", "--json", words=["'--json'"])
        self.refuse("bench", "solvers", "fly", words=["'fly'"])
        self.refuse("bench", "solvers", "--fly", words=["'--fly'"])
        self.refuse("bench", "solvers", "--shape", "pairs", "--solver", "ferrari", words=["--shape", "--solver"])
        for option in "--n", "--seconds":
            for value in "0", "-1", "x", "", "1.5", "99999999999999999999999":
                self.refuse("bench", "solvers", option, value, words=[option])
            self.refuse("bench", "solvers", option, words=[option])
        for option in "--solver", "--shape", "--isa", "--precision":
            self.refuse("bench", "solvers", option, words=[option])
        for n in 10**15, 2**64 - 1:
            self.refuse("bench", "solvers", "--n", n, words=["--n", str(n), "memory"])
        for isa in usable_sets():
            if isa != "scalar":
                self.refuse("bench", "solvers", "--isa", isa, "--solver", "pow", words=["scalar"])
                self.refuse("bench", "solvers", "--isa", isa, "--solver", "dot/branches", words=["scalar"])

    def test_missing_values(self):
        for option in ("--worlds", "--ticks", "--seed", "--threads", "--workload", "--actions", "--isa", "--precision",
                       "--at-end"):
            self.refuse("rollout", "csb", option, words=[option])
        self.refuse("verify", "csb", "--isa", words=["--isa"])

    def test_affinity(self):
        for bad, words in {"0,0": "twice", "x": "'x'", "": "''", "0,": "''", "-1": "-1", "8191": "8191 does not exist",
                           "8192": "8192", "9" * 30: "list of processors"}.items():
            self.refuse("rollout", "csb", "--affinity", bad, words=["--affinity", words])

    def test_unusable_instruction_sets(self):
        for isa in json.loads(carom("info", "--json").stdout)["instruction_sets"]:
            if not isa["usable"]:
                self.refuse("rollout", "csb", "--isa", isa["name"], words=[isa["name"]])
                self.refuse("info", env={"CAROM_ISA": isa["name"]}, words=["CAROM_ISA", isa["name"]])

    def test_environment(self):
        for command in ["info"], ["rollout", "csb"], ["rollout", "csb", "--isa", "scalar"], \
                ["verify", "csb", TRACES[0]]:
            self.refuse(*command, env={"CAROM_ISA": "fly"}, words=["CAROM_ISA", "fly"])

    def test_too_large(self):
        self.refuse("rollout", "csb", "--worlds", 10**15, words=["--worlds", str(10**15), "bytes"])
        self.refuse("rollout", "csb", "--worlds", 2**64 - 1, words=["--worlds", str(2**64 - 1)])
        self.refuse("rollout", "csb", "--worlds", 2**64 // 300, words=["--worlds"])

    def test_files(self):
        self.refuse("verify")
        self.refuse("verify", "csb")
        self.refuse("verify", "chess", TRACES[0], words=["'chess'"])
        self.refuse("verify", "csb", "--fly", TRACES[0], words=["'--fly'"])
        self.refuse("verify", "csb", "/no/such/file", words=["/no/such/file"])
        self.refuse("verify", "csb", "/", words=["/"])
        self.refuse("verify", "csb", TRACES[0], "/no/such/file", words=["/no/such/file"])

    def test_lost_output(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for command in (["--help"], ["--version"], ["info"], ["info", "--json"], ["rollout", "--help"],
                        ["verify", "csb", TRACES[0]], ["rollout", "csb", "--worlds", "16"], ["bench", "--help"],
                        ["bench", "solvers", "--n", "5", "--solver", "dot", "--seconds", "1"],
                        ["rollout", "csb", "--worlds", "16", "--json"]):
            with self.subTest(command=command), open("/dev/full", "w") as full:
                self.assert_refused(carom(*command, stdout=full))


class Output(Command):
    def test_help(self):
        for command in ([], ["rollout"], ["run"], ["run", "gas"], ["verify"], ["info"],
                        ["rollout", "csb", "--worlds"], ["arena"], ["bot"], ["merge"], ["tune"], ["bench"],
                        ["bench", "solvers"], ["bench", "solvers", "--n", "3"]):
            for option in "--help", "-h":
                done = carom(*command, option)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("carom", done.stdout)
                self.assertLess(max(map(len, done.stdout.splitlines())), 120)

    def test_help_is_what_is_read(self):
        """Every option in a help text is accepted: a missing value is reported, and a wrong choice lists the
        choices."""
        for command in ("rollout csb", "run x.json", "run gas", "verify csb x", "arena csb", "bot csb", "check csb",
                        "record csb", "replay x", "render csb", "view csb", "merge x", "tune csb", "bench solvers"):
            command = command.split()
            scene, _, gas = carom(*command, "--help").stdout.partition("\ncarom run gas")  # one help for both
            found = re.findall(r"^  (--[a-z-]+)(?: (\S+))?(?:  |$)", gas if "gas" in command else scene, re.MULTILINE)
            self.assertGreater(len(found), 0, command)
            for option, value in found:
                with self.subTest(command=command, option=option):
                    if value == "":
                        self.assert_refused(carom(*command, option, "--fly"), "'--fly'")
                        self.assert_refused(carom(*command, f"{option}=1"), f"'{option}=1'")
                        continue
                    self.assert_refused(carom(*command, option), f"{option} needs a value")
                    if "|" in value:
                        self.assert_refused(carom(*command, option, "fly"), "'fly'", *value.split("|"))

    def test_version(self):
        done = carom("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\Acarom \d+\.\d+\.\d+\n\Z")

    def test_info(self):
        info = json.loads(carom("info", "--json").stdout)
        self.assertGreaterEqual(info["threads"], 1)
        sets = {isa["name"]: isa for isa in info["instruction_sets"]}
        self.assertTrue(sets["scalar"]["usable"])
        self.assertTrue(sets[info["isa"]]["usable"])
        for isa in sets.values():
            self.assertTrue(isa["built"] or not isa["usable"])
        csb = {game["name"]: game for game in info["games"]}["csb"]
        self.assertEqual(sorted(csb["policies"]), ["drive", "pile", "race", "ram", "random"])
        self.assertEqual(sorted(csb["actions"]), ["normalised", "normalised_full", "referee", "relative"])
        self.assertEqual(sorted(info["parts"]), ["json"])
        text = carom("info").stdout
        self.assertIn("in C, as JSON" if info["parts"]["json"] else "in C only: no files", text)
        for word in info["version"], info["compiler"], "csb", "chosen", *sets:
            self.assertIn(word, text)
        forced = json.loads(carom("info", "--json", env={"CAROM_ISA": "scalar"}).stdout)
        self.assertEqual(forced["isa"], "scalar")

    def test_json(self):
        found = rollout("--worlds", 100, "--ticks", 70, "--seed", 2**64 - 1, "--threads", 1, "--isa", "scalar",
                        "--precision", "f32", "--workload", "ram", "--actions", "normalised", "--at-end", "play_on")
        given = {"game": "csb", "precision": "f32", "isa": "scalar", "threads": 1, "worlds": 100, "ticks": 70,
                 "seed": 2**64 - 1, "workload": "ram", "actions": "normalised", "at_end": "play_on",
                 "interrupted": False}
        self.assertEqual({key: found[key] for key in given}, given)
        for key in "world_ticks", "events", "goals", "games", "faults", "bytes":
            self.assertIs(type(found[key]), int, key)
            self.assertGreaterEqual(found[key], 0)
        for key in "seconds", "world_ticks_per_s", "events_per_tick":
            self.assertIsInstance(found[key], (int, float), key)
            self.assertGreaterEqual(found[key], 0)
        for key in "version", "compiler":
            self.assertIsInstance(found[key], str, key)
        self.assertRegex(found["digest"], r"\A[0-9a-f]{16}\Z")
        self.assertEqual(found["world_ticks"], 7000)
        self.assertAlmostEqual(found["events_per_tick"], found["events"] / found["world_ticks"], places=6)

    def test_text(self):
        arguments = "--worlds", 1000, "--ticks", 100, "--seed", 5
        found = rollout(*arguments)
        done = carom("rollout", "csb", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("csb", "1,000", "race", found["isa"], "world-ticks/s", "checkpoints passed", "games finished",
                     "faults", found["digest"]):
            self.assertIn(word, done.stdout)

    def test_what_is_counted(self):
        counts = {"csb": "checkpoints passed", "fantastic_bits": "goals", "soccer": "goals", "stones": "stones out",
                  "fall": None}
        for game in json.loads(carom("info", "--json").stdout)["games"]:
            wanted = counts[game["name"]]
            arguments = "rollout", game["name"], "--worlds", 16, "--ticks", 2
            self.assertEqual(json.loads(carom(*arguments, "--json").stdout)["counts"], wanted)
            text = carom(*arguments).stdout
            for words in set(counts.values()) - {None}:
                self.assertEqual(f"  {words}  " in text, words == wanted, (game["name"], words))

    def test_progress_bar_on_a_terminal_only(self):
        command = [CAROM, "rollout", "csb", "--worlds", "1000", "--ticks", "100"]
        terminal, end = pty.openpty()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, env=ENVIRONMENT) as process:
            os.close(end)
            shown = read_until(terminal, None)
            table = process.stdout.read()
        os.close(terminal)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(shown, rb"\A\r\[[#.]+\] +\d+%  \d+\.\d M world-ticks/s")
        self.assertRegex(shown, rb"\r +\r\Z")  # it erases itself
        self.assertNotIn(b"[", table)
        self.assertEqual(carom(*command[1:]).stderr, "")

    def test_progress_bar_moves_within_a_call(self):
        command = [CAROM, "rollout", "csb", "--worlds", "50000", "--ticks", "64", "--isa", "scalar", "--threads", "1"]
        terminal, end = pty.openpty()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=end, env=ENVIRONMENT) as process:
            os.close(end)
            shown = read_until(terminal, None)
        os.close(terminal)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(any(0 < int(percent) < 100 for percent in re.findall(rb"(\d+)%", shown)), shown)

    def test_affinity(self):
        """All threads of the command run on the processors that it lists; there are as many by default."""
        allowed = sorted(os.sched_getaffinity(0))
        for listed in allowed[:1], allowed[-1:], allowed:
            text = ",".join(map(str, listed))
            command = ["rollout", "csb", "--affinity", text, "--worlds", 20000, "--ticks", 100]
            with subprocess.Popen([CAROM, *map(str, command), "--ticks", "1000000"], stdout=subprocess.DEVNULL,
                                  env=ENVIRONMENT) as process:
                time.sleep(0.3)
                found = [line.split()[1] for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir()
                         for line in (task / "status").read_text().splitlines() if line.startswith("Cpus_allowed_list")]
                process.kill()
            self.assertGreaterEqual(len(found), len(listed))
            self.assertEqual({len(places(text)) for text in found}, {len(listed)}, found)
            self.assertEqual(set().union(*map(places, found)), set(listed))
            self.assertLessEqual(json.loads(carom(*command, "--json").stdout)["threads"], len(listed))


def places(text):
    """{0, 1, 3} of "0-1,3"."""
    ranges = [part.split("-") for part in text.split(",")]
    return {place for ends in ranges for place in range(int(ends[0]), int(ends[-1]) + 1)}


class Runs(Command):
    def rollout(self, *arguments):
        done = carom("rollout", *arguments, "--worlds", 40, "--json")
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def test_options_of_games(self):
        """--set reaches the worlds of every command, and a replay has the settings."""
        short = self.rollout("csb", "--set", "ticks=30", "--ticks", 90)
        self.assertEqual((short["games"], short["options"]), (120, "ticks=30"))
        self.assertNotIn("options", self.rollout("csb", "--ticks", 90))
        with tempfile.TemporaryDirectory() as folder:
            state = f"{folder}/state"
            self.assertEqual(self.rollout("csb", "--set", "ticks=30", "--ticks", 90, "--state", state), {
                **short, "seconds": ANY, "world_ticks_per_s": ANY})
            self.assert_refused(carom("rollout", "csb", "--worlds", 40, "--set", "ticks=31", "--ticks", 90, "--state",
                                      state), "these worlds and options")
            for part, ticks in (0, 30), (1, 30), (1, 31):
                done = carom("rollout", "csb", "--set", f"ticks={ticks}", "--worlds", 40, "--ticks", 90, "--shard",
                             f"{part}/2", "--out", f"{folder}/{ticks}-%d.json")
                self.assertEqual(done.returncode, 0, done)
            merged = json.loads(carom("merge", f"{folder}/30-0.json", f"{folder}/30-1.json", "--json").stdout)
            self.assertEqual((merged["digest"], merged["options"]), (short["digest"], "ticks=30"))
            self.assert_refused(carom("merge", f"{folder}/30-0.json", f"{folder}/31-1.json"), "options")
            games = ["arena", "csb", "--a", "carom:race", "--b", "carom:ram", "--games", 8, "--json", "--set"]
            whole = json.loads(carom(*games, "ticks=40", "--state", f"{folder}/arena").stdout)
            self.assertEqual(whole["options"], "ticks=40")
            self.assert_refused(carom(*games, "ticks=41", "--state", f"{folder}/arena"), "options")
            self.assertNotEqual(json.loads(carom(*games, "ticks=41").stdout)["pairings"][0]["digest"],
                                whole["pairings"][0]["digest"])
            for part, ticks in (0, 40), (1, 40), (1, 41):
                carom(*games, f"ticks={ticks}", "--shard", f"{part}/2", "--out", f"{folder}/a{ticks}-%d.json")
            merged = json.loads(carom("merge", f"{folder}/a40-0.json", f"{folder}/a40-1.json", "--json").stdout)
            self.assertEqual((merged["pairings"], merged["options"]), (whole["pairings"], "ticks=40"))
            self.assert_refused(carom("merge", f"{folder}/a40-0.json", f"{folder}/a41-1.json"), "options")
            os.mkdir(f"{folder}/games")
            done = carom(*games, "ticks=40", "--record", f"{folder}/games")
            for replay in os.listdir(f"{folder}/games"):
                self.assertEqual(carom("replay", f"{folder}/games/{replay}").returncode, 0, done)
            self.assertEqual(len(os.listdir(f"{folder}/games")), 8)
        digest = {name: self.rollout(*arguments)["digest"] for name, arguments in {
            "b": ["soccer"], "same": ["soccer", "--set", "league=division_b", "--set=robots=6"],
            "a": ["soccer", "--set", "league=division_a"],
            "a3": ["soccer", "--set", "robots=3", "--set", "league=division_a"],
            "again": ["soccer", "--set", "league=division_a", "--set", "robots=3"],
            "seed": ["csb", "--set", "map_seed=1"], "csb": ["csb"], "other": ["csb", "--set", "map_seed=2"],
            "flag": ["csb", "--set", "alone=true"],
            "maps": ["csb", "--set", "maps=3,2000,2000,9000,2000,9000,7000/1,0,0,8000,0", "--set", "map_count=5"],
            "map": ["csb", "--set", "maps=3,2000,2000,9000,2000,9000,7000"],
            "seeds": ["fantastic_bits", "--set", "seeds=5/6/7000000000000"],
            "bodies": ["fall", "--set", "bodies=0,1,1,0,0,0,0.1,1,0/-5,0,5,0,5,-1,-5,-1"]}.items()}
        self.assertEqual(digest["b"], digest["same"])
        self.assertEqual(digest["a3"], digest["again"])  # presets come first
        self.assertEqual(digest["seed"], digest["csb"])  # the batch's seed is 1
        self.assertEqual(len(set(digest.values())), 10)
        with tempfile.TemporaryDirectory() as folder:
            path, other = f"{folder}/a.carom", f"{folder}/b.carom"
            for done in (carom("record", "soccer", "--set", "league=original", "--ticks", 30, "--out", path),
                         carom("record", "csb", "--set", "maps=2,0,0,8000,0", "--out", f"{folder}/maps.carom"),
                         carom("replay", f"{folder}/maps.carom"),
                         carom("rollout", "csb", "--set", "map_seed=9", "--worlds", 5, "--record", other),
                         carom("replay", path), carom("replay", other),
                         carom("render", "soccer", "--set", "robots=1", "--out", f"{folder}/a.svg"),
                         carom("view", "soccer", "--set", "robots=1", "--ticks", 5, "--ghosts", 3, "--out",
                               f"{folder}/a.html"),
                         carom("check", "csb", "--set", "alone=1")):
                self.assertEqual(done.returncode, 0, done)

    def test_options_are_listed(self):
        text = carom("info", "soccer").stdout
        games = {game["name"]: game for game in json.loads(carom("info", "--json").stdout)["games"]}
        for option in games["soccer"]["options"]:
            self.assertIn(f"  {option['name']} ", text)
            self.assertIn(option["meaning"], text)
        self.assertIn("options of soccer", text)
        self.assertNotIn("options of csb", text)
        robots = games["soccer"]["options"][1]
        self.assertEqual([robots[key] for key in ("name", "type", "default", "low", "high")],
                         ["robots", "count", 6, 1, 11])

    def test_one_digest(self):
        sets = usable_sets()
        for precision in "f64", "f32":
            for actions in "relative", "referee":
                common = ["--worlds", 1000, "--ticks", 130, "--seed", 7, "--precision", precision, "--actions", actions]
                wanted = rollout(*common)
                for isa in sets:
                    for threads in 1, 2:
                        with self.subTest(precision=precision, actions=actions, isa=isa, threads=threads):
                            found = rollout(*common, "--isa", isa, "--threads", threads)
                            self.assertEqual((found["isa"], found["threads"]), (isa, threads))
                            for key in "digest", "world_ticks", "events", "goals", "games", "faults":
                                self.assertEqual(found[key], wanted[key], key)

    def test_what_changes_a_digest(self):
        digests = [rollout("--worlds", 500, "--ticks", 60, *extra)["digest"]
                   for extra in ([], ["--seed", 2], ["--workload", "random"], ["--workload", "ram"],
                                 ["--workload", "pile"], ["--ticks", 61], ["--worlds", 501], ["--precision", "f32"])]
        self.assertEqual(len(set(digests)), len(digests))

    def test_any_number_of_worlds(self):
        for worlds in 1, 15, 16, 17, 127, 128, 129, 4097:
            found = rollout("--worlds", worlds, "--ticks", 3)
            self.assertEqual((found["worlds"], found["world_ticks"]), (worlds, 3 * worlds))

    def test_tiled_worlds_replay_their_games(self):
        """Ten times the worlds are ten times the same games, their resets and maps included."""
        few = rollout("--worlds", 128, "--ticks", 1100, "--workload", "random")
        many = rollout("--worlds", 1280, "--ticks", 1100, "--workload", "random")
        self.assertGreater(few["games"], 128)
        for key in "world_ticks", "events", "goals", "games":
            self.assertEqual(many[key], 10 * few[key], key)

    def test_race_passes_checkpoints(self):
        found = rollout("--worlds", 256, "--ticks", 500)
        self.assertGreater(found["goals"], 256 * 10)
        self.assertGreater(found["games"], 0)
        self.assertEqual(found["faults"], 0)

    def test_soccer_shows_goals(self):
        sets = [isa["name"] for isa in json.loads(carom("info", "--json").stdout)["instruction_sets"] if isa["usable"]]
        digests = set()
        for isa in sets:
            done = carom("rollout", "soccer", "--json", "--worlds", 64, "--ticks", 600, "--isa", isa)
            self.assertEqual(done.returncode, 0, done)
            result = json.loads(done.stdout)
            digests.add(result["digest"])
            self.assertGreater(result["goals"], 20)
            self.assertEqual(result["faults"], 0)
        self.assertEqual(len(digests), 1)

    def test_frozen_worlds_do_not_count(self):
        found = rollout("--worlds", 128, "--ticks", 600, "--at-end", "freeze")
        self.assertEqual(found["games"], 128)
        self.assertLessEqual(found["world_ticks"], 128 * 500)
        found = rollout("--worlds", 128, "--ticks", 600, "--at-end", "play_on")
        self.assertEqual(found["world_ticks"], 128 * 600)

    def test_ctrl_c(self):
        command = [CAROM, "rollout", "csb", "--worlds", "200000", "--ticks", "1000000000", "--threads", "2"]
        times = []
        for extra in (1 if "CAROM_TEST_SHORT" in os.environ else 5) * (["--json"], []):
            code, shown, report, took = interrupted([*command, *extra], b"%")  # the run is within its first call
            times.append(took)
            self.assertEqual(code, 130)
            self.assertRegex(shown, rb"\r +\r\Z")
            if extra:
                found = json.loads(report)
                self.assertIs(found["interrupted"], True)
                self.assertLess(found["ticks"], 1000000000)  # played by every world: whole calls
                self.assertGreater(found["world_ticks"], 0)
                self.assertGreaterEqual(found["world_ticks"], 200000 * found["ticks"])
            else:
                self.assertIn(b"interrupted", report)
                self.assertIn(b"digest", report)
        self.assertLess(min(times), twice_ending())


CIRCLES = ("pairs", "indexed", "one", "first")  # shapes in which pairs of circles are solved
OTHERS = ("segments", "boxes", "polygon", "accelerated")


class Bench(Command):
    def bench(self, *arguments):
        done = carom("bench", "solvers", "--json", "--seconds", 1, *arguments)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def check_row(self, row):
        self.assertIn(row["shape"], CIRCLES + OTHERS)
        self.assertIn(row["precision"], ("f32", "f64"))
        self.assertIs(type(row["branches"]), bool)
        for key in "n", "bytes_per_pair":
            self.assertIs(type(row[key]), int, key)
        for key in "ns_per_pair", "pairs_per_s", "cycles_per_pair", "bytes_per_pair", "bytes_per_s":
            self.assertGreater(row[key], 0, key)
        if row["bandwidth_fraction"] is not None:
            self.assertGreater(row["bandwidth_fraction"], 0)
        self.assertTrue(0 <= row["hits"] <= 1)
        self.assertAlmostEqual(row["ns_per_pair"] * row["pairs_per_s"] / 1e9, 1, places=4)

    def test_every_case(self):
        rows = self.bench("--n", 100)
        for row in rows:
            self.check_row(row)
            self.assertEqual(row["n"], 100)
            self.assertIsNone(row["bandwidth_fraction"])  # the arrays lie in a cache
        found = [(row["variant"], row["branches"], row["shape"], row["precision"], row["isa"]) for row in rows]
        self.assertEqual(len(set(found)), len(found))
        variants = {row["variant"] for row in rows if row["shape"] in CIRCLES}
        self.assertEqual(len(variants), 14)
        wanted = {(variant, branches, shape, precision, isa)
                  for variant in variants for branches in (False, True) for precision in ("f32", "f64")
                  for shape in CIRCLES for isa in usable_sets()
                  if (isa == "scalar" if branches else variant != "pow")}
        wanted |= {(variant, False, shape, precision, isa) for precision in ("f32", "f64") for isa in usable_sets()
                   for shape in OTHERS for variant in (("bracketed", "ferrari") if shape == "accelerated"
                                                       else ("continuous",))}
        self.assertEqual(set(found), wanted)

    def test_choices(self):
        isa = usable_sets()[-1]
        rows = self.bench("--n", 64, "--solver", "fast", "--shape", "one", "--precision", "f32", "--isa", isa)
        self.assertIn("cross-citardauq", [row["variant"] for row in rows])
        for row in rows:
            self.check_row(row)
            self.assertEqual((row["n"], row["shape"], row["precision"], row["isa"]), (64, "one", "f32", isa))
        rows = self.bench("--n", 5, "--solver", "accurate/branches")
        self.assertEqual(len(rows), 8)
        for row in rows:
            self.assertEqual((row["variant"], row["branches"], row["isa"]), ("accurate", True, "scalar"))
        rows = self.bench("--n", 1000, "--solver", "bracketed", "--isa", isa)
        self.assertEqual([(row["shape"], row["precision"]) for row in rows],
                         [("accelerated", "f32"), ("accelerated", "f64")])
        for row in self.bench("--n", 2000, "--solver", "continuous", "--isa", isa, "--precision", "f64"):
            self.assertIn(row["shape"], OTHERS)
            self.assertTrue(0.02 < row["hits"] < 0.5, row)
            self.assertEqual(row["bytes_per_pair"], 48 if row["shape"] == "polygon" else 80)
        rows = self.bench("--n", 100000, "--solver", "half-b", "--shape", "pairs", "--precision", "f64")
        for row in rows:
            self.assertTrue(0.05 < row["hits"] < 0.2, row)  # some 10% of the pairs meet, however it is computed
            self.assertEqual(row["hits"], rows[0]["hits"])
            self.assertEqual(row["bytes_per_pair"], 48)

    def test_text(self):
        done = carom("bench", "solvers", "--n", 64, "--solver", "dot", "--shape", "pairs", "--seconds", 1)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in "ns/pair", "G pairs/s", "cycles", "bytes", "GB/s", "of copy", "dot/branches", "scalar":
            self.assertIn(word, done.stdout)

    def test_ctrl_c(self):
        command = [CAROM, "bench", "solvers", "--n", "1000", "--seconds", "20", "--json"]
        code, shown, report, took = interrupted(command, b"ns/pair")  # the first table has been printed
        self.assertEqual(code, 130)
        self.assertLess(took, twice_ending())
        self.assertIn(b"interrupted", shown)
        rows = json.loads(report)
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.check_row(row)


class Verify(Command):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "changed.txt"
        # One trace with impacts, as lines.
        self.lines = next(text for text in (path.read_text() for path in TRACES) if "\nB " in text).splitlines()

    def find(self, pattern):
        """Index of the first line that matches, and its turn."""
        turn = None
        for index, line in enumerate(self.lines):
            if line.startswith("T "):
                turn = int(line.split()[1])
            if re.match(pattern, line):
                return index, turn
        self.fail(f"no line {pattern}")

    def verify_changed(self):
        self.path.write_text("\n".join(self.lines) + "\n")
        return carom("verify", "csb", self.path)

    def change(self, pattern, field, value):
        """Changes one field of the first line that matches by `value`; returns what verify says, and the turn."""
        index, turn = self.find(pattern)
        parts = self.lines[index].split(" ")
        parts[field] = value(parts[field])
        self.lines[index] = " ".join(parts)
        return self.verify_changed(), turn

    def assert_one_mismatch(self, done, *words):
        self.assertEqual((done.returncode, done.stderr), (1, ""), done)
        message, summary = done.stdout.splitlines()
        self.assertRegex(summary, r"\A1 traces, \d+ turns, 1 mismatches\Z")
        for word in (str(self.path), *words):
            self.assertIn(word, message)

    def test_stones(self):
        """A trace of stones, and every number of its last tick changed in turn."""
        trace = next(path for path in STONES if "curve_full" in path.name)
        self.assertEqual(carom("verify", "stones", *STONES).returncode, 0)
        original = trace.read_text().splitlines()
        for pattern, fields in (r"s 0 ", range(2, 11)), (r"hit ", range(1, 5)), (r"tick 0 ", (3, 5)):
            index = max(k for k, line in enumerate(original) if line.startswith(pattern))
            for field in fields:
                with self.subTest(pattern=pattern, field=field):
                    self.lines = list(original)
                    parts = self.lines[index].split(" ")
                    was = parts[field]
                    parts[field] = "none" if "none" not in was and field == 8 else \
                        {"0": "1", "1": "0", "none": "1"}.get(was) or repr(float(was) * (1 + 1e-11))
                    parts[field] = "2" if pattern == "tick 0 " and field == 5 else parts[field]
                    self.lines[index] = " ".join(parts)
                    self.path.write_text("\n".join(self.lines) + "\n")
                    done = carom("verify", "stones", self.path)
                    self.assertEqual((done.returncode, done.stderr), (1, ""), (parts, done))
                    self.assertIn(str(self.path), done.stdout)

    def test_every_trace(self):
        turns = sum(int(re.search(r"^TURNS (\d+)$", path.read_text(), re.MULTILINE)[1]) for path in TRACES)
        wanted = f"{len(TRACES)} traces, {turns} turns, 0 mismatches\n"
        for isa in json.loads(carom("info", "--json").stdout)["instruction_sets"]:
            if isa["usable"]:
                done = carom("verify", "csb", "--isa", isa["name"], *TRACES)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, wanted, ""), isa["name"])

    def test_traces_of_different_length(self):
        _, last = self.find("T 5$")
        end, _ = self.find(f"T {last}$")
        self.lines = [re.sub(r"^TURNS \d+$", f"TURNS {last}", line) for line in self.lines[:end]]
        self.path.write_text("\n".join(self.lines) + "\n")
        done = carom("verify", "csb", self.path, *TRACES[:2])
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertRegex(done.stdout, r"\A3 traces, \d+ turns, 0 mismatches\n\Z")

    def test_start(self):
        done, _ = self.change("I 2 ", 2, lambda x: str(int(x) + 1))
        self.assert_one_mismatch(done, "start", "pod 2", "I x")

    def test_bounce_time(self):
        done, turn = self.change(r"B 0\.\d{8}", 1, lambda time: time[:6] + ("1" if time[6] != "1" else "2") + time[7:])
        self.assert_one_mismatch(done, f"turn {turn},", "pods", "B time")

    def test_bounce_pods(self):
        done, turn = self.change(r"B \S+ 3 1", 3, lambda pod: "0")
        self.assert_one_mismatch(done, f"turn {turn},", "pods 3 0", "B second pod", "the trace has 0, carom 1")

    def test_missing_bounce(self):
        index, turn = self.find("B ")
        while self.lines[index + 1].startswith("B "):  # the last one of the turn
            index += 1
        del self.lines[index]
        self.assert_one_mismatch(self.verify_changed(), f"turn {turn},", "number of B")

    def test_unrounded(self):
        for field, name in enumerate(["x", "y", "vx", "vy"], start=2):
            with self.subTest(name=name):
                self.setUp()
                # The first decimal: the last one of 17 digits need not make another double.
                done, turn = self.change(r"U 3( -?\d+\.\d{6,}){4}$", field, lambda number: re.sub(
                    r"\.(\d)", lambda digit: f".{9 - int(digit[1])}", number))
                self.assert_one_mismatch(done, f"turn {turn},", "pod 3", f"U {name}:")

    def test_state(self):
        names = ["x", "y", "vx", "vy", "angle", "next", "shield", "boosted", "won"]
        for field, name in enumerate(names, start=2):
            with self.subTest(name=name):
                self.setUp()
                if name == "angle":
                    done, turn = self.change(r"S 1( -?\d+){4} -?\d+\.\d{6,} ", field, lambda angle: re.sub(
                        r"\.(\d)", lambda digit: f".{9 - int(digit[1])}", angle))
                else:
                    done, turn = self.change("S 1 ", field,
                                             lambda number: "2" if name == "next" else str(int(number) ^ 1))
                self.assert_one_mismatch(done, f"turn {turn},", "pod 1", f"S {name}:")

    def test_timeouts(self):
        done, turn = self.change("P ", 2, lambda timeout: str(int(timeout) - 1))
        self.assert_one_mismatch(done, f"turn {turn},", "player 1", "P timeout", "the trace has 98, carom 99")

    def test_another_command(self):
        done, _ = self.change("C 0 ", 4, lambda thrust: "3" if thrust != "3" else "4")
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 22)
        for line in lines[:20]:
            self.assertRegex(line, r": turn \d+, .*: the trace has \S+, carom \S+\Z")
        self.assertRegex(lines[-1], r"\A1 traces, \d+ turns, \d+ mismatches\Z")

    def test_fantastic_bits(self):
        for isa in json.loads(carom("info", "--json").stdout)["instruction_sets"]:
            if isa["usable"]:
                done = carom("verify", "fantastic_bits", "--isa", isa["name"], *FANTASTIC)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                self.assertRegex(done.stdout, rf"\A{len(FANTASTIC)} traces, \d+ turns, 0 mismatches\n\Z")
        good = FANTASTIC[0].read_text().splitlines()
        changes = {  # the first line of that pattern: another number, and what is said about it
            r"hit PAIR ": (lambda line: re.sub(r"0\.(\d)", lambda digit: f"0.{9 - int(digit[1])}", line, count=1),
                           ["hit 0", "time left"]),
            r"pod 1 .*\|": (lambda line: line.replace(" wait 0", " wait 1"), ["wait 1: the trace has 1, carom 0"]),
            r"bludger 12 .*\|": (lambda line: line[:-1] + ("1" if line[-1] != "1" else "2"),
                                ["slot 12", "unrounded vy"]),
            r"over 0": (lambda line: "over 1", ["over: the trace has 1, carom 0"]),
        }
        for pattern, (change, words) in changes.items():
            self.lines = list(good)
            index = next(i for i, line in enumerate(good) if re.match(pattern, line))
            self.lines[index] = change(good[index])
            self.path.write_text("\n".join(self.lines) + "\n")
            with self.subTest(line=self.lines[index]):
                self.assert_one_mismatch(carom("verify", "fantastic_bits", self.path), *words)
        self.lines = list(good)
        self.lines[7] = self.lines[7].replace("players", "player")
        self.path.write_text("\n".join(self.lines) + "\n")
        self.assert_refused(carom("verify", "fantastic_bits", self.path), f"{self.path}:8: ")
        self.assert_refused(carom("verify", "fantastic_bits", TRACES[0]), f"{TRACES[0]}:1: ")

    def test_fall(self):
        for isa in json.loads(carom("info", "--json").stdout)["instruction_sets"]:
            if isa["usable"]:
                done = carom("verify", "fall", "--isa", isa["name"], *FALL)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                for words in "trace_13.txt: not played: springs", "trace_20.txt: the engine misses the collision of":
                    self.assertIn(words, done.stdout)
                played = len(FALL) - done.stdout.count(": not played: ")
                self.assertRegex(done.stdout, rf"\n{played} traces, \d+ turns, 0 mismatches\n\Z")
                self.assertGreater(played, len(FALL) / 2)
        good = next(path for path in FALL if path.name == "trace_02.txt").read_text().splitlines()
        index = next(i for i, line in enumerate(good) if "collision" in line)
        changes = [("CC 1 2", "CC 2 1", "first: the trace has 1, carom 0"), ("0.79215", "0.79216", "time"),
                   ("frame", "frome", None), ("frames 300", "frames 4294967295", None)]
        for old, new, words in changes:
            lines = [line.replace(old, new) if old != "frame" or i < index else line for i, line in enumerate(good)]
            self.path.write_text("\n".join(lines) + "\n")
            done = carom("verify", "fall", self.path)
            with self.subTest(new=new):
                self.assertEqual(done.returncode, 1 if words else 2, done)
                self.assertIn(words or f"{self.path}:", done.stdout + done.stderr)

    def test_nothing_played(self):
        done = carom("verify", "fall", *[path for path in FALL if path.name in ("trace_10.txt", "trace_13.txt")])
        self.assertEqual((done.returncode, done.stderr), (2, "carom: no trace was played\n"), done)
        self.assertRegex(done.stdout, r"\n0 traces, 0 turns, 0 mismatches\n\Z")

    def test_sign_of_zero(self):
        """A zero of the trace is not -0, and vice versa."""
        lines = next(path for path in STONES if path.name == "01_headon_rest.txt").read_text().splitlines()
        index = next(k for k, line in enumerate(lines) if line.startswith("s 0 100 80 0 18 0 "))
        lines[index] = lines[index].replace("80 0 18", "80 -0 18")
        self.path.write_text("\n".join(lines) + "\n")
        self.assert_one_mismatch(carom("verify", "stones", self.path), "course: the trace has -0, carom 0")

    def test_malformed(self):
        good = list(self.lines)
        for pattern in "CSBTRACE", "MAP ", "CP 1 ", "I 1 ", "TURNS", "T 3$", "C 2 ", "B ", "U 0 ", "S 3 ", "P ":
            for change in lambda line: "X" + line, lambda line: line + " 1", lambda line: "", lambda line: line + "x":
                self.lines = list(good)
                index, _ = self.find(pattern)
                self.lines[index] = change(self.lines[index])
                with self.subTest(line=self.lines[index]):
                    self.assert_refused(self.verify_changed(), f"{self.path}:{index + 1}: ")
        self.lines = good[:-1]
        self.assert_refused(self.verify_changed(), f"{self.path}:{len(good)}: ")


if __name__ == "__main__":
    if not TRACES:
        sys.exit(f"no traces in {sys.argv[2]}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
