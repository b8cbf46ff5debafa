"""The charts of a report as SVG: bars, rooflines, and a memory's bytes over time. Each chart has a description for
screen readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10, sqrt

from dialects.text.printable import cut
from interp.figures import percent, size, time
from interp.units import digits
from ndpir.reports.banks.kernels import BankKernel
from ndpir.reports.html.answer import Point, Roofline
from ndpir.reports.markup import Markup, joined, markup
from ndpir.reports.residency import MemoryCurve

KINDS = 8
"""The number of different fillings; each is a colour with a hatching (page.css, page.js)."""
_HATCHES: tuple[str, ...] = (
    "",
    "M0,8L8,0M-2,2L2,-2M6,10L10,6",
    "M0,4H8",
    "M4,0V8",
    "M0,0L8,8M-2,6L2,10M6,-2L10,2",
    "M0,4H8M4,0V8",
    "M3,4a1,1 0 1 0 2,0a1,1 0 1 0 -2,0",
    "M0,8L8,0M0,0L8,8",
)
"""The SVG path of each hatching, as in page.js."""


def hatches() -> Markup:
    """The SVG definitions of all fillings; a page contains them once."""
    patterns = joined(
        markup(
            '<pattern id="kind-{0}" width="8" height="8" patternUnits="userSpaceOnUse">'
            '<rect width="8" height="8" fill="var(--kind-{0})"/>'
            '<path d="{1}" stroke="var(--ground)" stroke-opacity="0.55" stroke-width="1.2" fill="none"/></pattern>',
            index,
            lines,
        )
        for index, lines in enumerate(_HATCHES)
    )
    return markup('<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>{}</defs></svg>', patterns)


def filling(index: int) -> str:
    """The value of the SVG attribute `fill` for the category with this index: a colour with a hatching."""
    return f"url(#kind-{index % KINDS})"


def swatch(index: int) -> Markup:
    """A rectangle with the filling of this index, for legends."""
    return markup('<svg aria-hidden="true"><rect width="22" height="14" fill="{}"/></svg>', filling(index))


def bar(share: float) -> Markup:
    """A horizontal bar whose length represents a share from 0 to 1."""
    wide = 150 * min(max(share, 0.0), 1.0)
    drawn = markup('<rect width="{:.1f}" height="14" fill="var(--kind-0)"/>', wide)
    return markup('<svg role="img" aria-label="{}">{}</svg>', percent(share), drawn)


def cycles_bar(kernel: BankKernel, causes: Sequence[str], share: float) -> Markup:
    """The cycles of a kernel by cause, as a stacked bar. `causes`: all causes that occur in the report; a cause's index
    selects its filling. `share`: the kernel's time divided by that of the longest kernel, which determines the bar's
    height."""
    total, x = sum(wait.cycles for wait in kernel.waits) or 1, 0.0
    parts: list[Markup] = []
    for wait in kernel.waits:
        wide = 150 * wait.cycles / total
        parts.append(
            markup(
                '<rect x="{:.1f}" width="{:.1f}" height="14" fill="{}"><title>{}</title></rect>',
                x,
                wide,
                filling(causes.index(wait.cause)),
                f"{wait.cause}: {wait.cycles:,} cycles, {percent(wait.share)}",
            )
        )
        x += wide
    words = ", ".join(f"{wait.cause} {percent(wait.share)}" for wait in kernel.waits)
    scale = max(0.3, sqrt(share))
    group = markup('<g transform="scale(1 {:.3f})">{}</g>', scale, joined(parts))
    return markup('<svg role="img" aria-label="{}">{}</svg>', words, group)


WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 620, 360, 84, 44, 30, 16
"""The width and height of a roofline chart, and its four margins, in pixels."""
CIRCLES = 60
"""The largest number of circles in a roofline chart."""


def roofline_chart(roofline: Roofline) -> Markup:
    """The roofline of a device: flop/s over flops per byte, on logarithmic axes, with one circle for all tasks of the
    same name."""
    by_name = _by_name(roofline.points)[:CIRCLES]
    drawn = [point for point in by_name if point.flops_per_byte and point.flops_per_s]
    if not drawn:
        return markup(
            "<p>@{}: its tasks state no bytes, so that they have no arithmetic intensity.</p>", roofline.device
        )
    bandwidth, top = roofline.bytes_per_s, max((peak.flops_per_s for peak in roofline.peaks), default=0.0)
    xs = [point.flops_per_byte for point in drawn] + ([top / bandwidth] if bandwidth and top else [])
    ys = [point.flops_per_s for point in drawn] + [peak.flops_per_s for peak in roofline.peaks]
    x_axis, y_axis = _Axis.around(xs, LEFT, WIDTH - RIGHT), _Axis.around(ys, HEIGHT - BOTTOM, TOP)
    parts: list[Markup] = []
    for value in x_axis.ticks():
        x = x_axis.at(value)
        parts.append(markup('<path class="line" d="M{:.1f},{}V{}"/>', x, TOP, HEIGHT - BOTTOM))
        parts.append(_soft(x, HEIGHT - BOTTOM + 16, digits(value), "middle"))
    for value in y_axis.ticks():
        y = y_axis.at(value)
        parts.append(markup('<path class="line" d="M{},{:.1f}H{}"/>', LEFT, y, WIDTH - RIGHT))
        parts.append(_soft(LEFT - 8, y + 4, _rate(value), "end"))
    parts += _roofs(roofline, x_axis, y_axis)
    longest = max(point.ns * point.tasks for point in drawn)
    for point in sorted(drawn, key=lambda each: -each.ns * each.tasks):
        radius = max(3.0, 16 * sqrt(point.ns * point.tasks / longest))
        words = f"{point.name}: {point.tasks} x {time(point.ns)}, {_rate(point.flops_per_s)}, "
        words += f"{digits(float(f'{point.flops_per_byte:.4g}'))} flops per byte, limited by {point.bound}"
        x, y = x_axis.at(point.flops_per_byte), y_axis.at(point.flops_per_s)
        circle = '<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"><title>{}</title></circle>'
        parts.append(markup(circle, x, y, radius, words))
    parts += _labels([(point, 16 * sqrt(point.ns * point.tasks / longest)) for point in drawn[:6]], x_axis, y_axis)
    title = f"@{roofline.device} = {roofline.sheet}"
    words = f"Roofline of {title}: {len(by_name)} names of tasks; the longest is {by_name[0].name}"
    parts.append(_soft((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "flops per byte", "middle"))
    return _chart((WIDTH, HEIGHT), words, LEFT, f"{title}: flop/s over flops per byte", parts)


def _chart(size: tuple[int, int], words: str, left: float, title: str, parts: Sequence[Markup]) -> Markup:
    """A chart of a width and height in pixels. `words`: its description for screen readers; `left`: the position of its
    title."""
    return markup(
        '<svg width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">'
        '<text x="{3}" y="16">{4}</text>{5}</svg>',
        *size,
        words,
        left,
        title,
        joined(parts),
    )


def _soft(x: float, y: float, text: str, anchor: str) -> Markup:
    """A label of an axis in a muted colour; `x` and `y` are its position in pixels."""
    return markup('<text class="soft" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>', x, y, anchor, text)


def _by_name(points: Sequence[Point]) -> list[Point]:
    """One point for all tasks that have the same name and bound, with their average work and time; sorted by total
    time, longest first."""
    sums: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        sums.setdefault((point.name, point.bound), []).append(point)
    found: list[Point] = []
    for (name, bound), same in sums.items():
        tasks = sum(point.tasks for point in same)
        flops, nbytes = (sum(getattr(point, of) * point.tasks for point in same) for of in ("flops", "bytes"))
        ns = sum(point.ns * point.tasks for point in same)
        found.append(Point(name, tasks, bound, round(flops / tasks), round(nbytes / tasks), ns / tasks))
    return sorted(found, key=lambda point: -point.ns * point.tasks)


class _Axis:
    """A logarithmic axis from 10^`low` at pixel `first` to 10^`high` at pixel `last`."""

    def __init__(self, low: int, high: int, first: float, last: float) -> None:
        self.low, self.high, self.first, self.last = low, high, first, last

    @classmethod
    def around(cls, values: Sequence[float], first: float, last: float) -> _Axis:
        """The axis from pixel `first` to pixel `last` whose range contains all values."""
        low, high = floor(log10(min(values) * 0.8)), ceil(log10(max(values) * 1.25))
        return cls(low, max(high, low + 1), first, last)

    def at(self, value: float) -> float:
        """The position of a value in pixels."""
        share = (log10(value) - self.low) / (self.high - self.low)
        return self.first + (self.last - self.first) * min(max(share, 0.0), 1.0)

    def ticks(self) -> Iterator[float]:
        """The powers of ten that label the axis, at most nine."""
        step = max(1, ceil((self.high - self.low) / 8))
        return (10.0**power for power in range(self.low, self.high + 1, step))


def _roofs(roofline: Roofline, x_axis: _Axis, y_axis: _Axis) -> Iterator[Markup]:
    """The SVG lines of a roofline: a horizontal line for each peak rate, and the sloped line of the memory's
    bandwidth."""
    bandwidth, left, right = roofline.bytes_per_s, 10.0**x_axis.low, 10.0**x_axis.high
    tallest = max((peak.flops_per_s for peak in roofline.peaks), default=0.0)
    for peak in sorted(roofline.peaks, key=lambda each: -each.flops_per_s):
        ridge = peak.flops_per_s / bandwidth if bandwidth else left
        since, y = min(max(ridge, left), right), y_axis.at(peak.flops_per_s)
        yield markup('<path class="roof" d="M{:.1f},{:.1f}H{:.1f}"/>', x_axis.at(since), y, x_axis.at(right))
        words = f"{peak.name}: {_rate(peak.flops_per_s)}"
        yield markup('<text x="{}" y="{:.1f}" text-anchor="end">{}</text>', WIDTH - RIGHT - 4, y - 5, words)
    if bandwidth:
        low = max(left, 10.0**y_axis.low / bandwidth)
        high = min(right, (tallest or 10.0**y_axis.high) / bandwidth)
        if high > low:
            ends = [(x_axis.at(at), y_axis.at(at * bandwidth)) for at in (low, high)]
            (x, y), (u, v) = ends
            yield markup('<path class="roof" d="M{:.1f},{:.1f}L{:.1f},{:.1f}"/>', x, y, u, v)
            at = x + (u - x) * 0.35 - 6, y + (v - y) * 0.35 - 6
            yield markup('<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}/s</text>', *at, size(bandwidth))


def _labels(points: Sequence[tuple[Point, float]], x_axis: _Axis, y_axis: _Axis) -> Iterator[Markup]:
    """The names of tasks next to their circles, except names that would overlap the name of a previous point. `points`:
    each with the radius of its circle in pixels."""
    used: list[tuple[float, float, float]] = []
    for point, radius in points:
        x, y = x_axis.at(point.flops_per_byte), y_axis.at(point.flops_per_s)
        name = cut(point.name, 34)
        long = 6.6 * len(name)
        away = radius + 5
        start = x + away if x + away + long < WIDTH - RIGHT else max(x - away - long, LEFT + 2)
        if any(abs(y - v) < 14 and start < right and left < start + long for left, right, v in used):
            continue
        used.append((start, start + long, y))
        yield markup('<text x="{:.1f}" y="{:.1f}">{}</text>', start, y + 4, name)


def _rate(flops_per_s: float) -> str:
    for unit, scale in (("Pflop/s", 1e15), ("Tflop/s", 1e12), ("Gflop/s", 1e9), ("Mflop/s", 1e6)):
        if flops_per_s >= scale:
            return f"{digits(float(f'{flops_per_s / scale:.4g}'))} {unit}"
    return f"{digits(float(f'{flops_per_s:.4g}'))} flop/s"


LONG, TALL = 1240, 150
"""The width and height of a chart of a memory's bytes over time, in pixels."""


