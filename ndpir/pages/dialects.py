"""Writer of `docs/dialects.md`, the reference of all ops, from their declarations: `python -m
ndpir.pages.dialects`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc, getmodule

from xdsl.ir import Dialect, Operation, ParametrizedAttribute

from dialects.annotations import Annotations
from dialects.graph import Graph
from dialects.hw import Hw
from dialects.ndp import Ndp
from dialects.pim import Pim
from dialects.task import Task
from dialects.tile import Tile
from ndpir.pages.generated import run
from ndpir.registry.docstrings import flowed
from ndpir.registry.entries import FieldRow, constraints_of, examples, prose_of, rows_of

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


def reference() -> str:
    """The content of `docs/dialects.md`: all dialects with their attributes and ops."""
    return "\n".join(
        [HEAD, *_contents(), *(line for dialect, module in DIALECTS for line in _dialect(dialect, module))]
    )


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
            yield from (f"**`{sign}{attribute.name}`**: {flowed(attribute.__doc__ or '')}", "")
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


def _op(op: type[Operation]) -> Iterator[str]:
    yield from (f"### `{op.name}`", "", prose_of(op), "")
    if constraints := list(constraints_of(op)):
        yield from (*(f"- {constraint}" for constraint in constraints), "")
    if rows := list(rows_of(op)):
        yield from ("| | name | what | default |", "|---|---|---|---|", *map(_cells, rows), "")
    yield from (f"```mlir\n{example}```\n" for example in examples(op))


def _cells(row: FieldRow) -> str:
    """The Markdown of one row in an op's table."""
    default = "" if row.default is None else f" {row.default}"
    return f"| {row.role} | `{row.name}` | {row.what}{' ' if row.what else ''}|{default} |"


if __name__ == "__main__":
    run("ndpir.pages.dialects", lambda: {"docs/dialects.md": reference()})
