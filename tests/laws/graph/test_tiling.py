"""A part of an op's result, computed from the required parts of its operands, equals that part of the full result."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import Float32Type, IntegerType
from xdsl.ir import SSAValue
from xdsl.utils.test_value import create_ssa_value

from dialects import graph as g
from dialects.element_types import I64, tensor_type
from interp.numerics import evaluate
from interp.numerics.rounding import Array, widened
from lowering.partition.shards.parts import Box, compute, full_box, part_of, shape_of_box, splittable_axes
from tests.graph_programs import Draw, programs
from tests.laws.graph.test_numbers import ops_of

SUMS = (
    g.MatmulOp,
    g.RaggedMatmulOp,
    g.GroupedMatmulOp,
    g.ConvOp,
    g.AttentionOp,
    g.ReduceOp,
    g.PoolOp,
    g.SoftmaxOp,
    g.LayerNormOp,
    g.RmsNormOp,
)
"""Ops that numpy sums in an order that depends on the shape."""


def box_of(draw: Draw, value: SSAValue) -> Box:
    starts = [draw(st.integers(0, extent - 1)) for extent in g.shape_of(value)]
    return tuple(
        range(start, draw(st.integers(start + 1, extent)))
        for start, extent in zip(starts, g.shape_of(value), strict=True)
    )


def taken(array: Array, box: Box) -> Array:
    return array[tuple(slice(indices.start, indices.stop) for indices in box)]


def part(op: g.GraphOp, box: Box, values: dict[SSAValue, Array]) -> Array:
    """The part `box` of an op's result, computed by the op that `compute` builds from slices of the operands."""
    operands: list[Array] = []

    def fetch(value: SSAValue, need: Box) -> SSAValue:
        assert all(0 <= n.start < n.stop <= extent for n, extent in zip(need, g.shape_of(value), strict=True))
        operands.append(taken(values[value], need).copy(order="C"))
        return create_ssa_value(tensor_type(shape_of_box(need), g.tensor_of(value).element_type))

    made = compute(op, box, fetch)
    made.verify()
    assert g.shape_of(made.results[0]) == shape_of_box(box)
    return evaluate(made, operands)[0]


def check(op: g.GraphOp, box: Box, values: dict[SSAValue, Array], result: Array) -> None:
    found, expected = part(op, box, values), taken(result, box)
    if isinstance(op, SUMS):
        np.testing.assert_allclose(widened(found), widened(expected), rtol=2e-2, atol=1e-3)
    else:
        np.testing.assert_array_equal(widened(found), widened(expected))  # numpy can't compare nans of bf16


@given(st.data(), programs())
def test_a_part_equals_that_part_of_the_full_result(data: st.DataObject, text: str):
    values: dict[SSAValue, Array] = {}
    for op in ops_of(text):
        (result,) = evaluate(op, [values[operand] for operand in op.operands])
        values[op.results[0]] = result
        small = max((float(np.max(np.abs(widened(values[v])), initial=0)) for v in op.operands), default=0.0) < 1e3
        if not result.size or any(not prod(g.shape_of(value)) for value in op.operands):
            continue
        if isinstance(op, SUMS) and not small:
            continue  # sums that overflow in one order and not in another
        box = box_of(data.draw, op.results[0])
        if part_of(op, box) is not None:
            check(op, box, values, result)


def numbers(*shape: int) -> tuple[SSAValue, Array]:
    value = create_ssa_value(tensor_type(shape, Float32Type()))
    return value, np.random.default_rng(prod(shape)).uniform(-1, 1, shape).astype(np.float32)


def test_every_axis_of_a_convolution_and_its_halo():
    (x, a), (w, b), (bias, c) = numbers(2, 6, 11, 9), numbers(8, 3, 3, 5), numbers(8)
    op = g.ConvOp(x, w, bias, groups=2, strides=[2, 1], pads=[1, 2, 1, 2], dilations=[2, 1])
    values = {x: a, w: b, bias: c}
    (result,) = evaluate(op, [a, b, c])
    assert splittable_axes(op) == (0, 1, 2, 3)
    for axis, extent in enumerate(g.shape_of(op.y)):
        for at in range(1, extent):
            for indices in (range(at), range(at, extent)):
                box = (*full_box(op.y)[:axis], indices, *full_box(op.y)[axis + 1 :])
                if part_of(op, box) is None:
                    assert axis == 1  # groups come whole
                else:
                    check(op, box, values, result)


def picks(shape: tuple[int, ...], extents: tuple[int, ...]) -> tuple[SSAValue, Array]:
    """Random index vectors along the last axis, with coordinates below `extents`."""
    value = create_ssa_value(tensor_type(shape, IntegerType(64)))
    return value, np.random.default_rng(1).integers(0, extents, shape)


