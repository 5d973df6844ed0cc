#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`--shard`, `--out` and `carom merge`: parts of a run add up to the whole, wherever they were made.

usage: test_shards.py CAROM DATA [unittest options]
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from command_tests import CAROM, ENVIRONMENT, Command, carom  # noqa: E402

ROLLOUT = ["rollout", "csb", "--worlds", "999", "--ticks", "150", "--seed", "3"]
ARENA = ["arena", "csb", "--a", "carom:race", "--b", "carom:ram", "--side", "carom:pile", "--games", "30"]
# What one run and merged parts have in common; times differ, of course.
COUNTS = ["worlds", "ticks", "world_ticks", "events", "goals", "games", "faults", "digest", "events_per_tick"]


def run(*arguments, env=None):
    done = carom(*arguments, env=env)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout


class Folder(Command):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.out = str(self.path / "part-%d.json")

    def tearDown(self):
        self.folder.cleanup()

    def parts(self):
        return sorted(self.path.glob("part-*.json"), key=lambda path: int(path.stem.split("-")[1]))

    def assert_not_merged(self, parts, *words, arguments=()):
        """Refused, and nothing printed before that."""
        done = carom("merge", *parts, *arguments)
        self.assert_refused(done, *words)
        self.assertEqual(done.stdout, "")

    def merged(self):
        return json.loads(run("merge", *self.parts(), "--json"))

    def assert_whole(self, arguments):
        whole, merged = json.loads(run(*arguments, "--json")), self.merged()
        if arguments is ROLLOUT:
            self.assertEqual({key: merged[key] for key in COUNTS}, {key: whole[key] for key in COUNTS})
        else:
            self.assertEqual(merged["pairings"], whole["pairings"])
            self.assertEqual(merged["sides"], whole["sides"])
        self.assertEqual(merged["shard"], [0, 1])


