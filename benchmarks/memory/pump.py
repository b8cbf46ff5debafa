"""Speedup of PUMP's prefetching over plain unified memory on programs larger than GPU memory.

    python -m benchmarks oversubscription pump DIR [SECTION …] [--plot FILE.svg]

DIR contains `workloads.csv`, six training iterations of G10 whose tables are in DIR/../g10, and `jax_workloads.csv`,
training steps of JAX whose programs are in DIR/../stablehlo and whose GPU memory is smaller than their live bytes.
Sections show the speedup by: `workloads`, `service` (rates at which faults are served), `ahead` (run-ahead, window and
order of eviction), `pages` (faults served in groups instead of at a rate), `jax`; default: all. All tables except
`ahead` use one window and one run-ahead.

Memory of dead tensors is used again (`reuse`) or keeps its contents, which are then moved like other data (`stale`), as
each table's title states. A gain is the time of an iteration under demand paging divided by its time under PUMP, both
in steady state.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from math import inf
from pathlib import Path
from statistics import mean
from typing import Any

import ndpir
from benchmarks.image_networks.tables import shown
from dialects.diagnostics import InputError
from interp.figures import size
from interp.machine.memory_system import Bus, Faults, MemorySystem, Tier
from interp.simulate.memory.paging import UnifiedMemory
from interp.simulate.memory.problem import KernelTrace
from interp.simulate.memory.replay import replay
from interp.simulate.program_trace import trace_of
from lowering.banks.templates import clock_for
from lowering.memory.policies import POLICIES, MemoryOptions
from ndpir.traces.g10 import read_g10

FACTOR, RUN_AHEAD, SERVICE = 80, 64, 5e9
"""Defaults: PUMP's window in per cent of memory, the number of launches by which the CPU is ahead of the GPU, and the
rate at which faults are served in bytes/s."""
BUS = 15.754e9
"""The link's bandwidth in each direction, bytes/s, as in G10's simulator."""
GPU = 40 << 30
LATENCY_NS = 45_000.0
"""The latency of a group of faults, ns (interp/devices/memory.sheet)."""
SERVICES = (3e9, 4e9, 5e9, 8e9, BUS)
AHEAD: tuple[int | None, ...] = (0, 4, 16, 64, 256, None)
FACTORS = (60, 80, 100)
PUBLISHED = 2.0
"""The mean gain in PUMP's abstract ("about 2"); the abstract names neither models nor batch sizes nor the GPU."""


@dataclass(frozen=True)
class Workload:
    """A trace, and the size of the GPU memory in bytes on which it runs."""

    name: str
    trace: KernelTrace
    capacity: int


@dataclass(frozen=True)
class Setting:
    """Options of a run: PUMP's window and run-ahead, reuse of dead tensors' memory, the cost of faults, the prefetcher,
    and the order of evictions."""

    service: float = SERVICE
    reuse: bool = True
    factor: int = FACTOR
    run_ahead: int | None = RUN_AHEAD
    latency_ns: float = 0.0
    """The latency of a group of faults; 0: the cost of faults depends only on the service rate, not on the faults'
    grouping."""
    prefetcher: str = "tree"
    evicts: str = "migrated"

    def system(self, capacity: int) -> MemorySystem:
        """Return a GPU with `capacity` bytes of memory and unlimited host memory."""
        faults = Faults(
            4 << 10, 64 << 10, 2 << 20, self.latency_ns, self.service, self.prefetcher, self.evicts  # pyright: ignore[reportArgumentType]
        )  # fmt: skip
        return MemorySystem("gpu", capacity, (Tier("host", 1 << 50, BUS, BUS),), (Bus(BUS, BUS),), faults=faults)


@dataclass(frozen=True)
class Outcome:
    """The figures of a steady iteration: its time divided by the sum of its kernels' times, the number of groups of
    faults, and the number of bytes fetched by faults."""

    over_ideal: float
    groups: float
    faulted: float


PAGED = Setting(inf, latency_ns=LATENCY_NS)
"""A setting without a service rate: only the latencies of faults and the bus limit the rate of faults."""


