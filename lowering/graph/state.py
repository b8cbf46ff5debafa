"""The pass `state`: finds the arguments that live across steps and change in place, such as caches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from dialects import graph as g
from dialects.diagnostics import InputError, note
from dialects.graph.op import PLACED
from dialects.graph.patterns.matching import element_of
from dialects.graph.properties import flag
from dialects.task import OnType, State
from dialects.values import called
from interp.walk.entry import block_of, functions, growth_axis, is_private, noted_arguments, states_of
from interp.walk.views import axis_of, cuts_only
from lowering.graph.rewriting import rewriter_at


@dataclass(frozen=True)
class StatePass(ModulePass):
    """Finds states: arguments of which a result is the new content, in the same memory. A concat of an argument and new
    rows, which the function returns, appends to the argument; if a slice drops the oldest rows of it, the argument is a
    ring. A chain of updates of an argument, which the function returns, updates it. The attribute `task.state` of each
    state says so, and concats become `in_place`: only new rows are written, so that a step does not copy its caches.

    Stated attributes are kept; an argument that is stated to be `overwritten` is found to be `appended` or `updated`.
    One that is `read` or `free` is no state. The caller is expected to hand each state's result to the next step, with
    the memory of the state; where it keeps the old content, write `{task.state = "read"}`.

    `capacity`: the number of rows for which the memory of each state that grows is reserved, where none is stated and
    the types of the argument and of the result tell the axis of rows; default: those that it has after the step.

    Before:
    ```mlir
    func.func @main(%past: tensor<8x511x64xf16>, %new: tensor<8x1x64xf16>, %q: tensor<8x1x64xf16>)
      -> (tensor<8x1x512xf16>, tensor<8x512x64xf16>) {
      %k = graph.concat %past, %new axis = 1 : tensor<8x511x64xf16>, tensor<8x1x64xf16>
      %s = graph.matmul %q, %k transpose_b : tensor<8x1x64xf16>, tensor<8x512x64xf16>
      func.return %s, %k : tensor<8x1x512xf16>, tensor<8x512x64xf16>
    }
    ```
    After:
    ```mlir
    func.func @main(%past: tensor<8x511x64xf16> {task.state = "appended, result 1"}, %new: tensor<8x1x64xf16>,
                    %q: tensor<8x1x64xf16>) -> (tensor<8x1x512xf16>, tensor<8x512x64xf16>) {
      %k = graph.concat %past, %new axis = 1, in_place : tensor<8x511x64xf16>, tensor<8x1x64xf16>
      %s = graph.matmul %q, %k transpose_b : tensor<8x1x64xf16>, tensor<8x512x64xf16>
      func.return %s, %k : tensor<8x1x512xf16>, tensor<8x512x64xf16>
    }
    ```
    """

    name = "state"
    READS_MACHINE: ClassVar[bool] = False
    capacity: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.capacity < 0:
            raise InputError(f"state: capacity is {self.capacity}; write a number of rows, or 0 for as many as needed")
        for function in functions(op):
            placed = any(isinstance(argument.type, OnType) for argument in function.args)
            if not is_private(function) and not placed:
                mark_states(function, self.capacity)
                states_of(function)  # a capacity may be too small


class Change(NamedTuple):
    """The change of an argument by a step: the argument's number, the concat that appends to it, if one does, and the
    slices that drop its oldest rows, if it is a ring."""

    argument: int
    state: State
    concat: g.ConcatOp | None = None
    cuts: tuple[g.SliceOp, ...] = ()

    @property
    def number(self) -> int:
        """The number of the result that holds the new content, or the new rows."""
        number = self.state.result if self.state.rows is None else self.state.rows
        assert number is not None
        return number


def mark_states(function: FuncOp, capacity: int = 0) -> None:
    """State what is found of a function's states, and let concats append to them in place. `capacity`: the rows to
    reserve for those that grow; 0: as many as they have. Raises InputError for a stated change that the function does
    not make."""
    stated, args = states_of(function), block_of(function).args
    found, taken = dict[int, Change](), set[int]()
    for change in changes(function):
        argument, known = args[change.argument], stated.get(args[change.argument])
        if (known is not None and known.change in ("read", "free")) or change.number in taken:
            continue
        if known is not None and (known.result, known.rows) != change.state[1:3]:
            continue
        if change.argument in found:
            continue
        if change.cuts and change.concat is not None and _is_returned(change.concat.y):
            continue  # a ring is never handed out as a whole
        if change.cuts and (other := _late_reader(argument, change)) is not None:
            if known is not None and known.change == "appended":
                owner = other.owner
                raise InputError(
                    f"{called(argument)} is read after its oldest rows are overwritten; read the result of the concat",
                    owner if isinstance(owner, Operation) else function,
                )
            continue
        found[change.argument] = change
        taken.add(change.number)
    for argument, state in stated.items():
        if state.change in ("appended", "updated") and isinstance(argument, BlockArgument):
            made = found.get(argument.index)
            if made is None or made.state.change != state.change:
                number = state.result if state.rows is None else state.rows
                how = (
                    "a concat of it, as first operand, and new rows" if state.change == "appended" else "updates of it"
                )
                raise InputError(
                    f"{called(argument)} is stated to be {state.change}, but result {number} is not {how}; state how "
                    f'it changes, for example {{task.state = "overwritten, result {number}"}}, or remove the attribute',
                    function,
                )
    fresh = [change for change in found.values() if args[change.argument] not in stated]
    for change in found.values():
        known = stated.get(args[change.argument])
        rows = known.capacity if known is not None else None
        if rows is None and capacity and not change.cuts and _tells_axis(function, change):
            rows = capacity
        state = change.state._replace(capacity=rows)
        _note_state(function, change.argument, state)
        for op in (change.concat, *change.cuts) if change.concat is not None else ():
            op.in_place = flag(True)
            rewriter_at(op).notify_op_modified(op)
    if fresh:
        names = list(dict.fromkeys(called(args[change.argument]) for change in fresh))[:2]
        rest = len(fresh) - len(names)
        shown = f"{', '.join(names)} and {rest} more" if rest else " and ".join(names)
        what = "are states that change in place, since the function returns what they become"
        if len(fresh) == 1:
            what = "is a state that changes in place, since the function returns what it becomes"
        note(
            f'{shown} {what}; write {{task.state = "read"}} where the caller keeps the old content',
            function,
        )


def rest_in_type(function: FuncOp) -> None:
    """Let states whose readers only convert them rest in the type that these convert to, so that no step converts them:
    the argument, and the result that is its new content, have this type. Rows that are returned alone keep theirs."""
    last = block_of(function).last_op
    assert last is not None
    states = states_of(function)
    if not states:
        return
    rewriter = rewriter_at(function)
    for argument, state in states.items():
        casts = [use.operation for use in argument.uses if isinstance(use.operation, g.CastOp)]
        types = {cast.y.type for cast in casts}
        if state.change in ("read", "free") or len(casts) != argument.uses.get_length() or len(types) != 1:
            continue
        (type_,) = types
        back: g.CastOp | None = None
        if state.result is not None:
            owner = last.operands[state.result].owner
            if not isinstance(owner, g.CastOp) or element_of(owner.x) != element_of(casts[0].y):
                continue
            back = owner
        rested = rewriter.replace_value_with_new_type(argument, type_)
        for cast in casts:
            rewriter.replace(cast, [], [rested])
        if back is not None and state.result is not None:
            last.operands[state.result] = back.x
            if back.y.first_use is None:
                rewriter.erase(back)
    types = [value.type for value in function.args], [value.type for value in last.operands]
    function.function_type = FunctionType.from_lists(*types)


def states_in_other_types(function: FuncOp, other: FuncOp) -> int:
    """The number of arguments whose types differ from those of another form of the function."""
    return sum(one.type != two.type for one, two in zip(function.args, other.args, strict=True))


def resting(function: FuncOp) -> dict[SSAValue, int | None]:
    """The states that rest where the one op that reads them runs, as a weight does, and are changed there: each with
    the number of the result that is its new content, if the function returns that. A state that several ops read, or
    that another op replaces, is an input like others; so is one that the program places."""
    found: dict[SSAValue, int | None] = {}
    last = block_of(function).last_op
    assert last is not None
    for argument, notes in noted_arguments(function):
        state = State.of(notes)
        if state is None or state.change in ("read", "free") or PLACED in notes or not argument.has_one_use():
            continue
        reader, _ = reader_of(argument)
        if reader is last:
            continue
        if state.result is not None:
            result = _root(last.operands[state.result])
            uses = [use for use in result.uses if isinstance(use.operation, ReturnOp)]
            shown = sum(_root(value) is result for value in last.operands)
            if result.owner is not _changer(argument) or len(uses) > 1 or shown != 1:
                continue
        found[argument] = state.result
    return found


def reader_of(state: SSAValue) -> tuple[Operation, list[SSAValue]]:
    """The op that reads a state which has one use, behind reshapes; and the values that show all of the state: it, and
    the reshapes."""
    shown = [state]
    (use,) = state.uses
    while isinstance(op := use.operation, g.ReshapeOp) and op.y.has_one_use():
        shown.append(op.y)
        (use,) = op.y.uses
    return op, shown


def _changer(state: SSAValue) -> Operation:
    """The op that makes a state's new content: its reader, or, behind a slice of a ring, the concat that appends."""
    op, _ = reader_of(state)
    while isinstance(op, g.SliceOp | g.OverwritingOp):
        users = [use.operation for use in op.results[0].uses if isinstance(use.operation, g.OverwritingOp | g.ConcatOp)]
        changing = [user for user in users if user.operands[0] is op.results[0]]
        if len(changing) != 1:
            break
        op = changing[0]
    if g.appends(op):
        cuts = [use.operation for use in op.y.uses if isinstance(use.operation, g.SliceOp)]
        kept = [cut for cut in cuts if any(isinstance(use.operation, ReturnOp) for use in cut.y.uses)]
        return kept[0] if kept else op
    return op


