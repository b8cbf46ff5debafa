"""What passes recognise and group computes what XLA computed."""

from __future__ import annotations

import numpy as np
import pytest

import ndpir
from tests.unit.stablehlo.test_cases import HELD, NAMES, arrays, largest_error


@pytest.mark.parametrize("name", NAMES)
def test_fused_numbers_are_those_of_xla(name: str) -> None:
    module = ndpir.parse(str(HELD[f"{name}/text"]), f"{name}.mlir")
    fused = ndpir.compile(module, "inline,canonicalize,fuse{attention=true}")
    for one, other in zip(ndpir.run(fused, arrays(name, "argument")), arrays(name, "result"), strict=True):
        if one.dtype.kind in "iub":
            np.testing.assert_array_equal(one, other)
            continue
        a, b = one.astype(np.float64), other.astype(np.float64)
        finite = np.isfinite(b)
        np.testing.assert_array_equal(a[~finite], b[~finite])
        scale = np.abs(b[finite]).max(initial=1e-30)
        assert np.abs(a[finite] - b[finite]).max(initial=0) <= 2 * largest_error(name, one.dtype) * scale
