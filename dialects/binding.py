"""The text `(%inner = %outer, …) { … }`: a body isolated from above, with explicit bindings (`graph.fused`,
`task.run`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp, parse_braces
from dialects.values import resolve_known


def parse_bindings(
    parser: Parser,
    inner_type: Callable[[Attribute], Attribute],
    earlier: Mapping[str, str] | None = None,
    first: Sequence[Parser.Argument] = (),
    streamed: list[int] | None = None,
) -> tuple[list[SSAValue], Region]:
    """Read bindings and the body, a region of one block.

    `inner_type` returns the type that the body's argument has for an outer value's type; it may raise VerifyException.
    `earlier`: keywords that must precede the bindings, each with the error message for a keyword found after them.
    `first`: arguments of the body's block that precede those of the bindings, such as a loop counter. `streamed`
    collects the indices of the bindings written `%inner = stream %outer`; None where streaming is not allowed.
    """
    outer: list[SSAValue] = []
    arguments: list[Parser.Argument] = list(first)

    def binding() -> None:
        start = parser.pos
        inner = parser.parse_unresolved_operand()
        parser.parse_punctuation("=")
        if streamed is not None and parser.parse_optional_keyword("stream"):
            streamed.append(len(outer))
        value = resolve_known(parser, parser.parse_unresolved_operand())
        outer.append(value)
        try:
            arguments.append(parser.Argument(inner.span, inner_type(value.type)))
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, binding)
    start = parser.pos
    for word, message in (earlier or {}).items():
        if parser.parse_optional_keyword(word):
            parser.raise_error(message, start, start + len(word))
    # The body is isolated from above, so its names may repeat names of the enclosing scope.
    outside, parser.ssa_values = parser.ssa_values, {}
    start = parser.pos
    try:
        body = parser.parse_region(arguments)
    finally:
        parser.ssa_values = outside
    if len(body.blocks) != 1:
        parser.raise_error(f"the body must have one block, but has {len(body.blocks)}", start, parser.pos)
    return outer, body


def print_bindings(
    printer: Printer, outer: Sequence[SSAValue], body: Region, first: int = 0, streamed: Collection[int] = ()
) -> None:
    """Write bindings and the body; names of inner values are chosen here, in a separate scope. `first`: the number of
    block arguments before those of the bindings. `streamed`: the indices of the bindings printed with `stream`."""
    block = body.block
    with printer.in_parens():

        def pair(index: int) -> None:
            printer.print_ssa_value(block.args[first + index])
            printer.print_string(" = stream " if index in streamed else " = ")
            printer.print_ssa_value(outer[index])

        printer.print_list(range(len(outer)), pair)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


def type_list(types: Sequence[Attribute]) -> str:
    """The types as error messages show them: `(tensor<2xf32>, i32)`."""
    return f"({', '.join(map(str, types))})"


@dataclass(frozen=True)
class EndsBody(OpTrait):
    """A terminator that is valid only in the body of the ops with the given names."""

    parents: tuple[str, ...]

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and parent.name not in self.parents:
            names = " or a ".join(self.parents)
            raise VerifyException(f"{op.name} is allowed only in the body of a {names}")


class YieldingOp(BracedOp):
    """Base class of terminators of bodies with bindings: `NAME %a, %b`, without types, since all operands are already
    defined above the terminator."""

    values = var_operand_def()

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[values])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        _, attributes = parse_braces(parser, cls, ())
        values: list[SSAValue] = []
        while (unresolved := parser.parse_optional_unresolved_operand()) is not None:
            values.append(resolve_known(parser, unresolved))
            if parser.parse_optional_punctuation(",") is None:
                break
        op = cls(*values)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        if self.values:
            printer.print_string(" ")
            printer.print_list(self.values, printer.print_operand)
