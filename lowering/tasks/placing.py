"""Placement of a function by a policy on a given machine: the policy decides on a schedule, by which the function is
rewritten to tasks and copies. A function with loops is placed subproblem by subproblem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import FunctionType, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from dialects.diagnostics import InputError
from dialects.locations import located
from dialects.task import BY_TRANSFERS, CopyOp, DecisionAttr, OnType, ResidentOp, RunOp, YieldOp
from dialects.task.decision import DECISION
from dialects.values import called, name_on
from interp.kinds.clock import Clock
from interp.simulate.events.jobs import Bound
from interp.simulate.schedule.residency import too_large
from interp.walk.unchanged import unchanged
from interp.walk.views import is_reshape, is_view_task, makers
from lowering.graph.marks import keep_states_valid, marked_arguments, unmark, unmark_arguments
from lowering.graph.rewriting import arrange, rewriter_at
from lowering.instance.choice import ChoicePart, Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Options
from lowering.instance.problem import Schedule
from lowering.instance.straight import has_loops
from lowering.optimise.policies import POLICIES, SEARCHING, checked
from lowering.optimise.quick.heuristics import schedule_with_states
from lowering.partition.planners import PLANNERS
from lowering.partition.search.decided import given_for
from lowering.partition.search.planning import Planned
from lowering.tasks.loops import Placed, place_subproblems
from lowering.tasks.notes import note_problem
from lowering.tasks.prediction import prediction_of


def place_in_parts(
    function: FuncOp, clock: Clock, policy: str, options: Options, described: str | None = None
) -> Placed:
    """Place a function in place; a function with loops, subproblem by subproblem. `described`: the name of the policy,
    with options, for the prediction, if it is not that of this policy."""
    described = described or in_words(policy, options)

    def place(subproblem: FuncOp) -> Placed:
        return _place_straight(subproblem, clock, policy, options, described)

    if has_loops(function):
        for argument in marked_arguments(function):
            raise InputError(
                f"@{function.sym_name.data} has loops, so its arguments are on the primary device when it starts, and "
                f"{called(argument)} can't be marked for another one; remove `task.on` from it",
                function,
            )
        return place_subproblems(function, clock.machine.primary, place)
    return place(function)


def _place_straight(function: FuncOp, clock: Clock, policy: str, options: Options, described: str) -> Placed:
    """Place a function without loops in place."""
    with unchanged():
        problem = PlacementProblem(function, clock, options)
        note_problem(problem, policy)
    split_bound: Bound | None = None

    def decide(problem: PlacementProblem) -> Planned:
        if policy in PLANNERS:
            return PLANNERS[policy](problem)
        return Planned(problem, Schedule.of(POLICIES[policy](problem)))

    given = problem
    problem, schedule, split_bound = decide(given)
    moves = not options.behind and "moves" not in options.without
    lacks = moves and not problem.fits(schedule) and problem.look_behind() and not problem.fits(schedule)
    if lacks and problem is given:
        problem.options = replace(options, behind=True)
        problem, schedule, split_bound = decide(given)
    if policy in SEARCHING and given_for(function) is None:
        schedule = schedule_with_states(problem, schedule)
    _check(problem, schedule, policy)
    return written(problem, schedule, described, problem is given, 0.0 if split_bound is None else split_bound.ns)


def written(
    problem: PlacementProblem, schedule: Schedule, described: str, unsplit: bool, split_bound_ns: float = 0.0
) -> Placed:
    """Write a schedule into its problem's function. `described`: the policy's name with options; `unsplit`: the bound
    on all placements of the problem's ops holds; `split_bound_ns`: a lower bound on the makespan of any plan with
    splits, in ns, 0 for none."""
    prediction = prediction_of(problem, schedule, described, unsplit)
    _Rewriting(problem, schedule).apply()
    problem.drop()
    return Placed(prediction, flops_of(schedule.placement, problem.devices), split_bound_ns)


def flops_of(placement: Placement, devices: Sequence[str]) -> dict[str, int]:
    """The flops that a placement assigns to each device, by the device's name."""
    flops = dict.fromkeys(devices, 0)
    for choice in placement:
        for part in choice.parts:
            flops[part.device] += part.cost.flops
    return flops


def in_words(policy: str, options: Options) -> str:
    """A policy's name with its non-default options."""
    words = [policy]
    for word, value in options.changed().items():
        several = {"devices": options.devices, "without": options.without}.get(word)
        shown = ",".join(several) if several is not None else "true" if value is True else value
        words.append(f"{word}={shown}")
    return " ".join(words)