class Shards(Folder):
    def test_add_up(self):
        for arguments in ROLLOUT, ARENA:
            for number in 1, 2, 5:
                with self.subTest(command=arguments[0], shards=number):
                    for k in range(number):
                        self.assertEqual(run(*arguments, "--shard", f"{k}/{number}", "--out", self.out), "")
                    self.assertEqual(len(self.parts()), number)
                    self.assert_whole(arguments)
                    for path in self.parts():
                        path.unlink()

    def test_merge_twice(self):
        """The merged file is a whole run, which can be merged again. The order of the files does not matter."""
        for k in 0, 1, 2:
            run(*ROLLOUT, "--shard", f"{k}/3", "--out", self.out)
        first = run("merge", *self.parts(), "--json")
        (self.path / "all.json").write_text(first)
        self.assertEqual(run("merge", self.path / "all.json", "--json"), first)
        self.assertEqual(run("merge", *reversed(self.parts()), "--json"), first)
        self.assertIn(json.loads(first)["digest"], run("merge", *self.parts()))

    def test_environment(self):
        for rank, size in ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), \
                ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"):
            with self.subTest(launcher=rank):
                for k in 1, 0:
                    run(*ROLLOUT, "--out", self.out, env={rank: str(k), size: "2"})
                self.assert_whole(ROLLOUT)
        env = {"PMI_RANK": "1", "PMI_SIZE": "2", "SLURM_PROCID": "0", "SLURM_NTASKS": "7"}
        self.assertEqual(json.loads(run(*ROLLOUT, "--json", env=env))["shard"], [1, 2])
        self.assertEqual(json.loads(run(*ROLLOUT, "--json", "--shard", "0/3", env=env))["shard"], [0, 3])
        # A batch script of Slurm is not a task of a step.
        self.assertEqual(json.loads(run(*ROLLOUT, "--json", env={"SLURM_PROCID": "0", "SLURM_NTASKS": "7"}))["shard"],
                         [0, 1])
        self.assert_refused(carom(*ROLLOUT, env={"PMI_RANK": "2", "PMI_SIZE": "2"}), "PMI_RANK")
        self.assert_refused(carom(*ROLLOUT, env={"PMI_RANK": "x", "PMI_SIZE": "2"}), "PMI_RANK", "'x'")

    def test_missing(self):
        for k in 0, 2, 3, 5:
            run(*ARENA, "--shard", f"{k}/6", "--out", self.out)
        self.assert_refused(carom("merge", *self.parts()), "6 shards", "2 are missing: 1, 4")
        self.assert_refused(carom("merge", *self.parts(), self.parts()[0]), "both shard 0")

    def test_not_of_one_run(self):
        part = str(self.path / "part-%d.json")
        run(*ROLLOUT, "--shard", "0/2", "--out", part)
        other = self.path / "other.json"
        for arguments, word in (([*ROLLOUT, "--shard", "1/3"], "3"), ([*ROLLOUT[:-1], "4", "--shard", "1/2"], '"seed"'),
                                ([*ARENA, "--shard", "1/2"], '"command"'),
                                ([*ROLLOUT, "--workload", "ram", "--shard", "1/2"], '"workload"'),
                                ([*ROLLOUT, "--precision", "f32", "--shard", "1/2"], '"precision"'),
                                ([*ROLLOUT, "--worlds", "1998", "--shard", "1/2"], '"run_worlds"')):
            with self.subTest(word=word):
                run(*arguments, "--out", other.with_name("other-%d.json"))
                for json in [], ["--json"]:
                    self.assert_not_merged([self.parts()[0], self.path / "other-1.json"], word, arguments=json)
        run(*ARENA, "--shard", "0/2", "--out", part)
        run(*ARENA[:3], "carom:random", *ARENA[4:], "--shard", "1/2", "--out", part)
        self.assert_not_merged(self.parts(), '"sides"')
        for option, value, word in ("--ms", 50, '"ms"'), ("--late", "play", '"late"'), ("--games", 32, '"games"'), \
                ("--first", 1, '"first"'), ("--patience", 2, '"patience"'), ("--first-ms", 7, '"first_ms"'):
            with self.subTest(word=word):
                run(*ARENA, option, value, "--shard", "1/2", "--out", part)
                self.assert_not_merged(self.parts(), word)

    def test_not_of_one_scene(self):
        """Two files of the same name; their scenes differ in one number that no other member shows."""
        scene = {"bodies": [{"x": 0, "vx": 1}, {"x": 5}], "dt": 0.1}
        command = ["rollout", self.path / "scene.json", "--worlds", "2", "--ticks", "5", "--out", self.out]
        for k, mass in (0, 1), (1, 2):
            scene["bodies"][1]["mass"] = mass
            (self.path / "scene.json").write_text(json.dumps(scene))
            run(*command, "--shard", f"{k}/2")
        self.assert_not_merged(self.parts(), '"content"', "another game or scene")
        run(*command, "--shard", "0/2")
        self.assertEqual(self.merged()["worlds"], 2)

    def test_part_that_lies(self):
        """Numbers that no part of such a run can have; each is refused before anything is printed."""
        for k in 0, 1:
            run(*ROLLOUT, "--shard", f"{k}/2", "--out", self.out)
        text = self.parts()[1].read_text()
        found = json.loads(text)
        for old, new in (('"first_world": 500', '"first_world": 499'), ('"worlds": 499', '"worlds": 500'),
                         (f'"seconds": {found["seconds"]}', '"seconds": nan'), ('"seconds": ', '"seconds": -'),
                         ('"seconds": ', '"seconds": 1e999, "x": '), ('"seconds": ', '"seconds": 0x1, "x": '),
                         ('"seconds": ', '"seconds": 1, "seconds": '), ('"faults": 0', '"faults": 0, "faults": 0'),
                         ('"faults": 0', '"faults": [0]'), ('"events": ', '"events": 18446744073709551615, "x": '),
                         ('"faults": 0', '"faults": 18446744073709551616'), ('"counts": ', '"more": 1, "counts": '),
                         ('"digest": "', '"digest": "x'), ('"run_worlds"', '"runs"'), ('"games": ', '"games": -')):
            with self.subTest(new=new):
                self.assertIn(old, text)
                self.parts()[1].write_text(text.replace(old, new, 1))
                for arguments in [], ["--json"]:
                    self.assert_not_merged(self.parts(), "part-1.json", arguments=arguments)

    def test_damaged(self):
        run(*ARENA, "--shard", "0/1", "--out", self.out)
        text = self.parts()[0].read_text()
        for cut in range(0, len(text) - 2, 97):
            self.parts()[0].write_text(text[:cut])
            self.assert_refused(carom("merge", *self.parts()), "part-0.json")
        for bad in (text.replace('"shard": [0, 1]', '"shard": [1, 1]'), text.replace('"shard": [0, 1]', '"shard": 7'),
                    text.replace('"wins_a"', '"wins"'), text + "{}", "[" * 1000, "\0", "{}", "[]", "7",
                    text.replace('"b": 2', '"b": 9'), text.replace('"conduct": [{', '"conduct": [], "x": [{', 1),
                    text.replace('"wins_a": ', '"wins_a": 1', 1), text.replace('"a": 0', '"a": 1', 1),
                    text.replace('"answers": 0', '"answers": 0, "answers": 0'),
                    text.replace('"games": 30', '"games": 31'),
                    text.replace('"slowest": 0', '"slowest": nan'), text.replace('"slowest": 0', '"slowest": -1')):
            self.assertNotEqual(bad, text)
            self.parts()[0].write_text(bad)
            self.assert_not_merged(self.parts())

    def test_refused(self):
        for words, arguments in {
            ("--shard", "'3'"): [*ROLLOUT, "--shard", "3"], ("--shard", "large"): [*ROLLOUT, "--shard", "2/2"],
            ("--shard",): [*ROLLOUT, "--shard", "-1/2"], ("%d",): [*ROLLOUT, "--shard", "0/2", "--out", "x.json"],
            ("starts", "15"): [*ARENA, "--shard", "0/16"], ("worlds",): [*ROLLOUT, "--shard", "0/1000"],
            ("No such file",): [*ROLLOUT, "--out", "/no/such/folder/x"], ("which files",): ["merge"],
            ("/no/such/file",): ["merge", "/no/such/file"], ("'--fly'",): ["merge", "--fly"],
        }.items():
            with self.subTest(arguments=arguments):
                self.assert_refused(carom(*arguments), *words)

    def test_whole_or_not_there(self):
        """A run that is killed or interrupted leaves no part that looks whole. An interrupted report is not merged."""
        command = [CAROM, "rollout", "csb", "--worlds", "100000", "--ticks", "1000000", "--shard", "0/1", "--out",
                   self.out]
        for number, code in (signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130), (signal.SIGTERM, 130), \
                (signal.SIGHUP, 130):
            with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as process:
                until = time.monotonic() + 30
                while not (self.path / "part-0.json.part").exists() and time.monotonic() < until:
                    time.sleep(0.01)
                time.sleep(0.3)
                process.send_signal(number)
                message = process.stderr.read()
            self.assertEqual(process.returncode, code)
            self.assertEqual(self.parts(), [])
            if number != signal.SIGKILL:
                self.assertIn("part-0.json is not written", message)
                self.assertEqual(list(self.path.iterdir()), [])
        run(*ROLLOUT, "--shard", "0/1", "--out", self.out)
        text = self.parts()[0].read_text()
        self.parts()[0].write_text(text.replace('"interrupted": false', '"interrupted": true'))
        self.assert_refused(carom("merge", *self.parts()), "interrupted")


    def test_into_a_pipe(self):
        """A target that is not a regular file is written to, not replaced."""
        pipe = self.path / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
            done = carom(*ROLLOUT, "--out", pipe)
            if not pipe.is_fifo():
                reader.kill()
            self.assertEqual(json.loads(reader.stdout.read())["worlds"], 999)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(pipe.is_fifo())
        self.assertEqual(list(self.path.iterdir()), [pipe])
        self.assert_refused(carom(*ROLLOUT, "--out", self.path), str(self.path))
        self.assertEqual(list(self.path.iterdir()), [pipe])


