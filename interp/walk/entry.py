"""Properties of a program that every interpreter needs: its entry function, values prepared ahead of time, states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard, cast

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_count
from dialects.graph.fused import FusedOp, expands
from dialects.graph.indexing import is_overwritten
from dialects.graph.op import GraphOp, as_tensor
from dialects.graph.roles import FusionRole
from dialects.graph.unary import CastOp
from dialects.repeating import RepeatingOp
from dialects.task import BY_TRANSFERS, OnType, RunOp, State, YieldOp
from dialects.task.state import KEEPS
from dialects.values import called
from interp.walk.views import is_view


def functions(module: ModuleOp) -> list[FuncOp]:
    """The functions of a module that have a body, in order."""
    return [op for op in module.body.block.ops if isinstance(op, FuncOp) and not op.is_declaration]


def entry_of(module: ModuleOp, entry: str | None = None) -> FuncOp:
    """The function a program starts in: the function named `entry`, else `main`, else the first function that is not
    private.

    Raises InputError if there is no function of that name, or no function at all.
    """
    found = {op.sym_name.data: op for op in functions(module)}
    if entry is not None and entry not in found:
        raise InputError(f"there is no function @{entry}; the program has {_listed(found)}", module)
    if not found:
        raise InputError("the program has no function to run; write one (func.func @main …)", module)
    public = [name for name, function in found.items() if not is_private(function)]
    return found[entry or ("main" if "main" in found else [*public, *found][0])]


def is_private(function: FuncOp) -> bool:
    """True if a function is only called from within its program."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def block_of(function: FuncOp) -> Block:
    """The only block of a function. Raises InputError if the function has several blocks, or does not end with
    func.return."""
    name, blocks = function.sym_name.data, function.body.blocks
    if len(blocks) != 1:
        raise InputError(
            f"@{name} has {len(blocks)} blocks, but a tensor program must have one; remove branches", function
        )
    if not isinstance(blocks[0].last_op, ReturnOp):
        raise InputError(f"@{name} must end in func.return", function)
    return blocks[0]


def blocks_of(function: FuncOp) -> list[Block]:
    """The block of a function and the bodies of its loops, each after the block that contains it. Raises InputError as
    `block_of`.
    """
    return with_loops([block_of(function)])


def states_of(function: FuncOp) -> dict[SSAValue, State]:
    """The arguments that state how a step changes them (`{task.state = …}`). Raises InputError for a result that does
    not exist or can't be the argument's new content, for two changed states with one result, and for too small a
    capacity."""
    found: dict[SSAValue, State] = {}
    results, taken = list(function.function_type.outputs), dict[int, SSAValue]()
    for argument, notes in noted_arguments(function):
        if (state := State.of(notes)) is None:
            continue
        found[argument] = state
        if state.rows is not None and state.rows >= len(results):
            raise InputError(
                f"@{function.sym_name.data}: {called(argument)} is appended to by result {state.rows}, but there is no "
                "result of this number; name the result that holds the new rows",
                function,
            )
        if state.rows is not None and state.capacity is not None:
            axis = growth_axis(argument.type, results[state.rows])
            if axis is None:
                raise InputError(
                    f"@{function.sym_name.data}: {called(argument)} has a capacity, but its type {argument.type} and "
                    f"that of its new rows, {results[state.rows]}, do not tell the axis along which it grows; return "
                    "the grown cache (`result N`), or remove `capacity`",
                    function,
                )
            rows = shape_of_placed(argument.type)[axis] + shape_of_placed(results[state.rows])[axis]
            _check_capacity(function, argument, state, rows)
        if (number := state.result) is None:
            continue
        result = results[number] if number < len(results) else None
        grown = _is_grown(argument.type, result) if state.change == "appended" else result == argument.type
        if not grown:
            rows = "with at least its rows along one axis, on its device"
            wanted = rows if state.change == "appended" else "of its type"
            met = f"result {number} is {result}" if result is not None else f"there is no result {number}"
            raise InputError(
                f"@{function.sym_name.data}: {called(argument)}, a state of type {argument.type}, is "
                f"{state.change} as result {number}, but {met}; name a result {wanted}",
                function,
            )
        if state.change != "overwritten" and (other := taken.setdefault(number, argument)) is not argument:
            raise InputError(
                f"@{function.sym_name.data}: {called(other)} and {called(argument)} are both {state.change} as "
                f"result {number}; a result is the new content of one state",
                function,
            )
        assert result is not None
        if state.capacity is not None and (axis := growth_axis(argument.type, result)) is not None:
            _check_capacity(function, argument, state, shape_of_placed(result)[axis])
    return found


def _check_capacity(function: FuncOp, argument: SSAValue, state: State, rows: int) -> None:
    """Raise InputError if a state has more rows after the step than its memory has room for."""
    if state.capacity is not None and rows > state.capacity:
        raise InputError(
            f"@{function.sym_name.data}: {called(argument)} grows to {rows} rows, but has a capacity of "
            f"{state.capacity}; state a larger `capacity`, or drop the oldest rows (a slice of the result)",
            function,
        )


def changed_states(function: FuncOp) -> dict[SSAValue, int | None]:
    """The arguments whose memory the function may write after reading it, each with the number of the result that takes
    over its memory, if stated. Raises InputError as `states_of`."""
    states = states_of(function).items()
    return {value: state.result for value, state in states if state.change != "read" and state.rows is None}


