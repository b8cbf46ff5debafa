"""Layered layout of a directed graph with nested groups, in columns, so that a long graph fits a screen.

The rank of a box is the length of the longest path to it. Ranks are rows from top to bottom; where a column would be
higher than a limit, the next rank starts a new column to its right. Boxes of a rank are ordered so that few edges cross
(barycentres of neighbours; Sugiyama, Tagawa and Toda 1981), and then moved towards their neighbours. A group is laid
out separately, and is then one box of the graph around it. Edges between columns run through the channels between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, sqrt
from typing import NamedTuple, TypeAlias

GAP_X, MARGIN, TITLE = 14.0, 10.0, 18.0
"""Distances in pixels: between the boxes of a rank, from a group's frame to its boxes, and for a group's title above
its boxes."""
CHANNEL, LANE = 14.0, 6.0
"""The least width of the channel between two columns, and the width of each lane in it, in pixels."""
SWEEPS = 8
"""The number of sweeps over all ranks, each of which improves the order and the positions of boxes."""
LARGE = 400
"""The number of nodes from which on only one height of columns is tried."""
EMPTY = 3.0
"""The area of a drawing of so many nodes, divided by the area of their boxes, which estimates that height."""
OUTER, INNER = (inf, 1.0, 0.8, 1.25, 1.6), (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 1.25, 1.6)
"""The largest heights of columns, outside of groups and in groups, that are tried for smaller graphs, as multiples of
the screen's height."""

Point: TypeAlias = tuple[float, float]
Edge: TypeAlias = tuple[int, int]


@dataclass
class Box:
    """A node, or a group of boxes (`inner`), with its size and position in pixels."""

    key: int
    """The number of the node; of a group, a number that no node has."""
    width: float = 0.0
    height: float = 0.0
    inner: list[Box] = field(default_factory=list["Box"])
    x: float = 0.0
    """The position of the box's left side."""
    y: float = 0.0
    above: float = 0.0
    """The vertical position of the middle of the gap above the box's rank."""
    below: float = 0.0
    """The vertical position of the middle of the gap below the box's rank."""
    least: float = 0.0
    """The least width of a group, for its title."""
    columns: Columns | None = None
    """The columns of a group's boxes."""

    def move(self, x: float, y: float) -> None:
        """Move the box, and all boxes in it, by a distance."""
        self.x += x
        self.y += y
        self.above += y
        self.below += y
        for box in self.inner:
            box.move(x, y)
        if self.columns is not None:
            self.columns.move(x, y)

    def nodes(self) -> list[int]:
        """The numbers of all nodes in the box."""
        return [key for box in self.inner for key in box.nodes()] if self.inner else [self.key]


@dataclass
class Columns:
    """The columns of a group. `holder`: for each node in the group, the index of the box that contains it; `of`: the
    column of each box, by the box's index; `channels`: the left side of the channel before each column, and of the one
    after the last column; `top`: the position of the lane above all columns; `bends`: for each edge between two boxes
    of one column, the points that it passes, by the indices of the boxes; `lanes`: for each channel, the lane of each
    node whose edges use it."""

    holder: dict[int, int]
    of: list[int]
    channels: list[float]
    top: float
    bends: dict[Edge, list[Point]]
    lanes: list[dict[int, int]]

    def move(self, x: float, y: float) -> None:
        """Move all positions by a distance."""
        self.channels = [each + x for each in self.channels]
        self.top += y
        self.bends = {edge: [(a + x, b + y) for a, b in points] for edge, points in self.bends.items()}

    def lane(self, channel: int, node: int) -> float:
        """The horizontal position of a node's lane in a channel."""
        return self.channels[channel] + CHANNEL / 2 + LANE * self.lanes[channel].get(node, 0)


class Route(NamedTuple):
    """The points of an edge from the bottom of its source to the top of its target; `square`: its lines are
    horizontal and vertical; `across`: it leads from one column to another."""

    points: list[Point]
    square: bool
    across: bool


