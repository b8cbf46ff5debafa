"""Import of reductions, running sums, softmax and normalisations."""

from __future__ import annotations

from math import prod

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, dtype_of, element_type_named, tensor_type
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.operators import Handler, OnnxNode, Outputs, element_of, handles, rank_of
from ndpir.writers.onnx.names import REDUCED


def _reduce(kind: str, axes_operand_since: int) -> Handler:
    def handler(node: OnnxNode) -> SSAValue:
        """`graph.reduce`; axes are an attribute in older versions of the operator, then an operand. Without axes, all
        axes are reduced, or none if `noop_with_empty_axes` is set."""
        x, axes = node[0], reduced_axes(node, axes_operand_since)
        if not axes:
            return x
        is_truth = kind in ("min", "max") and element_of(x) == I1
        wide = node.cast(x, element_type_named("ui8")) if is_truth else x
        y = node.build(g.ReduceOp, wide, kind=kind, axes=axes, keep_dims=True if node.integer("keepdims") else None)
        return node.cast(y, element_of(x))

    return handler


def reduced_axes(node: OnnxNode, operand_since: int) -> tuple[int, ...]:
    """The axes that a reduction reduces, in order; `operand_since`: the version from which on they are an operand."""
    rank = rank_of(node[0])
    if node.since < operand_since:
        written = node.integer_list("axes")
    else:
        written = None if node.get(1) is None else node.integers(1)
    if not written and node.integer("noop_with_empty_axes"):
        return ()
    return tuple(sorted(node.axis_of(axis, rank) for axis in written or range(rank)))


for _kind, _name in REDUCED.items():  # maxima and minima of truth values came with the newest version
    _since, _newest = (13, 13) if _kind == "sum" else (18, 20 if _kind in ("min", "max") else 18)
    handles(_name, _newest)(_reduce(_kind, _since))


@handles("CumSum", newest=14)
def cumsum(node: OnnxNode) -> SSAValue:
    return node.build(
        g.CumsumOp,
        node[0],
        axis=node.axis_of(node.whole(1), rank_of(node[0])),
        exclusive=True if node.integer("exclusive") else None,
        reverse=True if node.integer("reverse") else None,
    )


@handles("Softmax", newest=13)
def softmax(node: OnnxNode) -> SSAValue:
    """Softmax along `axis`; before opset 13, all axes from `axis` on are flattened to one."""
    x, rank = node[0], rank_of(node[0])
    axis = node.axis("axis", rank)
    if node.since >= 13 or axis == rank - 1:
        return node.build(g.SoftmaxOp, x, axis=axis if axis != rank - 1 else None)
    extents = g.shape_of(x)
    flat = node.reshaped(x, (prod(extents[:axis]), prod(extents[axis:])))
    return node.reshaped(node.build(g.SoftmaxOp, flat), extents)


def _stash(node: OnnxNode) -> None:
    if node.integer("stash_type", TensorProto.FLOAT) != TensorProto.FLOAT:
        node.fail(
            "`stash_type`, the type in which statistics are computed, must be f32 (1), not "
            f"{node.integer('stash_type', TensorProto.FLOAT)}"
        )


@handles("LayerNormalization", newest=17)
def layer_normalization(node: OnnxNode) -> Outputs:
    _stash(node)
    x, epsilon, axis = node[0], node.real("epsilon"), node.axis("axis", rank_of(node[0]))
    y = node.build(g.LayerNormOp, x, node[1], *node.optional(2), axis=axis - rank_of(x), epsilon=epsilon)
    if not any(node.wanted[1:]):
        return y
    wide = x if element_of(x) == f32 else node.build_as(tensor_type(g.shape_of(x), f32), g.CastOp, x)
    mean, variance = _statistics(node, wide, tuple(range(axis, rank_of(x))))
    return [y, mean, node.build(g.RsqrtOp, node.build(g.AddOp, variance, node.like(wide, epsilon)))]


def _statistics(node: OnnxNode, x: SSAValue, axes: tuple[int, ...]) -> tuple[SSAValue, SSAValue]:
    """Mean and variance of `x` over `axes`; these axes remain with extent 1."""
    mean = node.build(g.ReduceOp, x, kind="mean", axes=axes, keep_dims=True)
    off = node.build(g.SubOp, x, mean)
    return mean, node.build(g.ReduceOp, node.build(g.MulOp, off, off), kind="mean", axes=axes, keep_dims=True)


@handles("RMSNormalization", newest=23)
def rms_normalization(node: OnnxNode) -> SSAValue:
    _stash(node)
    x = node[0]
    axis = node.axis("axis", rank_of(x)) - rank_of(x)
    return node.build(g.RmsNormOp, x, node[1], axis=axis, epsilon=node.real("epsilon"))


@handles("BatchNormalization", newest=15)
def batch_normalization(node: OnnxNode) -> Outputs:
    """Batch norm with the statistics in its operands. In `training_mode` (opset 14), the batch's statistics are used,
    and updated running statistics are further results."""
    x, scale, bias, mean, variance = (node[i] for i in range(5))
    epsilon = node.real("epsilon")
    if not node.integer("spatial", 1):
        node.fail("`spatial` = 0 (statistics for each element) is not supported; use 1 (statistics for each channel)")
    if not node.integer("training_mode"):
        if any(node.wanted[1:]):
            node.fail(
                "only training mode has more than one result, but `training_mode` is false; export the model for "
                "inference"
            )
        return node.build(g.BatchNormOp, x, scale, bias, mean, variance, epsilon=epsilon)
    if rank_of(x) < 2:
        node.fail(f"the operand must be [N, C, …] with at least 2 axes, not {rank_of(x)}")
    own = [
        node.reshaped(value, g.shape_of(mean)) for value in _statistics(node, x, (0, *range(2, rank_of(x))))
    ]  # fmt: skip
    momentum = node.real("momentum")
    y = node.build(g.BatchNormOp, x, scale, bias, *own, epsilon=epsilon)
    return [y, *(_mixed(node, old, new, momentum) for old, new in zip((mean, variance), own, strict=True))]


def _mixed(node: OnnxNode, old: SSAValue, new: SSAValue, momentum: float) -> SSAValue:
    """The running average old * momentum + new * (1 - momentum)."""
    kept = node.build(g.MulOp, old, node.like(old, momentum))
    return node.build(g.AddOp, kept, node.build(g.MulOp, new, node.like(new, 1 - momentum)))


@handles("LRN", newest=13)
def lrn(node: OnnxNode) -> SSAValue:
    words = {name: node.real(name) for name in ("alpha", "beta", "bias")}
    return node.build(g.LrnOp, node[0], size=node.integer("size"), **words)


@handles("Dropout", newest=22)
def dropout(node: OnnxNode) -> Outputs:
    """The operand itself and an all-true mask, as in inference. Training mode, which draws random numbers, is an
    error."""
    training = known(node[2]) if node.get(2) is not None else np.array(False)
    nothing_dropped = node.get(1) is not None and (ratio := known(node[1])) is not None and not ratio.any()
    if training is None or (training.any() and not nothing_dropped):
        node.fail(
            "dropout in training mode draws random numbers; export the model for inference (`training_mode` false)"
        )
    x = node[0]
    if not any(node.wanted[1:]):
        return x
    # The mask has the operand's type before opset 10.
    element = element_of(x) if node.since < 10 else I1
    return [x, node.splat(g.NumbersAttr.of(np.ones((), dtype_of(element))), g.shape_of(x))]
