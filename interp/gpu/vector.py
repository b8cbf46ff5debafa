"""Element-wise ops, reductions, softmax and norms: streams through DRAM or L2, a row a block where rows are reduced."""

from __future__ import annotations

from interp.gpu.chip import Chip
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


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    moved = columns["read"] + columns["written"]
    hits = columns["warm"] * resident(moved, chip)
    dram = moved * (1 - hits) / (constants["dram"] * chip.bandwidth) * 1e9
    l2 = moved / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz) * 1e9
    compute = columns["flops"] / (constants["issue"] * chip.rate) * 1e9
    return Estimate(
        ns=soft_max(constants["overlap"], dram, l2, compute) + constants["start"],
        flops=columns["flops"],
        dram_bytes=moved * (1 - hits),
        l2_bytes=moved,
        terms={"dram": dram, "l2": l2, "compute": compute},
    )


_COLUMNS = (
    Column("rows", "rows, each of them reduced or normalised by itself; 1 where nothing is reduced", 1),
    Column("cols", "elements a row"),
    Column("read", "bytes read, each operand once"),
    Column("written", "bytes written"),
    Column("flops", "operations", 0),
    WARM,
)
_CONSTANTS = (
    Constant("dram", "", 0.85, 0.05, 1.0, "sustained share of DRAM bandwidth"),
    Constant("l2_bytes_per_clock", "B/clock/SM", 40, 1, 500, "L2 to SM bandwidth"),
    Constant("issue", "", 0.5, 0.01, 1.0, "sustained share of the peak rate"),
    Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap"),
    Constant("start", "ns", 1500, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
)

VECTOR_CLASSES = tuple(
    KernelClass(name, meaning, _COLUMNS, _CONSTANTS, _model)
    for name, meaning in (
        ("elementwise", "one result element from the elements at its place"),
        ("reduction", "rows reduced to one element each"),
        ("softmax", "softmax of each row"),
        ("norm", "layer norm or RMS norm of each row"),
        ("gather", "rows fetched by index: embedding look-ups, gathers, scatters"),
        ("copy", "bytes moved within the device: transposes, concatenations, slices, fills"),
    )
)
