"""A sparse linear program in arrays, its solution by OR-tools, and the lower bound that its dual values prove in exact
arithmetic."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Method: TypeAlias = Literal["vertex", "interior", "central"]
"""The method that solves a program. `vertex`: to the last digits by GLOP's simplex method. `interior`: to a relative
gap of 1e-4 by HiGHS's interior point method, with a crossover to a vertex. `central`: the same without the crossover,
which takes up to half of the time. GLOP takes 0.1 ms for 4 rows, 2 ms for 150
and 45 ms for 1,500, the interior point method 5 to 80 times, 8 times and twice as long; from about 10,000 rows on, the
interior point method is faster."""


class _Columns(NamedTuple):
    """For each column its lower bound, upper bound and cost; and True if the solver is told the upper bound."""

    lower: Floats
    upper: Floats
    cost: Floats
    tight: NDArray[np.bool_]


class _Limits(NamedTuple):
    """For each row its lower and upper bound, and those with which the lower bound of the objective is proven; and True
    for a row of choices."""

    lower: Floats
    upper: Floats
    surely_lower: Floats
    surely_upper: Floats
    choice: NDArray[np.bool_]


class _Terms(NamedTuple):
    """The row, column and coefficient of each term."""

    rows: Indices
    columns: Indices
    coefficients: Floats


_Program: TypeAlias = tuple[_Columns, _Limits, _Terms]


@dataclass(frozen=True)
class Solution:
    """A primal solution, and the lower bound that its dual proves."""

    values: Floats
    """The value of each column, feasible within the solver's tolerance."""
    objective: float
    duals: Floats
    """For each row, the increase of the objective per unit by which the row's bound increases."""
    _program: _Program

    @cached_property
    def lower_bound(self) -> float:
        """A lower bound on the cost of all feasible points, independent of the solver's tolerance."""
        return _proven(*self._program, self.duals)