def changes(function: FuncOp) -> Iterator[Change]:
    """The changes of arguments that a function returns: new contents in the order of results, then those of which only
    the new rows are returned."""
    block = block_of(function)
    last = block.last_op
    assert last is not None
    for number, value in enumerate(last.operands):
        change = _appended(value, number) or _updated(value, number)
        if change is not None:
            yield change
    for op in block.ops:
        if isinstance(op, g.ConcatOp) and (change := _rows_appended(op, last)) is not None:
            yield change


def _appended(result: SSAValue, number: int) -> Change | None:
    """The change by a concat of an argument and new rows, of which `result` is all or the youngest rows."""
    value, dropped = _behind(result)
    concat = value.owner
    if not isinstance(concat, g.ConcatOp) or len(concat.parts) < 2:
        return None
    first, lost = _behind(concat.parts[0])
    axis = axis_of(concat)
    if not isinstance(first, BlockArgument) or not isinstance(first.block.parent_op(), FuncOp):
        return None
    if any(cut is not None and not _drops_oldest(cut, axis) for cut in (dropped, lost)):
        return None
    if not isinstance(first.type, type(result.type)) or len(g.shape_of(first)) != len(g.shape_of(result)):
        return None
    ring = growth_axis(first.type, result.type) is None
    if ring != (dropped is not None or lost is not None) or not _fits(first, result):
        return None
    return Change(first.index, State("appended", number), concat, tuple(filter(None, (dropped, lost))))


