"""Converters of scaled dot-product attention."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1
from ndpir.frontends.formulas import Term
from ndpir.frontends.torch.aten.random import kept_elements
from ndpir.frontends.torch.aten.reduction import log_sum
from ndpir.frontends.torch.call import F32, I64, AtenCall, converts, element_of, rank_of


@converts(
    "scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_attention_math",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_attention_math_for_mps",
    "_scaled_dot_product_fused_attention_overrideable",
)
def attention(call: AtenCall) -> list[SSAValue | None]:
    """Attention; the second result, which backward passes read, is the log of the sum of e^score of each query."""
    q, k, v = call["query"], call["key"], call["value"]
    mask = next((call[name] for name in ("attn_mask", "attn_bias") if call.has(name)), None)
    causal, scale, rate = call.flag("is_causal"), call.plain(call.get("scale")), call.real("dropout_p", 0.0)
    batch, (length, depth) = g.shape_of(q)[:-2], g.shape_of(q)[-2:]
    if rate:
        return _with_dropout(call, q, k, v, mask, causal, scale or 1 / sqrt(depth), rate)
    masks = [] if mask is None else [_mask(call, mask, len(batch))]
    q4, k4, v4 = (_four_axes(call, x) for x in (q, k, v))
    if g.shape_of(k4)[0] != g.shape_of(q4)[0] or g.shape_of(v4)[0] != g.shape_of(q4)[0]:
        k4, v4 = (call.broadcast_to(x, (g.shape_of(q4)[0], *g.shape_of(x)[1:])) for x in (k4, v4))
    heads, groups = g.shape_of(q4)[1], g.shape_of(k4)[1]
    if heads % max(groups, 1):
        call.fail(f"{heads} heads of queries can't share {groups} heads of keys")
    y = _written(call, q4, k4, v4, masks, causal, scale or 1 / sqrt(max(depth, 1)))
    y = call.reshaped(y, (*batch, length, g.shape_of(v)[-1]))
    if len(call.node.names) < 2:
        return [y]
    return [y, _log_sums(call, q4, k4, masks, causal, scale or 1 / sqrt(depth)), *_state(call, y)]


def _written(
    call: AtenCall, q: SSAValue, k: SSAValue, v: SSAValue, masks: list[SSAValue], causal: bool, scale: float
) -> SSAValue:
    """softmax(q * scale · kᵀ + mask) · v as separate ops: whether they are one kernel is decided for each machine
    (`choose-form`). A query without visible keys gets zeros."""
    element, times = element_of(q), g.shape_of(q)[1] // g.shape_of(k)[1]
    if scale > 0 and scale != 1:  # both factors, as PyTorch does: the kernel that moves one of them can scale it
        q, k = (call.build(g.MulOp, each, call.number(sqrt(scale), element)) for each in (q, k))
    elif scale != 1:
        q = call.build(g.MulOp, q, call.number(scale, element))
    k, v = repeated_heads(call, k, times), repeated_heads(call, v, times)
    scores = call.build(g.MatmulOp, q, k, transpose_b=True)
    length, keys = g.shape_of(scores)[2:]
    hidden = list(masks)
    if causal and length > 1:
        hidden.append(_top_left(call, length, keys))
    for mask in hidden:
        if element_of(mask) == I1:
            zero, least = call.number(0.0, element), call.number(-inf, element)
            mask = call.build(g.SelectOp, mask, zero, least)
        scores = call.build(g.AddOp, scores, call.cast(mask, element))
    weights = call.build(g.SoftmaxOp, scores)
    if masks:
        weights = call.build(g.SelectOp, call.build(g.IsNanOp, weights), call.number(0.0, element), weights)
    return call.build(g.MatmulOp, weights, v)


def _state(call: AtenCall, y: SSAValue) -> list[SSAValue | None]:
    """Further results, such as the state of random numbers, which is not used without dropout."""
    found: list[SSAValue | None] = []
    for at in range(2, len(call.node.names)):
        meta = call.values.meta(call.node.names[at])
        found.append(None if meta is None else call.splat(0, call.values.type_of(meta)))
    return found


def _four_axes(call: AtenCall, x: SSAValue) -> SSAValue:
    """[batch, heads, length, depth] of a tensor with any number of batch axes."""
    shape = g.shape_of(x)
    batch = shape[:-2]
    if len(batch) == 2:
        return x
    if len(batch) < 2:
        return call.reshaped(x, (*(1,) * (2 - len(batch)), *shape))
    return call.reshaped(x, (int(np.prod(batch[:-1])), batch[-1], *shape[-2:]))


def _mask(call: AtenCall, mask: SSAValue, axes: int) -> SSAValue:
    shape = g.shape_of(mask)
    if axes > 2 and len(shape) > 4:
        return call.reshaped(mask, (int(np.prod(shape[:-3])), *shape[-3:]))
    if axes < 2 and len(shape) > 2:
        return call.reshaped(mask, (*(1,) * (4 - len(shape)), *shape))
    return mask


def _top_left(call: AtenCall, length: int, keys: int) -> SSAValue:
    """A causal mask in which query i sees keys 0 to i, whatever the number of keys."""
    row, column = call.along(0, (length, keys), I64), call.along(1, (length, keys), I64)
    return call.build(g.CompareOp, column, row, kind="le")


def scores_of(call: AtenCall, q: SSAValue, k: SSAValue, masks: list[SSAValue], causal: bool, scale: float) -> SSAValue:
    """The scores of queries and keys [B, H, L, D], scaled and masked, in f32."""
    heads, groups = g.shape_of(q)[1], g.shape_of(k)[1]
    k = repeated_heads(call, k, heads // groups)
    raw = call.build(g.MatmulOp, call.wide(q), call.wide(k), transpose_b=True)
    scores = call.build(g.MulOp, raw, call.number(scale, element_of(raw)))
    if causal:
        masks = [*masks, _top_left(call, g.shape_of(q)[2], g.shape_of(k)[2])]
    for mask in masks:
        if element_of(mask) == I1:
            scores = call.build(g.SelectOp, mask, scores, call.number(-inf, element_of(scores)))
        else:
            scores = call.build(g.AddOp, scores, call.cast(mask, element_of(scores)))
    return scores


def repeated_heads(call: AtenCall, x: SSAValue, times: int) -> SSAValue:
    if times == 1:
        return x
    b, groups, length, depth = g.shape_of(x)
    wide = call.broadcast_to(call.reshaped(x, (b, groups, 1, length, depth)), (b, groups, times, length, depth))
    return call.reshaped(wide, (b, groups * times, length, depth))


def _log_sums(
    call: AtenCall, q: SSAValue, k: SSAValue, masks: list[SSAValue], causal: bool, scale: float
) -> SSAValue | None:
    if call.node.op.endswith("_math"):
        return None
    scores = Term(call, scores_of(call, q, k, masks, causal, scale))
    made = call.reshaped(log_sum(call, scores, (3,)).value, g.shape_of(q)[:3])
    type_ = call.result(1)
    if g.shape_of(made) == type_.get_shape():
        return made
    return None  # efficient attention pads the lengths of its statistics


def _with_dropout(
    call: AtenCall,
    q: SSAValue,
    k: SSAValue,
    v: SSAValue,
    mask: SSAValue | None,
    causal: bool,
    scale: float,
    rate: float,
) -> list[SSAValue | None]:
    """Attention as separate ops, with weights dropped at random."""
    if rank_of(q) != 4:
        call.fail("dropout is supported for queries of [batch, heads, length, depth]")
    scores = scores_of(call, q, k, [] if mask is None else [mask], causal, scale)
    weights = call.build(g.SoftmaxOp, scores)
    kept = kept_elements(call, g.shape_of(weights), rate)
    dropped = call.build(
        g.SelectOp, kept, call.build(g.MulOp, weights, call.number(1 / (1 - rate), F32)), call.number(0, F32)
    )
    values = repeated_heads(call, call.wide(v), g.shape_of(q)[1] // g.shape_of(v)[1])
    return [call.cast(call.build(g.MatmulOp, dropped, values), element_of(q))]


@converts("_native_multi_head_attention", "_transformer_encoder_layer_fwd")
def fused_layer(call: AtenCall) -> SSAValue:
    call.fail(
        "this fused layer of nn.Transformer's fast path is not supported; switch it off before the export "
        "(torch.backends.mha.set_fastpath_enabled(False))"
    )
