"""Reads the text of data sheets (grammar: sheet.lark) into statements, and tells what was met where it can't."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from importlib.resources import files

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from dialects.diagnostics import InputError
from interp.sheets.statements import (
    Block,
    Chain,
    Expression,
    FieldStatement,
    GapStatement,
    Group,
    Name,
    Number,
    Place,
    RefreshStatement,
    Statement,
    VerbStatement,
)

SECTIONS = ("shape", "timing", "energy", "rate", "matrix")
STATEMENT_WORDS = ("device", "link", "source", "assume", "verb", "gap", "refresh", *SECTIONS)


@cache
def _parser() -> Lark:
    grammar = files("interp.sheets").joinpath("sheet.lark").read_text(encoding="utf-8")
    return Lark(
        grammar, parser="lalr", start=["start", "expression"], maybe_placeholders=True, propagate_positions=True
    )


def read_blocks(text: str, file: str) -> list[Block]:
    """The blocks of a sheet's text, in its order. Raises InputError with file, line and column."""
    tree = _parse(text, file, "start")
    reader = _Reader(text, file)
    return [reader.block(child) for child in _trees(tree)]


def read_expression(text: str, place: Place) -> Expression:
    """One value as a sheet writes it, e.g. `1 GHz` or `tRC + 16`, every part of it at `place`. Raises InputError."""
    try:
        tree = _parse(text, place.file, "expression")
    except InputError as error:
        raise InputError(f"`{_clipped(text)}`: {error.message}", str(place)) from None
    return _Reader(text, place.file, place).expression(tree)


def _parse(text: str, file: str, start: str) -> Tree[Token]:
    if start == "start" and not text.endswith("\n"):
        text += "\n"
    try:
        return _parser().parse(text, start=start)  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        raise InputError(_complaint(text, error), str(_error_place(text, file, error))) from None


_EXPECTED = {
    "NAME": "a name",
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
    "__ANON_0": "`->`",
    "RELATION": "`same`, `next`, `first`",
    "SECTION": ", ".join(f"`{word}`" for word in SECTIONS),
    "SOURCE": "`source`, `assume`",
    "$END": "the end",
}


def _error_place(text: str, file: str, error: UnexpectedInput) -> Place:
    if error.line < 1:  # at the end of the text
        lines = text.splitlines()
        return Place(file, max(len(lines), 1), len(lines[-1]) + 1 if lines else 1)
    return Place(file, error.line, error.column)


def _complaint(text: str, error: UnexpectedInput) -> str:
    """What was met, what was expected, and a way out where one can be guessed."""
    expected = (
        (error.accepts or error.expected)
        if isinstance(error, UnexpectedToken)
        else getattr(error, "allowed", None) or set[str]()
    )
    words = ", ".join(sorted({_EXPECTED.get(name, f"`{name.lower()}`") for name in expected}))
    ended = str(getattr(getattr(error, "token", None), "type", "")) == "$END"
    at = len(text) if ended or error.pos_in_stream is None or error.pos_in_stream < 0 else error.pos_in_stream
    rest = text[at:].split("\n", 1)[0]
    if not text[at:].strip():
        met = "the end of the text"
    elif not rest.strip():
        met = "the end of the line"
    elif rest[0] == '"' and '"' not in rest[1:]:
        return f'the quoted text {_clipped(rest)} does not end on its line; close it with `"`'
    else:
        met = f"`{_clipped(_first_word(rest))}`"
    return f"met {met}, but expected {words}{_guess(text, at)}"


def _first_word(text: str) -> str:
    found = re.match(r'"[^"]*"|\w+(/\w+)?|->|\S', text.strip())
    return found.group() if found else text[:1]


def _clipped(text: str) -> str:
    shown = text if text.isprintable() else ascii(text)[1:-1]
    return shown if len(shown) <= 40 else f"{shown[:37]}…"


def _guess(text: str, at: int) -> str:
    """A hint where the line's first word looks like a mistyped statement."""
    line = text[text.rfind("\n", 0, at) + 1 : at].strip() or text[at:].strip()
    word = re.match(r"\w*", line)
    first = word.group() if word else ""
    if first in STATEMENT_WORDS:
        return ""
    near = get_close_matches(first, STATEMENT_WORDS, 1)
    return f"; is `{first}` meant to be `{near[0]}`?" if near else ""


_MOST_NESTED = 40
_MOST_DIGITS = 40
_LARGEST_EXPONENT = 60


