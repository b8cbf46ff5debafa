"""`-t explain` and `--explain NAME`: the breakdown of a task's time: waves, traffic, bound and launch of each kernel,
and its slower variants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, ClassVar, get_args

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.target import Target

from dialects.diagnostics import InputError, note
from dialects.suggestions import hint
from dialects.task import RunOp
from dialects.task import YieldOp as TaskYieldOp
from interp.cost.clock import Clock
from interp.cost.coverage import rows_of
from interp.cost.gpu.timed import Timed
from interp.cost.profile import CopyRow, Kind, ProfileRow
from interp.figures import count, energy, percent, size, table, time
from interp.machine.multiprocessor import Multiprocessor
from interp.machine.sheets.fields import SUBMITS
from interp.program.level import name_of
from interp.program.views import is_view
from interp.schedule.simulation import simulate
from interp.schedule.timeline import Event, Timeline
from lowering.banks.templates import clock_for
from lowering.tile.choice import choice_of, spaces_of
from lowering.tile.problems import LOW_PRECISION as TYPED
from lowering.tile.schedule import Problem, Schedule
from ndpir.banks.limits import commands_table, launched, summary_table, waits_table

LOST_SHOWN = 5
"""The largest number of slower variants, and of transfers, that are listed."""


@dataclass(frozen=True)
class ExplainTarget(Target):
    """The breakdown of one task's time. For each of its kernels: class, components of the time, fractions of the
    device's peaks, the fastest and the slower variants, and the source of the constants. For a task on a PIM: its bank
    programs, as target `banks` shows them. For a copy: time and bytes. For a task that waits for memory: the transfers
    that it waits for.

    `task`: the task's name or source location in the timeline, or a part of these that occurs in no other task; empty:
    the task that takes longest. `entry`: the function; default: `main`, or the first one.
    """

    name: ClassVar[str] = "explain"
    NEEDS_MACHINE: ClassVar[bool] = True
    task: str = ""
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        clock = clock_for(module)
        timeline = simulate(module, clock, self.entry)
        event = event_named(timeline, self.task, module)
        alike = sum(other.name == event.name for other, _, _ in timeline.tasks())
        if alike > 1 and self.task == event.name:
            note(
                f"{alike} tasks are named {event.name}, and the longest is shown; for another one, give a part of its "
                "source location"
            )
        lines = [*_event_lines(event, clock, module, self.entry), *_wait_lines(event, timeline)]
        output.write("\n".join(lines) + "\n")


def event_named(timeline: Timeline, name: str, at: ModuleOp) -> Event:
    """The event selected by `name`: the longest event of this name or location, or the only one with `name` as a part
    of these. Raises InputError if there is none, or if several contain `name`."""
    events = [event for event, _, _ in timeline.tasks()]
    if not events:
        raise InputError("explain: the program has no tasks that take time, so there is nothing to explain", at)
    exact = [event for event in events if name in ("", event.name, event.place)]
    if exact:
        return max(exact, key=lambda event: event.cost.ns)
    found = [event for event in events if name in event.name or name in event.place]
    found = [event for event in found if not event.is_copy] or found  # an op's copies have its location
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(dict.fromkeys(f"{event.name} from {event.place}" for event in found[:5]))
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise InputError(f"explain: `{name}` occurs in {several}{more}; give a full name or source location", at)
    near = hint(name, [event.name for event in events], "-t timeline shows all")
    raise InputError(f"explain: there is no task `{name}`{near}", at)


def _event_lines(event: Event, clock: Clock, module: ModuleOp, entry: str | None) -> Iterator[str]:
    cost = event.cost
    by = cost.bound if cost.bound in get_args(Kind) else f"bound by {cost.bound}"
    yield f"{event.name} on {_device_text(event, clock)}: {time(cost.ns)}, {by}"
    if event.place:
        yield f"from {event.place}"
    rows = [row for row in rows_of(event, clock) if row is not None]
    yield from map(_profiled, rows)
    if event.is_copy:
        yield f"{size(cost.bytes)} over the link, {energy(cost.energy_nj)}"
        return
    if rows:
        yield from ("", "by the sheet's model, without the profile:")
    ops = _ops_of(event.op)
    names = {name_of(program) for op in ops if (program := clock.kernel_of(op, event.resource)) is not None}
    if shown := [one for one in launched(module, clock, entry) if one.name in names] if names else []:
        yield from ("", summary_table(shown), waits_table(shown), commands_table(shown))
        return
    for op in ops:
        timed = clock.timed(op, event.resource)
        if timed is None:
            rows = [(part, time(ns), remark) for part, ns, remark in clock.parts(op, event.resource)]
            yield from (
                "",
                f"{op.name}: {clock.model(event.resource).description}".rstrip(": "),
                table(("", "time", ""), rows, left=(0, 2)).rstrip("\n"),
            )
        for number, kernel in enumerate(timed or (), 1):
            yield from ("", *_kernel(kernel, number, len(timed or ())))


def _wait_lines(event: Event, timeline: Timeline) -> Iterator[str]:
    """Lines on the wait of a task for memory of the primary device: its length, and the transfers during it, latest end
    first."""
    residence = timeline.residence
    number = next((number for number, each in enumerate(timeline.events) if each is event), None)
    stall = next((each for each in residence.stalls if each.event == number), None) if residence else None
    if residence is None or stall is None or number is None:
        return
    yield ""
    wait = time(stall.end_ns - stall.start_ns)
    yield f"the task waits {wait} for memory of @{residence.device}, during these transfers:"
    meanwhile = [each for each in residence.transfers if each.start_ns < stall.end_ns and each.end_ns > stall.start_ns]
    meanwhile.sort(key=lambda each: (-each.end_ns, -each.nbytes))
    rows = [
        (time(each.start_ns), time(each.end_ns), each.resource, each.name, size(round(each.nbytes)))
        for each in meanwhile[:LOST_SHOWN]
    ]
    yield table(("start", "end", "on", "transfer", "bytes"), rows, left=(2, 3)).rstrip("\n")
    if len(meanwhile) > LOST_SHOWN:
        yield f"... {len(meanwhile) - LOST_SHOWN} more (-t timeline shows all)"


def _profiled(row: ProfileRow | CopyRow) -> str:
    """A line on the times in a profile's row: median, number of runs, range and interquartile range."""
    times = row.times_ns
    what = f"{row.op} " if isinstance(row, ProfileRow) and row.op else ""
    if len(times) == 1:
        return f"{what}{row.kind}: {time(times[0])}, once"
    spread = f"the middle half within {time(row.spread_ns)}"
    if row.median_ns:
        spread += f" ({percent(row.spread_ns / row.median_ns)})"
    return (
        f"{what}{row.kind}: {time(row.median_ns)}, the median of {len(times)} runs from {time(min(times))} to "
        f"{time(max(times))}, {spread}"
    )