def kept_states(function: FuncOp) -> list[SSAValue]:
    """The arguments that stay in memory until the program ends though no result replaces them: those that the caller
    keeps (`"read"`, `task.keeps`), and those to which rows are appended that alone are returned. Any other argument
    occupies memory until it is read for the last time."""
    states = states_of(function)
    others = block_of(function).args if KEEPS in function.attributes else ()
    found = [argument for argument, state in states.items() if state.change == "read" or state.rows is not None]
    return found + [argument for argument in others if argument not in states]


def reserved_bytes(argument: SSAValue, state: State | None, result: Attribute | None) -> int:
    """The bytes for which an argument's memory has room beyond its own and its new rows: of the rows up to the stated
    capacity. `result`: the type of the new content, or of the new rows."""
    if state is None or state.capacity is None or result is None:
        return 0
    axis = growth_axis(argument.type, result)
    shape = shape_of_placed(argument.type)
    if axis is None or not shape[axis]:
        return 0
    rows = shape_of_placed(result)[axis] + (shape[axis] if state.rows is not None else 0)
    tensor = argument.type.tensor if isinstance(argument.type, OnType) else argument.type
    return (state.capacity - rows) * (byte_count(as_tensor(tensor)) // shape[axis])


def shape_of_placed(type_: Attribute) -> tuple[int, ...]:
    """The extents of a tensor type, placed or not."""
    return tuple(as_tensor(type_.tensor if isinstance(type_, OnType) else type_).get_shape())


def growth_axis(before: Attribute, after: Attribute) -> int | None:
    """The axis along which a type has more or fewer rows than another; None if they are equal, or differ otherwise."""
    old, new = shape_of_placed(before), shape_of_placed(after)
    found = [axis for axis, (one, two) in enumerate(zip(old, new, strict=False)) if one != two]
    return found[0] if len(old) == len(new) and len(found) == 1 else None


def _is_grown(before: Attribute, after: Attribute | None) -> bool:
    """True if `after` is a tensor of the type `before`, on the same device, with more rows along at most one axis."""
    if after is None or (isinstance(before, OnType) != isinstance(after, OnType)):
        return False
    if isinstance(before, OnType) and isinstance(after, OnType):
        if before.place != after.place:
            return False
        before, after = before.tensor, after.tensor
    if not isinstance(before, TensorType) or not isinstance(after, TensorType):
        return False
    before, after = as_tensor(cast(Attribute, before)), as_tensor(cast(Attribute, after))
    old, new = before.get_shape(), after.get_shape()
    if before.element_type != after.element_type or len(old) != len(new):
        return False
    other = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    return len(other) < 2 and all(a < b for a, b in other)


def noted_arguments(function: FuncOp) -> Iterator[tuple[SSAValue, Mapping[str, Attribute]]]:
    notes = function.arg_attrs.data if function.arg_attrs is not None and function.body.blocks else ()
    for argument, each in zip(function.body.blocks[0].args if notes else (), notes, strict=False):
        yield argument, each.data


def with_loops(blocks: Iterable[Block]) -> list[Block]:
    """Blocks, and the bodies of the loops in them, each after the block that contains it."""
    found = list(blocks)
    for block in found:
        found += [op.body.block for op in block.ops if isinstance(op, RepeatingOp)]
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"@{name}" for name in names) or "none"


def is_graph_op(op: Operation) -> TypeGuard[GraphOp | FusedOp]:
    """True if an op computes tensors from tensors (and is no terminator)."""
    return isinstance(op, GraphOp | FusedOp)


def is_contraction(op: Operation) -> TypeGuard[GraphOp]:
    """True if an op multiplies and accumulates, as a matrix product or a convolution does; other ops are fused into the
    kernel of such an op."""
    return isinstance(op, GraphOp) and op.FUSION is FusionRole.CONTRACTION


def is_skipped(op: GraphOp | FusedOp, skips: Sequence[str]) -> bool:
    """True if a device executes nothing for an op (or for all ops of a group), since its sheet's `skips` names it."""
    ops = op.ops if isinstance(op, FusedOp) else (op,)
    return bool(skips) and all(inner.name.removeprefix("graph.") in skips for inner in ops)


def runs_during_transfer(op: Operation) -> bool:
    """True if a PIM's task performs an op while data passes over the bus to or from a bank program: the op moves
    elements (the addresses of loads and drains) or converts them.
    """
    return isinstance(op, CastOp) or is_view(op) or (isinstance(op, GraphOp) and op.work().flops == 0)


def bank_work(run: RunOp) -> list[Operation]:
    """The ops of a PIM's task that need bank programs: all except views and those that are performed during the
    transfers of a bank program. If all ops could be performed during transfers, there is no bank program with
    transfers; the result is then all ops other than views, which no PIM can run."""
    ops = [op for op in run.body.block.ops if not isinstance(op, YieldOp)]
    if BY_TRANSFERS in run.attributes:
        return []
    return [op for op in ops if not runs_during_transfer(op)] or [op for op in ops if not is_view(op)]


def ahead_of_time(block: Block) -> dict[Operation, None]:
    """The graph ops of a block that depend on weights and constants alone, in order: they run once, before the program
    starts. An op whose result another op overwrites is not included, since it has to run each time, nor one that
    dequantizes weights (`expands`).
    """
    known: dict[Operation, None] = {}
    for op in block.ops:
        early = all(isinstance(value.owner, Operation) and value.owner in known for value in op.operands)
        if early and is_graph_op(op) and not (op.operands and is_overwritten(op)) and not expands(op):
            known[op] = None
    return known
