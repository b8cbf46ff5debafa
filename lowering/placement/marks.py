"""Marks: attributes that fix the device of a graph op, written by a plan or by a user, or of an argument.

    func.func @main(%x: tensor<1x16x7x7xf16>, %cache: tensor<1x32x7x7xf16> {task.on = @pim}) -> tensor<1x32x7x7xf16>
    %y = graph.conv %x, %w {task.on = @pim} : tensor<1x16x7x7xf16>, tensor<32x16x1x1xf16>

`place` respects marks under every policy. A marked argument is in the device's memory when the program starts; the
result that reuses its memory (`task.donated = N`) stays there.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dialects.graph.op import PLACED
from interp.program.entry import noted_arguments
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
