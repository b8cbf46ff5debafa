"""The trace of a program: what one device runs and holds in an iteration, as kernels and tensors.

It is read off the walk that the timeline and the summary's memory figure come from (`Plan` in
interp/schedule/timeline.py), so that a memory that holds the trace's peak of live bytes is one that the program fits.

- A kernel is a task of the device; before placement, an op. Kernels come in the order of their starts, and take what
  they take in the timeline. While the device waits for others, a kernel of no op passes the time.
- A tensor is memory that one or more values share: views and updates in place show what is there already. A donated
  argument and the result that lies there are one tensor that persists, as do weights, constants and kept arguments.
- Other arguments are handed over one by one at the start, and results taken away one by one at the end, each by a
  kernel that takes no time: they lie in memory from then on, or until then, as they do in the summary's figure.
- A loop is one kernel of all its turns: it uses its operands and results, and its workspace is what a turn needs
  besides.
- A copy to or from another device holds its value in all kernels beside which it runs; so does another device's task
  that uses this device's memory.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dialects.graph.constant import WeightOp
from interp.cost.clock import Clock
from interp.memory.problem import Kernel, KernelTrace, Tensor
from interp.program.entry import block_of, donated_arguments, entry_of
from interp.schedule.memory import Hold
from interp.schedule.timeline import LOOPS, Known, Plan, Timeline


@dataclass(frozen=True)
class ProgramTrace:
    """A program's trace on one device, and where its kernels and tensors come from."""

    trace: KernelTrace
    device: str
    ops: tuple[Operation | None, ...]
    """The op of each kernel; None for one that waits, hands over or takes away."""
    tensors: Mapping[SSAValue, tuple[int, ...]]
    """The tensors that each value of the program lies in on this device; a concat that is a view lies in several."""
    events: tuple[int | None, ...]
    """The event of the timeline that each kernel is; None as for `ops`."""
    spans: tuple[tuple[float, float], ...]
    """Times, in ns, at which each kernel begins and ends in the timeline."""
    beside: Mapping[int, tuple[int, int]]
    """The first kernel beside which each event runs that uses this device's memory and is none of its kernels, and the
    last one."""

    def values(self, tensor: int) -> list[SSAValue]:
        """The values that lie in a tensor, in the order of the program."""
        return self._values[tensor]

    @cached_property
    def _values(self) -> Mapping[int, list[SSAValue]]:
        found: dict[int, list[SSAValue]] = defaultdict(list)
        for value, numbers in self.tensors.items():
            for number in numbers:
                found[number].append(value)
        return found


def trace_of(module: ModuleOp, clock: Clock, entry: str | None = None, device: str | None = None) -> ProgramTrace:
    """The trace of a program's entry function on a device, the primary device if none is named.

    The kernels' times add up to the program's makespan. Raises InputError where the timeline does, but for memory that
    is too small.
    """
    plan = Plan(module, clock)
    function = entry_of(module, entry)
    results = plan.entry(function)
    return trace_of_plan(plan, function, results, plan.timeline(), device or plan.primary)


def trace_of_plan(
    plan: Plan, function: FuncOp, results: Sequence[Known], timeline: Timeline, device: str
) -> ProgramTrace:
    """The trace of a function that is planned, with what is known of its results, on a device."""
    arguments: dict[SSAValue, Sequence[Hold]] = {value: plan.known[value].holds for value in block_of(function).args}
    returned = [known.holds for known in results]
    donated = [
        (arguments[value], returned[number])
        for value, number in donated_arguments(function).items()
        if number is not None
    ]
    return _Writer(plan, timeline, device).trace(arguments, returned, donated)


@dataclass(eq=False)
class _Step:
    """A kernel in the making: what holds its operands."""

    name: str
    span: tuple[float, float] = (0.0, 0.0)
    event: int | None = None
    op: Operation | None = None
    reads: dict[Hold, None] = field(default_factory=dict[Hold, None])
    writes: dict[Hold, None] = field(default_factory=dict[Hold, None])
    workspace: int = 0

    @property
    def ns(self) -> float:
        return self.span[1] - self.span[0]


