"""NeuSight's end-to-end data set (language models in f32, inference and training), and ndpir's times for graphs of the
same models."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.gpu.measurements import filled, read_groups
from benchmarks.networks.driver import Driver, Pass, fit_driver
from benchmarks.networks.launches import Constants, Launches, sheet
from benchmarks.networks.memory import Taken, taken
from benchmarks.networks.row import Row, read_rows
from benchmarks.networks.sizes import TRANSFORMERS, Step
from benchmarks.networks.transformers import backward, forward
from dialects.graph import MatmulOp, shape_of
from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.fit import fit, usual
from interp.kinds.gpu.constants.measurement import MeasuredGroup
from interp.kinds.gpu.kernels import Kernel
from interp.machine.records import Gpu

SHEETS = {
    "NVIDIA_A100_80GB_PCIe": "a100_80_pcie",
    "NVIDIA_A100-PCIE-40GB": "a100_40_pcie",
    "NVIDIA_H100_80GB_HBM3": "h100_sxm",
    "NVIDIA_L4": "l4",
    "Tesla_P100-PCIE-16GB": "p100",
    "Tesla_P4": "p4",
    "Tesla_T4": "t4",
    "Tesla_V100-PCIE-32GB": "v100_pcie",
}
"""The sheets of the data set's GPUs. GPUs of AMD have no sheet; runs on them, and runs on several GPUs, are skipped."""

PUBLISHED_MAPE = 8.9
"""NeuSight's published mean error on its 80 runs on one NVIDIA GPU, % (scripts/asplos/summary @6945927)."""


@dataclass(frozen=True)
class Run:
    """A run of the data set: GPU, model and sizes, with its measured times."""

    gpu: str
    model: str
    mode: str
    fused: bool
    batch: int
    length: int
    ns: float
    passes_ns: tuple[float, ...]
    """The times of a training step's forward and backward pass, ns; for an inference, only the time of the forward
    pass."""


@cache
def read(folder: Path) -> Sequence[Run]:
    """Read the data set's runs of known models on a single GPU that has a sheet; return no runs if the file does not
    exist."""
    path = folder / "neusight_e2e.csv"
    found = read_rows(path, _run) if path.exists() else []
    return [run for run in found if run is not None]


def _run(row: Mapping[str, str]) -> Run | None:
    option = row.get("option") or ""
    if filled(row, "gpu") not in SHEETS or filled(row, "model") not in TRANSFORMERS or option not in ("", "fusion"):
        return None
    numbers = int(row["batch"]), int(row["seqlen"]), float(row["e2e_ms"]) * 1e6
    mode = filled(row, "mode")
    passes = tuple(float(row[name]) * 1e6 for name in (("fw_ms", "bw_ms") if mode == "train" else ("e2e_ms",)))
    return Run(SHEETS[row["gpu"]], row["model"], mode, bool(option), *numbers, passes)


@dataclass(frozen=True)
class Machine:
    """A GPU and its host: constants of its kernels, and the host's time to submit an op in eager mode, ns, by kind of
    op. All are fitted to single kernels."""

    gpu: Gpu
    constants: Constants
    dispatch_ns: Mapping[str, float]

    def host_ns(self, kernel: Kernel) -> float:
        """Return the host's time to submit a kernel, ns."""
        linear = isinstance(kernel.op, MatmulOp) and len(shape_of(kernel.op.b)) == 2
        kind = "linear" if linear else "bmm" if kernel.kernel_class == "gemm" else "elementwise"
        for each in (kind, "bmm"):  # not all kinds are measured on each GPU
            if each in self.dispatch_ns:
                return self.dispatch_ns[each]
        return usual("eager").dispatch_ns

    def passes_ns(self, run: Run, driver: Driver | None = None) -> tuple[float, ...]:
        """Return the times of a run's passes, ns; `driver`: the driver from which a training step's forward pass takes
        its memory."""
        found = launches(run.model, run.batch, run.length, run.mode, run.fused)
        first, *rest = (each.total_ns(self.gpu, self.constants, self.host_ns) for each in found)
        return (driver.ns(self.gpu, memory(run), first) if driver else first, *rest)


@cache
def memory(run: Run) -> Taken:
    """Return the memory that the forward pass of a training step takes from the driver."""
    return taken(forward(TRANSFORMERS[run.model], Step(run.batch, run.length, training=True)))


def driver_of(run: Run, steps: Sequence[Run], machines: Mapping[str, Machine]) -> Driver | None:
    """Return the driver's constants for a training step, fitted to the forward passes of `steps` with the same GPU, but
    to none of the same network; without such a step, to those with other GPUs. Return None, and say so, if all `steps`
    are of the same network."""
    others = [each for each in steps if each.model != run.model]
    same = [each for each in others if each.gpu == run.gpu] or others
    if not same:
        print(f"{run.gpu} {run.model}: no other network's steps, so no time of the driver is added", file=sys.stderr)
        return None
    return fit_driver(
        [Pass(sheet(each.gpu), memory(each), machines[each.gpu].passes_ns(each)[0], each.passes_ns[0]) for each in same]
    )