class _Reader:
    """Turns the trees of one text into blocks."""

    def __init__(self, text: str, file: str, fixed: Place | None = None) -> None:
        self.text = text
        self.file = file
        self.fixed = fixed

    def place(self, at: Token | Tree[Token]) -> Place:
        if self.fixed is not None:
            return self.fixed
        line, column = (at.line, at.column) if isinstance(at, Token) else (at.meta.line, at.meta.column)
        return Place(self.file, line or 1, column or 1)

    def name(self, token: Token) -> Name:
        return Name(str(token), self.place(token))

    def block(self, tree: Tree[Token]) -> Block:
        tokens = _tokens(tree)
        is_link = tokens[0].type == "LINK"
        name, *others = tokens[1:] if is_link else tokens
        bases = [child for child in _trees(tree) if child.data == "base"]
        kind = next((token for token in others if token.type == "NAME"), None)
        description = next((token for token in others if token.type == "STRING"), None)
        base = self.name(_token(bases[0])) if bases else None
        block = Block(
            name=str(name),
            is_link=is_link,
            kind=self.name(kind) if kind is not None else None,
            base=Name(base.text.strip('"'), base.place) if base else None,
            description=_unquoted(description),
            place=self.place(name),
        )
        for statement in self.statements(tree):
            if statement.key in block.statements:
                earlier = block.statements[statement.key].place
                raise InputError(
                    f"{block.name} says `{statement.key}` twice, first in line {earlier.line}; keep one",
                    str(statement.place),
                )
            block.statements[statement.key] = statement
        return block

    def statements(self, tree: Tree[Token]) -> Iterator[Statement]:
        covering = ""
        parts = [child for child in _trees(tree) if child.data != "base"]
        heading = [part for part in parts if part.data in ("entry", "source")]  # those of `with`
        yield from self.fields(heading, "", "")
        for part in parts[len(heading) :]:
            if part.data == "covering":
                word, text = _tokens(part)
                covering = _sourced(_unquoted(text), word == "assume")
            else:
                yield from _READERS[part.data](self, part, covering)

    def fields(self, parts: Sequence[Tree[Token]], section: str, covering: str) -> Iterator[Statement]:
        source = self.source(parts, covering)
        for part in parts:
            if part.data == "entry":
                path, value = _trees(part)
                words = [section, *(str(token) for token in _tokens(path))]
                yield FieldStatement(
                    key=".".join(word for word in words if word),
                    source=source,
                    place=self.place(path),
                    value=self.expression(value),
                    text=self.slice(value),
                )

    def section(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        return self.fields(_trees(tree), str(_tokens(tree)[0]), covering)

    def field(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        return self.fields(_trees(tree), "", covering)

    def verb(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        verb, mnemonic, *scopes = map(self.name, _tokens(tree))
        yield VerbStatement(
            key=f"verb {verb.text}",
            source=self.source(_trees(tree), covering),
            place=verb.place,
            verb=verb,
            mnemonic=mnemonic.text,
            scopes=tuple(scopes),
        )

    def gap(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        level = self.name(_tokens(tree)[0])
        befores, afters, cycles = _trees(tree)[:3]
        relations = [token for token in _tokens(afters) if token.type == "RELATION"]
        relation = str(relations[0]) if relations else "any"
        for before in map(self.name, _tokens(befores)):
            for after in (self.name(token) for token in _tokens(afters) if token.type == "NAME"):
                shown = f"{relation} {after.text}" if relations else after.text
                yield GapStatement(
                    key=f"gap {level.text}: {before.text} -> {shown}",
                    source=self.source(_trees(tree), covering),
                    place=level.place,
                    level=level,
                    before=before,
                    relation=relation,
                    after=after,
                    cycles=self.expression(cycles),
                    text=self.slice(cycles),
                )

    def refresh(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        parts = _trees(tree)
        interval = next((part for part in parts if part.data == "expression"), None)
        yield RefreshStatement(
            key="refresh",
            source=self.source(parts, covering),
            place=self.place(tree),
            interval=self.expression(interval) if interval is not None else None,
            after=tuple(map(self.name, _tokens(tree))),
            then=next((self.name(_token(part)) for part in parts if part.data == "then"), None),
        )

    def source(self, parts: Sequence[Tree[Token]], covering: str) -> str:
        """The source that trails a statement, or else the covering one."""
        for part in parts:
            if part.data == "source":
                *assumed, text = _tokens(part)
                return _sourced(_unquoted(text), bool(assumed))
        return covering

    def slice(self, tree: Tree[Token]) -> str:
        return self.text[tree.meta.start_pos : tree.meta.end_pos]

    def expression(self, tree: Tree[Token], depth: int = 0) -> Expression:
        place = self.place(tree)
        if depth > _MOST_NESTED:
            raise InputError(
                f"parentheses stand more than {_MOST_NESTED} deep; name a part as a timing parameter", str(place)
            )
        match tree.data:
            case "number":
                return self.number(tree)
            case "name":
                return self.name(_token(tree))
            case "group":
                return Group(self.expression(_trees(tree)[0], depth + 1), _unit(_tokens(tree)), place)
            case _:
                return self.chain(tree, depth)

    def chain(self, tree: Tree[Token], depth: int) -> Expression:
        negative = isinstance(tree.children[0], Token)
        operators = [str(token) for token in _tokens(tree)][negative:]
        operands = [self.expression(child, depth + 1) for child in _trees(tree)]
        first, place = operands[0], self.place(tree)
        if negative:
            first = Chain(Number(Fraction(-1), None, place), (("*", first),), place)
        if not operators:
            return first
        rest = tuple(zip(operators, operands[1:], strict=True))
        return Chain(first, rest, place)  # pyright: ignore[reportArgumentType]

    def number(self, tree: Tree[Token]) -> Number:
        digits, *unit = _tokens(tree)
        mantissa, _, exponent = str(digits).lower().partition("e")
        if len(mantissa) > _MOST_DIGITS or len(exponent) > 3 or abs(int(exponent or 0)) > _LARGEST_EXPONENT:
            raise InputError(
                f"`{_clipped(str(digits))}` is no number that a device has; write it shorter, with a unit",
                str(self.place(tree)),
            )
        return Number(Fraction(str(digits)), _unit(unit), self.place(tree))


_READERS = {
    "section": _Reader.section,
    "field": _Reader.field,
    "verb": _Reader.verb,
    "gap": _Reader.gap,
    "refresh": _Reader.refresh,
    "no_refresh": _Reader.refresh,
}


def _sourced(text: str, assumed: bool) -> str:
    return f"assumed: {text}" if assumed and text else text


def _unquoted(token: Token | None) -> str:
    return " ".join(str(token)[1:-1].split()) if token is not None else ""


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _tokens(tree: Tree[Token]) -> list[Token]:
    return [child for child in tree.children if isinstance(child, Token)]


def _token(tree: Tree[Token]) -> Token:
    return _tokens(tree)[0]


def _unit(tokens: Sequence[Token]) -> str | None:
    return str(tokens[0]) if tokens else None
