"""Rules of the front end of PyTorch: expressions of sizes, places in a user's source, type promotion."""

from __future__ import annotations

import pytest

from dialects.element_types import element_type_named
from ndpir.frontends.torch.expressions import Unknown, value_of
from ndpir.frontends.torch.places import module_path, user_line
from ndpir.frontends.torch.promotion import Operand, promoted
from ndpir.frontends.torch.views import strides_of_view


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("s0", 6),
        ("2*s0 + 1", 13),
        ("((s0*s1)//4)", 15),
        ("Max(1, s0 - 8)", 1),
        ("FloorDiv(s1, 3)", 3),
        ("Mul(Integer(2), Symbol('s0', positive=True, integer=True))", 12),
        ("Pow(Symbol('s0', integer=True), Integer(2))", 36),
        ("Eq(s0, 6)", True),
        ("CeilDiv(s1, 4)", 3),
    ],
)
def test_expressions_of_sizes(text: str, value: object) -> None:
    assert value_of(text, {"s0": 6, "s1": 10}) == value


@pytest.mark.parametrize("text", ["u0", "s0 + u0", "__import__('os')", "s0.x", "s0[0]", "9**9**9", "s0 //", "1//0"])
def test_other_expressions_are_unknown_and_run_nothing(text: str) -> None:
    with pytest.raises(Unknown):
        value_of(text, {"s0": 6})


def test_a_line_of_the_user_is_the_innermost_that_is_not_of_pytorch() -> None:
    trace = (
        'File "/home/me/torch/model.py", line 31, in forward\n    y = self.mlp(x)\n'
        'File "/usr/lib/python3/site-packages/torch/nn/modules/linear.py", line 134, in forward\n    return F.linear(x)'
    )
    assert user_line(trace) == "model.py:31"
    assert user_line("") == ""


def test_paths_of_modules() -> None:
    assert module_path(["", "layers.0", "layers.0.mlp"]) == "layers.0.mlp"
    assert module_path(["L['self'].layers[0].mlp"]) == "layers.0.mlp"


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((("f16", 2), ("f32", 2)), "f32"),
        ((("f16", 2), ("f32", 1)), "f16"),
        ((("f16", 2), ("f32", 0)), "f16"),
        ((("i64", 2), ("f32", 0)), "f32"),
        ((("i8", 2), ("i64", 0)), "i8"),
        ((("i1", 2), ("i64", 0)), "i64"),
        ((("ui8", 2), ("i8", 2)), "i16"),
        ((("f16", 2), ("bf16", 2)), "f32"),
        ((("i32", 2), ("bf16", 1)), "bf16"),
        ((("f64", 1), ("i64", 2)), "f64"),
    ],
)
def test_type_promotion(operands: tuple[tuple[str, int], ...], expected: str) -> None:
    given = [Operand(element_type_named(name), weight) for name, weight in operands]
    assert promoted(given) == element_type_named(expected)


@pytest.mark.parametrize(
    ("shape", "strides", "wanted", "expected"),
    [
        ((3, 4), (4, 1), (12,), [1]),
        ((3, 4), (4, 1), (2, 6), [6, 1]),
        ((3, 4), (4, 1), (3, 2, 2), [4, 2, 1]),
        ((4, 3), (1, 4), (12,), None),
        ((4, 3), (1, 4), (2, 2, 3), [2, 1, 4]),
        ((3, 2), (4, 1), (6,), None),
        ((3, 2), (4, 1), (3, 2, 1), [4, 1]),
        ((2, 1, 3), (3, 99, 1), (6,), [1]),
        ((3, 4), (0, 1), (12,), None),
        ((0, 4), (4, 1), (2, 0), [1]),
    ],
)
def test_strides_of_views(
    shape: tuple[int, ...], strides: tuple[int, ...], wanted: tuple[int, ...], expected: list[int] | None
) -> None:
    assert strides_of_view(shape, strides, wanted) == expected
