"""Ops of a thread block in the order of their execution, iteration by iteration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from dialects.programs.index import value_of
from dialects.tile import AccessingOp, BlocksOp, ForOp, WhenOp, scope_of

Variables: TypeAlias = "dict[SSAValue, Any]"
"""Values of loop variables: numbers; for variables of tile.blocks, arrays with one number for each block."""


def values_of(indices: Sequence[SSAValue], variables: Mapping[SSAValue, Any]) -> list[Any]:
    """Return the values of an op's loop variables `indices`."""
    return [variables[index] for index in indices]


def executed_ops(block: Block, variables: Variables) -> Iterator[Operation]:
    """Yield the ops of a block in the order of their execution; `variables` is updated with the values of the enclosing
    loops.
    """
    for op in block.ops:
        match op:
            case ForOp():
                for value in op.values:
                    variables[op.variable] = value
                    yield from executed_ops(op.body.block, variables)
            case WhenOp():
                if value_of(op.zero, values_of(op.indices, variables)) == 0:
                    yield from executed_ops(op.body.block, variables)
            case _:
                yield op


def groups_of_blocks(grid: BlocksOp) -> list[tuple[dict[SSAValue, int], NDArray[np.int64]]]:
    """Group the blocks of a grid that execute the same ops on the same parts of their buffers. Return, for each group,
    the values of those grid variables that decide which ops a block executes and which parts of its buffers it
    accesses, and the numbers of the group's blocks."""
    path_variables = [
        argument for argument in grid.body.block.args if any(_decides_path(op, argument) for op in grid.body.walk())
    ]
    numbers = np.arange(grid.count)
    if not path_variables:
        return [({}, numbers)]
    places = np.unravel_index(numbers, [len(each) for each in grid.ranges])
    columns = np.stack([grid.ranges[each.index].start + places[each.index] for each in path_variables], -1)
    groups, first = np.unique(columns, axis=0, return_inverse=True)
    which = first.reshape(-1)
    together = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    return [
        (dict(zip(path_variables, values, strict=True)), blocks)
        for values, blocks in zip(groups.tolist(), together, strict=True)
    ]


def _decides_path(op: Operation, variable: SSAValue) -> bool:
    """Return True if a variable decides whether an op is executed, or which part of a block's own buffers
    it accesses.
    """
    if isinstance(op, WhenOp):
        return variable in op.indices
    if not isinstance(op, AccessingOp) or variable not in op.indices:
        return False
    at = [*op.indices].index(variable)
    return any(at in access.box.variables for access in op.accesses if scope_of(access.memory) != "global")


def execution_counts(op: Operation, grid: BlocksOp) -> NDArray[np.int64]:
    """Return the number of times that each block of a grid executes an op, as an array with an axis for each variable
    of the grid.
    """
    loops, conditions = list[ForOp](), list[WhenOp]()
    around = op.parent_op()
    while around is not None and around is not grid:
        loops += [around] if isinstance(around, ForOp) else []
        conditions += [around] if isinstance(around, WhenOp) else []
        around = around.parent_op()
    tested = {index for each in conditions for index in each.indices}
    axes = [*zip(grid.body.block.args, grid.ranges, strict=True), *((each.variable, each.values) for each in loops)]
    values: dict[SSAValue, NDArray[np.int64]] = {}
    for axis, (variable, numbers) in enumerate(axes):
        shape = [1] * len(axes)
        shape[axis] = len(numbers) if variable in tested else 1
        values[variable] = np.asarray(numbers if variable in tested else [0], np.int64).reshape(shape)
    done = np.ones((1,) * len(axes), np.bool_)
    for each in conditions:
        done = done & (value_of(each.zero, values_of(each.indices, values)) == 0)
    iterations = prod(len(each.values) for each in loops if each.variable not in tested)
    times = done.sum(axis=tuple(range(len(grid.ranges), len(axes)))) * iterations
    return np.broadcast_to(times, [len(each) for each in grid.ranges])
