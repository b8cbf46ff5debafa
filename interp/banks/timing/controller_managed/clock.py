"""The time of an instruction stream on a machine whose controllers manage rows, modes and refreshes: cycle-exact,
without unrolling loops.

Channels that receive the same commands are simulated as one (interp/banks/timing/controller_managed/channel.py). The
decoder of a published simulator couples the channels: a full queue of one channel stalls the instructions of all others
(interp/banks/timing/controller_managed/run.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from interp.banks.program import Slot
from interp.banks.timing.controller_managed.run import StreamRun
from interp.banks.timing.requests.channel import Issued
from interp.banks.timing.streams import Do, Item, Pause, Stream
from interp.machine.records import Pim

DECODER = "decoder"
"""The pseudo-verb for waits during which no decoded command is available."""


class ClassTime(NamedTuple):
    """The counts for the channels of one class: all commands by slot, and cycles by the verb waited for."""

    counts: dict[Slot, int]
    waits: dict[str, int]


class StreamTime(NamedTuple):
    """The time of a stream. `cycles`: from the first command (cycle 1) until all commands are complete."""

    cycles: int
    classes: tuple[ClassTime, ...]


def stream_time(stream: Stream, pim: Pim) -> StreamTime:
    """The time of a stream."""
    if pim.decoder is None and len(stream.classes) > 1 and not _has_barrier(stream.items):
        times = [
            _run(Stream((channels,), _of_class(stream.items, at), (0,)), pim)
            for at, channels in enumerate(stream.classes)
        ]
        return StreamTime(max(time.cycles for time in times), tuple(time.classes[0] for time in times))
    return _run(stream, pim)


def _run(stream: Stream, pim: Pim) -> StreamTime:
    run = StreamRun(pim, stream)
    run.walk(run.bodies.body(stream.items))
    cycles = run.finish()
    rules = run.rules
    waits = (*rules.verbs, DECODER)
    classes = tuple(
        ClassTime(
            {slot: count for slot, count in zip(rules.slots, channel.counts, strict=True) if count},
            {
                verb: wait
                for verb, wait in zip(waits, (*channel.waits, cycles - sum(channel.waits)), strict=True)
                if wait
            },
        )
        for channel in run.channels
    )
    return StreamTime(cycles, classes)


def command_log(stream: Stream, pim: Pim, channel: int) -> tuple[int, list[Issued]]:
    """The number of cycles of an unrolled stream (`stream_of(…, unrolled=True)`), and all commands of one of its
    channels."""
    run, found = StreamRun(pim, stream), list[Issued]()
    own = next((at for at, channels in enumerate(stream.classes) if channel in channels), None)
    if own is not None:
        slots = run.rules.slots

        def record(when: int, step: int, served_slot: int, row: int) -> None:
            slot = slots[step]
            name = pim.verbs[slot.verb].forms[slot.scope].mnemonic
            if step == run.rules.sync:
                name += pim.verbs[slots[served_slot].verb].forms[slots[served_slot].scope].mnemonic
            bank = slots[served_slot].unit if slots[served_slot].scope == "bank" else -1
            found.append(Issued(when, name, bank, row))

        run.channels[own].log = record
    run.walk(run.bodies.body(stream.items))
    return run.finish(), found


def _has_barrier(items: Iterable[Item]) -> bool:
    return any(
        item.barrier if isinstance(item, Pause) else not isinstance(item, Do) and _has_barrier(item.body)
        for item in items
    )


def _of_class(items: Iterable[Item], at: int) -> tuple[Item, ...]:
    """The items of one class of channels; the result has that class only."""
    found: list[Item] = []
    for item in items:
        if isinstance(item, Do):
            if at in item.classes:
                found.append(item._replace(met=(item.met[item.classes.index(at)],), classes=(0,)))
        elif not isinstance(item, Pause) and (body := _of_class(item.body, at)):
            found.append(item._replace(body=body))
    return tuple(found)
