"""Names of values in messages, and resolution of names in text."""

from __future__ import annotations

import re

from xdsl.ir import SSAValue
from xdsl.parser import Parser, UnresolvedOperand


def called(value: SSAValue) -> str:
    """A value's name for messages."""
    return f"%{value.name_hint}" if value.name_hint else "a value"


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
