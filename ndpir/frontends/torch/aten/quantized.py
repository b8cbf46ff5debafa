"""Converters of quantized operators: those of quantized_decomposed (PT2E quantization), and packed weights of 8 and 4
bits."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from ndpir.frontends.formulas import Term
from ndpir.frontends.torch.aten.elementwise import element_of_type
from ndpir.frontends.torch.aten.reduction import reduced
from ndpir.frontends.torch.call import F32, I64, AtenCall, converts, element_of, rank_of


def _prefix(*names: str) -> tuple[str, ...]:
    return tuple(f"quantized_decomposed.{name}" for name in names)


def _scale_and_zero(call: AtenCall, x: SSAValue, quantized: object, axis: int | None) -> list[SSAValue]:
    """The scale, and the zero point in the quantized type (none if it is 0), as one number each, or one for each index
    of an axis."""
    names = ("scale", "zero_point") if "scale" in call.node.inputs else ("scales", "zero_points")
    shape = () if axis is None else tuple(n if at == axis else 1 for at, n in enumerate(g.shape_of(x)))
    if call.is_tensor(names[0]):
        scale = call.reshaped(call.cast(call[names[0]], F32), shape if axis is not None else ())
    else:
        scale = call.number(call.real(names[0]), F32)
    if not call.has(names[1]):
        return [scale]
    element: object = quantized
    if call.is_tensor(names[1]):
        zero = call.reshaped(call.cast(call.cast(call[names[1]], I64), element), shape)  # pyright: ignore[reportArgumentType]
    else:
        number = call.integer(names[1])
        if not number:
            return [scale]
        zero = call.number(number, element)  # pyright: ignore[reportArgumentType]
    return [scale, zero]


def _limited(call: AtenCall, x: SSAValue) -> SSAValue:
    """Quantized numbers limited to `quant_min` and `quant_max`, where these are narrower than the type."""
    element = element_of(x)
    info = np.iinfo(dtype_of(element))
    low, high = call.integer("quant_min", int(info.min)), call.integer("quant_max", int(info.max))
    if low > info.min:
        x = call.build(g.MaxOp, x, call.number(low, element))
    return call.build(g.MinOp, x, call.number(high, element)) if high < info.max else x


@converts(*_prefix("quantize_per_tensor", "quantize_per_channel", "quantize_per_token"))
def quantize(call: AtenCall) -> SSAValue:
    x, type_ = call["input"], call.result()
    scale = _scale_and_zero(call, x, type_.element_type, _axis(call, x))
    return _limited(call, call.build(g.QuantizeOp, call.cast(x, F32), *scale, result_type=type_))


def _axis(call: AtenCall, x: SSAValue) -> int | None:
    """The axis along which scales differ; None if there is one scale."""
    if "per_channel" in call.node.op:
        return call.axis("axis", rank_of(x))
    return None


@converts(*_prefix("dequantize_per_tensor", "dequantize_per_channel"))
def dequantize(call: AtenCall) -> SSAValue:
    x = call["input"]
    made = call.build(g.DequantizeOp, x, *_scale_and_zero(call, x, element_of(x), _axis(call, x)))
    return call.cast(made, element_of_type(call.result()))


@converts(*_prefix("dequantize_per_token"))
def dequantize_per_token(call: AtenCall) -> SSAValue:
    x = call["input"]
    scale, zero = call.cast(call["scales"], F32), call.cast(call["zero_points"], element_of(x))
    return call.cast(call.build(g.DequantizeOp, x, scale, zero), element_of_type(call.result()))


@converts(*_prefix("dequantize_per_channel_group"))
def dequantize_per_group(call: AtenCall) -> SSAValue:
    """One scale for each group of elements along the last axis."""
    x = call["w_int8" if "w_int8" in call.node.inputs else "input"]
    scales = call.cast(call["scales"], F32)
    zeros = [call.cast(call["zero_points"], element_of(x))] if call.has("zero_points") else []
    made = call.build(g.DequantizeOp, x, scales, *zeros, axis=rank_of(x) - 1, block=call.integer("group_size"))
    return call.cast(made, element_of_type(call.result()))


@converts(
    *_prefix(
        "choose_qparams",
        "choose_qparams_symmetric",
        "choose_qparams_per_token",
        "_choose_qparams_per_token_asymmetric_impl",
        "choose_qparams_per_token_asymmetric",
    )
)
def choose_parameters(call: AtenCall) -> list[SSAValue]:
    """The scale and the zero point for the numbers of a tensor, or of each row."""
    x = call["input"]
    term = call.term(x)
    per_token = "token" in call.node.op
    axes = (rank_of(x) - 1,) if per_token else tuple(range(rank_of(x)))
    low, high = (Term(call, reduced(call, term.value, kind, axes, per_token)) for kind in ("min", "max"))
    low, high = low(g.MinOp, 0.0), high(g.MaxOp, 0.0)
    least, most = (call.integer("quant_min", -128), call.integer("quant_max", 127)) if not per_token else (-128, 127)
    if ("symmetric" in call.node.op and "asymmetric" not in call.node.op) or call.node.op.endswith(
        "choose_qparams_per_token"
    ):
        size = abs(low)(g.MaxOp, high)
        scale = size / ((most - least) / 2) if "per_token" not in call.node.op else size(g.ClipOp, min=1e-5) / 127.0
        zero = scale * 0.0
    else:
        epsilon = call.real("eps", float(np.finfo(np.float32).eps))
        scale = ((high - low) / float(most - least))(g.ClipOp, min=epsilon)
        zero = (float(least) - (low / scale)(g.RoundOp))(g.ClipOp, min=float(least), max=float(most))
    types = [call.result(at) for at in range(2)]
    return [
        call.reshaped(call.cast(each.value, element_of_type(type_)), type_.get_shape())
        for each, type_ in zip((scale, zero), types, strict=True)
    ]


@converts(
    "fake_quantize_per_tensor_affine",
    "fake_quantize_per_channel_affine",
    "fake_quantize_per_tensor_affine_cachemask",
    "fake_quantize_per_channel_affine_cachemask",
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
)
def fake_quantize(call: AtenCall) -> list[SSAValue]:
    """Numbers rounded to those that quantized numbers stand for."""
    x = call["self"]
    shape = tuple(
        n if "channel" in call.node.op and at == call.axis("axis", rank_of(x)) else 1
        for at, n in enumerate(g.shape_of(x))
    )
    names = ("scale", "zero_point")
    scale, zero = (
        Term(call, call.reshaped(call.cast(call[name], F32), shape if rank_of(call[name]) else ()))
        if call.is_tensor(name)
        else Term(call, call.number(float(call.plain(call.get(name))), F32))
        for name in names
    )
    low, high = float(call.integer("quant_min")), float(call.integer("quant_max"))
    places = (call.term(x) * (1.0 / scale))(g.RoundOp) + zero
    inside = places.compare("ge", low)(g.AndOp, places.compare("le", high))
    made = call.cast(((places(g.ClipOp, min=low, max=high) - zero) * scale).value, element_of(x))
    return [made, inside.value][: len(call.node.names)]


# Products of quantized factors.


@converts("_int_mm")
def int_mm(call: AtenCall) -> SSAValue:
    """The product of two matrices of i8, in i32."""
    return call.build(g.QmatmulOp, call["self"], call["mat2"])


@converts("_weight_int8pack_mm")
def weight_int8pack_mm(call: AtenCall) -> SSAValue:
    """x · (weight * scales)ᵀ, with weights of i8."""
    x, weight, scales = call["self"], call["mat2"], call["scales"]
    wide = call.build(
        g.DequantizeOp, weight, call.reshaped(call.cast(scales, element_of(x)), (g.shape_of(weight)[0], 1))
    )
    return call.build(g.MatmulOp, x, wide, transpose_b=True)


@converts("_scaled_mm", "_scaled_grouped_mm")
def scaled_mm(call: AtenCall) -> SSAValue:
    """The product of two matrices of 8-bit floats, times their scales."""
    if call.node.op != "aten._scaled_mm":
        call.fail("grouped products of 8-bit floats are not supported; convert the factors (_grouped_mm)")
    made = call.build(g.QmatmulOp, call["self"], call["mat2"])
    made = call.cast(made, F32)
    for name in ("scale_a", "scale_b"):
        scale = call.cast(call[name], F32)
        made = call.build(g.MulOp, made, call.reshaped(scale, ()) if int(np.prod(g.shape_of(scale))) == 1 else scale)
    if call.has("bias"):
        made = call.build(g.AddOp, made, call.cast(call["bias"], F32))
    return call.cast(made, element_of_type(call.result()))


@converts("torchao.dequantize_affine", "torchao.quantize_affine")
def affine(call: AtenCall) -> SSAValue:
    """Conversions of torchao: one scale for each block of elements, blocks along one axis at most."""
    x = call["input"]
    blocks, shape = call.ints("block_size"), g.shape_of(x)
    along = [at for at, (block, n) in enumerate(zip(blocks, shape, strict=True)) if 1 < block < n]
    if len(along) > 1:
        call.fail("blocks along more than one axis are not supported")
    counts = [n // block for block, n in zip(blocks, shape, strict=True)]
    scale = call.reshaped(call.cast(call["scale"], F32), counts)
    type_ = call.result()
    quantized = element_of(x) if "dequantize" in call.node.op else element_of_type(type_)
    zeros = [call.reshaped(call.cast(call["zero_point"], quantized), counts)] if call.has("zero_point") else []
    block = {"axis": along[0], "block": blocks[along[0]]} if along else {}
    if "dequantize" in call.node.op:
        return call.cast(call.build(g.DequantizeOp, x, scale, *zeros, **block), element_of_type(type_))
    made = call.build(g.QuantizeOp, call.cast(x, F32), scale, *zeros, result_type=type_, **block)
    return _limited(call, made)
