"""Calls become the ops of the function that is called, so that passes see one straight line."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError
from dialects.locations import located
from interp.program import ahead_of_time, block_of, functions, is_private


@dataclass(frozen=True)
class InlinePass(ModulePass):
    """Puts the ops of called functions where the calls are; weights of a function stand once, however often it is
    called. Private functions that are called no more go.

    Before:
    ```mlir
    func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = graph.add %x, %x : tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = graph.add %x, %x : tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    ```
    """

    name = "inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_calls(op)


def inline_calls(module: ModuleOp) -> None:
    """Inline all calls of a module. Raises InputError for a function that calls itself or has no body."""
    known = {function.sym_name.data: function for function in functions(module)}
    called: dict[FuncOp, None] = {}
    finished: set[FuncOp] = set()
    for function in list(known.values()):
        _inline_into(function, known, called, finished, [])
    for function in called:
        if is_private(function):
            function.detach()
            function.erase()


def _inline_into(
    function: FuncOp, known: dict[str, FuncOp], called: dict[FuncOp, None], finished: set[FuncOp], open_: list[FuncOp]
) -> None:
    if function in finished:
        return
    ahead: dict[SSAValue, SSAValue] = {}
    for call in [op for op in function.body.ops if isinstance(op, CallOp)] if len(function.body.blocks) == 1 else ():
        callee = known.get(call.callee.string_value())
        if callee is None:
            raise InputError(f"func.call: there is no function {call.callee} with a body", call)
        if callee in (function, *open_):
            raise InputError(
                f"func.call: @{callee.sym_name.data} calls itself; only calls that end can be inlined", call
            )
        _inline_into(callee, known, called, finished, [*open_, function])
        called[callee] = None
        _inline(call, callee, ahead)
    finished.add(function)


def _inline(call: CallOp, callee: FuncOp, ahead: dict[SSAValue, SSAValue]) -> None:
    """Put a function's ops in a call's place. `ahead`: what stands for its weights already."""
    block = block_of(callee)
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, call.operands, strict=True)) | ahead
    prepared = ahead_of_time(block)
    clones: list[Operation] = []
    for op in block.ops:
        if isinstance(op, ReturnOp):
            for result, value in zip(call.results, op.operands, strict=True):
                values[value].name_hint = values[value].name_hint or result.name_hint
                result.replace_all_uses_with(values[value])
        elif not op.results or op.results[0] not in values:
            clones.append(located(op.clone(values), op))
            if op in prepared:
                ahead |= zip(op.results, clones[-1].results, strict=True)
    parent = call.parent
    assert parent is not None
    parent.insert_ops_before(clones, call)
    call.detach()
    call.erase()
