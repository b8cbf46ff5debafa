"""Names of values in messages, and resolution of names of values and devices in text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import BlockArgument, OpResult, SSAValue
from xdsl.parser import AttrParser, Parser, UnresolvedOperand

_WRITTEN: WeakKeyDictionary[SSAValue, str] = WeakKeyDictionary()
"""The names of values as a text writes them, for values whose names xDSL does not keep: `0` of `%0`, `x_1` of
`%x_1`."""


def note_written(name: str, values: Sequence[SSAValue]) -> None:
    """Note the name by which a text defines values, for messages."""
    if values and values[0].name_hint != name:
        numbers = range(len(values)) if len(values) > 1 else ()
        _WRITTEN.update(zip(values, [f"{name}#{number}" for number in numbers] or [name], strict=True))


def called(value: SSAValue) -> str:
    """A value's name for messages; for a value without a name, a description."""
    if (name := _WRITTEN.get(value, value.name_hint)) is not None:
        return f"%{name}"
    match value:
        case BlockArgument():
            return f"argument {value.index}"
        case OpResult() if len(value.op.results) == 1:
            return f"the result of {value.op.name}"
        case OpResult():
            return f"result {value.index} of {value.op.name}"
        case _:
            return "a value"


def name_on(name: str | None, device: str) -> str | None:
    """The name of a value's copy on a device: `x_pim` for `x` on @pim. Characters of the device's name that a value's
    name can't have are underscores. None if the value has no name."""
    return name and f"{name}_{re.sub(r'[^A-Za-z0-9_$.-]', '_', device)}"


def resolve_known(parser: Parser, unresolved: UnresolvedOperand) -> SSAValue:
    """The value with that name, which must be defined above. Raises a located ParseError if it is not."""
    values = parser.ssa_values.get(unresolved.operand_name)
    if values is None or unresolved.index >= len(values):
        parser.raise_error(
            f"%{unresolved.operand_name} is not defined above; define a value before its first use",
            unresolved.span.start,
            unresolved.span.end,
        )
    return values[unresolved.index]


def read_device(parser: AttrParser) -> StringAttr:
    """The name of a device or memory, `@pim`, in the text of an op or type. A parser with a list `devices_read` gets it
    with its position: an error in the rest of the op often follows from a name that no device has."""
    start = parser.pos
    name = parser.parse_symbol_name()
    read: list[tuple[int, str]] | None = getattr(parser, "devices_read", None)
    if read is not None:
        read.append((start, name.data))
    return name
