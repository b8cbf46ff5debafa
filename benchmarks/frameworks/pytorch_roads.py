"""Makespan and number of kernels of PyTorch's models by torch.export and by an export to ONNX, side by side.

Both roads read the same numbers: parameters are drawn first, since exporters fold those that are zeros or equal."""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import ndpir
from benchmarks.frameworks.architectures import MODELS

WITHIN = 0.05
"""The share by which roads may differ."""


def drawn(name: str) -> tuple[Any, Sequence[Any]]:
    """A model with drawn parameters, and its inputs."""
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    with torch.no_grad():
        for value in module.parameters():
            value.add_(0.01 * torch.randn_like(value))
    return module.eval(), inputs


def roads(name: str, folder: str) -> tuple[Any, str]:
    """An exported program, and the path of the same model as ONNX."""
    module, inputs = drawn(name)
    path = str(Path(folder) / f"{name}.onnx")
    with torch.no_grad():
        program = torch.export.export(module, tuple(inputs), strict=False)
        torch.onnx.export(module, tuple(inputs), path, dynamo=True, opset_version=20, verbose=False)
    return program, path


def figures(model: Any, machine: str, passes: str) -> tuple[float, int]:
    """The makespan in ns and the number of kernels."""
    answer = ndpir.answer(ndpir.compile(ndpir.read(model), passes, machine=machine))
    return answer.totals.makespan_ns, answer.tasks


def compare(name: str, machine: str, pipelines: Sequence[str]) -> list[bool]:
    """Print a line for each pipeline; True for those in which both figures agree. Empty if a road is closed."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            program, path = roads(name, folder)
            found = [
                (passes, figures(path, machine, passes), figures(program, machine, passes)) for passes in pipelines
            ]
        except Exception as error:  # the exporter's errors have no common type
            print(f"{name:20} not read by both: {' '.join(str(error).split())[:90]}", flush=True)
            return []
    agree: list[bool] = []
    for passes, (onnx, onnx_kernels), (own, own_kernels) in found:
        agree.append(abs(own / onnx - 1) <= WITHIN and abs(own_kernels / onnx_kernels - 1) <= WITHIN)
        word = "" if agree[-1] else "  less" if own <= onnx and own_kernels <= onnx_kernels else "  MORE"
        print(
            f"{name:20} {passes:8} {onnx / 1e3:9.2f} us by ONNX, {own / 1e3:9.2f} us by torch.export "
            f"({own / onnx:.3f}), kernels {onnx_kernels} and {own_kernels}{word}",
            flush=True,
        )
    return agree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="models whose names have a WORD, or all")
    parser.add_argument("--machine", default="a100-newton")
    parser.add_argument("--passes", nargs="*", default=["gpu-only", "offload"])
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    names = [name for name in MODELS if not given.words or any(word in name for word in given.words)]
    agree = [each for name in names for each in compare(name, given.machine, given.passes)]
    print(f"{sum(agree)} of {len(agree)} within {WITHIN:.0%}")
    sys.exit(not agree)


if __name__ == "__main__":
    main()
