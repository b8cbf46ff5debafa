"""The cost model of each kind of device. A plugin registers a cost model for its own kind:
`@cost_model.register(MyDevice)`."""

from __future__ import annotations

from functools import singledispatch

from dialects.diagnostics import InputError
from interp.cost.model import CostModel, NoWork
from interp.kinds.pim.program_source import ProgramSource
from interp.machine.device import Device
from interp.machine.memory import Memory
from interp.machine.near_data import NearData
from interp.machine.records import Gpu, Pim


@singledispatch
def cost_model(device: Device, programs: ProgramSource | None) -> CostModel:
    """The cost model of a device. `programs` generates the bank programs by which PIMs are timed; without it, PIMs run
    no graph ops. Raises InputError for a kind of device without a model."""
    raise InputError(
        f"a device of kind {device.kind} has no cost model; register one (interp/kinds/models.py)", device.file
    )


@cost_model.register(Gpu)
def _(device: Gpu, programs: ProgramSource | None) -> CostModel:
    if device.model == "roofline":
        from interp.kinds.gpu.roofline import Roofline

        return Roofline(device)
    from interp.kinds.gpu.kernel_clock import KernelClock

    return KernelClock(device)


@cost_model.register(Pim)
def _(device: Pim, programs: ProgramSource | None) -> CostModel:
    from interp.kinds.pim.costs import BankCosts

    return BankCosts(device, programs)


@cost_model.register(NearData)
def _(device: NearData, programs: ProgramSource | None) -> CostModel:
    from interp.kinds.ndp.costs import NearDataCosts

    return NearDataCosts(device)


@cost_model.register(Memory)
def _(device: Memory, programs: ProgramSource | None) -> CostModel:
    return NoWork("holds values and runs nothing")
