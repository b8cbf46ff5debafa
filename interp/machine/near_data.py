"""Near-data units: SIMD logic between a memory and the devices that use it (bump in the wire)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.machine.device import Device


@dataclass(frozen=True, kw_only=True, eq=False)
class NearData(Device):
    """Units that stream element-wise ops and reductions through SIMD lanes, each over its shard of a kernel's
    elements."""

    units: int
    simd: int
    """Elements that one instruction of a unit processes."""
    packet_bytes: int
    """Bytes that a unit loads or stores in one transfer."""
    memory: int
    """Capacity of the memory in bytes."""
    bandwidth: float
    """Bytes/s of the memory behind all units, which kernels and the copies from and to this memory share."""
    flop_pj: float
    """Energy of one operation, pJ."""
    byte_pj: float
    """Energy of one byte from or to memory, pJ."""
    rest_w: float = 0.0
    """Static power at all times, excluding the energy of the work, W."""

    @property
    def memory_bytes(self) -> int:
        return self.memory

    @property
    def copied_bandwidth(self) -> float:
        return self.bandwidth

    @property
    def idle_w(self) -> float:
        return self.rest_w

    @property
    def companions(self) -> Sequence[str]:
        return [f"{name}.law" for name in (self.name, *self.bases)]

    def share(self, elements: int) -> int:
        """The number of elements in the largest shard of any unit, if a kernel's `elements` are divided among the units
        in whole instructions."""
        return -(-elements // (self.units * self.simd)) * self.simd


def as_near_data(device: Device, name: str, at: Operation) -> NearData:
    """The device of this name as near-data units. Raises InputError at `at` if the device is no `NearData`."""
    if not isinstance(device, NearData):
        raise InputError(
            f"@{name} ({device.name}) has no near-data units to run an ndp.program; name a device of kind ndp", at
        )
    return device


def near_data_devices(devices: Mapping[str, Device]) -> dict[str, NearData]:
    """The devices that are near-data units, by name."""
    return {name: device for name, device in devices.items() if isinstance(device, NearData)}