class _Writer:
    """Makes the kernels of one device from a planned program and its timeline."""

    def __init__(self, plan: Plan, timeline: Timeline, device: str) -> None:
        self.plan, self.timeline, self.device = plan, timeline, device
        self.weights = [hold for hold in plan.residency.residents.values() if hold.device == device]
        self.holds = [hold for hold in plan.residency.holds if hold.device == device and hold.nbytes]
        self.reads: dict[int, list[Hold]] = defaultdict(list)
        self.writes: dict[int, list[Hold]] = defaultdict(list)
        for hold in (*self.weights, *self.holds):
            for job in hold.readers:
                self.reads[job].append(hold)
            for job in hold.writers:
                self.writes[job].append(hold)
            if hold.heir is not None:
                self.reads[hold.heir].append(hold)
            if hold.maker is not None:
                self.writes[hold.maker].append(hold)
        self.same = self.handed_on()
        self.moved: dict[Hold, Hold] = {}
        """Of results of donated arguments that lie elsewhere at first, the arguments'."""
        self.persistent = dict.fromkeys(self.weights)
        self.beside: dict[int, tuple[_Step, _Step]] = {}
        """The first kernel beside which an event runs that uses this memory, and the last one."""

    def trace(
        self,
        arguments: Mapping[SSAValue, Sequence[Hold]],
        returned: Sequence[Sequence[Hold]],
        donated: Sequence[tuple[Sequence[Hold], Sequence[Hold]]],
    ) -> ProgramTrace:
        """The trace, for what holds arguments and results, and what both donated arguments and their results."""
        steps = self.steps()
        self.persist(steps, donated)
        given = dict.fromkeys(hold for holds in arguments.values() for hold in holds if hold.device == self.device)
        self.persistent |= dict.fromkeys(hold for hold in given if hold.kept and hold.nbytes)
        unread = sum(hold.nbytes for hold in given if not hold.users and hold not in self.persistent)
        if unread:  # an argument that nobody reads is there when the first kernel starts
            steps = steps or [_Step("begin")]
            steps[0].workspace += unread
        passing = [hold for hold in given if hold.users and hold.nbytes and hold not in self.persistent]
        taken = dict.fromkeys(hold for holds in returned for hold in holds if hold.device == self.device)
        end = self.timeline.makespan_ns
        leaving = [hold for hold in taken if hold.nbytes and not self.persists(hold)]
        steps = [
            *(_Step("hand over", writes={hold: None}) for hold in passing),
            *steps,
            *(_Step("take away", (end, end), reads={hold: None}) for hold in leaving),
        ]
        return self.numbered(steps)

    def persists(self, hold: Hold) -> bool:
        return self.moved.get(hold, self.first(hold)) in self.persistent

    # The device's own kernels, and what happens beside them.

    def steps(self) -> list[_Step]:
        """The kernels between the arguments' arrival and the results' departure."""
        events = self.timeline.events
        own = [number for number, event in enumerate(events) if event.resource in (self.device, LOOPS)]
        own.sort(key=lambda number: (events[number].start_ns, events[number].end_ns, number))
        beside = sorted({*self.reads, *self.writes} - set(own))
        cuts = sorted({at for number in beside for at in (events[number].start_ns, events[number].end_ns)})
        found: list[_Step] = []
        now = 0.0
        for number in own:
            event = events[number]
            self._wait(now, event.start_ns, cuts, found)
            found.append(self._own(number))
            now = max(now, event.end_ns)
        self._wait(now, self.timeline.makespan_ns, cuts, found)
        return self._with(beside, found)

    def _own(self, number: int) -> _Step:
        """The kernel of an event of this device. What it makes and nobody reads is workspace."""
        event = self.timeline.events[number]
        span = event.start_ns, event.end_ns
        step = _Step(event.name, span, number, event.op, dict.fromkeys(self.reads[number]))
        for hold in self.writes[number]:
            if hold.readers or hold.kept or hold.heir is not None or hold in self.same:
                step.writes[hold] = None
            else:
                step.workspace += hold.nbytes
        return step

    def _wait(self, begin: float, end: float, cuts: Sequence[float], found: list[_Step]) -> None:
        """Kernels that wait from one time to another, cut where something begins or ends beside them."""
        if end > begin:
            for since, until in pairwise([begin, *cuts[bisect_right(cuts, begin) : bisect_left(cuts, end)], end]):
                found.append(_Step("wait", (since, until)))

    def _with(self, beside: Iterable[int], steps: Sequence[_Step]) -> list[_Step]:
        """The kernels, with what is held for jobs that run beside them. A job that takes no time between two kernels is
        one of its own."""
        ends = [step.span[1] for step in steps]
        begins = [step.span[0] for step in steps]
        moments: dict[int, list[_Step]] = defaultdict(list)
        for number in beside:
            event = self.timeline.events[number]
            reads, writes = self.reads[number], self.writes[number]
            first, last = bisect_right(ends, event.start_ns), bisect_left(begins, event.end_ns)
            if first >= last:
                span = event.start_ns, event.end_ns
                moment = _Step(event.name, span, number, event.op, dict.fromkeys(reads), dict.fromkeys(writes))
                moments[first].append(moment)
                continue
            self.beside[number] = steps[first], steps[last - 1]
            steps[first].writes.update(dict.fromkeys(writes))
            for step in steps[first:last]:
                step.reads.update(dict.fromkeys(reads))
            for step in steps[first + 1 : last]:
                step.reads.update(dict.fromkeys(writes))
        return [step for place in range(len(steps) + 1) for step in (*moments[place], *steps[place : place + 1])]

    # Memory that is handed on.

    def handed_on(self) -> dict[Hold, Hold]:
        """Memory that goes on as another value's, each with what had it before: as much of it, which nothing else needs
        or has got."""
        found: dict[Hold, Hold] = {}
        gone: set[Hold] = set()
        for hold in self.holds:
            if len(hold.takes) != 1 or hold.maker is None:
                continue
            given = hold.takes[0]
            free = given not in gone and not given.kept and max(given.users, default=-1) < hold.maker
            if free and given.device == hold.device and given.nbytes == hold.nbytes:
                found[hold] = given
                gone.add(given)
        return found

    def first(self, hold: Hold) -> Hold:
        """First hold of memory that has been handed on since, up to this hold."""
        while hold in self.same:
            hold = self.same[hold]
        return hold

    def persist(self, steps: Sequence[_Step], donated: Iterable[tuple[Sequence[Hold], Sequence[Hold]]]) -> None:
        """Make donated arguments and the results that lie there persist, each pair as one tensor. A result that is made
        before the argument is read for the last time lies elsewhere until then, and is moved by that kernel."""
        uses: dict[Hold, list[int]] = defaultdict(list)
        for number, step in enumerate(steps):
            for hold in {**step.reads, **step.writes}:
                uses[hold].append(number)
        for given, taken in ((given[0], taken[0]) for given, taken in donated if len(given) == len(taken) == 1):
            if given.device != self.device or taken.device != self.device or given.nbytes != taken.nbytes:
                continue
            self.persistent[given] = None
            if given in (taken, self.first(taken)) or taken in self.persistent:
                continue
            moved = uses[given][-1] if uses[given] else -1
            for number in uses[taken]:
                for held in (steps[number].reads, steps[number].writes) if number > moved else ():
                    if taken in held:
                        del held[taken]
                        held[given] = None
            if uses[taken] and uses[taken][0] <= moved:
                steps[moved].reads[taken] = None
                steps[moved].writes[given] = None
            self.moved[taken] = given

    # Kernels and tensors by number.

    def numbered(self, steps: Sequence[_Step]) -> ProgramTrace:
        """The trace of these kernels."""
        shown: dict[Hold, list[SSAValue]] = defaultdict(list)
        for value, holds in self.values():
            for hold in holds:
                shown[self.first(hold)].append(value)
        numbers: dict[Hold, int] = {}
        for hold in (*self.weights, *(hold for step in steps for hold in (*step.reads, *step.writes))):
            numbers.setdefault(self.first(hold), len(numbers))
        for hold in self.persistent:
            numbers.setdefault(self.first(hold), len(numbers))

        def of(holds: Iterable[Hold]) -> tuple[int, ...]:
            return tuple(dict.fromkeys(numbers[self.first(hold)] for hold in holds))

        persistent = {self.first(hold) for hold in self.persistent}
        tensors = [Tensor(_called(shown[hold]), hold.nbytes, hold in persistent) for hold in numbers]
        kernels = [
            Kernel(_step_called(step, shown), step.ns, of(step.reads), of(step.writes), step.workspace)
            for step in steps
        ]
        tensors_of = {
            value: of(found)
            for value, holds in self.values()
            if (found := [hold for each in holds for hold in self._lies(each) if self.first(hold) in numbers])
        }
        trace = KernelTrace(tuple(kernels), tuple(tensors))
        places = {id(step): place for place, step in enumerate(steps)}
        return ProgramTrace(
            trace,
            self.device,
            tuple(step.op for step in steps),
            tensors_of,
            tuple(step.event for step in steps),
            tuple(step.span for step in steps),
            {event: (places[id(first)], places[id(last)]) for event, (first, last) in self.beside.items()},
        )

    def _lies(self, hold: Hold) -> tuple[Hold, ...]:
        """Holds in which a value lies in turn: its own and, if it is moved, the one that it is moved to."""
        return (hold, self.moved[hold]) if hold in self.moved else (hold,)

    def values(self) -> Iterator[tuple[SSAValue, list[Hold]]]:
        """Values, each with the memory that it lies in on this device."""
        for (device, what), hold in self.plan.residency.residents.items():
            if device == self.device:
                yield from ((value, [hold]) for value in _values_in(what))
        for value, known in self.plan.known.items():
            holds = [hold for hold in (*known.holds, *known.weights) if hold.device == self.device]
            if holds:
                yield value, holds


def _values_in(what: Hashable) -> Iterator[SSAValue]:
    """The weights that a claim on memory is for."""
    if isinstance(what, SSAValue):
        yield what
    elif isinstance(what, tuple):
        for part in what:  # pyright: ignore[reportUnknownVariableType]
            yield from _values_in(part)  # pyright: ignore[reportUnknownArgumentType]


def _called(values: Sequence[SSAValue]) -> str:
    """A tensor's name: of the weight that it is, or of the first value that lies there."""
    for value in values:
        if isinstance(value.owner, WeightOp):
            return value.owner.sym.data
    return next((f"%{value.name_hint}" for value in values if value.name_hint), "a value")


def _step_called(step: _Step, shown: Mapping[Hold, Sequence[SSAValue]]) -> str:
    """A kernel's name; with the tensor's, where it hands one over or takes it away."""
    moved = [*step.reads, *step.writes] if step.op is None and not step.ns else []
    return f"{step.name} {_called(shown[moved[0]])}" if moved else step.name
