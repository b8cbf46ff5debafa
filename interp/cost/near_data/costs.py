"""The cost model of near-data units: each unit streams its share of a kernel's elements, phase by phase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from interp.cost.model import CostModel
from interp.cost.near_data.files import law_of
from interp.cost.near_data.law import Floats, Kernels, Law
from interp.cost.near_data.phases import phases_of, why_not_streamed
from interp.cost.record import Cost
from interp.machine.near_data import NearData


class NearDataCosts(CostModel):
    """Costs of element-wise ops, reductions and groups of them. A phase takes what the law says of the largest share of
    its elements that a unit has, so its floor is not divided by the number of units; a kernel is launched once."""

    def __init__(self, device: NearData) -> None:
        self.device = device

    @cached_property
    def law(self) -> Law:
        return law_of(self.device).at(self.device.simd, self.device.packet_bytes)

    @property
    def description(self) -> str:
        return f"a law of near-data kernels ({self.law.origin})"

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> list[Cost | None]:
        return [None if why_not_streamed(op) else self._cost(op) for op in ops]

    def why_not(self, op: GraphOp | FusedOp) -> str | None:
        return why_not_streamed(op)

    def _cost(self, op: GraphOp | FusedOp) -> Cost:
        phases = phases_of(op)
        streams = [(each.elements, len(each.loads), len(each.stores), each.ops) for each in phases]
        return self.launch(streams, sum(each.nbytes for each in phases), sum(each.flops for each in phases))

    def launch(self, phases: Sequence[tuple[int, int, int, int]], nbytes: int, flops: int) -> Cost:
        """The cost of one launch of a program: its phases as (elements, inputs, outputs, ops), the bytes that it moves
        and the operations that it does."""
        device = self.device
        each, floor = self._cycles(phases)
        cycles = float(each.sum())
        moving = nbytes / device.bandwidth * 1e9 if device.bandwidth else 0.0
        streaming = cycles / device.clock_hz * 1e9
        ns = max(moving, streaming)
        bound = "memory" if moving > streaming else "floor" if floor > cycles / 2 else "stream"
        bound = "launch" if device.launch_ns > ns else bound
        energy = (flops * device.flop_pj + nbytes * device.byte_pj) / 1e3
        whole = Cost(device.launch_ns + ns, energy, nbytes, flops, bound)
        if len(each) < 2:
            return whole
        streams = (each * (ns / cycles)).tolist()
        return replace(whole, phases=(device.launch_ns + streams[0], *streams[1:]))

    def cycles(self, phases: Sequence[tuple[int, int, int, int]]) -> tuple[float, float]:
        """The cycles of phases one after the other, and those of their floors among them. A phase that stores nothing
        in memory, since a reduction leaves its result in the unit, counts as one of one output."""
        each, floor = self._cycles(phases)
        return float(each.sum()), floor

    def _cycles(self, phases: Sequence[tuple[int, int, int, int]]) -> tuple[Floats, float]:
        """The cycles of each phase that has elements, and those of all their floors."""
        filled = [(self.device.share(n), i, max(o, 1), p) for n, i, o, p in phases if n]
        if not filled:
            return np.zeros(0), 0.0
        kernels = Kernels.of(filled)
        return self.law.cycles(kernels), float(self.law.floor(kernels).sum())

    def parts(self, cost: Cost) -> Iterator[tuple[str, float, str]]:
        """The launch, and what the units take."""
        yield "launch", self.device.launch_ns, ""
        yield "units", cost.ns - self.device.launch_ns, f"{cost.bound}; {cost.flops:,} flops, {cost.bytes:,} bytes"
