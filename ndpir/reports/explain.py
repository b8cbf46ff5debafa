"""`-t explain` and `--explain NAME`: the breakdown of a task's time: waves, traffic, bound and launch of each kernel,
and its slower variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dialects.diagnostics import InputError, note
from dialects.graph import FusedOp, GraphOp
from dialects.task import RunOp
from dialects.task import YieldOp as TaskYieldOp
from dialects.text.columns import table
from dialects.text.suggestions import hint
from interp.figures import count, energy, percent, size, time
from interp.kinds.clock import Clock
from interp.kinds.gpu.constants.calibration import GENERIC
from interp.kinds.gpu.kernel_clock import KernelClock
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.kinds.gpu.timed import Timed
from interp.machine.profile import CopyRow, Kind, ProfileRow
from interp.machine.sheets.fields import SUBMITS
from interp.simulate.schedule.coverage import rows_of
from interp.simulate.schedule.timeline import Event, Timeline
from interp.walk.level import name_of
from interp.walk.views import is_view
from lowering.tile.choice import choice_of, spaces_of
from lowering.tile.problems import LOW_PRECISION as TYPED
from lowering.tile.schedule import Problem
from ndpir.reports.banks.kernels import BankKernel, bank_kernel, commands_table, launched, summary_table, waits_table
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget


@dataclass(frozen=True)
class Samples:
    """Statistics of the times that one row of a profile contains."""

    op: str
    """The op that the row was measured for; empty if the row names none."""
    kind: str
    """`measured` or `simulated`."""
    runs: int
    median_ns: float
    least_ns: float
    most_ns: float
    spread_ns: float
    """The interquartile range of the times."""


@dataclass(frozen=True)
class Part:
    """A part of an op's time."""

    name: str
    ns: float
    remark: str


@dataclass(frozen=True)
class KernelVariant:
    """An algorithm for a kernel that the cost model compared with others."""

    name: str
    ns: float


@dataclass(frozen=True)
class TileChoice:
    """The fastest tile of a matrix product by the timing model of thread blocks."""

    block: tuple[int, ...]
    stages: int
    split_k: int
    ns: float


@dataclass(frozen=True)
class GpuKernel:
    """A kernel of a GPU. `compute`, `dram` and `l2` overlap within `kernel_ns`, which also contains a fixed time."""

    kernel_class: str
    element: str
    op: str
    sizes: Mapping[str, float]
    launch_ns: float
    """The gap between the previous kernel and this one."""
    parts_ns: Mapping[str, float]
    """The parts of `kernel_ns` by name: compute, dram, l2."""
    kernel_ns: float
    fused_ns: float
    """The time that ops fused into the kernel add to that of its main op."""
    dispatch_ns: float
    """The least time that the host takes to submit the kernel; 0 if the sheet states none."""
    submits: str
    """The way in which the host submits kernels, as the sheet names it."""
    ns: float
    """The sum of `launch_ns`, `kernel_ns` and `fused_ns`."""
    bound: str
    flops: float
    dram_bytes: float
    l2_bytes: float
    dram_of_peak: float
    """`dram_bytes` divided by the kernel's time, as a fraction of the device's peak DRAM bandwidth."""
    energy_nj: Mapping[str, float]
    """Energy of the kernel in nJ, by component."""
    board_nj: float
    board_w: float
    facts: Mapping[str, float]
    """Intermediate results of the cost model by name: blocks, waves, `tail` (idle thread-block slots divided by used
    ones), …"""
    variants: tuple[KernelVariant, ...]
    """The algorithms that the model compared, the fastest first; empty if it compares none."""
    tile: TileChoice | None
    """The fastest tile; null if no thread-block template computes the kernel, or if the sheet lacks values that the
    timing model of thread blocks needs."""
    library: str
    """The library whose kernels the GPU runs; `generic` for the mean over all libraries."""
    substitute: str
    """The kernels that stand for those of the library, which has no measured ones of this class and element type for
    the GPU's compute capability, in words; empty if the kernels are the library's own."""
    error: str
    """The error of the kernels' times, as their calibration states it; empty if it states none."""
    chip: str
    """The source of the constants of the chip; empty if the kernel's class has none."""
    left_out: str
    """For a GPU that is not measured for the kernel's class: the class's error where a chip was left out with its
    siblings; empty for a measured GPU."""
    constants: str
    """The source of the constants in the cost model."""
    power: str
    """The source of the board's power, with the error of its energy for kernels of this class; or that this is
    unknown."""


