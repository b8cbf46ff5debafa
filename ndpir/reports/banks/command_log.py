"""The answer of `-t commands`: the commands on the buses of a kernel's channels, each with the cause of its wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from dialects.diagnostics import working
from dialects.pim import COMMANDS, KernelOp
from interp.kinds.pim.program import Slot, classes_of
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.timing.log import LoggedCommand, busiest_channel, log_commands
from interp.kinds.pim.timing.periods import FAR
from interp.kinds.pim.timing.requests.kernel import is_reordered
from interp.machine.records import Pim, Scope, constraint_text

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
