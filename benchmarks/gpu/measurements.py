"""Reader of public data sets of measured GPU kernels (CSV files, described in tests/data/gpu/README.md).

Rows are collected into groups; a group has one data set, kernel class, element type and GPU, and the columns of its
class.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TypeAlias

import numpy as np

from benchmarks.gpu.baselines import work
from benchmarks.gpu.routing import load_of
from dialects.diagnostics import FileName, InputError, note
from dialects.graph import AddOp, DivOp, ElementwiseOp, GeluOp, MulOp, PowOp, ReluOp, SiluOp, TanhOp
from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.constants.measurement import MeasuredGroup
from interp.machine.records import RATE_BYTES, Gpu
from interp.machine.sheets.files import load_device

Row: TypeAlias = Mapping[str, str]
Read: TypeAlias = tuple[str, str, dict[str, float]]
"""The kernel class and the label of a row, and its columns by name."""

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
    "RTXPRO6000": "rtx_pro_6000",
    "a100_sxm": "a100_80_sxm",
    "h100_sxm": "h100_sxm",
    "h200_sxm": "h200_sxm",
    "b200_sxm": "b200_sxm",
    "gb200": "gb200",
    "b300_sxm": "b300_sxm",
    "l40s": "l40s",
    "rtx_pro_6000_server": "rtx_pro_6000",
}
"""The sheet of each GPU that a data set names. Rows of GPUs without a sheet (consumer Pascal and Maxwell, AMD) are
skipped."""

ELEMENTS = {
    "fp32": "f32",
    "fp16": "f16",
    "fp16tc": "f16",
    "bf16": "bf16",
    "bfloat16": "bf16",
    "fp8": "f8",
    "fp8_block": "f8",
    "int8": "i8",
}


def read_groups(folder: Path, only: str = "") -> list[MeasuredGroup]:
    """Read the groups of all sets in a folder, or of sets whose file name begins with `only`; sorted by key.

    Rows of GPUs without a sheet and rows with an empty field are skipped; notes state their numbers. Raises InputError
    with the location of a file, row or field that can't be read.
    """
    found: dict[tuple[str, ...], list[tuple[dict[str, float], float, float, int]]] = {}
    unknown: Counter[str] = Counter()
    for stem, (way, read) in _SETS.items():
        path = folder / f"{stem}.csv"
        if not stem.startswith(only) or not path.exists():
            continue
        empty = EmptyFields(path)
        for line, row in rows_of(path):
            with _with_place(row, f"{path}:{line}"), empty.left_out(row, line):
                word = row["precision"] if "precision" in row else row.get("dtype", "bf16")
                gpu, element = SHEETS.get(filled(row, "gpu")), ELEMENTS.get(word)
                if gpu is None or element is None:
                    unknown[row["gpu"] if gpu is None else f"{row['gpu']} {word}"] += 1
                    continue
                time, power, number = _time(row), _power(row), row_number(row)
                library = _library(stem, row)
                for kernel_class, label, columns in read(row):
                    key = (stem, gpu, kernel_class, element, label, _way(row, way), library)
                    numbers = {"bytes": RATE_BYTES[element], **columns}
                    found.setdefault(key, []).append((numbers, time, power, number))
        empty.report()
    if unknown:
        names = ", ".join(f"{name} ({count})" for name, count in sorted(unknown.items()))
        note_once(f"rows skipped, because the GPU has no sheet or no such element type: {names}", folder)
    if not found:
        sets = [stem for stem in _SETS if stem.startswith(only)]
        wanted = ", ".join(sets) if sets else f"{', '.join(_SETS)} (none begins with `{only}`)"
        met = (
            "this directory has no measurements of a GPU with a sheet"
            if folder.is_dir()
            else "this directory does not exist"
        )
        raise InputError(f"{met}; expected files NAME.csv of the sets {wanted}", FileName(folder))
    groups = [_group(key, rows) for key, rows in sorted(found.items())]
    return [group for group in groups if not _is_impossible(group, folder)]


_TOO_FAST, _MANY = 0.9, 0.02


def _is_impossible(group: MeasuredGroup, folder: Path) -> bool:
    """Return whether more than `_MANY` of a group's kernels took less than `_TOO_FAST` of the time of their operations
    at the data sheet's peak rate, so that they can't have computed what the set says; print a note if so."""
    gpu = load_device(group.gpu)
    assert isinstance(gpu, Gpu)
    chip = Chip.of(gpu, group.element)
    flops, _ = work(group)
    fast = group.ns < _TOO_FAST * flops / np.maximum(chip.matrix_rate, chip.rate) * 1e9
    winograd = group.kernel_class.startswith("conv")  # with fewer operations than the definition
    impossible = not winograd and float(np.mean(fast)) > _MANY
    if impossible:
        what = f"{len(group.ns)} rows of {' '.join(group.key)} are refused"
        note_once(f"{what}: {int(fast.sum())} are faster than the peak rate of the GPU allows", folder)
    return impossible


def rows_of(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a CSV file, each with its line number."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            for row in reader:
                yield reader.line_num, _Fields({name: value or "" for name, value in row.items() if name})
    except OSError as error:
        raise InputError(f"the file can't be read: {(error.strerror or str(error)).lower()}", FileName(path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"a CSV file of UTF-8 text is expected: {error}", FileName(path)) from None


class _Fields(dict[str, str]):
    """The fields of a row; the name of the field that was read last is kept for error messages."""

    met = ""

    def __getitem__(self, name: str) -> str:
        self.met = name
        return super().__getitem__(name)


class EmptyFields:
    """A counter of the rows of a file that are skipped because a required field is empty."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self._first = ""

    @contextmanager
    def left_out(self, row: Row, line: int) -> Generator[None]:
        """A context in which a row is read; if a required field is empty, the error is suppressed, and the row is
        counted."""
        try:
            yield
        except (KeyError, ValueError):
            met = row.met if isinstance(row, _Fields) else ""
            if row.get(met, "-"):
                raise
            self.count += 1
            self._first = self._first or f"line {line}, where `{met}` is empty"

    def report(self) -> None:
        """Print a note with the number of skipped rows, unless it is 0."""
        if self.count:
            rows = "1 row is" if self.count == 1 else f"{self.count} rows are"
            note_once(f"{rows} skipped because of an empty field; the first is {self._first}", self.path)


