"""The trace of a program: the work and memory of one device in an iteration, as kernels and tensors.

It is derived from the same walk as the timeline and the summary's memory figure (`Plan` in
interp/simulate/schedule/planning.py), so that the program fits into any memory that holds the trace's peak of live
bytes.

- A kernel is a task of the device; before placement, an op. Kernels come in the order of their starts, with their times
  in the timeline. While the device waits for other resources, the trace has a kernel without an op.
- A tensor is memory that one or more values share: views and in-place updates reuse existing memory. A donated argument
  and the result that takes over its memory are one persistent tensor; weights, constants and kept arguments persist as
  well.
- Other arguments arrive serially at the start, and results leave serially at the end, each by a kernel of zero
  duration: they occupy memory from their arrival on, or until they leave, as in the summary's figure.
- A loop is one kernel of all its iterations: it uses its operands and results, and its workspace is the additional
  memory of one iteration.
- A copy to or from another device holds its value during all kernels that run concurrently with it; so does another
  device's task that uses this device's memory.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dialects.graph.constant import WeightOp
from interp.kinds.clock import Clock
from interp.simulate.events.jobs import Job, SharingRules
from interp.simulate.memory.problem import Concurrency, Kernel, KernelTrace, Tensor
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.iterations import IteratedPlan
from interp.simulate.schedule.memory import Hold, Residency, paired
from interp.simulate.schedule.names import value_name
from interp.simulate.schedule.planning import Plan, ValueState
from interp.simulate.schedule.timeline import LOOPS, Timeline
from interp.walk.entry import block_of, changed_states, entry_of


@dataclass(frozen=True)
class ProgramTrace:
    """A program's trace on one device, and the mapping from its kernels and tensors to ops and values."""

    trace: KernelTrace
    device: str
    ops: tuple[Operation | None, ...]
    """The op of each kernel; None for a kernel in which the device waits, an argument arrives, or a result leaves."""
    tensors: Mapping[SSAValue, tuple[int, ...]]
    """The tensors that hold each value of the program on this device, at any time (`lies_in`); a concat that is a view
    has several."""
    concurrency: Concurrency
    """The timeline's events as jobs, and the kernels that they are or run concurrently with; the trace has it, too, if
    some event is no kernel."""
    taken_over: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """For each tensor of a result that is computed before the last read of the argument whose memory it takes over: the
    kernel that moves it, and the argument's tensor, which holds the result from then on."""

    places: Mapping[Hold, tuple[int, ...]] = field(default_factory=dict[Hold, tuple[int, ...]])
    """The tensors that hold each piece of memory of the plan (`Hold`), at any time."""
    plan: Plan | None = None
    """The plan of the program from which the trace was derived."""
    held: Mapping[str, int] = field(default_factory=dict[str, int])
    """The bytes that the program holds in the memory of each device, by name, in a run with enough memory."""

    def lies_in(self, value: SSAValue, before: int) -> tuple[int, ...]:
        """The tensors that hold a value when kernel `before` begins. A value of a loop's body is that of the last
        iteration."""
        return self._moved(self.tensors.get(value, ()), before)

    def hold(self, holds: Iterable[Hold], before: int) -> tuple[int, ...]:
        """The tensors that hold pieces of memory of the plan when kernel `before` begins."""
        return self._moved([number for hold in holds for number in self.places.get(hold, ())], before)

    def _moved(self, numbers: Iterable[int], before: int) -> tuple[int, ...]:
        numbers = tuple(dict.fromkeys(numbers))
        other = dict[int, int]()
        for tensor in numbers:
            if tensor in self.taken_over:
                kernel, given = self.taken_over[tensor]
                other |= {given: tensor} if before <= kernel else {tensor: given}
        return tuple(dict.fromkeys(other.get(number, number) for number in numbers))

    def values(self, tensor: int) -> list[SSAValue]:
        """The values held by a tensor, in program order."""
        return self._values[tensor]

    @cached_property
    def _values(self) -> Mapping[int, list[SSAValue]]:
        found: dict[int, list[SSAValue]] = defaultdict(list)
        for value, numbers in self.tensors.items():
            for number in numbers:
                found[number].append(value)
        return found


def trace_of(module: ModuleOp, clock: Clock, entry: str | None = None) -> ProgramTrace:
    """The trace of a program's entry function on the primary device.

    The kernels' times add up to the program's makespan. Raises InputError if the timeline does, except for insufficient
    memory.
    """
    plan = IteratedPlan(module, clock)
    function = entry_of(module, entry)
    results = plan.entry(function)
    return trace_of_plan(plan, function, results, plan.timeline(), plan.primary)


