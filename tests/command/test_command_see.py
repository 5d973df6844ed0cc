#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands that record worlds and show them: record, replay, render.

usage: test_command_see.py CAROM DATA [unittest options]

Set the environment variable CAROM_PICTURES_WRITE=1 to rewrite the stored pictures (tests/data/pictures).
"""
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

sys.dont_write_bytecode = True
from command_tests import CAROM, ENVIRONMENT, Command, carom, usable_sets  # noqa: E402

SCENES = pathlib.Path(__file__).resolve().parents[2] / "examples/scenes"


VIEWER = pathlib.Path(__file__).resolve().parents[2] / "docs/viewer.md"
PICTURES = VIEWER.parent / "pictures"
STORED = pathlib.Path(__file__).resolve().parents[1] / "data/pictures"


class InFolder(Command):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name


class Replays(InFolder):

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

    def test_names_of_the_players(self):
        """A replay names the players of every world; replays without names can be read."""
        planner = "cem:rollouts=32,horizon=2"
        for what, names in {("csb", "--workload", f"{planner},race"): [planner, "race"],
                            ("soccer", "--workload", "random"): ["random", "random"],
                            ("csb",): ["race"] * 2,
                            (SCENES / "billiards.json",): ["still"]}.items():
            with self.subTest(what=what):
                self.record(*what, "--ticks", 4, "--worlds", 2)
                said = json.loads(carom("replay", self.path("x.carom"), "--notes", "--json").stdout)
                self.assertEqual([(n["tick"], n["world"], n["player"], n["kind"], n["text"]) for n in said["notes"]],
                                 [(0, world, player, "name", name) for world in range(2)
                                  for player, name in enumerate(names)])
        done = carom("replay", STORED.parent / "replay/version1.carom", "--notes", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["notes"]), (0, []))

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
                 "format 3": whole[:8] + b"\3" + whole[9:], "follow": whole + b"x"}
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

    def test_signals(self):
        """A recording that is interrupted is whole so far; one that is ended by a second signal leaves nothing."""
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            for times in 1, 2:
                out = self.path(f"{number}-{times}")
                with subprocess.Popen([CAROM, "record", "csb", "--ticks", "100000000", "--out", out], env=ENVIRONMENT,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                    until = time.monotonic() + 30
                    while not out.with_suffix(".part").exists() and time.monotonic() < until:
                        time.sleep(0.01)
                    time.sleep(0.05)
                    for _ in range(times):
                        process.send_signal(number)
                self.assertIn(process.returncode, [130, -number][:times])
                self.assertEqual(out.exists(), process.returncode == 130)
                self.assertFalse(out.with_suffix(".part").exists())
                if times == 1:
                    self.assertEqual(carom("replay", out).returncode, 0)

    def test_nohup(self):
        """A program that is to outlive its terminal does so."""
        out = self.path("nohup")
        with subprocess.Popen(["sh", "-c", f"trap '' HUP; exec {CAROM} record csb --ticks 100000000 --out {out}"],
                              env=ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
            while not out.with_suffix(".part").exists():
                time.sleep(0.01)
            process.send_signal(signal.SIGHUP)
            time.sleep(0.2)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
        self.assertEqual(process.returncode, 130)

    def test_full_disk(self):
        self.assert_refused(carom("record", "csb", "--worlds", 100, "--out", "/dev/full"), "No space")

    def test_into_what_is_no_file(self):
        """A pipe gets the replay and stays; a folder is refused, and no file is left next to it."""
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        for command in ["record", "csb", "--ticks", 20, "--out"], ["rollout", "csb", "--worlds", 2, "--record"]:
            with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
                self.assertEqual(carom(*command, pipe).returncode, 0)
                self.assertTrue(reader.stdout.read().startswith(b"CAROMR\r\n"))
            self.assert_refused(carom(*command, self.folder.name), "cannot write")
            self.assertFalse(pathlib.Path(self.folder.name + ".part").exists())
        self.assertTrue(pipe.is_fifo())
        self.assertEqual(os.listdir(self.folder.name), ["pipe"])



def bouncing(dt, gravity=0, speed=3, **box):
    """A scene of circles that hit each other and a wall several times in 24 units of time, with ticks of length dt."""
    draw = random.Random(30)
    sides = {"horizontal": "solid", "vertical": "solid", **box}
    return {"box": {"from": [0, 0], "to": [20, 12], **sides}, "dt": dt, "body": {"radius": 0.8, "ay": gravity},
            "bodies": [{"x": 2 + 4 * k % 18, "y": 2 + 3 * (k // 5), "mass": 1 + k % 3,
                        "vx": draw.uniform(-speed, speed), "vy": draw.uniform(-speed, speed)} for k in range(9)],
            "walls": [{"a": [6, 9.5], "b": [14, 10.5]}]}


# Paths that are straight, bent by gravity, and leave one side and enter at the other, also across more than half a box.
BOUNCING = {"straight": {}, "gravity": {"gravity": -2.5},
            "periodic": {"horizontal": "periodic", "vertical": "periodic"},
            "fast": {"horizontal": "periodic", "vertical": "periodic", "speed": 9}}
FINE = 8  # ticks of the fine scene in one of the coarse one
SAME = {"fast": 24}  # ticks of the fine scene after which what rounding does has grown too much; of others 80


RESTING = {"body": {"radius": 0.5, "ay": -10, "restitution": 0.2}, "bodies": [{"x": 0, "y": 0.6}, {"x": 3, "y": 0.5}],
           "walls": [{"a": [-9, 0], "b": [9, 0], "restitution": 0.2}], "dt": 0.1,
           "box": {"from": [-3, -1], "to": [5, 4], "horizontal": "solid", "vertical": "solid"}}


def read_png(data):
    """Width, height and the bytes of the pixels (three each) of a PNG."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
            assert (depth, colours) == (8, 2)
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    raw, row, rows = zlib.decompress(packed), bytearray(3 * width), []
    for y in range(height):
        line = raw[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
        above, row = row, bytearray(line[1:])
        for x in range(3 * width):
            left, up, corner = (row[x - 3], above[x], above[x - 3]) if x >= 3 else (0, above[x], 0)
            nearest = min((left, up, corner), key=lambda p: abs(left + up - corner - p))
            row[x] = row[x] + (0, left, up, (left + up) // 2, nearest)[line[0]] & 255
        rows.append(bytes(row))
    return width, height, b"".join(rows)


def apart(here, there, side):
    """The mean difference (of 255) of two pictures, as from read_png(), in the square of this many pixels where they
    differ most: the mean over a whole picture would hide a single body."""
    assert here[:2] == there[:2]
    width, squares = here[0], {}
    for k, (a, b) in enumerate(zip(here[2], there[2])):
        square = k // 3 // width // side, k // 3 % width // side
        squares[square] = squares.get(square, 0) + abs(a - b)
    return max(squares.values()) / (3 * side * side)


def without_circle(picture, x, y, radius):
    """The picture with a disk painted over in the colour of its corner."""
    width, height, pixels = picture
    painted = bytearray(pixels)
    for py in range(max(0, int(y - radius)), min(height, int(y + radius) + 1)):
        for px in range(max(0, int(x - radius)), min(width, int(x + radius) + 1)):
            if math.dist((px + 0.5, py + 0.5), (x, y)) <= radius:
                at = 3 * (py * width + px)
                painted[at:at + 3] = pixels[:3]
    return width, height, bytes(painted)


class Pictures(InFolder):
    SHOTS = {  # name: what is drawn
        "csb.svg": ("csb", "--tick", 60, "--ghosts", 6, "--horizon", 5),
        "csb_dark.svg": ("csb", "--tick", 90, "--dark", "--policy", "race,ram", "--no-captions"),
        "fantastic_bits.svg": ("fantastic_bits", "--tick", 40),
        "soccer.svg": ("soccer", "--tick", 200, "--precision", "f32"),
        "stones.svg": ("stones", "--tick", 50),
        "fall.svg": ("fall", "--tick", 60),
        "arena.svg": (SCENES / "arena.json", "--tick", 40, "--policy", "random"),
        "fall.png": ("fall", "--tick", 60, "--no-captions", "--width", 120),
    }
    WRITE = os.environ.get("CAROM_PICTURES_WRITE") is not None

    def render(self, *arguments, out):
        done = carom("render", *arguments, "--out", self.path(out))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), done)
        return self.path(out).read_bytes()

    def test_stored_svg(self):
        for name, what in self.SHOTS.items():
            with self.subTest(name=name):
                if name.endswith(".png"):
                    continue
                text = self.render(*what, "--width", 480, "--trail", 12, out=name).decode()
                if self.WRITE:
                    (STORED / name).write_text(text)
                self.compare_svg(text, (STORED / name).read_text())

    def test_pictures_of_pages(self):
        """They are what the commands next to them draw; the animation is complete and not too large."""
        commands = re.findall(r"^carom (render .*) --out docs/pictures/(\w+\.svg)$", VIEWER.read_text(), re.M)
        self.assertEqual(len(commands), 4)
        for command, name in commands:
            with self.subTest(name=name):
                words = [SCENES / w[len("examples/scenes/"):] if w.endswith(".json") else w for w in command.split()]
                text = self.render(*words[1:], out=name).decode()
                self.compare_svg(text, (PICTURES / name).read_text())
        moving = (PICTURES / "race.gif").read_bytes()
        self.assertEqual(moving[:6], b"GIF89a")
        self.assertLessEqual(len(moving), 2 << 20)

    def compare_svg(self, here, there):
        number = re.compile(r"(?<![\w#])-?\d+(?:\.\d+)?(?![\w])")
        self.assertEqual(number.sub("0", here), number.sub("0", there))
        for a, b in zip(number.findall(here), number.findall(there)):
            self.assertAlmostEqual(float(a), float(b), delta=0.02)

    def test_stored_png(self):
        data = self.render(*self.SHOTS["fall.png"], out="fall.png")
        if self.WRITE:
            (STORED / "fall.png").write_bytes(data)
        here, there = read_png(data), read_png((STORED / "fall.png").read_bytes())
        self.assertLess(apart(here, there, 6), 12)
        self.assertGreater(len(set(here[2])), 16)

        # A body that is missing would be seen.
        scale = 120 / 1.04
        bodies = self.circles("fall", "--tick", 60, "--width", 120)
        self.assertEqual(len(bodies), 4)
        for x, y, radius in bodies:
            self.assertAlmostEqual(radius, 0.05 * scale, delta=0.02)
            self.assertGreater(apart(without_circle(here, x, y, radius), there, 6), 40)

    def circles(self, name, *arguments):
        """Centres and radii of all circles in a picture without trails."""
        what = self.path(name) if name.endswith(".json") else name
        text = self.render(what, "--trail", 0, "--no-captions", *arguments, out="a.svg").decode()
        return [tuple(map(float, found)) for found in re.findall(r'<circle cx="(.*?)" cy="(.*?)" r="(.*?)"', text)]

    def test_true_motion(self):
        """Within a tick bodies are where a scene with shorter ticks has them, impacts or not."""
        for name, how in BOUNCING.items():
            self.path("coarse.json").write_text(json.dumps(bouncing(1, **how)))
            self.path("fine.json").write_text(json.dumps(bouncing(1 / FINE, **how)))
            for tick in range(3, SAME.get(name, 80), 7 if name == "fast" else 19):
                with self.subTest(name=name, tick=tick):
                    fine = self.circles("fine.json", "--tick", tick)
                    self.assertEqual(len(fine), 9)
                    for a, b in zip(self.circles("coarse.json", "--tick", tick / FINE), fine):
                        self.assertLess(math.dist(a, b), 0.03)

    def test_what_rests_does_not_tremble(self):
        """A ball that leans on the floor is not drawn on a parabola: it would rise by a dt^2 / 8, 1.2 pixels here."""
        self.path("rest.json").write_text(json.dumps(RESTING))
        still = self.circles("rest.json", "--tick", 40)
        for part in 0.2, 0.5, 0.7:
            for a, b in zip(self.circles("rest.json", "--tick", 40 + part), still):
                self.assertLess(math.dist(a, b), 0.03)

    def test_after_a_fault(self):
        """A world that a fault returned to the start of the tick has not moved in it, whatever its impacts."""
        self.path("drop.json").write_text(json.dumps({
            "max_events": 3, "bodies": [{"x": 0, "y": 3, "ay": -1}, {"x": 4, "y": 3, "ay": -1.1}],
            "walls": [{"a": [-5, 0], "b": [5, 0], "restitution": 0.1}]}))
        stood = 0
        for tick in range(30):
            here = self.circles("drop.json", "--tick", tick)
            if here == self.circles("drop.json", "--tick", tick + 1):
                stood += 1
                for part in 0.1, 0.5, 0.9:
                    self.assertEqual(self.circles("drop.json", "--tick", tick + part), here)
        self.assertGreater(stood, 0)

    def test_marks_are_drawn_from_the_impact_on(self):
        scene = {"bodies": [{"x": 0, "y": 3, "vy": -2.5}], "walls": [{"a": [-5, 0], "b": [5, 0]}]}
        self.path("wall.json").write_text(json.dumps(scene))
        lines = [self.render(self.path("wall.json"), "--tick", tick, "--no-captions", "--trail", 0, out="a.svg")
                 .count(b"<line") for tick in (0, 0.5, 0.79, 0.81, 1)]
        self.assertEqual([count - lines[0] for count in lines], [0, 0, 0, 2, 2])

    def test_trails_bend_at_impacts(self):
        """A ball that has left a wall again within the tick has been there."""
        scene = {"bodies": [{"x": 0, "y": 3, "vx": 0.5, "vy": -2.5}], "walls": [{"a": [-5, 0], "b": [5, 0]}],
                 "box": {"from": [-5, -1], "to": [5, 6], "horizontal": "solid", "vertical": "solid"}}
        self.path("wall.json").write_text(json.dumps(scene))
        what = self.path("wall.json"), "--tick", 1.5, "--width", 1000, "--no-captions"
        text = self.render(*what, out="a.svg").decode()
        trail = re.findall(r'<polyline points="(.*?)"', text)[-1]
        points = [tuple(map(float, point.split(","))) for point in trail.split()]
        scale = 1000 / 10.4
        # The ball, of radius 1, meets the wall after 0.8 ticks; --tick 1.5 is 0.7 ticks later.
        for x, y in (0.4, 1), (0.75, 1 + 0.7 * 2.5):
            at = scale * (5.2 + x), scale * (6.2 - y)
            self.assertLess(min(math.dist(point, at) for point in points), 0.03)

    def test_instants_of_impacts(self):
        """Two circles touch, with at most four arrows, the normal through the contact, and the impulse."""
        scene = {"bodies": [{"x": 0, "y": 0, "vx": 3, "mass": 2}, {"x": 4, "y": 0, "vx": -1, "radius": 0.5}]}
        self.path("two.json").write_text(json.dumps(scene))
        what = self.path("two.json"), "--tick", 0, "--no-captions", "--trail", 0
        plain = self.render(*what, out="a.svg").decode()
        text = self.render(*what, "--impacts", out="a.svg").decode()
        outlines = re.findall(r'<circle cx="(.*?)" cy="(.*?)" r="(.*?)" fill="none"', text)
        (x1, y1, r1), (x2, y2, r2) = [tuple(map(float, found)) for found in outlines]
        self.assertAlmostEqual(x2 - x1, r1 + r2, delta=0.03)
        self.assertAlmostEqual(r1, 2 * r2, delta=0.02)
        self.assertAlmostEqual(y1, y2, delta=0.02)
        # Three lines an arrow, one the normal, two the cross that marks the place.
        self.assertEqual(text.count("<line") - plain.count("<line"), 4 * 3 + 1 + 2)
        # Head-on and elastic: 2 m M / (m + M) times the relative velocity.
        self.assertIn(">5.333</text>", text)
        late = carom("render", *what[:1], "--impacts", "--tick", 5, "--out", self.path("x.svg"))
        self.assert_refused(late, "--impacts")

    def test_replay_and_game_look_alike(self):
        self.assertEqual(carom("record", "csb", "--ticks", 150, "--out", self.path("r")).returncode, 0)
        again = self.render(self.path("r"), "--tick", 120, out="a.svg")
        self.assertEqual(again, self.render("csb", "--tick", 120, out="b.svg"))
        self.assertIn(b"tick 150", self.render(self.path("r"), out="c.svg"))
        self.assertIn(b"tick 0<", self.render(self.path("r"), "--tick", 0, out="d.svg"))
        ghosts = self.render(self.path("r"), "--tick", 120, "--ghosts", 9, out="a.svg")
        self.assertEqual(ghosts, self.render("csb", "--tick", 120, "--ghosts", 9, out="b.svg"))
        self.assertEqual(ghosts.count(b"<polyline") - again.count(b"<polyline"), 2 * 9)

    def test_ghosts_of_another_world(self):
        """They are those of the world that is drawn, from a game and from its replay."""
        self.assertEqual(carom("record", "csb", "--ticks", 60, "--worlds", 3, "--out", self.path("r")).returncode, 0)
        seen = []
        for world in 0, 2:
            what = ("--tick", 50, "--ghosts", 7, "--trail", 0, "--world", world)
            seen.append(self.render(self.path("r"), *what, out="a.svg"))
            self.assertEqual(seen[-1], self.render("csb", "--worlds", 3, *what, out="b.svg"))
            text = seen[-1].decode()
            begins = set(re.findall(r'<polyline points="([\d.]+),([\d.]+) ', text))
            pods = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" fill="#1769c4"', text)
            self.assertEqual((begins, len(pods)), (set(pods), 2))
        self.assertNotEqual(*seen)

    def test_ghosts_begin_at_the_moment_shown(self):
        """Within a tick a ghost starts at its body, since there are no actions here, and leads to where it will be; so
        does one at the next impact, however many ticks away."""
        self.path("x.json").write_text(json.dumps(bouncing(1)))

        def lines(*arguments):
            text = self.render(self.path("x.json"), "--trail", 0, "--no-captions", "--ghosts", 1, *arguments,
                               out="a.svg").decode()
            lines = [[tuple(map(float, point.split(","))) for point in found.split()]
                     for found in re.findall(r'<polyline points="(.*?)"', text)]
            circles = re.findall(r'<circle cx="(.*?)" cy="(.*?)" r=".*?" fill="#', text)
            self.assertEqual((len(lines), len(circles)), (9, 9))
            return lines, [tuple(map(float, circle)) for circle in circles]

        ends = self.circles("x.json", "--tick", 8)
        for tick in 3, 3.37, 3.999:
            ghosts, bodies = lines("--tick", tick, "--horizon", 5)
            for ghost, body, end in zip(ghosts, bodies, ends):
                self.assertLess(math.dist(ghost[0], body), 0.03)
                self.assertLess(math.dist(ghost[-1], end[:2]), 0.03)
            self.assertGreater(sum(map(len, ghosts)), 9 * 6)
        ghosts, bodies = lines("--impacts", "--tick", 3.5, "--horizon", 2)
        for ghost, body in zip(ghosts, bodies):
            self.assertLess(math.dist(ghost[0], body), 0.03)
        two = {"dt": 1, "bodies": [{"x": 0, "y": 0, "vx": 1}, {"x": 9.25, "y": 0}]}
        self.path("x.json").write_text(json.dumps(two))
        text = self.render(self.path("x.json"), "--impacts", "--tick", 2, "--trail", 0, "--ghosts", 1,
                           "--horizon", 2, out="a.svg").decode()
        begin = re.search(r'<polyline points="([\d.]+),([\d.]+) ', text).groups()
        bodies = re.findall(r'<circle cx="(.*?)" cy="(.*?)" r=".*?" fill="#', text)
        self.assertIn(begin, bodies)

    def test_generations(self):
        """Of a planner that plays: the last generation and the plan, or another one; of an own number of futures."""
        what = ("csb", "--policy", "cem:rollouts=512,horizon=5,race", "--tick", 20, "--trail", 0, "--world", 0)
        bare = self.render(*what, "--ghosts", 0, out="a.svg").count(b"<polyline")
        last = self.render(*what, out="a.svg")
        self.assertEqual(last.count(b"<polyline") - bare, 2 * 17)
        self.assertEqual(self.render(*what, "--ghosts", 5, out="a.svg").count(b"<polyline") - bare, 2 * 6)
        self.assertEqual(self.render(*what, "--generation", 2, out="a.svg"), last)
        self.assertNotEqual(self.render(*what, "--generation", 0, out="a.svg"), last)
        self.assert_refused(carom("render", *what, "--generation", 3, "--out", self.path("x.svg")), "had 3")

    def test_recorded_planners(self):
        """A replay of planners needs none: it shows what they did."""
        what = ("csb", "--policy", "race,mppi:rollouts=128,horizon=4", "--worlds", 3)
        done = carom("record", *what, "--ticks", 30, "--out", self.path("r"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(carom("replay", self.path("r")).returncode, 0)
        self.assertEqual(self.render(self.path("r"), "--tick", 30, "--world", 2, out="a.svg"),
                         self.render(*what, "--tick", 30, "--world", 2, "--ghosts", 0, out="b.svg"))

    def test_every_instruction_set_draws_the_same(self):
        first = self.render("fantastic_bits", "--tick", 70, "--isa", "scalar", out="a.svg")
        for isa in usable_sets():
            self.assertEqual(self.render("fantastic_bits", "--tick", 70, "--isa", isa, out="b.svg"), first)

    def test_moving(self):
        if shutil.which("ffmpeg") is None:
            self.skipTest("ffmpeg is not there (Debian: ffmpeg)")
        data = self.render("csb", "--from", 10, "--to", 14, "--width", 200, "--per-tick", 2, out="a.gif")
        self.assertEqual(data[:6], b"GIF89a")
        self.assertEqual(struct.unpack("<H", data[6:8]), (200,))
        self.assertGreaterEqual(data.count(b"\x21\xf9\x04"), 8)  # pictures: their control blocks
        data = self.render("soccer", "--to", 3, "--width", 201, "--ghosts", 3, out="a.mp4")
        self.assertEqual(data[4:8], b"ftyp")

    def test_without_ffmpeg(self):
        done = carom("render", "csb", "--to", 3, "--out", self.path("a.gif"), env={"PATH": "/nowhere"})
        self.assert_refused(done, "ffmpeg")
        self.assertEqual(list(pathlib.Path(self.folder.name).iterdir()), [])

    def test_arguments(self):
        out = ("--out", self.path("x.svg"))
        self.assert_refused(carom("render", "csb"), "--out")
        self.assert_refused(carom("render", *out), "which game, scene or replay")
        self.assert_refused(carom("render", "csb", "--out", self.path("x.bmp")), ".bmp")
        self.assert_refused(carom("render", "csb", *out, "--from", 3), "--from")
        self.assert_refused(carom("render", "csb", *out, "--world", 1), "--world")
        self.assert_refused(carom("render", "chess", *out), "'chess'")
        self.assert_refused(carom("render", "csb", "--fly", *out), "--fly")
        for option in "--tick", "--trail", "--ghosts", "--horizon", "--width", "--fps", "--per-tick", "--world":
            self.assert_refused(carom("render", "csb", *out, option, "x"), option)
        self.assert_refused(carom("render", "csb", *out, "--width", 3), "--width")
        self.assertEqual(carom("record", "csb", "--ticks", 5, "--out", self.path("r")).returncode, 0)
        self.assert_refused(carom("render", self.path("r"), *out, "--tick", 6), "5 ticks")
        self.assert_refused(carom("render", self.path("r"), *out, "--seed", 6), "is a replay")
        self.assert_refused(carom("render", "csb", "--out", self.path("no/x.svg")), "cannot write")
        self.assert_refused(carom("render", "csb", "--out", self.path("no/x.gif"), "--tick", 3), "--tick")
        self.assertFalse(self.path("x.svg").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
