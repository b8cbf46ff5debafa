"""The parser of data sheets (grammar: sheet.lark), which converts text to statements and reports syntax errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypedDict

from lark import Token, Tree
from lark.exceptions import UnexpectedInput

from dialects.diagnostics import InputError, note
from dialects.grammars import grammar
from dialects.text.printable import clipped
from interp.machine.sheets.complaints import complaint, error_place
from interp.machine.sheets.statements import (
    Block,
    DecoderStatement,
    Expression,
    FieldStatement,
    FormText,
    GapStatement,
    Group,
    Largest,
    Name,
    Number,
    OperatorChain,
    PartiesStatement,
    Range,
    RefreshStatement,
    SheetPlace,
    Statement,
    SyncStatement,
    VariantStatement,
    VerbStatement,
    Words,
)
from interp.machine.sheets.trees import only, side, sourced, token, tokens, trees, unit_of, unquoted

_STARTS = ("start", "expression", "listed")


def read_blocks(text: str, file: str) -> list[Block]:
    """The blocks (devices, links and engines) in the text of a sheet file, in their order. Raises InputError with file,
    line and column."""
    tree = _parse(text, file, "start")
    reader = _SheetReader(text, file)
    return [reader.block(child) for child in trees(tree)]


class ValueTextError(InputError):
    """The error for the text of a value that can't be parsed; `column`: the column of the error in this text, from 1
    on."""

    def __init__(self, message: str, at: str, column: int) -> None:
        super().__init__(message, at)
        self.column = column


@lru_cache(maxsize=4096)
def read_expression(text: str, place: SheetPlace, listed: bool = False) -> Expression:
    """The expression that a text states as in a sheet, e.g. `1 GHz` or `tRC + 16`; with `listed`, a list of names, e.g.
    `slice, pad`. Each part of the expression has the place `place`. Raises InputError for text that can't be parsed."""
    try:
        tree = _parse(text, place.file, "listed" if listed else "expression")
    except InputError as error:
        column = int((error.place or "1").rpartition(":")[2])
        way = "write one value as a sheet does, `2`, `1 GHz` or `tRC + 16`"
        raise ValueTextError(f"`{clipped(text)}`: {error.message}; {way}", str(place), column) from None
    reader = _SheetReader(text, place.file, place)
    return reader.listed(tokens(tree)) if listed else reader.expression(tree)


def _parse(text: str, file: str, start: str) -> Tree[Token]:
    if start == "start" and not text.endswith("\n"):
        text += "\n"
    try:
        return grammar(__file__, "sheet", *_STARTS).parse(text, start=start)  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        raise InputError(complaint(text, error), str(error_place(text, file, error))) from None


@dataclass(frozen=True)
class Source:
    """The source of a number, and its range if it is assumed."""

    text: str = ""
    range: Range | None = None

    @property
    def fields(self) -> SourceFields:
        """The source and its range as keyword arguments of a statement."""
        return {"source": self.text, "range": self.range}


class SourceFields(TypedDict):
    """The source and the range of a number, as keyword arguments of a statement."""

    source: str
    range: Range | None


_MOST_NESTED = 40
_MOST_DIGITS = 40
_LARGEST_EXPONENT = 60


