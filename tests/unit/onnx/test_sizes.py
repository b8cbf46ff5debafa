"""Models exported with fixed sizes, imported with others: their programs and values equal those of the same models
exported with these sizes."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

import ndpir
from dialects.diagnostics import InputError
from interp.walk.run import run_module
from ndpir.frontends.onnx import import_model
from ndpir.frontends.sizes import Sizes
from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Evaluator
from ndpir.sweep.request import Request

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
HEADS, DEPTH, WIDTH, ROWS = 2, 4, 8, 40
"""Heads of the attention, their depth, its width, and the rows of the position table."""


class Build:
    """A model under construction; weights come from one seed, so that models of different sizes have the same."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(7)
        self.nodes: list[NodeProto] = []
        self.initialisers: list[TensorProto] = []

    def node(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name], f"n{len(self.nodes)}", **attributes))
        return name

    def constant(self, array: Any, dtype: Any = np.int64) -> str:
        name = f"c{len(self.initialisers)}"
        self.initialisers.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def weight(self, *shape: int) -> str:
        return self.constant(self.random.uniform(-0.5, 0.5, shape), np.float32)

    def model(self, inputs: dict[str, tuple[int, Sequence[int | str]]], *outputs: str) -> ModelProto:
        given = [helper.make_tensor_value_info(name, *each) for name, each in inputs.items()]
        results = [helper.make_tensor_value_info(name, FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "main", given, results, self.initialisers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def image_net(b: int, height: int = 8) -> ModelProto:
    """A convolution with padding `SAME`, one of stride 2, a strided slice, pooling, and a flattened linear layer."""
    build = Build()
    y = build.node("Conv", "x", build.weight(6, 3, 3, 3), build.weight(6), auto_pad="SAME_UPPER", strides=[2, 2])
    y = build.node("Relu", y)
    y = build.node("Add", y, build.node("Conv", y, build.weight(6, 6, 3, 3), pads=[1, 1, 1, 1]))
    whole = 2**63 - 1
    y = build.node("Slice", y, *map(build.constant, ([0], [whole], [2], [2])))
    y = build.node("MaxPool", y, kernel_shape=[1, 2], strides=[1, 2])
    y = build.node("ReduceMean", y, axes=[2, 3], keepdims=1)
    y = build.node("Reshape", y, build.constant([b, 6]))
    y = build.node("Gemm", y, build.weight(6, 5), build.weight(5))
    return build.model({"x": (FLOAT, (b, 3, height, 8))}, y)


def _split_heads(build: Build, x: str, b: int, s: int) -> str:
    return build.node("Transpose", build.node("Reshape", x, build.constant([b, s, -1, DEPTH])), perm=[0, 2, 1, 3])


def _attention(build: Build, qkv: Sequence[str], mask: str, b: int, s: int) -> str:
    q, k, v = qkv
    scores = build.node("MatMul", q, build.node("Transpose", k, perm=[0, 1, 3, 2]))
    scores = build.node("Mul", scores, build.constant(DEPTH**-0.5, np.float32))
    scores = build.node("Where", mask, scores, build.constant(-1e9, np.float32))
    y = build.node("Transpose", build.node("MatMul", build.node("Softmax", scores), v), perm=[0, 2, 1, 3])
    return build.node("Reshape", y, build.constant([b, s, -1]))


def encoder(b: int, s: int) -> ModelProto:
    """A layer as exporters write BERT and GPT-2: rows of a position table, a padding mask gathered by sample and token,
    a causal mask, rows flattened for a linear layer, the first token of each sample picked."""
    build = Build()
    x = build.node("Gather", build.weight(16, WIDTH), "ids")
    table = build.node("Slice", build.weight(ROWS, WIDTH), *map(build.constant, ([0], [s], [0], [1])))
    x = build.node("Add", x, table)
    x = build.node("Add", x, build.node("Gather", build.weight(ROWS, WIDTH), build.constant(np.arange(s)[None])))
    pairs = np.stack(np.broadcast_arrays(np.arange(b)[:, None, None, None], np.arange(s)), axis=-1)
    padding = build.node("GatherND", build.node("Cast", "mask", to=BOOL), build.constant(pairs))
    mask = build.node("And", padding, build.constant(np.tri(s, dtype=bool)[None, None], np.bool_))
    rows = build.node("Reshape", x, build.constant([-1, WIDTH]))
    parts = [
        build.node("Reshape", build.node("Gemm", rows, build.weight(WIDTH, WIDTH)), build.constant([b, s, WIDTH]))
        for _ in range(3)
    ]
    y = _attention(build, [_split_heads(build, part, b, s) for part in parts], mask, b, s)
    x = build.node("LayerNormalization", build.node("Add", x, y), build.weight(WIDTH), axis=-1)
    first = build.node("Gather", x, build.constant(0), axis=1)
    return build.model({"ids": (INT64, (b, s)), "mask": (INT64, (b, s))}, x, first)


def decoder(b: int, past: int | str, total: int | str | None = None) -> ModelProto:
    """A step of two layers with caches of other names than usual, a mask of all tokens, and keys repeated for several
    queries; `past` may be symbolic."""
    build = Build()
    x = build.node("Gather", build.weight(16, WIDTH), "token")
    every = past + 1 if isinstance(past, int) else total
    if isinstance(past, int):  # the position of the new token, as in OPT
        counted = build.node("CumSum", "seen", build.constant(1))
        place = build.node("Slice", counted, *map(build.constant, ([past], [2**63 - 1], [1])))
        x = build.node("Add", x, build.node("Gather", build.weight(ROWS, WIDTH), place))
    mask = build.node("Unsqueeze", build.node("Cast", "seen", to=BOOL), build.constant([1, 2]))
    outputs: list[str] = []
    for layer in range(2):
        q = _split_heads(build, build.node("MatMul", x, build.weight(WIDTH, WIDTH)), b, 1)
        kv: list[str] = []
        for part in ("a", "z"):
            new = _split_heads(build, build.node("MatMul", x, build.weight(WIDTH, DEPTH)), b, 1)
            joined = build.node("Concat", f"{part}{layer}", new, axis=2)
            outputs.append(build.node("Slice", joined, *map(build.constant, ([-1], [2**63 - 1], [2]))))
            if isinstance(every, int):
                joined = build.node("Expand", joined, build.constant([b, HEADS, every, DEPTH]))
            kv.append(joined)
        x = build.node("Add", x, _attention(build, [q, *kv], mask, b, 1))
    caches = {f"{part}{layer}": (FLOAT, (b, 1, past, DEPTH)) for part in ("a", "z") for layer in range(2)}
    assert every is not None
    return build.model({"token": (INT64, (b, 1)), "seen": (INT64, (b, every)), **caches}, x, *outputs)


def last_row(b: int, s: int) -> ModelProto:
    """The last row, and all of its one row once more: the second slice is none, and leaves the first one as it is."""
    build = Build()
    y = build.node("Slice", "x", *map(build.constant, ([-1], [2**63 - 1], [1])))
    y = build.node("Slice", y, *map(build.constant, ([0], [1], [1])))
    return build.model({"x": (FLOAT, (b, s, 4))}, build.node("Relu", y))


def inputs_of(model: ModelProto) -> list[np.ndarray[Any, Any]]:
    """Random inputs of the stated shapes."""
    random = np.random.default_rng(3)
    arrays: list[np.ndarray[Any, Any]] = []
    for value in model.graph.input:
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        floats = value.type.tensor_type.elem_type == FLOAT
        top = 2 if value.name in ("mask", "seen") else 16
        arrays.append(random.uniform(-1, 1, shape).astype(np.float32) if floats else random.integers(0, top, shape))
    return arrays


def text_of(module: Any) -> str:
    """The program's text, without the names of the files in which weights are."""
    return re.sub(r"= (onnx|memory)\([^)]*\)", "= data", re.sub(r'graph.weight "[^"]*"', "graph.weight", str(module)))


SAMPLES = [
    (image_net, (1,), (3,), {"batch": 3}),
    (image_net, (4,), (1,), {"batch": 1}),
    (image_net, (1,), (2, 11), {"shapes": {"x": (2, 3, 11, 8)}}),
    (encoder, (1, 8), (4, 8), {"batch": 4}),
    (encoder, (1, 8), (1, 15), {"dims": {"sequence": 15}}),
    (encoder, (1, 8), (3, 5), {"dims": {"s": 5, "b": 3}}),
    (encoder, (2, 8), (5, 13), {"batch": 5, "dims": {"ids.1": 13}}),
    (encoder, (2, 8), (1, 6), {"shapes": {"ids": (1, 6), "mask": (1, 6)}}),
    (decoder, (1, 6), (1, 19), {"cache_length": 19}),
    (decoder, (1, 6), (3, 2), {"cache_length": 2, "batch": 3}),
    (decoder, (2, 6), (2, 9), {"dims": {"cache": 9}}),
    (last_row, (1, 6), (1, 12), {"dims": {"x.1": 12}}),
]


@pytest.mark.parametrize(("export", "old", "new", "sizes"), SAMPLES)
def test_other_sizes(
    export: Callable[..., ModelProto], old: tuple[int, ...], new: tuple[int, ...], sizes: dict[str, Any], tmp_path: Path
) -> None:
    """The program equals the import of the model that was exported with the new sizes, op for op; its values equal
    those of onnxruntime for that model."""
    runtime = pytest.importorskip("onnxruntime")
    paths = [str(tmp_path / "old.onnx"), str(tmp_path / "new.onnx")]
    for path, model in zip(paths, (export(*old), export(*new)), strict=True):
        Path(path).write_bytes(model.SerializeToString())
    resized = import_model(export(*old), paths[0], **sizes)
    resized.verify()
    fresh = import_model(export(*new), paths[1])
    assert text_of(resized) == text_of(fresh)
    inputs = inputs_of(export(*new))
    session = runtime.InferenceSession(paths[1], providers=["CPUExecutionProvider"])
    names = [value.name for value in export(*new).graph.input]
    expected = session.run(None, dict(zip(names, inputs, strict=True)))
    for mine, theirs in zip(run_module(resized, inputs), expected, strict=True):
        np.testing.assert_allclose(mine.astype(np.float32), theirs, rtol=2e-5, atol=2e-6)


def test_symbolic_dimensions_get_the_sizes_of_their_roles() -> None:
    """A batch, a cache and a mask of all tokens that are symbolic get their extents from the same flags."""
    model = decoder(1, "before", "every")
    for value in model.graph.input:
        value.type.tensor_type.shape.dim[0].dim_param = "n"
    given = {value.name: value.type.tensor_type.shape.dim for value in model.graph.input}
    assert given["seen"][1].dim_param == "every"
    (function,) = import_model(model, "m.onnx", cache_length=6, batch=1).ops
    shapes = [argument.type.get_shape() for argument in function.body.block.args]  # pyright: ignore
    assert shapes == [(1, 1), (1, 7), *[(1, 1, 6, DEPTH)] * 4]


def _with(build: Build, y: str, *shape: int) -> ModelProto:
    return build.model({"x": (FLOAT, shape)}, y)


def _mean_by_hand() -> ModelProto:
    build = Build()
    y = build.node("ReduceSum", "x", build.constant([1]), keepdims=0)
    return _with(build, build.node("Mul", y, build.constant(1 / 16, np.float32)), 1, 16, 4)


def _table() -> ModelProto:
    build = Build()
    return _with(build, build.node("Add", "x", build.weight(16, 4)), 1, 16, 4)


def _norm_over_batch() -> ModelProto:
    build = Build()
    return _with(build, build.node("Sub", "x", build.node("ReduceMean", "x", axes=[0], keepdims=1)), 1, 16, 4)


def _joined_samples() -> ModelProto:
    build = Build()
    return _with(build, build.node("Concat", "x", build.weight(1, 16, 4), axis=0), 1, 16, 4)


def _last_by_number() -> ModelProto:
    build = Build()
    return _with(build, build.node("Gather", "x", build.constant(15), axis=1), 1, 16, 4)


def _unknown_rows() -> ModelProto:
    build = Build()
    ones = build.node("Expand", build.constant([[1.0]], np.float32), build.constant([1, 16]))
    return _with(
        build, build.node("Concat", build.node("ReduceMean", "x", axes=[2], keepdims=0), ones, axis=1), 1, 16, 4
    )


def _halves() -> ModelProto:
    build = Build()
    return _with(build, build.node("Reshape", "x", build.constant([1, 2, 8, 4])), 1, 16, 4)


@pytest.mark.parametrize(
    ("export", "sizes", "expected"),
    [
        (
            _mean_by_hand,
            {"x.1": 32},
            'node "n1": its constant 0.0625 may be computed from the extent 16, which changes',
        ),
        (
            _table,
            {"sequence": 32},
            'node "n0": it reads `c0`, which has 16 elements on axis 0 and would need 32; but its',
        ),
        (_norm_over_batch, {"batch": 2}, 'node "n0": it combines elements of different samples of the batch'),
        (_joined_samples, {"b": 2}, 'node "n0": it combines elements of different samples of the batch'),
        (_last_by_number, {"s": 32}, 'node "n0": it picks element 15 of an axis whose extent changes'),
        (
            _unknown_rows,
            {"s": 32},
            'node "n0": axis 1 of its result has 16 elements, and nothing shows if these are the',
        ),
        (_halves, {"s": 32}, 'node "n0": it takes an axis of 16 as 2 x 8, but the axis would have 32'),
    ],
)
def test_sizes_that_can_not_be_traced(export: Callable[[], ModelProto], sizes: dict[str, int], expected: str) -> None:
    """A model whose results may depend on the exported sizes is refused at the node, with advice."""
    with pytest.raises(InputError) as error:
        import_model(export(), "m.onnx", sizes)
    assert error.value.message.startswith(expected)
    assert "export it again with these sizes, or with dynamic ones" in error.value.message


def test_an_input_of_one_axis_may_count_samples() -> None:
    build = Build()
    y = build.node("Add", "x", build.node("Unsqueeze", "z", build.constant([1])))
    model = build.model({"x": (FLOAT, (1, 4)), "z": (FLOAT, (1,))}, y)
    with pytest.raises(InputError, match="say which with --shape z=3 or --shape z=1"):
        import_model(model, "m.onnx", batch=3)
    for count in (1, 3):
        (function,) = import_model(model, "m.onnx", batch=3, shapes={"z": (count,)}).ops
        assert [a.type.get_shape() for a in function.body.block.args] == [(3, 4), (count,)]  # pyright: ignore


def test_sizes_in_sweeps_and_comparisons(tmp_path: Path) -> None:
    """Each point of a sweep over sizes equals a single run; a path is read with the sizes of `compile`."""
    path = str(tmp_path / "net.onnx")
    Path(path).write_bytes(image_net(1).SerializeToString())
    request = Request(path, "place", "toy-simd", axes=axes_of(["batch=1,3"]))
    outcomes = [Evaluator(request).outcome(point) for point in request.points()]
    alone = [ndpir.compare(path, ["toy-simd"], ["place"], batch=batch)[0].makespan_ns for batch in (1, 3)]
    assert [outcome.figures["makespan_ns"] for outcome in outcomes] == alone
    placed = ndpir.compile(path, "place", machine="toy-simd", batch=3)
    assert ndpir.simulate(placed).makespan_ns == alone[1] != alone[0]
    with pytest.raises(InputError, match="`batch` applies to a model that is read"):
        ndpir.compile(placed, "layout", batch=3)


def test_given_sizes_replace_others_of_the_same_name() -> None:
    before = Sizes({"a": 1, "b": 2}, {"x": (1, 2)}, batch=3)
    after = before.changed_by(Sizes({"b": 4}, {"y": (5,)}, cache_length=6))
    assert after == Sizes({"a": 1, "b": 4}, {"x": (1, 2), "y": (5,)}, 3, 6)
    assert before.changed_by(Sizes()) == before == Sizes().changed_by(before)
