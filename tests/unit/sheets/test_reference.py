"""The generated list of all fields in docs/sheets.md is current; `UPDATE_DOCUMENTS=1` rewrites it."""

from __future__ import annotations

import os
from pathlib import Path

from interp.machine.sheets.text import field_tables

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "sheets.md"


def test_the_fields_in_the_document_are_current():
    text = DOCUMENT.read_text(encoding="utf-8")
    head, heading, written = text.partition("## Fields\n\n")
    if os.environ.get("UPDATE_DOCUMENTS"):
        DOCUMENT.write_text(head + heading + field_tables(), encoding="utf-8")
    else:
        assert written == field_tables()
