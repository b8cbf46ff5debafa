"""Placement: rewrites a graph of tensor ops to tasks on devices with copies between them, as decided by a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, get_args

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from dialects.diagnostics import InputError, note, notes_to
from dialects.graph.op import tensor_problem
from dialects.launching import LaunchingOp
from dialects.locations import located
from dialects.task import CopyOp, DecisionAttr, OnType, ResidentOp, RunOp, YieldOp
from dialects.task.decision import DECISION
from dialects.values import called, name_on
from interp.cost.clock import Clock
from interp.program.entry import functions
from interp.program.unchanged import unchanged
from interp.program.views import is_reshape, makers
from interp.schedule.residency import too_large
from lowering.banks.templates import clock_for
from lowering.graph.inline import inline_calls
from lowering.graph.rewriting import rewriter_at
from lowering.memory.short import is_short, place_shortest, take_body
from lowering.partition.certificate import certificate
from lowering.partition.pimflow.search import MODES
from lowering.partition.planners import PLANNERS
from lowering.placement.baseline import flops_of, read_baseline, write_baseline
from lowering.placement.choice import ChoicePart
from lowering.placement.loops import Placed, place_subproblems
from lowering.placement.marks import keep_donations_valid, marked, marked_arguments, unmark, unmark_arguments
from lowering.placement.notes import note_problem
from lowering.placement.of_program import PlacementProblem
from lowering.placement.order import arrange
from lowering.placement.policies import BESIDE, OPTIONS, POLICIES, SEARCHING, checked
from lowering.placement.prediction import prediction_of, write_prediction
from lowering.placement.primary_alone import note_baselines
from lowering.placement.problem import Accounting, Options, Schedule
from lowering.placement.robust import hedge
from lowering.placement.straight import has_loops
from lowering.placement.words import one_of


@dataclass(frozen=True)
class PlacePass(ModulePass):
    """Decides where each op runs and rewrites graph level to task level.

    `policy`: `gpu` (all on processors), `pim-first` (on a PIM each op that the PIM can run), `priority` (on the first
    of `devices` that can run it), `greedy` (in program order, each op on the device on which it ends first), `cost`
    (the plan with the shortest simulated makespan among those of these policies and of a search; for up to 32 nodes the
    minimum, as far as a fixed amount of exact search proves it), `path` (the minimum serial time of all tasks and
    copies, exact as long as no table of its search exceeds `width` entries), `optimal` (the minimum makespan over
    placements and orders of tasks and copies: proved if that needs no more work than allowed, else the best found
    within `limit` seconds or until `gap` is reached). Three policies are for a GPU with near-data units
    (lowering/placement/overlap): `pattern`, by depth alone, and `xla-ndp`, by cost, reproduce NDPX and XLA-NDP;
    `overlap` is never worse than either of these, or than the GPU alone, in the `accounting` that it minimises: `full`
    is the timeline; `published` is the time of all kernels on the primary device plus the time of other kernels that is
    not hidden behind these. Plugins add policies (lowering/placement/policies.py). Three policies split ops into shards
    and pipeline stages (lowering/partition/planners.py): `pimflow` as PIMFlow (CGO 2023) does; `best`: the plan that
    ends first among the plans of `pimflow`, of the policies above, and of a larger space of plans; `joint`: the best of
    all these plans and of those of one search over devices, splits, stages and order together. `width`, `limit` and
    `gap` are passed on to the policies that `best` and `joint` try. `mode`: the part of PIMFlow's space to search
    (`newton`: unpartitioned layers, which is Newton++, or Newton+ on a PIM such as newton_plus; `mddp`: splits by rows;
    `pipeline`: two halves as pipeline stages; `pimflow`: all). `robust`: costs may be wrong by this fraction, and the
    plan with the least `regret` under such errors is taken. `split`: adds, for ops on near-data units, the choice of
    storing each result in a phase of its own, if that is faster. An op that is marked (`{task.on = @pim}`) stays on
    that device under each policy. A marked argument is there when the program starts, and the result that reuses its
    memory (`{task.on = @pim, task.donated = 0}`) stays there; other results return to the primary device. Calls are
    inlined first.

    Each op or fused group becomes a `task.run`. Reshapes move into the tasks that read them; a slice or concat that is
    a view (pass `layout`) becomes a task that takes no time, so that only its bytes are copied. Values that depend on
    weights and constants alone are computed ahead of time and made resident on the devices that use them. A value is
    copied once to each device that reads it, and results are copied back to the primary device. If a device has several
    ways to run a task, the task records the chosen one (`pim.plan`, `ndp.outputs`), and `to-pim` and `to-ndp` implement
    it. A fused group of which only the contraction suits a device may be split in two (lowering/banks/anchor.py).

    Before:
    ```mlir
    hw.device @gpu = "toy_gpu"
    hw.device @pim = "toy_pim"
    hw.link @gpu to @pim = "toy_link"
    func.func @main(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
      %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
      %y = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x8xf32>
      func.return %y : tensor<1x8xf32>
    }
    ```
    After `place{policy=pim-first}`, notes for summaries omitted (the baseline on the primary device, the predicted
    makespan and a lower bound for all placements):
    ```mlir
    func.func @main(%x: !task.on<@gpu, tensor<1x8xf32>>) -> !task.on<@gpu, tensor<1x8xf32>> {
      %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
      %x_pim = task.copy %x to @pim
      %w_pim = task.resident %w on @pim
      %y = task.run @pim (%x_1 = %x_pim, %w_1 = %w_pim) {
        %y_1 = graph.matmul %x_1, %w_1 : tensor<1x8xf32>, tensor<8x8xf32>
        task.yield %y_1
      }
      %y_gpu = task.copy %y to @gpu
      func.return %y_gpu : !task.on<@gpu, tensor<1x8xf32>>
    }
    ```
    """

    name = "place"
    NEEDS_MACHINE: ClassVar[bool] = True
    COMPARED: ClassVar[bool] = True
    policy: str = one_of(lambda: (*POLICIES, *PLANNERS), default="cost")
    mode: str = one_of(lambda: MODES, default="pimflow")
    devices: tuple[str, ...] = ()
    width: int = Options.width
    limit: float = Options.limit_s
    gap: float = Options.gap
    robust: float = Options.robust
    regret: str = one_of(lambda: ("worst", "expected"), default=Options.regret)
    split: bool = Options.split
    accounting: str = one_of(lambda: get_args(Accounting), default=Options.accounting)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for word, given, known in (("policy", self.policy, (*POLICIES, *PLANNERS)), ("mode", self.mode, tuple(MODES))):
            if given not in known:
                raise InputError(f"place: there is no {word} `{given}`; there are {', '.join(known)}")
        if self.policy != "pimflow" and self.mode != "pimflow":
            raise InputError(
                f"place: option `mode={self.mode}` applies to policy pimflow, not to {self.policy}; remove it"
            )
        options = self.options()
        note_baselines(op)
        inline_calls(op)
        clock = clock_for(op)
        for device in self.devices:
            clock.machine.device(device)
        for function in functions(op):
            place_function(function, clock, self.policy, self.mode, options)

    def options(self) -> Options:
        """The options of the policy. Raises InputError for a value out of range, and for an option of another
        policy."""
        for word, policies in OPTIONS.items():
            if self.policy not in policies and getattr(self, word) != type(self).__dataclass_fields__[word].default:
                theirs = " and ".join([*([", ".join(policies[:-1])] if policies[1:] else []), policies[-1]])
                raise InputError(f"place: option `{word}` applies to policy {theirs}, not to {self.policy}; remove it")
        if self.policy == "priority" and not self.devices:
            raise InputError("place: policy priority needs a list of devices: place{policy=priority devices=pim,gpu}")
        for word, least in (("width", 1), ("limit", 0), ("gap", 0), ("robust", 0)):
            if not getattr(self, word) >= least:
                raise InputError(f"place: `{word}` must be {least} or more, not {getattr(self, word)}")
        if not self.robust < 1:
            raise InputError(f"place: `robust` must be a fraction below 1 (0.2 for 20 %), not {self.robust}")
        if self.robust and self.policy in (*PLANNERS, *BESIDE):
            theirs = ", ".join(name for name in POLICIES if name not in BESIDE)
            raise InputError(f"place: option `robust` applies to policies {theirs}, not to {self.policy}; remove it")
        if self.split and self.policy in PLANNERS:
            theirs = ", ".join(POLICIES)
            raise InputError(f"place: option `split` applies to policies {theirs}, not to {self.policy}; remove it")
        if self.regret not in ("worst", "expected"):
            raise InputError(f"place: `regret` must be worst or expected, not {self.regret}")
        if self.regret != Options.regret and not self.robust:
            raise InputError(f"place: option `regret={self.regret}` applies to robust plans only; add robust=0.2")
        regret = "worst" if self.regret == "worst" else "expected"
        if self.accounting not in get_args(Accounting):
            raise InputError(f"place: `accounting` must be {' or '.join(get_args(Accounting))}, not {self.accounting}")
        accounting: Accounting = "published" if self.accounting == "published" else "full"
        theirs = tuple(self.devices), self.width, self.limit, self.gap, self.robust, regret, self.split, accounting
        return Options(*theirs)


def place_function(
    function: FuncOp,
    clock: Clock,
    policy: str,
    mode: str = "pimflow",
    options: Options = Options(),  # noqa: B008 - it is frozen
) -> None:
    """Place one function of graph ops in place; a function with loops, subproblem by subproblem. If the function
    exceeds the primary device's memory, and further memory is behind that, policies that minimise the makespan place it
    in the way with which it ends first once moves are planned. Raises InputError if it is placed already, can't be run,
    or does not fit memory."""
    name = function.sym_name.data
    for type_ in (*function.function_type.inputs, *function.function_type.outputs):
        if isinstance(type_, OnType):
            raise InputError(
                f"@{name} is placed already; place takes functions of graph ops on plain tensors", function
            )
        if (wrong := tensor_problem(type_)) is not None:
            raise InputError(f"@{name} can't be placed: {wrong}", function)
    placed = _placed(function, clock, policy, mode, options)
    write_prediction(function, clock, placed.prediction)
    if (baseline := read_baseline(function, clock)) is not None:
        write_baseline(function, clock, replace(baseline, flops=placed.flops, bound_ns=placed.bound_ns))


def _placed(function: FuncOp, clock: Clock, policy: str, mode: str, options: Options) -> Placed:
    """Place a function in place, and decide if devices in a processor's memory are used at all: otherwise, their memory
    channels belong to the processor. A policy that searches takes the plan that ends first; under any other policy,
    channels are given back if its plan does not use the device."""
    held = {*(marked(op) for op in function.walk()), *marked_arguments(function).values()}
    guests = set(clock.machine.guests) - held
    if not guests:
        return _divided(function, clock, policy, mode, options)
    spare = function.clone()
    ModuleOp([spare])  # rewriters need a parent
    placed = _divided(function, clock, policy, mode, options)
    with notes_to(lambda message, place: None):
        without = Clock(clock.machine.without(guests), clock.programs)
        other = policy if policy in (*SEARCHING, *PLANNERS) else "gpu"
        alone = _divided(spare, without, other, "pimflow", options)
    bounds = [each.prediction.bound for each in (placed, alone)]
    bound = min(filter(None, bounds), key=lambda each: each.ns) if None not in bounds else None
    split_bound = min(placed.bound_ns, alone.bound_ns or alone.prediction.ns)
    if guests.isdisjoint(_places(function)) or (policy in SEARCHING and alone.ns < placed.ns):
        take_body(function, spare)
        flops = {name: alone.flops.get(name, 0) for name in clock.machine.devices}
        placed = Placed(replace(alone.prediction, policy=placed.prediction.policy), flops)
    return placed._replace(prediction=replace(placed.prediction, bound=bound), bound_ns=split_bound)


def _places(function: FuncOp) -> set[str]:
    """The devices that run a task of a placed function, or hold one of its values."""
    values = [*function.body.block.args, *(result for op in function.walk() for result in op.results)]
    return {value.type.place for value in values if isinstance(value.type, OnType)}


def _divided(function: FuncOp, clock: Clock, policy: str, mode: str, options: Options) -> Placed:
    """Place a function in place on a machine whose memory channels are divided. If the function exceeds the primary
    device's memory, and further memory is behind that, policies that search place it in the way with which it ends
    first once moves are planned."""
    workers = sum(not device.runs_nothing for device in clock.machine.devices.values())
    searches = policy in SEARCHING and not options.robust and options.accounting == "full"
    if searches and workers > 1 and is_short(function, clock):
        return place_shortest(function, clock, _ways(clock, policy, mode, options))
    return _in_parts(function, clock, policy, mode, options)


def _ways(clock: Clock, policy: str, mode: str, options: Options) -> dict[str, Callable[[FuncOp], Placed]]:
    """The ways to place a function that exceeds the primary device's memory."""
    primary, described = clock.machine.primary, _described(policy, mode, options)
    behind = replace(options, behind=True)
    return {
        f"by {policy} within that memory": lambda function: _in_parts(function, clock, policy, mode, options),
        f"by {policy} as if it were larger": lambda function: _in_parts(function, clock, policy, mode, behind),
        f"all on @{primary}": lambda function: _in_parts(function, clock, "gpu", mode, behind, described),
    }