def trace_of_plan(
    plan: Plan, function: FuncOp, results: Sequence[ValueState], timeline: Timeline, device: str
) -> ProgramTrace:
    """The trace of a planned function on a device, given the states of its results."""
    arguments: dict[SSAValue, Sequence[Hold]] = {value: plan.known[value].holds for value in block_of(function).args}
    returned = [known.holds for known in results]
    donated = [
        (arguments[value], returned[number]) for value, number in changed_states(function).items() if number is not None
    ]
    named = list(_values_of(plan, device))
    events = [TimedJob(each.name, each.start_ns, each.end_ns, each.job, each.op) for each in timeline.events]
    writer = _Writer(plan.residency, events, timeline.makespan_ns, device, rules_of(plan.clock.machine), named, plan)
    held = {name: need.total for name, need in timeline.memory.items()}
    return replace(writer.trace(arguments.values(), returned, donated), held=held)


class TimedJob(NamedTuple):
    """A job with its name, its start and end in ns, and its op, if it has one."""

    name: str
    start_ns: float
    end_ns: float
    job: Job
    op: Operation | None = None


def trace_of_jobs(
    residency: Residency,
    jobs: Sequence[TimedJob],
    device: str,
    rules: SharingRules,
    arguments: Sequence[Sequence[Hold]],
    returned: Sequence[Sequence[Hold]],
    donated: Sequence[tuple[Sequence[Hold], Sequence[Hold]]],
) -> ProgramTrace:
    """The trace, on a device, of jobs whose numbers the holds of `residency` have as makers and readers. `arguments`,
    `returned`, `donated`: the memory of arguments, of results, and of arguments with the results that take over their
    memory. Its tensors have no names, and hold no values of a program."""
    makespan = max((job.end_ns for job in jobs), default=0.0)
    return _Writer(residency, jobs, makespan, device, rules, ()).trace(arguments, returned, donated)


def _values_of(plan: Plan, device: str) -> Iterator[tuple[SSAValue, list[Hold]]]:
    """The values of a planned program that a device holds, each with its `Hold`s."""
    for (place, what), hold in plan.residency.residents.items():
        if place == device:
            yield from ((value, [hold]) for value in _values_in(what))
    for value, known in plan.states():
        holds = [hold for hold in (*known.holds, *known.weights) if hold.device == device]
        if holds:
            yield value, holds


