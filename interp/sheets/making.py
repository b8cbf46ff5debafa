"""Makes the record of a device or link out of the statements that hold for it, and refuses what makes no sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import cast

from dialects.diagnostics import InputError
from interp.sheet import Device, Link
from interp.sheets.commands import Commands
from interp.sheets.fields import KINDS, Field, Section
from interp.sheets.statements import (
    Chain,
    Expression,
    FieldStatement,
    GapStatement,
    Group,
    Largest,
    Name,
    Number,
    Place,
    Statement,
)
from interp.sheets.units import UNITS
from interp.sheets.values import as_float, near, quantity, whole_cycles


class Maker:
    """Makes the record of one device or link out of the statements that hold for it."""

    def __init__(
        self, name: str, kind: str, description: str, statements: Mapping[str, Statement], place: Place
    ) -> None:
        self.name, self.kind_name, self.kind = name, kind, KINDS[kind]
        self.description = description
        self.statements = statements
        self.place = place
        self.clock = Fraction(0)
        self.names: Mapping[str, Fraction] = {}

    def record(self) -> Device | Link:
        """The checked record. Raises InputError at the first statement that makes no sense, or at the head for what is
        missing."""
        if any(field.path == "clock" for field in self.kind.fields):
            self.clock = self.amount(self.said("clock", "clock 1 GHz").value, "Hz", False)
        values: dict[str, object] = {}
        self.names = _Timings(
            {key.partition(".")[2]: s for key, s in self.fields() if key.startswith("timing.")}, self.clock
        )
        for section in self.kind.sections:
            for name in section.needed:
                self.said(f"{section.path}.{name}", f"{section.path} {name} 1 TFLOP/s")
            if section.attribute:
                values[section.attribute] = dict(self.members(section))
        for field in self.kind.fields:
            values[field.attribute] = self.value(field)
        if self.kind_name == "pim":
            values |= Commands(self).values()
            self.check_levels(values)
        self.refuse_strangers()
        sources = {key: _with_formula(statement) for key, statement in self.statements.items()}
        return self.kind.record(
            name=self.name,
            kind=self.kind_name,
            description=self.description,
            sources=sources,
            file=self.place.file,
            **values,
        )

    def fields(self) -> Iterator[tuple[str, FieldStatement]]:
        return ((key, s) for key, s in self.statements.items() if isinstance(s, FieldStatement))

    def said(self, path: str, example: str) -> FieldStatement:
        statement = self.statements.get(path)
        if not isinstance(statement, FieldStatement):
            raise InputError(
                f"{self.name} says no `{path.replace('.', ' ')}`; write for instance `{example}`", str(self.place)
            )
        return statement

    def value(self, field: Field) -> object:
        if field.path not in self.statements and field.default is not None:
            return field.default
        expression = self.said(field.path, field.example).value
        match field.unit:
            case "word":
                return self.word(field, expression)
            case "cycles":
                return self.cycles(expression, field.zero)
            case "" | "columns":
                return self.count(field, expression)
            case "B":
                return int(self.amount(expression, "B", field.zero))
            case unit:
                return as_float(self.amount(expression, unit, field.zero), expression.place)

    def word(self, field: Field, expression: Expression) -> str | bool:
        words = field.words or {}
        met = expression.text if isinstance(expression, Name) else ""
        if met not in words:
            shown = f"`{met}`" if met else "a number"
            raise InputError(f"`{field.path}` is one of {', '.join(words)}, not {shown}", str(expression.place))
        return words[met] if isinstance(words[met], bool) else met

    def cycles(self, expression: Expression, zero: bool) -> int:
        cycles = whole_cycles(expression, self.names, self.clock)
        if cycles == 0 and not zero:
            raise InputError("0 cycles were met, but at least 1 is expected here", str(expression.place))
        return cycles

    def count(self, field: Field, expression: Expression) -> int:
        return self.whole(expression, f"`{field.path}` counts {field.meaning}")

    def whole(self, expression: Expression, counts: str) -> int:
        """A number from 1 on. Raises InputError with what it `counts`."""
        number = self.amount(expression, "", False)
        if number.denominator != 1:
            raise InputError(f"{counts}: a whole number, not {float(number):g}", str(expression.place))
        return int(number)

    def amount(self, expression: Expression, unit: str, zero: bool) -> Fraction:
        """A value in `unit`. Raises InputError for another dimension, a negative number, or a zero that makes no
        sense."""
        found = quantity(expression, self.names)
        wanted = UNITS[unit or "cycles"]
        if found.dimension != wanted.dimension:
            shown = f" (in {unit}, say)" if unit else ""
            raise InputError(
                f"{found.dimension} was met, but {wanted.dimension}{shown} is expected", str(expression.place)
            )
        if found.value < 0 or (found.value == 0 and not zero):
            least = "0 or more" if zero else "a number above 0"
            raise InputError(
                f"{_shown(found.value / wanted.scale)} {unit}".rstrip() + f" was met, but {least} is expected",
                str(expression.place),
            )
        return found.value / wanted.scale

    def members(self, section: Section) -> Iterator[tuple[str, float]]:
        for key, statement in self.fields():
            head, _, name = key.partition(".")
            if head == section.path and name:
                if section.keys is not None and name not in section.keys:
                    raise InputError(f"`{head}` knows no `{name}`{near(name, section.keys)}", str(statement.place))
                if section.unit == "cycles":
                    yield name, int(self.names[name])
                else:
                    yield name, as_float(self.amount(statement.value, section.unit, False), statement.value.place)

    def check_levels(self, values: Mapping[str, object]) -> None:
        """Raises InputError where bank groups can't be shared out among pseudo-channels and ranks."""
        groups, pseudochannels, ranks = (cast(int, values[name]) for name in ("groups", "pseudochannels", "ranks"))
        if groups % (pseudochannels * ranks):
            raise InputError(
                f"{groups} groups a channel can't be shared out among {pseudochannels} pseudo-channels of {ranks} "
                "ranks; give a multiple of their product",
                str(self.said("shape.groups", "shape groups 4").place),
            )

    def refuse_strangers(self) -> None:
        """Raises InputError for a statement that only another kind of sheet has."""
        for key, statement in self.statements.items():
            if self.kind_name != "pim" and not isinstance(statement, FieldStatement):
                raise InputError(
                    f"a {self.kind_name} sheet has no `{key.split()[0]}`; only a pim's has", str(statement.place)
                )


