"""Laws of products of experts: what exporters write with gathered matrices has the same values as one product, and work
counts the experts that rows are expected to choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ndpir
from dialects import graph as g
from dialects.graph.contraction import expected_experts, power_law_shares

SIZES = st.integers(1, 4)


def written(tokens: int, choices: int, experts: int, k: int, n: int, form: str) -> str:
    """A product of rows with gathered matrices, in one of the forms of exporters."""
    rows = tokens * choices
    table, matrix = (f"{n}x{k}", f"{n}x{k}") if "left" in form else (f"{k}x{n}", f"{k}x{n}")
    column = f"{rows}x{k}x1" if "left" in form else f"{rows}x1x{k}"
    result = f"{rows}x{n}x1" if "left" in form else f"{rows}x1x{n}"
    small = "dequantized" in form
    weights = f"tensor<{experts}x{table}x{'i8' if small else 'f32'}>"
    scales = f", %s: tensor<{experts}x{'x'.join(['1', table.split('x')[1]])}xf32>" if small else ""
    lines = [
        f"func.func @f(%x: tensor<{tokens}x{k}xf32>, %w: {weights}{scales}, %i: tensor<{tokens}x{choices}xi64>, "
        f"%b: tensor<{experts}x{n}xf32>) -> tensor<{rows}x{n}xf32> {{",
        f"  %one = graph.reshape %x : tensor<{tokens}x{k}xf32> -> tensor<{tokens}x1x{k}xf32>",
        f"  %all = graph.broadcast %one : tensor<{tokens}x1x{k}xf32> -> tensor<{tokens}x{choices}x{k}xf32>",
        f"  %v = graph.reshape %all : tensor<{tokens}x{choices}x{k}xf32> -> tensor<{column}xf32>",
        f"  %ids = graph.reshape %i : tensor<{tokens}x{choices}xi64> -> tensor<{rows}xi64>",
    ]
    if small:
        table = f"tensor<{experts}x{matrix}xi8>, tensor<{experts}x{'x'.join(['1', matrix.split('x')[1]])}xf32>"
        lines.append(f"  %d = graph.dequantize %w, %s : {table}")
    source = "%d" if small else "%w"
    if "nd" in form:
        lines += [
            f"  %at = graph.reshape %ids : tensor<{rows}xi64> -> tensor<{rows}x1xi64>",
            f"  %m = graph.gather_nd {source}, %at : tensor<{experts}x{matrix}xf32>, tensor<{rows}x1xi64>",
            f"  %c = graph.gather_nd %b, %at : tensor<{experts}x{n}xf32>, tensor<{rows}x1xi64>",
        ]
    else:
        lines += [
            f"  %m = graph.gather {source}, %ids : tensor<{experts}x{matrix}xf32>, tensor<{rows}xi64>",
            f"  %c = graph.gather %b, %ids : tensor<{experts}x{n}xf32>, tensor<{rows}xi64>",
        ]
    factors = ("%m, %v", f"tensor<{rows}x{matrix}xf32>, tensor<{column}xf32>")
    if "left" not in form:
        factors = ("%v, %m", f"tensor<{column}xf32>, tensor<{rows}x{matrix}xf32>")
    lines += [
        f"  %p = graph.matmul {factors[0]} : {factors[1]}",
        f"  %r = graph.reshape %p : tensor<{result}xf32> -> tensor<{rows}x{n}xf32>",
        f"  %y = graph.add %r, %c : tensor<{rows}x{n}xf32>",
        f"  func.return %y : tensor<{rows}x{n}xf32>",
        "}",
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("form", ["left", "right", "left nd", "right nd", "left dequantized", "right nd dequantized"])
@given(st.integers(1, 3), SIZES, st.integers(1, 5), SIZES, SIZES, st.integers(0, 99))
def test_gathered_matrices_become_one_product(
    form: str, tokens: int, choices: int, experts: int, k: int, n: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    module = ndpir.parse(written(tokens, choices, experts, k + 1, n + 1, form))
    values: list[Any] = [draw.standard_normal((tokens, k + 1)).astype(np.float32)]
    matrix = (n + 1, k + 1) if "left" in form else (k + 1, n + 1)
    if "dequantized" in form:
        values.append(draw.integers(-128, 128, (experts, *matrix)).astype(np.int8))
        values.append(draw.random((experts, 1, matrix[1])).astype(np.float32))
    else:
        values.append(draw.standard_normal((experts, *matrix)).astype(np.float32))
    values.append(draw.integers(-experts, experts, (tokens, choices)))
    values.append(draw.standard_normal((experts, n + 1)).astype(np.float32))
    before: Any = ndpir.run(module, values)[0]
    made = ndpir.compile(module, passes="canonicalize")
    products = [op for op in made.walk() if isinstance(op, g.GroupedMatmulOp)]
    assert len(products) == 1
    assert products[0].bias is not None
    assert products[0].choices == (choices if choices > 1 else 1)
    assert not any(isinstance(op, g.GatherOp | g.GatherNdOp | g.MatmulOp) for op in made.walk())
    after: Any = ndpir.run(made, values)[0]
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-4)


@given(st.integers(1, 64), st.integers(1, 8), st.integers(8, 64), st.floats(0, 3))
def test_the_expected_number_of_experts_is_between_its_limits(
    tokens: int, choices: int, experts: int, skew: float
) -> None:
    found = expected_experts(tokens, choices, experts, skew)
    assert min(choices, experts) - 1e-9 <= found <= min(experts, tokens * choices) + 1e-9
    assert found <= expected_experts(tokens + 1, choices, experts, skew) + (0 if not skew else experts * 0.05)
    shares = power_law_shares(tokens, experts, skew)
    assert sum(shares) == pytest.approx(1)
    assert list(shares) == sorted(shares)


@given(st.integers(1, 16), st.integers(1, 4), st.integers(4, 12), st.integers(0, 99))
def test_uniform_routing_touches_as_many_experts_as_drawn(tokens: int, choices: int, experts: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    counts = [
        len({int(e) for _ in range(tokens) for e in draw.choice(experts, choices, replace=False)}) for _ in range(400)
    ]
    error = 5 * np.std(counts) / len(counts) ** 0.5 + 1e-9
    assert abs(np.mean(counts) - expected_experts(tokens, choices, experts)) <= error
