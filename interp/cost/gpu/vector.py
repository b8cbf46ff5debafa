"""Element-wise ops, reductions, softmax, norms, gathers and copies: streams through DRAM or L2, and rows that blocks of
threads hold, walk, and perhaps read again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from interp.cost.gpu.chip import Chip, Floats
from interp.cost.gpu.kernel_class import (
    WARM,
    Column,
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    resident,
    soft_max,
    waves_of,
)

_SECTOR = 32.0
"""Bytes that DRAM and L2 move at least: what a short run costs, wherever it lies."""


class _Rows(NamedTuple):
    """The way in which a kernel goes over rows."""

    jobs: Floats
    """Rows, or bundles or parts of them, that a block each works on; 0 where a kernel knows no rows."""
    steps: Floats
    """Of each: how often its threads fetch four elements each."""
    threads: Floats
    """Of each."""
    held: Floats
    """1 where they keep it in registers, 0 where they read it again."""


def _one_read(columns: Columns, chip: Chip) -> _Rows:
    """A block of up to 1024 threads a row, more for few long ones; one row is elements alike. Each element is read
    once."""
    rows, cols = columns["rows"], columns["cols"]
    threads = _clipped(cols)
    divided = _divided(rows, cols, threads, chip)
    return divided._replace(jobs=np.where(rows > 1, divided.jobs, 0.0))


def _at_once(columns: Columns, chip: Chip) -> _Rows:
    """All elements alike, whatever their rows."""
    return _one_read({**columns, "rows": np.ones_like(columns["rows"])}, chip)


def _reduced(columns: Columns, chip: Chip) -> _Rows:
    """Few long rows are divided among blocks, and short ones share them; a block takes 32 strided rows side by side."""
    rows, cols = columns["rows"], columns["cols"]
    beside = np.where(columns.get("strided", np.zeros_like(rows)) > 0, 32.0, 1.0)
    length = cols * beside
    return _divided(np.ceil(rows / beside), length, _clipped(length / 4, 1.0), chip)


def _divided(rows: Floats, length: Floats, threads: Floats, chip: Chip) -> _Rows:
    """A block a row, or several while the chip has room for them and each has a whole step to do."""
    room = chip.sms * chip.threads / threads / rows
    parts = np.maximum(1.0, np.minimum(length / (4 * threads), room))
    return _Rows(rows * parts, length / parts / (4 * threads), threads, np.ones_like(length))


def _normed(columns: Columns, chip: Chip) -> _Rows:
    """Four warps a row of a layer norm, up to 1024 threads of an RMS norm; they do not hold it."""
    rows, cols = columns["rows"], columns["cols"]
    centred = columns.get("centred", np.ones_like(cols)) > 0
    threads = np.where(centred, 128.0, _clipped(cols))
    at_once = np.where(centred, 4.0, 1.0)
    return _Rows(rows, np.ceil(cols / (at_once * threads)) * at_once / 4, threads, np.zeros_like(cols))


def _softened(columns: Columns, chip: Chip) -> _Rows:
    """A warp holds a row of up to 1024 elements, or several shorter than itself; longer ones take a block that reads
    them again."""
    rows, cols = columns["rows"], columns["cols"]
    lanes = np.exp2(np.ceil(np.log2(np.maximum(1.0, np.minimum(cols, 32.0)))))
    threads = np.where(cols <= 1024, lanes, np.where(cols <= 2048, 256.0, 512.0))
    return _Rows(rows, np.ceil(cols / (4 * threads)), threads, np.where(cols <= 1024, 1.0, 0.0))


def _clipped(threads: Floats, least: float = 32.0) -> Floats:
    return np.minimum(np.maximum(threads, least), 1024.0)


_Rule: TypeAlias = Callable[[Columns, Chip], _Rows]


def _ragged(columns: Columns) -> Floats:
    """Bytes that come along with short rows fetched from anywhere: whole sectors."""
    row = columns["cols"] * columns["bytes"]
    return columns["rows"] * (np.ceil(row / _SECTOR) * _SECTOR - row)


def _model(rule: _Rule, columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    none = np.zeros_like(columns["rows"])
    kernels = columns.get("kernels", none + 1)
    rows = rule(columns, chip)
    ragged = np.where(columns.get("scattered", none) > 0, _ragged(columns), 0.0)
    across = 1 + (constants.get("across", 1.0) - 1) * (columns.get("strided", none) > 0)
    moved = columns["read"] + columns["written"]
    places = np.maximum(1.0, np.floor(constants["occupancy"] * chip.threads / rows.threads)) * chip.sms
    in_flight = np.minimum(1.0, places / np.maximum(rows.jobs, 1.0)) * columns["read"]
    again = columns["read"] * constants.get("reread", 0.0) * (1 - rows.held)
    missed = again * (1 - resident(in_flight, chip, share=constants.get("row_kept", 1.0)))
    footprint = np.where(columns.get("footprint", none) > 0, columns.get("footprint", none), moved)
    hits = columns["warm"] * resident(footprint, chip, share=constants["kept"])
    cold = (moved + ragged) * (1 - hits) + missed
    dram = cold / (constants["dram"] * chip.bandwidth) * across * 1e9
    through = moved + ragged + again
    l2 = through / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz) * across * 1e9
    compute = columns["flops"] / (constants["issue"] * chip.rate) * 1e9

    waves = rows.jobs / places
    row_ns = constants["row"] + constants["step"] * rows.steps
    walk = _counted(waves, constants.get("alone", 0.0), constants["tail"]) * row_ns
    terms = {"dram": dram, "l2": l2, "compute": compute, "rows": walk}
    return Estimate(
        ns=soft_max(constants["overlap"], *terms.values()) + kernels * constants["start"],
        flops=columns["flops"],
        dram_bytes=cold,
        l2_bytes=through,
        terms=terms,
        facts={
            "kernels": kernels,
            **waves_of(waves),
            "again_bytes": again,
            "again_missed": missed,
        },
    )


def _counted(waves: Floats, alone: float, tail: float) -> Floats:
    """For how many full waves the walk over rows counts. Blocks that share a multiprocessor slow each other down: one
    alone takes only a part, `alone`, of what it takes among others. A last wave's holes count in part."""
    whole = np.ceil(waves - _ROUNDING)
    late = waves + tail * np.maximum(whole - waves, 0.0)
    return np.where(waves > 1, late, np.where(waves > 0, alone + (1 - alone) * waves, 0.0))


