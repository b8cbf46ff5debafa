"""Forms of a program that exceeds its primary device's memory, on this device alone with planned moves."""

from __future__ import annotations

from collections.abc import Hashable
from math import inf
from typing import NamedTuple
from weakref import WeakKeyDictionary

from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.walk.entry import functions
from lowering.alone.baseline import unpartitioned_clock
from lowering.alone.forms import Form
from lowering.tasks.short import MovedAlone, alone_with_moves


class _Known(NamedTuple):
    """The programs of a form that were found, among those that take less than `below_ns`."""

    below_ns: float
    found: list[MovedAlone]


_KNOWN: WeakKeyDictionary[Form, dict[Hashable, _Known]] = WeakKeyDictionary()
"""For each form, the programs that were found, by function and machine: the baseline and `choose-form` compare the same
forms."""


def facts_read(clock: Clock) -> Hashable:
    """All facts that a plan on the primary device alone depends on: this device, the memory behind it, and the idle
    power of the other devices. Machines with equal facts have equal baselines for equal programs and types."""
    whole = unpartitioned_clock(clock)
    idle = tuple((name, device.idle_w, whole.board_idle_w(name)) for name, device in whole.machine.devices.items())
    return whole.machine.devices[whole.machine.primary], idle, MemorySystem.of(whole.machine)


def moved_alone(form: Form, name: str, clock: Clock, below_ns: float) -> list[MovedAlone]:
    """The programs of `alone_with_moves` for a function of a form, each faster than those before."""
    known, key = _KNOWN.setdefault(form, {}), (name, facts_read(clock))
    if key not in known or known[key].below_ns < below_ns:
        found = list(alone_with_moves(form.module, name, unpartitioned_clock(clock), below_ns))
        known[key] = _Known(below_ns, found)
    return [each for each in known[key].found if each.timeline.makespan_ns < below_ns]


def ns_with_moves(form: Form, clock: Clock, below_ns: float) -> float:
    """The time in ns of a form's functions of graph ops; infinite if one of them can't run so, or if the program has
    one function, and that takes at least `below_ns`."""
    total, names = 0.0, [function.sym_name.data for function in functions(form.module)]
    for name in names:
        found = moved_alone(form, name, clock, below_ns if len(names) == 1 else inf)
        total += min((each.timeline.makespan_ns for each in found), default=inf)
    return total
