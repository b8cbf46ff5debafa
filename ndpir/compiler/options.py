"""Parsing of passes and targets with options, `NAME{option=value other=1,2}`, into instances of their classes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from keyword import iskeyword
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.utils.hints import isa

from dialects.diagnostics import InputError
from dialects.text.suggestions import hint
from lowering.words import is_former, known_words

Convertible = TypeVar("Convertible", bound=ArgSpecConvertible)

_WORDS: dict[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a word",
    NoneType: "nothing",
}


@dataclasses.dataclass(frozen=True)
class Spec:
    """One `NAME{…}` of a list, with the columns, from 1, of its name and of its options."""

    spec: ArgSpec
    column: int
    columns: dict[str, int]


def parse_specs(text: str, flag: str) -> list[Spec]:
    """The list of specs in `text`, the value of the command-line flag `flag`. Raises InputError with the location of a
    syntax error."""
    if (digits := _ENDLESS.search(text)) is not None:
        raise InputError(
            f"the number has more than {MOST_DIGITS} digits, the limit; write a smaller number",
            place_in(flag, digits.start() + 1),
        )
    tight, positions = _without_spaces(text)
    try:
        specs = list(parse_pipeline(tight))
    except ArgSpecParseError as error:
        raise _syntax_error(str(error), text, positions, flag) from None
    return [Spec(spec, *where) for spec, where in zip(specs, _columns(text), strict=True)]


def place_in(flag: str, column: int) -> str:
    """The location of a column in a command-line flag's value, as diagnostics print it."""
    return f"{flag}:1:{column}"


def without_spaces(text: str) -> str:
    """The text of specs in xDSL's syntax: without spaces, except between options."""
    return _without_spaces(text)[0]


def _without_spaces(text: str) -> tuple[str, list[int]]:
    """The text with only the spaces that xDSL's syntax requires, one between options, and each character's original
    column."""
    tokens = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
    kept: list[tuple[str, int]] = []
    inside = False
    for index, (token, start) in enumerate(tokens):
        inside = (inside or token == "{") and token != "}"
        if not token.isspace():
            kept.append((token, start))
        elif (
            inside
            and tokens[index - 1][0] not in "{,="
            and tokens[index + 1 : index + 2]
            and tokens[index + 1][0] not in "},="
        ):
            kept.append((" ", start))
        elif (
            not inside
            and kept
            and tokens[index + 1 : index + 2]
            and kept[-1][0] not in ",}"
            and tokens[index + 1][0] not in ",{"
        ):
            kept.append((" ", start))  # keep the space, so that two names without a comma are an error
    columns = [start + offset + 1 for token, start in kept for offset in range(len(token))]
    return "".join(token for token, _ in kept), [*columns, len(text) + 1]


def _syntax_error(message: str, text: str, columns: list[int], flag: str) -> InputError:
    where = re.search(r"pass-pipeline:1:(\d+)", message)
    column = columns[min(int(where[1]) if where else 1, len(columns)) - 1]
    met = text[column - 1 : column]
    what = f"`{met}`" if met else "the end"
    return InputError(
        f"{what} is not expected here; write passes as `NAME{{option=value other=1,2}}`, with a comma between two "
        "passes",
        place_in(flag, column),
    )


