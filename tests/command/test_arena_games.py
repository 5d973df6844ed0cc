#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`carom arena` in every game: Carom's lines, games of one player and of three, results by game, tests of two sides.

usage: test_arena_games.py CAROM DATA [unittest options]; LINE_BOT in the environment is tests/command/line_bot.c
"""
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from command_tests import Command, carom  # noqa: E402

SCENES = pathlib.Path(__file__).resolve().parents[2] / "examples/scenes"
LINE_BOT = os.environ.get("LINE_BOT", "line_bot")
PATIENT = ["--ms", "20000", "--first-ms", "30000", "--patience", "60"]
ECHO = """import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "action":
        count = int(words[3])
    if words[0] == "go":
        answer(count)
"""


def arena(game, *arguments):
    done = carom("arena", game, "--json", *PATIENT, *arguments)
    assert done.returncode == 0 and done.stderr == "", done
    return json.loads(done.stdout)


def duel(game, a, b, *arguments):
    return arena(game, "--a", a, "--b", b, *arguments)["pairings"][0]


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


# The state of a run of 8 games after 4, in the format without results by game, tests and other protocols.
OLD_STATE = """\
carom arena VERSION csb seed 1 first 0 games 8 shard 0 1 gauntlet 0 scores 0 late 0 ms 0.074999999999999997 1 9
set ticks=300
side carom:race
side exit 3
side carom:ram
starts 2 seconds 0.1
4 4 0 0 0 13404a867eba8dea 0 0 0 0 0 0 0 0 0 18446744073709551615 0 0 0 4 0 0 0 0 0 0

game 0, turn 0: ended with exit code 127
4 4 0 0 0 5200ad3f37fadd5f 0 0 0 0 0 0 0 0 0 18446744073709551615 0 0 0 0 0 0 0 0 0 18446744073709551615


4 0 4 0 0 13404a867eba8dea 0 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 18446744073709551615
game 0, turn 0: ended with exit code 127

end
"""


class Folder(Command):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def three(self):
        """The scene of four goals for three players: without the fourth one's puck, mallet, goal and rules."""
        scene = json.loads((SCENES / "four_goals.json").read_text())
        kept = [0, 1, 2, 4, 5, 6]
        scene["bodies"] = [scene["bodies"][k] for k in kept]
        scene["walls"] = scene["walls"][:3]
        scene["rules"] = [dict(rule, body=kept.index(rule["body"])) for rule in scene["rules"]
                          if rule["body"] in kept and rule["kind"] == "meets_wall" and rule["which"] < 3]
        del scene["views"], scene["about"]
        path = self.folder / "three.json"
        path.write_text(json.dumps(scene))
        return path

    def program(self, answer):
        path = self.folder / f"program_{abs(hash(answer))}.py"
        path.write_text(f"def answer(count):\n    {answer}\n" + ECHO)
        return f"{sys.executable} -S -E {path}"


