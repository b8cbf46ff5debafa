"""What a program would take with everything at home: written down by `place`, so that a placed program can be compared
with it."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from interp.clock import Clock
from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, f64, i1, i64
from xdsl.dialects.func import FuncOp

from lowering.placement import PlacementProblem

ATTRIBUTE = "task.all_at_home"


@dataclass(frozen=True)
class Baseline:
    """Time and energy (idle power included) of the same program with everything at home, and whether its memory
    suffices for that."""

    ns: float
    nj: float
    fits: bool


def baseline_of(problem: PlacementProblem) -> Baseline | None:
    """The baseline of a placement problem; None where home can't run everything."""
    home = [problem.home] * len(problem.nodes)
    if any(problem.home not in node.choices for node in problem.nodes):
        return None
    ns = problem.makespan(home)
    work = sum(node.choices[problem.home].cost.energy_nj for node in problem.nodes)
    idle = sum(device.idle_w for device in problem.clock.machine.devices.values()) * ns  # 1 W for 1 ns is 1 nJ
    return Baseline(ns, work + idle, not problem.overfull(home))


def write_baseline(function: FuncOp, clock: Clock, baseline: Baseline) -> None:
    """Note a baseline on a placed function, with a mark of the machine that it holds for."""
    function.attributes[ATTRIBUTE] = DictionaryAttr(
        {
            "ns": FloatAttr(baseline.ns, f64),
            "nj": FloatAttr(baseline.nj, f64),
            "fits": IntegerAttr(int(baseline.fits), i1),
            "machine": IntegerAttr(_mark(clock), i64),
        }
    )


def read_baseline(function: FuncOp, clock: Clock) -> Baseline | None:
    """The baseline that stands on a function; None where there is none, or it was written for another machine."""
    match function.attributes.get(ATTRIBUTE):
        case DictionaryAttr(
            data={
                "ns": FloatAttr() as ns,
                "nj": FloatAttr() as nj,
                "fits": IntegerAttr() as fits,
                "machine": IntegerAttr() as mark,
            }
        ) if mark.value.data == _mark(clock):
            return Baseline(ns.value.data, nj.value.data, bool(fits.value.data))
        case _:
            return None


def _mark(clock: Clock) -> int:
    """Differs between machines that differ in any number."""
    machine = clock.machine
    return crc32(repr((dict(machine.devices), dict(machine.links))).encode())
