"""The report of the backend: what each traced graph takes on a machine, and what part of the model was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialects.diagnostics import InputError
from dialects.text.columns import aligned
from interp.figures import time as time_text
from ndpir.pytorch.recording import Graph, Recording


@dataclass(frozen=True)
class GraphTime:
    """A traced graph on the machine."""

    kind: str
    """`inference`, `forward` or `backward`."""
    calls: int
    """The number of times that PyTorch ran it."""
    ops: int
    """The number of its ATen calls."""
    seen_s: float
    """The seconds that PyTorch spent in it, over all calls."""
    makespan_ns: float | None = None
    """The time of one call on the machine; null if the graph can't be read."""
    alone_ns: float | None = None
    """The time of one call on the machine's primary device alone."""
    tasks: int | None = None
    """The number of kernels of one call."""
    error: str | None = None
    """Why the graph can't be read or compiled."""


@dataclass(frozen=True)
class Report:
    """The run of compiled models, by graphs. `str(report)` is a table."""

    machine: str
    passes: str
    graphs: tuple[GraphTime, ...]
    breaks: tuple[tuple[str, int], ...]
    """The reasons of graph breaks, with how often each was met."""
    seen: float
    """The share of PyTorch's time between the first and the last graph of each run that was spent in graphs that could
    be read."""
    makespan_ns: float
    """The time of all calls on the machine, of the graphs that could be read."""
    alone_ns: float
    """The same on the primary device alone."""

    @property
    def speed_up(self) -> float:
        """The speed-up of the machine over its primary device alone."""
        return self.alone_ns / self.makespan_ns if self.makespan_ns else 1.0

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [("graph", "calls", "ops", "kernels", "one call", "alone")]
        for each in self.graphs:
            times = ("not read", "")
            if each.makespan_ns is not None and each.alone_ns is not None:
                times = time_text(each.makespan_ns), time_text(each.alone_ns)
            rows.append((each.kind, str(each.calls), str(each.ops), str(each.tasks or ""), *times))
        lines = [f"machine  {self.machine}, passes {self.passes}", *aligned(rows)]
        lines.append(f"total    {time_text(self.makespan_ns)}, {self.speed_up:.2f}x over the primary device alone")
        lines.append(f"seen     {100 * self.seen:.1f} % of PyTorch's time from the first graph to the last")
        lines += [f"break    {reason}" + (f" ({count} times)" if count > 1 else "") for reason, count in self.breaks]
        lines += [f"unread   {each.kind}: {each.error}" for each in self.graphs if each.error]
        return "\n".join(lines)


def answered(recording: Recording, graphs: Sequence[Graph], breaks: Mapping[str, int]) -> Report:
    """The report of a run. Graphs that were read before are not read again."""
    found = [_time(graph) for graph in graphs]
    inside = sum(graph.seconds for graph in graphs)
    read = sum(graph.seconds for graph, time in zip(graphs, found, strict=True) if time.error is None)
    good = [each for each in found if each.makespan_ns is not None and each.alone_ns is not None]
    options = graphs[0].options
    from ndpir.frontends.machines import DEFAULT

    return Report(
        options.machine or DEFAULT,
        options.passes,
        tuple(found),
        tuple(breaks.items()),
        read / (inside + recording.between) if inside + recording.between else 1.0,
        sum((each.makespan_ns or 0.0) * each.calls for each in good),
        sum((each.alone_ns or 0.0) * each.calls for each in good),
    )


def _time(graph: Graph) -> GraphTime:
    """Time and energy of one call of a graph on its machine."""
    ops = sum(node.op == "call_function" for node in graph.module.graph.nodes)
    time = GraphTime(graph.kind, graph.calls, ops, graph.seconds)
    try:
        figures = _figures(graph)
    except InputError as error:
        return GraphTime(graph.kind, graph.calls, ops, graph.seconds, error=str(error))
    return GraphTime(time.kind, time.calls, ops, time.seen_s, *figures)


def _figures(graph: Graph) -> tuple[float, float, int]:
    """The makespan, the time of the primary device alone, and the number of tasks."""
    import ndpir
    from ndpir.frontends.sizes import Sizes
    from ndpir.frontends.torch.reading import read_traced

    known: Any = getattr(graph, "figures", None)
    if known is not None:
        return known
    options = graph.options
    program = read_traced(graph.module, Sizes(), graph.parameters)
    placed = ndpir.compile(
        program, options.passes, machine=options.machine, library=options.library, settings=list(options.settings)
    )
    answer = ndpir.answer(placed)
    alone = answer.totals.makespan_ns if answer.comparison is None else answer.comparison.ns
    found = answer.totals.makespan_ns, alone, answer.tasks
    graph.figures = found  # pyright: ignore[reportAttributeAccessIssue]
    return found