MOST_DIGITS = 1000
_ENDLESS = re.compile(rf"\d{{{MOST_DIGITS + 1}}}")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[[^\]]*\]|[{},=]|[^\s{},="\[]+|\s+|.')


def _columns(text: str) -> Iterator[tuple[int, dict[str, int]]]:
    """The columns, from 1, of each spec's name and of its options, in a list without syntax errors."""
    name_at, options, inside, before = 0, dict[str, int](), False, ","
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token.isspace():
            before = " "
            continue
        if token == "{":
            inside = True
        elif token == "}":
            inside = False
        elif token == "," and not inside:
            yield name_at, options
            name_at, options = 0, {}
        elif inside and token not in ",=" and before in "{ ":
            options[token] = match.start() + 1
        elif not inside and not name_at:
            name_at = match.start() + 1
        before = token
    if name_at:
        yield name_at, options


def build(cls: type[Convertible], given: Spec, flag: str, discover: Callable[[], bool] = lambda: False) -> Convertible:
    """An instance of `cls`, a pass or target, with the options of `given`. Raises InputError for an unknown option, a
    wrong value or a missing required option.

    `discover` loads installed plugins, which may define further values of an option; it returns True if it did.
    """
    spec = given.spec.normalize_parameter_names()
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init and field.name != "name"}
    types = get_type_hints(cls)
    at = {field_name(name): place_in(flag, column) for name, column in given.columns.items()}
    values = {field_name(name): value for name, value in spec.parameters.items()}
    for name, value in values.items():
        if name not in fields:
            raise InputError(_unknown(cls.name, name, list(fields)), at.get(name))
        if not value and types[name] is bool:
            values[name] = value = (True,)
        if _takes(float, types[name]) and not isa(value, types[name]):
            values[name] = value = tuple(float(v) if type(v) is int else v for v in value)
        if not _fits(value, types[name]):
            raise InputError(
                f"option `{option_name(name)}` of {cls.name} must be {describe(types[name])}, but is {_written(value)}",
                at.get(name),
            )
        words = known_words(fields[name]) if value and not is_former(fields[name], value[0]) else []
        if words and value[0] not in words and not (discover() and value[0] in (words := known_words(fields[name]))):
            raise InputError(
                f"option `{option_name(name)}` of {cls.name} must be one of {', '.join(words)}, "
                f"but is {_written(value)}" + hint(str(value[0]), words),
                at.get(name),
            )
    for name in cls.required_fields() - {"name", *values}:
        raise InputError(
            f"{cls.name} requires option `{option_name(name)}`; write {cls.name}{{{option_name(name)}=…}} with "
            f"{describe(types[name])}",
            place_in(flag, given.column),
        )
    try:
        return cls.from_spec(ArgSpec(cls.name, values))
    except (ValueError, InputError) as error:  # raised by checks of the class itself
        place = getattr(error, "place", None) or next(iter(at.values()), place_in(flag, given.column))
        raise InputError(str(error), place) from None


def option_name(name: str) -> str:
    """The command-line spelling of a field's name, with - for _; `from_` is the option `from`."""
    return name.removesuffix("_").replace("_", "-")


def field_name(option: str) -> str:
    """The name of the field for an option; an option that is a keyword of Python has a field with a trailing _."""
    name = option.replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def describe(type_: Any, words: Sequence[str] = ()) -> str:
    """A description of the values that an option of type `type_` may have, as "a whole number" or "one of a, b".
    `words`: the allowed values, if the option has a fixed set of them."""
    if words:
        return f"one of {', '.join(words)}"
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if origin in (Union, UnionType):
        return " or ".join(describe(argument) for argument in arguments if argument is not NoneType)
    if origin is tuple:
        return f"a list, each {describe(arguments[0])}"
    return _WORDS.get(type_, getattr(type_, "__name__", str(type_)))


def _takes(kind: type, type_: Any) -> bool:
    return type_ is kind or any(_takes(kind, argument) for argument in get_args(type_))


def _fits(value: tuple[Any, ...], type_: Any) -> bool:
    if not value:  # an option without a value
        return NoneType in get_args(type_)
    if type_ in (int, float) and isinstance(value[0], bool):
        return False
    return (len(value) == 1 and isa(value[0], type_)) or isa(value, type_)


def _written(value: tuple[Any, ...]) -> str:
    return ",".join(str(v).lower() if isinstance(v, bool) else str(v) for v in value) or "nothing"


def _unknown(owner: str, name: str, known: list[str]) -> str:
    if not known:
        return f"{owner} has no options, but `{option_name(name)}` is given; leave it out"
    options = [option_name(each) for each in known]
    return f"{owner} has no option `{option_name(name)}`" + hint(name, options, f"it takes {', '.join(options)}")