@dataclass(frozen=True)
class ExplainedOp:
    """An op of the explained task."""

    op: str
    model: str
    """A short description of the cost model that times the op on this device."""
    parts: tuple[Part, ...]
    """The parts of the op's time; empty on a GPU, where `kernels` have parts."""
    kernels: tuple[GpuKernel, ...] | None
    """The op's GPU kernels; null for a device whose cost model has no kernels."""


@dataclass(frozen=True)
class WaitedTransfer:
    """A transfer between memories."""

    start_ns: float
    end_ns: float
    on: str
    name: str
    bytes: int


@dataclass(frozen=True)
class MemoryWait:
    """The wait of a task for memory of the primary device."""

    device: str
    ns: float
    transfers: tuple[WaitedTransfer, ...]
    """The transfers in progress during the wait, the latest end first."""


@dataclass(frozen=True)
class ExplainAnswer:
    """The parts of one task's time."""

    name: str
    on: str
    """The device that runs the task, or the direction of a link that makes the copy."""
    sheet: str | None
    """The device's sheet; null for a link."""
    ns: float
    bound: str
    """The component that limits the time; `measured` or `simulated` for a time of a profile."""
    profiled: bool
    """True if the time comes from a profile."""
    place: str
    """The line of the program that the task comes from."""
    copy: bool
    """True for a copy between devices."""
    bytes: int
    energy_nj: float
    samples: tuple[Samples, ...]
    """The rows of profiles that the time comes from."""
    bank_kernels: tuple[BankKernel, ...]
    """The bank programs of a task on a PIM; for these, `ops` is empty."""
    ops: tuple[ExplainedOp, ...]
    wait: MemoryWait | None
    """Null if the task does not wait for memory."""


def explain_answer(run: Run, task: str = "") -> ExplainAnswer:
    """The parts of the time of the task that `event_named` selects by `task`. Raises InputError if there is no such
    task."""
    timeline, clock = run.timeline, run.clock
    event = event_named(timeline, task, run.module)
    alike = sum(other.name == event.name for other, _, _ in timeline.tasks())
    if alike > 1 and task == event.name:
        note(
            f"{alike} tasks are named {event.name}, and the longest is shown; for another one, give a part of its "
            "source location"
        )
    record, cost = clock.machine.devices.get(event.resource), event.cost
    ops = [] if event.is_copy else _ops_of(event.op)
    names = {name_of(program) for op in ops if (program := clock.kernel_of(op, event.resource)) is not None}
    banks = [bank_kernel(one) for one in launched(run) if one.name in names] if names else []
    return ExplainAnswer(
        event.name,
        event.resource,
        None if record is None else record.name,
        cost.ns,
        cost.bound,
        cost.bound in get_args(Kind),
        event.place,
        event.is_copy,
        cost.bytes,
        cost.energy_nj,
        tuple(_samples(row) for row in rows_of(event, clock) if row is not None),
        tuple(banks),
        () if banks else tuple(_explained(op, event.resource, clock) for op in ops),
        _wait(event, timeline),
    )


def event_named(timeline: Timeline, name: str, at: ModuleOp) -> Event:
    """The event selected by `name`: the longest event whose name or location is `name`, or else the only event whose
    name or location contains `name`. Raises InputError if no event or several events contain it."""
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


def _ops_of(op: Operation) -> list[Operation]:
    ops = list(op.body.block.ops) if isinstance(op, RunOp) else [op]
    return [op for op in ops if not isinstance(op, TaskYieldOp) and not is_view(op)]


def _samples(row: ProfileRow | CopyRow) -> Samples:
    op, times = row.op if isinstance(row, ProfileRow) else "", row.times_ns
    return Samples(op, row.kind, len(times), row.median_ns, min(times), max(times), row.spread_ns)


