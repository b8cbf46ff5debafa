"""The textual form of commands as a sequence of parts, each of which parses and prints its text and sets properties of
the command."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, cast

from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from dialects.pim.subscripts import Subscript, parse_range, parse_subscripts, print_range, print_subscripts
from dialects.programs.index import Linear, parse_linear, print_linear
from dialects.programs.properties import integer
from dialects.values import resolve_known

SCOPES = ("all", "group", "same", "twin", "bank")
ZERO = Linear()

Space: TypeAlias = Literal["unit", "row", "column", "buffer", "accumulator", "softmax"]
"""The spaces that an index expression may index: units of the scope, a row of a bank, a column of a row, a column of
the global buffer, an accumulator of a bank, an entry of the softmax buffer."""

Use: TypeAlias = Literal["names", "reads", "writes", "adds to", "sets", "takes"]
"""The effect of a command on the entries that its index expressions index. An accumulator is read (and kept), taken
(and cleared, if the sheet specifies so), added to, or set."""

Given: TypeAlias = "dict[str, Any]"
"""The constructor arguments of a command, by name."""


class CommandText(Protocol):
    """The interface of a command used by the parts of its text (dialects/pim/command.py)."""

    properties: dict[str, Attribute]

    def linear(self, name: str) -> Linear: ...


class Reaching(CommandText, Protocol):
    """The interface of a command that accesses host memory."""

    @property
    def memref(self) -> SSAValue: ...
    @property
    def parts(self) -> list[Subscript]: ...


@dataclass
class CommandFields:
    """The properties and operands built from a constructor's arguments."""

    expressions: dict[str, Linear] = field(default_factory=dict[str, Linear])
    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    memref: SSAValue | None = None
    subscripts: list[Subscript] | None = None


class TextPart(ABC):
    """A part of a command's text. `arguments`: its constructor arguments, with their defaults. `spaces` and `uses`: for
    each of its index expressions, the space that it indexes and the effect on the entries. `words`: keywords that
    set a property of a different name."""

    def arguments(self) -> dict[str, Any]:
        return {}

    def spaces(self) -> dict[str, Space]:
        return {}

    def uses(self) -> dict[str, Use]:
        return {}

    def words(self) -> dict[str, str]:
        return {}

    @abstractmethod
    def read(self, parser: Parser) -> Given:
        """Parse the part; returns its constructor arguments, None for those that the text omits."""

    def optional(self, read: Given) -> dict[str, object]:
        """The properties that the text may omit, with the parsed values."""
        return {}

    @abstractmethod
    def fill(self, given: Given, fields: CommandFields) -> None:
        """Add the arguments to the properties and expressions of the op."""

    @abstractmethod
    def write(self, printer: Printer, op: CommandText) -> None:
        """Print the part after a blank, or nothing if it has its default."""


@dataclass(frozen=True)
class ScopePart(TextPart):
    """A scope: `all`, `group E`, `same E`, `twin E` or `bank E`; if `may_be_left_out`, `all` is the default."""

    may_be_left_out: bool = False
    default: str = "all"

    def arguments(self) -> dict[str, Any]:
        return {"scope": self.default, "unit": 0}

    def spaces(self) -> dict[str, Space]:
        return {"unit": "unit"}

    def uses(self) -> dict[str, Use]:
        return {"unit": "names"}

    def read(self, parser: Parser) -> Given:
        if self.may_be_left_out:
            word = next((word for word in SCOPES if parser.parse_optional_keyword(word)), None)
            if word is None:
                return {"scope": None, "unit": None}
        else:
            word = parser.parse_identifier(" that states the scope: all, group, same, twin or bank")
        if word not in SCOPES:
            parser.raise_error(f"a scope is `all`, `group N`, `same N`, `twin N` or `bank N`, not `{word}`")
        return {"scope": word, "unit": ZERO if word == "all" else parse_linear(parser)}

    def optional(self, read: Given) -> dict[str, object]:
        return dict(read) if self.may_be_left_out else {}

    def fill(self, given: Given, fields: CommandFields) -> None:
        fields.properties["scope"] = StringAttr(given["scope"])
        fields.expressions["unit"] = Linear.of(given["unit"])

    def write(self, printer: Printer, op: CommandText) -> None:
        scope = cast(StringAttr, op.properties["scope"]).data
        if self.may_be_left_out and scope == "all":
            return
        printer.print_string(f" {scope}")
        if scope != "all":
            printer.print_string(" ")
            print_linear(printer, op.linear("unit"))


@dataclass(frozen=True)
class Indexed(TextPart):
    """A keyword and an index expression, which is a property of the command."""

    word: str
    name: str
    space: Space
    use: Use

    def spaces(self) -> dict[str, Space]:
        return {self.name: self.space}

    def uses(self) -> dict[str, Use]:
        return {self.name: self.use}


@dataclass(frozen=True)
class RangePart(Indexed):
    """A range, `word A to B`: an index expression, and the property `count`, which is 0 for an omitted range (only if
    `may_be_left_out`)."""

    may_be_left_out: bool = False

    def arguments(self) -> dict[str, Any]:
        return {self.word: None}

    def words(self) -> dict[str, str]:
        return {} if self.word == "columns" else {self.word: self.name}

    def read(self, parser: Parser) -> Given:
        if self.may_be_left_out and not parser.parse_optional_keyword(self.word):
            return {self.word: None}
        if not self.may_be_left_out:
            parser.parse_keyword(self.word)
        return {self.word: parse_range(parser)}

    def optional(self, read: Given) -> dict[str, object]:
        return {self.name: read[self.word], "count": read[self.word]} if self.may_be_left_out else {}

    def fill(self, given: Given, fields: CommandFields) -> None:
        part = cast("Subscript | None", given[self.word]) or Subscript(ZERO)
        fields.expressions[self.name], fields.properties["count"] = part.start, integer(part.extent)

    def of(self, op: CommandText) -> Subscript:
        """The subscript of this part in an op."""
        return Subscript(op.linear(self.name), cast("IntegerAttr[Any]", op.properties["count"]).value.data)

    def write(self, printer: Printer, op: CommandText) -> None:
        if (part := self.of(op)).extent or not self.may_be_left_out:
            printer.print_string(f" {self.word} ")
            print_range(printer, part)


