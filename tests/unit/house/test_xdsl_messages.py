"""Checks that no message of xDSL's parser or verifier reaches a user as xDSL words it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import xdsl
from xdsl.dialects import test
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span

from dialects.text.syntax_errors import with_clear_message
from dialects.verify_errors import reworded
from ndpir.diagnostics.verify import sentence

SOURCES = Path(xdsl.__file__).parent
VERIFYING = (
    *("ir/core.py", "irdl/operations.py", "irdl/attributes.py", "irdl/constraints.py", "traits.py"),
    *("dialects/func.py", "dialects/builtin.py"),
)
PARSING = (
    "parser/affine_parser.py",
    *("parser/core.py", "parser/attribute_parser.py", "parser/base_parser.py", "parser/generic_parser.py"),
    "utils/mlir_lexer.py",
)
SAMPLES = ("1", "graph.relu", "operand", "property", "(", "2 operands", "at position 0", " in a list", "%x")
"""Texts that may stand for an expression in a message."""
NOT_FOR_TEXTS = (
    "Operation does not verify: ",  # `sentence` removes it
    "does not have a custom format",  # of an op class without a parser
    "Unregistered attribute",  # only of attributes that Python builds
    "builtin dialect should have",
    "SSA value used before assignment",
    " in block definition",  # the end of a message
    "Could not parse entire input",  # the driver names what it met (ndpir/diagnostics/printed.py)
    "Expected arguments to have the same types",  # of func.return and func.call, with their ops: invalid_functions.mlir
    "could not be found in symbol table",
    "does not reference a valid function",
    "for callee",
    "type mismatch: expected",
)
"""Parts of messages that no text can cause, or that are no messages."""


def parts(node: ast.expr) -> list[str | None] | None:
    """The constant parts of a text, with None for each expression in it; None if the node is no text."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr():
            return [part.value if isinstance(part, ast.Constant) else None for part in node.values]  # pyright: ignore
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*(parts(left) or [None]), *(parts(right) or [None])]
        case _:
            return None


def messages(files: tuple[str, ...], callees: set[str]) -> Iterator[list[str | None]]:
    """The texts that the functions `callees` receive in the sources `files`."""
    for file in files:
        for node in ast.walk(ast.parse((SOURCES / file).read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                for argument in node.args if name in callees else ():
                    found = parts(argument)
                    text = "".join(part or "" for part in found or ())
                    if found and " " in text.strip() and not any(each in text for each in NOT_FOR_TEXTS):
                        yield found


def filled(found: list[str | None]) -> Iterator[str]:
    """The texts with samples in the place of expressions."""
    count = sum(part is None for part in found)
    for samples in product(SAMPLES, repeat=min(count, 4)):
        each = iter((*samples, *("1" for _ in range(count))))
        yield sentence("".join(next(each) if part is None else part for part in found))


def shown(found: list[str | None]) -> str:
    return "".join("{}" if part is None else part for part in found)


VERIFIER = {shown(found): found for found in messages(VERIFYING, {"VerifyException"})}
PARSER = {shown(found): found for found in messages(PARSING, {"raise_error", "ParseError", "expect", "_parse_token"})}


@pytest.mark.parametrize("text", VERIFIER)
def test_each_message_of_the_verifier_is_reworded(text: str) -> None:
    op = test.TestOp()
    assert any(reworded(each, op) != each for each in filled(VERIFIER[text])), text


@pytest.mark.parametrize("text", PARSER)
def test_each_message_of_the_parser_is_reworded(text: str) -> None:
    def clear(message: str) -> str:
        return with_clear_message(ParseError(Span(0, 1, Input("x y", "f")), message)).msg

    assert any(clear(each) != each for each in filled(PARSER[text])), text
