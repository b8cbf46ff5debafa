"""Placement of functions that exceed their primary device's memory, if further memory is behind it: a placement is as
good as the time that the function takes once moves between the memories are planned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError, note, notes_to, working
from dialects.task.memory import Mode
from interp.figures import time
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.program_trace import trace_of
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.simulation import needs_moves, simulate, simulate_unlimited
from interp.walk.entry import block_of, entry_of, functions, is_graph_op
from lowering.graph.rewriting import rewriter_at
from lowering.instance.options import Options
from lowering.memory.bound import relax
from lowering.memory.policies import MODES, MemoryOptions
from lowering.memory.prefetch import PrefetchPass
from lowering.memory.rerunning import recompute
from lowering.solve.stopping import is_over
from lowering.tasks.loops import Placed
from lowering.tasks.placing import place_in_parts

ORDERED = 64
"""Ops: for a program of at most this many, the time on the primary device alone, if the program exceeds its memory, is
the least over several orders and recomputations; for more, it is that of the program's own order."""

Placing: TypeAlias = Callable[[FuncOp], Placed]
"""A function that places a function of graph ops in place. Raises InputError if it can't."""


class Way(NamedTuple):
    """A way to place a function. `least_ns`: a lower bound on the time that it takes so, with any moves, in ns."""

    place: Placing
    least_ns: float = 0.0


class AloneWay(NamedTuple):
    """A way to place a function on the primary device alone. `reordered`: tasks run in another order than that of the
    program; `recomputing`: the cost of an evicted byte by which ops are selected that run again, None for none."""

    place: Placing
    reordered: bool
    recomputing: Mode | None

    def __str__(self) -> str:
        words = [*(["in another order"] if self.reordered else [])]
        if self.recomputing is not None:
            words.append("with recomputed values" if self.recomputing == "copy" else "with more recomputed values")
        return " ".join(words)


class MovedAlone(NamedTuple):
    """A program with planned moves on the primary device alone, its timeline, and the way in which it was placed."""

    program: ModuleOp
    timeline: Timeline
    way: AloneWay


def is_short(function: FuncOp, clock: Clock) -> bool:
    """True if a function of graph ops exceeds the primary device's memory if all of it runs there, and further memory
    is behind it."""
    try:
        return needs_moves(function, clock)
    except InputError:  # the primary device can't run all of it
        return False


def place_without_moves(function: FuncOp, clock: Clock, place: Placing) -> Placed | None:
    """Place a function in place if all memory behind the primary device is that of other devices that run tasks, and
    the placed function needs no moves to it; otherwise None, and the function is as it was."""
    system, module = MemorySystem.of(clock.machine), function.parent_op()
    assert isinstance(module, ModuleOp)
    if system is None or system.dedicated is not None:
        return None
    trial = _same(module.clone(), function)
    try:
        placed = place(trial)
        if needs_moves(trial, clock):
            return None
    except InputError:  # no placement within the memories was found
        return None
    take_body(function, trial)
    return placed


def place_shortest(function: FuncOp, clock: Clock, ways: Mapping[str, Way], until: float = inf) -> Placed:
    """Place a function in the way with which it ends first, once moves between the memories are planned as by
    `prefetch`; moves are planned only where they might lead to a shorter time than the best one so far. Once it is
    later than `until`, in seconds of `monotonic`, no further way is tried. Raises InputError if it can be placed in no
    way."""
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    best: tuple[float, str, FuncOp, Placed] | None = None
    tried: set[str] = set()
    times: dict[str, str] = {}
    why: InputError | None = None
    for name, way in ways.items():
        if best is not None and is_over(until):
            break
        if best is not None and way.least_ns >= best[0]:
            continue
        working(f"placement {name}, with moves")
        trial = _same(module.clone(), function)
        try:
            with notes_to(lambda message, at: None):
                placed = way.place(trial)
                if (text := str(trial.body)) in tried:
                    continue
                tried.add(text)
                if best is not None and _least_ns(trial, clock) >= best[0]:
                    continue
                _, timeline = with_moves(trial, clock)
        except InputError as error:
            why = why or error  # the first way is that of the policy
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
    if (whole := placed.whole) is None:
        return placed._replace(moved_ns=ns)
    prediction = replace(placed.prediction, ns=ns, bound=whole.below(ns, "any plan"), moves=True)
    return placed._replace(moved_ns=ns, prediction=prediction)


