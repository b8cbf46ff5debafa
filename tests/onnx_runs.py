"""Runs of exported ops and programs in onnxruntime, for tests: one thread, no chatter."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

Array = NDArray[Any]


class NoKernel(Exception):
    """onnxruntime has no kernel for an op of these element types, though ONNX has the op."""


def run_model(model: ModelProto | bytes, inputs: Sequence[Array]) -> list[Array]:
    """The results of a model from arrays in the order of its inputs."""
    ort: Any = import_module("onnxruntime")  # it has no types
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    data = model if isinstance(model, bytes) else model.SerializeToString()
    try:
        session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own are of no common kind
        if "NOT_IMPLEMENTED" in str(error):
            raise NoKernel(str(error)) from None
        raise
    feeds = {entry.name: array for entry, array in zip(session.get_inputs(), inputs, strict=True)}
    return list(session.run(None, feeds))


BOUNDS = {"bfloat16": 3e-2, "float16": 4e-3, "float32": 2e-5, "float64": 1e-12}
"""The tolerance between two orders of rounding, relative and absolute."""


def assert_same(found: Array, expected: Array) -> None:
    """Equal in shape and type, and in numbers up to the order of sums."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    bound = BOUNDS.get(expected.dtype.name, 0.0)
    np.testing.assert_allclose(
        found.astype(np.float64), expected.astype(np.float64), rtol=bound, atol=bound, equal_nan=True
    )
