"""Laws of folded graphs: unfolding one gives the ops and edges of the program, times and bytes are those of the
timeline, and repetitions have equal wiring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndpir.reports.answers.graphs.folding import Folding, Graph, Loop, Part, folded, runs
from ndpir.reports.answers.graphs.graph import GraphAnswer, graph_answer
from ndpir.reports.run import Run
from tests.programs import parse

HEAD = """
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
"""
PLAIN, PLACED = "tensor<8xf32>", "!task.on<@gpu, tensor<8xf32>>"


@st.composite
def layered(draw: st.DrawFn) -> Graph:
    """A graph of some equal layers between other nodes, with few kinds of nodes, so that parts repeat by chance too."""
    graph = Graph()

    def add(key: str, inputs: Sequence[int]) -> None:
        graph.keys.append(key)
        graph.inputs.append(tuple(dict.fromkeys(inputs)))
        graph.items.append(len(graph.keys) - 1)

    def some(count: int) -> None:
        for _ in range(count):
            before = len(graph.keys)
            read = draw(st.lists(st.integers(0, before - 1), max_size=2)) if before else []
            add(draw(st.sampled_from("ab")), read)

    for _ in range(draw(st.integers(1, 2))):
        some(draw(st.integers(1, 3)))
        start = len(graph.keys)
        period = draw(st.integers(1, 4))
        wiring = [
            (draw(st.sampled_from("abc")), draw(st.lists(st.integers(1, period + 1), max_size=2)), draw(st.booleans()))
            for _ in range(period)
        ]
        for _ in range(draw(st.integers(1, 5))):
            for key, back, reads_first in wiring:
                now = len(graph.keys)
                add(key, [*(now - away if now - away >= start else start - 1 for away in back), *([0] * reads_first)])
    some(draw(st.integers(0, 3)))
    return graph


def shown(part: Part) -> list[int]:
    return list(part.nodes())


def parts(part: Part) -> list[Part]:
    return [each for item in part.items if isinstance(item, Part) for each in (item, *parts(item))]


def check(graph: Graph, folding: Folding) -> None:
    assert sorted(shown(folding.whole)) == sorted(set(folding.first))
    assert all(graph.keys[node] == graph.keys[stands] for node, stands in enumerate(folding.first))
    times = dict.fromkeys(shown(folding.whole), 1)
    for part in parts(folding.whole):
        for node in part.nodes():
            times[node] *= part.times if not part.loop else 1
    assert times == Counter(folding.first)
    for node, stands in enumerate(folding.first):
        assert len(graph.inputs[node]) == len(graph.inputs[stands])


@given(layered())
def test_a_folded_graph_stands_for_all_nodes(graph: Graph) -> None:
    check(graph, folded(graph))
    flat = folded(graph, fold=False)
    assert flat.first == list(range(len(graph.keys)))


@given(layered())
def test_repetitions_have_equal_wiring(graph: Graph) -> None:
    """After the first repetition, an input of a node is always made outside of the repeated part, or always by the same
    node of it, as many repetitions before."""
    folding = folded(graph)
    members: dict[int, list[int]] = {}
    for node in folding.order:
        members.setdefault(folding.first[node], []).append(node)
    rank = {node: index for nodes in members.values() for index, node in enumerate(nodes)}
    for part in folding.whole.items:
        if not isinstance(part, Part) or parts(part):
            continue
        inside = set(part.nodes())
        for nodes in (members[node] for node in inside):
            read = [graph.inputs[node] for node in nodes[1:]]
            for slot in range(len(read[0]) if read else 0):
                sources = [inputs[slot] for inputs in read]
                makers = {folding.first[source] for source in sources}
                if makers & inside:
                    assert len(makers) == 1
                    assert len({rank[source] - index for index, source in enumerate(sources)}) == 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), unique=True))
def test_runs_list_all_pairs(pairs: list[tuple[int, int]]) -> None:
    listed = [(a + k * da, b + k * db) for a, b, count, da, db in runs(pairs) for k in range(count)]
    assert listed == pairs


def test_a_constant_with_which_a_loop_starts_has_a_node() -> None:
    path = Path(__file__).parents[2] / "lit/lowering/place/loops.mlir"
    answer = graph_answer(Run(parse(path.read_text())))
    assert [node.name for node in answer.nodes if node.kind == "task"] == [
        "broadcast", "matmul", "dynamic_update_slice", "exp"
    ]  # fmt: skip
    assert [(part.first, part.last, part.times) for part in answer.parts] == [(2, 3, 5)]
    assert sum(node.ns or 0.0 for node in answer.nodes) == pytest.approx(answer.total_ns)


def test_equal_loops_are_folded() -> None:
    graph = Graph(["c"], [()], items=[0])
    for _ in range(4):
        first = len(graph.keys)
        graph.keys += ["a", "b"]
        graph.inputs += [(first - 1,), (first,)]
        graph.items.append(Loop("repeat 0 to 3", 3, [first, first + 1]))
    folding = folded(graph)
    assert folding.first == [0, *([1, 2] * 4)]
    _, part = folding.whole.items
    assert isinstance(part, Part)
    assert part.times == 4
    (loop,) = part.items
    assert isinstance(loop, Part)
    assert (loop.loop, loop.times) == ("repeat 0 to 3", 3)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program of equal layers on task level, in which some values are copied to another device and back, and in
    which layers may be in a loop."""
    lines: list[str] = []
    names = iter(range(1000))

    def run(sources: Sequence[str], op: str, device: str = "gpu") -> str:
        name = f"%v{next(names)}"
        bound = ", ".join(f"%p{index} = {source}" for index, source in enumerate(sources))
        inner = ", ".join(f"%p{index}" for index in range(len(sources)))
        types = ", ".join([PLAIN] * (1 if op in ("relu", "exp") else 2))
        types = PLAIN if op in ("relu", "exp", "add") else types
        lines.append(f"{name} = task.run @{device} ({bound}) {{ %r = graph.{op} {inner} : {types} task.yield %r }}")
        return name

    def copy(source: str, target: str) -> str:
        name = f"%v{next(names)}"
        lines.append(f"{name} = task.copy {source} to @{target}")
        return name

    def layer(given: str, shape: list[int]) -> str:
        now = given
        for kind in shape:
            match kind:
                case 0:
                    now = run([now], "relu")
                case 1:
                    now = run([now, given], "add")
                case 2:
                    now = copy(copy(now, "pim"), "gpu")
                case _:
                    back = copy(copy(now, "pim"), "gpu")
                    now = run([back, run([back], "exp")], "add")
        return now

    last = "%x"
    for _ in range(draw(st.integers(1, 2))):
        shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
        last = run([last], "exp")
        times = draw(st.integers(1, 4))
        if draw(st.booleans()):
            result, carried = f"%v{next(names)}", f"%c{next(names)}"
            lines.append(f"{result} = task.repeat @gpu %i{next(names)} = 0 to {times} ({carried} = {last}) {{")
            lines.append(f"task.yield {layer(carried, [0, *shape])}\n}}")
            last = result
        else:
            for _ in range(times):
                last = layer(last, shape)
    body = "\n".join(lines)
    return f"{HEAD}func.func @main(%x: {PLACED}) -> {PLACED} {{\n{body}\nfunc.return {last} : {PLACED}\n}}"


