"""Texts of drawings of a program's graph: labels of ops, copies and repeated parts."""

from __future__ import annotations

from dialects.text.printable import cut
from interp.figures import percent, size, time
from ndpir.reports.answers.graphs.graph import GraphAnswer, GraphEdge, GraphNode

LONGEST = 34
"""The largest number of letters of a name that are drawn."""


def device_number(answer: GraphAnswer, node: GraphNode) -> int | None:
    """The number of a node's device among the machine's devices; None for a node without a device."""
    return answer.devices.index(node.on) if node.on is not None and node.on in answer.devices else None


def label(node: GraphNode) -> list[str]:
    """The lines of text that describe a node: its name; its device, number of runs, time and share."""
    name = cut(node.name, LONGEST)
    device = f"@{node.on}" if node.on is not None and "->" not in node.on else node.on or ""
    runs = f"{node.times:,} x" if node.times > 1 else ""
    ns = short_time(node.ns) if node.ns is not None else ""
    share = percent(node.share) if node.share is not None else ""
    if node.kind in ("argument", "result"):
        return [" ".join(filter(None, (name, runs and f"({runs})")))]
    moved = short_size(node.bytes) if node.kind == "copy" and node.bytes is not None else ""
    figures = " ".join(filter(None, (device, ", ".join(filter(None, (runs, moved, ns, share))))))
    return [name, figures or node.shape or node.op]


def short_time(ns: float) -> str:
    """A time as text with three digits."""
    return time(float(f"{ns:.3g}"))


def short_size(count: int) -> str:
    """A number of bytes as text with three digits."""
    return size(float(f"{count:.3g}"))


def copy_label(edge: GraphEdge) -> str:
    """The number, bytes and time of an edge's copies."""
    times = f"{edge.times:,} x, " if edge.times > 1 else ""
    return times + ", ".join([short_size(edge.bytes), *([short_time(edge.ns)] if edge.ns is not None else [])])


def part_title(times: int, loop: str) -> str:
    """The title of the frame around a repeated part or a loop's body."""
    return loop or f"{times} equal parts"


def details(node: GraphNode) -> str:
    """A node's ops, types of results and place, in one line."""
    return "; ".join(filter(None, (node.op, node.shape, node.place)))
