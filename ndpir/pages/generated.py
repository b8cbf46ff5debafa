"""The command line of modules that write documents of the checkout from declarations, as `python -m
ndpir.pages.dialects`: without arguments it writes the documents, with `--check` it lists the outdated ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from dialects.files import write_text

ROOT = Path(__file__).resolve().parents[2]
"""The root of the checkout."""


def outdated(found: Mapping[str, str], folder: str | None = None) -> list[str]:
    """The paths below the checkout's root of outdated documents: those whose text differs from that in `found`, and all
    documents in `folder` that are not in `found`. `found`: the text of each document, by its path."""
    unknown = {f"{folder}/{path.name}" for path in (ROOT / folder).iterdir()} - found.keys() if folder else set[str]()
    return sorted(unknown | {name for name, text in found.items() if not _holds(ROOT / name, text)})


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def run(module: str, documents: Callable[[], Mapping[str, str]], folder: str | None = None) -> None:
    """Write documents, or list the outdated ones and exit with status 1, as the command line requests.

    `module`: the name of the module that is run; `documents`: a function that returns the text of each document by its
    path below the checkout's root; `folder`: a folder whose documents are all written by this module.
    """
    parser = argparse.ArgumentParser(
        f"python -m {module}", description="Write documents of the checkout from declarations in the sources."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit with status 1 if one is outdated")
    args = parser.parse_args()
    if not (ROOT / "docs").is_dir():
        sys.exit(
            f"python -m {module} writes documents of a checkout, but {ROOT} has no folder `docs`; clone the project"
        )
    found = documents()
    if not args.check:
        for name, text in found.items():
            (ROOT / name).parent.mkdir(exist_ok=True)
            write_text(ROOT / name, text)
    elif names := outdated(found, folder):
        sys.exit("\n".join(f"{name} is outdated; run `python -m {module}`" for name in names))
