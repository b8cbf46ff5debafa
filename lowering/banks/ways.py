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
from interp.kinds.pim.timing.variants.clock import kernel_times
from interp.machine.records import Pim
from interp.machine.variants import PimVariants, Reals
from lowering.banks.lanes.plan import LanePlan, plans_elementwise
from lowering.banks.plan import BankPlan
from lowering.banks.products.mapping import plan_of
from lowering.banks.products.plan import Contraction
from lowering.banks.products.search import kernel_for
from lowering.banks.templates import PimTemplates

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
    """The programs by which a device may run an op, timed for some of the variants."""

    def __init__(self, ways: Iterable[BankWay], some: PimVariants) -> None:
        self.ways = tuple({way.key: way for way in ways}.values())
        times, self.alone = _times(self.ways, some)
        every = np.array([ns for ns, _ in times])
        self.ns: Reals = every.min(axis=0)
        """(some of the variants) The time of the fastest program, ns."""
        near = [
            way for way, ns in zip(self.ways, every, strict=True) if ((ns <= self.ns * CLOSE) & np.isfinite(ns)).any()
        ]
        self.near = tuple(near) or self.ways
        """The programs that are the fastest for one of these variants, or nearly so."""

    def fastest(self, variants: PimVariants) -> FastestWays:
        """The fastest of the programs that are `near`, for each of all variants; of equally fast ones that of the least
        energy, then the first one."""
        times, alone = _times(self.near, variants)
        chosen = np.zeros(variants.count, np.intp)
        best, energy = times[0][0].copy(), times[0][1].copy()
        for number, (ns, nj) in enumerate(times):
            better = (ns < best) | ((ns == best) & (nj < energy))
            chosen[better] = number
            best, energy = np.where(better, ns, best), np.where(better, nj, energy)
        return FastestWays(best, energy, chosen, self.near, alone)


def _times(ways: Sequence[BankWay], variants: PimVariants) -> tuple[list[tuple[Reals, Reals]], int]:
    """The time and the energy of each program for each variant, infinite where it can't run; and how many were timed
    one by one."""
    found: list[tuple[Reals, Reals]] = []
    alone = 0
    with trusting_programs():
        for way in ways:
            try:
                times = kernel_times(way.kernel(), variants)
            except InputError:
                found.append((np.full(variants.count, np.inf), np.zeros(variants.count)))
                continue
            alone += len(times.alone)
            wrong = np.isnan(times.ns)
            if way.ends_early and variants.interval is not None:
                wrong |= times.cycles >= variants.interval
            found.append((np.where(wrong, np.inf, variants.pim.launch_ns + times.ns), times.launch_nj))
    return found, alone