def _in_parts(
    function: FuncOp, clock: Clock, policy: str, mode: str, options: Options, described: str | None = None
) -> Placed:
    """Place a function in place; a function with loops, subproblem by subproblem. `described`: the name of the policy,
    with options, for the prediction, if it is not that of this policy."""
    described = described or _described(policy, mode, options)

    def place(subproblem: FuncOp) -> Placed:
        return _place_straight(subproblem, clock, policy, mode, options, described)

    if has_loops(function):
        for argument in marked_arguments(function):
            raise InputError(
                f"@{function.sym_name.data} has loops, so its arguments are on the primary device when it starts, and "
                f"{called(argument)} can't be marked for another one; remove `task.on` from it",
                function,
            )
        return place_subproblems(function, clock.machine.primary, place)
    return place(function)


def _place_straight(function: FuncOp, clock: Clock, policy: str, mode: str, options: Options, described: str) -> Placed:
    """Place a function without loops in place."""
    with unchanged():
        problem = PlacementProblem(function, clock, options)
        note_problem(problem, policy)
    split_bound = 0.0
    if policy in PLANNERS:
        if launch := next((node.op for node in problem.nodes if isinstance(node.op, LaunchingOp)), None):
            raise InputError(
                f"{launch.name}: policy {policy} splits ops, and a launched kernel cannot be split; name "
                "another policy (place{policy=cost})",
                launch,
            )
        problem.drop()
        if (bound := certificate(function, clock)) is not None:
            split_bound = bound.ns
        problem, placement = PLANNERS[policy](function, clock, mode, options)
        schedule = Schedule.of(placement)
        if not options.behind and not problem.fits(schedule):
            problem.look_behind()
    else:
        schedule = _decided(problem, policy)
        if not options.behind and not problem.fits(schedule) and problem.look_behind() and not problem.fits(schedule):
            problem.options = replace(options, behind=True)
            schedule = _decided(problem, policy)
    placement = schedule.placement
    _check(problem, schedule, policy)
    prediction = prediction_of(problem, schedule, described, unsplit=policy not in PLANNERS)
    _Rewriting(problem, schedule).apply()
    problem.drop()
    return Placed(prediction, flops_of(placement, problem.devices), split_bound)


