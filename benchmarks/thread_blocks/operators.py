"""Operators of ALCOP's evaluation as matrix products, and simulated times of their schedules."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.records import Gpu
from interp.machine.sheets import load_device
from lowering.tile.schedule import Convolution, Problem
from lowering.tile.search.spaces import Space
from lowering.tile.search.trials import simulated_ns

Floats: TypeAlias = NDArray[np.float64]
HERE = Path(__file__).resolve().parents[2] / "tests" / "data" / "tile" / "alcop"
"""The folder of the tables of operators and of published speed-ups."""
CONVOLUTION = re.compile(
    r"N(?P<batch>\d+) (?P<spatial>(?:[DHW]\d+ )+)CI(?P<ci>\d+) CO(?P<co>\d+) K(?P<kernel>[\dx]+) "
    r"stride(?P<stride>\d+) pad(?P<pad>\d+)"
)


@dataclass(frozen=True)
class Operator:
    """An operator with two published speed-ups of its pipelined kernel: over an unpipelined kernel of the same
    compiler, and over a vendor's library. `exact`: True if its shape is published, False if it is inferred."""

    name: str
    shape: str
    over_compiler: float
    over_library: float
    exact: bool


def problems(folder: Path = HERE) -> dict[str, Problem]:
    """Return the problems of `operators.csv`, by their ids."""
    with (folder / "operators.csv").open(newline="") as file:
        return {row["id"]: _problem(row) for row in csv.DictReader(file)}


def operators(folder: Path = HERE) -> list[Operator]:
    """Return the operators of `published_speedups.csv`."""
    with (folder / "published_speedups.csv").open(newline="") as file:
        return [
            Operator(
                row["operator"],
                row["shape_id"],
                float(row["vs_tvm"]),
                float(row["vs_library"]),
                row["shape_confidence"] == "exact",
            )
            for row in csv.DictReader(file)
        ]


def _problem(row: Mapping[str, str]) -> Problem:
    if not row["conv"]:
        m, n, k, batch = (int(row[name]) for name in ("gemm_m", "gemm_n", "gemm_k", "batch"))
        return Problem(m, n, k, batch)
    if (found := CONVOLUTION.fullmatch(row["conv"])) is None:
        raise ValueError(f"`{row['conv']}` is no convolution of the form N64 H56 W56 CI64 CO64 K3x3 stride1 pad1")
    kernel = tuple(map(int, found["kernel"].split("x")))
    spatial = tuple(int(axis[1:]) for axis in found["spatial"].split())
    stride, pad = int(found["stride"]), int(found["pad"])
    convolution = Convolution(
        int(found["batch"]),
        spatial,
        int(found["ci"]),
        int(found["co"]),
        kernel,
        (stride,) * len(kernel),
        ((pad, pad),) * len(kernel),
    )
    return Problem.of_convolution(convolution)


def unit_of(device: str, warm: bool = False) -> Multiprocessor:
    """Return a multiprocessor of a device; `warm`: with operands in L2, as in a loop of launches on the same operands.
    Raises InputError for a device without a sheet."""
    return replace(Multiprocessor.of(load_device(device, {}, None), ModuleOp([])), warm=warm)


def measured_ns(device: str, ns: float) -> float:
    """Return the time per kernel in a loop of launches: the kernel's time with its launch, but at least the host's time
    to submit a launch."""
    gpu = load_device(device, {}, None)
    assert isinstance(gpu, Gpu)
    return max(ns + gpu.launch_ns, gpu.dispatch_ns.get("stream", 0.0))


Simulate: TypeAlias = Callable[[Problem, Space], Floats]


def simulator(unit: Multiprocessor, processes: int) -> Simulate:
    """Return a function that simulates the kernel of a matrix product under all schedules of a space, and returns the
    times in ns."""

    def simulate(problem: Problem, space: Space) -> Floats:
        parts = np.array_split(np.arange(len(space)), max(1, min(len(space) // 16, 8 * processes)))
        spaces = [space.take(part) for part in parts]
        if processes == 1:
            return np.concatenate([_times(problem, unit, each) for each in spaces])
        with ProcessPoolExecutor(processes) as pool:
            return np.concatenate(list(pool.map(partial(_times, problem, unit), spaces)))

    return simulate


def _times(problem: Problem, unit: Multiprocessor, space: Space) -> Floats:
    return np.array([simulated_ns(problem, space.schedule(index), unit) for index in range(len(space))])


def spearman(one: Sequence[float] | Floats, two: Sequence[float] | Floats) -> float:
    """Return Spearman's rank correlation of two sequences; equal values share a rank."""
    first, second = (_ranks(np.asarray(each, np.float64)) for each in (one, two))
    return float(np.corrcoef(first, second)[0, 1])


def _ranks(values: Floats) -> Floats:
    _, back, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[back.reshape(-1)]
