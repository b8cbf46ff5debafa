"""Products of a step's rows by the weights of the model, as they are stored: in the step's type, or in fewer bits with
scales."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from math import floor, log2

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of, element_type_named, is_small_float, tensor_type
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.config import Quantization
from ndpir.frontends.configs.weights import BIASES, bounds_of

_LARGEST = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0, "f4E2M1FN": 6.0, "i4": 7.0, "ui4": 15.0, "i8": 127.0}
"""The largest number of each type in which weights are stored."""
_ALWAYS_OWN = ("head", "router", "shared_share", "embedding_in", "embedding_out")
"""Roles of products whose weights are never stored in fewer bits."""
_SMALLEST_SCALE = 1 / (448.0 * 512.0)
"""The least scale of a row, so that a row of zeros has one."""


def product(b: StepBuilder, x: SSAValue, role: str, outputs: int, bias: bool = False) -> SSAValue:
    """The product of the rows of `x` by the weight of a role, plus a bias."""
    inputs, name = g.shape_of(x)[-1], b.name(role)
    by_input = b.config.input_major and role != "head"
    stored = _stored_as(b, role, name)
    own = [b.weight(name.removesuffix("weight") + "bias", (outputs,), BIASES)] if bias else []
    if stored is None:
        weight = b.weight(name, (inputs, outputs) if by_input else (outputs, inputs), bounds_of(inputs))
        b.part(name.removesuffix(".weight"))
        return b.build(g.MatmulOp, x, weight, *own, transpose_b=not by_input)
    weight = dequantized(b, name, (outputs, inputs), stored)
    if stored.activations == "own":
        b.part(name.removesuffix(".weight"))
        return b.build(g.MatmulOp, x, b.cast(weight, b.element), *own, transpose_b=True)
    rows = scaled(b, x, name, stored)
    b.part(name.removesuffix(".weight"))
    y = b.cast(b.build(g.MatmulOp, rows, weight, transpose_b=True), b.element)
    return b.build(g.AddOp, y, own[0]) if own else y


def grouped(
    b: StepBuilder, x: SSAValue, ids: SSAValue, roles: Sequence[str], shape: tuple[int, int, int], biased: bool
) -> SSAValue:
    """The products of rows [tokens, choices or 1, inputs] by the weights of the experts that they choose, [experts,
    outputs, inputs], plus biases; the weights of several roles are joined."""
    count, outputs, inputs = shape
    names = [b.name(role).replace("{expert}", "*") for role in roles]
    name = " + ".join(names)
    stored = _stored_as(b, roles[0], names[0])
    if stored is not None and not stored.rows and len(names) > 1:  # joined weights, each of which has one scale
        stored = replace(stored, rows=outputs // len(names))
    by_input = b.has("expert_gate_up") and stored is None
    bias = [b.weight(f"{name}_bias", (count, outputs), BIASES)] if biased else []
    if stored is None:
        weight = b.weight(name, (count, inputs, outputs) if by_input else shape, bounds_of(inputs))
    else:
        weight = dequantized(b, name, shape, stored)
        if stored.activations != "own":
            rows = scaled(b, x, name, stored)
            b.part(f"layers.{b.layer}.experts")
            wide = [b.cast(each, element_type_named("f32")) for each in bias]
            return b.cast(
                b.build(g.GroupedMatmulOp, rows, weight, ids, *wide, transpose_b=True, skew=b.skew), b.element
            )
        weight = b.cast(weight, b.element)
    b.part(f"layers.{b.layer}.experts")
    return b.build(g.GroupedMatmulOp, x, weight, ids, *bias, transpose_b=not by_input, skew=b.skew)


def matrix(b: StepBuilder, role: str, outputs: int, inputs: int) -> SSAValue:
    """The weight of a role, [outputs, inputs], for products that are not by rows: in the step's type, into which it is
    converted ahead of time."""
    name = b.name(role)
    if (stored := _stored_as(b, role, name)) is None:
        return b.weight(name, (outputs, inputs), bounds_of(inputs))
    return b.cast(dequantized(b, name, (outputs, inputs), stored, ahead=True), b.element)


def _stored_as(b: StepBuilder, role: str, name: str) -> Quantization | None:
    """The form in which the weight of a role is stored, if in fewer bits."""
    stored = b.config.quantization
    if stored is None or role in _ALWAYS_OWN or (stored.parts == "experts" and not role.startswith("expert_")):
        return None
    return None if _is_skipped(name.removesuffix(".weight"), stored.skipped) else stored


def _is_skipped(module: str, skipped: tuple[str, ...]) -> bool:
    """True if a module, or one that it is inside of, or a part of its name, is among the names of others."""
    words = module.split(".")
    parts = {".".join(words[a:b]) for a in range(len(words)) for b in range(a + 1, len(words) + 1)}
    exact, patterns = _sorted(skipped)
    return not parts.isdisjoint(exact) or any(fnmatchcase(part, pattern) for pattern in patterns for part in parts)


@lru_cache(maxsize=8)
def _sorted(names: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Names without `*`, and those with it."""
    return frozenset(name for name in names if "*" not in name), tuple(name for name in names if "*" in name)


