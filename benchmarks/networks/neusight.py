"""NeuSight's end-to-end data set (language models in f32, inference and training), and ndpir's times for graphs of the
same models."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.gpu.measurements import filled, read_groups
from benchmarks.networks.launches import Constants, Launches, sheet
from benchmarks.networks.row import Row, read_rows
from benchmarks.networks.sizes import TRANSFORMERS, Step
from benchmarks.networks.transformers import backward, forward
from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.fit import fit
from interp.kinds.gpu.constants.measurement import MeasuredGroup

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

DISPATCH_NS = 8e3
"""The host time in ns in which eager PyTorch submits an op: an assumption, on which the times of these runs hardly
depend."""


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


def rows(fit_dir: Path, on_dir: Path) -> list[Row]:
    """Return the rows of the data set in `on_dir`; their times are predicted with constants fitted only on single
    kernels in `fit_dir`."""
    runs = read(on_dir)
    constants = kernel_constants(fit_dir, {run.gpu for run in runs}) if runs else {}
    return [_row(run, constants[run.gpu]) for run in runs]


def _row(run: Run, constants: Constants) -> Row:
    gpu = sheet(run.gpu)
    passes = launches(run.model, run.batch, run.length, run.mode, run.fused)
    parts: dict[str, float] = {}
    for each in passes:
        for kernel, ns in zip(each.kernels, each.counts * each.kernel_ns(gpu, constants), strict=True):
            parts[kernel.kernel_class] = parts.get(kernel.kernel_class, 0.0) + float(ns)
    return Row(
        "neusight_e2e",
        gpu.name,
        run.model,
        f"{run.mode}{' fused' if run.fused else ''} {run.batch}x{run.length}",
        (gpu.name,),
        run.ns,
        sum(each.total_ns(gpu, constants, DISPATCH_NS) for each in passes),
        sum(each.roofline_ns(gpu) for each in passes),
        parts=parts,
    )


@cache
def launches(name: str, batch: int, length: int, mode: str, fused: bool) -> tuple[Launches, ...]:
    """Return the kernels that the forward pass launches and, for a training step, those of the backward pass."""
    model, step = TRANSFORMERS[name], Step(batch, length, mode == "train", fused)
    passes = (forward, backward) if step.training else (forward,)
    return tuple(Launches.of(made(model, step)) for made in passes)


def kernel_constants(folder: Path, gpus: set[str]) -> dict[str, Constants]:
    """Fit each GPU's constants to its kernels in f32; for a GPU without measured kernels, use the constants of the most
    similar GPU."""
    groups: dict[tuple[str, str], list[MeasuredGroup]] = {}
    for source in ("neusight_mm", "neusight_vec"):
        for group in read_groups(folder, source):
            groups.setdefault((group.gpu, group.kernel_class), []).append(group)
    found: dict[str, dict[tuple[str, str], Mapping[str, float]]] = {gpu: {} for gpu in gpus}
    for gpu in gpus:
        for name in dict.fromkeys(name for _, name in groups):
            owner = gpu if (gpu, name) in groups else _nearest(gpu, {other for other, n in groups if n == name})
            fitted = fit(CLASSES[name], groups[owner, name], {owner: Chip.of(sheet(owner), "f32")})
            # Events around one eager call can't separate a kernel's fixed time from the host's.
            fixed = min(fitted.constants["start"], CLASSES[name].defaults()["start"])
            found[gpu][name, "f32"] = {**fitted.constants, "start": fixed}
            print(f"fitted {gpu} {name} on {owner}", file=sys.stderr)
    return dict(found)


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