def fitted(boxes: Sequence[Box], edges: Sequence[Edge], width: float, height: float, gap: float = 24.0) -> Box:
    """A group of boxes, laid out for a screen of a width and height in pixels. Of several heights of columns and widths
    of ranks, those are taken for which the drawing must be scaled down least; if several drawings fit, the one with the
    smallest area. `boxes`: in an order in which each edge leads from an earlier to a later box; other edges do not
    influence the layout. `gap`: the distance between two ranks in pixels."""
    whole = Box(-1, inner=list(boxes))
    leaves = list(_leaves(whole))
    if len(leaves) > LARGE:
        area = sum((box.width + GAP_X) * (box.height + gap) for box in leaves)
        limit = max(sqrt(EMPTY * area * height / width), height)
        _lay_out(whole, edges, _Limits(limit, limit, inf, gap))
        return whole
    limits = [_Limits(inf, inf, inf, gap)]
    _lay_out(whole, edges, limits[0])
    if whole.height > height or whole.width > width:
        nested = any(box.inner for box in boxes)
        limits += [
            _Limits(outer * height, inner * height, width / parts, gap)
            for outer in OUTER
            for inner in (INNER if nested else (1.0,))
            for parts in (0.5, 1.0, 2.0, 3.0)
            if inner <= outer
        ]
    found: list[tuple[float, float, int]] = []
    for number, limit in enumerate(limits):
        _lay_out(whole, edges, limit)
        scale = max(whole.width / width, whole.height / height, 1.0)
        found.append((scale, whole.width * whole.height, number))
    _lay_out(whole, edges, limits[min(found)[2]])
    return whole


def _leaves(box: Box) -> Iterator[Box]:
    """The boxes of the nodes in a box."""
    if not box.inner:
        yield box
    for inner in box.inner:
        yield from _leaves(inner)


class _Limits(NamedTuple):
    """The largest sizes of the parts of a layout in pixels. `height`: the height of a group's columns; `inner`: the
    height of columns in groups within that group; `width`: the width of a rank with several boxes; `gap`: the distance
    between two ranks."""

    height: float
    inner: float
    width: float
    gap: float


def _lay_out(group: Box, edges: Sequence[Edge], limits: _Limits) -> None:
    """Set the size of a group, and the positions of its boxes relative to the group's upper left corner."""
    gap = limits.gap
    boxes = group.inner
    for box in boxes:
        if box.inner:
            within = limits.inner - 2 * MARGIN - TITLE
            _lay_out(box, edges, limits._replace(height=within, inner=within))
    holder = {key: index for index, box in enumerate(boxes) for key in box.nodes()}
    inside = [(a, b) for a, b in edges if a in holder and b in holder and (holder[a] != holder[b] or a == b)]
    outer = sorted({(holder[a], holder[b]) for a, b in inside if holder[a] < holder[b]})
    rank = _ranks([box.width for box in boxes], outer, limits.width)
    heights = [0.0] * (max(rank, default=-1) + 1)
    for index, box in enumerate(boxes):
        heights[rank[index]] = max(heights[rank[index]], box.height)
    wide = [-GAP_X] * len(heights)
    for index, box in enumerate(boxes):
        wide[rank[index]] += box.width + GAP_X
    starts = _starts(heights, wide, limits.height, gap)
    column = [sum(start <= level for start in starts) - 1 for level in range(len(heights))] if starts else []
    of = [column[level] for level in rank]
    channels: list[dict[int, int]] = [{} for _ in range(len(starts) + 1)]
    above = 0
    for a, b in inside:
        if (way := _way(of[holder[a]], of[holder[b]], holder[a] < holder[b])) is not None:
            for channel in dict.fromkeys(way):
                channels[channel].setdefault(a, len(channels[channel]))
            above = above or int(way[0] != way[1])
    ends = {start - 1 for start in (*starts[1:], len(heights))}
    for a, b in edges:
        if a in holder and b not in holder and (len(starts) > 1 or rank[holder[a]] not in ends):
            right = channels[of[holder[a]] + 1]
            right.setdefault(a, len(right))
        if b in holder and a not in holder and rank[holder[b]] not in starts:
            left = channels[of[holder[b]]]
            left.setdefault(a, len(left))
    top = gap if above else 0.0
    bends: dict[Edge, list[Point]] = {}
    positions: list[float] = []
    x, tallest = 0.0, 0.0
    for number, start in enumerate(starts):
        positions.append(x)
        x += CHANNEL + LANE * len(channels[number]) if number or channels[number] else 0.0
        end = starts[number + 1] if number + 1 < len(starts) else len(heights)
        within = [(a, b) for a, b in outer if of[a] == of[b] == number]
        x, y = _column(boxes, rank, range(start, end), heights, within, (x, top), bends, gap)
        tallest = max(tallest, y)
    positions.append(x)
    x += CHANNEL + LANE * len(channels[-1]) if channels[-1] else 0.0
    tallest += gap if any(channels) else 0.0  # lines below the last rank
    group.columns = Columns(holder, of, positions, top / 2, bends, channels)
    group.x = group.y = group.above = group.below = 0.0
    group.width, group.height = max(x + 2 * MARGIN, group.least), tallest + 2 * MARGIN + TITLE
    for box in boxes:
        box.move(MARGIN, MARGIN + TITLE)
    group.columns.move(MARGIN, MARGIN + TITLE)


