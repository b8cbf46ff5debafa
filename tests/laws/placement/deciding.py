"""The policies that place unpartitioned ops, as laws ask for them: rules, and `optimal` with the least effort."""

from __future__ import annotations

from lowering.instance.options import Options
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.policies import BESIDE, POLICIES
from lowering.optimise.search.small import place_small

WHOLE = (*(name for name in POLICIES if name not in BESIDE), "optimal")
"""The policies for all machines; `Schedule`s of `optimal` are those of the options LEAST."""
LEAST = Options(effort=1)


def options_of(policy: str) -> Options:
    """The options with which laws place by a policy."""
    return LEAST if policy == "optimal" else Options()


def decided(problem: Problem, policy: str) -> Schedule:
    """The schedule that a policy decides on, `optimal` with the least effort."""
    return place_small(problem) if policy == "optimal" else Schedule.of(POLICIES[policy](problem))
