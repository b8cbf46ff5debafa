"""The assumptions on which an answer depends: the time of a decode step at both ends of the range of each
assumed number of the machine's sheets, with the same plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from interp.simulate.schedule.what_if import outcome_of
from lowering.alone.baseline import Baseline
from lowering.alone.sensitivity import NOTICED, Swing, ends_in_words, swings
from ndpir.frontends.configs import Group
from ndpir.reports.run import Run
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


def dependences(steps: Steps, *groups: Group) -> Iterator[Dependence]:
    """The assumptions by which a step's time changes by more than a twentieth."""
    runs = [(share, Run(program)) for share, program in steps.programs(groups)]
    met = [_swings(run) for _, run in runs]
    stated = sum(share * run.timeline.makespan_ns for share, run in runs)

    def at(name: str, end: Literal["low", "high"]) -> float | None:
        total = 0.0
        for (share, run), known in zip(runs, met, strict=True):
            headline = getattr(known[name], end) if name in known else None
            if isinstance(headline, str):
                return None
            total += share * (run.timeline.makespan_ns if headline is None else headline.ns)
        return total

    for name, swing in {name: swing for known in met for name, swing in known.items()}.items():
        ends = at(name, "low"), at(name, "high")
        if any(ns is None or abs(ns - stated) > NOTICED * stated for ns in ends):
            assumption = swing.assumption
            yield Dependence(name, assumption.stated or "as in the sheet", ends_in_words(assumption), ends)


def _swings(run: Run) -> Mapping[str, Swing]:
    """The times of a run at both ends of each assumption, by its name."""
    outcome = outcome_of(run.timeline)
    alone = Baseline(outcome.ns, outcome.nj, outcome.board_nj)
    return {each.name: each for each in swings(run.module, run.timeline, run.clock, alone)}