def dequantized(
    b: StepBuilder, name: str, shape: tuple[int, ...], stored: Quantization, ahead: bool = False
) -> SSAValue:
    """The numbers that a weight [(experts,) outputs, inputs] in fewer bits stands for, in the type of its scales: f32,
    bf16 for powers of two, or the step's. `ahead`: they are computed ahead of time."""
    *outer, rows, columns = shape
    element, each = element_type_named(stored.element), stored.rows
    inner = (rows,) if each < 2 or rows % each else (rows // each, each)  # blocks of rows, and rows of a block
    counts = (*outer, _blocks(rows, each), *(1 for _ in inner[1:]), _blocks(columns, stored.columns))
    small, scale, zero = _parts(b, name, shape, (*outer, *inner, columns), counts, stored)
    block = stored.columns if counts[-1] > 1 else 0
    if len(inner) == 1 and 1 < each < rows:  # the last block has fewer rows
        many = (*counts[:-1], each, counts[-1])
        scale = b.broadcast_to(b.reshaped(scale, (*counts[:-1], 1, counts[-1])), many)
        scale = b.reshaped(scale, (*outer, counts[-2] * each, counts[-1]))
        scale = b.sliced(scale, (0,) * len(shape), (*outer, rows, counts[-1]))
    if not stored.powers:
        scale = b.cast(scale, b.element if stored.activations == "own" else element_type_named("f32"))
    zeros = []
    if zero is not None:
        zeros = [b.reshaped(zero, g.shape_of(scale))]
    elif stored.element == "ui4":
        zeros = [b.constant(g.NumbersAttr.of(np.full(g.shape_of(scale), 8, dtype_of(element))))]
    axis = len(outer) + len(inner) if block else 0
    made = b.build(g.DequantizeOp, small, scale, *zeros, axis=axis, block=block, stored=ahead)
    return b.reshaped(made, shape)


def _blocks(extent: int, block: int) -> int:
    return -(-extent // block) if block else 1


def _parts(
    b: StepBuilder,
    name: str,
    own: tuple[int, ...],
    shape: tuple[int, ...],
    counts: tuple[int, ...],
    stored: Quantization,
) -> tuple[SSAValue, SSAValue, SSAValue | None]:
    """The elements of a weight of shape `own` in fewer bits, in another shape; their scales, a number of them along
    each axis; and their zero points, if they have some."""
    element, largest = element_type_named(stored.element), _LARGEST[stored.element]
    bound = bounds_of(shape[-1])
    if not stored.published and b.weights.holds(name):
        return _converted(b, b.reshaped(b.stored(name, own, b.element, bound), shape), counts, stored)
    words = _NAMES.get(stored.method, _NAMES[""])

    def called(word: str) -> str:
        return " + ".join(each.removesuffix(".weight") + words[word] for each in name.split(" + "))

    if stored.method in _UNREAD and b.weights.holds(called("weight")):
        b.fail(
            f"the files hold `{called('weight')}` as {stored.method} lays it out, which can't be read; leave them out"
        )

    width = largest / 2 if is_small_float(element) else largest
    small = b.stored(called("weight"), shape, element, (-width, width), packed=True)
    usual = element_type_named("f8E8M0FNU" if stored.powers else "f32")
    one = bound[1] / width if not stored.powers else 2.0 ** floor(log2(bound[1] / width))
    spread = (one, one) if stored.powers else (0.75 * one, 1.25 * one)
    scale = b.stored(called("scale"), counts, usual, spread, packed=stored.powers)
    zero = b.stored(called("zero"), counts, element, (0.0, largest), packed=True) if stored.zeros else None
    return small, scale, zero


_NAMES = {
    "": {"weight": ".weight", "scale": ".weight_scale", "zero": ".weight_zero_point"},
    "fp8": {"weight": ".weight", "scale": ".weight_scale_inv"},
    "pack-quantized": {"weight": ".weight_packed", "scale": ".weight_scale", "zero": ".weight_zero_point"},
    "mxfp4": {"weight": "_blocks", "scale": "_scales"},
    "awq": {"weight": ".qweight", "scale": ".scales", "zero": ".qzeros"},
    "gptq": {"weight": ".qweight", "scale": ".scales", "zero": ".qzeros"},
}
"""The endings of the names of a weight's elements, scales and zero points, by method."""
_UNREAD = ("awq", "gptq")
"""Methods whose files hold the elements in an order of their own."""


def _converted(
    b: StepBuilder, weight: SSAValue, counts: tuple[int, ...], stored: Quantization
) -> tuple[SSAValue, SSAValue, SSAValue | None]:
    """A weight in the step's type, converted ahead of time: the scale of a block takes its largest number to the
    largest one of the small type. `counts`: the number of scales along each axis."""
    shape = g.shape_of(weight)
    if stored.powers or any(extent % count for extent, count in zip(shape, counts, strict=True)):
        b.fail(
            f"a weight of shape {list(shape)} can't be converted to {stored.method} here; leave out the files, or read "
            "published ones of this kind"
        )
    parted = [part for extent, count in zip(shape, counts, strict=True) for part in (count, extent // count)]
    inner = tuple(range(1, len(parted), 2))
    wide = b.reshaped(b.cast(weight, element_type_named("f32")), parted)
    top = b.build(g.ReduceOp, b.build(g.AbsOp, wide), kind="max", axes=inner, keep_dims=True)
    scale = b.build(g.MulOp, top, b.number(1 / _LARGEST[stored.element], top))
    type_ = tensor_type(parted, element_type_named(stored.element))
    return b.reshaped(b.build(g.QuantizeOp, wide, scale, result_type=type_), shape), b.reshaped(scale, counts), None


def scaled(b: StepBuilder, x: SSAValue, name: str, stored: Quantization) -> SSAValue:
    """The rows of `x` [tokens, …, inputs] as small floats, which stand for them in f32. Products that read the same
    rows share them."""
    key = x, stored.activations if stored.activations != "tensor" else name
    if (known := b.scaled.get(key)) is not None:
        return known
    f32, element = element_type_named("f32"), element_type_named(stored.element)
    *outer, inputs = g.shape_of(x)
    block = 0
    if stored.activations == "tensor":
        scale = b.stored(name.removesuffix("weight") + "input_scale", (), f32, (1 / 64, 1 / 64))
    else:
        block = stored.columns if stored.activations == "block" else 0
        count = _blocks(inputs, block)
        parts = b.build(g.AbsOp, x)
        if block and inputs % block == 0:
            parts = b.reshaped(parts, (*outer, count, block))
        elif block:
            b.fail(
                f"rows of {inputs} elements can't be divided into blocks of {block}, which `{name}` needs; keep "
                "activations in 16 bits, or store weights in another way"
            )
        top = b.build(g.ReduceOp, parts, kind="max", axes=(len(g.shape_of(parts)) - 1,), keep_dims=not block)
        top = b.cast(top, f32)
        scale = b.build(g.MulOp, top, b.number(1 / _LARGEST[stored.element], top))
        scale = b.build(g.ClipOp, scale, min=_SMALLEST_SCALE)
    axis = len(outer) if block else 0
    small = b.build(g.QuantizeOp, x, scale, axis=axis, block=block, result_type=tensor_type((*outer, inputs), element))
    made = b.build(g.DequantizeOp, small, scale, axis=axis, block=block)
    b.scaled[key] = made
    return made
