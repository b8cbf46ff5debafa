"""CP-SAT of OR-tools: models of integers, literals and intervals, and searches that end after a fixed amount of work.

The import takes two seconds, longer than most searches, so modules that may not need it import this one in functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from ortools.sat.python import cp_model

Model = cp_model.CpModel
Literal = cp_model.BoolVarT
Integer = cp_model.IntVar
Interval = cp_model.IntervalVar
Linear = cp_model.LinearExprT
Relation = cp_model.BoundedLinearExpression
Domain = cp_model.Domain


class Values(Protocol):
    """The values of a solution."""

    def value(self, expression: Linear, /) -> int: ...

    def boolean_value(self, literal: Literal, /) -> bool: ...


class Outcome:
    """The outcome of a search. `found`: it has a solution, the best one found; `refuted`: it is proved that there is no
    solution; `bound`: a lower bound on the objective, maybe infinite."""

    def __init__(self, solver: cp_model.CpSolver, status: cp_model.CpSolverStatus) -> None:
        self.values: Values = solver
        self.found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        self.refuted = status == cp_model.INFEASIBLE
        self.bound = solver.best_objective_bound

    def chosen(self, literals: Iterable[Literal]) -> int:
        """The number of the first literal that is true."""
        return next(number for number, each in enumerate(literals) if self.values.boolean_value(each))


def solve(
    model: Model,
    effort: float,
    seed: int = 0,
    linearization: int = 1,
    seconds: float = math.inf,
    each: Callable[[Values], None] | None = None,
) -> Outcome:
    """Search with one worker for at most `effort` deterministic seconds, which are the same work on every machine.

    `linearization`: how much of the model linear relaxations contain, 0 to 2; `seconds`: an additional limit in
    wall-clock seconds; `each`: function that is called with each solution found, each better than the previous one.
    """
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.linearization_level = linearization
    solver.parameters.max_deterministic_time = effort
    solver.parameters.catch_sigint_signal = False  # Python's handlers decide on Ctrl-C
    if seconds < math.inf:
        solver.parameters.max_time_in_seconds = max(seconds, 0.0)
    status = solver.solve(model, None if each is None else _Solutions(each))
    assert status != cp_model.MODEL_INVALID, model.validate()
    return Outcome(solver, status)


class _Solutions(cp_model.CpSolverSolutionCallback):
    """Passes each solution on."""

    def __init__(self, each: Callable[[Values], None]) -> None:
        super().__init__()
        self._each = each

    def on_solution_callback(self) -> None:
        self._each(self)


def weighted(literals: Sequence[Literal], weights: Sequence[int]) -> cp_model.LinearExpr:
    """The sum of literals, each multiplied by its weight."""
    return cp_model.LinearExpr.weighted_sum(literals, weights)  # pyright: ignore[reportUnknownMemberType]
