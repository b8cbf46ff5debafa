"""Detection of uses of discarded values: `task.discard` frees the bytes of a value, after which no value that shares
these bytes may be used.

Two values share bytes if one is a view of the other (a result of a task of views alone) or an in-place update of it. A
copy on another device has bytes of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.graph.indexing import DynamicUpdateSliceOp
from dialects.locations import place_of
from dialects.repeating import RepeatingOp
from dialects.task import DiscardOp, RunOp
from dialects.values import called
from interp.walk.entry import functions
from interp.walk.views import in_place, is_view_task


def check_discards(module: ModuleOp) -> None:
    """Raises InputError at the first op that uses a value after its contents were discarded. The call graph must be
    acyclic.
    """
    if not any(isinstance(op, DiscardOp) for op in module.walk()):
        return
    known = {function.sym_name.data: function for function in functions(module)}
    taken: dict[FuncOp, frozenset[int]] = {}
    for function in known.values():
        _discarded(function, known, taken)


def _discarded(
    function: FuncOp, functions: Mapping[str, FuncOp], taken: dict[FuncOp, frozenset[int]]
) -> frozenset[int]:
    """The arguments, by number, whose contents are dead when a function returns. `taken` caches the result for each
    function.
    """
    if len(function.body.blocks) != 1:  # other checks report control flow that can't be followed
        return frozenset()
    if function not in taken:
        taken[function] = _dead_arguments(function.body.block, functions, taken)
    return taken[function]


def _dead_arguments(
    block: Block, functions: Mapping[str, FuncOp], taken: dict[FuncOp, frozenset[int]]
) -> frozenset[int]:
    """The arguments of a block, by number, whose contents are dead when it has been executed."""
    shared = _Shared(block)
    dead: dict[SSAValue, Operation] = {}
    for op in block.ops:
        for number, value in enumerate(op.operands):
            if _overwrites(op, number):
                dead.pop(shared.root(value), None)
            if (by := dead.get(shared.root(value))) is not None:
                at = place_of(by)
                raise InputError(
                    f"{op.name}: the contents of {called(value)} were discarded "
                    f"before{f' ({at})' if at else ''}; move the {by.name} behind the last use of this value",
                    op,
                )
        for value in _dead_behind(op, functions, taken):
            dead[shared.root(value)] = op
    return frozenset(value.index for value in block.args if shared.root(value) in dead)


def _overwrites(op: Operation, number: int) -> bool:
    """True if an op may write new contents to the memory of an operand, without a read of the old ones: a loop that
    carries the operand, and an update in place."""
    if isinstance(op, RepeatingOp):
        return number < len(op.outputs)
    if not isinstance(op, RunOp) or number >= len(op.inputs):
        return False
    users = list(op.body.block.args[number].uses)
    return bool(users) and all(
        isinstance(use.operation, DynamicUpdateSliceOp) and use.index == 0 and use.operation.in_place.value.data
        for use in users
    )


def _dead_behind(
    op: Operation, functions: Mapping[str, FuncOp], taken: dict[FuncOp, frozenset[int]]
) -> Iterator[SSAValue]:
    """The operands of an op whose contents are dead once the op has been executed. Of a loop, these are its invariant
    operands that an iteration discards; discards of slices, and those in some iterations alone, are not considered."""
    if isinstance(op, DiscardOp) and op.copy_in is None and op.sliced is None and op.iterations is None:
        yield op.value
    elif isinstance(op, CallOp) and (callee := functions.get(op.callee.string_value())) is not None:
        for number in _discarded(callee, functions, taken):
            yield op.operands[number]
    elif isinstance(op, RepeatingOp):
        for number in _dead_arguments(op.body.block, functions, taken):
            if number > len(op.outputs):
                yield op.inputs[number - 1]


class _Shared:
    """The groups of values of a block that occupy the same bytes."""

    def __init__(self, block: Block) -> None:
        self._same: dict[SSAValue, SSAValue] = {}
        for op in block.ops:
            if isinstance(op, RunOp):
                for result, source in _shown(op):
                    self._same[self.root(result)] = self.root(source)

    def root(self, value: SSAValue) -> SSAValue:
        """The value that represents all values that share bytes with the given one."""
        passed: list[SSAValue] = []
        while (above := self._same.get(value)) is not None and above is not value:
            passed.append(value)
            value = above
        self._same |= dict.fromkeys(passed, value)
        return value


def _shown(run: RunOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of a result of a task and an operand whose bytes it shares."""
    for number, operand in in_place(run).items():
        yield run.outputs[number], run.inputs[operand]
    if is_view_task(run):
        for result, inner in zip(run.outputs, run.yielded, strict=True):
            waiting, met = [inner], {inner}
            for value in waiting:
                if isinstance(value, BlockArgument):
                    yield result, run.inputs[value.index]
                elif isinstance(value.owner, Operation):
                    fresh = [each for each in dict.fromkeys(value.owner.operands) if each not in met]
                    met.update(fresh)
                    waiting += fresh
