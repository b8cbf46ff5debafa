"""The level `tile`, as the rooms above ask for it: kernels of thread blocks with their values and cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Operation

from dialects.tile import KernelOp, LaunchOp, memref_of
from interp.cost.record import Cost
from interp.machine.device import Device
from interp.program.level import Array, Level, Shaped


class Kernels(Level):
    """Kernels of thread blocks: `tile.kernel` and `tile.launch`."""

    PROGRAM = KernelOp
    LAUNCH = LaunchOp

    def inputs(self, program: Operation) -> Sequence[Shaped]:
        return [memref_of(value) for value in _kernel(program).inputs]

    def run(self, program: Operation, device: Device, operands: Sequence[Array]) -> list[Array]:
        from interp.tile.values import run_kernel

        return run_kernel(_kernel(program), operands)

    def cost(self, program: Operation, device: Device) -> Cost:
        raise NotImplementedError


LEVEL = Kernels()


def _kernel(program: Operation) -> KernelOp:
    return cast(KernelOp, program)
