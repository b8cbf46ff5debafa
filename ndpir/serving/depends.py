"""What an answer depends on: the time of a decode step at both ends of the range of each assumed number of the machine's
sheets, with the same plan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from interp.machine.device import Assumption
from interp.simulate.schedule.what_if import outcome_of
from lowering.alone.baseline import Baseline
from lowering.alone.sensitivity import NOTICED, swings
from ndpir.frontends.configs import Group
from ndpir.reports.run import Run
from ndpir.reports.summary import ends_in_words
from ndpir.serving.steps import Steps


@dataclass(frozen=True)
class Dependence:
    """A decode step's time at both ends of the range of an assumption; None for an end at which the plan can't run."""

    name: str
    """The assumption: `attacc.launch`, as after `--set`."""
    assumed: str
    """The stated value."""
    ends: tuple[str, str]
    """Both ends of the range in words."""
    step_ns: tuple[float | None, float | None]


def dependences(steps: Steps, groups: Sequence[Group]) -> Iterator[Dependence]:
    """The assumptions by which a step's time changes by more than a twentieth."""
    stated = 0.0
    found: dict[str, Assumption] = {}
    at_ends = defaultdict[str, list[float | None]](lambda: [stated_before, stated_before])
    for share, program in steps.compiled(groups):
        run = Run(program)
        outcome, stated_before = outcome_of(run.timeline), stated
        stated += share * outcome.ns
        alone = Baseline(outcome.ns, outcome.nj, outcome.board_nj)
        met = {each.name: each for each in swings(program, run.timeline, run.clock, alone)}
        found |= {name: swing.assumption for name, swing in met.items()}
        for name in found:
            known = at_ends[name]
            for end in (0, 1):
                headline = None if name not in met else (met[name].low, met[name].high)[end]
                ns = outcome.ns if headline is None else None if isinstance(headline, str) else headline.ns
                before = known[end]
                known[end] = None if ns is None or before is None else before + share * ns
    for name, assumption in found.items():
        low, high = at_ends[name]
        if any(ns is None or abs(ns - stated) > NOTICED * stated for ns in (low, high)):
            first, last = ends_in_words(assumption)
            yield Dependence(name, assumption.stated or "as in the sheet", (first, last), (low, high))
