# SPDX-License-Identifier: MIT
"""The duels of bench/strength, in studies, with the scores that they must reach.

A side is an argument of `carom arena`. {carom}, {plain_bot}, {page_bot}, {bot:COMMIT}, {network:NAME} and {league:NAME}
in it stand for programs and files, which Sides finds or builds; if it cannot, it raises MissingError with a reason.
"""
from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNHURRIED = ("--ms", "60000", "--first-ms", "60000", "--patience", "120")
LATE = ("--ms", "120", "--late", "play")
ONE_GOAL = ("--set", "goals=1", "--set", "ticks=1800")  # soccer: games to three goals take long
GAMES = 200
# The programs that create the networks {network:KIND-NUMBER} and {league:KIND-NUMBER}.
MADE_BY = {
    "csb-league": "examples/python/league.py FOLDER --seed NUMBER, then --export FILE",
    "soccer-league": "examples/python/league.py FOLDER --game soccer --rounds 20 --seed NUMBER, then --export FILE",
    "csb-expert": "examples/python/expert_iteration.py FOLDER (network-NUMBER.network)",
}


@dataclass(frozen=True)
class Duel:
    """Two sides. The first must score from `least` to `most`. `clock`: budgets are in time and need an idle core."""

    label: str
    game: str
    a: str
    b: str
    games: int = GAMES
    least: float | None = None
    most: float | None = None
    options: tuple[str, ...] = ()
    clock: bool = False


@dataclass
class Study:
    """Related duels: a section of docs/strength.md."""

    name: str
    title: str
    about: str
    duels: list[Duel] = field(default_factory=list)


class MissingError(Exception):
    """A side is missing; says how to make it."""


