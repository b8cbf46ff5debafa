"""What `place` notes on a function for readers: its time and energy with everything at home, and each device's
flops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from zlib import crc32

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, f64, i1, i64
from xdsl.dialects.func import FuncOp

from interp.clock import Clock
from lowering.placement import PlacementProblem, Places

ATTRIBUTE = "task.all_at_home"


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


def baseline_of(problem: PlacementProblem, places: Places) -> Baseline | None:
    """The baseline of a problem, and the flops of a placement; None where home can't run everything."""
    home = [problem.home] * len(problem.nodes)
    if any(problem.home not in node.choices for node in problem.nodes):
        return None
    ns = problem.makespan(home)
    work = sum(node.choices[problem.home].cost.energy_nj for node in problem.nodes)
    idle = sum(device.idle_w for device in problem.clock.machine.devices.values()) * ns  # 1 W for 1 ns is 1 nJ
    flops = dict.fromkeys(problem.devices, 0)
    for node, place in zip(problem.nodes, places, strict=True):
        for part in node.choices[place].parts:
            flops[part.device] += part.cost.flops
    return Baseline(ns, work + idle, not problem.overfull(home), flops)


def write_baseline(function: FuncOp, clock: Clock, baseline: Baseline) -> None:
    """Note a baseline on a placed function, with a mark of the machine that it holds for."""
    function.attributes[ATTRIBUTE] = DictionaryAttr(
        {
            "ns": FloatAttr(baseline.ns, f64),
            "nj": FloatAttr(baseline.nj, f64),
            "fits": IntegerAttr(int(baseline.fits), i1),
            "flops": DictionaryAttr({name: IntegerAttr(count, i64) for name, count in baseline.flops.items()}),
            "machine": IntegerAttr(_mark(clock), i64),
        }
    )


def read_baseline(function: FuncOp, clock: Clock) -> Baseline | None:
    """The baseline that stands on a function; None where there is none, or it was written for another machine."""
    noted = function.attributes.get(ATTRIBUTE)
    if not isinstance(noted, DictionaryAttr):
        return None
    match dict(noted.data):
        case {
            "ns": FloatAttr() as ns,
            "nj": FloatAttr() as nj,
            "fits": IntegerAttr() as fits,
            "flops": DictionaryAttr() as flops,
            "machine": IntegerAttr() as mark,
        } if mark.value.data == _mark(clock):
            counts = {name: count.value.data for name, count in flops.data.items() if isinstance(count, IntegerAttr)}
            return Baseline(ns.value.data, nj.value.data, bool(fits.value.data), counts)
        case _:
            return None


def _mark(clock: Clock) -> int:
    """Differs between machines that differ in any number."""
    machine = clock.machine
    return crc32(repr((dict(machine.devices), dict(machine.links))).encode())