@dataclass(eq=False)
class _Step:
    """A kernel under construction; its operands are given as `Hold`s, values in the device's memory."""

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
    """A builder of the kernels of one device from jobs with their times, and the memory that they use."""

    def __init__(
        self,
        residency: Residency,
        events: Sequence[TimedJob],
        makespan_ns: float,
        device: str,
        rules: SharingRules,
        values: Sequence[tuple[SSAValue, list[Hold]]],
        plan: Plan | None = None,
    ) -> None:
        """`values`: the values of the program that the device holds, each with its `Hold`s; `plan`: the plan of the
        program from which these come."""
        self.events, self.makespan_ns, self.device, self.rules = events, makespan_ns, device, rules
        self.values, self.plan = values, plan
        self.weights = [hold for hold in residency.residents.values() if hold.device == device]
        self.holds = [hold for hold in residency.holds if hold.device == device and hold.nbytes]
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
        self.same = self.takeovers()
        self.moved: dict[Hold, Hold] = {}
        """For each result of a donated argument that is first written elsewhere, the argument's hold."""
        self.movers: dict[Hold, _Step] = {}
        """The kernel that moves each result of a donated argument to the argument's memory, if one does."""
        self.persistent = dict.fromkeys(self.weights)
        self.concurrent_events: dict[int, tuple[_Step, _Step]] = {}
        """The first and last kernel that run concurrently with each event that uses this memory."""

    def trace(
        self,
        arguments: Iterable[Sequence[Hold]],
        returned: Sequence[Sequence[Hold]],
        donated: Sequence[tuple[Sequence[Hold], Sequence[Hold]]],
    ) -> ProgramTrace:
        """The trace, given the holds (values in memory) of arguments, of results, and of donated arguments with the
        results that take over their memory."""
        steps = self.steps()
        self.persist(steps, donated)
        given = dict.fromkeys(hold for holds in arguments for hold in holds if hold.device == self.device)
        self.persistent |= dict.fromkeys(hold for hold in given if hold.kept and hold.nbytes)
        unread = sum(hold.nbytes for hold in given if not hold.users and hold not in self.persistent)
        begin = [_Step("begin", workspace=unread)] if unread else []  # arguments without readers leave at the start
        passing = [hold for hold in given if hold.users and hold.nbytes and hold not in self.persistent]
        taken = dict.fromkeys(hold for holds in returned for hold in holds if hold.device == self.device)
        end = self.makespan_ns
        leaving = [hold for hold in taken if hold.nbytes and not self.persists(hold)]
        steps = [
            *(_Step("hand over", writes={hold: None}) for hold in passing),
            *begin,
            *steps,
            *(_Step("take away", (end, end), reads={hold: None}) for hold in leaving),
        ]
        return self.numbered(steps)

    def persists(self, hold: Hold) -> bool:
        return self.moved.get(hold, self.first(hold)) in self.persistent

    # The device's own kernels, and concurrent events.

    def runs(self, event: int) -> bool:
        """True if an event is a task of the device, or a loop."""
        return self.events[event].job.resource in (self.device, LOOPS)

    def steps(self) -> list[_Step]:
        """The kernels after the arrival of all arguments and before the first result leaves."""
        events = self.events
        own = [number for number in range(len(events)) if self.runs(number)]
        own.sort(key=lambda number: (events[number].start_ns, events[number].end_ns, number))
        concurrent_events = sorted({*self.reads, *self.writes} - set(own))
        cuts = sorted({at for number in concurrent_events for at in (events[number].start_ns, events[number].end_ns)})
        found: list[_Step] = []
        now = 0.0
        for number in own:
            event = events[number]
            self._wait(now, event.start_ns, cuts, found)
            found.append(self._own(number))
            now = max(now, event.end_ns)
        self._wait(now, self.makespan_ns, cuts, found)
        return self._with_concurrent(concurrent_events, found)

    def _own(self, number: int) -> _Step:
        """The kernel of an event of this device. Results without readers are workspace."""
        event = self.events[number]
        span = event.start_ns, event.end_ns
        step = _Step(event.name, span, number, event.op, dict.fromkeys(self.reads[number]))
        for hold in self.writes[number]:
            if hold.readers or hold.kept or hold.heir is not None or hold in self.same:
                step.writes[hold] = None
            else:
                step.workspace += hold.nbytes
        return step

    def _wait(self, begin: float, end: float, cuts: Sequence[float], found: list[_Step]) -> None:
        """Append kernels that wait from one time to another, divided where a concurrent event begins or ends."""
        if end > begin:
            for since, until in pairwise([begin, *cuts[bisect_right(cuts, begin) : bisect_left(cuts, end)], end]):
                found.append(_Step("wait", (since, until)))

    def _with_concurrent(self, concurrent_events: Iterable[int], steps: Sequence[_Step]) -> list[_Step]:
        """The kernels `steps`, each of which also uses the memory of all events that run concurrently with it. An event
        that overlaps no kernel, because it takes no time and is between two kernels, becomes a kernel."""
        ends = [step.span[1] for step in steps]
        begins = [step.span[0] for step in steps]
        moments: dict[int, list[_Step]] = defaultdict(list)
        for number in concurrent_events:
            event = self.events[number]
            reads, writes = self.reads[number], self.writes[number]
            first, last = bisect_right(ends, event.start_ns), bisect_left(begins, event.end_ns)
            if first >= last:
                span = event.start_ns, event.end_ns
                moment = _Step(event.name, span, number, event.op, dict.fromkeys(reads), dict.fromkeys(writes))
                moments[first].append(moment)
                continue
            self.concurrent_events[number] = steps[first], steps[last - 1]
            steps[first].writes.update(dict.fromkeys(writes))
            for step in steps[first:last]:
                step.reads.update(dict.fromkeys(reads))
            for step in steps[first + 1 : last]:
                step.reads.update(dict.fromkeys(writes))
        return [step for place in range(len(steps) + 1) for step in (*moments[place], *steps[place : place + 1])]

    # Memory that is passed on from value to value.

    def takeovers(self) -> dict[Hold, Hold]:
        """Pairs of a `Hold` and the earlier `Hold` whose memory it takes over. Both are of equal size, nothing uses the
        earlier `Hold` after the later one is written, and each `Hold` gives its memory to at most one other `Hold`."""
        found: dict[Hold, Hold] = {}
        taken_over: set[Hold] = set()
        for hold in self.holds:
            if len(hold.takes) != 1 or hold.maker is None:
                continue
            given = hold.takes[0]
            free = given not in taken_over and not given.kept and max(given.users, default=-1) < hold.maker
            if free and given.device == hold.device and given.nbytes == hold.nbytes:
                found[hold] = given
                taken_over.add(given)
        return found

    def first(self, hold: Hold) -> Hold:
        """The first `Hold` of the chain of takeovers that ends with `hold`."""
        while hold in self.same:
            hold = self.same[hold]
        return hold

    def persist(self, steps: Sequence[_Step], donated: Iterable[tuple[Sequence[Hold], Sequence[Hold]]]) -> None:
        """Make donated arguments persist: an argument and the result that takes over its memory become one tensor. If
        the result is written before the last kernel that reads the argument, the result first has memory of its own,
        and that last kernel moves it."""
        uses: dict[Hold, list[int]] = defaultdict(list)
        for number, step in enumerate(steps):
            for hold in {**step.reads, **step.writes}:
                uses[hold].append(number)
        for given, taken in donated:  # a state with rows appended: the rows stay, too
            if len(taken) > 1 and set(given) <= set(taken):
                self.persistent |= dict.fromkeys(hold for hold in taken if hold.nbytes)
        for given, taken in self.donations(donated):
            self.persistent[given] = None
            if given in (taken, self.first(taken)):
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
                self.movers[taken] = steps[moved]
            self.moved[taken] = given

    def donations(self, donated: Iterable[tuple[Sequence[Hold], Sequence[Hold]]]) -> list[tuple[Hold, Hold]]:
        """The donated arguments whose memory a result can take over, each with that result. An argument whose contents
        are kept or returned, too, keeps its memory, and so does one whose result is another argument, and one that no
        job uses or reuses; of several arguments that are donated to one result, the result takes over one: the one
        that it is written to, if any."""
        pairs = [
            (given, taken)
            for given, taken in chain.from_iterable(paired(*each) for each in donated)
            if given.device == taken.device == self.device
            and given.nbytes == taken.nbytes
            and (given is taken or not (given.kept or taken.maker is None))
            and (given.users or given in (taken, self.first(taken)))
        ]
        found: dict[Hold, Hold] = {}
        for given, taken in sorted(pairs, key=lambda pair: pair[0] is not self.first(pair[1])):
            found.setdefault(taken, given)
        return [(given, taken) for taken, given in found.items()]

    # Kernels and tensors by number.

    def numbered(self, steps: Sequence[_Step]) -> ProgramTrace:
        """The trace of the given kernels, with numbers for their tensors."""
        shown: dict[Hold, list[SSAValue]] = defaultdict(list)
        for value, holds in self.values:
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
        tensors = [Tensor(_called(hold, shown[hold]), hold.nbytes, hold in persistent) for hold in numbers]
        kernels = [
            Kernel(_step_called(step, shown), step.ns, of(step.reads), of(step.writes), step.workspace)
            for step in steps
        ]
        lies = {
            hold: of(found)
            for hold in (*self.weights, *self.holds)
            if (found := [each for each in self._lies(hold) if self.first(each) in numbers])
        }
        tensors_of = {
            value: tuple(dict.fromkeys(found))
            for value, holds in self.values
            if (found := [number for hold in holds for number in lies.get(hold, ())])
        }
        places = {id(step): place for place, step in enumerate(steps)}
        jobs = tuple(event.job for event in self.events)
        concurrency = Concurrency(
            jobs,
            self.rules,
            tuple(step.event for step in steps),
            tuple(step.span for step in steps),
            tuple(event.end_ns for event in self.events),
            {step.event: place for place, step in enumerate(steps) if step.event is not None and self.runs(step.event)},
            {event: (places[id(first)], places[id(last)]) for event, (first, last) in self.concurrent_events.items()},
        )
        alone = len(concurrency.own) == len(jobs)
        trace = KernelTrace(tuple(kernels), tuple(tensors), None if alone else concurrency)
        taken_over = {
            numbers[self.first(taken)]: (places[id(step)], numbers[self.first(self.moved[taken])])
            for taken, step in self.movers.items()
        }
        ops = tuple(step.op for step in steps)
        return ProgramTrace(trace, self.device, ops, tensors_of, concurrency, taken_over, lies, self.plan)

    def _lies(self, hold: Hold) -> tuple[Hold, ...]:
        """The `Hold`s of a value in the order of time: `hold` and, if a kernel moves the value, the `Hold` that it is
        moved to."""
        return (hold, self.moved[hold]) if hold in self.moved else (hold,)


