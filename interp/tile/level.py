"""Interpreter of the level `tile`: values and cost of kernels of thread blocks, through the interface `Level`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr

from dialects.diagnostics import InputError
from dialects.tile import Access, AccessingOp, BufferOp, CopyOp, KernelOp, LaunchOp, memref_of
from dialects.tile.widths import bulk_problem
from interp.machine.cost import Cost
from interp.machine.device import Device
from interp.machine.records import Gpu
from interp.walk.level import Array, Level, Shaped


class Kernels(Level):
    """Level of kernels of thread blocks: `tile.kernel` and `tile.launch`."""

    PROGRAM = KernelOp
    LAUNCH = LaunchOp

    def inputs(self, program: Operation) -> Sequence[Shaped]:
        return [memref_of(value) for value in _kernel(program).inputs]

    def run(self, program: Operation, device: Device, operands: Sequence[Array]) -> list[Array]:
        from interp.tile.values import run_kernel

        return run_kernel(_kernel(program), operands)

    def cost(self, program: Operation, device: Device) -> Cost:
        from interp.kinds.gpu.multiprocessor import Multiprocessor
        from interp.tile.clock import kernel_time

        unit = Multiprocessor.of(device, program)
        ns, grids = kernel_time(_kernel(program), unit)
        gpu = cast(Gpu, device)
        element = str(memref_of(_kernel(program).inputs[0]).element_type) if _kernel(program).inputs else "f32"
        flops = sum(each.flops for each in grids)
        moved = sum(each.traffic.missed + each.traffic.written for each in grids)
        cached = sum(each.traffic.read for each in grids)
        energy = (flops * gpu.flop_pj_of(element) + moved * gpu.byte_pj + cached * gpu.l2_byte_pj) / 1e3
        longest = max(grids, key=lambda each: each.ns)
        busy = sum(each.ns for each in grids) * (_kernel(program).scale or 1.0)
        return Cost(
            ns, energy, round(moved), flops, longest.bound, _board_nj(gpu, element, flops, moved, cached, busy, ns)
        )

    def timed_by(self, program: Operation) -> str:
        scaled = _kernel(program).scale is not None
        return f"the model of thread blocks, {'scaled to the library' if scaled else 'from the sheet'}"

    def check_device(self, program: Operation, device: Device) -> None:
        from interp.kinds.gpu.multiprocessor import Multiprocessor

        unit = Multiprocessor.of(device, program)
        for op in program.walk():
            if isinstance(op, CopyOp) and op.bulk is not None:
                if not cast(Gpu, device).bulk_copies:
                    raise InputError(
                        f"tile.copy: {unit.name} has no unit for bulk copies (`bulk_copies` in its sheet); remove "
                        "`bulk`",
                        op,
                    )
                if problem := bulk_problem(op):
                    raise InputError(f"tile.copy: this copy can't be `bulk`: {problem}; or remove `bulk`", op)

    def unfinished(self, program: Operation) -> str:
        accesses = (each for op in program.walk() if isinstance(op, AccessingOp) for each in op.accesses)
        return "its pipelines are incomplete" if any(map(_is_half_pipelined, accesses)) else ""

    def steps(self, program: Operation) -> int:
        from interp.tile.races import steps

        return steps(_kernel(program))


LEVEL = Kernels()


def _board_nj(
    gpu: Gpu, element: str, flops: float, moved: float, cached: float, busy: float, ns: float
) -> float | None:
    """Return the energy of a GPU's board during a kernel, in nJ. `flops`: operations of elements of type `element`;
    `ns`: duration of the kernel; `busy`: duration of its grids, in ns; `moved`, `cached`: bytes to and from memory,
    and to and from the last-level cache. None for a GPU without a model of its board."""
    if gpu.model == "roofline":
        return None
    import numpy as np

    from interp.kinds.gpu.chip import Chip
    from interp.kinds.gpu.constants.known import constants_for
    from interp.kinds.gpu.power import BOARD, Activity, board_power

    does = Activity(*(np.array([number]) for number in (flops, moved, cached, busy)))
    power = board_power(does, Chip.of(gpu, element), constants_for(gpu, BOARD.name, BOARD.element).constants)
    return float(power.watts[0] * busy + power.idle_w[0] * (ns - busy))


def _is_half_pipelined(access: Access) -> bool:
    """Return True for an access to a buffer for which several stages are requested and not yet made, if a loop variable
    chooses the accessed slot. Until the last pipelining pass resets the request, no wait protects such a slot."""
    buffer = access.memory.owner
    if not isinstance(buffer, BufferOp) or buffer.rotating is None or buffer.requested_stages == 1:
        return False
    return not isinstance(access.box.starts[0], AffineConstantExpr)


def _kernel(program: Operation) -> KernelOp:
    return cast(KernelOp, program)
