"""A kernel as a sequence of instructions: loops are unrolled, and regions of channels are in the order of the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import Block, SSAValue

from dialects.pim import (
    ActivateOp,
    ActOp,
    BarrierOp,
    ChannelsOp,
    CommandOp,
    ForOp,
    KernelOp,
    ScopedOp,
    SetOp,
    StepOp,
)
from interp.kinds.pim.program import Slot, issues
from interp.machine.records import Pim
from tests.laws.banks.naive_channels import Instruction, Row
from tests.laws.banks.naive_constraints import banks


class Unroller:
    """Iterates over a kernel in order, and keeps the row named last for each bank of each channel."""

    def __init__(self, pim: Pim) -> None:
        self.pim = pim
        self.named_rows: dict[tuple[int, int], int] = {}

    def instructions(
        self, block: Block, channels: tuple[int, ...] = (0,), values: Mapping[SSAValue, int] | None = None
    ) -> Iterator[Instruction]:
        values = values or {}
        for op in block.ops:
            if isinstance(op, ForOp):
                for value in op.values:
                    yield from self.instructions(op.body.block, channels, {**values, op.body.block.args[0]: value})
            elif isinstance(op, ChannelsOp):
                yield from self.instructions(op.body.block, tuple(op.numbers()), values)
            elif isinstance(op, BarrierOp):
                yield Instruction(barrier=True)
            elif isinstance(op, SetOp | StepOp):
                yield Instruction()
            elif isinstance(op, ActOp):
                slot = self.slot(op, values)
                for channel in channels:
                    for bank in banks(slot.scope, slot.unit, self.pim):
                        self.named_rows[channel, bank] = op.linear("row").at(dict(values))
            elif isinstance(op, CommandOp):
                yield self.instruction(op, channels, values)

    def slot(self, op: CommandOp, values: Mapping[SSAValue, int]) -> Slot:
        if isinstance(op, ScopedOp):
            return Slot(op.COMMAND.verb, op.reach, op.linear("unit").at(dict(values)))
        return Slot(op.COMMAND.verb)

    def instruction(self, op: CommandOp, channels: tuple[int, ...], values: Mapping[SSAValue, int]) -> Instruction:
        slot = self.slot(op, values)
        reached = banks(slot.scope, slot.unit, self.pim)
        rows: dict[int, dict[int, Row]] = {}
        if op.COMMAND.row == "uses":
            rows = {channel: {bank: self.named_rows[channel, bank] for bank in reached} for channel in channels}
        elif isinstance(op, ActivateOp):
            rows = {channel: dict.fromkeys(reached, op.function.data) for channel in channels}
        return Instruction(channels, slot, rows, issues(op, self.pim))


def unrolled(kernel: KernelOp, pim: Pim) -> list[Instruction]:
    return list(Unroller(pim).instructions(kernel.body.block))
