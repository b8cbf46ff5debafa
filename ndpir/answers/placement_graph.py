"""The answer of `-t placement-graph`: all placements of a program as one layered graph."""

from __future__ import annotations

from dataclasses import dataclass

from lowering.placement.choice import Placement
from lowering.placement.graph import PlacementGraph, title_of


@dataclass(frozen=True)
class NodeOption:
    """A node of the graph: a device, or a split over several, that can run an op."""

    label: str
    device: str
    ns: float
    """Its time there."""


@dataclass(frozen=True)
class Layer:
    """An op, and everything that can run it."""

    index: int
    """Its number in program order."""
    op: str
    place: str
    """The line of the program that it comes from."""
    view: bool
    """True if it takes no time, since its result is a view of its operand."""
    options: tuple[NodeOption, ...]
    chosen: int | None
    """The option that the policy chooses, by its position; null without a policy."""


@dataclass(frozen=True)
class CopyWay:
    """The copies from one memory to another, or, if both directions take as long, between the two."""

    label: str
    source: str
    """A device with the first memory."""
    target: str


@dataclass(frozen=True)
class MovedValue:
    """A value that some op reads."""

    name: str
    bytes: int
    maker: int | None
    """The op that makes it; null for an argument, which is made at the start."""
    readers: tuple[int | None, ...]
    """The ops that read it; null for the end of the program."""
    copy_ns: tuple[float, ...]
    """The time of a copy of it, for each entry of `ways`."""


@dataclass(frozen=True)
class PlacementGraphAnswer:
    """All placements of a program of graph ops. The program starts and ends on the primary device."""

    primary: str
    labels: tuple[str, ...]
    """The labels of all options: devices in the machine's order, then splits."""
    memories: tuple[tuple[str, ...], ...]
    """The devices by the memory that they share."""
    nodes: int
    edges: int
    policy: str
    """The policy whose choices are marked; `none` without one."""
    serial_ns: float | None
    """The time of the chosen placement without overlap; null without a policy."""
    makespan_ns: float | None
    """The time of the chosen placement with overlap."""
    layers: tuple[Layer, ...]
    ways: tuple[CopyWay, ...]
    values: tuple[MovedValue, ...]


def placement_graph_data(graph: PlacementGraph, chosen: Placement | None, policy: str) -> PlacementGraphAnswer:
    """A placement graph as plain data, with the choices of a policy."""
    problem, ways = graph.problem, graph.ways()
    layers = (
        Layer(
            node.index,
            *title_of(node),
            node.view,
            tuple(NodeOption(choice.label, choice.device, choice.cost.ns) for choice in node.choices),
            next(n for n, choice in enumerate(node.choices) if choice is chosen[node.index]) if chosen else None,
        )
        for node in problem.nodes
    )
    values = (
        MovedValue(
            graph.names[value],
            nbytes := problem.bytes_of(value),
            maker,
            tuple(readers),
            tuple(problem.copy(nbytes, source, target).ns for _, source, target in ways),
        )
        for value, maker, readers in graph.values()
    )
    return PlacementGraphAnswer(
        problem.primary,
        tuple(graph.labels),
        tuple(tuple(group) for group in graph.memories.groups()),
        graph.node_count,
        sum(1 for _ in graph.transfers()),
        policy,
        None if chosen is None else problem.serial_ns(chosen),
        None if chosen is None else problem.makespan(chosen),
        tuple(layers),
        tuple(CopyWay(*way) for way in ways),
        tuple(values),
    )
