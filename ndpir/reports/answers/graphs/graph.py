"""The graph of a program: its tasks, the data that flow between them, and one edge for each copy between devices, with
times; equal layers are folded."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from dialects.diagnostics import InputError, note
from dialects.element_types import byte_count
from dialects.hw import DeviceOp
from dialects.locations import place_of
from dialects.repeating import RepeatingOp
from dialects.task import CopyOp, JoinOp, OnType, ResidencyOp, ResidentOp, RunOp, TokenType, YieldOp, placed
from interp.simulate.schedule.names import name_of
from interp.simulate.schedule.timeline import Event, Timeline
from interp.walk.effort import check_inlining
from interp.walk.entry import block_of, entry_of, functions, is_graph_op
from interp.walk.interpret import Meaning, interpret
from interp.walk.level import is_launch, launched_name, programs_in
from interp.walk.loops import fills_of
from interp.walk.unchanged import unchanged
from interp.walk.views import is_view, is_view_task
from interp.walk.work_key import ops_of, shape_key
from ndpir.reports.answers.graphs.folding import Folding, Graph, Loop, Part, folded, runs
from ndpir.reports.run import Run

NodeKind: TypeAlias = Literal["argument", "task", "copy", "move", "result"]


@dataclass(frozen=True)
class GraphNode:
    """An op of the program, or all equal ops at one position of a repeated part. It is a task, an argument or a result
    of the program, a move between memories, or a copy between devices whose value several nodes read, or none (a copy
    whose value one node reads is an edge)."""

    kind: NodeKind
    op: str
    """The names of the ops: `graph.matmul + graph.relu`."""
    name: str
    """The name of the first of these tasks in the timeline; the name of an argument; the number of a result."""
    shape: str
    """The types of the first one's results: `1x4096xf16`."""
    on: str | None
    """The device, or the direction of a link; null if the program is not placed on a machine."""
    place: str
    """The line of the program that the first of these ops comes from."""
    ops: int
    """The number of ops of the program that the node stands for."""
    times: int
    """The number of times that these ops run: `ops`, or more in loops."""
    bytes: int | None
    """The bytes that all runs together read and write, or copy; null if they are unknown."""
    ns: float | None
    """The sum of the times of all runs; null for arguments and results, and if times are unknown."""
    share: float | None
    """`ns` divided by the sum of the times of all tasks and copies of the program; null for moves."""
    row: int | None
    """The number of the first one's row in the timeline in program order."""


@dataclass(frozen=True)
class EdgeRun:
    """Equal edges between ops that two nodes stand for, in steps: edge number k leads from op `source` + k *
    `source_step` of the source node to op `target` + k * `target_step` of the target node, for k from 0 to `count` -
    1. The ops of a node are numbered from 0 in the order of the repetitions."""

    source: int
    target: int
    count: int
    source_step: int
    target_step: int


@dataclass(frozen=True)
class GraphEdge:
    """The values that ops of one node compute and ops of another node read. If they are copied between devices, the
    edge stands for the copies."""

    source: int
    """The number of the node that computes the values."""
    target: int
    copies: int
    """The number of copies that the edge stands for; 0 if the values are not copied."""
    name: str
    """The name of the first copy in the timeline; empty without copies."""
    on: str | None
    """The direction of the link; null without copies, and if times are unknown."""
    times: int
    """The number of times that the copies run: `copies`, or more in loops."""
    bytes: int
    """The bytes that all runs together copy."""
    ns: float | None
    """The sum of the times of all runs; null without copies, and if times are unknown."""
    row: int | None
    """The number of the first copy's row in the timeline in program order."""
    returns: bool
    """True if the edge leads to the next repetition of a part, so that its target precedes its source."""
    runs: tuple[EdgeRun, ...]


@dataclass(frozen=True)
class GraphPart:
    """Consecutive nodes that occur several times in a row, or the body of a loop. Of two parts that share nodes, the
    second in the list is inside the first."""

    first: int
    """The number of the part's first node."""
    last: int
    """The number of the part's last node."""
    times: int
    """The number of repetitions, or of the loop's iterations."""
    loop: str
    """The name of the loop; empty for a repeated part."""


