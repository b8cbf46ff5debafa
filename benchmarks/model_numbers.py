"""Errors of every example model's results, relative to an independent runtime.

    python benchmarks/model_numbers.py [MODEL …]

Models with more than 1 GB of weights are skipped; weights are random, from seeds. The peer (independent runtime) is
onnxruntime on one thread, or onnx's reference evaluator for bfloat16, for which onnxruntime has no kernels. The error
is the largest difference relative to the largest output; at most 1e-5 in f32, 2e-2 in f16 and bf16.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, bf16, f32

from dialects import graph as g
from dialects.element_types import byte_count
from interp.walk.entry import entry_of
from interp.walk.inputs import seeded_inputs
from interp.walk.run import run_module
from ndpir.frontends.onnx import import_onnx
from ndpir.frontends.onnx.fill import fill

MODELS = Path(__file__).parent.parent / "examples" / "models"
LARGEST = 10**9
DIMS = {"resnet18_dynbatch": {"b": 1}}
Array = NDArray[Any]


@dataclass(frozen=True)
class Row:
    """The result for one model: times in seconds, and the error relative to the largest output of the peer."""

    model: str
    megabytes: float
    peer: str
    peer_seconds: float
    seconds: float
    error: float
    bound: float


def compare(path: Path, dims: dict[str, int] | None = None, seed: int = 0) -> Row:
    """Fill a copy of the model at `path` with weights, and run it in ndpir and in the peer on the same seeded
    inputs."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(path, folder))
        fill(str(copy))
        module = import_onnx(str(path), dims)  # fills weights from the same seeds; the peer reads the file
        inputs = seeded_inputs(entry_of(module), seed)
        wide = f32 in _element_types(module) and bf16 not in _element_types(module)
        start = time.perf_counter()
        found = run_module(module, inputs)
        seconds = time.perf_counter() - start
        run = reference if bf16 in _element_types(module) else onnxruntime
        expected, peer_seconds = run(copy, inputs)
    error = max(relative(a, b) for a, b in zip(found, expected, strict=True))
    return Row(
        path.stem, weight_bytes(module) / 1e6, run.__name__, peer_seconds, seconds, error, 1e-5 if wide else 2e-2
    )


def onnxruntime(path: Path, inputs: Sequence[Array]) -> tuple[list[Array], float]:
    """Return onnxruntime's outputs, and the time of a second run in s."""
    ort: Any = import_module("onnxruntime")  # onnxruntime has no type annotations
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feeds = {value.name: array for value, array in zip(session.get_inputs(), inputs, strict=True)}
    session.run(None, feeds)
    start = time.perf_counter()
    return session.run(None, feeds), time.perf_counter() - start


def reference(path: Path, inputs: Sequence[Array]) -> tuple[list[Array], float]:
    """Return the outputs of onnx's reference evaluator, and its time in s.

    The evaluator's layer norm is replaced: it computes statistics in bfloat16, although the standard's `stash_type`
    demands f32.
    """
    import onnx
    from onnx.reference import ReferenceEvaluator
    from onnx.reference.ops.op_layer_normalization import LayerNormalization as InOperandType

    class LayerNormalization(InOperandType):
        def _run(self, X: Array, *others: Any, **attributes: Any) -> tuple[Array, Array, Array]:
            wide = [array if array is None else array.astype(np.float32) for array in (X, *others)]
            y, mean, deviation = super()._run(*wide, **attributes)  # pyright: ignore[reportUnknownMemberType]
            return y.astype(X.dtype), mean, deviation

    model = onnx.load(path)  # pyright: ignore[reportUnknownMemberType]
    evaluator = ReferenceEvaluator(model, new_ops=[LayerNormalization])
    feeds = {value.name: array for value, array in zip(model.graph.input, inputs, strict=True)}
    start = time.perf_counter()
    return evaluator.run(None, feeds), time.perf_counter() - start  # pyright: ignore


def relative(found: Array, expected: Array) -> float:
    """Return the largest difference, relative to the largest element of `expected`."""
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    assert found.shape == expected.shape
    assert np.isfinite(expected).all()
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def weights(module: ModuleOp) -> list[g.WeightOp]:
    return [op for op in module.walk() if isinstance(op, g.WeightOp)]


def weight_bytes(module: ModuleOp) -> int:
    return sum(byte_count(g.tensor_of(op.y)) for op in weights(module))


def _element_types(module: ModuleOp) -> set[object]:
    return {g.tensor_of(op.y).element_type for op in weights(module)}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path, help="model files (default: all of examples/models)")
    chosen = parser.parse_args(arguments).models or sorted(MODELS.glob("*.onnx"))
    worst = 0.0
    print(f"{'model':28} {'MB':>6}  {'peer':12} {'peer s':>7} {'here s':>7} {'ratio':>6}  {'error':>8} {'of bound':>8}")
    for path in chosen:
        dims = DIMS.get(path.stem)
        if (size := weight_bytes(import_onnx(str(path), dims))) > LARGEST:
            print(f"{path.stem:28} {size / 1e6:6.0f}  skipped: more than {LARGEST / 1e9:g} GB of weights")
            continue
        row = compare(path, dims)
        worst = max(worst, row.error / row.bound)
        print(
            f"{row.model:28} {row.megabytes:6.0f}  {row.peer:12} {row.peer_seconds:7.2f} {row.seconds:7.2f} "
            f"{row.seconds / row.peer_seconds:6.1f}  {row.error:8.1e} {row.error / row.bound:8.1%}",
            flush=True,
        )
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
