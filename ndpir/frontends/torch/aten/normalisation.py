"""Converters of normalisations: layer, RMS, batch, group and instance norms, local response."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import ElementType, tensor_type
from ndpir.frontends.formulas import Term
from ndpir.frontends.torch.aten.reduction import reduced, statistics
from ndpir.frontends.torch.call import F64, AtenCall, converts, element_of, rank_of


def _factor(call: AtenCall, name: str, x: SSAValue, shape: tuple[int, ...], default: float) -> SSAValue:
    """A scale or bias in the element type of `x`; a constant if it is left out."""
    found = call.maybe(name)
    return call.splat(default, tensor_type(shape, element_of(x))) if found is None else call.cast(found, element_of(x))


@converts("layer_norm", "native_layer_norm")
def layer_norm(call: AtenCall) -> list[SSAValue | None]:
    x, shape = call["input"], call.ints("normalized_shape")
    epsilon = call.real("eps", 1e-5)
    scale = _factor(call, "weight", x, shape, 1.0)
    bias = [call.cast(call["bias"], element_of(x))] if call.has("bias") else []
    y = call.build(g.LayerNormOp, x, scale, *bias, axis=-len(shape), epsilon=epsilon)
    if call.node.op == "aten.layer_norm":
        return [y]
    axes = tuple(range(rank_of(x) - len(shape), rank_of(x)))
    mean, variance = statistics(call, call.wide(x), axes)
    deviation = call.build(g.RsqrtOp, call.build(g.AddOp, variance, call.number(epsilon, element_of(variance))))
    return [y, *(call.cast(each, _stated(call, at, each)) for at, each in ((1, mean), (2, deviation)))]


def _stated(call: AtenCall, at: int, default: SSAValue) -> ElementType:
    """The element type that the program states for a result."""
    meta = call.values.meta(call.node.names[at]) if at < len(call.node.names) else None
    return element_of(default) if meta is None else call.values.type_of(meta).element_type  # pyright: ignore[reportReturnType]


@converts("rms_norm", "_fused_rms_norm")
def rms_norm(call: AtenCall) -> list[SSAValue | None]:
    x, shape = call["input"], call.ints("normalized_shape")
    stated = call.plain(call.get("eps"))
    epsilon = (
        float(np.finfo(np.float64 if element_of(x) == F64 else np.float32).eps) if stated is None else float(stated)
    )
    scale = _factor(call, "weight", x, shape, 1.0)
    y = call.build(g.RmsNormOp, x, scale, axis=-len(shape), epsilon=epsilon)
    if call.node.op == "aten.rms_norm":
        return [y]
    term = call.term(x)
    axes = tuple(range(rank_of(x) - len(shape), rank_of(x)))
    mean = Term(call, reduced(call, (term * term).value, "mean", axes, True))
    deviation = (mean + epsilon)(g.RsqrtOp)
    return [y, call.cast(deviation.value, _stated(call, 1, deviation.value))]


@converts(
    "batch_norm",
    "native_batch_norm",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_no_training",
    "cudnn_batch_norm",
    "_native_batch_norm_legit_functional",
    "_batch_norm_with_update",
    "_batch_norm_with_update_functional",
    "batch_norm_elemt",
)
def batch_norm(call: AtenCall) -> list[SSAValue | None]:
    """Normalisation per channel, with running statistics, or in training with those of the batch, which also change the
    running ones."""
    x = call["input"]
    op = call.node.op.removeprefix("aten.")
    channels = (g.shape_of(x)[1],)
    epsilon, momentum = call.real("eps", 1e-5), call.real("momentum", 0.1)
    scale, bias = _factor(call, "weight", x, channels, 1.0), _factor(call, "bias", x, channels, 0.0)
    running = [call.maybe(name) for name in ("running_mean", "running_var")]
    trains = call.flag("training", "no_training" not in op and ("update" in op or not all(running)))
    if not trains:
        mean, variance = (call.wide(each) for each in running if each is not None)
        y = call.build(g.BatchNormOp, x, call.wide(scale), call.wide(bias), mean, variance, epsilon=epsilon)
        return [y, *(call.splat(0, call.result(at)) for at in range(1, len(call.node.names)))]
    axes = (0, *range(2, rank_of(x)))
    wide = call.wide(x)
    mean, variance = (call.reshaped(each, channels) for each in statistics(call, wide, axes))
    y = call.build(g.BatchNormOp, x, call.wide(scale), call.wide(bias), mean, variance, epsilon=epsilon)
    deviation = call.build(g.RsqrtOp, call.build(g.AddOp, variance, call.number(epsilon, element_of(variance))))
    count = prod(g.shape_of(x)[axis] for axis in axes)
    unbiased = call.build(g.MulOp, variance, call.number(count / max(count - 1, 1), element_of(variance)))
    new: list[SSAValue] = []
    for before, now in zip(running, (mean, unbiased), strict=True):
        if before is not None:
            kept = Term(call, call.wide(before)) * (1 - momentum) + Term(call, now) * momentum
            new.append(call.cast(kept.value, element_of(before)))
    if "functional" in op:
        reserve = [call.splat(0, call.result(3))] if "update" in op else []
        return [y, mean, deviation, *reserve, *new]
    for name, value in zip(("running_mean", "running_var"), new, strict=False):
        call.assign(name, value)
    return [y, mean, deviation, *([call.splat(0, call.result(3))] if "update" in op else [])]


@converts("group_norm", "native_group_norm")
def group_norm(call: AtenCall) -> list[SSAValue | None]:
    """Normalisation over groups of channels: one layer norm of each group, then a scale per channel."""
    x = call["input"]
    groups = call.integer("num_groups" if call.has("num_groups") else "group")
    n, c, *rest = g.shape_of(x)
    epsilon = call.real("eps", 1e-5)
    flat = call.reshaped(x, (n, groups, c // groups * prod(rest)))
    one = call.splat(1.0, tensor_type((c // groups * prod(rest),), element_of(x)))
    y = call.reshaped(call.build(g.LayerNormOp, flat, one, epsilon=epsilon), g.shape_of(x))
    for name, op in (("weight", g.MulOp), ("bias", g.AddOp)):
        if call.has(name):
            factor = call.reshaped(call.cast(call[name], element_of(x)), (c, *(1 for _ in rest)))
            y = call.build(op, y, factor)
    if call.node.op == "aten.group_norm":
        return [y]
    mean, variance = statistics(call, call.wide(flat), (2,))
    deviation = call.build(g.RsqrtOp, call.build(g.AddOp, variance, call.number(epsilon, element_of(variance))))
    return [y, *(call.cast(call.reshaped(each, (n, groups)), element_of(x)) for each in (mean, deviation))]


@converts("instance_norm")
def instance_norm(call: AtenCall) -> list[SSAValue | None]:
    x = call["input"]
    n, c, *rest = g.shape_of(x)
    epsilon = call.real("eps", 1e-5)
    if not call.flag("use_input_stats", True):
        scale, bias = _factor(call, "weight", x, (c,), 1.0), _factor(call, "bias", x, (c,), 0.0)
        found = [call.wide(call[name]) for name in ("running_mean", "running_var")]
        return [call.build(g.BatchNormOp, x, call.wide(scale), call.wide(bias), *found, epsilon=epsilon)]
    if call.has("running_mean"):
        axes = tuple(range(2, rank_of(x)))
        mean, variance = statistics(call, call.wide(x), axes)
        momentum, count = call.real("momentum", 0.1), prod(rest)
        for name, now, factor in (("running_mean", mean, 1.0), ("running_var", variance, count / max(count - 1, 1))):
            over = Term(call, reduced(call, call.reshaped(now, (n, c)), "mean", (0,), False)) * factor
            kept = Term(call, call.wide(call[name])) * (1 - momentum) + over * momentum
            call.assign(name, call.cast(kept.value, element_of(call[name])))
    one = call.splat(1.0, tensor_type((prod(rest),), element_of(x)))
    y = call.reshaped(
        call.build(g.LayerNormOp, call.reshaped(x, (n, c, prod(rest))), one, epsilon=epsilon), g.shape_of(x)
    )
    for name, op in (("weight", g.MulOp), ("bias", g.AddOp)):
        if call.has(name):
            y = call.build(op, y, call.reshaped(call.cast(call[name], element_of(x)), (c, *(1 for _ in rest))))
    return [y]


@converts("weight_norm", "_weight_norm", "_weight_norm_interface")
def weight_norm(call: AtenCall) -> list[SSAValue | None]:
    """v * g / |v|, the norm over all axes but one."""
    v, size = call["v"], call["g"]
    axis = call.axis("dim", rank_of(v), 0)
    term = call.term(v)
    axes = tuple(at for at in range(rank_of(v)) if at != axis)
    norms = Term(call, reduced(call, (term * term).value, "sum", axes, True))(g.SqrtOp)
    made = call.cast((term * (call.term(size) / norms)).value, element_of(v))
    if call.node.op != "aten._weight_norm_interface":
        return [made]
    return [made, call.reshaped(norms.value, call.result(1).get_shape())]