def _wait(event: Event, timeline: Timeline) -> MemoryWait | None:
    residence = timeline.residence
    number = next((number for number, each in enumerate(timeline.events) if each is event), None)
    stall = next((each for each in residence.stalls if each.event == number), None) if residence else None
    if residence is None or stall is None or number is None:
        return None
    meanwhile = [each for each in residence.transfers if each.start_ns < stall.end_ns and each.end_ns > stall.start_ns]
    meanwhile.sort(key=lambda each: (-each.end_ns, -each.nbytes))
    rows = (
        WaitedTransfer(each.start_ns, each.end_ns, each.resource, each.name, round(each.nbytes)) for each in meanwhile
    )
    return MemoryWait(residence.device, stall.end_ns - stall.start_ns, tuple(rows))


def _explained(op: Operation, device: str, clock: Clock) -> ExplainedOp:
    model = clock.model(device)
    if isinstance(model, KernelClock) and isinstance(op, GraphOp | FusedOp):
        return ExplainedOp(op.name, model.description, (), tuple(_kernel(each) for each in model.timed(op)))
    return ExplainedOp(op.name, model.description, tuple(Part(*part) for part in clock.parts(op, device)), None)


def _kernel(timed: Timed) -> GpuKernel:
    kernel, estimate, index, gpu = timed.kernel, timed.estimate, timed.index, timed.gpu
    flops, dram, l2 = (float(values[index]) for values in (estimate.flops, estimate.dram_bytes, estimate.l2_bytes))
    facts = {name: float(values[index]) for name, values in estimate.facts.items() if name != "way"}
    if facts.get("waves") == 0:  # an elementwise kernel without tiles
        facts = {name: value for name, value in facts.items() if name not in ("waves", "tail")}
    if kernel.kernel_class == "gemm":  # facts of the fitted model, whose tiles are not those of a library
        facts = {}
    return GpuKernel(
        kernel.kernel_class,
        str(kernel.element),
        kernel.op.name,
        {name: float(value) for name, value in kernel.numbers.items() if name != "bytes"},
        timed.launch_ns,
        {name: ns for name, values in estimate.terms.items() if (ns := float(values[index])) > 0},
        timed.own_ns,
        timed.fused_ns,
        timed.dispatch_ns,
        gpu.submits,
        timed.ns,
        timed.bound,
        flops,
        dram,
        l2,
        dram / timed.own_ns * 1e9 / gpu.bandwidth,
        dict(timed.energy_nj),
        timed.board_nj,
        timed.board_w,
        facts,
        tuple(_variants(timed)),
        _tile(timed),
        gpu.library or GENERIC,
        timed.known.substitute,
        timed.known.error,
        timed.known.chip,
        timed.known.left_out,
        timed.known.origin,
        timed.power_known,
    )


def _variants(timed: Timed) -> Iterator[KernelVariant]:
    estimate, index = timed.estimate, timed.index
    if estimate.way_ns is None:
        return
    least = dict[str, float]()
    for name, ns in zip(estimate.ways, np.asarray(estimate.way_ns)[index].tolist(), strict=True):
        if np.isfinite(ns):
            least[name] = min(ns, least.get(name, ns))
    for name, ns in sorted(least.items(), key=lambda each: each[1]):
        yield KernelVariant(name, ns)


def _tile(timed: Timed) -> TileChoice | None:
    numbers, element = timed.kernel.numbers, timed.kernel.element
    if timed.kernel.kernel_class != "gemm" or element not in TYPED:
        return None
    try:
        unit = Multiprocessor.of(timed.gpu, timed.kernel.op)
    except InputError:
        return None
    m, n, k, batch = (round(numbers.get(name, 1)) for name in ("m", "n", "k", "batch"))
    problem = Problem(m, n, k, batch, element=element, result=element)
    choice = choice_of(problem, unit, spaces_of("ours", problem))
    if choice is None:
        return None
    schedule = choice.schedule
    return TileChoice(tuple(schedule.block), schedule.stages, schedule.split, choice.ns)


LOST_SHOWN = 5
"""The largest number of slower variants to list, and the largest number of transfers."""


