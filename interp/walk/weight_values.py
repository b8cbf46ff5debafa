"""Detection of the values that are weights, so that banks can hold them from the start."""

from __future__ import annotations

from xdsl.ir import BlockArgument, SSAValue

from dialects.graph import ConstantOp, FusedOp, GraphOp, WeightOp, opaque_in
from dialects.task import ResidentOp, RunOp


def is_weight(value: SSAValue, known: dict[SSAValue, bool] | None = None) -> bool:
    """True if a value is a weight or constant, or is computed from weights and constants alone, by ops whose
    meaning is known. `known` caches the result for each value."""
    known = {} if known is None else known
    waiting = [value]
    while waiting:  # an explicit stack, since a network is deeper than Python's stack
        here = waiting[-1]
        sources = _sources(here)
        if here in known:
            waiting.pop()
        elif not sources or any(known.get(source) is False for source in sources):
            known[here] = sources is not None and not any(known.get(source) is False for source in sources)
        elif unknown := next((source for source in sources if source not in known), None):
            waiting.append(unknown)
        else:
            known[here] = True
    return known[value]


def _sources(value: SSAValue) -> tuple[SSAValue, ...] | None:
    """The values from which a value is computed: an empty tuple for a weight or constant; None for a value that depends
    on a program's arguments or on an opaque op."""
    if isinstance(value, BlockArgument):
        owner = value.block.parent_op()
        return (owner.inputs[value.index],) if isinstance(owner, FusedOp | RunOp) else None
    op = value.owner
    if isinstance(op, ResidentOp):
        return (op.value,)
    if isinstance(op, WeightOp | ConstantOp):
        return ()
    return tuple(op.operands) or None if isinstance(op, GraphOp | FusedOp) and not opaque_in(op) else None
