"""Ops of all families with input arrays, for tests of targets that export ops to other runtimes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import i8

from dialects import graph as g
from dialects.element_types import element_type_named, tensor_type
from tests.graph_values import drawn

Array = NDArray[Any]
BOOL = drawn(3, 5) > 0
X, IMAGE, ONE = drawn(2, 3, 4), drawn(2, 4, 9, 8), drawn(1, seed=3)
Q, K, V = drawn(1, 4, 3, 8, seed=1), drawn(1, 2, 5, 8, seed=2), drawn(1, 2, 5, 6, seed=3)
DOUBLE = drawn(1, 2, 5, 8, dtype=np.float64)  # 0.5 is exact in f32, in which runtimes keep scales
QQ, KK = drawn(1, 4, 5, 8, seed=1), drawn(1, 4, 5, 8, seed=2)
SEES = np.array([[1, 0, 0, 1, 0], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]], np.bool_)
SINKS = np.array([0.5, -1, 0, 2], np.float32)
ADDED = np.where(SEES, np.float32(0.5), np.float32(-np.inf))
BLIND = np.array([[True], [False], [True]])
BATCH, LENGTHS = drawn(4, 2, 3, 8, seed=4), np.array([2, 0, 3, 1], np.int64)
PICKS = np.array([[0, -1], [1, 0]], np.int64)
CHANNELS = [np.abs(drawn(4, seed=seed)) + 0.1 for seed in range(4)]
SIZES = np.array([2, 0, 4], np.int32)
EXPERTS = np.array([2, 0, -1, 1, 0], np.int32)
CHOICES = np.array([[0, 1], [2, 0], [2, 1], [1, 0], [1, 2]], np.int32)
SMALL = np.random.default_rng(5).integers(-128, 128, (2, 5), np.int8)
BYTES = np.random.default_rng(6).integers(0, 256, (1, 4, 6, 5), np.uint8)
FILTERS = np.random.default_rng(7).integers(-128, 128, (6, 2, 3, 3), np.int8)
MATRICES = np.random.default_rng(8).integers(-128, 128, (3, 5, 4), np.int8)
STEP, UI8 = np.array(0.03, np.float32), element_type_named("ui8")
BLOCKS = tensor_type((3, 8), i8)
LEAST = np.array([-(2**31), 7, -7, 5], np.int32)


OPS: list[tuple[type[g.GraphOp], tuple[Array, ...], dict[str, Any]]] = [
    (g.MatmulOp, (drawn(3, 4), drawn(4, 5)), {}),
    (g.MatmulOp, (drawn(4, 3), drawn(5, 4), drawn(5)), {"transpose_a": True, "transpose_b": True}),
    (g.MatmulOp, (drawn(2, 3, 4), drawn(5, 4), drawn(3, 5)), {"transpose_b": True}),
    (g.MatmulOp, (drawn(2, 4, 3), drawn(4, 5)), {"transpose_a": True}),
    (g.MatmulOp, (np.full((2, 3), 100, np.int8), np.full((3, 2), 3, np.int8)), {}),
    (g.RaggedMatmulOp, (drawn(7, 4), drawn(3, 4, 5), SIZES), {}),
    (g.RaggedMatmulOp, (drawn(4, 7), drawn(3, 5, 4), SIZES), {"transpose_a": True, "transpose_b": True}),
    (g.RaggedMatmulOp, (drawn(4, 7), drawn(7, 5), SIZES), {}),
    (g.RaggedMatmulOp, (drawn(7, 4), drawn(5, 7), SIZES.astype(np.int64)), {"transpose_a": True, "transpose_b": True}),
    (g.GroupedMatmulOp, (drawn(5, 4), drawn(3, 4, 6), EXPERTS), {}),
    (g.GroupedMatmulOp, (drawn(5, 1, 4), drawn(3, 6, 4), CHOICES, drawn(3, 6)), {"transpose_b": True}),
    (g.GroupedMatmulOp, (drawn(5, 4), drawn(2, 4, 6), EXPERTS, drawn(2, 6)), {"experts": 3}),
    (g.GroupedMatmulOp, (drawn(5, 2, 4), drawn(2, 4, 6), CHOICES.astype(np.int64)), {"experts": 3}),
    (g.GroupedMatmulOp, (SMALL, MATRICES, np.array([2, 1])), {}),
    (g.ConvOp, (IMAGE, drawn(6, 2, 3, 3), drawn(6)), {"groups": 2, "strides": (2, 1), "pads": (1, 0, 2, 1)}),
    (g.ConvOp, (drawn(1, 2, 9), drawn(3, 2, 3)), {"dilations": (2,)}),
    (g.Im2colOp, (IMAGE,), {"kernel": (3, 2), "groups": 2, "strides": (2, 1), "pads": (1, 0, 2, 1)}),
    (g.Im2colOp, (IMAGE,), {"kernel": (2, 2), "dilations": (2, 3)}),
    (g.QuantizeOp, (X, STEP, np.array(3, np.int8)), {"result_type": tensor_type(X.shape, i8)}),
    (g.QuantizeOp, (X, np.abs(drawn(3, 1)) + 0.1), {"result_type": tensor_type(X.shape, UI8)}),
    (g.QuantizeOp, (drawn(3, 8), np.abs(drawn(3, 2)) + 0.1), {"axis": 1, "block": 4, "result_type": BLOCKS}),
    (g.DequantizeOp, (SMALL, STEP, np.array(3, np.int8)), {}),
    (g.DequantizeOp, (SMALL.astype(np.int32), np.abs(drawn(5))), {}),
    (g.DequantizeOp, (BYTES, np.abs(drawn(1, 4, 3, 5)), np.full((1, 4, 3, 5), 9, np.uint8)), {"axis": 2, "block": 2}),
    (g.QmatmulOp, (SMALL, np.ascontiguousarray(SMALL.T)), {}),
    (g.QmatmulOp, (SMALL.view(np.uint8), SMALL), {"transpose_b": True}),
    (g.QmatmulOp, (SMALL.view(np.uint8), SMALL, np.array(9, np.uint8), np.array(-2, np.int8)), {"transpose_a": True}),
    (g.QconvOp, (BYTES, FILTERS), {"groups": 2, "strides": (2, 1), "pads": (1, 0, 2, 1)}),
    (g.QconvOp, (BYTES, FILTERS, np.array(7, np.uint8), np.array(1, np.int8)), {"groups": 2, "pads": (1, 1, 1, 1)}),
    (g.AttentionOp, (Q, K, V), {}),
    (g.AttentionOp, (Q, K, V), {"causal": True, "scale": 0.3}),
    (g.AttentionOp, (QQ, KK, KK), {"causal": True}),
    (g.AttentionOp, (Q, K, V, SEES), {}),
    (g.AttentionOp, (Q, K, V, SEES), {"causal": True}),
    (g.AttentionOp, (Q, K, V, ADDED), {}),
    (g.AttentionOp, (Q, K, V, ADDED.astype(np.float64)), {"causal": True}),
    (g.AttentionOp, (Q, K, V, SEES[:1, None, None]), {}),
    (g.AttentionOp, (Q, K, V, ADDED[:, :1]), {"causal": True}),
    (g.AttentionOp, (DOUBLE, DOUBLE, DOUBLE), {"causal": True, "scale": 0.5}),
    (g.AttentionOp, (DOUBLE, DOUBLE[:, :, :3], DOUBLE[:, :, :3]), {"causal": True, "scale": 0.5}),
    (g.AttentionOp, (DOUBLE, DOUBLE, DOUBLE, ADDED[0]), {"softcap": 2.0, "scale": 0.5}),
    (g.AttentionOp, (Q, K, V), {"softcap": 2.0}),
    (g.AttentionOp, (Q, K, V, SEES), {"softcap": 2.0, "causal": True}),
    (g.AttentionOp, (Q, K, V, ADDED), {"softcap": 2.0}),
    (g.AttentionOp, (Q, K, V), {"window": 2}),
    (g.AttentionOp, (QQ, KK, KK), {"causal": True, "window": 2}),
    (g.AttentionOp, (Q, K, V, SEES), {"causal": True, "window": 1}),
    (g.AttentionOp, (Q, K, V, SEES & BLIND), {"unseen": "nans"}),
    (g.AttentionOp, (Q, K, V, SEES & BLIND), {"unseen": "mean"}),
    (g.AttentionOp, (BATCH, BATCH, BATCH, LENGTHS), {"scale": 0.3}),
    (g.AttentionOp, (BATCH, BATCH, BATCH, LENGTHS), {"causal": True, "window": 2, "unseen": "mean"}),
    (g.AttentionOp, (BATCH, BATCH, BATCH, SEES[:, :3], LENGTHS.astype(np.int32)), {"unseen": "nans"}),
    (g.AttentionOp, (BATCH, BATCH, BATCH, ADDED[:, :3], LENGTHS), {}),
    (g.AttentionOp, (Q, K, V, SINKS), {"sinks": True, "causal": True, "window": 2}),
    (g.AttentionOp, (Q, K, V, SEES & BLIND, SINKS.astype(np.float64)), {"sinks": True}),
    (g.AttentionOp, (BATCH, BATCH, BATCH, LENGTHS, SINKS[:2]), {"sinks": True, "softcap": 2.0}),
    (g.LayerNormOp, (X, drawn(4), drawn(4, seed=2)), {"epsilon": 1e-3}),
    (g.LayerNormOp, (X, ONE, drawn(3, 4)), {"axis": 1}),
    (g.LayerNormOp, (X, drawn(2, 1, 4), ONE), {}),
    (g.LayerNormOp, (X, drawn(1, 1, 4)), {}),
    (g.LayerNormOp, (X, np.array(2, np.float32)), {"axis": -2}),
    (g.RmsNormOp, (X, drawn(4)), {"epsilon": 1e-2}),
    (g.RmsNormOp, (X, drawn(2, 3, 1)), {}),
    (g.BatchNormOp, (IMAGE, *CHANNELS), {"epsilon": 1e-3}),
    (g.LrnOp, (IMAGE,), {"size": 5, "alpha": 0.1, "beta": 0.5, "bias": 2.0}),
    (g.PoolOp, (IMAGE,), {"kind": "max", "kernel": (3, 3), "strides": (2, 2), "pads": (1, 1, 1, 1), "ceil": True}),
    (g.PoolOp, (IMAGE,), {"kind": "mean", "kernel": (3, 2), "strides": (2, 2), "pads": (1, 0, 1, 1)}),
    (g.PoolOp, (IMAGE,), {"kind": "mean", "kernel": (2, 2), "pads": (1, 1, 0, 0), "count_include_pad": True}),
    (g.PoolOp, (IMAGE,), {"kind": "max", "kernel": (2, 2), "dilations": (2, 1)}),
    (g.ReduceOp, (X,), {"kind": "mean", "axes": (0, 2), "keep_dims": True}),
    (g.ReduceOp, (np.array([[7, -8]], np.int32),), {"kind": "mean"}),
    (g.ReduceOp, (np.array([100, 100], np.int8),), {"kind": "sum"}),
    (g.ReduceOp, (np.array(2, np.float32),), {"kind": "max"}),
    (g.CumsumOp, (X,), {"axis": 1, "exclusive": True, "reverse": True}),
    (g.CumsumOp, (np.array([100, 100], np.int16),), {"axis": 0}),
    (g.SoftmaxOp, (X,), {"axis": 1}),
    (g.GatherOp, (X, PICKS), {"axis": 1}),
    (g.GatherOp, (X, PICKS.astype(np.int8)), {}),
    (g.GatherElementsOp, (drawn(3, 4), PICKS), {"axis": 1}),
    (g.GatherNdOp, (drawn(2, 3, 4), np.array([[[1]], [[-1]]], np.int64)), {"batch_dims": 1}),
    (g.ScatterElementsOp, (drawn(3, 4), PICKS, drawn(2, 2)), {"kind": "add", "axis": 1}),
    (g.ScatterElementsOp, (drawn(3, 4), PICKS, drawn(2, 2)), {}),
    (g.ScatterNdOp, (drawn(4, 3), np.array([[1], [1]], np.int32), drawn(2, 3)), {"kind": "max"}),
    (g.SliceOp, (X,), {"starts": (1, 2, 3), "ends": (-1, -1, 0), "steps": (-1, -2, -1)}),
    (g.SliceOp, (X,), {"starts": (0, 0, 0), "ends": (2, 3, 4)}),
    (g.PadOp, (X,), {"low": (0, 1, 0), "high": (2, 0, 1), "value": -1.5}),
    (g.PadOp, (BOOL,), {"low": (1, 0), "high": (0, 1), "value": 1.0}),
    (g.ConcatOp, (X, X, drawn(2, 1, 4)), {"axis": -2}),
    (g.TransposeOp, (X,), {"permutation": (2, 0, 1)}),
    (g.GeluOp, (X,), {"approximate": "tanh"}),
    (g.GeluOp, (X,), {}),
    (g.SiluOp, (X.astype(np.float16),), {}),
    (g.RsqrtOp, (np.abs(X),), {}),
    (g.ErfOp, (X,), {}),
    (g.ErfcOp, (X,), {}),
    (g.ClipOp, (X,), {"min": -0.5, "max": 0.25}),
    (g.ClipOp, (np.array([-9, 0, 9], np.int32),), {"min": -2.5, "max": 1e30}),
    (g.ReluOp, (np.array([1, 200], np.uint8),), {}),
    (g.NegOp, (np.array([1, 200], np.uint32),), {}),
    (g.DivOp, (LEAST, np.array([-1, 0, 2, -2], np.int32)), {}),
    (g.DivOp, (np.array([9, 7], np.uint32), np.array([0, 2], np.uint32)), {}),
    (g.PowOp, (np.abs(X), drawn(4)), {}),
    (g.AndOp, (BOOL, ~BOOL), {}),
    (g.XorOp, (np.array([6, 5], np.int32), np.array([3, 1], np.int32)), {}),
    *((g.CompareOp, (BOOL, BOOL[::-1].copy()), {"kind": kind}) for kind in ("eq", "ne", "lt", "le", "gt", "ge")),
    (g.CompareOp, (X, X[:1]), {"kind": "ne"}),
    (g.SelectOp, (BOOL, drawn(3, 5), drawn(5)), {}),
    (g.IsNanOp, (np.array([np.nan, 1], np.float32),), {}),
]  # fmt: skip
"""Cases of all families of ops: the op's class, operands and properties."""