_ROUNDING = 1e-9
"""Parts of a wave that are rounding errors of dividing."""
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
_CENTRED = Column("centred", "1 for a layer norm, which takes the mean off; 0 for an RMS norm", 1, flag=True)
_STRIDED = Column("strided", "1 where rows lie across memory: reductions of outer axes, transposes", 0, flag=True)
_SCATTERED = Column("scattered", "1 where rows lie anywhere: fetched by an index", 1, flag=True)
_ROW_CONSTANTS = (
    Constant("occupancy", "", 0.75, 0.1, 1.0, "share of an SM's threads that are at work on rows"),
    Constant("row", "ns", 1000, 10, 3000, "time of a block for its row: fixed part, with its reductions"),
    Constant("step", "ns", 100, 1, 2000, "time of a block for each four elements a thread"),
    Constant("tail", "", 0.5, 0.01, 1.0, "how much of a last wave's holes is lost"),
)
_CONSTANTS = (
    Constant("dram", "", 0.85, 0.05, 1.0, "sustained share of DRAM bandwidth"),
    Constant("l2_bytes_per_clock", "B/clock/SM", 30, 1, 500, "L2 to SM bandwidth"),
    Constant("kept", "", 0.8, 0.1, 1.0, "share of L2 that holds operands from one kernel to the next"),
    Constant("issue", "", 0.5, 0.01, 1.0, "sustained share of the peak rate"),
    *_ROW_CONSTANTS,
    Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap"),
    Constant("start", "ns", 1500, 0, 1e6, "fixed time of a kernel: launch latency, first loads, last stores"),
)
_ALONE = Constant("alone", "", 0.25, 0.02, 1.0, "time of a block alone on a multiprocessor, to that on a full one")
_ACROSS = Constant("across", "", 1.5, 1, 20, "how much slower traffic is where rows lie across memory")
_ROW_KEPT = Constant("row_kept", "", 0.5, 0.05, 1.0, "share of L2 that holds rows until they are read again")


def _again(times: float) -> tuple[Constant, ...]:
    reread = Constant("reread", "", times, 0.001, 4, "times that a row which no registers hold is read again")
    return _ALONE, reread, _ROW_KEPT


def _class(
    name: str, meaning: str, rule: _Rule, column: Column | None = None, more: tuple[Constant, ...] = ()
) -> KernelClass:
    columns = _COLUMNS if column is None else (*_COLUMNS, column)
    return KernelClass(name, meaning, columns, (*_CONSTANTS, *more), partial(_model, rule), spread=8, tries=6)


VECTOR_CLASSES = (
    _class("elementwise", "one result element from the elements at its place", _one_read),
    _class("reduction", "rows reduced to one element each", _reduced, _STRIDED, (_ALONE, _ACROSS)),
    _class("softmax", "softmax of each row", _softened, more=_again(2.0)),
    _class("norm", "layer norm or RMS norm of each row", _normed, _CENTRED, _again(1.0)),
    _class("gather", "rows fetched by index: embedding look-ups, gathers, scatters", _at_once, _SCATTERED),
    _class(
        "copy",
        "bytes moved within the device: transposes, concatenations, slices, fills",
        _at_once,
        _STRIDED,
        (_ACROSS,),
    ),
)
