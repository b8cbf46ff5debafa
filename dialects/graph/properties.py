"""The seven kinds of properties of graph ops: integers, an integer, a number, a truth value, a word, a text, and fields
by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite, isinf
from typing import TypeAlias

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, AttrSetConstraint, BaseAttr, EqAttrConstraint, prop_def
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException

Ints: TypeAlias = DenseArrayBase[IntegerType]
Value: TypeAlias = int | float | bool | str | Sequence[int] | Attribute


@cache
def _ints(values: tuple[int, ...]) -> Ints:
    for value in values:
        _in_range(value)
    return DenseArrayBase.from_list(i64, list(values))


def ints(values: Sequence[int]) -> Ints:
    """A property that holds integers, e.g. axes or pads. Raises VerifyException for one beyond 64 bits."""
    return _ints(tuple(values))


@cache
def integer(value: int) -> IntegerAttr:
    """A property that holds one integer. Raises VerifyException if it is beyond 64 bits."""
    return IntegerAttr(_in_range(value), i64)


def real(value: float) -> FloatAttr:
    """A property that holds one f64 number; infinities and nan included."""
    return FloatAttr(value, f64)


@cache
def flag(value: bool) -> BoolAttr:
    """A property that holds a truth value."""
    return BoolAttr(value, i1)


word = cache(StringAttr)
"""The class of a property that holds one of several keywords."""


def _in_range(value: int) -> int:
    if not -(1 << 63) <= value < 1 << 63:
        raise VerifyException(f"{value} does not fit in 64 bits")
    return value


INTS = DenseArrayBase.constr(i64)
_INT = IntegerAttr.constr(type=EqAttrConstraint(i64))
_REAL = FloatAttr.constr(EqAttrConstraint(f64))
_FLAG = IntegerAttr.constr(type=EqAttrConstraint(i1))
_TEXT = BaseAttr(StringAttr)
_FIELDS = BaseAttr(DictionaryAttr)


def ints_prop(default: Sequence[int] | None = None) -> Ints:
    return prop_def(INTS, default_value=None if default is None else ints(default))


def int_prop(default: int | None = None) -> IntegerAttr:
    return prop_def(_INT, default_value=None if default is None else integer(default))


def real_prop(default: float | None = None) -> FloatAttr:
    return prop_def(_REAL, default_value=None if default is None else real(default))


def flag_prop() -> BoolAttr:
    """A flag that is false by default."""
    return prop_def(_FLAG, default_value=flag(False))  # pyright: ignore[reportReturnType]


def word_prop(*words: str, default: str | None = None) -> StringAttr:
    """A property that holds one of several keywords; required if there is no default."""
    return prop_def(
        AttrSetConstraint(frozenset(map(word, words))), default_value=None if default is None else word(default)
    )


def text_prop(default: str | None = None) -> StringAttr:
    """A property that holds any text, written in quotes."""
    return prop_def(_TEXT, default_value=None if default is None else StringAttr(default))


def fields_prop() -> DictionaryAttr:
    """A property that holds attributes by name, none by default."""
    return prop_def(_FIELDS, default_value=DictionaryAttr({}))


def as_property(value: Value) -> Attribute:
    """The attribute that represents a plain Python value."""
    match value:
        case Attribute():
            return value
        case bool():
            return flag(value)
        case int():
            return integer(value)
        case float():
            return real(value)
        case str():
            return word(value)
        case _:
            return ints(value)


@dataclass(frozen=True)
class PropertyKind:
    """The textual form of a property."""

    meaning: str
    """The expected value in words, e.g. `an integer`."""
    of: Callable[[Value], Attribute | None]
    """Function that returns the attribute for a parsed value, or None for a value of another kind."""
    text: Callable[[Attribute], str]
    parse: Callable[[AttrParser], Value] | None = None
    """The reader of a value in another form than those of numbers and words; None for these."""

    def read(self, parser: AttrParser, called: str) -> Attribute:
        """Read a value. Raises ParseError, naming op and property as `called`, for a value of another kind."""
        start = parser.pos
        try:
            value = (self.parse or _read_value)(parser)
            if (attribute := self.of(value)) is not None:
                return attribute
        except VerifyException as error:
            parser.raise_error(f"{called}: {error}", start, parser.pos)
        parser.raise_error(f"{called} must be {self.meaning}, not {_value_text(value)}", start, parser.pos)


def _of_ints(value: Value) -> Attribute | None:
    return ints(value) if isinstance(value, list) else None  # pyright: ignore[reportUnknownArgumentType]


def _of_int(value: Value) -> Attribute | None:
    return integer(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _of_real(value: Value) -> Attribute | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and int(float(_in_range(value))) != value:
        raise VerifyException(f"f64 can't represent {value} exactly; the nearest number is {int(float(value))}")
    return real(float(value))


def _of_flag(value: Value) -> Attribute | None:
    return flag(value) if isinstance(value, bool) else None


def _of_text(value: Value) -> Attribute | None:
    return StringAttr(value) if isinstance(value, str) else None


def _of_fields(value: Value) -> Attribute | None:
    return value if isinstance(value, DictionaryAttr) else None


def _read_text(parser: AttrParser) -> Value:
    return parser.parse_str_literal(" in quotes")


def _read_fields(parser: AttrParser) -> Value:
    return parser.parse_attribute()


def _ints_text(value: Attribute) -> str:
    return f"[{', '.join(map(str, value.get_values()))}]"  # pyright: ignore


def _fields_text(value: Attribute) -> str:
    """Fields as text: numbers of 64 bits as a reader would write them."""
    assert isinstance(value, DictionaryAttr)
    names = (name if _NAME.fullmatch(name) else StringAttr(name) for name in value.data)
    entries = (f"{name} = {_field_text(each)}" for name, each in zip(names, value.data.values(), strict=True))
    return f"{{{', '.join(entries)}}}"


_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def _field_text(value: Attribute) -> str:
    match value:
        case IntegerAttr() if value.type == i64:
            return str(value.value.data)
        case FloatAttr() if value.type == f64 and isfinite(value.value.data):
            return float_text(value.value.data)
        case _:
            return str(value)


_KINDS: tuple[tuple[AttrConstraint, PropertyKind], ...] = (
    (INTS, PropertyKind("integers in brackets", _of_ints, _ints_text)),
    (_INT, PropertyKind("an integer", _of_int, lambda value: str(value.value.data))),  # pyright: ignore
    (_REAL, PropertyKind("a number", _of_real, lambda value: float_text(value.value.data))),  # pyright: ignore
    (_TEXT, PropertyKind("a text in quotes", _of_text, str, _read_text)),
    (_FIELDS, PropertyKind("fields in braces", _of_fields, _fields_text, _read_fields)),
    (_FLAG, PropertyKind("true or false", _of_flag, lambda value: str(bool(value.value.data)).lower())),  # pyright: ignore
)


def kind_of(constraint: AttrConstraint) -> PropertyKind | None:
    """The kind of a property declared with `constraint`; None if it is none of the five."""
    if isinstance(constraint, AttrSetConstraint):
        words = {value.data: value for value in constraint.values if isinstance(value, StringAttr)}
        return PropertyKind(
            f"one of {', '.join(sorted(words))}",
            lambda value: words.get(value) if isinstance(value, str) else None,
            lambda value: value.data,  # pyright: ignore
        )
    return next((kind for known, kind in _KINDS if known is constraint or known == constraint), None)


def _read_value(parser: AttrParser) -> Value:
    if parser.parse_optional_punctuation("["):
        values: list[int] = []
        while parser.parse_optional_punctuation("]") is None:
            if values:
                parser.parse_punctuation(",")
            values.append(parser.parse_integer(allow_boolean=False))
        return values
    return read_number_or_word(parser)


def read_number_or_word(parser: AttrParser) -> int | float | bool | str:
    """Read a number (`inf`, `-inf`, `nan` included), a truth value, or a word."""
    negative = parser.parse_optional_punctuation("-") is not None
    if (name := parser.parse_optional_identifier()) is not None:
        if name in ("inf", "nan"):
            return float(f"-{name}" if negative else name)
        return name == "true" if name in ("true", "false") else name
    start, number = parser.pos, parser.parse_number()
    if isinstance(number, float) and isinf(number):
        parser.raise_error("the number is too large for 64 bits; write inf", start, parser.pos)
    return -number if negative else number


def _value_text(value: Value) -> str:
    return f"`{value}`" if isinstance(value, str) else str(value).lower()


def float_text(value: float) -> str:
    """A number as text that reads back as the same number: shortest decimal, `inf`, `-inf` or `nan`."""
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}.0{e}{exponent}" if e and "." not in mantissa else text
