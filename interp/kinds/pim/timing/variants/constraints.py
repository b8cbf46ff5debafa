"""Timing constraints between the slots of a program, with values for each variant of a device; and a group of variants
that issues commands under them.

Which constraints apply between two slots is decided as for one device (interp/kinds/pim/timing/constraints.py).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import counted_pairs, tying
from interp.kinds.pim.timing.variants.loops import Chosen, Group, Mask
from interp.machine.variants import Cycles, PimVariants

NEVER = -(1 << 40)
"""The cycle of a command that has not been issued."""
PATIENCE = 64
"""The number of consecutive refreshes after which a command that they put off is left to the clock for one device."""


class Counting(NamedTuple):
    """An n-th-last constraint: no sooner than the cycles in row `gap` of `Group.gaps` after the oldest of the latest
    issues of the slots `befores`, whose cycles are rows `first` to `last` (excluded) of the history, newest last."""

    befores: frozenset[int]
    gap: int
    first: int
    last: int
    cause: int
    """The slot to which its waits are attributed."""


class VariedConstraints:
    """The timing constraints between slots in all variants of a device. `rules`: for each slot, those whose last issue
    it waits for, each with the row of `gaps` that states the least distance; `counted`: for each slot, the n-th-last
    constraints on it. `cadence`, `reach`: for each slot, rows of `gaps` with the least distance between its issues, and
    with the cycles for which its last issue may delay another slot."""

    def __init__(self, variants: PimVariants, slots: Iterable[Slot]) -> None:
        self.variants, self.pim = variants, variants.widest
        self.slots = list(slots)
        self.index = {slot: at for at, slot in enumerate(self.slots)}
        self.verbs = list(dict.fromkeys(slot.verb for slot in self.slots))
        self.verb_of = [self.verbs.index(slot.verb) for slot in self.slots]
        self._rows: list[Cycles] = []
        self._row_of: dict[bytes, int] = {}
        bus = variants.command_cycles
        self.bus = self.row(bus)
        self.rules: list[list[tuple[int, int]]] = [[] for _ in self.slots]
        reach = [np.ones(variants.count, np.int64) for _ in self.slots]
        cadence = [bus for _ in self.slots]
        for b, before in enumerate(self.slots):
            for a, after in enumerate(self.slots):
                distance = variants.least(list(tying(self.pim, before, after)))
                reach[b] = np.maximum(reach[b], distance)
                if (distance > bus).any():  # others never bind, as the bus keeps commands that far apart
                    self.rules[a].append((b, self.row(distance)))
                if a == b:
                    cadence[a] = np.maximum(distance, bus)
        self.cadence = [self.row(each) for each in cadence]
        self.reaches = reach
        self.counted: list[list[Counting]] = [[] for _ in self.slots]
        self.histories: list[Counting] = []
        known: dict[tuple[int, tuple[int, ...]], Counting] = {}
        for at, befores, after in counted_pairs(self.pim, self.slots):
            if not self.pim.constraints[at].cycles:
                continue
            if (counting := known.get((at, befores))) is None:
                first = self.histories[-1].last if self.histories else 0
                gap, nth = self.row(variants.cycles[at]), self.pim.constraints[at].nth
                counting = known[at, befores] = Counting(
                    frozenset(befores), gap, first, first + nth, self.cause_of_counted(befores[0], after)
                )
                self.histories.append(counting)
            self.counted[after].append(counting)
        self.chained = {
            after for after, each in enumerate(self.counted) if any(after in counting.befores for counting in each)
        }
        """Slots with an n-th-last constraint on their own earlier issues. Repeated issues of these are not evenly
        spaced."""
        self.width = self.histories[-1].last if self.histories else 0

    def cause_of_counted(self, first: int, after: int) -> int:
        """The slot to which waits for an n-th-last constraint are attributed, which counts from the slot `first`."""
        return first

    def row(self, values: Cycles) -> int:
        """The row of `gaps` that states these values."""
        key = values.tobytes()
        if key not in self._row_of:
            self._row_of[key] = len(self._rows)
            self._rows.append(values)
        return self._row_of[key]

    def gaps(self) -> Cycles:
        """(rows, variants) All values that differ between variants."""
        return np.array(self._rows, np.int64)


class Table:
    """A function of small whole numbers, computed once for each number that is met."""

    def __init__(self, function: Callable[[int], int]) -> None:
        self._function = function
        self._values = np.full(16, -1, np.int64)

    def __call__(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        first = int(at[0])
        if (at == first).all():
            return np.full(len(at), self.one(first), np.int64)
        for number in np.unique(at):
            self.one(int(number))
        return self._values[at]

    def one(self, number: int) -> int:
        if number >= len(self._values):
            self._values = np.concatenate([self._values, np.full(max(number, 16), -1, np.int64)])
        if self._values[number] < 0:
            self._values[number] = self._function(number)
        return int(self._values[number])


RulesOf = TypeVar("RulesOf", bound=VariedConstraints)


class ConstrainedGroup(Group, Generic[RulesOf]):
    """Variants that issue the commands of a program under timing constraints."""

    rules: RulesOf
    explains: bool
    """True if waits are attributed to the verbs that cause them."""
    given_up: Mask
    """(variants of the batch) True for those that refreshes leave no time for a command; the clock for one device says
    so. Shared by all groups of a batch."""

    # Parts of the arrays, which `bind` sets.
    last: Cycles
    """(slots, variants) The cycle of each slot's last issue."""
    history: Cycles
    """(issues, variants) The cycles from which n-th-last constraints count."""
    bus: Cycles
    """(variants) The cycle of the last command."""
    waits: Cycles
    """(verbs, variants) The cycles waited for each verb."""

    @abstractmethod
    def refresh(self) -> None:
        """Serves a refresh that is due."""

    def parts(self, values: NDArray[np.int64] | Mask) -> Iterator[tuple[int, Self, Chosen | slice]]:
        """For each of some values of the variants, the group of the variants that have it, and their positions. The
        state of these is taken over when the caller is done with them."""
        first = values[0]
        if (values == first).all():
            yield int(first), self, slice(None)
            return
        for value in np.unique(values):
            at = np.flatnonzero(values == value)
            part = self.take(at)
            yield int(value), part, at
            self.put(at, part)

    def ready(self, slot: int, floor: Cycles | None = None) -> Cycles:
        """(variants) The first cycle, not before `floor`, in which the timing constraints and the bus permit a slot to
        issue."""
        when = self.bus + self.gaps[self.rules.bus]
        if floor is not None:
            np.maximum(when, floor, out=when)
        for before, gap in self.rules.rules[slot]:
            np.maximum(when, self.last[before] + self.gaps[gap], out=when)
        for counting in self.rules.counted[slot]:
            np.maximum(when, self.history[counting.first] + self.gaps[counting.gap], out=when)
        return when

    def attribute(self, slot: int, when: Cycles, floor: Cycles | None, cycles: Cycles, verb: int = -1) -> None:
        """Attributes `cycles` of waiting to the constraint that let a slot issue in `when`, the first one if several
        did, or to the slot itself if no constraint delayed it. `verb`: the verb that waits for itself, by default the
        slot's own."""
        if not self.explains:
            return
        rules = self.rules
        base = self.bus + self.gaps[rules.bus]
        if floor is not None:
            base = np.maximum(base, floor)
        causes = np.full(len(when), rules.verb_of[slot] if verb < 0 else verb, np.int64)
        open_ = base < when
        each = [(self.last[before] + self.gaps[gap], before) for before, gap in rules.rules[slot]]
        each += [(self.history[c.first] + self.gaps[c.gap], c.cause) for c in rules.counted[slot]]
        for moment, before in each:
            hit = open_ & (moment == when)
            causes[hit] = rules.verb_of[before]
            open_ &= ~hit
        self.waits[causes, np.arange(len(when))] += cycles

    def remember(self, slot: int, when: Cycles, more: Cycles | None, end: Cycles, where: Mask | bool = True) -> None:
        """Records the issues of a slot in `when` and, `more` times, at its cadence up to `end`, from which n-th-last
        constraints count; only for the variants `where`."""
        for counting in self.rules.histories:
            if slot not in counting.befores:
                continue
            past = self.history[counting.first : counting.last]
            if more is None:
                past[:-1], past[-1] = past[1:].copy(), when
                continue
            nth, old, cadence = len(past), past.copy(), self.gaps[self.rules.cadence[slot]]
            for back in range(nth):  # the issue that many before the last
                kept: Cycles = np.take_along_axis(old, np.clip(nth - back + more, 0, nth - 1)[None], axis=0)[0]
                issued: Cycles = np.where(back <= more, end - back * cadence, kept)
                np.copyto(past[nth - 1 - back], issued, where=where)


def ages(now: Cycles, last: Cycles, reach: Cycles) -> Cycles:
    """The cycles since past commands, capped at those for which they matter."""
    return np.minimum(now - last, reach)


CHUNK = 4096
"""The number of variants that are followed together at most, so that their states stay in the processor's cache."""


def distinct(gaps: Cycles) -> tuple[Chosen, Chosen]:
    """One variant for each different column of `gaps`, and for each variant the position of its column among these:
    variants that differ only in numbers that a program does not depend on take the same time."""
    weights = np.random.default_rng(0).integers(1, 1 << 62, len(gaps), dtype=np.int64) | 1
    sums = (gaps * weights[:, None]).sum(axis=0)  # modulo 2^64
    _, first, position = np.unique(sums, return_index=True, return_inverse=True)
    if (gaps[:, first[position]] == gaps).all():
        return first, position
    everywhere: Chosen = np.arange(gaps.shape[1], dtype=np.int64)  # two columns have the same sum by chance
    return everywhere, everywhere