def _device_text(event: Event, clock: Clock) -> str:
    record = clock.machine.devices.get(event.resource)
    return f"@{event.resource} = {record.name}" if record is not None else event.resource


def _ops_of(op: Operation) -> list[Operation]:
    ops = list(op.body.block.ops) if isinstance(op, RunOp) else [op]
    return [op for op in ops if not isinstance(op, TaskYieldOp) and not is_view(op)]


def _kernel(timed: Timed, number: int, count: int) -> Iterator[str]:
    kernel, estimate, index = timed.kernel, timed.estimate, timed.index
    sizes = ", ".join(f"{name} {value:,.6g}" for name, value in kernel.numbers.items() if name != "bytes")
    yield f"kernel {number} of {count}: {kernel.kernel_class} {kernel.element}, for {kernel.op.name} ({sizes})"
    yield table(("part", "", ""), list(_parts(timed)), left=(0, 2)).rstrip("\n")
    shown_facts = {name: float(values[index]) for name, values in estimate.facts.items() if name != "way"}
    if shown_facts.get("waves") == 0:  # an elementwise kernel without tiles
        shown_facts = {name: value for name, value in shown_facts.items() if name not in ("waves", "tail")}
    if kernel.kernel_class == "gemm":  # facts of the fitted model, whose tiles are not those of a library
        shown_facts = {}
    facts = [f"{name.replace('_', ' ')} {_fact_text(name, value)}" for name, value in shown_facts.items()]
    if facts:
        yield "  " + ", ".join(facts)
    yield from _variants(timed)
    yield from _tile(timed)
    yield f"  constants {timed.known.origin}"


