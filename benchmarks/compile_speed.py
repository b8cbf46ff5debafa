"""Compile time from ONNX file to timeline, compared with onnx's shape inference, and its growth with program size.

Each time is of a complete process; shape inference reads the same file. Growth is measured on a chain of pre-norm
transformer blocks (batch 1, 128 tokens, width 256), which this benchmark writes as ONNX, 8 and 64 blocks long. The time
of the import alone is measured on chains of 10,000 and 100,000 nodes, from their file to their printed IR.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MODELS = Path(__file__).resolve().parents[1] / "examples" / "models"
BARS = {"mobilenet_v2": 2.0, "gpt2": 4.0, "llama2_7b_decode_kv511_f16": 12.0}
INFER = """
import onnx, sys
onnx.shape_inference.infer_shapes(onnx.load(sys.argv[1], load_external_data=False), data_prop=True)
"""


def wall(*command: str, rounds: int = 3) -> float:
    """Run a command in a new process `rounds` times; return the wall time of the fastest run, s."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def to_timeline(file: Path) -> float:
    tool = Path(sys.executable).with_name("ndp-opt")
    return wall(str(tool), str(file), "--machine", "a100-newton", "-p", "offload", "-t", "timeline")


def transformer(blocks: int, width: int = 256, tokens: int = 128, heads: int = 4) -> onnx.ModelProto:
    """Build a chain of transformer blocks that share their weights, so that the file's size depends only on the number
    of nodes."""
    nodes: list[onnx.NodeProto] = []
    rng = np.random.default_rng(0)
    arrays = {
        "scale": np.ones(width, np.float32),
        "w": rng.uniform(-0.1, 0.1, (width, width)).astype(np.float32),
        "up": rng.uniform(-0.1, 0.1, (width, 4 * width)).astype(np.float32),
        "down": rng.uniform(-0.1, 0.1, (4 * width, width)).astype(np.float32),
        "split": np.array([tokens, heads, width // heads], np.int64),
        "merge": np.array([tokens, width], np.int64),
    }
    count = 0

    def op(kind: str, *inputs: str, **attributes: Any) -> str:
        nonlocal count
        count += 1
        nodes.append(helper.make_node(kind, list(inputs), [f"v{count}"], name=f"{kind.lower()}{count}", **attributes))
        return f"v{count}"

    x = "x"
    for _ in range(blocks):
        h = op("LayerNormalization", x, "scale", "scale")
        q, k, v = (op("Transpose", op("Reshape", op("MatMul", h, "w"), "split"), perm=[1, 0, 2]) for _ in range(3))
        scores = op("Softmax", op("MatMul", q, op("Transpose", k, perm=[0, 2, 1])))
        mixed = op("Reshape", op("Transpose", op("MatMul", scores, v), perm=[1, 0, 2]), "merge")
        x = op("Add", x, op("MatMul", mixed, "w"))
        h = op("Relu", op("MatMul", op("LayerNormalization", x, "scale", "scale"), "up"))
        x = op("Add", x, op("MatMul", h, "down"))
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [tokens, width]) for name in ("x", x)]
    weights = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "transformer", value[:1], value[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def chain(nodes: int, backwards: bool = False) -> onnx.ModelProto:
    """Build layers of Add, Relu, MatMul and Reshape with separate constants; with `backwards`, the file lists the nodes
    in reverse order."""
    arrays = {
        "Add": np.ones(16, np.float32),
        "MatMul": np.eye(16, dtype=np.float32),
        "Reshape": np.array([-1, 16], np.int64),
    }
    kinds = ("Add", "Relu", "MatMul", "Reshape")
    made: list[onnx.NodeProto] = []
    known: list[TensorProto] = []
    for index in range(nodes):
        kind, inputs = kinds[index % len(kinds)], [f"v{index}"]
        if kind in arrays:
            known.append(numpy_helper.from_array(arrays[kind], f"n{index}"))
            inputs.append(f"n{index}")
        made.append(helper.make_node(kind, inputs, [f"v{index + 1}"], name=f"{kind.lower()}{index}"))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [16, 16]) for name in ("v0", f"v{nodes}")]
    graph = helper.make_graph(made[::-1] if backwards else made, "chain", ends[:1], ends[1:], known)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def to_text(file: Path) -> float:
    tool = Path(sys.executable).with_name("ndp-opt")
    return wall(str(tool), str(file), "-o", str(file.with_suffix(".mlir")))


def main() -> None:
    print(f"{'model':30} {'to timeline':>12} {'bar':>6} {'onnx shapes':>12} {'ratio':>7}")
    for model, bar in BARS.items():
        ours, peer = (
            to_timeline(MODELS / f"{model}.onnx"),
            wall(sys.executable, "-c", INFER, str(MODELS / f"{model}.onnx")),
        )
        print(f"{model:30} {ours:10.2f} s {bar:4.0f} s {peer:10.2f} s {ours / peer:6.1f}x")
    with tempfile.TemporaryDirectory() as folder:
        times: list[float] = []
        for blocks in (8, 64):
            file = Path(folder) / f"transformer{blocks}.onnx"
            onnx.save(transformer(blocks), file)  # pyright: ignore[reportUnknownMemberType]
            times.append(to_timeline(file))
            print(f"transformer, {blocks} blocks: {times[-1]:.2f} s")
        print(f"8x the layers cost {times[1] / times[0]:.1f}x the time (bar 10x)")
        for nodes, backwards in ((10_000, False), (100_000, False), (100_000, True)):
            file = Path(folder) / "chain.onnx"
            onnx.save(chain(nodes, backwards), file)  # pyright: ignore[reportUnknownMemberType]
            order = ", last one first" if backwards else ""
            print(f"{nodes:,} nodes{order}: {to_text(file):.2f} s to text (bar {nodes / 10_000:.0f} s)")


if __name__ == "__main__":
    main()
