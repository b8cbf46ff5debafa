"""What the host alone does with a program at its best: the one baseline of every speed-up.

A pipeline must not choose what it is compared with. So the baseline is that of the program as it was read, whatever is
done to it later: groups and marks are undone, then the passes that help a host alone are run (canonicalize, fuse,
layout), once in the program's own element types and, unless that is forbidden, once in the type that `narrow` gives it
on this machine. The one that ends first counts, on a home with all of its memory channels. Programs that differ by
these passes and `inline` alone have the same baseline, so it does not matter whether a file lies between them.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from dialects.diagnostics import InputError, notes_to, working
from dialects.graph import FusedOp
from dialects.task import OnType
from interp.clock import Clock
from interp.machine import Machine
from interp.program import functions, is_graph_op
from lowering.baseline import Baseline, baseline_of, read_baseline, write_baseline
from lowering.canonicalize import CanonicalizePass
from lowering.fuse import FusePass
from lowering.inline import inline_calls
from lowering.layout import LayoutPass
from lowering.marks import unmark
from lowering.narrow import Narrowing, other_types, pim_type
from lowering.pim_templates import PimTemplates, clock_for
from lowering.placement import PlacementProblem


def is_compared(each: ModulePass) -> bool:
    """Whether a pass (`COMPARED = True`) leaves a program of which its baseline can't be told any more, so that this is
    noted before."""
    return bool(getattr(each, "COMPARED", False))


def note_baselines(module: ModuleOp, clock: Clock | None = None, keep_types: bool = False) -> None:
    """Note on each function of graph level what the host alone takes for it, where that was not noted for this machine
    before. `keep_types`: whether its own element types are the only ones that count. A program that can't be timed is
    left without: who places it says why."""
    clock = clock or clock_for(module)
    fresh = [each for each in functions(module) if _is_graph_level(each) and read_baseline(each, clock) is None]
    if not fresh:
        return
    working("the host alone")
    try:
        with notes_to(lambda message, place: None):
            found = host_alone(module, clock, keep_types)
    except InputError:
        return
    for function in fresh:
        if (baseline := found.get(function.sym_name.data)) is not None:
            write_baseline(function, clock, baseline)


def host_alone(module: ModuleOp, clock: Clock, keep_types: bool = False) -> dict[str, Baseline]:
    """The baseline of each function of graph level that home can run, by name. Raises InputError for a program that
    makes no sense."""
    own = module.clone()
    inline_calls(own)
    for function in functions(own):
        if not _is_graph_level(function):
            function.detach()
            function.erase()
    for function in functions(own):
        _undo(function)
    CanonicalizePass().apply(Context(), own)
    element = None if keep_types else pim_type(clock.machine)[0]
    converted = own.clone() if element and any(other_types(each, element) for each in functions(own)) else None
    found = _timed(own, clock)
    if converted is not None and element is not None:
        for function in functions(converted):
            if wide := other_types(function, element):
                Narrowing(element, wide).function(function)
        CanonicalizePass().apply(Context(), converted)
        for name, baseline in _timed(converted, clock).items():
            if name not in found or baseline.ns < found[name].ns:
                found[name] = replace(baseline, element=str(element))
    return found


def _timed(module: ModuleOp, clock: Clock) -> dict[str, Baseline]:
    """The baseline of each function as the host runs it best. The module is used up."""
    FusePass().apply(Context(), module)
    LayoutPass().apply(Context(), module)
    whole = clock.machine.whole
    alone = Clock(Machine({whole.home: whole.devices[whole.home]}, {}), PimTemplates.of(module))
    found: dict[str, Baseline] = {}
    for function in functions(module):
        try:
            problem = PlacementProblem(function, alone)
        except InputError:  # what home can't run
            continue
        if (baseline := baseline_of(problem, clock)) is not None:
            found[function.sym_name.data] = baseline
        problem.drop()
    return found


def _is_graph_level(function: FuncOp) -> bool:
    return not any(
        isinstance(type_, OnType) for type_ in (*function.function_type.inputs, *function.function_type.outputs)
    )


def _undo(function: FuncOp) -> None:
    """Take groups apart and marks off."""
    for op in list(function.walk()):
        if isinstance(op, FusedOp):
            _taken_apart(op)
    unmark(op for op in function.walk() if is_graph_op(op))


def _taken_apart(fused: FusedOp) -> None:
    body = fused.body.block
    results = list(fused.yielded)
    for argument, value in zip(list(body.args), list(fused.inputs), strict=True):
        argument.replace_all_uses_with(value)
    results = [
        fused.inputs[body.args.index(value)] if value in body.args else value  # pyright: ignore[reportArgumentType]
        for value in results
    ]
    parent = fused.parent
    assert parent is not None
    moved: list[Operation] = list(fused.ops)
    for op in moved:
        op.detach()
    parent.insert_ops_before(moved, fused)
    Rewriter.replace_op(fused, [], results)
