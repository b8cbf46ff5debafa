"""Runs of exported ops and programs in onnxruntime, for tests: with one thread and without log messages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

Array = NDArray[Any]


class NoKernel(Exception):
    """The error that onnxruntime cannot run an op with the given element types, although ONNX defines the op for
    them."""


def run_model(model: ModelProto | bytes, inputs: Sequence[Array]) -> list[Array]:
    """The results of a model from arrays in the order of its inputs."""
    ort: Any = import_module("onnxruntime")  # onnxruntime has no type hints
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    options.add_session_config_entry("session.x64quantprecision", "1")  # else x64 without VNNI saturates sums of pairs
    data = model if isinstance(model, bytes) else model.SerializeToString()
    try:
        session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no common base class
        if "NOT_IMPLEMENTED" in str(error):
            raise NoKernel(str(error)) from None
        raise
    feeds = {entry.name: array for entry, array in zip(session.get_inputs(), inputs, strict=True)}
    return list(session.run(None, feeds))


BOUNDS = {"bfloat16": 3e-2, "float16": 4e-3, "float32": 2e-5, "float64": 1e-12}
"""The tolerances, relative and absolute, between sums that are rounded in different orders."""


def assert_same(found: Array, expected: Array) -> None:
    """Check that two arrays have equal shapes and element types, and equal numbers up to the rounding of sums."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    bound = BOUNDS.get(expected.dtype.name, 0.0)
    np.testing.assert_allclose(
        found.astype(np.float64), expected.astype(np.float64), rtol=bound, atol=bound, equal_nan=True
    )
