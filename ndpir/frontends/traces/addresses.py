"""Addresses of traces: fields of bits, and how an op keeps one that does not follow from what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from dialects.pim import ForOp, Linear
from dialects.pim.properties import values_of
from ndpir.frontends.traces.rolling import Ints

ADDRESS = "address"
"""An op's attribute: the address that its line names, where it is another one than follows from the op."""


@dataclass(frozen=True)
class Field:
    """Some bits of an address, enough for `size` numbers."""

    name: str
    size: int

    @property
    def bits(self) -> int:
        return (self.size - 1).bit_length()


@dataclass(frozen=True)
class Layout:
    """An address: its fields, the lowest first, above so many bits of no meaning."""

    low: int
    fields: tuple[Field, ...]

    def shift(self, name: str) -> int:
        shift = self.low
        for field in self.fields:
            if field.name == name:
                return shift
            shift += field.bits
        raise KeyError(name)

    @property
    def size(self) -> int:
        """The first number that is no address."""
        *_, last = self.fields
        return last.size << self.shift(last.name)

    def part(self, name: str, addresses: Ints) -> Ints:
        """A field of many addresses."""
        bits = next(field.bits for field in self.fields if field.name == name)
        return addresses >> self.shift(name) & (1 << bits) - 1

    def address(self, **parts: Ints | int) -> Ints:
        """The address whose fields are these, all others 0."""
        total = np.zeros((), np.int64)
        for name, part in parts.items():
            total = total + (np.asarray(part, np.int64) << self.shift(name))
        return total

    def number(self, **parts: int) -> int:
        """One address."""
        return sum(part << self.shift(name) for name, part in parts.items())


def addressed(address: Linear, loops: Sequence[SSAValue]) -> Attribute:
    """An address as an attribute: its constant, and its factor of each loop's variable, the outermost first."""
    factors = dict(address.terms)
    return DenseArrayBase.from_list(i64, [address.constant, *(factors.get(variable, 0) for variable in loops)])


def stated_address(op: Operation, values: Mapping[SSAValue, int], name: str = ADDRESS) -> int | None:
    """The address that an op states, where the variables of the loops around it have these values; None if it states
    none. `name`: of the attribute."""
    stated = op.attributes.get(name)
    if not isinstance(stated, DenseArrayBase):
        return None
    first, *factors = values_of(cast("DenseArrayBase[IntegerType]", stated))
    return first + sum(factor * values[variable] for factor, variable in zip(factors, loops_around(op), strict=False))


def loops_around(op: Operation) -> list[SSAValue]:
    """The variables of the loops around an op, the outermost first."""
    found: list[SSAValue] = []
    around = op.parent_op()
    while around is not None:
        if isinstance(around, ForOp):
            found.append(around.body.block.args[0])
        around = around.parent_op()
    return found[::-1]