class Resume(Folder):
    """Killed in the middle and started again: the output of an unbroken run."""

    RUNS = {
        "rollout": ["rollout", "csb", "--worlds", "999", "--ticks", "24000", "--threads", "1"],
        "arena": ["arena", "csb", "--a", "carom:cem:rollouts=24,sequences=12", "--b", "carom:race", "--side",
                  "carom:ram", "--games", "24", "--threads", "1"],
    }

    def kill(self, arguments, state):
        """Ends a run as soon as it has written a state."""
        with subprocess.Popen([CAROM, *arguments, "--state", state, "--json"], env=ENVIRONMENT,
                              stdout=subprocess.DEVNULL) as process:
            until = time.monotonic() + 60
            while not state.exists() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            process.kill()
        self.assertEqual(process.returncode, -signal.SIGKILL)

    @staticmethod
    def counts(text):
        return {key: value for key, value in json.loads(text).items() if "seconds" not in key and "_per_s" not in key}

    def test_killed(self):
        for name, arguments in self.RUNS.items():
            with self.subTest(command=name):
                state = self.path / name
                self.kill(arguments, state)
                first = state.read_bytes()
                again = run(*arguments, "--json", "--state", state)
                self.assertEqual(self.counts(again), self.counts(run(*arguments, "--json")))
                self.assertNotEqual(state.read_bytes(), first)
                # The file of a whole run: nothing is left to play.
                self.assertEqual(run(*arguments, "--json", "--state", state), again)
                self.assert_refused(carom(*arguments, "--state", state, "--seed", "2"), "not a state of carom " + name)
                for cut in 5, len(first) // 2, len(first) - 1:
                    state.write_bytes(first[:cut])
                    self.assert_refused(carom(*arguments, "--state", state), "not a state of carom " + name)
                state.write_bytes(first[:-4] + b"xxxx")
                self.assert_refused(carom(*arguments, "--state", state), "not a state of carom " + name)
                self.assert_refused(carom(*arguments, "--state", self.path))
                self.assert_refused(carom(*arguments, "--state", "x", "--shard", "0/2"), "--state", "%d")
        self.assert_refused(carom(*self.RUNS["rollout"], "--state", "x", "--record", "y"), "--state")

    def test_troubles(self):
        """Errors of programs are kept, too."""
        sides = ["arena", "csb", "--a", "exit 3", "--b", "carom:race", "--games", "4", "--json"]
        state = self.path / "state"
        first = run(*sides, "--state", state)
        again = run(*sides, "--state", state)
        self.assertEqual(again, first)
        conduct = json.loads(again)["pairings"][0]["conduct"][0]
        self.assertEqual((conduct["crashed"], conduct["first_trouble"][:15]), (4, "game 0, turn 0:"))


