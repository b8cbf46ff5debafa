"""The cost model of each kind of device. A plugin registers one for its own: `@cost_model.register(MyDevice)`."""

from __future__ import annotations

from functools import singledispatch

from dialects.diagnostics import InputError
from interp.cost.model import CostModel, NoWork, ProgramSource
from interp.machine.device import Device
from interp.machine.memory import Memory
from interp.machine.near_data import NearData
from interp.machine.records import Gpu, Pim


@singledispatch
def cost_model(device: Device, programs: ProgramSource | None) -> CostModel:
    """The cost model of a device. `programs` writes its programs, for a kind that is timed by them; None: there are
    none. Raises InputError for a kind that has no model."""
    raise InputError(f"nothing says what ops take on a {device.kind}; register a cost model for it", device.file)


@cost_model.register(Gpu)
def _(device: Gpu, programs: ProgramSource | None) -> CostModel:
    if device.model == "roofline":
        from interp.cost.roofline import Roofline

        return Roofline(device)
    from interp.cost.gpu.kernel_clock import KernelClock  # with numpy: not for machines that need none

    return KernelClock(device)


@cost_model.register(Pim)
def _(device: Pim, programs: ProgramSource | None) -> CostModel:
    from interp.banks.costs import BankCosts

    return BankCosts(device, programs)


@cost_model.register(NearData)
def _(device: NearData, programs: ProgramSource | None) -> CostModel:
    from interp.cost.near_data.costs import NearDataCosts

    return NearDataCosts(device)


@cost_model.register(Memory)
def _(device: Memory, programs: ProgramSource | None) -> CostModel:
    return NoWork("holds values and runs nothing")