def _least_ns(placed: FuncOp, clock: Clock) -> float:
    """A lower bound on the time of a placed function with any plan of moves, in either mode, in ns; infinite if there
    is no plan."""
    module, system = placed.parent_op(), MemorySystem.of(clock.machine)
    assert isinstance(module, ModuleOp)
    assert system is not None
    trace = trace_of(module, clock, placed.sym_name.data).trace
    least = inf
    for mode in MODES:
        try:
            least = min(least, relax(trace, system, mode, method="vertex").bound_ns)
        except InputError:  # no plan in this mode
            continue
    return least


def _same(module: ModuleOp, function: FuncOp) -> FuncOp:
    """The function with the same name in another module."""
    return next(each for each in functions(module) if each.sym_name == function.sym_name)


def with_moves(placed: FuncOp, clock: Clock) -> tuple[ModuleOp, Timeline]:
    """A copy of a placed function's program in which moves between memories are planned as by `prefetch`, and the
    function's timeline with them. Raises InputError if no plan can be carried out."""
    module = placed.parent_op()
    assert isinstance(module, ModuleOp)
    planned = module.clone()
    PrefetchPass().plan(planned, _same(planned, placed), clock, MemoryOptions())
    return planned, simulate(planned, clock, placed.sym_name.data)


def has_few_ops(function: FuncOp) -> bool:
    """True if a function of graph ops has so few ops that many ways to place it are tried if memory is short."""
    return sum(map(is_graph_op, block_of(function).ops)) <= ORDERED


def ways_alone(function: FuncOp, clock: Clock, described: str = "") -> list[AloneWay]:
    """The ways to place a function of graph ops on the primary device alone, of which planned moves can make use: in
    its order, and with values that are recomputed; if it has few ops, also in the order of `place{policy=optimal}`.
    `described`: the policy in the words of the placed function."""
    machine, behind = clock.machine, Options(behind=True)
    others = [name for name, device in machine.devices.items() if name != machine.primary and not device.runs_nothing]
    single = Clock(machine.without(others), clock.programs) if others else clock
    few = has_few_ops(function)

    def placed(trial: FuncOp, policy: str, mode: Mode | None) -> Placed:
        at = clock if policy == "gpu" else single
        found = place_in_parts(trial, at, policy, behind, described or None)
        module = trial.parent_op()
        assert isinstance(module, ModuleOp)
        if mode is not None and recompute(module, trial, clock, mode) is None:
            raise InputError("no values are recomputed", trial)
        return found

    modes: tuple[Mode | None, ...] = (None, "copy", "move") if few else (None, "copy")
    ways = product(("gpu", "optimal") if few else ("gpu",), modes)
    return [AloneWay(partial(placed, policy=policy, mode=mode), policy != "gpu", mode) for policy, mode in ways]


def alone_with_moves(module: ModuleOp, name: str, clock: Clock, below_ns: float) -> Iterator[MovedAlone]:
    """Programs in which a function of graph ops runs on the primary device alone with planned moves between memories,
    placed in each of the ways of `alone`. Only programs are tried that might take less than `below_ns`, and less than
    those before. None if the device has no memory behind it, or if no plan can be carried out."""
    if MemorySystem.of(clock.machine) is None:
        return
    tried: set[str] = set()
    function = entry_of(module, name)
    for way in ways_alone(function, clock):
        trial = _same(module.clone(), function)
        try:
            way.place(trial)
            inside = trial.parent_op()
            assert isinstance(inside, ModuleOp)
            if (text := str(trial.body)) in tried or simulate_unlimited(inside, clock, name).makespan_ns >= below_ns:
                continue
            tried.add(text)
            if _least_ns(trial, clock) >= below_ns:
                continue
            found = MovedAlone(*with_moves(trial, clock), way)
        except InputError:
            continue
        if found.timeline.makespan_ns < below_ns:
            below_ns = found.timeline.makespan_ns
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
