"""`-t commands`: the commands on the buses of a kernel's channels, with their cycles and the cause of each command's
wait.

The output is a table, CSV, JSON, a trace for Perfetto, or a command trace in the form of Ramulator 2's."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError, note, working
from dialects.pim import COMMANDS, KernelOp
from dialects.text.columns import table
from dialects.text.suggestions import hint
from interp.figures import count
from interp.kinds.pim.program import Slot, classes_of
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.timing.log import LoggedCommand, busiest_channel, log_commands
from interp.kinds.pim.timing.periods import FAR
from interp.kinds.pim.timing.requests.kernel import is_reordered
from interp.machine.records import Pim, Scope, constraint_text
from ndpir.reports.banks.kernels import kernels_of
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget

OFTEN = 10_000
"""The number of logged commands between two reports of progress."""


@dataclass(frozen=True)
class Command:
    """One command on a channel's bus. An index is null if the command has none, or if it addresses several banks."""

    cycle: int
    """The cycle of the channel's clock in which the command is issued, from 1."""
    channel: int
    command: str
    """The command's name in the data sheet, as vendors and simulators write it."""
    verb: str
    scope: Scope
    """The set of banks that the command addresses: all banks of the channel, a group, one bank of every group (`same`)
    or pseudo-channel (`twin`), or one bank."""
    unit: int
    """The index of the addressed unit among the units of the scope, such as a group's number; 0 if the scope is all
    banks."""
    pseudochannel: int | None
    group: int | None
    """The index of the bank group in the channel."""
    bank: int | None
    """The index of the bank in the channel."""
    row: int | None
    """The row that the command uses, opens or closes; for a command added by the controller, the row that the program's
    next command needs. Rows of activation tables are numbered from 2^29."""
    column: int | None
    buffer: int | None
    """The column of the global buffer that the command uses."""
    accumulator: int | None
    wait_cycles: int
    """Cycles since the previous command on this channel. If the program had no command for the channel for a time in
    between, cycles since the end of this time."""
    waits_for: str
    """The cause to which these cycles are attributed; the sums over a channel by cause are those of `-t banks`."""
    constraint: str | None
    """The timing constraint of the sheet that ends in the cycle in which the command is issued; null if no constraint
    determines this cycle, but only the command bus, the decoder, a barrier or the refresh interval."""
    constraint_cycles: int | None
    constraint_formula: str | None
    """The expression that states these cycles in the sheet by its timing parameters, such as `tCCDL` or `max(tBL,
    tCCDS)`; null if there is no constraint."""
    sheet: str | None
    """The line of the data sheet that states `constraint`."""
    by_controller: bool
    """True if the channel's controller added the command to those of the program."""
    place: str
    """The line of the program that the command comes from; empty if unknown."""


@dataclass(frozen=True)
class KernelCommands:
    """The commands of a kernel that are issued in a window of cycles, ordered by channel and then by cycle."""

    kernel: str
    device: str
    sheet: str
    cycle_ns: float
    cycles: int
    """The cycles of one launch in the kernel's slowest channel."""
    channels: tuple[int, ...]
    """The numbers of the channels whose commands are listed."""
    from_cycle: int
    to_cycle: int | None
    """The first cycle after the window; null if the window extends to the kernel's end."""
    complete: bool
    """False if some channel has more commands in the window than the limit on listed commands."""
    commands: tuple[Command, ...]


@dataclass(frozen=True)
class CommandsAnswer:
    """The commands of bank programs."""

    kernels: tuple[KernelCommands, ...]


@dataclass(frozen=True)
class Window:
    """The cycles to log, `first` to `end` - 1 of each channel, and `limit`, the largest number of commands logged per
    channel."""

    first: int = 1
    end: int | None = None
    limit: int | None = None


def log_kernel(
    kernel: KernelOp, pim: Pim, channels: Iterable[int], window: Window, sink: Callable[[int, LoggedCommand], None]
) -> list[int]:
    """Pass the commands of the given channels that are in the window to `sink`, together with the channel's number, one
    channel after another. Returns the channels that have more commands than the window's limit. Raises InputError,
    at the op, for a command that the device does not have."""
    cut: list[int] = []
    for channel in channels:
        logged = 0

        def put(command: LoggedCommand, channel: int = channel) -> None:
            nonlocal logged
            logged += 1
            if logged % OFTEN == 0:
                working(f"channel {channel}, cycle {command.cycle}")
            sink(channel, command)

        end = FAR if window.end is None else window.end
        if not log_commands(kernel, pim, channel, put, window.first, end, window.limit):
            cut.append(channel)
    return cut


def channels_of(kernel: KernelOp) -> list[int]:
    """The numbers of the channels that a kernel uses, in ascending order."""
    return sorted(channel for channels in classes_of(kernel) for channel in channels)


