"""Output of weights whose numbers are only in memory, for example those of a program from stdin, to a file next to the
program's text."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from dialects.diagnostics import InputError
from dialects.graph.constant import FileAttr, Held, HeldAttr, WeightOp
from dialects.graph.properties import integer


def weights_for_file(module: ModuleOp, path: str | None) -> list[bytes]:
    """Replace weights in memory by references to the file `path`; returns the bytes to write to that file, in order.

    Raises InputError at such a weight if `path` is None: the program's text does not contain the weight's numbers.
    """
    offsets: dict[Held, int] = {}
    chunks: list[bytes] = []
    for op in module.walk():
        if (
            not isinstance(op, WeightOp)
            or not isinstance(op.source, HeldAttr)
            or (weight := op.source.data).data is None
        ):
            continue
        if path is None:
            raise InputError(
                f'the values of weight "{op.sym.data}" are only in memory, and text on stdout does not contain them; '
                "read the program from a file instead of stdin, or write it to one (-o FILE)",
                op,
            )
        if weight not in offsets:
            offsets[weight] = sum(map(len, chunks))
            chunks.append(bytes(weight.data))
        op.source = FileAttr(StringAttr(path), integer(offsets[weight]))
    return chunks
