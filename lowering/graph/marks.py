"""Marks: attributes that fix the device of a graph op, written by a plan or by a user, or of an argument.

    func.func @main(%x: tensor<1x16x7x7xf16>, %cache: tensor<1x32x7x7xf16> {task.on = @pim}) -> tensor<1x32x7x7xf16>
    %y = graph.conv %x, %w {task.on = @pim} : tensor<1x16x7x7xf16>, tensor<32x16x1x1xf16>

`place` respects marks under every policy. A marked argument is in the device's memory when the program starts; the
result that reuses its memory (`task.donated = N`) stays there.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntAttr, IntegerAttr, SymbolRefAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import note
from dialects.graph.op import PLACED
from dialects.task import DONATED
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


def keep_donations_valid(function: FuncOp) -> None:
    """Remove the number of a result from `task.donated` of an argument on another device than this result, which then
    can't reuse the argument's memory: the result is returned twice, or replaces two arguments. Issues a note."""
    if function.arg_attrs is None:
        return
    types = function.function_type
    entries = [dict(each.data) for each in function.arg_attrs]
    for argument, entry in zip(function.args, entries, strict=True):
        match entry.get(DONATED):
            case IntegerAttr(value=IntAttr(data=number)) if types.outputs.data[number] != argument.type:
                entry[DONATED] = UnitAttr()
                note(
                    f"result {number} can't reuse the memory of {called(argument)} on another device, since it is "
                    "also returned elsewhere or replaces another argument, too; it returns to the primary device",
                    function,
                )
            case _:
                pass
    function.arg_attrs = ArrayAttr(map(DictionaryAttr, entries))


def unmark_arguments(function: FuncOp) -> None:
    """Remove the marks of a function's arguments."""
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
