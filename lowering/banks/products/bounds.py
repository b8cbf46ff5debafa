"""Lower bounds on the times of bank programs, from the times of the same programs under other timing constraints.

On a device that issues commands in program order and without refreshes, a command issues at the maximum, over the
constraints on it, of an earlier command's cycle plus a number of cycles. The cycles of a program are therefore the
length of the longest path in a graph: a convex function of all numbers of cycles in the constraints, which increases
with each of them. Between two known times the function lies below their chord, and beyond them above it.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from interp.machine.records import Pim
from lowering.banks.products.mapping import Mapping
from lowering.banks.products.traversal import written_for

Gaps: TypeAlias = tuple[int, ...]
"""The cycles of all timing constraints of a device, in the order of its sheet."""


class Timed(NamedTuple):
    """The cycles of a program under some timing constraints."""

    gaps: Gaps
    cycles: int


def least_cycles(mapping: Mapping, pim: Pim) -> int:
    """A lower bound on the cycles of a mapping's program; 0 if its time under other constraints is unknown."""
    if not _is_convex(pim):
        return 0
    kind, gaps = _constraints_of(pim)
    known = _KNOWN.get((mapping, kind), ())
    bounds = [each.cycles for each in known if all(map(int.__ge__, gaps, each.gaps))]
    bounds += [_extrapolated(one, other, gaps) for one in known for other in known if one is not other]
    return max(bounds, default=0)


def note_cycles(mapping: Mapping, pim: Pim, cycles: int) -> None:
    """Record the cycles of a mapping's program on a device, for bounds under other constraints."""
    if not _is_convex(pim):
        return
    if len(_KNOWN) > MOST_KNOWN:
        _KNOWN.clear()
    kind, gaps = _constraints_of(pim)
    others = [each for each in _KNOWN.get((mapping, kind), ()) if each.gaps != gaps]
    _KNOWN[mapping, kind] = (*others, Timed(gaps, cycles))[-2:]


def forget() -> None:
    """Forget all recorded times."""
    _KNOWN.clear()


def _extrapolated(one: Timed, other: Timed, gaps: Gaps) -> int:
    """The value at `gaps` of the line through two known times, rounded up; 0 unless `gaps` is beyond `other`, seen from
    `one`, on the straight line through the constraints of both."""
    steps = [after - before for before, after in zip(one.gaps, other.gaps, strict=True)]
    further = [after - before for before, after in zip(other.gaps, gaps, strict=True)]
    at = next(at for at, step in enumerate(steps) if step)
    times, parts = (further[at], steps[at]) if steps[at] > 0 else (-further[at], -steps[at])
    if times <= 0 or any(more * parts != step * times for more, step in zip(further, steps, strict=True)):
        return 0
    return other.cycles - times * (one.cycles - other.cycles) // parts


def _is_convex(pim: Pim) -> bool:
    """True if the order of a device's commands does not depend on their times: there are no refreshes, no reordering,
    and no synchronisations of the data clock, which are issued after idle cycles."""
    return pim.refresh is None and pim.scheduler is None and not pim.sync


@lru_cache(maxsize=256)
def _constraints_of(pim: Pim) -> tuple[Hashable, Gaps]:
    """All properties of a device except the cycles of its constraints, and these cycles. Devices with equal properties
    run equal programs."""
    kinds = tuple(
        (each.level, each.before, each.after, each.relation, each.before_scope, each.after_scope, each.nth)
        for each in pim.constraints
    )
    return (written_for(pim), kinds), (*(each.cycles for each in pim.constraints), pim.end_cycles)


_KNOWN: dict[tuple[Mapping, Hashable], tuple[Timed, ...]] = {}
"""The two latest times of each mapping on devices that differ only in the cycles of their constraints."""
MOST_KNOWN = 1 << 16
"""The number of mappings with known times above which all of them are forgotten."""
