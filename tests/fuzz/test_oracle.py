"""Tests of the oracle: it detects each kind of defect, which is planted in the tool."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Generator, Sequence

import pytest

from dialects.diagnostics import InputError
from tests.fuzz import judge as oracle
from tests.fuzz.case import Case

GOOD = Case(("ndp-opt", "input.mlir"), "input.mlir", b"%0 = graph.constant 1.0 : tensor<2xf32>\n")
CONTENT = GOOD.file, GOOD.data


@pytest.fixture(autouse=True)
def _in_a_folder() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]
    with oracle.workbench():
        yield


def _found(monkeypatch: pytest.MonkeyPatch, tool: Callable[[Sequence[str]], int], case: Case = GOOD) -> str | None:
    monkeypatch.setitem(oracle.TOOLS, "ndp-opt", tool)
    find = oracle.judge(case).find
    return find.what if find else None


def _raises(error: BaseException) -> Callable[[Sequence[str]], int]:
    def tool(_: Sequence[str]) -> int:
        raise error

    return tool


def _says(status: int, err: str, out: str = "") -> Callable[[Sequence[str]], int]:
    def tool(_: Sequence[str]) -> int:
        sys.stderr.write(err)
        sys.stdout.write(out)
        return status

    return tool


def test_a_sound_run_is_no_find() -> None:
    assert oracle.judge(GOOD).find is None


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), MemoryError(), SystemExit(1), InputError("x")])
def test_any_exception(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    assert _found(monkeypatch, _raises(error)) == "exception"


def test_a_failure_of_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found(monkeypatch, _says(3, "ndp-opt: error: ndp-opt failed with an internal error\n")) == "status 3"


def test_a_refusal_without_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found(monkeypatch, _says(1, "")) == "no sentence"
    assert _found(monkeypatch, _says(1, "input.mlir:1:1: error: .\n")) == "no sentence"


def test_a_refusal_of_text_without_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found(monkeypatch, _says(1, "ndp-opt: error: it is wrong\n")) == "no place"
    assert _found(monkeypatch, _says(1, "input.mlir:1:1: error: it is wrong\n")) is None


def test_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    def spins(_: Sequence[str]) -> int:
        while True:
            time.process_time()

    monkeypatch.setattr(oracle, "SECONDS", 0.05)
    assert _found(monkeypatch, spins) == "hang"


def test_a_warning_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def warns(_: Sequence[str]) -> int:
        warnings.warn_explicit("overflow", RuntimeWarning, "x.py", 1, module="interp.numerics")
        return 0

    assert _found(monkeypatch, warns) == "warning"


def test_numbers_that_a_pass_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    message = "input.mlir:1:1: error: check: fuse changes the results: result 0 differs\n"
    assert _found(monkeypatch, _says(1, message)) == "numbers"


def test_a_defect_that_a_sweep_keeps_as_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found(monkeypatch, _says(0, "", "x,error\n1,defect of ndpir, KeyError: 'x' (run this point)\n")) == "defect"


def test_control_sequences_and_reversed_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found(monkeypatch, _says(1, "input.mlir:1:1: error: no device \x1b[31m\n")) == "raw text"
    assert (
        _found(monkeypatch, _says(0, "", "device \u202e\n"), Case((*GOOD.words, "-t", "timeline"), *CONTENT))
        == "raw text"
    )


def test_text_that_changes_when_it_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "builtin.module {\n  %0 = graph.constant 1.0 : tensor<2xf32>\n}\n\n"
    assert _found(monkeypatch, _says(0, "", text)) is None
    assert _found(monkeypatch, _says(0, "", text.replace("1.0", "1.00"))) == "round trip"
    assert _found(monkeypatch, _says(0, "", text.replace("1.0", "one"))) == "round trip"
