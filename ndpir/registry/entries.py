"""The entry of an op in references and listings: its prose, constraints, examples and fields, from its declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from typing import NamedTuple

from xdsl.ir import Operation
from xdsl.irdl import (
    AttrConstraint,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    OptionalDef,
    ParamAttrConstraint,
    RangeLengthConstraint,
    RangeOf,
    VariadicDef,
)

from dialects.graph.properties import kind_of
from dialects.text.syntax_errors import EXAMPLE
from ndpir.registry.docstrings import flowed

_CONSTRAINT = re.compile(r"\(C\d+\) (?:(?!\(C\d+\)).)+", re.DOTALL)


def examples(op: type[Operation]) -> list[str]:
    """The MLIR examples in an op's docstring."""
    return EXAMPLE.findall(cleandoc(op.__doc__ or ""))


def prose_of(op: type[Operation]) -> str:
    """The description of an op: its docstring without constraints and examples."""
    text = EXAMPLE.sub("", cleandoc(op.__doc__ or ""))
    return re.sub(r"\n{3,}", "\n\n", _CONSTRAINT.sub("", text).strip())


def constraints_of(op: type[Operation]) -> Iterator[str]:
    """The numbered constraints of an op: first those of its base classes, then its own. If an op's constraint has the
    same number as one of a base class, it replaces that one."""
    found: dict[str, str] = {}
    for cls in reversed(op.__mro__):
        if cls.__module__.startswith("dialects."):
            for constraint in _CONSTRAINT.findall(EXAMPLE.sub("", cleandoc(cls.__doc__ or ""))):
                text = flowed(constraint)
                found[text.partition(" ")[0]] = text
    return iter(found.values())


class FieldRow(NamedTuple):
    """A row in the table of an op's fields. `role`: operand, property, attribute, region or result; `what`: the type or
    meaning; `default`: the default value, or "absent" for an optional field."""

    role: str
    name: str
    what: str = ""
    default: str | None = None


def rows_of(op: type[Operation]) -> Iterator[FieldRow]:
    """The operands, properties, attributes, regions and results of an op, in this order."""
    assert issubclass(op, IRDLOperation)
    definition = op.get_irdl_definition()
    for name, operand in definition.operands:
        yield FieldRow("operand", name, f"{_many(operand)}{_constraint_text(operand.constr)}")
    for name, entry in definition.properties.items():
        if name.endswith("SegmentSizes"):
            continue
        kind, default = kind_of(entry.constr), ""
        if entry.default_value is not None:
            default = f"`{kind.text(entry.default_value)}`" if kind else f"`{entry.default_value}`"
        elif isinstance(entry, OptionalDef):
            default = "absent"
        yield FieldRow("property", name, _kind_text(entry.constr), default)
    for name, entry in definition.attributes.items():
        yield FieldRow("attribute", name, _kind_text(entry.constr), "absent")
    for name, _ in definition.regions:
        yield FieldRow("region", name)
    for name, result in definition.results:
        yield FieldRow("result", name, f"{_many(result)}{_constraint_text(result.constr)}")


def _kind_text(constraint: AttrConstraint) -> str:
    kind = kind_of(constraint)
    return kind.meaning if kind else _constraint_text(constraint)


def _many(entry: object) -> str:
    return "optional " if isinstance(entry, OptionalDef) else "any number: " if isinstance(entry, VariadicDef) else ""


def _constraint_text(constraint: object) -> str:
    match constraint:
        case RangeLengthConstraint():
            return _constraint_text(constraint.constraint)
        case RangeOf():
            return _constraint_text(constraint.constr)
        case BaseAttr() | ParamAttrConstraint():
            cls = constraint.attr if isinstance(constraint, BaseAttr) else constraint.base_attr
            return f"`{cls.name}`"
        case EqAttrConstraint():
            return f"`{constraint.attr}`"
        case _:
            return "any"
