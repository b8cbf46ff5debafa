"""Placement problems with given or random costs, built without a program."""

from __future__ import annotations

import random
from collections.abc import Sequence

from dialects.graph import GraphOp
from interp.machine.composition import Machine
from interp.machine.cost import Cost
from lowering.instance.choice import Choice, ChoicePart
from lowering.instance.options import Options
from lowering.instance.problem import Problem
from tests.programs import parse
from tests.table_clock import TableClock, machine


def an_op() -> GraphOp:
    """An arbitrary op, which stands for every node, since costs come from the table."""
    module = parse(
        "func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {\n  %y = graph.relu %x : tensor<1xf32>\n"
        "  func.return %y : tensor<1xf32>\n}"
    )
    return next(op for op in module.walk() if isinstance(op, GraphOp))


OP = an_op()


def problem_of(
    costs: Sequence[Sequence[float | None]],
    reads: Sequence[Sequence[int]],
    sizes: Sequence[int],
    results: Sequence[int] = (),
    on: Machine | None = None,
    weights: Sequence[int] = (),
    options: Options = Options(),  # noqa: B008 - the record is frozen
) -> Problem:
    """A placement problem. Node i takes `costs[i][d]` ns on device d of the machine (None: it can't run on d) and reads
    the values of the earlier nodes `reads[i]`; node -1 stands for the argument. The value of node i has `sizes[i]`
    bytes, the last entry is the argument's size; a copy of n bytes takes 10 + n ns per link. `results`: nodes whose
    values must return to the primary device (default: values that no node reads). `weights[i]`: bytes that must be
    resident on the device on which node i runs."""
    on = on or machine(*("cpu", "left", "right")[: len(costs[0]) if costs else 1])
    problem = Problem(TableClock(on, {}), options)
    argument = problem.value(sizes[len(costs)])
    problem.inputs = (argument,)
    made: list[int] = []
    for index, row in enumerate(costs):
        taken = tuple(dict.fromkeys(argument if other < 0 else made[other] for other in reads[index]))
        made.append(problem.value(sizes[index]))
        held = ((index, weights[index]),) if weights and weights[index] else ()
        choices = [
            _choice(device, Cost(ns, ns, 0, 0, "table"), taken, held, made[index])
            for device, ns in zip(problem.devices, row, strict=True)
            if ns is not None
        ]
        problem.node(OP, choices, taken, (made[index],))
    read = {other for each in reads for other in each}
    ends = results or [index for index in range(len(costs)) if index not in read]
    problem.outputs = tuple(dict.fromkeys(made[index] for index in ends))
    return problem


def _choice(
    device: str, cost: Cost, reads: tuple[int, ...], residents: tuple[tuple[int, int], ...], writes: int
) -> Choice:
    part = ChoicePart(OP, device, cost, reads, residents, (writes,))
    return Choice(device, (part,), tuple((value, device) for value in reads), device, cost)


def random_problem(
    seed: int,
    nodes: int,
    devices: int = 3,
    window: int = 0,
    lacking: float = 0.1,
    on: Machine | None = None,
    most: int = 100,
) -> Problem:
    """A random DAG, whose nodes read one to three earlier values (of the last `window` ones, unless `window` is 0).
    Times are integers below `most` ns, sizes are below `most` bytes, and some nodes can't run on some devices other
    than the primary one."""
    draw = random.Random(seed)
    costs = [
        [draw.randrange(1, most) if d == 0 or draw.random() >= lacking else None for d in range(devices)]
        for _ in range(nodes)
    ]
    reads: list[list[int]] = []
    for index in range(nodes):
        first = max(-1, index - window) if window else -1
        reads.append(sorted({draw.randrange(first, index) for _ in range(draw.randint(1, 3))}))
    sizes = [draw.randrange(0, most) for _ in range(nodes + 1)]
    return problem_of(costs, reads, sizes, on=on)
