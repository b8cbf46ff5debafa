"""Check that the tables in docs/gpu.md are those generated from the classes of kernels and their constants."""

import os
from pathlib import Path

from dialects.files import write_text
from ndpir.calibrate.reference import HEADING, class_tables, documents

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "gpu.md"


def test_the_tables_are_current() -> None:
    if os.environ.get("UPDATE_DOCUMENTS"):
        write_text(DOCUMENT, documents()["docs/gpu.md"])
    _, heading, written = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)
    assert heading
    assert written == class_tables(), "the tables are outdated; run: python -m ndpir.calibrate.reference"
