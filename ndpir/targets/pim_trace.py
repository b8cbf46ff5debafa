"""`-t pim-trace`: what one channel is told, command by command, as the text that PIMFlow's simulator reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from dialects.pim import ActOp, ColumnsOp, CommandOp, ForOp, KernelOp, LoadOp, ScopedOp
from interp.bank_program import Projection, Slot, check_kernel, classes_of, on_bus
from interp.machine import Machine
from interp.sheet import Pim
from ndpir.frontends.pim_trace import Address


@dataclass(frozen=True)
class PimTraceTarget(Target):
    """The commands of a channel, one a line: `0xADDRESS COMMAND`, in the mnemonics of the data sheet; a command for one
    bank group or bank bears its number (`G_ACT2`), and a READRES or precharge has no address.

    `kernel`: whose commands; all kernels of the program where it is empty, each after a line `# @NAME, channel N`.
    `channel`: the channel's number.
    """

    name: ClassVar[str] = "pim-trace"
    NEEDS_MACHINE: ClassVar[bool] = True
    kernel: str = ""
    channel: int = 0

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        machine = Machine.of(module)
        kernels = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, KernelOp)}
        if not kernels:
            raise InputError("pim-trace: the program has no pim.kernel; lower it first (-p …,to-pim)", module)
        if self.kernel and self.kernel not in kernels:
            known = ", ".join(f"@{name}" for name in kernels)
            raise InputError(f"pim-trace: there is no kernel @{self.kernel}; the program has {known}", module)
        chosen = [self.kernel] if self.kernel else list(kernels)
        busy = False
        for name in chosen:
            pim = machine.device(kernels[name].place, kernels[name])
            if not isinstance(pim, Pim):
                raise InputError(f"@{kernels[name].place} ({pim.name}) has no banks to run a pim.kernel", kernels[name])
            lines = trace_lines(kernels[name], pim, self.channel)
            if lines is not None:
                busy = True
                output.writelines([] if self.kernel else [f"# @{name}, channel {self.channel}\n"])
                output.writelines(f"{line}\n" for line in lines)
        if not busy:
            raise InputError(f"pim-trace: channel {self.channel} has nothing to do", kernels[chosen[0]])


def trace_lines(kernel: KernelOp, pim: Pim, channel: int) -> Iterator[str] | None:
    """The commands of one channel, one after another, or None if it has none. Raises InputError for what the device
    can't do."""
    check_kernel(kernel, pim)
    if not any(channel in channels for channels in classes_of(kernel)):
        return None
    return _Writer(pim, Projection(kernel, channel)).lines(kernel.body.block, {})


class _Writer:
    """Knows which row is open in each bank, for the addresses of what follows."""

    def __init__(self, pim: Pim, seen: Projection) -> None:
        self.pim, self.seen = pim, seen
        self.rows = [0] * pim.banks_per_channel

    def lines(self, block: Block, values: dict[SSAValue, int]) -> Iterator[str]:
        for op in self.seen.ops(block):
            if isinstance(op, ForOp):
                for value in op.values:
                    yield from self.lines(op.body.block, values | {op.body.block.args[0]: value})
            elif on_bus(op, self.pim):
                yield from self._command(op, values)

    def _command(self, op: CommandOp, values: dict[SSAValue, int]) -> Iterator[str]:
        pim, word = self.pim, self.pim.verbs[op.COMMAND.verb].mnemonic
        slot = Slot(op.COMMAND.verb)
        if isinstance(op, ScopedOp):
            slot = Slot(op.COMMAND.verb, op.reach, op.linear("unit").at(values))
            word += "" if slot.scope == "all" else str(slot.unit)
        banks = slot.banks(pim)
        group, bank = divmod(banks.start, pim.banks)
        if isinstance(op, LoadOp):
            first = op.linear("entry").at(values)
            for column in range(first, first + op.buffer_columns(pim.lanes), pim.load_columns):
                yield f"{Address(0, 0, 0, column).text(pim)} {word}"
        elif isinstance(op, ActOp):
            row = op.linear("row").at(values)
            for bank in banks:
                self.rows[bank] = row
            yield f"{Address(group, bank, row).text(pim)} {word}"
        elif isinstance(op, ColumnsOp):
            first, row = op.linear("column").at(values), self.rows[banks.start]
            for column in range(first, first + op.columns.extent):
                yield f"{Address(group, bank, row, column).text(pim)} {word}"
        else:
            yield word
