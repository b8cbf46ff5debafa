"""Laws of other sizes for a model: it is refused, or equals the model that was exported with these sizes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from hypothesis import given, note, settings
from hypothesis import strategies as st
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from dialects.diagnostics import InputError
from interp.walk.run import run_module
from ndpir.frontends.onnx import import_model
from tests.amount import cases

Dim: TypeAlias = tuple[int, int]
"""An extent: a factor, and 1 if it is multiplied by the number of tokens, else 0."""
Array: TypeAlias = np.ndarray[Any, Any]
WIDTH = 4


class Export:
    """A model that is written step by step, as an exporter does for a number of tokens and samples."""

    def __init__(self, samples: int, tokens: int) -> None:
        self.samples, self.tokens = samples, tokens
        self.random = np.random.default_rng(5)
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []
        self.x, self.dims = "x", [(1, 1), (WIDTH, 0)]
        """The current value, and its axes behind that of the samples."""

    def shape(self, dims: list[Dim] | None = None) -> list[int]:
        found = self.dims if dims is None else dims
        return [self.samples, *(factor * self.tokens**power for factor, power in found)]

    def constant(self, array: Any, dtype: Any = np.int64) -> str:
        self.weights.append(numpy_helper.from_array(np.asarray(array, dtype), f"c{len(self.weights)}"))
        return self.weights[-1].name

    def node(self, op_type: str, *inputs: str, **words: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name], f"n{len(self.nodes)}", **words))
        return name

    def model(self) -> ModelProto:
        shape = [self.samples, self.tokens, WIDTH]
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
        outputs = [helper.make_tensor_value_info(self.x, TensorProto.FLOAT, None)]
        if self.x == "x":
            outputs = [helper.make_tensor_value_info(self.node("Neg", "x"), TensorProto.FLOAT, None)]
        graph = helper.make_graph(self.nodes, "main", inputs, outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def along(self, axis: int, array: Array) -> str:
        """A constant whose elements differ along one axis."""
        shape = [1] * (len(self.dims) + 1)
        shape[axis] = -1
        return self.constant(array.reshape(shape), np.float32)


def _turn(e: Export, axis: int) -> None:
    if len(e.dims) > 1:
        other = axis % (len(e.dims) - 1) + 1
        order = list(range(len(e.dims) + 1))
        order[other], order[other + 1] = order[other + 1], order[other]
        e.dims[other - 1], e.dims[other] = e.dims[other], e.dims[other - 1]
        e.x = e.node("Transpose", e.x, perm=order)


def _merge(e: Export, axis: int) -> None:
    for at, ((a, p), (b, q)) in enumerate(pairwise(e.dims)):
        if p + q < 2:
            e.dims[at : at + 2] = [(a * b, p + q)]
            e.x = e.node("Reshape", e.x, e.constant(e.shape()))
            return


def _heads(e: Export, axis: int) -> None:
    """Split the last axis into heads, with the size of the heads inferred (-1)."""
    if e.dims[-1] == (WIDTH, 0):
        e.dims[-1:] = [(2, 0), (2, 0)]
        e.x = e.node("Reshape", e.x, e.constant([*e.shape()[:-2], -1, 2]))


def _flat(e: Export, axis: int) -> None:
    """Samples merged with tokens for a linear layer, and split again."""
    if len(e.dims) == 2 and e.dims[1] == (WIDTH, 0):
        rows = e.node("Reshape", e.x, e.constant([-1, WIDTH]))
        y = e.node("Gemm", rows, e.constant(e.random.normal(size=(WIDTH, WIDTH)), np.float32))
        e.x = e.node("Reshape", y, e.constant(e.shape()))


def _positions(e: Export, axis: int) -> None:
    extent = e.shape()[axis]
    e.x = e.node("Add", e.x, e.along(axis, np.arange(extent)))


def _wave(e: Export, axis: int) -> None:
    extent = e.shape()[axis]
    e.x = e.node("Add", e.x, e.along(axis, np.linspace(0, 1, extent)))


def _sum(e: Export, axis: int) -> None:
    e.x = e.node("ReduceSum", e.x, e.constant([axis]), keepdims=1)
    if axis:
        e.dims[axis - 1] = (1, 0)


def _mean_by_hand(e: Export, axis: int) -> None:
    extent = e.shape()[axis]
    _sum(e, axis)
    e.x = e.node("Mul", e.x, e.constant(1 / extent, np.float32))


def _last(e: Export, axis: int) -> None:
    if axis:
        e.x = e.node("Slice", e.x, *map(e.constant, ([-1], [2**63 - 1], [axis])))
        e.dims[axis - 1] = (1, 0)


def _last_by_number(e: Export, axis: int) -> None:
    extent = e.shape()[axis]
    if axis:
        e.x = e.node("Gather", e.x, e.constant([extent - 1]), axis=axis)
        e.dims[axis - 1] = (1, 0)


def _first_half(e: Export, axis: int) -> None:
    if axis:
        end = max(e.shape()[axis] // 2, 1)
        half = e.node("Slice", e.x, *map(e.constant, ([0], [end], [axis])))
        e.x = e.node("ReduceMean", half, axes=[axis], keepdims=1)
        e.dims[axis - 1] = (1, 0)


def _twice(e: Export, axis: int) -> None:
    e.x = e.node("Concat", e.x, e.x, axis=axis)
    if axis:
        factor, power = e.dims[axis - 1]
        e.dims[axis - 1] = factor * 2, power
    else:
        e.x = e.node("Slice", e.x, *map(e.constant, ([0], [e.samples], [0])))


def _with_ones(e: Export, axis: int) -> None:
    ones = e.node("Expand", e.constant([[1.0]], np.float32), e.constant(e.shape()))
    e.x = e.node("Add", e.x, e.node("Softmax", ones, axis=axis))


def _scores(e: Export, axis: int) -> None:
    if len(e.dims) == 2:
        y = e.node("MatMul", e.x, e.node("Transpose", e.x, perm=[0, 2, 1]))
        e.dims = [e.dims[0], e.dims[0]]
        if e.dims[0][1]:
            size = e.shape()[1]
            y = e.node("Add", y, e.constant(np.where(np.tri(size)[None], 0, -9), np.float32))
        e.x = e.node("Softmax", y)


def _centre(e: Export, axis: int) -> None:
    e.x = e.node("Sub", e.x, e.node("ReduceMean", e.x, axes=[axis], keepdims=1))


def _cumulated(e: Export, axis: int) -> None:
    e.x = e.node("CumSum", e.x, e.constant(axis))


def _all_rows(e: Export, axis: int) -> None:
    extent = e.shape()[axis]
    e.x = e.node("Gather", e.x, e.constant(np.arange(extent)), axis=axis)


STEPS: tuple[Callable[[Export, int], None], ...] = (
    _turn, _merge, _heads, _flat, _positions, _wave, _sum, _mean_by_hand, _last, _last_by_number, _first_half, _twice,
    _with_ones, _scores, _centre, _cumulated, _all_rows,
)  # fmt: skip


@st.composite
def exports(draw: st.DrawFn) -> Callable[[int, int], ModelProto]:
    """A function that exports one drawn model for a number of samples and tokens."""
    steps = draw(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 3)), min_size=1, max_size=6))

    note(" ".join(f"{step.__name__}({axis})" for step, axis in steps))

    def export(samples: int, tokens: int) -> ModelProto:
        made = Export(samples, tokens)
        for step, axis in steps:
            step(made, axis % (len(made.dims) + 1))
        return made.model()

    return export


def _values(model: ModelProto, x: Array, **sizes: Any) -> Array:
    (y,) = run_module(import_model(model, "m.onnx", **sizes), [x])
    return np.asarray(y, np.float64)


@settings(max_examples=cases(200), deadline=None)
@given(exports(), st.sampled_from([(4, 7), (5, 3), (6, 6), (6, 12), (7, 2)]))
def test_another_number_of_tokens(export: Callable[[int, int], ModelProto], tokens: tuple[int, int]) -> None:
    old, new = tokens
    x = np.random.default_rng(1).normal(size=(2, new, WIDTH)).astype(np.float32)
    try:
        found = _values(export(2, old), x, dims={"x.1": new})
    except InputError:
        return
    expected = _values(export(2, new), x)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@settings(max_examples=cases(200), deadline=None)
@given(exports(), st.sampled_from([(1, 3), (2, 5), (4, 1)]))
def test_another_batch(export: Callable[[int, int], ModelProto], samples: tuple[int, int]) -> None:
    """The results are those of each sample alone in the model as exported, which has the sample in all rows, wherever
    the program puts the axis of the batch."""
    old, new = samples
    x = np.random.default_rng(1).normal(size=(new, 5, WIDTH)).astype(np.float32)
    try:
        found = _values(export(old, 5), x, batch=new)
    except InputError:
        return
    each = np.concatenate([_values(export(old, 5), np.repeat(x[at : at + 1], old, 0)).ravel() for at in range(new)])
    np.testing.assert_allclose(np.repeat(np.sort(found.ravel()), old), np.sort(each), rtol=1e-4, atol=1e-5)
