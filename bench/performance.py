# SPDX-License-Identifier: MIT
"""The figures of docs/performance.md and README.md: what is measured, their CSV files, the page's charts and table.

A file in bench/results has a head of `# key: value` lines and a row for each benchmark and baseline. `ratio` is the
speed relative to the baseline in the same rounds. As a program: performance.py CSV draws the charts.
"""

import csv
import io
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "performance.md"
CHARTS = ROOT / "docs" / "pictures" / "performance.svg"
README = ROOT / "README.md"

COLUMNS = ["benchmark", "value", "unit", "baseline", "ratio"]
ISAS = ["scalar", "sse4", "avx2", "avx512", "neon"]
ISA_NAMES = {"scalar": "1 lane", "sse4": "SSE4", "avx2": "AVX2", "avx512": "AVX-512", "neon": "NEON"}


class MissingError(Exception):
    """A figure is not among the results."""


# ---- what is measured ----


@dataclass(frozen=True)
class Program:
    """bench_NAME, run with the filters; a rate times `scale` is in `unit`."""

    name: str
    unit: str
    scale: float
    filters: list[str]


GAMES = [
    ("csb/random/relative", ""),
    ("csb/race/relative", ""),
    ("fantastic_bits/striker", ""),
    ("soccer/striker", ""),
    ("stones/12_moving/straight", "/threads:1"),
    ("fall/damped", ""),
]
TITLES = [
    "Coders Strike\nBack, random",
    "Coders Strike\nBack, races",
    "Fantastic\nBits",
    "robot soccer,\n6 against 6",
    "stones,\n12 moving",
    "4 falling\nballs",
]
CIRCLES = [4, 16, 64, 10000]
PEERS = {"box2d": "Box2D, continuous", "box2d_discrete": "Box2D, discrete", "chipmunk": "Chipmunk"}
# Not 10,000 circles with continuous collision: a tick of 2,000 takes Box2D more than a second.
RIVALS = [(n, *peer) for n in CIRCLES for peer in PEERS.items() if n < 10000 or peer[0] != "box2d"]
SIZES = [1000, 10000, 100000, 1000000]
TICKS = "M ticks/s"
PROGRAMS = [
    Program(
        "csb",
        TICKS,
        1e-6,
        ["csb/random/relative/f64/", "csb/race/relative/f64/", "csb/ram/relative/f64/"],
    ),
    Program("fantastic_bits", TICKS, 1e-6, ["fantastic_bits/striker/f64/"]),
    Program("soccer", TICKS, 1e-6, ["soccer/striker/f64/"]),
    Program("stones", TICKS, 1e-6, ["stones/12_moving/straight/f64/"]),
    Program("fall", TICKS, 1e-6, ["fall/damped/f64/"]),
    Program(
        "rollouts", "M rollouts/s", 1e-6, ["rollouts/race/1x1024x6/drawn/f64/", "rollouts/race/1x16384x6/drawn/f64/"]
    ),
    Program("search", "M rollouts/s", 1e-6, ["search/cem/1024x6/zero/f64/", "search/mppi/1024x6/zero/f64/"]),
    Program("gas", "M collisions/s", 1e-6, [f"gas/0.5/{size}/f64/" for size in SIZES]),
    Program("toi", "G pairs/s", 1e-9, ["toi/circles/f32/", "toi/circles/f64/"]),
    Program("peers", TICKS, 1e-6, [*(f"peers/{n}/carom/f32/" for n in CIRCLES), "/box2d_discrete/k:1"]),
]


