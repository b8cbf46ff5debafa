"""Tests of the ONNX front end's errors for models that it can't import: one sentence with the model's and the node's
name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError
from ndpir.frontends.onnx import import_model, import_onnx

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
MODELS = Path(__file__).parents[3] / "examples" / "models"


def node(operator: str, inputs: str, outputs: str, name: str = "n", **attributes: Any) -> NodeProto:
    return helper.make_node(operator, inputs.split(), outputs.split(), name=name, **attributes)


def model(
    *nodes: NodeProto,
    inputs: Sequence[tuple[str, int, Sequence[int | str | None]]] = (("x", FLOAT, (2, 3)),),
    initialisers: Sequence[TensorProto] = (),
    output: str = "y",
    shape: Sequence[int] | None = None,
    opset: int = 17,
) -> ModelProto:
    declared = (
        helper.make_tensor_value_info(output, FLOAT, shape) if shape else helper.make_empty_tensor_value_info(output)
    )
    ends = [helper.make_tensor_value_info(*i) for i in inputs], [declared]
    graph = helper.make_graph(list(nodes), "main", *ends, list(initialisers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def message(proto: ModelProto, **dims: int) -> str:
    with pytest.raises(InputError) as error:
        import_model(proto, "m.onnx", dims)
    assert error.value.place == "m.onnx"
    return error.value.message


def ints(name: str, *values: int) -> TensorProto:
    return helper.make_tensor(name, INT64, [len(values)], values)


RELU = node("Relu", "x", "y")
ADD = node("Add", "x w", "y")

MODELS_AND_MESSAGES: dict[str, tuple[ModelProto, str]] = {
    "unsupported operators": (
        model(node("Unique", "x", "a", "first"), node("Unique", "a", "b", "second"), node("Det", "b", "y", "")),
        '2 operators are not supported: Unique (node "first", "second"); Det (node "Det:y")',
    ),
    "other domain": (
        model(helper.make_node("FusedGelu", ["x"], ["y"], domain="com.microsoft", name="g")),
        '1 operator is not supported: com.microsoft.FusedGelu (node "g")',
    ),
    "operator newer than the opset": (
        model(node("Gelu", "x", "y")),
        '1 operator is not supported: Gelu, which does not exist in opset 17 (node "n")',
    ),
    "opset too old": (model(RELU, opset=6), "opset 6 is not supported: 7 to 28 are, and"),
    "opset too new": (model(RELU, opset=99), "opset 99 is not supported: 7 to 28 are, and"),
    "cycle": (
        model(node("Add", "x b", "a", "one"), node("Relu", "a", "b", "two"), node("Relu", "b", "y")),
        'the graph has a cycle: "one" needs "two" needs "one"',
    ),
    "missing tensor": (
        model(node("Add", "x w", "y")),
        'node "n" (Add): no node or initialiser of the model gives its input `w`',
    ),
    "missing output": (model(RELU, output="z"), "no node of the model computes its output `z`"),
    "name given twice": (
        model(RELU, node("Relu", "x", "y", "again")),
        'node "again" (Relu): the name `y` is already used by another value',
    ),
    "initialiser given twice": (
        model(RELU, initialisers=[ints("w", 1), ints("w", 2)]),
        "two initialisers are called `w`",
    ),
    "shapes do not fit": (
        model(node("MatMul", "x x", "y", "mm")),
        'node "mm" (MatMul): graph.matmul sums over 3 columns of tensor<2x3xf32>, but tensor<2x3xf32> has 2 rows',
    ),
    "element types do not fit": (
        model(node("Add", "x w", "y"), initialisers=[ints("w", 1)]),
        'node "n" (Add): graph.add needs operands of the same element type',
    ),
    "declared otherwise": (
        model(RELU, shape=[3, 2]),
        "output `y` is declared as tensor<3x2xf32>, but computed as tensor<2x3xf32>",
    ),
    "too few operands": (model(node("Add", "x", "y")), 'node "n" (Add): the operator takes 2 inputs, not 1'),
    "unknown attribute": (
        model(node("Relu", "x", "y", slope=1)),
        'node "n" (Relu): attribute `slope` does not exist in version 14 of the operator',
    ),
    "attribute of another kind": (
        model(node("Softmax", "x", "y", axis=1.5)),
        'node "n" (Softmax): attribute `axis` must be INT in version 13 of the operator',
    ),
    "attribute missing": (model(node("Cast", "x", "y")), 'node "n" (Cast): attribute `to` is missing'),
    "attribute value": (
        model(node("Gelu", "x", "y", approximate="quick"), opset=20),
        "node \"n\" (Gelu): attribute `approximate` is 'quick'; supported: none, tanh",
    ),
    "auto_pad": (
        model(node("MaxPool", "x", "y", kernel_shape=[1], auto_pad="SAME"), inputs=[("x", FLOAT, (1, 1, 4))]),
        "node \"n\" (MaxPool): attribute `auto_pad` is 'SAME'; supported: NOTSET, SAME_UPPER, SAME_LOWER, VALID",
    ),
    "axis": (model(node("Softmax", "x", "y", axis=2)), 'node "n" (Softmax): there is no axis 2; axes run from -2 to 1'),
    "shape from data": (
        model(node("Reshape", "x s", "y"), inputs=[("x", FLOAT, (2, 3)), ("s", INT64, (1,))]),
        'node "n" (Reshape): input 1 (`s`) must be known before the program runs, because shapes depend on it',
    ),
    "reshape": (
        model(node("Reshape", "x s", "y"), initialisers=[ints("s", 4, -1)]),
        'node "n" (Reshape): 6 elements can\'t be reshaped to [4, -1]',
    ),
    "huge constant": (
        model(node("ConstantOfShape", "s", "y"), initialisers=[ints("s", 10**12, 10**12)]),
        'node "n" (ConstantOfShape): the constant of shape [1000000000000, 1000000000000] has more than 2^40 elements',
    ),
    "negative extent": (
        model(node("Expand", "x s", "y"), initialisers=[ints("s", -2)]),
        'node "n" (Expand): the shape [-2] has a negative extent',
    ),
    "training dropout": (
        model(node("Dropout", "x r t", "y"), initialisers=[
            helper.make_tensor("r", FLOAT, [], [0.5]), helper.make_tensor("t", TensorProto.BOOL, [], [True]),
        ]),
        'node "n" (Dropout): dropout in training mode draws random numbers; export the model for inference',
    ),
    "string tensor": (
        model(node("Constant", "", "s", value_string="a"), RELU),
        'node "n" (Constant): the attribute `value_string` of a constant is not supported; store a tensor or numbers',
    ),
    "string input": (
        model(RELU, inputs=[("x", TensorProto.STRING, (1,))]),
        "input `x` holds STRING elements; floats of 4, 8, 16, 32 or 64 bits, bool and integers of 2 to 64 bits are "
        "supported",
    ),
    "complex input": (model(RELU, inputs=[("x", TensorProto.COMPLEX64, (1,))]), "input `x` holds COMPLEX64 elements"),
    "negative input": (model(RELU, inputs=[("x", FLOAT, (2, -3))]), "input `x` has a negative extent in its shape"),
    "huge input": (model(RELU, inputs=[("x", FLOAT, (2**40, 2))]), "has more than 2^40 elements"),
    "truncated initialiser": (
        model(ADD, initialisers=[TensorProto(name="w", dims=[3], data_type=FLOAT, raw_data=b"1234")]),
        "the initialiser `w` is tensor<3xf32>, which needs 12 bytes, but has 4",
    ),
    "initialiser without numbers": (
        model(ADD, initialisers=[TensorProto(name="w", dims=[3], data_type=FLOAT)]),
        "the initialiser `w` needs 3 elements, but has 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS_AND_MESSAGES)
def test_the_message_for_each_wrong_model(name: str) -> None:
    proto, expected = MODELS_AND_MESSAGES[name]
    assert expected in message(proto)


def test_wrong_subgraphs_and_sequences_are_errors() -> None:
    def branching(read: str) -> ModelProto:
        branch = helper.make_graph([node("Relu", read, "z")], "branch", [], [helper.make_empty_tensor_value_info("z")])
        return model(node("If", "c", "y", then_branch=branch, else_branch=branch), inputs=[("c", TensorProto.BOOL, ())])

    assert message(branching("q")) == 'node "n" (If): no node or initialiser of the model gives its input `q`; add one'
    unknown = branching("c")
    unknown.graph.node[0].attribute[0].g.node[0].op_type = "Rellu"
    assert message(unknown).startswith('1 operator is not supported: Rellu (node "n")')
    proto = model(RELU)
    proto.graph.input[0].CopyFrom(helper.make_tensor_sequence_value_info("x", FLOAT, [2]))
    assert message(proto) == "input `x` is a sequence; only tensors are supported"


def test_dimensions_without_extent_are_errors() -> None:
    proto = model(node("Add", "x z", "y"), inputs=[("x", FLOAT, ("b", 3)), ("z", FLOAT, ("b", None))])
    unbound = (
        "these dimensions have no extent: `b` of input `x` (axis 0), input `z` (axis 0); `z.1` of input `z` (axis 1)"
    )
    assert message(proto) == f"{unbound}; give them one (--dim b=N --dim z.1=N)"
    bound = {"b": 2, "z.1": 3}
    import_model(proto, "m.onnx", bound).verify()
    assert message(proto, **bound, c=4) == (
        "the model has no dimension `c` to bind; its symbolic dimensions are b, z.1"
    )
    assert message(model(RELU), c=1) == (
        "the model has no dimension `c` to bind; all its dimensions have an extent; others can be given to `batch` "
        "(x.0), INPUT.AXIS"
    )


def shaped(proto: ModelProto, dims: dict[str, int] | None = None, **shapes: Sequence[int]) -> str:
    """The type of the model's function after an import with the given shapes of inputs."""
    (function,) = import_model(proto, "m.onnx", dims, shapes).ops
    assert isinstance(function, FuncOp)
    return str(function.function_type)


