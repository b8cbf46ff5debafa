"""The text of the trace of one kernel."""

from dialects.pim import KernelOp
from interp.machine.records import Pim
from ndpir.traces.emit import END, trace_lines


def trace_text(kernel: KernelOp, pim: Pim, channel: int = 0) -> str:
    """The whole trace of a kernel; empty if the format is for one channel and this channel has no commands."""
    lines = trace_lines(kernel, pim, channel)
    end = [END[pim.trace]] if pim.trace in END else []
    return "" if lines is None else "".join(f"{line}\n" for line in [*lines, *end])
