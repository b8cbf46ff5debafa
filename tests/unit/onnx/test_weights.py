"""Tests of sources of weights: numbers inside the model, in a file in the model's folder, or random ones from a seed.
The import itself reads no numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.parser import Parser

from dialects import graph as g
from dialects.diagnostics import InputError
from interp.walk.run import run_module
from ndpir.frontends.onnx import import_model, import_onnx
from ndpir.frontends.onnx.fill import fill


def save(path: Path, weight: TensorProto, nodes: Sequence[onnx.NodeProto] = ()) -> str:
    """Write the model y = x + w to `path`, and return the path."""
    shape = list(weight.dims)
    graph = helper.make_graph(
        [*nodes, helper.make_node("Add", ["x", "w"], ["y"])],
        "main",
        [helper.make_tensor_value_info("x", weight.data_type, shape)],
        [helper.make_tensor_value_info("y", weight.data_type, shape)],
        [] if nodes else [weight],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    path.write_bytes(model.SerializeToString())
    return str(path)


def external(count: int, fill_rule: str = "", **entries: object) -> TensorProto:
    """A weight of `count` f32 elements whose numbers are in another file."""
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[count], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": "m.weights", "offset": 0, "length": 4 * count, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    if fill_rule:
        tensor.metadata_props.add(key="fill", value=fill_rule)
    return tensor


def the_weight(module: ModuleOp) -> g.WeightOp:
    (weight,) = (op for op in module.walk() if isinstance(op, g.WeightOp))
    return weight


def splitmix(seed: int, index: int) -> int:
    """Output `index` (from 0) of splitmix64 from state `seed`, as in prng.di.unimi.it/splitmix64.c."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def test_small_weights_become_constants(tmp_path: Path) -> None:
    module = import_onnx(save(tmp_path / "m.onnx", numpy_helper.from_array(np.arange(256, dtype=np.float32), "w")))
    assert not [op for op in module.walk() if isinstance(op, g.WeightOp)]
    assert sum(isinstance(op, g.ConstantOp) for op in module.walk()) == 1


@pytest.mark.parametrize("as_node", [False, True])
def test_large_weights_stay_in_the_model_s_file(tmp_path: Path, as_node: bool) -> None:
    numbers = np.arange(300, dtype=np.float32)
    tensor = numpy_helper.from_array(numbers, "w")
    nodes = [helper.make_node("Constant", [], ["w"], value=tensor)] if as_node else []
    path = save(tmp_path / "m.onnx", tensor, nodes)
    module = import_onnx(path)
    source = the_weight(module).source
    assert isinstance(source, g.OnnxAttr)
    assert (source.path.data, source.tensor.data) == (path, "w")
    np.testing.assert_array_equal(run_module(module, [numbers])[0], 2 * numbers)


def test_external_data_is_read_from_its_file(tmp_path: Path) -> None:
    numbers = np.arange(300, dtype=np.float32)
    (tmp_path / "m.weights").write_bytes(bytes(64) + numbers.tobytes())
    module = import_onnx(save(tmp_path / "m.onnx", external(300, "uniform -1 1 seed 7", offset=64)))
    source = the_weight(module).source
    assert isinstance(source, g.FileAttr)
    assert (source.path.data, source.offset.value.data) == (str(tmp_path / "m.weights"), 64)
    np.testing.assert_array_equal(run_module(module, [numbers])[0], 2 * numbers)


def test_missing_data_with_a_fill_rule_is_generated(tmp_path: Path) -> None:
    module = import_onnx(save(tmp_path / "m.onnx", external(300, "uniform -0.5 1.5 seed 3405691582")))
    expected = [-0.5 + 2.0 * ((splitmix(3405691582, i) >> 40) / 2**24) for i in range(300)]
    (found,) = run_module(module, [np.zeros(300, np.float32)])
    np.testing.assert_array_equal(found, np.array(expected).astype(np.float32))


def test_fill_writes_the_numbers_that_a_run_would_generate(tmp_path: Path) -> None:
    path = save(tmp_path / "m.onnx", external(300, "uniform -0.5 1.5 seed 11", offset=4))
    (generated,) = run_module(import_onnx(path), [np.zeros(300, np.float32)])
    assert fill(path) == [str(tmp_path / "m.weights")]
    (read,) = run_module(import_onnx(path), [np.zeros(300, np.float32)])
    np.testing.assert_array_equal(generated, read)
    assert fill(path) == []


def test_missing_data_without_fill_rule_is_an_error_of_a_run_only(tmp_path: Path) -> None:
    module = import_onnx(save(tmp_path / "m.onnx", external(300)))
    assert isinstance(the_weight(module).source, g.FileAttr)
    with pytest.raises(InputError, match=r"m\.weights"):
        run_module(module, [np.zeros(300, np.float32)])


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (external(300, "gaussian 0 1"), "`w` has the fill rule 'gaussian 0 1'; expected `uniform LOW HIGH seed SEED`"),
        (external(300, "uniform a 1 seed 3"), "has the fill rule"),
        (external(300, "uniform 0 1 seed -3"), "has the fill rule"),
        (external(300, location="/etc/passwd"), "has its numbers in '/etc/passwd', which is no file beside"),
        (external(300, location="../w"), "which is no file beside the model"),
        (external(300, location=""), "which is no file beside the model"),
        (external(300, offset="x"), "has external data whose offset is 'x', not a number of bytes"),
        (external(300, offset=-4), "has external data whose offset is '-4'"),
        (external(300, length=1199), "is tensor<300xf32>, but its external data has 1199 bytes"),
    ],
)
def test_wrong_external_data_is_an_error(tensor: TensorProto, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        import_onnx(save(tmp_path / "m.onnx", tensor))
    assert message in error.value.message


def test_a_weight_used_twice_is_imported_once() -> None:
    weight = numpy_helper.from_array(np.ones((300,), np.float32), "w")
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Add", ["x", "w"], ["a"]), helper.make_node("Mul", ["a", "w"], ["y"])]
    ends = [value("x", TensorProto.FLOAT, [300])], [value("y", TensorProto.FLOAT, [300])]
    model = helper.make_model(
        helper.make_graph(nodes, "main", *ends, [weight]), opset_imports=[helper.make_opsetid("", 17)]
    )
    assert the_weight(import_model(model, "m.onnx")).y.has_more_than_one_use()


def test_any_name_can_be_printed_and_read_back() -> None:
    name = 'größe "w"\n'
    weight = numpy_helper.from_array(np.ones((300,), np.float32), name)
    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [300]) for end in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Add", ["x", name], ["y"])], "main", ends[:1], ends[1:], [weight])
    module = import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), "größe.onnx")
    context = Context()
    for dialect in (Builtin, Func, g.Graph):
        context.load_dialect(dialect)
    again = Parser(context, str(module)).parse_module()
    assert the_weight(again).sym.data == name
    assert str(again) == str(module)
