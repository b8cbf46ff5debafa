"""Comparison of documented and printed output: differences by rounding are accepted, all others are not."""

from __future__ import annotations

import re

import pytest

from tests.printed import difference

CHECK = "check: place: 1 result equal\n"
SHOWN = "check: to-pim: 2 results equal within 1.7e-07 (allowed: 1e-05)\n"
LOW_PRECISION = "check: to-pim: 1 result equal within 1.6e-04 (allowed: 2e-02)\n"
VALUES = """result 0: tensor<1x4xf32>, mean 0.2373, std 0.2863, min -0.5, max 0.70113
  0 -0.5 0.24808 0.70113 ...
"""
HALF = """result 1: tensor<3xf16>, mean 0.25, std 0, min 0.25, max 0.25, 2 not finite
  0.25 -inf nan
"""
INTEGERS = "result 2: tensor<3x4xi64>, mean 5.5, std 3.4521, min 0, max 11\n  0 1 2\n"
TIMES = "makespan   1.0034 us\n"


@pytest.mark.parametrize(
    ("expected", "before", "after"),
    [
        (SHOWN, "1.7e-07", "1.3e-07"),
        (SHOWN, "1.7e-07", "9.9e-07"),
        (SHOWN, " within 1.7e-07 (allowed: 1e-05)", ""),
        (CHECK, "equal", "equal within 1.1e-07 (allowed: 1e-05)"),
        (CHECK, "equal", "equal within 4.9e-04 (allowed: 2e-02)"),
        (LOW_PRECISION, "1.6e-04", "3.3e-04"),
        (VALUES, "mean 0.2373", "mean 0.23731"),
        (VALUES, "-0.5 0.24808", "-0.5 0.24809"),
        (VALUES, "  0 ", "  2.1e-08 "),
        (HALF, "  0.25", "  0.25024"),
    ],
)
def test_rounding_is_accepted(expected: str, before: str, after: str) -> None:
    printed = expected.replace(before, after)
    assert printed != expected
    assert difference(expected, printed) is None
    assert difference(printed, expected) is None


@pytest.mark.parametrize(
    ("expected", "before", "after"),
    [
        (SHOWN, "1.7e-07", "2e-06"),  # another order of magnitude
        (SHOWN, "allowed: 1e-05", "allowed: 2e-02"),  # other arithmetic
        (SHOWN, "2 results", "1 result"),
        (SHOWN, "to-pim", "place"),
        (SHOWN, "equal within", "differ by"),
        (CHECK, "equal", "equal within 3e-06 (allowed: 1e-05)"),
        (LOW_PRECISION, "1.6e-04", "1.6e-02"),
        (VALUES, "f32", "f16"),
        (VALUES, "1x4", "4"),
        (VALUES, "result 0", "result 1"),
        (VALUES, "mean 0.2373", "mean 0.2383"),
        (VALUES, "mean 0.2373", "mean -0.2373"),
        (VALUES, "std 0.2863", "std 0.27"),
        (VALUES, "  0 -0.5", "  -0.5 0"),  # another order
        (VALUES, "0.24808", "nan"),
        (VALUES, " 0.24808", ""),
        (VALUES, " ...", ""),
        (VALUES, "0.70113 ...", "0.70123 ..."),
        (HALF, "2 not finite", "3 not finite"),
        (HALF, "-inf", "inf"),
        (HALF, "  0.25", "  0.26"),
        (INTEGERS, "5.5", "5.4"),
        (INTEGERS, "  0 1 2", "  0 1 3"),
        (INTEGERS, "3.4521", "3.4522"),
        (TIMES, "1.0034", "1.0035"),
        (TIMES, TIMES, ""),
        (TIMES, TIMES, TIMES + TIMES),
    ],
)
def test_other_differences_are_not_accepted(expected: str, before: str, after: str) -> None:
    printed = expected.replace(before, after)
    assert printed != expected
    assert difference(expected, printed)
    for around in (CHECK, VALUES, TIMES):  # at any position
        assert difference(around + expected + around, around + printed + around)


def test_an_ellipsis_matches_any_lines() -> None:
    printed = "a\nb\nc\nd\n"
    for expected in ("…\n", "a\n…\n", "…\nd\n", "a\n…\nd\n", "a\n…\nc\n…\n", "a\nb\n…\nc\nd\n", "…\nb\n…\nc\n…\nd"):
        assert difference(expected, printed) is None, expected
    for expected in ("b\n…\n", "…\nc\n", "a\n…\nb\n", "…\nc\n…\nb\n…\n", "a\nb\n…\nb\nc\nd\n", "a\n…\ne\n…\n"):
        assert difference(expected, printed), expected


def test_the_first_different_line_is_reported() -> None:
    found = difference("a\nb\n", "a\nc\n")
    assert found is not None
    assert re.fullmatch(r"the line\n  b\nis printed as\n  c", found)
    assert difference("a\nb\n", "a\n") == "the line\n  b\nis not printed"
    assert difference("a\n", "a\nb\n") == "the line\n  b\nis printed, but not expected"
