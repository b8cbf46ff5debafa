"""Products of a step's rows by the weights of the model, as they are stored: in the step's type, or in fewer bits with
scales."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
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
    """How the weight of a role is stored, if in fewer bits."""
    stored = b.config.quantization
    if stored is None or role in _ALWAYS_OWN or (stored.parts == "experts" and not role.startswith("expert_")):
        return None
    module = name.removesuffix(".weight")
    for pattern in stored.skipped:
        if any(fnmatchcase(module, each) for each in (pattern, f"{pattern}.*", f"*.{pattern}", f"*.{pattern}.*")):
            return None
    return stored


def dequantized(
    b: StepBuilder, name: str, shape: tuple[int, ...], stored: Quantization, ahead: bool = False
) -> SSAValue:
    """The numbers that a weight [(experts,) outputs, inputs] in fewer bits stands for, in the type of its scales: f32,
    bf16 for powers of two, or the step's. `ahead`: they are computed ahead of time."""
    *outer, rows, columns = shape
    element = element_type_named(stored.element)
    counts = (*outer, _blocks(rows, stored.rows), _blocks(columns, stored.columns))
    small, scale, zero = _parts(b, name, shape, counts, stored)
    axis, block = len(outer) + 1, stored.columns if counts[-1] > 1 else 0
    if 1 < stored.rows < rows:
        if rows % stored.rows == 0:  # an axis of blocks of rows, and one of the rows of a block
            axis += 1
            small = b.reshaped(small, (*outer, rows // stored.rows, stored.rows, columns))
            scale = b.reshaped(scale, (*counts[:-1], 1, counts[-1]))
        else:
            each = (*counts[:-1], stored.rows, counts[-1])
            scale = b.broadcast_to(b.reshaped(scale, (*counts[:-1], 1, counts[-1])), each)
            scale = b.reshaped(scale, (*outer, counts[-2] * stored.rows, counts[-1]))
            scale = b.sliced(scale, (0,) * len(shape), (*outer, rows, counts[-1]))
    if not stored.powers:
        scale = b.cast(scale, b.element if stored.activations == "own" else element_type_named("f32"))
    zeros = []
    if zero is not None:
        zeros = [b.reshaped(zero, g.shape_of(scale))]
    elif stored.element == "ui4":
        zeros = [b.constant(g.NumbersAttr.of(np.full(g.shape_of(scale), 8, dtype_of(element))))]
    made = b.build(g.DequantizeOp, small, scale, *zeros, axis=axis if block else 0, block=block, stored=ahead)
    return b.reshaped(made, shape)


def _blocks(extent: int, block: int) -> int:
    return -(-extent // block) if block else 1


def _parts(
    b: StepBuilder, name: str, shape: tuple[int, ...], counts: tuple[int, ...], stored: Quantization
) -> tuple[SSAValue, SSAValue, SSAValue | None]:
    """The elements of a weight in fewer bits, their scales [(experts,) blocks of outputs, blocks of inputs], and their
    zero points, if they have some."""
    element, largest = element_type_named(stored.element), _LARGEST[stored.element]
    bound = bounds_of(shape[-1])
    if not stored.published and b.weights.holds(name):
        return _converted(b, b.stored(name, shape, b.element, bound), counts, stored)
    names = [f"{each.removesuffix('.weight')}{{}}" for each in name.split(" + ")]
    words = _NAMES.get(stored.method, _NAMES[""])

    def called(word: str) -> str:
        return " + ".join(each.format(words[word]) for each in names)

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
}
"""The endings of the names of a weight's elements, scales and zero points, by method."""


def _converted(
    b: StepBuilder, weight: SSAValue, counts: tuple[int, ...], stored: Quantization
) -> tuple[SSAValue, SSAValue, SSAValue | None]:
    """A weight in the step's type, converted ahead of time: the scale of a block takes its largest number to the
    largest one of the small type."""
    if stored.powers:
        b.fail(f"weights of {stored.method} can't be made of others; leave out the files, or read published ones")
    *outer, rows, columns = g.shape_of(weight)
    wide = b.build(g.AbsOp, b.cast(weight, element_type_named("f32")))
    inner = (counts[-2], rows // counts[-2], counts[-1], columns // counts[-1])
    if inner[0] * inner[1] != rows or inner[2] * inner[3] != columns:
        b.fail(
            f"a weight of {rows} by {columns} elements can't be divided into blocks of equal size; leave out the files"
        )
    last = len(outer)
    top = b.build(g.ReduceOp, b.reshaped(wide, (*outer, *inner)), kind="max", axes=(last + 1, last + 3), keep_dims=True)
    scale = b.build(g.MulOp, top, b.number(1 / _LARGEST[stored.element], top))
    parted = b.reshaped(weight, (*outer, *inner))
    type_ = tensor_type(g.shape_of(parted), element_type_named(stored.element))
    small = b.reshaped(b.build(g.QuantizeOp, parted, scale, result_type=type_), g.shape_of(weight))
    return small, b.reshaped(scale, counts), None


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
            b.fail(f"rows of {inputs} elements can't be divided into blocks of {block}, which `{name}` needs")
        top = b.build(g.ReduceOp, parts, kind="max", axes=(len(g.shape_of(parts)) - 1,), keep_dims=not block)
        top = b.cast(top, f32)
        scale = b.build(g.MulOp, top, b.number(1 / _LARGEST[stored.element], top))
        scale = b.build(g.ClipOp, scale, min=_SMALLEST_SCALE)
    axis = len(outer) if block else 0
    small = b.build(g.QuantizeOp, x, scale, axis=axis, block=block, result_type=tensor_type((*outer, inputs), element))
    made = b.build(g.DequantizeOp, small, scale, axis=axis, block=block)
    b.scaled[key] = made
    return made
