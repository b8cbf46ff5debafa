"""Plots of sweeps as SVG: the Pareto front among all points, and the effect of each axis on a figure.

The plots are drawn without a plotting library: they consist of two shapes of points and two axes, and their text
remains selectable and searchable. Colours come from CSS variables, so that a report's dark mode changes them; points of
the front also differ from other points by their shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, log10

from ndpir.sweep.analysis import levels, number_in, pareto
from ndpir.sweep.journal import Row

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 90, 20, 20, 56
MOST_DRAWN = 5000
"""The largest number of points that are drawn in addition to the front; if there are more, only every n-th point is
drawn."""
STYLE = """
.axis{stroke:var(--muted,#667);fill:none}.grid{stroke:var(--line,#dde);fill:none}
text{font:12px system-ui,sans-serif;fill:var(--text,#223)}.point{fill:var(--muted,#8899aa);opacity:.55}
.front{fill:var(--accent,#0b62c4)}.stairs{fill:none;stroke:var(--accent,#0b62c4)}.mean{fill:var(--accent,#0b62c4)}
.range{stroke:var(--muted,#8899aa);stroke-width:2}
"""


def standalone(svg: str) -> str:
    """An SVG file with its own style and background."""
    head, _, rest = svg.partition(">")
    return f'{head}><style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>{rest}\n'


class Scale:
    """Positions of numbers along an axis of a plot, which starts and ends at round numbers."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = min(values), max(values)
        if high == low:
            low, high = low - (abs(low) or 1) / 10, high + (abs(high) or 1) / 10
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


def _opened(title: str, width: int = WIDTH, height: int = HEIGHT) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>'
    )


def _axis_y(scale: Scale, name: str, right: int) -> Iterator[str]:
    for tick in scale.ticks():
        y = scale.at(tick)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:.6g}</text>'
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield f'<text transform="translate(14 {middle})rotate(-90)" text-anchor="middle">{escape(name)}</text>'


def pareto_svg(rows: Sequence[Row], figures: Sequence[str]) -> str:
    """A plot of all points by the first two of `figures`, with the Pareto front; the tooltip of a point has its axis
    values and figures."""
    names = [*figures, *figures][:2]
    good = [row for row in rows if all(number_in(row, name) is not None for name in names)]
    title = f"{names[1]} over {names[0]}, with the Pareto front"
    if not good:
        return f'{_opened(title)}<text x="20" y="40">no point has both figures</text></svg>'
    front = pareto(good, figures)
    places = {id(row): (number_in(row, names[0]) or 0.0, number_in(row, names[1]) or 0.0) for row in good}
    x = Scale([place[0] for place in places.values()], LEFT, WIDTH - RIGHT)
    y = Scale([place[1] for place in places.values()], HEIGHT - BOTTOM, TOP)
    parts = [_opened(title), *_axis_y(y, names[1], WIDTH - RIGHT)]
    for tick in x.ticks():
        parts.append(f'<path class="grid" d="M{x.at(tick):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{x.at(tick):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:.6g}</text>')
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(names[0])}</text>'
    )
    for row in good[:: ceil(len(good) / MOST_DRAWN)]:
        at = places[id(row)]
        parts.append(f'<circle class="point" cx="{x.at(at[0]):.1f}" cy="{y.at(at[1]):.1f}" r="3">{_tip(row)}</circle>')
    for row in front:
        px, py = x.at(places[id(row)][0]), y.at(places[id(row)][1])
        parts.append(f'<path class="front" d="M{px:.1f} {py - 6:.1f}l6 6l-6 6l-6 -6z">{_tip(row)}</path>')
    return "".join([*parts, "</svg>"])


def _tip(row: Row) -> str:
    return f"<title>{escape(', '.join(f'{name}={value}' for name, value in row.point.items()))}</title>"


def effects_svg(rows: Sequence[Row], figure: str) -> str:
    """A plot for each axis: the mean of a figure at each of the axis's values, with the range from the least to the
    greatest figure."""
    known = [(row, value) for row in rows if (value := number_in(row, figure)) is not None]
    title = f"{figure} by axis: mean, least and greatest over all other axes"
    axes = list(dict.fromkeys(name for row, _ in known for name in row.point))
    if not axes:
        return f'{_opened(title)}<text x="20" y="40">no point has this figure</text></svg>'
    groups = {axis: levels([(row.point[axis], value) for row, value in known if axis in row.point]) for axis in axes}
    slots = sum(len(group) + 1 for group in groups.values())
    width = max(WIDTH, LEFT + RIGHT + 26 * slots)
    y = Scale([value for _, value in known], HEIGHT - BOTTOM - 40, TOP)
    parts = [_opened(title, width), *_axis_y(y, figure, width - RIGHT)]
    step, slot = (width - LEFT - RIGHT) / slots, 0
    for axis, group in groups.items():
        middle = LEFT + step * (slot + len(group) / 2)
        parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(axis)}</text>')
        for level, values in group.items():
            x, mean = LEFT + step * (slot + 0.5), sum(values) / len(values)
            label = f"{axis}={level}: mean {mean:.6g}, from {min(values):.6g} to {max(values):.6g}"
            parts.append(f'<path class="range" d="M{x:.1f} {y.at(min(values)):.1f}V{y.at(max(values)):.1f}"/>')
            parts.append(
                f'<circle class="mean" cx="{x:.1f}" cy="{y.at(mean):.1f}" r="4"><title>{escape(label)}</title></circle>'
            )
            parts.append(
                f'<text transform="translate({x + 4:.1f} {HEIGHT - BOTTOM - 24})rotate(-45)" text-anchor="end">'
                f"{escape(level if len(level) < 12 else level[:10] + '…')}</text>"
            )
            slot += 1
        slot += 1
    return "".join([*parts, "</svg>"])