def _rows_appended(concat: g.ConcatOp, last: Operation) -> Change | None:
    """The change by a concat of an argument and new rows, if the function returns the new rows alone."""
    if len(concat.parts) != 2:
        return None
    first, lost = _behind(concat.parts[0])
    if not isinstance(first, BlockArgument) or not isinstance(first.block.parent_op(), FuncOp):
        return None
    if lost is not None and not _drops_oldest(lost, axis_of(concat)):
        return None
    rows = _root(concat.parts[1])
    number = next((number for number, value in enumerate(last.operands) if _root(value) is rows), None)
    if number is None or isinstance(rows, BlockArgument):
        return None
    axis = axis_of(concat)
    if g.shape_of(concat.parts[1])[axis] >= g.shape_of(concat.parts[0])[axis] and _depends(rows, first):
        return None  # a shortcut around other ops, not rows of a cache
    return Change(first.index, State("appended", rows=number), concat, () if lost is None else (lost,))


def _depends(value: SSAValue, argument: SSAValue) -> bool:
    """True if a value is computed from an argument."""
    waiting, met = [value], {value}
    for each in waiting:
        if each is argument:
            return True
        operands = each.owner.operands if isinstance(each.owner, Operation) else ()
        fresh = [operand for operand in operands if operand not in met]
        met.update(fresh)
        waiting += fresh
    return False


