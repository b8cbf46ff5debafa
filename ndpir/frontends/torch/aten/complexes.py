"""Converters of complex numbers: a complex tensor is a tensor of floating-point numbers with one more, last axis, of
the real and the imaginary part."""

from __future__ import annotations

from dataclasses import replace
from math import prod, sqrt
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.formulas import Term
from ndpir.frontends.torch.aten.creation import nothing
from ndpir.frontends.torch.aten.elementwise import element_of_type
from ndpir.frontends.torch.aten.elementwise import same as same_value
from ndpir.frontends.torch.aten.movement import cut, expand, reshape
from ndpir.frontends.torch.by_onnx import first
from ndpir.frontends.torch.call import AtenCall, converts_complex, element_of, rank_of
from ndpir.frontends.torch.views import permutation_of, slice_bounds


def parts(call: AtenCall, x: SSAValue) -> tuple[Term, Term]:
    """The real and the imaginary part."""
    last = rank_of(x) - 1
    shape = g.shape_of(x)[:-1]
    real, imaginary = (Term(call, call.reshaped(cut(call, x, last, at, at + 1), shape)) for at in range(2))
    return real, imaginary


def joined(call: AtenCall, real: Term, imaginary: Term) -> SSAValue:
    """A complex tensor of its parts."""
    shape = np.broadcast_shapes(g.shape_of(real.value), g.shape_of(imaginary.value))
    both = [call.reshaped(call.broadcast_to(each.value, shape), (*shape, 1)) for each in (real, imaginary)]
    return call.build(g.ConcatOp, *both, axis=len(shape))


converts_complex("view", "reshape", "_unsafe_view", "unsqueeze", "squeeze", "flatten")(reshape)
converts_complex("clone", "contiguous", "alias", "detach")(same_value)
converts_complex("expand")(expand)
converts_complex("_assert_tensor_metadata")(nothing)


@converts_complex("view_as_real", "view_as_complex", "resolve_conj")
def same(call: AtenCall) -> SSAValue:
    return call["self"]


@converts_complex("permute", "transpose")
def permute(call: AtenCall) -> SSAValue:
    x = call["self"]
    rank = rank_of(x) - 1
    return call.transposed(x, [*permutation_of(call, rank), rank])


@converts_complex("slice")
def slice_(call: AtenCall) -> SSAValue:
    x = call["self"]
    axis = call.axis("dim", rank_of(x) - 1, 0)
    return cut(call, x, axis, *slice_bounds(call, g.shape_of(x)[axis]))


@converts_complex("select")
def select(call: AtenCall) -> SSAValue:
    x = call["self"]
    axis = call.axis("dim", rank_of(x) - 1)
    at = call.integer("index") % g.shape_of(x)[axis]
    return call.reshaped(cut(call, x, axis, at, at + 1), [n for each, n in enumerate(g.shape_of(x)) if each != axis])


@converts_complex("to", "_to_copy")
def converted(call: AtenCall) -> SSAValue:
    """A conversion between complex types, or of real numbers to complex ones."""
    x, type_ = call["self"], call.result()
    meta = call.values.meta(call.node.names[0])
    if meta is None or not meta.is_complex:
        call.fail("a conversion of complex numbers to real ones is not supported; take the real part")
    x = call.cast(x, element_of_type(type_))
    if call.is_complex("self"):
        return x
    real = Term(call, x)
    return joined(call, real, real.constant(0.0))


@converts_complex("real", "imag")
def real(call: AtenCall) -> SSAValue:
    return parts(call, call["self"])[call.node.op == "aten.imag"].value


@converts_complex("complex")
def complex_(call: AtenCall) -> SSAValue:
    return joined(call, Term(call, call["real"]), Term(call, call["imag"]))


@converts_complex("polar")
def polar(call: AtenCall) -> SSAValue:
    size, angle = Term(call, call["abs"]), Term(call, call["angle"])
    return joined(call, size * angle(g.CosOp), size * angle(g.SinOp))


@converts_complex("conj", "_conj", "conj_physical")
def conjugate(call: AtenCall) -> SSAValue:
    a, b = parts(call, call["self"])
    return joined(call, a, -b)


@converts_complex("abs", "angle")
def size(call: AtenCall) -> SSAValue:
    a, b = parts(call, call["self"])
    return (a * a + b * b)(g.SqrtOp).value if call.node.op == "aten.abs" else b(g.Atan2Op, a).value


@converts_complex("mul", "add", "sub")
def arithmetic(call: AtenCall) -> SSAValue:
    """Products, sums and differences; an operand that is real has no imaginary part."""
    (a, b), (c, d) = (_operand(call, name) for name in ("self", "other"))
    if call.has("alpha") and call.real("alpha") != 1:
        call.fail("a factor `alpha` of complex numbers is not supported; multiply first")
    if call.node.op == "aten.mul":
        return joined(call, a * c - b * d, a * d + b * c)
    op = g.AddOp if call.node.op == "aten.add" else g.SubOp
    return joined(call, a(op, c), b(op, d))


