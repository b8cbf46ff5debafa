"""Writer of `docs/dialects.md`, the reference of all ops, from their declarations: `python -m
ndpir.pages.dialects`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc, getmodule
from typing import NamedTuple

from xdsl.ir import Dialect, Operation, ParametrizedAttribute
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

from dialects.annotations import Annotations
from dialects.graph import Graph
from dialects.graph.properties import kind_of
from dialects.hw import Hw
from dialects.ndp import Ndp
from dialects.pim import Pim
from dialects.task import Task
from dialects.text.syntax_errors import EXAMPLE
from dialects.tile import Tile
from ndpir.pages.generated import run

DIALECTS: tuple[tuple[Dialect, str], ...] = (
    (Hw, "dialects.hw"),
    (Graph, "dialects.graph.op"),
    (Task, "dialects.task"),
    (Pim, "dialects.pim"),
    (Ndp, "dialects.ndp"),
    (Tile, "dialects.tile"),
)
"""The dialects in the order of the page, each with the module whose docstring introduces it."""

HEAD = """# The dialects

Written by `python -m ndpir.pages.dialects` from the ops' declarations; a test checks that it is current. A test
parses, verifies and prints each example. Names that an example does not define are arguments of the shown types.

Braces after an op may contain properties that the op's text does not set (`graph.softmax %s {axis = 0}`), the
attributes in its table, annotations, which have a dialect's prefix (`{task.on = @pim}`), and notes of your own, with
another prefix (`{mine.note = 3}`). Any other name is an error. Braces have the same meaning in the generic form
(`"graph.softmax"(%s) {axis = 0}`). Functions, their arguments and results may have annotations and notes, too.

`ndp-opt --list-ops NAME` prints the entry of an op. NAME may be a part of the op's name, or its name in ONNX, PyTorch,
StableHLO or a vendor's command set.
"""

_CONSTRAINT = re.compile(r"\(C\d+\) (?:(?!\(C\d+\)).)+", re.DOTALL)


def reference() -> str:
    """The content of `docs/dialects.md`: all dialects with their attributes and ops."""
    return "\n".join(
        [HEAD, *_contents(), *(line for dialect, module in DIALECTS for line in _dialect(dialect, module))]
    )


def examples(op: type[Operation]) -> list[str]:
    """The MLIR examples in an op's docstring."""
    return EXAMPLE.findall(cleandoc(op.__doc__ or ""))


def _contents() -> Iterator[str]:
    for dialect, _ in DIALECTS:
        names = ", ".join(f"[{op.name.split('.', 1)[1]}](#{_anchor(op)})" for op in dialect.operations)
        yield f"- [`{dialect.name}`](#{dialect.name}): {names}"
    yield ""


def _anchor(op: type[Operation]) -> str:
    """GitHub's anchor of an op's heading."""
    return op.name.replace(".", "")


def _dialect(dialect: Dialect, module: str) -> Iterator[str]:
    yield from (f"## {dialect.name}", "", cleandoc(import_module(module).__doc__ or ""), "")
    if attributes := [attribute for attribute in dialect.attributes if issubclass(attribute, ParametrizedAttribute)]:
        for attribute in attributes:
            sign = "!" if attribute.name in _TYPES else "#"
            yield from (f"**`{sign}{attribute.name}`**: {_flowed(attribute.__doc__ or '')}", "")
    if (declared := dialect.get_interface(Annotations)) is not None and declared.known:
        yield from ("| annotation | of | meaning |", "|---|---|---|")
        yield from (f"| `{{{each.written}}}` | {each.where} | {each.meaning} |" for each in declared.known.values())
        yield ""
    here = ""
    for op in dialect.operations:
        chapter = _first_line(getmodule(op))
        if chapter != here and chapter != _first_line(import_module(module)):
            yield from (f"*{chapter}*", "")
        here = chapter
        yield from _op(op)


_TYPES = ("task.on", "task.token")


def _first_line(module: object) -> str:
    return cleandoc(getattr(module, "__doc__", "") or "").partition("\n\n")[0].replace("\n", " ")


def _flowed(text: str) -> str:
    return " ".join(cleandoc(text).split())


def _op(op: type[Operation]) -> Iterator[str]:
    yield from (f"### `{op.name}`", "", prose_of(op), "")
    if constraints := list(constraints_of(op)):
        yield from (*(f"- {constraint}" for constraint in constraints), "")
    if rows := list(rows_of(op)):
        yield from ("| | name | what | default |", "|---|---|---|---|", *map(_cells, rows), "")
    yield from (f"```mlir\n{example}```\n" for example in examples(op))


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
                text = _flowed(constraint)
                found[text.partition(" ")[0]] = text
    return iter(found.values())


class FieldRow(NamedTuple):
    """A row in the table of an op's fields. `role`: operand, property, attribute, region or result; `what`: the type or
    meaning; `default`: the default value, or "absent" for an optional field."""

    role: str
    name: str
    what: str = ""
    default: str | None = None


def _cells(row: FieldRow) -> str:
    """The Markdown of one row in an op's table."""
    default = "" if row.default is None else f" {row.default}"
    return f"| {row.role} | `{row.name}` | {row.what}{' ' if row.what else ''}|{default} |"


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


if __name__ == "__main__":
    run("ndpir.pages.dialects", lambda: {"docs/dialects.md": reference()})