def _values_in(what: Hashable) -> Iterator[SSAValue]:
    """The weights in the name of a claim on memory."""
    if isinstance(what, SSAValue):
        yield what
    elif isinstance(what, tuple):
        for part in what:  # pyright: ignore[reportUnknownVariableType]
            yield from _values_in(part)  # pyright: ignore[reportUnknownArgumentType]


def _called(hold: Hold, values: Sequence[SSAValue]) -> str:
    """A tensor's name: the name of its weight, or of the first of its values, if one is still known: values of a
    function that is called again are those of its last call. The number of a slice of a stack follows, as in `w[3]`."""
    which = "" if hold.piece is None else f"[{hold.piece}]"
    for value in values:
        if isinstance(value.owner, WeightOp):
            return value.owner.sym.data + which
    named = (f"%{value.name_hint}" for value in values if value.name_hint)
    return next(named, value_name(values[0]) if values else "a value") + which


def _step_called(step: _Step, shown: Mapping[Hold, Sequence[SSAValue]]) -> str:
    """A kernel's name; the name of a kernel in which an argument arrives or a result leaves ends with its tensor's
    name."""
    moved = [*step.reads, *step.writes] if step.op is None and not step.ns else []
    return f"{step.name} {_called(moved[0], shown[moved[0]])}" if moved else step.name
