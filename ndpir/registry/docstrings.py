"""Docstrings on one line: complete, or reduced to their first sentence."""

from __future__ import annotations

import re
from inspect import cleandoc


def first_sentence(doc: str | None) -> str:
    """The first sentence of a docstring, on one line."""
    paragraph = " ".join((doc or "(undocumented)").strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.;])\s", paragraph, maxsplit=1)[0].rstrip(".;")


def flowed(text: str) -> str:
    """A docstring on one line."""
    return " ".join(cleandoc(text).split())
