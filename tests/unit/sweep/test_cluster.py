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

import pytest

from dialects.diagnostics import InputError
from ndpir.sweep import cluster
from ndpir.sweep.axes import axes_of
from ndpir.sweep.processes import Numbered
from ndpir.sweep.request import Request
from ndpir.sweep.running import sweep

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
            count += 1
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


def test_no_scheduler() -> None:
    """An address without a scheduler is an error with a message."""
    with pytest.raises(InputError, match="no Dask scheduler answers at nonsense"):
        sweep(REQUEST, scheduler="nonsense://x")
