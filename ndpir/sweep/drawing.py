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

from dialects.text.printable import cut
from ndpir.reports.markup import NOTHING, Markup, joined, markup
from ndpir.sweep.analysis import levels, number_in, number_text, pareto
from ndpir.sweep.journal import Row

WIDTH, HEIGHT = 800, 440
LEFT, RIGHT, TOP, BOTTOM = 90, 20, 40, 56
MOST_DRAWN = 5000
"""The largest number of points that are drawn in addition to the front; if there are more, only every n-th point is
drawn."""
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


def _unit(figure: str, values: Sequence[float]) -> tuple[float, str]:
    """The number by which a plot divides a figure, and the figure's title on the axis: its name with the largest unit
    in which the largest of `values` is at least 1."""
    match = re.fullmatch(r"(\w+)_(ns|nj)(\..*)?", figure)
    if match is None:
        return 1.0, figure
    largest = max(map(abs, values), default=0.0)
    size, unit = next((each for each in _UNITS[match[2]] if largest >= each[0]), _UNITS[match[2]][-1])
    return size, f"{match[1]}{match[3] or ''} in {unit}"


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

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = min(values), max(values)
        if high - low < SMALLEST:
            low, high = low - max(abs(low), 1.0) / 10, high + max(abs(high), 1.0) / 10
        unit = 10.0 ** floor(log10((high - low) / 5))
        self.step = next(factor * unit for factor in (1, 2, 5, 10) if (high - low) / (factor * unit) <= 6)
        self.low, self.high = floor(low / self.step) * self.step, ceil(high / self.step) * self.step
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        """The position of a number, in pixels."""
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
    good = [row for row in rows if all(number_in(row, name) is not None for name in names)]
    title = f"{names[1]} over {names[0]}, with the Pareto front"
    if not good:
        return Plot(title, markup('<text x="20" y="40">no point has both figures</text>'))
    (unit_x, title_x), (unit_y, title_y) = (
        _unit(name, [number_in(row, name) or 0.0 for row in good]) for name in names
    )
    places = {
        id(row): ((number_in(row, names[0]) or 0.0) / unit_x, (number_in(row, names[1]) or 0.0) / unit_y)
        for row in good
    }
    x = Scale([place[0] for place in places.values()], LEFT, WIDTH - RIGHT)
    y = Scale([place[1] for place in places.values()], HEIGHT - BOTTOM, TOP)
    axis, series = _series(good)
    parts = [*_axis_y(y, title_y, WIDTH - RIGHT)]
    for tick in x.ticks():
        at, below = x.at(tick), HEIGHT - BOTTOM + 18
        parts.append(markup('<path class="grid" d="M{:.1f} {}V{}"/>', at, TOP, HEIGHT - BOTTOM))
        parts.append(markup('<text x="{:.1f}" y="{}" text-anchor="middle">{:,.6g}</text>', at, below, tick))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(markup('<text x="{}" y="{}" text-anchor="middle">{}</text>', middle, HEIGHT - 12, title_x))
    front = pareto(good, figures)
    drawn = dict.fromkeys(map(id, [*good[:: ceil(len(good) / MOST_DRAWN)], *front]))
    for row in (row for row in good if id(row) in drawn):
        px, py = x.at(places[id(row)][0]), y.at(places[id(row)][1])
        kind = series[row.point[axis]] if axis else 0
        shape = '<path class="point s{}" d="M{:.1f} {:.1f}{}">{}</path>'
        parts.append(markup(shape, kind, px, py, SHAPES[kind], _tip(row, names)))
    for row in front:
        px, py = x.at(places[id(row)][0]), y.at(places[id(row)][1])
        parts.append(markup('<path class="front" d="M{:.1f} {:.1f}l10 10l-10 10l-10 -10z"/>', px, py - 10))
    return Plot(title, joined([*parts, *_legend(series)]))


def _series(rows: Sequence[Row]) -> tuple[str | None, Mapping[object, int]]:
    """The first axis whose values are all text, and the number of each value in order of appearance; None if no axis
    has two to six such values."""
    for axis in dict.fromkeys(name for row in rows for name in row.point):
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


_LONGEST = 20
"""The largest number of characters of a label below the plot of effects."""


def effects_plot(rows: Sequence[Row], figure: str) -> Plot:
    """A plot for each axis: the mean of a figure at each of the axis's values, with the range from the least to the
    greatest figure."""
    known = [(row, value) for row in rows if (value := number_in(row, figure)) is not None]
    title = f"{figure} by axis: mean, least and greatest over all other axes"
    axes = list(dict.fromkeys(name for row, _ in known for name in row.point))
    if not axes:
        return Plot(title, markup('<text x="20" y="40">no point has this figure</text>'))
    groups = {axis: levels([(row.point[axis], value) for row, value in known if axis in row.point]) for axis in axes}
    slots = sum(len(group) + 1 for group in groups.values())
    width = max(WIDTH, LEFT + RIGHT + 26 * slots)
    longest = min(_LONGEST, max(len(level) for group in groups.values() for level in group))
    bottom = HEIGHT - 40 - int(5.5 * longest)
    unit, title_y = _unit(figure, [value for _, value in known])
    y = Scale([value / unit for _, value in known], bottom, TOP)
    parts = [*_axis_y(y, title_y, width - RIGHT, bottom)]
    mean_key = '<circle class="mean" cx="{}" cy="18" r="4"/><text x="{}" y="22">mean</text>'
    range_key = '<path class="range" d="M{} 10V26"/><text x="{}" y="22">least to greatest</text>'
    parts += [markup(mean_key, LEFT + 8, LEFT + 18), markup(range_key, LEFT + 70, LEFT + 80)]
    step, slot = (width - LEFT - RIGHT) / slots, 0
    for axis, group in groups.items():
        middle = LEFT + step * (slot + len(group) / 2)
        parts.append(markup('<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>', middle, HEIGHT - 8, axis))
        for level, values in group.items():
            x, mean = LEFT + step * (slot + 0.5), sum(values) / len(values)
            label = f"{axis}={level}: mean {mean:.6g}, from {min(values):.6g} to {max(values):.6g}"
            ends = (y.at(end / unit) for end in (min(values), max(values)))
            parts.append(markup('<path class="range" d="M{:.1f} {:.1f}V{:.1f}"/>', x, *ends))
            circle = '<circle class="mean" cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title></circle>'
            parts.append(markup(circle, x, y.at(mean / unit), label))
            turned = '<text transform="translate({:.1f} {})rotate(-45)" text-anchor="end">{}</text>'
            parts.append(markup(turned, x + 4, bottom + 16, cut(level, _LONGEST)))
            slot += 1
        slot += 1
    return Plot(title, joined(parts), width)
