"""The level `tile`, as the rooms above ask for it: kernels of thread blocks with their values and cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Operation

from dialects.tile import KernelOp, LaunchOp, memref_of
from interp.cost.record import Cost
from interp.machine.device import Device
from interp.machine.records import Gpu
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
        from interp.machine.multiprocessor import Multiprocessor
        from interp.tile.clock import constants_of, kernel_time

        unit = Multiprocessor.of(device, program)
        ns, grids = kernel_time(_kernel(program), unit, constants_of(unit))
        gpu = cast(Gpu, device)
        element = str(memref_of(_kernel(program).inputs[0]).element_type) if _kernel(program).inputs else "f32"
        flops = sum(each.flops for each in grids)
        moved = sum(each.traffic.missed + each.traffic.written for each in grids)
        cached = sum(each.traffic.read for each in grids)
        energy = (flops * gpu.flop_pj_of(element) + moved * gpu.byte_pj + cached * gpu.l2_byte_pj) / 1e3
        longest = max(grids, key=lambda each: each.ns)
        return Cost(ns, energy, round(moved), flops, longest.bound)

    def check_device(self, program: Operation, device: Device) -> None:
        from interp.machine.multiprocessor import Multiprocessor

        Multiprocessor.of(device, program)

    def steps(self, program: Operation) -> int:
        from interp.tile.races import steps

        return steps(_kernel(program))


LEVEL = Kernels()


def _kernel(program: Operation) -> KernelOp:
    return cast(KernelOp, program)
