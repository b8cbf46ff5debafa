"""Recomputation: what a kernel made is dropped after its forward uses, and made again by the same kernel before it is
read the next time (activation checkpointing), in place of being moved out and in, or besides.

    … P x→t   A t→…   …   B t→…        t lies in memory from P to B
    … P x→t   A t→…   …   P x→t'  B t'→…   t ends with A; x must be there when P runs again

A kernel may run again if what it reads still has the same contents; what it reads and was dropped is made before. What
this costs is the kernel's time, and memory for what it reads until then. Two ways to choose:

- `fitting`: no moves at all. Kernels run again, those that free most of what is above the capacity for their time
  first, until everything fits; then those that turn out not to be needed are left out again.
- `beside_moves`: the duals of the relaxation of moves say what a byte less in each kernel saves in waits. Kernels whose
  outputs are worth more than their time run again, and prices are asked for anew, as long as the bound on the time of
  an iteration falls.
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

from interp.memory.problem import NEVER, Kernel, KernelTrace
from lowering.limits import LIMITS

Prices = NDArray[np.float64]
"""For each kernel of a trace, what a byte less in memory while it runs saves, in ns."""


@dataclass(frozen=True, eq=False)
class Recomputed:
    """A trace in which some kernels run again."""

    original: KernelTrace
    reruns: Mapping[int, int]
    """The kernels that run again, each with the kernel before which it does."""
    trace: KernelTrace
    kernels: tuple[int, ...]
    """Of each kernel of the trace, the original one that it is."""
    again: tuple[bool, ...]
    """Of each kernel of the trace, whether it runs again there."""
    tensors: tuple[int, ...]
    """Of each tensor of the trace, the original one whose contents it has."""

    @cached_property
    def more_ns(self) -> float:
        """The time of what runs again."""
        return sum(kernel.ns for kernel, again in zip(self.trace.kernels, self.again, strict=True) if again)

    def original_prices(self, prices: Prices) -> Prices:
        """Prices of this trace's kernels, summed up over the original kernels that these are or run before."""
        sums = np.zeros(len(self.original.kernels))
        first = np.array([not again for again in self.again], bool)
        place = np.cumsum(first) - first  # what runs again counts with the original kernel that follows
        np.add.at(sums, place, prices)
        return sums


class Reruns:
    """Units of kernels that may run again in a trace, and the kernels before which they do.

    A tensor that a kernel gives its first contents, and kernels after it update in place, is made again by all of these
    that come before the gap: they are one unit, named by its first kernel.
    """

    def __init__(
        self,
        trace: KernelTrace,
        able: Callable[[int], bool] = lambda _: True,
        stateless: Callable[[int], bool] = lambda _: False,
        last: int | None = None,
    ) -> None:
        """`able`: whether a kernel of this number computes the same from the same operands whenever it runs.
        `last`: the kernel before which all that runs again has run (None: the iteration's end).
        `stateless`: whether what it writes anew does not depend on what it updates in place, so that it may run again
        beside a scratch copy of that (running means, which a batch normalisation only updates)."""
        self.trace, self.stateless = trace, stateless
        self.last = len(trace.kernels) if last is None else last
        self.uses: list[list[float]] = [trace.uses(tensor).tolist() for tensor in range(len(trace.tensors))]
        self.writes: list[list[int]] = [trace.writes(tensor).tolist() for tensor in range(len(trace.tensors))]
        self.maker: dict[int, int] = {}
        """The kernel that gives each tensor its first contents, of those that do not persist."""
        self.made: dict[int, list[int]] = defaultdict(list)
        for tensor, writes in enumerate(self.writes):
            first = writes[0] if writes else NEVER
            if first != NEVER and not trace.tensors[tensor].persistent and tensor in trace.kernels[first].writes:
                self.maker[tensor] = first
                if able(first):
                    self.made[first].append(tensor)
        self.candidates = [kernel for kernel in self.made if self.when(kernel, {}) is not None or self._feeds(kernel)]

    def _feeds(self, kernel: int) -> bool:
        """True if another kernel may need the tensors that a kernel makes in order to run again."""
        return any(len(self.uses[tensor]) > 1 for tensor in self.made[kernel])

    def when(self, kernel: int, uses: Mapping[int, list[float]]) -> int | None:
        """The kernel before which a unit runs again: the end of the gap between uses that holds most bytes for longest.
        None where there is no gap, or what the unit reads changes before. `uses`: of tensors that kernels which run
        again use, too, all uses; what runs again before kernel k does so at k - 0.5."""
        best, end = 0.0, None
        for tensor in self.made[kernel]:
            each = uses.get(tensor, self.uses[tensor])
            size = self.trace.tensors[tensor].nbytes
            for after, following in pairwise(each):
                before = min(following, self.last)
                if before - after > 1 and size * (before - after) > best:
                    best, end = size * (before - after), ceil(before)
        return end if end is not None and self._repeats(kernel, end) else None

    def unit(self, kernel: int, before: int) -> list[int]:
        """The kernels of a unit that runs again before another kernel, in their order."""
        return sorted({w for tensor in self.made[kernel] for w in self.writes[tensor] if w < before})

    def reads(self, kernel: int, before: int) -> list[int]:
        """Tensors that a unit reads and does not make itself."""
        own = set(self.made[kernel])
        found = dict.fromkeys(t for each in self.unit(kernel, before) for t in self.trace.kernels[each].reads)
        return [tensor for tensor in found if tensor not in own]

    def _repeats(self, kernel: int, before: int) -> bool:
        """True if a unit writes only tensors that it makes, or scratch, and reads only tensors not written since."""
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
        """The kernel before which each of these units runs again, and all uses of the tensors that they read."""
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
        """The trace in which these units run again, in their order. What one makes that is not used any more is its
        workspace."""
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
        """The time of units that run again."""
        return sum(self.trace.kernels[each].ns for unit in units for each in self.unit(unit, times[unit]))

    def gains(self, prices: Prices, chosen: Iterable[int]) -> list[Gain]:
        """Units that may run again besides the chosen ones, each with its gain at these prices of the trace's kernels:
        each candidate alone, and together with the units that make those tensors it reads that memory does not hold
        by then."""
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
        """Gain, in ns, if a tensor leaves memory between its last use before a kernel and that kernel, or its next use
        if that is earlier: its bytes times the prices of the kernels between."""
        each = uses.get(tensor, self.uses[tensor])
        place = bisect_left(each, before - 0.5) - 1
        if place + 1 == len(each):
            return 0.0
        after, following = floor(each[place]), ceil(each[place + 1])
        return self.trace.tensors[tensor].nbytes * max(0.0, sums[min(before, following)] - sums[after + 1])

    def _held(
        self, kernel: int, before: int, sums: Prices, uses: Mapping[int, list[float]], times: Mapping[int, int]
    ) -> dict[int, float]:
        """Tensors that a unit reads as it runs again and that memory would have to keep longer for it, each with the
        cost of keeping it, in ns: its bytes times the prices of the kernels until then."""
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
        """Other units that must run again too, so that no tensor is kept longer for this unit; None where one can't, or
        where they are too many (LIMITS.recomputed_units)."""
        found: dict[int, None] = {}
        waiting = [kernel]
        while waiting and len(found) < LIMITS.recomputed_units:
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
    """Units that may run again: what their outputs' absence is worth, in the unit of prices, and their time in ns."""

    units: tuple[int, ...]
    worth: float
    ns: float

    @property
    def ratio(self) -> float:
        return self.worth / max(self.ns, 1.0)


