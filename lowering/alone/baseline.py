"""Baselines, noted on functions for reports: time and energy with all ops on the primary device, and the flops that
each device runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp

from dialects.task import BaselineAttr
from interp.kinds.clock import Clock
from interp.simulate.schedule.what_if import Outcome
from lowering.graph.rewriting import set_attribute
from lowering.machine.digest import digest

ATTRIBUTE = BaselineAttr.name


@dataclass(frozen=True)
class Baseline:
    """Time and energy (idle power included) of the same program with all ops on the primary device: `ns` the time, `nj`
    the energy of chip components, `board_nj` the energy of whole boards; `fits`: True if the program fits the
    device's memory.

    `form`: the form of the program on the primary device (lowering/alone/forms.py); empty for the form that
    was read. `types`: the element types to which it might have been converted, in words. `flops`: the flops of the
    placed program, by device. The baseline is noted before bank programs are written, since the ops that a bank program
    implements can't be derived from it. `bound_ns`: a lower bound on the makespan of any plan, splits included; 0 if
    the planner gives none.
    """

    ns: float
    nj: float
    board_nj: float
    fits: bool = True
    form: str = ""
    flops: Mapping[str, int] = field(default_factory=dict[str, int])
    bound_ns: float = 0.0
    types: tuple[str, ...] = ()
    ends: Mapping[str, tuple[Outcome, Outcome]] = field(default_factory=dict[str, "tuple[Outcome, Outcome]"])
    """Time and energy at both ends of the range of each assumption on which they depend, by the names of its sheet and
    of the assumption: `a100.stream_efficiency`."""


def unpartitioned_clock(clock: Clock) -> Clock:
    """The clock of the machine with unpartitioned devices: with all memory channels that their sheets state."""
    whole = clock.machine.unpartitioned
    return clock if whole is clock.machine else Clock(whole, clock.programs)


def write_baseline(function: FuncOp, clock: Clock, baseline: Baseline) -> None:
    """Write a baseline onto a placed function, with a digest of the machine that it was computed for."""
    noted = BaselineAttr.of(
        baseline.ns,
        baseline.nj,
        baseline.board_nj,
        baseline.fits,
        baseline.flops,
        digest(clock.machine),
        baseline.bound_ns,
        baseline.form,
        {
            name: tuple(figure for end in ends for figure in (end.ns, end.nj, end.board_nj))
            for name, ends in baseline.ends.items()
        },
        baseline.types,
    )
    set_attribute(function, ATTRIBUTE, noted)


def read_baseline(function: FuncOp, clock: Clock) -> Baseline | None:
    """The baseline noted on a function; None if there is none or if it was computed for another machine."""
    noted = function.attributes.get(ATTRIBUTE)
    if not isinstance(noted, BaselineAttr) or noted.machine.data != digest(clock.machine):
        return None
    ns, nj, board, bound = (figure.value.data for figure in (noted.ns, noted.nj, noted.board, noted.bound))
    ends = {name: (Outcome(*six[:3]), Outcome(*six[3:])) for name, six in noted.figures_at_ends.items()}
    form, flops = noted.form.data, noted.flops_by_device
    return Baseline(ns, nj, board, bool(noted.fits.value.data), form, flops, bound, noted.conversions, ends)
