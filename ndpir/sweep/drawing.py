"""Plots of sweeps as SVG: the Pareto front among all points, and the effect of each axis on a figure.

The plots are drawn without a plotting library: they consist of a few shapes of points and two axes, and their text
remains selectable and searchable. Colours of text and lines come from CSS variables, so that a report's dark mode
changes them. Points with different values of an axis of text (such as machines) differ by shape and colour, and points
of the front have a frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from statistics import fmean
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dialects.text.printable import cut
from ndpir.reports.markup import NOTHING, Markup, joined, markup
from ndpir.sweep.analysis import Integers, Lines, Reals, levels, number_in, number_text, numbers_in, pareto, rows_at
from ndpir.sweep.journal import Row, axes_in

WIDTH, HEIGHT = 800, 440
LEFT, RIGHT, TOP, BOTTOM = 90, 20, 40, 56
MOST_DRAWN = 5000
"""The largest number of points that are drawn, and of those of the front; if there are more, one in each square of the
plot is drawn."""
SHAPES = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",  # circle
    "m-3.5 -3.5h7v7h-7z",
    "m0 -4.5l4.5 8h-9z",
    "m0 4.5l4.5 -8h-9z",
    "m-4.5 -1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z",  # plus
    "m0 -4.5l2.6 4.5l-2.6 4.5l-2.6 -4.5z",
)
"""The shapes of points as SVG paths that start at the point's centre, by the index of a value of the axis of text."""
STYLE = Markup("""
.axis{stroke:var(--muted,#667);fill:none}.grid{stroke:var(--line,#dde);fill:none}
text{font:13px system-ui,sans-serif;fill:var(--text,#223)}.point{opacity:.7}
.s0{fill:#0b78c4}.s1{fill:#d55e00}.s2{fill:#009e73}.s3{fill:#c2569a}.s4{fill:#b8860b}.s5{fill:#7a6fd0}
.front{fill:none;stroke:var(--text,#223);stroke-width:1.5}.mean{fill:var(--accent,#0b62c4)}
.range{stroke:var(--muted,#8899aa);stroke-width:2}
""")
_UNITS = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns")),
    "nj": ((1e9, "J"), (1e6, "mJ"), (1e3, "uJ"), (1, "nJ")),
}
"""The units in which a plot shows the figures with a unit at the end of their names, largest first: each with its
size."""


def _unit(figure: str, values: Reals) -> tuple[float, str]:
    """The number by which a plot divides a figure, and the figure's title on the axis: its name with the largest unit
    in which the largest of `values` is at least 1."""
    match = re.fullmatch(r"(\w+)_(ns|nj)(\..*)?", figure)
    if match is None:
        return 1.0, figure
    largest = float(abs(values).max())
    size, unit = next((each for each in _UNITS[match[2]] if largest >= each[0]), _UNITS[match[2]][-1])
    return size, f"{match[1]}{match[3] or ''} in {unit}"


T = TypeVar("T", float, Reals)


@dataclass(frozen=True)
class Plot:
    """A plot: its title, its size in pixels, and its shapes."""

    title: str
    shapes: Markup
    width: int = WIDTH
    height: int = HEIGHT

    def svg(self, background: Markup = NOTHING) -> Markup:
        """The plot as an `svg` element."""
        return markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" '
            'aria-label="{2}"><title>{2}</title>{3}{4}</svg>',
            self.width,
            self.height,
            self.title,
            background,
            self.shapes,
        )

    def file(self) -> Markup:
        """The plot as an SVG file with its own style and background."""
        ground = markup('<style>{}</style><rect width="100%" height="100%" fill="#fff"/>', STYLE)
        return markup("{}\n", self.svg(ground))


SMALLEST = 1e-200
"""The smallest difference of two numbers that a plot shows."""


