"""Cycles of a kernel on one near-data unit by elements, loads, stores, reductions and ops: a floor, and a stream of
elements.

    cycles = floor + stream
    floor  = start + start_input * inputs + start_op * ops

A kernel's outputs are the values that it stores and the results that it reduces. In a kernel that reduces nothing, a
unit loads and computes while it stores, so that the slower of the two counts; a reduction is an accumulation that
nothing overlaps. The stream of elements takes, in cycles:

    no reductions   max(stores, issued)
      stores        elements * store                    one output and at most `SHORT` loads, stores and ops per element
                    elements * late_store               one output, and more of these
                    outputs * max(early_store * elements, late_store * (elements - absorbed))        several outputs
      issued        elements * (load * inputs + op * ops + issue + kept)
    reductions      elements * (reduce * reductions + reduce_store * (outputs - reductions) + reduce_load * inputs
                                + reduce_op * ops + kept)
      kept          scratch * (loads from and stores to the unit's own memory)

In a kernel with several outputs, buffers absorb the first `absorbed` elements of each, so that small kernels take only
their floor. Each load from a unit's own memory also adds `start_input` to the floor. No parameter of the law is
specific to a number of elements, or to one combination of counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
MEASURED_SIMD, MEASURED_PACKET = 8, 32
"""The number of lanes of the measured unit, and the bytes of its packets."""
SHORT = 4
"""The largest number of loads, stores and ops per element of a kernel that stores its only output at the full rate; the
measured kernels do not show why longer ones store more slowly."""


class Counts(NamedTuple):
    """The numbers of a phase that the law uses. `inputs`: the loads from memory per element; `outputs`: the stores to
    memory and the reductions per element; `reductions`: those of the outputs that are reduced; `scratch_loads`,
    `scratch_stores`: the loads from and stores to a unit's own memory."""

    elements: int
    inputs: int
    outputs: int
    ops: int
    reductions: int = 0
    scratch_loads: int = 0
    scratch_stores: int = 0


class Kernels(NamedTuple):
    """Kernels as columns of numbers, the fields of `Counts`, each with one entry per kernel. In measurements that do
    not state the number of reductions, it is nan."""

    elements: Floats
    inputs: Floats
    outputs: Floats
    ops: Floats
    reductions: Floats
    scratch_loads: Floats | float = 0.0
    scratch_stores: Floats | float = 0.0

    @classmethod
    def of(cls, kernels: Sequence[Counts]) -> Kernels:
        """Kernels from their counts."""
        return cls(*np.array(kernels, dtype=float).T)


def _constant(start: float, unit: str, meaning: str, rows: bool = True) -> Any:
    """A constant with its start value for fits. `rows`: True if kernels without scratch accesses determine it."""
    return field(default=start, metadata={"unit": unit, "meaning": meaning, "rows": rows})


@dataclass(frozen=True)
class Law:
    """The constants of the law."""

    start: float = _constant(294, "cycles", "floor of a kernel")
    start_input: float = _constant(15, "cycles", "additional floor for each input")
    start_op: float = _constant(9, "cycles", "additional floor for each op")
    store: float = _constant(0.0453, "cycles/element", "storing the output of a short kernel with one output")
    load: float = _constant(0.0052, "cycles/element", "loading an input")
    op: float = _constant(0.0018, "cycles/element", "an op")
    issue: float = _constant(0.0106, "cycles/element", "additional time of a kernel's loads and ops")
    late_store: float = _constant(0.0539, "cycles/element", "storing an output of any other kernel")
    absorbed: float = _constant(2600, "elements", "first elements of each of several outputs, absorbed by buffers")
    early_store: float = _constant(0.007, "cycles/element", "storing these")
    reduce: float = _constant(0.1121, "cycles/element", "a reduction")
    reduce_store: float = _constant(0.0165, "cycles/element", "storing another output of a kernel that reduces")
    reduce_load: float = _constant(0.0051, "cycles/element", "loading an input of a kernel that reduces")
    reduce_op: float = _constant(0.0009, "cycles/element", "an op of a kernel that reduces")
    scratch: float = _constant(0.0085, "cycles/element", "a load from or a store to a unit's own memory", rows=False)
    origin: str = ""
    """The data on which the constants were fitted."""

    @staticmethod
    def constants() -> list[Field[Any]]:
        """The fields of the law's constants, with their units and meanings as metadata."""
        return [each for each in fields(Law) if each.metadata]

    @staticmethod
    def measured_constants() -> list[Field[Any]]:
        """The fields of constants that kernels without scratch accesses determine."""
        return [each for each in Law.constants() if each.metadata["rows"]]

    @staticmethod
    def of(numbers: Iterable[float], origin: str = "") -> Law:
        """A law from the numbers of its `measured_constants`, in their order; other constants keep their start
        values."""
        named = dict(zip((each.name for each in Law.measured_constants()), numbers, strict=True))
        return replace(Law(origin=origin), **named)

    def at(self, simd: int, packet_bytes: int) -> Law:
        """The law of a unit whose number of lanes and packet width differ from those of the measured unit: cycles of
        ops and reductions per element scale with the inverse of the number of lanes, cycles of loads and stores with
        the inverse of the packet width."""
        if (simd, packet_bytes) == (MEASURED_SIMD, MEASURED_PACKET):
            return self
        lanes, wires = MEASURED_SIMD / simd, MEASURED_PACKET / packet_bytes
        moved = ("store", "load", "late_store", "early_store", "reduce_store", "reduce_load")
        scaled = {name: getattr(self, name) * wires for name in moved}
        scaled |= {name: getattr(self, name) * lanes for name in ("op", "issue", "reduce", "reduce_op", "scratch")}
        return replace(self, **scaled)

    def floor(self, kernels: Kernels) -> Floats:
        """The part of each kernel's cycles that does not depend on the number of elements."""
        return self.start + self.start_input * (kernels.inputs + kernels.scratch_loads) + self.start_op * kernels.ops

    def stream(self, kernels: Kernels) -> Floats:
        """The part of each kernel's cycles that grows with the number of elements."""
        elements, inputs, outputs, ops, reductions, loads, stores = kernels
        kept = self.scratch * (loads + stores)
        short = (outputs == 1) & (inputs + outputs + ops + loads + stores <= SHORT)
        one = np.where(short, self.store, self.late_store) * elements
        late = self.late_store * (elements - self.absorbed)
        stored = np.where(outputs == 1, one, outputs * np.maximum(self.early_store * elements, late))
        issued = elements * (self.load * inputs + self.op * ops + self.issue + kept)
        reduced = self.reduce * reductions + self.reduce_store * (outputs - reductions)
        reducing = elements * (reduced + self.reduce_load * inputs + self.reduce_op * ops + kept)
        return np.where(reductions > 0, reducing, np.maximum(stored, issued))

    def cycles(self, kernels: Kernels) -> Floats:
        """Cycles of kernels."""
        return self.floor(kernels) + self.stream(kernels)
