"""Split of a directory of measurements into two directories by shape: all rows of one shape, on any GPU, are assigned
to the same part."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.gpu.measurements import rows_of
from dialects.diagnostics import InputError

_SHAPES = {
    "aic_attention": ("op", "batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim"),
    "aic_gemm": ("m", "n", "k"),
    "deepbench_conv": ("w", "h", "c", "n", "k", "s", "r", "pad_w", "pad_h", "stride_w", "stride_h"),
    "deepbench_gemm": ("m", "n", "k", "ta", "tb"),
    "llmcompass_ops": ("op", "m", "n", "k"),
    "llmservingsim_layers": ("layer", "m", "n", "k"),
    "neusight_conv": ("n", "c", "k", "h", "w"),
    "neusight_e2e": ("model", "mode", "seqlen", "batch"),
    "neusight_mm": ("op", "b", "m", "n", "k"),
    "neusight_vec": ("op", "rows", "cols"),
    "timm_e2e": ("model",),
    "gemm": ("m", "n", "k"),
    "attention": ("op", "batch", "queries", "keys", "heads", "kv_heads", "head_dim"),
    "encoder_attention": ("batch", "tokens", "heads", "head_dim"),
    "moe": ("tokens", "hidden", "inter", "topk", "experts", "moe_tp", "moe_ep", "routing"),
    "vllm_moe": ("tokens", "activated_experts"),
    "vllm_layers": ("model", "tp", "layer", "rows"),
    "vllm_mixed_attention": ("model", "tp", "prefill_chunk", "kv_prefill", "n_decode", "kv_decode"),
    "vidur_layers": ("op", "model", "tp", "m", "n", "k", "bytes"),
}
"""The columns of each set that describe a shape."""


def split(folder: Path, into: Path, fraction: float) -> Iterator[tuple[str, tuple[int, int]]]:
    """Write the two parts of each set to `into/fit` and `into/on`; yield each set's name and the row counts of both
    parts. The split is deterministic."""
    known = [path for path in sorted(folder.glob("*.csv")) if path.stem in _SHAPES]
    if not known:
        raise InputError(
            f"this folder has no file to split; expected one of {', '.join(_SHAPES)}, each with the ending .csv",
            str(folder),
        )
    for part in ("fit", "on"):
        try:
            (into / part).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"a directory can't be created here: {(error.strerror or '').lower()}", str(into)
            ) from None
    for path in known:
        parts: tuple[list[Mapping[str, str]], list[Mapping[str, str]]] = ([], [])
        for _, row in rows_of(path):
            parts[int(place_of(path.stem, row) >= fraction)].append(row)
        for name, rows in zip(("fit", "on"), parts, strict=True):
            _write(into / name / path.name, rows, [*parts[0], *parts[1]])
        yield path.stem, (len(parts[0]), len(parts[1]))


def place_of(stem: str, row: Mapping[str, str]) -> float:
    """Return a number in [0, 1) that assigns a row to a part; it is equal for all rows of a set that have the same
    shape."""
    shape = "|".join([stem, *(row[name] for name in _SHAPES[stem])])
    return int(hashlib.sha256(shape.encode()).hexdigest()[:8], 16) / 2**32


def _write(path: Path, rows: list[Mapping[str, str]], all_rows: list[Mapping[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(all_rows[0]) if all_rows else [])
        writer.writeheader()
        writer.writerows(rows)
