"""The `hw` ops of a program, each of which names a sheet: their resources, and changes of their numbers."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr

from dialects.hw import DeviceOp, LinkOp, SheetOp


def machine_ops_of(module: ModuleOp) -> list[SheetOp]:
    """The `hw` ops of a program, in their order; the first is the primary device."""
    return [op for op in module.body.block.ops if isinstance(op, SheetOp)]


def resources(op: SheetOp) -> tuple[str, ...]:
    """The resource names of a device, or of both directions of a link, in a timeline."""
    if isinstance(op, LinkOp):
        a, b = op.ends
        return f"{a}->{b}", f"{b}->{a}", "<->".join(sorted((a, b)))
    assert isinstance(op, DeviceOp)
    return (op.sym_name.data,)


@contextmanager
def changed(ops: Sequence[SheetOp], places: Sequence[int], numbers: Mapping[str, str]) -> Generator[None]:
    """Replaces numbers in the sheets of some `hw` ops within the context."""
    before = [(ops[place], ops[place].changes) for place in places]
    for op, changes in before:
        op.changes = DictionaryAttr({**changes.data, **{key: StringAttr(text) for key, text in numbers.items()}})
    try:
        yield
    finally:
        for op, changes in before:
            op.changes = changes
