"""Syntax error messages as whole sentences: the expected and the actual token, the op, and an example of its text.
xDSL's own messages state only the expected token."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import cast

from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span

EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
"""The pattern of an example in an op's docstring."""

_THEIRS: dict[str, str] = {
    "builtin.module": "builtin.module { … }",
    "func.func": "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { … }",
    "func.return": "func.return %y : tensor<4xf32>",
    "func.call": "%y = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>",
}
"""The textual forms of xDSL's ops in programs; those of our ops are in their docstrings."""

_TYPE, _VALUE, _NAME = "a type (tensor<4xf32>)", "a value (%x)", "a name (@main)"
_NUMBER, _TEXT, _WORD = "a whole number", 'a text in quotes ("…")', "a word"
_EXTENT = "an extent (a number or ?)"
_WANTED: dict[str, str] = {
    "type": _TYPE,
    "shape type": "the type of elements, as in tensor<4x8xf32>,",
    "argument or type": "an argument (%x: tensor<4xf32>) or a type",
    "block argument": "an argument (%x: tensor<4xf32>)",
    "attribute": 'an attribute (1 : i64, "text", [1, 2], …)',
    "attribute name": "the name of an attribute",
    "bare-id or string-literal here as part of attribute entry": "the name of an attribute",
    "operand": _VALUE,
    "an operand": _VALUE,
    "symbol name": _NAME,
    "symbol name or symbol reference": _NAME,
    "string literal": _TEXT,
    "bytes literal": _TEXT,
    "identifier": _WORD,
    "identifier or string literal": "a word or a text in quotes",
    "integer literal": _NUMBER,
    "integer value": _NUMBER,
    "integer or float literal": "a number",
    "an integer literal or `?`": _EXTENT,
    "integer literal in shape dimension": _EXTENT,
    "either integer literal or '?' in shape dimension": _EXTENT,
    "either a float, integer, or complex literal": "a number",
    "boolean literal": "true or false",
    "'x' in shape delimiter": "an x between extents, as in 4x8xf32,",
    "non-negative integer values": "numbers from 0 on",
    "location alias": "the alias of a location (#loc1)",
    "vector element type": "the type of elements, as in vector<4xf32>,",
    "operation name": "the name of an op (graph.relu)",
    "function type": "the type of an op, as in (tensor<4xf32>) -> tensor<4xf32>,",
    "builtin.module operation": "one builtin.module around the whole program",
    "':'function type signature": "`:` and the op's type, as in (tensor<4xf32>) -> tensor<4xf32>,",
    "at least one element in the dense literal, but none": "a number",
}
"""The expected tokens in xDSL's messages, each with its description for authors of programs."""

_OTHERS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"SSA value (%\S+) is already defined", r"\1 is defined above already; give one of the two another name"),
        (
            r"undefined symbol alias '(\S+)'",
            r"the alias \1 is defined nowhere; define it above (\1 = …), or write it out",
        ),
        (r"re-declaration of block '(\S+)'", r"the block ^\1 appears twice; give one of the two another name"),
        (r"re-declaration of alias '(\S+)'", r"the alias \1 is defined twice; keep one of the two"),
        (r"Duplicate key '(.*)' in .*", r"`\1` is given twice; keep one of the two"),
        (r"Redefinition of symbol '?(\S+?)'?", r"\1 is defined twice; give one of the two another name"),
        (r"expected (\d+) operand types but had (\d+)", r"\1 types are expected here, one an operand, but \2 are met"),
        (
            r"Operation has (\d+) results, but was given (\d+) to bind\.?",
            r"the op has \1 results, but \2 names stand before `=`; name each of them",
        ),
        (
            r"Expected all arguments to be named or all arguments to be unnamed\.?",
            "some arguments have names and others have none; name all of them (%x: tensor<4xf32>)",
        ),
    )
)

