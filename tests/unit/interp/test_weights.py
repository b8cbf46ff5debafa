"""Tests of reading weights: seeded random numbers, files, ONNX models, and errors for missing ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from xdsl.dialects.builtin import StringAttr

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import element_type_of, tensor_type
from dialects.locations import at_line
from interp.numerics import weights
from interp.numerics.weights import uniform, weight_array

MASK = (1 << 64) - 1


def weight(source: g.WeightSource, shape: tuple[int, ...], dtype: Any) -> g.WeightOp:
    op = g.WeightOp("w", source, tensor_type(shape, element_type_of(np.dtype(dtype))))
    op.location = at_line("net.mlir", 3, 5)
    return op


def splitmix64(state: int, count: int) -> list[int]:
    """The first `count` outputs of splitmix64, as printed by Steele, Lea and Flood (2014)."""
    numbers: list[int] = []
    for _ in range(count):
        state = state + 0x9E3779B97F4A7C15 & MASK
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        numbers.append(z ^ z >> 31)
    return numbers


@pytest.mark.parametrize("seed", [0, 3405691582, MASK, -1])
def test_the_fill_is_splitmix64(seed: int) -> None:
    exact = np.array([-0.3 + (0.5 - -0.3) * ((z >> 40) / 2**24) for z in splitmix64(seed, 50)])
    assert uniform(-0.3, 0.5, seed, 50, np.dtype(np.float32)).tolist() == exact.astype(np.float32).tolist()
    op = weight(g.UniformAttr(g.real(-0.3), g.real(0.5), g.integer(seed % 2**63)), (5, 10), np.float16)
    assert weight_array(op).shape == (5, 10)


def test_the_first_numbers_of_a_published_seed() -> None:
    assert [hex(z) for z in splitmix64(1234567, 2)] == [
        "0x599ed017fb08fc85",
        "0x2c73f08458540fa5",
    ]  # from Vigna's reference implementation
    assert uniform(0.0, 1.0, 1234567, 2, np.dtype(np.float64)).tolist() == [
        float(np.float32((z >> 40) / 2**24)) for z in (0x599ED017FB08FC85, 0x2C73F08458540FA5)
    ]


def test_random_weights_are_rounded_to_f32_before_the_element_type() -> None:
    single = uniform(-1.0, 1.0, 7, 70000, np.dtype(np.float32))  # more than one chunk
    assert (uniform(-1.0, 1.0, 7, 70000, np.dtype(np.float16)) == single.astype(np.float16)).all()
    brain = uniform(-1.0, 1.0, 7, 70000, np.dtype(ml_dtypes.bfloat16))
    assert (brain == single.astype(ml_dtypes.bfloat16)).all()
    assert len(np.unique(single)) > 69000


def test_a_file_is_read_from_its_offset(tmp_path: Path) -> None:
    path = tmp_path / "net.weights"
    numbers = np.arange(8, dtype="<f4")
    path.write_bytes(b"head" + numbers.tobytes())
    source = g.FileAttr(StringAttr(str(path)), g.integer(8))
    array = weight_array(weight(source, (2, 3), np.float32))
    assert array.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert not array.flags.writeable
    path.write_bytes(b"head" + (numbers + 1).tobytes() + b"!")
    assert weight_array(weight(source, (2, 3), np.float32))[0, 0] == 2.0  # a changed file is read again


@pytest.mark.parametrize(
    ("offset", "expected"),
    [(0, "the file ends after 12 bytes"), (8, "from byte 8"), (999, "it is cut short, or belongs to another model")],
)
def test_a_short_file_is_an_error(tmp_path: Path, offset: int, expected: str) -> None:
    path = tmp_path / "net.weights"
    path.write_bytes(bytes(12))
    with pytest.raises(InputError, match=expected) as error:
        weight_array(weight(g.FileAttr(StringAttr(str(path)), g.integer(offset)), (4,), np.float32))
    assert error.value.place == "net.mlir:3:5"


def test_the_error_for_a_missing_file_states_a_remedy(tmp_path: Path) -> None:
    for source in (
        g.FileAttr(StringAttr(str(tmp_path / "gone")), g.integer(0)),
        g.OnnxAttr(StringAttr(str(tmp_path / "gone")), StringAttr("w")),
    ):
        with pytest.raises(InputError, match=r'weight "w": .*gone can\'t be read \(no such file.*fill the weight'):
            weight_array(weight(source, (4,), np.float32))
    with pytest.raises(InputError, match="can't be read"):
        weight_array(weight(g.FileAttr(StringAttr(str(tmp_path)), g.integer(0)), (4,), np.float32))
    with pytest.raises(InputError, match="can't be read"):
        weight_array(weight(g.FileAttr(StringAttr("a\0b"), g.integer(0)), (4,), np.float32))


@pytest.fixture
def model(tmp_path: Path) -> str:
    """The path of a model with an initialiser, an external initialiser whose file is missing, and a Constant node."""
    brain = helper.make_tensor(
        "b", TensorProto.BFLOAT16, [2], np.array([1.5, -2], ml_dtypes.bfloat16).tobytes(), raw=True
    )
    gone = numpy_helper.from_array(np.zeros(4, np.float32), "gone")
    set_external_data(gone, "nowhere.weights")
    gone.ClearField("raw_data")
    constant = helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.array([[7]], np.int64)))
    graph = helper.make_graph([constant], "net", [], [], [numpy_helper.from_array(np.eye(2), "w"), brain, gone])
    path = tmp_path / "net.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return str(path)


def from_onnx(path: str, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    return weight_array(weight(g.OnnxAttr(StringAttr(path), StringAttr(name)), shape, dtype))


def test_a_models_tensors_are_read(model: str) -> None:
    assert from_onnx(model, "w", (2, 2), np.float64).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert from_onnx(model, "b", (2,), ml_dtypes.bfloat16).astype(float).tolist() == [1.5, -2.0]
    assert from_onnx(model, "c", (1, 1), np.int64).tolist() == [[7]]


def test_weights_missing_in_a_model_are_errors(model: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match='holds no initialiser or constant named "x"'):
        from_onnx(model, "x", (2, 2), np.float64)
    with pytest.raises(InputError, match=r'"w" in .* holds float64 of shape \[2, 2\], but the weight is written as'):
        from_onnx(model, "w", (2, 2), np.float32)
    with pytest.raises(InputError, match=r'"gone" in .* can\'t be read'):
        from_onnx(model, "gone", (4,), np.float32)
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"\xff\xff\xff not a model")
    with pytest.raises(InputError, match="is not an ONNX model"):
        from_onnx(str(broken), "w", (2, 2), np.float64)


def test_memory_between_runs_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "KEPT_BYTES", 100)
    ops = [
        weight(g.UniformAttr(g.real(0.0), g.real(1.0), g.integer(seed)), (10,), np.float32) for seed in (901, 902, 903)
    ]
    first, second = weight_array(ops[0]), weight_array(ops[1])
    assert weight_array(ops[0]) is first
    weight_array(ops[2])  # evicts the least recently used array
    assert weight_array(ops[0]) is first
    assert weight_array(ops[1]) is not second
