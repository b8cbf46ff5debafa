"""Drawings of graphs: boxes do not overlap, edges begin and end at boxes, and many equal layers fit a screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from ndpir.reports.answers.graphs.graph import graph_answer
from ndpir.reports.drawing.layout import Box, fitted, routes
from ndpir.reports.drawing.picture import SCREEN, document
from ndpir.reports.run import Run
from tests.programs import parse


def leaves(box: Box) -> Iterator[Box]:
    if not box.inner:
        yield box
    for inner in box.inner:
        assert box.x <= inner.x + 1e-6
        assert inner.x + inner.width <= box.x + box.width + 1e-6
        assert box.y <= inner.y + 1e-6
        assert inner.y + inner.height <= box.y + box.height + 1e-6
        yield from leaves(inner)


@given(
    st.lists(st.tuples(st.sets(st.integers(0, 11), max_size=3), st.integers(20, 200)), min_size=1, max_size=12),
    st.integers(100, 1000),
)
def test_boxes_do_not_overlap_and_edges_end_at_boxes(nodes: list[tuple[set[int], int]], height: int) -> None:
    edges = [(a, b) for b, (sources, _) in enumerate(nodes) for a in sources if a < b]
    boxes = [Box(index, wide, 20 + wide / 5) for index, (_, wide) in enumerate(nodes)]
    if len(boxes) > 6:  # the last nodes as a group, and an edge to its next repetition
        boxes = [*boxes[:4], Box(-2, inner=boxes[4:])]
        edges.append((len(nodes) - 1, 4))
    whole = fitted(boxes, edges, 600, height)
    flat = {box.key: box for box in leaves(whole)}
    assert sorted(flat) == list(range(len(nodes)))
    for one in flat.values():
        for other in flat.values():
            beside = one.x + one.width <= other.x + 1e-6 or other.x + other.width <= one.x + 1e-6
            assert one is other or beside or one.y + one.height <= other.y + 1e-6 or other.y + other.height <= one.y
    for (a, b), route in zip(edges, routes(whole, edges), strict=True):
        assert route.points[0] == (flat[a].x + flat[a].width / 2, flat[a].y + flat[a].height)
        assert route.points[-1] == (flat[b].x + flat[b].width / 2, flat[b].y)
        corners = list(zip(route.points, route.points[1:], strict=False))
        assert not route.square or all(abs(x - u) < 1e-6 or abs(y - v) < 1e-6 for (x, y), (u, v) in corners)


def layers(count: int) -> str:
    lines = [
        f"""  %a{i} = graph.relu %y{i} : tensor<64x64xf32>
  %b{i} = graph.matmul %a{i}, %x : tensor<64x64xf32>, tensor<64x64xf32>
  %c{i} = graph.exp %b{i} : tensor<64x64xf32>
  %y{i + 1} = graph.add %c{i}, %y{i} : tensor<64x64xf32>"""
        for i in range(count)
    ]
    body = "\n".join(lines)
    return f"""func.func @main(%x: tensor<64x64xf32>, %y0: tensor<64x64xf32>) -> tensor<64x64xf32> {{
{body}
  func.return %y{count} : tensor<64x64xf32>
}}"""


def test_many_layers_fit_a_screen() -> None:
    run = Run(parse(layers(40)))
    drawing = document(graph_answer(run))
    size = re.search(r'width="(\d+)" height="(\d+)"', drawing)
    assert size is not None
    assert (int(size[1]) <= SCREEN[0], int(size[2]) <= SCREEN[1]) == (True, True)
    assert "40 equal parts" in drawing
    assert document(graph_answer(run, fold=False)).count(">matmul<") == 40


def test_a_picture_is_xml_and_loads_nothing() -> None:
    text = layers(1).replace("graph.exp %b0 : tensor<64x64xf32>", 'graph.exp %b0 : tensor<64x64xf32> loc("a<b&c")')
    drawing = document(graph_answer(Run(parse(text))))
    root = ElementTree.fromstring(drawing)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"(?:href|src|url)\s*=|url\((?!#)|@import", drawing)


def test_a_program_without_ops_is_an_empty_picture() -> None:
    drawing = document(graph_answer(Run(parse("func.func @main() { func.return }"))))
    assert ElementTree.fromstring(drawing).tag.endswith("svg")
