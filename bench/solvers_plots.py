# SPDX-License-Identifier: MIT
"""The plots of bench/SOLVERS.md, as SVG text. With the same matplotlib the same numbers give the same bytes."""
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

try:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot
    from matplotlib.ticker import NullLocator
except ImportError as error:
    raise SystemExit("solvers_report: the plots need matplotlib (Debian: python3-matplotlib); "
                     "--no-plots does without") from error

# The colours of worlds' pictures (kernel/picture/picture.c, light); markers distinguish them without colour.
INK = "#1c2430"
FAINT = "#6b7684"
COLOURS = ["#1769c4", "#d9542b", "#2a9d6f", "#5c2a86", "#e0a100", "#5b7a99", INK]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
WIDTH = 4.4  # inches: half a page is enough to read it
LABEL = 6.5  # points

pyplot.rcParams.update({
    "svg.hashsalt": "carom", "svg.fonttype": "none", "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"], "font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.grid": True, "grid.color": "#c8d0d8", "grid.linewidth": 0.5, "axes.axisbelow": True,
    "lines.markersize": 4.5, "axes.spines.top": False, "axes.spines.right": False,
})


@dataclass(frozen=True)
class Point:
    """A variant: nanoseconds a pair, worst error, and whether it ever decided wrongly."""

    name: str
    speed: float
    error: float
    wrong: bool


def svg_of(figure: Any) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", facecolor="white", bbox_inches="tight",
                   metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    lines = buffer.getvalue().splitlines()
    head = 1 if lines[0].startswith("<?xml") else 0
    lines.insert(head, "<!-- SPDX-License-Identifier: MIT -->")
    return "".join(line.rstrip() + "\n" for line in lines)


def logarithmic(axis: Any) -> None:
    """Ticks at powers of ten, in plain text."""
    axis.set_major_formatter(lambda value, _: f"{value:g}" if value < 1e4 else f"{value:.0e}".replace("+0", ""))
    axis.set_minor_locator(NullLocator())


def groups_of(points: Sequence[Point], places: Sequence[tuple[float, float]], near: float) -> list[list[int]]:
    """Groups of points that coincide, or nearly."""
    groups: list[list[int]] = []
    for number, (x, y) in enumerate(places):
        for group in groups:
            if math.hypot(x - places[group[0]][0], y - places[group[0]][1]) < near:
                group.append(number)
                break
        else:
            groups.append([number])
    return groups


