"""Weights that are only in memory, of a program from stdin: their values are written to a file next to the output."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from dialects.diagnostics import InputError
from dialects.graph.constant import FileAttr, Held, HeldAttr, WeightOp
from dialects.graph.properties import integer


def moved_out(module: ModuleOp, path: str | None) -> list[bytes]:
    """The values of weights in memory, which the program now refers to in the file `path`, concatenated.

    Raises InputError at such a weight if there is no file, since the text does not contain its values.
    """
    places: dict[Held, int] = {}
    pieces: list[bytes] = []
    for op in module.walk():
        if not isinstance(op, WeightOp) or not isinstance(op.source, HeldAttr) or (held := op.source.data).data is None:
            continue
        if path is None:
            raise InputError(
                f'the numbers of weight "{op.sym.data}" are in memory alone, and text on stdout does not hold them; '
                "name the file of the program that is read, or one to write (-o FILE)",
                op,
            )
        if held not in places:
            places[held] = sum(map(len, pieces))
            pieces.append(held.data)
        op.source = FileAttr(StringAttr(path), integer(places[held]))
    return pieces