class Lines(Folder):
    def test_policies_by_lines(self):
        """Each built-in policy by Carom's lines, and within the process: the same games, to the last bit."""
        scene = SCENES / "four_goals.json"
        games = {game["name"]: game["policies"] for game in json.loads(carom("info", "--json").stdout)["games"]}
        games |= {scene: ["still", "random"], self.three(): ["still", "random"]}
        options = {"soccer": ["--set", "ticks=150", "--set", "robots=2"], "fall": ["--set", "last_tick=60"],
                   "csb": ["--set", "ticks=120"], "stones": ["--set", "stones=5"]}
        for game, policies in games.items():
            for policy in policies:
                with self.subTest(game=str(game), policy=policy):
                    other = f"carom:{policies[-1]}"
                    rest = ["--games", 6 if "three" in str(game) else 2, "--protocol", "carom", "--seed", 11,
                            *options.get(game, [])]
                    within = duel(game, f"carom:{policy}", other, *rest)
                    told = duel(game, f"{LINE_BOT} {game} {policy}", other, *rest)
                    self.assertIsNone(told["conduct"][0]["first_trouble"])
                    self.assertGreater(told["conduct"][0]["answers"], 0)
                    for key in "digest", "wins_a", "wins_b", "draws":
                        self.assertEqual(told[key], within[key], key)

    def test_what_is_told(self):
        """The tables of the game: options, kinds, a name and a unit for each number, and what others did."""
        path = self.folder / "told"
        program = self.program("print(*['-0.125'] * count, '# hi', flush=True)")
        spy = f"tee {path} | {program}"
        duel("stones", spy, "carom:strike", "--games", 2, "--set", "stones=4", "--set", "ticks=3", "--seed", 5,
             "--concurrency", 1)
        text = path.read_text().splitlines()
        greeting = text[:text.index("ready")]
        self.assertEqual(greeting[:6], ["carom 1", "game stones", "players 2", "seat 1", "seed 5", "world 0"])
        for line in "option stones 4", "option ticks 3", "option ring 400", "option rules as_shipped", \
                "time 30000 20000", "action normalised f32 4":
            self.assertIn(line, greeting)
        kind = next(line for line in greeting if line.startswith("observation "))
        self.assertRegex(kind, r"\Aobservation raw 1 \d+\Z")
        numbers = [line for line in greeting if line.startswith("number ")]
        self.assertEqual(len(numbers), int(kind.split()[3]))
        for line in numbers:
            self.assertRegex(line, r"\Anumber \S+ \S+ [^;]+; .*\Z")
        turns = text[text.index("ready") + 1:]
        self.assertEqual([line for line in turns if line.startswith("turn")], ["turn 0", "turn 1", "turn 2"])
        self.assertEqual(sum(line.startswith("did") for line in turns), 2 * 2)
        self.assertEqual(turns[0:1] + turns[2:4], ["turn 0", "go", "turn 1"])
        self.assertEqual(turns[5], "did -0.125 -0.125 -0.125 -0.125")
        self.assertEqual({len(line.split()) for line in turns if line.startswith("see")}, {1 + len(numbers)})

    def test_observation(self):
        path = self.folder / "told"
        spy = f"tee {path} | " + self.program("print(*[1 / 3] * count, flush=True)")
        duel("csb", spy, "carom:race", "--games", 2, "--protocol", "carom", "--observation", "ego", "--set", "ticks=2",
             "--concurrency", 1)
        text = path.read_text().splitlines()
        self.assertTrue(any(line.startswith("observation ego 2 ") for line in text))
        self.assertEqual(sum(line.startswith("see ") for line in text), 2 * 2)
        did = [line.split()[1:] for line in text if line.startswith("did ")]
        self.assertEqual([float(word) for word in did[1]], [1 / 3] * 6)  # doubles, to the last bit

    def test_rubbish(self):
        """A line that is not a row of numbers loses, and the report quotes it."""
        for answer in "print('0 x', flush=True)", "print('0', flush=True)", "print('0 0 0 0 0', flush=True)", \
                "print('nan 0 0 0', flush=True)", "print('0 0 0 inf', flush=True)", "print('', flush=True)", \
                "print('0 0 0 0 hello', flush=True)", "print('0,0,0,0', flush=True)":
            found = duel("stones", self.program(answer), "carom:random", "--games", 2)
            self.assertEqual((found["wins_b"], found["conduct"][0]["rubbish"]), (2, 2), answer)
            self.assertIn("is not a row of 4 numbers", found["conduct"][0]["first_trouble"])
        found = duel("stones", self.program("print('0 0 0 0\\n0', flush=True)"), "carom:random", "--games", 2)
        self.assertEqual(found["conduct"][0]["flooded"], 2)
        for numbers in "0 0 -1e5 0 0 0", "0 0 0 0 0 -1e5":  # would leave the range of csb's worlds, and draw
            found = duel("csb", self.program(f"print('{numbers}', flush=True)"), "carom:race", "--games", 2,
                         "--protocol", "carom")
            self.assertEqual((found["wins_b"], found["conduct"][0]["rubbish"]), (2, 2))

    def test_message(self):
        program = self.program("print(*[0] * count, '#  well', flush=True)")
        duel("stones", program, "carom:random", "--games", 2, "--set", "ticks=2", "--record", self.folder / "new")
        told = json.loads(carom("replay", self.folder / "new/1-2-0.carom", "--notes", "--json").stdout)
        said = [(note["tick"], note["player"], note["text"]) for note in told["notes"] if note["kind"] == "message"]
        self.assertEqual(said, [(0, 0, "well"), (1, 0, "well")])


