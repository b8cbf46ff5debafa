"""Writer of the list of rooms in `docs/architecture.md`, the folders of the four packages, from the docstrings of their
`__init__.py`: `python -m ndpir.pages.rooms`."""

from __future__ import annotations

import ast
from pathlib import Path

from ndpir.pages.generated import ROOT, run
from ndpir.registry.docstrings import first_sentence

PACKAGES = ("ndpir", "lowering", "interp", "dialects")
"""The four packages, from the top floor down."""

PAGE = "docs/architecture.md"
BEGIN = "<!-- rooms: written by `python -m ndpir.pages.rooms` -->\n"
END = "<!-- end of rooms -->\n"
"""The lines of the page between which the list is written."""


def table() -> str:
    """The list of rooms as a table: the path of each folder, the first sentence of its docstring, and its number of
    files without `__init__.py`."""
    rooms = [path.parent for package in PACKAGES for path in sorted((ROOT / package).rglob("__init__.py"))]
    rows = [f"| `{room.relative_to(ROOT).as_posix()}/` | {_sentence(room)} | {_files(room)} |" for room in rooms]
    return "\n".join(["| room | what it decides or holds | files |", "|---|---|---|", *rows, ""])


def _sentence(room: Path) -> str:
    docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
    return first_sentence(docstring).replace("|", "\\|")


def _files(room: Path) -> int:
    return sum(path.is_file() and not path.name.startswith((".", "__init__.")) for path in room.iterdir())


def split(page: str) -> tuple[str, str, str]:
    """The text of the page before the list, the list, and the text after it; the marks belong to the text."""
    before, begin, rest = page.partition(BEGIN)
    listed, end, after = rest.partition(END)
    return before + begin, listed, end + after


def documents() -> dict[str, str]:
    """`docs/architecture.md` by its path in the checkout, with the present list of rooms."""
    before, _, after = split((ROOT / PAGE).read_text(encoding="utf-8"))
    return {PAGE: before + table() + after}


if __name__ == "__main__":
    run("ndpir.pages.rooms", documents)