def _described(policy: str, mode: str, options: Options) -> str:
    """A policy's name with its non-default options."""
    given: dict[str, object] = {
        "mode": mode,
        "devices": ",".join(options.priority),
        "width": options.width,
        "limit": options.limit_s,
        "gap": options.gap,
        "robust": options.robust,
        "regret": options.regret,
        "split": options.split,
        "accounting": options.accounting,
    }
    usual = PlacePass()
    chosen = {word: value for word, value in given.items() if value and value != getattr(usual, word)}
    return " ".join([policy, *(f"{word}={'true' if value is True else value}" for word, value in chosen.items())])


def _decided(problem: PlacementProblem, policy: str) -> Schedule:
    """The schedule that a policy decides on; with `robust`, the schedule with the least regret, and a note is
    issued."""
    options = problem.options
    if not options.robust:
        return Schedule.of(POLICIES[policy](problem))
    schedule, figures = hedge(problem, POLICIES[policy])
    note(figures.sentence(options.robust, options.regret == "expected"), problem.function)
    return schedule


def _check(problem: PlacementProblem, schedule: Schedule, policy: str) -> None:
    checked(problem, schedule, policy, problem.function)
    for device, need in problem.overfull(schedule).items():
        record = problem.clock.machine.devices[device]
        way_out = "take a device with more memory or a smaller model"
        if len(problem.devices) > 1 and policy not in ("path", *SEARCHING) and need.resident:
            way_out = "place{policy=cost} spreads weights over devices"
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
        for argument, number in zip(old.args, problem.inputs, strict=True):
            device = problem.starts_at(number, self.schedule.input_devices)[0]
            new = self.block.insert_arg(OnType.of(device, argument.type), len(self.block.args), argument.location)
            new.name_hint = self.names[number] = argument.name_hint
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
                self.copy(*step, problem.nodes[node].op if node < len(problem.nodes) else last)
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
        keep_donations_valid(function)
        for op in self.block.ops:
            if isinstance(op, RunOp):
                problem.clock.note_plan(op)
                self.rewriter.notify_op_modified(op)
        self.rewriter.notify_op_modified(function)

    def copy(self, value: int, source: str, target: str, link: str, reader: Operation) -> None:
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
        device = self.problem.ends_at(self.schedule.input_devices).get(self.problem.number_of(value), primary)
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
        if isinstance(owner, Operation) and is_reshape(owner) and not self.rewriting.problem.is_constant(value):
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
