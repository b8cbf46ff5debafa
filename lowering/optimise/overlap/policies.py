"""The policies `pattern`, `xla-ndp` and `overlap`: which kernels are offloaded, which kernels hide them, and the reason
for each decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dialects.locations import text_of
from dialects.task import DecisionAttr
from dialects.task.decision import Word
from interp.figures import time
from interp.simulate.schedule.names import name_of
from lowering.instance.problem import Problem, Published, Schedule
from lowering.optimise.overlap.fractions import Prices
from lowering.optimise.overlap.hiding import Hiding
from lowering.optimise.overlap.kernels import Candidate, Kernels
from lowering.optimise.overlap.plan import Plan
from lowering.optimise.overlap.rules import by_cost, by_pattern
from lowering.optimise.overlap.search import Chosen, chosen_forms
from lowering.optimise.overlap.timed import Timed, TransferMode, TransferModes, least_busy


def place_pattern(problem: Problem) -> Schedule:
    """The schedule that NDPX's rule decides, from the positions of kernels in the graph alone."""
    kernels = Kernels.of(problem)
    return _decided(by_pattern(kernels), Reasons(kernels, "the rule ignores costs"))


def place_xla_ndp(problem: Problem) -> Schedule:
    """The schedule that XLA-NDP's rule decides, from the times of kernels."""
    kernels = Kernels.of(problem)
    return _decided(
        by_cost(kernels), Reasons(kernels, "its exposed time would be no less than its time on the primary device")
    )


def place_overlap(problem: Problem) -> Schedule:
    """The schedule of `overlap_from` without additional starts."""
    return overlap_from(problem)[0]


def overlap_from(problem: Problem, starts: Sequence[TransferModes] = ()) -> tuple[Schedule, TransferModes]:
    """The schedule of the policy `overlap`, and its offloaded candidates.

    For the published accounting, it is the best of the rounded and improved solutions of the relaxation and of the
    plans of the rules. For the full accounting, it is the one of their schedules with the shortest timeline, improved
    by moving groups of candidates. If candidates have several forms, several selections of forms are tried. `starts`:
    additional initial solutions, for instance those of a slightly different machine.
    """
    each = chosen_forms(problem, [ways.keys() for ways in starts])
    best = each[0]
    if problem.options.accounting == "published":
        ways: dict[int, TransferMode] = dict.fromkeys(best.plan.offloaded, "whole")
        return _by_plan(best.plan, Reasons(best.kernels, "", best.prices), best.bound), ways
    timed = min((_climbed(chosen, starts) for chosen in each), key=lambda timed: timed.best.ns)
    reasons = Reasons(timed.kernels, "no schedule that was tried with it offloaded ended earlier")
    return _by_timeline(timed.ordered(), timed, reasons, best.bound), timed.ways


def _climbed(chosen: Chosen, starts: Sequence[TransferModes]) -> Timed:
    """The best schedule by the timeline after hill climbing from a few initial sets of offloaded candidates, with each
    candidate in one form."""
    kernels = chosen.kernels
    timed = Timed(kernels)
    for plan in (chosen.plan, by_cost(kernels), by_pattern(kernels)):
        timed.tried(dict.fromkeys(plan.offloaded, "whole"))
    for ways in starts:
        timed.tried({node: way for node, way in ways.items() if node in kernels.candidates})
    timed.climb()
    return timed


def _decided(plan: Plan, reasons: Reasons) -> Schedule:
    """The schedule of a rule's plan, which is the same in both accountings; in the full accounting, jobs are
    reordered."""
    if plan.kernels.problem.options.accounting == "published":
        return _by_plan(plan, reasons)
    timed = Timed(plan.kernels)
    timed.take(dict.fromkeys(plan.offloaded, "whole"))
    return _by_timeline(timed.ordered(), timed, reasons)


def _by_plan(plan: Plan, reasons: Reasons, bound: float = 0.0) -> Schedule:
    kernels = plan.kernels
    published = Published(plan.ns, kernels.alone_ns, bound)
    return Schedule(kernels.placement(plan.offloaded.keys()), decisions=reasons.decisions(plan), published=published)


