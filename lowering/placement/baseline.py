"""Baselines, noted on functions for reports: time and energy with all ops on the primary device, and the flops that
each device runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import lru_cache
from hashlib import blake2s
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dialects.task import BaselineAttr
from interp.cost.clock import Clock
from interp.cost.profile import Profile
from interp.machine.composition import Machine
from interp.machine.device import Device
from interp.machine.records import Link
from interp.schedule.planning import idle_energy
from interp.schedule.what_if import Outcome
from lowering.graph.rewriting import set_attribute
from lowering.placement.choice import Placement
from lowering.placement.of_program import PlacementProblem

ATTRIBUTE = BaselineAttr.name
WORDS = (
    *("name", "description", "sources", "places", "formulas", "unlimited", "file", "bases", "measures", "threads_used"),
    *("assumed", "unranged"),
)
"""Fields of a sheet that do not change times or energies, such as names, descriptions and sources."""


@dataclass(frozen=True)
class Baseline:
    """Time and energy (idle power included) of the same program with all ops on the primary device: `ns` the time, `nj`
    the energy of chip components, `board_nj` the energy of whole boards; `fits`: True if the program fits the
    device's memory.

    `element`: the element type that the primary device computes in, if the program was converted to it; empty if it was
    not. `flops`: the flops of the placed program, by device. The baseline is noted before bank programs are written,
    since the ops that a bank program implements can't be derived from it. `bound_ns`: a lower bound on the makespan of
    any plan, splits included; 0 if the planner gives none.
    """

    ns: float
    nj: float
    board_nj: float
    fits: bool = True
    element: str = ""
    flops: Mapping[str, int] = field(default_factory=dict[str, int])
    bound_ns: float = 0.0
    ends: Mapping[str, tuple[Outcome, Outcome]] = field(default_factory=dict[str, "tuple[Outcome, Outcome]"])
    """Time and energy at both ends of the range of each assumption of the primary device's sheet, by the assumption's
    name."""


def baseline_of(problem: PlacementProblem, clock: Clock | None = None) -> Baseline | None:
    """The baseline of a problem's program: unmodified, serial, on the primary device; None if the primary device can't
    run every op. Memory channels that a PIM occupies are given back to the primary device. `clock`: the clock of the
    whole machine, whose other devices are idle meanwhile; by default that of the problem."""
    primary = problem.on_primary()
    if primary is None:
        return None
    around = unpartitioned_clock(clock or problem.clock)
    alone = unpartitioned_clock(problem.clock)
    outcome = serial_outcome([node.op for node in problem.nodes], alone, around)
    fits = (
        problem.account(primary).needs()[problem.primary].total <= alone.machine.devices[problem.primary].memory_bytes
    )
    return Baseline(outcome.ns, outcome.nj, outcome.board_nj, fits)


def summed(parts: Sequence[tuple[Baseline | None, int]]) -> Baseline | None:
    """The sum of the baselines of subproblems that run serially, each multiplied by its count; None if any of them has
    no baseline. The sum has no `ends`."""
    known = [(baseline, iterations) for baseline, iterations in parts if baseline is not None]
    if len(known) < len(parts):
        return None
    flops: dict[str, int] = defaultdict(int)
    for baseline, iterations in known:
        for device, count in baseline.flops.items():
            flops[device] += count * iterations
    bounded = all(baseline.bound_ns for baseline, _ in known)
    return Baseline(
        sum(baseline.ns * iterations for baseline, iterations in known),
        sum(baseline.nj * iterations for baseline, iterations in known),
        sum(baseline.board_nj * iterations for baseline, iterations in known),
        all(baseline.fits for baseline, _ in known),
        flops=dict(flops),
        bound_ns=sum(baseline.bound_ns * iterations for baseline, iterations in known) if bounded else 0.0,
    )


def serial_outcome(
    ops: Sequence[Operation], alone: Clock, around: Clock, counts: Sequence[int] | None = None
) -> Outcome:
    """Time and energy of the primary device for ops that run serially, while the other devices of the machine of clock
    `around` are idle. `counts`: execution count of each op (None: 1 each). `alone`: a clock of the primary device
    alone."""
    counts = counts or [1] * len(ops)
    primary = alone.machine.primary
    alone.prepare(ops, primary)
    costs = [alone.op_cost(op, primary) for op in ops]
    ns = 0.0
    for cost, count in zip(costs, counts, strict=True):  # serial, as a timeline adds up
        ns += cost.ns * count
    devices = around.machine.devices
    idle = sum(device.idle_w for device in devices.values()) * ns  # 1 W for 1 ns is 1 nJ
    board = sum(cost.board_nj * count for cost, count in zip(costs, counts, strict=True))
    board += sum(idle_energy(around, name, ns, ns if name == primary else 0.0) for name in devices)
    work = sum(cost.energy_nj * count for cost, count in zip(costs, counts, strict=True))
    return Outcome(ns, work + idle, board)


def unpartitioned_clock(clock: Clock) -> Clock:
    """The clock of the machine with unpartitioned devices: with all memory channels that their sheets state."""
    whole = clock.machine.unpartitioned
    return clock if whole is clock.machine else Clock(whole, clock.programs)


def flops_of(placement: Placement, devices: Sequence[str]) -> dict[str, int]:
    """The flops that a placement assigns to each device, by the device's name."""
    flops = dict.fromkeys(devices, 0)
    for choice in placement:
        for part in choice.parts:
            flops[part.device] += part.cost.flops
    return flops


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
        baseline.element,
        {
            name: tuple(figure for end in ends for figure in (end.ns, end.nj, end.board_nj))
            for name, ends in baseline.ends.items()
        },
    )
    set_attribute(function, ATTRIBUTE, noted)


