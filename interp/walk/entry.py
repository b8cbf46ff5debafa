"""Properties of a program that every interpreter needs: its entry function, values prepared ahead of time, donated and
kept arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.graph.fused import FusedOp
from dialects.graph.indexing import is_overwritten
from dialects.graph.op import GraphOp
from dialects.graph.roles import FusionRole
from dialects.graph.unary import CastOp
from dialects.repeating import RepeatingOp
from dialects.task import DONATED, KEPT, RunOp, YieldOp
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


def donated_arguments(function: FuncOp) -> dict[SSAValue, int | None]:
    """The arguments whose memory the function may reuse after reading them (`{task.donated}`), each with the number of
    the result that takes over its memory (`{task.donated = 2}`), if stated. Raises InputError for the number of a
    missing result, or of a result of another type."""
    found: dict[SSAValue, int | None] = {}
    results = list(function.function_type.outputs)
    for argument, notes in noted_arguments(function):
        if (donated := notes.get(DONATED)) is None:
            continue
        number = donated.value.data if isinstance(donated, IntegerAttr) else None
        if number is not None and (not 0 <= number < len(results) or results[number] != argument.type):
            raise InputError(
                f"{DONATED} = {number}: @{function.sym_name.data} has no result {number} of type "
                f"{argument.type}; name a result of this type",
                function,
            )
        found[argument] = number
    return found


def kept_arguments(function: FuncOp) -> list[SSAValue]:
    """The arguments that the caller keeps (`{task.kept}`), so that their memory is occupied until the program ends. Any
    other argument occupies memory until it is read for the last time."""
    return [argument for argument, notes in noted_arguments(function) if KEPT in notes]


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
    return [op for op in ops if not runs_during_transfer(op)] or [op for op in ops if not is_view(op)]


def ahead_of_time(block: Block) -> dict[Operation, None]:
    """The graph ops of a block that depend on weights and constants alone, in order: they run once, before the program
    starts. An op whose result another op overwrites is not included, since it has to run each time.
    """
    known: dict[Operation, None] = {}
    for op in block.ops:
        early = all(isinstance(value.owner, Operation) and value.owner in known for value in op.operands)
        if early and is_graph_op(op) and not (op.operands and is_overwritten(op)):
            known[op] = None
    return known