@dataclass(frozen=True)
class ExplainTarget(AnswerTarget[ExplainAnswer]):
    """The breakdown of one task's time. For each of its kernels: class, components of the time, fractions of the
    device's peaks, the fastest and the slower variants, and the source of the constants. For a task on a PIM: its
    bank programs, as target `banks` shows them. For a copy: time and bytes. For a task that waits for memory: the
    transfers that it waits for.

    `task`: the task's name or source location in the timeline, or a part of these that occurs in no other task; empty:
    the task that takes longest. `entry`: the function; default: `main`, or else the first function. `json`: the answer
    as JSON.
    """

    name: ClassVar[str] = "explain"
    task: str = ""
    entry: str | None = None

    def answer(self, module: ModuleOp) -> ExplainAnswer:
        return explain_answer(Run.of(module, self.entry), self.task)

    def text(self, answer: ExplainAnswer) -> str:
        return "\n".join([*_task_lines(answer), *(_wait_lines(answer.wait) if answer.wait is not None else [])]) + "\n"


def _task_lines(answer: ExplainAnswer) -> Iterator[str]:
    by = answer.bound if answer.profiled else f"bound by {answer.bound}"
    on = answer.on if answer.sheet is None else f"@{answer.on} = {answer.sheet}"
    yield f"{answer.name} on {on}: {time(answer.ns)}, {by}"
    if answer.place:
        yield f"from {answer.place}"
    yield from map(_samples_line, answer.samples)
    if answer.copy:
        yield f"{size(answer.bytes)} over the link, {energy(answer.energy_nj)}"
        return
    if answer.samples:
        yield from ("", "by the sheet's model, without the profile:")
    if shown := answer.bank_kernels:
        yield from ("", summary_table(shown), waits_table(shown), commands_table(shown))
    for op in answer.ops:
        yield from _op_lines(op)


def _op_lines(op: ExplainedOp) -> Iterator[str]:
    if op.kernels is None:
        rows = [(part.name, time(part.ns), part.remark) for part in op.parts]
        yield from ("", f"{op.op}: {op.model}".rstrip(": "), table(("", "time", ""), rows, left=(0, 2)).rstrip("\n"))
    for number, kernel in enumerate(op.kernels or (), 1):
        yield from ("", *_kernel_lines(kernel, number, len(op.kernels or ())))


def _wait_lines(wait: MemoryWait) -> Iterator[str]:
    """Lines on a task's wait for memory of the primary device: the duration of the wait, and the transfers during it,
    in order of their ends, latest first."""
    yield ""
    yield f"the task waits {time(wait.ns)} for memory of @{wait.device}, during these transfers:"
    rows = [
        (time(each.start_ns), time(each.end_ns), each.on, each.name, size(each.bytes))
        for each in wait.transfers[:LOST_SHOWN]
    ]
    yield table(("start", "end", "on", "transfer", "bytes"), rows, left=(2, 3)).rstrip("\n")
    if len(wait.transfers) > LOST_SHOWN:
        yield f"... {len(wait.transfers) - LOST_SHOWN} more (-t timeline shows all)"


def _samples_line(row: Samples) -> str:
    """A line on the measured times in a row of a profile: median, number of runs, range and interquartile range."""
    what = f"{row.op} " if row.op else ""
    if row.runs == 1:
        return f"{what}{row.kind}: {time(row.median_ns)}, once"
    spread = f"the middle half within {time(row.spread_ns)}"
    if row.median_ns:
        spread += f" ({percent(row.spread_ns / row.median_ns)})"
    return (
        f"{what}{row.kind}: {time(row.median_ns)}, the median of {row.runs} runs from {time(row.least_ns)} to "
        f"{time(row.most_ns)}, {spread}"
    )