def _starts(heights: Sequence[float], widths: Sequence[float], limit: float, gap: float) -> list[int]:
    """The first rank of each column, so that no column is higher than `limit` unless it has one rank only, and the sum
    of the columns' widths is as small as possible. `heights`, `widths`: those of the ranks."""
    best = [0.0]  # the least width of the ranks before each one
    before = [0]  # the start of the column that ends before each rank
    for end in range(1, len(heights) + 1):
        tall, wide, found = -gap, 0.0, (inf, end - 1)
        for start in reversed(range(end)):
            tall += heights[start] + gap
            if tall > limit and start < end - 1:
                break
            wide = max(wide, widths[start])
            found = min(found, (best[start] + wide + CHANNEL + 2 * LANE, start))
        best.append(found[0])
        before.append(found[1])
    starts: list[int] = []
    end = len(heights)
    while end:
        end = before[end]
        starts.append(end)
    return starts[::-1]


def _way(source: int, target: int, forward: bool) -> tuple[int, int] | None:
    """The channels in which an edge leaves its source's column and enters its target's column; None for an edge within
    a column. Channel n is before column n."""
    if source == target:
        return None if forward else (source + 1, source + 1)
    return (source + 1, target) if source < target else (source, target + 1)


def _ranks(widths: Sequence[float], edges: Sequence[Edge], limit: float) -> list[int]:
    """The rank of each box: the first rank after the ranks of its inputs whose width stays below `limit` with this box
    in it (Coffman and Graham 1972). A box without inputs is in the rank before its first reader. `widths`: the widths
    of the boxes; `edges`: sorted, each to a later box."""
    count = len(widths)
    rank = [0] * count
    makers: list[list[int]] = [[] for _ in range(count)]
    readers: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        makers[b].append(a)
        readers[a].append(b)
    used: dict[int, float] = {}
    late = {index for index in range(count) if not makers[index] and readers[index]}
    for index in range(count):
        if index in late:
            continue
        level = max((1 if maker in late else rank[maker] + 1 for maker in makers[index]), default=0)
        while level in used and used[level] + widths[index] > limit:
            level += 1
        rank[index] = level
        used[level] = used.get(level, 0.0) + widths[index]
    for index in sorted(late):
        rank[index] = max(min(rank[reader] for reader in readers[index]) - 1, 0)
    return rank


def _column(
    boxes: Sequence[Box],
    rank: Sequence[int],
    levels: range,
    heights: Sequence[float],
    edges: Sequence[Edge],
    corner: Point,
    bends: dict[Edge, list[Point]],
    gap: float,
) -> Point:
    """Set the positions of the boxes of one column, whose upper left corner is given; returns its lower right corner.
    `bends`: receives the points that edges over several ranks pass."""
    ranks: list[list[int]] = [[] for _ in levels]
    widths: dict[int, float] = {}
    for index, level in enumerate(rank):
        if level in levels:
            ranks[level - levels.start].append(index)
            widths[index] = boxes[index].width
    neighbours: dict[int, tuple[list[int], list[int]]] = {index: ([], []) for index in widths}
    passed: dict[Edge, list[int]] = {}
    points = len(boxes)
    for a, b in edges:
        chain = [a]
        for level in range(rank[a] + 1, rank[b]):
            widths[points], neighbours[points] = 4.0, ([], [])
            ranks[level - levels.start].append(points)
            chain.append(points)
            points += 1
        chain.append(b)
        passed[a, b] = chain[1:-1]
        for one, other in pairwise(chain):
            neighbours[one][1].append(other)
            neighbours[other][0].append(one)
    order = _ordered(ranks, neighbours)
    places = _placed(order, neighbours, widths)
    left = min((places[index] - widths[index] / 2 for each in order for index in each), default=0.0)
    right = max((places[index] + widths[index] / 2 for each in order for index in each), default=0.0)
    y = corner[1]
    middles: dict[int, Point] = {}
    for level, each in zip(levels, order, strict=True):
        for index in each:
            place = places[index] - left + corner[0]
            if index >= len(boxes):
                middles[index] = place, y + heights[level] / 2
                continue
            box = boxes[index]
            box.move(place - box.width / 2 - box.x, y + (heights[level] - box.height) / 2 - box.y)
            box.above, box.below = y - gap / 2, y + heights[level] + gap / 2
        y += heights[level] + gap
    bends |= {edge: [middles[point] for point in points] for edge, points in passed.items()}
    return corner[0] + right - left, y - gap


