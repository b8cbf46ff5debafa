"""The loads, stores, ops and bytes of each phase of a near-data program, from which the cost model computes cycles."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dialects.element_types import byte_count, element_count
from dialects.graph.op import GraphOp, tensor_of
from dialects.ndp import AllocOp, CombineOp, LoadOp, ProgramOp, ReduceOp, StoreOp
from interp.cost.near_data.law import Counts, Signature
from interp.cost.near_data.phases import computation_key, moves, ops_each


@dataclass
class Stream:
    """The loads, stores, ops and bytes of one phase of a program. A near-data unit keeps values that no other phase
    loads in its own memory."""

    shortest: Signature
    """The loads, stores and ops per element without those that are redundant or unused."""
    elements: int = 0
    """The number of elements of the largest tensor that the phase stores or computes with."""
    inputs: int = 0
    """The loads per element, as written in the program."""
    outputs: int = 0
    """The stores per element, as written in the program."""
    ops: int = 0
    """The ops per element, as written in the program."""
    scratch_loads: int = 0
    """Those of `inputs` that load from the unit's own memory."""
    scratch_stores: int = 0
    """Those of `outputs` that store to the unit's own memory."""
    nbytes: int = 0
    """The bytes loaded from and stored to memory outside of the unit, over all elements."""
    flops: int = 0
    """The floating-point operations over all elements."""

    @property
    def counts(self) -> Counts:
        """The counts in the form that the law of cycles in interp/cost takes."""
        own = (self.scratch_loads, self.scratch_stores)
        inputs, outputs = self.inputs - self.scratch_loads, self.outputs - self.scratch_stores
        return Counts(self.elements, inputs, outputs, self.ops, *own, self.shortest)


def streams(program: ProgramOp) -> list[Stream]:
    """The counts of loads, stores, ops and bytes of each phase of a program, in order."""
    shortest = _Contents(program).shortest()
    return [_stream(ops, form) for ops, form in zip(program.phases, shortest, strict=True)]


def _stream(ops: Sequence[Operation], shortest: Signature) -> Stream:
    found, here, stored = Stream(shortest), set(ops), set[SSAValue]()
    for op in ops:
        match op:
            case LoadOp():
                found.inputs += 1
                if op.memory in stored:
                    found.scratch_loads += 1
                else:
                    found.nbytes += byte_count(tensor_of(op.value))
                continue
            case StoreOp():
                stored.add(op.memory)
                found.outputs += 1
                others = (use.operation for use in op.memory.uses)
                if isinstance(op.memory.owner, AllocOp) and here.issuperset(others):
                    found.scratch_stores += 1
                else:
                    found.nbytes += byte_count(tensor_of(op.value))
                counted = [op.value]
            case GraphOp() if not moves(op):
                found.ops += 1 if isinstance(op, CombineOp) else ops_each(op)
                found.flops += op.work().flops
                counted = [*op.operands, *op.results] if not isinstance(op, CombineOp) else [op.y]
            case _:
                continue
        found.elements = max(found.elements, *(element_count(tensor_of(value)) for value in counted))
    return found


class _Contents:
    """The value numbers of a program's values and memories: two values or memories have equal numbers if the same
    computation produced their contents."""

    def __init__(self, program: ProgramOp) -> None:
        self.phases = program.phases
        self.numbers: dict[Hashable, int] = {}
        self.of: dict[SSAValue, int] = {value: self._number(value) for value in program.inputs}
        self.made: list[dict[int, Operation]] = [{} for _ in self.phases]
        """The value numbers computed by the ops of each phase."""
        self.stored: dict[int, int] = {}
        """The first phase that stores each value number to memory."""
        self.results: list[list[int]] = [[] for _ in self.phases]
        """The value numbers that each phase stores to outputs."""
        for number, ops in enumerate(self.phases):
            for op in ops:
                self._note(op, number)

    def _number(self, key: Hashable) -> int:
        return self.numbers.setdefault(key, len(self.numbers))

    def _note(self, op: Operation, phase: int) -> None:
        match op:
            case LoadOp():
                self.of[op.value] = self.of[op.memory]
            case StoreOp():
                self.of[op.memory] = self.of[op.value]
                self.stored.setdefault(self.of[op.value], phase)
                if not isinstance(op.memory.owner, AllocOp):
                    self.results[phase].append(self.of[op.value])
            case GraphOp():
                operands = tuple(self.of[each] for each in op.operands)
                number = self.of[op.results[0]] = self._number(computation_key(op, operands))
                self.made[phase].setdefault(number, op)
            case _:
                pass

    def shortest(self) -> list[Signature]:
        """For each phase, the inputs, outputs and ops that remain if redundant and unused loads, stores and
        computations are removed."""
        late: list[set[int]] = [set() for _ in self.phases]
        """The results of each phase that later phases load, or combine from partial reductions."""
        found: list[Signature] = []
        for phase in reversed(range(len(self.phases))):
            waiting = [*self.results[phase], *late[phase]]
            made, done, loads, ops = self.made[phase], set[int](), set[int](), 0
            reduced = {each for each in late[phase] if isinstance(made.get(each), ReduceOp)}
            while waiting:
                if (number := waiting.pop()) in done:
                    continue
                done.add(number)
                if (op := made.get(number)) is None:
                    loads.add(number)
                    if (source := self.stored.get(number, phase)) < phase:
                        late[source].add(number)
                elif isinstance(op, CombineOp):
                    ops += 1
                    partial = self.of[op.partial]
                    late[next(n for n, each in enumerate(self.made) if partial in each)].add(partial)
                else:
                    ops += ops_each(op)
                    waiting += [self.of[each] for each in op.operands]
            outputs = len(self.results[phase]) + len(late[phase] - reduced - set(self.results[phase]))
            found.append((len(loads), outputs, ops))
        return found[::-1]