def test_given_shapes() -> None:
    """Given shapes replace stated extents, also in all types derived from them, including the output's; they also bind
    symbolic dimensions."""
    assert shaped(model(RELU, shape=(2, 3)), x=(5, 7)) == "(tensor<5x7xf32>) -> tensor<5x7xf32>"
    proto = model(node("Add", "x z", "y"), inputs=[("x", FLOAT, ("b", 3)), ("z", FLOAT, ("b", 1))])
    assert shaped(proto, x=(4, 6)) == "(tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>"
    assert shaped(proto, {"b": 4}, x=(4, 6)) == "(tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>"
    shapeless = model(RELU)
    shapeless.graph.input[0].type.tensor_type.ClearField("shape")
    assert shaped(shapeless, x=(5,)) == "(tensor<5xf32>) -> tensor<5xf32>"


PAIR = model(node("Add", "x z", "y"), inputs=[("x", FLOAT, ("b", 3)), ("z", FLOAT, ("b", 3))])
TURNED = model(node("Reshape", "x s", "y"), initialisers=[ints("s", 3, 2)])
FLAT = model(node("Reshape", "x s", "y"), initialisers=[ints("s", 6)])


@pytest.mark.parametrize(
    ("proto", "dims", "shapes", "expected"),
    [
        (PAIR, {}, {"w": (1,)}, "the model has no input `w` to give a shape to; its inputs are x, z"),
        (FLAT, {}, {"s": (1,)}, "the model has no input `s` to give a shape to; its inputs are x"),
        (FLAT, {}, {"x": (6,)}, "input `x` has 2 axes (2x3), but the shape 6 given to it has 1"),
        (FLAT, {}, {"x": (6, 0)}, "the shape given to input `x` must hold extents of at least 1, not [6, 0]"),
        (FLAT, {}, {"x": (2**20, 2**21)}, "input `x` of shape [1048576, 2097152] has more than 2^40 elements"),
        (
            TURNED,
            {},
            {"x": (4, 3)},
            'node "n": it divides elements into other axes, but an axis of 2 elements would have 4; --shape x=4x3 '
            "differs from the sizes with which the model was exported, so export it again with these sizes, or with "
            "dynamic ones (torch.onnx.export(…, dynamic_shapes=…))",
        ),
        (
            PAIR,
            {"b": 2},
            {"x": (4, 3)},
            "the dimension `b` is 2 in --dim and 4 in the shape of input `x`; give it the same extent everywhere",
        ),
        (
            PAIR,
            {},
            {"x": (4, 3), "z": (5, 3)},
            "the dimension `b` is 4 in the shape of input `x` and 5 in the shape of input `z`; "
            "give it the same extent everywhere",
        ),
    ],
)
def test_wrong_given_shapes_are_errors(
    proto: ModelProto, dims: dict[str, int], shapes: dict[str, tuple[int, ...]], expected: str
) -> None:
    with pytest.raises(InputError) as error:
        import_model(proto, "m.onnx", dims, shapes)
    assert (error.value.place, error.value.message) == ("m.onnx", expected)


