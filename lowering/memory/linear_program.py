"""A sparse linear program in arrays, its solution by HiGHS's interior point method, and a proven bound that does not
depend on the solver's tolerance."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Solution:
    """A primal solution, and the lower bound that its dual proves."""

    values: Floats
    """The value of each column, feasible within the solver's tolerance."""
    objective: float
    duals: Floats
    """For each row, the increase of the objective per unit by which the row's bound increases."""
    lower_bound: float
    """A lower bound on the cost of all feasible points, independent of the solver's tolerance; -inf if nothing is
    proven."""


@dataclass
class LinearProgram:
    """A linear program: minimise the sum of column values times their costs. Each column has a lower and an upper
    bound, and so has each row, which is a weighted sum of columns.

    Columns and rows are added in blocks; the methods that add them return their numbers.
    """

    column_count: int = 0
    row_count: int = 0
    _columns: list[tuple[Floats, Floats, Floats]] = field(default_factory=list[tuple[Floats, Floats, Floats]])
    _tight: list[NDArray[np.bool_]] = field(default_factory=list[NDArray[np.bool_]])
    _rows: list[tuple[Floats, Floats, Floats, Floats]] = field(
        default_factory=list[tuple[Floats, Floats, Floats, Floats]]
    )
    _terms: tuple[list[Indices], list[Indices], list[Floats]] = field(default_factory=lambda: ([], [], []))

    def columns(self, count: int, upper: ArrayLike, cost: float = 0.0, tight: bool = True) -> Indices:
        """Add columns with values from 0 to `upper`, which must be finite, because the proof of the lower bound uses
        it. `tight=False`: the rows imply the upper bound, so it is not given to the solver."""
        bounds = np.broadcast_to(np.asarray(upper, float), count)
        assert np.isfinite(bounds).all()
        self._tight.append(np.full(count, tight))
        self._columns.append((np.zeros(count), bounds, np.full(count, cost)))
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
        bounds = [
            np.broadcast_to(np.asarray(bound, float), count) for bound in (lower, upper, *(surely or (lower, upper)))
        ]
        self._rows.append((bounds[0], bounds[1], bounds[2], bounds[3]))
        self.row_count += count
        return np.arange(self.row_count - count, self.row_count)

    def add(self, rows: Indices, columns: Indices, coefficients: ArrayLike = 1.0) -> None:
        """Add a term for each pair of a row and a column; terms of the same pair are summed."""
        pairs = np.broadcast_arrays(rows, columns, np.asarray(coefficients, float))
        for kept, part in zip(self._terms, pairs, strict=True):
            kept.append(part.ravel())

    def solve(self) -> Solution | None:
        """A near-optimal solution, and a lower bound on the optimum; None if the solver finds no solution."""
        lower, upper, cost = (np.concatenate([block[part] for block in self._columns]) for part in range(3))
        low, high, least, most = (np.concatenate([block[part] for block in self._rows]) for part in range(4))
        matrix, tight = self._matrix(), np.concatenate(self._tight)
        for options in _WAYS:
            found = _solved((lower, np.where(tight, upper, np.inf), cost), (low, high), matrix, options)
            if found is not None:
                values, duals = np.clip(found[0], lower, upper), found[1]
                proven = _proven((lower, upper, cost), (least, most), matrix, duals)
                return Solution(values, float(cost @ values), duals, proven)
        return None

    def _matrix(self) -> tuple[Indices, Indices, Floats]:
        """The terms sorted by rows and columns, as the solver requires."""
        rows, columns, coefficients = (np.concatenate(part) for part in self._terms)
        keys, place = np.unique((rows * self.column_count + columns).astype(np.int64), return_inverse=True)
        sums = np.asarray(np.bincount(place, coefficients, len(keys)), float)
        keys, sums = keys[sums != 0], sums[sums != 0]
        return keys // self.column_count, keys % self.column_count, sums


_WAYS: tuple[dict[str, str], ...] = ({"solver": "ipm", "run_crossover": "on"}, {"solver": "simplex"})
"""The solver's options, tried in order. The interior point method is fast, and its crossover to a vertex splits few
tensors; the simplex method is the fallback."""


_GAP = 1e-4
"""Largest relative gap between primal and dual objectives. A large gap is acceptable for correctness, since bounds are
proven from the dual."""


_SOLVED: OrderedDict[bytes, tuple[Floats, Floats] | None] = OrderedDict()
"""The answers to the last linear programs, by a digest of all their numbers. A plan and the worth of parameters that do
not limit it lead to the same linear program."""
_KEPT = 4


