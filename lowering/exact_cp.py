"""The search of CP-SAT for the least makespan."""

from __future__ import annotations

import math

from ortools.sat.python import cp_model

from lowering.choice import Choice
from lowering.exact_model import Model
from lowering.exact_replay import replayed
from lowering.exact_space import Space, Work, work_of
from lowering.problem import Schedule


def search(space: Space, most: int, effort: float, start: Schedule) -> tuple[list[Schedule], int]:
    """Schedules that end by `most` units, as they get better, and the least units that any takes (more than `most` if
    there are none)."""
    model = Model(space, most)
    for run, literal in zip(space.runs, model.taken, strict=True):
        model.model.add_hint(literal, all(start.placement[node] is run.choice for node in run.nodes))
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = 1
    parameters.random_seed = 0
    parameters.max_deterministic_time = effort
    answers = _Answers(model)
    status = solver.solve(model.model, answers)
    assert status != cp_model.MODEL_INVALID, model.model.validate()
    if status == cp_model.INFEASIBLE:
        return [], most + 1
    bound = solver.best_objective_bound
    least = space.least() if not math.isfinite(bound) else max(space.least(), math.ceil(bound - 0.5))
    return [replayed(space, *answer) for answer in answers.found], least


class _Answers(cp_model.CpSolverSolutionCallback):
    """Keeps placements and times: of each answer where the model leaves out what slows jobs down, else the last."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model
        self.found: list[tuple[list[Choice], dict[Work, tuple[int, int]]]] = []

    def on_solution_callback(self) -> None:
        model, space = self.model, self.model.space
        if not space.problem.draws.rules.bandwidths:
            self.found.clear()
        placement = space.placement(run for run, literal in enumerate(model.taken) if self.boolean_value(literal))
        times: dict[Work, tuple[int, int]] = {}
        for work in work_of(space, placement):
            begin = self.value(model.begin[work])
            times[work] = begin, begin + space.units[work]
        self.found.append((placement, times))
