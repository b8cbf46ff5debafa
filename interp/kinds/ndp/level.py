"""The level `ndp`: through it, other packages compute the values, cost and memory of near-data programs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import cast

from xdsl.ir import Operation

from dialects.element_types import byte_count
from dialects.ndp import AllocOp, LaunchOp, ProgramOp, memref_of
from dialects.ndp.instructions import streamed
from interp.kinds.ndp.costs import NearDataCosts
from interp.kinds.ndp.streams import streams
from interp.machine.cost import Cost
from interp.machine.device import Device
from interp.machine.near_data import NearData, as_near_data
from interp.walk.level import Array, Level, Shaped, device_of


class NearDataPrograms(Level):
    """Programs of near-data units: `ndp.program` and `ndp.launch`."""

    PROGRAM = ProgramOp
    LAUNCH = LaunchOp

    def inputs(self, program: Operation) -> Sequence[Shaped]:
        return [memref_of(value) for value in _program(program).inputs]

    def run(self, program: Operation, device: Device, operands: Sequence[Array]) -> list[Array]:
        from interp.kinds.ndp.values import run_program

        return run_program(_program(program), cast(NearData, device).units, operands)

    def cost(self, program: Operation, device: Device) -> Cost:
        return NearDataCosts(cast(NearData, device)).launch(streams(_program(program)))

    def check_device(self, program: Operation, device: Device) -> None:
        as_near_data(device, device_of(program), program)

    def scratch(self, program: Operation, device: Device) -> Iterator[tuple[Hashable, int]]:
        """The memory that a program needs for intermediate data: its name and its size in bytes. The name is the same
        for all programs of a device, which share this memory because only one program runs at a time."""
        allocated = [op.memory for op in _program(program).body.block.ops if isinstance(op, AllocOp)]
        if allocated:
            types = [streamed(value) for value in allocated]
            yield "scratch memory of programs", sum(byte_count(each) for each in types)


LEVEL = NearDataPrograms()


def _program(program: Operation) -> ProgramOp:
    return cast(ProgramOp, program)
