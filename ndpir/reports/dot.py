"""`-t dot`: the program as a graph in Graphviz's language, coloured by device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import graphviz
from xdsl.dialects.builtin import ModuleOp

from dialects.text.printable import printable_lines
from ndpir.reports.answers.graphs.graph import GraphAnswer, graph_answer
from ndpir.reports.drawing.labels import copy_label, details, device_number, label, part_title
from ndpir.reports.drawing.picture import arranged
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget

COLOURS = ("#cfe2f3", "#d9ead3", "#fce5cd", "#ead1dc", "#fff2cc", "#d0e0e3", "#e6d5f5", "#f4cccc")
"""One pastel colour per device, in the machine's order; the first colour is that of the primary device."""
SIZE = "16.6,12.5"
"""The width and height to which Graphviz scales a larger drawing down, in inches of 96 pixels: those of a screen."""
READABLE = 150
"""The largest number of boxes of a drawing that is scaled down; more boxes would be too small to read."""


@dataclass(frozen=True)
class DotTarget(AnswerTarget[GraphAnswer]):
    """The program in Graphviz's language: its ops as boxes with their device, time and share of all work, coloured by
    device; one dashed edge for each copy, with its bytes and time. Equal layers are drawn once, in a frame with their
    number. Weights, values computed from them ahead of time, and views are not drawn. A program that names no machine
    has no devices and no times.

    `fold`: false draws every op; `entry`: the function; default: `main`, or the first one; `json`: write the graph as
    JSON.
    """

    name: ClassVar[str] = "dot"
    NEEDS_MACHINE: ClassVar[bool] = False
    fold: bool = True
    entry: str | None = None

    def answer(self, module: ModuleOp) -> GraphAnswer:
        return graph_answer(Run(module, self.entry), self.fold)

    def text(self, answer: GraphAnswer) -> str:
        return drawing_of(answer)


def drawing_of(answer: GraphAnswer) -> str:
    """The graph in Graphviz's language: a cluster for each repeated part and for each loop, and a legend of devices."""
    size = SIZE if len(answer.nodes) <= READABLE else ""
    drawing = empty_drawing("program", nodesep="0.2", ranksep="0.3", size=size, color="#555555")
    edges, parts = list(_edges(answer)), list(answer.parts)
    opened: list[tuple[int, graphviz.Digraph]] = [(len(answer.nodes), drawing)]

    def close() -> None:
        _, inner = opened.pop()
        opened[-1][1].subgraph(inner)

    for number, node in enumerate(answer.nodes):
        while opened[-1][0] < number:
            close()
        while parts and parts[0].first == number:
            part = parts.pop(0)
            frame = {"style": "rounded", "label": plain(part_title(part.times, part.loop))}
            opened.append((part.last, graphviz.Digraph(f"cluster_part_{number}_{len(parts)}", graph_attr=frame)))
        device, attributes = device_number(answer, node), dict[str, str]()
        if device is not None and node.kind != "copy":
            attributes["fillcolor"] = COLOURS[device % len(COLOURS)]
        if node.kind in ("argument", "result"):
            attributes["shape"] = "ellipse"
        elif node.kind == "copy":
            attributes["style"] = "dashed,rounded"
        elif node.kind == "move":
            attributes["shape"] = "cds"
        lines = [*label(node), node.shape] if node.shape not in label(node) else label(node)
        opened[-1][1].node(
            f"n{number}", plain("\n".join(filter(None, lines))), tooltip=plain(details(node)), **attributes
        )
    while len(opened) > 1:
        close()
    for source, target, attributes in edges:
        drawing.edge(source, target, **attributes)
    used = sorted({number for node in answer.nodes if (number := device_number(answer, node)) is not None})
    if used:
        style = {"label": "devices", "style": "dotted", "fontsize": "10"}
        legend = graphviz.Digraph("cluster_devices", graph_attr=style)
        for number in used:
            colour = COLOURS[number % len(COLOURS)]
            legend.node(f"device_{number}", plain(f"@{answer.devices[number]}"), fillcolor=colour)
        drawing.subgraph(legend)
    return drawing.source


def _edges(answer: GraphAnswer) -> Iterator[tuple[str, str, dict[str, str]]]:
    """The names of the ends of each edge, and the edge's attributes."""
    routes = arranged(answer).routes  # Graphviz has no columns, but puts side by side what no ranked edge connects
    for edge, route in zip(answer.edges, routes, strict=True):
        attributes: dict[str, str] = {}
        if edge.copies:
            attributes |= {"label": plain(f"copy {copy_label(edge)}"), "style": "dashed", "tooltip": plain(edge.name)}
        if edge.returns or route.across:
            attributes["constraint"] = "false"
        yield f"n{edge.source}", f"n{edge.target}", attributes


def empty_drawing(name: str, *, nodesep: str, ranksep: str, size: str = "", **edges: str) -> graphviz.Digraph:
    """An empty drawing with the fonts and colours of ndpir's drawings, laid out from top to bottom. `nodesep`,
    `ranksep`: distances in inches; `size`: the largest width and height in inches; `edges`: attributes of all edges."""
    largest = {"size": size} if size else {}
    return graphviz.Digraph(
        name,
        graph_attr={"rankdir": "TB", "fontname": "Helvetica", "nodesep": nodesep, "ranksep": ranksep, **largest},
        node_attr={
            "shape": "box",
            "style": "filled,rounded",
            "fillcolor": "white",
            "fontname": "Helvetica",
            "fontsize": "10",
        },
        edge_attr={"fontname": "Helvetica", "fontsize": "9", **edges},
    )


def plain(text: str) -> str:
    """A label that shows `text` literally, including backslashes and angle brackets; line breaks are kept."""
    return graphviz.nohtml(graphviz.escape(printable_lines(text)).replace("\n", "\\n"))
