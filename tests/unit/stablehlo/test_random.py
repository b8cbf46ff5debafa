"""Random small programs compute here what XLA computed, but for rounding."""

from __future__ import annotations

import pytest

import ndpir
from tests.stablehlo_programs import program
from tests.stablehlo_random import Held, difference, held


@pytest.mark.parametrize("case", list(held()), ids=lambda case: str(case.seed))
def test_numbers_are_those_of_xla(case: Held) -> None:
    ours = ndpir.run(ndpir.parse(case.text, f"{case.seed}.mlir"), case.arguments)
    assert difference(ours, case.results, case.scales) == ""


def test_a_program_follows_from_its_seed() -> None:
    (text, arguments, _), (again, same, _) = program(7), program(7)
    assert text == again
    assert all(one.tobytes() == other.tobytes() for one, other in zip(arguments, same, strict=True))
    assert program(8)[0] != text


def test_what_differs_is_told() -> None:
    """Of what a sum of numbers is relative to, not of what is left of it."""
    case = next(each for each in held() if any(array.dtype.kind == "i" and array.size for array in each.results))
    changed = [array + (array.dtype.kind == "i") for array in case.results]
    changed = [each.astype(array.dtype) for each, array in zip(changed, case.results, strict=True)]
    assert "differs" in difference(changed, case.results, case.scales)
