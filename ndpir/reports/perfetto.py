"""`-t perfetto`: the timeline as a Chrome trace for ui.perfetto.dev, with devices and links as tracks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from interp.kinds.clock import Clock
from interp.simulate.memory.history import Curve, history_of_program
from interp.simulate.memory.residence import Residence
from interp.simulate.schedule.timeline import LOOPS, Event, Timeline
from ndpir.reports.run import Run

DEVICES, LINKS, MEMORY = 1, 2, 3
"""The groups of tracks, called processes in the Trace Event Format."""


@dataclass(frozen=True)
class PerfettoTarget(Target):
    """The timeline as one JSON object in the Trace Event Format, with one track for each device, link and further
    queue; arrows connect each copy with the task that computes its value and the tasks that read it. `energy_nj` is
    the energy by component; `board_nj` is the energy of whole boards, with static power, if the boards are
    calibrated.

    A program that exceeds its device's memory has a third group of tracks: counters of the bytes that each memory holds
    and of the bytes moved so far (prefetched, faulted, evicted, written back), and tracks of waits and transfers.
    """

    name: ClassVar[str] = "perfetto"
    NEEDS_MACHINE: ClassVar[bool] = True
    BASELINE: ClassVar[bool] = False
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        run = Run.of(module, self.entry)
        json.dump(trace_of(run.timeline, run.clock), output, separators=(",", ":"))
        output.write("\n")


def trace_of(timeline: Timeline, clock: Clock) -> dict[str, Any]:
    """The trace as plain data. Times of trace events are in us, as the format requires."""
    tracks = _tracks(timeline)
    return {
        "displayTimeUnit": "ns",
        "otherData": {
            "makespan_ns": timeline.makespan_ns,
            "bound_ns": timeline.bound_ns,
            "bound_by": timeline.bound_by,
            "energy_nj": timeline.total_energy_nj,
            **({"board_nj": timeline.board_nj} if timeline.metered else {}),
            "bytes_copied": timeline.bytes_copied,
        },
        "traceEvents": [
            *_names(tracks, clock),
            *_slices(timeline, tracks),
            *_arrows(timeline, tracks),
            *(_memory(timeline, timeline.residence) if timeline.residence is not None else ()),
        ],
    }


def _tracks(timeline: Timeline) -> dict[tuple[str, int], tuple[int, int]]:
    """The process and the thread in the trace for each resource (device or link) and queue, in the machine's order."""
    used = dict.fromkeys((name, 0) for name in timeline.resources)
    used |= dict.fromkeys(sorted((event.resource, event.queue) for event, _ in _all(timeline)))
    order = {name: index for index, name in enumerate((*timeline.resources, LOOPS))}
    ranked = sorted(used, key=lambda track: (order[track[0]], track[1]))
    return {
        track: (DEVICES if track[0] in timeline.devices else LINKS, thread)
        for thread, track in enumerate(ranked, start=1)
    }