@dataclass(frozen=True)
class GraphAnswer:
    """The program as a graph, with repeated parts folded. Weights, values computed from them ahead of time, and views
    are left out."""

    devices: tuple[str, ...]
    """The names of the devices, in the machine's order."""
    total_ns: float | None
    """The sum of the times of all tasks and copies, those in loops counted once for each iteration; null if times are
    unknown."""
    makespan_ns: float | None
    untimed: str
    """The reason why times are unknown; empty if they are known."""
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    parts: tuple[GraphPart, ...]
    """The repeated parts and loops, each before the parts in it."""


def graph_answer(run: Run, fold: bool = True) -> GraphAnswer:
    """The graph of a run's program. `fold`: False shows all ops. A program without a machine, or whose timeline cannot
    be computed, has no times."""
    module = run.module
    timeline, untimed = None, "the program names no machine"
    if any(isinstance(op, DeviceOp) for op in module.ops):
        try:
            timeline, untimed = run.timeline, ""
        except InputError as error:
            untimed = error.message
            note(f"the graph has no times: {untimed}")
    with unchanged():
        return graph_of(module, timeline, untimed, run.entry, fold)


def graph_of(
    module: ModuleOp, timeline: Timeline | None, untimed: str = "", entry: str | None = None, fold: bool = True
) -> GraphAnswer:
    """The graph of a module's entry function, or of its kernels if it has no function, with the times of `timeline`;
    `untimed`: the reason if it is None."""
    reading = _Reading(module, timeline)
    reading.program(entry)
    named = [op.sym_name.data for op in module.ops if isinstance(op, DeviceOp)]
    used = [found.on for found in reading.nodes if found.on is not None and found.kind != "copy"]
    devices = tuple(dict.fromkeys((*named, *used)))
    total = None if timeline is None else sum(event.cost.ns * times for event, times, _ in timeline.tasks())
    drawn = _Drawn(reading, folded(reading.graph, fold), total)
    makespan = None if timeline is None else timeline.makespan_ns
    return GraphAnswer(devices, total, makespan, untimed, *drawn.content())


class _Found(NamedTuple):
    """A node of the unfolded graph."""

    kind: NodeKind
    op: Operation | None
    name: str
    shape: str
    on: str | None
    times: int
    """The number of times that the op runs."""
    bytes: int | None
    """The bytes of one run."""
    ns: float | None
    """The time of one run."""
    row: int | None


_Makers: TypeAlias = tuple[int, ...]
"""The nodes that compute a value: several for a view of several values, none for a constant."""


