"""`-t memory-svg`: a picture of memory over time: bytes held by each memory, bytes moved, and waits of the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import IO, ClassVar, LiteralString

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from interp.figures import percent, size, time
from interp.simulate.memory.history import Floats, History, Level, history_of_program
from interp.walk.entry import entry_of
from ndpir.reports.markup import Markup, joined, markup
from ndpir.reports.memory import policy_of
from ndpir.reports.run import Run


@dataclass(frozen=True)
class MemorySvgTarget(Target):
    """A picture of memory over time: bytes in the primary device's memory and in the memory tiers behind it, bytes
    moved, and waits of tasks for transfers. Only for programs that exceed the device's memory."""

    name: ClassVar[str] = "memory-svg"
    NEEDS_MACHINE: ClassVar[bool] = True
    BASELINE: ClassVar[bool] = False
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        run, function = Run.of(module, self.entry), entry_of(module, self.entry)
        clock, residence = run.clock, run.timeline.residence
        if residence is None:
            primary = clock.machine.primary
            raise InputError(
                f"@{function.sym_name.data} fits into the memory of @{primary}, so there are no moves to draw; reduce "
                f"that memory (--set {primary}.memory=…) on a machine with memory behind it, such as v100-uvm",
                function,
            )
        fraction = residence.ideal_ns / residence.makespan_ns if residence.makespan_ns else 1.0
        note = f"{policy_of(residence)}, mode {residence.regime.mode}; {percent(fraction)} of ideal"
        title = f"@{function.sym_name.data} on {clock.machine.devices[residence.device].name}: memory over time"
        output.write(memory_picture(history_of_program(residence), title, note))


WIDTH, LEFT, RIGHT = 960, 96, 24
"""The width of the picture, and its margins left and right of the plots, in pixels."""
_PLOT = WIDTH - LEFT - RIGHT
_COLUMNS = _PLOT
"""The number of time intervals in the picture; each is drawn as one column of pixels."""
_TOP, _GAP, _STALLS = 72, 44, 14
_DEVICE, _TIER, _RATES = 190, 70, 130
"""Heights of the plots of device memory, of a memory tier, and of rates, in pixels."""

_STYLE = Markup("""
  svg {
    --ground: #ffffff; --ink: #1f2328; --faint: #d0d7de; --soft: #59636e; --held: #0072b2; --tier: #56b4e9;
    --prefetched: #009e73; --faulted: #d55e00; --evicted: #e69f00; --written: #999999; --stall: #cc79a7;
  }
  @media (prefers-color-scheme: dark) {
    svg {
      --ground: #0d1117; --ink: #e6edf3; --faint: #30363d; --soft: #9198a1; --held: #4aa8e0; --tier: #7cc8f0;
      --prefetched: #2fc79a; --faulted: #f0803c; --evicted: #f0b840; --written: #8b8b8b; --stall: #e09bc4;
    }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--ink); }
  .title { font-size: 15px; font-weight: 600; } .note { fill: var(--soft); } .ground { fill: var(--ground); }
  .grid { stroke: var(--faint); } .capacity { stroke: var(--ink); stroke-dasharray: 5 3; }
  .held { fill: var(--held); } .tier { fill: var(--tier); } .stall { fill: var(--stall); }
  .prefetched { fill: var(--prefetched); } .faulted { fill: var(--faulted); } .evicted { fill: var(--evicted); }
  .written { fill: var(--written); }
""")
"""The picture's style: colours of Okabe and Ito, which colour-blind readers can distinguish, and lighter colours in
dark mode."""

INWARD = ("prefetched", "faulted")
"""Names of the transfers into the device's memory; all other transfers move data out of it."""


def memory_picture(history: History, title: str, note: str = "") -> Markup:
    """A picture (SVG) of a history over one time axis: the bytes in each memory, with its capacity; the rates of
    transfers into the device's memory (upwards) and out of it (downwards); and the fraction of time for which the
    device waits. Colours follow the reader's light or dark mode."""
    edges = np.linspace(0.0, history.end_ns, _COLUMNS + 1) if history.end_ns > 0 else np.linspace(0.0, 1.0, 2)
    parts: list[Markup] = []
    top = float(_TOP)
    for place, level in enumerate(history.levels):
        height = _TIER if place else _DEVICE
        parts += _level(level, edges, top, height, "tier" if place else "held")
        top += height
        if place == 0:
            parts += _stalls(history, edges, top + 4)
            top += _STALLS
        top += _GAP
    parts += _rates(history, edges, top)
    top += _RATES
    parts += _time_axis(history.end_ns, top)
    parts += _legend(history, top + 44)
    height = top + 64
    return markup(
        _PICTURE,
        width=WIDTH,
        height=height,
        left=LEFT,
        title=title,
        note=note,
        style=_STYLE,
        parts=joined(parts, "\n"),
    )


