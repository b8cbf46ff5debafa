"""Text tables: rows whose columns are aligned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dialects.text.printable import printable


def table(header: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Rows under a header; columns are right-aligned, except those whose numbers are in `left`. Hidden characters in
    cells, such as ends of lines, are escapes."""
    lines = [[*map(printable, row)] for row in (header, *rows)]
    return "\n".join(aligned(lines, set(range(len(header))).difference(left))) + "\n"


def aligned(rows: Iterable[Sequence[str]], right: Iterable[int] = (), indent: str = "") -> Iterator[str]:
    """The lines of rows with two spaces between columns and none at the ends. Columns are left-aligned, except those
    whose numbers are in `right`."""
    rows, right = list(rows), set(right)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    form = indent + "  ".join(f"{{:{'>' if at in right else '<'}{width}}}" for at, width in enumerate(widths))
    return (form.format(*row).rstrip() for row in rows)