class OnePlayer(Folder):
    def test_score_against_score(self):
        """The sum of rewards decides, start by start, and both sides play the same starts."""
        path = self.folder / "games"
        found = duel("fall", "carom:random", "carom:still", "--games", 40, "--results", path, "--set", "last_tick=100")
        games = lines_of(path)
        self.assertEqual(len(games), 40)
        wins = [game["returns"][0] > game["returns"][1] for game in games]
        self.assertEqual((found["wins_a"], found["wins_b"]), (sum(wins), 40 - sum(wins)))
        self.assertTrue(0 < sum(wins) < 40)
        turned = duel("fall", "carom:still", "carom:random", "--games", 40, "--set", "last_tick=100")
        self.assertEqual((turned["wins_b"], turned["wins_a"]), (found["wins_a"], found["wins_b"]))
        self.assertEqual(turned["digest"], found["digest"])
        alone = duel("fall", "carom:still", "carom:still", "--games", 7)
        self.assertEqual((alone["draws"], alone["score_a"]), (7, 0.5))

    def test_one_by_one(self):
        """Recording does not change the games; each side has its own replays."""
        options = ["--games", 3, "--set", "last_tick=50"]
        found = duel("fall", "carom:random", "carom:still", *options)
        again = duel("fall", "carom:random", "carom:still", *options, "--record", self.folder / "new")
        self.assertEqual(again, found)
        names = sorted(path.name for path in (self.folder / "new").iterdir())
        self.assertEqual(names, [f"1-2-{game}-{side}.carom" for game in range(3) for side in (1, 2)])
        self.assertEqual(carom("replay", self.folder / "new/1-2-2-2.carom").returncode, 0)

    def test_parts(self):
        """Parts of games of one player and of three add up to the whole."""
        for game, games in ("fall", 6), (self.three(), 24):
            sides = ["--a", "carom:random", "--b", "carom:still", "--games", games, *PATIENT]
            for k in range(2):
                done = carom("arena", game, *sides, "--shard", f"{k}/2", "--out", f"{self.folder}/%d.json")
                self.assertEqual(done.returncode, 0, done.stderr)
            merged = carom("merge", "--json", self.folder / "0.json", self.folder / "1.json")
            self.assertEqual(merged.returncode, 0, merged.stderr)
            self.assertEqual(json.loads(merged.stdout)["pairings"], arena(game, *sides)["pairings"])

    def test_faults(self):
        """A world that leaves its range decides nothing, in lanes and one by one."""
        scene = {"dt": 1, "last_tick": 3, "speed_limit": 100, "action": "velocity", "action_scale": 100,
                 "box": {"from": [-10, -10], "to": [10, 10], "horizontal": "open", "vertical": "open"},
                 "reward": {"kind": "distance", "body": 0, "at": [0, 0]},
                 "bodies": [{"x": 1073741800, "y": 0, "radius": 1, "acts": True}]}
        path = self.folder / "far.json"
        path.write_text(json.dumps(scene))
        told = []
        for more in [], ["--record", self.folder / "new"]:
            found = duel(path, "carom:random", "carom:still", "--games", 20, "--results", self.folder / "games", *more)
            told.append((found, [{k: v for k, v in game.items() if k not in ("score", "returns", "ticks")}
                                 for game in lines_of(self.folder / "games")]))
        self.assertEqual(*told)
        found, games = told[0]
        faults = [game for game in games if game["fault"]]
        self.assertTrue(0 < found["faults"] == len(faults) < 20)
        self.assertEqual([game["winner"] for game in faults], [None] * len(faults))
        self.assertEqual(found["draws"], len(faults))

    def test_scene(self):
        """A search shoots a ball at a goal, better than an idle player."""
        found = duel(SCENES / "penalty.json", "carom:cem:rollouts=200,horizon=15,hold=3", "carom:still", "--games", 8)
        self.assertGreaterEqual(found["wins_a"], 6)

    def test_trouble(self):
        found = duel("fall", "exit 3", "carom:still", "--games", 4)
        self.assertEqual((found["wins_b"], found["conduct"][0]["crashed"]), (4, 4))
        found = duel("fall", "exit 3", "exit 4", "--games", 4)
        self.assertEqual((found["draws"], found["conduct"][1]["crashed"]), (4, 4))