@dataclass(frozen=True)
class IndexPart(Indexed):
    """An index expression after a keyword, `word E`. The default is 0, or the start of the expression `like`; if
    `needed`, there is no default."""

    like: str = ""
    needed: bool = False

    def arguments(self) -> dict[str, Any]:
        return {self.name: None}

    def words(self) -> dict[str, str]:
        return {} if self.needed else {self.word: self.name}

    def read(self, parser: Parser) -> Given:
        if self.needed:
            parser.parse_keyword(self.word)
        elif not parser.parse_optional_keyword(self.word):
            return {self.name: None}
        return {self.name: parse_linear(parser)}

    def optional(self, read: Given) -> dict[str, object]:
        return {} if self.needed else dict(read)

    def fill(self, given: Given, fields: CommandFields) -> None:
        stated = given[self.name]
        default = fields.expressions[self.like] if self.like else ZERO
        fields.expressions[self.name] = default if stated is None else Linear.of(stated)

    def write(self, printer: Printer, op: CommandText) -> None:
        expression = op.linear(self.name)
        if self.needed or expression != (op.linear(self.like) if self.like else ZERO):
            printer.print_string(f" {self.word} ")
            print_linear(printer, expression)


@dataclass(frozen=True)
class HostPart(TextPart):
    """Elements of host memory after a keyword, `word %memref[subscripts]`; the command writes them if the keyword is
    `to`, and reads them otherwise."""

    word: str = ""

    def arguments(self) -> dict[str, Any]:
        return {"memref": None, "parts": ()}

    def read(self, parser: Parser) -> Given:
        if self.word:
            parser.parse_keyword(self.word)
        start = parser.pos
        name = parser.parse_unresolved_operand()
        value = resolve_known(parser, name)
        if not isinstance(value.type, MemRefType):
            text = f"%{name.operand_name} is of type {value.type}, not a memref of the kernel"
            parser.raise_error(text, start, parser.pos)
        return {"memref": value, "parts": parse_subscripts(parser)}

    def fill(self, given: Given, fields: CommandFields) -> None:
        fields.memref, fields.subscripts = given["memref"], list(given["parts"])

    def write(self, printer: Printer, op: CommandText) -> None:
        reaching = cast(Reaching, op)
        printer.print_string(f" {self.word} " if self.word else " ")
        printer.print_operand(reaching.memref)
        print_subscripts(printer, reaching.parts)


@dataclass(frozen=True)
class Flag(TextPart):
    """A keyword that may be omitted."""

    word: str

    def arguments(self) -> dict[str, Any]:
        return {self.word: False}

    def read(self, parser: Parser) -> Given:
        return {self.word: parser.parse_optional_keyword(self.word)}

    def optional(self, read: Given) -> dict[str, object]:
        return dict(read)

    def fill(self, given: Given, fields: CommandFields) -> None:
        if given[self.word]:
            fields.properties[self.word] = UnitAttr()

    def write(self, printer: Printer, op: CommandText) -> None:
        if self.word in op.properties:
            printer.print_string(f" {self.word}")


@dataclass(frozen=True)
class Quoted(TextPart):
    """A quoted string. `expected`: the expected content, with an example."""

    name: str
    expected: str

    def arguments(self) -> dict[str, Any]:
        return {self.name: None}

    def read(self, parser: Parser) -> Given:
        if (text := parser.parse_optional_str_literal()) is None:
            parser.raise_error(f"expected {self.expected}")
        return {self.name: text}

    def fill(self, given: Given, fields: CommandFields) -> None:
        fields.properties[self.name] = StringAttr(given[self.name])

    def write(self, printer: Printer, op: CommandText) -> None:
        printer.print_string(" ")
        printer.print_string_literal(cast(StringAttr, op.properties[self.name]).data)


@dataclass(frozen=True)
class NumberPart(TextPart):
    """An integer, after a token such as `=` if there is one."""

    name: str
    sign: str = ""

    def arguments(self) -> dict[str, Any]:
        return {self.name: None}

    def read(self, parser: Parser) -> Given:
        if self.sign:
            parser.parse_punctuation("=")
        return {self.name: parser.parse_integer(allow_boolean=False)}

    def fill(self, given: Given, fields: CommandFields) -> None:
        fields.properties[self.name] = integer(given[self.name])

    def write(self, printer: Printer, op: CommandText) -> None:
        sign = f" {self.sign}" if self.sign else ""
        printer.print_string(f"{sign} {cast('IntegerAttr[Any]', op.properties[self.name]).value.data}")


COLUMNS = RangePart("columns", "column", "column", "reads")
"""The columns of open rows that a command reads."""


def argument_order(form: tuple[TextPart, ...]) -> dict[str, Any]:
    """The arguments of a command's constructor, with their defaults: host memory first, the scope last, all others in
    the order of the text."""
    order = sorted(form, key=lambda part: 0 if isinstance(part, HostPart) else 2 if isinstance(part, ScopePart) else 1)
    return {name: default for part in order for name, default in part.arguments().items()}
