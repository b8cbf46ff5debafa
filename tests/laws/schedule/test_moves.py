"""Laws of the edits of a schedule's state, compared with plain sets of locations and memory counted at every time:
operands are where they are read, memory in use is between zero and the capacity, and the event loop runs the jobs at
the same times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, nextafter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.machine.composition import Machine
from interp.machine.cost import NOTHING, Cost
from interp.simulate.events.loop import spans
from interp.simulate.schedule.account import Account
from interp.simulate.schedule.memory import DeviceMemory
from interp.simulate.schedule.routes import Copy, Routes
from interp.simulate.schedule.state import ScheduleState
from lowering.instance.choice import ChoicePart
from tests.laws.placement.random_placements import random_machine
from tests.table_clock import TableClock, machine
from tests.table_problem import OP

SEEDS = st.integers(0, 1 << 30)


def task(device: str, ns: float, reads: tuple[int, ...], writes: tuple[int, ...], view: bool = False) -> ChoicePart:
    return ChoicePart(OP, device, NOTHING if view else Cost(ns, ns, 0, 0, "table"), reads, (), writes, view)


@dataclass
class Residence:
    """An interval of time in which a memory holds a value, in the plain record."""

    nbytes: int
    begin: float
    last: float
    """The end of the value's last use."""
    views: int = 1
    """The number of values that use these bytes: the value and its views."""
    until: float = inf


@dataclass
class Plain:
    """A plain record of edits: the locations of values, and each interval of a value in a memory."""

    places: dict[int, list[str]]
    stays: dict[tuple[int, str], list[Residence]]
    all: dict[str, list[Residence]] = field(default_factory=lambda: defaultdict(list))
    copies: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])

    def put(self, value: int, device: str, stay: Residence) -> None:
        self.stays[value, device] = [stay]
        self.all[device].append(stay)

    def drop(self, value: int, device: str) -> None:
        self.places[value].remove(device)
        for stay in self.stays.pop((value, device)):
            stay.views -= 1
            if not stay.views:
                stay.until = max(stay.last, nextafter(stay.begin, inf))  # never used: it is there for a moment

    def level(self, device: str, at: float) -> int:
        return sum(stay.nbytes for stay in self.all[device] if stay.begin <= at < stay.until)

    def peak(self, device: str) -> int:
        return max((self.level(device, stay.begin) for stay in self.all[device]), default=0)


class Played:
    """Random edits, applied to a state and to the plain record. Each task takes time, since the plain record does not
    order events at equal times."""

    def __init__(self, seed: int, count: int, on: Machine, capacity: int) -> None:
        self.random = random = Random(seed)
        self.on = on
        self.devices = list(on.devices)
        self.routes = Routes(TableClock(on, {}))
        self.sizes = [random.randrange(1, 12) for _ in range(2)]
        self.start = {value: tuple(random.sample(self.devices, random.randint(1, 2))) for value in range(2)}
        capacities = dict.fromkeys(self.devices, capacity)
        self.account = Account(self.routes, self.sizes, capacities)
        self.state = ScheduleState(self.routes, self.sizes, self.start, account=self.account)
        self.plain = Plain({value: list(places) for value, places in self.start.items()}, {})
        for value, places in self.start.items():
            for place in places:
                self.plain.put(value, place, Residence(self.sizes[value], 0.0, 0.0))
        self.errors: list[str] = []
        for _ in range(count):
            self.move()

    def alive(self) -> list[int]:
        return [value for value, places in self.plain.places.items() if places]

    def move(self) -> None:
        random, kind = self.random, self.random.random()
        if not self.alive():
            return
        value = random.choice(self.alive())
        before = len(self.account.jobs)
        try:
            if kind < 0.4:
                self.issue()
            elif kind < 0.55:
                self.state.copy(value, random.choice(self.devices))
                self.note(before)
            elif kind < 0.8:
                place = random.choice(self.plain.places[value])
                self.state.discard(value, place)
                self.plain.drop(value, place)
            else:
                place = random.choice(self.plain.places[value])
                alone = len(self.plain.places[value]) == 1
                self.state.evict(value, place)
                self.note(before)
                assert alone == (len(self.account.jobs) > before), (
                    "a value that is also in another memory was written back"
                )
                self.plain.drop(value, place)
        except InputError as error:
            self.errors.append(error.message)
            self.note(before)

    def issue(self) -> None:
        random = self.random
        reads = tuple(random.sample(self.alive(), min(len(self.alive()), random.randint(1, 2))))
        device, made = random.choice(self.devices), len(self.sizes)
        view = random.random() < 0.2
        self.sizes.append(0 if view else random.randrange(1, 12))
        before = len(self.account.jobs)
        end = self.state.issue(task(device, float(random.randrange(1, 9)), reads, (made,), view))
        self.note(before)
        self.plain.places[made] = [device]
        if view:
            views = [stay for value in reads for stay in self.plain.stays[value, device]]
            self.plain.stays[made, device] = list({id(stay): stay for stay in views}.values())
            for stay in self.plain.stays[made, device]:
                stay.views += 1
        else:
            begin = self.account.begins[-1]
            for value in reads:
                for stay in self.plain.stays[value, device]:
                    stay.last = max(stay.last, end)
            self.plain.put(made, device, Residence(self.sizes[made], begin, end))

    def note(self, before: int) -> None:
        """Record the copies among the jobs from number `before` on; each copies a value from a memory that holds it to
        one that does not."""
        timed = [step for _, step in self.account.steps if isinstance(step, Copy) or not step.view]
        for job in range(before, len(timed)):
            step = timed[job]
            if isinstance(step, Copy):
                assert step.source in self.plain.places[step.value]
                assert step.target not in self.plain.places[step.value]
                begin, end = self.account.begins[job], self.account.ends[job]
                for stay in self.plain.stays[step.value, step.source]:
                    assert begin >= stay.begin
                    stay.last = max(stay.last, end)
                self.plain.put(step.value, step.target, Residence(self.sizes[step.value], begin, end))
                self.plain.places[step.value].append(step.target)


