"""Copies of layers outside of any program, so that the shards of equal layers are made once for all programs and
machines."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from xdsl.ir import Operation

from lowering.partition.pimflow.space import Convolution, convolution_of
from lowering.partition.plans.part_costs import KeptParts
from lowering.partition.plans.regions import excerpt

MOST_TWINS = 1024
"""The number of copies of layers above which all of them are dropped."""


class Twins:
    """Copies of layers, by the layers' signatures, and the parts of these copies."""

    def __init__(self) -> None:
        self.parts = KeptParts()
        self._known: dict[Hashable, tuple[Convolution, ...]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, key: Hashable, layers: Sequence[Convolution], early: Collection[Operation]) -> tuple[Convolution, ...]:
        """The copies of some layers; `key`: their signature. `early`: the ops computed ahead of time."""
        noted = (key, *(tuple(layer.op.attributes.items()) for layer in layers))
        if noted not in self._known:
            made = excerpt([layer.op for layer in layers], early).twins
            found = [convolution_of(made[layer.op]) for layer in layers]
            self._known[noted] = tuple(layer for layer in found if layer is not None)
            self.parts.facts.update({layer.op: {} for layer in self._known[noted]})
        return self._known[noted]


_TWINS = [Twins()]


def twins() -> Twins:
    """The copies that this process keeps."""
    if len(_TWINS[0]) > MOST_TWINS:
        _TWINS[0] = Twins()
    return _TWINS[0]
