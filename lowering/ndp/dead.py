"""Dead code elimination in near-data programs."""

from __future__ import annotations

from xdsl.pattern_rewriter import PatternRewriter

from dialects.graph import GraphOp
from dialects.ndp import AllocOp, LoadOp, ProgramOp, StoreOp


def sweep(program: ProgramOp, rewriter: PatternRewriter, stores: bool = True) -> None:
    """Erase ops of a program whose values are unused, and scratch memory that is unused. With `stores`, also erase
    stores to scratch memory that is never loaded."""
    for op in reversed(list(program.body.block.ops)):
        unused = isinstance(op, GraphOp | LoadOp | AllocOp) and all(result.first_use is None for result in op.results)
        if unused or (stores and isinstance(op, StoreOp) and not _is_read(op)):
            rewriter.erase(op)


def _is_read(store: StoreOp) -> bool:
    """True if stored data are read, by a load or as an output of the program."""
    alloc = store.memory.owner
    return not isinstance(alloc, AllocOp) or any(isinstance(use.operation, LoadOp) for use in alloc.memory.uses)