def filled(row: Row, name: str) -> str:
    """Return the field `name` of a row. Raises ValueError if it is empty."""
    if not row[name]:
        raise ValueError(f"`{name}` is empty")
    return row[name]


def row_number(row: Row) -> int:
    """Return the number of a row in its set, which is the end of its `id`; -1 if it has no `id`."""
    number = row.get("id", "").rpartition("-")[2]
    return int(number) if number.isdecimal() else -1


_noted: set[tuple[str, Path]] = set()


def note_once(text: str, path: Path) -> None:
    """Print a note on a file, unless the same note was printed before."""
    if (text, path) not in _noted:
        _noted.add((text, path))
        note(text, FileName(path))


@contextmanager
def _with_place(row: Row, place: str) -> Generator[None]:
    """A context that converts errors in reading a row into InputErrors with the row's location."""
    try:
        yield
    except KeyError as error:
        name = str(error.args[0])
        if name in row.values():
            raise InputError(f"`{name}` is no op or layer of this data set", place) from None
        raise InputError(f"column `{name}` is missing; the columns are {', '.join(row)}", place) from None
    except (ValueError, ZeroDivisionError) as error:
        text = str(error).rpartition(": ")[2]
        raise InputError(f"met {text}; expected a number in each column that describes a kernel", place) from None


def _time(row: Row) -> float:
    """Return the measured time of a row in us."""
    name = "us" if "us" in row else "lat_us"
    time = float(row[name])
    if not 0 < time < inf:
        raise ValueError(f"`{name}`: `{row[name]}`, which is not a positive time")
    return time