@cache
def outcome(workload: Workload, policy: str, setting: Setting) -> Outcome:
    """Run a workload with a policy; return the figures of its steady iteration."""
    if policy != "pump" and (setting.factor, setting.run_ahead) != (FACTOR, RUN_AHEAD):
        return outcome(workload, policy, replace(setting, factor=FACTOR, run_ahead=RUN_AHEAD))
    system, trace = setting.system(workload.capacity), workload.trace
    memory_options = MemoryOptions(
        factor=setting.factor, runahead=setting.run_ahead, reuse=setting.reuse, compare=False
    )
    plan = POLICIES[policy](trace, system, memory_options)
    pager = UnifiedMemory(trace, system)
    start = ["host" if tensor.persistent else "" for tensor in trace.tensors]
    run = replay(trace, system, plan.moves, plan.regime, start=start, pager=pager)
    iterations = len(run.spans)
    return Outcome(run.spans[-1] / trace.ideal_ns, pager.groups / iterations, pager.faulted / iterations)


def gain(workload: Workload, setting: Setting) -> float:
    """Return the speedup of PUMP over demand paging."""
    return outcome(workload, "uvm", setting).over_ideal / outcome(workload, "pump", setting).over_ideal


def gains(workloads: Iterable[Workload], setting: Setting) -> list[float]:
    """Return the gain of each workload, followed by the arithmetic mean of all gains."""
    found = [gain(workload, setting) for workload in workloads]
    return [*found, mean(found)]


def traced_workloads(folder: Path) -> list[Workload]:
    """Read the workloads of `workloads.csv`."""
    rows = list(csv.DictReader((folder / "workloads.csv").read_text().splitlines()))
    return [
        Workload(name, read_g10(folder.parent / "g10", name).trace, int(row["gpu_GiB"]) << 30)
        for row in rows
        for name in [f"{row['model']}_{row['batch']}"]
    ]


def jax_steps(folder: Path) -> Iterable[tuple[str, KernelTrace, list[float]]]:
    """Yield name, trace and ratios (live bytes to GPU memory) of each step of `jax_workloads.csv`, on an A100."""
    for row in csv.DictReader((folder / "jax_workloads.csv").read_text().splitlines()):
        read = ndpir.read(folder.parent / "stablehlo" / f"{row['module']}.mlir")
        module = ndpir.compile(read, "inline,canonicalize,fuse,layout", machine="a100")
        yield (
            row["module"],
            trace_of(module, clock_for(module)).trace,
            [float(each) for each in row["ratio_list"].split()],
        )


# Tables


def print_workloads(workloads: Sequence[Workload]) -> None:
    """Print the results of both policies on each workload, with and without reuse of dead tensors' memory."""
    for reuse in (True, False):
        setting = Setting(reuse=reuse)
        rows: list[tuple[str, ...]] = []
        for workload in workloads:
            live = workload.trace.peak_live / workload.capacity
            demand, pump = (outcome(workload, policy, setting) for policy in ("uvm", "pump"))
            figures = (live, demand.over_ideal, pump.over_ideal, gain(workload, setting))
            rows.append((workload.name, *(f"{figure:.2f}" for figure in figures)))
        rows.append(("mean", "", "", "", f"{gains(workloads, setting)[-1]:.2f}"))
        shown(
            f"PUMP over unified memory: {_options_text(setting)}", ("workload", "live/GPU", "uvm", "PUMP", "gain"), rows
        )
        print(
            f"uvm, PUMP: time relative to the kernels' time. Published: about {PUBLISHED:g} (models, GPU: unnamed).\n"
        )


def print_service(workloads: Sequence[Workload]) -> None:
    """Print a table of the gain by the rate at which faults are served."""
    for reuse in (True, False):
        rows = [
            (f"{rate / 1e9:g}", *(f"{each:.2f}" for each in gains(workloads, Setting(rate, reuse))))
            for rate in SERVICES
        ]
        header = ("GB/s", *(workload.name for workload in workloads), "mean")
        shown(f"Gain by the rate of fault service, {_options_text(Setting(reuse=reuse), rate=False)}", header, rows)
        print()


