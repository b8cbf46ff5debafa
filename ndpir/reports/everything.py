"""`-t json`: all answers of a program in one JSON document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, TypeAlias, TypeVar

from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import InputError
from ndpir.reports.banks.kernels import BanksAnswer, banks_answer
from ndpir.reports.document import document_of_answer
from ndpir.reports.near_data.decisions import DecisionsAnswer, decisions_answer
from ndpir.reports.near_data.programs import NearDataAnswer, near_data_answer
from ndpir.reports.placement import PlacementAnswer, placement_answer
from ndpir.reports.residency import ResidencyAnswer, residency_answer
from ndpir.reports.run import Run
from ndpir.reports.summary import Assumptions, Plan, SummaryAnswer, summary_answer
from ndpir.reports.target import AnswerTarget
from ndpir.reports.timeline import TimelineAnswer, timeline_answer

A = TypeVar("A")


@dataclass(frozen=True)
class Everything:
    """All answers of a run. A section that does not apply to the program is null, and `absent` states the reason."""

    ndpir: str
    """The version of ndpir that computed the answers."""
    timeline: TimelineAnswer | None
    summary: SummaryAnswer | None
    banks: BanksAnswer | None
    """The bank programs, as `-t banks` shows them."""
    placement: PlacementAnswer | None
    """The device of each task and weight."""
    plan: Plan | None
    """The policy, predicted makespan and lower bound that pass `place` recorded; as in the summary."""
    residency: ResidencyAnswer | None
    """The use of memory."""
    assumptions: Assumptions | None
    """The assumed numbers of the sheets, and the run's speed-up and energy at the ends of their ranges; as in the
    summary."""
    decisions: DecisionsAnswer | None
    """For each kernel that near-data units can run, the choice between these units and the primary device."""
    near_data: NearDataAnswer | None
    """The near-data programs, as `-t ndp` shows them."""
    absent: Mapping[str, str]
    """For each section that is null, its name and the reason."""


Section: TypeAlias = Callable[[Run, Callable[[], SummaryAnswer]], object]
"""A function from a run, and the function that computes its summary once, to a section of the document."""
SECTIONS: Mapping[str, Section] = {
    "timeline": lambda run, summary: timeline_answer(run),
    "summary": lambda run, summary: summary(),
    "banks": lambda run, summary: banks_answer(run),
    "placement": lambda run, summary: placement_answer(run),
    "plan": lambda run, summary: _given(
        summary().plan, "pass `place` noted no plan for this machine; run it (-p place)"
    ),
    "residency": lambda run, summary: residency_answer(run, summary().memory),
    "assumptions": lambda run, summary: _given(
        summary().assumptions,
        "the time on the primary device alone is unknown; run pass `place` for this machine",
    ),
    "decisions": lambda run, summary: decisions_answer(run),
    "near_data": lambda run, summary: near_data_answer(run),
}
"""The sections of a document, in its order."""


class _AbsentError(Exception):
    """Raised if a section does not apply to a program; its text is the reason."""


def _given(found: A | None, reason: str) -> A:
    if found is None:
        raise _AbsentError(reason)
    return found


def everything_answer(run: Run, sections: Sequence[str] = ()) -> Everything:
    """The answers of a run. `sections`: the names of those to compute; empty for all. Raises InputError if the program
    has no timeline."""
    assert run.timeline is not None  # computed first, so that a program without one is an error
    summary = cache(lambda: summary_answer(run))
    found, absent = dict[str, Any](), dict[str, str]()
    for name, section in SECTIONS.items():
        found[name] = None
        if sections and name not in sections:
            absent[name] = "not requested"
            continue
        try:
            found[name] = section(run, summary)
        except _AbsentError as error:
            absent[name] = str(error)
        except InputError as error:
            absent[name] = error.message
    return Everything(ndpir.__version__, **found, absent=absent)


@dataclass(frozen=True)
class JsonTarget(AnswerTarget[Everything]):
    """All answers of a program in one JSON document: timeline, summary, bank programs, placement, plan, residency,
    assumptions, decisions and near-data programs. A section that does not apply to the program is null, with the
    reason. docs/json.md describes the document.

    `sections`: the names of the sections to compute (default: all). `entry`: the function; default: `main`, or else the
    first function.
    """

    name: ClassVar[str] = "json"
    sections: tuple[str, ...] = ()
    entry: str | None = None

    def __post_init__(self) -> None:
        for name in self.sections:
            if name not in SECTIONS:
                raise ValueError(f"json has no section `{name}`; it has {', '.join(SECTIONS)}")

    def answer(self, module: ModuleOp) -> Everything:
        return everything_answer(Run.of(module, self.entry), self.sections)

    def text(self, answer: Everything) -> str:
        return document_of_answer(self.name, answer)
