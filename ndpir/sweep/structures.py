"""Points of a sweep by structure: points of one structure differ only in the values of timing parameters, so that all
else about them is stated once (`Structure`), and their figures are columns (`Table`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat

import msgspec
import numpy as np
from numpy.typing import NDArray

from dialects.dependencies import digest
from ndpir.reports.columns import Figure
from ndpir.sweep.request import Request, Variant, asked_of, question_of, variant_of
from ndpir.sweep.sampling import Point, is_timing


@dataclass(frozen=True)
class Structure:
    """Points that differ only in the values of the axes `timings`. `places`: their positions among all points."""

    request: Request
    timings: tuple[str, ...]
    places: list[int]
    points: list[Point]

    @cached_property
    def variant(self) -> Variant:
        """The variant of all points, with the mark of an axis (`_mark`) in place of each value of a timing parameter.
        Raises the error of `variant_of`, which is that of all points."""
        marks = {name: _mark(at) for at, name in enumerate(self.timings)}
        return variant_of(self.request, {**self.points[0], **marks})

    @property
    def is_valid(self) -> bool:
        """False if all points have a value that does not fit its axis."""
        try:
            return bool(self.variant)
        except Exception:  # each point says what is wrong with it
            return False

    @cached_property
    def texts(self) -> list[list[str]]:
        """The values of each axis of `timings`, as texts, one for each point."""
        return [[str(point[name]) for point in self.points] for name in self.timings]

    def questions(self) -> list[str]:
        """The question of each point (`question_of`)."""
        try:
            template = asked_of(self.request, self.variant).replace(b"%", b"%%")
            columns: list[list[bytes]] = []
            places: list[int] = []
            for at, texts in enumerate(self.texts):
                mark = _encoded(_mark(at))
                if template.count(mark) != 1:  # the request has such a text of its own
                    raise ValueError
                places.append(template.index(mark))
                encoded = {text: _encoded(text) for text in set(texts)}
                columns.append([encoded[text] for text in texts])
        except ValueError:  # also for names that are no UTF-8 text
            return [question_of(self.request, variant_of(self.request, point)) for point in self.points]
        for at in range(len(places)):
            template = template.replace(_encoded(_mark(at)), b"%b")
        if not places:
            return [digest(template % ())] * len(self.points)
        ordered = [columns[at] for at in sorted(range(len(places)), key=places.__getitem__)]
        return [digest(template % row) for row in zip(*ordered, strict=True)]

    def settings(self) -> tuple[tuple[str, ...], list[Sequence[str]]]:
        """The names of all timing parameters in the settings, and their values as texts, one for each point: those of
        the axes, and those that all points share."""
        marked = {_mark(at): texts for at, texts in enumerate(self.texts)}
        names: list[str] = []
        values: list[Sequence[str]] = []
        for text in self.variant.settings:
            name, _, value = text.partition("=")
            if is_timing(name.strip()):
                names.append(name.strip())
                shared = [value] * len(self.points)
                values.append([each.strip() for each in marked.get(value, shared)])
        return tuple(names), values


def structures_of(request: Request, points: Sequence[Point]) -> list[Structure]:
    """The structures of points, in the order of their first points."""
    groups: dict[tuple[object, ...], list[int]] = {}
    axes: dict[tuple[str, ...], tuple[str, ...]] = {}
    for at, point in enumerate(points):
        names = tuple(point)
        if (fixed := axes.get(names)) is None:
            fixed = axes[names] = tuple(name for name in names if not is_timing(name))
        groups.setdefault((names, *[repr(point[name]) for name in fixed]), []).append(at)
    found: list[Structure] = []
    for places in groups.values():
        members = [points[at] for at in places]
        timings = tuple(name for name in members[0] if is_timing(name))
        found.append(Structure(request, timings, places, members))
    return found


def _mark(at: int) -> str:
    """The text in place of the values of an axis, which no setting has."""
    return f"\0{at}\0"


def _encoded(text: str) -> bytes:
    """A text as JSON, without quotation marks."""
    return msgspec.json.encode(text)[1:-1]


@dataclass(frozen=True)
class Table:
    """The figures of points that were timed together.

    `shared`: the figures of one of them, in the order of all; `columns`: those that differ, (points) each; `seconds`:
    the time that a point took, in s of wall-clock time; `found`: the record of all that the figures depend on
    (`Outcome.found`).
    """

    shared: Mapping[str, Figure]
    columns: Mapping[str, NDArray[np.float64]]
    seconds: float = 0.0
    found: Mapping[str, str] = field(default_factory=dict[str, str])
    texts: Sequence[str] = ()
    """The figures of each point as JSON, if they were written already."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def rows(self) -> Iterator[dict[str, Figure]]:
        """The figures of each point."""
        merged = {**self.shared, **self.columns}
        names = list(merged)
        columns = [each.tolist() if isinstance(each, np.ndarray) else repeat(each) for each in merged.values()]
        return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=False))

    def at(self, places: slice | NDArray[np.intp]) -> Table:
        """The figures of the points at some positions."""
        return replace(self, columns={name: each[places] for name, each in self.columns.items()})

    def row(self, at: int) -> dict[str, Figure]:
        """The figures of the point at a position."""
        return {**self.shared, **{name: float(each[at]) for name, each in self.columns.items()}}

    def written(self) -> list[str]:
        """The figures of each point as JSON, as `json.dumps` writes them."""
        merged = {**self.shared, **self.columns}
        entries: list[str] = []
        columns: list[list[str]] = []
        kept: list[tuple[NDArray[np.float64], list[str]]] = []
        for name, each in merged.items():
            head = f"{json.dumps(name)}: ".replace("%", "%%")
            if not isinstance(each, np.ndarray):
                entries.append(head + json.dumps(each).replace("%", "%%"))
                continue
            entries.append(f"{head}%s")
            # Columns are often equal (the makespan and its bound), and then written once.
            texts = next((texts for other, texts in kept if np.array_equal(other, each)), None)
            if texts is None:
                write = float.__repr__ if np.isfinite(each).all() else json.dumps
                texts = list(map(write, each.tolist()))
                kept.append((each, texts))
            columns.append(texts)
        template = "{" + ", ".join(entries) + "}"
        return list(map(template.__mod__, zip(*columns, strict=True)))
