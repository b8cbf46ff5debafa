"""The level `pim`, the interface of this package to the packages that use it: values, cost, memory and hazards of bank
programs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from typing import cast

from xdsl.ir import Block, Operation

from dialects.pim import CommandOp, ForOp, KernelOp, LaunchOp, memref_of
from dialects.pim.loops import range_of
from interp.machine.cost import Cost
from interp.machine.device import Device
from interp.machine.records import Pim, with_banks
from interp.machine.variants import PimVariants, VariedCosts
from interp.walk.level import Array, Level, Shaped, device_of


class BankLevel(Level):
    """Bank programs: `pim.kernel` and `pim.launch`."""

    PROGRAM = KernelOp
    LAUNCH = LaunchOp

    def inputs(self, program: Operation) -> Sequence[Shaped]:
        return [memref_of(value) for value in _kernel(program).inputs]

    def run(self, program: Operation, device: Device, operands: Sequence[Array]) -> list[Array]:
        from interp.kinds.pim.values.run import run_kernel

        return run_kernel(_kernel(program), _pim(device), operands)

    def cost(self, program: Operation, device: Device) -> Cost:
        from interp.kinds.pim.timing.clock import kernel_time, launch_cost, memref_bytes

        kernel, pim = _kernel(program), _pim(device)
        return launch_cost(kernel_time(kernel, pim), memref_bytes(kernel), pim)

    def varied_costs(self, program: Operation, variants: PimVariants) -> VariedCosts:
        from interp.kinds.pim.timing.variants.clock import kernel_times

        times = kernel_times(_kernel(program), variants)
        return VariedCosts(variants.pim.launch_ns + times.ns, times.launch_nj, list(times.alone))

    def check_device(self, program: Operation, device: Device) -> None:
        with_banks(device, device_of(program), program)

    def steps(self, program: Operation) -> int:
        return commands(_kernel(program).body.block)

    def heaviest(self, program: Operation) -> tuple[Operation, int] | None:
        """The loop with the largest trip count on a path into the program, and that trip count; None if the path
        contains no loop. At each depth, the path enters the loop or `pim.channels` that issues the most commands."""
        loops: list[ForOp] = []
        block = _kernel(program).body.block
        while inner := [op for op in block.ops if op.regions]:
            heaviest = max(inner, key=_issued)
            loops += [heaviest] if isinstance(heaviest, ForOp) else []
            block = heaviest.regions[0].block
        loop = max(loops, key=lambda loop: len(loop.values), default=None)
        return None if loop is None else (loop, len(loop.values))

    def bus_bytes(self, program: Operation, device: Device) -> int | None:
        from interp.kinds.pim.program import bus_bytes_of, classes_of

        kernel = _kernel(program)
        moved = zip(classes_of(kernel), bus_bytes_of(kernel, _pim(device)), strict=True)
        return sum(len(channels) * nbytes for channels, nbytes in moved)

    def held(self, program: Operation, index: int, device: Device) -> int:
        """Bytes of device memory that an argument or result occupies, in whole rows; 0 for one in host memory."""
        kernel = _kernel(program)
        if (memref := kernel.inputs[index]) not in kernel.in_banks:
            return 0
        return memref_of(memref).get_shape()[1] * device.granule_bytes

    def kept(self, program: Operation, device: Device) -> int:
        return sum(memref_of(value).get_shape()[1] for value in _kernel(program).in_banks) * device.granule_bytes

    def scratch(self, program: Operation, device: Device) -> Iterator[tuple[Hashable, int]]:
        """The memory for intermediate data: a name that is the same for all programs of a device, since they share it
        (only one runs at a time), and the bytes of the rows that this program writes besides the rows of its
        operands."""
        if rows := rows_written(_kernel(program)):
            yield "rows that programs write", rows * device.granule_bytes


LEVEL = BankLevel()


def _kernel(program: Operation) -> KernelOp:
    return cast(KernelOp, program)


def _pim(device: Device) -> Pim:
    return cast(Pim, device)


@lru_cache(maxsize=4096)
def rows_written(kernel: KernelOp) -> int:
    """The number of rows, numbered after its operands' rows, that a bank program opens to write intermediate data."""
    commands = (op for op in kernel.walk() if isinstance(op, CommandOp))
    opened = (op.linear(name).bounds(range_of)[1] + 1 for op in commands for name in op.using("row", "names"))
    own = (row + memref_of(value).get_shape()[1] for value, row in kernel.in_banks.items())
    return max(0, max(opened, default=0) - max(own, default=0))


def commands(block: Block) -> int:
    """The number of commands that a block of a kernel issues to each group of channels, loops unrolled."""
    return sum(_issued(op) if op.regions else 1 for op in block.ops)


def _issued(op: Operation) -> int:
    """The number of commands that an op with a body issues in all its iterations."""
    return commands(op.regions[0].block) * (len(op.values) if isinstance(op, ForOp) else 1)
