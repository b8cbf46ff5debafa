"""Calibrations: constants of kernel models in files next to the sheets, each with its training data and its error on
held-out data. A calibration of a GPU states constants of its chip; a calibration of a library states constants of the
kernels that it has for a compute capability.

    calibration gpu mygpu "measured in my machine"

      class gemm bf16 "400 kernels; 6.1 % off on 100 others"
        dram 0.83               # one line per constant: name, number, unit

    calibration library mylib "release 2.1"

      class gemm bf16 capability 9.0 "300 kernels of h100_sxm; 5.2 % off on 100 others"
        block_clocks 1200 clocks

A GPU's calibration may also state constants of a library's kernels, which then apply on this GPU alone: `class gemm
bf16 of mylib`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TypeAlias

from dialects.diagnostics import InputError
from dialects.files import read_text
from dialects.text.printable import clipped
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.kernel_class import Constant, GpuModel, KernelClass
from interp.kinds.gpu.power import BOARD
from interp.kinds.gpu.thread_blocks import THREAD_BLOCKS
from interp.machine.records import ARCHITECTURES, RATE_BYTES
from interp.machine.sheets.values import near
from interp.units import UNITS

_OWNERS = ("gpu", "library", "family")
GENERIC = "generic"
"""The name of the library whose constants are means over the measured libraries."""
_OF, _CAPABILITY = "of", "capability"
GPU_MODELS = (BOARD, THREAD_BLOCKS)


def power_of(kernel_class: str) -> str:
    """The name of the record that states how far the board's energy for kernels of a class is off."""
    return f"{BOARD.name}.{kernel_class}"


ERRORS_OF_POWER = tuple(
    GpuModel(power_of(name), "", f"The error of the board's energy for kernels of class {name}.", ())
    for name in CLASSES
)
MODELS: Mapping[str, KernelClass | GpuModel] = {
    **CLASSES,
    **{model.name: model for model in (*GPU_MODELS, *ERRORS_OF_POWER)},
}
"""The subjects of a calibration's records, by name: kernel classes and models of whole GPUs, which have constants, and
errors of the latter for a kernel class, which have none."""
_LARGEST = 1 << 20
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_WORD = re.compile(r'"(?P<quoted>[^"]*)"|#.*|(?P<open>")|(?P<bare>[^\s"#]+)')
_FORM = "a calibration is a heading `calibration gpu NAME`, then `class NAME ELEMENT` and lines `CONSTANT NUMBER UNIT`"


RecordKey: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """The constants of one kernel class and element type, with their origin."""

    kernel_class: str
    element: str
    constants: Mapping[str, float]
    origin: str = ""
    """The measurements on which the constants were fitted, and the error on held-out measurements."""
    library: str = ""
    """In a GPU's calibration: the library whose kernels were measured; empty: any."""
    capability: float = 0.0
    """In a library's calibration: the compute capability that the kernels are for; 0: any without a record."""

    @property
    def key(self) -> RecordKey:
        """The words of the record's heading after `class`, by which a calibration holds it."""
        of = (_OF, self.library) if self.library else ()
        capability = (_CAPABILITY, f"{self.capability:g}") if self.capability else ()
        return (self.kernel_class, self.element, *of, *capability)


def is_name(text: str) -> bool:
    """True if a GPU or library may have this name."""
    return _NAME.fullmatch(text) is not None


def key_of(kernel_class: str, element: str, library: str = "", capability: float = 0.0) -> RecordKey:
    """The key of a record in a calibration."""
    return Record(kernel_class, element, {}, library=library, capability=capability).key


@dataclass(frozen=True)
class Calibration:
    """All records of one GPU, library or family."""

    owner: str
    """The kind of owner: `gpu` for constants of one GPU, `library` for those of a library's kernels, `family` for those
    of an architecture."""
    name: str
    records: Mapping[RecordKey, Record] = field(default_factory=dict["RecordKey", Record])
    """Records by the words of their headings: kernel class, element type, and library or compute capability."""
    description: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    place: str
    quoted: bool = False


def read_calibration(path: Path) -> Calibration:
    """The calibration in a file. Raises InputError with file, line and column."""
    text = read_text(
        path,
        "a calibration is a short text file",
        "the calibration can't be read: {}; give a text file",
        "met the byte {}, but a calibration is UTF-8 text; save it as UTF-8",
        _LARGEST,
    )
    return calibration_of(text, str(path))


def calibration_of(text: str, file: str) -> Calibration:
    """A calibration from its text. Raises InputError with file, line and column."""
    lines = [found for found in _lines(text, file) if found]
    if not lines:
        raise InputError(f"the calibration is empty; {_FORM}", f"{file}:1:1")
    owner, name, description = _heading(lines[0])
    records: dict[RecordKey, Record] = {}
    for head, constants in _sections(lines[1:]):
        record = _record(owner, head, constants)
        key = record.key
        if key in records:
            raise InputError(f"{' '.join(key)} appears twice in this calibration; keep one", head[0].place)
        records[key] = record
    return Calibration(owner, name, records, description, file)


