"""Tests of results of products, attention, reductions, normalisations, movement and indexing, against formulas in
f64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import element_type_of, tensor_type
from dialects.locations import at_line
from interp.numerics import evaluate
from tests.graph_values import Array, compute, drawn, values

BF16 = ml_dtypes.bfloat16


@pytest.mark.parametrize(
    ("dtype", "unit"), [(np.float16, 2.0**-11), (BF16, 2.0**-8), (np.float32, 1e-6), (np.float64, 1e-15)]
)
def test_matmul_accumulates_wide_and_rounds_once(dtype: Any, unit: float) -> None:
    a, b, c = drawn(2, 3, 256, dtype=dtype), drawn(256, 5, dtype=dtype, seed=1), drawn(5, dtype=dtype, seed=2)
    exact = a.astype(np.float64) @ b.astype(np.float64) + c.astype(np.float64)
    y = compute(g.MatmulOp, a, b, c)
    assert (y.dtype, y.shape) == (dtype, (2, 3, 5))
    lost = 0 if dtype is np.float64 else 1e-5  # the rounding error of f32 over 256 terms
    assert (np.abs(y.astype(np.float64) - exact) <= 1.01 * unit * np.abs(exact) + lost + 1e-13).all()


def test_matmul_transposes_and_broadcasts() -> None:
    a, b = drawn(2, 1, 4, 3), drawn(5, 6, 4, seed=1)
    y = compute(g.MatmulOp, a, b, transpose_a=True, transpose_b=True)
    np.testing.assert_allclose(y, a.swapaxes(-1, -2) @ b.swapaxes(-1, -2), rtol=1e-6)
    assert compute(g.MatmulOp, drawn(2, 0), drawn(0, 3)).tolist() == [[0.0] * 3] * 2
    integers = np.array([[100, 100]], np.int8)
    assert compute(g.MatmulOp, integers, integers, transpose_b=True).tolist() == [
        [20000 % 256 - 256 if 20000 % 256 > 127 else 20000 % 256]
    ]


def plain_attention(q: Array, k: Array, v: Array, scale: float, bias: Array, softcap: float) -> Array:
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    y = np.zeros((*q.shape[:3], v.shape[3]))
    heads_per_key = q.shape[1] // k.shape[1]
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            scores = q[b, h] @ k[b, h // heads_per_key].T * scale
            if softcap:
                scores = softcap * np.tanh(scores / softcap)
            weights = np.exp(scores + bias[b, h])
            y[b, h] = weights / weights.sum(1, keepdims=True) @ v[b, h // heads_per_key]
    return y


@pytest.mark.parametrize(
    ("dtype", "limit"), [(np.float64, 1e-13), (np.float32, 1e-5), (np.float16, 2e-3), (BF16, 2e-2)]
)
@pytest.mark.parametrize("options", [{}, {"scale": 0.3, "softcap": 2.0}, {"causal": True}], ids=str)
@pytest.mark.parametrize("mask", ["none", "added", "shared"])
def test_attention_is_its_definition(dtype: Any, limit: float, options: dict[str, Any], mask: str) -> None:
    q, k, v = (
        drawn(2, 4, 3, 8, dtype=dtype),
        drawn(2, 2, 5, 8, dtype=dtype, seed=1),
        drawn(2, 2, 5, 6, dtype=dtype, seed=2),
    )
    bias = np.zeros((2, 4, 3, 5))
    masks: list[Array] = []
    if mask == "added":
        masks = [drawn(4, 1, 5, dtype=dtype, seed=3)]
        bias = bias + masks[0].astype(np.float64)
    elif mask == "kept":
        masks = [np.array([[True, True, False, True, False]])]
        bias = bias + np.where(masks[0], 0, -np.inf)
    if options.get("causal"):
        bias = bias + np.where(np.arange(5) <= np.arange(3)[:, None] + 2, 0, -np.inf)
    exact = plain_attention(q, k, v, options.get("scale", 8**-0.5), bias, options.get("softcap", 0.0))
    y = compute(g.AttentionOp, q, k, v, *masks, **options)
    assert y.dtype == dtype
    np.testing.assert_allclose(y.astype(np.float64), exact, rtol=limit, atol=limit)


def test_a_query_whose_keys_are_all_masked_gets_zeros() -> None:
    q = drawn(1, 1, 2, 4)
    y = compute(g.AttentionOp, q, q, q, np.array([[False, False], [True, False]]))
    np.testing.assert_array_equal(y[0, 0], np.stack([np.zeros(4), q[0, 0, 0]]))
    assert compute(g.AttentionOp, q, q[:, :, :0], q[:, :, :0]).tolist() == np.zeros((1, 1, 2, 4)).tolist()


def test_reductions() -> None:
    x = drawn(2, 3, 4)
    for kind, fold in {"sum": np.sum, "mean": np.mean, "prod": np.prod, "min": np.min, "max": np.max}.items():
        y = compute(g.ReduceOp, x, kind=kind, axes=(-1, 0))
        np.testing.assert_allclose(y, fold(x.astype(np.float64), (0, 2)), rtol=1e-6)
        assert compute(g.ReduceOp, x, kind=kind, keep_dims=True).shape == (1, 1, 1)
    assert compute(g.ReduceOp, np.array([-3, -4]), kind="mean").item() == -3
    assert compute(g.ReduceOp, np.array([100, 100], np.int8), kind="sum").item() == -56
    halves = np.full(4096, 1.0, np.float16)
    assert compute(g.ReduceOp, halves, kind="sum").item() == 4096.0  # an f16 sum stops at 2048


def test_long_sums_are_accurate_in_every_memory_order() -> None:
    """A serial f32 sum of 16,384 squares has a relative error of 4e-6; the rounding of the result to f32 alone is at
    most 6e-8 (half a unit in the last place)."""
    x = np.square(drawn(16384, 6))
    exact = x.sum(0, dtype=np.float64)
    for found, expected in (
        (compute(g.ReduceOp, x, kind="sum", axes=(0,)), exact),
        (compute(g.ReduceOp, x.T, kind="mean", axes=(1,)), exact / 16384),
        (compute(g.CumsumOp, x, axis=0)[-1], exact),
        (compute(g.SoftmaxOp, x, axis=0).sum(0, dtype=np.float64), np.ones(6)),
        (compute(g.PoolOp, x.T.reshape(1, 6, 128, 128), kind="mean", kernel=(128, 128)).ravel(), exact / 16384),
        (compute(g.RmsNormOp, np.sqrt(x.T), np.ones(16384, np.float32))[:, 0], np.sqrt(x[0] / (exact / 16384 + 1e-5))),
    ):
        np.testing.assert_allclose(found, expected, rtol=2e-7)


def test_reductions_of_empty_axes() -> None:
    x = np.zeros((0, 2), np.float32)
    assert compute(g.ReduceOp, x, kind="max", axes=(0,)).tolist() == [-np.inf] * 2
    assert compute(g.ReduceOp, x, kind="prod", axes=(0,)).tolist() == [1.0] * 2
    assert np.isnan(compute(g.ReduceOp, x, kind="mean", axes=(0,))).all()
    integers = np.zeros((0, 2), np.int8)
    assert compute(g.ReduceOp, integers, kind="min", axes=(0,)).tolist() == [127] * 2
    assert compute(g.ReduceOp, integers, kind="mean", axes=(0,)).tolist() == [0] * 2


def test_running_sums() -> None:
    x = np.array([[1, 2, 3], [4, 5, 6]])
    assert compute(g.CumsumOp, x, axis=1).tolist() == [[1, 3, 6], [4, 9, 15]]
    assert compute(g.CumsumOp, x, axis=-1, exclusive=True).tolist() == [[0, 1, 3], [0, 4, 9]]
    assert compute(g.CumsumOp, x, axis=0, reverse=True).tolist() == [[5, 7, 9], [4, 5, 6]]
    assert compute(g.CumsumOp, x, axis=1, reverse=True, exclusive=True).tolist() == [[5, 3, 0], [11, 6, 0]]


@pytest.mark.parametrize(
    ("dtype", "limit"), [(np.float64, 1e-14), (np.float32, 2e-6), (np.float16, 1e-3), (BF16, 8e-3)]
)
def test_normalisations_are_their_formulas(dtype: Any, limit: float) -> None:
    x, s, b = drawn(2, 3, 4, dtype=dtype), drawn(3, 4, dtype=dtype, seed=1), drawn(4, dtype=dtype, seed=2)
    c, m, v = (
        drawn(3, dtype=dtype, seed=3),
        drawn(3, dtype=dtype, seed=4),
        np.abs(drawn(3, dtype=dtype, seed=5)) + dtype(0.5),
    )
    X, S, B, C, M, V = (a.astype(np.float64) for a in (x, s, b, c, m, v))
    exp = np.exp(X - X.max(1, keepdims=True))
    deviation = X - X.mean((1, 2), keepdims=True)
    windows = np.stack([(X[:, max(0, i - 1) : i + 3] ** 2).sum(1) for i in range(3)], 1)
    column = (-1, 1)
    exact = {
        "softmax": (compute(g.SoftmaxOp, x, axis=1), exp / exp.sum(1, keepdims=True)),
        "layer": (
            compute(g.LayerNormOp, x, s, b, axis=1, epsilon=1e-3),
            deviation / np.sqrt((deviation**2).mean((1, 2), keepdims=True) + 1e-3) * S + B,
        ),
        "rms": (compute(g.RmsNormOp, x, b, epsilon=1e-3), X / np.sqrt((X**2).mean(2, keepdims=True) + 1e-3) * B),
        "batch": (
            compute(g.BatchNormOp, x, c, c, m, v, epsilon=1e-3),
            (X - M.reshape(column)) / np.sqrt(V.reshape(column) + 1e-3) * C.reshape(column) + C.reshape(column),
        ),
        "lrn": (compute(g.LrnOp, x, size=4, alpha=0.5, beta=0.6, bias=2.0), X / (2 + 0.5 / 4 * windows) ** 0.6),
    }
    for name, (y, formula) in exact.items():
        assert y.dtype == dtype, name
        np.testing.assert_allclose(y.astype(np.float64), formula, rtol=limit, atol=limit, err_msg=name)


def test_softmax_of_large_numbers() -> None:
    assert compute(g.SoftmaxOp, np.array([6e4, 6e4], np.float16)).tolist() == [0.5, 0.5]
    assert np.isnan(compute(g.SoftmaxOp, np.full(2, -np.inf, np.float32))).all()


def test_movement() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    assert compute(g.TransposeOp, x, permutation=(2, 0, 1)).shape == (4, 2, 3)
    np.testing.assert_array_equal(
        compute(g.SliceOp, x, starts=(1, 2, 3), ends=(-1, 0, -1), steps=(-1, -1, -2)), x[::-1, 2:0:-1, ::-2]
    )
    np.testing.assert_array_equal(
        compute(g.PadOp, x, low=(0, 1, 0), high=(1, 0, 2), value=-1.0),
        np.pad(x, [(0, 1), (1, 0), (0, 2)], constant_values=-1),
    )
    assert compute(g.PadOp, np.array([True]), low=(1,), high=(0,), value=1.0).tolist() == [True, True]
    wide = compute(g.BroadcastOp, x[:, :1], result_type=tensor_type((5, 2, 3, 4), element_type_of(x.dtype)))
    np.testing.assert_array_equal(wide, np.broadcast_to(x[:, :1], (5, 2, 3, 4)))
    np.testing.assert_array_equal(compute(g.ConcatOp, x, x[:, :1], axis=-2), np.concatenate([x, x[:, :1]], 1))


def test_gathers() -> None:
    x = drawn(3, 4, 5)
    i = np.array([[2, -1], [0, 1]])
    np.testing.assert_array_equal(compute(g.GatherOp, x, i, axis=1), x[:, i])
    j = np.array([[[1], [-4]]])
    np.testing.assert_array_equal(compute(g.GatherElementsOp, x, j, axis=1), x[0:1, [1, 0], 0:1])
    np.testing.assert_array_equal(compute(g.GatherNdOp, x, np.array([[2, -1], [0, 0]], np.int32)), x[[2, 0], [-1, 0]])
    np.testing.assert_array_equal(
        compute(g.GatherNdOp, x, np.array([[1], [2], [-1]]), batch_dims=1), x[[0, 1, 2], [1, 2, -1]]
    )


@pytest.mark.parametrize(
    ("kind", "expected"), [("set", [1, 9, 3]), ("add", [1, 16, 3]), ("mul", [1, 90, 3]), ("max", [1, 9, 3])]
)
def test_scatters_combine_updates_of_the_same_element(kind: str, expected: list[int]) -> None:
    x, i, u = np.array([1, 2, 3], np.float16), np.array([1, -2]), np.array([5, 9], np.float16)
    assert compute(g.ScatterElementsOp, x, i, u, kind=kind).tolist() == expected
    assert compute(g.ScatterNdOp, x, i[:, None], u, kind=kind).tolist() == expected
    assert compute(g.ScatterNdOp, x, np.zeros((1, 0), int), x[None], kind="set").tolist() == x.tolist()


def test_an_index_out_of_range_is_an_error_at_the_op() -> None:
    x = drawn(3, 4)
    op = g.GatherOp(*values(x, np.array([0, 3])))
    op.location = at_line("model.mlir", 7, 3)
    with pytest.raises(
        InputError, match=r"graph.gather: index 3 lies outside axis 0, which has 3 elements; .* -3 to 2"
    ) as error:
        evaluate(op, [x, np.array([0, 3])])
    assert error.value.place == "model.mlir:7:3"
    with pytest.raises(InputError, match="index -5 lies outside axis 1"):
        compute(g.GatherElementsOp, x, np.array([[-5]]), axis=1)
    with pytest.raises(InputError, match="index 9 lies outside axis 1"):
        compute(g.ScatterNdOp, x, np.array([[0, 9]]), np.array([1.0], np.float32), kind="set")


def test_an_op_without_an_evaluation_is_refused() -> None:
    (x,) = values(drawn(2))
    with pytest.raises(InputError, match=r"test\.op is not a graph op"):
        evaluate(x.owner, [])  # pyright: ignore[reportArgumentType]


def test_a_result_larger_than_memory_is_an_error() -> None:
    huge = tensor_type((300000, 300000, 300000), element_type_of(np.dtype(np.float32)))
    op = g.BroadcastOp(*values(drawn(1)), result_type=huge)
    op.location = at_line("net.mlir", 4, 1)
    with pytest.raises(InputError, match=r"graph.broadcast: .* bytes does not fit this computer's memory of") as error:
        evaluate(op, [drawn(1)])
    assert error.value.place == "net.mlir:4:1"


def test_an_operand_s_memory_is_reused_unless_a_view_holds_it() -> None:
    x = drawn(8)
    op = g.ReluOp(*values(x))
    operands = [x.copy()]
    address = operands[0].ctypes.data
    assert evaluate(op, operands, reuse=[0])[0].ctypes.data == address
    shared = x.copy()
    view = shared[2:]
    operands = [shared]
    del shared
    result = evaluate(op, operands, reuse=[0])[0]
    assert not np.shares_memory(result, view)  # `view` still holds the memory
    np.testing.assert_array_equal(view, x[2:])


def test_a_fused_body_computes_as_its_ops_do() -> None:
    from xdsl.ir import Block, Region

    x, w = drawn(1, 3, 6, 6, dtype=np.float16), drawn(4, 3, 3, 3, dtype=np.float16, seed=1)
    outer = values(x, w)
    body = Block(arg_types=[value.type for value in outer])
    conv = g.ConvOp(*body.args)
    relu = g.ReluOp(conv.y)
    twice = g.AddOp(relu.y, conv.y)
    body.add_ops([conv, relu, twice, g.YieldOp(twice.y, relu.y, body.args[0])])
    op = g.FusedOp(outer, Region(body))
    op.attributes["note"] = StringAttr("kept")
    first, second, third = evaluate(op, [x, w])
    y = compute(g.ConvOp, x, w)
    np.testing.assert_array_equal(second, compute(g.ReluOp, y))
    np.testing.assert_array_equal(first, compute(g.AddOp, second, y))
    assert third is x


def test_constants_and_weights_compute_themselves() -> None:
    assert evaluate(g.ConstantOp(np.array([[1, 2]], np.int8)), [])[0].tolist() == [[1, 2]]
    weight = g.WeightOp(
        "w", g.UniformAttr(g.real(-1.0), g.real(1.0), g.integer(3)), tensor_type((5,), element_type_of(np.dtype(BF16)))
    )
    (array,) = evaluate(weight, [])
    assert (array.shape, array.dtype) == ((5,), BF16)
