"""How placement grows: `path` and `optimal` on generated graphs of 250 to 10,000 nodes, beside what is demanded.

A GPU and two PIMs on its board: a node takes 2 to 200 us on each (log-uniform, drawn for each device alone), its result
has 4 kB to 1 MB (log-uniform), and one node in ten can't run on one of the PIMs. So no device is the better one.

- encoder layers: stacks of 11 nodes (q, k, v, scores, shares, context, projection, norm, up, down, norm) with their
  residual edges, all layers alike (`equal`) or each node with costs of its own (`unequal`).
- random, narrow: layers of 1 to 3 nodes, each of which reads 1 or 2 results of the layer before.
- random, wide: layers of 1 to 8 nodes, each of which reads 1 to 3 results of the two layers before.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from time import process_time

import ndpir
from benchmarks.pimflow_tables import shown
from dialects.diagnostics import notes_to
from dialects.graph import ReluOp
from interp.clock import Clock
from interp.cost import Cost
from interp.figures import percent
from interp.machine import Machine
from lowering.choice import Choice, Part
from lowering.path import least_in_turn
from lowering.placement_bound import lowest
from lowering.policies import POLICIES
from lowering.problem import Options, Problem, Schedule

SIZES = (250, 1000, 2500, 10_000)
MOST_OPTIMAL = 2500
"""`optimal` is asked up to this size."""
DEMANDS = {("path", 2500): (10.0, None), ("path", 10_000): (60.0, None), ("optimal", 2500): (60.0, 0.05)}
"""Seconds and gap that are demanded at a size."""
SEARCH_S = 30.0
"""What comes before and after a search counts, too, in the 60 s that are demanded of `optimal`."""
SEED = 2024
TEXT = """
hw.device @gpu = "a100"
hw.device @pim = "aim"
hw.device @near = "hbm_pim"
hw.link @gpu to @pim = "on_board"
hw.link @gpu to @near = "on_board"
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = graph.relu %x : tensor<1xf32>
  func.return %y : tensor<1xf32>
}
"""
LAYER = ((0,), (0,), (0,), (1, 2), (4,), (5, 3), (6,), (7, 0), (8,), (9,), (10, 8))
"""What each node of an encoder layer reads: 0 is what the layer reads, i its node of number i, from 1 on."""


@dataclass(frozen=True)
class Grown:
    """What a policy took for a graph: seconds of the processor, which are those of a watch where nothing else runs."""

    family: str
    nodes: int
    policy: str
    seconds: float
    gap: float


class Drawing:
    """A problem in the making, with costs by a key: equal keys cost the same."""

    def __init__(self, seed: int) -> None:
        module = ndpir.parse(TEXT)
        self.op = next(op for op in module.walk() if isinstance(op, ReluOp))
        self.module = module
        self.problem = Problem(Clock(Machine.of(module)))
        self.problem.inputs = (self.problem.value(4096),)
        self.draw = random.Random(seed)
        self.known: dict[Hashable, tuple[dict[str, float], int]] = {}

    def node(self, reads: Iterable[int], key: Hashable) -> int:
        """A node that reads values; the value it makes."""
        if key not in self.known:
            self.known[key] = self._costs()
        costs, nbytes = self.known[key]
        taken, made = tuple(dict.fromkeys(reads)), self.problem.value(nbytes)
        choices: list[Choice] = []
        for device, ns in costs.items():
            cost = Cost(ns, 0.0, 0, 0, "drawn")
            part = Part(self.op, device, cost, taken, (), (made,))
            choices.append(Choice(device, (part,), tuple((value, device) for value in taken), device, cost))
        self.problem.node(self.op, choices, taken, (made,))
        return made

    def _costs(self) -> tuple[dict[str, float], int]:
        draw = self.draw
        costs = {device: 2e3 * 100 ** draw.random() for device in self.problem.devices}
        if draw.random() < 0.1:
            del costs[draw.choice(self.problem.devices[1:])]
        return costs, round(4096 * 256 ** draw.random())

    def finished(self, results: Sequence[int]) -> Problem:
        self.problem.outputs = tuple(dict.fromkeys(results))
        return self.problem


def encoder(nodes: int, equal: bool) -> Problem:
    """Layers of a transformer's encoder."""
    drawing = Drawing(SEED)
    came = drawing.problem.inputs[0]
    for layer in range(round(nodes / len(LAYER))):
        values = [came]
        for place, reads in enumerate(LAYER):
            key = place if equal else (layer, place)
            values.append(drawing.node([values[read] for read in reads], key))
        came = values[-1]
    return drawing.finished([came])