def test_every_axis_of_gathers_scatters_and_unfolded_images():
    (x, a), (i, b), (n, c) = numbers(4, 6, 5), picks((3, 6, 2), (5,)), picks((4, 3, 2), (6, 5))
    (m, d), (u, e), (r, f) = picks((3, 1), (4,)), numbers(3, 6, 2), numbers(3, 6, 5)
    image, h = numbers(2, 6, 5, 5)
    cases: list[tuple[g.GraphOp, dict[SSAValue, Array], tuple[int, ...]]] = [
        (g.GatherElementsOp(x, i, axis=2), {x: a, i: b}, (0, 1, 2)),
        (g.GatherNdOp(x, n, batch_dims=1), {x: a, n: c}, (0, 1)),
        (g.GatherNdOp(x, m), {x: a, m: d}, (0, 1, 2)),
        (g.ScatterElementsOp(x, i, u, axis=2, kind="add"), {x: a, i: b, u: e}, (0, 1)),
        (g.ScatterNdOp(x, m, r, kind="max"), {x: a, m: d, r: f}, (1, 2)),
        (g.Im2colOp(image, kernel=[3, 3], groups=3, pads=[1, 1, 1, 1]), {image: h}, (0, 1)),
    ]
    (w, k), (t, s), sizes = numbers(4, 6, 5), numbers(7, 6), create_ssa_value(tensor_type((4,), IntegerType(64)))
    (v, o), counts = numbers(7, 5), np.array([2, 0, 3, 1])
    cases += [
        (g.RaggedMatmulOp(t, w, sizes), {t: s, w: k, sizes: counts}, (1,)),
        (g.RaggedMatmulOp(t, v, sizes, transpose_a=True), {t: s, v: o, sizes: counts}, (1, 2)),
    ]
    (r, q), (z, y), chosen = numbers(7, 1, 6), numbers(4, 5), create_ssa_value(tensor_type((7, 2), IntegerType(64)))
    ids = np.random.default_rng(2).integers(0, 4, (7, 2))
    cases.append((g.GroupedMatmulOp(r, w, chosen, z), {r: q, w: k, chosen: ids, z: y}, (0, 1, 2)))
    for op, values, axes in cases:
        (result,) = evaluate(op, list(values.values()))
        assert splittable_axes(op) == axes, op.name
        for axis in axes:
            for at in range(1, g.shape_of(op.results[0])[axis]):
                for indices in (range(at), range(at, g.shape_of(op.results[0])[axis])):
                    box = (*full_box(op.results[0])[:axis], indices, *full_box(op.results[0])[axis + 1 :])
                    if part_of(op, box) is None:
                        assert isinstance(op, g.ScatterElementsOp)  # no update writes this element
                    else:
                        check(op, box, values, result)


def test_queries_heads_and_sequences_of_attention():
    (q, a), (k, b), (v, c), (m, d) = numbers(2, 4, 5, 8), numbers(2, 2, 7, 8), numbers(2, 2, 7, 6), numbers(1, 1, 5, 7)
    for op in (g.AttentionOp(q, k, v, m, causal=True), g.AttentionOp(q, k, v, m)):
        values = {q: a, k: b, v: c, m: d}
        (result,) = evaluate(op, [a, b, c, d])
        assert splittable_axes(op) == (0, 1, 2)
        for box in (
            (range(1, 2), range(4), range(5), range(6)),
            (range(2), range(2, 4), range(1, 4), range(6)),
            (range(2), range(0, 2), range(0, 1), range(6)),
        ):
            check(op, box, values, result)


def test_parts_of_attention_with_a_window_and_lengths():
    (q, a), (k, b), (v, c) = numbers(2, 4, 5, 8), numbers(2, 2, 7, 8), numbers(2, 2, 7, 6)
    n, d = create_ssa_value(tensor_type((2,), I64)), np.array([6, 3], np.int64)
    whole, few = (range(2), range(2, 4), range(5), range(6)), (range(1, 2), range(4), range(1, 4), range(6))
    cut = g.AttentionOp(q, k, v, n, causal=True, window=3)
    (result,) = evaluate(cut, [a, b, c, d])
    for box in (whole, few):
        check(cut, box, {q: a, k: b, v: c, n: d}, result)
    bidirectional = g.AttentionOp(q, k, v, n, window=3)
    for op in (bidirectional, g.AttentionOp(q, k, v, n, causal=True, window=3, unseen="mean")):
        assert op.part(few) is None  # fewer keys would move the window, or change the mean
        check(op, whole, {q: a, k: b, v: c, n: d}, evaluate(op, [a, b, c, d])[0])


def test_parts_of_attention_with_sinks():
    (q, a), (k, b), (v, c), (s, d) = numbers(2, 4, 5, 8), numbers(2, 2, 7, 8), numbers(2, 2, 7, 6), numbers(4)
    op = g.AttentionOp(q, k, v, s, causal=True, sinks=True)
    (result,) = evaluate(op, [a, b, c, d])
    for box in ((range(2), range(2, 4), range(5), range(6)), (range(1, 2), range(4), range(1, 4), range(6))):
        check(op, box, {q: a, k: b, v: c, s: d}, result)


def test_a_reshape_passes_whole_indices_of_both_sides():
    x, _ = numbers(2, 6, 4)
    merged = g.ReshapeOp(x, result_type=tensor_type((2, 24), Float32Type()))
    assert part_of(merged, (range(1, 2), range(24))) is not None
    assert part_of(merged, (range(2), range(8, 16))) is not None
    assert part_of(merged, (range(2), range(8, 15))) is None
    cut = g.ReshapeOp(x, result_type=tensor_type((2, 3, 8), Float32Type()))
    found = part_of(cut, (range(2), range(1, 3), range(8)))
    assert found is not None
    assert found.needs == ((range(2), range(2, 6), range(4)),)
