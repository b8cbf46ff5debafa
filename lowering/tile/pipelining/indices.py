"""Substitution of loop variables in accesses of thread-block ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.programs.index import simplified, variables_in
from dialects.tile import AccessingOp, Box, IotaOp, WhenOp
from dialects.tile.loops import range_of


def accesses_of(memory: SSAValue) -> list[tuple[AccessingOp, int]]:
    """Return the ops that access a memory, each with the number of the access, in no particular order."""
    users = dict.fromkeys(use.operation for use in memory.uses)
    return [
        (user, number)
        for user in users
        if isinstance(user, AccessingOp)
        for number, access in enumerate(user.accesses)
        if access.memory is memory
    ]


def readers_of(memory: SSAValue) -> list[AccessingOp]:
    """Return the ops that read a memory."""
    return list(dict.fromkeys(op for op, number in accesses_of(memory) if number in op.READS))


def writers_of(memory: SSAValue) -> list[AccessingOp]:
    """Return the ops that write to a memory."""
    return list(dict.fromkeys(op for op, number in accesses_of(memory) if number in op.WRITES))


def substitute(op: AccessingOp, number: int, variable: SSAValue, by: AffineExpr, values: Sequence[SSAValue]) -> None:
    """Replace a loop variable in one access of an op by an expression over `values`."""
    if variable in op.indices:
        access, (new, known) = op.accesses[number], _replacing(op.indices, variable, by, values)
        op.retarget(number, access.memory, access.box.over(new), known)


def substitute_all(around: Operation, variable: SSAValue, by: AffineExpr, values: Sequence[SSAValue]) -> None:
    """Replace a loop variable in all ops within an op by an expression over `values`."""
    for op in around.walk():
        if isinstance(op, AccessingOp):
            for number in range(len(op.memories)):
                substitute(op, number, variable, by, values)
        elif isinstance(op, WhenOp | IotaOp) and variable in op.indices:
            new, known = _replacing(op.indices, variable, by, values)
            expression = op.index.replace_dims_and_symbols(new, ())
            used = sorted(variables_in(expression))
            kept = [AffineExpr.dimension(used.index(at) if at in used else 0) for at in range(len(known))]
            op.set_index(expression.replace_dims_and_symbols(kept, ()), [known[at] for at in used])


def _replacing(
    indices: Sequence[SSAValue], variable: SSAValue, by: AffineExpr, values: Sequence[SSAValue]
) -> tuple[list[AffineExpr], list[SSAValue]]:
    """Return, for each index, the expression that replaces it, and the variables of these expressions."""
    known = list(dict.fromkeys([*indices, *values]))
    new = [AffineExpr.dimension(position) for position in range(len(indices))]
    placed = [AffineExpr.dimension(known.index(value)) for value in values]
    new[list(indices).index(variable)] = by.replace_dims_and_symbols(placed, ())
    return new, known


def set_slot(op: AccessingOp, number: int, slot: AffineExpr, values: Sequence[SSAValue]) -> None:
    """Redirect an access to a slot of its buffer; `slot` is an expression over `values`."""
    access = op.accesses[number]
    known = list(dict.fromkeys([*op.indices, *values]))
    placed = [AffineExpr.dimension(known.index(value)) for value in values]
    start = slot.replace_dims_and_symbols(placed, ())
    op.retarget(number, access.memory, Box((start, *access.box.starts[1:]), access.box.sizes), known)


def wrap_slot(op: AccessingOp, number: int, slots: int) -> None:
    """Wrap the slot of an access modulo the number of slots."""
    access = op.accesses[number]
    starts = (access.box.starts[0] % slots, *access.box.starts[1:])
    op.retarget(number, access.memory, Box(starts, access.box.sizes), op.indices)


def simplify(around: Operation) -> None:
    """Simplify the indices of an op and of all ops within it, using the ranges of loops."""
    for op in around.walk():
        if isinstance(op, AccessingOp):
            for number in range(len(op.memories)):
                access, ranges = op.accesses[number], [range_of(value) for value in op.indices]
                starts = tuple(simplified(start, ranges) for start in access.box.starts)
                op.retarget(number, access.memory, Box(starts, access.box.sizes), op.indices)


def depends_on(op: AccessingOp, number: int, variables: Sequence[SSAValue], first: int = 0) -> bool:
    """Return True if the start of an op's access depends on one of the given variables, on axes from `first` on."""
    indices, starts = op.indices, op.accesses[number].box.starts[first:]
    at = {indices.index(value) for value in variables if value in indices}
    return any(at & variables_in(start) for start in starts)