def _group(key: tuple[str, ...], rows: list[tuple[dict[str, float], float, float, int]]) -> MeasuredGroup:
    source, gpu, kernel_class, element, label, way, library = key
    columns = {name: np.array([row[0][name] for row in rows], float) for name in rows[0][0]}
    times, power = np.array([row[1] for row in rows]) * 1e3, np.array([row[2] for row in rows])
    ids = np.array([row[3] for row in rows], np.intp)
    metered = None if np.isnan(power).all() else power
    return MeasuredGroup(source, gpu, kernel_class, element, label, way, columns, times, metered, ids, library)


def _power(row: Row) -> float:
    return float(row.get("power_w") or "nan")


def _gemm(row: Row, batch: float = 1, warm: float = 1) -> Read:
    columns = {"batch": batch, **{name: float(row[name]) for name in "mnk"}, "warm": warm}
    return "gemm", "gemm", columns


def _linear(row: Row) -> Read:
    """Return the kernel of a linear layer of a language model: weights are read from DRAM, with layout [n, k]."""
    kernel_class, label, columns = _gemm(row, warm=0)
    return kernel_class, label, columns | {"transposed_b": 1}


def _neusight_mm(row: Row) -> Iterator[Read]:
    kernel_class, _, columns = _gemm(row, float(row["b"]))
    yield kernel_class, row["op"], columns | {"transposed_b": float(row["op"] == "linear")}


_A_NEW_L2_EACH = ("trtllm/1.3.0rc20",)
"""The framework releases in whose benchmarks a GEMM reads its weights in rotation from as many copies as fit into L2,
at most 5. In benchmarks of all other releases there are 6 copies."""


def _aic_gemm(row: Row) -> Iterator[Read]:
    """Yield a GEMM that reads its weights from several copies in rotation; times in fp8 include the scaling of the
    factor A."""
    kernel_class, label, columns = _gemm(row)
    copies, fp8 = 6.0, float(row["dtype"] == "fp8")
    if row["src"].endswith(_A_NEW_L2_EACH):
        gpu = load_device(SHEETS[row["gpu"]])
        assert isinstance(gpu, Gpu)
        copies = min(5.0, np.ceil(gpu.l2_bytes / (columns["n"] * columns["k"] * (2 - fp8))))
    yield kernel_class, label, columns | {"transposed_b": 1, "copies": copies, "quantise": fp8}


def _deepbench_gemm(row: Row) -> Iterator[Read]:
    """Yield a GEMM on column-major operands: the rows of A are contiguous if A is transposed, the columns of B if B is
    not."""
    kernel_class, label, columns = _gemm(row)
    yield (
        kernel_class,
        label,
        columns | {"transposed_a": float(row["ta"] == "N"), "transposed_b": float(row["tb"] == "N")},
    )


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


_OPS: dict[str, type[ElementwiseOp]] = {
    **{"add": AddOp, "mul": MulOp, "div": DivOp, "pow": PowOp, "relu": ReluOp, "gelu": GeluOp, "tanh": TanhOp},
    **{"addu": AddOp, "mulu": MulOp, "divu": DivOp, "powu": PowOp},
}
_SOFTMAX, _LAYER_NORM, _RMS_NORM = 4, 8, 5
_GATED = SiluOp.FLOPS_EACH + MulOp.FLOPS_EACH
_ROTATED = 3
"""Operations per result element of a rotary embedding, as graph ops count them: two products and a sum."""

_HOST = {"addu": 1.18, "mulu": 1.18, "divu": 1.18, "powu": 1.12, "relu": 1.2, "gelu": 1.15, "tanh": 0.97, "pow": 1.02}
"""Host time per call in the NeuSight set, as a multiple of the host time of an addition of two tensors; medians over
the set's GPUs, for the smallest tensors. PyTorch first converts a scalar operand to a tensor, and a module adds one
more call."""