def _check(problem: PlacementProblem, schedule: Schedule, policy: str) -> None:
    checked(problem, schedule, policy, problem.function)
    for device, need in problem.overfull(schedule).items():
        record = problem.clock.machine.devices[device]
        way_out = "take a device with more memory or a smaller model"
        if len(problem.devices) > 1 and policy not in ("path", *SEARCHING) and need.resident:
            way_out = "place{policy=optimal} spreads weights over devices"
        name = f"@{problem.function.sym_name.data}"
        raise InputError(too_large(name, device, need, record, way_out), problem.function)


@dataclass
class _Rewriting:
    """Builds the placed body of a function: moves ops from the old block into the bodies of new tasks. `rewriter`
    inserts at the end of the new block."""

    problem: PlacementProblem
    schedule: Schedule
    block: Block = field(default_factory=Block)
    timed: list[CopyOp | RunOp] = field(default_factory=list[CopyOp | RunOp])
    """Copies, and tasks that take time, in the order of `Problem.jobs`."""
    at: dict[tuple[int, str], SSAValue] = field(default_factory=dict[tuple[int, str], SSAValue])
    """The value of the new block for each pair (value number, device) that was made or copied so far."""
    resident: dict[tuple[SSAValue, str], SSAValue] = field(default_factory=dict[tuple[SSAValue, str], SSAValue])
    sources: dict[int, Operation] = field(default_factory=dict[int, Operation])
    """The defining op of each numbered value, for the locations of its copies."""
    names: dict[int, str | None] = field(default_factory=dict[int, str | None])

    def __post_init__(self) -> None:
        self.rewriter = rewriter_at(InsertPoint.at_end(self.problem.function.body.block))
        self.rewriter.insertion_point = InsertPoint.at_end(self.block)

    def apply(self) -> None:
        problem, function = self.problem, self.problem.function
        old = function.body.block
        unmark(old.ops)  # ops that are not placed, too
        unmark_arguments(function)  # their types state the device
        numbers = dict(zip(problem.arguments, problem.inputs, strict=True))
        for argument in old.args:
            if (number := numbers.get(argument)) is None:
                device = problem.rests_on(argument, self.schedule.placement)
            else:
                device = problem.starts_at(number, self.schedule.input_devices)[0]
            new = self.block.insert_arg(OnType.of(device, argument.type), len(self.block.args), argument.location)
            new.name_hint = argument.name_hint
            if number is None:
                self.resident[argument, device] = new
            else:
                self.names[number] = argument.name_hint
                self.at[number, device] = new
        for op in problem.ahead:
            op.detach()
            self.rewriter.insert(op)
        last = old.last_op
        assert isinstance(last, ReturnOp)
        for node, step in problem.steps(self.schedule.placement, self.schedule.input_devices):
            if isinstance(step, ChoicePart):
                self.run(step, self.schedule.decisions.get(node))
            else:
                self.copy(*step[:3], problem.nodes[node].op if node < len(problem.nodes) else last)
        self.finish(last)
        self.reorder()
        for op in reversed(list(old.ops)):
            self.rewriter.erase(op, safe_erase=False)
        function.body.detach_block(old)
        function.body.add_block(self.block)
        function.function_type = FunctionType.from_lists(
            [argument.type for argument in self.block.args],
            [value.type for value in self.block.last_op.operands] if self.block.last_op else [],
        )
        keep_states_valid(function)
        for op in self.block.ops:
            if isinstance(op, RunOp):
                problem.clock.note_plan(op)
                self.rewriter.notify_op_modified(op)
        self.rewriter.notify_op_modified(function)

    def copy(self, value: int, source: str, target: str, reader: Operation) -> None:
        origin = self.at[value, source]
        op = located(CopyOp(origin, target), self.sources.get(value, reader))
        op.copied.name_hint = name_on(self.names.get(value), target)
        self.rewriter.insert(op)
        self.timed.append(op)
        self.at[value, target] = op.copied

    def reorder(self) -> None:
        """Apply the order that the policy decided, if it decided one."""
        for job, other in self.schedule.waits:
            self.timed[job].wait_for(self.timed[other].results[0])
        taken: dict[CopyOp | RunOp, dict[CopyOp | RunOp, None]] = {}
        for job, other in self.schedule.streams:
            taken.setdefault(self.timed[job], {})[self.timed[other]] = None
        for op, flowing in taken.items():
            read = [makers(value) for value in (op.inputs if isinstance(op, RunOp) else (op.value,))]
            numbers = [number for number, theirs in enumerate(read) if theirs.keys() & flowing.keys()]
            if any(not read[number].keys() <= flowing.keys() for number in numbers):
                raise InputError(
                    f"{op.name}: a view of several values can be streamed only if all of these values are streamed", op
                )
            op.take_as_stream(numbers)
        if self.schedule.order:
            arrange(self.block, [self.timed[job] for job in self.schedule.order])

    def placed(self, value: SSAValue, device: str) -> SSAValue:
        """The task-level value for a value of the old function that is present on a device or is made resident
        there."""
        if not self.problem.is_constant(value):
            return self.at[self.problem.number_of(value), device]
        if (value, device) not in self.resident:
            op = located(ResidentOp(value, device), *([value.owner] if isinstance(value.owner, Operation) else []))
            op.placed.name_hint = name_on(value.name_hint, device)
            self.rewriter.insert(op)
            self.resident[value, device] = op.placed
        return self.resident[value, device]

    def run(self, part: ChoicePart, decision: DecisionAttr | None) -> None:
        """Append a task for one op, with the views that it reads and attributes that record the decision."""
        body = _TaskBody(self, part.device)
        operands = [body.inner(value) for value in part.op.operands]
        results = list(part.op.results)
        if part.op.parent is not None:  # a part of a split is in no block yet
            part.op.detach()
        part.op.operands = operands
        unmark([part.op])
        body.insert(part.op)
        run = self.add_run(body, part.op, results, part.writes)
        run.attributes |= part.notes
        if part.view and not is_view_task(run):
            run.attributes[BY_TRANSFERS] = UnitAttr()
        if decision is not None:
            run.attributes[DECISION] = decision
        if not part.view:
            self.timed.append(run)

    def add_run(self, body: _TaskBody, source: Operation, results: Sequence[SSAValue], writes: Sequence[int]) -> RunOp:
        body.insert(located(YieldOp(*results), source))
        run = self.rewriter.insert(located(RunOp(body.device, body.inputs, Region(body.block)), source))
        for result, output, number in zip(results, run.outputs, writes, strict=True):
            output.name_hint = result.name_hint
            self.at[number, body.device] = output
            self.sources[number] = source
            self.names[number] = result.name_hint
        return run

    def finish(self, last: ReturnOp) -> None:
        """Return the results: each on the primary device, or on the device of the donated argument whose memory it
        reuses."""
        results = {value: self.returned(value) for value in dict.fromkeys(last.operands)}
        self.rewriter.insert(located(ReturnOp(*(results[value] for value in last.operands)), last))

    def returned(self, value: SSAValue) -> SSAValue:
        """The value to return for a result, on the device on which it is returned; a reshape gets a task of its own,
        which takes no time."""
        primary, owner = self.problem.primary, value.owner
        if self.problem.is_constant(value):
            return self.placed(value, primary)
        number = self.problem.number_of(value)
        device = self.problem.ends_at(self.schedule.input_devices).get(number, primary)
        if number in self.problem.left:
            device = self.problem.lands(number, self.schedule.placement)
        if not (isinstance(owner, Operation) and is_reshape(owner)):
            return self.placed(value, device)
        body = _TaskBody(self, device)
        shown = body.inner(value)
        body.insert(located(YieldOp(shown), owner))
        run = located(RunOp(device, body.inputs, Region(body.block)), owner)
        run.outputs[0].name_hint = value.name_hint
        self.rewriter.insert(run)
        return run.outputs[0]


