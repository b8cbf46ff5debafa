"""Plugin with a new kind of device: a fixed-function unit at a memory's channels; see README.md.

The unit supports a few ops, reads each operand once from the channels, has no caches, and computes at a fixed rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from dialects.graph import FusedOp, GraphOp, SoftmaxOp
from interp.cost.model import CostModel
from interp.kinds.models import cost_model
from interp.kinds.pim.program_source import ProgramSource
from interp.machine.cost import Cost
from interp.machine.device import Device
from interp.machine.sheets.fields import Field, Kind


@dataclass(frozen=True, kw_only=True, eq=False)
class FixedUnit(Device):
    """The fields of the unit's sheet, in addition to those of all devices."""

    memory: int
    bandwidth: float
    rate: float
    runs: tuple[str, ...]
    flop_pj: float
    byte_pj: float
    rest_w: float

    @property
    def memory_bytes(self) -> int:
        return self.memory

    @property
    def idle_w(self) -> float:
        return self.rest_w

    def values(self, op: Operation, operands: Sequence[NDArray[np.generic]]) -> list[NDArray[np.generic]] | None:
        """Compute the unit's softmax, which sums in f64 and rounds once. For any other op return None: its values are
        those of the op's own definition."""
        if not isinstance(op, SoftmaxOp) or len(operands) != 1:
            return None
        x = operands[0].astype(np.float64)
        axis = op.axis.value.data
        powers = np.exp(x - x.max(axis=axis, keepdims=True))
        return [(powers / powers.sum(axis=axis, keepdims=True)).astype(operands[0].dtype)]


class Streaming(CostModel):
    """A cost model: a launch time, plus the longer of the times of arithmetic and of memory traffic, without caches. A
    group of ops is one launch."""

    def __init__(self, unit: FixedUnit) -> None:
        self.unit = unit

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> list[Cost | None]:
        return [self._cost(op) if self._lacking(op) is None else None for op in ops]

    def why_not(self, op: GraphOp | FusedOp) -> str | None:
        lacking = self._lacking(op)
        return f"{lacking}: the unit supports only {', '.join(self.unit.runs)}" if lacking else None

    def _lacking(self, op: GraphOp | FusedOp) -> str | None:
        inner = op.ops if isinstance(op, FusedOp) else (op,)
        names = [each.name for each in inner if isinstance(each, GraphOp)]
        return next((name for name in names if name.removeprefix("graph.") not in self.unit.runs), None)

    def _cost(self, op: GraphOp | FusedOp) -> Cost:
        unit, work = self.unit, op.work()
        compute, traffic = work.flops / unit.rate * 1e9, work.bytes / unit.bandwidth * 1e9
        bound = "compute" if compute > traffic else "memory"
        energy = (work.flops * unit.flop_pj + work.bytes * unit.byte_pj) / 1e3
        return Cost(unit.launch_ns + max(compute, traffic), energy, work.bytes, work.flops, bound)


@cost_model.register(FixedUnit)
def _(device: FixedUnit, programs: ProgramSource | None) -> CostModel:
    return Streaming(device)


KINDS = {
    "fixed": Kind(
        FixedUnit,
        (
            Field("clock", "clock_hz", "Hz", "clock", "clock 1 GHz"),
            Field("memory", "memory", "B", "capacity", "memory 16 GB"),
            Field("channels", "channels", "", "memory channels that the unit occupies", "channels 8", 0),
            Field("bandwidth", "bandwidth", "B/s", "bandwidth inside the memory", "bandwidth 2 TB/s"),
            Field("arithmetic", "rate", "FLOP/s", "rate of arithmetic", "arithmetic 4 TFLOP/s"),
            Field("runs", "runs", "ops", "supported graph ops", "runs matmul, softmax"),
            Field("launch", "launch_ns", "ns", "time to start a kernel", "launch 500 ns", zero=True),
            Field("energy.flop", "flop_pj", "pJ/flop", "energy of an operation", "energy flop 0.5 pJ/flop", zero=True),
            Field("energy.byte", "byte_pj", "pJ/B", "energy of a byte", "energy byte 1 pJ/bit", zero=True),
            Field("idle", "rest_w", "W", "power at all times", "idle 1 W", 0.0, zero=True),
        ),
    )
}
SHEETS = "fixed_sheets"
