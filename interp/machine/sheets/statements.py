"""The statements of a data sheet, as parsed: blocks of statements, each with its place and source; numbers are not
evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """A place in a sheet file: line and column, which count from 1; if the line is 0, the place is the file as a
    whole."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit, exact as written."""

    value: Fraction
    unit: str | None
    place: SheetPlace


@dataclass(frozen=True, slots=True)
class Name:
    """A name: a timing parameter, or a word such as `f16` or `yes`."""

    text: str
    place: SheetPlace


@dataclass(frozen=True, slots=True)
class OperatorChain:
    """A sum or a product, from left to right: `first + second - third …` or `first * second / third …`."""

    first: Expression
    rest: tuple[tuple[Literal["+", "-", "*", "/"], Expression], ...]
    place: SheetPlace


@dataclass(frozen=True, slots=True)
class Group:
    """An expression in parentheses, followed by a unit if one is stated."""

    inner: Expression
    unit: str | None
    place: SheetPlace


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest of several values: `max(first, second, …)`."""

    parts: tuple[Expression, ...]
    place: SheetPlace


@dataclass(frozen=True, slots=True)
class Words:
    """Names in a list: `slice, concat, pad`."""

    words: tuple[Name, ...]
    place: SheetPlace


Expression: TypeAlias = Number | Name | OperatorChain | Group | Largest | Words


@dataclass(frozen=True, slots=True)
class Range:
    """The range of an assumed number: `0 to 10 us`, or `0.5 to 2 times` the stated value."""

    low: Expression
    high: Expression
    low_text: str
    high_text: str
    factor: bool
    place: SheetPlace


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement of a sheet. In a variant, it replaces the statement with the same `key` of the sheet that the
    variant derives from."""

    key: str
    source: str
    """The source of the statement's number; empty if none is stated."""
    place: SheetPlace
    range: Range | None = None
    """The range of an assumed number, if stated."""


@dataclass(frozen=True, kw_only=True)
class FieldStatement(Statement):
    """A number or a word: `clock 875 MHz`, `timing tRP 11`. The key is the field's path, e.g. `timing.tRP`."""

    value: Expression
    text: str
    """The value as it is written."""


@dataclass(frozen=True, kw_only=True)
class FormText:
    """The forms of a verb that one mnemonic names, as written, for one or several scopes: `WRA16 scope all latency 40
    closes`."""

    mnemonic: str
    scopes: tuple[Name, ...]
    latency: Expression | None
    closes: bool
    rowless: bool


@dataclass(frozen=True, kw_only=True)
class VerbStatement(Statement):
    """The statement of a verb with its forms, and optionally its `mode`: `verb write = WR scope bank latency 8, WRA16
    scope all latency 40 closes`."""

    verb: Name
    forms: tuple[FormText, ...]
    mode: Name | None


@dataclass(frozen=True, kw_only=True)
class GapStatement(Statement):
    """A timing constraint of one pair of verbs: `gap channel: act bank -> next act  tFAW  window 4`. A line of a sheet
    with several verbs on a side becomes several statements."""

    level: Name
    before: Name
    before_scope: Name | None
    relation: str
    after: Name
    after_scope: Name | None
    cycles: Expression
    text: str
    window: Number | None


@dataclass(frozen=True, kw_only=True)
class RefreshStatement(Statement):
    """The rule for refreshes: `refresh every tREFI after drain then reopen`, or `refresh none` (no interval)."""

    interval: Expression | None
    after: tuple[Name, ...]
    """The verbs after whose commands a refresh that is due may issue; if empty, it issues at once."""
    then: Name | None = None
    """The word that states the further state of rows closed by the refresh: `reopen` if the controller reopens them."""


@dataclass(frozen=True, kw_only=True)
class VariantStatement(Statement):
    """A statement that the sheet describes a published simulator's timing variant of a device: `variant of aim`."""

    of: Name


@dataclass(frozen=True, kw_only=True)
class DecoderStatement(Statement):
    """A published simulator's decoder: `decoder queue 33 waits drain | activated`, or `decoder none` (no queue)."""

    queue: Expression | None
    waits: tuple[Name, ...]


@dataclass(frozen=True, kw_only=True)
class SyncStatement(Statement):
    """The verbs before which the data clock is synchronised: `sync load | bias | drain`; `sync none` has no verbs."""

    verbs: tuple[Name, ...]


@dataclass(frozen=True, kw_only=True)
class PartiesStatement(Statement):
    """The statement of a property of some forms (verb and scope): `unlimited act all`, `alone pre same | pre twin`,
    `spreads mac same`, `strays mac twin`, `reach pre same as twin`."""

    parties: tuple[tuple[Name, Name | None], ...]
    scope: Name | None = None
    """The scope after `as`, if any: the commands of the listed forms act on the banks of this scope."""


def expressions_of(statement: Statement) -> tuple[Expression, ...]:
    """The expressions of all numbers in a statement, not evaluated."""
    match statement:
        case FieldStatement():
            return (statement.value,)
        case VerbStatement():
            return tuple(form.latency for form in statement.forms if form.latency is not None)
        case GapStatement():
            return (statement.cycles,)
        case RefreshStatement(interval=interval) if interval is not None:
            return (interval,)
        case DecoderStatement(queue=queue) if queue is not None:
            return (queue,)
        case _:
            return ()


@dataclass(frozen=True, kw_only=True)
class Block:
    """The description of one device, link or engine: its own statements, and the block that it is a variant of, if
    any."""

    name: str
    word: str
    """The first word of the heading: `device`, or the kind itself (`link`, `engine`)."""
    kind: Name | None
    base: Name | None
    """The name or path of the sheet that the block is a variant of, if any."""
    description: str
    statements: dict[str, Statement] = field(default_factory=dict[str, Statement])
    place: SheetPlace