class Scale:
    """Positions of numbers along an axis of a plot, which starts and ends at round numbers."""

    def __init__(self, values: Reals, start: float, end: float) -> None:
        low, high = float(values.min()), float(values.max())
        if high - low < SMALLEST:
            low, high = low - max(abs(low), 1.0) / 10, high + max(abs(high), 1.0) / 10
        unit = 10.0 ** floor(log10((high - low) / 5))
        self.step = next(factor * unit for factor in (1, 2, 5, 10) if (high - low) / (factor * unit) <= 6)
        self.low, self.high = floor(low / self.step) * self.step, ceil(high / self.step) * self.step
        self.start, self.end = start, end

    def at(self, value: T) -> T:
        """The position of a number, or of each of several, in pixels."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> Iterator[float]:
        """The numbers that label the axis."""
        for count in range(round((self.high - self.low) / self.step) + 1):
            yield self.low + count * self.step


def _axis_y(scale: Scale, name: str, right: int, bottom: int = HEIGHT - BOTTOM) -> Iterator[Markup]:
    for tick in scale.ticks():
        y = scale.at(tick)
        yield markup('<path class="grid" d="M{} {:.1f}H{}"/>', LEFT, y, right)
        yield markup('<text x="{}" y="{:.1f}" text-anchor="end">{:,.6g}</text>', LEFT - 8, y + 4, tick)
    middle = (TOP + bottom) / 2
    yield markup('<text transform="translate(20 {})rotate(-90)" text-anchor="middle">{}</text>', middle, name)


def pareto_plot(rows: Sequence[Row], figures: Sequence[str]) -> Plot:
    """A plot of all points by the first two of `figures`, with the Pareto front; the tooltip of a point has its axis
    values and figures."""
    names = [*figures, *figures][:2]
    columns = np.stack([numbers_in(rows, name) for name in names])
    known = np.flatnonzero(~np.isnan(columns).any(axis=0))
    good, columns = rows_at(rows, known), columns[:, known]
    title = f"{names[1]} over {names[0]}, with the Pareto front"
    if not good:
        return Plot(title, markup('<text x="20" y="40">no point has both figures</text>'))
    (unit_x, title_x), (unit_y, title_y) = map(_unit, names, columns)
    x = Scale(columns[0] / unit_x, LEFT, WIDTH - RIGHT)
    y = Scale(columns[1] / unit_y, HEIGHT - BOTTOM, TOP)
    places = np.stack([x.at(columns[0] / unit_x), y.at(columns[1] / unit_y)], axis=1)
    axis, series = _series(good)
    kinds = np.array([series[row.point[axis]] if axis else 0 for row in good])
    parts = [*_axis_y(y, title_y, WIDTH - RIGHT)]
    for tick in x.ticks():
        at, below = x.at(tick), HEIGHT - BOTTOM + 18
        parts.append(markup('<path class="grid" d="M{:.1f} {}V{}"/>', at, TOP, HEIGHT - BOTTOM))
        parts.append(markup('<text x="{:.1f}" y="{}" text-anchor="middle">{:,.6g}</text>', at, below, tick))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(markup('<text x="{}" y="{}" text-anchor="middle">{}</text>', middle, HEIGHT - 12, title_x))
    position = {id(row): at for at, row in enumerate(good)}
    front = np.array([position[id(row)] for row in pareto(good, figures)])
    framed = front[_drawn(places[front], kinds[front])]
    drawn: NDArray[np.intp] = np.unique(np.concatenate([_drawn(places, kinds), framed]))
    for at in map(int, drawn):
        kind, (px, py) = int(kinds[at]), places[at].tolist()
        shape = '<path class="point s{}" d="M{:.1f} {:.1f}{}">{}</path>'
        parts.append(markup(shape, kind, px, py, SHAPES[kind], _tip(good[at], names)))
    for px, py in places[framed].tolist():
        parts.append(markup('<path class="front" d="M{:.1f} {:.1f}l10 10l-10 10l-10 -10z"/>', px, py - 10))
    if len(drawn) < len(good):
        note = '<text x="{}" y="{}" text-anchor="end">{:,} of {:,} points are drawn</text>'
        parts.append(markup(note, WIDTH - RIGHT, TOP - 8, len(drawn), len(good)))
    return Plot(title, joined([*parts, *_legend(series)]))


def _drawn(places: Reals, kinds: Integers) -> NDArray[np.intp]:
    """The positions of the points to draw: all, or if they are more than `MOST_DRAWN`, one of each kind in each square
    of the plot, the first one, so that no part of the plot where points are is empty. `places`: in pixels, as
    (points, 2)."""
    drawn, side = np.arange(len(places)), 1.0
    while len(drawn) > MOST_DRAWN:
        squares = np.floor(places / side).astype(np.int64)
        cells = (squares[:, 0] * HEIGHT + squares[:, 1]) * len(SHAPES) + kinds
        drawn, side = np.sort(np.unique(cells, return_index=True)[1]), side * 1.25
    return drawn


def _series(rows: Sequence[Row]) -> tuple[str | None, Mapping[object, int]]:
    """The first axis whose values are all text, and the number of each value in order of appearance; None if no axis
    has two to six such values."""
    for axis in axes_in(rows):
        values = dict.fromkeys(row.point.get(axis) for row in rows)
        if 2 <= len(values) <= len(SHAPES) and all(isinstance(value, str) for value in values):
            return axis, {value: number for number, value in enumerate(values)}
    return None, {}


def _legend(series: Mapping[object, int]) -> Iterator[Markup]:
    x = float(LEFT)
    yield markup('<path class="front" d="M{:.1f} 8l10 10l-10 10l-10 -10z"/>', x + 8)
    yield markup('<text x="{}" y="22">Pareto front</text>', x + 24)
    x += 130
    for value, number in series.items():
        yield markup('<path class="s{}" d="M{:.1f} 18{}"/>', number, x, SHAPES[number])
        yield markup('<text x="{:.1f}" y="22">{}</text>', x + 10, str(value))
        x += 34 + 7.5 * len(str(value))


def _tip(row: Row, figures: Sequence[str]) -> Markup:
    known = [*row.point.items(), *((name, number_text(number_in(row, name))) for name in dict.fromkeys(figures))]
    return markup("<title>{}</title>", ", ".join(f"{name}={value}" for name, value in known))


MOST_LEVELS = 200
"""The largest number of values of an axis in the plot of effects; if there are more, ranges of values are drawn."""
_LONGEST = 20
"""The largest number of characters of a label below the plot of effects."""


def effects_plot(rows: Sequence[Row], figure: str) -> Plot:
    """A plot for each axis: the mean of a figure at each of the axis's values, with the range from the least to the
    greatest figure."""
    values = numbers_in(rows, figure)
    known = np.flatnonzero(~np.isnan(values))
    lines, values = Lines(rows_at(rows, known)), values[known]
    title = f"{figure} by axis: mean, least and greatest over all other axes"
    if not lines.axes:
        return Plot(title, markup('<text x="20" y="40">no point has this figure</text>'))
    groups = {axis: levels(lines, axis, values, MOST_LEVELS) for axis in lines.axes}
    slots = sum(len(group) + 1 for group in groups.values())
    width = max(WIDTH, LEFT + RIGHT + 26 * slots)
    longest = min(_LONGEST, max(len(level) for group in groups.values() for level in group))
    bottom = HEIGHT - 40 - int(5.5 * longest)
    unit, title_y = _unit(figure, values)
    y = Scale(values / unit, bottom, TOP)
    parts = [*_axis_y(y, title_y, width - RIGHT, bottom)]
    mean_key = '<circle class="mean" cx="{}" cy="18" r="4"/><text x="{}" y="22">mean</text>'
    range_key = '<path class="range" d="M{} 10V26"/><text x="{}" y="22">least to greatest</text>'
    parts += [markup(mean_key, LEFT + 8, LEFT + 18), markup(range_key, LEFT + 70, LEFT + 80)]
    step, slot = (width - LEFT - RIGHT) / slots, 0
    for axis, group in groups.items():
        middle = LEFT + step * (slot + len(group) / 2)
        parts.append(markup('<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>', middle, HEIGHT - 8, axis))
        for level, found in group.items():
            x, mean, least, most = LEFT + step * (slot + 0.5), fmean(found), float(found.min()), float(found.max())
            label = f"{axis}={level}: mean {mean:.6g}, from {least:.6g} to {most:.6g}"
            ends = (y.at(end / unit) for end in (least, most))
            parts.append(markup('<path class="range" d="M{:.1f} {:.1f}V{:.1f}"/>', x, *ends))
            circle = '<circle class="mean" cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title></circle>'
            parts.append(markup(circle, x, y.at(mean / unit), label))
            turned = '<text transform="translate({:.1f} {})rotate(-45)" text-anchor="end">{}</text>'
            parts.append(markup(turned, x + 4, bottom + 16, cut(level, _LONGEST)))
            slot += 1
        slot += 1
    return Plot(title, joined(parts), width)