def _neusight_vec(row: Row) -> Iterator[Read]:
    rows, cols, op = float(row["rows"]), float(row["cols"]), row["op"]
    if op in ("ln", "softmax"):
        yield (
            ("norm" if op == "ln" else op),
            op,
            _stream(rows * cols, 1, 1, 4, _LAYER_NORM if op == "ln" else _SOFTMAX, cols),
        )
    else:
        operands = 2 if op in ("add", "mul", "div", "pow") else 1
        columns = _stream(rows * cols, operands, 1, 4, _OPS[op].FLOPS_EACH)
        yield "elementwise", "elementwise", columns | {"host": _HOST.get(op, 1)}


_SWEEPS = {"A100-80-PCIe": 1, "P100": 1249, "P4": 2534, "V100-PCIe": 3835, "T4": 5121}
"""The number of each GPU's first convolution in the NeuSight set, whose rows are in the order of measurement."""
_SWEEP = 1290
"""The number of convolutions that the set has for a GPU."""
_SLOWER = 10.0
"""The increase of the host's time per call from a GPU's first to its last convolution in the NeuSight set, as a
multiple of the time at the first. The smallest convolutions take 60 to 140 us at the beginning and 300 to 800 us at the
end, and the increase is linear, on all five GPUs and for all algorithms; no other op of the set has one. The set does
not state its cause."""


def _neusight_conv(row: Row) -> Iterator[Read]:
    numbers = {name: float(row[name]) for name in ("n", "c", "h", "w", "k", "r", "s", "stride", "pad")}
    p = (numbers["h"] + 2 * numbers["pad"] - numbers["r"]) // numbers["stride"] + 1
    q = (numbers["w"] + 2 * numbers["pad"] - numbers["s"]) // numbers["stride"] + 1
    place = max(row_number(row) - _SWEEPS.get(row["gpu"], 0), 0) / _SWEEP
    columns = _conv(numbers, p, q, numbers["stride"])
    yield "conv_forward", "conv2d_fwd", columns | {"host": 1 + _SLOWER * min(place, 1.0)}


_PADDED = {"fp16tc": (8, 1), "int8": (4, 4)}
"""For each element type, the numbers of which the DeepBench set's channels, and rows and columns, are made multiples
before a convolution is measured (baidu-research/DeepBench:code/nvidia/conv_bench.cu @0cb389f, `PAD_KERNELS`)."""


def _deepbench_conv(row: Row) -> Iterator[Read]:
    """Yield a convolution on planes of channels (NCHW), in i8 on pixels (NHWC), with the padding that was measured."""
    numbers = {name: float(row[name]) for name in ("n", "c", "h", "w", "k", "r", "s")}
    channels, pixels = _PADDED.get(row["dtype"], (1, 1))
    for name, step in (("c", channels), ("h", pixels), ("w", pixels)):
        numbers[name] = np.ceil(numbers[name] / step) * step
    pad_h, pad_w, down, across = (float(row[name]) for name in ("pad_h", "pad_w", "stride_h", "stride_w"))
    p = (numbers["h"] + 2 * pad_h - numbers["r"]) // down + 1
    q = (numbers["w"] + 2 * pad_w - numbers["s"]) // across + 1
    names = {"conv2d_fwd": "forward", "conv2d_bwd_input": "backward_data", "conv2d_bwd_weight": "backward_weight"}
    columns = _conv(numbers, p, q, down) | {"stride_w": across, "searched": 0}
    yield f"conv_{names[row['op']]}", row["op"], columns


def _conv(numbers: Mapping[str, float], p: float, q: float, stride: float) -> dict[str, float]:
    sizes = {name: numbers[name] for name in ("c", "h", "w", "k", "r", "s")}
    return {"batch": numbers["n"], **sizes, "p": p, "q": q, "stride": stride, "groups": 1, "warm": 1}