def unfolded(answer: GraphAnswer) -> tuple[Counter[object], Counter[object]]:
    """The ops that a graph stands for, and a colour of each op that depends on the ops around it: colours of equal
    graphs are equal (Weisfeiler and Leman 1968). Copies are part of the edges."""
    ops = Counter[object]()
    for node in answer.nodes:
        ops[node.kind == "copy", node.op if node.kind != "copy" else "task.copy", node.on] += node.ops
    makers: dict[tuple[int, int], list[tuple[tuple[int, int], int]]] = {
        (number, index): [] for number, node in enumerate(answer.nodes) for index in range(node.ops)
    }
    for edge in answer.edges:
        ops[True, "task.copy", edge.on] += edge.copies
        for run in edge.runs:
            for number in range(run.count):
                source = edge.source, run.source + number * run.source_step
                makers[edge.target, run.target + number * run.target_step].append((source, int(edge.copies > 0)))
                assert source in makers

    def made(op: tuple[int, int]) -> list[tuple[tuple[int, int], int]]:
        found: list[tuple[tuple[int, int], int]] = []
        for source, copies in makers[op]:
            if answer.nodes[source[0]].kind == "copy":
                found += [(each, inner + copies + 1) for each, inner in made(source)]
            else:
                found.append((source, copies))
        return found

    shown = {op: made(op) for op in makers if answer.nodes[op[0]].kind != "copy"}
    colours = {op: hash((answer.nodes[op[0]].op, answer.nodes[op[0]].on)) for op in shown}
    for _ in range(6):
        readers: dict[tuple[int, int], list[tuple[int, int]]] = {op: [] for op in shown}
        for op, sources in shown.items():
            for source, copies in sources:
                readers[source].append((colours[op], copies))
        colours = {
            op: hash((colours[op], *sorted((colours[s], c) for s, c in sources), "read by", *sorted(readers[op])))
            for op, sources in shown.items()
        }
    return +ops, Counter(colours.values())


@given(programs())
def test_unfolding_gives_the_ops_edges_and_times_of_the_program(text: str) -> None:
    run = Run(parse(text))
    answer, whole = graph_answer(run), graph_answer(run, fold=False)
    assert len(answer.nodes) <= len(whole.nodes)
    assert unfolded(answer) == unfolded(whole)
    times = [each.ns for each in (*answer.nodes, *answer.edges) if each.ns is not None]
    assert sum(times) == pytest.approx(answer.total_ns)
    assert answer.total_ns == pytest.approx(sum(event.cost.ns * n for event, n, _ in run.timeline.tasks()))
    nbytes = sum(edge.bytes for edge in answer.edges)
    nbytes += sum(node.bytes or 0 for node in answer.nodes if node.kind == "copy")
    assert nbytes == run.timeline.bytes_copied
    shares = sum(node.share for node in answer.nodes if node.share is not None)
    copied = sum(edge.ns for edge in answer.edges if edge.ns is not None)
    assert shares + copied / (answer.total_ns or 1.0) == pytest.approx(1.0)
