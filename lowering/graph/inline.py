"""The pass `inline`: replaces calls by the ops of the called function, so that passes see straight-line code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from dialects.locations import located
from dialects.repeating import RepeatingOp
from interp.walk.effort import calls_in, check_inlining
from interp.walk.entry import block_of, functions, is_graph_op, is_private
from lowering.graph.rewriting import apply_once, rewriter_at


@dataclass(frozen=True)
class InlinePass(ModulePass):
    """Replaces calls by the ops of the called functions. Weights of a function are inlined once, however often it is
    called. Private functions without remaining calls are removed.

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
    READS_MACHINE: ClassVar[bool] = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_calls(op)


def inline_calls(module: ModuleOp) -> None:
    """Inline all calls of a module. Raises InputError for a function that calls itself or has no body, and if the
    result would have too many ops to be placed."""
    known = {function.sym_name.data: function for function in functions(module)}
    called = {call.callee.string_value() for function in known.values() for call in calls_in(function)}
    kept = [function for name, function in known.items() if name not in called or not is_private(function)]
    for function in check_inlining(known, kept or known.values(), "inlining"):
        if function in kept:
            blocks = [block_of(function)]
            for block in blocks:
                inlining = InlineCall(known)
                apply_once(inlining.calls(block), inlining)
                blocks += [op.body.block for op in block.ops if isinstance(op, RepeatingOp)]
    for name in called:
        if is_private(known[name]):
            rewriter_at(known[name]).erase(known[name])


class InlineCall(RewritePattern):
    """Replaces a call by clones of the called function's ops, on the call's operands. Ops are cloned directly into the
    outermost function, so that each op is cloned once, however deep the calls are."""

    def __init__(self, known: dict[str, FuncOp]) -> None:
        self.known = known
        self.ahead: dict[SSAValue, SSAValue] = {}
        """The inlined copies of values that called functions compute ahead of time (from weights and constants alone);
        one copy serves all calls."""
        self.replaced: dict[SSAValue, SSAValue] = {}
        """The replacements of the results of inlined calls."""
        self.waiting: list[CallOp] = []

    def calls(self, block: Block) -> Iterator[CallOp]:
        """The calls of a block, including those in inlined ops, in program order. Loop bodies are separate blocks."""
        self.waiting += reversed([op for op in block.ops if isinstance(op, CallOp)])
        while self.waiting:
            yield self.waiting.pop()

    @op_type_rewrite_pattern
    def match_and_rewrite(self, call: CallOp, rewriter: PatternRewriter) -> None:
        block = block_of(self.known[call.callee.string_value()])
        values: dict[SSAValue, SSAValue] = dict(zip(block.args, call.operands, strict=True))
        further: list[CallOp] = []
        for op in block.ops:
            if isinstance(op, ReturnOp):
                results = [values[value] for value in op.operands]
                self.replaced |= zip(call.results, results, strict=True)
                rewriter.replace(call, (), results)
            elif op.results and op.results[0] in self.ahead:
                values |= {result: self._current(self.ahead[result]) for result in op.results}
            else:
                clone = rewriter.insert(located(op.clone(values), op))
                if _is_ahead(op, self.ahead):
                    self.ahead |= zip(op.results, clone.results, strict=True)
                if isinstance(clone, CallOp):
                    further.append(clone)
        self.waiting += reversed(further)

    def _current(self, value: SSAValue) -> SSAValue:
        while (replacement := self.replaced.get(value)) is not None:
            value = replacement
        return value


def _is_ahead(op: Operation, ahead: dict[SSAValue, SSAValue]) -> bool:
    """True if an op or call depends only on weights and constants."""
    return (is_graph_op(op) or isinstance(op, CallOp)) and all(operand in ahead for operand in op.operands)