_PICTURE: LiteralString = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" \
role="img" aria-labelledby="title note">
<title id="title">{title}</title>
<desc id="note">{note}</desc>
<style>{style}</style>
<rect class="ground" width="{width}" height="{height:g}"/>
<text class="title" x="{left}" y="24">{title}</text>
<text class="note" x="{left}" y="42">{note}</text>
{parts}
</svg>
"""


def _level(level: Level, edges: Floats, top: float, height: float, kind: str) -> Iterator[Markup]:
    peak = level.held.peak
    # The content of a tier with much free capacity would be too low to see at the capacity's scale.
    shown = float(level.capacity) if kind == "held" or peak > level.capacity / 8 else peak or 1.0
    most, bottom = shown * 1.04, top + height
    for value in _ticks(shown):
        y = bottom - value / most * height
        yield _across(y)
        yield _beside(y + 4, size(value))
    yield _area(level.held.most_in(edges), np.zeros(len(edges) - 1), bottom, height / most, kind)
    if shown == level.capacity:
        y = bottom - level.capacity / most * height
        yield _across(y, "capacity")
    label = f"@{level.name}: {size(peak)} of {size(level.capacity)} at most"
    yield markup('<text x="{}" y="{:g}">{}</text>', LEFT, top - 6, label)


def _across(y: float, kind: str = "grid") -> Markup:
    """A horizontal line over the width of the plots."""
    return markup('<line class="{0}" x1="{1}" x2="{2}" y1="{3:.1f}" y2="{3:.1f}"/>', kind, LEFT, WIDTH - RIGHT, y)


def _beside(y: float, text: str) -> Markup:
    """A label of the vertical axis."""
    return markup('<text class="note" x="{}" y="{:.1f}" text-anchor="end">{}</text>', LEFT - 8, y, text)


def _stalls(history: History, edges: Floats, top: float) -> Iterator[Markup]:
    """The fraction of time for which the device waits, for each column of pixels, as the height of a strip below the
    plot of the device's memory."""
    waited = np.diff(history.stalled.at(edges)) / np.diff(edges)
    yield _area(waited, np.zeros(len(waited)), top + _STALLS, float(_STALLS), "stall")
    yield _beside(top + _STALLS - 2, "waits")


def _rates(history: History, edges: Floats, top: float) -> Iterator[Markup]:
    widths = np.diff(edges) / 1e9
    rates = {word: np.diff(curve.at(edges)) / widths for word, curve in history.moved.items()}
    zero = np.zeros(len(widths))
    up = sum((rate for word, rate in rates.items() if word in INWARD), zero)
    down = sum((rate for word, rate in rates.items() if word not in INWARD), zero)
    peak_up, peak_down = float(up.max(initial=0)), float(down.max(initial=0))
    scale = _RATES / ((peak_up + peak_down) * 1.04 or 1.0)
    base = top + peak_up * 1.02 * scale if peak_up + peak_down else top + _RATES / 2
    for peak, sign in ((peak_up, 1), (peak_down, -1)):
        for value in _ticks(peak)[1:]:
            y = base - sign * value * scale
            yield _across(y)
            yield _beside(y + 4, f"{size(value)}/s")
    lower, deeper = zero, zero
    for word, rate in rates.items():
        if word in INWARD:
            yield _area(lower + rate, lower, base, scale, word.partition(" ")[0])
            lower = lower + rate
        else:
            yield _area(-deeper, -(deeper + rate), base, scale, word.partition(" ")[0])
            deeper = deeper + rate
    yield _across(base)
    yield markup('<text x="{}" y="{:g}">moved: into the device (up), out of it (down)</text>', LEFT, top - 6)


def _area(upper: Floats, lower: Floats, bottom: float, scale: float, kind: str) -> Markup:
    """The filled area between two step lines, `upper` and `lower`, given by one value per column of pixels; points are
    written only at columns whose value differs from that of the previous column."""
    columns = len(upper)
    corners = np.linspace(LEFT, WIDTH - RIGHT, columns + 1)
    top, low = np.round(bottom - upper * scale, 1), np.round(bottom - lower * scale, 1)
    ahead = [f"M{LEFT},{low[0]:g}"]
    for ys, order in ((top, range(columns)), (low, range(columns - 1, -1, -1))):
        last = None
        for column in order:
            if ys[column] != last:
                x = corners[column] if ys is top else corners[column + 1]
                ahead.append(f"H{x:.1f}V{ys[column]:g}")
                last = ys[column]
        ahead.append(f"H{WIDTH - RIGHT if ys is top else LEFT}")
    return markup('<path class="{}" d="{}Z"/>', kind, "".join(ahead))


def _time_axis(end_ns: float, top: float) -> Iterator[Markup]:
    for value in _ticks(end_ns):
        x = LEFT + (value / end_ns if end_ns else 0.0) * _PLOT
        yield markup('<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2:g}"/>', x, _TOP, top + 6)
        template = '<text class="note" x="{:.1f}" y="{:g}" text-anchor="middle">{}</text>'
        yield markup(template, x, top + 20, time(value))


def _legend(history: History, y: float) -> Iterator[Markup]:
    x = float(LEFT)
    for kind, label in _legend_words(history):
        yield markup('<rect class="{}" x="{:g}" y="{:g}" width="12" height="12"/>', kind, x, y - 10)
        yield markup('<text x="{:g}" y="{:g}">{}</text>', x + 17, y, label)
        x += 17 + 7 * len(label) + 22


def _legend_words(history: History) -> list[tuple[str, str]]:
    words = [(word.partition(" ")[0], f"{word} {size(curve.end)}") for word, curve in history.moved.items()]
    fraction = history.stalled_ns / history.end_ns if history.end_ns else 0.0
    return [*words, ("stall", f"waits {time(history.stalled_ns)} ({percent(fraction)})")]


def _ticks(most: float, wanted: int = 5) -> Sequence[float]:
    """Positions of an axis's labels: 0 and about `wanted` round numbers up to `most`."""
    if most <= 0:
        return [0.0]
    rough = most / wanted
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * (1 - 1e-9))
    return [step * place for place in range(int(most / step * (1 + 1e-9)) + 1)]
