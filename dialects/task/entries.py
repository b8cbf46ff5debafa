"""Attributes whose text is a list of entries, `#task.plan<"cost", ns = 12.5, machine = "1f2e">`: a table of the entries
both reads and writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, f64, i1, i64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer


def figure_attr(number: float) -> FloatAttr:
    """A time or energy, rounded to nine digits."""
    return FloatAttr(float(f"{number:.9g}"), f64)


def figure(number: FloatAttr) -> str:
    """The shortest decimal that reads back as the same number; MLIR's floats have a point."""
    text = repr(number.value.data)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


@dataclass(frozen=True)
class Kind:
    """A kind of value: the functions that read and write one."""

    read: Callable[[AttrParser], Attribute]
    write: Callable[[Printer, Any], None]


def _number(parser: AttrParser) -> float:
    return float(parser.parse_number(allow_boolean=False))


def _written(text: Callable[[Any], str]) -> Callable[[Printer, Any], None]:
    return lambda printer, value: printer.print_string(text(value))


TEXT = Kind(
    lambda parser: StringAttr(parser.parse_str_literal()),
    lambda printer, value: printer.print_string_literal(value.data),
)
FIGURE = Kind(lambda parser: figure_attr(_number(parser)), _written(figure))
EXACT = Kind(lambda parser: FloatAttr(_number(parser), f64), _written(figure))
"""A time as it is written, without rounding."""
TRUTH = Kind(
    lambda parser: IntegerAttr(int(parser.parse_boolean()), i1),
    _written(lambda value: "true" if value.value.data else "false"),
)
INTEGER = Kind(
    lambda parser: IntegerAttr(parser.parse_integer(allow_boolean=False), i64),
    _written(lambda value: str(value.value.data)),
)
COUNT = Kind(
    lambda parser: IntegerAttr(parser.parse_integer(allow_boolean=False, allow_negative=False), i64), INTEGER.write
)


def figures(count: int, what: str) -> Kind:
    """A list of `count` times or energies; `what`: a noun for the value in the error message for another number."""

    def read(parser: AttrParser) -> Attribute:
        place = parser.pos
        found = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: figure_attr(_number(parser)))
        if len(found) != count:
            parser.raise_error(f"{what}, not {len(found)}", place, parser.pos)
        return ArrayAttr(found)

    return Kind(read, _written(lambda value: f"[{', '.join(map(figure, value.data))}]"))


def by_name(kind: Kind, quoted: bool = False) -> Kind:
    """Values by name, `{gpu = 4, "my pim" = 128}`. `quoted`: every name is in quotes."""

    def read(parser: AttrParser) -> Attribute:
        def entry() -> tuple[str, Attribute]:
            name = parser.parse_str_literal() if quoted else parser.parse_identifier_or_str_literal()
            parser.parse_punctuation("=")
            return name, kind.read(parser)

        return DictionaryAttr(dict(parser.parse_comma_separated_list(parser.Delimiter.BRACES, entry)))

    def write(printer: Printer, value: DictionaryAttr) -> None:
        def entry(item: tuple[str, Attribute]) -> None:
            (printer.print_string_literal if quoted else printer.print_identifier_or_string_literal)(item[0])
            printer.print_string(" = ")
            kind.write(printer, item[1])

        with printer.in_braces():
            printer.print_list(value.data.items(), entry)

    return Kind(read, write)


@dataclass(frozen=True)
class Entry:
    """An entry, `word = value`, or only values if there is no word; each of `kinds` is one parameter of the attribute.

    `omitted`: for an entry that may be left out, the function that gives its values from those of all entries before
    it. `former`: a word that older programs have in place of `word`.
    """

    word: str
    kinds: tuple[Kind, ...]
    omitted: Callable[[Sequence[Attribute]], tuple[Attribute, ...]] | None = None
    former: str = ""

    def read(self, parser: AttrParser, before: Sequence[Attribute], is_last: bool) -> tuple[Attribute, ...]:
        """The values; all entries but the last end in a comma."""
        if self.omitted is not None:
            if parser.parse_optional_keyword(self.word) is None:
                return self.omitted(before)
        elif self.word and (not self.former or parser.parse_optional_keyword(self.former) is None):
            parser.parse_keyword(self.word)
        if self.word:
            parser.parse_punctuation("=")
        values = tuple(kind.read(parser) for kind in self.kinds)
        if not is_last:
            parser.parse_punctuation(",")
        return values

    def write(self, printer: Printer, values: Sequence[Attribute]) -> None:
        """Write the word and the values."""
        printer.print_string(f"{self.word} = " if self.word else "")
        for number, (kind, value) in enumerate(zip(self.kinds, values, strict=True)):
            printer.print_string(" " if number else "")
            kind.write(printer, value)


@dataclass(frozen=True)
class Mark(Entry):
    """A word alone, which stands for one value; the other value is that of a text without the word."""

    def read(self, parser: AttrParser, before: Sequence[Attribute], is_last: bool) -> tuple[Attribute, ...]:
        present = parser.parse_optional_keyword(self.word) is not None
        if present:
            parser.parse_punctuation(",")
        return (IntegerAttr(int(not present), i1),)

    def write(self, printer: Printer, values: Sequence[Attribute]) -> None:
        printer.print_string(self.word)


class EntriesAttr(ParametrizedAttribute):
    """Base class of attributes whose parameters are the values of `ENTRIES`, in order."""

    ENTRIES: ClassVar[tuple[Entry, ...]]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        found: list[Attribute] = []
        with parser.in_angle_brackets():
            for entry in cls.ENTRIES:
                found += entry.read(parser, found, entry is cls.ENTRIES[-1])
        return found

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            at, between = 0, ""
            for entry in self.ENTRIES:
                before, values = self.parameters[:at], self.parameters[at : at + len(entry.kinds)]
                at += len(entry.kinds)
                if entry.omitted is None or values != entry.omitted(before):
                    printer.print_string(between)
                    entry.write(printer, values)
                    between = ", "
