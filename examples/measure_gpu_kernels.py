"""Kernels for `measure_gpu.py`: classes, element types, and sizes that are drawn at random (log-uniform) from a seed.

`ndp-calibrate --list-classes` lists the columns of each class.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Sizes = dict[str, int]
WIDTHS = {"f32": 4, "tf32": 4, "f16": 2, "bf16": 2, "f8": 1, "i8": 1}
"""The bytes of an element, by type; tf32 is f32 that matrix units round to fewer bits."""
MOST_BYTES, MOST_FLOPS = 2e9, 2e12
"""The largest number of bytes and of flops of a measured kernel; larger kernels take long and add no information."""


@dataclass(frozen=True)
class Kernel:
    """A kernel to measure, which is one row of the file. `op`: its name within the class; `sizes`: its values for the
    class's columns."""

    kernel_class: str
    op: str
    element: str
    way: str
    sizes: Sizes

    @property
    def width(self) -> int:
        return WIDTHS[self.element]


def _gemm(draw: random.Random, element: str) -> tuple[str, Sizes]:
    step = 16 if element in ("f8", "i8") else draw.choice((1, 8, 8, 64))
    batch = 1 if step == 16 or draw.random() < 0.7 else _log(draw, 2, 512)
    m = max(_log(draw, 1, 16384), 32 if element == "i8" else 1)  # the library's int8 GEMM needs more than 16 rows
    if element == "i8":
        m = _up(m, 16)
    n, k = (_up(_log(draw, 16, 32768), step) for _ in range(2))
    transposed = 1 if element in ("f8", "i8") else draw.randint(0, 1)
    return "mm", {"batch": batch, "m": m, "n": n, "k": k, "transposed_b": transposed}


