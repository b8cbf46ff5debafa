"""Memory in the model of CP-SAT: weights occupy a device from the start, values during their lifetimes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import reduce

from interp.simulate.schedule.routes import Copy
from lowering.optimise.exact.model import Model, Time
from lowering.optimise.exact.space import ExactSpace, RunTask, Work
from lowering.solve.integer import Integer, Interval, Literal, weighted

MEMORY_UNITS = 1 << 26
"""Units in which CP-SAT's model counts the bytes of all values and weights of a device: so few that products of
units and times fit 64 bits."""


@dataclass
class HeldValue:
    """A value in a device's memory: the tasks and copies that may make it there (none if it is there from the start),
    and the tasks and copies that may use it, each with a literal that is true if the task or copy is present."""

    value: int
    makers: list[Work] = field(default_factory=list["Work"])
    users: list[tuple[list[Work], Work]] = field(default_factory=list["tuple[list[Work], Work]"])
    kept: list[list[Work]] = field(default_factory=list["list[Work]"])
    """Sets of tasks and copies; if all of one set are present, the value stays in memory until the end."""
    heirs: list[RunTask] = field(default_factory=list[RunTask])
    """Tasks whose results take over the memory of the value, a donated argument, if they are its last users."""


def tight_devices(space: ExactSpace) -> list[str]:
    """The devices whose memory might be too small for all weights and values that a placement may put there."""
    problem = space.problem
    return [
        name
        for name in problem.devices
        if sum(levels[-1] for levels in resident_bytes(space, name).values())
        + sum(problem.sizes[hold.value] for hold in holds(space, name))
        > problem.room[name]
    ]


def resident_bytes(space: ExactSpace, device: str) -> dict[Hashable, list[int]]:
    """The bytes that each weight may take on a device, ascending."""
    found = {resident: {nbytes for nbytes, _ in uses} for resident, uses in space.residents(device).items()}
    for resident, nbytes in space.problem.returned_residents if device == space.problem.primary else ():
        found.setdefault(resident, set()).add(nbytes)
    return {resident: sorted(levels) for resident, levels in found.items()}


def holds(space: ExactSpace, device: str) -> list[HeldValue]:
    """All values that may be in a device's memory, with their producers and users."""
    found: list[HeldValue] = []
    for value in sorted({*space.writers, *space.reached}):
        hold = HeldValue(value)
        hold.makers += [task for task in space.writers.get(value, ()) if _makes(space, task, value, device)]
        hold.makers += space.arriving.get((value, device), ())
        if hold.makers or device in space.reached.get(value, ()):
            hold.heirs += _heirs(space, value, device)
            _uses(space, value, device, [], hold)
            found.append(hold)
    return found


def _makes(space: ExactSpace, task: RunTask, value: int, device: str) -> bool:
    """True if a task writes a value to memory of its own on a device."""
    part = space.parts[task]
    return part.device == device and not part.view and value not in part.over


def _heirs(space: ExactSpace, value: int, device: str) -> Iterable[RunTask]:
    """The tasks on a device that make the result to which an argument that lies there is donated."""
    taken = {result for given, result in space.problem.donated if given == value and device in space.reached[value]}
    return [task for result in taken for task in space.writers.get(result, ()) if _makes(space, task, result, device)]


def _later(space: ExactSpace, hold: HeldValue, heir: RunTask) -> Iterable[tuple[list[Work], Work]]:
    """The users of a value that follow one of them in program order, after which that one is not the last. A copy
    follows a task if all tasks that may ask for it do."""
    for shown, work in hold.users:
        asking = [work] if isinstance(work, RunTask) else _asking(space, work, heir)
        if asking and min(_position(space, task) for task in asking) > _position(space, heir):
            yield shown, work


def _asking(space: ExactSpace, move: Copy, beside: RunTask) -> list[RunTask]:
    """The tasks on other devices that may need a copy of a value in a schedule with a task `beside`."""
    nodes = set(space.runs[beside.run].nodes)
    readers = space.readers[move.value].items() if move.value in space.readers else ()
    return [
        task
        for device, tasks in readers
        for task in tasks
        if device != move.source and (task.run == beside.run or nodes.isdisjoint(space.runs[task.run].nodes))
    ]


def _position(space: ExactSpace, task: RunTask) -> tuple[int, int]:
    """The position of a task in program order: a region is carried out at its last node."""
    return max(space.runs[task.run].nodes), task.place


def _uses(space: ExactSpace, value: int, device: str, shown: list[Work], hold: HeldValue) -> None:
    """Add to `hold` the tasks and copies that use a value on a device, directly or through views. `shown`: the views
    between the value and its user."""
    if value in space.outputs and device == space.problem.exit_of(value):
        hold.kept.append(shown)
    for move in space.copies:
        if move.value == value and move.source == device:
            hold.users.append((shown, move))
    for task in space.readers[value].get(device, ()) if value in space.readers else ():
        part = space.parts[task]
        if not part.view:
            hold.users.append((shown, task))
        for shared in part.writes if part.view else (result for result, over in part.over.items() if over == value):
            _uses(space, shared, device, [*shown, task], hold)


