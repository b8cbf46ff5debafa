"""`-t svg`: a program's graph as SVG: ops as boxes, coloured by device and sized by time, repeated parts in frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import hypot, sqrt
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from ndpir.reports.answers.graphs.graph import GraphAnswer, GraphEdge, GraphNode, graph_answer
from ndpir.reports.drawing.labels import copy_label, details, device_number, label, part_title
from ndpir.reports.drawing.layout import Box, Point, Route, fitted, routes
from ndpir.reports.markup import NOTHING, Markup, joined, markup, own_file
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget

SCREEN = 1600.0, 1200.0
"""The width and height in pixels that a drawing should fit."""
LETTER, SMALL = 7.3, 6.0
"""The average widths of a letter of names, and of one of other text, in pixels."""
ROUND = 5.0
"""The radius of a corner of an edge, in pixels."""


@dataclass(frozen=True)
class Arrangement:
    """The positions of a graph's nodes and edges. `whole`: a group of all boxes; `boxes`: the box of each node;
    `titles`: the title of each inner group, by the group's key; `routes`: the route of each edge."""

    whole: Box
    boxes: list[Box]
    titles: dict[int, str]
    routes: list[Route]


def arranged(answer: GraphAnswer, screen: tuple[float, float] = SCREEN) -> Arrangement:
    """The positions of nodes and edges in a drawing for a screen of a width and height in pixels."""
    longest = max((node.ns or 0.0 for node in answer.nodes), default=0.0) or 1.0
    boxes = [Box(index, _width(label(node)), _height(node, longest)) for index, node in enumerate(answer.nodes)]
    inner, titles = _grouped(answer, boxes)
    ends = [(edge.source, edge.target) for edge in answer.edges]
    gap = 24.0 if any(edge.copies for edge in answer.edges) else 17.0  # room for the labels of copies
    whole = fitted(inner, ends, *screen, gap)
    return Arrangement(whole, boxes, titles, routes(whole, ends))


def picture(answer: GraphAnswer, screen: tuple[float, float] = SCREEN, rows: bool = False) -> Markup:
    """The graph as an `svg` element. `screen`: the width and height in pixels that the drawing should fit; `rows`: True
    to link boxes to the rows of the timeline, for a report's script."""
    return markup("<svg {}>{}</svg>", *_parts(answer, screen, rows))


def _parts(answer: GraphAnswer, screen: tuple[float, float], rows: bool = False) -> tuple[Markup, Markup]:
    """The attributes and the content of the graph's `svg` element."""
    found = arranged(answer, screen)
    whole = found.whole
    parts = list(_frames(whole, found.titles))
    drawn: list[Markup] = []
    texts: list[tuple[float, float, float]] = []
    for edge, route in zip(answer.edges, found.routes, strict=True):
        drawn += _edge(edge, route, texts, whole.width)
    nodes = [
        _node(box, node, device_number(answer, node), rows) for box, node in zip(found.boxes, answer.nodes, strict=True)
    ]
    number = sum(node.ops for node in answer.nodes) + sum(edge.copies for edge in answer.edges)
    words = f"Graph of {len(answer.nodes):,} boxes for {number:,} ops"
    lines = [each for each in (*parts, *drawn) if not each.startswith("<text")]
    written = [each for each in (*parts, *drawn) if each.startswith("<text")]
    attributes = markup(
        'width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="group" aria-label="{2}"',
        whole.width,
        whole.height,
        words,
    )
    return attributes, joined([_ARROWS, *lines, *nodes, *written])


def document(answer: GraphAnswer) -> Markup:
    """The graph as an SVG file, in light colours or, where the viewer prefers them, dark ones."""
    attributes, content = _parts(answer, SCREEN) if answer.nodes else (_EMPTY, NOTHING)
    return markup(
        '<svg xmlns="http://www.w3.org/2000/svg" data-mode="auto" {}>\n'
        "<style>{}svg {{ background: var(--ground); }}</style>\n{}</svg>\n",
        attributes,
        style(),
        content,
    )


@cache
def style() -> Markup:
    """The style sheet of drawings, which defines the colours of both modes."""
    package = "ndpir.reports.drawing"
    return joined([own_file(package, "colours.css"), own_file(package, "picture.css")])


_EMPTY = markup('width="10" height="10"')
_ARROWS = markup(
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
    '<path d="M0,0L8,4L0,8z" fill="var(--soft)"/></marker></defs>'
)


def _width(lines: Sequence[str]) -> float:
    return max(len(line) * letter for line, letter in zip(lines, (LETTER, SMALL), strict=False)) + 14


def _height(node: GraphNode, longest: float) -> float:
    if node.kind in ("argument", "result"):
        return 20.0
    return 31 + 20 * sqrt((node.ns or 0.0) / longest)


def _grouped(answer: GraphAnswer, boxes: Sequence[Box]) -> tuple[list[Box], dict[int, str]]:
    """The boxes of nodes in the groups of their parts, and the title of each group by its key."""
    outer: list[Box] = []
    titles: dict[int, str] = {}
    opened: list[tuple[int, Box]] = []  # the last node of each open part
    starts: dict[int, list[int]] = {}
    for index, part in enumerate(answer.parts):
        starts.setdefault(part.first, []).append(index)
    for number, box in enumerate(boxes):
        while opened and opened[-1][0] < number:
            opened.pop()
        for index in starts.get(number, ()):
            part = answer.parts[index]
            title = part_title(part.times, part.loop)
            group = Box(-2 - index, least=len(title) * LETTER + 16)
            titles[group.key] = title
            (opened[-1][1].inner if opened else outer).append(group)
            opened.append((part.last, group))
        (opened[-1][1].inner if opened else outer).append(box)
    return outer, titles


