"""The rewrites of `fuse` keep the numbers exactly: of the programs in its unit tests, in each floating-point type, and
of random programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ndpir
from dialects import graph as g
from interp.walk.entry import functions

FILES = Path(__file__).parents[2] / "lit" / "lowering" / "fuse"
PROGRAMS = {
    function[1]: function[0]
    for name in ("training", "multi_output")
    for function in re.finditer(r"^func\.func @(\w+).*?^}", (FILES / f"{name}.mlir").read_text("utf-8"), re.M | re.S)
}
"""The text of each function of these files, by name."""
ERROR = {"f32": 1e-5, "f16": 1e-2, "bf16": 5e-2}
TYPES: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_}


def drawn(function: FuncOp, seed: int) -> list[NDArray[Any]]:
    """Random arguments for a function: second moments (`%v`) are non-negative, truth values are true half of the
    time."""
    rng = np.random.default_rng(seed)
    arrays: list[NDArray[Any]] = []
    for argument in function.body.block.args:
        array = rng.normal(size=g.shape_of(argument))
        type_ = TYPES[str(g.tensor_of(argument).element_type)]
        array = array > 0 if type_ is np.bool_ else np.abs(array) if argument.name_hint == "v" else array
        arrays.append(array.astype(type_))
    return arrays


@pytest.mark.parametrize("element", ERROR)
@pytest.mark.parametrize("entry", PROGRAMS)  # @mixed holds two types as it is
def test_numbers_stay(entry: str, element: str) -> None:
    text = PROGRAMS[entry]
    if entry != "mixed":
        text = text.replace("f32>", f"{element}>")
    before = ndpir.parse(text, "before.mlir")
    arguments = drawn(functions(before)[0], 5)
    expected = ndpir.run(before, arguments, entry=entry)
    for passes in ("fuse", "fuse{join=false}", "fuse{without=softmax_grad,layer_norm,adam}"):
        found = ndpir.run(ndpir.compile(ndpir.parse(text, "after.mlir"), passes), arguments, entry=entry)
        for one, other in zip(found, expected, strict=True):
            a, b = one.astype(np.float64), other.astype(np.float64)
            np.testing.assert_array_equal(np.isfinite(a), np.isfinite(b))
            scale = np.abs(b[np.isfinite(b)]).max(initial=1e-30)
            assert np.abs(a - b)[np.isfinite(b)].max(initial=0) <= ERROR[element] * scale


_SHAPES = {"whole": (4, 8), "rows": (4, 1), "square": (8, 8)}


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A function of element-wise ops, reductions along both axes, views and products, which returns some of its
    values."""
    known: dict[str, list[str]] = {"whole": ["%x", "%y"], "rows": [], "square": ["%w"]}
    lines: list[str] = []
    for index in range(draw(st.integers(2, 24))):
        shape = draw(st.sampled_from([name for name in known if known[name]]))
        one, other = draw(st.sampled_from(known[shape])), draw(st.sampled_from(known[shape]))
        type_ = f"tensor<{'x'.join(map(str, _SHAPES[shape]))}xf32>"
        kind, made = draw(st.integers(0, 6)), shape
        name = f"%v{index}"
        if kind == 0:
            op = draw(st.sampled_from(["tanh", "neg", "sigmoid", "abs"]))
            lines.append(f"{name} = graph.{op} {one} : {type_}")
        elif kind == 1 or (kind in (2, 3) and shape != "whole") or (kind == 4 and not known["rows"]):
            op = draw(st.sampled_from(["add", "mul", "sub", "max"]))
            lines.append(f"{name} = graph.{op} {one}, {other} : {type_}")
        elif kind == 2:
            lines.append(f"{name} = graph.reduce sum {one} axes = [1], keep_dims : {type_}")
            made = "rows"
        elif kind == 3:
            lines.append(f"%r{index} = graph.reduce max {one} axes = [0] : {type_}")
            lines.append(f"{name} = graph.mul {other}, %r{index} : {type_}, tensor<8xf32>")
        elif kind == 4:
            whole, rows = draw(st.sampled_from(known["whole"])), draw(st.sampled_from(known["rows"]))
            lines.append(f"{name} = graph.sub {whole}, {rows} : tensor<4x8xf32>, tensor<4x1xf32>")
            made = "whole"
        elif kind == 5:
            whole, square = draw(st.sampled_from(known["whole"])), draw(st.sampled_from(known["square"]))
            lines.append(f"{name} = graph.matmul {whole}, {square} : tensor<4x8xf32>, tensor<8x8xf32>")
            made = "whole"
        else:
            shape_text = "x".join(map(str, reversed(_SHAPES[shape])))
            lines.append(f"%r{index} = graph.reshape {one} : {type_} -> tensor<{shape_text}xf32>")
            lines.append(f"%s{index} = graph.abs %r{index} : tensor<{shape_text}xf32>")
            lines.append(f"{name} = graph.reshape %s{index} : tensor<{shape_text}xf32> -> {type_}")
        known[made].append(name)
    results = draw(st.lists(st.sampled_from(known["whole"]), min_size=1, max_size=4, unique=True))
    types = ", ".join(["tensor<4x8xf32>"] * len(results))
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> ({types}) {{\n  {body}\n"
        f"  func.return {', '.join(results)} : {types}\n}}\n"
    )


@pytest.mark.slow
@given(programs())
def test_joined_kernels_compute_the_same_to_the_last_bit(text: str) -> None:
    before, after = ndpir.parse(text, "before.mlir"), ndpir.parse(text, "after.mlir")
    after = ndpir.compile(after, "fuse{recognize=false}")
    arguments = drawn(functions(before)[0], 1)
    for one, other in zip(ndpir.run(after, arguments), ndpir.run(before, arguments), strict=True):
        np.testing.assert_array_equal(one, other)
    _reductions_end_their_kernels(after)


def _reductions_end_their_kernels(module: ModuleOp) -> None:
    """Assert that no fused kernel reads its own reduction across rows."""
    for group in module.walk():
        if isinstance(group, g.FusedOp):
            for op in group.ops:
                if isinstance(op, g.ReduceOp) and not op.along_rows:
                    readers = [use.operation for use in op.y.uses]
                    assert all(g.shape_of(each.results[0]) == g.shape_of(op.y) for each in readers if each.results)