def calibration_text(calibration: Calibration) -> str:
    """The text of a calibration: constants with their units and meanings."""
    lines = [f"calibration {calibration.owner} {calibration.name}" + _quoted(calibration.description)]
    for record in calibration.records.values():
        lines += ["", f"  class {' '.join(record.key)}" + _quoted(record.origin)]
        for constant in MODELS[record.kernel_class].constants:
            if constant.name in record.constants:
                number = _digits(record.constants[constant.name], constant)
                text = f"    {constant.name} {number} {constant.unit}".rstrip()
                lines.append(f"{text:44} # {constant.meaning}")
    return "\n".join(lines) + "\n"


def _digits(value: float, constant: Constant) -> str:
    """A constant's value as text: with four significant digits, or exactly if the rounded value would be outside of the
    constant's bounds."""
    short = f"{value:.4g}"
    return short if constant.low <= float(short) <= constant.high else repr(value)


def _quoted(text: str) -> str:
    """A text as a quoted string at the end of a heading; characters that a string can't contain (quotes, line ends) are
    replaced."""
    kept = "".join(char if char.isprintable() else " " for char in text.replace('"', "'"))
    return f' "{kept}"' if kept else ""


def _lines(text: str, file: str) -> Iterator[list[_Token]]:
    """The words of each line of a text, without comments. Raises InputError for a quoted text that does not end on its
    line."""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        tokens: list[_Token] = []
        for found in _WORD.finditer(line):
            place = f"{file}:{number}:{found.start() + 1}"
            if found["open"]:
                shown = clipped(line[found.start() :].strip())
                raise InputError(f'the quoted text {shown} does not end on its line; close it with `"`', place)
            if found["quoted"] is not None:
                tokens.append(_Token(found["quoted"], place, quoted=True))
            elif found["bare"]:
                tokens.append(_Token(found["bare"], place))
        yield tokens


def _heading(tokens: list[_Token]) -> tuple[str, str, str]:
    """Owner, name and description in the heading of a calibration."""
    if _word(tokens[0]) != "calibration":
        raise InputError(f"met {_shown(tokens[0])}, but expected `calibration gpu NAME`; {_FORM}", tokens[0].place)
    words, description = _split(tokens, 3, 'calibration gpu NAME "what was measured"')
    owner, name = words[1], words[2]
    if owner.text not in _OWNERS:
        message = f"a calibration is one of a {', a '.join(_OWNERS)}, not of a {_shown(owner)}"
        raise InputError(f"{message}{near(owner.text, _OWNERS)}", owner.place)
    if not _NAME.fullmatch(name.text):
        what = {"gpu": "the name of a GPU's sheet", "library": "a library"}.get(owner.text, "a family of GPUs")
        raise InputError(f"{_shown(name)} is not a name of letters, digits and underscores; write {what}", name.place)
    if owner.text == "family" and name.text not in ARCHITECTURES:
        raise InputError(f"there is no family of GPUs `{name.text}`{near(name.text, ARCHITECTURES)}", name.place)
    return owner.text, name.text, description


def _sections(lines: Iterable[list[_Token]]) -> Iterator[tuple[list[_Token], list[list[_Token]]]]:
    """Each line with a class heading, as a list of words, with the list of the lines of its constants."""
    head: list[_Token] | None = None
    constants: list[list[_Token]] = []
    for line in lines:
        if _word(line[0]) == "class":
            if head is not None:
                yield head, constants
            head, constants = line, []
        elif _word(line[0]) == "calibration":
            raise InputError(
                "a calibration has one heading; write constants of another GPU to another file", line[0].place
            )
        elif head is None:
            met = f"met {_shown(line[0])}, but expected `class NAME ELEMENT` before any constant"
            raise InputError(met, line[0].place)
        else:
            constants.append(line)
    if head is not None:
        yield head, constants


def _record(owner: str, head: list[_Token], lines: list[list[_Token]]) -> Record:
    words, library, capability, origin = _class_heading(owner, head)
    kernel_class = MODELS.get(words[1].text)
    if kernel_class is None:
        raise InputError(
            f"there is no class of kernels {_shown(words[1])}{near(words[1].text, MODELS)}", words[1].place
        )
    if isinstance(kernel_class, GpuModel) and kernel_class.element:
        name, element = kernel_class.name, kernel_class.element
        if words[2].text != element:
            raise InputError(
                f"{name} is stated for the {element} and not for an element type; write `class {name} {element}`",
                words[2].place,
            )
    elif words[2].text not in RATE_BYTES:
        raise InputError(f"{_shown(words[2])} is not an element type{near(words[2].text, RATE_BYTES)}", words[2].place)
    values: dict[str, float] = {}
    places: dict[str, str] = {}
    for line in lines:
        constant = _constant(line[0], kernel_class)
        if constant.name in values:
            first = places[constant.name].rsplit(":", 2)[1]
            raise InputError(f"`{constant.name}` appears twice, first in line {first}; keep one", line[0].place)
        values[constant.name] = _value(constant, line)
        places[constant.name] = line[0].place
    return Record(kernel_class.name, words[2].text, values, origin, library, capability)