def add_memory(model: Model, device: str) -> None:
    """Add the constraint that a device never holds more than its capacity."""
    problem, space = model.space.problem, model.space
    kept = holds(space, device)
    levels = resident_bytes(space, device)
    sizes = [problem.sizes[hold.value] for hold in kept]
    memory = problem.room[device]
    units = _units([*sizes, *(nbytes for each in levels.values() for nbytes in each)])
    weights: list[tuple[Literal, int]] = []
    for resident, steps in levels.items():
        below = 0
        for nbytes in steps:
            weights.append((_resident(model, device, resident, nbytes), nbytes // units - below))
            below = nbytes // units
    free = model.model.new_int_var(0, memory // units, "")
    model.model.add(free == memory // units - weighted([each for each, _ in weights], [each for _, each in weights]))
    spans = [_span(model, hold) for hold in kept]
    model.model.add_cumulative(spans, [size // units for size in sizes], free)


def _units(sizes: Iterable[int]) -> int:
    """Number of bytes per unit of memory in the model: a common divisor of all sizes, or more if the number of units
    would be too large. Sizes are rounded down, so that whatever fits in bytes fits in units."""
    every = list(sizes)
    step = max(1, reduce(math.gcd, every, 0))
    return step * max(1, -(-sum(every) // (step * MEMORY_UNITS)))


def _resident(model: Model, device: str, resident: Hashable, nbytes: int) -> Literal:
    """A literal that is true if a weight takes at least `nbytes` bytes on a device."""
    returned = model.space.problem.returned_residents if device == model.space.problem.primary else ()
    if any(other == resident and least >= nbytes for other, least in returned):
        return model.model.new_constant(1)
    return model.any([model.taken[run] for least, run in model.space.residents(device)[resident] if least >= nbytes])


def _span(model: Model, hold: HeldValue) -> Interval:
    """The interval from the start of a value's producer to the last end of its consumers, or, if that is later, to the
    start of a task that takes over its memory. If nothing is rounded, a value that a task without duration writes, or
    that it reads from the start, occupies memory for one unit: nothing else starts or ends within it. A value that is
    there from the start and that nothing reads occupies none."""
    space, end_of_all = model.space, model.most + 1
    last = model.model.new_int_var(0, end_of_all, "")
    begin: Time
    if not hold.makers:
        begin, there = 0, model.model.new_constant(1)
    else:
        first = begin = model.model.new_int_var(0, model.most, "")
        there = model.any([model.literal(work) for work in hold.makers])
        for work in hold.makers:
            model.when([model.literal(work)], first <= model.begin[work])
            model.when([model.literal(work)], last >= model.end[work])
            if space.exact:
                model.when([model.literal(work)], last >= model.begin[work] + 1)
            model.not_at_once(work)
    taking: dict[Work, Integer] = {heir: _taking(model, hold, heir) for heir in hold.heirs}
    for shown, work in hold.users:
        needed = [model.literal(each) for each in (*shown, work)]
        if work in taking:
            model.when([taking[work]], last >= model.begin[work])
            needed.append(taking[work].negated())
        model.when(needed, last >= model.end[work])
        if not hold.makers and space.fine:
            model.when(needed, last >= 1)
    for shown in hold.kept:
        model.when([model.literal(each) for each in shown] or [there], last >= end_of_all)
    size = model.model.new_int_var(0, end_of_all, "")
    return model.model.new_optional_interval_var(begin, size, last, there, "")


def _taking(model: Model, hold: HeldValue, heir: RunTask) -> Integer:
    """A literal that may be true if the result of a task takes over the memory of a value."""
    taking = model.model.new_bool_var("")
    model.model.add_implication(taking, model.literal(heir))
    for shown, work in _later(model.space, hold, heir):
        model.model.add_bool_or([taking.negated(), *(model.literal(each).negated() for each in (*shown, work))])
    return taking


def justify(model: Model) -> None:
    """Constrain each task and copy to start at 0 or at the end of another task or copy, since it can wait for nothing
    else. If start times or durations were rounded down, it may start up to one unit after that end."""
    late = 0 if model.space.exact else 1
    every = [*model.space.parts, *model.space.copies]
    for work in every:
        ways = [model.model.new_bool_var("") for _ in every]
        for other, way in zip(every, ways, strict=True):
            if other == work:
                model.when([way], model.begin[work] == 0)
            else:
                model.when([way], model.begin[work] >= model.end[other])
                model.when([way], model.begin[work] <= model.end[other] + late)
                model.model.add_implication(way, model.literal(other))
        model.model.add_bool_or([*ways, model.literal(work).negated()])
