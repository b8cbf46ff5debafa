"""Reads public sets of measured GPU kernels (CSV files as described in tests/data/gpu/README.md) into groups: one class,
element type and GPU each, under the class's own column names."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np

from interp.gpu.measurement import Group

Row: TypeAlias = Mapping[str, str]
Read: TypeAlias = tuple[str, str, dict[str, float]]
"""Class, label, and columns of one row."""

SHEETS = {
    "RTX2060": "rtx2060",
    "V100-SXM2": "v100_sxm2",
    "V100": "v100_sxm2",
    "V100-PCIe": "v100_pcie",
    "T4": "t4",
    "A100-40-SXM": "a100_40_sxm",
    "A100-80-SXM": "a100_80_sxm",
    "A100": "a100_80_sxm",
    "A100-40-PCIe": "a100_40_pcie",
    "A100-80-PCIe": "a100_80_pcie",
    "H100-SXM": "h100_sxm",
    "H200-SXM": "h200_sxm",
    "RTX3090": "rtx3090",
    "RTX4090": "rtx4090",
    "L4": "l4",
    "L40S": "l40s",
    "A40": "a40",
    "A6000": "rtx_a6000",
    "B200-SXM": "b200_sxm",
    "P100": "p100",
    "P4": "p4",
}
"""The sheet of each GPU that a set names. GPUs without a sheet (consumer Pascal and Maxwell, AMD) are left out."""

ELEMENTS = {"fp32": "f32", "fp16": "f16", "fp16tc": "f16", "bf16": "bf16", "fp8": "f8", "int8": "i8"}
WIDTH = {"f32": 4, "f16": 2, "bf16": 2, "f8": 1, "i8": 1}


def read_groups(folder: Path, only: str = "") -> list[Group]:
    """The groups of all sets in a folder, or of those whose file name begins with `only`; sorted by key."""
    found: dict[tuple[str, ...], list[tuple[dict[str, float], float, float]]] = {}
    for stem, (way, read) in _SETS.items():
        path = folder / f"{stem}.csv"
        if not stem.startswith(only) or not path.exists():
            continue
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                gpu, element = SHEETS.get(row["gpu"]), ELEMENTS.get(row["dtype"])
                if gpu is None or element is None:
                    continue
                for kernel_class, label, columns in read(row):
                    key = (stem, gpu, kernel_class, element, label, way)
                    numbers = {"bytes": WIDTH[element], **columns}
                    found.setdefault(key, []).append((numbers, float(row["lat_us"]), _power(row)))
    return [_group(key, rows) for key, rows in sorted(found.items())]


def _group(key: tuple[str, ...], rows: list[tuple[dict[str, float], float, float]]) -> Group:
    source, gpu, kernel_class, element, label, way = key
    columns = {name: np.array([row[0][name] for row in rows], float) for name in rows[0][0]}
    times, power = np.array([row[1] for row in rows]) * 1e3, np.array([row[2] for row in rows])
    return Group(
        source, gpu, kernel_class, element, label, way, columns, times, None if np.isnan(power).all() else power
    )


def _power(row: Row) -> float:
    return float(row.get("power_w") or "nan")


def _gemm(row: Row, batch: float = 1, warm: float = 1) -> Read:
    columns = {"batch": batch, **{name: float(row[name]) for name in "mnk"}, "warm": warm}
    return "gemm", "gemm", columns


def _neusight_mm(row: Row) -> Iterator[Read]:
    kernel_class, _, columns = _gemm(row, float(row["b"]))
    yield kernel_class, row["op"], columns


def _stream(
    elements: float, operands: int, results: int, width: int, flops: float, cols: float = 0
) -> dict[str, float]:
    cols = cols or elements
    return {
        "rows": elements / cols,
        "cols": cols,
        "read": elements * operands * width,
        "written": elements * results * width,
        "flops": elements * flops,
        "warm": 1,
    }


_FLOPS = {"add": 1, "mul": 1, "div": 8, "pow": 30, "addu": 1, "mulu": 1, "divu": 8, "powu": 30, "relu": 1}
_FLOPS |= {"gelu": 20, "tanh": 15}


def _neusight_vec(row: Row) -> Iterator[Read]:
    rows, cols, op = float(row["rows"]), float(row["cols"]), row["op"]
    if op in ("ln", "softmax"):
        yield ("norm" if op == "ln" else op), op, _stream(rows * cols, 1, 1, 4, 8, cols)
    else:
        operands = 2 if op in ("add", "mul", "div", "pow") else 1
        yield "elementwise", "elementwise", _stream(rows * cols, operands, 1, 4, _FLOPS[op])


def _neusight_conv(row: Row) -> Iterator[Read]:
    numbers = {name: float(row[name]) for name in ("n", "c", "h", "w", "k", "r", "s", "stride", "pad")}
    p = (numbers["h"] + 2 * numbers["pad"] - numbers["r"]) // numbers["stride"] + 1
    q = (numbers["w"] + 2 * numbers["pad"] - numbers["s"]) // numbers["stride"] + 1
    yield "conv_forward", "conv2d_fwd", _conv(numbers, p, q, numbers["stride"])


def _deepbench_conv(row: Row) -> Iterator[Read]:
    numbers = {name: float(row[name]) for name in ("n", "c", "h", "w", "k", "r", "s")}
    pad_h, pad_w, down, across = (float(row[name]) for name in ("pad_h", "pad_w", "stride_h", "stride_w"))
    p = (numbers["h"] + 2 * pad_h - numbers["r"]) // down + 1
    q = (numbers["w"] + 2 * pad_w - numbers["s"]) // across + 1
    names = {"conv2d_fwd": "forward", "conv2d_bwd_input": "backward_data", "conv2d_bwd_weight": "backward_weight"}
    yield f"conv_{names[row['op']]}", row["op"], _conv(numbers, p, q, down)


def _conv(numbers: Mapping[str, float], p: float, q: float, stride: float) -> dict[str, float]:
    sizes = {name: numbers[name] for name in ("c", "h", "w", "k", "r", "s")}
    return {"batch": numbers["n"], **sizes, "p": p, "q": q, "stride": stride, "groups": 1, "warm": 1}


def _aic_attention(row: Row) -> Iterator[Read]:
    prefill = row["op"] == "context_attention"
    yield (
        "prefill" if prefill else "decode",
        row["op"],
        {
            "batch": float(row["batch"]),
            "queries": float(row["q_len"]),
            "keys": float(row["kv_len"]),
            "heads": float(row["heads"]),
            "kv_heads": float(row["kv_heads"]),
            "head": float(row["head_dim"]),
            "causal": float(prefill),
            "warm": 1,
        },
    )


_VIDUR = {"act": (1, 1, 20), "add": (2, 1, 1), "gated_act": (2, 1, 8), "rope": (1, 1, 6), "layernorm": (1, 1, 8)}


def _vidur(row: Row) -> Iterator[Read]:
    if row["op"] == "gemm":
        yield _gemm(row, warm=0)
        return
    rows, cols, op = float(row["m"]), float(row["n"]), row["op"]
    columns = _stream(rows * cols, *_VIDUR[op][:2], 2, _VIDUR[op][2], cols)
    total = columns["read"] + columns["written"]
    scale = float(row["bytes"]) / total  # the set counts the traffic itself
    columns |= {"read": columns["read"] * scale, "written": columns["written"] * scale, "warm": 0}
    if op != "layernorm":
        columns |= {"cols": rows * cols, "rows": 1}
    yield ("norm" if op == "layernorm" else "elementwise"), op, columns


def _llmservingsim(row: Row) -> Iterator[Read]:
    if row["op"] == "gemm":
        yield _gemm(row, warm=0)
        return
    rows, cols, op = float(row["m"]), float(row["n"]), row["op"]
    norm = op == "rmsnorm_add"
    columns = _stream(rows * cols, 2, 2 if norm else 1, 2, 8, cols if norm else 0) | {"warm": 0}
    yield ("norm" if norm else "elementwise"), op, columns


def _llmcompass(row: Row) -> Iterator[Read]:
    rows, cols, op = float(row["m"]), float(row["n"]), row["op"]
    if op == "gemm":
        yield _gemm(row)
    elif op == "gelu":
        yield "elementwise", op, _stream(rows * cols, 1, 1, 2, 20)
    else:
        yield ("norm" if op == "layernorm" else op), op, _stream(rows * cols, 1, 1, 2, 8, cols)


_SETS: dict[str, tuple[str, Callable[[Row], Iterator[Read]]]] = {
    "neusight_mm": ("eager", _neusight_mm),
    "aic_gemm": ("graph", lambda row: iter((_gemm(row),))),
    "deepbench_gemm": ("stream", lambda row: iter((_gemm(row),))),
    "vidur_layers": ("profiler", _vidur),
    "llmservingsim_layers": ("profiler", _llmservingsim),
    "llmcompass_ops": ("eager", _llmcompass),
    "neusight_conv": ("eager", _neusight_conv),
    "deepbench_conv": ("stream", _deepbench_conv),
    "neusight_vec": ("eager", _neusight_vec),
    "aic_attention": ("graph", _aic_attention),
}
"""File name of each set, how kernels were submitted, and what one row says."""