def print_ahead(workloads: Sequence[Workload]) -> None:
    """Print a table of the gain by run-ahead and window."""
    rows = [
        ("any" if ahead is None else str(ahead), f"{factor} %", *(f"{each:.2f}" for each in found))
        for factor in FACTORS
        for ahead in AHEAD
        for found in [gains(workloads, Setting(factor=factor, run_ahead=ahead))]
    ]
    header = ("run-ahead", "window", *(workload.name for workload in workloads), "mean")
    shown(f"Gain by run-ahead and window: faults served at {SERVICE / 1e9:g} GB/s, reuse", header, rows)
    print(
        "any: the CPU never waits. Below 1: PUMP fetched data too early, which was evicted before its kernel started.\n"
    )
    print_order(workloads)


def print_order(workloads: Sequence[Workload]) -> None:
    """Print the gain by window, with unlimited run-ahead, if chunks are evicted in order of their last use, as in
    simulators."""
    rows = [
        (f"{rate / 1e9:g}", f"{factor} %", *(f"{each:.2f}" for each in found))
        for rate in (SERVICE, BUS)
        for factor in FACTORS
        for found in [gains(workloads, Setting(rate, factor=factor, run_ahead=None, evicts="lru"))]
    ]
    header = ("GB/s", "window", *(workload.name for workload in workloads), "mean")
    shown("Gain with eviction of the least recently used chunk (lru): any run-ahead, reuse", header, rows)
    print("With lru, data of the last kernels is more recent than data that PUMP has fetched for later kernels.\n")


def print_pages(workloads: Sequence[Workload]) -> None:
    """Print times and gains with faults served at a rate, and with faults served in groups."""
    settings = {
        "5 GB/s": Setting(),
        "groups": PAGED,
        "groups, lru": replace(PAGED, evicts="lru"),
        "5 GB/s, lru": Setting(evicts="lru"),
    }
    rows: list[tuple[str, ...]] = []
    for name, setting in settings.items():
        for policy in ("uvm", "pump"):
            found = [outcome(workload, policy, setting).over_ideal for workload in workloads]
            rows.append((name, policy, *(f"{each:.2f}" for each in found), ""))
        rows.append((name, "gain", *(f"{each:.2f}" for each in gains(workloads, setting))))
    header = ("faults", "", *(workload.name for workload in workloads), "mean")
    shown("Faults by a rate, and in groups of a tree prefetcher; reuse", header, rows, left=(0, 1))
    counts = [outcome(workload, "uvm", PAGED) for workload in workloads]
    print("groups per iteration: " + ", ".join(f"{each.groups:,.0f}" for each in counts))
    print("bytes per group: " + ", ".join(size(each.faulted / each.groups) for each in counts))
    chunk, bus = 2 << 20, BUS
    rate = chunk / (6 * LATENCY_NS / 1e9 + chunk / bus)
    print(f"a chunk of 2 MiB in 6 groups of 45 us over the bus of {bus / 1e9:g} GB/s: {rate / 1e9:.2f} GB/s\n")


def print_jax(steps: Iterable[tuple[str, KernelTrace, list[float]]]) -> None:
    """Print gains of training steps on GPUs with less memory than their live bytes."""
    rows: list[tuple[str, ...]] = []
    for name, trace, ratios in steps:
        for ratio in ratios:
            capacity = int(trace.peak_live / ratio)
            first_cells = (name, str(len(trace.kernels)), f"{ratio:g}x", size(capacity))
            if capacity < trace.largest_working_set:
                rows.append((*first_cells, f"a kernel needs {size(trace.largest_working_set)}", "", "", "", ""))
                continue
            workload = Workload(name, trace, capacity)
            plain, paged = (
                (
                    *(outcome(workload, policy, setting).over_ideal for policy in ("uvm", "pump")),
                    gain(workload, setting),
                )
                for setting in (Setting(), PAGED)
            )
            rows.append((*first_cells, *(f"{each:.2f}" for each in (*plain, paged[0], paged[2]))))
    header = ("step", "kernels", "live/GPU", "GPU", "uvm", "PUMP", "gain", "uvm, groups", "gain")
    shown(f"Training steps of JAX on an A100 with less memory: {_options_text(Setting())}", header, rows)
    print("uvm, groups, and the gain after it: faults are served in groups of 45 us instead of at a rate.")