class _TaskBody:
    """A task's body under construction: its operands, and views of them."""

    def __init__(self, rewriting: _Rewriting, device: str) -> None:
        self.rewriting = rewriting
        self.device = device
        self.block = Block()
        self.inputs: list[SSAValue] = []
        self.known: dict[SSAValue, SSAValue] = {}

    def insert(self, op: Operation) -> None:
        """Append an op to the body."""
        self.rewriting.rewriter.insert(op, InsertPoint.at_end(self.block))

    def inner(self, value: SSAValue) -> SSAValue:
        """The value inside the body for a value of the old function."""
        if value in self.known:
            return self.known[value]
        owner = value.owner
        problem = self.rewriting.problem
        viewed = isinstance(owner, Operation) and is_reshape(owner)
        if isinstance(owner, Operation) and viewed and (value in problem.shown or not problem.is_constant(value)):
            view = owner.clone()
            view.location = owner.location
            view.operands = [self.inner(operand) for operand in owner.operands]
            view.results[0].name_hint = value.name_hint
            self.insert(view)
            self.known[value] = view.results[0]
        else:
            self.inputs.append(self.rewriting.placed(value, self.device))
            self.known[value] = self.block.insert_arg(value.type, len(self.block.args))
            self.known[value].name_hint = value.name_hint
        return self.known[value]