def layered(nodes: int, width: int, most: int, back: int) -> Problem:
    """Random layers of up to `width` nodes, each of which reads up to `most` results of the `back` layers before; what
    nobody reads is a result."""
    drawing = Drawing(SEED)
    draw = random.Random(SEED + width)
    layers: list[list[int]] = [[drawing.problem.inputs[0]]]
    left = nodes
    while left > 0:
        near = [value for layer in layers[-back:] for value in layer]
        size = min(left, draw.randint(1, width))
        left -= size
        made = [
            drawing.node(draw.sample(near, min(len(near), draw.randint(1, most))), (left, place))
            for place in range(size)
        ]
        layers.append(made)
    unread = [value for value in range(1, len(drawing.problem.sizes)) if not drawing.problem.consumers[value]]
    return drawing.finished(unread)


FAMILIES: dict[str, Callable[[int], Problem]] = {
    "encoder layers, equal": lambda nodes: encoder(nodes, True),
    "encoder layers, unequal": lambda nodes: encoder(nodes, False),
    "random, narrow": lambda nodes: layered(nodes, 3, 2, 1),
    "random, wide": lambda nodes: layered(nodes, 8, 3, 2),
}


def path(problem: Problem) -> float:
    """Place by `path`; how far the plan is above the least that is possible one after another."""
    found = least_in_turn(problem, Options.width)
    problem.ends(Schedule(found.placement))  # as the policy says when its plan ends
    return found.ns / found.bound_ns - 1


def optimal(problem: Problem) -> float:
    """Place by `optimal`; how far the plan is above the bound on every placement."""
    schedule = Schedule.of(POLICIES["optimal"](problem))
    bound = max(lowest(problem).ns, schedule.bound.ns if schedule.bound else 0.0)
    return max(0.0, problem.ends(schedule) / bound - 1)


def grown(sizes: Sequence[int], limit_s: float) -> list[Grown]:
    """All families at all sizes by both policies, printed as they come."""
    rows: list[Grown] = []
    with notes_to(lambda message, place: None):
        for family, make in FAMILIES.items():
            for policy, solve in (("path", path), ("optimal", optimal)):
                for nodes in sizes:
                    if policy == "path" or nodes <= MOST_OPTIMAL:
                        problem = make(nodes)
                        problem.options = Options(limit_s=limit_s)
                        start = process_time()
                        gap = solve(problem)
                        rows.append(Grown(family, nodes, policy, process_time() - start, gap))
    return rows


def growth(before: Grown, after: Grown) -> float:
    """The exponent of the time in the number of nodes."""
    return math.log(after.seconds / before.seconds) / math.log(after.nodes / before.nodes)


def verdict(row: Grown) -> str:
    """Whether what is demanded at this size is met."""
    if (row.policy, row.nodes) not in DEMANDS:
        return ""
    seconds, gap = DEMANDS[row.policy, row.nodes]
    asked = f"{seconds:.0f} s" + (f", {percent(gap)}" if gap else "")
    missed = row.seconds > seconds or (gap is not None and row.gap >= gap)
    return f"{asked}: {'missed' if missed else 'met'}"


def scale(sizes: Sequence[int], limit_s: float) -> list[Grown]:
    """Print how both policies grow; `optimal` searches for SEARCH_S at the most."""
    rows = grown(sizes, min(limit_s, SEARCH_S))
    cells: list[list[str]] = []
    last: Grown | None = None
    for row in rows:
        same = last is not None and (last.family, last.policy) == (row.family, row.policy)
        exponent = f"{growth(last, row):.2f}" if same and last else ""
        cells.append(
            [row.family, row.policy, str(row.nodes), f"{row.seconds:.2f} s", exponent, percent(row.gap), verdict(row)]
        )
        last = row
    header = ("graph", "policy", "nodes", "time", "growth", "gap", "demanded")
    shown("scale: growth is the exponent of the time in the number of nodes", header, cells, left=(0, 1))
    missed = sum(cell[-1].endswith("missed") for cell in cells)
    met = sum(cell[-1].endswith("met") for cell in cells)
    print(f"demands: {met} met, {missed} missed\n")
    return rows
