"""The generated list of all fields in docs/sheets.md is current; `UPDATE_DOCUMENTS=1` rewrites it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "sheets.md"
PRINT = "from interp.kinds.pages import field_tables; print(field_tables(), end='')"


def test_the_fields_in_the_document_are_current():
    # in a process of its own: plugins of other tests may have added commands and kinds of devices to this one
    done = subprocess.run([sys.executable, "-c", PRINT], capture_output=True, encoding="utf-8", check=True)
    text = DOCUMENT.read_text(encoding="utf-8")
    head, heading, written = text.partition("## Fields\n\n")
    if os.environ.get("UPDATE_DOCUMENTS"):
        DOCUMENT.write_text(head + heading + done.stdout, encoding="utf-8")
    else:
        assert written == done.stdout
