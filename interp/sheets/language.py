"""Reads the text of data sheets (grammar: sheet.lark) into statements, and tells what was met where it can't."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from dialects.diagnostics import InputError
from interp.sheets.complaints import clipped, complaint, error_place
from interp.sheets.statements import (
    Block,
    Chain,
    DecoderStatement,
    Expression,
    FieldStatement,
    FormText,
    GapStatement,
    Group,
    Largest,
    Name,
    Number,
    PartiesStatement,
    Place,
    ReadingStatement,
    RefreshStatement,
    Statement,
    SyncStatement,
    VerbStatement,
)


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
        raise InputError(f"`{clipped(text)}`: {error.message}", str(place)) from None
    return _Reader(text, place.file, place).expression(tree)


def _parse(text: str, file: str, start: str) -> Tree[Token]:
    if start == "start" and not text.endswith("\n"):
        text += "\n"
    try:
        return _parser().parse(text, start=start)  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        raise InputError(complaint(text, error), str(error_place(text, file, error))) from None


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

    def reading(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        yield ReadingStatement(
            key="reading",
            source=self.source(_trees(tree), covering),
            place=self.place(tree),
            of=self.name(_token(tree)),
        )

    def rows_by(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        word, who = _tokens(tree)
        yield FieldStatement(
            key="rows_by",
            source=self.source(_trees(tree), covering),
            place=self.place(word),
            value=self.name(who),
            text=str(who),
        )

    def verb(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        verb, parts = self.name(_token(tree)), _trees(tree)
        mode = _only(parts, "mode")
        yield VerbStatement(
            key=f"verb {verb.text}",
            source=self.source(parts, covering),
            place=verb.place,
            verb=verb,
            forms=tuple(self.form(part) for part in parts if part.data == "form"),
            mode=self.name(_token(mode)) if mode is not None else None,
        )

    def form(self, tree: Tree[Token]) -> FormText:
        mnemonic, *rows = _tokens(tree)
        return FormText(
            mnemonic=str(mnemonic),
            scopes=self.names(_trees(tree)),
            latency=self.optional(_trees(tree)),
            closes=any(word.type == "CLOSES" for word in rows),
            rowless=any(word.type == "ROWLESS" for word in rows),
        )

    def gap(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        level, *relations = _tokens(tree)
        befores, afters, cycles, *rest = _trees(tree)
        relation = str(relations[0]) if relations else "any"
        window = _only(rest, "window")
        for before, before_scope in self.parties(befores):
            for after, after_scope in self.parties(afters):
                sides = _side("", before, before_scope), _side(f"{relation} " * bool(relations), after, after_scope)
                yield GapStatement(
                    key=f"gap {level}: {' -> '.join(sides)}" + (f" window {_token(window)}" if window else ""),
                    source=self.source(rest, covering),
                    place=self.place(level),
                    level=self.name(level),
                    before=before,
                    before_scope=before_scope,
                    relation=relation,
                    after=after,
                    after_scope=after_scope,
                    cycles=self.expression(cycles),
                    text=self.slice(cycles),
                    window=self.number(window) if window is not None else None,
                )

    def parties(self, tree: Tree[Token]) -> Iterator[tuple[Name, Name | None]]:
        """The verbs on one side of a gap, each with the scope that it is tied to."""
        return map(self.party, _trees(tree))

    def refresh(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        parts = _trees(tree)
        then = _only(parts, "then")
        yield RefreshStatement(
            key="refresh",
            source=self.source(parts, covering),
            place=self.place(tree),
            interval=self.optional(parts),
            after=self.names(parts),
            then=self.name(_token(then)) if then is not None else None,
        )

    def decoder(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        parts = _trees(tree)
        yield DecoderStatement(
            key="decoder",
            source=self.source(parts, covering),
            place=self.place(tree),
            queue=self.optional(parts),
            waits=self.names(parts),
        )

    def sync(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        parts = _trees(tree)
        verbs = self.names(parts)
        yield SyncStatement(
            key="sync",
            source=self.source(parts, covering),
            place=self.place(tree),
            verbs=() if [verb.text for verb in verbs] == ["none"] else verbs,
        )

    def about(self, tree: Tree[Token], covering: str) -> Iterator[Statement]:
        parts, scopes = _trees(tree), _tokens(tree)
        listed, met = _only(parts, "parties"), _only(parts, "party")
        if listed is not None:
            parties = tuple(self.parties(listed))
        elif met is not None:
            parties = (self.party(met),)
        else:
            parties = tuple((name, None) for name in self.names(parts))
        word = str(tree.data)
        yield PartiesStatement(
            key=f"{word} {parties[0][0].text} {parties[0][1].text}" if scopes and parties[0][1] is not None else word,
            source=self.source(parts, covering),
            place=self.place(tree),
            parties=parties,
            scope=self.name(scopes[0]) if scopes else None,
        )

    def party(self, tree: Tree[Token]) -> tuple[Name, Name | None]:
        verb, *scope = map(self.name, _tokens(tree))
        return verb, scope[0] if scope else None

    def names(self, parts: Sequence[Tree[Token]]) -> tuple[Name, ...]:
        """The list of names among the parts of a statement; empty if there is none."""
        found = _only(parts, "names")
        return tuple(map(self.name, _tokens(found))) if found is not None else ()

    def optional(self, parts: Sequence[Tree[Token]]) -> Expression | None:
        """The expression among the parts of a statement, if there is one."""
        found = _only(parts, "expression")
        return self.expression(found) if found is not None else None

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
            case "largest":
                return Largest(tuple(self.expression(part, depth + 1) for part in _trees(tree)), place)
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
                f"`{clipped(str(digits))}` is no number that a device has; write it shorter, with a unit",
                str(self.place(tree)),
            )
        return Number(Fraction(str(digits)), _unit(unit), self.place(tree))


_READERS = {
    "section": _Reader.section,
    "field": _Reader.field,
    "reading": _Reader.reading,
    "rows_by": _Reader.rows_by,
    "verb": _Reader.verb,
    "gap": _Reader.gap,
    "refresh": _Reader.refresh,
    "no_refresh": _Reader.refresh,
    "decoder": _Reader.decoder,
    "no_decoder": _Reader.decoder,
    "sync": _Reader.sync,
    "alone": _Reader.about,
    "spreads": _Reader.about,
    "strays": _Reader.about,
    "reach": _Reader.about,
}


def _sourced(text: str, assumed: bool) -> str:
    return f"assumed: {text}" if assumed and text else text


def _unquoted(token: Token | None) -> str:
    return " ".join(str(token)[1:-1].split()) if token is not None else ""


def _side(relation: str, verb: Name, scope: Name | None) -> str:
    """One side of a gap as a sheet writes it."""
    return f"{relation}{verb.text}" + (f" {scope.text}" if scope is not None else "")


def _only(parts: Sequence[Tree[Token]], data: str) -> Tree[Token] | None:
    return next((part for part in parts if part.data == data), None)


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _tokens(tree: Tree[Token]) -> list[Token]:
    return [child for child in tree.children if isinstance(child, Token)]


def _token(tree: Tree[Token]) -> Token:
    return _tokens(tree)[0]


def _unit(tokens: Sequence[Token]) -> str | None:
    return str(tokens[0]) if tokens else None
