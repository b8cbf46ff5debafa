"""The time of an instruction stream on a machine whose controllers manage rows, modes and refreshes: cycle-exact,
without unrolling loops.

Channels that receive the same commands form a class and are simulated as one channel
(interp/kinds/pim/timing/controller_managed/channel.py). The decoder of a published simulator couples the channels: a
full queue of one channel stalls the instructions of all others (interp/kinds/pim/timing/controller_managed/run.py). A
slot is a command's verb, scope and unit (interp/kinds/pim/program.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.controller_managed.channel import Issues, ManagedChannel
from interp.kinds.pim.timing.controller_managed.run import StreamRun
from interp.kinds.pim.timing.streams import Stream
from interp.machine.records import Pim

DECODER = "decoder"
"""The pseudo-verb for waits during which no decoded command is available."""


class ClassTime(NamedTuple):
    """The commands issued to one channel of a class, counted by slot, and that channel's cycles by the verb waited
    for."""

    counts: dict[Slot, int]
    waits: dict[str, int]


class StreamTime(NamedTuple):
    """The time of an instruction stream. `cycles`: from the first command (cycle 1) until all commands of all channels
    are complete. `classes`: the counts for each class of channels."""

    cycles: int
    classes: tuple[ClassTime, ...]


def stream_time(stream: Stream, pim: Pim) -> StreamTime:
    """The time and the command counts of an instruction stream."""
    if are_independent(stream, pim):
        times = [run_stream(one, pim) for one in stream.by_class]
        return StreamTime(max(time.cycles for time in times), tuple(time.classes[0] for time in times))
    return run_stream(stream, pim)


def run_stream(stream: Stream, pim: Pim) -> StreamTime:
    """The time and the command counts of a stream whose classes of channels are simulated together."""
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


def log_stream(
    stream: Stream, pim: Pim, channel: int, walked_from: int, log: Callable[[ManagedChannel, Issues], None]
) -> None:
    """Runs a stream, and passes the commands of one channel to a callback, in order: all of them from cycle
    `walked_from` on, and some earlier ones. The callback may end the run by an exception."""
    own = next((at for at, channels in enumerate(stream.classes) if channel in channels), None)
    if own is None:
        return
    if are_independent(stream, pim):
        stream, own = stream.by_class[own], 0
    run = StreamRun(pim, stream)
    run.walked_from = walked_from
    run.channels[own].log = partial(log, run.channels[own])
    run.walk(run.bodies.body(stream.items))
    run.finish()


def are_independent(stream: Stream, pim: Pim) -> bool:
    """True if the classes of channels do not wait for each other."""
    return pim.decoder is None and len(stream.classes) > 1 and not stream.has_barrier