_Columns: TypeAlias = tuple[Floats, Floats, Floats]
"""For each column its lower bound, upper bound and cost."""
_Rows: TypeAlias = tuple[Floats, Floats]
"""For each row its lower and upper bound."""
_Matrix: TypeAlias = tuple[Indices, Indices, Floats]
"""The row, column and coefficient of each term."""


def _solved(columns: _Columns, rows: _Rows, matrix: _Matrix, options: dict[str, str]) -> tuple[Floats, Floats] | None:
    """The answer of HiGHS, or the same answer that it gave to an equal linear program before."""
    digest = sha256(repr(sorted(options.items())).encode())
    for numbers in (*columns, *rows, *matrix):
        digest.update(f"{numbers.dtype}{numbers.shape}".encode())
        digest.update(np.ascontiguousarray(numbers).data)
    key = digest.digest()
    if key in _SOLVED:
        _SOLVED.move_to_end(key)
        return _SOLVED[key]
    found = _SOLVED[key] = _highs(columns, rows, matrix, options)
    if found is not None:
        for numbers in found:
            numbers.flags.writeable = False
    if len(_SOLVED) > _KEPT:
        _SOLVED.popitem(last=False)
    return found


def _highs(columns: _Columns, rows: _Rows, matrix: _Matrix, options: dict[str, str]) -> tuple[Floats, Floats] | None:
    """Solve a linear program with HiGHS: values of columns and duals of rows, or None if the solver finds no solution.
    The program is passed to MathOpt as a protocol message, since its Python model would create an object per term."""
    # modules without stubs
    callbacks, model_parameters, models, parameters = (
        import_module(f"ortools.math_opt.{name}_pb2")
        for name in ("callback", "model_parameters", "model", "parameters")
    )
    solver = import_module("ortools.math_opt.core.python.solver")
    not_solved: type[Exception] = import_module("pybind11_abseil.status").StatusNotOk

    (lower, upper, cost), (low, high) = columns, rows
    message = models.ModelProto()
    message.variables.ids.extend(range(len(cost)))
    message.variables.lower_bounds.extend(lower.tolist())
    message.variables.upper_bounds.extend(upper.tolist())
    message.variables.integers.extend([False] * len(cost))
    priced = np.flatnonzero(cost)
    message.objective.linear_coefficients.ids.extend(priced.tolist())
    message.objective.linear_coefficients.values.extend(cost[priced].tolist())
    message.linear_constraints.ids.extend(range(len(low)))
    message.linear_constraints.lower_bounds.extend(low.tolist())
    message.linear_constraints.upper_bounds.extend(high.tolist())
    message.linear_constraint_matrix.row_ids.extend(matrix[0].tolist())
    message.linear_constraint_matrix.column_ids.extend(matrix[1].tolist())
    message.linear_constraint_matrix.coefficients.extend(matrix[2].tolist())
    wishes = parameters.SolveParametersProto()
    wishes.highs.string_options.update(options)
    wishes.highs.double_options["optimality_tolerance"] = _GAP
    first, model_wishes = parameters.SolverInitializerProto(), model_parameters.ModelSolveParametersProto()
    nothing = callbacks.CallbackRegistrationProto()
    kind = parameters.SOLVER_TYPE_HIGHS
    try:
        answer = solver.solve(message, kind, first, wishes, model_wishes, None, nothing, None, None)
    except not_solved:  # it stopped before reaching its tolerances
        return None
    if not answer.solutions:
        return None
    best = answer.solutions[0]
    values = np.array(best.primal_solution.variable_values.values, float)
    duals = np.array(best.dual_solution.dual_values.values, float)
    complete = len(values) == len(cost) and len(duals) == len(low)
    return (values, duals) if complete else None


def _proven(
    columns: tuple[Floats, Floats, Floats],
    rows: tuple[Floats, Floats],
    matrix: tuple[Indices, Indices, Floats],
    duals: Floats,
) -> float:
    """The Lagrangian lower bound for given duals: cost = duals · rows + (cost - duals · matrix) · columns, minimised
    over the bounds of each row and column. It is valid for any duals; the dual of a row without a bound on the side
    of its sign is set to 0."""
    (lower, upper, cost), (low, high) = columns, rows
    duals = np.where(np.isfinite(np.where(duals > 0, low, high)), duals, 0.0)
    held = np.where(duals > 0, low, high)
    rest = cost - np.bincount(matrix[1], duals[matrix[0]] * matrix[2], len(cost))
    total = (duals * np.where(duals == 0, 0.0, held)).sum() + np.minimum(rest * lower, rest * upper).sum()
    rounding = 1e-13 * (np.abs(duals * np.where(duals == 0, 0.0, held)).sum() + np.abs(rest * upper).sum())
    return float(total - rounding)