def _names(tracks: dict[tuple[str, int], tuple[int, int]], clock: Clock) -> Iterator[dict[str, Any]]:
    for process, title in ((DEVICES, "devices"), (LINKS, "links")):
        if any(process == pid for pid, _ in tracks.values()):
            yield {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": title}}
    for (name, queue), (process, thread) in tracks.items():
        record = clock.machine.devices.get(name)
        title = (f"@{name} ({record.name})" if record else name) + (f" queue {queue}" if queue else "")
        yield {"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": {"name": title}}
        yield {"ph": "M", "name": "thread_sort_index", "pid": process, "tid": thread, "args": {"sort_index": thread}}


def _slices(timeline: Timeline, tracks: dict[tuple[str, int], tuple[int, int]]) -> Iterator[dict[str, Any]]:
    for event, begin_ns in _all(timeline):
        process, thread = tracks[event.resource, event.queue]
        yield {
            "ph": "X",
            "name": event.name,
            "cat": "copy" if event.is_copy else "task" if event.body is None else "loop",
            "pid": process,
            "tid": thread,
            "ts": (begin_ns + event.start_ns) / 1e3,
            "dur": (event.end_ns - event.start_ns) / 1e3,
            "args": _details(event),
        }


def _all(timeline: Timeline, begin_ns: float = 0.0) -> Iterator[tuple[Event, float]]:
    """All events, including those of each loop's first iteration. Each event comes with the start in ns of its loop's
    first iteration, to which the event's own times are relative (0 outside of loops)."""
    for event in timeline.events:
        yield event, begin_ns
        if event.body is not None:
            yield from _all(event.body, begin_ns + event.start_ns)


def _details(event: Event) -> dict[str, Any]:
    cost = event.cost
    return {
        "source": event.place,
        "ns": cost.ns,
        "bound": cost.bound,
        "bytes": cost.bytes,
        "flops": cost.flops,
        "energy_nj": cost.energy_nj,
        **({"iterations": event.iterations} if event.body is not None else {}),
        **({"board_nj": cost.metered_nj} if cost.metered_nj is not None else {}),
    }


def _arrows(timeline: Timeline, tracks: dict[tuple[str, int], tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Arrows into each copy from the task that computed its value, and from the copy to each task that waited for
    it."""
    number = 0
    parts = [(timeline, 0.0)]
    parts += [(event.body, begin + event.start_ns) for event, begin in _all(timeline) if event.body is not None]
    pairs = (
        (event, part.events[index], begin)
        for part, begin in parts
        for event in part.events
        for index in (*event.job.after, *event.job.streams)
    )
    for event, other, begin in pairs:
        if not (event.is_copy or other.is_copy):
            continue
        number += 1
        common = {"name": "value", "cat": "value", "id": number}
        # An arrow is only drawn if each end is inside its slice; a streamed value is read before its maker ends.
        leaves = begin + min(other.start_ns + 0.99 * (other.end_ns - other.start_ns), event.start_ns)
        yield common | _end("s", leaves, *tracks[other.resource, other.queue])
        yield common | _end("f", begin + event.start_ns, *tracks[event.resource, event.queue]) | {"bp": "e"}


def _end(phase: str, ns: float, process: int, thread: int) -> dict[str, Any]:
    return {"ph": phase, "ts": ns / 1e3, "pid": process, "tid": thread}


def _memory(timeline: Timeline, residence: Residence) -> Iterator[dict[str, Any]]:
    """Trace events for the memory of a program that exceeds its device's: counters, waits and transfers."""
    history = history_of_program(residence)
    common = {"pid": MEMORY, "tid": 0}
    yield {"ph": "M", "name": "process_name", **common, "args": {"name": "memory"}}
    for level in history.levels:
        yield from _counter(f"resident @{level.name}", level.held, "bytes")
    for word, curve in history.moved.items():
        yield from _counter(word, curve, "bytes")
    yield from _counter("stalled", history.stalled, "ns")
    waits: list[tuple[str, str, float, float, dict[str, float]]] = [
        ("wait", each.name, each.start_ns, each.end_ns, {}) for each in residence.stalls
    ]
    moves = (
        (
            f"{transfer.resource} ({transfer.kind}, @{transfer.tier})",
            transfer.name,
            transfer.start_ns,
            transfer.end_ns,
            {"bytes": transfer.nbytes, "energy_nj": transfer.energy_nj},
        )
        for transfer in residence.transfers
    )
    threads: dict[str, int] = {}
    for track, name, start_ns, end_ns, arguments in (*waits, *moves):
        thread = threads.setdefault(track, len(threads) + 1)
        at = {"pid": MEMORY, "tid": thread, "ts": start_ns / 1e3, "dur": (end_ns - start_ns) / 1e3}
        yield {"ph": "X", "name": name, "cat": "memory", **at, "args": arguments}
    for track, thread in threads.items():
        yield {"ph": "M", "name": "thread_name", "pid": MEMORY, "tid": thread, "args": {"name": track}}


def _counter(name: str, curve: Curve, unit: str) -> Iterator[dict[str, Any]]:
    """Trace events of a counter, one per change of its value. If the value changes several times at one time, only the
    last value is written."""
    steps = dict(zip(curve.times.tolist(), map(round, curve.values.tolist()), strict=True))
    for (ns, value), (_, before) in zip(steps.items(), [(0.0, None), *steps.items()], strict=False):
        if value == before:
            continue
        yield {"ph": "C", "name": name, "pid": MEMORY, "tid": 0, "ts": ns / 1e3, "args": {unit: value}}
