"""Workers take structures: a structure whose results may depend on each other is evaluated whole, whatever the number
of workers, and is computed again as a whole if a part of it is missing."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import FEWEST, Evaluator, Outcome, stays_whole
from ndpir.sweep.journal import Row
from ndpir.sweep.processes import Numbered, parts_of
from ndpir.sweep.request import Request
from ndpir.sweep.running import sweep
from ndpir.sweep.sampling import Point
from ndpir.sweep.structures import Table, structures_of
from ndpir.sweep.together.planned import FEWEST as FEWEST_PLANNED

FIXED, PLACED, ALONE = "canonicalize", "offload", "place{policy=pim-first},to-pim"
GRAPH = """\
func.func @gemv(%x: tensor<1x64xf16>) -> tensor<1x64xf16> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<64x64xf16>
  %y = graph.matmul %x, %w : tensor<1x64xf16>, tensor<64x64xf16>
  func.return %y : tensor<1x64xf16>
}
"""


@pytest.fixture(name="request_of_both")
def _request_of_both(tmp_path: Path) -> Request:
    """A sweep with two structures: one of a fixed program, and one of programs that are planned together."""
    path = tmp_path / "m.mlir"
    path.write_text(GRAPH)
    axes = axes_of([f"passes={FIXED};{PLACED}", f"pim.tRP=1..{FEWEST_PLANNED}"])
    return Request(str(path), machine="a100-newton", axes=axes)


def numbered(request: Request) -> list[Numbered]:
    return [(number, f"q{number}", point) for number, point in enumerate(request.points())]


def figures_of(rows: Sequence[Row]) -> list[tuple[Point, object, str]]:
    return [(row.point, row.figures, row.error) for row in rows]


@pytest.mark.parametrize("workers", [1, 2, 3, 40])
def test_every_point_is_in_one_part(request_of_both: Request, workers: int) -> None:
    """A fixed program's points are divided among workers, but into parts that can be timed together."""
    points = numbered(request_of_both)
    parts = parts_of(request_of_both, points, workers)
    assert sorted(each[0] for part in parts for each in part.points) == list(range(len(points)))
    assert [len(part.points) for part in parts if part.is_whole] == [FEWEST_PLANNED]
    assert {each[2]["passes"] for part in parts if part.is_whole for each in part.points} == {PLACED}
    long = Request("m.mlir", passes=FIXED, axes=axes_of(["pim.tRP=1..100"]))
    sizes = [len(part.points) for part in parts_of(long, numbered(long), workers)]
    assert max(sizes) == max(FEWEST, -(-100 // workers))
    assert len(sizes) >= min(workers, 100 // FEWEST)


def test_points_that_are_timed_alone_are_parts_of_their_own(request_of_both: Request) -> None:
    """Those of short structures, and those whose passes plan by rules that know no other points."""
    few = Request(request_of_both.model, passes=FIXED, axes=axes_of([f"pim.tRP=1..{FEWEST - 1}"]))
    placed = Request(request_of_both.model, passes=ALONE, axes=axes_of(["pim.tRP=1..40"]))
    mixed = Request(request_of_both.model, axes=axes_of([f"passes={ALONE};no-such-pass", "pim.tRP=1..40"]))
    wrong = Request(request_of_both.model, passes="no-such-pass", axes=axes_of(["pim.tRP=1..40"]))
    for request in (few, placed, mixed, wrong):
        assert {len(part.points) for part in parts_of(request, numbered(request), 2)} == {1}
        assert not any(map(stays_whole, structures_of(request, request.points())))


def test_results_do_not_depend_on_the_number_of_workers(request_of_both: Request) -> None:
    one = sweep(request_of_both, jobs=1)
    assert (len(one.rows), one.failed) == (2 * FEWEST_PLANNED, 0)
    for jobs in (2, 5):
        assert figures_of(sweep(request_of_both, jobs=jobs).rows) == figures_of(one.rows)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_structure_is_computed_again_as_a_whole(
    request_of_both: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """If one of its points is missing; of a fixed program's structure, only the missing points are computed."""
    journal = str(tmp_path / "j.sqlite")
    first = sweep(request_of_both, journal, jobs=jobs)
    with sqlite3.connect(journal) as file:
        for number in (3, FEWEST_PLANNED + 3):
            file.execute("delete from points where number = ?", (number,))
    seen: list[int] = []
    outcomes = Evaluator.outcomes

    def counted(self: Evaluator, points: Sequence[Point]) -> Iterator[list[Outcome] | Table]:
        seen.append(len(points))
        return outcomes(self, points)

    monkeypatch.setattr(Evaluator, "outcomes", counted)
    again = sweep(request_of_both, journal, jobs=jobs)
    assert again.held == FEWEST_PLANNED - 1
    assert figures_of(again.rows) == figures_of(first.rows)
    assert sorted(seen) == ([1, FEWEST_PLANNED] if jobs == 1 else [])  # else counted by the workers
    assert sweep(request_of_both, journal, jobs=jobs).held == 2 * FEWEST_PLANNED


@pytest.mark.skipif(sys.platform != "linux", reason="needs processes that are forked")
def test_a_lost_process_costs_its_structure(
    request_of_both: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All points of the structure that a killed process was computing are errors, which the next run replaces."""
    journal, here = str(tmp_path / "j.sqlite"), os.getpid()
    outcome = Evaluator.outcome

    def killed(self: Evaluator, point: Point) -> Outcome:
        if point["passes"] == PLACED and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return outcome(self, point)

    monkeypatch.setattr(Evaluator, "outcome", killed)
    lost = sweep(request_of_both, journal, jobs=2)
    monkeypatch.undo()
    assert [bool(row.error) for row in lost.rows] == [False] * FEWEST_PLANNED + [True] * FEWEST_PLANNED
    assert {row.error.partition(" (")[0] for row in lost.rows[FEWEST_PLANNED:]} == {
        "the process that computed this point ended"
    }
    again = sweep(request_of_both, journal, jobs=2)
    assert (again.held, again.failed) == (FEWEST_PLANNED, 0)
    assert figures_of(again.rows) == figures_of(sweep(request_of_both, jobs=1).rows)


def test_points_that_ask_the_same_are_evaluated_once(tmp_path: Path) -> None:
    """Sizes that are rounded alike give two structures the same questions; neither is missing when the journal has the
    results."""
    path = tmp_path / "m.mlir"
    path.write_text(GRAPH)
    axes = axes_of(["batch=1.0,1.25", f"passes={FIXED};{PLACED}", f"pim.tRP=1..{FEWEST_PLANNED}"])
    request, journal = Request(str(path), axes=axes), str(tmp_path / "j.sqlite")
    first = sweep(request, journal, jobs=1)
    again = sweep(request, journal, jobs=1)
    assert (first.held, again.held) == (2 * FEWEST_PLANNED, 4 * FEWEST_PLANNED)
    assert figures_of(again.rows) == figures_of(first.rows)
