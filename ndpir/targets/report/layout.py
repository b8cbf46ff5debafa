"""Layered layout of a directed graph with nested groups, so that a report does not need Graphviz.

The rank of a node is the length of the longest path to it. Nodes of a rank are ordered so that few edges cross
(barycentres of neighbours; Sugiyama, Tagawa and Toda 1981), and then moved towards their neighbours. A group is laid
out separately, and is then treated as one node of the surrounding graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

GAP_X, GAP_Y, MARGIN, TITLE = 26.0, 24.0, 12.0, 20.0
"""Distances in pixels: between the nodes of a rank, between two ranks, from a group's frame to its nodes, and for a
group's title above its nodes."""
SWEEPS = 8
"""The number of sweeps over all ranks, each of which improves the order and the positions of boxes."""


@dataclass
class Box:
    """A node, or a group of nodes (`inner`), with its size and position in pixels."""

    key: int
    """The number of the node; for a group, a number that no node has."""
    width: float = 0.0
    height: float = 0.0
    inner: list[Box] = field(default_factory=list["Box"])
    x: float = 0.0
    """The horizontal position of the box's left side."""
    y: float = 0.0

    def moved(self, x: float, y: float) -> None:
        """Move the box, and all boxes in it."""
        self.x += x
        self.y += y
        for box in self.inner:
            box.moved(x, y)

    def nodes(self) -> list[int]:
        """The numbers of all nodes in the box."""
        return [key for box in self.inner for key in box.nodes()] if self.inner else [self.key]


def laid_out(boxes: Sequence[Box], edges: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Set the positions of boxes, and return the width and height of the drawing. `boxes`: in an order in which each
    edge leads from an earlier to a later box; other edges do not influence the layout."""
    for box in boxes:
        if box.inner:
            width, height = laid_out(box.inner, edges)
            for inner in box.inner:
                inner.moved(MARGIN, MARGIN + TITLE)
            box.width, box.height = width + 2 * MARGIN, height + 2 * MARGIN + TITLE
    holder = {key: index for index, box in enumerate(boxes) for key in box.nodes()}
    found = {(holder[a], holder[b]) for a, b in edges if a in holder and b in holder}
    outer = sorted((a, b) for a, b in found if a < b)
    ranks, neighbours, widths = _ranked(boxes, outer)
    order = _ordered(ranks, neighbours)
    places = _placed(order, neighbours, widths)
    left = min((places[index] - widths[index] / 2 for rank in order for index in rank), default=0.0)
    y = 0.0
    for rank in order:
        tall = max((boxes[index].height for index in rank if index < len(boxes)), default=0.0)
        for index in rank:
            if index < len(boxes):
                box = boxes[index]
                box.moved(places[index] - box.width / 2 - left, y + (tall - box.height) / 2)
        y += tall + GAP_Y
    right = max((box.x + box.width for box in boxes), default=0.0)
    return right, max(y - GAP_Y, 0.0)


def _ranked(
    boxes: Sequence[Box], edges: Sequence[tuple[int, int]]
) -> tuple[list[list[int]], dict[int, tuple[list[int], list[int]]], dict[int, float]]:
    """The boxes of each rank, the neighbours of each box in the ranks above and below, and the width of each box. An
    edge over several ranks passes through a point in each rank in between; the points are numbered after the boxes."""
    rank = [0] * len(boxes)
    for a, b in edges:  # sorted by their first ends, which come before the second ones
        rank[b] = max(rank[b], rank[a] + 1)
    followers: dict[int, list[int]] = {}
    for a, b in edges:
        followers.setdefault(a, []).append(b)
    for index in reversed(range(len(boxes))):  # a box without predecessors stands just above its first reader
        if not any(b == index for _, b in edges) and index in followers:
            rank[index] = max(min(rank[b] for b in followers[index]) - 1, 0)
    ranks: list[list[int]] = [[] for _ in range(max(rank, default=-1) + 1)]
    widths = {index: box.width for index, box in enumerate(boxes)}
    neighbours: dict[int, tuple[list[int], list[int]]] = {index: ([], []) for index in range(len(boxes))}
    for index, level in enumerate(rank):
        ranks[level].append(index)
    for a, b in edges:
        last = a
        for level in range(rank[a] + 1, rank[b] + 1):
            if level == rank[b]:
                point = b
            else:
                point = len(widths)
                widths[point], neighbours[point] = 2.0, ([], [])
                ranks[level].append(point)
            neighbours[last][1].append(point)
            neighbours[point][0].append(last)
            last = point
    return ranks, neighbours, widths


def _ordered(ranks: list[list[int]], neighbours: Mapping[int, tuple[list[int], list[int]]]) -> list[list[int]]:
    """The boxes and points of each rank, reordered so that few edges cross."""
    order = [list(rank) for rank in ranks]
    for sweep in range(SWEEPS):
        side = sweep % 2
        for rank in order if side == 0 else reversed(order):
            at = {index: place for level in order for place, index in enumerate(level)}

            def mean(index: int, at: Mapping[int, int] = at, side: int = side) -> float:
                beside = neighbours[index][side]
                return sum(at[other] for other in beside) / len(beside) if beside else float(at[index])

            rank.sort(key=mean)
    return order


def _placed(
    order: Sequence[Sequence[int]],
    neighbours: Mapping[int, tuple[list[int], list[int]]],
    widths: Mapping[int, float],
) -> dict[int, float]:
    """The horizontal position of the middle of each box and point: near its neighbours in other ranks, without overlaps
    within a rank."""
    places: dict[int, float] = {}
    for rank in order:
        x = 0.0
        for index in rank:
            places[index] = x + widths[index] / 2
            x += widths[index] + GAP_X
        for index in rank:
            places[index] -= (x - GAP_X) / 2
    for sweep in range(SWEEPS):
        for rank in order if sweep % 2 == 0 else reversed(order):
            wanted = {
                index: sum(places[other] for other in beside) / len(beside)
                if (beside := [*neighbours[index][0], *neighbours[index][1]])
                else places[index]
                for index in rank
            }
            _spread(rank, wanted, widths, places)
    return places


def _spread(
    rank: Sequence[int], wanted: Mapping[int, float], widths: Mapping[int, float], places: dict[int, float]
) -> None:
    """Set the positions `places` of a rank's boxes as near to the positions `wanted` as their order and widths allow:
    boxes that touch form a group, whose position is the mean of its boxes' wanted positions."""
    groups: list[tuple[list[int], list[float], float]] = []  # boxes, their distances from the first one, its place
    for index in rank:
        members, away, start = [index], [0.0], wanted[index]
        while groups:
            before, distances, first = groups[-1]
            next_to = distances[-1] + (widths[before[-1]] + widths[members[0]]) / 2 + GAP_X
            if first + next_to <= start:
                break
            groups.pop()
            members, away = [*before, *members], [*distances, *(next_to + each for each in away)]
            start = sum(wanted[each] - by for each, by in zip(members, away, strict=True)) / len(members)
        groups.append((members, away, start))
    for members, away, start in groups:
        for index, by in zip(members, away, strict=True):
            places[index] = start + by
