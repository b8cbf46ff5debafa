"""Cycles of a kernel on one near-data unit by elements, inputs, outputs and ops: a floor, and a stream of elements.

    cycles = factor(signature) * (floor + stream)
    floor  = start + start_input * inputs + start_op * ops

A kernel is *narrow* or *wide*, which `is_narrow` infers from the published measurements of NDPX; they do not state the
cause (perhaps the element type, or a reduction). The stream of elements takes, in cycles:

    narrow            elements * (narrow_store * outputs + narrow_load * inputs + narrow_op * ops)
    wide, one output  elements * max(store, load * inputs + op * ops + issue)
    wide, several     outputs * max(early_store * elements, late_store * (elements - absorbed))

A program that is not in its shortest form stores some values in a unit's own memory and loads them again: each of these
loads and stores takes `elements * scratch` cycles in addition to loads and ops, and each of these loads also adds
`start_input` to the floor. Whether the program is narrow or wide, and its factor, depend on the counts of its shortest
form, the form of the measured kernels: published kernels whose cycles are known before and after the removal of
redundant loads, stores and ops are narrow in both forms, or wide in both.

In a wide kernel with several outputs, buffers absorb the first `absorbed` elements of each output, so that small
kernels take only their floor. A signature is a kernel's (inputs, outputs, ops); its factor is the ratio of measured to
predicted cycles of its kernels, shrunk towards 1 if there are few of them, and 1 for a signature without measurements.
No parameter of the model is specific to a number of elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
MEASURED_SIMD, MEASURED_PACKET = 8, 32
"""The number of lanes of the measured unit, and the bytes of its packets."""
Signature: TypeAlias = tuple[int, int, int]
"""The numbers of inputs, outputs and ops of a kernel."""


class Kernels(NamedTuple):
    """Kernels as columns of numbers (elements, inputs, outputs, ops), each with one entry per kernel."""

    elements: Floats
    inputs: Floats
    outputs: Floats
    ops: Floats

    @classmethod
    def of(cls, kernels: Sequence[tuple[float, int, int, int]]) -> Kernels:
        """Kernels from (elements, inputs, outputs, ops)."""
        return cls(*np.array(kernels, dtype=float).T)

    @classmethod
    def one(cls, elements: float, inputs: int, outputs: int, ops: int) -> Kernels:
        """A single kernel."""
        return cls.of([(elements, inputs, outputs, ops)])

    def signatures(self) -> list[Signature]:
        """The signature of each kernel."""
        columns = (column.astype(int).tolist() for column in (self.inputs, self.outputs, self.ops))
        return list(zip(*columns, strict=True))


class Longer(NamedTuple):
    """Additional numbers of kernels that are not in their shortest form. `shortest`: the columns of the same kernels in
    their shortest form; `loads`, `stores`: the number of loads from and stores to a unit's own memory per element."""

    shortest: Kernels
    loads: Floats | float = 0.0
    stores: Floats | float = 0.0


class Counts(NamedTuple):
    """The numbers of a phase that the law uses. `inputs`, `outputs`: the number of loads from and stores to memory per
    element; `scratch_loads`, `scratch_stores`: those from and to a unit's own memory; `shortest`: inputs, outputs
    and ops after the removal of redundant loads, stores and computations, None if nothing is redundant."""

    elements: int
    inputs: int
    outputs: int
    ops: int
    scratch_loads: int = 0
    scratch_stores: int = 0
    shortest: Signature | None = None


def is_narrow(kernels: Kernels) -> NDArray[np.bool_]:
    """True for kernels that store about 8 elements per cycle instead of 22, as inferred from published measurements:
    kernels with one output and four ops; with one output, two inputs and two ops; with two outputs; and with three
    or more outputs and fewer than four ops per output."""
    _, inputs, outputs, ops = kernels
    one = (ops == 4) | ((inputs == 2) & (ops == 2))
    return np.where(outputs == 1, one, (outputs < 3) | (ops < 4 * outputs))


def _constant(start: float, unit: str, meaning: str, rows: bool = True) -> Any:
    """A constant with its start value for fits, close to the value given by the twelve numbers published with NDPX.
    `rows`: True if measured kernels determine it."""
    return field(default=start, metadata={"unit": unit, "meaning": meaning, "rows": rows})


