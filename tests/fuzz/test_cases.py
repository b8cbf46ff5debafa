"""The fuzzer in the test suite: no stored case fails, and no new case of a small number per kind."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.fuzz.case import SEEDS, Case, seeds
from tests.fuzz.judge import judge, workbench
from tests.fuzz.kinds import KINDS, draw, programs

CASES = {"mlir": 150, "onnx": 100, "line": 50, "arrays": 20, "journal": 20, "results": 20}
OTHERS = 8
"""The number of new cases of each kind that CASES does not list; `node` is left out, since building its corpus takes
seconds."""


@pytest.fixture(autouse=True)
def _in_a_folder() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]
    with workbench():
        yield


@pytest.mark.parametrize("path", seeds(), ids=lambda path: str(path.relative_to(SEEDS)))
def test_stored_cases_do_not_fail(path: Path) -> None:
    case = Case.of_bytes(path.read_bytes())
    find = judge(case).find
    assert find is None, f"{find.what}: {find.signature}\n{find.detail}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "node"])
def test_mutants_are_taken_or_refused_with_a_sentence(kind: str) -> None:
    for number in range(CASES.get(kind, OTHERS)):
        find = judge(draw(kind, 0, number)).find
        assert find is None, f"{kind}:0:{number} {find.what}: {find.signature}\n{find.detail}"


def test_the_corpus_covers_all_levels() -> None:
    whole = "\n".join(programs())
    for word in ("graph.matmul", "hw.device", "task.run", "pim.kernel", "func.func"):
        assert word in whole


@pytest.mark.slow
def test_a_seed_and_a_number_name_a_case() -> None:
    assert draw("sheet", 7, 3) == draw("sheet", 7, 3)
    assert draw("mlir", 7, 3) != draw("mlir", 8, 3)


def test_a_case_is_kept_in_one_file() -> None:
    case = Case(("ndp-opt", "input.onnx", "-p", "a\nb"), "input.onnx", b"\0\n\xff")
    assert Case.of_bytes(case.to_bytes()) == case