def baselines_of(name: str, rates: dict[str, float]) -> list[str]:
    """The baselines of a benchmark, among those measured."""
    parts = name.split("/")
    if name.endswith("threads:2"):
        return [other for other in (name.removesuffix("2") + "1", name.removesuffix("/threads:2")) if other in rates]
    if parts[0] == "peers":
        if "carom" in parts:
            return [other for peer in PEERS if (other := f"peers/{parts[1]}/{peer}/k:1") in rates]
        return []
    if parts[0] == "search":
        return [other for other in ["/".join(["search", "rollout", *parts[2:]])] if other != name and other in rates]
    isa = next((part for part in parts if part in ISAS), "scalar")
    if isa == "scalar":
        return []
    others = [re.sub(rf"\b{isa}\b", other, name) for other in ("scalar", "plain_c", "copy")]
    others += [others[1].replace("/drawn/", "/given/")] if "/drawn/" in name else []
    return [other for other in others if other in rates]


def rows_of(program: Program, results: dict) -> list[list[str]]:
    """The rows of a program's JSON. Work on one thread is counted by processor time, medians of the rounds; of several
    threads the fastest round counts, relative to the fastest on one, because other programs slow them more.
    """
    rates, fastest = {}, {}
    for entry in results["benchmarks"]:
        name, rate = entry.get("run_name"), entry.get("items_per_second")
        if entry.get("aggregate_name") == "max":
            fastest[name] = rate
        if entry.get("aggregate_name") == "median":
            rates[name] = rate * entry["real_time"] / entry["cpu_time"] if entry["threads"] == 1 else 0
    rows = []
    for name in rates:
        for baseline in baselines_of(name, rates) or [""]:
            of = rates if rates[name] else fastest
            ratio = f"{of[name] / of[baseline]:.4g}" if baseline else ""
            rows.append([name, f"{of[name] * program.scale:.4g}", program.unit, baseline, ratio])
    return rows


# ---- files ----


@dataclass
class Results:
    """A file of bench/results."""

    head: dict[str, str]
    rows: list[list[str]] = field(default_factory=list)
    name: str = ""

    def named(self, name: str) -> str:
        """`{isa}` is the widest instruction set, `{any}` one word, such as the number of worlds."""
        name = name.replace("{isa}", self.isas()[-1])
        if "{any}" in name:
            like = re.compile(re.escape(name).replace(re.escape("{any}"), "[^/]+"))
            known = [row[0] for row in self.rows if like.fullmatch(row[0])]
            return known[-1] if known else name
        return name

    def isas(self) -> list[str]:
        return self.head["instruction sets"].split()

    def row(self, name: str, baseline: str = "") -> list[str]:
        """The row of a benchmark with a baseline that begins so."""
        name = self.named(name)
        for row in self.rows:
            if row[0] == name and row[3].startswith(self.named(baseline)):
                return row
        against = f" against '{baseline}'" if baseline else ""
        raise MissingError(f"{self.name or 'results'}: no row '{name}'{against}")

    def value(self, name: str) -> float:
        return float(self.row(name)[1])

    def ratio(self, name: str, baseline: str = "") -> float:
        return float(self.row(name, baseline)[4])


def load(path: Path) -> Results:
    """Reads a file of results."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = dict(line[2:].split(": ", 1) for line in lines if re.match("# [a-z ]+: ", line))
    columns, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    if columns != COLUMNS:
        raise MissingError(f"{path}: the columns are not {','.join(COLUMNS)}")
    return Results(head, rows, path.name)


def text_of(results: Results) -> str:
    """The file's text."""
    text = io.StringIO()
    text.write("# SPDX-License-Identifier: MIT\n")
    text.writelines(f"# {key}: {value}\n" for key, value in results.head.items())
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *results.rows])
    return text.getvalue()


def shown() -> Results:
    """The results in the page."""
    found = re.search(r"\(\.\./bench/results/(\S+\.csv)\)", PAGE.read_text(encoding="utf-8"))
    if not found:
        raise MissingError(f"{PAGE}: names no file of bench/results")
    return load(RESULTS / found[1])


# ---- texts ----


