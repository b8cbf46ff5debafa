"""Results of random small programs equal those of XLA, up to rounding."""

from __future__ import annotations

import pytest

import ndpir
from tests.stablehlo_programs import program
from tests.stablehlo_random import StoredProgram, difference, stored_programs


@pytest.mark.parametrize("case", list(stored_programs()), ids=lambda case: str(case.seed))
def test_results_equal_those_of_xla(case: StoredProgram) -> None:
    ours = ndpir.run(ndpir.parse(case.text, f"{case.seed}.mlir"), case.arguments)
    assert difference(ours, case.results, case.scales) == ""


def test_a_seed_determines_its_program() -> None:
    (text, arguments, _), (again, same, _) = program(7), program(7)
    assert text == again
    assert all(one.tobytes() == other.tobytes() for one, other in zip(arguments, same, strict=True))
    assert program(8)[0] != text


def test_differences_are_reported() -> None:
    """Rounding errors are relative to the largest summand of a result, not to the result after cancellation."""
    case = next(
        each for each in stored_programs() if any(array.dtype.kind == "i" and array.size for array in each.results)
    )
    changed = [array + (array.dtype.kind == "i") for array in case.results]
    changed = [each.astype(array.dtype) for each, array in zip(changed, case.results, strict=True)]
    assert "differs" in difference(changed, case.results, case.scales)
