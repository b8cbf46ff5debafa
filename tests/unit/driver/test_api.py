"""The Python interface, `import ndpir`: the driver's steps as functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ndpir

ROOT = Path(__file__).parents[3]
PROGRAM = """\
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func @main(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %y = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x8xf32>
  func.return %y : tensor<1x8xf32>
}
"""


def test_lowering_keeps_results() -> None:
    program = ndpir.parse(PROGRAM)
    inputs = [np.arange(8, dtype=np.float32).reshape(1, 8)]
    [before] = ndpir.run(program, inputs)
    placed = ndpir.compile(program, "place{policy=pim-first},to-pim")
    [after] = ndpir.run(placed, inputs)
    assert np.allclose(after.astype(np.float64), before.astype(np.float64), rtol=1e-5)
    assert "pim.launch" in ndpir.write(placed)
    assert "task.run" not in ndpir.write(program)  # compile works on a copy


def test_time_and_targets() -> None:
    placed = ndpir.compile(ndpir.parse(PROGRAM), "place{policy=gpu}")
    timeline = ndpir.simulate(placed)
    assert timeline.makespan_ns >= timeline.bound_ns > 0
    assert "makespan" in ndpir.write(placed, "timeline{limit=1}")


def test_a_model_with_a_symbolic_dimension() -> None:
    module = ndpir.read(ROOT / "examples" / "models" / "resnet18_dynbatch.onnx", dims={"b": 2})
    assert "tensor<2x1000xf32>" in ndpir.write(module)


def test_a_model_with_another_shape() -> None:
    module = ndpir.read(ROOT / "examples" / "models" / "mnasnet1_0.onnx", shapes={"x": (2, 3, 32, 32)})
    assert "(%x: tensor<2x3x32x32xf32>) -> tensor<2x1000xf32>" in ndpir.write(module)


def test_machine_argument() -> None:
    bare = ndpir.parse(PROGRAM[PROGRAM.index("func.func") :])
    assert 'hw.device @pim = "toy_pim"' in ndpir.write(ndpir.compile(bare, "place{policy=gpu}", machine="toy"))
    assert ndpir.simulate(bare, machine="toy").makespan_ns > 0


def test_negative_seed() -> None:
    with pytest.raises(ndpir.InputError, match="the seed must be a number of at least 0, not -1"):
        ndpir.run(ndpir.parse(PROGRAM), seed=-1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "func.func @f(",
            "x.mlir:1:14: an argument (%x: tensor<4xf32>) or a type is expected here in func.func, but the text ends",
        ),
        ("graph.rel", "x.mlir:1:1: unknown op `graph.rel`; did you mean `graph.relu`?"),
        ('"test.op"(%x) : (i32) -> ()', "x.mlir:1:11: %x is used but never defined"),
        ('hw.link @a to @b = "toy_link"', "x.mlir:1:1: hw.link: there is no device @a"),
        ("\n\n\xff".encode("latin-1").decode("utf-8", "surrogateescape"), "x.mlir:3:1: "),
    ],
)
def test_errors_have_locations(text: str, message: str) -> None:
    with pytest.raises(ndpir.InputError) as caught:
        ndpir.parse(text, "x.mlir")
    assert str(caught.value).startswith(message)


def test_errors_of_files_passes_targets_and_machines(tmp_path: Path) -> None:
    program = ndpir.parse(PROGRAM)
    binary = tmp_path / "x.mlir"
    binary.write_bytes(b"\xff")
    for wrong, message in (
        (
            lambda: ndpir.read("nosuch.mlir"),
            "nosuch.mlir: can't be read: there is no such file",
        ),
        (lambda: ndpir.read(tmp_path), "can't be read: it is a folder"),
        (lambda: ndpir.read(binary), "x.mlir:1:1: byte 0xFF is not UTF-8 text"),
        (
            lambda: ndpir.read(binary, dims={"b": 8}),
            "`dims` applies only to models of ONNX",
        ),
        (
            lambda: ndpir.read(binary, shapes={"x": (1,)}),
            "`shapes` applies only to models of ONNX",
        ),
        (lambda: ndpir.compile(program, "fus"), "passes:1:1: unknown pass `fus`; did you mean `fuse`?"),
        (lambda: ndpir.compile(program, "canonicalize", machine="nosuch"), "`nosuch`"),
        (lambda: ndpir.write(program, "timelin"), "target:1:1: unknown target `timelin`; did you mean `timeline`?"),
        (lambda: ndpir.load_plugin("nosuch.py"), "nosuch.py: the plugin can't be read"),
    ):
        with pytest.raises(ndpir.InputError) as caught:
            wrong()
        assert message in str(caught.value)


def test_the_example_plugin() -> None:
    ndpir.load_plugin(ROOT / "examples" / "plugin" / "mine.py")
    program = ndpir.read(ROOT / "examples" / "plugin" / "scaled.mlir")
    assert "graph.mul" in ndpir.write(ndpir.compile(program, "lower-mine"))
    assert "task.run @pim" in ndpir.write(ndpir.compile(program, "mine", machine="a100-fast"))


def test_importing_ndpir_imports_nothing_else() -> None:
    code = "import sys, ndpir; print(sorted({'xdsl', 'numpy', 'onnx', 'dialects', 'interp'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