def test_nodes_are_sorted() -> None:
    """Nodes that are listed before the nodes whose results they use are sorted at import."""
    proto = model(node("Relu", "a", "y", "last"), node("Neg", "x", "a", "first"))
    assert [op.name for op in import_model(proto, "m.onnx").walk()][2:4] == ["graph.neg", "graph.relu"]


def first_half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def with_invalid_name(data: bytes) -> bytes:
    return data.replace(b"linear", b"\xff\xfe\xfd\xfc\xfb\xfa")


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (first_half, "this is not an ONNX model, or it is incomplete"),
        (with_invalid_name, "a name in it is not UTF-8 text"),
    ],
)
def test_a_damaged_file_is_an_error(damage: Callable[[bytes], bytes], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(damage((MODELS / "resnet50.onnx").read_bytes()))
    with pytest.raises(InputError, match=expected) as error:
        import_onnx(str(path))
    assert error.value.place == str(path)


@pytest.mark.parametrize("content", [b"", b"hello, world"])
def test_a_file_that_is_no_model_is_an_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    with pytest.raises(InputError, match="this is not an ONNX model"):
        import_onnx(str(path))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't read the model: no such file or directory"):
        import_onnx(str(tmp_path / "m.onnx"))
    with pytest.raises(InputError, match="can't read the model: it is a folder"):
        import_onnx(str(tmp_path))