def _class_heading(owner: str, head: list[_Token]) -> tuple[list[_Token], str, float, str]:
    """The first words of a class's heading, the library that it names, the compute capability, and the origin."""
    word, allowed = (_word(head[3]) if len(head) > 3 else ""), _OF if owner == "gpu" else _CAPABILITY
    if owner == "family" or word not in (_OF, _CAPABILITY):
        words, origin = _split(head, 3, 'class NAME ELEMENT "what it was fitted on"')
        return words, "", 0.0, origin
    if word != allowed:
        form = "class NAME ELEMENT of LIBRARY" if owner == "gpu" else "class NAME ELEMENT capability NUMBER"
        raise InputError(f"met `{word}`, but in the calibration of a {owner} the form is `{form}`", head[3].place)
    words, origin = _split(head, 5, f"class NAME ELEMENT {word} {'LIBRARY' if word == _OF else 'NUMBER'}")
    value = words[4]
    if word == _OF:
        if not _NAME.fullmatch(value.text):
            raise InputError(f"{_shown(value)} is not a name of letters, digits and underscores", value.place)
        return words, value.text, 0.0, origin
    if not _NUMBER.fullmatch(value.text) or not 0 < float(value.text) < 100:
        raise InputError(f"met {_shown(value)}, but a compute capability is a number as in `9.0`", value.place)
    return words, "", float(value.text), origin


def _constant(token: _Token, kernel_class: KernelClass | GpuModel) -> Constant:
    known = {constant.name: constant for constant in kernel_class.constants}
    if token.quoted or token.text not in known:
        message = f"{kernel_class.name} has no constant {_shown(token)}{near(token.text, known)}"
        raise InputError(message, token.place)
    return known[token.text]


def _value(constant: Constant, line: list[_Token]) -> float:
    """The number on a constant's line, converted to the constant's unit."""
    example = f"`{constant.name} {constant.start:g} {constant.unit}".rstrip() + "`"
    if len(line) < 2:
        raise InputError(f"`{constant.name}` has no number; write it as in {example}", line[0].place)
    number, unit = line[1], " ".join(token.text for token in line[2:])
    if number.quoted or not _NUMBER.fullmatch(number.text):
        raise InputError(f"met {_shown(number)}, but expected a number, as in {example}", number.place)
    value = float(number.text) * _scale(constant, unit, line, example)
    if not (isfinite(value) and constant.low <= value <= constant.high):
        span = f"{constant.low:g} to {constant.high:g} {constant.unit}".rstrip()
        raise InputError(f"`{constant.name}` is {value:g}; it must lie within {span}", number.place)
    return value


def _scale(constant: Constant, unit: str, line: list[_Token], example: str) -> float:
    """The value of one written unit in the constant's own unit."""
    if unit == constant.unit:
        return 1.0
    written, own = UNITS.get(unit), UNITS.get(constant.unit)
    if written and own and written.dimension == own.dimension:
        return float(written.scale / own.scale)
    if not unit:
        raise InputError(f"`{constant.name}` is a number of {constant.unit}; write it as in {example}", line[1].place)
    wanted = f"is a number of {constant.unit}" if constant.unit else "is a ratio, without a unit"
    met = f"`{constant.name}` is stated in `{clipped(unit)}`, but it {wanted}; write it as in {example}"
    raise InputError(met, line[2].place)


def _split(tokens: list[_Token], count: int, form: str) -> tuple[list[_Token], str]:
    """The unquoted words of a heading, of which there must be `count`, and the quoted text at its end. `form`: the
    expected form, for the error."""
    words, rest = tokens[:count], tokens[count:]
    for token in words:
        if token.quoted:
            raise InputError(f"met {_shown(token)}, but the form is `{form}`", token.place)
    if len(words) < count:
        raise InputError(f"the line ends after {_shown(words[-1])}, but the form is `{form}`", words[-1].place)
    if rest and not rest[0].quoted:
        raise InputError(f"met {_shown(rest[0])}, but expected a quoted text; the form is `{form}`", rest[0].place)
    if len(rest) > 1:
        raise InputError(f"met {_shown(rest[1])}, but expected the end of the line", rest[1].place)
    return words, rest[0].text if rest else ""


def _word(token: _Token) -> str:
    return "" if token.quoted else token.text


def _shown(token: _Token) -> str:
    return f'"{clipped(token.text)}"' if token.quoted else f"`{clipped(token.text)}`"