def played(seed: int, capacity: int, count: int = 25) -> Played | None:
    random = Random(seed)
    on = random_machine(random, random.randint(2, 4), relayed=random.random() < 0.5)
    try:
        return Played(seed, count, on, capacity)
    except InputError:  # not even the initial contents fit
        return None


@given(SEEDS, st.sampled_from([20, 30, 50, 1000]))
def test_memory_use_equals_the_count_at_every_time_and_fits_the_capacity(seed: int, capacity: int) -> None:
    if (game := played(seed, capacity)) is None:
        return
    for device in game.devices:
        moments = sorted({time for stay in game.plain.all[device] for time in (stay.begin, stay.until)})
        levels = [game.plain.level(device, at) for at in moments]
        assert min(levels, default=0) >= 0
        assert game.account.memories[device].need.total == max(levels, default=0) <= capacity
    assert all("do not fit" in message or "no memory has room" in message for message in game.errors)


@given(SEEDS, st.sampled_from([20, 30, 1000]))
def test_the_event_loop_runs_the_jobs_of_moves_at_the_same_times(seed: int, capacity: int) -> None:
    if (game := played(seed, capacity)) is not None:  # a value discarded unused stays for the shortest possible time
        begins, ends = spans(game.account.jobs)
        assert begins == pytest.approx(game.account.begins, abs=1e-300)
        assert ends == pytest.approx(game.account.ends, abs=1e-300)


@given(SEEDS)
def test_a_state_records_the_locations_after_its_moves(seed: int) -> None:
    game = played(seed, 1000)
    assert game is not None
    assert not game.errors
    assert {value: set(places) for value, places in game.state.places.items()} == {
        value: set(places) for value, places in game.plain.places.items()
    }


@given(SEEDS)
def test_values_discarded_after_their_last_use_need_the_memory_of_the_timeline(seed: int) -> None:
    """If a program discards each value after its last read, its peak memory equals that of its timeline, which counts
    each value from the start of its maker to the end of its last reader."""
    random = Random(seed)
    on = random_machine(random, 3, relayed=random.random() < 0.5)
    tasks = list(_program(random, list(on.devices)))
    sizes = [random.randrange(1, 12) for _ in range(len(tasks) + 1)]
    routes = Routes(TableClock(on, {}))
    account = Account(routes, sizes, dict.fromkeys(on.devices, 1 << 30))
    state = ScheduleState(routes, sizes, {0: ("cpu",)}, account=account)
    last = {value: index for index, each in enumerate(tasks) for value in (*each.writes, *each.reads)}
    for index, each in enumerate(tasks):
        state.issue(each)
        for value in [value for value, reader in last.items() if reader == index]:
            for place in list(state.places[value]):
                state.discard(value, place)
    assert {name: memory.need for name, memory in account.memories.items()} == account.needs()


def _program(random: Random, devices: list[str]) -> Iterator[ChoicePart]:
    for index in range(random.randint(1, 12)):
        reads = tuple(random.sample(range(index + 1), min(index + 1, random.randint(1, 3))))
        yield task(random.choice(devices), float(random.randrange(1, 9)), reads, (index + 1,))


