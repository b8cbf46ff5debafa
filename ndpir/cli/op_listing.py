"""The output of `--list-ops`: one line for each op of our dialects and of plugins, or the full entries of ops matching
a name; both are generated from the ops' declarations and docstrings, like docs/dialects.md."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.graph.op import GraphOp, declaration_of
from dialects.text.columns import aligned
from dialects.text.op_names import meant, names_elsewhere
from dialects.text.suggestions import plain
from dialects.text.syntax_errors import example_of
from ndpir.registry.docstrings import first_sentence
from ndpir.registry.entries import FieldRow, constraints_of, examples, prose_of, rows_of
from ndpir.registry.names import Registry
from ndpir.registry.universe import DIALECTS, XDSL_UNIVERSE

WIDTH = 110


def op_listing(name: str, registry: Registry) -> str:
    """The text that `--list-ops NAME` prints: all ops with one line each for an empty name; otherwise the ops of a
    dialect, or the ops that match a name, a part of it, or a name in another system. A single match is described in
    full. Raises InputError if nothing matches."""
    registry.discover()
    known = {op.name: op for op in _ops(registry)}
    if not name:
        return "\n".join(_dialect(dialect, known) for dialect in _dialects_of(known))
    if name in _dialects_of(known):
        return _dialect(name, known)
    found = _named(name, known)
    if not found:
        raise InputError(
            f"no op is called `{name}` in ndpir or in another system; ndp-opt --list-ops shows all ops, and accepts a "
            "part of a name",
            "--list-ops:1:1",
        )
    is_whole = len(found) == 1 or all(plain(op.partition(".")[2]) == plain(name) for op in found)
    if is_whole:
        return "\n".join(_entry(known[op]) for op in found)
    return _lines({op: known[op] for op in found})


def _ops(registry: Registry) -> Iterator[type[Operation]]:
    names = [*DIALECTS, *(name for name in registry.dialects if name not in XDSL_UNIVERSE.all_dialects)]
    for name in dict.fromkeys(names):
        yield from registry.dialects[name]().operations


def _dialects_of(known: dict[str, type[Operation]]) -> list[str]:
    return list(dict.fromkeys(name.partition(".")[0] for name in known))


def _named(name: str, known: dict[str, type[Operation]]) -> Sequence[str]:
    """The ops matching a name: those with exactly this name in ndpir, else in other systems, else those whose names
    contain it."""
    dialect, dot, rest = name.partition(".")
    wanted = plain(rest if dot else name)
    here = [op for op in known if not dot or op.startswith(f"{dialect}.")] or list(known)
    names = {op: plain(op.partition(".")[2]) for op in here}
    others = {op: [plain(each) for each in names_elsewhere(op)] for op in here}
    found = [op for op in here if op == name] or [op for op in here if names[op] == wanted]
    found = found or [op for op in here if wanted in others[op]]
    if not found and wanted:
        found = [op for op in here if wanted in names[op]]
        found = found or [op for op in here if any(wanted in other for other in others[op])]
    return found or list(dict.fromkeys(op.partition(" ")[0] for op in meant(name, known)))


def _dialect(dialect: str, known: dict[str, type[Operation]]) -> str:
    return _lines({name: op for name, op in known.items() if name.startswith(f"{dialect}.")})


def _lines(ops: dict[str, type[Operation]]) -> str:
    width = max(map(len, ops))
    sentences = {name: first_sentence(prose_of(op)) for name, op in ops.items()}
    return "".join(
        f"{name:<{width}}  {textwrap.shorten(sentence, WIDTH - width - 2, placeholder=' …')}\n"
        for name, sentence in sentences.items()
    )


def _entry(op: type[Operation]) -> str:
    """The full entry of one op: syntax, meaning, constraints, operands and results, an example."""
    parts = [
        f"{op.name}\n",
        textwrap.indent(textwrap.fill(_syntax(op), WIDTH - 4, subsequent_indent="  ") + "\n", "    "),
        *_flowed(prose_of(op)),
    ]
    if constraints := list(constraints_of(op)):
        parts.append("".join(textwrap.fill(f"- {each}", WIDTH, subsequent_indent="  ") + "\n" for each in constraints))
    if rows := list(rows_of(op)):
        parts.append(_table(rows))
    if names := names_elsewhere(op.name):
        parts.append(textwrap.fill(f"elsewhere: {', '.join(names)}", WIDTH, subsequent_indent="  ") + "\n")
    parts += [textwrap.indent(example, "    ") for example in examples(op)]
    return "\n".join(parts)


def _flowed(text: str) -> Iterator[str]:
    """The paragraphs of a text, wrapped to `WIDTH` columns; indented text, tables and lists stay unchanged."""
    for paragraph in text.split("\n\n"):
        kept = paragraph.startswith((" ", "|", "-"))
        yield (paragraph if kept else textwrap.fill(" ".join(paragraph.split()), WIDTH)) + "\n"


def _syntax(op: type[Operation]) -> str:
    """The textual form of an op: the common form of graph ops with its keywords, or an example's line for a custom
    form."""
    if not issubclass(op, GraphOp) or vars(op).get("parse") is not None:
        return example_of(op) or op.name
    form, rows = declaration_of(op), list(rows_of(op))
    results = ", ".join(f"%{row.name}" for row in rows if row.role == "result")
    kind = next((row.what.removeprefix("one of ").replace(", ", "|") for row in rows if row.name == "kind"), "")
    operands = [_operand(row) for row in rows if row.role == "operand"]
    words = (f"{word} = …" if default is None else f"[{word} = …]" for word, (_, default) in form.words.items())
    head = " ".join(part for part in (op.name, kind, ", ".join(operands), ", ".join(words)) if part)
    types = " : " + ("operand types" if operands else "result type") if operands or op.EXPLICIT_RESULT else ""
    result = " -> result type" if op.EXPLICIT_RESULT and operands else ""
    return f"{results} = {head}{types}{result}" if results else f"{head}{types}{result}"


def _operand(row: FieldRow) -> str:
    if row.what.startswith("any number"):
        return f"%{row.name}, …"
    return f"[%{row.name}]" if row.what.startswith("optional") else f"%{row.name}"


def _table(rows: Sequence[FieldRow]) -> str:
    cells = [(row.role, row.name, row.what.replace("`", ""), _default(row)) for row in rows]
    return "".join(f"{line}\n" for line in aligned(cells))


def _default(row: FieldRow) -> str:
    default = (row.default or "").replace("`", "")
    return {"": "", "absent": "optional"}.get(default, f"default {default}")