class Sides:
    """Programs and files of sides."""

    def __init__(self, build: Path, networks: Path, scratch: Path) -> None:
        self.carom = build / "tools" / "carom"
        self.build, self.networks, self.scratch = build, networks, scratch

    def find(self, kind: str, name: str) -> str:
        if kind == "carom":
            return str(self.carom)
        if kind == "plain_bot":
            return self.there(self.build / "examples" / "plain_bot", "meson compile -C build examples/plain_bot")
        if kind == "network":
            return self.there(self.networks / f"{name}.network", f"{MADE_BY[name.rpartition('-')[0]]} makes it")
        if kind == "league":
            file = self.there(self.networks / f"{name}.npz", f"{MADE_BY[name.rpartition('-')[0]]} makes it")
            return f"{sys.executable} {ROOT / 'examples' / 'python' / 'league.py'} {file} --bot"
        if kind == "bot":
            done = subprocess.run([str(ROOT / "bench" / "bot_of"), name], stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                raise MissingError(f"bench/bot_of {name} failed")
            return done.stdout.strip()
        return f"{sys.executable} -S -E {self.page_bot()}"

    @staticmethod
    def there(path: Path, otherwise: str) -> str:
        if not path.exists():
            raise MissingError(otherwise)
        return str(path)

    def page_bot(self) -> Path:
        """The Python bot of docs/bots.md."""
        text = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
        path = self.scratch / "bot.py"
        path.write_text(text.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
        return path

    def fill(self, side: str) -> str:
        """The side with all names replaced; raises MissingError."""
        return re.sub(r"\{(\w+)(?::([^}]*))?\}", lambda found: self.find(found[1], found[2] or ""), side)


def cem(rollouts: int, *keys: str) -> str:
    return "carom:cem:" + ",".join([f"rollouts={rollouts}", *keys])


def ladders(carom: Path) -> Study:
    told = json.loads(subprocess.run([carom, "info", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    made = Study(
        "ladders", "Ladders",
        "`carom_ladder()` names the sides of a game from the weakest to the strongest; `carom info` prints\n"
        "them, and `carom.Player.ladder(\"csb\")` returns them in Python. Each rung must win 70% to 95% of its\n"
        "games against the one below it. Soccer is played to one goal, at most 1800 ticks.")
    for game in told["games"]:
        rungs = game["ladder"]
        for lower, upper in itertools.pairwise(rungs):
            made.duels.append(Duel(f"{game['name']}: `{upper}` against `{lower}`", game["name"], f"carom:{upper}",
                                   f"carom:{lower}", least=0.7, most=0.95,
                                   options=ONE_GOAL if game["name"] == "soccer" else ()))
    return made


def others() -> Study:
    made = Study(
        "others", "Against other programs",
        "[plain_bot.cc](../examples/plain_bot.cc) is a genetic bot of the kind that people publish, with this\n"
        "bot's value and its own engine. The Python bot is the one of [bots.md](bots.md). `bench/bot_of` builds\n"
        "the bots of older commits. The network is the one of the next section.")
    bot = "{carom} bot"
    made.duels += [
        Duel("csb: the bot in Python against `race`", "csb", "{page_bot}", "carom:race", least=0.6, options=UNHURRIED),
        Duel("csb: plain_bot, the same 1000 rollouts", "csb", cem(1000), "{plain_bot} rollouts 1000", 100,
             options=UNHURRIED),
        Duel("csb: 100000 rollouts against plain_bot's 50000", "csb", cem(100000), "{plain_bot} rollouts 50000", 20,
             options=UNHURRIED),
        Duel("csb: plain_bot, 70 ms each", "csb", f"{bot} csb --ms 70", "{plain_bot} 70", 40, options=LATE, clock=True),
        Duel("csb: 5 ms against plain_bot's 70", "csb", f"{bot} csb --ms 5", "{plain_bot} 70", 40, least=0.8,
             options=LATE, clock=True),
        Duel("csb: commit c39579f, 20 ms each", "csb", f"{bot} csb --ms 20", "{bot:c39579f} bot csb --ms 20",
             least=0.65, options=LATE, clock=True),
        Duel("csb: commit c39579f, 20 ms each, the first with the network", "csb",
             f"{bot} csb --ms 20 --plan cem:network={{network:csb-expert-5}}", "{bot:c39579f} bot csb --ms 20",
             least=0.65, options=LATE, clock=True),
        Duel("fantastic_bits: commit c39579f, 4096 rollouts each", "fantastic_bits",
             f"{bot} fantastic_bits --rollouts 4096", "{bot:c39579f} bot fantastic_bits --rollouts 4096", least=0.65,
             options=UNHURRIED),
        Duel("fantastic_bits: commit c39579f, 70 ms each", "fantastic_bits", f"{bot} fantastic_bits --ms 70",
             "{bot:c39579f} bot fantastic_bits --ms 70", least=0.7, options=LATE, clock=True),
        Duel("fantastic_bits: 7 ms against commit c39579f's 70", "fantastic_bits", f"{bot} fantastic_bits --ms 7",
             "{bot:c39579f} bot fantastic_bits --ms 70", 40, least=0.4, options=LATE, clock=True),
    ]
    return made


def budgets() -> list[Study]:
    more = Study(
        "rollouts", "Ten times the rollouts",
        "Budgets are rollouts a turn, for each side; with them the games are the same on every machine.\n"
        "The side with ten times the rollouts must win more than half of the games.")
    for game, steps in ("csb", (100, 1000, 10000, 100000)), ("fantastic_bits", (100, 1000, 10000)):
        for few, many in itertools.pairwise(steps):
            more.duels.append(Duel(f"{game}: {many} against {few}", game, cem(many), cem(few), least=0.5))
    builtin = Study("policies", "Against the built-in policies", "10,000 rollouts a turn.")
    for game, names in ("csb", ("race", "random", "ram", "pile", "drive")), ("fantastic_bits", ("striker", "random")):
        builtin.duels += [Duel(f"{game}: 10000 against {name}", game, cem(10000), f"carom:{name}", 40, least=0.9)
                          for name in names]
    return [more, builtin]


def planners() -> list[Study]:
    """Studies of the planner's parameters; a game of fantastic_bits takes about five times as long as one of csb."""
    kinds = Study("planners", "Planner against planner", "1000 rollouts a turn each.")
    side = Study(
        "other side", "Assumptions about the other side",
        "In csb it pays to spend a quarter of the budget on the other side's plan, because pods block each\n"
        "other. In fantastic_bits it does not pay at this budget: an action has ten numbers there, and a poor\n"
        "plan is a worse assumption about the other side than a policy, or than that it stands still.\n"
        "Fictitious play needs many rollouts.")
    several = Study(
        "candidates", "Several candidates",
        "With the keys `other-side=race+search` and `against=worst` or `mean`. Every sequence is rolled out\n"
        "against each candidate, so with two candidates the same budget draws half as many sequences.")
    cut = Study(
        "cut", "Dropping hopeless sequences early",
        "With the key `cut`. It pays if rollouts are few for the horizon, and in fantastic_bits; in csb with\n"
        "enough rollouts it does harm.")
    precision = Study("precision", "Searching in f32 and in f64",
                      "A search in f32 (`precision=f32`), in games that the referee plays in f64.")
    value = Study("value", "The bots' values against the games' own", "With the keys `value=weights` and `value=game`.")
    for game, policy, games in ("csb", "race", GAMES), ("fantastic_bits", "striker", 60):
        kinds.duels += [Duel(f"{game}: cem against {planner}, 1000", game, cem(1000), f"carom:{planner}:rollouts=1000",
                             games) for planner in ("shooting", "genetic", "mppi")]
        side.duels += [Duel(f"{game}: {other} against {policy}, 1000", game, cem(1000, f"other-side={other}"),
                            cem(1000, f"other-side={policy}"), games) for other in ("zero", "search")]
        if game == "csb":
            side.duels += [Duel(f"{game}: fictitious play against search, {rollouts}", game,
                                cem(rollouts, "other-side=fictitious"), cem(rollouts, "other-side=search"), count)
                           for rollouts, count in ((1000, GAMES), (10000, 100))]
        both = f"other-side={policy}+search"
        alone = "other-side=" + ("search" if game == "csb" else policy)
        several.duels += [Duel(f"{game}: {300 * times}, {against} of {policy} and search, against 300", game,
                               cem(300 * times, both, f"against={against}"), cem(300, alone), games)
                          for against in ("worst", "mean") for times in (1, 2)]
        several.duels.append(Duel(f"{game}: 600 against 300", game, cem(600, alone), cem(300, alone), games))
        cut.duels += [Duel(f"{game}: {rollouts}, {horizon} ticks, cut after {after} against none", game,
                           cem(rollouts, f"horizon={horizon}", f"cut={after}"),
                           cem(rollouts, f"horizon={horizon}", "cut=0"), games)
                      for rollouts, horizon, after in ((300, 6, 3), (1000, 6, 3), (300, 12, 4))]
        precision.duels.append(Duel(f"{game}: f32 against f64, 1000", game, cem(1000, "precision=f32"), cem(1000),
                                    games))
        value.duels.append(Duel(f"{game}: weights against the game's value, 1000", game, cem(1000),
                                cem(1000, "value=game"), games))
    return [kinds, side, several, cut, precision, value]


def networks() -> list[Study]:
    searched = Study(
        "networks in search", "Networks in search",
        "The search of csb's bot starts from the policy of a network of `expert_iteration.py`, against the same\n"
        "bot without it.")
    begins = "network={network:csb-expert-5}"
    for rollouts in (1500, 4096):
        searched.duels.append(Duel(f"csb: {rollouts} rollouts, with the network against without", "csb",
                                   cem(rollouts, begins), cem(rollouts)))
    for ms, least in ((20, 0.65), (70, 0.6)):
        searched.duels.append(Duel(f"csb: {ms} ms, with the network against without", "csb",
                                   f"{{carom}} bot csb --ms {ms} --plan cem:{begins}", f"{{carom}} bot csb --ms {ms}",
                                   least=least, options=LATE, clock=True))
    alone = Study(
        "networks alone", "Networks alone",
        "One evaluation a turn for both pods or robots. `csb-league-1` to `-3` are `league.py` with the seeds 1 to 3,\n"
        "26 minutes of processor time each; their median must score 60% against `cem:300`. `soccer-league-1` is the\n"
        "same for soccer, with 20 rounds. [notes/learning.md](notes/learning.md#the-league) has more games.")
    for seed in (1, 2, 3):
        alone.duels += [Duel(f"csb: league, seed {seed}, against `{rival}`", "csb", f"{{league:csb-league-{seed}}}",
                             f"carom:{rival}", least=least, options=UNHURRIED)
                        for rival, least in (("race", 0.95), ("drive", None), ("cem:300", 0.6), ("cem:1000", None))]
    alone.duels.append(Duel("soccer, two against two: league against `striker`", "soccer", "{league:soccer-league-1}",
                            "carom:striker", 1000, least=0.6,
                            options=("--observation", "ego", "--set", "robots=2", *ONE_GOAL, *UNHURRIED)))
    alone.duels.append(Duel("csb: expert iteration, round 5 against round 1", "csb",
                            "carom:network:{network:csb-expert-5}", "carom:network:{network:csb-expert-1}", least=0.7))
    return [searched, alone]


def studies(carom: Path) -> list[Study]:
    """All studies, in the order of the page."""
    return [ladders(carom), others(), *networks(), *budgets(), *planners()]