def _frames(whole: Box, titles: Mapping[int, str]) -> Iterator[Markup]:
    """The frame of each part, with its title."""
    for box in whole.inner:
        if not box.inner:
            continue
        yield markup('<rect class="group" {} rx="8"/>', _corners(box))
        title, left = titles[box.key], max(min(inner.x for inner in box.inner), box.x + 8)
        yield markup('<text class="halo" x="{:.1f}" y="{:.1f}" font-weight="600">{}</text>', left, box.y + 15, title)
        yield from _frames(box, titles)


def _corners(box: Box) -> Markup:
    """The attributes of a rectangle."""
    template = 'x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"'
    return markup(template, box.x, box.y, box.width, box.height)


def _node(box: Box, node: GraphNode, device: int | None, rows: bool) -> Markup:
    lines = label(node)
    middle, center = box.y + box.height / 2, box.x + box.width / 2
    radius = box.height / 2 if node.kind in ("argument", "result") else 5
    kind = {"argument": "end", "result": "end", "copy": "point"}.get(node.kind, "box")
    colour = f"device-{device % 6}" if device is not None else "card"
    fill = markup(' fill="var(--{})"', colour) if kind == "box" else NOTHING
    words = ", ".join(lines)
    link = (
        markup('data-row="{}" tabindex="0" role="button" aria-label="{}; show it in the timeline"', node.row, words)
        if rows and node.row is not None
        else markup('role="img" aria-label="{}"', words)
    )
    rect = markup('<rect class="{}" {} rx="{:.0f}"{}/>', kind, _corners(box), radius, fill)
    shift = 4 if len(lines) == 1 else -3
    texts = joined(
        markup('<text{} x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>', small, center, middle + y, line)
        for line, y, small in zip(lines, (shift, 12), (NOTHING, markup(' class="small"')), strict=False)
    )
    return markup("<g {}><title>{}</title>{}{}</g>", link, details(node), rect, texts)


def _edge(edge: GraphEdge, route: Route, texts: list[tuple[float, float, float]], width: float) -> Iterator[Markup]:
    """The SVG of an edge, dashed and labelled if it stands for copies. `texts`: the positions and widths of labels
    drawn so far, which a new label must not cover; `width`: the width of the drawing."""
    kind = "copy" if edge.copies else "edge"
    if edge.returns:
        kind += " return"
    title = markup("<title>{}: {}</title>", edge.name, copy_label(edge)) if edge.copies else NOTHING
    drawn = _rounded(route.points) if route.square else _curved(route.points)
    yield markup('<path class="{}" d="{}" marker-end="url(#arrow)">{}</path>', kind, drawn, title)
    if not edge.copies:
        return
    words = copy_label(edge)
    (x, y), (u, v) = route.points[-2:] if route.square else (route.points[0], route.points[-1])
    wide, below = len(words) * SMALL, (y + v) / 2 + 3
    for at in ((x + u) / 2 + 7, (x + u) / 2 - 7 - wide):
        if at + wide < width and not any(abs(below - b) < 11 and at < a + w and a < at + wide for a, b, w in texts):
            texts.append((at, below, wide))
            yield markup('<text class="soft small halo" x="{:.1f}" y="{:.1f}">{}</text>', at, below, words)
            return


def _curved(points: Sequence[Point]) -> str:
    """The path of a curve that leaves and enters each point vertically."""
    (x, y), *rest = points
    path = f"M{x:.1f},{y:.1f}"
    for u, v in rest:
        bend = (v - y) / 2
        path += f"C{x:.1f},{y + bend:.1f} {u:.1f},{v - bend:.1f} {u:.1f},{v:.1f}"
        x, y = u, v
    return path


def _rounded(points: Sequence[Point]) -> str:
    """The path of horizontal and vertical lines through points, with round corners."""
    corners: list[Point] = []
    for point in points:
        if corners and hypot(point[0] - corners[-1][0], point[1] - corners[-1][1]) < 0.1:
            continue
        if len(corners) > 1 and any(
            abs(point[axis] - a[axis]) + abs(a[axis] - b[axis]) < 0.1 for axis in (0, 1) for b, a in [corners[-2:]]
        ):
            corners.pop()
        corners.append(point)
    path = f"M{corners[0][0]:.1f},{corners[0][1]:.1f}"
    for (x, y), (u, v), (p, q) in zip(corners, corners[1:], corners[2:], strict=False):
        before, after = hypot(u - x, v - y), hypot(p - u, q - v)
        a, b = min(ROUND, before / 2) / before, min(ROUND, after / 2) / after
        path += (
            f"L{u + (x - u) * a:.1f},{v + (y - v) * a:.1f}Q{u:.1f},{v:.1f} {u + (p - u) * b:.1f},{v + (q - v) * b:.1f}"
        )
    return path + f"L{corners[-1][0]:.1f},{corners[-1][1]:.1f}"


@dataclass(frozen=True)
class SvgTarget(AnswerTarget[GraphAnswer]):
    """The program as a picture: its ops as boxes, coloured by device and sized by time, and its copies as dashed edges.
    Equal layers are drawn once, so that a large model fits a screen. Weights, values computed from them ahead of time,
    and views are not drawn. A program that names no machine has no devices and no times.

    `fold`: false draws every op; `entry`: the function; default: `main`, or the first one; `json`: write the graph as
    JSON.
    """

    name: ClassVar[str] = "svg"
    NEEDS_MACHINE: ClassVar[bool] = False
    fold: bool = True
    entry: str | None = None

    def answer(self, module: ModuleOp) -> GraphAnswer:
        return graph_answer(Run(module, self.entry), self.fold)

    def text(self, answer: GraphAnswer) -> str:
        return document(answer)
