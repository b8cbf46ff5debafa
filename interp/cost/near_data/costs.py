"""The cost model of near-data units: each unit streams its shard of a kernel's elements, phase by phase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np
from xdsl.ir import Attribute

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.ndp.plan import OUTPUTS, SPLIT, TOGETHER
from interp.cost.model import CostModel, OpVariant
from interp.cost.near_data.files import law_of
from interp.cost.near_data.law import Counts, Kernels, Law, Longer
from interp.cost.near_data.phases import Phase, Phased, specified_outputs, why_not_streamed
from interp.cost.record import Cost
from interp.machine.near_data import NearData


class NearDataCosts(CostModel):
    """Costs of element-wise ops, reductions and groups of them. The time of a phase is the law's cycles for the largest
    shard of any unit: the floor is paid in full, not divided by the number of units. A kernel has one launch."""

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
        every = list(chain.from_iterable(phases))
        streams = [Counts(each.elements, len(each.loads), len(each.stores), each.ops) for each in every]
        return self.launch(streams, sum(each.nbytes for each in every), sum(each.flops for each in every))

    def launch(self, phases: Sequence[Counts], nbytes: int, flops: int) -> Cost:
        """The cost of one launch of a program with these phases, bytes moved and operations."""
        device = self.device
        of_phases, floor = self.cycles(phases)
        cycles = sum(of_phases)
        moving = nbytes / device.bandwidth * 1e9 if device.bandwidth else 0.0
        streaming = cycles / device.clock_hz * 1e9
        ns = max(moving, streaming)
        bound = "memory" if moving > streaming else "floor" if floor > cycles / 2 else "stream"
        bound = "launch" if device.launch_ns > ns else bound
        energy = (flops * device.flop_pj + nbytes * device.byte_pj) / 1e3
        total = Cost(device.launch_ns + ns, energy, nbytes, flops, bound)
        if len(of_phases) < 2:
            return total
        first, *others = (each * ns / cycles for each in of_phases)
        return replace(total, phases=(device.launch_ns + first, *others))

    def cycles(self, phases: Sequence[Counts]) -> tuple[list[float], float]:
        """The cycles of each phase that has elements, and the sum of the floors of these phases. A phase that stores
        nothing to memory, because a reduction keeps its result in the unit, counts as having one output."""
        filled = [each._replace(elements=self.device.share(each.elements)) for each in phases if each.elements]
        if not filled:
            return [], 0.0
        kernels = Kernels.of([(n, i, max(o, 1), p) for n, i, o, p, *_ in filled])
        forms = [(n, *(form or (i, o, p))) for n, i, o, p, _, _, form in filled]
        shortest = Kernels.of([(n, i, max(o, 1), p) for n, i, o, p in forms])
        loads, stores = (np.array(each, dtype=float) for each in zip(*(each[4:6] for each in filled), strict=True))
        longer = Longer(shortest, loads, stores)
        cycles = [float(each) for each in self.law.cycles(kernels, longer)]
        return cycles, float(self.law.floor(kernels, longer).sum())

    def parts(self, cost: Cost) -> Iterator[tuple[str, float, str]]:
        """The parts of an op's time: the launch, and the time of the units."""
        yield "launch", self.device.launch_ns, ""
        yield "units", cost.ns - self.device.launch_ns, f"{cost.bound}; {cost.flops:,} flops, {cost.bytes:,} bytes"