class Tune(Folder):
    TUNE = ["tune", "csb", "--plan", "cem:rollouts=16,sequences=8", "--population", "3", "--elites", "2", "--games",
            "8"]

    def generation(self, state, number):
        for k in range(number):
            self.assertEqual(run(*self.TUNE, "--state", state, "--shard", f"{k}/{number}", "--out", self.out), "")
        return run("merge", *self.parts(), "--state", state)

    def test_add_up(self):
        """Two generations, the games of each in parts: state and output are those of one run, byte for byte."""
        once, state = self.path / "once", self.path / "state"
        whole = run(*self.TUNE, "--generations", "2", "--state", once)
        self.assertEqual(whole.count("digest"), 2)
        told = self.generation(state, 3)
        parts = [path.read_text() for path in self.parts()]
        for path in self.parts():
            path.unlink()
        told += self.generation(state, 1)
        self.assertEqual(told, "".join(whole.splitlines(keepends=True)[:2]))
        self.assertEqual(state.read_bytes(), once.read_bytes())
        self.assertEqual(run(*self.TUNE, "--generations", "2", "--state", state), whole[len(told):])
        self.assert_refused(carom(*self.TUNE, "--generations", "2", "--state", state, "--shard", "0/2"), "are played")
        self.parts()[0].unlink()

        # The first generation's parts once more: one missing, one of another generation, damaged ones.
        for k in 0, 2:
            (self.path / f"part-{k}.json").write_text(parts[k])
        self.assert_refused(carom("merge", *self.parts(), "--state", state), "3 shards 1 is missing: 1")
        one = self.path / "part-1.json"
        run(*self.TUNE, "--state", state, "--shard", "1/3", "--out", self.out)
        self.assert_refused(carom("merge", *self.parts(), "--state", state), '"generation"')
        for old, new in ('"points": [', '"points": [7000, '), ('"points"', '"p"'), ('"elites": 2', '"elites": 9'), \
                ('"weights": [', '"weights": [0, '), ('"interrupted": false', '"interrupted": true'), \
                ('"version"', '"v"'):
            self.assertIn(old, parts[1])
            one.write_text(parts[1].replace(old, new))
            self.assert_refused(carom("merge", *self.parts(), "--state", state), "part-1.json")
        one.write_text(parts[1])
        self.assertEqual(state.read_bytes(), once.read_bytes())
        for arguments in [], ["--state", state, "--json"]:
            self.assert_refused(carom("merge", *self.parts(), *arguments), "--")
        self.assert_refused(carom(*self.TUNE, "--shard", "0/5"), "5 shards")

    def test_options(self):
        """With --set, a generation in parts; the state belongs to these options."""
        once, state, short = self.path / "once", self.path / "state", ["--set", "ticks=60"]
        whole = run(*self.TUNE, *short, "--generations", "1", "--state", once)
        for k in 0, 1:
            run(*self.TUNE, *short, "--state", state, "--shard", f"{k}/2", "--out", self.out)
        told = run("merge", *self.parts(), "--state", state)
        self.assertEqual(told, whole.splitlines(keepends=True)[0])
        self.assertEqual(state.read_bytes(), once.read_bytes())
        for other in [], ["--set", "ticks=61"]:
            self.assert_refused(carom(*self.TUNE, *other, "--state", state), "another run", "ticks=60")
        self.assertEqual(run(*self.TUNE, *short, "--generations", "1", "--state", state), whole[len(told):])
        run(*self.TUNE, "--state", self.path / "other", "--shard", "1/2", "--out", self.out)
        self.assert_refused(carom("merge", *self.parts(), "--state", state), '"options"')

    def test_environment(self):
        env = {"PMI_RANK": "1", "PMI_SIZE": "2"}
        self.assertEqual(json.loads(run(*self.TUNE, env=env))["shard"], [1, 2])


