"""A placement problem as plain data: the devices and times of each op, the copies between devices, and the makespan of
a placement. All policies solve it, whatever program it was built from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar

from xdsl.ir import Operation

from dialects.task import DecisionAttr
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.events.jobs import Bound, Job, arranged, loads
from interp.simulate.events.loop import spans
from interp.simulate.schedule.memory import Need, inherit
from interp.simulate.schedule.routes import Copy, Routes
from lowering.instance.account import Account
from lowering.instance.choice import Alternative, BusyTask, Choice, ChoicePart, Node, Placeable, Placement
from lowering.instance.copies import Copies
from lowering.instance.options import Options
from lowering.instance.partial import Begins, Partial

InputDevices: TypeAlias = "Mapping[int, str]"
"""Input number -> device, for inputs that are not on the primary device."""

ON_PRIMARY: InputDevices = {}


class Published(NamedTuple):
    """The time of a placement in the published accounting (lowering/optimise/overlap/plan.py), in ns. `alone`: the
    time with all kernels on the primary device; `bound`: a lower bound on the time of all placements, 0 if none is
    known."""

    ns: float
    alone: float
    bound: float = 0.0


@dataclass(frozen=True)
class Schedule:
    """A placement with an order of its tasks and copies, if the policy decides that too.

    `order`: permutation of the jobs of `problem.account(placement)`, in the order of the rewritten program; empty:
    unchanged. `waits`: pairs (job, other): the job starts after the other has ended, though there is no data
    dependence. `streams`: pairs (job, other): the job consumes its data from the other as a stream, while that produces
    it (interp/simulate/events/loop.py). `bound`: a lower bound on the makespan of any placement in any order, if the
    policy computes one. `ns`: the predicted makespan; 0 if there is none. `input_devices`: the devices of those inputs
    of `problem.movable` that are not on the primary device; results that reuse their memory stay there. Jobs are
    numbered with inputs so placed: `problem.account(placement, input_devices)`. `decisions`: attributes for tasks of
    some nodes that record why they run on their device; `published`: the time in the published accounting, if the
    policy minimises that.
    """

    placement: Placement
    order: tuple[int, ...] = ()
    waits: tuple[tuple[int, int], ...] = ()
    streams: tuple[tuple[int, int], ...] = ()
    bound: Bound | None = None
    ns: float = 0.0
    input_devices: InputDevices = field(default_factory=dict[int, str])
    decisions: Mapping[int, DecisionAttr] = field(default_factory=dict[int, DecisionAttr])
    published: Published | None = None

    @staticmethod
    def of(decided: Placement | Schedule) -> Schedule:
        """The decision of a policy as a schedule; a placement alone keeps program order."""
        return decided if isinstance(decided, Schedule) else Schedule(decided)


@dataclass(frozen=True, eq=False)
class Region:
    """Nodes that one choice can run together, split over devices or in pipeline stages. A placement that uses a region
    has that choice for each of its nodes; the choice runs at the position of the region's last node, and consumers
    read the nodes' results after that position."""

    nodes: tuple[int, ...]
    choice: Choice


Answer = TypeVar("Answer")

Policy: TypeAlias = "Callable[[Problem], Placement | Schedule]"
"""A function that decides on a placement: for each node of the problem, in order, one of its choices; optionally also
the order of tasks and copies."""


