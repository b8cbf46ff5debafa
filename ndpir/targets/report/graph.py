"""The graph of a report: tasks as boxes, coloured by device and sized by time; layers of a network that are equal are
drawn once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from interp.figures import percent, size, time
from ndpir.answers.report import ReportAnswer
from ndpir.targets.report.layout import GAP_X, Box, laid_out

MOST = 400
"""The largest number of boxes that are drawn; with more boxes, the text in them would be too small to read."""
LETTER = 6.7
"""The average width of a letter in pixels."""


@dataclass
class Node:
    """One task, or all equal tasks at one position of a repeated part."""

    row: int
    name: str
    on: str
    ns: float
    """The total time of the node's tasks."""
    tasks: int


@dataclass
class Edge:
    """The data that one node reads from another. If they are copied between devices, the edge also has the number,
    bytes and total time of the copies."""

    copies: int = 0
    bytes: int = 0
    ns: float = 0.0


@dataclass
class Part:
    """A sequence of nodes and of inner parts that is repeated `times` times in direct succession."""

    items: list[int | Part] = field(default_factory=list["int | Part"])
    times: int = 1


@dataclass
class Folded:
    """A graph in which each repeated part is drawn once."""

    nodes: dict[int, Node]
    edges: dict[tuple[int, int], Edge]
    """The edges by the row numbers of their source and target. An edge whose target comes before its source connects a
    part with its next repetition."""
    whole: Part


def folded(answer: ReportAnswer) -> Folded:
    """The graph of the tasks outside of loops, with each loop as one node, and with equal consecutive parts merged into
    one part."""
    rows, tasks = answer.rows, answer.tasks
    made = {task.row: index for index, task in enumerate(tasks)}
    wiring: list[list[tuple[int, int | None]]] = [[] for _ in tasks]
    for index, task in enumerate(tasks):
        for source, copy in task.inputs:
            if source in made:
                wiring[index].append((made[source], copy))
    keys: dict[tuple[object, ...], int] = {}
    numbers: list[int] = []
    for task in tasks:
        row = rows[task.row]
        key = row.name, row.on, row.flops, row.bytes, row.kind, len(task.inputs)
        numbers.append(keys.setdefault(key, len(keys)))
    first = list(range(len(tasks)))  # the node of the first repetition that stands for each task
    whole = Part(_parts(np.array(numbers, np.int64), 0, len(tasks), first))
    for index in range(len(first)):  # a part in a part: the first one of the first one
        first[index] = first[first[index]]
    found = Folded({}, {}, whole)
    for index, task in enumerate(tasks):
        row, stands = rows[task.row], tasks[first[index]].row
        node = found.nodes.setdefault(first[index], Node(stands, row.name, row.on, 0.0, 0))
        node.ns += row.end_ns - row.start_ns
        node.tasks += 1
    for index, inputs in enumerate(wiring):
        for source, copy in inputs:
            edge = found.edges.setdefault((first[source], first[index]), Edge())
            if copy is not None:
                edge.copies += 1
                edge.bytes += rows[copy].bytes
                edge.ns += rows[copy].ns
    return found


def _parts(numbers: NDArray[np.int64], start: int, end: int, first: list[int]) -> list[int | Part]:
    """The tasks from `start` to `end` as nodes and parts: the repetition whose merging saves the most boxes becomes a
    part, and the tasks before, in and after it are divided in the same way."""
    best = _repetition(numbers[start:end])
    if best is None:
        return list(range(start, end))
    at, period, times = best
    at += start
    for place in range(at, at + period * times):
        first[place] = at + (place - at) % period
    inner = Part(_parts(numbers, at, at + period, first), times)
    return [*_parts(numbers, start, at, first), inner, *_parts(numbers, at + period * times, end, first)]


def _repetition(numbers: NDArray[np.int64]) -> tuple[int, int, int] | None:
    """The start, the period and the number of repetitions of the sequence whose merging saves the most boxes; if
    several save equally many, of the one with the shortest period. None if no merging saves at least three boxes.
    `numbers`: one number per task, equal for equal tasks."""
    best: tuple[int, int, int, int] | None = None
    count = len(numbers)
    for period in range(1, count // 2 + 1):
        if best is not None and count - period <= best[0]:
            break
        equal = np.concatenate(([False], numbers[period:] == numbers[:-period], [False]))
        edges = np.flatnonzero(equal[1:] != equal[:-1])
        begins, ends = edges[::2], edges[1::2]
        times = (ends - begins) // period + 1
        if not len(times):
            continue
        saved = (times - 1) * period
        place = int(saved.argmax())
        if saved[place] >= 3 and (best is None or saved[place] > best[0]):
            best = int(saved[place]), int(begins[place]), period, int(times[place])
    return best[1:] if best is not None else None


def graph_drawing(answer: ReportAnswer, devices: Sequence[str]) -> str:
    """The graph as SVG; an empty text for a program without tasks, and a sentence for a program with too many different
    tasks. `devices`: the order of the devices, which determines their colours."""
    graph = folded(answer)
    if not graph.nodes:
        return ""
    if len(graph.nodes) > MOST:
        return f"<p>The {len(graph.nodes):,} tasks that differ are too many to be drawn; the timeline shows all.</p>"
    longest = max(node.ns for node in graph.nodes.values()) or 1.0
    labels = {index: _label(node, answer.summary.totals.makespan_ns) for index, node in graph.nodes.items()}
    boxes = _boxes(graph.whole, labels, {index: node.ns / longest for index, node in graph.nodes.items()})
    width, height = laid_out(boxes, list(graph.edges))
    places = {box.key: box for box in _flat(boxes)}
    parts = [*_frames(boxes, graph.whole)]
    labelled: list[tuple[float, float]] = []
    for (a, b), edge in graph.edges.items():
        parts += _edge(places[a], places[b], edge, labelled)
    for index, node in graph.nodes.items():
        parts.append(_node(places[index], node, labels[index], devices.index(node.on.partition(".")[0])))
    words = f"Graph of {len(graph.nodes)} boxes for {len(answer.tasks):,} tasks"
    wide, tall = width + 2 * GAP_X + 60, height + 8
    return (
        f'<svg width="{wide:.0f}" height="{tall:.0f}" viewBox="{-GAP_X} -4 {wide:.0f} {tall:.0f}" role="group" '
        f'aria-label="{escape(words)}">{_ARROWS}{"".join(parts)}</svg>'
    )


_ARROWS = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0,0L8,4L0,8z" fill="var(--soft)"/></marker></defs>'
)


