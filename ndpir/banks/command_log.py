"""The answer of `-t commands`: the commands on the buses of a kernel's channels, with what each of them waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from dialects.diagnostics import working
from dialects.pim import COMMANDS, KernelOp
from interp.banks.program import Slot, classes_of
from interp.banks.timing.clock import kernel_time
from interp.banks.timing.log import LoggedCommand, busiest_channel, log_commands
from interp.banks.timing.periods import FAR
from interp.banks.timing.requests.kernel import is_reordered
from interp.machine.records import Pim, Scope, constraint_text

OFTEN = 10_000
"""Progress is reported whenever so many more commands were logged."""


@dataclass(frozen=True)
class Command:
    """One command on a channel's bus. An index is null if the command has none, or if it addresses several banks."""

    cycle: int
    """Of its channel, from 1."""
    channel: int
    command: str
    """Its name in the sheet, as vendors and simulators write it."""
    verb: str
    scope: Scope
    """The banks that it addresses: all of the channel, a group, one bank of every group (`same`) or pseudo-channel
    (`twin`), or one bank."""
    unit: int
    """The number of the unit of the scope; 0 for all banks."""
    pseudochannel: int | None
    group: int | None
    """Of the channel's bank groups."""
    bank: int | None
    """Of the channel's banks."""
    row: int | None
    """The row that it uses, opens or closes; of a command that the controller adds, the row that the program's next
    command needs. Rows of activation tables are numbered from 2^29."""
    column: int | None
    buffer: int | None
    """The column of the global buffer."""
    accumulator: int | None
    wait_cycles: int
    """Cycles since the command before it on this channel, or since the program had a command for the channel again."""
    waits_for: str
    """What the cycles are attributed to; sums over a channel are those of `-t banks`."""
    constraint: str | None
    """The timing constraint of the sheet that ends exactly when the command issues; null if no constraint does, but
    only the command bus, the decoder, a barrier or the refresh interval."""
    constraint_cycles: int | None
    sheet: str | None
    """The line of the sheet that states the constraint."""
    by_controller: bool
    """True if the channel's controller added it to the program."""
    place: str
    """The line of the program that it comes from; empty if unknown."""


@dataclass(frozen=True)
class KernelCommands:
    """The commands of a kernel in a window of cycles, channel by channel."""

    kernel: str
    device: str
    sheet: str
    cycle_ns: float
    cycles: int
    """Of one launch, in its slowest channel."""
    channels: tuple[int, ...]
    """The channels that are shown."""
    from_cycle: int
    to_cycle: int | None
    """The first cycle behind the window; null if it extends to the kernel's end."""
    complete: bool
    """False if a channel has more commands in the window, and a limit left them out."""
    commands: tuple[Command, ...]


@dataclass(frozen=True)
class CommandsAnswer:
    """The commands of bank programs."""

    kernels: tuple[KernelCommands, ...]


@dataclass(frozen=True)
class Window:
    """The cycles `first` to `end` - 1 of each channel, and in these at most `limit` commands."""

    first: int = 1
    end: int | None = None
    limit: int | None = None


def log_kernel(
    kernel: KernelOp, pim: Pim, channels: Iterable[int], window: Window, sink: Callable[[int, LoggedCommand], None]
) -> list[int]:
    """Passes the commands of some channels to `sink`, channel by channel. Returns the channels that have more than the
    window's limit. Raises InputError, at the op, for a command that the device does not have."""
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
    """The channels that a kernel uses, in order."""
    return sorted(channel for channels in classes_of(kernel) for channel in channels)


def slowest_channel(kernel: KernelOp, pim: Pim) -> int:
    """The channel whose waits `-t banks` shows: the slowest one, or the one with the most commands if controllers
    reorder them."""
    return busiest_channel(kernel, pim) if is_reordered(kernel, pim) else kernel_time(kernel, pim).channel


def kernel_commands(
    name: str, device: str, kernel: KernelOp, pim: Pim, channels: Iterable[int], window: Window
) -> KernelCommands:
    """The answer for one kernel."""
    found: list[Command] = []
    shown = tuple(channels)
    cut = log_kernel(kernel, pim, shown, window, lambda channel, each: found.append(command_of(each, channel, pim)))
    cycles = kernel_time(kernel, pim).cycles
    return KernelCommands(
        name, device, pim.name, pim.cycle_ns, cycles, shown, window.first, window.end, not cut, tuple(found)
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
        None if constraint is None else pim.places.get(constraint_text(constraint)),
        not logged.own,
        operands.place,
    )


@lru_cache(maxsize=1 << 12)
def address_of(slot: Slot, pim: Pim) -> tuple[int | None, int | None, int | None]:
    """The pseudo-channel, group and bank that contain all banks of a command; None for a level at which it addresses
    several units."""
    banks = slot.banks(pim)
    sizes = pim.banks_per_channel // pim.pseudochannels, pim.banks, 1
    units = [{bank // size for bank in banks} for size in sizes]
    pseudochannel, group, bank = (next(iter(unit)) if len(unit) == 1 else None for unit in units)
    return pseudochannel, group, bank


def _index(number: int) -> int | None:
    return None if number < 0 else number
