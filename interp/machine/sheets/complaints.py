"""Messages about the syntax errors of data sheets: the text in which the parser stopped, the expected text, and a
suggestion."""

from __future__ import annotations

import re

from lark.exceptions import UnexpectedInput, UnexpectedToken

from dialects.text.printable import clipped
from dialects.text.suggestions import nearest
from interp.machine.sheets.statements import SheetPlace

SECTIONS = ("shape", "timing", "energy", "rate", "matrix")
STATEMENT_WORDS = (
    *(
        "device",
        "link",
        "engine",
        "source",
        "assume",
        "verb",
        "gap",
        "refresh",
        "decoder",
        "sync",
        "rows",
        "variant",
        "programs",
    ),
    "measures",
    *SECTIONS,
)

_EXPECTED = {
    "NAME": "a name",
    "MNEMONIC": "a mnemonic",
    "NUMBER": "a number",
    "UNIT": "a unit",
    "STRING": "a quoted text",
    "COLON": "`:`",
    "EQUAL": "`=`",
    "COMMA": "`,`",
    "_COMMA": "`,`",
    "VBAR": "`|`",
    "_NL": "the end of the line",
    "PLUS": "`+`",
    "MINUS": "`-`",
    "TIMES": "`*`",
    "OVER": "`/`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "DOT": "`.`",
    "_MAX": "`max(`",
    "_ARROW": "`->`",
    "RELATION": "`same`, `next`, `first`",
    "SCOPE": "`bank`, `twin`, `same`, `group`, `all`",
    "_IN_SCOPE": "`scope`",
    "ROWS_BY": "`rows by`",
    "SECTION": ", ".join(f"`{word}`" for word in SECTIONS),
    "SOURCE": "`source`, `assume`",
    "$END": "the end",
}


def error_place(text: str, file: str, error: UnexpectedInput) -> SheetPlace:
    if error.line < 1:  # at the end of the text
        lines = text.splitlines()
        return SheetPlace(file, max(len(lines), 1), len(lines[-1]) + 1 if lines else 1)
    return SheetPlace(file, error.line, error.column)


def complaint(text: str, error: UnexpectedInput) -> str:
    """A message about a syntax error: the text at which the parser stopped, the expected text, and a suggestion if one
    can be guessed."""
    expected = (
        (error.accepts or error.expected)
        if isinstance(error, UnexpectedToken)
        else getattr(error, "allowed", None) or set[str]()
    )
    words = ", ".join(sorted({_EXPECTED.get(name, f"`{name.lower()}`") for name in expected})) or "the end"
    ended = str(getattr(getattr(error, "token", None), "type", "")) == "$END"
    at = len(text) if ended or error.pos_in_stream is None or error.pos_in_stream < 0 else error.pos_in_stream
    rest = text[at:].split("\n", 1)[0]
    if not text[at:].strip():
        met = "the end of the text"
    elif not rest.strip():
        met = "the end of the line"
    elif rest[0] == '"' and '"' not in rest[1:]:
        return f'the quoted text {clipped(rest)} does not end on its line; close it with `"`'
    else:
        met = f"`{clipped(_first_word(rest))}`"
    return f"met {met}, but expected {words}{_guess(text, at)}"


def _first_word(text: str) -> str:
    found = re.match(r'"[^"]*"|\w+(/\w+)?|->|\S', text.strip())
    return found.group() if found else text[:1]


def _guess(text: str, at: int) -> str:
    """A hint if the line's first word looks like a mistyped statement."""
    line = text[text.rfind("\n", 0, at) + 1 : at].strip() or text[at:].strip()
    word = re.match(r"\w*", line)
    first = word.group() if word else ""
    if first in STATEMENT_WORDS:
        return ""
    near = nearest(first, STATEMENT_WORDS)
    return f"; is `{first}` meant to be `{near}`?" if near else ""
