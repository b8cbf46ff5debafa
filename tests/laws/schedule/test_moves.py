"""Laws of the moves of a schedule's state, compared with a plain record of locations and of the memory in use at every
time: operands are where they are read, and the event loop runs the jobs at the same times."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import inf, nextafter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from interp.machine.composition import Machine
from interp.machine.cost import NOTHING, Cost
from interp.simulate.events.loop import spans
from interp.simulate.schedule.routes import Copy, Routes
from lowering.instance.account import Account
from lowering.instance.choice import ChoicePart
from lowering.instance.copies import Copies
from lowering.instance.partial import Partial
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

    @property
    def until(self) -> float:
        """The time at which its memory is free; a value that is never used is there for a moment."""
        return max(self.last, nextafter(self.begin, inf))


@dataclass
class Plain:
    """A plain record of moves: the locations of values, and the interval of each value in a memory."""

    places: dict[int, list[str]]
    stays: dict[tuple[int, str], list[Residence]]
    """The intervals in whose bytes a value lies: one, or, for a view, those of the values that it views."""
    all: dict[str, list[Residence]] = field(default_factory=lambda: defaultdict(list))

    def put(self, value: int, device: str, stay: Residence) -> None:
        self.stays[value, device] = [stay]
        self.all[device].append(stay)

    def peak(self, device: str) -> int:
        stays = self.all[device]
        return max(
            (sum(s.nbytes for s in stays if s.begin <= at < s.until) for at in [s.begin for s in stays]), default=0
        )


class Played:
    """Random moves, applied to a state and to the plain record. Each task takes time, since the plain record does not
    order events at equal times."""

    def __init__(self, seed: int, count: int = 25) -> None:
        self.random = random = Random(seed)
        self.on: Machine = random_machine(random, random.randint(2, 4), relayed=random.random() < 0.5)
        self.devices = list(self.on.devices)
        routes = Routes(TableClock(self.on, {}))
        self.sizes = [random.randrange(1, 12) for _ in range(2)]
        start = {value: tuple(random.sample(self.devices, random.randint(1, 2))) for value in range(2)}
        copies = Copies(routes, self.sizes)
        self.account = Account(copies)
        self.state = Partial(copies, start, account=self.account)
        self.plain = Plain({value: list(places) for value, places in start.items()}, {})
        for value, places in start.items():
            for place in places:
                self.plain.put(value, place, Residence(self.sizes[value], 0.0, 0.0))
        for _ in range(count):
            if random.random() < 0.7:
                self.issue()
            else:
                self.copy()

    def copy(self) -> None:
        before = len(self.account.jobs)
        self.state.copy(self.random.randrange(len(self.sizes)), self.random.choice(self.devices))
        self.note(before)

    def issue(self) -> None:
        random, values = self.random, range(len(self.sizes))
        reads = tuple(random.sample(values, random.randint(1, 2)))
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


@given(SEEDS)
def test_memory_needed_equals_the_count_at_every_time(seed: int) -> None:
    game = Played(seed)
    needs = game.account.residency.needs(game.devices, game.account.begins, game.account.ends)
    assert {name: need.total for name, need in needs.items()} == {name: game.plain.peak(name) for name in game.devices}


@given(SEEDS)
def test_the_event_loop_runs_the_jobs_of_moves_at_the_same_times(seed: int) -> None:
    account = Played(seed).account
    assert spans(account.jobs) == (account.begins, account.ends)


@given(SEEDS)
def test_a_state_records_the_locations_after_its_moves(seed: int) -> None:
    game = Played(seed)
    assert {value: set(places) for value, places in game.state.places.items()} == {
        value: set(places) for value, places in game.plain.places.items()
    }


def test_a_prefetch_is_a_copy_before_its_reader() -> None:
    """A copy of 10 bytes takes 20 ns; it runs in parallel with a task of 30 ns, so the reader starts at 30 ns instead
    of 50 ns."""
    copies = Copies(Routes(TableClock(machine("cpu", "left"), {})), [10, 10, 10])
    account = Account(copies)
    state = Partial(copies, {0: ("cpu",)}, account=account)
    assert state.copy(0, "left") == 20.0
    assert state.issue(task("left", 30.0, (), (1,))) == 30.0
    assert state.issue(task("left", 5.0, (0, 1), (2,))) == 35.0
    assert [job.resource for job in account.jobs] == ["cpu->left", "left", "left"]
