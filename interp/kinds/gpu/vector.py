"""Element-wise ops, reductions, softmax, norms, gathers and copies: memory traffic through DRAM or L2, and thread
blocks that hold rows in registers, or iterate over them and possibly read them again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import (
    WARM,
    Column,
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    of_chip,
    resident,
    soft_max,
    waves_of,
)

_SECTOR = 32.0
"""The smallest transfer of DRAM and L2, in bytes: the cost of a short contiguous run at any address."""


class _Rows(NamedTuple):
    """The work of a kernel's thread blocks: arrays with one entry per kernel. A job is the part of the rows that one
    block processes."""

    jobs: Floats
    """The number of jobs of the kernel: whole rows, several short rows each, or parts of long rows; 0 for a kernel
    without rows."""
    steps: Floats
    """Steps of each job; in one step each thread loads four elements."""
    threads: Floats
    """The number of threads that process each job."""
    held: Floats
    """1 if the threads keep the row in registers, 0 if they read it again."""


def _one_read(columns: Columns, chip: Chip) -> _Rows:
    """The distribution of a kernel that reads each element once: one block of up to 1024 threads per row, several
    blocks per row if there are few long rows; a single row is treated as flat elements."""
    rows, cols = columns["rows"], columns["cols"]
    threads = _clipped(cols)
    divided = _divided(rows, cols, threads, chip)
    return divided._replace(jobs=np.where(rows > 1, divided.jobs, 0.0))


def _at_once(columns: Columns, chip: Chip) -> _Rows:
    """The distribution of a kernel that treats all elements as one flat array."""
    return _one_read({**columns, "rows": np.ones_like(columns["rows"])}, chip)


def _reduced(columns: Columns, chip: Chip) -> _Rows:
    """The distribution of a reduction: few long rows are divided among blocks, and short rows share a block; if rows
    are strided in memory, a block processes 32 adjacent ones."""
    rows, cols = columns["rows"], columns["cols"]
    rows_per_block = np.where(columns.get("strided", np.zeros_like(rows)) > 0, 32.0, 1.0)
    length = cols * rows_per_block
    return _divided(np.ceil(rows / rows_per_block), length, _clipped(length / 4, 1.0), chip)


def _divided(rows: Floats, length: Floats, threads: Floats, chip: Chip) -> _Rows:
    """The distribution of one block per row, or of several blocks per row while the chip has free slots and each block
    has at least one full step."""
    room = chip.sms * chip.threads / threads / rows
    parts = np.maximum(1.0, np.minimum(length / (4 * threads), room))
    return _Rows(rows * parts, length / parts / (4 * threads), threads, np.ones_like(length))


def _normed(columns: Columns, chip: Chip) -> _Rows:
    """The distribution of a norm: four warps per row of a layer norm, up to 1024 threads per row of an RMS norm; the
    row is not kept in registers."""
    rows, cols = columns["rows"], columns["cols"]
    centred = columns.get("centred", np.ones_like(cols)) > 0
    threads = np.where(centred, 128.0, _clipped(cols))
    at_once = np.where(centred, 4.0, 1.0)
    return _Rows(rows, np.ceil(cols / (at_once * threads)) * at_once / 4, threads, np.zeros_like(cols))


def _softened(columns: Columns, chip: Chip) -> _Rows:
    """The distribution of a softmax: a warp holds a row of up to 1024 elements, or several shorter rows; a longer row
    is processed by a block that reads it again."""
    rows, cols = columns["rows"], columns["cols"]
    lanes = np.exp2(np.ceil(np.log2(np.maximum(1.0, np.minimum(cols, 32.0)))))
    threads = np.where(cols <= 1024, lanes, np.where(cols <= 2048, 256.0, 512.0))
    return _Rows(rows, np.ceil(cols / (4 * threads)), threads, np.where(cols <= 1024, 1.0, 0.0))


def _clipped(threads: Floats, least: float = 32.0) -> Floats:
    return np.minimum(np.maximum(threads, least), 1024.0)


_Rule: TypeAlias = Callable[[Columns, Chip], _Rows]


def _ragged(columns: Columns) -> Floats:
    """Bytes that are transferred in addition to the requested ones when short rows begin at arbitrary addresses,
    because transfers consist of whole sectors."""
    row = columns["cols"] * columns["bytes"]
    return columns["rows"] * (np.ceil(row / _SECTOR) * _SECTOR - row)


def _model(rule: _Rule, columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    none = np.zeros_like(columns["rows"])
    kernels = columns.get("kernels", none + 1)
    rows = rule(columns, chip)
    sector_waste = np.where(columns.get("scattered", none) > 0, _ragged(columns), 0.0)
    across = 1 + (constants.get("across", 1.0) - 1) * (columns.get("strided", none) > 0)
    moved = columns["read"] + columns["written"]
    places = np.maximum(1.0, np.floor(constants["occupancy"] * chip.threads / rows.threads)) * chip.sms
    in_flight = np.minimum(1.0, places / np.maximum(rows.jobs, 1.0)) * columns["read"]
    again = columns["read"] * constants.get("reread", 0.0) * (1 - rows.held)
    missed = again * (1 - resident(in_flight, chip, share=constants.get("row_kept", 1.0)))
    footprint = np.where(columns.get("footprint", none) > 0, columns.get("footprint", none), moved)
    hits = columns["warm"] * resident(footprint, chip, share=constants["kept"])
    cold = (moved + sector_waste) * (1 - hits) + missed
    dram = cold / (constants["dram"] * chip.bandwidth) * across * 1e9
    through = moved + sector_waste + again
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
    """The effective number of full waves, for `waves` full or partial waves. Blocks that share a multiprocessor slow
    each other down: a block that is alone on a multiprocessor takes only the fraction `alone` of its time among
    others. The free slots of the last wave count with the fraction `tail`."""
    rounded_up = np.ceil(waves - _ROUNDING)
    late = waves + tail * np.maximum(rounded_up - waves, 0.0)
    return np.where(waves > 1, late, np.where(waves > 0, alone + (1 - alone) * waves, 0.0))


_ROUNDING = 1e-9
"""The fraction of a wave below which an excess over a whole number of waves is treated as rounding error."""
_COLUMNS = (
    Column("rows", "rows, each reduced, normalised or processed by a block; 1 where elements are flat", 1),
    Column("cols", "elements per row"),
    Column("read", "bytes read, each operand once"),
    Column("written", "bytes written"),
    Column("flops", "operations", 0),
    Column("kernels", "serial kernels of the op; `read` and `written` are their total traffic", 1),
    Column(
        "footprint", "distinct bytes in `read` and `written`, where results overwrite operands; 0: all are distinct", 0
    ),
    WARM,
)
_CENTRED = Column("centred", "1 for a layer norm, which subtracts the mean; 0 for an RMS norm", 1, flag=True)
_STRIDED = Column("strided", "1 where rows are strided in memory: reductions of outer axes, transposes", 0, flag=True)
_SCATTERED = Column("scattered", "1 where rows are at arbitrary addresses: fetched by an index", 1, flag=True)
_ROW_CONSTANTS = (
    Constant("occupancy", "", 0.75, 0.1, 1.0, "share of an SM's threads that process rows"),
    Constant("row", "ns", 1000, 10, 3000, "fixed time of a block per row, with its reductions"),
    Constant("step", "ns", 100, 1, 2000, "time of a block per four elements of each thread"),
    Constant("tail", "", 0.5, 0.01, 1.0, "share of the last wave's free slots that is lost"),
)
_CONSTANTS = (
    Constant("dram", "", 0.85, 0.05, 1.0, "sustained share of DRAM bandwidth"),
    Constant("l2_bytes_per_clock", "B/clock/SM", 30, 1, 500, "L2 to SM bandwidth"),
    Constant("kept", "", 0.8, 0.1, 1.0, "share of L2 that keeps operands from one kernel to the next"),
    Constant("issue", "", 0.5, 0.01, 1.0, "sustained share of the peak rate"),
    *_ROW_CONSTANTS,
    Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap: 1 not at all, large perfectly"),
    Constant("start", "ns", 1500, 0, 1e6, "fixed time of a kernel: launch latency, first loads, last stores"),
)
_ALONE = Constant("alone", "", 0.25, 0.02, 1.0, "time of a block alone on a multiprocessor, relative to a full one")
_ACROSS = Constant("across", "", 1.5, 1, 20, "slowdown of traffic where rows are strided in memory")
_ROW_KEPT = Constant("row_kept", "", 0.5, 0.05, 1.0, "share of L2 that keeps rows until they are read again")


def _again(times: float) -> tuple[Constant, ...]:
    reread = Constant("reread", "", times, 0.001, 4, "number of times that a row not kept in registers is read again")
    return _ALONE, reread, _ROW_KEPT


def _class(
    name: str, meaning: str, rule: _Rule, column: Column | None = None, more: tuple[Constant, ...] = ()
) -> KernelClass:
    columns = _COLUMNS if column is None else (*_COLUMNS, column)
    constants = of_chip((*_CONSTANTS, *more), "dram", "l2_bytes_per_clock", "kept")
    return KernelClass(name, meaning, columns, constants, partial(_model, rule), spread=8, tries=6)


VECTOR_CLASSES = (
    _class("elementwise", "one result element from the operands' elements at the same index", _one_read),
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