def _ordered(ranks: list[list[int]], neighbours: Mapping[int, tuple[list[int], list[int]]]) -> list[list[int]]:
    """The boxes and points of each rank, reordered so that few edges cross."""
    order = [list(rank) for rank in ranks]
    at = {index: float(place) for level in order for place, index in enumerate(level)}
    for sweep in range(SWEEPS):
        side = sweep % 2
        for rank in order if side == 0 else reversed(order):
            if len(rank) < 2:
                continue

            def mean(index: int, side: int = side) -> float:
                beside = neighbours[index][side]
                return sum(at[other] for other in beside) / len(beside) if beside else at[index]

            rank.sort(key=mean)
            for place, index in enumerate(rank):
                at[index] = float(place)
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
    boxes that touch form a group, whose position is the mean of the positions that its boxes want."""
    groups: list[_Touching] = []
    for number, index in enumerate(rank):
        group = _Touching(number, 1, wanted[index], 0.0)
        while groups:
            before = groups[-1]
            inner = (widths[rank[group.first - 1]] + widths[rank[group.first]]) / 2
            away = before.length + inner + GAP_X
            if before.wanted / before.boxes + away <= group.wanted / group.boxes:
                break
            groups.pop()
            total = before.wanted + group.wanted - group.boxes * away
            group = _Touching(before.first, before.boxes + group.boxes, total, away + group.length)
        groups.append(group)
    for group in groups:
        at = group.wanted / group.boxes
        for number in range(group.first, group.first + group.boxes):
            if number > group.first:
                at += (widths[rank[number - 1]] + widths[rank[number]]) / 2 + GAP_X
            places[rank[number]] = at


class _Touching(NamedTuple):
    """Boxes of a rank that touch. `first`: the number of the first one in the rank; `boxes`: their number; `wanted`:
    the sum, over the boxes, of the position that the box wants minus its distance from the first one; `length`: the
    distance of the last box from the first one."""

    first: int
    boxes: int
    wanted: float
    length: float


def routes(whole: Box, edges: Sequence[Edge]) -> list[Route]:
    """The route of each edge between nodes of a group that is laid out."""
    paths: dict[int, list[Box]] = {}

    def visit(box: Box, around: list[Box]) -> None:
        if box.inner:
            for each in box.inner:
                visit(each, [*around, box])
        else:
            paths[box.key] = [*around, box]

    visit(whole, [])
    return [_route(a, b, paths[a], paths[b]) for a, b in edges]


def _route(a: int, b: int, source: Sequence[Box], target: Sequence[Box]) -> Route:
    """The route of an edge between two nodes. `source`, `target`: the groups around each node, the outermost first, and
    the node itself."""
    common = max(depth for depth, (one, other) in enumerate(zip(source, target, strict=False)) if one is other)
    common = min(common, len(source) - 2)
    columns, start, end = source[common].columns, source[-1], target[-1]
    assert columns is not None
    leaves, enters = source[common + 1], target[common + 1]
    first, last = columns.holder[a], columns.holder[b]
    way = _way(columns.of[first], columns.of[last], first < last)
    x, u = start.x + start.width / 2, end.x + end.width / 2
    bends = columns.bends.get((first, last), [])
    points = [(x, start.y + start.height)]
    if way is None and leaves is start and enters is end:
        return Route([*points, *bends, (u, end.y)], False, False)
    shift = (a % 5 - 2) * 2.0
    if (lane := _lane(source, a, a, 1)) is not None:
        points += [(x, start.below + shift), (lane, start.below + shift)]
        x = lane
    points.append((x, leaves.below + shift))
    if way is not None:
        out, into = (columns.lane(channel, a) for channel in way)
        points.append((out, leaves.below + shift))
        if way[0] != way[1]:
            points += [(out, columns.top + shift), (into, columns.top + shift)]
        points.append((into, enters.above + shift))
    for bend, y in bends:
        points += [(bend, points[-1][1]), (bend, y)]
    if bends:
        points.append((points[-1][0], enters.above + shift))
    if (lane := _lane(target, b, a, 0)) is not None:
        points += [(lane, enters.above + shift), (lane, end.above + shift)]
    return Route([*points, (u, points[-1][1]), (u, end.y)], True, columns.of[first] != columns.of[last])


def _lane(path: Sequence[Box], node: int, source: int, after: int) -> float | None:
    """The position of the lane in which the edges of the node `source` pass the column of `node` in the innermost group
    around it; None if they need none. `after`: 0 for the channel before the column, 1 for the one after it."""
    columns = path[-2].columns
    assert columns is not None
    channel = columns.of[columns.holder[node]] + after
    return columns.lane(channel, source) if source in columns.lanes[channel] else None