def rows(fit_dir: Path, on_dir: Path) -> list[Row]:
    """Return the rows of the data set in `on_dir`; their times are predicted with constants fitted on single kernels in
    `fit_dir`, and those of its driver on other networks' training steps in it."""
    return [_row(run, machine, passes) for run, machine, passes in predictions(fit_dir, read(on_dir))]


def predictions(fit_dir: Path, runs: Sequence[Run]) -> Iterator[tuple[Run, Machine, tuple[float, ...]]]:
    """Yield each run with the machine that is fitted on `fit_dir`, and the predicted times of its passes, ns."""
    if not runs:
        return
    steps = [run for run in read(fit_dir) if run.mode == "train"] if any(run.mode == "train" for run in runs) else []
    machines = fit_machines(fit_dir, {run.gpu for run in (*runs, *steps)})
    for run in runs:
        driver = driver_of(run, steps, machines) if run.mode == "train" else None
        yield run, machines[run.gpu], machines[run.gpu].passes_ns(run, driver)


def _row(run: Run, machine: Machine, passes_ns: tuple[float, ...]) -> Row:
    gpu = machine.gpu
    passes = launches(run.model, run.batch, run.length, run.mode, run.fused)
    parts: dict[str, float] = {}
    for each in passes:
        for kernel, ns in zip(each.kernels, each.counts * each.kernel_ns(gpu, machine.constants), strict=True):
            parts[kernel.kernel_class] = parts.get(kernel.kernel_class, 0.0) + float(ns)
    return Row(
        "neusight_e2e",
        gpu.name,
        run.model,
        f"{run.mode}{' fused' if run.fused else ''} {run.batch}x{run.length}",
        (gpu.name,),
        run.ns,
        sum(passes_ns),
        sum(each.roofline_ns(gpu) for each in passes),
        parts=parts,
    )


@cache
def launches(name: str, batch: int, length: int, mode: str, fused: bool) -> tuple[Launches, ...]:
    """Return the kernels that the forward pass launches and, for a training step, those of the backward pass."""
    model, step = TRANSFORMERS[name], Step(batch, length, mode == "train", fused)
    passes = (forward, backward) if step.training else (forward,)
    return tuple(Launches.of(made(model, step)) for made in passes)


def fit_machines(folder: Path, gpus: set[str]) -> dict[str, Machine]:
    """Fit each GPU's constants, and its host's, to its kernels in f32; for a class without measured kernels, use the
    constants of the most similar GPU."""
    groups: dict[tuple[str, str], list[MeasuredGroup]] = {}
    for source in ("neusight_mm", "neusight_vec"):
        for group in read_groups(folder, source):
            groups.setdefault((group.gpu, group.kernel_class), []).append(group)
    return {gpu: _fit_machine(gpu, groups) for gpu in sorted(gpus)}


def _fit_machine(gpu: str, groups: Mapping[tuple[str, str], Sequence[MeasuredGroup]]) -> Machine:
    found: dict[tuple[str, str], Mapping[str, float]] = {}
    dispatch: dict[str, float] = {}
    for name in dict.fromkeys(name for _, name in groups):
        owner = gpu if (gpu, name) in groups else _nearest(gpu, {other for other, n in groups if n == name})
        fitted = fit(CLASSES[name], groups[owner, name], {owner: Chip.of(sheet(owner), "f32")})
        # Events around one eager call can't separate a kernel's fixed time from the host's.
        fixed = min(fitted.constants["start"], CLASSES[name].defaults()["start"])
        found[name, "f32"] = {**fitted.constants, "start": fixed}
        if owner == gpu:
            dispatch |= {key[-1]: each.dispatch_ns for key, each in fitted.submissions.items()}
        print(f"fitted {gpu} {name} on {owner}", file=sys.stderr)
    return Machine(sheet(gpu), found, dispatch)


def _nearest(gpu: str, owners: set[str]) -> str:
    """Return the GPU of `owners` whose ratio of arithmetic peak to bandwidth is nearest to that of `gpu`."""

    def distance(other: str) -> float:
        return sum(abs(a / b - 1) for a, b in zip(_ratios(gpu), _ratios(other), strict=True))

    return min(sorted(owners), key=distance)


def _ratios(gpu: str) -> Iterator[float]:
    found = sheet(gpu)
    yield found.bandwidth / found.units
    yield found.l2_bytes / found.units
    yield found.tdp_w
