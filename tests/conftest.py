"""Settings of all tests: seeded random draws, one BLAS thread for each worker, and a summary of one page.

Hypothesis draws the same cases in every run. `--quick` draws fewer cases, NDPIR_EXAMPLES=1000 draws more.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Mapping
from typing import TypeAlias

if (
    "PYTEST_XDIST_WORKER" in os.environ
):  # before numpy is imported: if each worker used all cores, the workers would wait for each other
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")

import pytest
from hypothesis import HealthCheck, settings

from tests.amount import EXAMPLES
from tests.notes import Notes

Status: TypeAlias = tuple[str, str, str | tuple[str, Mapping[str, bool]]]
"""The (category, letter, word) that pytest shows for a report; the word may carry its colours."""

settings.register_profile(
    "ndpir",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("quick", settings.get_profile("ndpir"), max_examples=10)
settings.load_profile("ndpir")


@pytest.hookimpl(wrapper=True)
def pytest_report_teststatus(
    report: pytest.CollectReport | pytest.TestReport, config: pytest.Config
) -> Generator[None, Status, Status]:
    """Under `-q`, print no letter for a test that passes, so that failed and skipped tests stand out."""
    status = yield
    category, _, word = status
    return (category, "", word) if category == "passed" and config.get_verbosity() < 0 else status


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Forget the folders of sheets that a test adds, in which later tests would find devices."""
    before = list(_sheet_folders())
    result = yield
    _sheet_folders()[:] = before
    return result


def _sheet_folders() -> list[object]:
    search = sys.modules.get("interp.machine.sheets.search")
    return search._added if search is not None else []


@pytest.fixture
def uncompared() -> Generator[None]:
    """Skip the search for the best time of the primary device alone, which is half of the work of some tests, and which
    they don't check."""
    from lowering.alone.primary_alone import COMPARING

    token = COMPARING.set(False)
    yield
    COMPARING.reset(token)


class Progress:
    """Progress of the tests, on a terminal's stderr."""

    def __init__(self) -> None:
        self.done = self.failed = self.total = 0

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.total = len(session.items)

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += report.failed
        self.done += report.when == "teardown"
        print(f"\r{self.done} tests, {self.failed} failed", end="\r", file=sys.stderr, flush=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out slow tests, and draw fewer random cases")
    parser.addoption("--numbers", action="store_true", help="only tests that compute numbers, with fewer cases")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(
        key=lambda item: item.path.name != "test_documents.py"
    )  # the longest tests first, so that no core still runs one while the others have finished
    if config.getoption("--quick"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(
        50_000, 20, 100
    )  # networks stay in memory between tests; the garbage collector would take minutes to scan them repeatedly
    if config.getoption("--quick") or config.getoption("--numbers"):
        settings.load_profile("quick")
    config.pluginmanager.register(Notes(config, only=bool(config.getoption("--numbers"))))
    controls = not hasattr(config, "workerinput")
    if controls and config.get_verbosity() < 0 and sys.stderr.isatty():
        config.pluginmanager.register(Progress())
