"""Converters of matrix products, linear layers, einsum and convolutions."""

from __future__ import annotations

from string import ascii_letters

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import is_float, tensor_type
from ndpir.frontends.formulas import Term
from ndpir.frontends.onnx.compositions.einsum import einsum_of
from ndpir.frontends.torch.aten.elementwise import element_of_type
from ndpir.frontends.torch.by_onnx import onnx_node
from ndpir.frontends.torch.call import AtenCall, converts, element_of, rank_of


@converts("matmul", "mm", "bmm", "mv", "dot", "vdot", "inner", "linalg_matmul", "chain_matmul")
def matmul(call: AtenCall) -> SSAValue:
    """numpy's matmul: a vector gets a unit axis for the product, which is removed from the result."""
    names = {
        "aten.mm": ("self", "mat2"),
        "aten.bmm": ("self", "mat2"),
        "aten.mv": ("self", "vec"),
        "aten.dot": ("self", "tensor"),
    }
    a, b = (call[name] for name in names.get(call.node.op, ("self", "other")))
    return product(call, a, b)


def product(call: AtenCall, a: SSAValue, b: SSAValue) -> SSAValue:
    row, column = rank_of(a) == 1, rank_of(b) == 1
    if row:
        a = call.reshaped(a, (1, *g.shape_of(a)))
    if column:
        b = call.reshaped(b, (*g.shape_of(b), 1))
    y = call.build(g.MatmulOp, a, b)
    extents = g.shape_of(y)
    return call.reshaped(y, (*extents[:-2], *(() if row else extents[-2:-1]), *(() if column else extents[-1:])))


@converts("linear")
def linear(call: AtenCall) -> SSAValue:
    """x · weightᵀ + bias."""
    x, weight = call["input"], call["weight"]
    bias = call.maybe("bias")
    if rank_of(weight) == 1:
        y = product(call, x, weight)
        return y if bias is None else call.build(g.AddOp, y, bias)
    flat = call.reshaped(x, (1, *g.shape_of(x))) if rank_of(x) == 1 else x
    factor, turned = untransposed(weight)
    whole = [bias] if bias is not None and rank_of(flat) == 2 else []
    y = call.build(g.MatmulOp, flat, factor, *whole, transpose_b=None if turned else True)
    if bias is not None and not whole:  # apart, so that it joins the ops behind it where the product is on a PIM
        y = call.build(g.AddOp, y, bias)
    return call.reshaped(y, call.result().get_shape())


def untransposed(weight: SSAValue) -> tuple[SSAValue, bool]:
    """The weight before its transpose, and true, if it is a matrix that is stored the other way around."""
    owner = weight.owner
    if isinstance(owner, g.TransposeOp) and rank_of(weight) == 2 and tuple(owner.permutation.get_values()) == (1, 0):
        return owner.x, True
    return weight, False


@converts("addmm", "addmv", "addbmm", "baddbmm", "_addmm_activation", "addr")
def addmm(call: AtenCall) -> SSAValue:
    """beta * self + alpha * product; `self` becomes the product's bias if both factors are 1."""
    names = {
        "aten.addmv": ("mat", "vec"),
        "aten.addbmm": ("batch1", "batch2"),
        "aten.baddbmm": ("batch1", "batch2"),
        "aten.addr": ("vec1", "vec2"),
    }
    x = call["self"]
    a, b = (call[name] for name in names.get(call.node.op, ("mat1", "mat2")))
    alpha, beta = call.real("alpha", 1.0), call.real("beta", 1.0)
    if call.node.op == "aten.addr":
        a, b = call.reshaped(a, (*g.shape_of(a), 1)), call.reshaped(b, (1, *g.shape_of(b)))
    if (
        alpha == beta == 1.0
        and call.node.op in ("aten.addmm", "aten.baddbmm", "aten._addmm_activation")
        and is_float(element_of(x))
    ):
        made = call.build(g.MatmulOp, a, b, x)
    else:
        made = product(call, a, b)
        if call.node.op == "aten.addbmm":
            made = call.build(g.ReduceOp, made, kind="sum", axes=(0,))
        made = _times(call, made, alpha)
        if beta:
            made = call.build(g.AddOp, made, _times(call, x, beta))
    if call.node.op == "aten._addmm_activation":
        return call.build(g.GeluOp, made, approximate="tanh") if call.flag("use_gelu") else call.build(g.ReluOp, made)
    return made


