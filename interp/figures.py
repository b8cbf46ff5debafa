"""Numbers as text for people: times, sizes, energies and shares."""

from __future__ import annotations

from collections.abc import Sequence

from interp.units import digits, in_unit, scaled

BY_COMPONENT = "by component (operations, bytes, commands; idle power where a sheet states one)"
OF_BOARDS = "of whole boards (static power and losses included, as a meter shows)"
"""The labels of tables that compare energies: energy summed over components, or energy of whole boards."""


def time(ns: float) -> str:
    """A time as text: `500 ns`, `1.5 us`, `12.346 ms`; times below 1e-9 ns are `0 ns`."""
    return in_unit(ns if abs(ns) >= 1e-9 else 0.0, "ns")


def size(count: float) -> str:
    """Bytes as text: `512 B`, `1.536 kB`; with powers of ten, as bandwidths are counted."""
    return scaled(count, (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))) or f"{digits(count)} B"


def energy(nj: float) -> str:
    """An energy as text: `30 pJ`, `1.5 nJ`, `12.346 uJ`."""
    return scaled(nj, (("J", 1e9), ("mJ", 1e6), ("uJ", 1e3), ("nJ", 1.0))) or f"{digits(nj * 1e3)} pJ"


def percent(fraction: float) -> str:
    """A fraction as text: `97.5 %`."""
    return f"{fraction * 100:.1f} %"


def multiple(ratio: float) -> str:
    """A ratio as text: `1.50x`."""
    return f"{ratio:.2f}x"


def count(number: int, noun: str) -> str:
    """A number with its noun in singular or plural: `1 copy`, `3 copies`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def first_of(words: Sequence[str], most: int) -> str:
    """The first `most` words of a list, and the number of the others: `a, b and 3 more`."""
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")
