"""Small random placement problems with all features of machines and programs, constructed without a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from interp.machine.composition import Machine
from interp.machine.cost import NOTHING, Cost
from interp.machine.records import Arbitration
from lowering.instance.choice import Choice, ChoicePart
from lowering.instance.problem import Problem, Region
from tests.table_clock import TableClock, device, link
from tests.table_problem import OP


def random_machine(
    random: Random,
    devices: int,
    memory: Mapping[str, int] | None = None,
    arbitrations: Sequence[Arbitration] = ("separate",),
    relayed: bool = False,
) -> Machine:
    """A machine of devices linked with the primary device, by simplex or duplex links; the other two devices are
    sometimes linked, too. `relayed`: only `left` is linked with the primary device; `left` is linked with `right`
    and `far`, which are linked with each other."""
    names = ("cpu", "left", "right", "far")[:devices]
    if relayed:
        ends = (("cpu", "left"), ("left", "right"), ("left", "far"), ("right", "far"))
        wires = {
            each: link(random.random() < 0.5, random.choice(arbitrations)) for each in ends if set(each) <= {*names}
        }
        return Machine({name: device(f"sheet of {name}", (memory or {}).get(name, 1 << 40)) for name in names}, wires)
    links = {("cpu", other): link(random.random() < 0.5, random.choice(arbitrations)) for other in names[1:]}
    if devices == 3 and random.random() < 0.3:
        links["left", "right"] = link(random.random() < 0.5)
    sizes = memory or {}
    return Machine({name: device(f"sheet of {name}", sizes.get(name, 1 << 40)) for name in names}, links)


class Draw:
    """A generator of one problem. `most`: the limit below which random times and sizes are drawn; `unit`: the factor of
    times, ns; `window`: the number of latest values from which a node's operands are drawn (None: all values)."""

    def __init__(
        self, random: Random, machine: Machine, most: int = 30, unit: float = 1.0, window: int | None = None
    ) -> None:
        self.random, self.most, self.unit, self.window = random, most, unit, window
        self.problem = Problem(TableClock(machine, {}))
        self.devices = list(machine.devices)
        self.values: list[int] = []

    def ns(self) -> float:
        return self.random.randrange(0 if self.random.random() < 0.1 else 1, self.most) * self.unit

    def value(self) -> int:
        return self.problem.value(self.random.randrange(0, self.most))

    def part(self, device: str, reads: tuple[int, ...], writes: tuple[int, ...], view: bool = False) -> ChoicePart:
        ns = self.ns()
        weights = (
            ((self.random.randrange(3), self.random.randrange(1, self.most)),) if self.random.random() < 0.3 else ()
        )
        cost = NOTHING if view else Cost(ns, ns, self.random.randrange(self.most), 0, "table")
        return ChoicePart(OP, device, cost, reads, () if view else weights, writes, view)

    def choice(self, label: str, parts: Sequence[ChoicePart]) -> Choice:
        made = {value for part in parts for value in part.writes}
        needs = tuple((value, part.device) for part in parts for value in part.reads if value not in made)
        cost = sum((part.cost for part in parts), NOTHING)
        return Choice(label, tuple(parts), tuple(dict.fromkeys(needs)), parts[-1].device, cost)

    def inputs(self, rich: bool) -> None:
        for _ in range(self.random.randint(1, 2)):
            self.values.append(self.value())
            if rich and self.random.random() < 0.4:
                some = self.random.sample(self.devices, self.random.randint(1, len(self.devices)))
                self.problem.present_at[self.values[-1]] = tuple(some)
        self.problem.inputs = tuple(self.values)

    def node(self, rich: bool) -> None:
        random = self.random
        near = self.values[-self.window :] if self.window else self.values
        reads = tuple(random.sample(near, min(len(near), random.randint(1, 3))))
        kind = random.random() if rich else 1.0
        writes = tuple(self.value() for _ in range(2 if rich and random.random() < 0.2 else 1))
        if kind < 0.15:
            choices = [self.choice(each, [self.part(each, reads, writes, view=True)]) for each in self.devices]
        else:
            able = [each for each in self.devices if each == "cpu" or random.random() < 0.85]
            choices = [self.choice(each, [self.part(each, reads, writes)]) for each in able]
            if kind < 0.4:
                first, second = random.choice(self.devices), random.choice(self.devices)
                between, early = self.value(), random.randrange(len(writes))
                tail = (between, *random.sample((*reads, *writes[:early]), random.randint(0, 1)))
                parts = [
                    self.part(first, reads, (between, *writes[:early])),
                    self.part(second, tail, writes[early:]),
                ]
                choices.append(self.choice("both", parts))
        self.problem.node(OP, choices, reads, writes)
        self.values += writes

    def region(self) -> None:
        """Add a region: some nodes, consecutive or with a gap, each as a part of its own with a random device and
        time."""
        first = self.random.randrange(len(self.problem.nodes) - 1)
        nodes = [first, first + self.random.randint(1, 2)]
        if nodes[-1] >= len(self.problem.nodes):
            return
        parts = [
            self.part(self.random.choice(self.devices), self.problem.nodes[node].reads, self.problem.nodes[node].writes)
            for node in nodes
        ]
        self.problem.regions.append(Region(tuple(nodes), self.choice("region", parts)))

    def outputs(self, rich: bool) -> None:
        read = {value for node in self.problem.nodes for value in node.reads}
        ends = [value for value in self.values if value not in read or self.random.random() < 0.15]
        self.problem.outputs = tuple(ends or self.values[-1:])
        if rich and self.random.random() < 0.4:
            others = [each for each in self.devices if each != self.problem.primary]
            stay = self.random.sample(self.problem.outputs, self.random.randint(1, len(self.problem.outputs)))
            self.problem.staying = {value: self.random.choice(others) for value in stay}


def random_placement_problem(
    seed: int,
    nodes: int,
    devices: int = 3,
    *,
    rich: bool = False,
    regions: int = 0,
    memory: Mapping[str, int] | None = None,
    arbitrations: Sequence[Arbitration] = ("separate",),
    unit: float = 1.0,
    window: int | None = None,
    relayed: bool = False,
) -> Problem:
    """A random problem; times are multiples of `unit` ns."""
    random = Random(seed)
    machine = random_machine(random, devices, memory, arbitrations, relayed)
    draw = Draw(random, machine, unit=unit, window=window)
    draw.inputs(rich)
    for _ in range(nodes):
        draw.node(rich)
    for _ in range(regions if nodes > 1 else 0):
        draw.region()
    draw.outputs(rich)
    return draw.problem