def slowest_channel(kernel: KernelOp, pim: Pim) -> int:
    """The channel whose waits `-t banks` shows: the channel that takes the most cycles; if controllers reorder
    commands, the channel with the most commands."""
    return busiest_channel(kernel, pim) if is_reordered(kernel, pim) else kernel_time(kernel, pim).channel


def kernel_commands(
    name: str, device: str, kernel: KernelOp, pim: Pim, channels: Iterable[int], window: Window
) -> KernelCommands:
    """The commands of one kernel, as plain data."""
    found: list[Command] = []
    logged = tuple(channels)
    cut = log_kernel(kernel, pim, logged, window, lambda channel, each: found.append(command_of(each, channel, pim)))
    cycles = kernel_time(kernel, pim).cycles
    return KernelCommands(
        name, device, pim.name, pim.cycle_ns, cycles, logged, window.first, window.end, not cut, tuple(found)
    )


def command_of(logged: LoggedCommand, channel: int, pim: Pim) -> Command:
    """A logged command as plain data."""
    slot, operands, constraint = logged.slot, logged.operands, logged.constraint
    pseudochannel, group, bank = address_of(slot, pim)
    cause = logged.cause
    return Command(
        logged.cycle,
        channel,
        logged.mnemonic,
        slot.verb,
        slot.scope,
        slot.unit,
        pseudochannel,
        group,
        bank,
        _index(operands.row),
        _index(operands.column),
        _index(operands.buffer),
        _index(operands.accumulator),
        logged.wait,
        COMMANDS[cause].limit if cause in COMMANDS else cause,
        None if constraint is None else constraint_text(constraint).removeprefix("gap "),
        None if constraint is None else constraint.cycles,
        None if constraint is None else pim.formulas.get(constraint_text(constraint)),
        None if constraint is None else pim.places.get(constraint_text(constraint)),
        not logged.own,
        operands.place,
    )