def _times(call: AtenCall, x: SSAValue, factor: float) -> SSAValue:
    if factor == 1.0:
        return x
    exact = factor if is_float(element_of(x)) else int(factor)
    return call.build(g.MulOp, x, call.number(exact, element_of(x)))


@converts("bilinear")
def bilinear(call: AtenCall) -> SSAValue:
    """x1 · weight · x2 + bias, for each output feature."""
    made = einsum_of(call, "...i,oij,...j->...o", [call["input1"], call["weight"], call["input2"]])
    bias = call.maybe("bias")
    return made if bias is None else call.build(g.AddOp, made, bias)


@converts("_trilinear")
def trilinear(call: AtenCall) -> SSAValue:
    """The product of three tensors, each with new axes of extent 1, summed over some axes."""
    factors = [call[name] for name in ("i1", "i2", "i3")]
    rank = rank_of(factors[0]) + len(call.ints("expand1"))
    letters = ascii_letters[:rank]
    terms = [
        "".join(letters[at] for at in range(rank) if at not in call.ints(name))
        for name in ("expand1", "expand2", "expand3")
    ]
    kept = "".join(letters[at] for at in range(rank) if at not in call.ints("sumdim"))
    return einsum_of(call, f"{','.join(terms)}->{kept}", factors)


@converts("outer", "ger")
def outer(call: AtenCall) -> SSAValue:
    a, b = call["self"], call["vec2"]
    return call.build(g.MulOp, call.reshaped(a, (*g.shape_of(a), 1)), b)


@converts("einsum")
def einsum(call: AtenCall) -> SSAValue:
    return einsum_of(call, call.word("equation"), call.tensors("tensors"))


@converts("tensordot")
def tensordot(call: AtenCall) -> SSAValue:
    from ndpir.frontends.products import product as product_of

    a, b = call["self"], call["other"]
    sums = [
        [call.axis_of(axis, rank_of(x)) for axis in call.ints(name)]
        for x, name in ((a, "dims_self"), (b, "dims_other"))
    ]
    return product_of(call, a, b, [[], []], sums, element_of(a))


@converts("kron")
def kron(call: AtenCall) -> SSAValue:
    a, b = call["self"], call["other"]
    rank = max(rank_of(a), rank_of(b))
    shapes = [(*(1,) * (rank - rank_of(x)), *g.shape_of(x)) for x in (a, b)]
    left = call.reshaped(a, [n for extent in shapes[0] for n in (extent, 1)])
    right = call.reshaped(b, [n for extent in shapes[1] for n in (1, extent)])
    return call.reshaped(call.build(g.MulOp, left, right), call.result().get_shape())


@converts("linalg_cross", "cross")
def cross(call: AtenCall) -> SSAValue:
    from ndpir.frontends.torch.aten.movement import cut

    a, b = call["self"], call["other"]
    shape = call.result().get_shape()
    a, b = call.broadcast_to(a, shape), call.broadcast_to(b, shape)
    axis = call.axis("dim", len(shape), -1)

    def part(x: SSAValue, at: int) -> Term:
        return Term(call, cut(call, x, axis, at % 3, at % 3 + 1))

    rows = [(part(a, at + 1) * part(b, at + 2) - part(a, at + 2) * part(b, at + 1)).value for at in range(3)]
    return call.build(g.ConcatOp, *rows, axis=axis)


@converts("_grouped_mm", "grouped_mm", "transformers.grouped_mm_fallback")
def grouped_mm(call: AtenCall) -> SSAValue:
    """Products of groups of rows with one matrix each (experts and their tokens); `offs` says where each group ends."""
    a, b, ends = (
        call["self" if call.has("self") else "input"],
        call["mat2" if call.has("mat2") else "weight"],
        call.maybe("offs"),
    )
    if ends is None:
        made = call.build(g.MatmulOp, a, b)
    elif rank_of(a) == rank_of(b):
        made = call.build(g.RaggedMatmulOp, a, b, _sizes_of(call, ends))
    elif rank_of(a) == 2:
        made = call.build(g.GroupedMatmulOp, a, b, _groups_of(call, ends, g.shape_of(a)[0]))
    else:  # columns are grouped: the transposed product has groups of rows
        ids = _groups_of(call, ends, g.shape_of(b)[1])
        turned = call.build(g.GroupedMatmulOp, call.transposed(b, (1, 0)), a, ids, transpose_b=True)
        made = call.transposed(turned, (1, 0))
    if (bias := call.maybe("bias")) is not None:
        made = call.build(g.AddOp, made, bias)
    return call.cast(made, element_of_type(call.result()))


