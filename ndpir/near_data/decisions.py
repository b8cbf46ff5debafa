"""`-t decisions`: placement decisions for kernels that near-data units can run, with times, reasons and overlapping
kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, ClassVar, NamedTuple, get_args

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from dialects.task import DecisionAttr
from dialects.task.decision import DECISION, Word
from interp.figures import count, percent, table, time
from interp.program.entry import entry_of
from interp.schedule.simulation import simulate
from interp.schedule.timeline import Timeline
from lowering.banks.templates import clock_for
from lowering.placement.baseline import read_baseline
from lowering.placement.prediction import Prediction, read_prediction

RANDOM = "threefry"
"""The name of kernels that draw random numbers, which are also summed separately."""
NAMED = 2
"""The number of overlapping kernels that a row names; further ones are counted."""


class Decided(NamedTuple):
    """A kernel with its place in the source, its number of executions, and its placement decision."""

    name: str
    place: str
    iterations: int
    decision: DecisionAttr

    @property
    def word(self) -> str:
        """The decision as one word, such as `gpu`."""
        return self.decision.word.data

    @property
    def times(self) -> tuple[float, float, float, float]:
        """Times of all executions of the kernel in ns: on the primary device, on the near-data units (0 if it runs on
        the GPU), and of the latter the parts that are hidden behind other kernels and exposed."""
        decision = self.decision
        away = decision.away.value.data if self.word != "gpu" else 0.0
        once = decision.primary.value.data, away, decision.hidden_ns, decision.exposed_ns
        primary, away, hidden, exposed = (ns * self.iterations for ns in once)
        return primary, away, hidden, exposed


@dataclass(frozen=True)
class DecisionsTarget(Target):
    """The decisions of the policies pattern, xla-ndp and overlap for each kernel that near-data units can run.

    The first table sums up kernels by decision and kind; the `limit` kinds with the longest times on the primary device
    have rows of their own. The second table lists the `limit` longest kernels: their times on the primary device and
    away from it (on near-data units), the hidden and exposed parts of the latter, the kernels that they overlap with,
    and the reason for the decision. The last table compares the program's time in two accountings. The published
    accounting adds up the kernels on the primary device and the exposed time of the others. The full accounting is the
    simulated timeline, compared with the best time of the GPU alone, however the program was fused for it. Random
    numbers are also summed separately. Kernels in loops count once for each execution. `limit`: 0 shows all.
    """

    name: ClassVar[str] = "decisions"
    NEEDS_MACHINE: ClassVar[bool] = True
    limit: int = 10
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.limit < 0:
            raise InputError(f"decisions: `limit` must be at least 0 (0: all), not {self.limit}", module)
        clock = clock_for(module)
        timeline = simulate(module, clock, self.entry)
        decided = list(_decided(timeline))
        if not decided:
            raise InputError(
                "decisions: the program has no placement decisions; place it by a policy that overlaps kernels with "
                "those of the GPU (-p 'place{policy=overlap}'), on a machine with near-data units",
                module,
            )
        function = entry_of(module, self.entry)
        baseline = read_baseline(function, clock)
        parts = [
            _by_kind(decided, self.limit),
            _one_by_one(decided, self.limit),
            _accountings(timeline, read_prediction(function, clock), None if baseline is None else baseline.ns),
        ]
        output.write("\n".join(parts))


def _decided(timeline: Timeline) -> Iterator[Decided]:
    for event, iterations, _ in timeline.tasks():
        decision = event.op.attributes.get(DECISION)
        if isinstance(decision, DecisionAttr):
            yield Decided(event.name, event.place, iterations, decision)


def _summed(name: str, kind: str, several: Iterable[Decided]) -> tuple[str, ...]:
    rows = list(several)
    sums = [sum(column) for column in zip(*(each.times for each in rows), strict=True)]
    return name, kind, str(sum(each.iterations for each in rows)), *map(time, sums)


def _by_kind(decided: list[Decided], limit: int) -> str:
    by: dict[tuple[str, str], list[Decided]] = defaultdict(list)
    for each in decided:
        by[each.word, each.name].append(each)
    order = list(get_args(Word))

    def on_primary(key: tuple[str, str]) -> float:
        return sum(each.times[0] for each in by[key])

    largest = sorted(by, key=on_primary, reverse=True)
    shown = set(largest[: limit or None])
    rows: list[tuple[str, ...]] = []
    for word in order:
        kinds = [key for key in largest if key[0] == word]
        rows += [_summed(*key, by[key]) for key in kinds if key in shown]
        if more := [key for key in kinds if key not in shown]:
            rows.append(_summed(word, count(len(more), "more kind"), (each for key in more for each in by[key])))
    drawn = [each for each in decided if each.name == RANDOM]
    rows.append(_summed("all", "", decided))
    if drawn:
        rows.append(_summed("", "without random numbers", (each for each in decided if each.name != RANDOM)))
        rows.append(_summed("", "random numbers", drawn))
    return table(("decision", "kind", "kernels", "on primary", "near data", "hidden", "exposed"), rows, left=(0, 1))


def _one_by_one(decided: list[Decided], limit: int) -> str:
    largest = sorted(decided, key=lambda each: -max(each.times[:2]))[: limit or None]
    rows = [
        (
            each.word,
            each.name,
            time(each.decision.primary.value.data),
            time(each.decision.away.value.data),
            time(each.decision.hidden_ns),
            time(each.decision.exposed_ns),
            _overlapping(each.decision),
            each.decision.why.data,
            each.place,
        )
        for each in largest
    ]
    header = ("decision", "kernel", "on primary", "near data", "hidden", "exposed", "overlaps", "reason", "source")
    more = len(decided) - len(rows)
    left_out = f"... {more} more (decisions{{limit=0}} shows all)\n" if more else ""
    return table(header, rows, left=(0, 1, 6, 7, 8)) + left_out


def _overlapping(decision: DecisionAttr) -> str:
    """The names of the kernels that a kernel overlaps with longest, without their places."""
    most = sorted(decision.shares.items(), key=lambda item: -item[1])
    named = [name.partition(" ")[0] for name, _ in most[:NAMED]]
    return ", ".join(named) + (f" and {len(most) - NAMED} more" if len(most) > NAMED else "")


def _accountings(timeline: Timeline, noted: Prediction | None, alone: float | None) -> str:
    rows: list[tuple[str, ...]] = []
    if noted is not None and (published := noted.published) is not None:
        rows.append(_accounting("published", published.alone, published.ns, published.bound))
    bound = noted.bound.ns if noted is not None and noted.bound is not None else 0.0
    if alone is not None:
        rows.append(_accounting("full", alone, timeline.makespan_ns, bound))
    return table(("accounting", "GPU alone", "this plan", "speed-up", "bound", "gap"), rows, left=(0,))


def _accounting(name: str, alone: float, ns: float, bound: float) -> tuple[str, ...]:
    gap = percent(max(0.0, ns / bound - 1)) if bound else ""
    return name, time(alone), time(ns), f"{alone / ns:.3f}x" if ns else "", time(bound) if bound else "", gap
