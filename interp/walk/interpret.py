"""The one walk over programs of graph and task level. It follows calls, loops and tasks in the order of execution; a
*meaning* states what each op does, with values of any kind: arrays, jobs, nodes of a drawing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from dialects.binding import YieldingOp
from dialects.diagnostics import InputError
from dialects.repeating import RepeatingOp
from dialects.task import RunOp
from interp.walk.entry import ahead_of_time, block_of

V = TypeVar("V")


class Meaning(ABC, Generic[V]):
    """An interpretation of the ops of a program. Each method gets the meanings of an op's operands and returns those of
    its results; `interpret` calls them in the order of execution."""

    functions: Mapping[str, FuncOp] = {}
    """The functions that can be called, by name."""

    @abstractmethod
    def op(self, op: Operation, operands: list[V], dead: Sequence[int]) -> Sequence[V]:
        """An op other than a call, loop or task. `dead`: the positions of operands that nothing reads afterwards."""

    def loop(self, loop: RepeatingOp, operands: list[V]) -> Sequence[V]:
        """A loop, whose body the method interprets as often as the meaning needs."""
        return self.op(loop, operands, ())

    def task(self, run: RunOp, operands: list[V]) -> Sequence[V]:
        """A task. The operands after its inputs are tokens and values that it only waits for."""
        return self.op(run, operands, ())

    def prepared(self, op: Operation, operands: list[V]) -> Sequence[V]:
        """An op that is computed ahead of time, from weights and constants alone."""
        return self.op(op, operands, ())

    def waits(self, op: Operation, early: Mapping[Operation, None]) -> bool:
        """True if an op is interpreted when its results are first read, rather than in program order. `early`: the ops
        of its block that are prepared ahead of time."""
        return False

    def begin(self, block: Block, early: Mapping[Operation, None]) -> None:
        """Note that the block of a function or of a loop is interpreted next. `early`: its ops that are prepared ahead
        of time."""

    def reached(self, number: int, count: int) -> None:
        """Note that op `number` of the `count` ops of a block is interpreted next."""

    def read(self, op: Operation, operands: list[V]) -> list[V]:
        """The operands of an op, or of the terminator of a block, as the op reads them."""
        return operands


def interpret(
    body: FuncOp | Block, arguments: Sequence[V], meaning: Meaning[V], known: dict[SSAValue, V] | None = None
) -> list[V]:
    """The meanings of the results of a function, or of the values that a block yields.

    `known`: a dictionary to which the meanings of all values are added; without it, a meaning is dropped after the last
    use of its value. Raises InputError for a function with several blocks, and a call of a missing function.
    """
    block = block_of(body) if isinstance(body, FuncOp) else body
    return _Walk(block, arguments, meaning, known).results()


class _Walk(Generic[V]):
    """The interpretation of one block."""

    def __init__(
        self, block: Block, arguments: Sequence[V], meaning: Meaning[V], known: dict[SSAValue, V] | None
    ) -> None:
        self.block, self.meaning, self.early = block, meaning, ahead_of_time(block)
        meaning.begin(block, self.early)
        self.keeps, self.values = known is not None, known if known is not None else dict[SSAValue, V]()
        self.values |= zip(block.args, arguments, strict=True)
        self.uses = Counter(() if self.keeps else (operand for op in block.ops for operand in op.operands))
        self.waiting = dict.fromkeys(op for op in block.ops if meaning.waits(op, self.early))
        """The ops that are not interpreted before their results are read."""

    def results(self) -> list[V]:
        """The meanings of the operands of the block's terminator."""
        late, count = set(self.waiting), len(self.block.ops)
        for number, op in enumerate(self.block.ops):
            self.meaning.reached(number, count)
            if op in late:
                continue
            self.prepare(op)
            if isinstance(op, ReturnOp | YieldingOp):
                return self.meaning.read(op, [self.take(operand) for operand in op.operands])
            self.run(op)
        around = self.block.parent_op()
        raise InputError(f"{around.name if around else 'a block'}: the body must end in a yield or return", around)

    def prepare(self, op: Operation) -> None:
        """Interpret the waiting ops that an op depends on; with a stack of its own, since chains of ops may be deeper
        than Python's stack permits."""
        stack = self.waiting_for(op)
        while stack:
            if needed := self.waiting_for(stack[-1]):
                stack += needed
            elif (ready := stack.pop()) in self.waiting:
                del self.waiting[ready]
                self.run(ready)

    def waiting_for(self, op: Operation) -> list[Operation]:
        owners = (operand.owner for operand in op.operands) if self.waiting else ()
        return [owner for owner in owners if isinstance(owner, Operation) and owner in self.waiting]

    def take(self, value: SSAValue) -> V:
        """The meaning of a value that an op reads."""
        if self.keeps:
            return self.values[value]
        self.uses[value] -= 1
        return self.values[value] if self.uses[value] else self.values.pop(value)

    def run(self, op: Operation) -> None:
        operands = self.meaning.read(op, [self.take(operand) for operand in op.operands])
        results = zip(op.results, self.results_of(op, operands), strict=True)
        self.values |= results if self.keeps else ((value, result) for value, result in results if self.uses[value])

    def results_of(self, op: Operation, operands: list[V]) -> Sequence[V]:
        meaning = self.meaning
        match op:
            case RunOp():
                return meaning.task(op, operands)
            case RepeatingOp():
                return meaning.loop(op, operands)
            case CallOp():
                callee = meaning.functions.get(op.callee.string_value())
                if callee is None or callee.is_declaration:
                    raise InputError(f"func.call: there is no function {op.callee} with a body", op)
                return interpret(callee, operands, meaning, self.values if self.keeps else None)
            case _ if op in self.early:
                return meaning.prepared(op, operands)
            case _:
                dead = () if self.keeps else [n for n, value in enumerate(op.operands) if not self.uses[value]]
                return meaning.op(op, operands, dead)
