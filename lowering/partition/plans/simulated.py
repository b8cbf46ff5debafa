"""Times of sets of ops under a plan, from the timeline of an excerpt."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.kinds.clock import Clock
from interp.walk.entry import ahead_of_time, block_of, is_graph_op, is_view
from lowering.instance.choice import Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Schedule
from lowering.optimise.quick.heuristics import by_tree, improve_locally, settle
from lowering.partition.plans.plan import Op, OpSharding, PlanStep, carry_out
from lowering.partition.plans.regions import excerpt, signature


@dataclass(frozen=True)
class StepForm:
    """A step of a plan without its ops: devices, shards and stages. Equal sets of ops take the same time in the same
    form."""

    shardings: tuple[OpSharding, ...]
    stages: int = 1
    axis: int = 2

    def step(self, ops: Sequence[Op], ns: float) -> PlanStep:
        """The step of a plan with this form and these ops."""
        return PlanStep(tuple(ops), self.shardings, ns, self.stages, self.axis)


class Simulated:
    """Times of sets of ops of one function, in ns: with all inputs on the primary device at the start and all results
    there at the end. Equal sets are timed once."""

    def __init__(self, function: FuncOp, clock: Clock) -> None:
        block = block_of(function)
        self.clock = clock
        self.early: Collection[Operation] = ahead_of_time(block)
        self.ops: list[Op] = [op for op in block.ops if op not in self.early and is_graph_op(op) and not is_view(op)]
        self.timed = 0
        """The number of sets of ops simulated so far."""
        self._known: dict[tuple[Hashable, StepForm], float | None] = {}
        self._signatures: dict[tuple[Op, ...], Hashable] = {}

    def signature(self, ops: Sequence[Op]) -> Hashable:
        """The key of some ops: equal keys imply equal times."""
        key = tuple(ops)
        if key not in self._signatures:
            self._signatures[key] = signature(ops, self.early)
        return self._signatures[key]

    def ns(self, ops: Sequence[Op], form: StepForm) -> float | None:
        """Time of some ops, in program order, in a form; None if the form is impossible for them."""
        key = (self.signature(ops), form)
        if key not in self._known:
            self.timed += 1
            self._known[key] = self._simulate(ops, form)
        return self._known[key]

    def forms(self, ops: Sequence[Op]) -> list[tuple[float, StepForm]]:
        """The forms in which equal ops have been timed so far, the shortest first."""
        mine = self.signature(ops)
        found = [(ns, form) for (key, form), ns in self._known.items() if key == mine and ns is not None]
        return sorted(found, key=lambda entry: entry[0])

    def _simulate(self, ops: Sequence[Op], form: StepForm) -> float | None:
        alone = excerpt(ops, self.early)
        if not carry_out(alone.function, [form.step([alone.twins[op] for op in ops], 0.0)], excerpt=True):
            return None
        try:
            problem = PlacementProblem(alone.function, self.clock)
        except InputError:  # a device computes on states, and the excerpt has none
            return None
        ns = problem.makespan(settled(problem))
        problem.drop()
        return ns


def settled(problem: PlacementProblem) -> Placement:
    """A placement by dynamic programming and local search, which decides over the nodes without marks: views, and ops
    fused to a contraction on a PIM."""
    return improve_locally(problem, by_tree(problem))


def as_marked(problem: PlacementProblem) -> Schedule:
    """The placement of the marked nodes as marked and of all others by local search, in program order."""
    return Schedule(settle(problem, settled(problem)))
