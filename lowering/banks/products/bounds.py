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
from lowering.banks.products.paths import cycles_on_path
from lowering.banks.products.traversal import written_for

Gaps: TypeAlias = tuple[int, ...]
"""The cycles of all timing constraints of a device, in the order of its sheet."""


class Timed(NamedTuple):
    """The cycles of a program under some timing constraints."""

    gaps: Gaps
    cycles: int


def least_cycles(mapping: Mapping, pim: Pim) -> int:
    """A lower bound on the cycles of a mapping's program, from a path through its commands and from its times under
    other constraints; 0 if none is known."""
    on_path = cycles_on_path(mapping, pim)
    if not _is_convex(pim):
        return on_path
    kind, gaps = _constraints_of(pim)
    known = _KNOWN.get((mapping, kind), ())
    bounds = [on_path, *(each.cycles for each in known if _are_no_smaller(gaps, each.gaps))]
    for one in known:
        for other in known:
            if one is not other and (ratio := _ratio(one.gaps, other.gaps, gaps)) is not None:
                times, parts = ratio  # the value of the line through both known times, rounded up
                bounds.append(other.cycles - times * (one.cycles - other.cycles) // parts)
    return max(bounds)


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


@lru_cache(maxsize=4096)
def _are_no_smaller(gaps: Gaps, others: Gaps) -> bool:
    """True if each constraint has at least as many cycles in `gaps` as in `others`."""
    return all(one >= other for one, other in zip(gaps, others, strict=True))


@lru_cache(maxsize=4096)
def _ratio(one: Gaps, other: Gaps, gaps: Gaps) -> tuple[int, int] | None:
    """If `gaps` is beyond `other`, seen from `one`, on the straight line through both: the distance from `other` to
    `gaps` divided by that from `one` to `other`, as numerator and denominator. Otherwise None."""
    steps = [after - before for before, after in zip(one, other, strict=True)]
    further = [after - before for before, after in zip(other, gaps, strict=True)]
    at = next(at for at, step in enumerate(steps) if step)
    times, parts = (further[at], steps[at]) if steps[at] > 0 else (-further[at], -steps[at])
    on_line = all(more * parts == step * times for more, step in zip(further, steps, strict=True))
    return (times, parts) if times > 0 and on_line else None


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
