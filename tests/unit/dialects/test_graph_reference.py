"""Checks that docs/dialects.md is current, and that every op's example parses, verifies and prints as it is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.dialects.test import Test
from xdsl.parser import Parser

from ndpir.pages.dialects import DIALECTS, reference
from ndpir.registry.entries import examples

ROOT = Path(__file__).resolve().parents[3]
OPS = {op.name: op for dialect, _ in DIALECTS for op in dialect.operations}

_NAME = r"%[A-Za-z_0-9]+"


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Func, Test, *(dialect for dialect, _ in DIALECTS)):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def arguments(text: str) -> dict[str, str]:
    """The names that an example of graph ops uses but does not define, with their types."""
    types: dict[str, str] = {}
    for operands, listed in re.findall(
        r"graph\.\w+(?: [a-z]+)? ([^:{\"\[]*?%[^:{]*?(?:\{[^:}]*\})?)\s*:\s([^\n]*)", text
    ):
        names = re.findall(_NAME, operands)
        given = re.findall(r"tensor<[^>]*>", listed.partition("->")[0])
        types |= dict(zip(names, given * len(names) if len(given) == 1 else given, strict=False))
    bindings = re.findall(rf"({_NAME}) = ({_NAME})[,)]", text)
    for inner, outer in reversed(bindings):  # arguments of nested bodies come last
        types[outer] = types[inner]
    counters = re.findall(rf"repeat (?:@\w+ )?({_NAME}) = ", text)
    defined = {*re.findall(rf"^\s*({_NAME}) = ", text, re.MULTILINE), *counters, *(inner for inner, _ in bindings)}
    return {name: type_ for name, type_ in types.items() if name not in defined}


def completed(text: str) -> str:
    """An example, completed by definitions of the values that it uses but does not define."""
    missing = arguments(re.sub(r",\n\s+", ", ", text))  # types may go on in the next line
    if not missing:
        return text
    return f'{", ".join(missing)} = "test.op"() : () -> ({", ".join(missing.values())})\n{text}'


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", OPS)
def test_every_op_has_an_example_that_parses_and_prints_the_same(name: str) -> None:
    op = OPS[name]
    assert (op.__doc__ or "").strip(), f"{name} has no docstring"
    found = examples(op)
    assert found, f"{name} has no ```mlir example"
    for example in found:
        module = parse(completed(example))
        assert any(inner.name == name for inner in module.walk()), f"the example of {name} does not use it"
        text = str(module)
        assert str(parse(text)) == text
        assert squeezed(example) in squeezed(text)


def test_the_reference_of_dialects_is_current() -> None:
    assert (ROOT / "docs" / "dialects.md").read_text(encoding="utf-8") == reference(), (
        "docs/dialects.md is out of date; run `python -m ndpir.pages.dialects`"
    )


def test_every_constraint_is_numbered_once() -> None:
    for op in OPS.values():
        numbers = re.findall(r"\(C(\d+)\)", op.__doc__ or "")
        assert numbers == sorted(set(numbers), key=int), f"{op.name} numbers its constraints {numbers}"
