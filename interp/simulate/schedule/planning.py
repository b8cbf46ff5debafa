"""Planning of timelines: a placed program as jobs on devices and links, with their costs and memory.

Each device runs one task at a time, each direction of a link one copy (a link that is not duplex: one copy in both
directions together), in the order defined by interp/simulate/events/loop.py. Devices that share a memory, as links
state, wait for each other or slow each other down, as do the work and the copies of a memory expander, and some devices
slow contractions down (interp/simulate/schedule/arbitration.py). No other contention is modelled: none between a link
and other memories at its ends.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from math import ceil
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_count
from dialects.graph.indexing import OverwritingOp
from dialects.locations import place_of
from dialects.repeating import RepeatingOp
from dialects.task import (
    CopyOp,
    DiscardOp,
    EvictOp,
    JoinOp,
    OnType,
    ResidencyOp,
    ResidentOp,
    RunOp,
    YieldOp,
    placed,
)
from interp.kinds.clock import Clock
from interp.machine.cost import Cost, total
from interp.simulate.events.jobs import Bound, Job, SharingRules, in_sequence, lower_bound
from interp.simulate.events.loop import spans
from interp.simulate.memory.residence import Residence, busy_ns
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.ledger import Ledger
from interp.simulate.schedule.memory import Hold, Need, Residency, inherit
from interp.simulate.schedule.names import name_of
from interp.simulate.schedule.residency import EqualValues, bytes_on, claim_of, claims, held, scratch_of
from interp.simulate.schedule.routes import Routes
from interp.simulate.schedule.timeline import LOOPS, Event, Timeline
from interp.walk.effort import check_inlining
from interp.walk.entry import (
    block_of,
    changed_states,
    functions,
    is_graph_op,
    kept_states,
    reserved_bytes,
    states_of,
)
from interp.walk.interpret import Meaning, interpret
from interp.walk.level import device_of, is_launch
from interp.walk.loops import fills_of
from interp.walk.views import check_appends, extended, in_place, is_view, is_view_task, makers


@dataclass(frozen=True)
class Draft:
    """A task, copy or loop of the program as a job with its cost; it becomes an `Event` once its times are known."""

    op: Operation
    name: str
    job: Job
    cost: Cost
    body: Timeline | None = None
    iterations: int = 1


def timeline_of(
    drafts: Sequence[Draft],
    residency: Residency,
    clock: Clock,
    times: tuple[Sequence[float], Sequence[float]] | None = None,
    residence: Residence | None = None,
) -> Timeline:
    """The timeline of drafts, which are in program order: their schedule and the totals. `times`: the starts and the
    ends of the drafts, if known. `residence`: the record of a run with further memory tiers, if the program needs
    them; the timeline then ends with the last transfer that a result waits for."""
    jobs = [draft.job for draft in drafts]
    rules = rules_of(clock.machine)
    begins, ends = times or spans(jobs, rules)
    events = tuple(
        Event(
            draft.name,
            place_of(draft.op) or "",
            draft.job,
            begin,
            end,
            draft.cost,
            draft.op,
            draft.body,
            draft.iterations,
        )
        for draft, begin, end in zip(drafts, begins, ends, strict=True)
    )
    makespan = residence.makespan_ns if residence is not None else max(ends, default=0.0)
    bound = _bound(drafts, rules)
    devices = tuple(clock.machine.devices)
    busy, energy = dict.fromkeys(devices, 0.0), dict.fromkeys(devices, 0.0)
    alone = dict.fromkeys(devices, 0.0)  # the sums of costs: a slowed job counts as idle for the rest
    for event in events:
        if event.body is not None:
            for sums, parts in (
                (busy, event.body.busy_ns),
                (alone, event.body.worked_ns),
                (energy, event.body.energy_nj),
            ):
                for name, amount in parts.items():
                    sums[name] = sums.get(name, 0.0) + amount * event.iterations
            continue
        stretched = bool(event.job.streams) or rules.changes_pace(event.job)
        lasted = event.end_ns - event.start_ns if stretched else event.cost.ns
        busy[event.resource] = busy.get(event.resource, 0.0) + lasted
        alone[event.resource] = alone.get(event.resource, 0.0) + event.cost.ns
        energy[event.resource] = energy.get(event.resource, 0.0) + event.cost.energy_nj
    if residence is not None:
        for name, ns in busy_ns(residence.transfers).items():
            busy[name] = busy.get(name, 0.0) + ns
            alone[name] = alone.get(name, 0.0) + ns
        for transfer in residence.transfers:
            energy[transfer.resource] = energy.get(transfer.resource, 0.0) + transfer.energy_nj
    idle = {name: device.idle_w * makespan for name, device in clock.machine.devices.items()}  # 1 W for 1 ns is 1 nJ
    memory = residency.needs(devices, begins, ends)
    if residence is not None:
        memory[residence.device] = Need(0, ceil(residence.peak))
    work = sum(event.cost.board_nj for event in events)
    board = work + sum(idle_energy(clock, name, makespan, alone[name]) for name in devices)
    metered = any(clock.board_idle_w(name) is not None for name in devices)
    return Timeline(
        events,
        makespan,
        bound.below(makespan).ns,
        bound.because,
        busy,
        energy,
        idle,
        memory,
        devices,
        board,
        metered,
        residence,
        alone,
    )


def _bound(drafts: Sequence[Draft], rules: SharingRules) -> Bound:
    """A bound on every schedule: the sum of the bounds on each loop and on the jobs before, between and after loops."""
    loops = [(index, draft.body, draft.iterations) for index, draft in enumerate(drafts) if draft.body is not None]
    if not loops:
        return lower_bound([draft.job for draft in drafts], rules)
    bounds: list[Bound] = []
    for start, end in pairwise([-1, *(index for index, _, _ in loops), len(drafts)]):
        jobs = [draft.job for draft in drafts[start + 1 : end]]
        alone = [
            job._replace(
                after=tuple(i - start - 1 for i in job.after if i > start),
                streams=tuple(i - start - 1 for i in job.streams),
            )
            for job in jobs
        ]
        bounds.append(lower_bound(alone, rules))
    bounds += [Bound(body.bound_ns * iterations, body.bound_by) for _, body, iterations in loops]
    return in_sequence(bound for bound in bounds if bound.ns)


def idle_energy(clock: Clock, device: str, makespan_ns: float, busy_ns: float) -> float:
    """Energy of a device's idle power, in nJ, if energy is accounted by whole boards: over the time in which the device
    is not busy if its board is calibrated, over the whole makespan otherwise."""
    idle_w = clock.board_idle_w(device)
    if idle_w is None:
        return clock.machine.devices[device].idle_w * makespan_ns  # 1 W for 1 ns is 1 nJ
    return idle_w * max(makespan_ns - busy_ns, 0.0)


class ValueState(NamedTuple):
    """The state of a value of the program. `after`: numbers of the drafts that users of the value wait for; `holds`:
    the memory that it occupies; `weights`: the residents that it is a view of; `moves`: numbers of the moves between
    memories that its users wait for."""

    after: tuple[int, ...] = ()
    holds: tuple[Hold, ...] = ()
    weights: tuple[Hold, ...] = ()
    moves: tuple[int, ...] = ()

    @staticmethod
    def merged(known: Sequence[ValueState]) -> ValueState:
        """The state of a value that is a view of all values of `known`, or waits for all of them; memory that several
        of them share counts once."""
        holds = dict.fromkeys(hold for each in known for hold in each.holds)
        weights = dict.fromkeys(hold for each in known for hold in each.weights)
        moves = _merged(each.moves for each in known)
        return ValueState(_merged(each.after for each in known), tuple(holds), tuple(weights), moves)


class PlannedMove(NamedTuple):
    """A move between memories: its op, the number of drafts that precede it in program order, the numbers of the drafts
    (`after`) and earlier moves (`moves`) that it waits for, and the bytes that it moves, as triples (memory, first
    byte, end); None if its value is a view of parts of other values."""

    op: ResidencyOp
    drafts: int
    after: tuple[int, ...]
    moves: tuple[int, ...]
    parts: tuple[tuple[Hold, int, int], ...] | None


class Plan(Meaning[ValueState]):
    """The plan of a program: drafts of its tasks, copies and loops, collected in program order, and the memory that
    their values and weights occupy."""

    def __init__(self, module: ModuleOp, clock: Clock, equal: EqualValues | None = None) -> None:
        self.module, self.clock = module, clock
        self.equal = equal or EqualValues()
        self.primary = clock.machine.primary
        self.drafts: list[Draft] = []
        self.ledger = Ledger(Routes(clock))
        self.residency = self.ledger.residency
        self.barrier: tuple[int, ...] = ()
        """The jobs that all later drafts wait for: the last loop so far."""
        self.last: dict[int, None] = {}
        """The jobs since the last loop that no other job waits for."""
        self.functions = {function.sym_name.data: function for function in functions(module)}
        self.early: dict[Operation, None] = {}
        """The ops so far that are prepared ahead of time."""
        self.moves: list[PlannedMove] = []
        self.awaits: dict[int, tuple[int, ...]] = {}
        """The moves that drafts wait for."""
        self.known: dict[SSAValue, ValueState] = {}
        """The state of each value planned so far; in a function that is called several times, that of the last call."""

    def entry(self, function: FuncOp) -> list[ValueState]:
        """Plan a program and return the states of its results. Its arguments are in memory from the start, and its
        results are kept.
        """
        check_inlining(self.functions, [function], "a timeline")
        arguments: dict[SSAValue, ValueState] = {
            value: ValueState((), self.held(value, self.primary)) for value in block_of(function).args
        }
        self.reserve(function, arguments)
        check_appends(block_of(function))
        results = interpret(function, list(arguments.values()), self, self.known)
        for value, number in changed_states(function).items():
            if number is not None:
                inherit(arguments[value].holds, results[number].holds)
        for known in (*results, *(arguments[value] for value in kept_states(function))):
            for hold in known.holds:
                hold.kept = True
        return results

    def reserve(self, function: FuncOp, arguments: Mapping[SSAValue, ValueState]) -> None:
        """Enlarge the memory of states that grow to their capacity."""
        types = function.function_type.outputs.data
        for value, state in states_of(function).items():
            number = state.result if state.rows is None else state.rows
            if number is not None and arguments[value].holds:
                arguments[value].holds[0].nbytes += reserved_bytes(value, state, types[number])

    def timeline(
        self, times: tuple[Sequence[float], Sequence[float]] | None = None, residence: Residence | None = None
    ) -> Timeline:
        """The schedule of the plan. `times` and `residence` are given for a program that uses further memory tiers
        besides its primary device's memory."""
        return timeline_of(self.drafts, self.residency, self.clock, times, residence)

    def begin(self, block: Block, early: Mapping[Operation, None]) -> None:
        self.early |= early
        for device in self.clock.machine.devices:
            self.clock.prepare((op for op in block.ops if op not in early), device)

    def prepared(self, op: Operation, operands: list[ValueState]) -> list[ValueState]:
        self.equal.note(op)
        return [ValueState()] * len(op.results)

    def read(self, op: Operation, operands: list[ValueState]) -> list[ValueState]:
        """The states of an op's operands; a weight has the state of the memory in which this op reads it."""
        if op in self.early or isinstance(op, ResidentOp):
            return operands
        filled = self.fill(op) if isinstance(op, RepeatingOp) else ()
        weights = [value for value in op.operands if isinstance(value.owner, Operation) and value.owner in self.early]
        lie = self.weights(op, [value for value in weights if value not in filled])
        for index, value in enumerate(op.operands):
            if value in weights:
                operands[index] = self.known[value]
            if value in lie:
                operands[index] = ValueState.merged([lie[value], operands[index]])
        return operands

    def weights(self, op: Operation, weights: Sequence[SSAValue]) -> dict[SSAValue, ValueState]:
        """The memory that holds the weights of an op. Before placement the primary device holds them; weights of a
        launch outside a task are held by the kernel's device."""
        device = self.clock.device_of(op) if is_launch(op) else self.primary
        if (claim := claim_of(op, weights, device, self.clock)) is not None:
            lie = self.resident(device, claim[0], claim[1])
            return dict.fromkeys(weights, ValueState((), (), lie))
        known: dict[SSAValue, ValueState] = {}
        for index, weight in enumerate(op.operands):
            if weight in weights:
                nbytes = held(op, index, device, self.clock) if is_launch(op) else 0
                nbytes = nbytes or bytes_on(self.clock.machine.devices[device], weight)
                known[weight] = ValueState((), (), self.resident(device, weight, nbytes, op.operands[index]))
        return known

    def resident(self, device: str, what: Hashable, nbytes: int, value: SSAValue | None = None) -> tuple[Hold, ...]:
        """Record a weight, a constant, or rows that programs write, as resident on a device. `value`: the value that
        its bytes are, if they are those of one value."""
        return (self.residency.resident(device, self.equal.first(what), nbytes),)

    def task(self, run: RunOp, operands: list[ValueState]) -> list[ValueState]:
        if is_view_task(run):
            return self.shown(run, operands)
        makers_of = [makers(run.inputs[number]) for number in run.streamed]
        self.streams(run, [_source(maker) for found in makers_of for maker in found], run.place)
        self.in_banks(run, operands)
        self.scratch(self.clock.work_of(run, run.place), run.place)
        return self.add(run, run.place, self.clock.task_cost(run), operands, run.queue_number)

    def op(self, op: Operation, operands: list[ValueState], dead: Sequence[int]) -> list[ValueState]:
        match op:
            case ResidentOp():
                place = placed(op.placed).place
                claimed = [self.resident(place, *each, op.placed) for each in claims(op, self.clock)]
                return [ValueState((), (), tuple(chain.from_iterable(claimed)))]
            case CopyOp():
                source, target = op.ends
                self.clock.machine.link(source, target, op)  # reports at the op if there is none
                self.streams(op, [source], target)
                cost = self.clock.copy_cost(byte_count(placed(op.value).tensor), source, target)
                return self.add(op, self.clock.machine.way(source, target), cost, operands, op.queue_number)
            case _ if is_launch(op):  # outside a task: on the kernel's own device
                device = self.clock.device_of(op)
                self.scratch([op], device)
                return self.add(op, device, self.clock.op_cost(op, device), operands)
            case JoinOp():
                return [
                    ValueState(
                        _merged(known.after for known in operands), moves=_merged(known.moves for known in operands)
                    )
                ]
            case ResidencyOp():
                return self.move(op, operands[0], operands[1:])
            case _ if is_view(op):
                return [self.view(op, operands)]
            case _ if is_graph_op(op):
                if not self.clock.supports(op, self.primary):
                    raise InputError(
                        f"@{self.primary} can't run {op.name}; place the program on a machine that can", op
                    )
                return self.add(op, self.primary, self.clock.op_cost(op, self.primary), operands)
            case _:
                raise InputError(
                    f"{op.name} has no known time; a timeline supports graph, task and pim ops and func.call", op
                )

    def move(self, op: ResidencyOp, moved: ValueState, needs: Sequence[ValueState]) -> list[ValueState]:
        """Add a move between memories of a value in the state `moved` that waits for values in the states `needs`, and
        return the states of its results. A move that takes bytes off the device, or discards them, also waits for all
        jobs before it that use them."""
        after, moves = _merged(known.after for known in needs), _merged(known.moves for known in needs)
        parts = self.moved(op, moved)
        if isinstance(op, EvictOp | DiscardOp):
            after = _merged([after, *(tuple(hold.users) for hold, _, _ in parts or ())])
        self.moves.append(PlannedMove(op, len(self.drafts), after, moves, parts))
        return [ValueState(after, moves=(len(self.moves) - 1,)) for _ in op.results]

    def moved(self, op: ResidencyOp, known: ValueState) -> tuple[tuple[Hold, int, int], ...] | None:
        """The bytes that an op moves of a value in the state `known`: see `PlannedMove.parts`."""
        return parts_of(known, op.nbytes, *op.range_at(0))

    def streams(self, op: RunOp | CopyOp, sources: Iterable[str], target: str) -> None:
        """Raises InputError if an op on device `target` can't consume its producers' results as a stream."""
        machine = self.clock.machine
        for source in sources if op.streamed else ():
            if source == target:
                raise InputError(
                    f"{op.name}: a stream must come from another device than @{target}; remove `stream`", op
                )
            if not machine.streams(source, target):
                maker, taker = machine.device(source, op).name, machine.device(target, op).name
                raise InputError(
                    f"{op.name}: @{source} cannot stream to @{target}, since neither @{target} ({taker}) "
                    f"computes on data while others write it, nor @{source} ({maker}) while others read it (`fly` in "
                    "their sheets); remove `stream`",
                    op,
                )

    def fill(self, loop: RepeatingOp) -> Sequence[SSAValue]:
        """Plan the constants that are initial values of a loop, and return the loop's carried operands for which this
        was done. A constant is written before the loop, into the memory of the value that the loop carries."""
        found = fills_of(loop)
        for index, op in found.items():
            self.alike(op.results[0], loop.arguments[index])
        fills = {loop.inputs[index]: op for index, op in found.items()}
        for value, op in fills.items():
            self.known[value] = self.add(op, self.primary, self.clock.op_cost(op, self.primary), [])[0]
        return list(fills)

    def alike(self, value: SSAValue, other: SSAValue) -> None:
        """Note that a value, which is not in the program, lies in memory as another value does."""

    def states(self) -> Iterator[tuple[SSAValue, ValueState]]:
        """The state of each value planned so far."""
        yield from self.known.items()

    def loop(self, loop: RepeatingOp, operands: list[ValueState]) -> list[ValueState]:
        """Plan a loop: nothing else runs during the loop, and an iteration starts when the previous iteration has
        ended. Carried values are live in each iteration, and reuse the memory of the initial values if nothing else
        needs these."""
        plan, carried = Plan(self.module, self.clock, self.equal), len(loop.outputs)
        started = [ValueState((), plan.held(argument, self.primary)) for argument in loop.arguments[:carried]]
        arguments = [ValueState(), *started, *(ValueState() for _ in operands[carried:])]
        for known in interpret(loop.body.block, arguments, plan, plan.known):
            for hold in known.holds:
                hold.kept = True
        body = plan.timeline()
        cost = replace(total(event.cost for event in body.events), ns=body.makespan_ns)
        cost = cost.times(loop.iterations, f"{loop.iterations} iterations")
        holds = _read(operands[carried:])
        after = _merged([tuple(self.last), *(known.after for known in operands)])
        index = self.noted(Draft(loop, name_of(loop), self.job(LOOPS, cost, holds, after), cost, body, loop.iterations))
        self.residency.include(plan.residency, index)
        self.barrier, self.last = (index,), {index: None}
        results = [ValueState((index,), self.held(result, self.primary, index)) for result in loop.outputs]
        for given, taken in zip(operands[:carried], results, strict=True):
            for hold in given.holds:
                hold.heir = index
            for hold in taken.holds:
                hold.takes = given.holds
            for hold in given.weights:
                hold.readers.append(index)
        for device, need in body.memory.items():
            resident_bytes = sum(hold.nbytes for known in results for hold in known.holds if hold.device == device)
            self.residency.hold(device, max(need.live - resident_bytes, 0), index)
        return results

    def in_banks(self, run: RunOp, needs: Sequence[ValueState]) -> None:
        """Enlarge the memory of operands that a launch reads from the banks: in the banks a value takes whole rows, as
        many as the launch's program needs. The values that an operand is a view of count together; residents are not
        enlarged."""
        for op in [op for op in run.body.block.ops if is_launch(op)]:
            for index, operand in enumerate(op.operands):
                if isinstance(operand, BlockArgument) and (holds := needs[operand.index].holds):
                    short = held(op, index, run.place, self.clock) - sum(hold.nbytes for hold in holds)
                    holds[0].nbytes += max(0, short)

    def scratch(self, ops: Sequence[Operation], device: str) -> None:
        """Record the rows that bank programs of `ops` write, as residents of the device."""
        for op in ops:
            for what, nbytes in scratch_of(op, device, self.clock):
                self.residency.resident(device, what, nbytes)

    def program(self, program: Operation) -> None:
        self.add(program, device_of(program), self.clock.kernel_cost(program), [])

    def add(
        self, op: Operation, resource: str, cost: Cost, needs: Sequence[ValueState], queue: int = 0
    ) -> list[ValueState]:
        """Add a draft of an op that runs on `resource`, and return the states of the op's results. `needs`: the states
        of its operands. It does not read the values that it only waits for."""
        holds = self.reads(op, needs[: len(needs) - len(op.after)] if isinstance(op, RunOp | CopyOp) else needs)
        taken = op.streamed if isinstance(op, RunOp | CopyOp) else ()
        waits = [known.after for number, known in enumerate(needs) if number not in taken]
        after = _merged([self.barrier, *waits])
        flowing = _merged(needs[number].after for number in taken)
        latest = max(self.barrier, default=-1)
        streams = tuple(index for index in flowing if index not in after and index > latest)
        index = self.noted(Draft(op, name_of(op), self.job(resource, cost, holds, after, queue, op, streams), cost))
        if moves := _merged(known.moves for known in needs):
            self.awaits[index] = moves
        over, grown = in_place(op), extended(op)
        return [
            self.overwritten(op, number, needs, over[number], index)
            if number in over
            else ValueState((index,), self.made(op, result, resource, index, needs, grown.get(number)))
            for number, result in enumerate(op.results)
        ]

    def made(
        self,
        op: Operation,
        result: SSAValue,
        resource: str,
        index: int,
        needs: Sequence[ValueState],
        grown: int | None,
    ) -> tuple[Hold, ...]:
        """The memory of a result that job `index` writes. If it is the operand with the number `grown`, with rows
        appended in its memory, only the new rows have memory of their own."""
        holds = self.held(result, resource, index)
        if grown is None:
            return holds
        holds[0].nbytes -= self.held_bytes(op.operands[grown])
        return (*needs[grown].holds, *holds)

    def held_bytes(self, value: SSAValue) -> int:
        """The bytes of a tensor, placed or not."""
        return byte_count(value.type.tensor) if isinstance(value.type, OnType) else _bytes_of(value)

    def reads(self, op: Operation, needs: Sequence[ValueState]) -> Sequence[Hold]:
        """The memory that an op reads, given the states of its operands."""
        return _read(needs)

    def overwritten(
        self, op: Operation, result: int, needs: Sequence[ValueState], operand: int, index: int
    ) -> ValueState:
        """The state of a result that job `index` computes in the memory of an operand."""
        for hold in needs[operand].holds:
            hold.writers += (index,)
        return ValueState((index,), needs[operand].holds)

    def view(self, op: Operation, needs: Sequence[ValueState]) -> ValueState:
        """The state of a view's result. An update that was written in place has no memory of its own."""
        if not isinstance(op, OverwritingOp):
            return ValueState.merged(needs)
        for hold in needs[1].holds:
            hold.nbytes = 0 if hold.maker is not None else hold.nbytes
        return needs[0]._replace(after=_merged(known.after for known in needs))

    def shown(self, run: RunOp, needs: Sequence[ValueState]) -> list[ValueState]:
        """The states of the results of a task that contains only views. Users of these results also wait for the tokens
        that the task waits for."""
        count = len(run.inputs)
        tokens = ValueState(
            _merged(known.after for known in needs[count:]), moves=_merged(known.moves for known in needs[count:])
        )
        known: dict[SSAValue, ValueState] = dict(zip(run.body.block.args, needs[:count], strict=True))
        for op in run.body.block.ops:
            if not isinstance(op, YieldOp):
                known[op.results[0]] = self.view(op, [known[operand] for operand in op.operands])
        return [ValueState.merged([known[value], tokens]) for value in run.yielded]

    def job(
        self,
        resource: str,
        cost: Cost,
        reads: Iterable[Hold],
        after: tuple[int, ...],
        queue: int = 0,
        op: Operation | None = None,
        streams: tuple[int, ...] = (),
    ) -> Job:
        index = self.ledger.job(resource, cost, reads, after, queue, op, streams)
        for other in (*after, *streams):
            self.last.pop(other, None)
        self.last[index] = None
        return self.ledger.jobs[index]

    def noted(self, draft: Draft) -> int:
        """Add a draft to the plan and return its number."""
        self.drafts.append(draft)
        return len(self.drafts) - 1

    def held(self, value: SSAValue, device: str, maker: int | None = None) -> tuple[Hold, ...]:
        """The memory that a value occupies, as new holds: on the device that its type states; before placement on
        `device`. `maker`: the job that writes the value."""
        match value.type:
            case OnType():
                return (self.residency.hold(value.type.place, byte_count(value.type.tensor), maker),)
            case TensorType():
                return (self.residency.hold(device, _bytes_of(value), maker),)
            case _:
                return ()


