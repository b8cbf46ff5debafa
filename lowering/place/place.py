"""Placement: rewrites a graph of tensor ops to tasks on devices with copies between them, as decided by a policy."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError, note, notes_to
from dialects.graph.op import tensor_problem
from dialects.task import OnType
from interp.kinds.clock import Clock
from interp.machine.near_data import near_data_devices
from interp.walk.entry import functions
from lowering.alone.baseline import read_baseline, write_baseline
from lowering.alone.primary_alone import note_baselines
from lowering.banks.templates import clock_for
from lowering.graph.inline import inline_calls
from lowering.graph.marks import marked, marked_arguments
from lowering.instance.options import WITHOUT, Options, PolicyOptions
from lowering.instance.straight import has_loops
from lowering.optimise.policies import BESIDE, FORMER, POLICIES, SEARCHING, reads
from lowering.partition.planners import PLANNERS
from lowering.solve.stopping import searching, until_after
from lowering.tasks.loops import Placed
from lowering.tasks.placing import in_words, place_in_parts
from lowering.tasks.prediction import write_prediction
from lowering.tasks.short import Way, is_short, place_shortest, place_without_moves, take_body, ways_alone
from lowering.tasks.together import ways_together
from lowering.words import check_options, one_of


@dataclass(frozen=True)
class _Named:
    policy: str = one_of(lambda: (*POLICIES, *PLANNERS), default="optimal", former=FORMER)
    """The policy that decides (docs/placement.md); plugins add further ones."""


@dataclass(frozen=True)
class PlacePass(PolicyOptions, _Named, ModulePass):
    """Decides where each op runs and rewrites graph level to task level.

    An op that is marked (`{task.on = @pim}`) stays on that device under each policy. A marked argument is there when
    the program starts, and the result that takes over its memory (`{task.on = @pim, task.state = "appended, result
    0"}`) stays there; other results return to the primary device. Calls are inlined first.

    Each op or fused group becomes a `task.run`. Reshapes move into the tasks that read them; a slice or concat that is
    a view (pass `layout`) becomes a task that takes no time, so that only its bytes are copied. Values that depend on
    weights and constants alone are computed ahead of time and made resident on the devices that use them. A value is
    copied once to each device that reads it. If a device has several ways to run a task, the task records the chosen
    one (`pim.plan`, `ndp.outputs`), and `to-pim` and `to-ndp` implement it. A fused group of which only the contraction
    suits a device may be split in two (lowering/banks/anchor.py).

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

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if (effort := FORMER.get(self.policy)) is not None:
            if self.effort != Options.effort:
                raise InputError(
                    f"place: policy {self.policy} is now policy optimal with effort={effort}; "
                    f"write place{{effort={self.effort}}} alone"
                )
            note(f"place: policy {self.policy} is now policy optimal with effort={effort}", op)
            replace(self, policy="optimal", effort=effort).apply(ctx, op)
            return
        options = self.options()
        note_baselines(op)
        inline_calls(op)
        clock = clock_for(op)
        for device in self.devices:
            clock.machine.device(device)
        with searching() as search:
            for function in functions(op):
                place_function(function, clock, self.policy, options)
        if search.asked:
            note("place: the search ended when it was asked to, with the best plan so far", op)
        elif search.late:
            note(f"place: the search ended at its limit of {self.limit:g} s, with the best plan so far", op)

    def with_effort(self, effort: int) -> PlacePass | None:
        """The pass with this effort of the search; None if its policy has no effort."""
        policy = "optimal" if self.policy in FORMER else self.policy
        return replace(self, policy=policy, effort=effort) if reads(policy, "effort") else None

    def restricted(self, without: tuple[str, ...]) -> PlacePass | None:
        """The pass whose plan does without some of `WITHOUT`; None if its policy has no such option."""
        policy = "optimal" if self.policy in FORMER else self.policy
        return replace(self, policy=policy, without=without) if reads(policy, "without") else None

    def options(self) -> Options:
        """The options of the policy. Raises InputError for a value out of range, and for an option of another
        policy."""
        check_options(self, reads)
        if unknown := [word for word in self.without if word not in WITHOUT]:
            raise InputError(f"place: option `without` takes {', '.join(WITHOUT)}, not `{unknown[0]}`")
        if self.policy == "priority" and not self.devices:
            raise InputError("place: policy priority needs a list of devices: place{policy=priority devices=pim,gpu}")
        return Options(**{field.name: getattr(self, field.name) for field in fields(PolicyOptions)})