def _kernel_lines(kernel: GpuKernel, number: int, count: int) -> Iterator[str]:
    sizes = ", ".join(f"{name} {value:,.6g}" for name, value in kernel.sizes.items())
    yield f"kernel {number} of {count}: {kernel.kernel_class} {kernel.element}, for {kernel.op} ({sizes})"
    yield table(("part", "", ""), list(_parts(kernel)), left=(0, 2)).rstrip("\n")
    if kernel.facts:
        facts = (f"{name.replace('_', ' ')} {_fact_text(name, value)}" for name, value in kernel.facts.items())
        yield "  " + ", ".join(facts)
    yield from _variant_lines(kernel)
    if kernel.tile is not None:
        text = f"{_tile_text(kernel.tile)}, {time(kernel.tile.ns)} by the model of thread blocks"
        yield f"  tile      {text}; a library may use another tile"
    yield f"  library   {_library_text(kernel)}"
    yield f"  constants {kernel.constants}"
    chip = f"constants of {kernel.chip}" if kernel.chip else "no constants of the chip"
    if kernel.left_out:
        yield f"  chip      not measured for {kernel.kernel_class}, {chip}: {kernel.left_out}"
    elif kernel.chip:
        yield f"  chip      {chip}"
    yield f"  power     {kernel.power}"


def _parts(kernel: GpuKernel) -> Iterator[tuple[str, str, str]]:
    own, flops, dram, l2 = kernel.kernel_ns, kernel.flops, kernel.dram_bytes, kernel.l2_bytes
    peak = percent(kernel.dram_of_peak)
    peaks = {
        "compute": f"{flops:,.4g} flops, {flops / own:,.4g} GFLOP/s over the kernel's time",
        "dram": f"{size(round(dram))}, {dram / own:,.4g} GB/s over the kernel's time, {peak} of peak",
        "l2": f"{size(round(l2))}, {l2 / own:,.4g} GB/s over the kernel's time",
    }
    yield "launch", time(kernel.launch_ns), "gap between the previous kernel and this one"
    for name, ns in kernel.parts_ns.items():
        yield name, time(ns), peaks.get(name, "")
    yield "kernel", time(own), "the parts above except launch, overlapped, plus the kernel's fixed time"
    if kernel.fused_ns:
        yield "fused ops", time(kernel.fused_ns), "time that the other ops of the group add"
    if kernel.dispatch_ns:
        how = f"{kernel.submits}: {SUBMITS[kernel.submits]}"
        yield "dispatch", time(kernel.dispatch_ns), f"the host's, {how}; at least this"
    yield "total", time(kernel.ns), f"bound by {kernel.bound}"
    parts = ", ".join(f"{name} {energy(nj)}" for name, nj in kernel.energy_nj.items() if nj)
    yield "energy", energy(sum(kernel.energy_nj.values())), f"by component: {parts}"
    yield "board", energy(kernel.board_nj), f"{kernel.board_w:.4g} W while it runs"


def _fact_text(name: str, value: float) -> str:
    if name == "tail":  # idle places as a fraction of the work; shown as a fraction of all places
        return f"{percent(value / (1 + value))} of the waves' thread-block slots idle"
    return percent(value) if name in ("occupancy", "resident") else f"{value:,.4g}"


def _variant_lines(kernel: GpuKernel) -> Iterator[str]:
    """Lines on the fastest of the variants of a kernel that the cost model compared, and on the next fastest ones."""
    if len(kernel.variants) < 2:
        return
    best, *lost = kernel.variants
    yield f"  modelled  {best.name}, the fastest of {len(kernel.variants)}; a library may run another kernel"
    slower = (f"{each.name} +{percent(each.ns / best.ns - 1)}" for each in lost[:LOST_SHOWN])
    yield "  slower    " + "; ".join(slower)


def _library_text(kernel: GpuKernel) -> str:
    """The library, and the kernels that stand for those that it has no measurements of."""
    if not kernel.substitute:
        return kernel.library
    lacking = f"{kernel.library}, not measured for {kernel.kernel_class} {kernel.element} on this compute capability"
    error = f" ({kernel.error})" if kernel.error else ""
    return f"{lacking}: {kernel.substitute} used instead{error}"


def _tile_text(tile: TileChoice) -> str:
    split = f", split-K {tile.split_k}" if tile.split_k > 1 else ""
    return f"{'x'.join(map(str, tile.block))} in {count(tile.stages, 'stage')}{split}"