class Problem:
    """A placement problem: `nodes` in program order (which is topological), the devices, and all costs.

    Values are numbered; `sizes[v]` is the size of value v in bytes. The program's arguments are `inputs`, present on
    `primary` at the start unless `present_at` says otherwise; `outputs` must be on `primary` at the end, except those
    in `staying`. `producer[v]` is the node that defines value v,
    or None; `consumers[v]` are the nodes that read it. `returned_residents`: constants that are returned, as (name,
    bytes).

    `regions`: sets of nodes that can also run together; policies may ignore them.

    Queries that policies commonly use: `choice.cost.ns` of a node's choices, `node.on(device)`, `copy(bytes_of(value),
    source, target).ns`, `makespan(placement)` as the timeline will show it, and `fits(placement)`.
    """

    def __init__(
        self,
        clock: Clock,
        options: Options = Options(),  # noqa: B008 - it is frozen
        copies: Copies | None = None,
    ) -> None:
        """An empty problem on a clock's machine; `value` and `node` fill it, in program order. `copies`: the copies of
        values that other problems have, too."""
        self.clock = clock
        self.options = options
        self.primary = clock.machine.primary
        self.devices: tuple[str, ...] = tuple(clock.machine.devices)
        self.workers = tuple(name for name, record in clock.machine.devices.items() if not record.runs_nothing)
        """The devices that can run ops, in the machine's order."""
        self.room = {name: record.memory_bytes for name, record in clock.machine.devices.items()}
        """Memory capacity of each device, in bytes."""
        if options.behind:
            self.look_behind()
        self.nodes: list[Node] = []
        self.inputs: tuple[int, ...] = ()
        self.outputs: tuple[int, ...] = ()
        self.kept: tuple[int, ...] = ()
        """Inputs whose memory the caller keeps."""
        self.left: dict[int, Hashable] = {}
        """Results that stay on the device that makes them, each with the state whose new content it is."""
        self.donated: tuple[tuple[int, int], ...] = ()
        """Inputs whose memory a result reuses, each with that result."""
        self.movable: dict[int, int] = {}
        """Donated inputs that may be on a device other than the primary one from the start, if the result that reuses
        their memory stays there."""
        self.staying: dict[int, str] = {}
        """Results that must be on a device other than the primary one at the end, with that device."""
        self.returned_residents: tuple[tuple[Hashable, int], ...] = ()
        self.present_at: dict[int, tuple[str, ...]] = {}
        """Devices that an input is present on from the start, if that is not only the primary device; its source first.
        """
        self.regions: list[Region] = []
        self.producer: dict[int, int] = {}
        self.consumers: dict[int, list[int]] = defaultdict(list)
        self._answers: dict[Hashable, Any] = {}
        self._tasks: dict[Choice, Alternative] = {}
        self._account: tuple[Hashable, Account] | None = None
        self._first_on: dict[str, Operation] = {}
        """The first op that each device could run, where errors about the device are reported."""
        self.copies = Copies(Routes(clock, self._first_on), []) if copies is None else copies
        """The copies of values between devices, and their times."""
        self.routes = self.copies.routes
        self.draws, self.copy, self.draw = self.routes.draws, self.routes.copy, self.routes.draw

    @property
    def sizes(self) -> list[int]:
        """The size of each value in bytes, by number."""
        return self.copies.sizes

    def part(self, sizes: list[int] | None = None) -> Problem:
        """A problem without nodes on the same machine, for some of the nodes of this one. It has the same values, with
        the sizes `sizes` if these differ."""
        copies = self.copies if sizes is None or sizes == self.sizes else Copies(self.routes, sizes)
        part = Problem(self.clock, self.options, copies)
        part.inputs, part.outputs, part.staying, part._tasks = self.inputs, self.outputs, self.staying, self._tasks
        part.present_at, part.returned_residents = self.present_at, self.returned_residents
        return part

    def retimed(self, ns: Callable[[ChoicePart], float | None]) -> Problem:
        """The same problem with other times of some tasks: `ns` returns a task's time in ns, None for one that keeps
        its time. Nodes, choices and values keep their numbers. Regions are left out."""
        other = self.part()
        other.room, other.kept, other.left, other.donated = self.room, self.kept, self.left, self.donated
        other.movable, other._tasks = self.movable, {}
        for node in self.nodes:
            other.node(node.op, [_retimed(choice, ns) for choice in node.choices], node.reads, node.writes)
        return other

    def value(self, nbytes: int) -> int:
        """Add a value of `nbytes` bytes; returns its number."""
        self.sizes.append(nbytes)
        return len(self.sizes) - 1

    def node(self, op: Placeable, choices: Sequence[Choice], reads: tuple[int, ...], writes: tuple[int, ...]) -> Node:
        """Add a node after all existing ones, among them the producers of its operands; returns the node."""
        node = Node(len(self.nodes), op, tuple(choices), reads, writes)
        self.nodes.append(node)
        for choice in node.choices if not node.view else ():
            self._first_on.setdefault(choice.device, op)
        self.producer |= dict.fromkeys(writes, node.index)
        for value in reads:
            self.consumers[value].append(node.index)
        return node

    @property
    def makers(self) -> list[set[int]]:
        """For each node, the set of nodes that define its operands."""
        return [{self.producer[value] for value in node.reads if value in self.producer} for node in self.nodes]

    def decided(self, name: str, policy: Policy) -> Schedule:
        """The decision of the policy with this name, computed once, since policies compare each other's decisions."""
        return self.once(name, lambda: Schedule.of(policy(self)))

    def once(self, name: str, answer: Callable[[], Answer]) -> Answer:
        """A result that is computed from the problem in its current state by `answer` and cached under a name."""
        where = (self.outputs, tuple(self.present_at.items()), tuple(self.staying.items()))
        key = (name, self.options, len(self.nodes), len(self.regions), *where)
        if key not in self._answers:
            self._answers[key] = answer()
        return self._answers[key]

    def tasks(self, choice: Choice) -> Alternative:
        """A choice reduced to numbers: its tasks, each with device, time, values and occupied resources."""
        if choice not in self._tasks:
            self._tasks[choice] = tuple(map(self._task, choice.parts))
        return self._tasks[choice]

    def _task(self, part: ChoicePart) -> BusyTask:
        ns = 0.0 if part.view else part.cost.ns
        job = Job(part.device, ns, draw=self.draw(part.device, part.cost, part.op) if ns else 0.0)
        busy = tuple(loads(job, self.draws.rules)) if ns else ()
        return BusyTask(part.device, ns, part.reads, part.writes, busy)

    def bytes_of(self, value: int) -> int:
        """Size of a value in bytes."""
        return self.sizes[value]

    def lands(self, value: int, placement: Placement) -> str:
        """The device on which a value is computed in a placement."""
        node = self.producer.get(value)
        return self.starts_at(value)[0] if node is None else placement[node].lands

    def starts_at(self, value: int, input_devices: InputDevices = ON_PRIMARY) -> tuple[str, ...]:
        """The devices on which an input is present from the start; copies of the input are made from the first of
        these."""
        return (input_devices[value],) if value in input_devices else self.present_at.get(value, (self.primary,))

    def ends_at(self, input_devices: InputDevices) -> dict[int, str]:
        """For each result that stays on a device other than the primary one, by value number: that device, which is the
        device of the input whose memory the result reuses."""
        return self.staying | {self.movable[value]: device for value, device in input_devices.items()}

    def exit_of(self, value: int) -> str:
        """The device on which a result must be at the end, if inputs are not moved by `input_devices`."""
        return self.staying.get(value, self.primary)

    def brought(self, value: int, device: str) -> float:
        """The earliest time at which an input can be present on a device, in ns."""
        places = self.starts_at(value)
        return 0.0 if device in places else self.copies.ns(value, places[0], device)

    def makespan(self, placement: Placement, input_devices: InputDevices = ON_PRIMARY) -> float:
        """The makespan of the program, in ns, identical to that in the timeline of the rewritten program."""
        if not self.draws.rules.separate:
            return self.ends(Schedule(placement, input_devices=input_devices))
        return self._carried_out(placement, self.partial(input_devices=input_devices), input_devices).end

    def partial(
        self, locks: bool = False, account: Account | Begins | None = None, input_devices: InputDevices = ON_PRIMARY
    ) -> Partial:
        """The empty partial schedule. `locks`: serialise resources that can run only one queue at a time."""
        rules = self.draws.rules.locks if locks else None
        return Partial(self.copies, self.start(input_devices), rules, account)

    def finish(self, partial: Partial, input_devices: InputDevices = ON_PRIMARY) -> Partial:
        """Copy the results to the primary device, or to the devices on which they stay."""
        stay = self.ends_at(input_devices)
        for value in self.outputs:
            partial.copy(value, stay.get(value, self.primary))
        return partial

    def choices(self, placement: Placement) -> Iterable[tuple[int, Choice]]:
        """The choices of a placement in execution order, each with its node's number; the choice of a region once, at
        its last node."""
        if not self.regions:
            return enumerate(placement)
        last = {region.choice: max(region.nodes) for region in self.regions}
        return ((index, choice) for index, choice in enumerate(placement) if last.get(choice, index) == index)

    def account(self, placement: Placement, input_devices: InputDevices = ON_PRIMARY) -> Account:
        """The account of a placement: its tasks and copies in program order, as in the timeline, and the memory that
        they allocate. The most recent account is cached, since it is often queried repeatedly."""
        where = (tuple(self.present_at.items()), tuple(self.staying.items()), tuple(input_devices.items()))
        key = (*placement, *self.regions, self.outputs, *where)
        if self._account is not None and self._account[0] == key:
            return self._account[1]
        account = Account(self.copies)
        self._carried_out(placement, self.partial(account=account, input_devices=input_devices), input_devices)
        stay, primary = self.ends_at(input_devices), self.primary
        for given, taken in self.donated:
            device = self.starts_at(given, input_devices)[0]
            inherit(account.held[given, device], account.held[taken, stay.get(taken, primary)])
        for hold in account.states.values():
            hold.kept = True
        for value, state in self.left.items():
            device = self.lands(value, placement)
            if (given := account.states.get((state, device))) is not None and (value, device) in account.held:
                given.kept = False
                inherit((given,), account.held[value, device])
                account.keep(value, device)
        for value in self.kept:
            account.keep(value, self.starts_at(value, input_devices)[0])
        for value in self.outputs:
            account.keep(value, stay.get(value, primary))
        for resident, nbytes in self.returned_residents:
            account.reserve(self.primary, resident, nbytes)
        self._account = key, account
        return account

    def _carried_out(self, placement: Placement, partial: Partial, input_devices: InputDevices) -> Partial:
        """The schedule after executing a placement, with the results on the primary device, or on the devices on which
        they stay."""
        account = partial.account
        for node, choice in self.choices(placement):
            if account is not None:
                account.node = node
            for part in choice.parts:
                partial.issue(part)
        if account is not None:
            account.node = len(self.nodes)
        return self.finish(partial, input_devices)

    def steps(
        self, placement: Placement, input_devices: InputDevices = ON_PRIMARY
    ) -> list[tuple[int, Copy | ChoicePart]]:
        """The tasks (including views) and copies of a placement in program order, each with the number of the node that
        it belongs to or that needs the copy; a copy of a result to the primary device has the number of nodes in
        place of a node's number."""
        return self.account(placement, input_devices).steps

    def walk(
        self, placement: Placement, input_devices: InputDevices = ON_PRIMARY
    ) -> list[tuple[int, Copy | ChoicePart]]:
        """The steps of a placement except views: those that correspond to `jobs(placement)`, in that order."""
        return [each for each in self.steps(placement, input_devices) if isinstance(each[1], Copy) or not each[1].view]

    def start(self, input_devices: InputDevices = ON_PRIMARY) -> dict[int, tuple[str, ...]]:
        """For each input, the devices on which it is present from the start; copies of the input are made from the
        first of these."""
        return {value: self.starts_at(value, input_devices) for value in self.inputs}

    def jobs(self, placement: Placement, input_devices: InputDevices = ON_PRIMARY) -> list[Job]:
        """The tasks and copies of a placement in program order, as in the timeline."""
        return self.account(placement, input_devices).jobs

    def spans(self, schedule: Schedule) -> tuple[list[float], list[float]]:
        """Start and end of each of `jobs(schedule.placement, schedule.input_devices)`, in ns, identical to those in the
        timeline of the rewritten program."""
        return self._spans(self.account(schedule.placement, schedule.input_devices), schedule)

    def ends(self, schedule: Schedule) -> float:
        """The makespan under a schedule, in ns, identical to that in the timeline of the rewritten program."""
        return max(self.spans(schedule)[1], default=0.0)

    def needs(self, schedule: Schedule) -> dict[str, Need]:
        """The memory that each device needs under a schedule, identical to that in the timeline of the rewritten
        program."""
        account = self.account(schedule.placement, schedule.input_devices)
        return account.residency.needs(self.devices, *self._spans(account, schedule))

    def _spans(self, account: Account, schedule: Schedule) -> tuple[list[float], list[float]]:
        plain = not schedule.order and not schedule.waits and not schedule.streams
        if plain and self.draws.rules.among(account.jobs).separate:
            return account.begins, account.ends
        order = schedule.order or range(len(account.jobs))
        begins, ends = spans(self._arranged(account, schedule), self.draws.rules)
        at = {job: position for position, job in enumerate(order)}
        return [begins[at[job]] for job in range(len(order))], [ends[at[job]] for job in range(len(order))]

    def arranged(self, schedule: Schedule) -> list[Job]:
        """The jobs of a schedule in its order, as in the rewritten program."""
        return self._arranged(self.account(schedule.placement, schedule.input_devices), schedule)

    def _arranged(self, account: Account, schedule: Schedule) -> list[Job]:
        jobs = self._passing(account, schedule.streams)
        return arranged(jobs, schedule.order or range(len(jobs)), schedule.waits, schedule.streams)

    def _passing(self, account: Account, streams: Sequence[tuple[int, int]]) -> list[Job]:
        """The jobs of an account; the bytes that a task receives as a stream are subtracted from the memory traffic for
        which it draws bandwidth."""
        if not streams or not self.draws.rules.bandwidths:
            return account.jobs
        steps = [step for _, step in account.steps if isinstance(step, Copy) or not step.view]
        passing: dict[int, int] = defaultdict(int)
        for job, other in dict.fromkeys(streams):
            if isinstance(copy := steps[other], Copy):
                passing[job] += self.sizes[copy.value]
        jobs = list(account.jobs)
        for job, nbytes in passing.items():
            if not isinstance(task := steps[job], Copy):
                jobs[job] = jobs[job]._replace(draw=self.draws.of(task.device, task.cost, task.op, nbytes))
        return jobs

    @property
    def sequential(self) -> bool:
        """True if all devices and links are serialised, so that nothing can overlap."""
        ways = {self.clock.machine.way(a, b) for ends in self.clock.machine.links for a, b in (ends, ends[::-1])}
        locks = [frozenset(self.draws.rules.locks.get(name, ())) for name in (*self.devices, *ways)]
        return bool(locks) and bool(locks[0].intersection(*locks[1:]))

    def serial_ns(self, placement: Placement) -> float:
        """The serial time of the program, in ns: the sum of the times of all tasks and copies."""
        total = 0.0
        for job in self.jobs(placement):
            total += job.ns
        return total

    def overfull(self, placement: Placement | Schedule) -> dict[str, Need]:
        """The devices whose memory is too small for a placement or schedule, with the memory that it needs on each."""
        if self.fits(placement):
            return {}
        needs = self.needs(Schedule.of(placement))
        return {name: need for name, need in needs.items() if need.total > self.room[name]}

    def fits(self, placement: Placement | Schedule) -> bool:
        """True if all devices have enough memory for a placement or schedule. The schedule is simulated only if the
        weights fit, but not together with all values that may be on a device."""
        schedule = Schedule.of(placement)
        resident, values = self.resident(schedule.placement), sum(self.sizes)
        if any(nbytes > self.room[name] for name, nbytes in resident.items()):
            return False
        tight = [name for name, nbytes in resident.items() if nbytes + values > self.room[name]]
        if all(resident[name] + self._values_on(name, schedule) <= self.room[name] for name in tight):
            return True
        return not any(need.total > self.room[name] for name, need in self.needs(schedule).items())

    def _values_on(self, device: str, schedule: Schedule) -> int:
        """The bytes of all values that are on a device at some time; for a device with several links, over which values
        may also pass to others, those of all values."""
        if sum(device in ends for ends in self.clock.machine.links) > 1:
            return sum(self.sizes)
        found = {value for value in self.inputs if device in self.starts_at(value, schedule.input_devices)}
        stay = self.ends_at(schedule.input_devices)
        found.update(value for value in self.outputs if stay.get(value, self.primary) == device)
        for _, choice in self.choices(schedule.placement):
            found.update(value for value, where in choice.needs if where == device)
            for part in choice.parts:
                if part.device == device:
                    found.update(part.reads, part.writes)
        return sum(self.sizes[value] for value in found)

    def resident(self, placement: Placement) -> dict[str, int]:
        """The bytes of weights and constants that a placement holds on each device from the start of the program to
        its end."""
        resident = {name: dict[Hashable, int]() for name in self.devices}
        resident[self.primary] |= self.returned_residents
        for _, choice in self.choices(placement):
            for part in choice.parts:
                held = resident[part.device]
                for what, nbytes in part.residents:
                    held[what] = max(nbytes, held.get(what, 0))
        return {name: sum(held.values()) for name, held in resident.items()}

    def look_behind(self) -> bool:
        """Add the capacity of the memory tiers behind the primary device to that of the device. Memory of other devices
        counts as if no program used it; only a plan of moves knows what a placement leaves of it. Returns False if
        there are no tiers."""
        behind = MemorySystem.of(self.clock.machine)
        if behind is None:
            return False
        self.room[behind.device] += sum(tier.capacity for tier in behind.tiers)
        return True


def _retimed(choice: Choice, ns: Callable[[ChoicePart], float | None]) -> Choice:
    """A choice with other times of some of its tasks."""
    parts: list[ChoicePart] = []
    total = choice.cost.ns
    for part in choice.parts:
        lasts = ns(part)
        if lasts is not None:
            total += lasts - part.cost.ns
            part = replace(part, cost=part.cost.took(lasts, part.cost.bound))
        parts.append(part)
    return replace(choice, parts=tuple(parts), cost=choice.cost.took(total, choice.cost.bound))