def _label(node: Node, makespan_ns: float) -> tuple[str, str]:
    name = node.name if len(node.name) <= 36 else node.name[:35] + "…"
    number = f"{node.tasks:,} x, " if node.tasks > 1 else ""
    return name, f"@{node.on}: {number}{time(node.ns)}, {percent(node.ns / makespan_ns if makespan_ns else 0.0)}"


def _boxes(part: Part, labels: Mapping[int, tuple[str, str]], shares: Mapping[int, float]) -> list[Box]:
    boxes: list[Box] = []
    for item in part.items:
        if isinstance(item, Part):
            inner = _boxes(item, labels, shares)
            boxes.append(Box(-1 - min(key for box in inner for key in box.nodes()) * 2, inner=inner))
        else:
            long = max(map(len, labels[item]))
            boxes.append(Box(item, long * LETTER + 16, 36 + 34 * sqrt(shares[item])))
    return boxes


def _flat(boxes: Sequence[Box]) -> Iterator[Box]:
    for box in boxes:
        if box.inner:
            yield from _flat(box.inner)
        else:
            yield box


def _frames(boxes: Sequence[Box], part: Part) -> Iterator[str]:
    """The frames around repeated parts, each with the number of repetitions."""
    for box, item in zip(boxes, part.items, strict=True):
        if isinstance(item, Part):
            corner = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
            yield f'<rect class="group" {corner} rx="8"/>'
            words = f"{item.times} equal parts, one after another"
            yield f'<text x="{box.x + 10:.1f}" y="{box.y + 16:.1f}" font-weight="600">{words}</text>'
            yield from _frames(box.inner, item)


def _node(box: Box, node: Node, label: tuple[str, str], device: int) -> str:
    middle = box.y + box.height / 2
    return (
        f'<g data-row="{node.row}" tabindex="0" role="button" aria-label="{escape(", ".join(label))}; show it in the '
        f'timeline"><rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="5" '
        f'fill="var(--device-{device % 6})" stroke="var(--soft)"/>'
        f'<text x="{box.x + box.width / 2:.1f}" y="{middle - 3:.1f}" text-anchor="middle">{escape(label[0])}</text>'
        f'<text class="soft" x="{box.x + box.width / 2:.1f}" y="{middle + 12:.1f}" text-anchor="middle">'
        f"{escape(label[1])}</text></g>"
    )


def _edge(source: Box, target: Box, edge: Edge, labelled: list[tuple[float, float]]) -> Iterator[str]:
    """The SVG of an edge; an edge with copies is dashed and has a label. An edge to the next repetition of a part is
    drawn at the side of the boxes. `labelled`: the positions of the labels drawn so far, which a new label must not
    cover."""
    x, y = source.x + source.width / 2, source.y + source.height
    u, v = target.x + target.width / 2, target.y
    kind = "copy" if edge.copies else "edge"
    words = f"{size(edge.bytes)}, {time(edge.ns)}" if edge.copies else ""
    title = f"<title>{edge.copies} x copy: {words} in total</title>" if edge.copies else ""
    if v > y:
        bend = (v - y) / 2
        path = f"M{x:.1f},{y:.1f}C{x:.1f},{y + bend:.1f} {u:.1f},{v - bend:.1f} {u:.1f},{v:.1f}"
    else:
        side = max(source.x + source.width, target.x + target.width) + 14
        start, end = source.y + source.height / 2, target.y + target.height / 2
        path = f"M{source.x + source.width:.1f},{start:.1f}H{side:.1f}V{end:.1f}H{target.x + target.width:.1f}"
    yield f'<path class="{kind}" d="{path}" marker-end="url(#arrow)">{title}</path>'
    at, below = (x + u) / 2, (y + v) / 2
    if edge.copies and v > y and not any(abs(at - a) < 130 and abs(below - b) < 13 for a, b in labelled):
        labelled.append((at, below))
        yield f'<text class="soft" x="{at + 5:.1f}" y="{below + 4:.1f}">{escape(words)}</text>'
