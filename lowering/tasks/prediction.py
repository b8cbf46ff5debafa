"""Notes of `place` on its plan for reports: the predicted makespan, and a lower bound for any placement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from xdsl.dialects.func import FuncOp

from dialects.task import PlanAttr, PublishedAttr
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.events.jobs import Bound
from lowering.graph.rewriting import set_attribute
from lowering.instance.problem import Problem, Published, Schedule
from lowering.machine.digest import digest
from lowering.optimise.search.lowest import lowest

ATTRIBUTE, PUBLISHED = PlanAttr.name, PublishedAttr.name


@dataclass(frozen=True)
class Prediction:
    """The predicted time of a plan. `policy`: the policy's name with its options; `ns`: the makespan; `bound`: a lower
    bound on the makespan of any placement, if known. `published`: the time in the published accounting, if the
    policy minimises it."""

    policy: str
    ns: float
    bound: Bound | None = None
    published: Published | None = None
    moves: bool = False
    """True if both times include moves between memories: the bound is on plans of devices, repeated runs and moves."""


def prediction_of(problem: Problem, schedule: Schedule, policy: str, unsplit: bool) -> Prediction:
    """The prediction of a schedule. `unsplit`: it places the program's ops unpartitioned, so that a lower bound on all
    placements of these ops applies to it. A plan whose policy has split ops and marked the shards may end before
    that bound. If other placements may use streams, or keep state on other devices than the primary one, the reason of
    a bound that is not for these says so; and likewise if the bound is for those within the primary device's memory,
    and further memory is behind that."""
    ns = problem.ends(schedule)
    plain = not schedule.streams and not schedule.input_devices
    bound = schedule.bound or (lowest(problem) if unsplit and plain else None)
    if bound is not None and plain:
        limits = list(_limits(problem, searched=schedule.bound is not None))
        bound = Bound(bound.ns, ", ".join((bound.because, *limits)))
    return Prediction(policy, ns, None if bound is None else bound.below(ns, "any placement"), schedule.published)


def _limits(problem: Problem, searched: bool) -> Iterator[str]:
    """The limits of the placements for which bounds hold, where others are possible. `searched`: the bound is that of a
    search among placements that fit memory."""
    workers, machine = problem.workers, problem.clock.machine
    streams = any(machine.streams(*pair) for pair in permutations(workers, 2))
    beyond = [*(["streams"] if streams else []), *(["state elsewhere"] if problem.movable and workers[1:] else [])]
    if beyond:
        yield f"without {' or '.join(beyond)}"
    system = MemorySystem.of(machine)
    if searched and not problem.options.behind and system is not None and system.dedicated is not None:
        parts = [part for node in problem.nodes for choice in node.choices for part in choice.parts]
        held = {what: nbytes for part in parts if part.device == problem.primary for what, nbytes in part.residents}
        if sum(problem.sizes) + sum(held.values()) > problem.room[problem.primary]:
            yield f"within the memory of {problem.primary}"


def write_prediction(function: FuncOp, clock: Clock, prediction: Prediction) -> None:
    """Write a prediction onto a placed function, with a digest of the machine that it was computed for."""
    bound = prediction.bound or Bound(0.0, "")
    machine = digest(clock.machine)
    plan = PlanAttr.of(prediction.policy, prediction.ns, bound.ns, bound.because, machine, prediction.moves)
    set_attribute(function, ATTRIBUTE, plan)
    published = prediction.published
    set_attribute(function, PUBLISHED, None if published is None else PublishedAttr.of(*published, machine))


def read_prediction(function: FuncOp, clock: Clock) -> Prediction | None:
    """The prediction noted on a function; None if there is none or if it was computed for another machine."""
    noted, machine = function.attributes.get(ATTRIBUTE), digest(clock.machine)
    if not isinstance(noted, PlanAttr) or noted.machine.data != machine:
        return None
    ns, bound = noted.ns.value.data, noted.bound.value.data
    counted = function.attributes.get(PUBLISHED)
    published: Published | None = None
    if isinstance(counted, PublishedAttr) and counted.machine.data == machine:
        published = Published(*(each.value.data for each in (counted.ns, counted.alone, counted.bound)))
    moves = bool(noted.moves.value.data)
    return Prediction(noted.policy.data, ns, Bound(bound, noted.because.data) if bound else None, published, moves)
