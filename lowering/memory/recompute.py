"""Recomputation: a kernel's result is freed after its forward uses, and recomputed by the same kernel before its next
use (activation checkpointing), instead of being moved to another memory and back, or in combination with moves.

    … P x→t   A t→…   …   B t→…        t is in memory from P to B
    … P x→t   A t→…   …   P x→t'  B t'→…   t ends with A; x must be in memory when P runs again

A kernel may run again if its operands still have the same contents; operands that were freed are recomputed first. The
cost is the kernel's time, and memory for its operands until it runs again. There are two ways to select kernels:

- `fitting`: without moves. Kernels are selected by the bytes above the capacity that they free, divided by their time,
  until everything fits; then kernels that turn out to be unnecessary are removed from the selection.
- `combined_with_moves`: the duals of the relaxation of moves are prices: for each kernel, the waiting time that an
  iteration saves if one byte less is in memory while the kernel runs. Kernels whose outputs save more time than they
  take are selected, and prices are computed again, as long as the lower bound on the time of an iteration decreases.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from interp.simulate.memory.problem import NEVER, Kernel, KernelTrace

UNITS = 64
"""Kernels, at most, that one kernel recomputes along with itself."""
BATCH = 0.1
"""Fraction of the bytes above a memory's capacity that one step of recomputation frees; then the bytes above the
capacity are counted again."""
ROUNDS = 8
"""Rounds of recomputation; each solves the relaxation of data movement to obtain prices of memory."""
TRIALS = 200
"""Recomputed kernels, at most, that are tentatively removed from the plan, to see whether the rest fits."""

Prices = NDArray[np.float64]
"""For each kernel of a trace, the gain from one byte less in memory while it runs: in `combined_with_moves` the time
saved, in ns per byte; in `fitting` the kernel's share of all bytes above the capacity, a fraction."""


@dataclass(frozen=True, eq=False)
class Recomputed:
    """A trace in which some kernels run a second time to recompute their results."""

    original: KernelTrace
    reruns: Mapping[int, int]
    """For each unit that runs again, by the number of its first kernel: the kernel before which it runs again."""
    trace: KernelTrace
    kernels: tuple[int, ...]
    """For each kernel of the trace, the number of the original kernel."""
    again: tuple[bool, ...]
    """For each kernel of the trace, True if it is a repeated run."""
    tensors: tuple[int, ...]
    """For each tensor of the trace, the original tensor with the same contents."""

    @cached_property
    def more_ns(self) -> float:
        """The total time of repeated runs, in ns."""
        return sum(kernel.ns for kernel, again in zip(self.trace.kernels, self.again, strict=True) if again)

    def original_prices(self, prices: Prices) -> Prices:
        """Prices of this trace's kernels, summed for each original kernel: the price of a repeated run is added to that
        of the first original kernel after it."""
        sums = np.zeros(len(self.original.kernels))
        first = np.array([not again for again in self.again], bool)
        place = np.cumsum(first) - first  # a repeated run counts for the original kernel that follows
        np.add.at(sums, place, prices)
        return sums


