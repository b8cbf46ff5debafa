"""Error messages for accesses of a kernel's thread blocks to global memory, shared by the static check
(interp/tile/accesses.py) and the run with numbers (interp/tile/values.py)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from dialects.tile import AccessingOp, KernelOp
from dialects.values import called


def written_by_two_blocks(op: AccessingOp, memory: SSAValue) -> InputError:
    return InputError(
        f"{op.name}: two thread blocks of one grid write to the same elements of {called(memory)}; give each block its "
        "own elements",
        op,
    )


def written_by_another_block(op: AccessingOp, memory: SSAValue) -> InputError:
    return InputError(
        f"{op.name} reads elements of {called(memory)} that another thread block of the same grid writes; move the "
        "reading ops to a grid of their own (tile.blocks)",
        op,
    )


def written_twice_through(op: AccessingOp, view: SSAValue, memory: SSAValue) -> InputError:
    return InputError(
        f"{op.name} writes elements of {called(memory)} more than once through {called(view)}; a view that is written "
        "must contain each element at most once",
        op,
    )


def read_before_written(op: AccessingOp, memory: SSAValue) -> InputError:
    return InputError(
        f"{op.name} reads elements of {called(memory)} that were never written; write them in an earlier grid", op
    )


def never_written(kernel: KernelOp, memory: SSAValue, count: int, first: Sequence[int]) -> InputError:
    return InputError(
        f"tile.kernel: {count} elements of {called(memory)} are never written, the first of them "
        f"{called(memory)}[{', '.join(map(str, first))}]; the grids must write all elements of each output",
        kernel,
    )
