"""Units of data sheets: a table of their dimensions and scales, and the arithmetic on dimensions, which distinguishes
for instance nanoseconds from bytes per second."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

DIMENSIONS = ("s", "B", "J", "flop", "bank", "channel", "device")
"""The dimensions of numbers: seconds, bytes, joules, operations, addressed banks, memory channels, whole devices.
Counts and cycles are pure numbers."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """The dimension of a unit, as the exponents of the base dimensions in `DIMENSIONS`: that of a bandwidth is B^1
    s^-1."""

    exponents: tuple[int, ...] = (0,) * len(DIMENSIONS)

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(tuple(a + b for a, b in zip(self.exponents, other.exponents, strict=True)))

    def __truediv__(self, other: Dimension) -> Dimension:
        return Dimension(tuple(a - b for a, b in zip(self.exponents, other.exponents, strict=True)))

    def __str__(self) -> str:
        return _CALLED.get(self) or _spelt(self)


def _spelt(dimension: Dimension) -> str:
    powers = [(name, power) for name, power in zip(DIMENSIONS, dimension.exponents, strict=True) if power]
    return "a quantity in " + " ".join(name if power == 1 else f"{name}^{power}" for name, power in powers)


def _one(name: str) -> Dimension:
    return Dimension(tuple(int(each == name) for each in DIMENSIONS))


PURE = Dimension()
TIME = _one("s")
FREQUENCY = PURE / TIME
BYTES = _one("B")
ENERGY = _one("J")
WORK = _one("flop")
BANKS = _one("bank")
CHANNELS = _one("channel")
DEVICES = _one("device")
BANDWIDTH = BYTES / TIME
RATE = WORK / TIME
POWER = ENERGY / TIME
ENERGY_PER_BYTE = ENERGY / BYTES
ENERGY_PER_FLOP = ENERGY / WORK
ENERGY_PER_BANK = ENERGY / BANKS
POWER_PER_CHANNEL = POWER / CHANNELS
POWER_PER_DEVICE = POWER / DEVICES
BANDWIDTH_PER_CHANNEL = BANDWIDTH / CHANNELS

_CALLED = {
    PURE: "a pure number",
    TIME: "a time",
    FREQUENCY: "a frequency",
    BYTES: "an amount of memory",
    ENERGY: "an energy",
    WORK: "a number of operations",
    BANDWIDTH: "a bandwidth",
    RATE: "a rate of operations",
    POWER: "a power",
    ENERGY_PER_BYTE: "an energy a byte",
    ENERGY_PER_FLOP: "an energy an operation",
    ENERGY_PER_BANK: "an energy a bank",
    POWER_PER_CHANNEL: "a power a channel",
    POWER_PER_DEVICE: "a power of a whole device",
    BANDWIDTH_PER_CHANNEL: "a bandwidth a channel",
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its dimension, and the factor by which a number in this unit is multiplied to convert it to base
    units."""

    dimension: Dimension
    scale: Fraction


_METRIC = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_SMALL = {"": 1, "m": 10**-3, "u": 10**-6, "n": 10**-9, "p": 10**-12, "f": 10**-15}


def _all_units() -> dict[str, Unit]:
    units = {name: Unit(PURE, Fraction(1)) for name in ("cycle", "cycles", "column", "columns")}

    def add(name: str, dimension: Dimension, scale: Fraction | int) -> None:
        units[name] = Unit(dimension, Fraction(scale))

    for prefix, scale in _SMALL.items():
        exact = Fraction(str(scale))
        add(f"{prefix}s", TIME, exact)
        add(f"{prefix}J", ENERGY, exact)
        add(f"{prefix}W", POWER, exact)
        add(f"{prefix}W/channel", POWER_PER_CHANNEL, exact)
        add(f"{prefix}W/device", POWER_PER_DEVICE, exact)
        add(f"{prefix}J/B", ENERGY_PER_BYTE, exact)
        add(f"{prefix}J/bit", ENERGY_PER_BYTE, exact * 8)
        add(f"{prefix}J/bank", ENERGY_PER_BANK, exact)
        for operation in ("flop", "op"):
            add(f"{prefix}J/{operation}", ENERGY_PER_FLOP, exact)
    for prefix, scale in {**_METRIC, **_BINARY}.items():
        for name, width in (("B", Fraction(1)), ("bit", Fraction(1, 8))):
            add(f"{prefix}{name}", BYTES, scale * width)
            add(f"{prefix}{name}/s", BANDWIDTH, scale * width)
            add(f"{prefix}{name}/s/channel", BANDWIDTH_PER_CHANNEL, scale * width)
    for prefix, scale in _METRIC.items():
        add(f"{prefix}Hz", FREQUENCY, scale)
        for operation in ("FLOP", "OP"):
            add(f"{prefix}{operation}/s", RATE, scale)
    add("kW", POWER, 1000)
    return units


UNITS: dict[str, Unit] = _all_units()
"""All units by their names in sheets: `ns`, `MHz`, `GB/s`, `GiB`, `TFLOP/s`, `pJ/bit`, …"""


def in_unit(value: float, unit: str) -> str:
    """A number in `unit` as text, with the prefix (k, M, …) that leaves 1 to 999 before the decimal point."""
    if unit.endswith("s") and unit in UNITS and UNITS[unit].dimension == PURE and value == 1:
        return f"1 {unit[:-1]}"
    return scaled(value, _prefixed(value, unit)) or f"{digits(value)} {unit}".rstrip()


def scaled(value: float, units: Iterable[tuple[str, float]]) -> str:
    """A number in the first of some units, each with its name and size, of which it has at least one; an empty text if
    it is less than all of them."""
    for name, scale in units:
        if abs(value) >= scale:
            return f"{digits(value / scale)} {name}"
    return ""


def _prefixed(value: float, unit: str) -> tuple[tuple[str, float], ...]:
    match unit:
        case "ns":
            return _TIMES
        case "B":  # 512 MiB is shown in powers of two, 40 GB is not
            return _BINARY_BYTES if value % (1 << 20 if value >= 1 << 20 else 1 << 10) == 0 else _with_prefixes("B")
        case "Hz" | "B/s" | "FLOP/s" | "B/s/channel":
            return _with_prefixes(unit)
        case "W/channel":
            return (("W/channel", 1.0), ("mW/channel", 1e-3))
        case _:
            return ()


def digits(value: float) -> str:
    """A number as text: a whole number below 10^9 in full, any other number with five significant digits."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e9 else f"{value:.5g}"


def _with_prefixes(unit: str) -> tuple[tuple[str, float], ...]:
    return tuple((f"{prefix}{unit}", float(scale)) for prefix, scale in reversed(_METRIC.items()))


_TIMES = (("s", 1e9), ("ms", 1e6), ("us", 1e3))
_BINARY_BYTES = tuple((f"{prefix}B", float(scale)) for prefix, scale in reversed(_BINARY.items()))
