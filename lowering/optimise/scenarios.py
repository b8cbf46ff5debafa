"""Placement problems with perturbed costs, to represent errors of a model or a profile."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import replace

from xdsl.ir import Operation

from dialects.graph import FusedOp, GraphOp
from interp.kinds.clock import Clock, shape_key
from interp.machine.cost import Cost
from interp.simulate.schedule.routes import Routes
from lowering.instance.choice import Choice, ChoicePart, Placement
from lowering.instance.copies import Copies
from lowering.instance.problem import Problem, Region, Schedule
from lowering.optimise.serial.factors import way_of


class Errors:
    """Random factors around 1, one per key. A factor is drawn when its key is first used; the same keys in the same
    order give the same factors."""

    def __init__(self, fraction: float, seed: str) -> None:
        self.fraction = fraction
        self._draw = random.Random(seed)
        self._known: dict[Hashable, float] = {}

    def of(self, key: Hashable) -> float:
        """A factor drawn uniformly between 1 - fraction and 1 + fraction."""
        if key not in self._known:
            self._known[key] = 1 + self.fraction * (2 * self._draw.random() - 1)
        return self._known[key]


class WrongLinks(Clock):
    """A clock on which the time of each link is multiplied by a random factor, the same for both directions."""

    def __init__(self, clock: Clock, errors: Errors) -> None:
        super().__init__(clock.machine, clock.programs)
        self._clock = clock
        self._errors = errors

    def supports(self, op: Operation, device: str) -> bool:
        return self._clock.supports(op, device)

    def op_cost(self, op: Operation, device: str) -> Cost:
        return self._clock.op_cost(op, device)

    def kernel_of(self, op: Operation, device: str) -> Operation | None:
        return self._clock.kernel_of(op, device)

    def copy_cost(self, nbytes: int, source: str, target: str) -> Cost:
        cost = self._clock.copy_cost(nbytes, source, target)
        return replace(cost, ns=cost.ns * self._errors.of(frozenset((source, target))))


class Scenario(Problem):
    """A problem with all costs multiplied by random factors: one factor for each shape of ops on each device and one
    for each link, since a model or a profile has one error per shape, not one per node. Nodes, values, choices,
    regions and the jobs of a placement correspond one to one to those of `nominal`, so schedules can be converted in
    both directions. Energies are unchanged."""

    def __init__(self, nominal: Problem, errors: Errors) -> None:
        clock = WrongLinks(nominal.clock, errors)
        super().__init__(clock, replace(nominal.options, robust=0.0), Copies(Routes(clock), nominal.sizes))
        self.nominal = nominal
        self.inputs, self.outputs = nominal.inputs, nominal.outputs
        self.returned_residents, self.present_at = nominal.returned_residents, nominal.present_at
        self.movable, self.staying = nominal.movable, nominal.staying
        self._errors = errors
        self._parts: dict[ChoicePart, ChoicePart] = {}
        self._here: dict[Choice, Choice] = {}
        for node in nominal.nodes:
            self.node(node.op, [self._wrong(choice) for choice in node.choices], node.reads, node.writes)
        self.regions = [Region(region.nodes, self._wrong(region.choice)) for region in nominal.regions]
        self._there = {wrong: choice for choice, wrong in self._here.items()}

    def here(self, schedule: Schedule) -> Schedule:
        """A schedule of `nominal` converted to this problem, without its lower bound, which does not hold for this
        problem."""
        return _moved(schedule, [self._here[choice] for choice in schedule.placement])

    def there(self, schedule: Schedule) -> Schedule:
        """A schedule of this problem converted to `nominal`."""
        return _moved(schedule, [self._there[choice] for choice in schedule.placement])

    def _wrong(self, choice: Choice) -> Choice:
        """The choice with this problem's costs that corresponds to a choice of `nominal`; the same object at each
        call."""
        if choice not in self._here:
            parts = tuple(self._part(part) for part in choice.parts)
            before, after = way_of(self.nominal, choice.parts).ns, way_of(self, parts).ns
            factor = after / before if before else 1.0
            cost = replace(choice.cost, ns=choice.cost.ns * factor)
            self._here[choice] = replace(choice, parts=parts, cost=cost)
        return self._here[choice]

    def _part(self, part: ChoicePart) -> ChoicePart:
        if part not in self._parts:
            factor = self._errors.of((_shape(part.op), part.device, part.cost.ns)) if not part.view else 1.0
            phases = tuple(each * factor for each in part.cost.phases)
            self._parts[part] = replace(part, cost=replace(part.cost, ns=part.cost.ns * factor, phases=phases))
        return self._parts[part]


def _moved(schedule: Schedule, placement: Placement) -> Schedule:
    """A schedule with another placement, converted from other costs, without its predicted times and bound."""
    return replace(schedule, placement=placement, bound=None, ns=0.0, published=None)


def scenarios(problem: Problem, fraction: float, count: int, seed: int) -> list[Scenario]:
    """`count` random variants of a problem with costs wrong by up to a fraction; deterministic for a seed."""
    return [Scenario(problem, Errors(fraction, f"{seed}.{index}")) for index in range(count)]


def _shape(op: Operation) -> Hashable:
    return shape_key(op) if isinstance(op, GraphOp | FusedOp) else type(op)