def _operand(call: AtenCall, name: str) -> tuple[Term, Term]:
    if call.is_complex(name):
        return parts(call, call[name])
    other = "self" if name == "other" else "other"
    element = element_of(call[other])
    if isinstance(number := call.get(name), complex):
        return Term(call, call.number(number.real, element)), Term(call, call.number(number.imag, element))
    value = Term(call, call.cast(call[name], element))
    return value, value.constant(0.0)


# Fourier transforms.


@converts_complex("_fft_c2c", "_fft_r2c", "_fft_c2r")
def fourier(call: AtenCall) -> SSAValue:
    """Discrete Fourier transforms along axes, as ONNX's DFT is read: of complex or real numbers, or with a real
    result."""
    x, op = call["self"], call.node.op.removeprefix("aten._fft_")
    is_complex = op != "r2c"
    rank = rank_of(x) - is_complex
    axes = [call.axis_of(axis, rank) for axis in call.ints("dim")]
    forward = call.flag("forward", op == "r2c")
    y = x if is_complex else call.reshaped(x, (*g.shape_of(x), 1))
    extents = [g.shape_of(y)[axis] for axis in axes]
    if op == "c2r":
        extents[-1] = call.integer("last_dim_size")
        for axis in axes[:-1]:
            y = _transformed(call, y, axis, False)
        y = _transformed(call, cut(call, y, axes[-1], 0, extents[-1] // 2 + 1), axes[-1], False, extents[-1])
    else:
        for axis in reversed(axes):
            y = _transformed(
                call, y, axis, forward, extents[-1] if call.flag("onesided") and axis == axes[-1] else None
            )
    count = prod(extents)
    wanted = {0: 1.0, 1: 1 / sqrt(count), 2: 1 / count}[call.integer("normalization")]
    factor = wanted if forward and op != "c2r" else wanted * count
    if factor != 1.0:
        y = call.build(g.MulOp, y, call.number(factor, element_of(y)))
    return call.reshaped(y, g.shape_of(y)[:-1]) if op == "c2r" else y


@converts_complex(
    "fft_fft",
    "fft_ifft",
    "fft_rfft",
    "fft_irfft",
    "fft_fft2",
    "fft_ifft2",
    "fft_rfft2",
    "fft_irfft2",
    "fft_fftn",
    "fft_ifftn",
    "fft_rfftn",
    "fft_irfftn",
)
def named_fourier(call: AtenCall) -> SSAValue:
    """The functions of torch.fft, by the transforms that they are defined by."""
    name = call.node.op.removeprefix("aten.fft_")
    x = call["self"]
    rank = rank_of(x) - call.is_complex("self")
    if call.has("s") or (call.has("n") and not name.startswith("irfft")):
        call.fail("lengths other than the operand's are not supported; pad or cut it first")
    if "dim" in call.node.inputs and call.has("dim"):
        axes = list(call.ints("dim"))
    else:
        axes = [-1] if name.endswith("fft") else [-2, -1] if name.endswith("2") else list(range(rank))
    forward = not name.startswith("i")
    modes = {"": 0 if forward else 2, "backward": 0 if forward else 2, "ortho": 1, "forward": 2 if forward else 0}
    given: dict[str, Any] = {"self": call.get("self"), "dim": axes, "normalization": modes[call.word("norm")]}
    is_real = "rfft" in name
    target = "aten._fft_r2c" if is_real and forward else "aten._fft_c2r" if is_real else "aten._fft_c2c"
    if target == "aten._fft_c2r":
        extent = g.shape_of(x)[call.axis_of(axes[-1], rank)]
        given["last_dim_size"] = call.integer("n", 2 * (extent - 1))
    elif is_real:
        given["onesided"] = True
    else:
        given["forward"] = forward
        if not call.is_complex("self"):
            target, given["onesided"] = "aten._fft_r2c", False
            if not forward:
                call.fail("an inverse transform of real numbers is not supported; make them complex first")
    return fourier(
        AtenCall(replace(call.node, target=f"{target}.default", inputs=given), call.values, call.location, call.body)
    )


def _transformed(call: AtenCall, x: SSAValue, axis: int, forward: bool, onesided: int | None = None) -> SSAValue:
    """A transform along an axis. `onesided`: the length of the transform whose result, if it is an inverse one, or else
    whose operand is real; of the complex side, only the first half stands in the program."""
    place = call.constant(np.array(axis, np.int64))
    length = None if onesided is None else call.constant(np.array(onesided, np.int64))
    return first(call, "DFT", [x, length, place], inverse=int(not forward), onesided=int(onesided is not None))
