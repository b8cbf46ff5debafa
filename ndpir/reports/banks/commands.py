"""`-t commands`: the commands on the buses of a kernel's channels, with their cycles and the cause of each command's
wait.

The output is a table, CSV, JSON, a trace for Perfetto, or a command trace in the form of Ramulator 2's.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError, note
from dialects.pim import KernelOp
from dialects.text.columns import table
from dialects.text.suggestions import hint
from interp.figures import count
from interp.kinds.pim.timing.log import LoggedCommand
from interp.machine.records import Pim
from ndpir.reports.banks.command_log import (
    Command,
    CommandsAnswer,
    KernelCommands,
    Window,
    channels_of,
    command_of,
    kernel_commands,
    log_kernel,
    slowest_channel,
)
from ndpir.reports.banks.kernels import kernels_of
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget

ROWS = 1000
"""The number of commands of a channel that the table shows if no limit is given."""
ALL = "all"

Chosen = tuple[str, str, KernelOp, Pim, Sequence[int]]
"""A kernel's name, its device's name, the kernel, the device's record, and the numbers of the channels to show."""

Logged = tuple[str, int, LoggedCommand, Pim]
"""A kernel's name, a channel, and a command on its bus."""


COLUMNS: Mapping[str, Callable[[Logged, Command], object]] = {
    "kernel": lambda logged, command: logged[0],
    "cycle": lambda logged, command: command.cycle,
    "channel": lambda logged, command: command.channel,
    "pseudochannel": lambda logged, command: command.pseudochannel,
    "group": lambda logged, command: command.group,
    "bank": lambda logged, command: command.bank,
    "command": lambda logged, command: command.command,
    "verb": lambda logged, command: command.verb,
    "scope": lambda logged, command: command.scope,
    "unit": lambda logged, command: command.unit,
    "row": lambda logged, command: command.row,
    "column": lambda logged, command: command.column,
    "buffer": lambda logged, command: command.buffer,
    "accumulator": lambda logged, command: command.accumulator,
    "wait": lambda logged, command: command.wait_cycles,
    "waits_for": lambda logged, command: command.waits_for,
    "constraint": lambda logged, command: command.constraint,
    "constraint_cycles": lambda logged, command: command.constraint_cycles,
    "constraint_formula": lambda logged, command: command.constraint_formula,
    "sheet": lambda logged, command: command.sheet,
    "by_controller": lambda logged, command: "true" if command.by_controller else "false",
    "place": lambda logged, command: command.place,
}
"""The names of the columns of CSV."""


def _rank(logged: LoggedCommand, pim: Pim) -> int:
    return -1 if logged.bank < 0 else logged.bank // pim.banks_at("rank") % pim.ranks


def _pseudochannel(logged: LoggedCommand, pim: Pim) -> int:
    return -1 if logged.bank < 0 else logged.bank // pim.banks_at("pseudochannel")


def _group(logged: LoggedCommand, pim: Pim) -> int:
    if logged.bank < 0:
        return logged.served.unit if logged.served.scope == "group" else -1
    return logged.bank // pim.banks % (pim.groups // (pim.pseudochannels * pim.ranks))


TRACED: Mapping[str, Callable[[int, LoggedCommand, Pim], object]] = {
    "cycle": lambda channel, logged, pim: logged.cycle,
    "command": lambda channel, logged, pim: logged.mnemonic,
    "channel": lambda channel, logged, pim: channel,
    "pseudochannel": lambda channel, logged, pim: _pseudochannel(logged, pim),
    "rank": lambda channel, logged, pim: _rank(logged, pim),
    "group": lambda channel, logged, pim: _group(logged, pim),
    "bank_of_group": lambda channel, logged, pim: -1 if logged.bank < 0 else logged.bank % pim.banks,
    "bank": lambda channel, logged, pim: logged.bank,
    "row": lambda channel, logged, pim: logged.operands.row,
    "column": lambda channel, logged, pim: logged.operands.column,
}
"""The names of the columns of Ramulator 2's command trace. The address in them is that of the request: a command that
the controller adds has the address of the command for which it is issued."""


