"""Operators that sample an image at computed positions: GridSample, RoiAlign, deformable convolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product as combinations
from math import prod

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.formulas import Term
from ndpir.frontends.onnx.compositions.activations import widened
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of

Tap = tuple[Term, Term]
"""For each sampled point, a position along an axis (a whole number) and its weight."""
Place = Callable[[Term, int], Tap]
"""What a position counts that may lie outside of an axis of the given extent: the position read instead, and the
factor of its weight."""


def _weights(mode: str, x: Term) -> list[Tap]:
    """The positions along an axis that a sample at `x` reads, each with its weight."""
    if mode == "nearest":
        return [(x(g.RoundOp), x * 0.0 + 1.0)]
    base = x(g.FloorOp)
    part = x - base
    if mode == "linear":
        return [(base, 1.0 - part), (base + 1.0, part)]
    a = -0.75  # cubic convolution (Keys, 1981), with the constant of ONNX

    def near(d: Term) -> Term:
        return ((d * (a + 2) - (a + 3)) * d) * d + 1.0

    def far(d: Term) -> Term:
        return ((d * a - 5 * a) * d + 8 * a) * d - 4 * a

    rest = 1.0 - part
    return [(base - 1.0, far(part + 1.0)), (base, near(part)), (base + 1.0, near(rest)), (base + 2.0, far(rest + 1.0))]


def _zeros(at: Term, extent: int) -> Tap:
    inside = at.compare("ge", 0.0)(g.AndOp, at.compare("le", extent - 1.0))
    one = at.constant(1.0)
    return at(g.ClipOp, min=0.0, max=extent - 1.0), inside.choose(one, 0.0)


def _border(at: Term, extent: int) -> Tap:
    return at(g.ClipOp, min=0.0, max=extent - 1.0), at.constant(1.0)


def reflected(x: Term, low: float, high: float) -> Term:
    """`x` reflected at both ends of an interval until it lies within."""
    span = high - low
    if span <= 0:
        return x * 0.0 + low
    off = abs(x - low)(g.RemOp, 2 * span)
    return off.compare("gt", span).choose(2 * span - off, off) + low


def sampled(
    flat: SSAValue, points: Sequence[tuple[Term, int]], base: Term | None, mode: str, place: Place
) -> list[Tap]:
    """The elements that each sample combines, and their weights. `flat`: [elements, channels]; `points`: for each axis
    of the image, the positions [N, P] and the extent; `base`: the number of the image's first element in `flat`."""
    taps = [[(place(at, extent), weight) for at, weight in _weights(mode, x)] for x, extent in points]
    found: list[Tap] = []
    for chosen in combinations(*taps):
        index, total = base, None
        stride = prod(extent for _, extent in points)
        for ((at, inside), weight), (_, extent) in zip(chosen, points, strict=True):
            stride //= extent
            step = Term(at.b, at.b.cast(at.value, i64)) * stride
            index = step if index is None else index + step
            factor = weight * inside
            total = factor if total is None else total * factor
        assert index is not None
        assert total is not None
        shape = g.shape_of(total.value)
        wide = Term(total.b, total.b.reshaped(total.value, (*shape, 1)))
        whole = total.b.broadcast_to(index.value, shape)
        found.append((Term(total.b, total.b.build(g.GatherOp, flat, whole, axis=0)), wide))
    return found


def _sum(taps: Sequence[Tap]) -> Term:
    (value, weight), *rest = taps
    total = value * weight
    for value, weight in rest:
        total = total + value * weight
    return total


def _channels_last(node: OnnxNode, x: Term) -> SSAValue:
    """An image [N, C, spatial…] as [N * spatial, C]."""
    shape = g.shape_of(x.value)
    turned = node.transposed(x.value, (0, *range(2, len(shape)), 1))
    return node.reshaped(turned, (shape[0] * prod(shape[2:]), shape[1]))