def _parts(timed: Timed) -> Iterator[tuple[str, str, str]]:
    estimate, index, gpu = timed.estimate, timed.index, timed.gpu
    own = timed.own_ns
    flops, dram, l2 = (float(values[index]) for values in (estimate.flops, estimate.dram_bytes, estimate.l2_bytes))
    peak = dram / own * 1e9 / gpu.bandwidth
    peaks = {
        "compute": f"{flops:,.4g} flops, {flops / own:,.4g} GFLOP/s over the kernel's time",
        "dram": f"{size(round(dram))}, {dram / own:,.4g} GB/s over the kernel's time, {percent(peak)} of peak",
        "l2": f"{size(round(l2))}, {l2 / own:,.4g} GB/s over the kernel's time",
    }
    yield "launch", time(timed.launch_ns), "gap between the previous kernel and this one"
    for name, values in estimate.terms.items():
        if values[index] > 0:
            yield name, time(float(values[index])), peaks.get(name, "")
    yield "kernel", time(own), "the parts above except launch, overlapped, plus the kernel's fixed time"
    if timed.fused_ns:
        yield "fused ops", time(timed.fused_ns), "time that the other ops of the group add"
    if timed.dispatch_ns:
        yield "dispatch", time(timed.dispatch_ns), f"the host's, {gpu.submits}: {SUBMITS[gpu.submits]}; at least this"
    yield "total", time(timed.ns), f"bound by {timed.bound}"
    parts = ", ".join(f"{name} {energy(nj)}" for name, nj in timed.energy_nj.items() if nj)
    yield "energy", energy(sum(timed.energy_nj.values())), f"by component: {parts}"
    yield "board", energy(timed.board_nj), f"{timed.board_w:.4g} W while it runs"


def _fact_text(name: str, value: float) -> str:
    if name == "tail":  # idle places as a fraction of the work; shown as a fraction of all places
        return f"{percent(value / (1 + value))} of the waves' thread-block slots idle"
    return percent(value) if name in ("occupancy", "resident") else f"{value:,.4g}"


def _variants(timed: Timed) -> Iterator[str]:
    """Lines on the fastest modelled variant of a kernel, and on the next fastest ones."""
    estimate, index = timed.estimate, timed.index
    if estimate.way_ns is None:
        return
    least = dict[str, float]()
    for name, ns in zip(estimate.ways, np.asarray(estimate.way_ns)[index].tolist(), strict=True):
        if np.isfinite(ns):
            least[name] = min(ns, least.get(name, ns))
    (won, best), *lost = sorted(least.items(), key=lambda each: each[1]) or [("", 0.0)]
    if not lost:
        return
    yield f"  modelled  {won}, the fastest of {len(least)}; a library may run another kernel"
    yield "  slower    " + "; ".join(f"{name} +{percent(ns / best - 1)}" for name, ns in lost[:LOST_SHOWN])


def _tile(timed: Timed) -> Iterator[str]:
    """A line on the fastest tile of a matrix product by the timing model of thread blocks; none if no template computes
    the product, or if the sheet lacks values of the model."""
    numbers, element = timed.kernel.numbers, timed.kernel.element
    if timed.kernel.kernel_class != "gemm" or element not in TYPED:
        return
    try:
        unit = Multiprocessor.of(timed.gpu, timed.kernel.op)
    except InputError:
        return
    m, n, k, batch = (round(numbers.get(name, 1)) for name in ("m", "n", "k", "batch"))
    problem = Problem(m, n, k, batch, element=element, result=element)
    choice = choice_of(problem, unit, spaces_of("ours", problem))
    if choice is None:
        return
    text = f"{_schedule_text(choice.schedule)}, {time(choice.ns)} by the model of thread blocks"
    yield f"  tile      {text}; a library may use another tile"


def _schedule_text(schedule: Schedule) -> str:
    split = f", split-K {schedule.split}" if schedule.split > 1 else ""
    return f"{'x'.join(map(str, schedule.block))} in {count(schedule.stages, 'stage')}{split}"