def read_baseline(function: FuncOp, clock: Clock) -> Baseline | None:
    """The baseline noted on a function; None if there is none or if it was computed for another machine."""
    noted = function.attributes.get(ATTRIBUTE)
    if not isinstance(noted, BaselineAttr) or noted.machine.data != digest(clock.machine):
        return None
    ns, nj, board, bound = (figure.value.data for figure in (noted.ns, noted.nj, noted.board, noted.bound))
    ends = {name: (Outcome(*six[:3]), Outcome(*six[3:])) for name, six in noted.figures_at_ends.items()}
    return Baseline(ns, nj, board, bool(noted.fits.value.data), noted.element.data, noted.flops_by_device, bound, ends)


def digest(machine: Machine) -> str:
    """Eight hexadecimal digits that differ between machines whose sheets state different numbers. Names, descriptions,
    sources, files and fields that are left at their defaults do not contribute, nor does the division of memory
    channels, which follows from sheets and links."""
    devices = [f"{name}: {_facts_of(record)}" for name, record in machine.unpartitioned.devices.items()]
    links = sorted(f"{ends}: {_facts_of(record)}" for ends, record in machine.links.items())
    return blake2s("\n".join([*devices, *links]).encode(), digest_size=4).hexdigest()


@lru_cache(maxsize=256)
def _facts_of(record: Device | Link) -> str:
    """The facts of a sheet's record as text."""
    return _facts(record)


def _facts(value: object) -> str:
    """A sheet, or a part of one, as text: the fields that differ from their defaults, ordered by name."""
    if isinstance(value, Profile):
        return value.digest
    if is_dataclass(value) and not isinstance(value, type):
        stated = {each.name: getattr(value, each.name) for each in fields(value) if each.name not in WORDS}
        usual = {each.name: each.default for each in fields(value) if each.default_factory is MISSING}
        return _facts({name: fact for name, fact in stated.items() if fact != usual.get(name, {})})
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value).items()
        return "{" + ", ".join(sorted(f"{name!r}: {_facts(fact)}" for name, fact in entries)) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_facts, cast("tuple[object, ...]", value))) + ")"
    return repr(value)
