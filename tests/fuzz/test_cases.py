"""The fuzzer in the suite: kept cases stay right, and some cases of each kind are taken as they should be."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.fuzz.case import SEEDS, Case, seeds
from tests.fuzz.judge import judge, workbench
from tests.fuzz.kinds import KINDS, draw

CASES = 12
"""Cases of each kind in the suite; `python -m tests.fuzz` runs any number."""


@pytest.fixture(autouse=True)
def _in_a_folder() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]
    with workbench():
        yield


@pytest.mark.parametrize("path", seeds(), ids=lambda path: str(path.relative_to(SEEDS)))
def test_what_was_found_once_is_right(path: Path) -> None:
    case = Case.of_bytes(path.read_bytes())
    find = judge(case).find
    assert find is None, f"{find.what}: {find.signature}\n{find.detail}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(KINDS))
def test_mutants_are_taken_or_refused_with_a_sentence(kind: str) -> None:
    for number in range(CASES):
        find = judge(draw(kind, 0, number)).find
        assert find is None, f"{kind}:0:{number} {find.what}: {find.signature}\n{find.detail}"


def test_a_seed_and_a_number_name_a_case() -> None:
    assert [draw(kind, 7, 3) for kind in KINDS] == [draw(kind, 7, 3) for kind in KINDS]
    assert draw("mlir", 7, 3) != draw("mlir", 8, 3)


def test_a_case_is_kept_in_one_file() -> None:
    case = Case(("ndp-opt", "input.onnx", "-p", "a\nb"), "input.onnx", b"\0\n\xff")
    assert Case.of_bytes(case.to_bytes()) == case