class _SheetReader:
    """The conversion of the parse tree of one sheet file to blocks."""

    def __init__(self, text: str, file: str, fixed: SheetPlace | None = None) -> None:
        self.text = text
        self.file = file
        self.fixed = fixed

    def place(self, at: Token | Tree[Token]) -> SheetPlace:
        if self.fixed is not None:
            return self.fixed
        line, column = (at.line, at.column) if isinstance(at, Token) else (at.meta.line, at.meta.column)
        return SheetPlace(self.file, line or 1, column or 1)

    def name(self, token: Token) -> Name:
        return Name(str(token), self.place(token))

    def block(self, tree: Tree[Token]) -> Block:
        heading = tokens(tree)
        kindless = heading[0].type == "KINDLESS"
        name, *others = heading[1:] if kindless else heading
        bases = [child for child in trees(tree) if child.data == "base"]
        kind = next((each for each in others if each.type == "NAME"), None)
        description = next((each for each in others if each.type == "STRING"), None)
        base = self.name(token(bases[0])) if bases else None
        block = Block(
            name=str(name),
            word=str(heading[0]) if kindless else "device",
            kind=self.name(kind) if kind is not None else None,
            base=Name(base.text.strip('"'), base.place) if base else None,
            description=unquoted(description),
            place=self.place(name),
        )
        for statement in self.statements(tree):
            if statement.key in block.statements:
                earlier = block.statements[statement.key].place
                raise InputError(
                    f"{block.name} states `{statement.key}` twice, first in line {earlier.line}; keep one",
                    str(statement.place),
                )
            block.statements[statement.key] = statement
        return block

    def statements(self, tree: Tree[Token]) -> Iterator[Statement]:
        covering = Source()
        parts = [child for child in trees(tree) if child.data != "base"]
        heading = [part for part in parts if part.data in ("entry", "source")]  # the entries of `with`
        yield from self.fields(heading, "", Source())
        for part in parts[len(heading) :]:
            if part.data == "covering":
                word, text = tokens(part)
                covering = self.sourced(part, text, word == "assume")
            else:
                yield from _READERS[part.data](self, part, covering)

    def fields(self, parts: Sequence[Tree[Token]], section: str, covering: Source) -> Iterator[Statement]:
        source = self.source(parts, covering)
        for part in parts:
            if part.data == "entry":
                path, value = trees(part)
                words = [section, *(str(token) for token in tokens(path))]
                yield FieldStatement(
                    key=".".join(word for word in words if word),
                    source=source.text,
                    range=source.range,
                    place=self.place(path),
                    value=self.expression(value),
                    text=self.slice(value),
                )

    def section(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        return self.fields(trees(tree), str(tokens(tree)[0]), covering)

    def field(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        return self.fields(trees(tree), "", covering)

    def variant(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        word, of = tokens(tree)
        if word == "reading":
            note(f"`reading of {of}` is the former spelling; write `variant of {of}`", str(self.place(tree)))
        yield VariantStatement(
            key="variant",
            **self.source(trees(tree), covering).fields,
            place=self.place(tree),
            of=self.name(of),
        )

    def rows_by(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        word, who = tokens(tree)
        yield FieldStatement(
            key="rows_by",
            **self.source(trees(tree), covering).fields,
            place=self.place(word),
            value=self.name(who),
            text=str(who),
        )

    def listing(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        word, *names = tokens(tree)
        found = self.listed(names)
        yield FieldStatement(
            key=str(word),
            **self.source(trees(tree), covering).fields,
            place=self.place(tree),
            value=found,
            text=", ".join(word.text for word in found.words),
        )

    def programs(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        return self.qualified(tree, covering, "programs", "buffers")

    def measures(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        return self.qualified(tree, covering, "measures", "threads")

    def qualified(self, tree: Tree[Token], covering: Source, key: str, also: str) -> Iterator[Statement]:
        """The statements of a line such as `programs pimflow buffers 4`: a statement of the word (`pimflow`) for the
        field `key`, and, if the line has a second word (`buffers`), a statement of the number after it for the field
        `also`."""
        parts, who = trees(tree), self.name(token(tree))
        source, number = self.source(parts, covering), only(parts, "expression")
        yield FieldStatement(key=key, source=source.text, range=source.range, place=who.place, value=who, text=who.text)
        if number is not None:
            yield FieldStatement(
                key=f"{key}.{also}",
                source=source.text,
                range=source.range,
                place=self.place(number),
                value=self.expression(number),
                text=self.slice(number),
            )

    def listed(self, names: Sequence[Token]) -> Words:
        """A list of names as an expression; the single name `none` is the empty list."""
        words = tuple(map(self.name, names))
        return Words(() if [word.text for word in words] == ["none"] else words, words[0].place)

    def verb(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        verb, parts = self.name(token(tree)), trees(tree)
        mode = only(parts, "mode")
        yield VerbStatement(
            key=f"verb {verb.text}",
            **self.source(parts, covering).fields,
            place=verb.place,
            verb=verb,
            forms=tuple(self.form(part) for part in parts if part.data == "form"),
            mode=self.name(token(mode)) if mode is not None else None,
        )

    def form(self, tree: Tree[Token]) -> FormText:
        mnemonic, *rows = tokens(tree)
        return FormText(
            mnemonic=str(mnemonic),
            scopes=self.names(trees(tree)),
            latency=self.optional(trees(tree)),
            closes=any(word.type == "CLOSES" for word in rows),
            rowless=any(word.type == "ROWLESS" for word in rows),
        )

    def gap(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        level, *relations = tokens(tree)
        befores, afters, cycles, *rest = trees(tree)
        relation = str(relations[0]) if relations else "any"
        window = only(rest, "window")
        for before, before_scope in self.parties(befores):
            for after, after_scope in self.parties(afters):
                sides = side("", before, before_scope), side(f"{relation} " * bool(relations), after, after_scope)
                yield GapStatement(
                    key=f"gap {level}: {' -> '.join(sides)}" + (f" window {token(window)}" if window else ""),
                    **self.source(rest, covering).fields,
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
        """The verbs on one side of a gap, each with its scope, or with None if no scope is stated."""
        return map(self.party, trees(tree))

    def refresh(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        parts = trees(tree)
        then = only(parts, "then")
        yield RefreshStatement(
            key="refresh",
            **self.source(parts, covering).fields,
            place=self.place(tree),
            interval=self.optional(parts),
            after=self.names(parts),
            then=self.name(token(then)) if then is not None else None,
        )

    def decoder(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        parts = trees(tree)
        yield DecoderStatement(
            key="decoder",
            **self.source(parts, covering).fields,
            place=self.place(tree),
            queue=self.optional(parts),
            waits=self.names(parts),
        )

    def sync(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        parts = trees(tree)
        verbs = self.names(parts)
        yield SyncStatement(
            key="sync",
            **self.source(parts, covering).fields,
            place=self.place(tree),
            verbs=() if [verb.text for verb in verbs] == ["none"] else verbs,
        )

    def about(self, tree: Tree[Token], covering: Source) -> Iterator[Statement]:
        parts, scopes = trees(tree), tokens(tree)
        listed, met = only(parts, "parties"), only(parts, "party")
        if listed is not None:
            parties = tuple(self.parties(listed))
        elif met is not None:
            parties = (self.party(met),)
        else:
            parties = tuple((name, None) for name in self.names(parts))
        word = str(tree.data)
        yield PartiesStatement(
            key=f"{word} {parties[0][0].text} {parties[0][1].text}" if scopes and parties[0][1] is not None else word,
            **self.source(parts, covering).fields,
            place=self.place(tree),
            parties=parties,
            scope=self.name(scopes[0]) if scopes else None,
        )

    def party(self, tree: Tree[Token]) -> tuple[Name, Name | None]:
        verb, *scope = map(self.name, tokens(tree))
        return verb, scope[0] if scope else None

    def names(self, parts: Sequence[Tree[Token]]) -> tuple[Name, ...]:
        """The list of names among the parts of a statement; empty if there is none."""
        found = only(parts, "names")
        return tuple(map(self.name, tokens(found))) if found is not None else ()

    def optional(self, parts: Sequence[Tree[Token]]) -> Expression | None:
        """The expression among the parts of a statement, if there is one."""
        found = only(parts, "expression")
        return self.expression(found) if found is not None else None

    def source(self, parts: Sequence[Tree[Token]], covering: Source) -> Source:
        """The source at the end of a statement; without one, `covering`, the source that is stated for a group of
        statements."""
        for part in parts:
            if part.data == "source":
                *assumed, text = tokens(part)
                return self.sourced(part, text, bool(assumed))
        return covering

    def sourced(self, tree: Tree[Token], text: Token, assumed: bool) -> Source:
        """The source that a text states; for an assumed number also its range, if one is given. Raises InputError for a
        range without `assume`."""
        met = only(trees(tree), "range")
        if met is None:
            return Source(sourced(unquoted(text), assumed))
        if not assumed:
            raise InputError(
                "only assumed numbers have a range; write `assume` instead of `source`", str(self.place(met))
            )
        low, high = trees(met)
        texts = self.slice(low).strip(), self.slice(high).strip()
        parts = self.expression(low), self.expression(high)
        span = Range(*parts, *texts, bool(tokens(met)), self.place(met))
        times = " times" if span.factor else ""
        return Source(f"assumed, {span.low_text} to {span.high_text}{times}: {unquoted(text)}", span)

    def slice(self, tree: Tree[Token]) -> str:
        return self.text[tree.meta.start_pos : tree.meta.end_pos]

    def expression(self, tree: Tree[Token], depth: int = 0) -> Expression:
        place = self.place(tree)
        if depth > _MOST_NESTED:
            raise InputError(
                f"parentheses are nested more than {_MOST_NESTED} deep; name a part as a timing parameter", str(place)
            )
        match tree.data:
            case "number":
                return self.number(tree)
            case "name":
                return self.name(token(tree))
            case "group":
                return Group(self.expression(trees(tree)[0], depth + 1), unit_of(tokens(tree)), place)
            case "largest":
                return Largest(tuple(self.expression(part, depth + 1) for part in trees(tree)), place)
            case _:
                return self.chain(tree, depth)

    def chain(self, tree: Tree[Token], depth: int) -> Expression:
        negative = isinstance(tree.children[0], Token)
        operators = [str(token) for token in tokens(tree)][negative:]
        operands = [self.expression(child, depth + 1) for child in trees(tree)]
        first, place = operands[0], self.place(tree)
        if negative:
            first = OperatorChain(Number(Fraction(-1), None, place), (("*", first),), place)
        if not operators:
            return first
        rest = tuple(zip(operators, operands[1:], strict=True))
        return OperatorChain(first, rest, place)  # pyright: ignore[reportArgumentType]

    def number(self, tree: Tree[Token]) -> Number:
        digits, *unit = tokens(tree)
        mantissa, _, exponent = str(digits).lower().partition("e")
        if len(mantissa) > _MOST_DIGITS or len(exponent) > 3 or abs(int(exponent or 0)) > _LARGEST_EXPONENT:
            raise InputError(
                f"`{clipped(str(digits))}` has too many digits or too large an exponent; write it shorter, with a unit",
                str(self.place(tree)),
            )
        return Number(Fraction(str(digits)), unit_of(unit), self.place(tree))


_READERS = {
    "section": _SheetReader.section,
    "field": _SheetReader.field,
    "variant": _SheetReader.variant,
    "rows_by": _SheetReader.rows_by,
    "listing": _SheetReader.listing,
    "programs": _SheetReader.programs,
    "measures": _SheetReader.measures,
    "verb": _SheetReader.verb,
    "gap": _SheetReader.gap,
    "refresh": _SheetReader.refresh,
    "no_refresh": _SheetReader.refresh,
    "decoder": _SheetReader.decoder,
    "no_decoder": _SheetReader.decoder,
    "sync": _SheetReader.sync,
    "unlimited": _SheetReader.about,
    "alone": _SheetReader.about,
    "spreads": _SheetReader.about,
    "strays": _SheetReader.about,
    "reach": _SheetReader.about,
}