def _by_timeline(schedule: Schedule, timed: Timed, reasons: Reasons, bound: float = 0.0) -> Schedule:
    """A schedule with decisions that record the overlaps in its timeline."""
    kernels = timed.kernels
    plan = Plan(kernels, timed.beside(schedule))
    offloaded = Hiding(kernels).ns(plan.offloaded.keys())
    decisions = reasons.decisions(plan, timed.streamed_candidates(schedule))
    floor = least_busy(kernels.problem) if schedule.streams or schedule.input_devices else None
    published = Published(offloaded, kernels.alone_ns, bound)
    return replace(schedule, decisions=decisions, published=published, bound=floor)


SHORT_NS = 1.0
"""Hidden times in ns below this limit are not reported, since they may be due to rounding."""
HIDES: dict[Word, str] = {
    "parallel": "independent kernels hide",
    "fly-write": "the producer of its input hides",
    "fly-read": "the consumer of its result hides",
}


class Reasons:
    """Reasons for decisions, in words. `stays`: for each candidate that a rule leaves on the primary device, the rule's
    reason; `prices`: the prices of the relaxation, from which the reason is derived if no rule decided."""

    def __init__(self, kernels: Kernels, stays: str, prices: Prices | None = None) -> None:
        self.kernels, self.stays, self.prices = kernels, stays, prices
        met = Counter[str]()
        self.names: dict[int, str] = {}
        """The names of nodes, made unique."""
        for node in kernels.problem.nodes:
            name = " ".join(filter(None, (name_of(node.op), text_of(node.op.location))))
            met[name] += 1
            self.names[node.index] = name if met[name] == 1 else f"{name} #{met[name]}"

    def decisions(self, plan: Plan, words: Mapping[int, Word] | None = None) -> dict[int, DecisionAttr]:
        """The decision of a plan for each candidate. `words`: the kind of overlap of some candidates; for candidates
        not in `words`, it is derived from the kernels that hide them."""
        found: dict[int, DecisionAttr] = {}
        for node, candidate in self.kernels.candidates.items():
            if node not in plan.offloaded:
                found[node] = DecisionAttr.of(
                    "gpu", candidate.primary_ns, candidate.ns, {}, self._stay_reason(candidate)
                )
                continue
            word = _word(self.kernels, candidate, plan.offloaded[node])
            if words is not None and plan.offloaded[node]:
                word = words.get(node, "parallel")
            beside = {self.names[host]: ns for host, ns in plan.offloaded[node].items()}
            why = self._offload_reason(word, candidate, plan.exposed(node))
            found[node] = DecisionAttr.of(word, candidate.primary_ns, candidate.ns, beside, why)
        return found

    def _offload_reason(self, word: Word, candidate: Candidate, exposed: float) -> str:
        if candidate.primary is None:
            return "it is marked for this device"
        hides = HIDES.get(word, "nothing hides")
        much = "it" if exposed < SHORT_NS or word == "sequential" else f"all but {time(exposed)} of it"
        if exposed < candidate.primary_ns:
            return f"{hides} {much}, and on the primary device it takes {time(candidate.primary_ns)}"
        return (
            f"{hides} {much}; {self.stays or 'offloading it frees time on the primary device that hides other kernels'}"
        )

    def _stay_reason(self, candidate: Candidate) -> str:
        if self.prices is None:
            return self.stays
        worth = self.prices.worth(candidate)
        if worth > SHORT_NS:
            return f"offloading it would cost {time(worth)} more at the dual prices of the bound"
        return "it stays to hide other kernels, which saves as much time"


def _word(kernels: Kernels, candidate: Candidate, beside: Mapping[int, float]) -> Word:
    """The kind of overlap in which most of a candidate's time is hidden. `beside`: the hidden time in ns, by kernel on
    the primary device."""
    hidden: dict[Word, float] = {"fly-write": 0.0, "fly-read": 0.0, "parallel": 0.0, "sequential": 0.0}
    for host, ns in beside.items():
        if host in kernels.makers[candidate.node]:
            hidden["fly-write"] += ns
        elif host in kernels.readers[candidate.node]:
            hidden["fly-read"] += ns
        else:
            hidden["parallel"] += ns
    return max(hidden, key=lambda word: hidden[word]) if beside else "sequential"