class Reruns:
    """The units of kernels that may run again in a trace, and for each unit the kernel before which it runs again.

    If later kernels update a tensor in place, it is recomputed by the kernel that writes its first contents and all
    kernels that update it before the gap between uses in which it is freed. These kernels form a unit, identified by
    its first kernel.
    """

    def __init__(
        self,
        trace: KernelTrace,
        able: Callable[[int], bool] = lambda _: True,
        stateless: Callable[[int], bool] = lambda _: False,
        last: int | None = None,
        gap: Callable[[float, float], float] = lambda after, before: before - after,
    ) -> None:
        """`able`: True for a kernel that always computes the same results from the same operands. `last`: the kernel
        before which all repeated runs must end (None: the iteration's end). `stateless`: True for a kernel whose new
        results do not depend on the tensors that it updates in place, so that it may run again on a scratch copy of
        these (running means, which a batch normalisation only updates). `gap`: the worth of freeing a byte between two
        uses, by which the uses are chosen between which a tensor is freed: by default the number of kernels."""
        self.trace, self.stateless, self.gap = trace, stateless, gap
        self.last = len(trace.kernels) if last is None else last
        self.uses: list[list[float]] = [trace.uses(tensor).tolist() for tensor in range(len(trace.tensors))]
        self.writes: list[list[int]] = [trace.writes(tensor).tolist() for tensor in range(len(trace.tensors))]
        self.maker: dict[int, int] = {}
        """For each tensor that is not persistent, the kernel that writes its first contents."""
        self.made: dict[int, list[int]] = defaultdict(list)
        for tensor, writes in enumerate(self.writes):
            first = writes[0] if writes else NEVER
            if first != NEVER and not trace.tensors[tensor].persistent and tensor in trace.kernels[first].writes:
                self.maker[tensor] = first
                if able(first):
                    self.made[first].append(tensor)
        self.candidates = [kernel for kernel in self.made if self.when(kernel, {}) is not None or self._feeds(kernel)]

    def _feeds(self, kernel: int) -> bool:
        """True if other kernels read or update a result of `kernel`, so that they may need it in order to run again."""
        return any(len(self.uses[tensor]) > 1 for tensor in self.made[kernel])

    def when(self, kernel: int, uses: Mapping[int, list[float]]) -> int | None:
        """The kernel before which a unit runs again; None if the unit's result is not used again after a gap, or if the
        unit's operands change before. The result is freed between two successive uses: those for which its bytes
        times the worth of the gap between them is largest. The returned kernel is the later use. `uses`: positions
        of all uses of tensors that repeated runs also read; a repeated run before kernel k has position k - 0.5."""
        best, end = 0.0, None
        for tensor in self.made[kernel]:
            each = uses.get(tensor, self.uses[tensor])
            size = self.trace.tensors[tensor].nbytes
            for after, following in pairwise(each):
                before = min(following, self.last)
                if before - after > 1 and (worth := size * self.gap(after, before)) > best:
                    best, end = worth, ceil(before)
        return end if end is not None and self._repeats(kernel, end) else None

    def unit(self, kernel: int, before: int) -> list[int]:
        """The kernels of a unit that runs again before kernel `before`, in program order."""
        return sorted({w for tensor in self.made[kernel] for w in self.writes[tensor] if w < before})

    def reads(self, kernel: int, before: int) -> list[int]:
        """The tensors that a unit reads and that it does not compute itself."""
        own = set(self.made[kernel])
        found = dict.fromkeys(t for each in self.unit(kernel, before) for t in self.trace.kernels[each].reads)
        return [tensor for tensor in found if tensor not in own]

    def _repeats(self, kernel: int, before: int) -> bool:
        """True if a unit, run again before kernel `before`, writes only its own tensors or scratch copies, and reads
        only tensors that were not written since it first ran."""
        own = set(self.made[kernel])
        for each in self.unit(kernel, before):
            found = self.trace.kernels[each]
            other = {*found.writes} - own
            if other and not (self.stateless(each) and all(self.trace.tensors[t].persistent for t in other)):
                return False
            reads = {*found.reads} - own - (other if self.stateless(each) else set())
            if any(each <= write < before for tensor in reads for write in self.writes[tensor]):
                return False
        return True

    def timed(self, chosen: Iterable[int]) -> tuple[dict[int, int], dict[int, list[float]]]:
        """For each of the chosen units, the kernel before which it runs again; and, for each tensor that these units
        read, the positions of all its uses, those by repeated runs included."""
        times: dict[int, int] = {}
        uses: dict[int, list[float]] = {}
        for kernel in sorted(chosen, reverse=True):
            before = self.when(kernel, uses)
            if before is not None:
                times[kernel] = before
                for tensor in self.reads(kernel, before):
                    insort(uses.setdefault(tensor, list(self.uses[tensor])), before - 0.5)
        return times, uses

    def run(self, chosen: Iterable[int]) -> Recomputed:
        """The trace in which the chosen units run again. Results of a repeated run that are not used any more are
        counted as its workspace."""
        trace, (times, uses) = self.trace, self.timed(chosen)
        tensors, names = list(trace.tensors), list(range(len(trace.tensors)))
        now = list(range(len(trace.tensors)))
        kernels: list[Kernel] = []
        numbers: list[int] = []
        again: list[bool] = []
        due: dict[int, list[int]] = defaultdict(list)
        for kernel, before in times.items():
            due[before].append(kernel)
        for number, kernel in enumerate(trace.kernels):
            for first in sorted(due.get(number, ())):
                kept = [t for t in self.made[first] if uses.get(t, self.uses[t])[-1] >= number - 0.5]
                for tensor in kept:
                    now[tensor] = len(tensors)
                    tensors.append(trace.tensors[tensor])
                    names.append(tensor)
                unit = self.unit(first, number)
                scratch = [t for t in self.made[first] if t not in kept]
                for each in unit:
                    old = trace.kernels[each]
                    spared = {t for t in old.writes if trace.tensors[t].persistent} | {*scratch}
                    reads = tuple(now[t] for t in old.reads if t not in spared)
                    writes = tuple(now[t] for t in old.writes if t not in spared)
                    more = sum(trace.tensors[t].nbytes for t in spared if t in {*old.reads, *old.writes})
                    kernels.append(Kernel(old.name, old.ns, reads, writes, old.workspace + more))
                    numbers.append(each)
                    again.append(True)
            reads, writes = (tuple(now[t] for t in each) for each in (kernel.reads, kernel.writes))
            kernels.append(Kernel(kernel.name, kernel.ns, reads, writes, kernel.workspace))
            numbers.append(number)
            again.append(False)
        made = KernelTrace(tuple(kernels), tuple(tensors))
        return Recomputed(trace, times, made, tuple(numbers), tuple(again), tuple(names))

    def ns(self, units: Iterable[int], times: Mapping[int, int]) -> float:
        """The total time of the repeated runs of units, in ns; `times`: for each unit the kernel before which it runs
        again."""
        return sum(self.trace.kernels[each].ns for unit in units for each in self.unit(unit, times[unit]))

    def gains(self, prices: Prices, chosen: Iterable[int]) -> list[Gain]:
        """The gains of units that could be added to the `chosen` units, at the given prices of the original kernels: of
        each such unit alone, and of each such unit together with the units that recompute those of its operands that
        are no longer in memory when it runs again."""
        sums = np.concatenate([[0.0], np.cumsum(prices)])
        times, uses = self.timed(chosen)
        found: list[Gain] = []
        for kernel in self.candidates:
            if kernel in times or (before := self.when(kernel, uses)) is None:
                continue
            freed = sum(self._worth(tensor, before, sums, uses) for tensor in self.made[kernel])
            if freed <= 0:
                continue
            ns = self.ns([kernel], {kernel: before})
            held = self._held(kernel, before, sums, uses, times)
            found.append(Gain((kernel,), freed - sum(held.values()), ns))
            if held and (others := self._closure(kernel, before, sums, uses, times)):
                with_them = dict.fromkeys((kernel, *others), before)
                found.append(Gain((kernel, *others), freed, self.ns(with_them, with_them)))
        return found

    def _worth(self, tensor: int, before: int, sums: Prices, uses: Mapping[int, list[float]]) -> float:
        """The gain from freeing a tensor between its last use before kernel `before` and that kernel (or the tensor's
        next use, if earlier): its bytes times the sum of the prices of the kernels in between. `sums`: the
        cumulative sums of prices. The unit is that of `Gain.worth`."""
        each = uses.get(tensor, self.uses[tensor])
        place = bisect_left(each, before - 0.5) - 1
        if place + 1 == len(each):
            return 0.0
        after, following = floor(each[place]), ceil(each[place + 1])
        return self.trace.tensors[tensor].nbytes * max(0.0, sums[min(before, following)] - sums[after + 1])

    def _held(
        self, kernel: int, before: int, sums: Prices, uses: Mapping[int, list[float]], times: Mapping[int, int]
    ) -> dict[int, float]:
        """The operands of a unit that must be kept in memory longer for its repeated run before kernel `before`, each
        with the cost: its bytes times the sum of the prices of the kernels from its last other use to `before`. The
        unit of the cost is that of `Gain.worth`."""
        found: dict[int, float] = {}
        for tensor in self.reads(kernel, before):
            if self.trace.tensors[tensor].persistent:
                continue
            each = uses.get(tensor, self.uses[tensor])
            made = times.get(self.maker.get(tensor, NEVER))
            end = each[-1] if made is None or made <= before else each[bisect_left(each, made - 0.5) - 1]
            if end < before:
                found[tensor] = self.trace.tensors[tensor].nbytes * (sums[before] - sums[floor(end) + 1])
        return found

    def _closure(
        self, kernel: int, before: int, sums: Prices, uses: Mapping[int, list[float]], times: Mapping[int, int]
    ) -> list[int] | None:
        """The further units that must run again so that no tensor is kept longer for this unit; None if one of them
        can't run again, or if there are too many (UNITS)."""
        found: dict[int, None] = {}
        waiting = [kernel]
        while waiting and len(found) < UNITS:
            for tensor in self._held(waiting.pop(), before, sums, uses, times):
                maker = self.maker.get(tensor, NEVER)
                if maker not in self.made or not self._repeats(maker, before):
                    return None
                if maker not in found and maker not in times:
                    found[maker] = None
                    waiting.append(maker)
        return None if waiting else list(found)