_ONE_CACHE = "trtllm"
"""The framework in whose rows keys and values share one cache: aiconfigurator:collector/trtllm/collect_attn.py @efcae12
(until its version for 1.3.0rc20) uses `CacheType.SELFKONLY`, so that values are read from the keys' addresses."""


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
            "apart": float(_ONE_CACHE not in row["src"]),
            "warm": 1,
        },
    )


_VIDUR = {
    "act": (1, 1, GeluOp.FLOPS_EACH),
    "add": (2, 1, AddOp.FLOPS_EACH),
    "gated_act": (2, 1, _GATED),
    "rope": (1, 1, _ROTATED),
    "layernorm": (1, 1, _RMS_NORM),
}
"""The numbers of operands, of results, and of operations per result element, by op."""


def _vidur(row: Row) -> Iterator[Read]:
    if row["op"] == "gemm":
        yield _linear(row)
        return
    rows, cols, op = float(row["m"]), float(row["n"]), row["op"]
    columns = _stream(rows * cols, *_VIDUR[op][:2], 2, _VIDUR[op][2], cols)
    total = columns["read"] + columns["written"]
    scale = float(row["bytes"]) / total  # the data set states the traffic
    twice = 1 + (op == "add" and row["model"] == "phi-2")  # attention and MLP are parallel: two additions
    columns |= {"read": columns["read"] * scale * twice, "written": columns["written"] * scale * twice}
    columns |= {
        "flops": columns["flops"] * twice,
        "kernels": twice,
        "warm": 1,
    }  # the previous layer has just written the input
    if op in ("act", "add"):
        columns |= {"cols": rows * cols, "rows": 1}
    if op == "rope":
        columns["footprint"] = columns["read"]  # in place
    if op == "layernorm":
        columns["centred"] = row["model"] == "phi-2"  # all others have RMS norms
        columns["flops"] *= (_LAYER_NORM if columns["centred"] else _RMS_NORM) / _RMS_NORM
    yield ("norm" if op == "layernorm" else "elementwise"), op, columns


def _llmservingsim(row: Row) -> Iterator[Read]:
    if row["op"] == "gemm":
        yield _linear(row)
        return
    rows, cols, op = float(row["m"]), float(row["n"]), row["op"]
    norm = op == "rmsnorm_add"
    flops = AddOp.FLOPS_EACH + _RMS_NORM if norm else _GATED
    columns = _stream(rows * cols, 2, 2 if norm else 1, 2, flops, cols if op != "gated_act_unfused" else 0)
    if op == "gated_act_unfused":  # the activation by itself, then the product
        columns |= {"read": rows * cols * 6, "written": rows * cols * 4, "kernels": 2}
    if norm:
        columns |= {"centred": 0, "footprint": columns["read"]}  # in place
    yield ("norm" if norm else "elementwise"), op, columns


def _llmcompass(row: Row) -> Iterator[Read]:
    rows, cols, op = float(row["m"]), float(row["n"]), row["op"]
    if op == "gemm":
        yield _gemm(row)
    elif op == "gelu":
        yield "elementwise", op, _stream(rows * cols, 1, 1, 2, GeluOp.FLOPS_EACH)
    else:
        flops = _LAYER_NORM if op == "layernorm" else _SOFTMAX
        yield ("norm" if op == "layernorm" else op), op, _stream(rows * cols, 1, 1, 2, flops, cols)


def _libraries_gemm(row: Row) -> Iterator[Read]:
    """Yield a product whose weights, of [n, k], are read from copies in rotation; in fp8 the factor A, of 16 bits, is
    scaled first: a scale a tensor or row, or, in `fp8_block`, a scale for 128 elements."""
    kernel_class, label, columns = _gemm(row)
    fp8 = row["precision"] != "bfloat16"
    gpu = load_device(SHEETS[row["gpu"]])
    assert isinstance(gpu, Gpu)
    copies = 6.0
    if row["framework"] == "trtllm":
        copies = min(5.0, np.ceil(gpu.l2_bytes / (columns["n"] * columns["k"] * (2 - fp8))))
    blocks = float(row["precision"] == "fp8_block")
    if blocks and row["framework"] == "vllm":
        copies = 1.0
    columns |= {"transposed_b": 1, "copies": copies, "quantise": float(fp8)}
    yield ("gemm_blocks", "block-scaled gemm", columns) if blocks else (kernel_class, label, columns)