def place_labels(axes: Any, points: Sequence[Point]) -> None:
    """Names next to their points: at the first of several positions where they cover neither a name nor a point."""
    per_point = axes.figure.dpi / 72
    places = [tuple(axes.transData.transform((p.speed, p.error))) for p in points]
    taken = [(x - 3 * per_point, y - 3 * per_point, x + 3 * per_point, y + 3 * per_point) for x, y in places]
    for group in groups_of(points, places, 6 * per_point):
        names = [points[number].name for number in group]
        lines = [", ".join(names[i:i + 2]) for i in range(0, len(names), 2)]
        x, y = places[group[0]]
        width, height = 0.56 * LABEL * max(map(len, lines)) * per_point, 1.25 * LABEL * len(lines) * per_point
        choices = []
        for step in range(10):
            for side in (1, -1):
                for rise in (step * LABEL, -step * LABEL):
                    left = x + 5 * per_point if side > 0 else x - 5 * per_point - width
                    low = y - height / 2 + rise * per_point
                    choices.append((side, rise, (left, low, left + width, low + height)))
        side, rise, box = next((choice for choice in choices if choice[2][0] > axes.bbox.x0 and all(
            choice[2][2] < t[0] or t[2] < choice[2][0] or choice[2][3] < t[1] or t[3] < choice[2][1] for t in taken)),
            choices[0])
        taken.append(box)
        point = points[group[0]]
        axes.annotate("\n".join(lines), (point.speed, point.error), (5 * side, rise), textcoords="offset points",
                      fontsize=LABEL, ha="left" if side > 0 else "right", va="center",
                      arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": FAINT} if rise else None)


def speed_against_error(panels: dict[str, list[Point]]) -> str:
    figure, all_axes = pyplot.subplots(len(panels), 1, figsize=(WIDTH, 3.0 * len(panels)), squeeze=False)
    for axes, (title, points) in zip(all_axes[:, 0], panels.items(), strict=True):
        for wrong, colour, marker, label in ((False, COLOURS[0], "o", "every decision right"),
                                             (True, COLOURS[1], "X", "wrong decisions")):
            chosen = [p for p in points if p.wrong is wrong]
            if chosen:
                axes.plot([p.speed for p in chosen], [p.error for p in chosen], marker, color=colour, label=label)
        axes.set(xscale="log", yscale="log", title=title, ylabel="worst error of t\n(eps x condition)")
        axes.margins(x=0.12, y=0.15)
        logarithmic(axes.xaxis)
        logarithmic(axes.yaxis)
        axes.legend(loc="best")
    all_axes[-1, 0].set_xlabel("ns a pair")
    figure.tight_layout()
    figure.canvas.draw()
    for axes, points in zip(all_axes[:, 0], panels.values(), strict=True):
        place_labels(axes, points)
    return svg_of(figure)


def errors_by_distribution(panels: dict[str, dict[str, dict[str, float]]]) -> str:
    """panels[title][variant][distribution]: the worst error."""
    rows = max(len({d for errors in panel.values() for d in errors}) for panel in panels.values())
    figure, all_axes = pyplot.subplots(len(panels), 1, figsize=(WIDTH, (0.24 * rows + 0.8) * len(panels)),
                                       squeeze=False)
    for axes, (title, panel) in zip(all_axes[:, 0], panels.items(), strict=True):
        names = list(dict.fromkeys(d for errors in panel.values() for d in errors))
        for index, (variant, errors) in enumerate(panel.items()):
            shift = (index - (len(panel) - 1) / 2) * 0.09
            axes.plot([errors[d] for d in names if d in errors], [names.index(d) + shift for d in names if d in errors],
                      MARKERS[index % len(MARKERS)], color=COLOURS[index % len(COLOURS)], markersize=3.5, label=variant)
        axes.axvline(4, color=FAINT, linewidth=0.8, linestyle="--")
        axes.set(xscale="log", title=title, yticks=range(len(names)), yticklabels=names)
        axes.invert_yaxis()
        logarithmic(axes.xaxis)
    all_axes[-1, 0].set_xlabel("worst error of t (eps x condition); dashed: 4, what accurate promises")
    all_axes[0, 0].legend(loc="lower center", bbox_to_anchor=(0.4, 1.08), ncol=4, columnspacing=0.8, handletextpad=0.1)
    figure.tight_layout()
    return svg_of(figure)


def times_by_flags(builds: list[str], times: dict[str, list[float]]) -> str:
    """times[kernel][build]: nanoseconds a pair."""
    figure, axes = pyplot.subplots(figsize=(WIDTH, 0.17 * len(builds) + 1.1))
    for index, (kernel, values) in enumerate(times.items()):
        shift = (index - (len(times) - 1) / 2) * 0.13
        axes.plot(values, [row + shift for row in range(len(builds))], MARKERS[index], color=COLOURS[index],
                  markersize=3.5, label=kernel)
    low, high = min(map(min, times.values())), max(map(max, times.values()))
    axes.set(xscale="log", xlabel="ns a pair", yticks=range(len(builds)), yticklabels=builds,
             xlim=(10 ** math.floor(math.log10(low)), 2 * high))
    axes.tick_params(axis="y", labelsize=6.5)
    logarithmic(axes.xaxis)
    axes.invert_yaxis()
    axes.legend(loc="lower center", bbox_to_anchor=(0.35, 1.0), ncol=2)
    figure.tight_layout()
    return svg_of(figure)
