"""A clock with times from a table, so that tests can choose the costs that placement uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from dialects.graph import FusedOp, GraphOp
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.cost import NOTHING, Cost
from interp.machine.records import Arbitration, Gpu, Link
from interp.walk.views import is_view


def device(name: str, memory_bytes: int = 1 << 40) -> Gpu:
    """A device for tests that use only its name, its memory and its idle power of 1 W."""
    return Gpu(
        name=name,
        kind="gpu",
        description="a device of the tests",
        clock_hz=1e9,
        units=1,
        rates={"f32": 1e9},
        matrix_rates={},
        memory=memory_bytes,
        bandwidth=1e9,
        launch_ns=0.0,
        flop_pj=0.0,
        byte_pj=0.0,
        rest_w=1.0,
    )


def link(duplex: bool = True, arbitration: Arbitration = "separate") -> Link:
    """A link with a latency of 10 ns that takes 1 ns per byte."""
    return Link(
        name="wire",
        kind="link",
        description="a link of the tests",
        bandwidth=1e9,
        latency_ns=10.0,
        byte_pj=1.0,
        duplex=duplex,
        arbitration=arbitration,
    )


def machine(
    *names: str,
    duplex: bool = True,
    memory_bytes: Mapping[str, int] | None = None,
    arbitrations: Sequence[Arbitration] = (),
) -> Machine:
    """A machine of devices with these names, the first one primary, and a link from it to each of the others."""
    sizes = memory_bytes or {}
    devices = {name: device(f"sheet of {name}", sizes.get(name, 1 << 40)) for name in names}
    apart: tuple[Arbitration, ...] = ("separate",) * (len(names) - 1)
    ways = zip(names[1:], arbitrations or apart, strict=True)
    return Machine(devices, {(names[0], other): link(duplex, each) for other, each in ways})


Times = Mapping[str, Mapping[str, float]]
"""Times in ns by op name, then by device."""


class TableClock(Clock):
    """A clock with times by op name and device. An op can run only on the devices in its row of the table; a fused
    group takes the sum of its ops' times."""

    def __init__(self, machine: Machine, times: Times) -> None:
        super().__init__(machine)
        self.times = times

    def supports(self, op: Operation, device: str) -> bool:
        inner = op.ops if isinstance(op, FusedOp) else (op,)
        return all(is_view(each) or device in self.times.get(self.name_of(each), {}) for each in inner)

    def op_cost(self, op: Operation, device: str) -> Cost:
        if is_view(op):
            return NOTHING
        assert isinstance(op, GraphOp | FusedOp)
        inner = op.ops if isinstance(op, FusedOp) else (op,)
        work = op.work()
        ns = sum(self.times[self.name_of(each)][device] for each in inner if not is_view(each))
        return Cost(ns, ns, work.bytes, work.flops, "table")

    @staticmethod
    def name_of(op: Operation) -> str:
        """The name of an op in the table: `matmul`, or `matmul+bias` if it has a bias."""
        has_bias = getattr(op, "bias", None) is not None
        return op.name.removeprefix("graph.") + ("+bias" if has_bias else "")
