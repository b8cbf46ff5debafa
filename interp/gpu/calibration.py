"""Calibrations: constants of kernel models for one GPU or one family, in files beside the sheets, each with what it was
fitted on and how far off it was on what it was not fitted on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from dialects.diagnostics import InputError
from interp.gpu.classes import CLASSES

_GRAMMAR = r"""
start: _NL? "calibration" OWNER NAME [STRING] _NL record*
record: "class" NAME NAME [STRING] _NL constant*
constant: NAME NUMBER UNIT? _NL
OWNER: "gpu" | "family"
NAME: /[A-Za-z_][A-Za-z0-9_]*/
NUMBER: /-?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?/
UNIT: /(?!class\b)[A-Za-z][A-Za-z\/ -]*(?=[ \t]*(\n|#))/
STRING: /"[^"\n]*"/
_NL: /\n(?:[ \t\r\n]|#[^\n]*)*/
%ignore /[ \t\r]+|#[^\n]*/
"""


@dataclass(frozen=True)
class Record:
    """The constants of one class of kernels and element type, and where they come from."""

    kernel_class: str
    element: str
    constants: Mapping[str, float]
    origin: str = ""
    """What they were fitted on, and the error on what they were not."""


@dataclass(frozen=True)
class Calibration:
    """All records of one GPU or family."""

    owner: str
    """`gpu` or `family`."""
    name: str
    records: Mapping[tuple[str, str], Record] = field(default_factory=dict[tuple[str, str], Record])
    """By class and element type."""
    description: str = ""
    file: str = ""


def read_calibration(path: Path) -> Calibration:
    """A calibration's file. Raises InputError with file, line and column."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"can't read the calibration ({error}); give a text file", str(path)) from None
    return calibration_of(text, str(path))


def calibration_of(text: str, file: str) -> Calibration:
    """A calibration from its text. Raises InputError with file, line and column."""
    try:
        tree = _parser().parse(text if text.endswith("\n") else text + "\n")  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        raise InputError(_complaint(text, error), f"{file}:{error.line}:{error.column}") from None
    owner, name, description, *rest = tree.children
    records: dict[tuple[str, str], Record] = {}
    for child in rest:
        assert isinstance(child, Tree)
        record = _record(child, file)
        records[record.kernel_class, record.element] = record
    return Calibration(str(owner), str(name), records, _unquoted(description), file)


def calibration_text(calibration: Calibration) -> str:
    """The text of a calibration, constants with their units and meanings."""
    lines = [f"calibration {calibration.owner} {calibration.name}" + _quoted(calibration.description)]
    for record in calibration.records.values():
        lines += ["", f"  class {record.kernel_class} {record.element}" + _quoted(record.origin)]
        for constant in CLASSES[record.kernel_class].constants:
            if constant.name in record.constants:
                said = f"    {constant.name} {record.constants[constant.name]:.4g} {constant.unit}".rstrip()
                lines.append(f"{said:44} # {constant.meaning}")
    return "\n".join(lines) + "\n"


@cache
def known_calibrations() -> Mapping[tuple[str, str], Calibration]:
    """The calibrations that come with ndpir, by owner and name."""
    folder = Path(str(files("interp").joinpath("devices/calibrations")))
    found = [read_calibration(path) for path in sorted(folder.glob("*.calibration"))]
    return {(calibration.owner, calibration.name): calibration for calibration in found}


def _record(tree: Tree[Token], file: str) -> Record:
    head, element, origin, *constants = tree.children
    assert isinstance(head, Token)
    kernel_class = CLASSES.get(str(head))
    if kernel_class is None:
        known = ", ".join(CLASSES)
        raise InputError(f"there is no class of kernels `{head}`; there are {known}", _place(head, file))
    known = {constant.name: constant for constant in kernel_class.constants}
    values: dict[str, float] = {}
    for token, number in _constants(constants):
        constant = known.get(str(token))
        if constant is None:
            names = ", ".join(known)
            raise InputError(f"{head} has no constant `{token}`; it has {names}", _place(token, file))
        value = float(number)
        if not constant.low <= value <= constant.high:
            span = f"{constant.low:g} to {constant.high:g}"
            raise InputError(f"`{token}` is {value:g}; it must lie within {span}", _place(number, file))
        values[str(token)] = value
    return Record(str(head), str(element), values, _unquoted(origin))


def _constants(trees: list[Token | Tree[Token]]) -> Iterator[tuple[Token, Token]]:
    for tree in trees:
        assert isinstance(tree, Tree)
        name, number = tree.children[:2]
        assert isinstance(name, Token) and isinstance(number, Token)
        yield name, number


def _place(token: Token, file: str) -> str:
    return f"{file}:{token.line}:{token.column}"


def _quoted(text: str) -> str:
    return f' "{text}"' if text else ""


def _unquoted(token: object) -> str:
    return str(token)[1:-1] if token else ""


def _complaint(text: str, error: UnexpectedInput) -> str:
    line = text.splitlines()[error.line - 1] if 0 < error.line <= len(text.splitlines()) else ""
    met = re.match(r"\S+", line[error.column - 1 :]) if error.column > 0 else None
    shown = f"`{met.group()}`" if met else "the end of the line"
    return f"{shown} makes no sense here; a calibration is `class NAME ELEMENT` and lines of `constant number unit`"


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", maybe_placeholders=True)
