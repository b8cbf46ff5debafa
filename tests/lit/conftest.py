"""Lets pytest collect the `.mlir` tests and run their RUN lines; `lit tests/lit` runs the same files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lit import shell

FEATURES = {program for program in ("dot",) if shutil.which(program)}


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".mlir" and file_path.parent.name not in ("Inputs", "Output"):
        return LitFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
    return None


class LitFile(pytest.File):
    """A `.mlir` test file, collected as one test item."""

    def collect(self) -> Iterator[pytest.Item]:
        item = LitItem.from_parent(self, name="RUN")  # pyright: ignore[reportUnknownMemberType]
        if shell.is_slow(self.path):
            item.add_marker(pytest.mark.slow)
        yield item


class LitItem(pytest.Item):
    """A test item that runs all RUN lines of one file, in order."""

    def runtest(self) -> None:
        if lacking := shell.missing_features(self.path, FEATURES):
            pytest.skip(f"needs {', '.join(lacking)}")
        lines = shell.run_lines(self.path)
        if not lines:
            raise LitFailure(f"{self.path} has no RUN line")
        in_process = os.environ.get("NDPIR_LIT") != "process" and "REQUIRES-PROCESS" not in self.path.read_text(
            encoding="utf-8", errors="replace"
        )
        scratch = self._scratch()
        for line in lines:
            result = shell.run_line(shell.substituted(line, self.path, scratch), in_process=in_process)
            if result.status:
                raise LitFailure(
                    f"this RUN line failed with {result.status}:\n  {line}\n{result.output}{result.failed}"
                )

    def _scratch(self) -> Path:
        scratch = self.path.parent / "Output"
        scratch.mkdir(exist_ok=True)
        return scratch

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(excinfo.value, LitFailure):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, str(self.path.relative_to(self.config.rootpath))


class LitFailure(Exception):
    """The failure of a RUN line, with the output of its commands."""
