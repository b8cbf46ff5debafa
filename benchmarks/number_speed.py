"""Speed of the interpreter on ResNet-50 with random weights, compared with onnxruntime on one thread.

The interpreter and onnxruntime run alternately, on the same input and the same weights (from the seeds in the file).
The time of weight generation is printed separately.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

import ndpir
from dialects.graph.constant import WeightOp
from interp.numerics.weights import weight_array

MODEL = Path(__file__).resolve().parents[1] / "examples" / "models" / "resnet50.onnx"
ROUNDS = 5


def main() -> None:
    onnxruntime: Any = import_module("onnxruntime")  # onnxruntime has no type annotations
    module = ndpir.read(str(MODEL))
    start = time.perf_counter()
    weights = {op.sym.data: weight_array(op) for op in module.walk() if isinstance(op, WeightOp)}
    filling = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        model = onnx.load(str(MODEL), load_external_data=False)  # pyright: ignore[reportUnknownMemberType]
        for tensor in model.graph.initializer:
            if tensor.data_location == onnx.TensorProto.EXTERNAL:
                tensor.CopyFrom(onnx.numpy_helper.from_array(np.asarray(weights[tensor.name]), tensor.name))
        file = Path(folder) / "filled.onnx"
        onnx.save(model, file)  # pyright: ignore[reportUnknownMemberType]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    image: NDArray[np.float32] = np.random.default_rng(0).uniform(-1, 1, (1, 3, 224, 224)).astype(np.float32)
    name = session.get_inputs()[0].name
    pairs: list[tuple[float, float]] = []
    errors: list[float] = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        ours = np.asarray(ndpir.run(module, [image])[0], np.float32)
        between = time.perf_counter()
        theirs = np.asarray(session.run(None, {name: image})[0], np.float32)
        pairs.append((between - start, time.perf_counter() - between))
        errors.append(float(np.abs(ours - theirs).max() / np.abs(theirs).max()))
    mine, peer = (statistics.median(column) for column in zip(*pairs[1:], strict=True))
    print(f"ResNet-50: ndpir {mine:.3f} s, onnxruntime on one thread {peer:.3f} s, {mine / peer:.2f}x (bar 3x)")
    print(f"largest error {max(errors):.1e}, relative to the largest output")
    print(f"weights filled once in {filling:.2f} s")


if __name__ == "__main__":
    main()
