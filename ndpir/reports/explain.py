"""`-t explain` and `--explain NAME`: the breakdown of a task's time: waves, traffic, bound and launch of each kernel,
and its slower variants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialects.text.columns import table
from interp.figures import count, energy, percent, size, time
from interp.machine.sheets.fields import SUBMITS
from ndpir.reports.answers.explain import (
    ExplainAnswer,
    ExplainedOp,
    GpuKernel,
    MemoryWait,
    Samples,
    TileChoice,
    explain_answer,
)
from ndpir.reports.banks.limits import commands_table, summary_table, waits_table
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget

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
    yield from map(_samples, answer.samples)
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
        yield from ("", *_kernel(kernel, number, len(op.kernels or ())))


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


def _samples(row: Samples) -> str:
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


def _kernel(kernel: GpuKernel, number: int, count: int) -> Iterator[str]:
    sizes = ", ".join(f"{name} {value:,.6g}" for name, value in kernel.sizes.items())
    yield f"kernel {number} of {count}: {kernel.kernel_class} {kernel.element}, for {kernel.op} ({sizes})"
    yield table(("part", "", ""), list(_parts(kernel)), left=(0, 2)).rstrip("\n")
    if kernel.facts:
        facts = (f"{name.replace('_', ' ')} {_fact_text(name, value)}" for name, value in kernel.facts.items())
        yield "  " + ", ".join(facts)
    yield from _variants(kernel)
    if kernel.tile is not None:
        text = f"{_tile_text(kernel.tile)}, {time(kernel.tile.ns)} by the model of thread blocks"
        yield f"  tile      {text}; a library may use another tile"
    yield f"  constants {kernel.constants}"


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


def _variants(kernel: GpuKernel) -> Iterator[str]:
    """Lines on the fastest of the variants of a kernel that the cost model compared, and on the next fastest ones."""
    if len(kernel.variants) < 2:
        return
    best, *lost = kernel.variants
    yield f"  modelled  {best.name}, the fastest of {len(kernel.variants)}; a library may run another kernel"
    slower = (f"{each.name} +{percent(each.ns / best.ns - 1)}" for each in lost[:LOST_SHOWN])
    yield "  slower    " + "; ".join(slower)


def _tile_text(tile: TileChoice) -> str:
    split = f", split-K {tile.split_k}" if tile.split_k > 1 else ""
    return f"{'x'.join(map(str, tile.block))} in {count(tile.stages, 'stage')}{split}"