@given(SEEDS)
def test_a_program_larger_than_a_memory_runs_where_values_are_evicted_before(seed: int) -> None:
    """On a device that holds only the operands and results of its largest task, a program runs if all other values are
    evicted before each task; it takes at most the sum of its jobs, and at least the time with unlimited memory."""
    random = Random(seed)
    routes = Routes(TableClock(machine("cpu", "left"), {}))
    tasks = [task("left", each.cost.ns, each.reads, each.writes) for each in _program(random, ["left"])]
    sizes = [random.randrange(1, 12) for _ in range(len(tasks) + 1)]
    most = max(sum(sizes[value] for value in (*each.reads, *each.writes)) for each in tasks)
    account = Account(routes, sizes, {"left": most})
    state, free = (
        ScheduleState(routes, sizes, {0: ("cpu",)}, account=account),
        ScheduleState(routes, sizes, {0: ("cpu",)}),
    )
    for each in tasks:
        for value in [value for value, places in state.places.items() if "left" in places and value not in each.reads]:
            state.evict(value, "left")
        assert state.issue(each) >= free.issue(each)
    assert account.memories["left"].need.total <= most
    assert account.needs()["left"].total <= most
    assert state.end <= sum(job.ns for job in account.jobs)
    assert spans(account.jobs) == (account.begins, account.ends)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 20), st.integers(0, 20)), max_size=12), st.integers(1, 30))
def test_room_is_the_first_time_from_which_on_more_fits(stays: list[tuple[int, int, int]], more: int) -> None:
    memory = DeviceMemory(30)
    kept: list[tuple[int, float, float]] = []
    for nbytes, since, lasts in stays:
        begin = memory.room(nbytes, float(since))
        if begin is not None:
            memory.take(nbytes, begin)
            if lasts:
                memory.give_back(nbytes, begin, begin + lasts)
            kept.append((nbytes, begin, begin + lasts if lasts else inf))

    def level(at: float) -> int:
        return sum(nbytes for nbytes, begin, end in kept if begin <= at < end)

    times = sorted({0.0, 3.0, *(time for _, begin, end in kept for time in (begin, end)), 1e9} - {inf})
    fitting = [at for at in times if at >= 3 and all(level(later) + more <= 30 for later in times if later >= at)]
    assert memory.room(more, 3.0) == min(fitting, default=None)
    assert memory.need.live == max((level(begin) for _, begin, _ in kept), default=0)


def two(capacities: dict[str, int] | None = None) -> ScheduleState:
    """A state of two devices: value 0, of 10 bytes, is on the primary device, and a copy of n bytes takes 10 + n ns.
    `capacities`: the sizes of the memories in bytes."""
    routes = Routes(TableClock(machine("cpu", "left"), {}))
    sizes = [10, 10, 10]
    return ScheduleState(routes, sizes, {0: ("cpu",)}, account=Account(routes, sizes, capacities))


def test_a_prefetch_is_a_copy_before_its_reader() -> None:
    """The copy runs in parallel with a task of 30 ns, so the reader starts at 30 ns instead of 50 ns."""
    state = two()
    assert state.copy(0, "left") == 20.0
    assert state.issue(task("left", 30.0, (), (1,))) == 30.0
    assert state.issue(task("left", 5.0, (0, 1), (2,))) == 35.0
    assert state.account is not None
    assert [job.resource for job in state.account.jobs] == ["cpu->left", "left", "left"]


def test_discarded_values_are_copied_again_before_a_read() -> None:
    state = two()
    state.copy(0, "left")
    state.discard(0, "left")
    assert state.issue(task("left", 1.0, (0,), (1,))) == 41.0
    with pytest.raises(ValueError, match="value 0 does not lie on @right"):
        state.discard(0, "right")
    state.discard(0, "left")
    state.discard(0, "cpu")
    with pytest.raises(ValueError, match="a value is needed on @cpu, but all its copies were discarded"):
        state.copy(0, "cpu")


def test_evicting_writes_back_values_without_another_copy() -> None:
    state = two()
    state.issue(task("left", 5.0, (), (1,)))
    state.evict(1, "left")
    assert state.places[1] == {"cpu": 25.0}
    state.copy(0, "left")
    state.evict(0, "left")
    assert state.places[0] == {"cpu": 0.0}
    assert state.account is not None
    assert [job.resource for job in state.account.jobs] == ["left", "left->cpu", "cpu->left"]


def test_work_waits_for_freed_memory_and_records_this_cause() -> None:
    """A result takes 10 of the 15 bytes of a memory until its write-back ends at 25 ns; the next task, which needs this
    memory, starts then."""
    state = two({"left": 15})
    state.issue(task("left", 5.0, (), (1,)))
    state.evict(1, "left")
    assert state.issue(task("left", 5.0, (), (2,))) == 30.0
    assert state.account is not None
    assert state.account.jobs[-1].after == (1,)


def test_values_that_do_not_fit_are_refused_with_the_contents_of_the_memory() -> None:
    state = two({"left": 15})
    state.issue(task("left", 5.0, (), (1,)))
    with pytest.raises(InputError) as refused:
        state.issue(task("left", 5.0, (), (2,)))
    assert refused.value.message == (
        "10 B more on @left do not fit: with the values already there they take 20 B (0 B of weights and constants, "
        "20 B of live values) of 15 B; evict or discard some of those values before"
    )
