"""`-t banks`: for each bank program its time, the causes of its waits, its lower limit by the bandwidth of the banks,
and its energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialects.text.columns import table
from interp.figures import count, energy, percent, time
from ndpir.reports.banks.kernels import BankKernel, BanksAnswer, banks_answer
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget


@dataclass(frozen=True)
class BanksTarget(AnswerTarget[BanksAnswer]):
    """Four tables of the program's bank programs; each row begins with the kernel's name.

    First, for one launch: channels that take part, cycles, time (without the launch), the bound, the lower limit by the
    banks' bandwidth (the time if all banks of all channels processed the kernel's columns back to back at the sheet's
    cadence) and the excess of the time over this limit; and time and energy of all launches, launch times and idle
    power included. Then the cycles of the slowest channel by stall cause. Then the commands of all channels, and the
    energy of a launch by cause. At last, the lines of the sheet whose constraints can't delay a command of this kernel,
    with the reason: the kernel issues no such command, or larger gaps dominate. `kernel`: only that kernel. `entry`:
    the function, if it is not `main` or the first one. `json`: the answer as JSON.
    """

    name: ClassVar[str] = "banks"
    kernel: str = ""
    entry: str | None = None

    def answer(self, module: ModuleOp) -> BanksAnswer:
        return banks_answer(Run.of(module, self.entry), self.kernel)

    def text(self, answer: BanksAnswer) -> str:
        kernels = answer.kernels
        return "\n".join(
            (summary_table(kernels), waits_table(kernels), commands_table(kernels), unbound_table(kernels))
        )


def summary_table(kernels: Sequence[BankKernel]) -> str:
    """The first table, with one row per kernel: launches, channels, cycles, times, bound and limit."""
    header = ("kernel", "on", "launches", "channels", "cycles", "time", "bound", "limit", "above limit")
    rows = [
        (
            one.name,
            f"@{one.on} = {one.sheet}",
            str(one.launches),
            f"{one.channels} of {one.all_channels}",
            str(one.cycles),
            time(one.ns),
            one.bound,
            time(one.limit_ns) if one.limit_ns is not None else "none",
            percent(one.ns / one.limit_ns - 1) if one.limit_ns is not None else "",
            time(one.launches_ns),
            energy(one.launches_energy_nj),
        )
        for one in kernels
    ]
    return table((*header, "all launches", "energy"), rows, left=(0, 1, 6))


def waits_table(kernels: Sequence[BankKernel]) -> str:
    """For each kernel, the cycles of its slowest channel by cause."""
    rows = [(one.name, each.cause, str(each.cycles), percent(each.share)) for one in kernels for each in one.waits]
    return table(("kernel", "waits for", "cycles", "of time"), rows, left=(0, 1))


def unbound_table(kernels: Sequence[BankKernel]) -> str:
    """For each kernel, the lines of its sheet whose constraints never delay it; lines for commands that the kernel
    never issues share one row."""
    rows: list[tuple[str, ...]] = []
    for one in kernels:
        for line in one.never_bind:
            rows.append((one.name, line.constraint, " or ".join(map(str, line.cycles)), line.place, line.reason))
        if (others := one.never_issued) is not None:
            absent = f"of commands that it never issues: {', '.join(others.commands)}"
            rows.append((one.name, count(others.lines, "line"), "", "", absent))
    return table(("kernel", "never binds", "cycles", "sheet", "since"), rows, left=(0, 1, 3, 4))


def commands_table(kernels: Sequence[BankKernel]) -> str:
    """For each kernel, its commands with their number, and its energy by cause."""
    rows = [
        (
            one.name,
            each.command,
            " | ".join(each.mnemonics),
            "" if each.count is None else str(each.count),
            energy(each.energy_nj),
            "" if each.share is None else percent(each.share),
        )
        for one in kernels
        for each in one.commands
    ]
    return table(("kernel", "command", "known as", "count", "energy", "of energy"), rows, left=(0, 1, 2))
