"""Results of small functions that JAX lowered equal those of XLA, up to rounding."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import ndpir
from tests import stablehlo_cases, stablehlo_loops, stablehlo_ops
from tests.stablehlo_random import relative_error

HELD = {**np.load(stablehlo_cases.DATA), **np.load(stablehlo_loops.DATA), **np.load(stablehlo_ops.DATA)}
NAMES = sorted({key.partition("/")[0] for key in HELD})
LARGEST_ERROR = {"float16": 2e-3, "bfloat16": 1.5e-2, "float32": 5e-6}
"""The largest error relative to the largest entry of a result, by the result's type; other types must be equal."""
LARGEST_ERROR_OF_STEPS = 5e-5
"""The largest relative error of training steps in f32, whose optimizers divide by small numbers."""


def largest_error(name: str, dtype: np.dtype[Any]) -> float:
    return (
        LARGEST_ERROR_OF_STEPS
        if name.startswith("train_") and dtype == np.float32
        else LARGEST_ERROR.get(str(dtype), 0.0)
    )


def arrays(name: str, kind: str) -> list[NDArray[Any]]:
    """The arguments (`in`) or results (`out`) of a case."""
    keys = [key for key in HELD if key.startswith(f"{name}/{kind}")]
    keys.sort(key=lambda key: int(key.removeprefix(f"{name}/{kind}").split()[0]))
    return [HELD[key].view(ml_dtypes.bfloat16) if key.endswith(" bf16") else HELD[key] for key in keys]


@pytest.mark.parametrize("name", NAMES)
def test_results_equal_those_of_xla(name: str) -> None:
    module = ndpir.parse(str(HELD[f"{name}/text"]), f"{name}.mlir")
    ours, theirs = ndpir.run(module, arrays(name, "argument")), arrays(name, "result")
    for one, other in zip(ours, theirs, strict=True):
        assert relative_error(one, other) <= largest_error(name, one.dtype)