def _options_text(setting: Setting, rate: bool = True) -> str:
    """Return the options on which a table's figures depend, for its title."""
    ahead = "any run-ahead" if setting.run_ahead is None else f"run-ahead {setting.run_ahead}"
    arguments = [f"faults served at {setting.service / 1e9:g} GB/s"] if rate else []
    reuse = "dead memory is used again (reuse)" if setting.reuse else "dead tensors keep their memory (stale)"
    return ", ".join([*arguments, ahead, f"factor {setting.factor}", reuse])


# Plot


def draw(workloads: Sequence[Workload], path: Path) -> None:
    """Draw the gain by the rate of fault service, and by run-ahead. Raises InputError if the file can't be written."""
    try:
        matplotlib: Any = import_module("matplotlib")  # not a dependency of ndpir
        matplotlib.use("Agg")  # draws into files, without a window
        matplotlib.rcParams["svg.hashsalt"] = "pump"
        pyplot: Any = import_module("matplotlib.pyplot")
    except ImportError:
        raise InputError(
            "--plot needs matplotlib, which is not installed; run: pip install -e '.[plots]' (tables do not need it)"
        ) from None
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.4), sharey=True)
    marks = [rate / 1e9 for rate in SERVICES]
    _lines(left, marks, workloads, [gains(workloads, Setting(rate)) for rate in SERVICES])
    stale = [gains(workloads, Setting(rate, False))[-1] for rate in SERVICES]
    left.plot(marks, stale, "k--", label="mean, stale")
    left.set(
        xlabel=f"fault service, GB/s (run-ahead {RUN_AHEAD}, factor {FACTOR})", ylabel="demand paging / PUMP, time"
    )
    left.set_ylim(0, None)
    _lines(right, range(len(AHEAD)), workloads, [gains(workloads, Setting(run_ahead=ahead)) for ahead in AHEAD])
    right.set_xticks(range(len(AHEAD)), ["any" if ahead is None else str(ahead) for ahead in AHEAD])
    right.set(xlabel=f"launches by which the CPU is ahead ({SERVICE / 1e9:g} GB/s, factor {FACTOR})")
    for axes in (left, right):
        axes.axhline(1.0, color="grey", linewidth=0.8)
        axes.axhline(PUBLISHED, color="grey", linewidth=0.8, linestyle=":", label="published, about")
    left.legend(fontsize=8)
    try:
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None)
    except OSError as error:
        raise InputError(f"{path}: can't be drawn: {(error.strerror or str(error)).lower()}") from None


def _lines(axes: Any, marks: Iterable[float], workloads: Sequence[Workload], found: Sequence[Sequence[float]]) -> None:
    """Draw a line for each workload, and a thick line for their mean."""
    marks = list(marks)
    for number, name in enumerate([*(workload.name for workload in workloads), "mean"]):
        style = {"color": "black", "linewidth": 2.5} if name == "mean" else {"linewidth": 1.2}
        axes.plot(marks, [each[number] for each in found], "o-", markersize=3, label=name, **style)


def _error_text(error: OSError | InputError) -> str:
    """Return an error as one sentence that names its file."""
    if isinstance(error, OSError):
        return f"{error.filename} can't be read: {(error.strerror or str(error)).lower()}"
    return f"{error.place}: {error}" if error.place else str(error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables of the requested sections, or of all; return the exit status."""
    parser = argparse.ArgumentParser("oversubscription pump", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of traces")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="workloads, service, ahead, pages, jax")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the gain by service and run-ahead")
    options = parser.parse_args(arguments)
    printers: Mapping[str, Callable[[Sequence[Workload]], None]] = {
        "workloads": print_workloads,
        "service": print_service,
        "ahead": print_ahead,
        "pages": print_pages,
    }
    chosen = options.sections or ([] if options.plot else [*printers, "jax"])
    if unknown := [section for section in chosen if section not in (*printers, "jax")]:
        parser.error(f"unknown section `{unknown[0]}`; expected workloads, service, ahead, pages or jax")
    try:
        workloads = traced_workloads(options.folder) if options.plot or set(chosen) - {"jax"} else []
        for section in chosen:
            if section == "jax":
                print_jax(jax_steps(options.folder))
            else:
                printers[section](workloads)
        if options.plot:
            draw(workloads, options.plot)
    except (OSError, InputError) as error:
        print(f"error: {_error_text(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