def fitting(reruns: Reruns, capacity: int) -> Recomputed | None:
    """The trace with kernels run again so that it needs no moves in so many bytes; None where that is not found.

    A tenth of what is above the capacity is freed between two looks at what still is. A step after which more is above
    it is taken back, and smaller ones are tried.
    """
    found, barred, batch = reruns.run(()), set[tuple[int, ...]](), LIMITS.recompute_batch
    above = np.maximum(found.trace.live - capacity, 0).astype(float)
    while above.any():
        shares = above / above.sum()
        gains = reruns.gains(found.original_prices(shares), found.reruns)
        gains = [gain for gain in gains if gain.worth > 0 and gain.units not in barred]
        gains.sort(key=lambda gain: (-gain.ratio, gain.units))
        most, freed, taken = batch * float(shares @ above), 0.0, list[Gain]()
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
            found, above, batch = trial, left, min(LIMITS.recompute_batch, 2 * batch)
        elif len(taken) > 1:
            batch /= 4
        else:
            barred.add(taken[0].units)
    return _thinned(reruns, found, capacity)


def _thinned(reruns: Reruns, found: Recomputed, capacity: int) -> Recomputed:
    """Leave out what need not run again, what takes longest first, as long as the limit of trials goes."""
    for unit in sorted(found.reruns, key=lambda unit: (-reruns.ns([unit], found.reruns), unit))[
        : LIMITS.recompute_trials
    ]:
        less = reruns.run([other for other in found.reruns if other != unit])
        if less.trace.peak_live <= capacity and less.trace.ideal_ns < found.trace.ideal_ns:
            found = less
    return found


@dataclass(frozen=True)
class Priced:
    """Results of the relaxation of moves for a trace: a lower bound on the time of an iteration, in ns, and prices."""

    bound_ns: float
    prices: Prices


def beside_moves(reruns: Reruns, priced: Callable[[KernelTrace], Priced | None]) -> tuple[Recomputed, Priced | None]:
    """The trace with kernels run again that are worth it beside moves, and what the relaxation says of it; `priced`:
    that, or None where nothing moves so that it fits.

    Of what is worth its time a part runs again, what is worth most first; then prices are lower."""
    found = reruns.run(())
    best = priced(found.trace)
    share = 1 / 3
    for _ in range(LIMITS.recompute_rounds):
        if best is None or best.bound_ns <= found.trace.ideal_ns * (1 + 1e-6):
            break
        gains = reruns.gains(found.original_prices(best.prices), found.reruns)
        worth = sorted((gain for gain in gains if gain.ratio > 1), key=lambda gain: (-gain.ratio, gain.units))
        if not worth:
            break
        taken = worth[: max(1, int(len(worth) * share))]
        trial = reruns.run({*found.reruns, *(unit for gain in taken for unit in gain.units)})
        said = priced(trial.trace)
        if said is not None and said.bound_ns < best.bound_ns * (1 - 1e-6):
            found, best = trial, said
        elif len(taken) == 1:
            break
        else:
            share /= 3
    return found, best