class ThreePlayers(Folder):
    def test_all_seats_in_turn(self):
        scene, path = self.three(), self.folder / "games"
        found = duel(scene, "carom:random", "carom:still", "--games", 12, "--results", path)
        games = lines_of(path)
        seats = [[side == "carom:random" for side in game["seats"]] for game in games[:6]]
        self.assertEqual(seats, [[True, False, False], [False, True, False], [False, False, True],
                                 [False, True, True], [True, False, True], [True, True, False]])
        self.assertEqual([game["round"] for game in games], list(range(6)) * 2)
        for game in games:
            self.assertEqual(game["winner"], None if game["seat"] is None else game["seats"][game["seat"]])
        self.assertEqual(found["wins_a"], sum(game["winner"] == "carom:random" for game in games))
        same = duel(scene, "carom:random", "carom:random", "--games", 600)
        self.assertTrue(same["interval"][0] < 0.5 < same["interval"][1], same)
        self.assert_refused(carom("arena", scene, "--a", "carom:random", "--b", "carom:still", "--games", 8),
                            "--games", "no multiple of 6")

    def test_trouble(self):
        """A program that does not answer loses, on any seat; the others win."""
        path = self.folder / "games"
        found = duel(self.three(), "exit 3", "carom:still", "--games", 6, "--results", path)
        self.assertEqual(found["wins_b"], 6)
        for game in lines_of(path):
            self.assertEqual([trouble is not None for trouble in game["trouble"]].count(True), 1)


