"""CSV tables whose values have locations, so that errors are reported at `FILE:LINE:COLUMN`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NoReturn

from dialects import files
from dialects.diagnostics import FileName, InputError
from dialects.text.printable import cut
from dialects.text.suggestions import hint

_WHOLE = re.compile(r"-?\d{1,18}")
_SHOWN = 40
"""The largest number of characters of a value that a message shows."""


@dataclass(frozen=True)
class Cell:
    """A value of a table: its stripped text, its column's name and its location."""

    text: str
    column: str
    place: str

    def refuse(self, expected: str) -> NoReturn:
        """Raise InputError with a message that quotes the value and states that `expected` was expected."""
        met = f"`{cut(self.text, _SHOWN)}`" if self.text else "nothing"
        raise InputError(f"met {met} in column `{self.column}`, expected {expected}", self.place)

    def integer(self, least: int = 0, most: int = 10**18, what: str = "a whole number") -> int:
        """The value as an integer. Raises InputError if it is not an integer from `least` to `most`; `what` describes
        the expected value."""
        if not _WHOLE.fullmatch(self.text) or not least <= (number := int(self.text)) <= most:
            self.refuse(f"{what} from {least} to {most}")
        return number

    def integers(self, most: int, what: str = "whole numbers") -> tuple[int, ...]:
        """The value as a possibly empty list of integers separated by blanks, each from 0 to `most`."""
        return tuple(cell.integer(0, most, what) for cell in self.words())

    def words(self) -> Iterator[Cell]:
        """The words of the value, separated by blanks, each with its location."""
        start, _, column = self.place.rpartition(":")
        for word in re.finditer(r"\S+", self.text):
            yield Cell(word[0], self.column, f"{start}:{int(column) + word.start()}")

    def number(self, least: float = 0.0, most: float = 1e15) -> float:
        """The value as a number. Raises InputError if it is not a number from `least` to `most`."""
        try:
            number = float(self.text)
        except ValueError:
            number = float("nan")
        if not isfinite(number) or not least <= number <= most:
            self.refuse(f"a number from {least:g} to {most:g}")
        return number


Row = Mapping[str, Cell]
"""The values of a line, by the name of their column."""


def read_table(
    path: str | os.PathLike[str], what: str, columns: Sequence[str], optional: Sequence[str] = ()
) -> list[Row]:
    """The rows of a file whose first line names its columns, in any order; blank lines are skipped.

    `what` describes the file's contents in messages. Raises InputError, with a location, if the file can't be read,
    lacks one of `columns`, has one that is neither among these nor `optional`, or a line has more or fewer values than
    the first.
    """
    lines = _lines(path, what)
    first = next(lines, None)
    if first is None:
        raise InputError(f"the file is empty, expected {what}, with columns {', '.join(columns)}", FileName(path))
    names = _names(first, what, columns, optional)
    rows: list[Row] = []
    for line in lines:
        if len(line) < len(names):
            missing = names[len(line)]
            raise InputError(
                f"the line ends after {len(line)} of {len(names)} values, before {missing}", line[-1].place
            )
        if len(line) > len(names):
            raise InputError(
                f"the line has {len(line)} values, but the first line names only {len(names)} columns",
                line[len(names)].place,
            )
        rows.append({name: Cell(cell.text, name, cell.place) for name, cell in zip(names, line, strict=True)})
    return rows


def _names(first: Sequence[Cell], what: str, columns: Sequence[str], optional: Sequence[str]) -> list[str]:
    """The names of the columns, from a file's first line."""
    known = (*columns, *optional)
    names: list[str] = []
    for cell in first:
        if cell.text not in known:
            near = hint(cell.text, known, f"the columns of {what} are {', '.join(known)}")
            raise InputError(f"there is no column `{cell.text}` in {what}{near}", cell.place)
        if cell.text in names:
            raise InputError(f"the column `{cell.text}` appears twice; keep one", cell.place)
        names.append(cell.text)
    if missing := [name for name in columns if name not in names]:
        raise InputError(f"{what} must have a column `{missing[0]}`; the first line names the columns", first[0].place)
    return names


def _lines(path: str | os.PathLike[str], what: str) -> Iterator[list[Cell]]:
    """The values of each line that is not blank."""
    for number, line in enumerate(read_text(path, what).split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        cells: list[Cell] = []
        start = 0
        for text in line.split(","):
            inside = len(text) - len(text.lstrip())
            cells.append(Cell(text.strip(), "", f"{os.fspath(path)}:{number}:{start + inside + 1}"))
            start += len(text) + 1
        yield cells


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """The contents of a text file. Raises InputError if it can't be read or is not UTF-8."""
    advice = f"{what} has a line for each kernel, tensor or move"
    return files.read_text(
        path, advice, f"can't be read: {{}}; expected {what}", "met the byte {}, expected UTF-8 text"
    )