class _Reading(Meaning[_Makers]):
    """The unfolded graph of a program, and its nodes with their times: the meaning of a value is its makers."""

    def __init__(self, module: ModuleOp, timeline: Timeline | None) -> None:
        self.module = module
        self.functions = {function.sym_name.data: function for function in functions(module)}
        self.graph = Graph()
        self.nodes: list[_Found] = []
        self.items = self.graph.items
        """The nodes and loops of the block that is read."""
        self.times = 1
        """The product of the iterations of all loops around the current op."""
        self.events: dict[Operation, list[tuple[Event, int]]] = {}
        """The events of each op that are not yet read, the last one first, with their row numbers."""
        self.moves: dict[Operation, float] = {}
        """The time of the transfers of each move between memories."""
        self.fills: list[tuple[Event, int]] = []
        """The events of constants with which loops start, which no op of the program computes; the last one first."""
        if timeline is not None:
            self.expect(_rows(timeline))
            for transfer in timeline.residence.transfers if timeline.residence is not None else ():
                self.moves[transfer.op] = self.moves.get(transfer.op, 0.0) + transfer.end_ns - transfer.start_ns

    def expect(self, rows: Iterator[tuple[Event, int]]) -> None:
        """Add the events of the program, or of a loop's body, which is read next."""
        found: dict[Operation, list[tuple[Event, int]]] = {}
        fills: list[tuple[Event, int]] = []
        for event, row in rows:
            (fills if event.op.parent is None else found.setdefault(event.op, [])).append((event, row))
        self.fills += reversed(fills)
        for op, events in found.items():
            self.events.setdefault(op, []).extend(reversed(events))

    def program(self, entry: str | None) -> None:
        """Read the entry function, or the kernels of a program without functions."""
        programs = programs_in(self.module)
        if entry is None and not self.functions and programs:
            for op in programs.values():
                self.node("task", op, (), self.event(op))
            return
        function = entry_of(self.module, entry)
        check_inlining(self.functions, [function], "a graph")
        arguments, types = block_of(function).args, function.function_type.outputs
        given = [self.end("argument", f"%{a.name_hint or f'arg{n}'}", a.type) for n, a in enumerate(arguments)]
        for number, (type_, made) in enumerate(zip(types, interpret(function, given, self), strict=True)):
            self.end("result", f"result {number}", type_, made)

    def end(self, kind: Literal["argument", "result"], name: str, type_: Attribute, made: _Makers = ()) -> _Makers:
        """Add the node of an argument or a result of the program."""
        shape, on = _type_text(type_), _device(type_)
        node = self.add(_Found(kind, None, name, shape, on, 1, None, None, None), (kind, shape, on), made)
        (self.graph.sources if kind == "argument" else self.graph.sinks).add(node)
        return (node,)

    def prepared(self, op: Operation, operands: list[_Makers]) -> list[_Makers]:
        return [()] * len(op.results)

    def op(self, op: Operation, operands: list[_Makers], dead: Sequence[int]) -> list[_Makers]:
        made = _merged(op, operands)
        match op:
            case JoinOp() | ResidentOp():
                return [()]
            case CopyOp():
                return self.node("copy", op, made, self.event(op))
            case ResidencyOp():
                return self.node("move", op, made, None)
            case _ if is_graph_op(op) and is_view(op):
                return [made] * len(op.results)
            case _:
                return self.node("task", op, made, self.event(op))

    def task(self, run: RunOp, operands: list[_Makers]) -> list[_Makers]:
        made = _merged(run, operands)
        return [made] * len(run.results) if is_view_task(run) else self.node("task", run, made, self.event(run))

    def loop(self, loop: RepeatingOp, operands: list[_Makers]) -> list[_Makers]:
        """Read a loop's body once, with the times of all iterations."""
        for index, fill in fills_of(loop).items():
            operands[index], *_ = self.node("task", fill, (), self.fills.pop() if self.fills else None)
        inside, items, times, events = Loop(name_of(loop), loop.iterations), self.items, self.times, self.event(loop)
        if events is not None and events[0].body is not None:
            self.expect(_rows(events[0].body, events[1] + 1))
        self.items, self.times = inside.items, times * loop.iterations
        results = interpret(loop.body.block, [(), *operands], self)
        self.items, self.times = items, times
        if inside.items:
            items.append(inside)
        return results

    def event(self, op: Operation) -> tuple[Event, int] | None:
        """The next event of an op, with the number of its row; None if it has none."""
        events = self.events.get(op)
        return events.pop() if events else None

    def node(self, kind: NodeKind, op: Operation, made: _Makers, event: tuple[Event, int] | None) -> list[_Makers]:
        """Add the node of an op that reads the results of the nodes `made`, and return the makers of its results."""
        types = [result.type for result in op.results]
        shape = ", ".join(filter(None, map(_type_text, types)))
        on = _device(types[0]) if types else None
        nbytes, ns, row = None, None, None
        if event is not None:
            nbytes, ns, on, row = event[0].cost.bytes, event[0].cost.ns, event[0].resource, event[1]
        elif kind == "copy" and isinstance(op, CopyOp):
            nbytes, on = byte_count(placed(op.value).tensor), "->".join(op.ends)
        elif kind == "move":
            ns = self.moves.get(op)
        elif isinstance(op, RunOp):
            on = op.place
        found = _Found(kind, op, name_of(op), shape, on, self.times, nbytes, ns, row)
        node = self.add(found, (kind, found.on, found.bytes, found.ns, self.times, _key(op)), made)
        return [(node,)] * len(op.results)

    def add(self, found: _Found, key: Hashable, made: _Makers) -> int:
        self.nodes.append(found)
        self.items.append(len(self.nodes) - 1)
        self.graph.keys.append(key)
        self.graph.inputs.append(made)
        return len(self.nodes) - 1


