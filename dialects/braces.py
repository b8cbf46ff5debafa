"""Attribute dictionaries (`{…}` after an op): their entries set properties omitted from the text, or are annotations
(dialects/annotations.py); any other entry is an error."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar, Self

from xdsl.context import Context
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
from xdsl.printer import Printer
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from dialects.annotations import named_without_prefix
from dialects.text.suggestions import hint, nearest


class KnownAttributes(OpTrait):
    """Checks that an op has only its declared attributes and annotations (`task.on`)."""

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
            if not op.accepts(name):
                raise VerifyException(op.unknown(name))


class BracedOp(IRDLOperation):
    """Base class of all ops of these dialects: checks the attribute dictionary, in the custom and the generic form.

    An entry may be a property (equivalent to its keyword), an attribute that the op declares, or an annotation, which
    has a dialect's prefix (`task.on`; dialects/annotations.py checks it). Any other entry is an error, since it would
    be lost silently.
    """

    WORDS: ClassVar[Mapping[str, str]] = {}
    """Keywords of the text that set a property of a different name, mapped to that property."""

    traits = traits_def(KnownAttributes())

    @classmethod
    def accepts(cls, name: str) -> bool:
        """True if the op accepts an attribute of this name."""
        return "." in name or name in cls.get_irdl_definition().attributes

    @classmethod
    def unknown(cls, name: str, ctx: Context | None = None) -> str:
        """The error message for an unknown property or attribute, with a suggestion; with `ctx`, also of annotations
        that ops of this class may have."""
        if (property_name := cls.WORDS.get(name)) is not None:
            return (
                f"{cls.name} has no attribute `{name}`: `{name}` is a word of its text, before the braces "
                f"(as a property it is `{property_name}`)"
            )
        definition = cls.get_irdl_definition()
        known = [each for each in (*definition.properties, *definition.attributes) if not each.endswith("SegmentSizes")]
        all_known = f"its attributes are {', '.join(known)}" if known else "it has none"
        meant = None if ctx is None else named_without_prefix(name, cls, ctx)
        near = hint(name, known, f"{all_known}, and a note of your own has a prefix (`mine.{name}`)")
        if meant is not None and nearest(name, known) is None:
            near = f"; did you mean `{meant}`?"
        return f"{cls.name} has no attribute `{name}`{near}"

    def with_braces(self, parser: Parser, *, keyword: bool = False, **optional: object) -> Self:
        """Read the attribute dictionary after an op's text, if there is one, and set its entries on the op.

        `keyword`: the dictionary is preceded by `attributes`. `optional`: the properties that the text may omit, with
        the value read or None; all other properties are set by the text. Raises ParseError at an entry that is unknown,
        has a value of the wrong type, or is given twice.
        """
        left_out = {name for name, met in optional.items() if met is None}
        header = self.get_irdl_definition().properties.keys() - left_out
        properties, attributes = parse_braces(parser, type(self), header, keyword=keyword)
        self.properties |= properties
        self.attributes |= attributes
        return self

    def settle(self) -> None:
        """Convert properties and attributes that were read in the generic form to their declared attribute types."""
        definition = self.get_irdl_definition()
        for values, declared in ((self.properties, definition.properties), (self.attributes, definition.attributes)):
            for name in values.keys() & declared.keys():
                if (fitting := _fitting(declared[name].constr, values[name])) is not None:
                    values[name] = fitting


class BareOp(BracedOp):
    """Base class of ops without operands, results and properties."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls().with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)


def parse_braces(
    parser: Parser, op: type[BracedOp], header: Collection[str], *, keyword: bool = False
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """Read `{name = value, …}`, preceded by `attributes` if `keyword`, if present; returns (properties, attributes).

    `header`: the properties already set by the preceding text. Raises ParseError at an entry that `op` does not accept,
    whose value is of the wrong type, or that is given twice.
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
            parser.raise_error(f"{op.name}: name an attribute here, as in {{mine.note = 3}}")
        end = parser.pos
        if name not in definition.properties and not op.accepts(name):
            parser.raise_error(op.unknown(name, parser.ctx), start, end)
        if name in header or name in properties or name in attributes:
            parser.raise_error(f"{op.name}: `{name}` is given twice; keep one", start, end)
        start = parser.pos
        value = parser.parse_attribute() if parser.parse_optional_punctuation("=") else UnitAttr()
        declared = definition.properties.get(name) or definition.attributes.get(name)
        if declared is not None:
            fitting = _fitting(declared.constr, value)
            if fitting is None:
                parser.raise_error(
                    f"{op.name}: `{name}` must be {_meaning(declared.constr)}, {_met(value)}", start, parser.pos
                )
            value = fitting
        (properties if name in definition.properties else attributes)[name] = value

    read = parser.parse_comma_separated_list if keyword else parser.parse_optional_comma_separated_list
    read(parser.Delimiter.BRACES, entry)
    return properties, attributes


def _fitting(constraint: AttrConstraint, value: Attribute) -> Attribute | None:
    """`value` converted to the attribute type that `constraint` declares; None if that is impossible."""
    return next((each for each in _readings(value) if constraint.verifies(each)), None)


def _readings(value: Attribute) -> Iterator[Attribute]:
    """The attributes that a value in the dictionary may denote: for example, an integer without a type may denote
    numbers of several types."""
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
    """The number of an i64 attribute; None for any other attribute."""
    return value.value.data if isa(value, IntegerAttr[IntegerType]) and value.type == i64 else None


def _met(value: Attribute) -> str:
    """The end of a message on a value of the wrong kind."""
    return "but has no value" if isinstance(value, UnitAttr) else f"not {value}"


def _meaning(constraint: AttrConstraint) -> str:
    from dialects.graph.properties import kind_of  # imported here, since only error messages need it

    kind = kind_of(constraint)
    return kind.meaning if kind else "of another kind"
