"""Evaluation of a sheet's expressions: sums and products, conversion of units, and rounding of times to whole
cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from dialects.diagnostics import InputError
from dialects.text.suggestions import hint
from interp.figures import first_of
from interp.machine.sheets.statements import Expression, Group, Largest, Name, Number, OperatorChain, SheetPlace, Words
from interp.units import FREQUENCY, PURE, TIME, UNITS, Dimension


@dataclass(frozen=True, slots=True)
class Quantity:
    """The exact value of an expression, in the base units of `DIMENSIONS`, with its dimension."""

    value: Fraction
    dimension: Dimension


def near(word: str, known: Iterable[str]) -> str:
    """The end of an error message about an unknown word: `; did you mean X?` if a known word is similar, otherwise the
    list of known words."""
    words = sorted(set(known))
    return hint(word, words, f"known are {first_of(words, _LISTED)}" if words else "")


_LISTED = 30
"""The largest number of known words that a message lists."""


def quantity(expression: Expression, names: Mapping[str, Fraction], clock_hz: Fraction | None = None) -> Quantity:
    """The value of an expression; `names` are the values of the timing parameters in it, which are pure numbers.

    With `clock_hz`, each time in the expression is converted to whole cycles of that clock, rounded up, so that it may
    be added to cycles. Raises InputError at the first invalid part.
    """
    match expression:
        case Number():
            return _with_unit(Quantity(expression.value, PURE), expression.unit, expression.place, clock_hz)
        case Name():
            if expression.text not in names:
                raise InputError(
                    f"there is no timing parameter `{expression.text}`{near(expression.text, names)}",
                    str(expression.place),
                )
            return Quantity(names[expression.text], PURE)
        case Group():
            return _with_unit(quantity(expression.inner, names, clock_hz), expression.unit, expression.place, clock_hz)
        case Words():
            listed = ", ".join(word.text for word in expression.words) or "none"
            raise InputError(f"a list (`{listed}`) was met, but a number is expected", str(expression.place))
        case Largest():
            return _largest([quantity(part, names, clock_hz) for part in expression.parts], expression.place)
        case OperatorChain():
            total = quantity(expression.first, names, clock_hz)
            for operator, part in expression.rest:
                total = _OPERATORS[operator](total, quantity(part, names, clock_hz), part.place)
            return total


def whole_cycles(expression: Expression, names: Mapping[str, Fraction], clock_hz: Fraction) -> int:
    """An expression as a number of cycles, at least 0. Raises InputError for a fraction of a cycle, or for a quantity
    whose dimension is neither time nor cycles."""
    found = quantity(expression, names, clock_hz)
    if found.dimension != PURE:
        raise InputError(
            f"{found.dimension} was met, but cycles or a time are expected (`11` or `12.5 ns`)", str(expression.place)
        )
    if found.value.denominator != 1:
        raise InputError(
            f"{float(found.value):g} cycles were met, but a number of cycles must be whole; round it, or write a time "
            "(which is rounded up)",
            str(expression.place),
        )
    if found.value < 0:
        raise InputError(
            f"{found.value} cycles were met, but a time must be at least 0; change the number, or the "
            "timing parameters in it",
            str(expression.place),
        )
    return int(found.value)


def as_float(value: Fraction, place: SheetPlace) -> float:
    """A number as a float, as records hold it. Raises InputError if it exceeds the range of float."""
    try:
        return float(value)
    except OverflowError:
        raise InputError("the number is larger than any device can need; check its unit", str(place)) from None


def names_in(expression: Expression) -> set[str]:
    """Names of the timing parameters in an expression."""
    match expression:
        case Name():
            return {expression.text}
        case Group():
            return names_in(expression.inner)
        case Largest():
            return set[str]().union(*map(names_in, expression.parts))
        case OperatorChain():
            return names_in(expression.first).union(*(names_in(part) for _, part in expression.rest))
        case _:
            return set()


def units_in(expression: Expression) -> set[str]:
    """Names of the units in an expression."""
    match expression:
        case Number():
            return {expression.unit} if expression.unit else set()
        case Name() | Words():
            return set()
        case Group():
            return units_in(expression.inner) | ({expression.unit} if expression.unit else set())
        case Largest():
            return set[str]().union(*map(units_in, expression.parts))
        case OperatorChain():
            return units_in(expression.first).union(*(units_in(part) for _, part in expression.rest))


def _with_unit(number: Quantity, unit: str | None, place: SheetPlace, clock_hz: Fraction | None) -> Quantity:
    if unit is None:
        return number
    if unit not in UNITS:
        raise InputError(f"there is no unit `{unit}`{_near_unit(unit)}", str(place))
    if number.dimension != PURE:
        raise InputError(f"the part before `{unit}` has a unit of its own; write the unit once", str(place))
    known = UNITS[unit]
    value = number.value * known.scale
    if clock_hz is not None and known.dimension == TIME:
        return Quantity(Fraction(ceil(value * clock_hz)), PURE)
    if clock_hz is not None and known.dimension == FREQUENCY:
        raise InputError(f"{known.dimension} was met, but cycles or a time are expected", str(place))
    return Quantity(value, known.dimension)


def _near_unit(unit: str) -> str:
    return hint(unit, UNITS, "write for instance ns, MHz, GB/s, GiB, TFLOP/s, pJ/bit, nJ or W")


def _largest(parts: list[Quantity], place: SheetPlace) -> Quantity:
    for part in parts[1:]:
        if part.dimension != parts[0].dimension:
            raise InputError(
                f"{parts[0].dimension} and {part.dimension} can't be compared; give both the same kind of unit",
                str(place),
            )
    return max(parts, key=lambda part: part.value)


def _add(left: Quantity, right: Quantity, place: SheetPlace, sign: int) -> Quantity:
    if left.dimension != right.dimension:
        raise InputError(
            f"{left.dimension} and {right.dimension} can't be added; give both the same kind of unit", str(place)
        )
    return Quantity(left.value + sign * right.value, left.dimension)


def _divide(left: Quantity, right: Quantity, place: SheetPlace) -> Quantity:
    if right.value == 0:
        raise InputError("a division by zero was met; divide by a number above 0", str(place))
    return Quantity(left.value / right.value, left.dimension / right.dimension)


_OPERATORS: Mapping[str, Callable[[Quantity, Quantity, SheetPlace], Quantity]] = {
    "+": lambda left, right, place: _add(left, right, place, 1),
    "-": lambda left, right, place: _add(left, right, place, -1),
    "*": lambda left, right, _: Quantity(left.value * right.value, left.dimension * right.dimension),
    "/": _divide,
}
