"""Losses of plans whose costs were wrong: the regret of each policy's plan over scenarios, and effects of
`place{robust=…}`.

In scenarios, costs differ from the planned costs by up to 10, 25 and 50 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean
from time import process_time

import ndpir
from benchmarks.image_networks.tables import shown
from benchmarks.placements.rows import PARALLEL, Case, prepared, problem_for
from dialects.diagnostics import notes_to
from interp.figures import percent
from lowering.instance.options import Options
from lowering.instance.problem import Policy, Problem, Schedule
from lowering.optimise.policies import POLICIES
from lowering.optimise.robust import Figures, PlanTrial, hedge, over
from lowering.optimise.scenarios import scenarios

FRACTIONS = (0.1, 0.25, 0.5)
CASES = (
    Case("bert", "cpu-pim", 128, PARALLEL),
    Case("gpt2", "cpu-pim", 128, PARALLEL),
    Case("gpt2_decode_kv255", "a100-aim"),
    Case("mobilenet_v2", "pimflow"),
)
SCENARIOS = 16
SEED = 3
"""The seed of scenarios; it differs from the two seeds with which `robust` selects a plan and tests it."""


@dataclass(frozen=True)
class Loss:
    """The regret of a policy's plan over scenarios with wrong costs."""

    policy: str
    mean: float
    worst: float


def policies_of(problem: Problem) -> dict[str, tuple[Policy, Options]]:
    """Return all policies with their options; `priority` is included several times, with each device as the first."""
    defaults = problem.options
    lists = {f"{name} first": replace(defaults, devices=(name,)) for name in problem.devices}
    named = {name: (POLICIES[name], defaults) for name in ("greedy", "cost", "path", "optimal")}
    return {name: (POLICIES["priority"], options) for name, options in lists.items()} | named


def losses(problem: Problem, fraction: float) -> list[Loss]:
    """Return the regret of each policy's plan over scenarios.

    In each scenario, the regret is relative to the best of all policies' plans, made for nominal costs or for the
    scenario's costs.
    """
    trial = PlanTrial(problem, scenarios(problem, fraction, SCENARIOS, SEED), expected=False)
    defaults, known = problem.options, policies_of(problem)
    plans: dict[str, Schedule] = {}
    for name, (policy, options) in known.items():
        problem.options = options
        plans[name] = Schedule.of(policy(problem))
        problem.options = defaults
        for scenario in trial.scenarios:
            scenario.options = replace(options, limit=options.limit / SCENARIOS)
            trial.evaluate(scenario.there(Schedule.of(policy(scenario))))
    reached = {name: trial.evaluate(plan) for name, plan in plans.items()}
    regrets = {
        name: [over(ns, best) for ns, best in zip(each, trial.best, strict=True)] for name, each in reached.items()
    }
    return [Loss(name, mean(each), max(each)) for name, each in regrets.items()]


def robustness(cases: Sequence[Case], policy: str, limit_s: float) -> None:
    """Print the tables of regrets and of the effects of `place{robust=…}` for each case."""
    lost: list[list[str]] = []
    gained: list[list[str]] = []
    names: list[str] = []
    for case in cases:
        with notes_to(lambda message, place: None):
            try:
                problem = problem_for(prepared(case), Options(limit=limit_s))
            except ndpir.InputError as error:
                print(f"{case.name} on {case.machine}: {error}")
                continue
            for fraction in FRACTIONS:
                found = losses(problem, fraction)
                names = [*dict.fromkeys((*names, *(each.policy for each in found)))]
                for each in found:
                    lost.append([case.name, f"±{fraction:.0%}", each.policy, percent(each.mean), percent(each.worst)])
                for regret in ("worst", "expected"):
                    defaults = replace(problem.options, robust=fraction, regret=regret)
                    gained.append([case.name, f"±{fraction:.0%}", *_hedged(problem, policy, defaults)])
    shown(
        f"regret of each policy's plan over {SCENARIOS} scenarios of wrong costs",
        ("program", "wrong by", "policy", "mean", "worst"),
        lost,
        left=(0, 1, 2),
    )
    shown(
        f"place{{policy={policy} robust=…}}: regret with and without it, on its selection's scenarios and on others",
        ("program", "wrong by", "regret", "without", "with", "others: without", "with", "price", "takes"),
        gained,
        left=(0, 1, 2),
    )


def _hedged(problem: Problem, policy: str, options: Options) -> list[str]:
    problem.options = options
    start = process_time()
    figures: Figures = hedge(problem, POLICIES[policy])[1]
    problem.options = replace(options, robust=0.0)
    regrets = (figures.nominal, figures.regret, figures.fresh_nominal, figures.fresh_regret, figures.price)
    return [options.regret, *map(percent, regrets), f"{process_time() - start:.1f} s"]
