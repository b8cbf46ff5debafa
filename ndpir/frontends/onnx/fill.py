"""Writer of the weight file that a model without weights refers to: `python -m ndpir.frontends.onnx.fill
MODEL.onnx`."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack
from typing import BinaryIO

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, element_count
from dialects.files import written
from interp.numerics.weights import uniform
from ndpir.frontends.onnx.model import read_model, refusal
from ndpir.frontends.onnx.tensors import TensorError, external_place, is_external, source_of, type_of_tensor


def fill(path: str) -> list[str]:
    """Generate all weights of the model at `path` that have a fill rule and no file yet; returns the paths of the
    written files.

    Other runtimes can then run the model. Raises InputError for a damaged model.
    """
    files: dict[str, BinaryIO] = {}
    with ExitStack() as stack:
        sources: list[tuple[g.UniformAttr, g.Tensor, str, int]] = []
        for tensor in read_model(path).graph.initializer:
            try:
                source = source_of(tensor, tensor.name, path)
                if is_external(tensor) and isinstance(source, g.UniformAttr):
                    sources.append((source, type_of_tensor(tensor), *external_place(tensor, path)))
            except TensorError as error:
                raise refusal(f"the initialiser `{tensor.name}` {error}", path) from None
        for source, type_, file, offset in sources:
            if file not in files:
                files[file] = stack.enter_context(written(file))
            low, high, seed = source.low.value.data, source.high.value.data, source.seed.value.data
            files[file].seek(offset)
            files[file].write(uniform(low, high, seed, element_count(type_), dtype_of(type_.element_type)).tobytes())
    return list(files)


def main() -> None:
    """Write the weight files of the models that the command line names, and print their sizes."""
    parser = argparse.ArgumentParser(
        "python -m ndpir.frontends.onnx.fill", description="Write the weight files to which models refer."
    )
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx", help="a model whose weights have fill rules")
    try:
        for model in parser.parse_args().models:
            for file in fill(model):
                print(f"{file}: {os.path.getsize(file)} bytes")
    except InputError as error:
        sys.exit(f"{error.place}: error: {error.message}")


if __name__ == "__main__":
    main()
