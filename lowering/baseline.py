"""What `place` notes on a function for readers: its time and energy with everything at home, and each device's
flops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import blake2s
from typing import cast

from xdsl.dialects.func import FuncOp

from dialects.task import BaselineAttr
from interp.clock import Clock
from interp.machine import Machine
from interp.sheet import Gpu, Link, Pim
from lowering.choice import Placement
from lowering.placement import PlacementProblem

ATTRIBUTE = "task.baseline"


@dataclass(frozen=True)
class Baseline:
    """Time and energy (idle power included) of the same program with everything at home, and whether memory suffices
    for that.

    `flops`: by device, as placed. Bank programs say no more what they stand for, so it is noted before they are made.
    """

    ns: float
    nj: float
    fits: bool = True
    flops: Mapping[str, int] = field(default_factory=dict[str, int])


def baseline_of(problem: PlacementProblem, placement: Placement) -> Baseline | None:
    """The baseline of a problem, and the flops of a placement; None where home can't run everything."""
    home = [choice for node in problem.nodes if (choice := node.on(problem.home)) is not None]
    if len(home) < len(problem.nodes):
        return None
    ns = problem.makespan(home)
    work = sum(choice.cost.energy_nj for choice in home)
    idle = sum(device.idle_w for device in problem.clock.machine.devices.values()) * ns  # 1 W for 1 ns is 1 nJ
    flops = dict.fromkeys(problem.devices, 0)
    for choice in placement:
        for part in choice.parts:
            flops[part.device] += part.cost.flops
    return Baseline(ns, work + idle, not problem.overfull(home), flops)


def write_baseline(function: FuncOp, clock: Clock, baseline: Baseline) -> None:
    """Note a baseline on a placed function, with a mark of the machine that it holds for."""
    function.attributes[ATTRIBUTE] = BaselineAttr.of(
        baseline.ns, baseline.nj, baseline.fits, baseline.flops, digest(clock.machine)
    )


def read_baseline(function: FuncOp, clock: Clock) -> Baseline | None:
    """The baseline that stands on a function; None where there is none, or it was written for another machine."""
    noted = function.attributes.get(ATTRIBUTE)
    if not isinstance(noted, BaselineAttr) or noted.machine.data != digest(clock.machine):
        return None
    return Baseline(noted.ns.value.data, noted.nj.value.data, bool(noted.fits.value.data), noted.flops_by_device)


def digest(machine: Machine) -> str:
    """Eight digits that differ between machines that differ in any number, and do not depend on what else sheets say:
    names, descriptions, sources, files."""
    devices = [(name, _numbers(record)) for name, record in machine.devices.items()]
    links = sorted((ends, _numbers(record)) for ends, record in machine.links.items())
    return blake2s(repr((devices, links)).encode(), digest_size=4).hexdigest()


def _numbers(record: Gpu | Pim | Link) -> list[tuple[str, str]]:
    """A sheet's fields as text, without those that only say something."""
    found: list[tuple[str, str]] = []
    for each in fields(record):
        if each.name not in ("name", "description", "sources", "file"):
            value: object = getattr(record, each.name)
            if isinstance(value, Mapping):
                items = cast("Mapping[str, object]", value).items()
                value = sorted((key, repr(item)) for key, item in items)
            found.append((each.name, repr(value)))
    return found
