"""PUMP over naive unified memory: what its prefetching gains on programs larger than GPU memory, and what that hangs
on.

    python -m benchmarks oversubscription pump DIR [SECTION …] [--plot FILE.svg]

DIR holds `workloads.csv`, six training iterations of G10 whose lists stand in DIR/../g10, and
`jax_workloads.csv`, training steps of JAX whose texts stand in DIR/../stablehlo and whose GPU memory is made smaller
than what is live in them. Sections: `workloads`, `service` (rates of fault service), `ahead` (run-ahead, window and
order of eviction), `pages` (what faults in groups add to a rate), `jax`; all of them without any. One factor and
run-ahead for all.

Memory of dead tensors is used again (`reuse`) or keeps its contents, which then move like others (`stale`): each table
says which. A gain is the time of an iteration under demand paging over that under PUMP, both steady.
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
from interp.machine.memory_system import Faults, MemorySystem, Tier
from interp.memory.of_program import trace_of
from interp.memory.paging import UnifiedMemory
from interp.memory.problem import KernelTrace
from interp.memory.replay import replay
from lowering.banks.templates import clock_for
from lowering.memory.policies import POLICIES, MemoryOptions
from ndpir.frontends.traces.g10 import read_g10

FACTOR, RUN_AHEAD, SERVICE = 80, 64, 5e9
"""Defaults: per cent of memory for PUMP's window, launches that the CPU is ahead, bytes/s at which faults are served.
"""
BUS = 15.754e9
"""Bytes/s each way, as G10's simulator has it."""
GPU = 40 << 30
LATENCY_NS = 45_000.0
"""A group of faults (interp/devices/memory.sheet)."""
SERVICES = (3e9, 4e9, 5e9, 8e9, BUS)
AHEAD: tuple[int | None, ...] = (0, 4, 16, 64, 256, None)
FACTORS = (60, 80, 100)
PUBLISHED = 2.0
"""About 2, says PUMP's abstract: the mean of models, batch sizes and a GPU that it does not name."""


@dataclass(frozen=True)
class Workload:
    """A trace, and the bytes of GPU memory that it is given."""

    name: str
    trace: KernelTrace
    capacity: int


@dataclass(frozen=True)
class Setting:
    """Options of a run: those of PUMP, the accounting of dead tensors, and the service of faults."""

    service: float = SERVICE
    reuse: bool = True
    factor: int = FACTOR
    run_ahead: int | None = RUN_AHEAD
    latency_ns: float = 0.0
    """0: faults cost what the rate of their service says, whatever comes by how many."""
    prefetcher: str = "tree"
    evicts: str = "migrated"

    def system(self, capacity: int) -> MemorySystem:
        """A GPU of so many bytes with a host that holds everything."""
        faults = Faults(
            4 << 10, 64 << 10, 2 << 20, self.latency_ns, self.service, self.prefetcher, self.evicts  # pyright: ignore[reportArgumentType]
        )  # fmt: skip
        return MemorySystem("gpu", capacity, (Tier("host", 1 << 50, BUS, BUS),), BUS, BUS, faults=faults)


@dataclass(frozen=True)
class Outcome:
    """A steady iteration: its time over that of its kernels, groups of faults, and bytes that faults brought."""

    over_ideal: float
    groups: float
    faulted: float


PAGED = Setting(inf, latency_ns=LATENCY_NS)
"""Faults page by page: nothing limits them but their latencies and the bus."""


@cache
def outcome(workload: Workload, policy: str, setting: Setting) -> Outcome:
    """Outcome of a workload under a policy."""
    if policy != "pump" and (setting.factor, setting.run_ahead) != (FACTOR, RUN_AHEAD):
        return outcome(workload, policy, replace(setting, factor=FACTOR, run_ahead=RUN_AHEAD))
    system, trace = setting.system(workload.capacity), workload.trace
    options = MemoryOptions(factor=setting.factor, runahead=setting.run_ahead, reuse=setting.reuse, compare=False)
    plan = POLICIES[policy](trace, system, options)
    pager = UnifiedMemory(trace, system)
    start = ["host" if tensor.persistent else "" for tensor in trace.tensors]
    run = replay(trace, system, plan.moves, plan.regime, start=start, pager=pager)
    iterations = len(run.spans)
    return Outcome(run.spans[-1] / trace.ideal_ns, pager.groups / iterations, pager.faulted / iterations)


def gain(workload: Workload, setting: Setting) -> float:
    """Speedup of PUMP over demand paging."""
    return outcome(workload, "uvm", setting).over_ideal / outcome(workload, "pump", setting).over_ideal


def gains(workloads: Iterable[Workload], setting: Setting) -> list[float]:
    """Of each workload, and their arithmetic mean."""
    found = [gain(workload, setting) for workload in workloads]
    return [*found, mean(found)]


