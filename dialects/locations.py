"""Source locations of ops: MLIR's location attributes as text, and their propagation by passes.

An op that was read from text carries `FileLineColLoc`, an op that was imported `NameLoc` (its ONNX node's name), an op
that replaces several ops `FusedLoc`. Every pass gives each new op the locations of the ops that it replaces.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Operation

OpT = TypeVar("OpT", bound=Operation)
_NOTHING = NoneAttr()
_text, _number = lru_cache(64)(StringAttr), lru_cache(1 << 16)(IntAttr)


def at_line(file: str, line: int, column: int) -> LocationAttr:
    """The location of a line and column of a text file; both count from 1."""
    place = FileLineColLoc.__new__(FileLineColLoc)  # its constructor checks these types, which is slow
    vars(place).update(filename=_text(file), line=_number(line), column=_number(column))
    return place


def named(name: str) -> LocationAttr:
    """A location given by name, e.g. an ONNX node's."""
    place = NameLoc.__new__(NameLoc)  # its constructor checks both types, which is slow
    vars(place).update(desc=StringAttr(name), location=_NOTHING)
    return place


def fused(locations: Iterable[LocationAttr]) -> LocationAttr:
    """The location of an op that replaces several ops; unknown and repeated locations are dropped."""
    parts: dict[LocationAttr, None] = {}
    for location in locations:
        for part in _parts(location):
            if not isinstance(part, UnknownLoc):
                parts[part] = None
    match list(parts):
        case []:
            return UnknownLoc()
        case [one]:
            return one
        case several:
            return FusedLoc(ArrayAttr(several), NoneAttr())


def _parts(location: LocationAttr) -> tuple[LocationAttr, ...]:
    if isinstance(location, FusedLoc):
        return tuple(location.locations)  # pyright: ignore[reportArgumentType, reportUnknownArgumentType, reportUnknownVariableType]
    return (location,)


def located(op: OpT, *sources: Operation) -> OpT:
    """`op`, with the locations of the ops it replaces."""
    op.location = sources[0].location if len(sources) == 1 else fused(source.location for source in sources)
    return op


def text_of(location: LocationAttr) -> str | None:
    """`file:line:column`, a name, or the first known part of a fused location; None for an unknown location."""
    match location:
        case FileLineColLoc():
            return f"{location.filename.data}:{location.line.data}:{location.column.data}"
        case NameLoc():
            return location.desc.data
        case FusedLoc():
            return next((text for part in _parts(location) if (text := text_of(part))), None)
        case _:
            return None


def place_of(op: Operation) -> str | None:
    """The source location of an op, or that of the nearest enclosing op."""
    here: Operation | None = op
    while here is not None:
        if (text := text_of(here.location)) is not None:
            return text
        here = here.parent_op()
    return None
