"""Addresses in traces, whose bits are divided into fields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndpir.traces.rolling import Ints


@dataclass(frozen=True)
class AddressField:
    """A bit field of an address, wide enough for `size` values."""

    name: str
    size: int

    @property
    def bits(self) -> int:
        return (self.size - 1).bit_length()


@dataclass(frozen=True)
class AddressLayout:
    """An address layout: its fields, the lowest first, above `low` unused bits."""

    low: int
    fields: tuple[AddressField, ...]

    def shift(self, name: str) -> int:
        shift = self.low
        for field in self.fields:
            if field.name == name:
                return shift
            shift += field.bits
        raise KeyError(name)

    @property
    def size(self) -> int:
        """The number of addresses, which is one more than the largest address."""
        *_, last = self.fields
        return last.size << self.shift(last.name)

    def part(self, name: str, addresses: Ints) -> Ints:
        """The values of the field `name` in an array of addresses."""
        bits = next(field.bits for field in self.fields if field.name == name)
        return addresses >> self.shift(name) & (1 << bits) - 1

    def address(self, **parts: Ints | int) -> Ints:
        """The addresses whose fields have these values; all other fields are 0."""
        total = np.zeros((), np.int64)
        for name, part in parts.items():
            total = total + (np.asarray(part, np.int64) << self.shift(name))
        return total

    def number(self, **parts: int) -> int:
        """The single address whose fields have these values; all other fields are 0."""
        return sum(part << self.shift(name) for name, part in parts.items())
