"""A compiled program with all data that the answers read, each computed when it is first needed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Literal, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dialects.task import RunOp, YieldOp
from interp.kinds.clock import Clock
from interp.simulate.schedule.planning import idle_energy
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.simulation import simulate
from interp.walk.entry import entry_of, functions, is_graph_op
from lowering.alone.baseline import Baseline, read_baseline, unpartitioned_clock
from lowering.alone.primary_alone import is_graph_level, note_baselines
from lowering.banks.templates import clock_for
from lowering.tasks.notes import note_marks_without_placement
from lowering.tasks.prediction import Prediction, read_prediction

How: TypeAlias = Literal["alone at its best", "its tasks run serially"]
"""The method of a baseline: the best plan for the primary device alone, as a pass recorded it; or the sum over the ops
of all tasks, executed one after another on that device."""


class Run:
    """A program on its machine. `entry`: the function, if it is not `main` or the first one; `clock`: a clock other
    than that of the machine that the program names."""

    def __init__(self, module: ModuleOp, entry: str | None = None, clock: Clock | None = None) -> None:
        self.module, self.entry = module, entry
        if clock is not None:
            self.clock = clock

    @staticmethod
    def of(module: ModuleOp, entry: str | None = None) -> Run:
        """The run of a program: within `shared_runs`, the one object for this program and this function, so that
        several answers use the same results; elsewhere a new object."""
        shared = _SHARED.get()
        return Run(module, entry) if shared is None else shared.setdefault((module, entry), Run(module, entry))

    @cached_property
    def clock(self) -> Clock:
        return clock_for(self.module)

    @cached_property
    def timeline(self) -> Timeline:
        timeline = simulate(self.module, self.clock, self.entry)
        if functions(self.module):
            note_marks_without_placement(entry_of(self.module, self.entry), self.clock)
        return timeline

    @cached_property
    def function(self) -> FuncOp | None:
        """The entry function; None if the program consists of kernels alone. A function of graph ops is first annotated
        with its baseline, the time on the primary device alone."""
        if not functions(self.module):
            return None
        function = entry_of(self.module, self.entry)
        if is_graph_level(function):
            note_baselines(self.module, self.clock)
        return function

    @cached_property
    def prediction(self) -> Prediction | None:
        """The prediction that `place` recorded for this machine; None if there is none."""
        return read_prediction(self.function, self.clock) if self.function is not None else None

    @cached_property
    def baseline(self) -> tuple[Baseline | None, How | None]:
        """The baseline, which is the time and energy on the primary device alone, and the method by which it was
        computed: from the best plan for this device, if a pass recorded it; otherwise as the sum over the ops of all
        tasks. None for both if the cost of some op on the primary device is unknown, as for bank commands."""
        return baseline_of(self.timeline, self.clock, self.function)


def baseline_of(timeline: Timeline, clock: Clock, function: FuncOp | None) -> tuple[Baseline | None, How | None]:
    """The baseline of a program whose timeline is known; see `Run.baseline`."""
    if function is None:
        return None, None
    if (noted := read_baseline(function, clock)) is not None:
        return noted, "alone at its best"
    clock, primary = unpartitioned_clock(clock), clock.machine.primary
    tasks = [(event.op, times) for event, times, _ in timeline.tasks() if not event.is_copy]
    ops = [(op, n) for task, n in tasks for op in (task.body.block.ops if isinstance(task, RunOp) else (task,))]
    work = [(op, times) for op, times in ops if is_graph_op(op)]
    known = all(is_graph_op(op) or isinstance(op, YieldOp) for op, _ in ops)
    if not known or not all(clock.supports(op, primary) for op, _ in work):
        return None, None
    costs = [
        cost if times == 1 else cost.times(times, "") for op, times in work if (cost := clock.op_cost(op, primary))
    ]
    ns = sum(cost.ns for cost in costs)
    idle = sum(device.idle_w for device in clock.machine.devices.values()) * ns  # 1 W for 1 ns is 1 nJ
    board = sum(cost.board_nj for cost in costs)
    board += sum(idle_energy(clock, name, ns, ns if name == primary else 0.0) for name in clock.machine.devices)
    return Baseline(ns, sum(cost.energy_nj for cost in costs) + idle, board), "its tasks run serially"


_SHARED: ContextVar[dict[tuple[ModuleOp, str | None], Run] | None] = ContextVar("_SHARED", default=None)


@contextmanager
def shared_runs() -> Generator[None]:
    """A context in which `Run.of` returns one object for each program and function. No op of such a program may change
    within the context."""
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)
