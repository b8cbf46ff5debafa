"""Programs in which passes recognize and fuse groups of ops have the results of XLA, up to rounding."""

from __future__ import annotations

import pytest

import ndpir
from tests.stablehlo_random import relative_error
from tests.unit.stablehlo.test_cases import HELD, NAMES, arrays, largest_error


@pytest.mark.parametrize("name", NAMES)
def test_results_of_fused_programs_equal_those_of_xla(name: str) -> None:
    module = ndpir.parse(str(HELD[f"{name}/text"]), f"{name}.mlir")
    fused = ndpir.compile(module, "inline,canonicalize,fuse{attention=true}")
    for one, other in zip(ndpir.run(fused, arrays(name, "argument")), arrays(name, "result"), strict=True):
        assert relative_error(one, other) <= 2 * largest_error(name, one.dtype)