class Results(Folder):
    def test_lines(self):
        """A line for each game, in order of the games, not of their end."""
        path = self.folder / "games"
        shout = self.program("print('thrust\\nand shield', file=sys.stderr, flush=True) or "
                             "print(*[0] * count, flush=True)")
        found = duel("stones", shout, "carom:strike", "--games", 6, "--set", "stones=4", "--results", path,
                     "--concurrency", 3, "--first", 10, "--seed", 3)
        games = lines_of(path)
        self.assertEqual([(game["start"], game["round"]) for game in games],
                         [(10 + k // 2, k % 2) for k in range(6)])
        for game in games:
            mine, theirs = (0, 1) if game["round"] == 0 else (1, 0)
            self.assertEqual((game["seats"][mine], game["seats"][theirs]), (shout, "carom:strike"))
            self.assertEqual((game["seed"], game["fault"]), (3, False))
            times = game["times"][mine]
            self.assertEqual(times["answers"], game["ticks"][mine])
            self.assertTrue(0 < times["0.5"] <= times["0.9"] <= times["0.99"] <= times["1"])
            self.assertIsNone(game["times"][theirs])
            self.assertEqual((game["stderr"][mine], game["stderr"][theirs]), ("and shield", None))
            self.assertEqual(game["trouble"], [None, None])
        wins = [game["winner"] for game in games]
        self.assertEqual((found["wins_a"], found["wins_b"]), (wins.count(shout), wins.count("carom:strike")))

    def test_trouble(self):
        path = self.folder / "games"
        program = self.program("sys.exit('no idea')")
        duel("stones", program, "carom:strike", "--games", 2, "--results", path)
        for game in lines_of(path):
            mine = game["seats"].index(program)
            self.assertEqual(game["winner"], "carom:strike")
            self.assertEqual(game["trouble"][mine], {"kind": "crashed", "turn": 0, "why": "ended with exit code 1"})
            self.assertEqual((game["stderr"][mine], game["score"]), ("no idea", [None, None]))

    def test_built_in(self):
        """Games in lanes have the same lines as those that are recorded one by one; and scores."""
        one, two = self.folder / "one", self.folder / "two"
        options = ["--games", 10, "--seed", 8]
        first = duel("soccer", "carom:striker", "carom:random", *options, "--results", one, "--set", "ticks=3000")
        again = duel("soccer", "carom:striker", "carom:random", *options, "--results", two, "--set", "ticks=3000",
                     "--record", self.folder / "new", "--concurrency", 4)
        self.assertEqual((first, one.read_text()), (again, two.read_text()))
        self.assertGreater(sum(sum(game["score"]) for game in lines_of(one)), 0)
        self.assertEqual(len(list((self.folder / "new").iterdir())), 10)

    def test_parts(self):
        """Parts write the lines of the whole."""
        sides = ["--a", "carom:race", "--b", "carom:ram", "--side", "carom:pile", "--games", 8]
        arena("csb", *sides, "--results", self.folder / "whole")
        for k in range(2):
            arena("csb", *sides, "--results", f"{self.folder}/%d", "--shard", f"{k}/2")
        parts = "".join((self.folder / str(k)).read_text() for k in range(2))
        self.assertEqual(parts, (self.folder / "whole").read_text())

    def test_state(self):
        """An interrupted run resumes and gives the same lines; anything written after the state is removed."""
        sides = ["--a", "carom:race", "--b", "carom:ram", "--games", 40]
        whole, path, state = self.folder / "whole", self.folder / "games", self.folder / "state"
        found = arena("csb", *sides, "--results", whole)
        options = [*sides, "--results", path, "--state", state]
        arena("csb", *options)
        self.assertEqual(path.read_text(), whole.read_text())
        lines = path.read_text().splitlines(keepends=True)
        text = state.read_text()
        # As if it had been killed after 8 starts: the numbers of the run are those of a shorter one.
        short = arena("csb", "--a", "carom:race", "--b", "carom:ram", "--games", 16, "--state", self.folder / "short")
        self.assertEqual(short["pairings"][0]["games"], 16)
        tail = (self.folder / "short").read_text().partition("starts ")[2].splitlines(keepends=True)
        head = text.partition("starts ")[0]
        written = len("".join(lines[:16]).encode())
        state.write_text(head + "starts " + tail[0] + f"bytes {written}\n" + "".join(tail[1:]))
        path.write_text("".join(lines[:16]) + lines[20][:50] + "x" * 100000)
        again = arena("csb", *options)
        self.assertEqual(path.read_text(), whole.read_text())
        self.assertEqual(again["pairings"][0]["digest"], found["pairings"][0]["digest"])
        path.write_text("short\n")
        self.assert_refused(carom("arena", "csb", *PATIENT, *options), "shorter than it was")
        self.assert_refused(carom("arena", "csb", *PATIENT, *sides, "--state", state), "is not a state")


    def test_old_state(self):
        """Files of older versions resume as before."""
        sides = ["--a", "carom:race", "--b", "exit 3", "--side", "carom:ram", "--games", 8, "--set", "ticks=300",
                 "--patience", 9, "--json"]
        state = self.folder / "state"
        state.write_text(OLD_STATE.replace("VERSION", json.loads(carom("info", "--json").stdout)["version"]))
        told = [carom("arena", "csb", *sides, *more) for more in ((), ("--state", state))]
        whole, resumed = (json.loads(done.stdout)["pairings"] for done in told)
        self.assertEqual([pairing["digest"] for pairing in resumed], [pairing["digest"] for pairing in whole])
        self.assertEqual([pairing["wins_a"] for pairing in resumed], [8, 7, 0])
        self.assertEqual(resumed[0]["conduct"][1]["crashed"], 8)
        self.assertIn("\nstarts 4 seconds ", state.read_text())


class Tests(Folder):
    """--sprt. Its error rates: tests/command/test_ratings.c."""

    def test_decides(self):
        for a, b, accepted in ("carom:race", "carom:ram", 20), ("carom:race", "carom:race", 0):
            path = self.folder / "games"
            found = arena("csb", "--a", a, "--b", b, "--sprt", 0, 20, "--results", path)
            self.assertEqual(found["sprt"]["accepted"], accepted)
            self.assertGreaterEqual(abs(found["sprt"]["ratio"]), 2.944)
            self.assertEqual(found["pairings"][0]["games"], 2 * found["sprt"]["starts"])
            self.assertEqual(len(lines_of(path)), 2 * found["sprt"]["starts"])
        text = carom("arena", "csb", "--a", "carom:race", "--b", "carom:ram", "--sprt", 0, 20).stdout
        self.assertRegex(text, r"test +Elo 20, not 0; ")

    def test_most_games(self):
        found = arena("csb", "--a", "carom:race", "--b", "carom:race", "--sprt", 0, 1, "--games", 50)
        self.assertIsNone(found["sprt"]["accepted"])
        self.assertEqual(found["pairings"][0]["games"], 50)

    def test_state(self):
        """The games that decide are the same, in whatever pieces, and stopped or not."""
        sides = ["--a", "carom:ram", "--b", "carom:pile", "--sprt", -100, 100]
        state = self.folder / "state"
        whole = arena("csb", *sides)
        for _ in range(2):  # the second time it is decided already
            again = arena("csb", *sides, "--state", state, "--concurrency", 1)
            self.assertEqual(again["pairings"], whole["pairings"])
            self.assertEqual(again["sprt"], whole["sprt"])
        self.assert_refused(carom("arena", "csb", *PATIENT, *sides[:4], "--sprt", -100, 101, "--state", state),
                            "not a state")
        # From the middle: an undecided run resumes from its state.
        half = [*sides, "--games", 4, "--state", self.folder / "half"]
        found = arena("csb", *half)
        self.assertIsNone(found["sprt"]["accepted"])
        text = (self.folder / "half").read_text().replace(" games 4 ", f" games {3 << 30} ")
        (self.folder / "half").write_text(text)
        again = arena("csb", *sides, "--state", self.folder / "half")
        self.assertEqual(again["pairings"], whole["pairings"])
        self.assertEqual(again["sprt"], whole["sprt"])


class Ladder(Folder):
    def climb(self, side, *arguments, file="ladder"):
        done = carom("arena", "csb", "--ladder", self.folder / file, "--add", side, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done)
        return [rung["side"] for rung in json.loads(done.stdout)["rungs"]], done.stderr.splitlines()

    def test_climb(self):
        """Whatever order they are given in, the result is ordered by strength; a side plays its neighbours only."""
        race, pile, ram = "carom:race", "carom:pile", "carom:ram"
        for file, order in ("one", (ram, race, pile)), ("two", (race, pile, ram)):
            for side in order:
                rungs, _ = self.climb(side, file=file)
            self.assertEqual(rungs, [race, pile, ram])
        rungs, told = self.climb(race, file="one")  # again: it starts at its position, next to one rung
        self.assertEqual(rungs, [race, pile, ram])
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], r"\Astronger than carom:pile: \d+ won, \d+ lost, 0 drawn\Z")
        matches = json.loads((self.folder / "one").read_text())["matches"]  # its earlier games no longer count
        self.assertEqual([match["b"] for match in matches if match["a"] == race], [pile])
        self.assertEqual([match for match in matches if match["b"] == race], [])
        rungs, told = self.climb("carom:zero", file="one")  # below all: the middle first, then the last
        self.assertEqual(rungs, [race, pile, ram, "carom:zero"])
        self.assertEqual([line.split(":")[0] + ":" + line.split(":")[1] for line in told],
                         ["weaker than carom:pile", "weaker than carom:ram"])
        shown = carom("arena", "csb", "--ladder", self.folder / "one")
        self.assertRegex(shown.stdout, r"rung +rating .*\n +1 .*carom:race\n +2 .*carom:pile\n")
        for words, arguments in {("another ladder",): ["--seed", 7, "--add", ram], ("--shard",): ["--shard", "0/2"],
                                 ("--state", "--add"): ["--state", "x"], ("--add",): ["--a", ram],
                                 ("--record",): ["--record", "x"],
                                 ("'carom:fly'",): ["--add", "carom:fly"]}.items():
            self.assert_refused(carom("arena", "csb", "--ladder", self.folder / "one", *arguments), *words)
        self.assert_refused(carom("arena", "csb", "--add", ram), "--ladder")
        self.assert_refused(carom("arena", "csb", "--ladder", self.folder / "none"), "no ladder")

    def test_far_from_its_place(self):
        """Rungs that are far from its place are passed over."""
        rungs = ["carom:race", *(f"exit {k}" for k in range(1, 8))]
        ladder = {"ladder": "csb", "options": "", "seed": 1, "protocol": 0, "rungs": rungs, "matches": []}
        (self.folder / "ladder").write_text(json.dumps(ladder))
        found, told = self.climb("carom:zero", "--results", self.folder / "games")
        games = lines_of(self.folder / "games")  # of all its matches
        self.assertEqual(len(games), sum(int(number) for line in told for number in re.findall(r" (\d+) ", line[20:])))
        self.assertEqual(found, ["carom:race", "carom:zero", *rungs[1:]])
        self.assertEqual([line.partition(":")[0] for line in told if "exit" in line],
                         [f"stronger than exit {k}" for k in (4, 3, 1)])

    def test_killed(self):
        """A climb killed in the middle of a match resumes there: the same file in the end."""
        path, games = self.folder / "ladder", self.folder / "games"
        self.climb("carom:ram")
        before = json.loads(path.read_text())
        _, told = self.climb("carom:pile")
        after = path.read_text()
        self.assertRegex(told[0], r"\Astronger than carom:ram: \d+ won, [1-9]\d* lost, 0 drawn\Z")
        arena("csb", "--a", "carom:pile", "--b", "carom:ram", "--games", 10, "--results", games)
        points = [0] * 5
        for game in lines_of(games):
            points[game["start"]] += 2 * (game["winner"] == "carom:pile")
        self.assertTrue(0 < sum(points) < 20)
        won = sum(points) // 2
        rest = {"a": "carom:pile", "b": "carom:ram", "wins_a": won, "wins_b": 10 - won, "draws": 0, "starts": 5,
                "points": 2 * won, "squares": sum(square * square for square in points)}
        path.write_text(json.dumps(dict(before, matches=[rest])))
        self.assertEqual(self.climb("carom:pile")[1], told)
        self.assertEqual(path.read_text(), after)
        for text in after[:-40], after.replace('"rungs"', '"steps"'), after.replace('"draws": 0', '"draws": 1'):
            path.write_text(text)
            self.assert_refused(carom("arena", "csb", "--ladder", path, "--add", "carom:race"), str(path))


    def test_state(self):
        """With a state the ladder stays as it was until the side has its place, and a climb that was killed leaves the
        same ladder and the same results."""
        path, state, games = self.folder / "ladder", self.folder / "state", self.folder / "games"
        for side in "carom:ram", "carom:race", "carom:pile":
            self.climb(side)
        before = path.read_text()
        options = ["--games", 20, "--results", games, "--state", state]
        rungs, told = self.climb("carom:ram", *options)  # again: from its position, the last one, not from the middle
        after, played, kept = path.read_text(), games.read_text(), json.loads(state.read_text())
        self.assertEqual(len(told), 1, told)
        self.assertRegex(told[0], r"\A(weaker than|about as strong as) carom:pile: ")
        self.assertEqual((kept["now"], kept["done"], kept["place"]), (json.loads(after), True, 2))

        def left(now, lines, text=before, torn=""):  # what a killed command leaves
            kept["now"], kept["done"], kept["bytes"] = now, False, sum(len(line) for line in lines)
            state.write_text(json.dumps(kept).replace(r"\n", r"\u000a"))
            games.write_text("".join(lines) + torn)
            path.write_text(text)

        def assert_whole():
            self.assertEqual((rungs, path.read_text(), games.read_text()), (found, after, played))
            self.assertEqual(json.loads(state.read_text()), dict(json.loads(text_of_state)))

        text_of_state = state.read_text()
        lines = [line for line in played.splitlines(keepends=True) if json.loads(line)["start"] < 3]
        won = sum(json.loads(line)["winner"] == "carom:ram" for line in lines)
        points = [2 * sum(json.loads(line)["winner"] == "carom:ram" for line in lines[k:k + 2]) for k in (0, 2, 4)]
        rest = {"a": "carom:ram", "b": "carom:pile", "wins_a": won, "wins_b": 6 - won, "draws": 0, "starts": 3,
                "points": sum(points), "squares": sum(square * square for square in points)}
        without = [match for match in json.loads(before)["matches"] if "carom:ram" not in (match["a"], match["b"])]
        now = dict(json.loads(before), rungs=rungs[:2], matches=[*without, rest])
        left(now, lines, torn="torn")
        found, again = self.climb("carom:ram", *options)
        self.assertEqual(again, told)
        assert_whole()

        # Killed after the last piece: the state has the whole ladder, and its file is what it was.
        path.write_text(before)
        for _ in range(2):  # then nothing is left to do
            found, again = self.climb("carom:ram", *options)
            self.assertEqual(again, [])
            assert_whole()

        # States of other climbs, and a ladder that has changed meanwhile.
        def assert_refused(words, side, *more):
            self.assert_refused(carom("arena", "csb", "--ladder", path, "--add", side, *options, *more), *words)
        assert_refused(["is not a state"], "carom:zero")
        assert_refused(["is not a state"], "carom:ram", "--ms", 70)
        left(now, lines, text=after)
        assert_refused(["has changed since"], "carom:ram")
        state.write_text(after)
        assert_refused(["is not a state"], "carom:ram")


class Ratings(Folder):
    def test_intervals(self):
        found = arena("csb", "--a", "carom:race", "--b", "carom:ram", "--side", "carom:pile", "--games", 40)
        more = arena("csb", "--a", "carom:race", "--b", "carom:ram", "--side", "carom:pile", "--games", 400)
        for few, many in zip(found["sides"], more["sides"], strict=True):
            self.assertTrue(few["interval"][0] < few["rating"] < few["interval"][1])
            self.assertLess(many["interval"][1] - many["interval"][0], few["interval"][1] - few["interval"][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
