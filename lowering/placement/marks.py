"""Marks: attributes of graph ops that fix the device, written by a plan or by a user.

    %y = graph.conv %x, %w {task.on = @pim} : tensor<1x16x7x7xf16>, tensor<32x16x1x1xf16>

`place` respects marks under every policy; `place{policy=marked}` chooses devices for the other ops.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.graph.op import PLACED
from lowering.graph.rewriting import set_attribute


def mark(ops: Iterable[Operation], device: str) -> None:
    """Mark ops with a device."""
    for op in ops:
        set_attribute(op, PLACED, SymbolRefAttr(device))


def marked(op: Operation) -> str | None:
    """The device that an op is marked with; None if it has no mark. Raises InputError if the mark is not a device's
    name."""
    found = op.attributes.get(PLACED)
    if found is None:
        return None
    if not isinstance(found, SymbolRefAttr) or found.nested_references.data:
        raise InputError(f"{PLACED} is {found}; a device's name is expected ({PLACED} = @pim)", op)
    return found.root_reference.data


def unmark(ops: Iterable[Operation]) -> None:
    """Remove the marks of ops."""
    for op in ops:
        set_attribute(op, PLACED, None)
