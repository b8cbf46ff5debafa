"""Tests of searches that are asked to end: the best plan so far is kept, with a note."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import notes_to, watched_by
from lowering.solve.climbing import Budget
from lowering.solve.stopping import ask_to_stop, is_asked, is_over, searching, until_after
from ndpir.cli.stopping import stopping_searches

SHORT = """
hw.device @gpu = "toy_gpu" {memory = "400 kB"}
hw.device @ndp = "toy_ndp"
hw.device @host = "toy_host" {paging.demand = "no"}
hw.link @gpu to @ndp = "toy_link"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<64x256xf32>, %y: tensor<64x256xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>) {
  %a = graph.mul %x, %y : tensor<64x256xf32>
  %b = graph.exp %a : tensor<64x256xf32>
  %w = graph.weight "w" = uniform(-0.1, 0.1, 4) : tensor<256x256xf32>
  %c = graph.matmul %a, %w : tensor<64x256xf32>, tensor<256x256xf32>
  func.return %b, %c : tensor<64x256xf32>, tensor<64x256xf32>
}
"""
"""A program that exceeds the GPU's memory."""
LAYERS = "\n".join(
    [
        "func.func @main(%x0: tensor<16x256xf16>) -> tensor<16x256xf16> {",
        *(
            f'%w{i} = graph.weight "w{i}" = uniform(-1.0, 1.0, {i}) : tensor<256x256xf16>\n'
            f"%y{i} = graph.matmul %x{i}, %w{i} : tensor<16x256xf16>, tensor<256x256xf16>\n"
            f"%x{i + 1} = graph.softmax %y{i} axis = 1 : tensor<16x256xf16>"
            for i in range(20)
        ),
        "func.return %x20 : tensor<16x256xf16>\n}",
    ]
)
ASKED = "place: the search ended when it was asked to, with the best plan so far"


def compiled(text: str, passes: str, machine: str | None, asking: str) -> tuple[ModuleOp, list[str]]:
    """A compiled program, with its notes; its search is asked to end at the first report that begins with `asking`."""
    notes: list[str] = []

    def asked(state: str) -> None:
        if state.startswith(asking):
            ask_to_stop()

    with notes_to(lambda message, place: notes.append(message)), watched_by(asked):
        return ndpir.compile(ndpir.parse(text), passes, machine=machine), notes


@pytest.mark.parametrize("asking", ["placements of unpartitioned", "best so far", "policy greedy", "PIMFlow"])
@pytest.mark.parametrize("effort", [1, 2, 3])
def test_a_plan_is_kept(asking: str, effort: int) -> None:
    placed, notes = compiled(LAYERS, f"fuse,place{{effort={effort}}}", "a100-newton", asking)
    assert ndpir.simulate(placed).makespan_ns > 0
    assert not notes or notes[-1] == ASKED
    assert (ASKED in notes) or asking != "placements of unpartitioned" or effort == 1  # it ends at once


@pytest.mark.parametrize("asking", ["placements", "one search", "best so far", "placement together"])
def test_a_plan_with_moves_is_kept(asking: str) -> None:
    placed, notes = compiled(SHORT, "place,prefetch{short=true}", None, asking)
    assert ndpir.simulate(placed).residence is not None
    assert ASKED in notes or asking == "placements"


def test_a_limit_is_noted() -> None:
    notes: list[str] = []
    with notes_to(lambda message, place: notes.append(message)):
        placed = ndpir.compile(ndpir.parse(SHORT), "place{limit=0.001},prefetch{short=true}")
    assert ndpir.simulate(placed).residence is not None
    assert "place: the search ended at its limit of 0.001 s, with the best plan so far" in notes


def test_budgets_end() -> None:
    assert not Budget().spent
    assert Budget(0).spent
    assert not Budget(until=until_after(0)).spent
    with searching() as search:
        assert Budget(until=until_after(-1)).spent
        assert search.late
        assert ask_to_stop()
        assert not ask_to_stop()
        assert Budget().spent
    assert not is_over()
    assert not ask_to_stop()


@contextmanager
def usual_handler() -> Generator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_first_interrupt_ends_a_search_and_the_second_one_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    with usual_handler():
        with stopping_searches("tool"):
            with searching():
                signal.raise_signal(signal.SIGINT)
                assert is_asked()
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    expected = "tool: ending the search with the best plan so far; Ctrl-C again ends tool\n"
    assert capfd.readouterr().err == expected


def test_another_handler_and_other_threads_keep_theirs() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stopping_searches("tool"):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)

    def entered() -> None:
        with stopping_searches("tool"):
            pass

    thread = threading.Thread(target=entered)
    thread.start()
    thread.join()