def _merged(op: Operation, operands: Sequence[_Makers]) -> _Makers:
    """The makers of all values that an op reads; it reads nothing of a token."""
    read = (made for value, made in zip(op.operands, operands, strict=True) if not isinstance(value.type, TokenType))
    return tuple(dict.fromkeys(node for made in read for node in made))


def _rows(timeline: Timeline, first: int = 0) -> Iterator[tuple[Event, int]]:
    """The events outside of loops, each with the number of its row in the timeline in program order; the first has
    number `first`."""
    for event in timeline.events:
        yield event, first
        first += 1 + (_count(event.body) if event.body is not None else 0)


def _count(timeline: Timeline) -> int:
    """The number of rows of a loop's iteration."""
    return sum(1 + (_count(event.body) if event.body is not None else 0) for event in timeline.events)


def _key(op: Operation) -> Hashable:
    """A key that is equal for ops with equal work; the key of a task contains the ops in it and their connections."""
    if is_graph_op(op):
        return shape_key(op)
    types = tuple(value.type for value in (*op.operands, *op.results) if not isinstance(value.type, TokenType))
    if isinstance(op, RunOp):
        numbers: dict[SSAValue, int] = {value: index for index, value in enumerate(op.body.block.args)}
        inner: list[Hashable] = []
        for each in op.body.block.ops:
            inner.append((_key(each), tuple(numbers.get(value, -1) for value in each.operands)))
            for result in each.results:
                numbers[result] = len(numbers)
        return op.place, types, tuple(inner)
    if is_launch(op):
        return launched_name(op), types
    if isinstance(op, CopyOp):
        return "copy", op.ends, bool(op.streamed), types
    if isinstance(op, YieldOp):
        return "yield"
    return (op.name, name_of(op)) if not op.results else (op.name, types)


def _device(type_: Attribute) -> str | None:
    return type_.place if isinstance(type_, OnType) else None


def _type_text(type_: Attribute) -> str:
    """A tensor type as `1x64xf32`; empty for other types."""
    tensor = type_.tensor if isinstance(type_, OnType) else type_  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(tensor, TensorType):
        return ""
    return "x".join([*map(str, tensor.get_shape()), str(tensor.element_type)])  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


def _ops_text(found: _Found) -> str:
    """The names of the ops of a node, without views: `graph.matmul + graph.relu`."""
    op = found.op
    if op is None:
        return "func.func" if found.kind == "argument" else "func.return"
    inner = [each for each in op.body.block.ops if not isinstance(each, YieldOp)] if isinstance(op, RunOp) else [op]
    worked = [each for each in inner if not (is_graph_op(each) and is_view(each))] or inner
    return " + ".join(ops_of(each) if is_graph_op(each) else each.name for each in worked)


class _Link(NamedTuple):
    """An edge between two nodes of the unfolded graph; `copy`: the number of the copy that it stands for, if any."""

    source: int
    target: int
    copy: int | None


