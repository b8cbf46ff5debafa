"""Syntax error messages as whole sentences: the expected and the actual token, the op, and an example of its text.
xDSL's own messages state only the expected token."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import cast

from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span

from dialects.text.printable import cut

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
    "float literal": "a number with a point (0.5)",
    "primary expression": "an index expression (d0 + 1)",
    "boolean literal": "true or false",
    "'x' in shape delimiter": "an x between extents, as in 4x8xf32,",
    "non-negative integer values": "numbers from 0 on",
    "location alias": "the alias of a location (#loc1)",
    "vector element type": "the type of elements, as in vector<4xf32>,",
    "operation name": "the name of an op (graph.relu)",
    "result ssa value": "the name of a result (%y)",
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
        (
            r"expected (\d+) operand types but had (\d+)",
            r"the number of types (\2) differs from that of operands (\1); write one type for each operand",
        ),
        (
            r"Operation has 0 results, but was given .*",
            "the op has no results, but a name stands before `=`; remove it",
        ),
        (
            r"Operation has (\d+) results, but was given (\d+) to bind\.?",
            r"the number of names before `=` (\2) differs from that of the op's results (\1); name each result",
        ),
        (
            r"Expected all arguments to be named or all arguments to be unnamed\.?",
            "some arguments have names and others have none; name all of them (%x: tensor<4xf32>)",
        ),
        # Values.
        (
            r"Result (%\S+) is defined with type (.+), but used with type (.+)",
            r"\1 is a \2, but is used as a \3 above; correct one of the two",
        ),
        (r"values used but not defined: \[(.*)\]", r"\1 are used but never defined; define them"),
        (
            r"SSA value (?:tuple )?(%\S+) is referenced with (?:an index larger than its size|index (?:\d+), but has "
            r"size (?:\d+))",
            r"\1 has fewer results than a number behind `\1#` above says; use a lower number",
        ),
        (
            r"SSA value tuple index out of bounds\. Tuple is of size (\d+) but tried to access element (\d+)\.",
            r"the op has only \1 results, but result #\2 is used here; use a lower number",
        ),
        (
            r"Expected SSA value tuple size",
            "the number of results is expected here (%y:2 = …); write it, or remove `:`",
        ),
        # Blocks, ops and dialects.
        (
            r"invalid block name in region with named arguments",
            "the first block of this body has its arguments in front of the body, so it has no name; remove the name",
        ),
        (
            r"Attribute dictionary entry '(\S+)' is already passed through the operation custom assembly format\.",
            r"`\1` is stated in front of the braces already; keep one of the two",
        ),
        (r"Operation (\S+) is not registered", r"unknown op `\1`; ndp-opt --list-ops lists all ops"),
        (r"dialect (\S+) is not registered", r"unknown dialect `\1`; remove its entry"),
        (r"dialect (\S+) doesn't have an OpAsmDialectInterface interface", r"`\1` has no resources; remove its entry"),
        (r"Identifier not in space (\S+)", r"`\1` is no variable of this map; name one that stands in front of `->`"),
        (r"Unknown binary operator (\S+)", r"`\1` is no operator of an index; write +, -, *, floordiv, ceildiv or mod"),
        (r"'(\S+)' is not registered", r"unknown type or attribute `\1`; correct its name"),
        (r"Builtin (\S+) is not supported yet!", r"`\1` can't be read here; write the values one by one"),
        (r"got an error when parsing a resource: (.+)", r"the resource can't be read: \1"),
        (
            r"got an unexpected key in file metadata: (\S+)",
            r"unknown metadata `\1`; write dialect_resources or external_resources",
        ),
        # Types, numbers and texts.
        (
            r"Invalid type given for integer or float attribute\.?",
            "the type behind a number must be one of integers or floats (1 : i64, 0.5 : f32)",
        ),
        (
            r"Floating point value is not valid for integer type\.?",
            "a type of integers has no such number; write 1.0 : f32",
        ),
        (r"Boolean values are only allowed for i1 types", "true and false are of type i1; write a number of this type"),
        (r"either an int or float must be present", "a number is expected here"),
        (
            r"No conversion from complex to float",
            "a complex number is written here, but the type is one of real numbers",
        ),
        (
            r"Complex value must be either \(float, float\) or \(int, int\)",
            "the two parts of a complex number must be of one kind: (1.0, 2.0) or (1, 2)",
        ),
        (
            r"Complex type must be parameterized by an integer or float type!",
            "a complex type has parts of an integer or float type (complex<f32>)",
        ),
        (r"Unexpected dynamic dimension!", "every extent must be a number here, not `?`"),
        (
            r"Dense literal attribute should have a static shape\.",
            "every extent of this type must be a number, not `?`",
        ),
        (r"(?:Dense|opaque) attribute must be typed!", "the type is missing here; write it (: tensor<4xf32>)"),
        (
            r"Shape mismatch in dense literal\. Expected (.+) (elements|shape) from the type, but got (.+) "
            r"(?:elements|shape)\.",
            r"the type has the \2 \1, but the numbers written are \3; correct one of the two",
        ),
        (
            r"Tensor literal has inconsistent ranks between elements",
            "the brackets are nested to different depths; nest all numbers equally",
        ),
        (r"Hex string in denseAttr is invalid", 'the text must be hexadecimal digits behind 0x ("0x0000803F")'),
        (r"Opaque expects 2 string literal parameters!", 'an opaque attribute has two texts (opaque<"a", "b">)'),
        (
            r"dense array element type must be an integer or floating point type",
            "the elements of an array are integers or floats (array<i64: 1, 2>)",
        ),
        (
            r"dense resource should have a shaped type, got: (.+)",
            r"a resource is of a type with a shape (tensor<4xf32>), not \1",
        ),
        (r"Unranked tensors don't have an encoding!", "a tensor without rank has no encoding; remove it"),
        (r"Un(?:expected|supported) location (?:syntax|type)\.", 'a location is expected here (loc("file":1:2))'),
        (
            r"Unexpected end of file (?:in dialect symbol body|before closing of attribute body!)",
            "the text ends inside of an attribute or type; close its brackets",
        ),
        (
            r"Unterminated string literal in dialect symbol body",
            'a text in an attribute or type is not closed; add `"`',
        ),
        (
            r"(?:Unbalanced '.' in dialect symbol body|Unexpected closing parenthesis .+ in attribute body!.*)",
            "a bracket is closed here that is not open; delete it, or open it",
        ),
        (
            r"Expected three consecutive '\.' for an ellipsis",
            "a point means nothing here; write digits in front of it (0.5)",
        ),
        (r"Invalid string literal!", 'the text is not closed, or has a line break in it; end it with `"`'),
        (r"End of file reached before closing string literal\.", 'the text is not closed; end it with `"`'),
        (r"Unexpected end of file after @\.", "a name is missing behind @; write it (@main)"),
        (
            r"@ identifier expected to start with letter, '_', or '\"'\.",
            'a name behind @ begins with a letter or _, or is in quotes (@main, @"2x")',
        ),
        (r"Incomplete escape sequence at end of string\.", "the text ends with a backslash; write two for one"),
        (r"Invalid escape sequence: (.+)", r"`\1` means nothing in a text; write \\\\ for a backslash"),
    )
)

_OTHER_TYPE = re.compile(r"operand is used with type (.+), but has been previously used or defined with type (.+)")
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


def with_clear_message(
    error: ParseError,
    op: type[Operation] | None = None,
    generic: bool = False,
    attribute: type[Attribute] | None = None,
) -> ParseError:
    """The error rephrased as a whole sentence, at the location of the missing token; other messages are unchanged.

    `op`: the class of the innermost op being parsed, if any; `generic`: True for the generic form (quoted name);
    `attribute`: the class of the type or attribute being parsed, if any.
    """
    message = error.msg.strip()
    if (other := _OTHER_TYPE.fullmatch(message)) is not None:
        name = written if (written := cast("Span[str]", error.span).text).startswith("%") else "the value"
        error.msg = f"{name} is a {other[2]}, but is written as a {other[1]}; correct one of the two"
        return error
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
    if attribute is not None and (example := example_of_attribute(attribute)) is not None:
        wanted, inside = wanted.replace(_NAME, "a name (@gpu)"), example.partition("<")[0]
        error.span, error.msg = span, f"{wanted} is expected here in {inside}, but {met}; write it as in `{example}`"
        return error
    inside = f" in {op.name}" if op is not None and op.name not in wanted else ""
    way_out = _way_out(met, op, generic, _line_of(cast("Span[str]", error.span)))
    error.span, error.msg = span, f"{wanted} is expected here{inside}, but {met}; {way_out}"
    return error


def _line_of(span: Span[str]) -> str:
    """The line in which a span begins, without a comment."""
    text = span.input.content
    start = text.rfind("\n", 0, span.start) + 1
    return text[start:].partition("\n")[0].partition(" //")[0].strip()


def example_of(op: type[Operation], like: str = "") -> str | None:
    """An example of an op's text from its docstring: the line with the most words of the line `like`, of several the
    one with the fewest other words."""
    if op.name in _THEIRS:
        return _THEIRS[op.name]
    name = re.compile(rf"(?<![\w.]){re.escape(op.name)}(?![\w.])")
    lines = [line for text in EXAMPLE.findall(cleandoc(op.__doc__ or "")) for line in text.splitlines()]
    found = [line.partition(" //")[0].strip() for line in lines if name.search(line)]
    if not found:
        return None
    words = set(_WORD_IN_LINE.findall(like))
    ranks = {line: (len(words.intersection(_WORD_IN_LINE.findall(line))), -len(line)) for line in found}
    best = max(found, key=lambda line: ranks[line])
    return best.removesuffix("{").strip() + (" { … }" if best.endswith("{") else "")


_WORD_IN_LINE = re.compile(r"(?<![%@#!\w.])[a-z_]+(?:\.[a-z_]+)?(?![\w.])")
"""A word of an op's text: its name, a keyword or an attribute; no value, name or number."""


def example_of_attribute(attribute: type[Attribute]) -> str | None:
    """An example of the text of a type or an attribute: the first one in its docstring."""
    text = " ".join((attribute.__doc__ or "").split())
    found = re.search(rf"`([#!]{re.escape(attribute.name)}<[^`]*>)`", text)
    return None if found is None else found[1]


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
    return Span(span.start, max(span.end, span.start + 1), source), f"`{cut(word, _SHOWN, _SHOWN)}` is met"


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


def _way_out(met: str, op: type[Operation] | None, generic: bool, line: str) -> str:
    if generic:
        name = op.name if op is not None else "dialect.name"
        return f'the generic form is `"{name}"(%x) : (tensor<4xf32>) -> tensor<4xf32>`, with values and types of the op'
    if op is not None and (example := example_of(op, line)) is not None:
        return f"write it as in `{example}`"
    return "write it there" if met.endswith("ends") else "write it before that"