_SHARED_CACHES = {("trtllm", "1.0.0"), ("trtllm", "1.3.0rc15")}
"""Releases in whose rows keys and values share one cache, as in `_ONE_CACHE`; 1.3.0rc20 has two."""


def _libraries_attention(row: Row) -> Iterator[Read]:
    prefill = row["op"] == "context_attention"
    numbers = {name: float(row[name]) for name in ("batch", "queries", "keys", "heads", "kv_heads")}
    cache = RATE_BYTES[ELEMENTS[row["kv_precision"]]]
    apart = (row["framework"], row["version"]) not in _SHARED_CACHES
    numbers |= {"head": float(row["head_dim"]), "causal": float(prefill), "apart": float(apart), "warm": 1.0}
    narrow = cache == 1 and row["precision"] != "fp8"
    kernel_class = ("prefill" if prefill else "decode") + ("_narrow" if narrow else "")
    yield kernel_class, row["op"] + (" f8 cache" if narrow else ""), numbers | {"cache_bytes": cache}


_UNGATED = {(1856, 6, 128), (5120, 22, 512), (2688, 22, 512)}
"""The inner widths, choices and experts of models without gates, whose experts square a ReLU: Nemotron 3 and its latent
mixtures (collector/model_cases). The releases measured on the A100 were run with gates for all models."""
_WITH_GATES = {("trtllm", "1.0.0"), ("vllm", "0.14.0"), ("sglang", "0.5.10")}


def _experts(row: Row) -> Iterator[Read]:
    tokens, choices, experts, devices = (int(row[name]) for name in ("tokens", "topk", "experts", "moe_ep"))
    load = load_of(row["routing"], tokens, choices, experts, devices)
    plain = (int(row["inter"]), choices, experts) in _UNGATED
    gated = not plain or (row["framework"], row["version"]) in _WITH_GATES
    columns = {"tokens": tokens, "choices": choices, "experts": experts / devices, **load._asdict()}
    columns |= {"hidden": float(row["hidden"]), "inter": float(row["inter"]) / float(row["moe_tp"])}
    columns |= {"gated": float(gated), "even": float(row["routing"] == "balanced"), "warm": 1}
    name = "experts_blocks" if row["precision"] == "fp8_block" else "experts" if gated else "experts_ungated"
    labels = {
        "experts": "experts",
        "experts_ungated": "experts without gates",
        "experts_blocks": "block-scaled experts",
    }
    yield name, labels[name], columns


def _vllm_experts(row: Row) -> Iterator[Read]:
    """Yield the experts of Qwen3-30B-A3B by the number of distinct ones that tokens were made to choose."""
    hidden, width = _MODELS[row["model"]][0], _MODELS[row["model"]][4]
    tokens, touched, choices = float(row["tokens"]), float(row["activated_experts"]), 8
    columns = {"tokens": tokens, "choices": choices, "rows": tokens * choices, "touched": touched, "experts": 128}
    columns |= {"hidden": hidden, "inter": width / float(row["tp"]), "gated": 1, "warm": 0}
    yield "experts", "experts by number", columns


def _encoder_attention(row: Row) -> Iterator[Read]:
    tokens, heads = float(row["tokens"]), float(row["heads"])
    numbers = {"batch": float(row["batch"]), "queries": tokens, "keys": tokens, "heads": heads, "kv_heads": heads}
    yield (
        "bidirectional",
        "encoder_attention",
        numbers | {"head": float(row["head_dim"]), "causal": 0, "stored": 0, "warm": 1},
    )