def _sizes_of(call: AtenCall, ends: SSAValue) -> SSAValue:
    """The number of rows of each group, from the groups' ends."""
    groups = g.shape_of(ends)[0]
    if groups < 2:
        return ends
    before = call.build(g.PadOp, call.sliced(ends, (0,), (groups - 1,)), low=(1,), high=(0,))
    return call.build(g.SubOp, ends, before)


def _groups_of(call: AtenCall, ends: SSAValue, rows: int) -> SSAValue:
    """The group of each row: the number of ends, but the last, that are at most the row's index. PyTorch leaves the
    results of rows behind the last end open; here these rows belong to the last group."""
    groups = g.shape_of(ends)[0]
    if groups < 2:
        return call.splat(0, tensor_type((rows,), element_of(ends)))
    inner = call.reshaped(call.sliced(ends, (0,), (groups - 1,)), (1, groups - 1))
    row = call.along(0, (rows, 1), element_of(ends))
    passed = call.cast(call.build(g.CompareOp, row, inner, kind="ge"), element_of(ends))
    return call.build(g.ReduceOp, passed, kind="sum", axes=(1,))


# Convolutions.


@converts(
    "conv1d",
    "conv2d",
    "conv3d",
    "convolution",
    "_convolution",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "mkldnn_convolution",
    "cudnn_convolution",
)
def convolution(call: AtenCall) -> SSAValue:
    """Cross-correlation with filters, or its transpose."""
    x, w = call["input" if call.has("input") else "self"], call["weight"]
    bias = call.maybe("bias")
    batched = rank_of(x) == rank_of(w)
    if not batched:
        x = call.reshaped(x, (1, *g.shape_of(x)))
    spatial = rank_of(w) - 2
    strides, dilations = (_each(call.ints(name, (1,)), spatial) for name in ("stride", "dilation"))
    groups = call.integer("groups", 1)
    transposed = call.flag("transposed") or "transpose" in call.node.op
    if call.word("padding") in ("same", "valid"):
        pads = _same(call, w, dilations)
    else:
        low = _each(call.ints("padding", (0,)), spatial)
        pads = (*low, *low)
    if transposed:
        extra = _each(call.ints("output_padding", (0,)), spatial)
        y = transposed_convolution(call, x, w, bias, strides, pads, dilations, extra, groups)
    else:
        y = call.build(
            g.ConvOp,
            x,
            w,
            *(() if bias is None else (bias,)),
            groups=groups,
            strides=strides if set(strides) != {1} else None,
            pads=pads if any(pads) else None,
            dilations=dilations if set(dilations) != {1} else None,
        )
    return y if batched else call.reshaped(y, g.shape_of(y)[1:])


def _each(given: tuple[int, ...], count: int) -> tuple[int, ...]:
    return given * count if len(given) == 1 else given


def _same(call: AtenCall, w: SSAValue, dilations: tuple[int, ...]) -> tuple[int, ...]:
    """Pads for `same`, of which the end gets the larger part; none for `valid`."""
    if call.word("padding") == "valid":
        return (0,) * (2 * len(dilations))
    totals = [(k - 1) * d for k, d in zip(g.shape_of(w)[2:], dilations, strict=True)]
    lows = [total // 2 for total in totals]
    return (*lows, *(total - low for total, low in zip(totals, lows, strict=True)))


def transposed_convolution(
    call: AtenCall,
    x: SSAValue,
    w: SSAValue,
    bias: SSAValue | None,
    strides: tuple[int, ...],
    pads: tuple[int, ...],
    dilations: tuple[int, ...],
    extra: tuple[int, ...],
    groups: int,
) -> SSAValue:
    """The transpose of a convolution, as ONNX's ConvTranspose is read."""
    (y,) = onnx_node(
        call,
        "ConvTranspose",
        [x, w, *([] if bias is None else [bias])],
        strides=strides,
        pads=pads,
        dilations=dilations,
        output_padding=extra,
        group=groups,
    )
    assert y is not None
    return y
