"""Resize and Upsample: along each axis, every element of the result is a weighted sum of a few elements of the operand,
whose positions and weights follow from shapes alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, isfinite

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of, is_float
from ndpir.frontends.formulas import Term
from ndpir.frontends.onnx.compositions.activations import widened
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of
from ndpir.frontends.onnx.tensors import TensorError, checked_shape

Floats = NDArray[np.float64]
MOST_GATHERS = 8
"""The largest number of elements in a weighted sum that is computed by one gather each; longer sums are a product with
the matrix of all weights."""


@dataclass(frozen=True)
class Axis:
    """The change of one axis: its extents before and after, their ratio, and the kept part, as fractions of it."""

    before: int
    after: int
    scale: float
    start: float = 0.0
    end: float = 1.0

    @property
    def is_kept(self) -> bool:
        return self.before == self.after and self.scale == 1 and (self.start, self.end) == (0.0, 1.0)


def _aligned(axis: Axis, x: Floats) -> Floats:
    width = axis.scale * axis.before
    return x * 0 if width == 1 else x * (axis.before - 1) / (width - 1)


def _cropped(axis: Axis, x: Floats) -> Floats:
    width, first, span = axis.scale * axis.before, axis.start * (axis.before - 1), axis.end - axis.start
    if width == 1:
        return x * 0 + first + span * (axis.before - 1) / 2
    return first + x * span * (axis.before - 1) / (width - 1)


def _symmetric(axis: Axis, x: Floats) -> Floats:
    adjustment = axis.after / (axis.scale * axis.before)
    return axis.before / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5


_COORDINATES: dict[str, Callable[[Axis, Floats], Floats]] = {
    "half_pixel": lambda axis, x: (x + 0.5) / axis.scale - 0.5,
    "half_pixel_symmetric": _symmetric,
    "pytorch_half_pixel": lambda axis, x: x * 0 if axis.after == 1 else (x + 0.5) / axis.scale - 0.5,
    "align_corners": _aligned,
    "asymmetric": lambda axis, x: x / axis.scale,
    "tf_half_pixel_for_nn": lambda axis, x: (x + 0.5) / axis.scale,
    "tf_crop_and_resize": _cropped,
}
"""The position in the operand of each element of the result, by `coordinate_transformation_mode`."""
_NEAREST: dict[str, Callable[[Floats], Floats]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _triangle(distance: Floats, a: float) -> Floats:
    return np.clip(1 - np.abs(distance), 0, 1)


def _keys(distance: Floats, a: float) -> Floats:
    """The kernel of cubic convolution (Keys, 1981)."""
    x = np.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    return np.where(x <= 1, near, np.where(x < 2, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a, 0))


_KERNELS: dict[str, tuple[Callable[[Floats, float], Floats], int]] = {"linear": (_triangle, 1), "cubic": (_keys, 2)}
"""The weight by distance, and the largest distance, of each mode."""


@handles("Resize", newest=19)
def resize(node: OnnxNode) -> SSAValue:
    """Each axis with its own factor or extent; before opset 11, positions are those of `asymmetric` and `floor`."""
    if node.since < 11:
        return _resized(node, _axes(node, 1, None, None), "asymmetric", "floor")
    mode = node.word("coordinate_transformation_mode", *_COORDINATES)
    return _resized(node, _axes(node, 2, 3, 1 if mode == "tf_crop_and_resize" else None), mode, None)


@handles("Upsample", newest=9)
def upsample(node: OnnxNode) -> SSAValue:
    return _resized(node, _axes(node, 1 if node.since >= 9 else None, None, None), "asymmetric", "floor")


def _axes(node: OnnxNode, scales: int | None, sizes: int | None, roi: int | None) -> list[Axis]:
    """The changes of all axes. `scales`, `sizes`, `roi`: the operands that state them; factors of an old Upsample are
    an attribute."""
    shape = g.shape_of(node[0])
    named = node.integer_list("axes") if "axes" in node.signature.types else None
    places = [node.axis_of(axis, len(shape)) for axis in (range(len(shape)) if named is None else named)]

    def stated(operand: int | None) -> list[float]:
        if operand is None or node.get(operand) is None or not np.prod(g.shape_of(node[operand])):
            return []
        return [float(number) for number in node.numbers(operand).reshape(-1)]

    factors, extents, parts = stated(scales), stated(sizes), stated(roi)
    if scales is None:
        factors = list(((found := node.attribute("scales")) and found.floats) or ())
    if len(factors or extents) != len(places) or (factors and extents) or len(parts) not in (0, 2 * len(places)):
        node.fail(f"{len(places)} axes need a factor or an extent each, not {len(factors)} and {len(extents)}")
    if not all(isfinite(number) and number > 0 for number in (*factors, *extents)):
        node.fail(f"factors and extents must be above 0, not {factors or extents}")
    if factors:
        changes = [Axis(shape[at], floor(shape[at] * by), by) for at, by in zip(places, factors, strict=True)]
    else:
        changes = _fitted(node, [shape[at] for at in places], extents)
    if parts:
        ends = zip(changes, parts[: len(places)], parts[len(places) :], strict=True)
        changes = [Axis(each.before, each.after, each.scale, start, end) for each, start, end in ends]
    found = [Axis(extent, extent, 1.0) for extent in shape]
    for at, change in zip(places, changes, strict=True):
        found[at] = change
    return found


def _fitted(node: OnnxNode, before: Sequence[int], extents: Sequence[float]) -> list[Axis]:
    """The changes of axes to given extents; with `keep_aspect_ratio_policy`, by one factor for all axes."""
    if 0 in before:
        node.fail("an axis without elements can't be resized")
    ratios = [after / extent for after, extent in zip(extents, before, strict=True)]
    known = "keep_aspect_ratio_policy" in node.signature.types
    policy = node.word("keep_aspect_ratio_policy", "stretch", "not_larger", "not_smaller") if known else "stretch"
    if policy == "stretch":
        return [Axis(*each) for each in zip(before, map(int, extents), ratios, strict=True)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    return [Axis(extent, floor(scale * extent + 0.5), scale) for extent in before]


def _resized(node: OnnxNode, axes: Sequence[Axis], transformation: str, nearest: str | None) -> SSAValue:
    mode = node.word("mode", "nearest", "linear", "cubic")
    try:
        checked_shape([axis.after for axis in axes])
    except TensorError as error:
        node.fail(f"the result {error}")
    x = node[0]
    if mode != "nearest" and not is_float(element_of(x)):
        node.fail(f"only the mode `nearest` resizes elements of {element_of(x)}; cast the operand (Cast)")
    nearest = None if mode != "nearest" else nearest or node.word("nearest_mode", *_NEAREST)
    y = x if mode == "nearest" else widened(node, x).value
    for place, axis in enumerate(axes):
        if axis.is_kept:
            continue
        if not axis.before or not axis.after:
            node.fail(f"an axis can't be resized from {axis.before} to {axis.after} elements; both must be above 0")
        node.check_table(axis.after)
        at = _COORDINATES[transformation](axis, np.arange(axis.after, dtype=np.float64))
        if nearest is not None:
            y = _picked(node, y, place, np.clip(_NEAREST[nearest](at), 0, axis.before - 1).astype(np.int64))
        else:
            y = _weighted(node, y, place, axis, *_taps(node, axis, at, mode))
        outside = (at < 0) | (at > axis.before - 1)
        if transformation == "tf_crop_and_resize" and outside.any():
            shape = [axis.after if at == place else 1 for at in range(rank_of(x))]
            mask = Term(node, node.constant(outside.reshape(shape)))
            fill = Term(node, node.like(y, node.real("extrapolation_value")))
            y = mask.choose(fill, Term(node, y)).value
    return node.cast(y, element_of(x))


def _picked(node: OnnxNode, x: SSAValue, axis: int, places: NDArray[np.int64]) -> SSAValue:
    """The elements at `places` along an axis; a broadcast if each element is repeated the same number of times."""
    shape = list(g.shape_of(x))
    times, rest = divmod(len(places), shape[axis])
    if not rest and np.array_equal(places, np.repeat(np.arange(shape[axis]), times)):
        apart = node.reshaped(x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
        wide = node.broadcast_to(apart, (*shape[: axis + 1], times, *shape[axis + 1 :]))
        return node.reshaped(wide, (*shape[:axis], len(places), *shape[axis + 1 :]))
    return node.build(g.GatherOp, x, node.constant(places), axis=axis)


def _taps(node: OnnxNode, axis: Axis, at: Floats, mode: str) -> tuple[NDArray[np.int64], Floats]:
    """The positions and weights of the elements in each weighted sum, one row for each element of the result. Positions
    outside of the axis stand for its first or last element, or weigh nothing with `exclude_outside`."""
    kernel, reach = _KERNELS[mode]
    narrow = min(axis.scale, 1.0) if "antialias" in node.signature.types and node.integer("antialias") else 1.0
    first = floor(-reach / narrow) + 1
    node.check_table(axis.after * (2 - 2 * first))
    places = np.ceil(at)[:, None] - 1 + np.arange(first, 2 - first)
    weights = kernel((places - at[:, None]) * narrow, node.real("cubic_coeff_a", -0.75))
    if node.integer("exclude_outside"):
        weights = np.where((places < 0) | (places >= axis.before), 0, weights)
    return places.astype(np.int64), weights / weights.sum(axis=1, keepdims=True)


def _weighted(
    node: OnnxNode, x: SSAValue, place: int, axis: Axis, places: NDArray[np.int64], weights: Floats
) -> SSAValue:
    """The weighted sums along an axis."""
    if (phases := _phases(axis, places, weights)) is not None:
        return _interleaved(node, x, place, axis, *phases)
    dtype = dtype_of(element_of(x))
    places = np.clip(places, 0, axis.before - 1)
    used = [tap for tap in range(places.shape[1]) if weights[:, tap].any()]
    if len(used) > MOST_GATHERS:
        matrix = np.zeros((axis.after, axis.before))
        np.add.at(matrix, (np.arange(axis.after)[:, None], places), weights)
        order = [*(at for at in range(rank_of(x)) if at != place), place]
        rows = node.build(g.MatmulOp, node.transposed(x, order), node.constant(matrix.T.astype(dtype)))
        return node.transposed(rows, [order.index(at) for at in range(rank_of(x))])
    shape = [axis.after if at == place else 1 for at in range(rank_of(x))]
    total: Term | None = None
    for tap in used:
        part = Term(node, _picked(node, x, place, places[:, tap]))
        part = part * Term(node, node.constant(weights[:, tap].astype(dtype).reshape(shape)))
        total = part if total is None else total + part
    assert total is not None
    return total.value


def _phases(axis: Axis, places: NDArray[np.int64], weights: Floats) -> tuple[int, dict[int, Floats]] | None:
    """For an axis that is scaled by a whole factor, or by one over such a factor: the step between elements with the
    same weights, and by the distance from the first element of a step, the weights of all results within it. None for
    any other factor, and for weights that differ at the ends."""
    count = axis.after // axis.before if axis.after >= axis.before else 1
    if axis.after % count or axis.before * count % axis.after or axis.after // count < 2:
        return None
    step = axis.before * count // axis.after
    starts = np.arange(axis.after // count) * step
    found: dict[int, Floats] = {}
    for phase in range(count):
        distances, held = places[phase::count] - starts[:, None], weights[phase::count]
        if (distances != distances[0]).any() or not np.allclose(held, held[0], rtol=0, atol=1e-12):
            return None
        for distance, weight in zip(distances[0].tolist(), held[0], strict=True):
            if abs(weight) > 1e-12:
                found.setdefault(distance, np.zeros(count))[phase] += weight
    return (step, found) if len(found) <= MOST_GATHERS else None


def _interleaved(node: OnnxNode, x: SSAValue, place: int, axis: Axis, step: int, found: dict[int, Floats]) -> SSAValue:
    """The weighted sums of slices of the axis, extended by its first and last element where they reach beyond it: all
    results of a step at once, along a new axis."""
    shape, rank, dtype = list(g.shape_of(x)), rank_of(x), dtype_of(element_of(x))
    low = max(0, -min(found))
    last = axis.before // step * step - step
    high = max(0, last + max(found) - axis.before + 1)

    def part(value: SSAValue, start: int, end: int, by: int = 1) -> SSAValue:
        bounds = [(0, extent, 1) for extent in g.shape_of(value)]
        bounds[place] = (start, end, by)
        return node.sliced(value, *map(list, zip(*bounds, strict=True)))

    ends = [(part(x, 0, 1), low), (x, 1), (part(x, axis.before - 1, axis.before), high)]
    wide = [
        node.broadcast_to(value, [*shape[:place], times, *shape[place + 1 :]]) if value is not x else value
        for value, times in ends
        if times
    ]
    whole = wide[0] if len(wide) == 1 else node.build(g.ConcatOp, *wide, axis=place)
    count = len(next(iter(found.values())))
    total: Term | None = None
    for distance, weights in sorted(found.items()):
        start = low + distance
        taken = part(whole, start, start + last + 1, step)
        apart = [*g.shape_of(taken)]
        apart.insert(place + 1, 1)
        factor = [count if at == place + 1 else 1 for at in range(rank + 1)]
        term = Term(node, node.reshaped(taken, apart))
        term = term * Term(node, node.constant(weights.astype(dtype).reshape(factor)))
        total = term if total is None else total + term
    assert total is not None
    return node.reshaped(total.value, [axis.after if at == place else extent for at, extent in enumerate(shape)])