_MODELS = {  # hidden, heads, heads of the cache, head, width of the MLP, vocabulary: config.json of each model
    "Llama-3.1-8B": (4096, 32, 8, 128, 14336, 128256),
    "Qwen3-32B": (5120, 64, 8, 128, 25600, 151936),
    "Qwen3-30B-A3B-Instruct-2507": (2048, 32, 4, 128, 768, 151936),
}


def _vllm_layers(row: Row) -> Iterator[Read]:
    hidden, heads, kv_heads, head, width, words = _MODELS[row["model"]]
    rows, parts, layer = float(row["rows"]), float(row["tp"]), row["layer"]
    products = {
        "qkv_proj": ((heads + 2 * kv_heads) * head / parts, hidden),
        "o_proj": (hidden, heads * head / parts),
        "gate_up_proj": (2 * width / parts, hidden),
        "down_proj": (hidden, width / parts),
        "lm_head": (words / parts, hidden),
    }
    if layer in products:
        n, k = products[layer]
        yield "gemm", "gemm", {"batch": 1, "m": rows, "n": n, "k": k, "warm": 0, "transposed_b": 1}
    elif layer == "act_fn":
        yield "elementwise", layer, _stream(rows * width / parts, 2, 1, 2, _GATED, width / parts)
    elif layer in ("layernorm", "final_layernorm"):
        columns = _stream(rows * hidden, 2, 2, 2, AddOp.FLOPS_EACH + _RMS_NORM, hidden)
        yield "norm", "layernorm", columns | {"centred": 0, "footprint": columns["read"]}  # in place
    elif layer == "qk_norm":
        columns = _stream(rows * (heads + kv_heads) / parts * head, 1, 1, 2, _RMS_NORM, head)
        yield "norm", layer, columns | {"centred": 0, "kernels": 2}
    elif layer == "rotary_emb":
        columns = _stream(
            rows * (heads + kv_heads) / parts * head, 1, 1, 2, _ROTATED, (heads + kv_heads) / parts * head
        )
        yield "elementwise", "rope", columns | {"footprint": columns["read"]}
    elif layer == "embedding":
        columns = _stream(rows * hidden, 1, 1, 2, 0, hidden)  # dummy tokens: always the same row of the table
        yield "gather", layer, columns | {"scattered": 1, "footprint": columns["written"]}


def _mixed_attention(row: Row) -> Iterator[Read]:
    """Yield one call of attention over a chunk of a prompt, after its cached keys, and over further sequences of one
    query each."""
    _, heads, kv_heads, head, _, _ = _MODELS[row["model"]]
    parts, chunk, decodes = float(row["tp"]), float(row["prefill_chunk"]), float(row["n_decode"])
    kept, decode_keys = float(row["kv_prefill"]), float(row["kv_decode"])
    sizes = {"heads": heads / parts, "kv_heads": max(1.0, kv_heads / parts), "head": head, "causal": 1, "warm": 0}
    if not chunk:
        yield "decode", "vllm decode", sizes | {"batch": decodes, "queries": 1, "keys": decode_keys, "apart": 1.0}
    else:
        one = {"batch": 1, "queries": chunk, "keys": kept + chunk, "stored": 0}
        others = {"decodes": decodes, "decode_keys": decode_keys if decodes else 0}
        yield "prefill", "mixed attention" if decodes else "vllm prefill", sizes | one | others