@dataclass(frozen=True)
class Law:
    """The constants of the law, and the factors of signatures."""

    start: float = _constant(294, "cycles", "floor of a kernel")
    start_input: float = _constant(15, "cycles", "additional floor for each input")
    start_op: float = _constant(9, "cycles", "additional floor for each op")
    store: float = _constant(0.0453, "cycles/element", "storing the output of a wide kernel with one output")
    load: float = _constant(0.0052, "cycles/element", "loading an input of a wide kernel")
    op: float = _constant(0.0018, "cycles/element", "an op of a wide kernel")
    issue: float = _constant(0.0106, "cycles/element", "additional time of a wide kernel's loads and ops")
    late_store: float = _constant(0.0539, "cycles/element", "storing each output of a wide kernel with several")
    absorbed: float = _constant(2600, "elements", "first elements of each of its outputs, absorbed by buffers")
    early_store: float = _constant(0.007, "cycles/element", "storing these")
    narrow_store: float = _constant(0.1121, "cycles/element", "storing each output of a narrow kernel")
    narrow_load: float = _constant(0.0051, "cycles/element", "loading an input of a narrow kernel")
    narrow_op: float = _constant(0.0009, "cycles/element", "an op of a narrow kernel")
    scratch: float = _constant(0.0085, "cycles/element", "a load from or a store to a unit's own memory", rows=False)
    factors: Mapping[Signature, float] = field(default_factory=dict[Signature, float])
    origin: str = ""
    """The data on which the constants were fitted."""

    @staticmethod
    def constants() -> list[Field[Any]]:
        """The fields of the law's constants, with their units and meanings as metadata."""
        return [each for each in fields(Law) if each.metadata]

    @staticmethod
    def measured_constants() -> list[Field[Any]]:
        """The fields of constants that measured kernels determine."""
        return [each for each in Law.constants() if each.metadata["rows"]]

    @staticmethod
    def of(numbers: Iterable[float], origin: str = "") -> Law:
        """A law without factors, from the numbers of those constants that measured kernels determine, in the order of
        `measured_constants`; other constants keep their start values."""
        named = dict(zip((each.name for each in Law.measured_constants()), numbers, strict=True))
        return replace(Law(origin=origin), **named)

    @cached_property
    def plain(self) -> Law:
        """The law without factors."""
        return replace(self, factors={})

    def at(self, simd: int, packet_bytes: int) -> Law:
        """The law of a unit whose number of lanes and packet width differ from those of the measured unit: cycles of
        ops per element scale with the inverse of the number of lanes, cycles of loads and stores with the inverse of
        the packet width."""
        if (simd, packet_bytes) == (MEASURED_SIMD, MEASURED_PACKET):
            return self
        lanes, wires = MEASURED_SIMD / simd, MEASURED_PACKET / packet_bytes
        moved = ("store", "load", "late_store", "early_store", "narrow_store", "narrow_load")
        scaled = {name: getattr(self, name) * wires for name in moved}
        scaled |= {name: getattr(self, name) * lanes for name in ("op", "issue", "narrow_op", "scratch")}
        return replace(self, **scaled)

    def floor(self, kernels: Kernels, longer: Longer | None = None) -> Floats:
        """The part of each kernel's cycles that does not depend on the number of elements. `longer`: for kernels that
        are not in their shortest form."""
        longer = longer or Longer(kernels)
        return self._factor(longer.shortest) * self._floor(kernels, longer)

    def cycles(self, kernels: Kernels, longer: Longer | None = None) -> Floats:
        """Cycles of kernels. `longer`: for programs that are not in their shortest form."""
        longer = longer or Longer(kernels)
        return self._factor(longer.shortest) * (self._floor(kernels, longer) + self._stream(kernels, longer))

    def _floor(self, kernels: Kernels, longer: Longer) -> Floats:
        return self.start + self.start_input * (kernels.inputs + longer.loads) + self.start_op * kernels.ops

    def _stream(self, kernels: Kernels, longer: Longer) -> Floats:
        elements, inputs, outputs, ops = kernels
        kept = self.scratch * (longer.loads + longer.stores)
        narrow = elements * (self.narrow_store * outputs + self.narrow_load * inputs + self.narrow_op * ops + kept)
        issued = elements * (self.load * inputs + self.op * ops + self.issue + kept)
        one = np.maximum(self.store * elements, issued)
        late = self.late_store * (elements - self.absorbed)
        several = np.maximum(outputs * np.maximum(self.early_store * elements, late), issued * (kept > 0))
        return np.where(is_narrow(longer.shortest), narrow, np.where(outputs == 1, one, several))

    def _factor(self, kernels: Kernels) -> Floats:
        if not self.factors:
            return np.ones(len(kernels.elements))
        return np.array([self.factors.get(each, 1.0) for each in kernels.signatures()])