@dataclass(frozen=True)
class Gain:
    """A set of units that may run again. `worth`: the gain from freeing their outputs, as bytes times the prices of the
    kernels in between (in ns if prices are in ns per byte, in bytes if prices are fractions); `ns`: the time of
    running the units again."""

    units: tuple[int, ...]
    worth: float
    ns: float

    @property
    def ratio(self) -> float:
        return self.worth / max(self.ns, 1.0)


def fitting(reruns: Reruns, capacity: int) -> Recomputed | None:
    """The trace with repeated runs that fits `capacity` bytes without moves; None if none is found.

    Each step selects units that free a part (BATCH) of the bytes above the capacity; then the bytes
    above the capacity are counted again. A step that does not reduce them is undone, and smaller steps are tried.
    """
    found, barred, batch = reruns.run(()), set[tuple[int, ...]](), BATCH
    above = np.maximum(found.trace.live - capacity, 0).astype(float)
    while above.any():
        fractions = above / above.sum()
        gains = reruns.gains(found.original_prices(fractions), found.reruns)
        gains = [gain for gain in gains if gain.worth > 0 and gain.units not in barred]
        gains.sort(key=lambda gain: (-gain.ratio, gain.units))
        most, freed, taken = batch * float(fractions @ above), 0.0, list[Gain]()
        for gain in gains:
            taken.append(gain)
            freed += gain.worth
            if freed >= most:
                break
        if not taken:
            return None
        trial = reruns.run({*found.reruns, *(unit for gain in taken for unit in gain.units)})
        left = np.maximum(trial.trace.live - capacity, 0).astype(float)
        if left.sum() < above.sum():
            found, above, batch = trial, left, min(BATCH, 2 * batch)
        elif len(taken) > 1:
            batch /= 4
        else:
            barred.add(taken[0].units)
    return _thinned(reruns, found, capacity)


