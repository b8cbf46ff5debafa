"""Branches, loops and recurrent layers: what is known at import is decided there, what repeats is a counted loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

from dialects import graph as g
from dialects.diagnostics import InputError, notes_to
from interp.walk.run import run_module
from ndpir.frontends.onnx.importer import import_model
from tests.onnx_runs import run_model

Array = NDArray[Any]
X = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
make_node: Any = helper.make_node  # its annotations name the types of single attributes only
FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name: str, kind: int = FLOAT, shape: Any = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def body(nodes: list[Any], inputs: list[Any], outputs: list[Any], **constants: Any) -> GraphProto:
    known = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    return helper.make_graph(nodes, "body", inputs, outputs, known)


def model_of(node: Any, outputs: list[str], inputs: Any = None, **constants: Any) -> ModelProto:
    known = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    given: list[Any] = [info("x", FLOAT, X.shape), *(inputs or [])]
    graph = helper.make_graph(
        [node], "g", given, [helper.make_empty_tensor_value_info(name) for name in outputs], known
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def same(model: ModelProto, *inputs: Array) -> list[type]:
    """Check the numbers of a model against onnxruntime; returns the classes of the ops of `@main`."""
    module = import_model(model, "m.onnx")
    module.verify()
    for found, expected in zip(run_module(module, inputs), run_model(model, inputs), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=1e-5, atol=1e-6)
    return [type(op) for op in module.walk()]


def branches() -> dict[str, GraphProto]:
    yes = body([make_node("Relu", ["x"], ["a"])], [], [info("a")])
    no = body([make_node("Neg", ["x"], ["b"])], [], [info("b")])
    return {"then_branch": yes, "else_branch": no}


def test_the_branch_of_a_known_condition_is_taken() -> None:
    node = make_node("If", ["c"], ["y"], **branches())
    kinds = same(model_of(node, ["y"], c=np.array(True)), X)
    assert g.ReluOp in kinds
    assert g.NegOp not in kinds


def test_both_branches_run_if_the_condition_depends_on_data() -> None:
    node, said = make_node("If", ["c"], ["y"], **branches()), list[str]()
    model = model_of(node, ["y"], [info("c", BOOL, [])])
    for taken in (True, False):
        with notes_to(lambda message, place: said.append(message)):
            kinds = same(model, X, np.array(taken))
        assert {g.ReluOp, g.NegOp, g.SelectOp} <= {*kinds}
    assert all(message.startswith("the condition depends on data: both branches run") for message in said)
    assert said


def looped(condition: list[Any], last: str, more: list[Any], outputs: list[Any], **constants: Any) -> GraphProto:
    inputs = [info("i", INT, []), info("go", BOOL, []), info("v", FLOAT, X.shape)]
    nodes = [make_node("Sin", ["v"], ["w"]), *more, *condition]
    return body(nodes, inputs, [info(last, BOOL, []), info("w", FLOAT, X.shape), *outputs], **constants)


def test_a_loop_with_a_known_count_is_one_loop_and_stacks_its_slices() -> None:
    more = [make_node("Add", ["w", "x"], ["slice"])]
    inner = looped([], "go", more, [info("slice", FLOAT, X.shape)])
    node = make_node("Loop", ["n", "c", "x"], ["y", "all"], body=inner)
    kinds = same(model_of(node, ["y", "all"], n=np.array(4), c=np.array(True)), X)
    assert kinds.count(g.RepeatOp) == kinds.count(g.SinOp) == 1


def test_iterations_are_counted_by_a_condition_on_known_values() -> None:
    condition = [make_node("Add", ["i", "one"], ["k"]), make_node("Less", ["k", "most"], ["on"])]
    inner = looped(condition, "on", [], [], one=np.array(1), most=np.array(5))
    model = model_of(make_node("Loop", ["", "c", "x"], ["y"], body=inner), ["y"], c=np.array(True))
    assert same(model, X).count(g.RepeatOp) == 1
    (loop,) = (op for op in import_model(model, "m.onnx").walk() if isinstance(op, g.RepeatOp))
    assert loop.iterations == 5


def test_a_value_that_grows_is_written_once_for_each_iteration() -> None:
    inputs = [info("i", INT, []), info("go", BOOL, []), info("v", FLOAT, None)]
    inner = body([make_node("Concat", ["v", "x"], ["w"], axis=0)], inputs, [info("go", BOOL, []), info("w")])
    node = make_node("Loop", ["n", "", "x"], ["y"], body=inner)
    kinds = same(model_of(node, ["y"], n=np.array(3)), X)
    assert g.RepeatOp not in kinds
    assert kinds.count(g.ConcatOp) == 3


@pytest.mark.parametrize("backwards", [0, 1])
def test_a_scan_reads_and_stacks_slices_in_both_directions(backwards: int) -> None:
    inputs = [info("sum", FLOAT, [3]), info("row", FLOAT, [3])]
    nodes = [make_node("Add", ["sum", "row"], ["new"]), make_node("Neg", ["new"], ["out"])]
    inner = body(nodes, inputs, [info("new", FLOAT, [3]), info("out", FLOAT, [3])])
    words = {"scan_input_directions": [backwards], "scan_output_directions": [1 - backwards], "scan_output_axes": [1]}
    node = make_node("Scan", ["z", "x"], ["last", "all"], body=inner, num_scan_inputs=1, **words)
    kinds = same(model_of(node, ["last", "all"], z=np.zeros(3, np.float32)), X)
    assert kinds.count(g.RepeatOp) == 1


def test_a_loop_that_data_end_is_refused_by_a_sentence() -> None:
    condition = [
        make_node("ReduceMax", ["w"], ["top"], keepdims=0),
        make_node("Less", ["top", "limit"], ["on"]),
    ]
    inner = looped(condition, "on", [], [], limit=np.array(0.5, np.float32))
    model = model_of(make_node("Loop", ["", "c", "x"], ["y"], body=inner), ["y"], c=np.array(True))
    with pytest.raises(InputError, match="the loop ends when a condition on data is false"):
        import_model(model, "m.onnx")


ENDLESS = [make_node("Identity", ["yes"], ["on"])], {"yes": np.array(True)}, [""], "the loop has no known end"
LONG = [make_node("Less", ["i", "most"], ["on"])], {"most": np.array(1 << 40)}, ["n"], "takes more than 64 nodes"


@pytest.mark.parametrize(("condition", "constants", "limit", "message"), [ENDLESS, LONG])
def test_a_loop_whose_condition_holds_too_long_is_refused_by_a_sentence(
    condition: list[Any],
    constants: dict[str, Any],
    limit: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ndpir.frontends.onnx.builder.MOST_READ_AGAIN", 64)
    inner = looped(condition, "on", [], [], **constants)
    node = make_node("Loop", [*limit, "c", "x"], ["y"], body=inner)
    with pytest.raises(InputError, match=message):
        import_model(model_of(node, ["y"], c=np.array(True), n=np.array(1 << 30)), "m.onnx")


def test_a_condition_of_several_elements_is_refused_by_a_sentence() -> None:
    inner = looped([], "go", [], [])
    node = make_node("Loop", ["n", "c", "x"], ["y"], body=inner)
    with pytest.raises(InputError, match="the condition must have one element, not 2"):
        import_model(model_of(node, ["y"], c=np.array([True, False]), n=np.array(4)), "m.onnx")


@pytest.mark.parametrize(("words", "message"), [
    ({"scan_input_directions": [0, 1]}, "attribute `scan_input_directions` must have 1 numbers, not 2"),
    ({"scan_output_axes": [4]}, "there is no axis 4"), ({"scan_input_axes": [-3]}, "there is no axis -3"),
])  # fmt: skip
def test_attributes_of_a_scan_that_do_not_fit_are_refused_by_a_sentence(words: dict[str, Any], message: str) -> None:
    inner = body([make_node("Neg", ["row"], ["out"])], [info("row", FLOAT, [3])], [info("out", FLOAT, [3])])
    node = make_node("Scan", ["x"], ["all"], body=inner, num_scan_inputs=1, **words)
    with pytest.raises(InputError, match=message):
        import_model(model_of(node, ["all"]), "m.onnx")


LAYERS = {"LSTM": 4, "GRU": 3, "RNN": 1}


@pytest.mark.parametrize(("kind", "words"), [
    ("LSTM", {"direction": "bidirectional", "clip": 0.3}), ("LSTM", {"direction": "reverse"}),
    ("LSTM", {"activations": ["HardSigmoid", "Softsign", "Relu"]}), ("GRU", {"linear_before_reset": 1}),
    ("GRU", {"direction": "bidirectional"}), ("RNN", {"activations": ["Relu"]}), ("RNN", {"direction": "reverse"}),
])  # fmt: skip
def test_a_recurrent_layer_has_the_numbers_of_onnxruntime(kind: str, words: dict[str, Any]) -> None:
    draw, gates, hidden = np.random.default_rng(1), LAYERS[kind], 5
    both = 2 if words.get("direction") == "bidirectional" else 1

    def drawn(*shape: int) -> Array:
        return draw.standard_normal(shape).astype(np.float32)

    names = ["x", "w", "r", "b", "lengths", "h", *(["c", "p"] if kind == "LSTM" else [])]
    outputs = ["y", "last", *(["cell"] if kind == "LSTM" else [])]
    constants: dict[str, Any] = {
        "w": drawn(both, gates * hidden, 4), "r": drawn(both, gates * hidden, hidden),
        "b": drawn(both, 2 * gates * hidden), "lengths": np.array([7, 3], np.int32), "h": drawn(both, 2, hidden),
        **({"c": drawn(both, 2, hidden), "p": drawn(both, 3 * hidden)} if kind == "LSTM" else {}),
    }  # fmt: skip
    model = model_of(make_node(kind, names, outputs, hidden_size=hidden, **words), outputs, **constants)
    x = drawn(7, 2, 4)
    model.graph.input[0].CopyFrom(info("x", FLOAT, x.shape))
    assert same(model, x).count(g.RepeatOp) == both


def test_recurrence_weights_of_another_shape_are_refused_by_a_sentence() -> None:
    constants: dict[str, Any] = {"w": np.zeros((1, 20, 4), np.float32), "r": np.zeros((1, 20, 4), np.float32)}
    model = model_of(make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=5), ["y"], **constants)
    model.graph.input[0].CopyFrom(info("x", FLOAT, (7, 2, 4)))
    with pytest.raises(InputError, match="recurrence weights of tensor<1x20x4xf32> don't fit 1 directions, 4 gates"):
        import_model(model, "m.onnx")


@pytest.mark.parametrize(("place", "shape", "expected"), [
    (1, (2, 20, 4), "input weights of tensor<2x20x4xf32> don't fit 1 directions"), (3, (), r"\[1, 40\]"),
    (4, (3,), r"\[2\]"), (5, (2, 2, 5), r"\[1, 2, 5\]"), (6, (), r"\[1, 2, 5\]"), (7, (1,), r"\[1, 15\]"),
])  # fmt: skip
def test_an_input_of_another_shape_is_refused_by_a_sentence(place: int, shape: tuple[int, ...], expected: str) -> None:
    constants: dict[str, Any] = {"w": np.zeros((1, 20, 4), np.float32), "r": np.zeros((1, 20, 5), np.float32)}
    names = ["x", "w", "r", "", "", "", "", ""]
    names[place], constants["bad"] = "bad", np.zeros(shape, np.int32 if place == 4 else np.float32)
    model = model_of(make_node("LSTM", names, ["y"], hidden_size=5), ["y"], **constants)
    model.graph.input[0].CopyFrom(info("x", FLOAT, (7, 2, 4)))
    with pytest.raises(InputError, match=expected):
        import_model(model, "m.onnx")


def test_more_steps_than_a_counter_counts_are_refused_by_a_sentence() -> None:
    constants: dict[str, Any] = {"w": np.zeros((1, 5, 4), np.float32), "r": np.zeros((1, 5, 5), np.float32)}
    model = model_of(make_node("RNN", ["x", "w", "r"], ["y"], hidden_size=5), ["y"], **constants)
    model.graph.input[0].CopyFrom(info("x", FLOAT, (1 << 31, 1, 4)))
    with pytest.raises(InputError, match="there are 2147483648 iterations"):
        import_model(model, "m.onnx")
