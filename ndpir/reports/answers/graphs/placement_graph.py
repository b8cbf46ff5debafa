"""The answer of `-t placement-graph`: all placements of a program as one layered graph."""

from __future__ import annotations

from dataclasses import dataclass

from lowering.instance.choice import Placement
from lowering.instance.placement_graph import PlacementGraph, title_of


@dataclass(frozen=True)
class NodeOption:
    """A node of the graph: one device, or a split over several devices, that can run an op."""

    label: str
    device: str
    ns: float
    """The time of the op on this device or split."""


@dataclass(frozen=True)
class Layer:
    """An op, and all devices and splits that can run it."""

    index: int
    """The op's number in program order."""
    op: str
    place: str
    """The line of the program that the op comes from."""
    view: bool
    """True if the op takes no time, since its result is a view of its operand."""
    options: tuple[NodeOption, ...]
    chosen: int | None
    """The index in `options` of the policy's choice; null without a policy."""


@dataclass(frozen=True)
class CopyWay:
    """A pair of memories between which values are copied: from the first to the second, or, if copies take equally long
    in both directions, in either direction."""

    label: str
    source: str
    """The name of a device that uses the first memory."""
    target: str


@dataclass(frozen=True)
class MovedValue:
    """A value that some op reads."""

    name: str
    bytes: int
    maker: int | None
    """The number of the op that computes the value; null for an argument of the program."""
    readers: tuple[int | None, ...]
    """The numbers of the ops that read the value; null for the end of the program, which reads its results."""
    copy_ns: tuple[float, ...]
    """The time of a copy of the value between each pair of memories, in the order of `ways`."""


@dataclass(frozen=True)
class PlacementGraphAnswer:
    """All placements of a program of graph ops. The program starts and ends on the primary device."""

    primary: str
    labels: tuple[str, ...]
    """The labels of all devices, in the machine's order, and then of all splits."""
    memories: tuple[tuple[str, ...], ...]
    """Groups of devices; the devices of a group share one memory."""
    nodes: int
    edges: int
    policy: str
    """The policy whose choices are marked; `none` if no choices are marked."""
    serial_ns: float | None
    """The sum of all times of ops and copies in the chosen placement; null without a policy."""
    makespan_ns: float | None
    """The makespan of the chosen placement, with overlap of ops and copies; null without a policy."""
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
