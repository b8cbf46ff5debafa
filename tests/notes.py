"""A pytest plugin that records which tests compute numbers, so that `--numbers` can run only these (for example under
another BLAS kernel), and which tests take long, so that they get the mark `slow`.

A test computes numbers if it calls one of SOURCES, or starts a process, which may do anything. pytest's cache holds
the record of each test's last run; a test that is not in the cache counts as one that computes numbers.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Generator
from typing import Any

import pytest

SOURCES = (
    ("interp.numerics", "evaluate"),
    ("interp.kinds.pim.values.run", "run_kernel"),
    ("interp.kinds.gpu.constants.fit", "fit"),
    ("interp.kinds.gpu.constants.power_fit", "fit_board"),
    ("subprocess", "Popen.__init__"),
)
"""The functions at which floating-point arithmetic that depends on the processor begins: (module, function)."""

SLOW = 1.0
"""The processor time in seconds from which on a test should be marked `slow`, so that `--quick` leaves it out;
processes that the test starts are included."""

_CACHE = "ndpir/numbers"
_NOTE = "computes numbers"
_TOOK = "takes seconds"


def watch(module: str, function: str, called: Callable[[], None]) -> None:
    """Replace a function by one that first calls `called`. Must run before another module imports the function by
    name."""
    owner: Any = importlib.import_module(module)
    *path, name = function.split(".")
    for part in path:
        owner = getattr(owner, part)
    original = getattr(owner, name)

    @functools.wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Any:
        called()
        return original(*args, **kwargs)

    setattr(owner, name, watched)


class Notes:
    """The pytest plugin that records the calls of SOURCES and the processor time of each test; with `only`, it
    deselects tests that compute no numbers."""

    def __init__(self, config: pytest.Config, *, only: bool) -> None:
        self.only = only
        self.calls = 0
        self.cache: pytest.Cache | None = getattr(config, "cache", None)  # None under `-p no:cacheprovider`
        self.known: dict[str, bool] = self.cache.get(_CACHE, {}) if self.cache else {}  # pyright: ignore[reportUnknownMemberType]
        self.noted: dict[str, bool] = {}
        self.unmarked: dict[str, float] = {}
        for module, function in SOURCES:
            watch(module, function, self._called)

    def _called(self) -> None:
        self.calls += 1

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Mark all tests of a module whose import computes numbers."""
        before = self.calls
        report = yield
        if self.calls > before and isinstance(collector, pytest.Module):
            collector.add_marker(pytest.mark.numbers)
        return report

    @pytest.hookimpl
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self.only:
            left = [item for item in items if not self.known.get(item.nodeid, True)]
            config.hook.pytest_deselected(items=left)
            items[:] = [item for item in items if self.known.get(item.nodeid, True)]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure the calls of SOURCES and the processor time of a test, in the process that runs it, and store them in
        the test's reports."""
        self.before, self.start = self.calls, sum(os.times()[:4])
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        computes = self.calls > self.before or item.get_closest_marker("numbers") is not None
        item.user_properties.append((_NOTE, computes))
        if item.config.getoption("--quick"):
            item.user_properties.append((_TOOK, sum(os.times()[:4]) - self.start))

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect, in the process that the user started, the records that the tests' reports contain."""
        for name, value in report.user_properties:
            if name == _NOTE and isinstance(value, bool):
                self.noted[report.nodeid] = value
            if name == _TOOK and isinstance(value, float) and value >= SLOW:
                self.unmarked[report.nodeid] = value

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for nodeid, seconds in sorted(self.unmarked.items(), key=lambda each: -each[1]):
            terminalreporter.write_line(f"SLOW {seconds:.1f} s, but not marked `slow`: {nodeid}")

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.cache and self.noted and not hasattr(session.config, "workerinput"):
            self.cache.set(_CACHE, self.known | self.noted)
