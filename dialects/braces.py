"""Braces behind an op set properties that its text left out, or hold notes; anything else in them is an error."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AttrConstraint, IRDLOperation, traits_def
from xdsl.parser import Parser
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from dialects.suggestions import hint


class KnownAttributes(OpTrait):
    """An op holds what it declares, and attributes with a dialect's prefix (`task.on`)."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, BracedOp)
        definition = op.get_irdl_definition()
        for name in op.properties:
            if name not in definition.properties:
                raise VerifyException(op.unknown(name))
        for name in op.attributes:
            if name in definition.properties:
                raise VerifyException(
                    f"{op.name}: `{name}` is given twice, as a property and as an attribute; keep the property"
                )
            if not op.knows(name):
                raise VerifyException(op.unknown(name))


class BracedOp(IRDLOperation):
    """Common to all ops of these dialects: what may stand in braces behind an op, in its own and in the generic form.

    A property in braces is as good as its keyword, an attribute that the op declares is kept, and so is one with a
    dialect's prefix, a note that passes and plugins may read. Everything else would be lost without a word.
    """

    WORDS: ClassVar[Mapping[str, str]] = {}
    """Words of the text that say a property of another name, with that property."""

    traits = traits_def(KnownAttributes())

    @classmethod
    def knows(cls, name: str) -> bool:
        """True if an attribute of this name means something here."""
        return "." in name or name in cls.get_irdl_definition().attributes

    @classmethod
    def unknown(cls, name: str) -> str:
        """A sentence about a property or attribute that the op does not know, with what to write instead."""
        if (property_name := cls.WORDS.get(name)) is not None:
            return (
                f"{cls.name} has no attribute `{name}`: `{name}` is a word of its text, before the braces "
                f"(as a property it is `{property_name}`)"
            )
        definition = cls.get_irdl_definition()
        known = [each for each in (*definition.properties, *definition.attributes) if not each.endswith("SegmentSizes")]
        all_known = f"it knows {', '.join(known)}" if known else "it has none"
        near = hint(name, known, f"{all_known}, and a note has a dialect's prefix (`mine.{name}`)")
        return f"{cls.name} has no attribute `{name}`{near}"

    def with_braces(self, parser: Parser, *, keyword: bool = False, **optional: object) -> Self:
        """Read the braces of the op whose text was just read, if there are any, and set what they say.

        `keyword`: whether `attributes` stands before them. `optional`: the properties that the text may leave out, each
        with what was read, None where it was left out; the text says all others. Raises ParseError at an entry that is
        unknown, of another kind, or said twice.
        """
        left_out = {name for name, met in optional.items() if met is None}
        said = self.get_irdl_definition().properties.keys() - left_out
        properties, attributes = parse_braces(parser, type(self), said, keyword=keyword)
        self.properties |= properties
        self.attributes |= attributes
        return self

    def settle(self) -> None:
        """Give properties and attributes that were read without their op's own text the type they are declared with."""
        definition = self.get_irdl_definition()
        for values, declared in ((self.properties, definition.properties), (self.attributes, definition.attributes)):
            for name in values.keys() & declared.keys():
                if (fitting := _fitting(declared[name].constr, values[name])) is not None:
                    values[name] = fitting


def parse_braces(
    parser: Parser, op: type[BracedOp], said: Collection[str], *, keyword: bool = False
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """Read `{name = value, …}`, with `attributes` before it where `keyword`, if it stands here: properties, attributes.

    `said`: the properties that the text before said already. Raises ParseError at an entry that `op` does not know,
    whose value is of another kind, or that is given twice.
    """
    properties: dict[str, Attribute] = {}
    attributes: dict[str, Attribute] = {}
    if keyword and parser.parse_optional_keyword("attributes") is None:
        return properties, attributes
    definition = op.get_irdl_definition()

    def entry() -> None:
        start = parser.pos
        name = parser.parse_optional_identifier_or_str_literal()
        if name is None:
            parser.raise_error(f"{op.name}: the name of an attribute is expected in the braces")
        end = parser.pos
        if name not in definition.properties and not op.knows(name):
            parser.raise_error(op.unknown(name), start, end)
        if name in said or name in properties or name in attributes:
            parser.raise_error(f"{op.name}: `{name}` is given twice; keep one", start, end)
        start = parser.pos
        value = parser.parse_attribute() if parser.parse_optional_punctuation("=") else UnitAttr()
        declared = definition.properties.get(name) or definition.attributes.get(name)
        if declared is not None:
            fitting = _fitting(declared.constr, value)
            if fitting is None:
                parser.raise_error(f"{op.name}: `{name}` {_meaning(declared.constr)}, not {value}", start, parser.pos)
            value = fitting
        (properties if name in definition.properties else attributes)[name] = value

    read = parser.parse_comma_separated_list if keyword else parser.parse_optional_comma_separated_list
    read(parser.Delimiter.BRACES, entry)
    return properties, attributes


def _fitting(constraint: AttrConstraint, value: Attribute) -> Attribute | None:
    """`value` as the attribute that a property is declared with; None if it is of another kind."""
    return next((each for each in _readings(value) if constraint.verifies(each)), None)


def _readings(value: Attribute) -> Iterator[Attribute]:
    """The attributes that one written in braces may stand for: a keyword's value is written without a type."""
    yield value
    if isinstance(value, UnitAttr):
        yield BoolAttr(True, i1)
    elif (number := _plain_integer(value)) is not None:
        yield FloatAttr(float(number), f64)
    elif isa(value, ArrayAttr[Attribute]):
        numbers = [number for each in value.data if (number := _plain_integer(each)) is not None]
        if len(numbers) == len(value.data):
            yield DenseArrayBase.from_list(i64, numbers)


def _plain_integer(value: Attribute) -> int | None:
    """The number of an i64 attribute; None for any other."""
    return value.value.data if isa(value, IntegerAttr[IntegerType]) and value.type == i64 else None


def _meaning(constraint: AttrConstraint) -> str:
    from dialects.graph.properties import kind_of  # for this sentence alone

    kind = kind_of(constraint)
    return f"is {kind.meaning}" if kind else "is of another kind"
