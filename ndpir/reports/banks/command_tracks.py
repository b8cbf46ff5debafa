"""Commands of bank programs as a trace in the Trace Event Format, for ui.perfetto.dev: a process for each channel, a
track for its command bus, and tracks for its banks with the rows that are open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dialects.pim import COMMANDS
from interp.kinds.pim.program import Slot
from interp.machine.records import Pim
from ndpir.reports.banks.command_log import Command, CommandsAnswer, KernelCommands

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