class _Timings(Mapping[str, Fraction]):
    """Named timing parameters in cycles, each worked out when it is first asked for, since one may be written with
    others."""

    def __init__(self, said: Mapping[str, FieldStatement], clock: Fraction) -> None:
        self.said, self.clock = said, clock
        self.known: dict[str, Fraction] = {}
        self.open: list[str] = []

    def __getitem__(self, name: str) -> Fraction:
        if name not in self.known:
            statement = self.said[name]
            if name in self.open or len(self.open) > 40:
                trail = " -> ".join([*self.open[-5:], name])
                raise InputError(
                    f"the timing parameter `{name}` is written with itself ({trail}); give one a number",
                    str(statement.place),
                )
            self.open.append(name)
            self.known[name] = Fraction(whole_cycles(statement.value, self, self.clock))
            self.open.pop()
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.said)

    def __len__(self) -> int:
        return len(self.said)


def _with_formula(statement: Statement) -> str:
    """A statement's source, after its formula where it is more than a number of cycles."""
    match statement:
        case FieldStatement(value=Number(unit=str()), key=key) if key.startswith("timing."):
            return f"= {statement.text}; {statement.source}"
        case GapStatement(cycles=Number(unit=str())):
            return f"= {statement.text}; {statement.source}"
        case (
            FieldStatement(value=Chain() | Group() | Largest())
            | GapStatement(cycles=Chain() | Group() | Largest() | Name())
        ):
            return f"= {statement.text}; {statement.source}"
        case _:
            return statement.source


def _shown(value: Fraction) -> str:
    try:
        return f"{float(value):g}"
    except OverflowError:
        return "a number that is too large"