@handles("GridSample", newest=22)
def grid_sample(node: OnnxNode) -> SSAValue:
    """The image at positions from -1 to 1 along each axis, which a grid gives, the last axis first."""
    x, grid = widened(node, node[0]), widened(node, node[1])
    shape, wanted = g.shape_of(node[0]), g.shape_of(node[1])
    spatial = len(shape) - 2
    if spatial < 1 or len(wanted) != spatial + 2 or wanted[-1] != spatial or wanted[0] != shape[0] or 0 in shape:
        node.fail(f"{node[0].type} needs a grid [N, points…, {max(spatial, 0)}], not {node[1].type}")
    names = {"bilinear": "linear", "bicubic": "cubic"}
    mode = (
        node.word("mode", "bilinear", "linear", "nearest", "cubic", "bicubic")
        if node.since < 20
        else node.word("mode", "linear", "nearest", "cubic")
    )
    mode = names.get(mode, mode)
    padding, aligned = node.word("padding_mode", "zeros", "border", "reflection"), bool(node.integer("align_corners"))
    count = prod(wanted[1:-1])
    flat = node.reshaped(grid.value, (shape[0], count, spatial))

    def reflection(at: Term, extent: int) -> Tap:
        inside = reflected(at, *((0.0, extent - 1.0) if aligned else (-0.5, extent - 0.5)))
        return inside(g.ClipOp, min=0.0, max=extent - 1.0), at.constant(1.0)

    points: list[tuple[Term, int]] = []
    for axis, extent in enumerate(shape[2:]):
        last = spatial - 1 - axis
        part = Term(node, node.sliced(flat, (0, 0, last), (shape[0], count, last + 1)))
        part = Term(node, node.reshaped(part.value, (shape[0], count)))
        at = (part + 1.0) * ((extent - 1) / 2) if aligned else ((part + 1.0) * float(extent) - 1.0) * 0.5
        if mode != "nearest" and padding == "border":
            at = at(g.ClipOp, min=0.0, max=extent - 1.0)
        elif mode != "nearest" and padding == "reflection":
            at = reflected(at, *((0.0, extent - 1.0) if aligned else (-0.5, extent - 0.5)))
        points.append((at, extent))
    place = {"zeros": _zeros, "border": _border, "reflection": reflection}[padding]
    base = Term(node, node.along(0, (shape[0], 1), i64)) * prod(shape[2:])
    y = _sum(sampled(_channels_last(node, x), points, base, mode, place))
    y = node.transposed(y.value, (0, 2, 1))
    return node.cast(node.reshaped(y, (*shape[:2], *wanted[1:-1])), element_of(node[0]))


@handles("RoiAlign", newest=22)
def roi_align(node: OnnxNode) -> SSAValue:
    """The mean or maximum of samples in each bin of each region, with a stated number of samples."""
    node.image()
    x, rois = widened(node, node[0]), widened(node, node[1])
    shape, regions = g.shape_of(node[0]), g.shape_of(node[1])
    if len(shape) != 4 or regions[1:] != (4,) or g.shape_of(node[2]) != regions[:1] or 0 in shape:
        node.fail(f"{node[0].type} needs regions [R, 4] and the image of each, not {node[1].type} and {node[2].type}")
    samples, bins = node.integer("sampling_ratio"), (node.integer("output_height"), node.integer("output_width"))
    if samples < 1 or min(bins) < 1:
        node.fail(
            f"`sampling_ratio` must be at least 1, not {samples}, for which the number of samples depends on regions"
        )
    node.check_table(max(bins) * samples)
    half = (
        node.since >= 16
        and node.word("coordinate_transformation_mode", "half_pixel", "output_half_pixel") == "half_pixel"
    )
    offset, scale, count = 0.5 if half else 0.0, node.real("spatial_scale"), regions[0]

    def corner(at: int) -> Term:
        return Term(node, node.sliced(rois.value, (0, at), (count, at + 1))) * scale - offset

    points: list[tuple[Term, int]] = []
    insides: list[Term] = []
    for axis, extent in enumerate(shape[2:]):
        start, end = corner(1 - axis), corner(3 - axis)
        size = end - start if half else (end - start)(g.MaxOp, 1.0)
        steps = (np.arange(bins[axis] * samples) + 0.5) / (bins[axis] * samples)
        along = [1, 1, 1]
        along[1 + axis] = len(steps)
        factor = Term(node, node.constant(steps.astype(np.float32).reshape(along)))
        start, size = (Term(node, node.reshaped(each.value, (count, 1, 1))) for each in (start, size))
        at = Term(node, node.cast(factor.value, element_of(size.value))) * size + start
        insides.append(at.compare("ge", -1.0)(g.AndOp, at.compare("le", float(extent))))
        points.append((at(g.ClipOp, min=0.0, max=extent - 1.0), extent))
    full = (count, bins[0] * samples, bins[1] * samples)
    points = [(Term(node, node.broadcast_to(at.value, full)), extent) for at, extent in points]
    images = Term(node, node.reshaped(node.cast(node[2], i64), (count, 1, 1))) * (shape[2] * shape[3])
    taps = sampled(_channels_last(node, x), points, images, "linear", _border)
    inside = node.reshaped(node.broadcast_to(insides[0](g.AndOp, insides[1]).value, full), (*full, 1))
    mode = node.word("mode", "avg", "max")
    if mode == "avg":
        y = _sum(taps)
    else:
        y = taps[0][0] * taps[0][1]
        for value, weight in taps[1:]:
            y = y(g.MaxOp, value * weight)
    y = Term(node, inside).choose(y, 0.0)
    apart = node.reshaped(y.value, (count, bins[0], samples, bins[1], samples, shape[1]))
    y = node.build(g.ReduceOp, apart, kind="mean" if mode == "avg" else "max", axes=(2, 4))
    return node.cast(node.transposed(y, (0, 3, 1, 2)), element_of(node[0]))