def _conv(draw: random.Random, element: str) -> tuple[str, Sizes]:
    r = draw.choice((1, 1, 3, 3, 3, 5, 7))
    s = draw.choice((r, r, r, r, 1))
    h = w = _log(draw, max(7, r), 224)
    stride = draw.choice((1, 1, 2))
    c, k = (_up(_log(draw, 8, 1024), 8) for _ in range(2))
    kind, groups = draw.random(), 1
    if kind < 0.2:
        k = groups = c
    elif kind < 0.3:
        groups = 2 ** draw.randint(1, 5)
        c, k = _up(c, groups), _up(k, groups)
    elif kind < 0.35:
        c = 3  # colours of an image
    p, q = (h + 2 * (r // 2) - r) // stride + 1, (w + 2 * (s // 2) - s) // stride + 1
    sizes = {"batch": _log(draw, 1, 256), "c": c, "h": h, "w": w, "k": k, "r": r, "s": s, "p": p, "q": q}
    planar = int((draw.random() < 0.75) == (WIDTHS[element] == 4))  # matrix units are faster with channels last
    return "conv", {**sizes, "stride": stride, "groups": groups, "searched": 1, "planar": planar}


def _attention(draw: random.Random, element: str) -> tuple[str, Sizes]:
    """Draw sizes of an attention kernel with as many queries as keys."""
    heads = draw.choice((8, 12, 16, 32, 40, 64))
    shared = draw.choice([share for share in (1, 1, 2, 4, 8) if heads % share == 0])
    keys = _log(draw, 32, 32768)
    sizes = {"batch": _log(draw, 1, 128), "queries": keys, "keys": keys, "heads": heads, "kv_heads": heads // shared}
    return "attention", {**sizes, "head": draw.choice((64, 128)), "causal": int(draw.random() < 0.8)}


def _forward(causal: int) -> Callable[[random.Random, str], tuple[str, Sizes]]:
    """Return a function that draws sizes of an attention kernel alone, without a store of its keys and values."""

    def sizes(draw: random.Random, element: str) -> tuple[str, Sizes]:
        op, sizes = _attention(draw, element)
        return op, {**sizes, "causal": causal, "stored": 0}

    return sizes


def _decode(draw: random.Random, element: str) -> tuple[str, Sizes]:
    op, sizes = _attention(draw, element)
    return op, {**sizes, "queries": 1, "causal": 0}


def _elementwise(draw: random.Random, element: str) -> tuple[str, Sizes]:
    op, operands, flops = draw.choice((("add", 2, 1), ("mul", 2, 1), ("relu", 1, 1), ("gelu", 1, 8)))
    count, width = _log(draw, 1, 1 << 28), WIDTHS[element]
    return op, _stream(1, count, count * operands * width, count * width, count * flops)


def _rowwise(*ops: tuple[str, int]) -> Callable[[random.Random, str], tuple[str, Sizes]]:
    """Return a function that draws sizes of row-wise ops; `ops`: names and flops per element."""

    def sizes(draw: random.Random, element: str) -> tuple[str, Sizes]:
        op, flops = draw.choice(ops)
        rows, cols = _log(draw, 1, 1 << 18), _up(_log(draw, 16, 1 << 16), draw.choice((1, 8, 64)))
        moved = rows * cols * WIDTHS[element]
        centred = {"centred": int(op == "layer_norm")} if op.endswith("norm") else {}
        return op, {**_stream(rows, cols, moved, moved, rows * cols * flops), **centred}

    return sizes


def _reduction(draw: random.Random, element: str) -> tuple[str, Sizes]:
    rows, cols, width = _log(draw, 1, 1 << 18), _log(draw, 16, 1 << 18), WIDTHS[element]
    sizes = _stream(rows, cols, rows * cols * width, rows * width, rows * cols)
    return draw.choice(("sum", "max")), {**sizes, "strided": int(draw.random() < 0.3)}


def _gather(draw: random.Random, element: str) -> tuple[str, Sizes]:
    rows, cols = _log(draw, 1, 1 << 18), _up(_log(draw, 16, 8192), 8)
    moved = rows * cols * WIDTHS[element]
    return "gather", _stream(rows, cols, moved + rows * 8, moved, 0)  # an index has 8 bytes


def _copy(draw: random.Random, element: str) -> tuple[str, Sizes]:
    op = draw.choice(("copy", "copy", "transpose", "fill"))
    rows, cols = (
        (1, _log(draw, 1, 1 << 28)) if op != "transpose" else (_log(draw, 16, 1 << 14), _log(draw, 16, 1 << 14))
    )
    moved = rows * cols * WIDTHS[element]
    return op, {**_stream(rows, cols, 0 if op == "fill" else moved, moved, 0), "strided": int(op == "transpose")}


def _stream(rows: int, cols: int, read: int, written: int, flops: int) -> Sizes:
    return {"rows": rows, "cols": cols, "read": read, "written": written, "flops": flops}


def _log(draw: random.Random, low: int, high: int) -> int:
    return round(math.exp(draw.uniform(math.log(low), math.log(high))))


def _up(value: int, step: int) -> int:
    return -(-value // step) * step


_PLAIN, _VECTOR, _HALF = ("f32", "tf32", "f16", "bf16"), ("f32", "f16"), ("f16", "bf16")
CLASSES: Mapping[str, tuple[tuple[str, ...], Callable[[random.Random, str], tuple[str, Sizes]]]] = {
    "gemm": ((*_PLAIN, "f8", "i8"), _gemm),
    "conv_forward": (_PLAIN, _conv),
    "conv_backward_data": (_PLAIN, _conv),
    "conv_backward_weight": (_PLAIN, _conv),
    "prefill": (_HALF, _forward(causal=1)),
    "bidirectional": (_HALF, _forward(causal=0)),
    "decode": (_HALF, _decode),
    "attention_backward": (_HALF, _attention),
    "elementwise": (_VECTOR, _elementwise),
    "reduction": (_VECTOR, _reduction),
    "softmax": (_VECTOR, _rowwise(("softmax", 4))),
    "norm": (_VECTOR, _rowwise(("layer_norm", 8), ("rms_norm", 5))),
    "gather": (_VECTOR, _gather),
    "copy": (_VECTOR, _copy),
}
"""The element types of each class, and the function that draws its sizes.

Six classes are missing. PyTorch's attention requires keys and values of the queries' type, so it has no kernels of
`prefill_narrow` and `decode_narrow`; PyTorch 2.5 has no product with a scale for each 128 elements (`gemm_blocks`), and
no kernels of experts (`experts`, `experts_ungated`, `experts_blocks`).
"""


def operands(kernel: Kernel) -> list[int]:
    """Return the number of elements of each operand and result."""
    z = kernel.sizes
    match kernel.op:
        case "mm":
            return [z["batch"] * size for size in (z["m"] * z["k"], z["k"] * z["n"], z["m"] * z["n"])]
        case "conv":
            filters = z["k"] * z["c"] // z["groups"] * z["r"] * z["s"]
            return [z["batch"] * z["c"] * z["h"] * z["w"], filters, z["batch"] * z["k"] * z["p"] * z["q"]]
        case "attention":
            query, key = (z["batch"] * z["head"] * z[name] for name in ("queries", "keys"))
            return [query * z["heads"], key * z["kv_heads"], key * z["kv_heads"], query * z["heads"]]
        case _:
            return [-(-z["read"] // kernel.width), -(-z["written"] // kernel.width)]


def flops(kernel: Kernel) -> int:
    """Return a lower bound on the number of arithmetic operations of a kernel."""
    z = kernel.sizes
    match kernel.op:
        case "mm":
            return 2 * z["batch"] * z["m"] * z["n"] * z["k"]
        case "conv":
            return 2 * operands(kernel)[1] * z["batch"] * z["p"] * z["q"]
        case "attention":
            return 4 * z["batch"] * z["heads"] * z["queries"] * z["keys"] * z["head"]
        case _:
            return z["flops"]


def plan(classes: Sequence[str], elements: Sequence[str], seed: int) -> Iterator[Kernel]:
    """Yield kernels without end, round-robin over classes and element types; the seed determines them.

    Each kernel is measured with its operands in L2 and without, and some kernels also in the way in which frameworks
    submit them.
    """
    pairs = [(name, element) for name in classes for element in CLASSES[name][0] if element in elements]
    draws = {pair: random.Random(f"{seed} {' '.join(pair)}") for pair in pairs}
    while pairs:
        for name, element in pairs:
            yield from _variants(name, element, draws[name, element])


def _variants(name: str, element: str, draw: random.Random) -> Iterator[Kernel]:
    while True:
        op, sizes = CLASSES[name][1](draw, element)
        kernel = Kernel(name, op, element, "graph", {**sizes, "warm": 1})
        if sum(operands(kernel)) * kernel.width <= MOST_BYTES and flops(kernel) <= MOST_FLOPS:
            break
    yield kernel
    if draw.random() < 0.5:
        yield Kernel(name, op, element, "graph", {**sizes, "warm": 0})
    way = draw.choice((None, None, None, "stream", "eager"))
    if way is not None:
        yield Kernel(name, op, element, way, {**sizes, "warm": 1})