def _updated(result: SSAValue, number: int) -> Change | None:
    """The change by a chain of updates of slices or elements of an argument."""
    value, count = result, 0
    while isinstance(op := value.owner, g.OverwritingOp | g.ReshapeOp):
        count += isinstance(op, g.OverwritingOp)
        value = op.operands[0]
    if not count or not isinstance(value, BlockArgument) or not isinstance(value.block.parent_op(), FuncOp):
        return None
    return Change(value.index, State("updated", number)) if value.type == result.type else None


def _behind(value: SSAValue) -> tuple[SSAValue, g.SliceOp | None]:
    """The value behind reshapes and at most one slice, and that slice."""
    cut: g.SliceOp | None = None
    while isinstance(op := value.owner, g.ReshapeOp | g.SliceOp):
        if isinstance(op, g.SliceOp):
            if cut is not None:
                break
            cut = op
        value = op.x
    return value, cut


def _root(value: SSAValue) -> SSAValue:
    """The value behind reshapes."""
    while isinstance(op := value.owner, g.ReshapeOp):
        value = op.x
    return value


def _drops_oldest(cut: g.SliceOp, axis: int) -> bool:
    """True if a slice keeps the last rows along an axis, and all of the other axes."""
    kept = cut.ranges()[axis]
    return cuts_only(cut, axis) and kept.step == 1 and kept.stop == g.shape_of(cut.x)[axis]


def _fits(argument: SSAValue, result: SSAValue) -> bool:
    """True if a result can be the new content of an argument: of its type, or longer along one axis."""
    old, new = g.tensor_of(argument), g.tensor_of(result)
    pairs = [(a, b) for a, b in zip(old.get_shape(), new.get_shape(), strict=True) if a != b]
    return old.element_type == new.element_type and len(pairs) < 2 and all(a < b for a, b in pairs)


def _tells_axis(function: FuncOp, change: Change) -> bool:
    """True if the types of an argument and of a result tell the axis along which the argument grows."""
    types = function.function_type
    return (
        change.state.change == "appended"
        and growth_axis(types.inputs.data[change.argument], types.outputs.data[change.number]) is not None
    )


def _is_returned(value: SSAValue) -> bool:
    """True if the function returns a value, or a reshape of it."""
    users = [use.operation for use in value.uses]
    return any(isinstance(user, ReturnOp) or (isinstance(user, g.ReshapeOp) and _is_returned(user.y)) for user in users)


def _late_reader(argument: SSAValue, change: Change) -> SSAValue | None:
    """A reader of a ring other than the concat that appends to it: its operand; None if there is none."""
    assert change.concat is not None
    shown = {change.concat.parts[0]}
    value = change.concat.parts[0]
    while value is not argument and isinstance(op := value.owner, g.ReshapeOp | g.SliceOp):
        value = op.x
        shown.add(value)
    for value in shown:
        for use in value.uses:
            user = use.operation
            if user is not change.concat and not any(result in shown for result in user.results):
                return user.results[0] if user.results else value
    return None


def _note_state(function: FuncOp, index: int, state: State) -> None:
    """Write a state to an argument of a function."""
    given = function.arg_attrs.data if function.arg_attrs is not None else [DictionaryAttr({}) for _ in function.args]
    entries = [each.data | (state.noted if number == index else {}) for number, each in enumerate(given)]
    if tuple(entries) != tuple(each.data for each in given):
        function.arg_attrs = ArrayAttr(map(DictionaryAttr, entries))
        rewriter_at(function).notify_op_modified(function)
