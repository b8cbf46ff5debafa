"""JSON from files of strangers: read strictly, and checked against a type."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, NoReturn, TypeVar

from dialects.diagnostics import FileName, InputError
from dialects.text.printable import clipped
from dialects.text.syntax_errors import place_of_nesting

T = TypeVar("T")


def json_value(text: str | bytes, file: str, what: str, advice: str = "") -> Any:
    """The value of a JSON text: plain data without names that stand twice in an object, and with finite numbers.

    `what`: a description of the text for messages, such as `the plan`; `advice`: the end of messages. Raises
    InputError, at the line and column where JSON ends, or at the file.
    """
    end = f"; {advice}" if advice else ""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for number, name in enumerate(names) if name in names[:number])
            raise InputError(f"{what} has {json.dumps(twice[:60])} twice in one object; keep one", FileName(file))
        return found

    def refused(word: str) -> NoReturn:
        raise InputError(f"{what} can't contain {clipped(word)}, only finite numbers{end}", FileName(file))

    def finite(digits: str) -> float:
        return number if isfinite(number := float(digits)) else refused(digits)

    def integer(digits: str) -> int | float:  # a reader that expects a count refuses a float
        return int(digits) if len(digits) < 20 else finite(digits)

    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
        return json.loads(
            decoded, object_pairs_hook=once, parse_float=finite, parse_int=integer, parse_constant=refused
        )
    except UnicodeDecodeError as error:
        message = f"{what} is not UTF-8 text: byte {error.start} is 0x{error.object[error.start]:02x}{end}"
        raise InputError(message, FileName(file)) from None
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise InputError(f"{what} is not valid JSON: {reason}{end}", f"{file}:{error.lineno}:{error.colno}") from None
    except RecursionError:
        place = place_of_nesting(text, file) if isinstance(text, str) else FileName(file)
        raise InputError(f"{what} is nested too deeply{end}", place) from None


def of_type(value: object, expected: type[T], file: str, what: str, advice: str = "") -> T:
    """Plain data as a value of a type: of a class of msgspec, a dataclass, or a type of containers. Raises InputError,
    at the file, with the place inside the data where another type stands."""
    import msgspec

    try:
        return msgspec.convert(value, expected)
    except msgspec.ValidationError as error:
        words, _, path = str(error).partition(" - at ")
        inside = f" at {path}" if path else ""
        message = f"{what} is not as expected{inside}: {words[:1].lower()}{re.sub(r'`', '', words[1:])}"
        raise InputError(message + (f"; {advice}" if advice else ""), FileName(file)) from None
