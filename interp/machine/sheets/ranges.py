"""Ranges of assumed numbers: the fields that depend on each assumption, and their values at both ends of its range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from dialects.diagnostics import InputError
from interp.machine.device import Assumption
from interp.machine.sheets.fields import Field, Kind
from interp.machine.sheets.language import read_expression
from interp.machine.sheets.statements import FieldStatement, GapStatement, Name, Range, Statement
from interp.machine.sheets.values import quantity, units_in

ASSUMED = "assumed"
"""The word with which the source of an assumed number begins."""
_WORDS = ("word", "ops", "threads")


def assumptions_of(
    statements: Mapping[str, Statement], kind: Kind, names: Mapping[str, Fraction], clock: Fraction
) -> tuple[Assumption, ...]:
    """The assumptions of a sheet that have a range; numbers that share a range form one assumption, because they are
    varied together. Raises InputError at an invalid range."""
    together: dict[Range, list[FieldStatement]] = {}
    for statement in statements.values():
        if statement.range is not None and isinstance(statement, FieldStatement) and _is_number(statement, kind):
            together.setdefault(statement.range, []).append(statement)
    return tuple(_assumption(span, numbers, kind, names, clock) for span, numbers in together.items())


def without_range(statements: Mapping[str, Statement], kind: Kind) -> tuple[str, ...]:
    """The keys of assumed numbers without a usable range. The cycles of a gap can't have a range of their own; the gap
    must refer to a timing parameter, which has the range."""
    found: list[str] = []
    for key, statement in statements.items():
        if not statement.source.startswith(ASSUMED):
            continue
        match statement:
            case FieldStatement():
                if statement.range is None and _is_number(statement, kind):
                    found.append(key.replace(".", " "))
            case GapStatement() if not isinstance(statement.cycles, Name):
                found.append(key)
            case _:
                pass
    return tuple(found)


def _is_number(statement: FieldStatement, kind: Kind) -> bool:
    field = kind.field(statement.key)
    return not (isinstance(field, Field) and field.unit in _WORDS)


def _assumption(
    span: Range, numbers: Iterable[FieldStatement], kind: Kind, names: Mapping[str, Fraction], clock: Fraction
) -> Assumption:
    low, high, met = dict[str, str](), dict[str, str](), list(numbers)
    at_low = at_high = True
    if not span.factor and len(met) > 1:
        raise InputError(
            f"one range applies to {len(met)} numbers; write a range behind each number (`assumed LOW to HIGH`), or "
            "one range of factors (`0.5 to 2 times`)",
            str(span.place),
        )
    for statement in met:
        ends = _ends(span, statement)
        at = clock if _in_cycles(statement, kind) else None
        stated = quantity(statement.value, names, at)
        least, most = (quantity(read_expression(end, span.place), names, at) for end in ends)
        for end in (least, most):
            if end.dimension != stated.dimension:
                raise InputError(
                    f"an end of the range is {end.dimension}, but must be {stated.dimension} like the stated value "
                    f"(`{statement.text}`)",
                    str(span.place),
                )
        if not 0 <= least.value <= stated.value <= most.value:
            raise InputError(
                f"the range `{span.low_text} to {span.high_text}{' times' if span.factor else ''}` must contain the "
                f"stated value (`{statement.text}`); a range goes from the least to the greatest possible value",
                str(span.place),
            )
        low[statement.key], high[statement.key] = ends
        at_low, at_high = at_low and stated.value == least.value, at_high and stated.value == most.value
    interval = f"{span.low_text} to {span.high_text}{' times' if span.factor else ''}"
    return Assumption(
        tuple(low), met[0].text if len(met) == 1 else "", interval, low, high, span.factor, at_low, at_high
    )


def _ends(span: Range, statement: FieldStatement) -> tuple[str, str]:
    """Both ends of a range, as a sheet would write them instead of the stated value."""
    if span.factor:
        return f"({statement.text}) * ({span.low_text})", f"({statement.text}) * ({span.high_text})"
    unit = _unit(span)
    low = f"({span.low_text}) {unit}" if unit and not units_in(span.low) else span.low_text
    return low, span.high_text


def _unit(span: Range) -> str:
    units = units_in(span.high)
    return next(iter(units)) if len(units) == 1 else ""


def _in_cycles(statement: FieldStatement, kind: Kind) -> bool:
    field = kind.field(statement.key)
    return field is not None and field.unit == "cycles"
