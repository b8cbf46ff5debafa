"""Element-wise ops, reductions, softmax, norms, gathers and copies: streams through DRAM or L2, and rows that blocks of
threads hold, walk, and perhaps read again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from interp.gpu.chip import Chip, Floats
from interp.gpu.kernel_class import (
    WARM,
    Column,
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    resident,
    soft_max,
)

_SECTOR = 32.0
"""Bytes that DRAM and L2 move at least, wherever a run of bytes starts."""


def _flat(columns: Columns) -> tuple[Floats, Floats]:
    """A thread an element of a row, up to 1024; each element is read once."""
    return _clipped(columns["cols"]), np.ones_like(columns["cols"])


def _clipped(cols: Floats) -> Floats:
    return np.minimum(np.maximum(cols, 32.0), 1024.0)


def _normed(columns: Columns) -> tuple[Floats, Floats]:
    """Four warps a row of a layer norm, up to 1024 threads of an RMS norm; they do not hold it."""
    cols = columns["cols"]
    centred = columns.get("centred", np.ones_like(cols)) > 0
    return np.where(centred, 128.0, _clipped(cols)), np.zeros_like(cols)


def _softened(columns: Columns) -> tuple[Floats, Floats]:
    """A warp holds a row of up to 1024 elements; longer ones take a block that reads them again."""
    cols = columns["cols"]
    short = np.where(cols <= 1024, 1.0, 0.0)
    return np.where(cols <= 1024, 32.0, np.where(cols <= 2048, 256.0, 512.0)), short


def _model(
    threads: Callable[[Columns], tuple[Floats, Floats]], columns: Columns, chip: Chip, constants: Constants
) -> Estimate:
    rows, cols = columns["rows"], columns["cols"]
    kernels = columns.get("kernels", np.ones_like(rows))
    moved = columns["read"] + columns["written"]
    whole, held = threads(columns)
    places = np.maximum(1.0, np.floor(constants["occupancy"] * chip.threads / whole)) * chip.sms
    in_flight = np.minimum(rows, places) * columns["read"] / np.maximum(rows, 1.0)
    again = columns["read"] * constants["reread"] * (1 - held)
    missed = again * (1 - resident(in_flight, chip))
    footprint = columns.get("footprint", np.zeros_like(moved))
    footprint = np.where(footprint > 0, footprint, moved)
    hits = columns["warm"] * resident(footprint, chip, share=constants["kept"])
    cold = moved * (1 - hits) + missed
    dram = cold / (constants["dram"] * chip.bandwidth) * 1e9
    l2 = (moved + again) / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz) * 1e9
    compute = columns["flops"] / (constants["issue"] * chip.rate) * 1e9

    waves = rows / places
    counted = np.maximum(1.0, waves + constants["tail"] * (np.ceil(waves) - waves))
    row_ns = constants["row"] + constants["step"] * cols / (4 * whole)
    walk = np.where(rows > 1, counted * row_ns, 0.0)
    terms = {"dram": dram, "l2": l2, "compute": compute, "rows": walk}
    return Estimate(
        ns=soft_max(constants["overlap"], *terms.values()) + kernels * constants["start"],
        flops=columns["flops"],
        dram_bytes=cold,
        l2_bytes=moved + again,
        terms=terms,
        facts={"kernels": kernels, "waves": waves, "again_bytes": again, "again_missed": missed},
    )


_COLUMNS = (
    Column("rows", "rows, each of them reduced, normalised or walked by a block; 1 where elements are taken flat", 1),
    Column("cols", "elements a row"),
    Column("read", "bytes read, each operand once"),
    Column("written", "bytes written"),
    Column("flops", "operations", 0),
    Column("kernels", "kernels one after another, where an op is not one: their traffic is in `read` and `written`", 1),
    Column("footprint", "distinct bytes among them, where results overwrite operands; 0: all are distinct", 0),
    WARM,
)
_CENTRED = Column("centred", "1 for a layer norm, which takes the mean off; 0 for an RMS norm", 1)


def _constants(reread: float, start: float = 1500) -> tuple[Constant, ...]:
    return (
        Constant("dram", "", 0.85, 0.05, 1.0, "sustained share of DRAM bandwidth"),
        Constant("l2_bytes_per_clock", "B/clock/SM", 40, 1, 500, "L2 to SM bandwidth"),
        Constant("kept", "", 0.8, 0.1, 1.0, "share of L2 that holds operands from one kernel to the next"),
        Constant("issue", "", 0.5, 0.01, 1.0, "sustained share of the peak rate"),
        Constant("reread", "", reread, 0.001, 4, "times that a row which no registers hold is read again"),
        Constant("occupancy", "", 0.75, 0.1, 1.0, "share of an SM's threads that are at work on rows"),
        Constant("row", "ns", 1000, 10, 1e5, "time of a block for its row: fixed part, with its reductions"),
        Constant("step", "ns", 100, 1, 1e4, "time of a block for each four elements a thread"),
        Constant("tail", "", 0.5, 0.01, 1.0, "how much of a last wave's holes is lost"),
        Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap"),
        Constant("start", "ns", start, 0, 1e6, "fixed time of a kernel: launch latency, first loads, last stores"),
    )


VECTOR_CLASSES = tuple(
    KernelClass(
        name,
        meaning,
        (*_COLUMNS, _CENTRED) if name == "norm" else _COLUMNS,
        _constants(reread),
        partial(_model, threads),
    )
    for name, meaning, threads, reread in (
        ("elementwise", "one result element from the elements at its place", _flat, 0.001),
        ("reduction", "rows reduced to one element each", _flat, 0.001),
        ("softmax", "softmax of each row", _softened, 2.0),
        ("norm", "layer norm or RMS norm of each row", _normed, 1.0),
        ("gather", "rows fetched by index: embedding look-ups, gathers, scatters", _flat, 0.001),
        ("copy", "bytes moved within the device: transposes, concatenations, slices, fills", _flat, 0.001),
    )
)