@dataclass
class Rows:
    """A linear program: minimise the sum of column values times their costs. Each column has a lower and an upper
    bound, and so has each row, which is a weighted sum of columns.

    Columns and rows are added in blocks; the methods that add them return their numbers.
    """

    column_count: int = 0
    row_count: int = 0
    _columns: list[_Columns] = field(default_factory=list[_Columns])
    _rows: list[_Limits] = field(default_factory=list[_Limits])
    _terms: list[_Terms] = field(default_factory=list[_Terms])

    def __post_init__(self) -> None:
        self.columns(0, 0.0)
        self.rows(0)
        self.add([], [])

    def columns(self, count: int, upper: ArrayLike, cost: ArrayLike = 0.0, tight: bool = True) -> Indices:
        """Add columns with values from 0 to `upper`. It must be finite, because the proof of the lower bound uses it,
        except for a column that is the whole objective. `tight=False`: the rows imply the upper bound, so it is not
        given to the solver."""
        bounds, costs = (np.broadcast_to(np.asarray(each, float), count) for each in (upper, cost))
        assert (np.isfinite(bounds) | (costs > 0)).all()
        self._columns.append(_Columns(np.zeros(count), bounds, costs, np.full(count, tight)))
        self.column_count += count
        return np.arange(self.column_count - count, self.column_count)

    def rows(
        self,
        count: int,
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
        surely: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Indices:
        """Add rows without terms. `surely`: wider bounds with which the lower bound is proven, if `lower` and `upper`
        keep a margin from the actual limits."""
        return self._new_rows(count, (lower, upper, *(surely or (lower, upper))), choice=False)

    def choices(self, count: int) -> Indices:
        """Add rows without terms: the columns of each, all with coefficients 1, must sum to 1. The proof of the lower
        bound replaces their duals by the best ones for the duals of all other rows, as far as they share no columns
        with each other."""
        return self._new_rows(count, (1.0, 1.0, 1.0, 1.0), choice=True)

    def _new_rows(self, count: int, bounds: tuple[ArrayLike, ...], choice: bool) -> Indices:
        wide = (np.broadcast_to(np.asarray(bound, float), count) for bound in bounds)
        self._rows.append(_Limits(*wide, choice=np.full(count, choice)))
        self.row_count += count
        return np.arange(self.row_count - count, self.row_count)

    def add(self, rows: ArrayLike, columns: ArrayLike, coefficients: ArrayLike = 1.0) -> None:
        """Add a term for each pair of a row and a column; terms of the same pair are summed."""
        pairs = np.broadcast_arrays(np.asarray(rows, int), np.asarray(columns, int), np.asarray(coefficients, float))
        self._terms.append(_Terms(*(part.ravel() for part in pairs)))

    def solve(self, method: Method = "interior", fixed: Mapping[int, float] | None = None) -> Solution | None:
        """An optimal solution, or a nearly optimal one, and a lower bound on the optimum; None if the solver finds no
        solution. `fixed`: columns whose values are given."""
        program = columns, limits, terms = self._arrays(fixed or {})
        told = columns.tight | (columns.lower == columns.upper)
        given = columns._replace(upper=np.where(told, columns.upper, np.inf))
        for way in _WAYS[method]:
            found = _solved(given, limits, terms, way)
            if found is not None:
                values = np.clip(found.values, columns.lower, columns.upper)
                return Solution(values, float(columns.cost @ values), found.duals, program)
        return None

    def proven(self, duals: Floats) -> float:
        """The lower bound on the cost of all feasible points that some duals prove: any duals prove one."""
        return _proven(*self._arrays({}), duals)

    def _arrays(self, fixed: Mapping[int, float]) -> _Program:
        """All columns, rows and terms; terms sorted by rows and columns, as the solver requires."""
        columns = _Columns(*(np.concatenate(part) for part in zip(*self._columns, strict=True)))
        limits = _Limits(*(np.concatenate(part) for part in zip(*self._rows, strict=True)))
        rows, places, coefficients = (np.concatenate(part) for part in zip(*self._terms, strict=True))
        keys, place = np.unique(rows * self.column_count + places, return_inverse=True)
        sums = np.asarray(np.bincount(place, coefficients, len(keys)), float)
        keys, sums = keys[sums != 0], sums[sums != 0]
        for column, value in fixed.items():
            columns.lower[column] = columns.upper[column] = value
        return columns, limits, _Terms(keys // self.column_count, keys % self.column_count, sums)


def _proven(columns: _Columns, limits: _Limits, terms: _Terms, duals: Floats) -> float:
    """The Lagrangian lower bound for given duals, in exact arithmetic, rounded down:
    cost = duals · rows + (cost - duals · terms) · columns, minimised over the bounds of each row and column. It is
    valid for any duals; the dual of a row without a bound on the side of its sign is set to 0. If the objective is one
    column without upper bound, the duals are divided by their sum for that column."""
    held = np.where(duals > 0, limits.surely_lower, limits.surely_upper)
    useful, free = np.isfinite(held) & ~limits.choice, np.isinf(columns.upper)
    upper = np.where(free, 0.0, columns.upper)
    numbers = (terms.coefficients, np.where(useful, held, 0.0), columns.lower, upper, columns.cost)
    scale, (coefficients, bounds, lowers, uppers, costs) = _whole(*numbers)
    fine, (prices, own) = _whole(np.where(useful, duals, 0.0), np.where(limits.choice, duals, 0.0))
    rest = [cost << fine for cost in costs]
    for row, column, coefficient in zip(terms.rows.tolist(), terms.columns.tolist(), coefficients, strict=True):
        if prices[row]:
            rest[column] -= prices[row] * coefficient
    factor = Fraction(1)
    for column in np.flatnonzero(free).tolist():
        assert sum(map(bool, costs)) == 1, "a column without upper bound is the whole objective"
        whole = (costs[column] << fine) - rest[column]
        factor, rest[column] = Fraction(whole, costs[column] << fine) if whole > 0 else factor, 0
    total = sum(_chosen(limits, terms, [price << scale for price in own], rest)) << scale
    total += sum(price * bound for price, bound in zip(prices, bounds, strict=True)) << scale
    total += sum(min(each * low, each * high) for each, low, high in zip(rest, lowers, uppers, strict=True))
    exact = Fraction(total, 1 << fine + 2 * scale) / factor
    rounded = float(exact)
    return rounded if rounded <= exact else math.nextafter(rounded, -math.inf)


def _chosen(limits: _Limits, terms: _Terms, prices: Sequence[int], rest: list[int]) -> Iterable[int]:
    """The best dual of each row of choices: the least reduced cost, `rest`, of its columns; it is subtracted from
    theirs. A row that shares columns with another one keeps its dual of `prices` if that is less."""
    mine = limits.choice[terms.rows]
    rows, columns = terms.rows[mine], terms.columns[mine]
    several = np.bincount(columns, minlength=len(rest))[columns] > 1
    pairs: list[tuple[int, int]] = list(zip(rows.tolist(), columns.tolist(), strict=True))
    found: dict[int, int] = {row: prices[row] for row in rows[several].tolist()}
    for (row, column), shared in zip(pairs, several.tolist(), strict=True):
        if not shared:
            found[row] = min(found.get(row, rest[column]), rest[column])
    for row, column in pairs:
        rest[column] -= found[row]
    return found.values()


def _whole(*arrays: Floats) -> tuple[int, list[list[int]]]:
    """The numbers of some arrays as integers, after multiplication by a common power of 2, which is also returned as
    its logarithm."""
    mantissas, powers = np.frexp(np.concatenate(arrays))
    powers = np.where(mantissas == 0, DIGITS, powers)
    scale = max(0, int((DIGITS - powers).max(initial=0)))
    whole = np.ldexp(mantissas, DIGITS).astype(np.int64).tolist()
    found = [each << shift for each, shift in zip(whole, (powers + scale - DIGITS).tolist(), strict=True)]
    ends = np.cumsum([len(each) for each in arrays]).tolist()
    return scale, [found[end - len(each) : end] for each, end in zip(arrays, ends, strict=True)]


DIGITS = 53
"""Binary digits of a float."""


class _Way(NamedTuple):
    """A solver of OR-tools, and its options."""

    solver: str
    options: tuple[tuple[str, str], ...] = ()


_SIMPLEX = _Way("HIGHS", (("solver", "simplex"),))
_WAYS: dict[Method, tuple[_Way, ...]] = {
    "vertex": (_Way("GLOP"),),
    "interior": (
        _Way("HIGHS", (("run_crossover", "on"), ("solver", "ipm"))),
        _SIMPLEX,
    ),
    "central": (_Way("HIGHS", (("run_crossover", "off"), ("solver", "ipm"))), _SIMPLEX),
}
"""The ways of solving, tried in order. The interior point method is fast, and its crossover to a vertex splits few
tensors; a bound alone needs no vertex. The simplex method is the fallback."""


_GAP = 1e-4
"""Largest relative gap between primal and dual objectives of the interior point method. A large gap is acceptable for
correctness, since bounds are proven from the dual."""


class _Answer(NamedTuple):
    """Values of columns and duals of rows."""

    values: Floats
    duals: Floats


_SOLVED: OrderedDict[bytes, _Answer | None] = OrderedDict()
"""The answers to the last linear programs, by a digest of all their numbers. A plan and the worth of parameters that do
not limit it lead to the same linear program."""
_KEPT = 4


def _solved(columns: _Columns, limits: _Limits, terms: _Terms, way: _Way) -> _Answer | None:
    """The answer of a solver, or the same answer that it gave to an equal linear program before."""
    digest = sha256(repr(way).encode())
    for numbers in (*columns[:3], *limits[:2], *terms):
        digest.update(f"{numbers.dtype}{numbers.shape}".encode())
        digest.update(np.ascontiguousarray(numbers).data)
    key = digest.digest()
    if key in _SOLVED:
        _SOLVED.move_to_end(key)
        return _SOLVED[key]
    found = _SOLVED[key] = _answer(columns, limits, terms, way)
    if found is not None:
        for numbers in found:
            numbers.flags.writeable = False
    if len(_SOLVED) > _KEPT:
        _SOLVED.popitem(last=False)
    return found


def _answer(columns: _Columns, limits: _Limits, terms: _Terms, way: _Way) -> _Answer | None:
    """Solve a linear program; None if the solver finds no solution. The program is passed to MathOpt as a protocol
    message, since its Python model would create an object per term."""
    # modules without stubs, whose import takes a tenth of a second, which not all bounds need
    callbacks, model_parameters, models, parameters = (
        import_module(f"ortools.math_opt.{name}_pb2")
        for name in ("callback", "model_parameters", "model", "parameters")
    )
    solver = import_module("ortools.math_opt.core.python.solver")
    not_solved: type[Exception] = import_module("pybind11_abseil.status").StatusNotOk

    message = models.ModelProto()
    message.variables.ids.extend(range(len(columns.cost)))
    message.variables.lower_bounds.extend(columns.lower.tolist())
    message.variables.upper_bounds.extend(columns.upper.tolist())
    message.variables.integers.extend([False] * len(columns.cost))
    priced = np.flatnonzero(columns.cost)
    message.objective.linear_coefficients.ids.extend(priced.tolist())
    message.objective.linear_coefficients.values.extend(columns.cost[priced].tolist())
    message.linear_constraints.ids.extend(range(len(limits.lower)))
    message.linear_constraints.lower_bounds.extend(limits.lower.tolist())
    message.linear_constraints.upper_bounds.extend(limits.upper.tolist())
    message.linear_constraint_matrix.row_ids.extend(terms.rows.tolist())
    message.linear_constraint_matrix.column_ids.extend(terms.columns.tolist())
    message.linear_constraint_matrix.coefficients.extend(terms.coefficients.tolist())
    wishes = parameters.SolveParametersProto()
    if way.options:
        wishes.highs.string_options.update(way.options)
        wishes.highs.double_options["optimality_tolerance"] = _GAP
    first, model_wishes = parameters.SolverInitializerProto(), model_parameters.ModelSolveParametersProto()
    nothing = callbacks.CallbackRegistrationProto()
    kind = parameters.SolverTypeProto.Value(f"SOLVER_TYPE_{way.solver}")
    try:
        answer: Any = solver.solve(message, kind, first, wishes, model_wishes, None, nothing, None, None)
    except not_solved:  # it stopped before reaching its tolerances
        return None
    if not answer.solutions:
        return None
    best = answer.solutions[0]
    values = np.array(best.primal_solution.variable_values.values, float)
    duals = np.array(best.dual_solution.dual_values.values, float)
    complete = len(values) == len(columns.cost) and len(duals) == len(limits.lower)
    return _Answer(values, duals) if complete else None