def place_function(
    function: FuncOp,
    clock: Clock,
    policy: str,
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
    placed = _restricted(function, clock, policy, options)
    write_prediction(function, clock, placed.prediction)
    if (baseline := read_baseline(function, clock)) is not None:
        write_baseline(function, clock, replace(baseline, flops=placed.flops, bound_ns=placed.bound_ns))


def _restricted(function: FuncOp, clock: Clock, policy: str, options: Options) -> Placed:
    """Place a function in place by a plan that does without what the options name."""
    machine, without = clock.machine, options.without
    if "stages" in without:
        from lowering.tile.stages import slow_unpipelined

        module = function.parent_op()
        assert isinstance(module, ModuleOp)
        slow_unpipelined(module, function, clock)
    others = {name for name, each in machine.devices.items() if name != machine.primary and not each.runs_nothing}
    if "devices" not in without or not others:
        return _placed(function, clock, policy, options)
    placed = _placed(function, Clock(machine.without(others), clock.programs), policy, options)
    return placed._replace(flops={name: placed.flops.get(name, 0) for name in machine.devices})


def _placed(function: FuncOp, clock: Clock, policy: str, options: Options) -> Placed:
    """Place a function in place, and decide if devices in a processor's memory are used at all: otherwise, their memory
    channels belong to the processor. A policy that searches takes the plan that ends first; under any other policy,
    channels are given back if its plan does not use the device."""
    held = {*(marked(op) for op in function.walk()), *marked_arguments(function).values()}
    guests = set(clock.machine.guests) - held
    if not guests:
        return _divided(function, clock, policy, options)
    spare, placed, lacking = function.clone(), None, None
    ModuleOp([spare])  # rewriters need a parent
    try:
        placed = _divided(function, clock, policy, options)
    except InputError as error:  # the part of the memory that the processor keeps may be too small
        lacking = error
    with notes_to(lambda message, place: None):
        without = Clock(clock.machine.without(guests), clock.programs)
        other = policy if policy in (*SEARCHING, *PLANNERS) else "gpu"
        try:
            alone = _divided(spare, without, other, replace(options, mode=Options.mode))
        except InputError as error:
            raise lacking or error from None
    if placed is None or guests.isdisjoint(_places(function)) or (policy in SEARCHING and alone.ns < placed.ns):
        taken = Placed(
            replace(alone.prediction, policy=in_words(policy, options)),
            {name: alone.flops.get(name, 0) for name in clock.machine.devices},
            alone.bound_ns,
        )
        take_body(function, spare)
    else:
        taken = placed
    if placed is None:
        return taken
    bounds = [each.prediction.bound for each in (placed, alone)]
    bound = min(filter(None, bounds), key=lambda each: each.ns) if None not in bounds else None
    split_bound = min(placed.bound_ns, alone.bound_ns or alone.prediction.ns)
    return taken._replace(prediction=replace(taken.prediction, bound=bound), bound_ns=split_bound)


def _places(function: FuncOp) -> set[str]:
    """The devices that run a task of a placed function, or hold one of its values."""
    values = [*function.body.block.args, *(result for op in function.walk() for result in op.results)]
    return {value.type.place for value in values if isinstance(value.type, OnType)}


def _divided(function: FuncOp, clock: Clock, policy: str, options: Options) -> Placed:
    """Place a function in place on a machine whose memory channels are divided. If the function exceeds the primary
    device's memory, and further memory is behind that, policies that search place it in the way with which it ends
    first once moves are planned; if only devices that run tasks have that memory, in their usual way if that needs no
    moves."""
    workers = sum(not device.runs_nothing for device in clock.machine.devices.values())
    searches = policy in SEARCHING and options.accounting == "full"
    together = policy == "optimal" and not has_loops(function)
    if searches and (together or workers > 1) and "moves" not in options.without and is_short(function, clock):
        until = until_after(options.limit)
        placed = place_without_moves(function, clock, lambda trial: place_in_parts(trial, clock, policy, options))
        if placed is not None:
            return placed
        if together:
            ways = ways_together(function, clock, options, in_words(policy, options), until)
            ways |= _in_their_orders(clock, options)
            ways |= _alone(function, clock, policy, options)
        else:
            ways = _ways(function, clock, policy, options)
        return place_shortest(function, clock, ways, until)
    return place_in_parts(function, clock, policy, options)


def _ways(function: FuncOp, clock: Clock, policy: str, options: Options) -> dict[str, Way]:
    """The ways to place a function that exceeds the primary device's memory."""
    return {
        f"by {policy} within that memory": _by(clock, policy, options),
        f"by {policy} as if it were larger": _by(clock, policy, replace(options, behind=True)),
        **_alone(function, clock, policy, options),
    }


def _in_their_orders(clock: Clock, options: Options) -> dict[str, Way]:
    """The ways of the rules for near-data units: these choose an order, too, which a decision of the joint search does
    not keep."""
    if not near_data_devices(clock.machine.devices):
        return {}
    return {f"by {name} in its order": _by(clock, name, options) for name in BESIDE}


def _by(clock: Clock, policy: str, options: Options) -> Way:
    def place(function: FuncOp) -> Placed:
        return place_in_parts(function, clock, policy, options)

    return Way(place)


def _alone(function: FuncOp, clock: Clock, policy: str, options: Options) -> dict[str, Way]:
    """The ways to place a function on the primary device alone."""
    ways = ways_alone(function, clock, in_words(policy, options))
    return {" ".join([f"all on @{clock.machine.primary}", str(way)]).rstrip(): Way(way.place) for way in ways}
