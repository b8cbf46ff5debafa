"""A decision carried out on a function: ops that run again are copied, and the placement problem is built anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.walk.unchanged import unchanged
from lowering.instance.choice import Choice
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Schedule
from lowering.joint.decision import Decision, scheduled
from lowering.joint.repeats import Repeated
from lowering.memory.rerunning import run_again


def carried_out(problem: PlacementProblem, decision: Decision) -> tuple[PlacementProblem, Schedule]:
    """The problem of a function with copies of the ops that run again, which are inserted, and the schedule of a
    decision on it."""
    function = problem.function
    if not decision.again:
        everything = Repeated(problem, problem, decision.placement, range(len(problem.nodes)))
        return problem, scheduled(everything, decision)
    due: dict[Operation, list[list[Operation]]] = defaultdict(list)
    for node, before in sorted(decision.again, key=lambda each: (each[1], each[0])):
        due[problem.nodes[before].op].append([problem.nodes[node].op])
    labels: dict[Operation, tuple[int, Choice]] = {
        node.op: (node.index, decision.placement[node.index]) for node in problem.nodes
    }
    origins = run_again(function, due)
    with unchanged():
        made = PlacementProblem(function, problem.clock, problem.options)
    placement, origin = _same_choices(made, labels, origins)
    inputs = dict(zip(problem.inputs, made.inputs, strict=True))
    devices = {inputs[value]: device for value, device in decision.input_devices.items()}
    again = Decision(tuple(placement), decision.flows, frozenset(), devices, decision.late)
    return made, scheduled(Repeated(made, problem, placement, origin), again)


def _same_choices(
    problem: PlacementProblem,
    known: Mapping[Operation, tuple[int, Choice]],
    origins: Mapping[Operation, Operation],
) -> tuple[Sequence[Choice], Sequence[int]]:
    """For each node of a problem, the choice with the label that it, or the op that it is a copy of, has in `known`,
    and the number of that node there."""
    placement: list[Choice] = []
    origin: list[int] = []
    for node in problem.nodes:
        op: Operation = node.op
        while op not in known:
            op = origins[op]
        index, before = known[op]
        choice = next((each for each in node.choices if each.label == before.label), None)
        if choice is None:
            raise InputError(f"a copy of {node.op.name} can't run where the op runs (@{before.device})", node.op)
        placement.append(choice)
        origin.append(index)
    return placement, origin
