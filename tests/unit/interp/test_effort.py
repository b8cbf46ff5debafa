"""Tests of the limit on a program's work, which is counted before the work starts: for nested calls, nested loops and
call graphs of any depth."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ndpir
from dialects.diagnostics import InputError
from interp.walk.effort import EFFORT, MOST_OPS, check_inlining, counted, shown
from interp.walk.entry import functions
from lowering.graph.inline import inline_calls
from ndpir.cli.ending import BAD_INPUT, DONE
from ndpir.cli.opt import main

TYPE = "tensor<2xf32>"


def calling(depth: int, times: int) -> str:
    """A program of `depth` functions, each of which calls the next one `times` times."""
    relu = f"  %y = graph.relu %v0 : {TYPE}\n  func.return %y : {TYPE}\n"
    parts = [f"func.func private @f0(%v0: {TYPE}) -> {TYPE} {{\n{relu}}}\n"]
    for index in range(1, depth + 1):
        name = "@main" if index == depth else f"private @f{index}"
        calls = (f"  %v{n + 1} = func.call @f{index - 1}(%v{n}) : ({TYPE}) -> {TYPE}\n" for n in range(times))
        body = "".join(calls) + f"  func.return %v{times} : {TYPE}\n"
        parts.append(f"func.func {name}(%v0: {TYPE}) -> {TYPE} {{\n{body}}}\n")
    return "".join(parts)


@pytest.mark.parametrize(("depth", "times"), [(0, 2), (1, 2), (4, 2), (3, 3), (7, 2)])
def test_the_counted_work_is_that_of_the_inlined_program(depth: int, times: int) -> None:
    module = ndpir.parse(calling(max(depth, 1), times))
    known = {function.sym_name.data: function for function in functions(module)}
    order = check_inlining(known, known.values(), "inlining")
    assert [function.sym_name.data for function in order] == [f"f{index}" for index in range(max(depth, 1))] + ["main"]
    # Inlining removes the returns of called functions; main's stays.
    computing = counted(known, order, lambda op: op.name.startswith("graph."))[known["main"]]
    inline_calls(module)
    assert len(list(functions(module)[-1].body.block.ops)) == computing + 1 == times ** max(depth, 1) + 1


@pytest.mark.slow
@pytest.mark.parametrize("flags", ["-p inline", "-p place", "-t values", "-t timeline", "-t onnx", "-p cse --check"])
@pytest.mark.parametrize("depth", [60, 400])
def test_endless_work_is_refused_before_it_starts(
    flags: str, depth: int, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    if depth == 400 and flags not in ("-p inline", "-t values"):
        pytest.skip("one flag for each kind of work is enough at this depth")
    path = tmp_path_factory.mktemp("calls") / "calls.mlir"
    path.write_text(calling(depth, 2))
    assert main([str(path), "--machine", "toy", *flags.split()]) == BAD_INPUT
    [line, *_] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{path}:{5 * depth + 1}:9: error: ")  # the first call of @main
    assert ("about 10^" if depth == 60 else "more than 10^100") in line
    assert "reduce the number of calls" in line


@pytest.mark.slow
def test_a_chain_of_many_calls_is_inlined() -> None:
    module = ndpir.parse(calling(1200, 1))
    inline_calls(module)
    assert [op.name for op in functions(module)[0].body.block.ops] == ["graph.relu", "func.return"]


def test_effort_raises_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interp.walk.effort.MOST_OPS", 100)
    monkeypatch.setattr("interp.walk.effort.MOST_STEPS", 100)

    def inlined() -> None:
        inline_calls(ndpir.parse(calling(7, 2)))

    def ran() -> None:
        ndpir.run(ndpir.parse(calling(7, 2)))

    runs: list[Callable[[], None]] = [inlined, ran]
    for run in runs:
        with pytest.raises(InputError, match=r"or allow it \(--effort [2-9]\)"):
            run()
        token = EFFORT.set(9)
        try:
            run()
        finally:
            EFFORT.reset(token)


def test_effort_holds_for_one_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("calls") / "calls.mlir"
    path.write_text(calling(2, 2))
    assert main([str(path), "--effort", "3"]) == DONE
    assert main([str(path)]) == DONE
    assert EFFORT.get() == 1


@pytest.mark.parametrize(
    ("count", "text"), [(MOST_OPS, "250,000"), (10**20, "about 10^20"), (10**4000, "more than 10^100")]
)
def test_counts_are_printed_in_readable_form(count: int, text: str) -> None:
    assert shown(count) == text
