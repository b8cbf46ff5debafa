"""Marks: attributes that fix the device of a graph op, written by a plan or by a user, or of an argument.

    func.func @main(%x: tensor<1x16x7x7xf16>, %cache: tensor<1x32x7x7xf16> {task.on = @pim}) -> tensor<1x32x7x7xf16>
    %y = graph.conv %x, %w {task.on = @pim} : tensor<1x16x7x7xf16>, tensor<32x16x1x1xf16>

`place` respects marks under every policy. A marked argument is in the device's memory when the program starts; the
result that takes over its memory (`task.state = "appended, result N"`) stays there. A marked result is brought to the
device, as keys and values that another program reads there.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import note
from dialects.graph.op import PLACED
from dialects.task import State
from dialects.task.types import OnType
from dialects.values import called
from interp.walk.entry import noted_arguments
from lowering.graph.rewriting import rewriter_at, set_attribute


def mark(ops: Iterable[Operation], device: str) -> None:
    """Mark ops with a device."""
    for op in ops:
        set_attribute(op, PLACED, SymbolRefAttr(device))


def marked(op: Operation) -> str | None:
    """The device that an op is marked with; None if it has no mark."""
    found = op.attributes.get(PLACED)
    return found.root_reference.data if isinstance(found, SymbolRefAttr) else None


def marked_arguments(function: FuncOp) -> dict[SSAValue, str]:
    """The arguments of a function that are marked with a device, each with this device."""
    return {
        argument: found.root_reference.data
        for argument, notes in noted_arguments(function)
        if isinstance(found := notes.get(PLACED), SymbolRefAttr)
    }


def marked_results(function: FuncOp) -> dict[int, str]:
    """The results of a function that are marked with a device, by number, each with this device."""
    notes = function.res_attrs.data if function.res_attrs is not None else ()
    return {
        number: found.root_reference.data
        for number, each in enumerate(notes)
        if isinstance(found := each.data.get(PLACED), SymbolRefAttr)
    }


def keep_states_valid(function: FuncOp) -> None:
    """Remove the number of a result from the state of an argument on another device than this result, which then
    can't take over the argument's memory: the result is returned twice, or replaces two arguments. Issues a note."""
    if function.arg_attrs is None:
        return
    results = function.function_type.outputs.data
    entries = [dict(each.data) for each in function.arg_attrs]
    for argument, entry in zip(function.args, entries, strict=True):
        state, here = State.of(entry), argument.type
        if state is None or state.result is None or not isinstance(here, OnType):
            continue
        result = results[state.result]
        if not isinstance(result, OnType) or result.place != here.place:
            entry |= State("free").noted
            note(
                f"result {state.result} can't take over the memory of {called(argument)} on another device, since it "
                "is also returned elsewhere or replaces another argument, too; it returns to the primary device",
                function,
            )
    function.arg_attrs = ArrayAttr(map(DictionaryAttr, entries))


def unmark_arguments(function: FuncOp) -> None:
    """Remove the marks of a function's arguments and results."""
    if function.res_attrs is not None and marked_results(function):
        rest = [{name: value for name, value in each.data.items() if name != PLACED} for each in function.res_attrs]
        function.res_attrs = ArrayAttr(map(DictionaryAttr, rest)) if any(rest) else None
        rewriter_at(function).notify_op_modified(function)
    if function.arg_attrs is None:
        return
    left = [{name: value for name, value in each.data.items() if name != PLACED} for each in function.arg_attrs]
    if left != [each.data for each in function.arg_attrs]:
        function.arg_attrs = ArrayAttr(map(DictionaryAttr, left)) if any(left) else None
        rewriter_at(function).notify_op_modified(function)


def unmark(ops: Iterable[Operation]) -> None:
    """Remove the marks of ops."""
    for op in ops:
        set_attribute(op, PLACED, None)
