"""The programs by which a PIM may run an op, and the times of the fastest of them for many variants of the device at
once.

Each variant has its own fastest program. It is sought among the programs that the search of single devices weighs for
some of the variants (`ways_of`), all of which are timed for all variants.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, Operation

from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp
from dialects.pim import KernelOp
from interp.kinds.pim.checks.hazards import trusting_programs
from interp.kinds.pim.timing.clock import sound_time
from interp.kinds.pim.timing.variants.clock import kernel_times
from interp.machine.records import Pim
from interp.machine.variants import PimVariants, Reals
from lowering.banks.lanes.plan import LanePlan, plans_elementwise
from lowering.banks.plan import BankPlan
from lowering.banks.products.mapping import plan_of
from lowering.banks.products.plan import Contraction
from lowering.banks.products.search import kernel_for
from lowering.banks.templates import PimTemplates

LIKELY = 1.2
"""Ratio of times: a program is timed for many variants only if it is slower than the fastest one by at most this factor
on one of the probes (`Screened`)."""
FEWEST = 64
"""The number of variants below which programs are timed variant by variant. Programs of convolutions have loops that
few variants follow together: then the clock of one device is faster."""
TOGETHER = 8192
"""The largest number of variants for which a program is timed at once."""
CLOSE = 1.03
"""Ratio of times: a program is timed for all variants only if it is slower than the fastest one by at most this factor
for one of those variants for which all programs are timed (`Screened`)."""


class BankWay(NamedTuple):
    """A program by which a device may run an op. `key`: equal for equal programs; `note`: the `pim.plan` attribute that
    selects it on a task, None if there is no alternative; `ends_early`: True if it is correct only if it ends before
    the first refresh."""

    key: Hashable
    note: Attribute | None
    kernel: Callable[[], KernelOp]
    ends_early: bool = False


class FastestWays(NamedTuple):
    """The fastest program for each variant of a device: its time in ns and its energy in nJ with one launch, and its
    number among `ways`. `alone`: the number of variants and programs that were timed one by one."""

    ns: Reals
    energy_nj: Reals
    chosen: NDArray[np.intp]
    ways: tuple[BankWay, ...]
    alone: int


def ways_of(op: Operation, pim: Pim, templates: PimTemplates) -> Iterator[BankWay]:
    """The programs that are weighed for an op on a device; none if the device can't run it."""
    plan = templates.plan_for(op, pim)
    if isinstance(plan, str):
        return
    banks = pim.banks_alone
    if isinstance(plan, Contraction):
        for mapping in plan.likely:
            early = mapping.order == "row" and pim.forgets_rows
            yield BankWay(mapping, plan_of(mapping, banks), partial(kernel_for, mapping, banks), early)
    elif isinstance(plan, LanePlan) and isinstance(op, GraphOp | FusedOp):
        plans = plans_elementwise(op, pim, templates.is_weight)
        for each in plans if not isinstance(plans, str) else ():
            yield BankWay(each.mapping, each.note, partial(_kernel_of, each))
    else:
        yield BankWay(str(plan.kernel), plan.note, partial(_kernel_of, plan))


def _kernel_of(plan: BankPlan) -> KernelOp:
    return plan.kernel


class Screened:
    """The programs by which a device may run an op, timed for some of the variants. `probes`: records of the device,
    for which all programs are timed first; those that are much slower than another one on each of these are left
    out."""

    def __init__(self, ways: Iterable[BankWay], some: PimVariants, probes: Sequence[Pim]) -> None:
        self.ways = tuple({way.key: way for way in ways}.values())
        if len(self.ways) > 1:
            probed = np.array([[_time_on(way, pim) for pim in probes] for way in self.ways])
            self.ways = _near(self.ways, probed, LIKELY)
        every = np.array([_times(way, some).ns for way in self.ways])
        self.ns: Reals = every.min(axis=0)
        """(some of the variants) The time of the fastest program, ns."""
        self.near = _near(self.ways, every, CLOSE)
        """The programs that are the fastest for one of these variants, or nearly so."""

    def fastest(self, variants: PimVariants) -> FastestWays:
        """The fastest of the programs that are `near`, for each of all variants; of equally fast ones that of the least
        energy, then the first one."""
        chosen = np.zeros(variants.count, np.intp)
        best, energy, alone = np.full(variants.count, np.inf), np.full(variants.count, np.inf), 0
        for number, way in enumerate(self.near):
            times = _times(way, variants)
            better = (times.ns < best) | ((times.ns == best) & (times.nj < energy))
            chosen[better] = number
            best, energy = np.where(better, times.ns, best), np.where(better, times.nj, energy)
            alone += times.alone
        return FastestWays(best, energy, chosen, self.near, alone)


def _near(ways: Sequence[BankWay], ns: Reals, ratio: float) -> tuple[BankWay, ...]:
    """The programs that are slower than the fastest one by at most a factor for some variant. `ns`: (programs,
    variants); all programs, if none can run."""
    with np.errstate(invalid="ignore"):
        close = (ns <= ns.min(axis=0) * ratio) & np.isfinite(ns)
    return tuple(way for way, kept in zip(ways, close.tolist(), strict=True) if any(kept)) or tuple(ways)


class _Times(NamedTuple):
    """The time in ns and the energy in nJ of a program for each variant, without launches, infinite where it can't run;
    and how many were computed one by one."""

    ns: Reals
    nj: Reals
    alone: int


_KNOWN: dict[Hashable, _Times] = {}
"""The times of programs for variants that were used last. Sweeps whose variants also differ in something else (the GPU,
the time of a launch, sizes of other ops) ask for them again."""
KNOWN_BYTES = 1 << 28
"""The largest memory of `_KNOWN`."""


def _times(way: BankWay, variants: PimVariants) -> _Times:
    """The times of a program with launches."""
    key = way.key, way.ends_early, variants.banks_key
    times = _KNOWN.pop(key, None) or _timed(way, variants)
    _KNOWN[key] = times
    while len(_KNOWN) * 16 * variants.count > KNOWN_BYTES and len(_KNOWN) > 1:
        del _KNOWN[next(iter(_KNOWN))]
    return times._replace(ns=variants.pim.launch_ns + times.ns)


def _timed(way: BankWay, variants: PimVariants) -> _Times:
    parts = [
        _times_together(way, variants.at(slice(start, start + TOGETHER)))
        for start in range(0, variants.count, TOGETHER)
    ]
    if len(parts) == 1:
        return parts[0]
    ns, nj = np.concatenate([part.ns for part in parts]), np.concatenate([part.nj for part in parts])
    return _Times(ns, nj, sum(part.alone for part in parts))


def _times_together(way: BankWay, variants: PimVariants) -> _Times:
    try:
        with trusting_programs():
            times = kernel_times(way.kernel(), variants, FEWEST)
    except InputError:
        return _Times(np.full(variants.count, np.inf), np.full(variants.count, np.inf), 0)
    wrong = np.isnan(times.ns)
    if way.ends_early and variants.interval is not None:
        wrong |= times.cycles >= variants.interval
    ns = np.where(wrong, np.inf, times.ns)
    return _Times(ns, np.where(wrong, np.inf, times.launch_nj), len(times.alone))


def _time_on(way: BankWay, pim: Pim) -> float:
    """The time of a program on one device in ns; infinite if it can't run."""
    try:
        return sound_time(way.kernel(), pim).ns
    except InputError:
        return np.inf
