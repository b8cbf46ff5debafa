"""Placement of functions that exceed their primary device's memory, if further memory is behind it: a placement is as
good as the time that the function takes once moves between the memories are planned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError, note, notes_to, working
from interp.cost.clock import Clock
from interp.figures import time
from interp.machine.memory_system import MemorySystem
from interp.program.entry import functions
from interp.schedule.planning import Plan
from interp.schedule.simulation import simulate, simulate_unlimited
from interp.schedule.timeline import Timeline
from lowering.graph.rewriting import rewriter_at
from lowering.memory.policies import MemoryOptions
from lowering.memory.prefetch import PrefetchPass
from lowering.memory.rerunning import recompute
from lowering.placement.loops import Placed
from lowering.placement.placing import USUAL_MODE, place_in_parts
from lowering.placement.problem import Options


class MovedAlone(NamedTuple):
    """A program with planned moves on the primary device alone, and its timeline. `recomputes`: some values are
    recomputed."""

    program: ModuleOp
    timeline: Timeline
    recomputes: bool


Placing: TypeAlias = Callable[[FuncOp], Placed]
"""A function that places a function of graph ops in place. Raises InputError if it can't."""


def is_short(function: FuncOp, clock: Clock) -> bool:
    """True if a function of graph ops exceeds the primary device's memory if all of it runs there, and further memory
    is behind it."""
    module = function.parent_op()
    if MemorySystem.of(clock.machine) is None or not isinstance(module, ModuleOp):
        return False
    plan = Plan(module, clock)
    try:
        plan.entry(function)
        need = plan.timeline().memory[clock.machine.primary]
    except InputError:  # the primary device can't run all of it
        return False
    return need.total > clock.machine.devices[clock.machine.primary].memory_bytes


def place_shortest(function: FuncOp, clock: Clock, ways: Mapping[str, Placing]) -> Placed:
    """Place a function in the way with which it ends first, once moves between the memories are planned as by
    `prefetch`. Raises InputError if it can be placed in none."""
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    best: tuple[float, str, FuncOp, Placed] | None = None
    times: dict[str, str] = {}
    why: InputError | None = None
    for name, place in ways.items():
        working(f"placement {name}, with moves")
        trial = _same(module.clone(), function)
        try:
            with notes_to(lambda message, at: None):
                placed = place(trial)
                _, timeline = with_moves(trial, clock)
        except InputError as error:
            why = error
            continue
        ns = timeline.makespan_ns
        times[name] = time(ns)
        if best is None or ns < best[0]:
            best = ns, name, trial, placed
    if best is None:
        raise why or InputError("no way to place the function was given", function)
    ns, chosen, trial, placed = best
    take_body(function, trial)
    each = ", ".join(f"{ns} {name}" for name, ns in times.items())
    note(
        f"@{function.sym_name.data} exceeds the memory of @{clock.machine.primary}; with planned moves it takes "
        f"{each}; it is placed {chosen}",
        function,
    )
    return placed._replace(moved_ns=ns)


def _same(module: ModuleOp, function: FuncOp) -> FuncOp:
    """The function with the same name in another module."""
    return next(each for each in functions(module) if each.sym_name == function.sym_name)


def with_moves(placed: FuncOp, clock: Clock) -> tuple[ModuleOp, Timeline]:
    """A copy of a placed function's program in which moves between memories are planned as by `prefetch`, and the
    function's timeline with them. Raises InputError if no plan can be carried out."""
    module = placed.parent_op()
    assert isinstance(module, ModuleOp)
    planned, system = module.clone(), MemorySystem.of(clock.machine)
    assert system is not None
    PrefetchPass().plan(planned, _same(planned, placed), clock, system, MemoryOptions())
    return planned, simulate(planned, clock, placed.sym_name.data)


def alone_with_moves(module: ModuleOp, name: str, clock: Clock, below_ns: float) -> Iterator[MovedAlone]:
    """Programs in which a function of graph ops runs on the primary device alone with planned moves between memories:
    with all values kept, and with some recomputed. Only programs are tried that might take less than `below_ns`, and
    less than those before. None if the device has no memory behind it, or if no plan can be carried out."""
    if MemorySystem.of(clock.machine) is None:
        return
    for recomputes in (False, True):
        trial = module.clone()
        function = next(each for each in functions(trial) if each.sym_name.data == name)
        try:
            place_in_parts(function, clock, "gpu", USUAL_MODE, Options(behind=True))
            if simulate_unlimited(trial, clock, name).makespan_ns >= below_ns:
                return
            if recomputes and recompute(trial, function, clock) is None:
                return
            found = MovedAlone(*with_moves(function, clock), recomputes)
        except InputError:
            continue
        below_ns = min(below_ns, found.timeline.makespan_ns)
        yield found


def take_body(function: FuncOp, placed: FuncOp) -> None:
    """Replace a function's body, type and attributes by those of another function, whose body is taken from it."""
    old, new = function.body.block, placed.body.block
    function.body.detach_block(old)
    placed.body.detach_block(new)
    function.body.add_block(new)
    old.erase(safe_erase=False)
    function.function_type = placed.function_type
    function.attributes = dict(placed.attributes)
    function.arg_attrs = placed.arg_attrs
    rewriter_at(function).notify_op_modified(function)