def memory_chart(curve: MemoryCurve) -> Markup:
    """The bytes in a memory over time, and a line at the memory's capacity if it is within the chart's range."""
    left, right, top, bottom = 84.0, LONG - 16.0, 26.0, TALL - 22.0
    near = curve.peak_bytes > curve.capacity_bytes / 8
    most = max(curve.capacity_bytes if near else curve.peak_bytes, curve.peak_bytes, 1) * 1.06
    columns = len(curve.most_bytes)
    y_of = [bottom - value / most * (bottom - top) for value in curve.most_bytes]
    steps = [f"M{left},{bottom:.1f}"]
    last = ""
    for column, y in enumerate(y_of):
        if (place := f"{y:.1f}") != last:
            steps.append(f"H{left + (right - left) * column / columns:.1f}V{place}")
            last = place
    parts = [markup('<path class="area" d="{}H{}V{:.1f}Z"/>', "".join(steps), right, bottom)]
    for share in (0.0, 0.5, 1.0):
        x = left + (right - left) * share
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[share]
        parts.append(_soft(x, TALL - 6, time(curve.end_ns * share), anchor))
    for value in (0, curve.peak_bytes):
        y = bottom - value / most * (bottom - top)
        parts.append(markup('<path class="line" d="M{},{:.1f}H{}"/>', left, y, right))
        parts.append(_soft(left - 8, y + 4, size(value), "end"))
    if near:
        y = bottom - curve.capacity_bytes / most * (bottom - top)
        parts.append(markup('<path class="limit" d="M{},{:.1f}H{}"/>', left, y, right))
    weights = f", {size(curve.resident_bytes)} of it all the time" if curve.resident_bytes else ""
    scale = "the dashed line is its capacity" if near else "the capacity is far above this scale"
    words = f"@{curve.name}: at most {size(curve.peak_bytes)} of {size(curve.capacity_bytes)}{weights}; {scale}"
    return _chart((LONG, TALL), words, left, words, parts)
