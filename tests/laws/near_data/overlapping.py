"""Random placement problems with one device besides the primary device, and a slow reference of the published
accounting."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
from scipy.optimize import linprog

from interp.machine.composition import Machine
from interp.machine.cost import Cost
from interp.machine.near_data import NearData
from lowering.instance.choice import Choice, ChoicePart
from lowering.instance.problem import Problem
from lowering.optimise.overlap.kernels import Kernels
from lowering.optimise.overlap.plan import Plan
from tests.programs import parse
from tests.table_clock import TableClock, device, link
from tests.table_problem import OP

UNITS = NearData(
    name="units",
    kind="ndp",
    description="near-data units of the tests",
    clock_hz=1e9,
    launch_ns=0.0,
    units=1,
    simd=8,
    packet_bytes=32,
    memory=1 << 40,
    bandwidth=1e30,
    flies="both",
    flop_pj=1.0,
    byte_pj=1.0,
)
PRODUCT = next(
    op
    for op in parse(
        "func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
        "  %y = graph.matmul %x, %x : tensor<2x2xf32>, tensor<2x2xf32>\n  func.return %y : tensor<2x2xf32>\n}"
    ).walk()
    if op.name == "graph.matmul"
)


def random_problem(seed: int, nodes: int, marked: float = 0.1) -> Problem:
    """A DAG of kernels with integer times: products, which stay on the primary device; other kernels, of one to three
    phases, which may run in parallel to those (a fraction `marked` of them must); and views."""
    draw = random.Random(seed)
    flies = draw.choice(("none", "reads", "writes", "both"))
    machine = Machine(
        {"gpu": device("gpu"), "ndp": replace(UNITS, flies=flies)}, {("gpu", "ndp"): link(True, "separate")}
    )
    problem = Problem(TableClock(machine, {}))
    values = [problem.value(draw.randrange(100))]
    problem.inputs = (values[0],)
    for _ in range(nodes):
        reads = tuple(sorted({draw.choice(values[-4:]) for _ in range(draw.randint(1, 2))}))
        made = problem.value(draw.randrange(100))
        phases = tuple(float(draw.randrange(1, 40)) for _ in range(draw.randint(1, 3)))
        primary = Cost(float(draw.randrange(1, 60)), 0.0, 0, 0, "table")
        away = Cost(sum(phases), 0.0, 0, 0, "table", phases=phases if len(phases) > 1 else ())
        kind = draw.random()
        view, product = kind < 0.15, kind > 0.6
        ways = [("gpu", primary), ("ndp", away)]
        if view:
            ways = [("gpu", replace(primary, ns=0.0)), ("ndp", replace(primary, ns=0.0))]
        elif product:
            ways = ways[:1]
        elif draw.random() < marked:
            ways = ways[1:]
        choices: list[Choice] = []
        for name, cost in ways:
            part = ChoicePart(OP, name, cost, reads, (), (made,), view=view)
            choices.append(Choice(name, (part,), tuple((value, name) for value in reads), name, cost))
        problem.node(PRODUCT if product else OP, choices, reads, (made,))  # pyright: ignore[reportArgumentType]
        values.append(made)
    problem.outputs = tuple(value for value in values if not problem.consumers[value])
    return problem


def follows(problem: Problem) -> list[set[int]]:
    """For each node the set of its direct and indirect predecessors."""
    before: list[set[int]] = []
    for node in problem.nodes:
        makers = {problem.producer[value] for value in node.reads if value in problem.producer}
        before.append(makers.union(*(before[maker] for maker in makers)))
    return before


def makers_of(problem: Problem, index: int) -> set[int]:
    """The kernels whose results a node reads, through views."""
    made = {problem.producer[value] for value in problem.nodes[index].reads if value in problem.producer}
    return set(chain.from_iterable(makers_of(problem, each) if problem.nodes[each].view else (each,) for each in made))


def most_hidden(problem: Problem, away: Collection[int]) -> float:
    """The largest total time in ns that the kernels `away`, which run on the near-data units, can run in parallel to
    kernels of the GPU, by a linear program over all pairs of kernels that may run in parallel."""
    before, order = follows(problem), sorted(away)
    hosts = [node.index for node in problem.nodes if not node.view and node.on("gpu") and node.index not in away]
    flies = problem.clock.machine.devices["ndp"].flies
    pairs: list[tuple[int, int, str]] = []
    for one in order:
        for host in hosts:
            if host not in before[one] and one not in before[host]:
                pairs.append((one, host, "beside"))
            elif flies in ("writes", "both") and host in makers_of(problem, one):
                pairs.append((one, host, "first"))
            elif flies in ("reads", "both") and one in makers_of(problem, host):
                pairs.append((one, host, "last"))
    if not pairs:
        return 0.0
    rows, most = list[list[float]](), list[float]()
    for one in order:
        cost = problem.nodes[one].choices[-1].cost
        first, last = cost.ns - cost.rest_ns, cost.ns - cost.lead_ns
        for kinds, ns in ((("beside", "first", "last"), cost.ns), (("first",), first), (("last",), last)):
            rows.append([float(pair[0] == one and pair[2] in kinds) for pair in pairs])
            most.append(ns)
    for host in hosts:
        rows.append([float(pair[1] == host) for pair in pairs])
        most.append(problem.nodes[host].choices[0].cost.ns)
    hidden = linprog(-np.ones(len(pairs)), A_ub=np.array(rows), b_ub=np.array(most)).fun
    assert hidden is not None
    return -hidden


def published(problem: Problem, away: Collection[int]) -> float:
    """The time in ns in the published accounting: the sum of the times of all kernels, of which those in `away` run on
    the near-data units, minus the largest total time for which kernels in `away` can run in parallel to others."""
    total = sum(problem.nodes[one].choices[-1].cost.ns for one in away)
    for node in problem.nodes:
        if not node.view and node.index not in away:
            total += node.choices[0].cost.ns
    return total - most_hidden(problem, away)


def least(problem: Problem) -> float:
    """The least time in the published accounting over all choices of kernels, by enumeration."""
    kernels = Kernels.of(problem)
    free = [node for node in kernels.candidates if node not in kernels.forced]
    return min(
        published(problem, {*kernels.forced, *some})
        for count in range(len(free) + 1)
        for some in combinations(free, count)
    )


def broken(problem: Problem, plan: Plan) -> list[str]:
    """The rules of the published accounting that a plan breaks."""
    before, found = follows(problem), list[str]()
    beside: Mapping[int, Mapping[int, float]] = plan.offloaded
    load: dict[int, float] = {}
    for one, hosts in beside.items():
        cost = problem.nodes[one].choices[-1].cost
        first = sum(ns for host, ns in hosts.items() if host in before[one])
        last = sum(ns for host, ns in hosts.items() if one in before[host])
        for host, ns in hosts.items():
            load[host] = load.get(host, 0.0) + ns
            if host in beside or problem.nodes[host].view:
                found.append(f"{host} is not on the primary device")
            related = host in before[one] or one in before[host]
            if related and host not in makers_of(problem, one) and one not in makers_of(problem, host):
                found.append(f"{one} can't hide beside {host}")
        for part, ns in (
            (first, cost.ns - cost.rest_ns),
            (last, cost.ns - cost.lead_ns),
            (sum(hosts.values()), cost.ns),
        ):
            if part > ns + 0.01:
                found.append(f"{part} of {one} hide, which has {ns}")
    found += [
        f"{ns} hide beside {host}" for host, ns in load.items() if ns > problem.nodes[host].choices[0].cost.ns + 0.01
    ]
    return found