def six(folder: Path) -> list[Workload]:
    """The workloads of `workloads.csv`."""
    rows = list(csv.DictReader((folder / "workloads.csv").read_text().splitlines()))
    return [
        Workload(name, read_g10(folder.parent / "g10", name).trace, int(row["gpu_GiB"]) << 30)
        for row in rows
        for name in [f"{row['model']}_{row['batch']}"]
    ]


def jax_steps(folder: Path) -> Iterable[tuple[str, KernelTrace, list[float]]]:
    """Name, trace and ratios of each step of `jax_workloads.csv`, on an A100."""
    for row in csv.DictReader((folder / "jax_workloads.csv").read_text().splitlines()):
        read = ndpir.read(folder.parent / "stablehlo" / f"{row['module']}.mlir")
        module = ndpir.compile(read, "canonicalize,fuse", machine="a100")
        yield (
            row["module"],
            trace_of(module, clock_for(module)).trace,
            [float(each) for each in row["ratio_list"].split()],
        )


# Tables


def tell_workloads(workloads: Sequence[Workload]) -> None:
    """Both policies on each workload, in both accountings of dead tensors."""
    for reuse in (True, False):
        setting = Setting(reuse=reuse)
        rows: list[tuple[str, ...]] = []
        for workload in workloads:
            live = workload.trace.peak_live / workload.capacity
            demand, pump = (outcome(workload, policy, setting) for policy in ("uvm", "pump"))
            figures = (live, demand.over_ideal, pump.over_ideal, gain(workload, setting))
            rows.append((workload.name, *(f"{figure:.2f}" for figure in figures)))
        rows.append(("mean", "", "", "", f"{gains(workloads, setting)[-1]:.2f}"))
        shown(f"PUMP over unified memory: {_said(setting)}", ("workload", "live/GPU", "uvm", "PUMP", "gain"), rows)
        print(f"uvm, PUMP: time over that of the kernels. Published: about {PUBLISHED:g} (models and GPU not named).\n")


def tell_service(workloads: Sequence[Workload]) -> None:
    """The gain by the rate at which faults are served."""
    for reuse in (True, False):
        rows = [
            (f"{rate / 1e9:g}", *(f"{each:.2f}" for each in gains(workloads, Setting(rate, reuse))))
            for rate in SERVICES
        ]
        header = ("GB/s", *(workload.name for workload in workloads), "mean")
        shown(f"Gain by the rate of fault service, {_said(Setting(reuse=reuse), rate=False)}", header, rows)
        print()


def tell_ahead(workloads: Sequence[Workload]) -> None:
    """The gain by run-ahead and window."""
    rows = [
        ("any" if ahead is None else str(ahead), f"{factor} %", *(f"{each:.2f}" for each in found))
        for factor in FACTORS
        for ahead in AHEAD
        for found in [gains(workloads, Setting(factor=factor, run_ahead=ahead))]
    ]
    header = ("run-ahead", "window", *(workload.name for workload in workloads), "mean")
    shown(f"Gain by run-ahead and window: faults served at {SERVICE / 1e9:g} GB/s, reuse", header, rows)
    print("any: the CPU never waits. Below 1, what PUMP fetched too early left again before its kernel came.\n")
    tell_order(workloads)


def tell_order(workloads: Sequence[Workload]) -> None:
    """The same where each use of a kernel refreshes a chunk, as in simulators, and nothing limits the run-ahead."""
    rows = [
        (f"{rate / 1e9:g}", f"{factor} %", *(f"{each:.2f}" for each in found))
        for rate in (SERVICE, BUS)
        for factor in FACTORS
        for found in [gains(workloads, Setting(rate, factor=factor, run_ahead=None, evicts="lru"))]
    ]
    header = ("GB/s", "window", *(workload.name for workload in workloads), "mean")
    shown("Gain where the chunk used longest ago leaves (lru): any run-ahead, reuse", header, rows)
    print("What kernels have just used is newer there than what PUMP has fetched for later ones.\n")


def tell_pages(workloads: Sequence[Workload]) -> None:
    """Times and gains with faults served at a rate, and with faults served in groups."""
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
    print("groups of an iteration: " + ", ".join(f"{each.groups:,.0f}" for each in counts))
    print("bytes of one: " + ", ".join(size(each.faulted / each.groups) for each in counts))
    chunk, bus = 2 << 20, BUS
    rate = chunk / (6 * LATENCY_NS / 1e9 + chunk / bus)
    print(f"a chunk of 2 MiB in 6 groups of 45 us over the bus of {bus / 1e9:g} GB/s: {rate / 1e9:.2f} GB/s\n")