@lru_cache(maxsize=1 << 12)
def address_of(slot: Slot, pim: Pim) -> tuple[int | None, int | None, int | None]:
    """The index of the pseudo-channel, of the group and of the bank that contain all banks of a command; None at each
    level at which the command addresses several units."""
    banks = slot.banks(pim)
    sizes = pim.banks_per_channel // pim.pseudochannels, pim.banks, 1
    units = [{bank // size for bank in banks} for size in sizes]
    pseudochannel, group, bank = (next(iter(unit)) if len(unit) == 1 else None for unit in units)
    return pseudochannel, group, bank


def _index(number: int) -> int | None:
    return None if number < 0 else number


ROWS = 1000
"""The number of commands of a channel that the table shows if no limit is given."""
ALL = "all"

Chosen = tuple[str, str, KernelOp, Pim, Sequence[int]]
"""A kernel's name, its device's name, the kernel, the device's record, and the numbers of the channels to show."""


COLUMNS = (
    *("kernel", "cycle", "channel", "pseudochannel", "group", "bank", "command", "verb", "scope", "unit"),
    *("row", "column", "buffer", "accumulator", "wait", "waits_for", "constraint", "constraint_cycles"),
    *("constraint_formula", "sheet", "by_controller", "place"),
)
"""The names of the columns of CSV: those of the fields of a command, except `kernel` and `wait`."""


def _cell(column: str, kernel: str, command: Command) -> object:
    """The text of a column of CSV for a command of a kernel."""
    if column == "kernel":
        return kernel
    value = getattr(command, "wait_cycles" if column == "wait" else column)
    return str(value).lower() if isinstance(value, bool) else value


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
        available = tuple(TRACED) if self.ramulator else COLUMNS
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
            pims = [pim for *_, pim, _ in self.chosen(module)]
            json.dump(trace_of(self.answer(module), pims), output, separators=(",", ":"), ensure_ascii=False)
            output.write("\n")
        else:
            super().emit(ctx, module, output)

    def _write_csv(self, module: ModuleOp, output: IO[str]) -> None:
        names = self.columns or COLUMNS
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(names)
        for name, _, kernel, pim, channels in self.chosen(module):

            def write(channel: int, logged: LoggedCommand, name: str = name, pim: Pim = pim) -> None:
                command = command_of(logged, channel, pim)
                writer.writerow([_cell(column, name, command) for column in names])

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


BUS = 1
"""The trace's thread number for a channel's command bus; the numbers after it are those of the channel's tracks of
banks."""


def trace_of(answer: CommandsAnswer, pims: Sequence[Pim]) -> dict[str, Any]:
    """The trace as plain data. `pims`: the device of each kernel. Times of trace events are in us, as the format
    requires, from the first cycle of each kernel."""
    events: list[dict[str, Any]] = []
    process = 0
    for kernel, pim in zip(answer.kernels, pims, strict=True):
        for channel in kernel.channels:
            process += 1
            commands = [command for command in kernel.commands if command.channel == channel]
            events += _channel(kernel, commands, channel, process, pim)
    return {
        "displayTimeUnit": "ns",
        "otherData": {
            "kernels": [
                {
                    "kernel": each.kernel,
                    "device": each.device,
                    "sheet": each.sheet,
                    "cycle_ns": each.cycle_ns,
                    "cycles": each.cycles,
                    "from": each.from_cycle,
                    "to": each.to_cycle,
                    "complete": each.complete,
                }
                for each in answer.kernels
            ]
        },
        "traceEvents": events,
    }


def _channel(
    kernel: KernelCommands, commands: Sequence[Command], channel: int, process: int, pim: Pim
) -> Iterator[dict[str, Any]]:
    """The trace events of one channel."""
    yield _name("process_name", process, 0, f"{kernel.kernel}, @{kernel.device} channel {channel}")
    yield _name("thread_name", process, BUS, "command bus")
    yield {"ph": "M", "name": "thread_sort_index", "pid": process, "tid": BUS, "args": {"sort_index": BUS}}
    us = kernel.cycle_ns / 1e3
    for command in commands:
        yield _slice(command, process, BUS, us, pim)
    for thread, banks in enumerate(_tracks(commands, pim), BUS + 1):
        yield _name("thread_name", process, thread, _title(banks))
        yield {"ph": "M", "name": "thread_sort_index", "pid": process, "tid": thread, "args": {"sort_index": thread}}
        own = [
            command for command in commands if banks[0] in Slot(command.verb, command.scope, command.unit).banks(pim)
        ]
        yield from _rows(own, process, thread, us)
        for command in own:
            yield _slice(command, process, thread, us, pim)


def _tracks(commands: Sequence[Command], pim: Pim) -> list[list[int]]:
    """The banks that commands address, grouped into tracks: the banks of a track receive the same commands."""
    slots = dict.fromkeys(Slot(each.verb, each.scope, each.unit) for each in commands if _in_banks(each))
    reached: Mapping[Slot, set[int]] = {slot: set(slot.banks(pim)) for slot in slots}
    tracks: dict[tuple[Slot, ...], list[int]] = {}
    for bank in range(pim.banks_per_channel):
        own = tuple(slot for slot, banks in reached.items() if bank in banks)
        if own:
            tracks.setdefault(own, []).append(bank)
    return sorted(tracks.values())


def _in_banks(command: Command) -> bool:
    """True for a command that opens, closes or uses a row."""
    return COMMANDS[command.verb].row != "leaves"


def _rows(commands: Sequence[Command], process: int, thread: int, us: float) -> Iterator[dict[str, Any]]:
    """For each row that is opened in the banks of a track, a slice from its activate to its precharge, or to the last
    command that uses it. `us`: the time of one cycle."""
    opened: Command | None = None
    last = 0
    for command in commands:
        effect = COMMANDS[command.verb].row
        if opened is not None and (effect in ("opens", "closes") or command.verb == "refresh"):
            yield _row(opened, max(command.cycle, last), process, thread, us)
            opened = None
        if effect == "opens":
            opened = command
        last = command.cycle + 1
    if opened is not None:
        yield _row(opened, last, process, thread, us)


def _row(opened: Command, end: int, process: int, thread: int, us: float) -> dict[str, Any]:
    at = {"pid": process, "tid": thread, "ts": (opened.cycle - 1) * us, "dur": (end - opened.cycle) * us}
    return {"ph": "X", "name": f"row {opened.row}", "cat": "row", **at, "args": {"from": opened.cycle, "to": end}}


def _slice(command: Command, process: int, thread: int, us: float, pim: Pim) -> dict[str, Any]:
    args: dict[str, Any] = {
        "cycle": command.cycle,
        "row": command.row,
        "column": command.column,
        "wait_cycles": command.wait_cycles,
        "waits_for": command.waits_for,
        "constraint": command.constraint,
        "sheet": command.sheet,
        "source": command.place,
    }
    return {
        "ph": "X",
        "name": command.command,
        "cat": "controller" if command.by_controller else "program",
        "pid": process,
        "tid": thread,
        "ts": (command.cycle - 1) * us,
        "dur": pim.command_cycles * us,
        "args": {name: value for name, value in args.items() if value not in (None, "")},
    }


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}


def _title(banks: Sequence[int]) -> str:
    """The title of a track of banks: `bank 3`, `banks 0 to 15`, `banks 1, 5, 9`."""
    if len(banks) == 1:
        return f"bank {banks[0]}"
    if banks[-1] - banks[0] == len(banks) - 1:
        return f"banks {banks[0]} to {banks[-1]}"
    return f"banks {', '.join(map(str, banks))}"