def number(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(value: float) -> str:
    return (f"{value:,.0f}" if value >= 20 else f"{value:.1f}" if value >= 2 else f"{value:.2f}") + "x"


@dataclass(frozen=True)
class Line:
    """A line of the page's table; `baseline` is how the name of the baseline begins."""

    label: str
    name: str
    against: str = ""
    baseline: str = ""


LANE = ("one lane", "")
TABLE = [
    (
        "Games, exact (f64)",
        [
            Line("Coders Strike Back, random moves", "csb/random/relative/f64/{isa}", *LANE),
            Line("Coders Strike Back, races", "csb/race/relative/f64/{isa}", *LANE),
            Line("Coders Strike Back, pods that ram each other", "csb/ram/relative/f64/{isa}", *LANE),
            Line("Fantastic Bits", "fantastic_bits/striker/f64/{isa}", *LANE),
            Line("the same on two threads", "fantastic_bits/striker/f64/{isa}/threads:2", "one thread"),
            Line("robot soccer, 6 against 6", "soccer/striker/f64/{isa}", *LANE),
            Line("King of War's stones, 12 moving", "stones/12_moving/straight/f64/{isa}/threads:1", *LANE),
            Line("4 balls that fall in a box", "fall/damped/f64/{isa}", *LANE),
        ],
    ),
    (
        "Search in Coders Strike Back (f64)",
        [
            Line(
                "rollouts of 6 ticks from one state",
                "rollouts/race/1x1024x6/drawn/f64/{isa}/threads:1",
                "plain C",
                "rollouts/race/1x1024x6/given/f64/plain_c",
            ),
            Line("the same on two threads", "rollouts/race/1x16384x6/drawn/f64/{isa}/threads:2", "one thread"),
            Line(
                "planner `cem`, 1,024 rollouts a generation",
                "search/cem/1024x6/zero/f64/threads:1",
                "its rollouts alone",
            ),
            Line("planner `mppi`", "search/mppi/1024x6/zero/f64/threads:1", "its rollouts alone"),
        ],
    ),
    (
        "Circles in a box (f32)",
        [
            *(
                Line(f"{n:,} circles", f"peers/{n}/carom/f32/{{isa}}/{{any}}", engine, f"peers/{n}/{peer}/")
                for n, peer, engine in RIVALS
            ),
        ],
    ),
    (
        "Hard disks, packing 0.5 (f64)",
        [
            Line(f"one world of {size:,} disks", f"gas/0.5/{size}/f64/{{isa}}", *(LANE if size < 100000 else ()))
            for size in SIZES
        ],
    ),
    (
        "Time of impact of two circles",
        [
            Line("f32, in the first cache", "toi/circles/f32/{isa}/L1", *LANE),
            Line("f64, in the first cache", "toi/circles/f64/{isa}/L1", *LANE),
            Line(
                "f64, from memory", "toi/circles/f64/{isa}/memory", "`memcpy` of as many bytes", "toi/circles/f64/copy"
            ),
        ],
    ),
    (
        "Python",
        [
            Line("`Worlds.step()`: the cost of a call", "python/call"),
            Line(
                "`Worlds.step()`, 1,024 worlds of Coders Strike Back, observed",
                "python/step/worlds:1024",
                "the same without the cost of the call",
            ),
        ],
    ),
]


def line(results: Results, what: Line) -> str:
    row = results.row(what.name, what.baseline)
    ratio = times(float(row[4])) if row[4] and what.against else ""
    value, unit = float(row[1]), row[2]
    if unit.startswith("M ") and value < 0.01:
        value, unit = 1e6 * value, unit.removeprefix("M ")
    return f"| {what.label} | {number(value)} {unit} | {ratio} | {what.against if ratio else ''} |"


def figures(results: Results) -> str:
    """The generated part of the page."""
    head = results.head
    note = f" {head['note'][0].upper()}{head['note'][1:]}." if head.get("note") else ""
    lines = [
        f"Carom {head['version']} (commit {head['commit']}), {head['machine']} at {head['clock']} with "
        f"{head['threads']} hardware threads, {head['compiler']}, {head['date']}. All figures are of one thread unless "
        f"the table says otherwise. {head['disturbed']} of the runs shared their processor with other programs."
        f"{note} Source: [bench/results/{results.name}](../bench/results/{results.name}).",
        "",
        "![Charts: games by instruction set; times of impact; hard disks by size; circles against other engines]"
        "(pictures/performance.svg)",
        "",
        "| | speed | ratio | relative to |",
        "|---|---|---|---|",
    ]
    for title, rows in TABLE:
        lines += [
            f"| **{title}** | | | |",
            *(line(results, what) for what in rows if head["threads"] != "1" or not what.name.endswith("threads:2")),
        ]
    return "\n".join(wrapped(lines)) + "\n"


def wrapped(lines: list[str]) -> list[str]:
    """Text in lines of 120 columns; tables and pictures as they are."""
    return [
        part
        for one in lines
        for part in (
            [one]
            if not one or one[0] in "|!"
            else textwrap.wrap(one, 120, break_long_words=False, break_on_hyphens=False)
        )
    ]


def readme(results: Results) -> str:
    """The generated part of README.md."""

    def value(name: str) -> str:
        return number(results.value(name))

    swept, discrete, chipmunk = (
        times(results.ratio("peers/4/carom/f32/{isa}/{any}", f"peers/4/{peer}/")) for peer in PEERS
    )
    head = results.head
    csb = "Coders Strike Back, exact: random / racing games"
    games = " / ".join(value(f"csb/{name}/relative/f64/{{isa}}") for name in ("random", "race"))
    rollouts = value("rollouts/race/1x1024x6/drawn/f64/{isa}/threads:1")
    gas = value("gas/0.5/10000/f64/{isa}")
    lines = [
        f"| One core, {head['machine']}, {head['compiler']}, {head['date']} ([all figures](docs/performance.md)) | |",
        "|---|---|",
        f"| {csb} | {games} M ticks a second |",
        f"| its rollouts of 6 ticks | {rollouts} M a second |",
        f"| 4 circles in a box, against Box2D (continuous, discrete), Chipmunk | {swept} / {discrete} / {chipmunk} |",
        f"| 10,000 hard disks in one world, packing 0.5 | {gas} M collisions a second |",
    ]
    return "\n".join(lines) + "\n"


BEGIN, END = "<!-- figures: written by bench/run --page -->\n", "<!-- end -->\n"


def filled(path: Path, part: str) -> str:
    """The text of a file with its generated part replaced."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise MissingError(f"{path}: no lines '{BEGIN.strip()}' and '{END.strip()}'")
    return before + BEGIN + part + END + after


def texts(results: Results) -> dict[Path, str]:
    """The two pages as they should be."""
    return {PAGE: filled(PAGE, figures(results)), README: filled(README, readme(results))}


# ---- charts ----


@dataclass
class Panel:
    """A chart: a title, and a bar with a label for each value."""

    title: str
    names: list[str]
    values: list[float]
    labels: list[str]
    log: bool = False


def panels(results: Results) -> list[Panel]:
    """The charts' contents: the games, then times of impact, hard disks, other engines."""
    isas = results.isas()
    made = []
    for (game, ending), title in zip(GAMES, TITLES, strict=True):
        values = [results.value(f"{game}/f64/{isa}{ending}") for isa in isas]
        made.append(Panel(title, [ISA_NAMES[isa] for isa in isas], values, [number(v) for v in values]))
    pairs = [(precision, isa) for precision in ("f64", "f32") for isa in isas]
    values = [results.value(f"toi/circles/{precision}/{isa}/L1") for precision, isa in pairs]
    made.append(
        Panel(
            "Time of impact, G pairs/s",
            [f"{ISA_NAMES[isa]} {precision}" for precision, isa in pairs],
            values,
            [number(v) for v in values],
        )
    )
    values = [results.value(f"gas/0.5/{size}/f64/{{isa}}") for size in SIZES]
    made.append(
        Panel(
            "Hard disks in one world,\nM collisions/s",
            [f"{size:,}" for size in SIZES],
            values,
            [number(v) for v in values],
        )
    )
    values = [results.ratio(f"peers/{n}/carom/f32/{{isa}}/{{any}}", f"peers/{n}/{peer}/") for n, peer, _ in RIVALS]
    made.append(
        Panel(
            "Circles in a box, speed relative\nto other engines",
            [f"{n:,}, {engine}" for n, _, engine in RIVALS],
            values,
            [times(v) for v in values],
            log=True,
        )
    )
    return made


BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"


def draw_columns(axes: Any, panel: Panel) -> None:
    axes.bar(range(len(panel.values)), panel.values, color=BLUE, width=0.7)
    for place, (value, label) in enumerate(zip(panel.values, panel.labels, strict=True)):
        axes.text(place, value, label, ha="center", va="bottom", fontsize=7)
    axes.set_xticks(range(len(panel.names)), panel.names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks([])
    axes.set_ylim(0, 1.12 * max(panel.values))
    axes.set_title(panel.title)
    axes.spines[["left", "top", "right"]].set_visible(False)


def draw_rows(axes: Any, panel: Panel) -> None:
    colors = [ORANGE if name.endswith(("f32", "Chipmunk")) else BLUE for name in panel.names]
    places = range(len(panel.values))
    axes.barh(places, panel.values, color=colors, height=0.7)
    for place, (value, label) in enumerate(zip(panel.values, panel.labels, strict=True)):
        axes.text(value, place, " " + label, va="center", fontsize=7)
    axes.set_yticks(places, panel.names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.2 * max(panel.values))
    axes.set_xticks([])
    if panel.log:
        axes.set_xscale("log")
        axes.set_xlim(min(0.5, 0.5 * min(panel.values)), 4 * max(panel.values))
        axes.set_xticks([1, 10, 100], ["1", "10", "100"])
        axes.minorticks_off()
        axes.axvline(1, color=GREY, linewidth=0.8, linestyle="--")
    axes.set_title(panel.title)
    axes.spines[["bottom", "top", "right"]].set_visible(False)


def draw(results: Results, path: Path) -> None:
    """Draws the charts; needs matplotlib."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    pyplot.rcParams.update(
        {
            "svg.hashsalt": "carom",
            "svg.fonttype": "none",
            "font.size": 8,
            "axes.titlesize": 8,
            "font.family": "DejaVu Sans",
        }
    )
    figure = pyplot.figure(figsize=(9.5, 4.8), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=[1, 1.15])
    made = panels(results)
    for axes, panel in zip(upper.subplots(1, 6), made[:6], strict=True):
        draw_columns(axes, panel)
    upper.axes[0].set_ylabel("million ticks a second, f64")
    for axes, panel in zip(lower.subplots(1, 3), made[6:], strict=True):
        draw_rows(axes, panel)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def drawn(path: Path) -> list[str]:
    """The labels of the bars in a picture, in order."""
    from xml.etree import ElementTree

    written = [
        " ".join("".join(node.itertext()).split())
        for node in ElementTree.parse(path).iter()
        if node.tag.endswith("}text")
    ]
    return [text for text in written if re.fullmatch(r"[\d,.]+x?", text)]


def stale(results: Results) -> list[str]:
    """What is not as these results make it. Of the picture only the labels count: matplotlib's versions differ."""
    wrong = [
        str(path.relative_to(ROOT)) for path, text in texts(results).items() if path.read_text(encoding="utf-8") != text
    ]
    labels = sorted(label for panel in panels(results) for label in panel.labels)
    found = drawn(CHARTS)
    if any(found.count(label) < labels.count(label) for label in set(labels)):
        wrong.append(str(CHARTS.relative_to(ROOT)))
    return wrong


if __name__ == "__main__":
    draw(load(Path(sys.argv[1])), CHARTS)
