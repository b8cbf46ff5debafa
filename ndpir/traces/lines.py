"""Line-by-line trace parsing: lark parses each line form once, and reports syntax errors with line and column.

Lines that differ only in their numbers have the same form, which determines the fields of the numbers; so all further
lines are parsed by looking up their form, in one or two microseconds per line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from dialects.diagnostics import InputError
from dialects.grammars import grammar

NUMBER = re.compile(r"(?<!\w)(?:0[xX][0-9a-fA-F]+|\d+)(?!\w)")
LARGEST = 1 << 40
"""The upper limit of numbers in traces: addresses of the largest memories have fewer bits."""


@dataclass(frozen=True)
class LineForm:
    """The part of a line that remains without its numbers: the grammar rule, its keyword in the trace, and the name of
    the field of each number, in order."""

    rule: str
    word: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class TraceLine:
    """A line: its form, its numbers, and its text."""

    form: LineForm
    numbers: tuple[int, ...]

    def __getitem__(self, field: str) -> int:
        return self.numbers[self.form.fields.index(field)]

    def get(self, field: str, otherwise: int = 0) -> int:
        """The number in a field, or `otherwise` if the form has no such field."""
        return self[field] if field in self.form.fields else otherwise


class Grammar:
    """The grammar of the lines of a vendor's trace. `name`: the grammar file in this folder, without `.lark`;
    `example`: a valid line."""

    def __init__(self, name: str, example: str) -> None:
        self.name, self.example = name, example
        self.forms: dict[str, LineForm] = {}

    @property
    def lark(self) -> Lark:
        return grammar(__file__, self.name)

    def instruction(self, line: str, place: tuple[str, int]) -> TraceLine:
        """Parse a line. Raises InputError at `place` (file and line number) and the column."""
        form = self.forms.get(key := NUMBER.sub("#", line))
        if form is None:
            form = self.forms[key] = self._form(line, place)
        numbers = tuple([_number(text) for text in NUMBER.findall(line)])
        if numbers and max(numbers) >= LARGEST:
            at = next(at for at, number in enumerate(numbers) if number >= LARGEST)
            raise InputError(
                f"{numbers[at]} is too large: {_called(form.fields[at])} is a number below {LARGEST}",
                f"{place[0]}:{place[1]}:{column_of(line, at)}",
            )
        return TraceLine(form, numbers)

    def knows(self, line: str) -> bool:
        """True if a line matches the grammar."""
        try:
            self.lark.parse(line)  # pyright: ignore[reportUnknownMemberType]
        except UnexpectedInput:
            return False
        return True

    def _form(self, line: str, place: tuple[str, int]) -> LineForm:
        try:
            tree = self.lark.parse(line)  # pyright: ignore[reportUnknownMemberType]
        except UnexpectedInput as error:
            raise self._refusal(line, error, place) from None
        rule = next(child for child in tree.children if isinstance(child, Tree))
        fields = [child for child in rule.children if isinstance(child, Tree)]
        words = [child for child in rule.children if isinstance(child, Token)]
        return LineForm(str(rule.data), str(words[0]), tuple(str(field.data) for field in fields))

    def _refusal(self, line: str, error: UnexpectedInput, place: tuple[str, int]) -> InputError:
        """The error for an invalid line, whose message states the token that was found and the words that were
        expected."""
        column = error.column
        if isinstance(error, UnexpectedToken) and error.token.type == "$END":  # pyright: ignore[reportUnknownMemberType]
            column = len(line.rstrip()) + 1
            problem = "the line ends too early"
        else:
            rest = line[column - 1 :].split()
            unknown = isinstance(error, UnexpectedCharacters)
            problem = f"`{rest[0] if rest else ''}` is {'not known' if unknown else 'not expected'} here"
        wanted = self._usage(line[: column - 1].split()) or f"a line is written as in `{self.example}`"
        return InputError(f"{problem}; {wanted}", f"{place[0]}:{place[1]}:{column}")

    def _usage(self, words: Sequence[str]) -> str:
        """The operands of the instruction that begins with `words`, as text."""
        patterns = {terminal.name: re.compile(terminal.pattern.to_regexp()) for terminal in self.lark.terminals}
        found = ""
        for rule in self.lark.rules:
            symbols = [symbol.name for symbol in rule.expansion]
            keys = [symbol for symbol in symbols if symbol in patterns]
            fields = [_called(str(symbol)) for symbol in symbols if symbol not in patterns]
            if rule.origin.name[0] != "_" and rule.origin.name != "start" and keys and fields:
                matched = [word for key in keys for word in words if patterns[key].fullmatch(word)]
                usage = f"{' '.join(matched)} takes {', '.join(fields)}"
                found = max(found, usage if len(matched) == len(keys) else "", key=len)
        return found


def _called(field: str) -> str:
    return field.replace("_", " ")


def column_of(line: str, at: int) -> int:
    """The column, from 1 on, at which the line's number with index `at` starts."""
    return [match.start() for match in NUMBER.finditer(line)][at] + 1


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The non-empty lines, with their numbers from 1; `#` starts a comment."""
    commented = "#" in text
    for number, line in enumerate(text.split("\n"), 1):
        if commented and "#" in line:
            line = line[: line.index("#")]
        if line and not line.isspace():
            yield number, line.rstrip("\r")


def _number(text: str) -> int:
    """The value of a number's text; LARGEST if it has too many digits."""
    if len(text) > 1000:
        return LARGEST
    return int(text, 0 if text[:2] in ("0x", "0X") else 10)