@handles("DeformConv", newest=22)
def deform_conv(node: OnnxNode) -> SSAValue:
    """A convolution whose windows read elements at given offsets from their places: the samples as a matrix, times the
    filters."""
    n, c, image = node.image()
    x, w, shape = widened(node, node[0]), node[1], g.shape_of(node[0])
    groups, parts = node.integer("group"), node.integer("offset_group")
    kernel, offsets, spatial = g.shape_of(w)[2:], g.shape_of(node[2]), len(shape) - 2
    strides, dilations = (node.integer_list(name) or (1,) * spatial for name in ("strides", "dilations"))
    pads = node.integer_list("pads") or (0,) * (2 * spatial)
    fits = spatial == 2 and len(kernel) == 2 and min(groups, parts) > 0 and not c % groups and not c % parts
    fits = fits and rank_of(node[2]) == 4 and offsets[:2] == (n, parts * 2 * prod(kernel)) and 0 not in shape
    if not fits or len(strides) != 2 or len(dilations) != 2 or len(pads) != 4:
        node.fail(
            f"{node[0].type} and filters {w.type} need offsets [N, groups * 2 * kernel, H, W], not {node[2].type}"
        )
    rows, columns = offsets[2:]
    node.check_table(prod(kernel) * rows * columns)
    moves = node.reshaped(widened(node, node[2]).value, (n, parts, prod(kernel), 2, rows, columns))
    points: list[tuple[Term, int]] = []
    counts = (n * parts, prod(kernel) * rows * columns)
    places = np.indices((*kernel, rows, columns)).reshape(4, prod(kernel), rows, columns)
    for axis, extent in enumerate(image):
        start = [0, 0, 0, axis, 0, 0]
        move = node.sliced(moves, start, [n, parts, prod(kernel), axis + 1, rows, columns])
        rest = places[axis] * dilations[axis] + places[2 + axis] * strides[axis] - pads[axis]
        own = Term(node, node.cast(node.constant(rest.astype(np.int64)), element_of(x.value)))
        at = Term(node, node.reshaped(move, (n, parts, prod(kernel), rows, columns))) + own
        points.append((Term(node, node.reshaped(at.value, counts)), extent))
    grouped = Term(node, node.reshaped(x.value, (n * parts, c // parts, *image)))
    base = Term(node, node.along(0, (n * parts, 1), i64)) * prod(image)
    y = _sum(sampled(_channels_last(node, grouped), points, base, "linear", _zeros))
    y = Term(node, node.reshaped(y.value, (n, parts, prod(kernel), rows * columns, c // parts)))
    if node.get(4) is not None:
        mask = node.reshaped(widened(node, node[4]).value, (n, parts, prod(kernel), rows * columns, 1))
        y = y * Term(node, mask)
    matrix = node.transposed(y.value, (0, 1, 4, 2, 3))
    matrix = node.reshaped(matrix, (n, groups, c // groups * prod(kernel), rows * columns))
    filters = node.reshaped(w, (1, groups, g.shape_of(w)[0] // groups, c // groups * prod(kernel)))
    made = node.build(g.MatmulOp, node.cast(filters, element_of(x.value)), matrix)
    made = node.cast(node.reshaped(made, (n, g.shape_of(w)[0], rows, columns)), element_of(node[0]))
    if node.get(3) is None:
        return made
    return node.build(g.AddOp, made, node.reshaped(node[3], (g.shape_of(w)[0], 1, 1)))
