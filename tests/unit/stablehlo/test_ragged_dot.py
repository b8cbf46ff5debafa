"""Products of ragged groups: results in all modes, and work that counts each row once."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

import ndpir
from dialects import graph as g
from interp.kinds.gpu.kernels import kernels_of
from tests.stablehlo_random import relative_error

SIZES = np.array([3, 0, 7, 2], np.int32)
NUMBERS = """ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [{}],
      rhs_contracting_dimensions = [{}], lhs_ragged_dimensions = [0]{}>"""


def program(groups_in_sums: bool) -> str:
    """A product of 16 rows with 4 matrices, as JAX lowers it for a TPU; if `groups_in_sums`, the gradient of this
    product by the matrices, which sums over the rows of each group."""
    right, made = ("16x6", "4x8x6") if groups_in_sums else ("4x8x6", "16x6")
    numbers = NUMBERS.format(0, 0, "") if groups_in_sums else NUMBERS.format(1, 1, ", rhs_group_dimensions = [0]")
    types = f"tensor<16x8xf32>, tensor<{right}xf32>, tensor<4xi32>"
    takes = f"%a: tensor<16x8xf32>, %b: tensor<{right}xf32>, %n: tensor<4xi32>"
    return f"""func.func @main({takes}) -> tensor<{made}xf32> {{
      %0 = "chlo.ragged_dot"(%a, %b, %n) <{{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>],
      {numbers}}}> : ({types}) -> tensor<{made}xf32>
      return %0 : tensor<{made}xf32>
    }}"""


@pytest.mark.parametrize("groups_in_sums", [False, True])
def test_each_group_has_its_own_product(groups_in_sums: bool) -> None:
    random = np.random.default_rng(0)
    a = random.standard_normal((16, 8)).astype(np.float32)
    b = random.standard_normal((16, 6) if groups_in_sums else (4, 8, 6)).astype(np.float32)
    ends = np.cumsum(SIZES)
    parts = [slice(end - size, end) for end, size in zip(ends, SIZES, strict=True)]
    if groups_in_sums:
        expected = np.stack([a[part].T @ b[part] for part in parts])
    else:  # rows after the last group are 0
        products = [a[part] @ each for part, each in zip(parts, b, strict=True)]
        expected = np.concatenate([*products, np.zeros((16 - ends[-1], 6), np.float32)])
    module = ndpir.parse(program(groups_in_sums), "ragged.mlir")
    assert relative_error(ndpir.run(module, [a, b, SIZES])[0], expected) < 1e-6
    written = ndpir.parse(ndpir.write(module, "stablehlo"), "written.mlir")
    assert relative_error(ndpir.run(written, [a, b, SIZES])[0], expected) < 1e-6


@pytest.mark.parametrize("groups_in_sums", [False, True])
def test_each_row_counts_once(groups_in_sums: bool) -> None:
    op = next(op for op in ndpir.parse(program(groups_in_sums)).walk() if isinstance(op, g.RaggedMatmulOp))
    assert op.work().macs == 16 * 8 * 6
    (kernel,) = kernels_of(op)
    names = ("batch", "m", "n", "k") if groups_in_sums else ("rows", "hidden", "inter")
    assert prod(kernel.numbers[name] for name in names) == op.work().macs
