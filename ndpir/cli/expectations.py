"""`--verify-diagnostics`: comparison of a run's errors with those expected by comments in the program, as in MLIR.

    // expected-error @+1 {{the sentence, or a part of it}}
    %y = graph.relu %x : tensor<4xi1>   // expected-error {{a part of it}}

Severities are `error`, `warning` and `note`. Locations are `@+N`, `@-N`, `@above` and `@below` (the nearest line
without an expectation), and `@unknown`. The text of `expected-error-re` contains regular expressions between `{{` and
`}}`, as in `{{not {{[0-9]+}} bits}}`, or is a regular expression itself, as in `{{not .* bits}}`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from ndpir.diagnostics.printed import Diagnostic, Severity

_EXPECTED = re.compile(
    r"expected-(?P<severity>error|warning|note|remark)(?P<re>-re)?\s*(?:@(?P<place>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}\s*$"
)
_LOOKS_LIKE = re.compile(r"//.*\bexpected-(error|warning|note|remark)\b")


@dataclass
class Expectation:
    """An expected diagnostic, from one comment. `line`: its line, None for an unknown location; `place`: the location
    of the comment."""

    severity: Severity
    line: int | None
    text: str
    pattern: re.Pattern[str]
    place: str

    def fits(self, met: Diagnostic) -> bool:
        position = met.position
        line = position[1] if position else None
        return met.severity == self.severity and line == self.line and self.pattern.search(met.message) is not None


def check_expectations(text: str, name: str, lines_above: int, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The mismatches: unexpected diagnostics, and expectations without a diagnostic; empty if all match.

    `text` is (a part of) the file `name`, after `lines_above` lines of it. Unexpected notes are ignored.
    """
    expectations, wrong = read_expectations(text, name, lines_above)
    for met in diagnostics:
        fitting = next((each for each in expectations if each.fits(met)), None)
        if fitting is not None:
            expectations.remove(fitting)
        elif met.severity != "note":
            wrong.append(Diagnostic("error", f"unexpected {met.severity}: {met.message}", met.place, met.width))
    wrong += [
        Diagnostic("error", f'expected {each.severity} "{each.text}" was not reported', each.place)
        for each in expectations
    ]
    return wrong


def read_expectations(text: str, name: str, lines_above: int) -> tuple[list[Expectation], list[Diagnostic]]:
    """The expected diagnostics in the comments of a text, and errors for comments of a wrong form. `lines_above`: the
    number of lines of the file `name` before the text."""
    lines = text.split("\n")
    bare = [number for number, line in enumerate(lines, 1) if not _EXPECTED.search(line)]
    found: list[Expectation] = []
    wrong: list[Diagnostic] = []
    for number, line in enumerate(lines, 1):
        match = _EXPECTED.search(line)
        if match is None and (lookalike := _LOOKS_LIKE.search(line)):
            wrong.append(
                Diagnostic(
                    "error",
                    "this expectation has the wrong form; write `// expected-error @+1 {{text}}`",
                    f"{name}:{number + lines_above}:{lookalike.start() + 1}",
                )
            )
        if match is not None:
            place = f"{name}:{number + lines_above}:{match.start() + 1}"
            try:
                pattern = _pattern(match["text"], bool(match["re"]))
            except re.error as error:
                wrong.append(Diagnostic("error", f"the text is not a valid regular expression: {error}", place))
                continue
            severity = cast(Severity, match["severity"].replace("remark", "note"))
            at = _line(match["place"], number, bare, lines_above)
            found.append(Expectation(severity, at, match["text"], pattern, place))
    return found, wrong


def _line(place: str | None, number: int, bare: list[int], lines_above: int) -> int | None:
    match place:
        case None:
            at = number
        case "unknown":
            return None
        case "above":
            at = max((line for line in bare if line < number), default=number - 1)
        case "below":
            at = min((line for line in bare if line > number), default=number + 1)
        case _:
            at = number + int(place)
    return at + lines_above


def _pattern(text: str, has_regex: bool) -> re.Pattern[str]:
    if not has_regex:
        return re.compile(re.escape(text))
    parts = re.split(r"\{\{(.*?)\}\}", text)
    if len(parts) == 1:  # MLIR takes this literally; with -re the whole text may also be meant as a pattern
        return re.compile(f"{re.escape(text)}|{text}")
    return re.compile("".join(f"(?:{part})" if index % 2 else re.escape(part) for index, part in enumerate(parts)))
