"""Reader of a CSV file of measured kernels; unusable rows are reported with their location and skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite

from dialects.diagnostics import InputError, note
from dialects.text.printable import clipped
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.kernel_class import Column
from interp.machine.records import RATE_BYTES
from interp.machine.sheets.fields import SUBMITS
from interp.machine.sheets.values import near

WAYS = (*SUBMITS, "profiler")
"""The ways of submitting measured kernels; a profiler reports kernel times without submission."""
DEFAULT_WAY = "graph"
GENERAL = {
    "class": "class of the kernel",
    "element": f"element type: {', '.join(RATE_BYTES)}",
    "way": f"way of submission: {', '.join(WAYS)}; default {DEFAULT_WAY}",
    "lat_us": "measured time of one kernel, us",
    "power_w": "mean power of the board while the kernel repeats for seconds, W; optional",
}
"""Columns that every class of kernels has, with their meanings."""
_NEEDED = ("class", "element", "lat_us")
_CELL = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"\s*|(?P<bare>[^",]*))(?P<end>,|$)')
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_MAY_BE_ZERO = ("read", "written")
"""Columns without a default whose value may be 0, such as the number of bytes that a fill reads."""

SHOWN = 10
"""The number of skipped rows that are reported individually."""


class Remarks:
    """A reporter of problems of rows at their locations; of skipped rows, it reports the first `SHOWN` and their
    number."""

    def __init__(self) -> None:
        self.left_out = 0

    def report(self, message: str, place: str) -> None:
        note(message, place)

    def leave_out(self, message: str, place: str) -> None:
        self.left_out += 1
        if self.left_out <= SHOWN:
            note(message + (" This" if message.endswith("?") else "; this") + " row is skipped", place)

    def sum_up(self, file: str) -> None:
        if self.left_out > SHOWN:
            note(f"{self.left_out} rows are skipped in all; only the first {SHOWN} are listed", file)


@dataclass(frozen=True)
class Measurement:
    """The content of one usable row of a file of measurements."""

    place: str
    """The location `FILE:LINE:COLUMN` of the row's time."""
    kernel_class: str
    element: str
    way: str
    columns: Mapping[str, float]
    """The values of the class's columns, by name, and as `bytes` the number of bytes per element."""
    ns: float
    power_w: float
    """The mean power of the board in W; nan if not measured."""

    @property
    def shape(self) -> tuple[tuple[str, float], ...]:
        """The sizes that identify the kernel, without the state of the cache."""
        return tuple((name, value) for name, value in self.columns.items() if name not in ("warm", "bytes"))


@dataclass
class MeasuredRows:
    """The usable rows of a file, and the number of all its rows."""

    usable: list[Measurement] = field(default_factory=list[Measurement])
    total: int = 0


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    place: str


class _Unusable(Exception):
    """Raised for a row that is skipped, with reason and location."""

    def __init__(self, message: str, place: str) -> None:
        super().__init__(message)
        self.message, self.place = message, place