def _thinned(reruns: Reruns, found: Recomputed, capacity: int) -> Recomputed:
    """The trace without those repeated runs that are not needed to fit `capacity` bytes: units are removed tentatively,
    in the order of decreasing time, up to TRIALS of them."""
    for unit in sorted(found.reruns, key=lambda unit: (-reruns.ns([unit], found.reruns), unit))[:TRIALS]:
        less = reruns.run([other for other in found.reruns if other != unit])
        if less.trace.peak_live <= capacity and less.trace.ideal_ns < found.trace.ideal_ns:
            found = less
    return found


@dataclass(frozen=True)
class Priced:
    """The results of the relaxation of moves for a trace: a lower bound on the time of an iteration in ns, and prices
    in ns per byte."""

    bound_ns: float
    prices: Prices


def combined_with_moves(
    reruns: Reruns, priced: Callable[[KernelTrace], Priced | None]
) -> tuple[Recomputed, Priced | None]:
    """The trace with repeated runs that save time in combination with moves, and the results of its relaxation.
    `priced`: function that returns these results for a trace, or None if no moves make the trace fit.

    In each round, only a part of the profitable units is selected, the most profitable first, because their selection
    lowers the prices of bytes and so the profit of the other units.
    """
    found = reruns.run(())
    best = priced(found.trace)
    fraction = 1 / 3
    for _ in range(ROUNDS):
        if best is None or best.bound_ns <= found.trace.ideal_ns * (1 + 1e-6):
            break
        gains = reruns.gains(found.original_prices(best.prices), found.reruns)
        worth = sorted((gain for gain in gains if gain.ratio > 1), key=lambda gain: (-gain.ratio, gain.units))
        if not worth:
            break
        taken = worth[: max(1, int(len(worth) * fraction))]
        trial = reruns.run({*found.reruns, *(unit for gain in taken for unit in gain.units)})
        result = priced(trial.trace)
        if result is not None and result.bound_ns < best.bound_ns * (1 - 1e-6):
            found, best = trial, result
        elif len(taken) == 1:
            break
        else:
            fraction /= 3
    return found, best
