"""Tests of `-t onnx`: exported ops of all families and complete networks compute the same in onnxruntime; programs that
ONNX can't express are errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

import ndpir
from dialects import graph as g
from dialects.diagnostics import InputError
from interp.numerics import evaluate
from interp.walk.entry import entry_of
from interp.walk.inputs import seeded_inputs
from interp.walk.run import run_module
from ndpir.cli.opt import main
from ndpir.writers.onnx.emit import model_of, op_model
from tests.graph_values import drawn, values
from tests.op_cases import OPS, X
from tests.programs import parse

pytest.importorskip("onnxruntime")

from tests.onnx_runs import assert_same, run_model

Array = NDArray[Any]
MODELS = Path("examples/models")


@pytest.mark.parametrize(("kind", "arrays", "words"), [case for case in OPS if case[0] is not g.ErfcOp])
def test_exported_ops_compute_the_same(
    kind: type[g.GraphOp], arrays: tuple[Array, ...], words: Mapping[str, Any]
) -> None:
    op = kind(*values(*arrays), **words)
    (expected,) = evaluate(op, list(arrays))
    (found,) = run_model(op_model(op, {}), arrays)
    assert_same(found, expected)


def test_an_operand_that_is_used_twice_is_one_input() -> None:
    (x,) = values(X)
    model = op_model(g.MulOp(x, x), {})
    assert [entry.name for entry in model.graph.input] == ["x0"]
    assert_same(run_model(model, [X])[0], X * X)


def test_known_operands_are_initialisers() -> None:
    x, w = values(drawn(2, 4), drawn(4, 3))
    model = op_model(g.MatmulOp(x, w), {w: drawn(4, 3)})
    assert [entry.name for entry in model.graph.initializer] == ["w1"]
    assert_same(run_model(model, [drawn(2, 4)])[0], drawn(2, 4) @ drawn(4, 3))


def test_values_keep_their_names() -> None:
    module = parse(
        "func.func @main(%image: tensor<2xf32>) -> tensor<2xf32> {\n  %half = graph.silu %image : tensor<2xf32>\n"
        "  %image_1 = graph.neg %half : tensor<2xf32>\n  func.return %image_1 : tensor<2xf32>\n}"
    )
    model = model_of(entry_of(module))
    assert [node.output[0] for node in model.graph.node] == ["sigmoid", "half", "image_1", "result0"]
    assert [entry.name for entry in model.graph.input] == ["image"]


def test_export_in_wide_types_uses_no_half_precision() -> None:
    module = parse(
        "func.func @main(%x: tensor<3xf16>) -> tensor<3xf16> {\n"
        "  %c = graph.constant [0.5, 1, 2] : tensor<3xf16>\n  %y = graph.mul %x, %c : tensor<3xf16>\n"
        "  %z = graph.cast %y : tensor<3xf16> -> tensor<3xbf16>\n"
        "  %u = graph.cast %z : tensor<3xbf16> -> tensor<3xf16>\n"
        "  func.return %u : tensor<3xf16>\n}"
    )
    model = model_of(entry_of(module), wide=True)
    (found,) = run_model(model, [np.array([1, 2, 3], np.float32)])
    assert found.dtype == np.float32
    assert found.tolist() == [0.5, 2, 6]


NETWORKS: list[tuple[str, dict[str, Any]]] = [
    ("mobilenet_v2", {"shapes": {"x": (1, 3, 64, 64)}}),
    ("resnet18_dynbatch", {"shapes": {"x": (1, 3, 64, 64)}}),
    ("bert_2layer_opset23", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "words"), NETWORKS, ids=lambda value: value if isinstance(value, str) else "")
def test_exported_networks_compute_the_same(name: str, words: dict[str, Any], tmp_path: Path) -> None:
    """A network that is fused and exported gives the original network's results, both in onnxruntime and in ndpir after
    the export is imported."""
    module = ndpir.compile(ndpir.read(MODELS / f"{name}.onnx", **words), "canonicalize,fuse")
    inputs = seeded_inputs(entry_of(module), 5)
    expected = run_module(module, inputs)
    path = tmp_path / "again.onnx"
    path.write_bytes(ndpir.write(module, "onnx").encode("latin-1"))
    onnx.checker.check_model(str(path))  # pyright: ignore[reportUnknownMemberType]
    reimported = run_module(ndpir.read(path), inputs)
    for outputs in (run_model(path.read_bytes(), inputs), reimported):
        for found, reference in zip(outputs, expected, strict=True):
            bound = 1e-5 * float(np.abs(np.asarray(reference, np.float64)).max())
            np.testing.assert_allclose(
                np.asarray(found, np.float64), np.asarray(reference, np.float64), rtol=0, atol=bound
            )


def test_calls_are_inlined_in_the_export_only() -> None:
    module = parse(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %y = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  func.return %y : tensor<2xf32>\n}\n"
        "func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %y = graph.add %x, %x : tensor<2xf32>\n  func.return %y : tensor<2xf32>\n}"
    )
    before = str(module)
    (found,) = run_model(ndpir.write(module, "onnx").encode("latin-1"), [np.array([1, 2], np.float32)])
    assert found.tolist() == [2, 4]
    assert str(module) == before


def test_results_that_are_inputs_or_equal_get_separate_names() -> None:
    module = parse(
        "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {\n"
        "  %y = graph.neg %x : tensor<2xf32>\n"
        "  func.return %x, %y, %y : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>\n}"
    )
    found = run_model(model_of(entry_of(module)), [np.array([1, 2], np.float32)])
    assert [array.tolist() for array in found] == [[1, 2], [-1, -2], [-1, -2]]


SMALL = "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  %y = graph.relu %x : tensor<2x3xf32>\n  func.return %y : tensor<2x3xf32>\n}\n"  # fmt: skip  # noqa: E501


def test_placed_programs_can_not_be_exported() -> None:
    placed = ndpir.compile(ndpir.parse(SMALL, "x"), "place{policy=gpu}", machine="toy")
    with pytest.raises(InputError, match="x:1:1: @main can't be written as ONNX: "):
        ndpir.write(placed, "onnx")


def test_the_driver_writes_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.mlir").write_text(SMALL)
    assert main(["x.mlir", "-t", "onnx", "-o", "x.onnx"]) == 0
    assert [node.op_type for node in onnx.load_from_string(Path("x.onnx").read_bytes()).graph.node] == [
        "Relu",
        "Identity",
    ]
    assert main(["x.onnx", "-o", "y.mlir"]) == 0
    assert "graph.relu %x" in Path("y.mlir").read_text()


def test_bytes_can_be_piped(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    (tmp_path / "x.mlir").write_text(SMALL)
    assert main([str(tmp_path / "x.mlir"), "-t", "onnx"]) == 0
    out, err = capfdbinary.readouterr()
    assert onnx.load_from_string(out).producer_name == "ndpir"
    assert err == b""


def test_weights_may_be_written_to_a_separate_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.mlir").write_text(
        "func.func @main(%x: tensor<1x64xf32>) -> tensor<1x32xf32> {\n"
        '  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<64x32xf32>\n'
        "  %y = graph.matmul %x, %w : tensor<1x64xf32>, tensor<64x32xf32>\n  func.return %y : tensor<1x32xf32>\n}\n"
    )
    assert main(["x.mlir", "-t", 'onnx{weights="x.data"}', "-o", "x.onnx"]) == 0
    assert Path("x.data").stat().st_size == 64 * 32 * 4
    assert Path("x.onnx").stat().st_size < 1000
    program = ndpir.read("x.mlir")
    inputs = seeded_inputs(entry_of(program), 0)
    assert_same(run_module(ndpir.read("x.onnx"), inputs)[0], run_module(program, inputs)[0])


def test_weights_too_large_for_one_file_of_onnx_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ndpir.writers.onnx.emit._LARGEST", 100)
    text = SMALL.replace("  %y", '  %w = graph.weight "w" = uniform(0.0, 1.0, 7) : tensor<2x3x9xf32>\n  %y', 1)
    with pytest.raises(InputError, match="an ONNX file holds at most 2 GB; write them to a separate file"):
        ndpir.write(ndpir.parse(text), "onnx")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "%y = graph.pool max %x kernel = [2] : tensor<1x2x4xi32>",
            "x:2:8: graph.pool can't be written as ONNX: ONNX's pooling supports 8-bit integers",
        ),
        ("%y = graph.pow %x, %x : tensor<1x2x4xi32>", None),
        ("%c = graph.cast %x : tensor<1x2x4xi32> -> tensor<1x2x4xui8>\n  %y = graph.pow %c, %c : tensor<1x2x4xui8>",
         "x:3:8: graph.pow can't be written as ONNX: ONNX's Pow does not support ui8; cast (graph.cast)"),
        ("%c = graph.cast %x : tensor<1x2x4xi32> -> tensor<1x2x4xi8>\n  %y = graph.reduce mean %c : tensor<1x2x4xi8>",
         "x:3:8: graph.reduce can't be written as ONNX: ONNX's ReduceMean does not support i8"),
        ("%i = graph.reshape %x : tensor<1x2x4xi32> -> tensor<8xi32>\n"
         "  %j = graph.slice %x starts = [0, 0, 0], ends = [1, 1, 0] : tensor<1x2x4xi32>\n"
         "  %y = graph.gather_nd %x, %j : tensor<1x2x4xi32>, tensor<1x1x0xi32>",
         "x:4:8: graph.gather_nd can't be written as ONNX: ONNX's index vectors must have at least one coordinate"),
        ("builtin.unrealized_conversion_cast to i32",
         "x:2:3: builtin.unrealized_conversion_cast can't be written as ONNX; functions may hold graph ops only"),
    ],
)  # fmt: skip
def test_an_op_that_onnx_can_not_express_is_an_error_at_its_location(body: str, expected: str | None) -> None:
    empty_function = "func.func @other() { func.return }"
    text = f"func.func @main(%x: tensor<1x2x4xi32>) {{\n  {body}\n  func.return\n}}\n{empty_function}"
    module = ndpir.parse(text, "x")
    if expected is None:
        assert ndpir.write(module, "onnx")
        return
    with pytest.raises(InputError) as error:
        ndpir.write(module, "onnx")
    assert str(error.value).startswith(expected)


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        (
            ["-t", "onnx", "--split-input-file", "-o", "y.onnx"],
            2,
            "-t onnx writes bytes, which --split-input-file would mix",
        ),
        (["-t", "onnx{entry=no}", "-o", "y.onnx"], 1, "there is no function @no"),
        (["-t", 'onnx{weights="no/w"}', "-o", "y.onnx"], 1, "no/w: error: can't be written: there is no folder no"),
        (["-t", "onnx", "-o", "no/y.onnx"], 1, "no/y.onnx: error: can't be written: there is no folder no"),
    ],
)
def test_a_wrong_command_line_is_an_error(
    words: list[str], status: int, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("x.mlir").write_text(SMALL)
    assert main(["x.mlir", *words]) == status
    assert expected in capsys.readouterr().err
    assert not Path("y.onnx").exists()


def test_bytes_are_not_written_to_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.mlir").write_text(SMALL)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main([str(tmp_path / "x.mlir"), "-t", "onnx"]) == 2
    assert (
        "-t onnx writes bytes, but stdout is a terminal; write to a file (-o FILE) or a pipe" in capsys.readouterr().err
    )
