"""A placement problem as plain data: what may run where and for how long, what must move in between, and what a
placement comes to. All policies decide over it, whatever it was made from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

from xdsl.ir import Operation

from dialects.task import DecisionAttr
from interp.cost.clock import Clock
from interp.schedule.account import Account
from interp.schedule.events import spans
from interp.schedule.jobs import Bound, Job, arranged
from interp.schedule.memory import Need, inherit
from interp.schedule.routes import Copy, Routes
from interp.schedule.state import ScheduleState
from lowering.placement.choice import Choice, ChoicePart, Node, Placeable, Placement

Lies: TypeAlias = "Mapping[int, str]"
"""The devices that inputs lie on, where that is not the primary device."""

ON_PRIMARY: Lies = {}

Accounting: TypeAlias = Literal["full", "published"]
"""The timeline itself, or what lowering/placement/overlap/plan.py adds up."""


class Published(NamedTuple):
    """The time of a placement in the published accounting (lowering/placement/overlap/plan.py), in ns. `alone`: all
    kernels on the primary device; `bound`: no placement comes to less; 0 where none is known."""

    ns: float
    alone: float
    bound: float = 0.0


@dataclass(frozen=True)
class Schedule:
    """A placement with an order of its tasks and copies, where a policy decides that too.

    `order`: the jobs of `problem.account(placement)`, by their numbers, in the order in which the rewritten program has
    them; empty: as they are. `waits`: pairs (job, other) of jobs, of which the first starts after the second has ended,
    though it needs nothing of it. `streams`: pairs of which the first takes all that it needs of the second as a
    stream, while that makes it (interp/schedule/events.py). `bound`: no placement in any order ends earlier, where the
    policy knows one of its own. `ns`: when it ends, as the policy predicts; 0 where it predicts nothing. `lies`: the
    devices on which inputs of `problem.movable` lie that do not lie on the primary device; the results that take their
    memory stay there. Jobs are numbered as such inputs have them: `problem.account(placement, lies)`. `decisions`: what
    the tasks of some nodes note of why they run where they do; `published`: what it comes to in that accounting, where
    the policy counts by it.
    """

    placement: Placement
    order: tuple[int, ...] = ()
    waits: tuple[tuple[int, int], ...] = ()
    streams: tuple[tuple[int, int], ...] = ()
    bound: Bound | None = None
    ns: float = 0.0
    lies: Lies = field(default_factory=dict[int, str])
    decisions: Mapping[int, DecisionAttr] = field(default_factory=dict[int, DecisionAttr])
    published: Published | None = None

    @staticmethod
    def of(decided: Placement | Schedule) -> Schedule:
        """The decision of a policy; a placement alone keeps the order."""
        return decided if isinstance(decided, Schedule) else Schedule(decided)


@dataclass(frozen=True)
class Options:
    """Options of policies; each reads those that concern it.

    `priority`: devices, of which the first that can run an op gets it. `width`: how many states the exact search of
    `path` may hold at one place of the program. `limit_s`: how long `optimal` may search, in seconds; 0: as long as its
    own measure of work allows, which is the same on every machine. `gap`: `optimal` ends when the makespan is no more
    than this fraction above its bound. `robust`: costs may be wrong by this fraction; `regret`: of the losses that come
    of it, what counts. `split`: where a device has several ways to run an op, each is a choice. `accounting`: what
    policies that run kernels beside those of the primary device decide for.
    """

    priority: tuple[str, ...] = ()
    width: int = 1 << 20
    limit_s: float = 0.0
    gap: float = 0.0
    robust: float = 0.0
    regret: Literal["worst", "expected"] = "worst"
    split: bool = False
    accounting: Accounting = "full"


@dataclass(frozen=True, eq=False)
class Region:
    """Nodes that one choice runs together, in another way than one by one: split over devices, in stages. A placement
    has that choice for each of them then, and it runs where the last of them stands; what others read of them, they
    read after that."""

    nodes: tuple[int, ...]
    choice: Choice


Answer = TypeVar("Answer")

Policy: TypeAlias = "Callable[[Problem], Placement | Schedule]"
"""Decides a placement: for each node of the problem, in order, one of its choices; if it likes, the order too."""


class Problem:
    """A placement problem: `nodes` in program order (which is topological), the devices, and what everything
    costs.

    Values are numbered; `sizes` in bytes. The program's arguments are `inputs`, present on `primary`; `outputs` must be
    there in the end. `producer[v]` is the node that makes value v, or None;
    `consumers[v]` the nodes that read it. `returned_residents`: constants that are returned, as (what, bytes).

    Some nodes may also run together, as `regions` say; no policy has to heed these.

    The usual questions of a policy: `choice.cost.ns` of a node's choices, `node.on(device)`, `copy(bytes_of(value),
    source, target).ns`, `makespan(placement)` as the timeline will show it, and `overfull(placement)`.
    """

    def __init__(self, clock: Clock, options: Options = Options()) -> None:
        """A problem without nodes on a clock's machine; `value` and `node` fill it, in program order."""
        self.clock = clock
        self.options = options
        self.primary = clock.machine.primary
        self.devices: tuple[str, ...] = tuple(clock.machine.devices)
        self.workers = tuple(name for name, record in clock.machine.devices.items() if not record.runs_nothing)
        """The devices that run something, in the machine's order."""
        self.room = {name: record.memory_bytes for name, record in clock.machine.devices.items()}
        """Bytes that may lie on each device: what its memory holds."""
        self.nodes: list[Node] = []
        self.sizes: list[int] = []
        self.inputs: tuple[int, ...] = ()
        self.outputs: tuple[int, ...] = ()
        self.kept: tuple[int, ...] = ()
        """Inputs that stay with the caller."""
        self.donated: tuple[tuple[int, int], ...] = ()
        """Inputs whose memory a result takes, each with that."""
        self.movable: dict[int, int] = {}
        """Those of them that may lie on another device than the primary one from the start on, if their result does in
        the end."""
        self.returned_residents: tuple[tuple[Hashable, int], ...] = ()
        self.present_at: dict[int, tuple[str, ...]] = {}
        """Devices that an input lies on from the start, where that is not the primary device: its source first."""
        self.regions: list[Region] = []
        self.producer: dict[int, int] = {}
        self.consumers: dict[int, list[int]] = defaultdict(list)
        self._answers: dict[Hashable, Any] = {}
        self._account: tuple[Hashable, Account] | None = None
        self._first_on: dict[str, Operation] = {}
        """The first op that a device could run."""
        self.routes = Routes(clock, self._first_on)
        """The ways between devices; what follows asks these."""
        self.draws, self.route = self.routes.draws, self.routes.hops
        self.copy, self.draw = self.routes.copy, self.routes.draw

    def value(self, nbytes: int) -> int:
        """The number of a new value."""
        self.sizes.append(nbytes)
        return len(self.sizes) - 1

    def node(self, op: Placeable, choices: Sequence[Choice], reads: tuple[int, ...], writes: tuple[int, ...]) -> Node:
        """A new node, after those that make what it reads."""
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
        """For each node those that make what it reads."""
        return [{self.producer[value] for value in node.reads if value in self.producer} for node in self.nodes]

    def decided(self, name: str, policy: Policy) -> Schedule:
        """The answer of a policy of this name, worked out once: policies weigh each other's answers."""
        return self.once(name, lambda: Schedule.of(policy(self)))

    def once(self, name: str, answer: Callable[[], Answer]) -> Answer:
        """A result that is worked out of the problem as it is, under a name, and remembered."""
        key = (name, self.options, len(self.nodes), len(self.regions))
        if key not in self._answers:
            self._answers[key] = answer()
        return self._answers[key]

    def bytes_of(self, value: int) -> int:
        """Size of a value in bytes."""
        return self.sizes[value]

    def lands(self, value: int, placement: Placement) -> str:
        """The device a value is made on."""
        node = self.producer.get(value)
        return self.starts_at(value)[0] if node is None else placement[node].lands

    def starts_at(self, value: int, lies: Lies = ON_PRIMARY) -> tuple[str, ...]:
        """The devices that an input lies on from the start, its source first."""
        return (lies[value],) if value in lies else self.present_at.get(value, (self.primary,))

    def ends_at(self, lies: Lies) -> dict[int, str]:
        """The devices on which results are wanted that stay where an input lay, so not on the primary device."""
        return {self.movable[value]: device for value, device in lies.items()}

    def brought(self, value: int, device: str) -> float:
        """The least time after which an input is there on a device, in ns."""
        places = self.starts_at(value)
        return 0.0 if device in places else self.copy(self.sizes[value], places[0], device).ns

    def makespan(self, placement: Placement, lies: Lies = ON_PRIMARY) -> float:
        """The makespan of the program, in ns, exactly as the timeline of the rewritten program will have it."""
        if not self.draws.rules.separate:
            return self.ends(Schedule(placement, lies=lies))
        return self._carried_out(placement, self.state(lies=lies), lies).end

    def state(self, turns: bool = False, account: Account | None = None, lies: Lies = ON_PRIMARY) -> ScheduleState:
        """The state at the program's start. `turns`: whether what takes turns does so there."""
        rules = self.draws.rules.turns if turns else None
        return ScheduleState(self.routes, self.sizes, self.start(lies), rules, account)

    def finish(self, state: ScheduleState, lies: Lies = ON_PRIMARY) -> ScheduleState:
        """Bring the results the primary device, or where they stay."""
        stay = self.ends_at(lies)
        for value in self.outputs:
            state.copy(value, stay.get(value, self.primary))
        return state

    def choices(self, placement: Placement) -> Iterable[tuple[int, Choice]]:
        """The choices of a placement in the order in which they run, each with the number of its node: that of a region
        once, at the last of them."""
        if not self.regions:
            return enumerate(placement)
        last = {region.choice: max(region.nodes) for region in self.regions}
        return ((index, choice) for index, choice in enumerate(placement) if last.get(choice, index) == index)

    def account(self, placement: Placement, lies: Lies = ON_PRIMARY) -> Account:
        """The steps of a placement: its tasks and copies in program order, as the timeline will have them, and what
        they put into memory. The last one is known, since most are asked for several times."""
        key = (*placement, *self.regions, self.outputs, tuple(self.present_at.items()), tuple(lies.items()))
        if self._account is not None and self._account[0] == key:
            return self._account[1]
        account = Account(self.routes, self.sizes)
        self._carried_out(placement, self.state(account=account, lies=lies), lies)
        stay, primary = self.ends_at(lies), self.primary
        for given, taken in self.donated:
            inherit(account.held[given, lies.get(given, primary)], account.held[taken, stay.get(taken, primary)])
        for value in self.kept:
            account.keep(value, lies.get(value, primary))
        for value in self.outputs:
            account.keep(value, stay.get(value, primary))
        for what, nbytes in self.returned_residents:
            account.reserve(self.primary, what, nbytes)
        self._account = key, account
        return account

    def _carried_out(self, placement: Placement, state: ScheduleState, lies: Lies) -> ScheduleState:
        """A state after a placement, with the results on the primary device, or where they stay."""
        account = state.account
        for node, choice in self.choices(placement):
            if account is not None:
                account.node = node
            for part in choice.parts:
                state.issue(part)
        if account is not None:
            account.node = len(self.nodes)
        return self.finish(state, lies)

    def steps(self, placement: Placement, lies: Lies = ON_PRIMARY) -> list[tuple[int, Copy | ChoicePart]]:
        """The tasks (views among them) and copies of a placement in program order, each with the number of the node
        that it is for, which is behind all nodes for what brings results the primary device."""
        return cast("list[tuple[int, Copy | ChoicePart]]", self.account(placement, lies).steps)

    def walk(self, placement: Placement, lies: Lies = ON_PRIMARY) -> list[tuple[int, Copy | ChoicePart]]:
        """The steps of `jobs(placement)`, in their order: the steps that are no views."""
        return [each for each in self.steps(placement, lies) if isinstance(each[1], Copy) or not each[1].view]

    def start(self, lies: Lies = ON_PRIMARY) -> dict[int, tuple[str, ...]]:
        """The devices that each input lies on from the start, its source first."""
        return {value: self.starts_at(value, lies) for value in self.inputs}

    def jobs(self, placement: Placement, lies: Lies = ON_PRIMARY) -> list[Job]:
        """The tasks and copies of a placement in program order, as the timeline will have them."""
        return self.account(placement, lies).jobs

    def spans(self, schedule: Schedule) -> tuple[list[float], list[float]]:
        """Start and end of each of `jobs(schedule.placement, schedule.lies)`, in ns, exactly as the timeline of the
        rewritten program will say."""
        return self._spans(self.account(schedule.placement, schedule.lies), schedule)

    def ends(self, schedule: Schedule) -> float:
        """The makespan under a schedule, in ns, exactly as the timeline of the rewritten program will have it."""
        return max(self.spans(schedule)[1], default=0.0)

    def needs(self, schedule: Schedule) -> dict[str, Need]:
        """The memory that each device needs under a schedule, exactly as the timeline of the rewritten program will
        say."""
        account = self.account(schedule.placement, schedule.lies)
        return account.residency.needs(self.devices, *self._spans(account, schedule))

    def _spans(self, account: Account, schedule: Schedule) -> tuple[list[float], list[float]]:
        plain = not schedule.order and not schedule.waits and not schedule.streams
        if plain and self.draws.rules.among(account.jobs).separate:
            return account.begins, account.ends
        order = schedule.order or range(len(account.jobs))
        jobs = self._passing(account, schedule.streams)
        begins, ends = spans(arranged(jobs, order, schedule.waits, schedule.streams), self.draws.rules)
        at = {job: position for position, job in enumerate(order)}
        return [begins[at[job]] for job in range(len(order))], [ends[at[job]] for job in range(len(order))]

    def _passing(self, account: Account, streams: Sequence[tuple[int, int]]) -> list[Job]:
        """The jobs of an account, less what those move that compute on what passes."""
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
        """True if all devices and links take turns, so that nothing overlaps whatever is decided."""
        ways = {self.clock.machine.way(a, b) for ends in self.clock.machine.links for a, b in (ends, ends[::-1])}
        turns = [frozenset(self.draws.rules.turns.get(name, ())) for name in (*self.devices, *ways)]
        return bool(turns) and bool(turns[0].intersection(*turns[1:]))

    def serial_ns(self, placement: Placement) -> float:
        """The serial time of the program, in ns: all tasks and copies without overlap."""
        total = 0.0
        for job in self.jobs(placement):
            total += job.ns
        return total

    def overfull(self, placement: Placement | Schedule) -> dict[str, Need]:
        """The devices that can't hold what a placement or schedule asks of them, with what that is."""
        needs = self.needs(Schedule.of(placement))
        return {name: need for name, need in needs.items() if need.total > self.room[name]}

    def grow(self, device: str, nbytes: int) -> None:
        """Let more lie on a device than its memory holds: so many bytes behind it, too. What was worked out before is
        forgotten."""
        self.room[device] += nbytes
        self._answers.clear()
