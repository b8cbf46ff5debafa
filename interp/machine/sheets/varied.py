"""A PIM's data sheet with many values of its timing parameters at once: the numbers of cycles that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.machine.device import Device
from interp.machine.records import Pim, Scope
from interp.machine.sheets.fields import KINDS, full_path
from interp.machine.sheets.files import Change, sheet_of, with_changes
from interp.machine.sheets.judging import Timings
from interp.machine.sheets.statements import (
    Expression,
    FieldStatement,
    GapStatement,
    Group,
    Largest,
    Name,
    Number,
    OperatorChain,
    RefreshStatement,
    SheetPlace,
    Statement,
    VerbStatement,
)
from interp.machine.sheets.values import names_in, quantity, whole_cycles
from interp.machine.variants import Cycles, PimVariants

SECTION = "timing."
Mask: TypeAlias = NDArray[np.bool_]


class Unvaried(Exception):
    """Raised for a device that is no PIM or has a profile, for a field that is no timing parameter, and for one on
    which other numbers depend than those of cycles."""


def varied(
    device: Device, reference: str, changes: Mapping[str, Change], values: Mapping[str, Sequence[Change]], at: Operation
) -> tuple[PimVariants, Mask]:
    """Variants of a PIM, one for each position in `values`, and True for each whose numbers are invalid.

    `device`: the record of the sheet `reference` with some `changes`; `values`: for each of some timing parameters, by
    its name in a sheet, its values in the variants, which replace those in `changes`. Raises Unvaried.
    """
    if not isinstance(device, Pim) or device.profile is not None:
        raise Unvaried
    return _Varied(device, reference, changes, values, at).variants()


class _Varied:
    """The evaluation of a sheet for all variants. A number that depends on no varied parameter is evaluated once; one
    that is a sum of parameters, for all variants at once; any other, once for each combination of values."""

    def __init__(
        self,
        pim: Pim,
        reference: str,
        changes: Mapping[str, Change],
        values: Mapping[str, Sequence[Change]],
        at: Operation,
    ) -> None:
        self.pim = pim
        self.count = len(next(iter(values.values())))
        self.refused = np.zeros(self.count, np.bool_)
        name, kind, self.statements = sheet_of(reference, changes, at)
        place = SheetPlace("", 0, 0)
        paths = {field: full_path(KINDS[kind], field, self.statements, place, name) for field in values}
        if any(not path.startswith(SECTION) for path in paths.values()):
            raise Unvaried
        clock = self.statements.get("clock")
        if not isinstance(clock, FieldStatement):
            raise Unvaried
        self.clock = quantity(clock.value, {}).value
        timing = {key: each for key, each in self.statements.items() if isinstance(each, FieldStatement)}
        self.timings = {key.removeprefix(SECTION): each for key, each in timing.items() if key.startswith(SECTION)}
        self.names = Timings(self.timings, self.clock)
        self.known: dict[str, Cycles] = {}
        """The values of the timing parameters that differ between variants."""
        for field, path in paths.items():
            self.known[path.removeprefix(SECTION)] = self._given(name, kind, path, values[field])
        self.varied = set(self.known)
        while more := {
            each for each, s in self.timings.items() if each not in self.varied and names_in(s.value) & self.varied
        }:
            self.varied |= more

    def _given(self, name: str, kind: str, path: str, values: Sequence[Change]) -> Cycles:
        """The cycles of a timing parameter for each of its values."""
        cycles: dict[Change, int] = {}
        found = np.zeros(self.count, np.int64)
        for at, value in enumerate(values):
            if value not in cycles:
                try:
                    changed = with_changes(name, kind, self.statements, {path: value}, None)[path]
                    assert isinstance(changed, FieldStatement)
                    if names_in(changed.value):
                        raise Unvaried
                    cycles[value] = whole_cycles(changed.value, {}, self.clock)
                except InputError:
                    cycles[value] = -1
            found[at] = cycles[value]
        self.refused |= found < 0
        return np.maximum(found, 0)

    def variants(self) -> tuple[PimVariants, Mask]:
        pim, statements = self.pim, self.statements.values()
        gaps = [each for each in statements if isinstance(each, GapStatement)]
        cycles = np.array([self.cycles(each.cycles) for each in gaps], np.int64).reshape(len(gaps), self.count)
        interval: Cycles | None = None
        latency: dict[tuple[str, Scope], Cycles] = {}
        single: dict[str, Cycles] = {}
        for each in statements:
            match each:
                case GapStatement():
                    pass
                case RefreshStatement(interval=expression) if pim.refresh is not None and expression is not None:
                    interval = self.cycles(expression)
                    self.refused |= interval == 0
                case VerbStatement():
                    for form in each.forms:
                        if form.latency is not None and names_in(form.latency) & self.varied:
                            for scope in form.scopes:
                                latency[each.verb.text, cast(Scope, scope.text)] = self.cycles(form.latency)
                case FieldStatement(key=("end" | "command") as key):
                    single[key] = self.cycles(each.value)
                case FieldStatement(key=key) if key.startswith(SECTION):
                    pass
                case _:
                    self._check(each)
        if pim.refresh is not None and interval is None:
            raise Unvaried
        command = single.get("command", np.full(self.count, pim.command_cycles, np.int64))
        self.refused |= command == 0
        return (
            PimVariants(
                pim,
                cycles,
                interval,
                latency,
                command,
                single.get("end", np.full(self.count, pim.end_cycles, np.int64)),
                np.full(self.count, pim.clock_hz),
            ),
            self.refused,
        )

    def _check(self, statement: Statement) -> None:
        """Raises Unvaried if a statement of something else than cycles depends on a varied parameter."""
        expression = getattr(statement, "value", None)
        if isinstance(expression, Expression) and names_in(expression) & self.varied:
            raise Unvaried

    def cycles(self, expression: Expression) -> Cycles:
        """(variants) The cycles that an expression states; 0 where they are negative, in variants that are refused."""
        found = self._sum(expression)
        if found is None:
            found = self._by_value(expression)
        self.refused |= found < 0
        return np.broadcast_to(np.maximum(found, 0), (self.count,))

    def _sum(self, expression: Expression) -> Cycles | None:
        """The values of a sum, difference or maximum of numbers of cycles and timing parameters; None for any other
        expression."""
        match expression:
            case Number(unit=None) if expression.value.denominator == 1:
                return np.array(int(expression.value), np.int64)
            case Name() if expression.text in self.timings:
                return self._parameter(expression.text)
            case Group(unit=None):
                return self._sum(expression.inner)
            case Largest():
                parts = [self._sum(part) for part in expression.parts]
                if any(part is None for part in parts):
                    return None
                total = parts[0]
                for part in parts[1:]:
                    assert total is not None
                    assert part is not None
                    total = np.maximum(total, part)
                return total
            case OperatorChain():
                total = self._sum(expression.first)
                for operator, each in expression.rest:
                    part = self._sum(each)
                    if total is None or part is None or operator not in "+-":
                        return None
                    total = total + part if operator == "+" else total - part
                return total
            case _:
                return None

    def _parameter(self, name: str) -> Cycles:
        if name not in self.known:
            if name in self.varied:
                self.known[name] = self.cycles(self.timings[name].value)
            else:
                self.known[name] = np.array(int(self.names[name]), np.int64)
        return self.known[name]

    def _by_value(self, expression: Expression) -> Cycles:
        """The values of an expression, evaluated exactly for each combination of the parameters in it."""
        varied = sorted(names_in(expression) & self.varied)
        if not varied:
            return np.array(whole_cycles(expression, self.names, self.clock), np.int64)
        rows, place = np.unique(np.array([self._parameter(name) for name in varied]), axis=1, return_inverse=True)
        names = {name: self.names[name] for name in names_in(expression) if name not in varied and name in self.names}
        found = np.zeros(rows.shape[1], np.int64)
        for at in range(rows.shape[1]):
            values = {name: Fraction(int(value)) for name, value in zip(varied, rows[:, at], strict=True)}
            try:
                found[at] = whole_cycles(expression, {**names, **values}, self.clock)
            except InputError:
                found[at] = -1
        return found[place.reshape(-1)]
