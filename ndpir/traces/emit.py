"""`-t pim-trace`: the commands of channels in the vendor's trace format named by the data sheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from dialects.text.printable import printable
from interp.kinds.pim.program import check_kernel
from interp.machine.composition import Machine
from interp.machine.records import Pim
from ndpir.traces import aim, attacc, pimflow

WHOLE = {"aim": aim.lines, "attacc": attacc.lines}
"""The formats whose traces contain the commands of all channels; traces of other formats contain those of one
channel."""

BETWEEN = {"aim": "AiM SYNC"}
"""The separator between two kernels of one trace."""
END = {"aim": "AiM EOC"}
"""The last line of a trace, for each format that requires one."""


@dataclass(frozen=True)
class PimTraceTarget(Target):
    """The commands of a kernel, one per line, in the vendor's format, named by the sheet's `trace`.

    `aim`: an AiM trace, for all channels; it ends with `AiM EOC`. `attacc`: an AttAcc trace, for all channels.
    `pimflow`, and for sheets without a format: one channel's commands as `0xADDRESS COMMAND`, in the mnemonics of the
    sheet; a command for one bank group or bank bears its number (`G_ACT2`), and a READRES or precharge has no address.

    `kernel`: the kernel to print; by default all kernels of the program, each after a line with its name if there
    are several. `channel`: the channel number, for formats of one channel.
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
            names = ", ".join(f"@{name}" for name in kernels)
            raise InputError(f"pim-trace: there is no kernel @{self.kernel}; the program has {names}", module)
        chosen = [self.kernel] if self.kernel else list(kernels)
        busy = 0
        end = ""
        for name in chosen:
            kernel = kernels[name]
            pim = machine.pim(kernel.place, kernel)
            lines = trace_lines(kernel, pim, self.channel)
            if lines is None:
                continue
            if busy and pim.trace in BETWEEN:
                output.write(f"{BETWEEN[pim.trace]}\n")
            if len(chosen) > 1:
                output.write(f"# @{printable(name)}{'' if pim.trace in WHOLE else f', channel {self.channel}'}\n")
            output.writelines(f"{line}\n" for line in lines)
            busy, end = busy + 1, END.get(pim.trace, "")
        if not busy:
            raise InputError(
                f"pim-trace: channel {self.channel} has no commands; choose another channel", kernels[chosen[0]]
            )
        output.writelines([f"{end}\n"] if end else [])


def trace_lines(kernel: KernelOp, pim: Pim, channel: int = 0) -> Iterator[str] | None:
    """The lines of a kernel, without the final line of a trace, or None if the format is for one channel and this
    channel has no commands. Raises InputError for commands that the device or the format does not support."""
    check_kernel(kernel, pim)
    if pim.trace in WHOLE:
        return WHOLE[pim.trace](kernel, pim)
    return pimflow.lines(kernel, pim, channel)
