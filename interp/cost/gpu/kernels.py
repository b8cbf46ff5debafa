"""Which kernels a GPU launches for a graph op or a fused group: of which class, how large, on which element type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from xdsl.ir import Operation, SSAValue

from dialects.element_types import byte_width, element_count
from dialects.graph import (
    AttentionOp,
    BatchNormOp,
    ConvOp,
    CumsumOp,
    ElementwiseOp,
    FusedOp,
    GatherElementsOp,
    GatherNdOp,
    GatherOp,
    GraphOp,
    LayerNormOp,
    LrnOp,
    MatmulOp,
    PoolOp,
    ReduceOp,
    RmsNormOp,
    ScatterElementsOp,
    ScatterNdOp,
    SoftmaxOp,
    TransposeOp,
    shape_of,
    tensor_of,
)
from dialects.work import Work

MATRIX_CLASSES = ("gemm", "conv_forward", "prefill", "decode")
"""Classes whose kernels hold contractions."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One launch: its class, element type, and the columns that its class describes it by.

    `more_bytes`, `more_flops`: what ops fused into it move and compute besides. `op` is the graph op that it is named
    after.
    """

    kernel_class: str
    element: str
    numbers: Mapping[str, float]
    op: GraphOp
    more_bytes: int = 0
    more_flops: int = 0
    work: Work = field(default_factory=Work)
    """Of the whole launch."""


def kernels_of(op: GraphOp | FusedOp) -> tuple[Kernel, ...]:
    """The kernels of an op, in order; none for what computes and moves nothing (a view, a weight).

    A fused group is one kernel of the class of its weightiest op (contractions before norms, these before reductions,
    these before element-wise ops), with the others as its prologue and epilogue; each further contraction in it is a
    kernel of its own, since no library has one kernel for two.
    """
    if isinstance(op, GraphOp):
        work = op.work()
        return (_alone(op, work),) if (work.flops or work.bytes) and not work.moves_only else ()
    inner = [part for part in op.ops if isinstance(part, GraphOp) and not part.work().moves_only]
    if not inner:
        inner = [part for part in op.ops if isinstance(part, GraphOp)]
    whole = op.work()
    ranked = sorted(inner, key=_weight)
    anchors = [part for part in ranked if _weight(part) == 0] or ranked[:1]
    kernels = [_alone(anchor, anchor.work()) for anchor in anchors]
    first = kernels[0]
    if "read" in first.numbers:  # a stream: what the group moves is what it moves
        numbers = {**first.numbers, "read": float(whole.read), "written": float(whole.written), "flops": whole.flops}
        return (replace(first, numbers=numbers, work=whole),)
    moved = sum(kernel.work.bytes for kernel in kernels)
    counted = sum(kernel.work.flops for kernel in kernels)
    more = replace(first, more_bytes=max(whole.bytes - moved, 0), more_flops=max(whole.flops - counted, 0), work=whole)
    return (more, *(replace(kernel, work=Work()) for kernel in kernels[1:]))


def element_name(value: SSAValue) -> str:
    """What sheets call the element type of a value, signed or not: `f16`, `i8`."""
    return str(tensor_of(value).element_type).removeprefix("u")


def _alone(op: GraphOp, work: Work) -> Kernel:
    describe = next(found for types, found, _w in _TABLE if isinstance(op, types))
    kernel_class, numbers = describe(op, work)
    value = op.operands[0] if op.operands else op.results[0]
    width = byte_width(tensor_of(value).element_type)
    return Kernel(kernel_class, element_name(value), {"bytes": width, **numbers}, op, work=work)


def _weight(op: Operation) -> int:
    return next(rank for types, _d, rank in _TABLE if isinstance(op, types))


_Described = tuple[str, dict[str, float]]


def _matmul(op: GraphOp, _: Work) -> _Described:
    assert isinstance(op, MatmulOp)
    batch, m, n, k = (max(size, 1) for size in op.sizes)
    if batch > 1 and prod(shape_of(op.b)[:-2]) == 1:  # one right-hand matrix for all: rows of one product
        batch, m = 1, batch * m
    elif batch > 1 and prod(shape_of(op.a)[:-2]) == 1 and m == 1:  # one row for all
        batch, n = 1, batch * n
    return "gemm", {"batch": batch, "m": m, "n": n, "k": k}


def _conv(op: GraphOp, _: Work) -> _Described:
    """Further spatial axes than two count as more rows; one is a row. Of one pixel it is a matrix-vector product, as
    compilers have it."""
    assert isinstance(op, ConvOp)
    n, c, *image = shape_of(op.x)
    filters, kernel = shape_of(op.w)[0], shape_of(op.w)[2:]
    result = shape_of(op.y)[2:]
    if n * prod(image) * prod(kernel) == op.groups.value.data == 1:
        return "gemm", {"batch": 1, "m": 1, "n": filters, "k": c, "transposed_b": 1}
    strides, pads, dilations = op.window(kernel)
    return "conv_forward", {
        "batch": n,
        "c": c,
        "h": prod(image[:-1]),
        "w": image[-1],
        "k": filters,
        "r": prod(kernel[:-1]),
        "s": kernel[-1],
        "p": prod(result[:-1]),
        "q": result[-1],
        "stride": strides[0],
        "stride_w": strides[-1],
        "pad": max(pads[0]),
        "dilation": max(dilations),
        "groups": op.groups.value.data,
    }


def _attention(op: GraphOp, _: Work) -> _Described:
    assert isinstance(op, AttentionOp)
    batch, heads, queries, depth = shape_of(op.q)
    kv_heads, keys, value_depth = shape_of(op.v)[1:]
    numbers = {
        "batch": batch,
        "queries": queries,
        "keys": keys,
        "heads": heads,
        "kv_heads": kv_heads,
        "head": (depth + value_depth) / 2,
        "causal": float(bool(op.causal.value.data)),
    }
    return ("decode" if queries == 1 else "prefill"), numbers


def _stream(kernel_class: str) -> Callable[[GraphOp, Work], _Described]:
    """A class that goes over all elements once, in no rows."""

    def describe(op: GraphOp, work: Work) -> _Described:
        numbers = _streamed(work, 1, max(element_count(tensor_of(op.results[0])), 1))
        return kernel_class, {**numbers, "strided": float(_moves_last_axis(op))}

    return describe


def _moves_last_axis(op: GraphOp) -> bool:
    if not isinstance(op, TransposeOp):
        return False
    order = op.permutation.get_values()
    return bool(order) and order[-1] != len(order) - 1


def _rowwise(kernel_class: str) -> Callable[[GraphOp, Work], _Described]:
    """A class that normalises along the op's axis."""

    def describe(op: GraphOp, work: Work) -> _Described:
        assert isinstance(op, SoftmaxOp | LayerNormOp | RmsNormOp)
        shape = shape_of(op.operands[0])
        axis = op.axis.value.data % len(shape)
        row = prod(shape[axis:]) if isinstance(op, LayerNormOp | RmsNormOp) else shape[axis]
        numbers = _streamed(work, max(prod(shape) // max(row, 1), 1), max(row, 1))
        return kernel_class, {**numbers, "centred": float(not isinstance(op, RmsNormOp))}

    return describe


def _reduce(op: GraphOp, work: Work) -> _Described:
    total, kept = (max(element_count(tensor_of(value)), 1) for value in (op.operands[0], op.results[0]))
    shape = shape_of(op.operands[0])
    strided = isinstance(op, ReduceOp) and len(shape) - 1 not in op.axis_set()
    return "reduction", {**_streamed(work, kept, total / kept), "strided": float(strided)}


def _pool(op: GraphOp, work: Work) -> _Described:
    assert isinstance(op, PoolOp)
    return "elementwise", _streamed(work, 1, element_count(tensor_of(op.y)))  # a thread an element, its window in L1


def _gather(op: GraphOp, work: Work) -> _Described:
    picked = max(element_count(tensor_of(op.operands[1])), 1)
    moved = element_count(tensor_of(op.results[0]))
    return "gather", _streamed(work, picked, max(moved / picked, 1))


def _streamed(work: Work, rows: float, cols: float) -> dict[str, float]:
    return {"rows": rows, "cols": cols, "read": work.read, "written": work.written, "flops": work.flops}


_TABLE: tuple[tuple[tuple[type, ...], Callable[[GraphOp, Work], _Described], int], ...] = (
    ((MatmulOp,), _matmul, 0),
    ((ConvOp,), _conv, 0),
    ((AttentionOp,), _attention, 0),
    ((SoftmaxOp,), _rowwise("softmax"), 1),
    ((LayerNormOp, RmsNormOp), _rowwise("norm"), 1),
    ((ReduceOp, CumsumOp), _reduce, 2),
    ((PoolOp,), _pool, 2),
    ((GatherOp, GatherElementsOp, GatherNdOp, ScatterElementsOp, ScatterNdOp), _gather, 3),
    ((ElementwiseOp, BatchNormOp, LrnOp), _stream("elementwise"), 4),
    ((GraphOp,), _stream("copy"), 5),
)
"""The class of each op, how it is described, and its rank in a fused group."""