def parts_of(known: ValueState, nbytes: int, first: int, end: int) -> tuple[tuple[Hold, int, int], ...] | None:
    """The memory that holds bytes `first` to `end` of a value of `nbytes` bytes in the state `known`, as triples
    (memory, first byte, end); None if the value is a view of parts of other values."""
    slices = known.weights if not known.holds else known.holds if not known.weights else ()
    if len(slices) > 1 and slices[0].piece is not None and (unit := slices[0].nbytes) * len(slices) == nbytes:
        here = range(first // unit, -(-end // unit))  # slices have equal sizes
        return tuple((slices[n], max(first - n * unit, 0), min(end - n * unit, unit)) for n in here)
    holds = [hold for hold in (*known.holds, *known.weights) if hold.nbytes]
    if all(hold.nbytes == nbytes for hold in holds):
        return tuple((hold, first, end) for hold in holds)
    if sum(hold.nbytes for hold in holds) != nbytes or (known.holds and known.weights):
        return None
    begins = list(accumulate((hold.nbytes for hold in holds), initial=0))
    here = range(bisect_right(begins, first) - 1, bisect_left(begins, end))
    return tuple((holds[n], max(first - begins[n], 0), min(end - begins[n], holds[n].nbytes)) for n in here)


def _read(needs: Sequence[ValueState]) -> list[Hold]:
    """The holds (values and residents in memory) that a job reads if its operands are in the states `needs`."""
    return [hold for known in needs for hold in (*known.holds, *known.weights)]


def _source(maker: RunOp | CopyOp) -> str:
    """The device from which a value comes: the source of a copy, the device of a task."""
    return maker.ends[0] if isinstance(maker, CopyOp) else maker.place


def _merged(indices: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(indices)))


def _bytes_of(value: SSAValue) -> int:
    return byte_count(value.type)  # pyright: ignore[reportArgumentType]
