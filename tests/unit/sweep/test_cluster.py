"""Sweeps on a Dask cluster: a scheduler and two workers as processes of this computer, one killed in the middle."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dialects.diagnostics import InputError
from ndpir.sweep import cluster, processes
from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Outcome
from ndpir.sweep.processes import Numbered, Results
from ndpir.sweep.request import Request
from ndpir.sweep.running import sweep
from ndpir.sweep.structures import Table

pytest.importorskip("distributed", reason="needs Dask (the extra `sweep`)")
ROOT = Path(__file__).parents[3]
REQUEST = Request(str(ROOT / "examples" / "mlp.mlir"), axes=axes_of(["pim.tCCD=1..8", "machine=a100-newton,a100-aim"]))
QUIET = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__DASHBOARD__LINK": ""}


def _spawned(*words: str) -> subprocess.Popen[str]:
    words = (sys.executable, "-m", "distributed.cli." + words[0], *words[1:], "--no-dashboard")
    return subprocess.Popen(words, cwd=ROOT, env=QUIET, stderr=subprocess.PIPE, text=True)


@pytest.fixture(name="scheduler")
def _scheduler() -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """The address of a real scheduler, and its two workers."""
    process = _spawned("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
    running = [process]
    try:
        assert process.stderr is not None
        address = next(
            found[1] for line in process.stderr if (found := re.search(r"Scheduler at:\s*(tcp://\S+)", line))
        )
        threading.Thread(target=process.stderr.read, daemon=True).start()
        words = ("dask_worker", address, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
        running += [_spawned(*words), _spawned(*words)]
        for worker in running[1:]:
            assert worker.stderr is not None
            threading.Thread(target=worker.stderr.read, daemon=True).start()
        yield address, running[1:]
    finally:
        for each in running:
            each.kill()
            each.wait()


@pytest.mark.slow
def test_a_lost_worker_costs_no_point(
    scheduler: tuple[str, list[subprocess.Popen[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All points are computed, equal to those of this process, although one of two workers is killed after the first
    results."""
    address, workers = scheduler
    monkeypatch.setattr(cluster, "GROUP", 2)
    original = cluster.evaluated_on
    count = 0

    def killing(scheduler: str, request: Request, points: list[Numbered], jobs: int):
        nonlocal count
        for each in original(scheduler, request, points, jobs):
            count += len(each[1])
            if count == 4:
                os.kill(workers[0].pid, signal.SIGKILL)
            yield each

    monkeypatch.setattr(cluster, "evaluated_on", killing)
    found = sweep(REQUEST, scheduler=address)
    assert workers[0].wait() == -signal.SIGKILL
    assert workers[1].poll() is None
    assert (len(found.rows), found.held, found.failed, count) == (16, 0, 0, 16)
    here = sweep(REQUEST, jobs=1)
    assert [(row.point, row.figures) for row in found.rows] == [(row.point, row.figures) for row in here.rows]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "axes"),
    [
        ("gemv.pim.mlir", ["passes=canonicalize;canonicalize,order", "pim.tRP=1..10", "pim.tRAS=20..29"]),
        ("mlp.mlir", ["machine=a100-newton,h100-newton", "pim.tCCD=1..4", "pim.tRP=10..25"]),  # planned together
    ],
)
def test_structures_are_timed_together_on_a_cluster(
    scheduler: tuple[str, list[subprocess.Popen[str]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    axes: list[str],
) -> None:
    """Their tables equal those of this process. A worker that is lost while it has a structure costs no point."""
    address, workers = scheduler
    monkeypatch.setattr(processes, "TOGETHER", 20)
    request = Request(str(ROOT / "examples" / model), axes=axes_of(axes))
    original = cluster.evaluated_on

    def killing(scheduler: str, request: Request, points: list[Numbered], jobs: int) -> Iterator[Results]:
        for place, each in enumerate(original(scheduler, request, points, jobs)):
            if not place:
                os.kill(workers[0].pid, signal.SIGKILL)
            yield each

    monkeypatch.setattr(cluster, "evaluated_on", killing)
    journal = str(tmp_path / "j.sqlite")
    found, here = sweep(request, journal, scheduler=address), sweep(request, jobs=1)
    assert (len(found.rows), found.failed, here.failed) == (len(request.points()), 0, 0)
    assert found.shared > len(found.rows) // 4
    assert [(row.point, row.figures) for row in found.rows] == [(row.point, row.figures) for row in here.rows]
    assert sweep(request, journal, scheduler=address).held == len(found.rows)


def test_results_that_depend_on_other_files_are_errors() -> None:
    """Those of a table as those of single points; a result that depends on nothing is kept."""
    points: list[Numbered] = [(0, "q", {"x": 1}), (1, "r", {"x": 2})]
    other = {"contents /no/such/file": "digest of a file on the worker"}
    columns = {"makespan_ns": np.array([1.0, 2.0])}
    for results in (
        Table({}, columns, found=other),
        [Outcome(question, {"makespan_ns": 1.0}, "", 0.0, found=other) for question in "qr"],
    ):
        checked = cluster._checked(points, results, {})  # pyright: ignore[reportPrivateUsage]
        assert isinstance(checked, list)
        assert [(each.question, each.figures, each.is_final) for each in checked] == [
            ("q", {}, False),
            ("r", {}, False),
        ]
        assert all("/no/such/file differs between the worker and this computer" in each.error for each in checked)
    for results in (Table({}, columns), [Outcome(question, {}, "", 0.0) for question in "qr"]):
        checked = cluster._checked(points, results, {})  # pyright: ignore[reportPrivateUsage]
        assert checked == results if isinstance(results, list) else checked is results


def test_no_scheduler() -> None:
    """An address without a scheduler is an error with a message."""
    with pytest.raises(InputError, match="no Dask scheduler answers at nonsense"):
        sweep(REQUEST, scheduler="nonsense://x")