@dataclass
class _Drawn:
    """A folded graph as the data of an answer."""

    reading: _Reading
    folding: Folding
    total: float | None
    members: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """For each node that remains, all nodes that it stands for, in order."""

    def __post_init__(self) -> None:
        for node in self.folding.order:
            self.members.setdefault(self.folding.first[node], []).append(node)

    def content(self) -> tuple[tuple[GraphNode, ...], tuple[GraphEdge, ...], tuple[GraphPart, ...]]:
        """The nodes, edges and parts of the answer."""
        edges = self.edges_of_copies()
        shown = [node for node in self.folding.whole.nodes() if node not in edges]
        numbers = {node: number for number, node in enumerate(shown)}
        nodes = tuple(self.node(node) for node in shown)
        return nodes, tuple(self.edges(numbers, edges)), tuple(self.parts(self.folding.whole, numbers))

    def edges_of_copies(self) -> set[int]:
        """The copies that are edges of the answer: those between exactly two nodes of the folded graph. Of two copies
        in a row, the second one is a node."""
        first, inputs = self.folding.first, self.reading.graph.inputs
        ends: dict[int, tuple[set[int], set[int]]] = {
            node: (set(), set()) for node in self.members if self.reading.nodes[node].kind == "copy"
        }
        for node in self.folding.order:
            for other in inputs[node]:
                if first[node] in ends:
                    ends[first[node]][0].add(first[other])
                if first[other] in ends:
                    ends[first[other]][1].add(first[node])
        single = {node for node, (makers, readers) in ends.items() if len(makers) == len(readers) == 1}
        return {node for node in single if not ends[node][0] & single}  # the second of two copies in a row is a node

    def node(self, node: int) -> GraphNode:
        found, members = self.reading.nodes[node], [self.reading.nodes[each] for each in self.members[node]]
        nbytes, ns = _sums(members)
        share = ns / self.total if ns is not None and self.total and found.kind in ("task", "copy") else None
        place = "" if found.op is None else place_of(found.op) or ""
        times = sum(each.times for each in members)
        return GraphNode(
            found.kind,
            _ops_text(found),
            found.name,
            found.shape,
            found.on,
            place,
            len(members),
            times,
            nbytes,
            ns,
            share,
            found.row,
        )

    def edges(self, numbers: Mapping[int, int], copies: set[int]) -> Iterator[GraphEdge]:
        """The edges, by the numbers of their target and source; `copies`: the copies that are edges."""
        first, inputs, nodes = self.folding.first, self.reading.graph.inputs, self.reading.nodes
        rank = {node: index for members in self.members.values() for index, node in enumerate(members)}
        found: dict[tuple[int, int, int], list[_Link]] = {}
        for node in self.folding.order:
            if first[node] in copies:
                continue
            for other in inputs[node]:
                copied = first[other] in copies
                link = _Link(inputs[other][0], node, other) if copied else _Link(other, node, None)
                key = numbers[first[node]], numbers[first[link.source]], first[other] if copied else -1
                found.setdefault(key, []).append(link)
        for (target, source, copy), links in sorted(found.items(), key=lambda item: item[0]):
            pairs = [(rank[link.source], rank[link.target]) for link in links]
            made = tuple(EdgeRun(a, b, count, da, db) for a, b, count, da, db in runs(pairs))
            if copy < 0:
                yield GraphEdge(source, target, 0, "", None, 0, 0, None, None, source >= target, made)
                continue
            members = [nodes[each] for each in self.members[copy]]
            nbytes, ns = _sums(members)
            times, head = sum(each.times for each in members), nodes[copy]
            yield GraphEdge(
                source,
                target,
                len(members),
                head.name,
                head.on,
                times,
                nbytes or 0,
                ns,
                head.row,
                source >= target,
                made,
            )

    def parts(self, part: Part, numbers: Mapping[int, int]) -> Iterator[GraphPart]:
        for item in part.items:
            if isinstance(item, Part):
                within = [numbers[node] for node in item.nodes() if node in numbers]
                if within:
                    yield GraphPart(min(within), max(within), item.times, item.loop)
                yield from self.parts(item, numbers)


def _sums(members: Sequence[_Found]) -> tuple[int | None, float | None]:
    """The bytes and the time of all runs of some nodes."""
    nbytes = [each.bytes * each.times for each in members if each.bytes is not None]
    ns = [each.ns * each.times for each in members if each.ns is not None]
    return sum(nbytes) if nbytes else None, sum(ns) if ns else None