_OLDER = {
    "trtllm/1.3.0rc10": "trtllm_1_3_rc10",
    "vllm/0.22.0": "vllm_0_22",
    "sglang/0.5.10 b200_sxm": "sglang_0_5_10",
}
"""Releases of libraries, as data sets name them, for which another GPU of the same compute capability has a newer one
with other kernels: each is a library of its own."""
LIBRARIES = {
    "pytorch": "PyTorch's kernels, with cuBLAS and cuDNN: sitar-lab/NeuSight and PrincetonUniversity/LLMCompass",
    "cudnn7": "cuBLAS 8 to 10 and cuDNN 6 to 7: baidu-research/DeepBench, 2017 to 2019",
    "vllm": "vLLM 0.24, 0.14 on the A100: ai-dynamo/aiconfigurator; layers: microsoft/vidur, casys-kaist/LLMServingSim",
    "vllm_0_22": "vLLM 0.22: ai-dynamo/aiconfigurator",
    "trtllm": "TensorRT-LLM 1.3.0rc20, 1.0.0 on the A100: ai-dynamo/aiconfigurator",
    "trtllm_1_3_rc10": "TensorRT-LLM 1.3.0rc10: ai-dynamo/aiconfigurator",
    "sglang": "SGLang 0.5.14, 0.5.10 on the A100: ai-dynamo/aiconfigurator",
    "sglang_0_5_10": "SGLang 0.5.10: ai-dynamo/aiconfigurator",
    "sglang_triton": "SGLang 0.5.14's experts in Triton on GPUs where it has others: ai-dynamo/aiconfigurator",
    "generic": "means over libraries, for those without measurements: all public sets",
}
"""The libraries of the data sets, each with its releases and the sets."""
_NEWER_EXPERTS = ("b200_sxm", "gb200")
"""GPUs on which SGLang runs experts by kernels of TensorRT-LLM or, where a model's routing is none that these know, by
its own in Triton; the latter are a library of their own."""
_FRAMEWORKS = ("trtllm", "vllm", "sglang")
_OF_SETS = {
    "neusight": "pytorch",
    "llmcompass": "pytorch",
    "timm": "pytorch",
    "deepbench": "cudnn7",
    "vidur": "vllm",
    "llmservingsim": "vllm",
    "vllm": "vllm",
}
"""The library of the kernels of each data set whose rows name none, by the first word of the set's file name."""


def _library(stem: str, row: Row) -> str:
    """Return the name of the library whose kernels a row measures."""
    if "framework" in row:
        release = f"{row['framework']}/{row.get('version', '')}"
        if row.get("kernel") == "sglang_fused_moe_triton" and row["gpu"] in _NEWER_EXPERTS:
            return "sglang_triton"
        return _OLDER.get(release, _OLDER.get(f"{release} {row['gpu']}", row["framework"]))
    if stem.startswith("aic_"):
        older = next((name for release, name in _OLDER.items() if row["src"].endswith(release)), "")
        return older or next(name for name in _FRAMEWORKS if name in row["src"])
    return _OF_SETS[stem.partition("_")[0]]


def _way(row: Row, way: str) -> str:
    """Return the submission of a row's kernels: that of its set, except for vLLM's block-scaled products, which were
    called one at a time from Python."""
    return "eager" if (row.get("framework"), row.get("precision")) == ("vllm", "fp8_block") else way


_SETS: dict[str, tuple[str, Callable[[Row], Iterator[Read]]]] = {
    "neusight_mm": ("eager", _neusight_mm),
    "aic_gemm": ("graph", _aic_gemm),
    "deepbench_gemm": ("stream", _deepbench_gemm),
    "vidur_layers": ("profiler", _vidur),
    "llmservingsim_layers": ("profiler", _llmservingsim),
    "llmcompass_ops": ("eager", _llmcompass),
    "neusight_conv": ("eager", _neusight_conv),
    "deepbench_conv": ("stream", _deepbench_conv),
    "neusight_vec": ("eager", _neusight_vec),
    "aic_attention": ("graph", _aic_attention),
    "gemm": ("graph", _libraries_gemm),
    "attention": ("graph", _libraries_attention),
    "encoder_attention": ("graph", _encoder_attention),
    "moe": ("graph", _experts),
    "vllm_moe": ("profiler", _vllm_experts),
    "vllm_layers": ("profiler", _vllm_layers),
    "vllm_mixed_attention": ("profiler", _mixed_attention),
}
"""For each data set, by its file name: the submission of its kernels, and the function that reads one row."""