_EXPECTED = (
    re.compile(r"'(?P<mark>[^']+)' expected(?P<where>.*)", re.DOTALL),
    re.compile(r"[Ee]xpect(?:ed)? '(?P<mark>[^']+)'(?! in shape| type |function)(?P<where>.*)", re.DOTALL),
    re.compile(r"[Ee]xpect(?:ed)? one of (?P<list>.+)", re.DOTALL),
    re.compile(r"[Ee]xpect(?:ed)? (?P<noun>.+?)(?:, (?:but )?got .*)?", re.DOTALL),
    re.compile(r"(?P<noun>.+?) expected(?P<where>(?: that|naming| in| after| for| naming).*)?", re.DOTALL),
)
_OF_THE_GRAMMAR = re.compile(r"^ (?:after builtin .+|after operation result list|in operation argument list)$")
"""A message suffix that names a rule of xDSL's grammar; it is dropped, since the location says the same."""
_ODD_CHARACTER = re.compile(r"Unexpected character: (.)", re.DOTALL)
_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[%@#!^]?[\w$.-]+|->|::|\S')
_SHOWN = 40
"""The largest number of characters of a token that a message quotes."""


def with_clear_message(error: ParseError, op: type[Operation] | None = None, generic: bool = False) -> ParseError:
    """The error rephrased as a whole sentence, at the location of the missing token; other messages are unchanged.

    `op`: the class of the innermost op being parsed, if any; `generic`: True for the generic form (quoted name).
    """
    message = error.msg.strip()
    if (odd := _ODD_CHARACTER.fullmatch(error.msg)) is not None:
        error.msg = f"the character {_shown(odd[1])} means nothing here; delete it"
        return error
    for pattern, replacement in _OTHERS:
        if (found := pattern.fullmatch(message)) is not None:
            error.msg = found.expand(replacement)
            return error
    wanted = _wanted(message)
    if wanted is None:
        return error
    span, met = _met(cast("Span[str]", error.span))
    inside = f" in {op.name}" if op is not None and op.name not in wanted else ""
    error.span, error.msg = span, f"{wanted} is expected here{inside}, but {met}; {_way_out(met, op, generic)}"
    return error


def example_of(op: type[Operation]) -> str | None:
    """An example of an op's text: the shortest line with the op in its docstring's examples."""
    if op.name in _THEIRS:
        return _THEIRS[op.name]
    name = re.compile(rf"(?<![\w.]){re.escape(op.name)}(?![\w.])")
    lines = [line for text in EXAMPLE.findall(cleandoc(op.__doc__ or "")) for line in text.splitlines()]
    found = [line.partition(" //")[0].strip() for line in lines if name.search(line)]
    return (
        min(found, key=len).removesuffix("{").strip() + (" { … }" if found[0].endswith("{") else "") if found else None
    )


def place_of_nesting(text: str, file: str) -> str:
    """`FILE:LINE:COLUMN` of the innermost bracket of a text that is nested too deeply for its reader."""
    depth, deepest, at = 0, 0, 0
    for found in _BRACKET.finditer(text):
        depth += 1 if found[0] in "([{<" else -1 if found[0] in ")]}>" else 0
        if depth > deepest:
            deepest, at = depth, found.start()
    return f"{file}:{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"


_BRACKET = re.compile(r'"(?:\\.|[^"\\\n])*"|->|[(){}<>\[\]]')
"""A bracket, or a token whose brackets do not count: a quoted text or an arrow."""


def _wanted(message: str) -> str | None:
    """The token that a message of xDSL's parser expects; None for a message without one."""
    bare = message.rstrip(".!")
    if bare.lower().removeprefix("expected ").removesuffix(" expected") in _WANTED:
        return _WANTED[bare.lower().removeprefix("expected ").removesuffix(" expected")]
    for pattern in _EXPECTED:
        if (found := pattern.fullmatch(bare)) is None:
            continue
        parts = found.groupdict()
        where = _OF_THE_GRAMMAR.sub("", parts.get("where") or "").strip()
        if parts.get("mark") is not None:
            return f"`{parts['mark']}`" + (f" {where}" if where else "")
        if parts.get("list") is not None:
            return f"one of {parts['list'].replace(chr(39), '`')}"
        noun = parts["noun"].strip()
        phrase = _WANTED.get(noun.lower(), noun)
        return f"{phrase} {where}" if where else phrase
    return None


def _met(span: Span[str]) -> tuple[Span[str], str]:
    """The location to report and a description of the token there: the end of the line if the next token is on another
    line."""
    source, text = span.input, span.input.content
    end = _end_of_written(text[: span.start])
    found = _TOKEN.search(text, span.start)
    if found is None or not text[span.start :].strip():
        return (Span(end, end, source) if end else span), "the text ends"
    if "\n" in text[end : span.start] and end:
        return Span(end, end, source), "the line ends"
    word = found[0] if found.start() == span.start else text[span.start]
    shown = word if len(word) <= _SHOWN else f"{word[:_SHOWN]}…"
    return Span(span.start, max(span.end, span.start + 1), source), f"`{shown}` is met"


def _end_of_written(text: str) -> int:
    """The end of the last token of a text: only spaces and comments follow it."""
    while True:
        stripped = text.rstrip()
        start = stripped.rfind("\n") + 1
        comment = stripped.find("//", start)
        if comment < 0:
            return len(stripped)
        text = stripped[:comment]


def _shown(character: str) -> str:
    number = f"U+{ord(character):04X}"
    return f"`{character}` ({number})" if character.isprintable() else number


def _way_out(met: str, op: type[Operation] | None, generic: bool) -> str:
    if generic:
        name = op.name if op is not None else "dialect.name"
        return f'the generic form is `"{name}"(%x) : (tensor<4xf32>) -> tensor<4xf32>`, with values and types of the op'
    if op is not None and (example := example_of(op)) is not None:
        return f"write it as in `{example}`"
    return "write it there" if met.endswith("ends") else "write it before that"
