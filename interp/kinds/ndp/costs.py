"""The cost model of near-data units: each unit streams its shard of a kernel's elements, phase by phase, as fast as its
cycles and the memory behind all units permit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Protocol

from xdsl.ir import Attribute

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.ndp.plan import OUTPUTS, SPLIT, TOGETHER
from interp.cost.model import CostModel, OpVariant
from interp.kinds.ndp.files import law_of
from interp.kinds.ndp.law import Counts, Kernels, Law
from interp.kinds.ndp.phases import Phase, Phased, specified_outputs, why_not_streamed
from interp.machine.cost import Cost
from interp.machine.near_data import NearData


class Streamed(Protocol):
    """One phase of a kernel: the counts that the law of cycles takes, the bytes that all units load from memory and
    store to it, and the operations, over all elements."""

    @property
    def counts(self) -> Counts: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def flops(self) -> int: ...


class PhaseCycles(NamedTuple):
    """The cycles of one phase: its `floor`; then those in which the unit with the most elements streams them
    (`stream`), while the memory moves the bytes of all units (`memory`)."""

    floor: float
    stream: float
    memory: float

    @property
    def total(self) -> float:
        """The cycles of the phase."""
        return self.floor + max(self.stream, self.memory)


class NearDataCosts(CostModel):
    """Costs of element-wise ops, reductions and groups of them. A phase takes the law's floor, which is not divided by
    the number of units, and then the longer of two times: that of the law's stream for the largest shard of any unit,
    and that of moving the bytes of all units at the bandwidth of their memory. A kernel has one launch."""

    def __init__(self, device: NearData) -> None:
        self.device = device

    @cached_property
    def law(self) -> Law:
        return law_of(self.device).at(self.device.simd, self.device.packet_bytes)

    @property
    def description(self) -> str:
        return f"a law of near-data kernels ({self.law.origin})"

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> list[Cost | None]:
        return [None if why_not_streamed(op) else self._cost(op, specified_outputs(op) == SPLIT) for op in ops]

    def why_not(self, op: GraphOp | FusedOp) -> str | None:
        return why_not_streamed(op)

    def noted(self, op: GraphOp | FusedOp) -> Attribute | None:
        return specified_outputs(op)

    def ways(self, op: GraphOp | FusedOp) -> list[OpVariant]:
        if why_not_streamed(op):
            return []
        split, together = self._cost(op, True), self._cost(op, False)
        if not split.ns < together.ns:
            return []
        return [
            OpVariant(each.form.data, cost, {OUTPUTS: each}) for each, cost in ((SPLIT, split), (TOGETHER, together))
        ]

    def _cost(self, op: GraphOp | FusedOp, split: bool) -> Cost:
        """The cost of an op or group. `split`: each phase may be divided into one phase for each of its stores, where
        that is faster."""
        phased = Phased(op)
        phases = [[each] for each in phased.phases()]
        cost = self._launch(phases)
        for at, (phase,) in enumerate(phases if split else ()):
            if len(phase.stores) > 1:
                trial = [*phases[:at], phased.split_by_store(at), *phases[at + 1 :]]
                if (faster := self._launch(trial)).ns < cost.ns:
                    phases, cost = trial, faster
        return cost

    def _launch(self, phases: Sequence[Sequence[Phase]]) -> Cost:
        return self.launch(list(chain.from_iterable(phases)))

    def launch(self, phases: Sequence[Streamed]) -> Cost:
        """The cost of one launch of a program with these phases."""
        device, each_ns = self.device, 1e9 / self.device.clock_hz
        of_phases = self.cycles(phases)
        times = [each.total * each_ns for each in of_phases]
        ns, nbytes, flops = sum(times), sum(each.nbytes for each in phases), sum(each.flops for each in phases)
        energy = (flops * device.flop_pj + nbytes * device.byte_pj) / 1e3
        total = Cost(device.launch_ns + ns, energy, nbytes, flops, self._bound(of_phases, ns))
        if len(times) < 2:
            return total
        return replace(total, phases=(device.launch_ns + times[0], *times[1:]))

    def _bound(self, phases: Sequence[PhaseCycles], ns: float) -> str:
        """The part that takes most of a launch's time."""
        if self.device.launch_ns > ns:
            return "launch"
        parts = {
            "stream": sum(each.stream for each in phases if each.stream >= each.memory),
            "memory": sum(each.memory for each in phases if each.memory > each.stream),
            "floor": sum(each.floor for each in phases),
        }
        return max(parts, key=lambda part: parts[part])

    def cycles(self, phases: Sequence[Streamed]) -> list[PhaseCycles]:
        """The cycles of each phase that has elements. A phase that neither stores to memory nor reduces counts as
        having one output."""
        filled = [each for each in phases if each.counts.elements]
        if not filled:
            return []
        counts = [each.counts for each in filled]
        kernels = Kernels.of(
            [each._replace(elements=self.device.share(each.elements), outputs=max(each.outputs, 1)) for each in counts]
        )
        floors, streams = self.law.floor(kernels), self.law.stream(kernels)
        moved = [each.nbytes / self.device.bandwidth * self.device.clock_hz for each in filled]
        return [
            PhaseCycles(float(one), float(other), memory)
            for one, other, memory in zip(floors, streams, moved, strict=True)
        ]

    def parts(self, cost: Cost) -> Iterator[tuple[str, float, str]]:
        """The parts of an op's time: the launch, and the time of the units."""
        yield "launch", self.device.launch_ns, ""
        yield "units", cost.ns - self.device.launch_ns, f"{cost.bound}; {cost.flops:,} flops, {cost.bytes:,} bytes"
