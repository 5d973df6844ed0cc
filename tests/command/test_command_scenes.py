#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""carom run, and carom rollout of scenes, as programs: the gas, every example scene, errors in scenes.

usage: test_command_scenes.py CAROM DATA [unittest options]
"""
import csv
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from command_tests import CAROM, DATA, ENVIRONMENT, Command, carom, read_until, usable_sets  # noqa: E402

SCENES = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples" / "scenes").glob("*.json"))
STILL = ["penalty"]  # its bodies wait for actions


class Gas(Command):
    KEYS = {"bodies", "packing", "events", "seconds", "events_per_s", "energy_drift", "momentum_drift",
            "compressibility", "compressibility_error", "bytes_per_body", "digest", "seed", "precision", "isa", "box",
            "restitution", "time"}

    def run_gas(self, *arguments, env=None):
        done = carom("run", "gas", "--bodies", 500, "--equilibrate", 4, "--time", 20, "--json", *arguments, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)

    def test_report(self):
        for box in ("periodic", "solid"):
            report = self.run_gas("--box", box, "--seed", 3)
            self.assertLessEqual(self.KEYS, set(report))
            self.assertLess(abs(report["energy_drift"]), 1e-12)
            self.assertGreater(report["events"], 10000)
            scalar = self.run_gas("--box", box, "--seed", 3, env={"CAROM_ISA": "scalar"})
            self.assertEqual(report["digest"], scalar["digest"])

    def test_settling(self):
        """The denser the gas, the longer it runs before anything is measured."""
        for packing, units in (0.5, 16), (0.65, 32), (0.68, 64), (0.69, 400):
            command = "run", "gas", "--bodies", 50, "--packing", packing, "--time", 1, "--json"
            by_default, asked = carom(*command), carom(*command, "--equilibrate", units)
            self.assertEqual((asked.returncode, asked.stderr), (0, ""), asked)
            self.assertEqual(json.loads(by_default.stdout)["digest"], json.loads(asked.stdout)["digest"], packing)

    def test_interrupt(self):
        with subprocess.Popen([CAROM, "run", "gas", "--time", "1000000", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (130, ""))
        self.assertTrue(json.loads(out)["interrupted"])

    def test_files(self):
        """Events and frames match the run and do not change its digest; what a start is."""
        with tempfile.TemporaryDirectory() as folder:
            events, path, dump = (f"{folder}/{name}" for name in ("events.csv", "path.xyz", "path.dump"))
            plain = self.run_gas("--box", "solid")
            report = self.run_gas("--box", "solid", "--events", events, "--trajectory", path, "--interval", 2.5)
            self.assertEqual(report["digest"], plain["digest"])
            with open(events, encoding="ascii") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(sum(row["kind"] == "disk" for row in rows), report["events"])
            self.assertEqual(sum(row["kind"] == "side" for row in rows), report["sides"])
            times = [float(row["time"]) for row in rows]
            self.assertEqual(times, sorted(times))
            self.assertTrue(4 <= times[0] and times[-1] < 24)
            self.assertEqual(float(rows[0]["impulse_x"]) ** 2 + float(rows[0]["impulse_y"]) ** 2 > 0, True)

            frames = pathlib.Path(path).read_text(encoding="ascii").splitlines()
            self.assertEqual(len(frames), 8 * 502)  # at 5, 7.5, ..., 22.5
            self.assertIn("Time=5 ", frames[1])
            self.run_gas("--trajectory", dump, "--interval", 10)
            self.assertEqual(pathlib.Path(dump).read_text(encoding="ascii").count("ITEM: ATOMS"), 2)

            for end, head in ("svg", b"<svg"), ("png", b"\x89PNG"):
                self.run_gas("--picture", f"{folder}/a.{end}")
                self.assertEqual(pathlib.Path(f"{folder}/a.{end}").read_bytes()[:4], head)

        grown = self.run_gas("--start", "grown")
        self.assertNotEqual(grown["digest"], self.run_gas()["digest"])
        self.assert_refused(carom("run", "gas", "--trajectory", "path.txt"), "--trajectory", ".xyz")
        self.assert_refused(carom("run", "gas", "--picture", "a.gif"), "--picture", ".svg")
        self.assert_refused(carom("run", "gas", "--every", "12"), "--every", "8")

    def test_looking(self):
        """A gas, and one from a state, are seen as any scene is."""
        with tempfile.TemporaryDirectory() as folder:
            self.run_gas("--state", f"{folder}/state")
            for settings in (["bodies=60", "packing=0.6", "start=grown", "box=solid"], [f"state={folder}/state"]):
                wanted = [word for setting in settings for word in ("--set", setting)]
                done = carom("render", "gas", "--tick", 3, "--out", f"{folder}/a.svg", *wanted)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                svg = pathlib.Path(f"{folder}/a.svg").read_text(encoding="utf-8")
                self.assertGreaterEqual(svg.count("<circle"), 60 if len(settings) > 1 else 500)
                done = carom("view", "gas", "--ticks", 2, "--out", f"{folder}/a.html", *wanted)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            for setting, word in (("bodies=0", "bodies"), ("discs=4", "'discs'"),
                                  (f"state={folder}/a.svg", "not a state"),
                                  ("packing=0.89", "0.89"), (f"state={folder}/none", "no file")):
                self.assert_refused(carom("render", "gas", "--set", setting, "--out", f"{folder}/a.svg"), word)

    def test_killed(self):
        """A run that is killed again and again comes to the same digest, pressure and files."""
        keys = "digest", "events", "compressibility", "compressibility_error", "time", "sides", "crossings"
        with tempfile.TemporaryDirectory() as folder:
            def command(name, *more):
                return [CAROM, "run", "gas", "--bodies", "500", "--time", "160", "--equilibrate", "12", "--json",
                        "--every", "8", "--state", f"{folder}/{name}", "--events", f"{folder}/{name}.csv",
                        "--trajectory", f"{folder}/{name}.xyz", *more]
            whole = json.loads(subprocess.run(command("whole"), capture_output=True, check=True).stdout)
            kills = 0
            while kills < 50:
                with subprocess.Popen(command("killed"), stdout=subprocess.PIPE) as process:
                    time.sleep(0.05 + 0.01 * kills)
                    process.kill()
                    out, _ = process.communicate()
                if out:
                    break
                kills += 1
            self.assertGreater(kills, 1)
            found = json.loads(subprocess.run(command("killed"), capture_output=True, check=True).stdout)
            self.assertEqual([found[key] for key in keys], [whole[key] for key in keys])
            for end in "csv", "xyz":
                contents = [pathlib.Path(f"{folder}/{name}.{end}").read_bytes() for name in ("whole", "killed")]
                self.assertTrue(contents[0] == contents[1], end)
            plain = carom("run", "gas", "--bodies", 500, "--time", 160, "--equilibrate", 12, "--json")
            self.assertEqual(json.loads(plain.stdout)["digest"], whole["digest"])

            # The state of another run, and one that is damaged.
            self.assert_refused(carom(*command("whole", "--seed", "2")[1:]), "not a state of this run")
            state = pathlib.Path(f"{folder}/whole")
            state.write_bytes(state.read_bytes()[:-9])
            self.assert_refused(carom(*command("whole")[1:]), "not a state of carom run gas")


class Scenes(Command):
    """Scenes from files: carom run FILE, carom rollout FILE."""
    @classmethod
    def setUpClass(cls):
        done = carom("run", SCENES[0], "--ticks", 1)
        if "no JSON" in done.stderr:
            raise unittest.SkipTest("this build reads no scenes")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "scene.json"

    def scene(self, name):
        return next(path for path in SCENES if path.stem == name)

    def run_scene(self, *arguments):
        done = carom("run", "--json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)

    def rollout(self, *arguments):
        done = carom("rollout", "--json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)

    def refuse(self, text, *words, arguments=()):
        self.path.write_text(text if isinstance(text, str) else json.dumps(text))
        for command in "run", "rollout":
            with self.subTest(text=text, command=command):
                done = carom(command, self.path, *arguments)
                self.assert_refused(done, str(self.path), *words)
                self.assertEqual(done.stdout, "")

    def test_examples(self):
        """Each runs, without faults, to the same bits on every instruction set and number of threads."""
        self.assertGreaterEqual(len(SCENES), 6)
        for path in SCENES:
            for precision in "f64", "f32":
                common = [path, "--worlds", 20, "--ticks", 60, "--scatter", 0.25, "--precision", precision]
                wanted = self.run_scene(*common)
                self.assertEqual((wanted["faults"], wanted["world_ticks"]), (0, 1200), path)
                if path.stem not in STILL:
                    self.assertGreater(wanted["events"], 0, path)
                for isa in usable_sets():
                    for threads in 1, 2:
                        with self.subTest(path=path, precision=precision, isa=isa, threads=threads):
                            found = self.run_scene(*common, "--isa", isa, "--threads", threads)
                            for key in "digest", "events", "sensor_events", "energy", "momentum":
                                self.assertEqual(found[key], wanted[key], key)
            self.assertIn("about", json.loads(path.read_text()))
            found = self.rollout(path, "--worlds", 130, "--ticks", 30, "--scatter", 0.25)
            self.assertEqual((found["game"], found["scene"], found["world_ticks"]), ("scene", str(path), 3900))
            self.assertEqual((found["faults"], found["counts"]), (0, "sensor events"))

    def test_what_comes_to_rest(self):
        """Balls that have fallen lie on the floor: few impacts, no faults, and energy that is lost."""
        found = self.run_scene(self.scene("pins"), "--worlds", 4, "--ticks", 1500, "--scatter", 0.1)
        self.assertEqual(found["faults"], 0)
        self.assertLess(found["energy"], found["energy_start"])

    def test_conservation(self):
        found = self.run_scene(self.scene("gas"), "--worlds", 3, "--ticks", 400)
        self.assertGreater(found["events"], 5000)
        self.assertLess(abs(found["energy_drift"]), 1e-12)
        self.assertLess(found["momentum_drift"], 1e-12)
        self.path.write_text('{"bodies": [{"y": 5, "vx": 1, "ay": -10}, {"y": 2, "mass": "infinite"}], "box": {"from": '
                             '[-3, 0], "to": [3, 100], "horizontal": "solid", "vertical": "solid"}}')
        found = self.run_scene(self.path, "--dt", 0.05, "--ticks", 600)
        self.assertEqual((found["energy_start"], found["dt"]), (50.5, 0.05))
        self.assertGreater(found["events"], 50)
        self.assertLess(abs(found["energy_drift"]), 1e-9)

    def test_what_changes_a_digest(self):
        path = self.scene("arena")
        common = path, "--worlds", 5, "--ticks", 50
        runs = [[], ["--scatter", 0.1], ["--scatter", 0.1, "--seed", 2], ["--dt", 0.06], ["--precision", "f32"],
                ["--ticks", 51], ["--worlds", 6]]
        digests = [self.run_scene(*common, *extra)["digest"] for extra in runs]
        self.assertEqual(len(set(digests)), len(digests))
        self.assertEqual(self.run_scene(*common, "--seed", 9)["digest"], digests[0])  # nothing is drawn

    def test_solvers(self):
        path = self.scene("gas")
        digests = {}
        for solver in "fast", "cross-citardauq", "pow", "half-b", "accurate":
            found = self.run_scene(path, "--ticks", 20, "--solver", solver)
            self.assertEqual(found["solver"], "cross-citardauq" if solver == "fast" else solver)
            digests[solver] = found["digest"]
            played = self.rollout(path, "--worlds", 16, "--ticks", 20, "--solver", solver)
            self.assertEqual((played["solver"], played["faults"]), (found["solver"], 0))
        self.assertEqual(digests["fast"], digests["cross-citardauq"])
        self.assertGreater(len(set(digests.values())), 2)

    def test_engines(self):
        """Both give the same bits."""
        for path in SCENES:
            common = path, "--worlds", 5, "--ticks", 100, "--scatter", 0.3
            found = {engine: self.run_scene(*common, "--engine", engine) for engine in ("wide", "deep", "auto")}
            for engine, report in found.items():
                self.assertIn(report["engine"], ("wide", "deep") if engine == "auto" else (engine,))
                self.assertEqual(report["digest"], found["wide"]["digest"], (path, engine))

    def test_air_hockey(self):
        """A game for two without a line of C: goals end it, in both engines at the same time; it is recorded."""
        path, replay = self.scene("air_hockey"), self.folder / "hockey.carom"
        played = []
        for engine in "wide", "deep":
            self.path.write_text(json.dumps({**json.loads(path.read_text()), "engine": engine}))
            played.append(self.rollout(self.path, "--worlds", 200, "--ticks", 500, "--precision", "f32"))
            self.assertEqual(played[-1]["engine"], engine)
        wide, deep = played
        self.assertGreater(wide["games"], 50)
        self.assertGreaterEqual(wide["goals"], wide["games"])
        for key in "digest", "games", "goals", "events":
            self.assertEqual(wide[key], deep[key], key)
        done = carom("record", path, "--worlds", 3, "--ticks", 300, "--out", replay)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        done = carom("replay", replay)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        page = self.folder / "page.html"
        done = carom("view", path, "--ticks", 20, "--out", page)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertGreater(page.stat().st_size, 10000)

    def test_impacts(self):
        path, out = self.scene("air_hockey"), self.folder / "impacts.csv"
        common = path, "--worlds", 3, "--ticks", 400, "--scatter", 0.5
        found = self.run_scene(*common, "--events", out)
        self.assertEqual(found["digest"], self.run_scene(*common)["digest"])
        self.assertEqual((found["impacts_written"], found["impacts_lost"]), (found["events"], 0))
        head, *rows = [line.split(",") for line in out.read_text().splitlines()]
        self.assertEqual(head, "tick,world,time,kind,first,second,part,x,y,nx,ny,impulse".split(","))
        self.assertEqual(len(rows), found["events"])
        self.assertLessEqual({"body", "wall"}, {row[3] for row in rows})
        last = {}
        for row in rows:
            tick, world, time = int(row[0]), int(row[1]), float(row[2])
            self.assertTrue(tick * 0.01 - 1e-9 <= time <= (tick + 1) * 0.01 + 1e-9, row)
            self.assertLessEqual(last.get(world, 0), time)
            last[world] = time
            self.assertAlmostEqual(float(row[9]) ** 2 + float(row[10]) ** 2, 1, places=9)
            self.assertGreaterEqual(float(row[11]), 0)
        self.assert_refused(carom("run", path, "--events", self.folder), "--events", str(self.folder))
        if os.path.exists("/dev/full"):
            self.assert_refused(carom("run", *common, "--events", "/dev/full"), "--events", "/dev/full")

    def test_text(self):
        path = self.scene("billiards")
        done = carom("run", path, "--worlds", 1000, "--ticks", 20)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("billiards.json: 22 bodies, 6 walls, 0 polygons", "1,000", "world-ticks/s", "events/s", "energy",
                      "momentum", "faults", "digest", "wide engine", "cross-citardauq"):
            self.assertIn(words, done.stdout)
        done = carom("rollout", path, "--worlds", 1000, "--ticks", 20)
        for words in "billiards.json", "sensor events", "wide engine", "workload            random, normalised":
            self.assertIn(words, done.stdout)

    def test_progress_and_interrupt(self):
        for extra in ["--json"], []:
            command = [CAROM, "run", str(self.scene("gas")), "--worlds", "50", "--ticks", "100000000", *extra]
            terminal, end = pty.openpty()
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, env=ENVIRONMENT) as process:
                os.close(end)
                shown = read_until(terminal, b"events/s")
                process.send_signal(signal.SIGINT)
                shown += read_until(terminal, None)
                report = process.stdout.read().decode()
                process.wait()
            os.close(terminal)
            self.assertEqual(process.returncode, 130)
            self.assertRegex(shown, rb"\A\r\[[#.]+\] +\d+%  \d+\.\d+ M events/s")
            self.assertRegex(shown, rb"\r +\r\Z")
            if extra:
                self.assertIs(json.loads(report)["interrupted"], True)
            else:
                self.assertIn("of 100,000,000: interrupted", report)

    def test_terminated(self):
        """SIGTERM ends a run with its report."""
        with subprocess.Popen([CAROM, "run", SCENES[0], "--worlds", "16", "--ticks", "1000000000", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            report, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertTrue(json.loads(report)["interrupted"])

    def test_shared_objects_with_the_name_of_a_scene(self):
        """Loading one runs its code, so a file with such a name is read as a scene or a replay."""
        for name in "scene.json", "film.carom", "game":
            path = self.folder / name
            path.write_bytes(b"\x7fELF" + bytes(200))
            done = carom("record", path, "--out", self.folder / "out.carom")
            self.assert_refused(done)
            (self.assertIn if name == "game" else self.assertNotIn)("shared object", done.stderr)

    def test_files_without_end(self):
        self.assert_refused(carom("run", "/dev/zero"), "/dev/zero", "a byte of 0")
        self.assert_refused(carom("rollout", "/dev/zero"), "/dev/zero", "a byte of 0")

    def test_ticks_that_f32_cannot_hold(self):
        for dt in 1e-300, 1e39:
            self.path.write_text(json.dumps({"dt": dt, "engine": "deep", "bodies": [{}]}))
            for command in "run", "rollout":
                self.assert_refused(carom(command, self.path, "--precision", "f32"), "f32")

    def test_bad_scenes(self):
        good = {"bodies": [{}, {"x": 5}]}
        self.refuse("", "line 1")
        self.refuse('{"bodies": [{},\n}', "line 2")
        self.refuse("[]", "object")
        self.refuse({}, "bodies: there are none")
        self.refuse({**good, "colour": 1}, "colour: unknown key")
        self.refuse({"bodies": [{}, {"radius": "large"}]}, "bodies[1].radius: a number is expected")
        self.refuse({"bodies": [{}, {"radius": -1}]}, "body 1: radius -1 is negative")
        self.refuse({**good, "solver": "magic"}, "solver: unknown solver 'magic'")
        self.refuse({**good, "walls": [{"a": [1, 1], "b": [1, 1]}]}, "wall 0: both ends are the same point")
        self.refuse({"bodies": [{"x": 70000}]}, "f32", arguments=["--precision", "f32"])
        for solver, words in ("normalised", "answers another question"), ("pow/branches", "for arrays of pairs only"):
            self.refuse(good, words, arguments=["--solver", solver])
        self.path.write_bytes(b'{"bodies": [{}], "about": "\xff"}')
        self.assert_refused(carom("run", self.path), "line 1")

    def test_bad_options(self):
        path = self.scene("gas")
        for option in "--worlds", "--ticks", "--threads", "--seed":
            for value in "-1", "x", "", "1.5", "99999999999999999999999":
                self.assert_refused(carom("run", path, option, value), option)
            self.assert_refused(carom("run", path, option), option)
        for option, values in {"--dt": ["0", "-1", "x", "nan", "inf"], "--scatter": ["-1", "x", "nan"]}.items():
            for value in values:
                self.assert_refused(carom("run", path, option, value), option)
        for option in "--solver", "--engine", "--isa", "--precision":
            for value in "fly", "":
                self.assert_refused(carom("run", path, option, value), option, f"'{value}'")
        self.assert_refused(carom("run", path, path), str(path))
        self.assert_refused(carom("run", path, "--time", 3), "'--time'")
        self.assert_refused(carom("run", path, "--worlds", 10**15), "--worlds")
        self.assert_refused(carom("run", "/"), "'/'")
        self.assert_refused(carom("rollout", "csb", "--scatter", 1), "--scatter")
        self.assert_refused(carom("rollout", path, "--workload", "fly"), "--workload", "random")


if __name__ == "__main__":
    if not SCENES:
        sys.exit("no scenes in examples/scenes")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
