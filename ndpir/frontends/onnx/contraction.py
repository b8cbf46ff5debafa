"""Import of matrix products and convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.operators import OnnxNode, handles, rank_of


@handles("MatMul", newest=13)
def matmul(node: OnnxNode) -> SSAValue:
    """numpy's matmul: a vector gets a unit axis for the product, which is removed from the result."""
    a, b = node[0], node[1]
    if not rank_of(a) or not rank_of(b):
        node.fail("a scalar was met, but both operands must have at least one axis")
    row, column = rank_of(a) == 1, rank_of(b) == 1
    if row:
        a = node.reshaped(a, (1, *g.shape_of(a)))
    if column:
        b = node.reshaped(b, (*g.shape_of(b), 1))
    y = node.build(g.MatmulOp, a, b)
    extents = g.shape_of(y)
    kept = (*extents[:-2], *(() if row else extents[-2:-1]), *(() if column else extents[-1:]))
    return node.reshaped(y, kept)


@handles("Gemm", newest=13)
def gemm(node: OnnxNode) -> SSAValue:
    """The sum alpha * A·B + beta * C; C becomes the product's bias if alpha and beta allow it."""
    alpha, beta = node.real("alpha"), node.real("beta")
    if max(rank_of(node[0]), rank_of(node[1])) != 2:
        node.fail(f"the operands must be matrices, but have {rank_of(node[0])} and {rank_of(node[1])} axes")
    transposes = {"transpose_a": bool(node.integer("transA")), "transpose_b": bool(node.integer("transB"))}
    c = node.get(2) if beta else None
    if c is not None and alpha == beta == 1.0:
        return node.build(g.MatmulOp, node[0], node[1], c, **transposes)
    y = _scaled(node, node.build(g.MatmulOp, node[0], node[1], **transposes), alpha)
    return y if c is None else node.build(g.AddOp, y, _scaled(node, c, beta))


def _scaled(node: OnnxNode, x: SSAValue, factor: float) -> SSAValue:
    return x if factor == 1.0 else node.build(g.MulOp, x, node.like(x, factor))


@handles("Conv", newest=22)
def conv(node: OnnxNode) -> SSAValue:
    x, w = node[0], node[1]
    kernel = g.shape_of(w)[2:]
    if (kernel_shape := node.integer_list("kernel_shape")) not in (None, kernel):
        node.fail(
            f"`kernel_shape` is {kernel_shape}, but the filters have the shape {g.shape_of(w)}; correct one of the two"
        )
    places = window(node, g.shape_of(x)[2:], kernel)
    y = node.build(g.ConvOp, x, w, *node.optional(2), **places, groups=node.integer("group"))
    note_pads(node, y, kernel)
    return y


def note_pads(node: OnnxNode, y: SSAValue, kernel: Sequence[int]) -> None:
    """Note for the op of a sliding window how the image's shape determines its pads, if it does (`auto_pad`)."""
    if node.word("auto_pad", *_AUTO_PADS).startswith("SAME"):
        none = (0,) * (2 * len(kernel))
        node.body.remakes[y] = lambda shape: {"pads": window(node, shape[2:], kernel)["pads"] or none}


_AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


def window(node: OnnxNode, image: Sequence[int], kernel: Sequence[int]) -> dict[str, tuple[int, ...] | None]:
    """Strides, pads and dilations of a sliding window as properties of a graph op (None: the op's default); `auto_pad`
    is converted to pads."""
    rank = len(kernel)
    strides = node.integer_list("strides") or (1,) * rank
    dilations = node.integer_list("dilations") or (1,) * rank
    pads = node.integer_list("pads") or (0,) * (2 * rank)
    auto_pad = node.word("auto_pad", *_AUTO_PADS)
    if not len(image) == len(strides) == len(dilations) == rank or len(pads) != 2 * rank:
        node.fail(
            f"a window of {rank} axes needs as many image axes, strides and dilations and twice as many pads, "
            f"not {len(image)}, {len(strides)}, {len(dilations)} and {len(pads)}"
        )
    if min((*strides, *dilations, *kernel), default=1) < 1:
        node.fail(
            f"strides, dilations and window sizes must be at least 1, not {list(strides)}, {list(dilations)} and "
            f"{list(kernel)}"
        )
    if auto_pad == "VALID":
        pads = (0,) * (2 * rank)
    elif auto_pad != "NOTSET":
        pads = _same_pads(image, kernel, strides, dilations, upper=auto_pad == "SAME_UPPER")
    return {
        "strides": strides if set(strides) != {1} else None,
        "pads": pads if any(pads) else None,
        "dilations": dilations if set(dilations) != {1} else None,
    }


def _same_pads(
    image: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], *, upper: bool
) -> tuple[int, ...]:
    """Pads for which the number of windows along each axis is ceil(extent / stride). If the number of padding elements
    of an axis is odd, the end of the axis gets one more than its beginning if `upper`, else one fewer."""
    totals = [
        max((-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        for size, k, stride, dilation in zip(image, kernel, strides, dilations, strict=True)
    ]
    lows = tuple(total // 2 if upper else -(-total // 2) for total in totals)
    return (*lows, *(total - low for total, low in zip(totals, lows, strict=True)))