@dataclass(frozen=True)
class CommandsTarget(AnswerTarget[CommandsAnswer]):
    """The commands on the buses of a kernel's channels: cycle, channel, address, command, operands, and the timing
    constraint that each command waited for. Iterations of loops before the window are skipped, so that a late window
    of a long kernel takes little time.

    `kernel`: only that kernel. `channel`: numbers of channels, or `all` (default: the channel whose waits `-t banks`
    shows). `from`, `to`: the first cycle of the window, and the first cycle after it. `limit`: the largest number of
    commands shown per channel (default: 1000 in the table, otherwise no limit; 0: no limit). `csv`: as CSV, with a
    header. `perfetto`: as a trace for ui.perfetto.dev, with a process for each channel, and tracks for its bus and its
    banks. `ramulator`: as the command trace of Ramulator 2's TraceRecorder: cycle, command, and the numbers of the
    address's levels, -1 for none. `columns`: the columns of CSV or of the command trace, in order. `entry`: the
    function, if it is not `main` or the first one.
    """

    name: ClassVar[str] = "commands"
    kernel: str = ""
    channel: tuple[int | str, ...] | None = None
    from_: int = 1
    to: int | None = None
    limit: int | None = None
    csv: bool = False
    perfetto: bool = False
    ramulator: bool = False
    columns: tuple[str, ...] | None = None
    entry: str | None = None

    def __post_init__(self) -> None:
        forms = [name for name in ("json", "csv", "perfetto", "ramulator") if getattr(self, name)]
        if len(forms) > 1:
            raise ValueError(f"commands writes one form, but {' and '.join(forms)} are given; keep one")
        available = list(TRACED) if self.ramulator else list(COLUMNS)
        if self.columns and not (self.csv or self.ramulator):
            raise ValueError("option `columns` of commands selects columns of csv or ramulator; give one of them")
        for name in self.columns or ():
            if name not in available:
                raise ValueError(
                    f"commands has no column `{name}`" + hint(name, available, f"it has {', '.join(available)}")
                )
        if self.from_ < 1 or (self.to is not None and self.to <= self.from_):
            raise ValueError(f"commands shows cycles from 1 on, and `to` is greater than `from`; not {self._cycles()}")
        if self.limit is not None and self.limit < 0:
            raise ValueError(f"option `limit` of commands is a number of commands, or 0 for all, not {self.limit}")

    def _cycles(self) -> str:
        return f"from={self.from_}" + ("" if self.to is None else f" to={self.to}")

    @property
    def window(self) -> Window:
        """The requested cycles, and the largest number of commands per channel."""
        is_table = not (self.json or self.csv or self.perfetto or self.ramulator)
        limit = ROWS if self.limit is None and is_table else self.limit
        return Window(self.from_, self.to, limit or None)

    def chosen(self, module: ModuleOp) -> Iterator[Chosen]:
        """The kernels to show. Raises InputError if there are none, and for a kernel or channel that does not exist."""
        for one in kernels_of(Run.of(module, self.entry), self.kernel, self.name):
            yield one.name, one.device, one.kernel, one.pim, self._channels(one.name, one.kernel, one.pim)

    def _channels(self, name: str, kernel: KernelOp, pim: Pim) -> Sequence[int]:
        if not self.channel:
            return (slowest_channel(kernel, pim),)
        used = channels_of(kernel)
        if self.channel == (ALL,):
            return used
        chosen: list[int] = []
        for channel in self.channel:
            if not isinstance(channel, int) or channel not in used:
                ranges = ", ".join(_ranges(used))
                raise InputError(
                    f"commands: {name} uses the channels {ranges} of {pim.name}, but not {channel}; write some of "
                    "these numbers, or channel=all",
                    kernel,
                )
            chosen.append(channel)
        return chosen

    def answer(self, module: ModuleOp) -> CommandsAnswer:
        return CommandsAnswer(
            tuple(
                kernel_commands(name, device, kernel, pim, channels, self.window)
                for name, device, kernel, pim, channels in self.chosen(module)
            )
        )

    def text(self, answer: CommandsAnswer) -> str:
        return "\n".join(map(_table, answer.kernels))

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.csv:
            self._write_csv(module, output)
        elif self.ramulator:
            self._write_trace(module, output)
        elif self.perfetto:
            from ndpir.reports.banks.command_tracks import trace_of

            pims = [pim for *_, pim, _ in self.chosen(module)]
            json.dump(trace_of(self.answer(module), pims), output, separators=(",", ":"), ensure_ascii=False)
            output.write("\n")
        else:
            super().emit(ctx, module, output)

    def _write_csv(self, module: ModuleOp, output: IO[str]) -> None:
        names = self.columns or tuple(COLUMNS)
        columns = [COLUMNS[name] for name in names]
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(names)
        for name, _, kernel, pim, channels in self.chosen(module):

            def write(channel: int, logged: LoggedCommand, name: str = name, pim: Pim = pim) -> None:
                command = command_of(logged, channel, pim)
                writer.writerow([column((name, channel, logged, pim), command) for column in columns])

            self._log(name, kernel, pim, channels, write)

    def _write_trace(self, module: ModuleOp, output: IO[str]) -> None:
        chosen = list(self.chosen(module))
        if len(chosen) > 1:
            names = ", ".join(name for name, *_ in chosen)
            raise InputError(
                f"commands: a command trace shows one kernel; choose one with kernel=…, one of {names}", module
            )
        for name, _, kernel, pim, channels in chosen:
            columns = [TRACED[column] for column in self.columns or _levels(pim)]

            def write(channel: int, logged: LoggedCommand, columns: Any = columns, pim: Pim = pim) -> None:
                output.write(", ".join(str(column(channel, logged, pim)) for column in columns) + "\n")

            self._log(name, kernel, pim, channels, write)

    def _log(
        self,
        name: str,
        kernel: KernelOp,
        pim: Pim,
        channels: Iterable[int],
        write: Callable[[int, LoggedCommand], None],
    ) -> None:
        for channel in log_kernel(kernel, pim, channels, self.window, write):
            limit = count(self.window.limit or 0, "command")
            note(f"channel {channel} has more than {limit} of {name}; limit=0 writes all", kernel)