def read_rows(text: str, file: str, remarks: Remarks) -> MeasuredRows:
    """The measurements of a file. Raises InputError for an unusable header."""
    lines = [
        (number, line)
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        message = f"the file has no header; begin with {','.join(_NEEDED)},… (--list-classes shows all columns)"
        raise InputError(message, f"{file}:1:1")
    try:
        header = _header(list(_cells(*lines[0], file)), remarks)
    except _Unusable as why:
        raise InputError(why.message, why.place) from None
    rows, seen = MeasuredRows(), dict[tuple[object, ...], str]()
    for number, line in lines[1:]:
        rows.total += 1
        try:
            found = _measurement(header, list(_cells(number, line, file)), f"{file}:{number}:1", remarks)
            _check_new(found, seen)
        except _Unusable as why:
            remarks.leave_out(why.message, why.place)
        else:
            rows.usable.append(found)
    return rows


def _cells(number: int, line: str, file: str) -> Iterator[_Cell]:
    at = 0
    while True:
        found = _CELL.match(line, at)
        if found is None:
            place = f"{file}:{number}:{at + 1}"
            raise _Unusable(f"the quoted text {clipped(line[at:].strip())} has no closing quote in its cell", place)
        quoted = found["quoted"]
        text = quoted.replace('""', '"') if quoted is not None else found["bare"]
        start = at + len(found[0]) - len(found[0].lstrip())
        yield _Cell(text.strip(), f"{file}:{number}:{start + 1}")
        if not found["end"]:
            return
        at = found.end()


def _header(cells: list[_Cell], remarks: Remarks) -> list[str]:
    """The names of the columns in a header, "" for ignored columns. Raises InputError for a repeated, misspelt or
    missing column."""
    known = {*GENERAL, *(column.name for kernel_class in CLASSES.values() for column in kernel_class.columns)}
    names: list[str] = []
    for cell in cells:
        if cell.text in names:
            raise InputError(f"column `{cell.text}` appears twice; keep one", cell.place)
        if cell.text and cell.text not in known:
            if separator := next((mark for mark in (";", "\t") if mark in cell.text), None):
                raise InputError(f"met {separator!r}, but columns must be separated by commas; replace it", cell.place)
            hint = near(cell.text, known)
            if hint.startswith("; did"):
                raise InputError(f"there is no column `{clipped(cell.text)}`{hint}", cell.place)
            remarks.report(
                f"column `{clipped(cell.text)}` is ignored, since no class has it (--list-classes)", cell.place
            )
        names.append(cell.text if cell.text in known else "")
    for name in _NEEDED:
        if name not in names:
            message = f"the header lacks column `{name}` ({GENERAL[name]}); --list-classes shows all columns"
            raise InputError(message, cells[0].place)
    return names


def _measurement(header: list[str], cells: list[_Cell], place: str, remarks: Remarks) -> Measurement:
    if len(cells) != len(header):
        where = cells[len(header)].place if len(cells) > len(header) else cells[-1].place
        raise _Unusable(f"the row has {len(cells)} cells, but the header has {len(header)}", where)
    row = {name: cell for name, cell in zip(header, cells, strict=True) if name and cell.text}
    end = _Cell("", place)
    kernel_class = CLASSES.get(row.get("class", end).text)
    if kernel_class is None:
        raise _Unusable(*_unknown("class of kernels", row.get("class", end), CLASSES))
    element = row.get("element", end)
    if element.text not in RATE_BYTES:
        raise _Unusable(*_unknown("element type", element, RATE_BYTES))
    way = row.get("way", _Cell(DEFAULT_WAY, place))
    if way.text not in WAYS:
        raise _Unusable(*_unknown("way to submit kernels", way, WAYS))
    own = {column.name for column in kernel_class.columns}
    for name, cell in row.items():
        if name not in own and name not in GENERAL:
            raise _Unusable(f"{kernel_class.name} has no column `{name}`, but its cell is {cell.text}", cell.place)
    columns = {
        column.name: _size(column, row.get(column.name), kernel_class.name, place) for column in kernel_class.columns
    }
    time = row.get("lat_us", end)
    lat_us = _number("lat_us", time)
    if lat_us <= 0:
        raise _Unusable(f"`lat_us` is {time.text}, but must be above 0", time.place)
    columns["bytes"] = float(RATE_BYTES[element.text])
    power = _power(row.get("power_w"), remarks)
    return Measurement(time.place, kernel_class.name, element.text, way.text, columns, lat_us * 1e3, power)


def _unknown(noun: str, cell: _Cell, known: Iterable[str]) -> tuple[str, str]:
    if not cell.text:
        return f"the row has no {noun}", cell.place
    return f"there is no {noun} `{clipped(cell.text)}`{near(cell.text, known)}", cell.place


def _size(column: Column, cell: _Cell | None, kernel_class: str, place: str) -> float:
    if cell is None:
        if column.default is None:
            raise _Unusable(f"{kernel_class} needs `{column.name}` ({column.meaning})", place)
        return float(column.default)
    value = _number(column.name, cell)
    if column.flag:
        if value not in (0, 1):
            raise _Unusable(f"`{column.name}` is {cell.text}, but must be {column.meaning}", cell.place)
    elif value < 0 or (value == 0 and column.default != 0 and column.name not in _MAY_BE_ZERO):
        raise _Unusable(f"`{column.name}` is {cell.text}, a size that no kernel has; correct it", cell.place)
    return value


def _power(cell: _Cell | None, remarks: Remarks) -> float:
    if cell is None or cell.text.lower() == "nan":
        return float("nan")
    value = _number("power_w", cell)
    if value <= 0:
        remarks.report(f"`power_w` is {cell.text}, but must be above 0; it is ignored", cell.place)
        return float("nan")
    return value


def _number(name: str, cell: _Cell) -> float:
    if not _NUMBER.fullmatch(cell.text) or not isfinite(value := float(cell.text)):
        met = f"`{clipped(cell.text)}`" if cell.text else "an empty cell"
        raise _Unusable(f"`{name}` is {met}, but must be a number", cell.place)
    return value


def _check_new(found: Measurement, seen: dict[tuple[object, ...], str]) -> None:
    """Check that a row does not repeat an earlier one with an equal time, which was probably copied; repeated
    measurements with other times are accepted. Raises _Unusable."""
    key = (found.kernel_class, found.element, found.way, *found.columns.values(), found.ns)
    if key in seen:
        line = seen[key].rsplit(":", 2)[1]
        raise _Unusable(f"this row repeats line {line} with the same time", found.place)
    seen[key] = found.place