class SlurmArray(Folder):
    def test_script(self):
        """scripts/slurm_array as Slurm runs its tasks, one of them twice; python/tests/scale has a real Slurm."""
        script = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "slurm_array"
        command = [pathlib.Path(CAROM).resolve(), "arena", "csb", "--a", "carom:ram", "--b", "carom:race",
                   "--games", "12"]
        for k in 0, 1, 2, 0:
            env = {**ENVIRONMENT, "SLURM_ARRAY_TASK_ID": str(k), "SLURM_ARRAY_TASK_COUNT": "3",
                   "SLURM_CPUS_PER_TASK": "1"}
            subprocess.run([script, *command], cwd=self.path, env=env, check=True, stdout=subprocess.PIPE, timeout=60)
        self.assertEqual(self.merged()["pairings"][0]["games"], 12)


@unittest.skipUnless(shutil.which("mpirun.openmpi"), "Open MPI's mpirun is not installed (Debian: openmpi-bin)")
class OpenMPI(Folder):
    def mpirun(self, *command):
        env = {**ENVIRONMENT, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.run(["mpirun.openmpi", "--oversubscribe", "-n", "4", *command], env=env, text=True,
                              timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_ranks(self):
        done = self.mpirun(CAROM, *ROLLOUT, "--out", self.out)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(len(self.parts()), 4)
        self.assert_whole(ROLLOUT)

    def test_killed_rank(self):
        """Rank 2 kills itself before its first result: merge names the missing part."""
        script = f'[ "$OMPI_COMM_WORLD_RANK" = 2 ] && kill -9 $$; exec {" ".join([CAROM, *ROLLOUT])} --out {self.out}'
        done = self.mpirun("sh", "-c", script)
        self.assertNotEqual(done.returncode, 0)
        # mpirun ends the others with it if they are not done by then: play those again as a scheduler would.
        for k in {0, 1, 3} - {int(path.stem.split("-")[1]) for path in self.parts()}:
            run(*ROLLOUT, "--shard", f"{k}/4", "--out", self.out)
        self.assert_refused(carom("merge", *self.parts()), "4 shards 1 is missing: 2")
        run(*ROLLOUT, "--shard", "2/4", "--out", self.out)
        self.assert_whole(ROLLOUT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