def _levels(pim: Pim) -> Iterator[str]:
    """The names of the columns of a command trace that exist on this device: columns for pseudo-channels and ranks only
    if a channel has several of these."""
    yield from ("cycle", "command", "channel")
    if pim.pseudochannels > 1:
        yield "pseudochannel"
    if pim.ranks > 1:
        yield "rank"
    yield from ("group", "bank_of_group", "row", "column")


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    """Ascending numbers as text, consecutive ones joined: `0 to 3`, `7` for 0, 1, 2, 3, 7."""
    first = last = numbers[0]
    for number in (*numbers[1:], -1):
        if number == last + 1:
            last = number
            continue
        yield str(first) if first == last else f"{first} to {last}"
        first = last = number


HEADER = (
    "kernel", "channel", "cycle", "command", "banks", "operands", "wait", "waits for", "constraint", "sheet", "source"
)  # fmt: skip


def _table(kernel: KernelCommands) -> str:
    """One row per command, and a last line if further commands are left out."""
    rows = [
        (
            kernel.kernel,
            str(command.channel),
            str(command.cycle),
            command.command,
            command.scope if command.scope == "all" else f"{command.scope} {command.unit}",
            _operands(command),
            str(command.wait_cycles),
            command.waits_for,
            _constraint(command),
            command.sheet or "",
            command.place,
        )
        for command in kernel.commands
    ]
    text = table(HEADER, rows, left=(0, 3, 4, 5, 7, 8, 9, 10))
    if not rows:
        return text + f"{kernel.kernel} has no command in these cycles; it takes {count(kernel.cycles, 'cycle')}\n"
    if not kernel.complete:
        following = kernel.commands[-1].cycle + 1
        return text + f"{kernel.kernel} has more commands; from={following} shows the next ones, limit=0 all\n"
    return text


def _constraint(command: Command) -> str:
    """The constraint with its cycles, and with the sheet's expression for them if this names a timing parameter."""
    if command.constraint is None:
        return ""
    cycles = str(command.constraint_cycles)
    formula = command.constraint_formula
    stated = cycles if formula in (None, cycles) else f"{formula} = {cycles}"
    return f"{command.constraint}, {stated}"


def _operands(command: Command) -> str:
    words = ("row", "column", "buffer", "accumulator")
    return " ".join(f"{word} {number}" for word in words if (number := getattr(command, word)) is not None)