def tell_jax(steps: Iterable[tuple[str, KernelTrace, list[float]]]) -> None:
    """Training steps whose GPU is made smaller than what is live in them."""
    rows: list[tuple[str, ...]] = []
    for name, trace, ratios in steps:
        for ratio in ratios:
            capacity = int(trace.peak_live / ratio)
            begin = (name, str(len(trace.kernels)), f"{ratio:g}x", size(capacity))
            if capacity < trace.largest_working_set:
                rows.append((*begin, f"a kernel needs {size(trace.largest_working_set)}", "", "", "", ""))
                continue
            workload = Workload(name, trace, capacity)
            plain, paged = (
                (
                    *(outcome(workload, policy, setting).over_ideal for policy in ("uvm", "pump")),
                    gain(workload, setting),
                )
                for setting in (Setting(), PAGED)
            )
            rows.append((*begin, *(f"{each:.2f}" for each in (*plain, paged[0], paged[2]))))
    header = ("step", "kernels", "live/GPU", "GPU", "uvm", "PUMP", "gain", "uvm, groups", "gain")
    shown(f"Training steps of JAX on an A100 with less memory: {_said(Setting())}", header, rows)
    print("uvm, groups; gain: with faults in groups of 45 us instead of at a rate.")


def _said(setting: Setting, rate: bool = True) -> str:
    """Text that names the options on which a table's figures depend."""
    ahead = "any run-ahead" if setting.run_ahead is None else f"run-ahead {setting.run_ahead}"
    words = [f"faults served at {setting.service / 1e9:g} GB/s"] if rate else []
    reuse = "dead memory is used again (reuse)" if setting.reuse else "dead tensors keep their memory (stale)"
    return ", ".join([*words, ahead, f"factor {setting.factor}", reuse])


# Plot


def draw(workloads: Sequence[Workload], path: Path) -> None:
    """The gain by the rate of service, and by run-ahead. Raises InputError where it can't be drawn."""
    try:
        matplotlib: Any = import_module("matplotlib")  # no dependency of ndpir's
        matplotlib.use("Agg")  # files alone: no window
        matplotlib.rcParams["svg.hashsalt"] = "pump"
        pyplot: Any = import_module("matplotlib.pyplot")
    except ImportError:
        raise InputError(
            "--plot needs matplotlib, which is not installed: pip install -e '.[plots]' does that; tables need none"
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
    right.set(xlabel=f"launches that the CPU is ahead ({SERVICE / 1e9:g} GB/s, factor {FACTOR})")
    for axes in (left, right):
        axes.axhline(1.0, color="grey", linewidth=0.8)
        axes.axhline(PUBLISHED, color="grey", linewidth=0.8, linestyle=":", label="published, about")
    left.legend(fontsize=8)
    try:
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None)
    except OSError as error:
        raise InputError(f"{path}: can't be drawn: {(error.strerror or str(error)).lower()}") from None


def _lines(axes: Any, marks: Iterable[float], workloads: Sequence[Workload], found: Sequence[Sequence[float]]) -> None:
    """A line for each workload, and a strong one for their mean."""
    marks = list(marks)
    for number, name in enumerate([*(workload.name for workload in workloads), "mean"]):
        style = {"color": "black", "linewidth": 2.5} if name == "mean" else {"linewidth": 1.2}
        axes.plot(marks, [each[number] for each in found], "o-", markersize=3, label=name, **style)


def _worded(error: OSError | InputError) -> str:
    """An error as one sentence, with its file."""
    if isinstance(error, OSError):
        return f"{error.filename} can't be read: {(error.strerror or str(error)).lower()}"
    return f"{error.place}: {error}" if error.place else str(error)


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables of some sections, or all."""
    parser = argparse.ArgumentParser("oversubscription pump", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of traces")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="workloads, service, ahead, pages, jax")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the gain by service and run-ahead")
    said = parser.parse_args(words)
    of_six: Mapping[str, Callable[[Sequence[Workload]], None]] = {
        "workloads": tell_workloads,
        "service": tell_service,
        "ahead": tell_ahead,
        "pages": tell_pages,
    }
    chosen = said.sections or ([] if said.plot else [*of_six, "jax"])
    if unknown := [section for section in chosen if section not in (*of_six, "jax")]:
        parser.error(f"there is no section `{unknown[0]}`; expected workloads, service, ahead, pages or jax")
    try:
        workloads = six(said.folder) if said.plot or set(chosen) - {"jax"} else []
        for section in chosen:
            if section == "jax":
                tell_jax(jax_steps(said.folder))
            else:
                of_six[section](workloads)
        if said.plot:
            draw(workloads, said.plot)
    except (OSError, InputError) as error:
        print(f"error: {_worded(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
